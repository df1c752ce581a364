/*
 * Texts as values. LogicalTypes.md says how values look; how writers put them into paths,
 * docs/path-rows.md.
 */
#include "parquet/text_value.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/time.h"

#define MINUTE_NS (60 * LITH_SECOND_NS)
#define DAY_NS (24 * 60 * MINUTE_NS)
/* What begins or ends in these years fits nanoseconds, with any zone. */
#define NS_YEAR_MIN 1678
#define NS_YEAR_MAX 2261

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Equal but for the case of ASCII letters; `word` is in lower case. */
static bool is_word(const char *text, const char *word)
{
    while (*word && lith_byte_lower((uint8_t)*text) == (uint8_t)*word) {
        text++;
        word++;
    }
    return !*text && !*word;
}

bool lith_text_boolean(const char *text, bool *ret_value)
{
    *ret_value = is_word(text, "true");
    return *ret_value || is_word(text, "false");
}

bool lith_text_integer(const char *text, bool *ret_negative, uint64_t *ret_magnitude)
{
    bool negative = *text == '-';
    uint64_t magnitude = 0;

    text += negative;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (!is_digit(*text) || !lith_mul_u64(magnitude, 10, &magnitude) ||
            !lith_add_u64(magnitude, (uint64_t)(*text - '0'), &magnitude))
            return false;
    }
    *ret_negative = negative && magnitude > 0;
    *ret_magnitude = magnitude;
    return true;
}

/* number = number * 10 + digit; false where it needs the bit of the sign. */
static bool digit_append(uint8_t number[LITH_DECIMAL_TEXT_BYTES], unsigned digit)
{
    unsigned carry = digit;

    for (size_t i = LITH_DECIMAL_TEXT_BYTES; i > 0; i--) {
        unsigned sum = number[i - 1] * 10u + carry;
        number[i - 1] = (uint8_t)sum;
        carry = sum >> 8;
    }
    return carry == 0 && !(number[0] & 0x80);
}

static void negate(uint8_t number[LITH_DECIMAL_TEXT_BYTES])
{
    unsigned carry = 1;

    for (size_t i = LITH_DECIMAL_TEXT_BYTES; i > 0; i--) {
        unsigned sum = (uint8_t)~number[i - 1] + carry;
        number[i - 1] = (uint8_t)sum;
        carry = sum >> 8;
    }
}

bool lith_text_decimal(const char *text, int32_t scale,
                       uint8_t ret_unscaled[LITH_DECIMAL_TEXT_BYTES])
{
    bool negative = *text == '-';
    const char *at = text + negative;
    bool fits = is_digit(*at) && scale >= 0 && scale <= 38;

    memset(ret_unscaled, 0, LITH_DECIMAL_TEXT_BYTES);
    for (; fits && is_digit(*at); at++)
        fits = digit_append(ret_unscaled, (unsigned)(*at - '0'));
    if (fits && *at == '.')
        fits = is_digit(*++at);
    for (; fits && scale > 0; scale--) {
        fits = digit_append(ret_unscaled, is_digit(*at) ? (unsigned)(*at - '0') : 0);
        at += is_digit(*at);
    }
    while (*at == '0')
        at++;
    if (fits && negative)
        negate(ret_unscaled);
    return fits && !*at;
}

/* 0 to 15, or -1. */
static int hex_digit(char c)
{
    uint8_t lower = lith_byte_lower((uint8_t)c);

    if (is_digit(c))
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool lith_text_uuid(const char *text, uint8_t ret_bytes[16])
{
    for (size_t i = 0; i < 16; i++) {
        bool is_group = i == 4 || i == 6 || i == 8 || i == 10;
        if (is_group && *text++ != '-')
            return false;
        int high = hex_digit(text[0]);
        int low = high < 0 ? -1 : hex_digit(text[1]);
        if (low < 0)
            return false;
        ret_bytes[i] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    return !*text;
}

/* Exactly `count` digits at *at. */
static bool take_number(const char **at, unsigned count, unsigned *ret_number)
{
    unsigned number = 0;

    for (unsigned i = 0; i < count; i++, ++*at) {
        if (!is_digit(**at))
            return false;
        number = number * 10 + (unsigned)(**at - '0');
    }
    *ret_number = number;
    return true;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* "2026-06-15" or "20260615". */
static bool take_date(const char **at, unsigned *ret_year, int64_t *ret_days)
{
    unsigned month, day;

    if (!take_number(at, 4, ret_year))
        return false;
    bool dashes = take_char(at, '-');
    if (!take_number(at, 2, &month) || (dashes && !take_char(at, '-')) || !take_number(at, 2, &day))
        return false;
    return lith_civil_days(*ret_year, month, day, ret_days);
}

/* ".25" of a second; *ret_left is the unit of the last digit. */
static bool take_fraction(const char **at, int64_t *ret_ns, int64_t *ret_left)
{
    int64_t ns = 0;

    if (!take_char(at, '.'))
        return true;
    if (!is_digit(**at))
        return false;
    for (; is_digit(**at); ++*at) {
        *ret_left /= 10;
        if (*ret_left == 0)
            return false; /* finer than nanoseconds */
        ns += (**at - '0') * *ret_left;
    }
    *ret_ns = ns;
    return true;
}

/* "10:00", "10:00:00", "10:00:00.25"; *ret_left is how long the last digit lasts. */
static bool take_time(const char **at, int64_t *ret_ns, int64_t *ret_left)
{
    unsigned hour, minute, second = 0;
    int64_t fraction = 0;

    if (!take_number(at, 2, &hour) || !take_char(at, ':') || !take_number(at, 2, &minute))
        return false;
    *ret_left = MINUTE_NS;
    if (take_char(at, ':')) {
        *ret_left = LITH_SECOND_NS;
        if (!take_number(at, 2, &second) || !take_fraction(at, &fraction, ret_left))
            return false;
    }
    *ret_ns = (int64_t)(hour * 3600 + minute * 60 + second) * LITH_SECOND_NS + fraction;
    return hour <= 23 && minute <= 59 && second <= 59;
}

/* "Z", "+02", "+02:00", "+0200", " UTC", or nothing. */
static bool take_zone(const char **at, bool *ret_has_zone, int64_t *ret_offset_ns)
{
    unsigned hours, minutes = 0;

    *ret_offset_ns = 0;
    *ret_has_zone = true;
    if (is_word(*at, "z") || is_word(*at, " utc")) {
        *at += strlen(*at);
        return true;
    }
    bool west = **at == '-';
    *ret_has_zone = take_char(at, '+') || take_char(at, '-');
    if (!*ret_has_zone)
        return true;
    if (!take_number(at, 2, &hours))
        return false;
    bool has_minutes = take_char(at, ':') || **at;
    if (has_minutes && !take_number(at, 2, &minutes))
        return false;
    *ret_offset_ns = (int64_t)(hours * 60 + minutes) * MINUTE_NS * (west ? -1 : 1);
    return hours <= 23 && minutes <= 59;
}

bool lith_text_moment(const char *text, struct lith_text_moment *ret_moment)
{
    struct lith_text_moment m = {.is_date = true};
    int64_t of_day = 0;
    int64_t left = DAY_NS;
    int64_t offset = 0;
    unsigned year;

    if (!take_date(&text, &year, &m.days))
        return false;
    if (*text) {
        m.is_date = false;
        if (!(take_char(&text, 'T') || take_char(&text, ' ')) ||
            !take_time(&text, &of_day, &left) || !take_zone(&text, &m.has_zone, &offset) || *text)
            return false;
    }
    m.is_utc = m.has_zone && offset == 0;
    m.has_ns = year >= NS_YEAR_MIN && year <= NS_YEAR_MAX;
    if (m.has_ns) {
        m.begin_ns = m.days * DAY_NS + of_day - offset;
        m.end_ns = m.begin_ns + left;
    }
    *ret_moment = m;
    return true;
}
