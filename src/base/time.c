/*
 * Civil time: days to dates and back, RFC 3339.
 *
 * The calendar is counted in eras of 400 years that begin on 1 March, so that the leap day is
 * the last of its year and no table is needed. Durations and sizes are in units.c.
 */
#include "base/time.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"

#define DAY_SECONDS ((int64_t)86400)
#define ERA_DAYS ((int64_t)146097)
#define EPOCH_DAYS ((int64_t)719468) /* from 0000-03-01 to 1970-01-01 */
/* Far beyond what 32 bits of days hold, and no sum below can overflow. */
#define YEAR_MAX ((int64_t)10000000)

/* Quotient towards minus infinity; the rest is then never negative. */
static int64_t floor_div(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

static unsigned month_days(int64_t year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && leap ? 1u : 0u);
}

bool lith_civil_days(int64_t year, unsigned month, unsigned day, int64_t *ret_days)
{
    if (year < -YEAR_MAX || year > YEAR_MAX || month < 1 || month > 12)
        return false;
    if (day < 1 || day > month_days(year, month))
        return false;
    int64_t march_year = year - (month <= 2);
    int64_t era = floor_div(march_year, 400);
    int64_t year_of_era = march_year - era * 400;
    int64_t march_month = (month + 9) % 12;
    int64_t day_of_year = (153 * march_month + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    *ret_days = era * ERA_DAYS + day_of_era - EPOCH_DAYS;
    return true;
}

struct lith_civil lith_civil_from_ns(int64_t ns)
{
    int64_t seconds = floor_div(ns, LITH_SECOND_NS);
    int64_t days = floor_div(seconds, DAY_SECONDS);
    unsigned second_of_day = (unsigned)(seconds - days * DAY_SECONDS);
    int64_t era = floor_div(days + EPOCH_DAYS, ERA_DAYS);
    int64_t day_of_era = days + EPOCH_DAYS - era * ERA_DAYS;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    unsigned month = (unsigned)(march_month < 10 ? march_month + 3 : march_month - 9);

    return (struct lith_civil){
        .year = year_of_era + era * 400 + (month <= 2),
        .month = month,
        .day = (unsigned)(day_of_year - (153 * march_month + 2) / 5 + 1),
        .hour = second_of_day / 3600,
        .minute = second_of_day / 60 % 60,
        .second = second_of_day % 60,
    };
}

void lith_time_text(int64_t ns, char ret_text[LITH_TIME_TEXT_BYTES])
{
    struct lith_civil c = lith_civil_from_ns(ns);
    int64_t rest = ns % LITH_SECOND_NS;
    int64_t fraction = rest < 0 ? rest + LITH_SECOND_NS : rest;
    char digits[16] = "";
    int kept = 9;

    while (kept > 0 && fraction % 10 == 0) {
        fraction /= 10;
        kept--;
    }
    if (kept > 0)
        (void)snprintf(digits, sizeof(digits), ".%0*" PRId64, kept, fraction);
    (void)snprintf(ret_text, LITH_TIME_TEXT_BYTES, "%04" PRId64 "-%02u-%02uT%02u:%02u:%02u%sZ",
                   c.year, c.month, c.day, c.hour, c.minute, c.second, digits);
}

/* Exactly `count` digits at *at. */
static bool take_number(const char **at, unsigned count, unsigned *ret_value)
{
    unsigned value = 0;

    for (unsigned i = 0; i < count; i++, ++*at) {
        if (**at < '0' || **at > '9')
            return false;
        value = value * 10 + (unsigned)(**at - '0');
    }
    *ret_value = value;
    return true;
}

static bool take_char(const char **at, char a, char b)
{
    if (**at != a && **at != b)
        return false;
    ++*at;
    return true;
}

/* ".123" or nothing; digits after the ninth are dropped. */
static bool take_fraction(const char **at, int64_t *ret_ns)
{
    int64_t unit = LITH_SECOND_NS / 10;
    unsigned digit;

    *ret_ns = 0;
    if (!take_char(at, '.', '.'))
        return true;
    if (!take_number(at, 1, &digit))
        return false;
    do {
        *ret_ns += digit * unit;
        unit /= 10;
    } while (take_number(at, 1, &digit));
    return true;
}

/* "Z", "+02:00", "-00:30". */
static bool take_offset(const char **at, int64_t *ret_seconds)
{
    unsigned hours;
    unsigned minutes;
    bool west = **at == '-';

    *ret_seconds = 0;
    if (take_char(at, 'Z', 'z'))
        return true;
    if (!take_char(at, '+', '-') || !take_number(at, 2, &hours) || !take_char(at, ':', ':') ||
        !take_number(at, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *ret_seconds = (int64_t)(hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return true;
}

/* Seconds and nanoseconds since the epoch. A leap second counts as the first of the next minute,
 * and stands only where one can be. */
static bool take_time(const char **at, int64_t *ret_seconds, int64_t *ret_ns)
{
    unsigned year, month, day, hour, minute, second;
    int64_t days, offset;

    if (!take_number(at, 4, &year) || !take_char(at, '-', '-') || !take_number(at, 2, &month) ||
        !take_char(at, '-', '-') || !take_number(at, 2, &day) ||
        !lith_civil_days(year, month, day, &days))
        return false;
    if (!(take_char(at, 'T', 't') || take_char(at, ' ', ' ')) || !take_number(at, 2, &hour) ||
        !take_char(at, ':', ':') || !take_number(at, 2, &minute) || !take_char(at, ':', ':') ||
        !take_number(at, 2, &second) || hour > 23 || minute > 59 || second > 60)
        return false;
    if (!take_fraction(at, ret_ns) || !take_offset(at, &offset))
        return false;
    unsigned second_of_day = hour * 3600 + minute * 60 + second;
    *ret_seconds = days * DAY_SECONDS + second_of_day - offset;
    return second < 60 || *ret_seconds % DAY_SECONDS == 0;
}

enum lith_code lith_time_parse(const char *text, int64_t *ret_ns, struct lith_err *err)
{
    const char *at = text;
    int64_t seconds, fraction, ns;

    if (!take_time(&at, &seconds, &fraction) || *at)
        return lith_fail(err, LITH_E_INVALID,
                         "time \"%s\": expected the form 2026-06-15T11:20:00Z, wrong at \"%s\"",
                         text, at);
    if (seconds < 0 && fraction > 0) { /* so that the first second of the range does not wrap */
        seconds++;
        fraction -= LITH_SECOND_NS;
    }
    if (!lith_mul_i64(seconds, LITH_SECOND_NS, &ns) || !lith_add_i64(ns, fraction, &ns))
        return lith_fail(err, LITH_E_INVALID,
                         "time \"%s\": outside what 64 bits of nanoseconds hold (1677 to 2262)",
                         text);
    *ret_ns = ns;
    return LITH_OK;
}
