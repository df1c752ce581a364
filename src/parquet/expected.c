/*
 * Ranges from expectations, by type; and what bounds and counts say of a run.
 */
#include "parquet/expected.h"

#include <math.h>

#include "base/checked.h"
#include "base/time.h"
#include "parquet/text_value.h"

#define DAY_NS (LITH_SECOND_NS * 24 * 3600)
#define JULIAN_EPOCH_DAY 2440588
/* Whole numbers up to these are their own nearest floats. */
#define FLOAT_WHOLE_MAX ((uint64_t)1 << 24)
#define DOUBLE_WHOLE_MAX ((uint64_t)1 << 53)

static void range_set(struct lith_expected *e, struct lith_slice low, struct lith_slice high)
{
    e->ranges[e->range_count++] = (struct lith_expected_range){low, high};
}

/* A range of values of `width` bytes: the low ones of `low` and `high`. */
static void range_add(struct lith_expected *e, uint64_t low, uint64_t high, size_t width)
{
    uint8_t *room = e->room[2 * e->range_count];
    uint8_t *more = e->room[2 * e->range_count + 1];

    lith_store_u64(room, low);
    lith_store_u64(more, high);
    range_set(e, (struct lith_slice){room, width}, (struct lith_slice){more, width});
}

/* A range of an integer type, as far as it holds it; false where it holds none of it. */
static bool integers_add(struct lith_expected *e, int64_t low, int64_t high)
{
    bool is_32 = e->order == LITH_ORDER_SIGNED_32 || e->order == LITH_ORDER_UNSIGNED_32;
    bool is_unsigned = e->order == LITH_ORDER_UNSIGNED_32 || e->order == LITH_ORDER_UNSIGNED_64;
    int64_t min = is_unsigned ? 0 : is_32 ? INT32_MIN : INT64_MIN;
    int64_t max = !is_32 ? INT64_MAX : is_unsigned ? UINT32_MAX : INT32_MAX;

    low = low < min ? min : low;
    high = high > max ? max : high;
    if (low > high)
        return false;
    range_add(e, (uint64_t)low, (uint64_t)high, is_32 ? 4 : 8);
    return true;
}

/* A number that the type does not hold equals none of its values. */
static bool integer_text(const char *text, struct lith_expected *e)
{
    bool negative;
    uint64_t magnitude;

    if (!lith_text_integer(text, &negative, &magnitude))
        return false;
    if (!negative && magnitude > INT64_MAX) {
        if (e->order == LITH_ORDER_UNSIGNED_64)
            range_add(e, magnitude, magnitude, 8);
        return true;
    }
    if (negative && magnitude > (uint64_t)INT64_MAX + 1)
        return true;
    int64_t value = (int64_t)(negative ? -magnitude : magnitude);
    (void)integers_add(e, value, value);
    return true;
}

/* The low 64 bits of an unscaled decimal; false where it has more. */
static bool unscaled_whole(const uint8_t unscaled[LITH_DECIMAL_TEXT_BYTES], int64_t *ret_whole)
{
    uint64_t whole = 0;
    bool fits = true;

    for (size_t i = 8; i < LITH_DECIMAL_TEXT_BYTES; i++)
        whole = whole << 8 | unscaled[i];
    for (size_t i = 0; i < 8; i++)
        fits = fits && unscaled[i] == (whole >> 63 ? 0xff : 0);
    *ret_whole = (int64_t)whole;
    return fits;
}

static bool whole_text(const char *text, int32_t scale, int64_t *ret_whole)
{
    uint8_t unscaled[LITH_DECIMAL_TEXT_BYTES];

    return lith_text_decimal(text, scale, unscaled) && unscaled_whole(unscaled, ret_whole);
}

static bool decimal_text(const struct lith_schema_node *leaf, const char *text,
                         struct lith_expected *e)
{
    uint8_t *room = e->room[0];
    int64_t whole;

    if (!lith_text_decimal(text, leaf->logical.scale, room))
        return false;
    if (e->order == LITH_ORDER_DECIMAL_BYTES) {
        struct lith_slice bytes = {room, LITH_DECIMAL_TEXT_BYTES};
        range_set(e, bytes, bytes);
    } else if (unscaled_whole(room, &whole)) {
        (void)integers_add(e, whole, whole);
    }
    return true;
}

/* Nanoseconds of one unit. */
static int64_t unit_ns(int unit)
{
    return unit == LITH_UNIT_MILLIS ? 1000000 : unit == LITH_UNIT_MICROS ? 1000 : 1;
}

/* Quotient towards minus infinity. */
static int64_t floor_div(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

/* The moments of [begin, end) in units; false where there is none. */
static bool moments_add(struct lith_expected *e, int64_t begin_ns, int64_t end_ns, int64_t unit)
{
    return integers_add(e, -floor_div(-begin_ns, unit), floor_div(end_ns - 1, unit));
}

static bool date_text(const char *text, struct lith_expected *e)
{
    struct lith_text_moment moment;

    return lith_text_moment(text, &moment) && moment.is_date &&
           integers_add(e, moment.days, moment.days);
}

/* A local time has no zone, so that a text with one says something else. */
static bool timestamp_text(const char *text, bool utc, int64_t unit, struct lith_expected *e)
{
    struct lith_text_moment moment;

    if (!lith_text_moment(text, &moment) || !moment.has_ns ||
        (!utc && moment.has_zone && !moment.is_utc))
        return false;
    return moments_add(e, moment.begin_ns, moment.end_ns, unit);
}

static bool integer_type_text(const struct lith_schema_node *leaf, const char *text,
                              struct lith_expected *e)
{
    switch (leaf->logical.kind) {
    case LITH_LOGICAL_NONE:
        return leaf->converted_type == LITH_CONVERTED_NONE && integer_text(text, e);
    case LITH_LOGICAL_INTEGER:
        return integer_text(text, e);
    case LITH_LOGICAL_DECIMAL:
        return decimal_text(leaf, text, e);
    case LITH_LOGICAL_DATE:
        return date_text(text, e);
    case LITH_LOGICAL_TIMESTAMP:
        return timestamp_text(text, leaf->logical.utc, unit_ns(leaf->logical.unit), e);
    default:
        return false;
    }
}

/* Whole numbers alone: how a writer shortens others for a path is its own. */
static bool real_text(const struct lith_schema_node *leaf, const char *text,
                      struct lith_expected *e)
{
    bool is_float = leaf->type == LITH_TYPE_FLOAT;
    uint64_t whole_max = is_float ? FLOAT_WHOLE_MAX : DOUBLE_WHOLE_MAX;
    uint64_t bits = 0;
    int64_t whole;

    if (!whole_text(text, 0, &whole) || whole > (int64_t)whole_max || whole < -(int64_t)whole_max)
        return false;
    double value = (double)whole;
    float small = (float)value;
    if (is_float)
        memcpy(&bits, &small, sizeof(small));
    else
        memcpy(&bits, &value, sizeof(value));
    range_add(e, bits, bits, is_float ? 4 : 8);
    return true;
}

/* Printable ASCII that no writer of binary values escapes on its way into a path. */
static bool is_plain_text(struct lith_slice value)
{
    for (size_t i = 0; i < value.bytes; i++) {
        uint8_t c = value.data[i];
        if (c < 0x20 || c > 0x7e || c == '\\' || c == '\'' || c == '"')
            return false;
    }
    return true;
}

/* Texts that begin with the date `text` and go on with a time of day, behind `between`. */
static void times_of_date(const char *text, char between, struct lith_expected *e)
{
    uint8_t *low = e->room[2 * e->range_count];
    uint8_t *high = e->room[2 * e->range_count + 1];
    size_t bytes = strlen(text);

    memcpy(low, text, bytes);
    low[bytes] = (uint8_t)between;
    memcpy(high, low, bytes + 1);
    high[bytes + 1] = 0xff; /* behind all of ASCII */
    range_set(e, (struct lith_slice){low, bytes + 1}, (struct lith_slice){high, bytes + 2});
}

/* A text is that text; where it is a date, a column of times as texts holds that day. */
static void string_text(const char *text, struct lith_expected *e)
{
    struct lith_slice bytes = lith_slice_text(text);
    struct lith_text_moment moment;

    range_set(e, bytes, bytes);
    if (!lith_text_moment(text, &moment) || !moment.is_date)
        return;
    times_of_date(text, ' ', e);
    times_of_date(text, 'T', e);
}

static bool bytes_text(const struct lith_schema_node *leaf, const char *text,
                       struct lith_expected *e)
{
    struct lith_slice bytes = lith_slice_text(text);
    bool is_fixed = leaf->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY;

    switch (leaf->logical.kind) {
    case LITH_LOGICAL_NONE:
        if (leaf->converted_type != LITH_CONVERTED_NONE ||
            (is_fixed && bytes.bytes != (size_t)leaf->type_length) || !is_plain_text(bytes))
            return false;
        e->is_raw = true;
        break;
    case LITH_LOGICAL_STRING:
        string_text(text, e);
        return true;
    case LITH_LOGICAL_ENUM:
        break;
    case LITH_LOGICAL_DECIMAL:
        return decimal_text(leaf, text, e);
    case LITH_LOGICAL_UUID:
        if (!is_fixed || leaf->type_length != 16 || !lith_text_uuid(text, e->room[0]))
            return false;
        bytes = (struct lith_slice){e->room[0], 16};
        break;
    default:
        return false;
    }
    range_set(e, bytes, bytes);
    return true;
}

static bool text_make(const struct lith_schema_node *leaf, const char *text,
                      struct lith_expected *e)
{
    bool value;

    switch (leaf->type) {
    case LITH_TYPE_BOOLEAN:
        if (!lith_text_boolean(text, &value))
            return false;
        range_add(e, value, value, 1);
        return true;
    case LITH_TYPE_INT32:
    case LITH_TYPE_INT64:
        return integer_type_text(leaf, text, e);
    case LITH_TYPE_INT96:
        return timestamp_text(text, true, 1, e);
    case LITH_TYPE_FLOAT:
    case LITH_TYPE_DOUBLE:
        return real_text(leaf, text, e);
    case LITH_TYPE_BYTE_ARRAY:
    case LITH_TYPE_FIXED_LEN_BYTE_ARRAY:
        return bytes_text(leaf, text, e);
    case LITH_TYPE_COUNT:
        break;
    }
    return false;
}

/*
 * A bare number counts seconds, or a part of one: from 1971 to 2261 the numbers of these units are
 * apart, so that the magnitude tells which.
 */
static bool bare_moments(const struct lith_schema_node *leaf, const struct lith_expectation *said,
                         struct lith_expected *e)
{
    bool found = false;

    for (int64_t unit = LITH_SECOND_NS; unit >= 1; unit /= 1000) {
        if (unit == LITH_SECOND_NS || leaf->type == LITH_TYPE_INT64)
            found |= moments_add(e, said->begin_ns, said->end_ns, unit);
    }
    return found;
}

/* Seconds, milli- and microseconds, which a double holds exactly. */
static bool real_moments(const struct lith_expectation *said, struct lith_expected *e)
{
    for (int64_t unit = LITH_SECOND_NS; unit >= 1000; unit /= 1000) {
        double low = (double)(said->begin_ns / unit);
        double high = nextafter((double)(said->end_ns / unit), -HUGE_VAL);
        uint64_t bits[2];
        memcpy(&bits[0], &low, sizeof(low));
        memcpy(&bits[1], &high, sizeof(high));
        range_add(e, bits[0], bits[1], 8);
    }
    return true;
}

static bool period_make(const struct lith_schema_node *leaf, const struct lith_expectation *said,
                        struct lith_expected *e)
{
    int kind = leaf->logical.kind;

    e->zero_is_none = true;
    if (leaf->type == LITH_TYPE_INT96)
        return moments_add(e, said->begin_ns, said->end_ns, 1);
    if (leaf->type == LITH_TYPE_DOUBLE)
        return real_moments(said, e);
    if (leaf->type != LITH_TYPE_INT32 && leaf->type != LITH_TYPE_INT64)
        return false;
    if (kind == LITH_LOGICAL_TIMESTAMP)
        return moments_add(e, said->begin_ns, said->end_ns, unit_ns(leaf->logical.unit));
    if (kind == LITH_LOGICAL_DATE) /* the days that the period touches */
        return integers_add(e, floor_div(said->begin_ns, DAY_NS),
                            floor_div(said->end_ns - 1, DAY_NS));
    bool is_bare = kind == LITH_LOGICAL_INTEGER ||
                   (kind == LITH_LOGICAL_NONE && leaf->converted_type == LITH_CONVERTED_NONE);
    return is_bare && bare_moments(leaf, said, e);
}

bool lith_expected_make(const struct lith_schema_node *leaf, const struct lith_expectation *said,
                        struct lith_expected *ret_expected)
{
    struct lith_expected *e = ret_expected;

    if (leaf->is_group || leaf->repetition == LITH_REPEATED || leaf->max_rep > 0)
        return false;
    memset(e, 0, sizeof(*e));
    e->is_int96 = leaf->type == LITH_TYPE_INT96;
    e->order = e->is_int96 ? LITH_ORDER_SIGNED_64 : lith_order_of(leaf);
    if (said->kind == LITH_EXPECT_NULL) {
        if (leaf->type == LITH_TYPE_BYTE_ARRAY && e->order == LITH_ORDER_BYTES)
            range_set(e, (struct lith_slice){e->room[0], 0}, (struct lith_slice){e->room[0], 0});
        return true;
    }
    if (e->order == LITH_ORDER_NONE)
        return false;
    return said->kind == LITH_EXPECT_TEXT ? text_make(leaf, said->text, e)
                                          : period_make(leaf, said, e);
}

/* Nanoseconds since 1970 of an INT96; false where they do not fit. */
static bool int96_ns(const uint8_t *data, int64_t *ret_ns)
{
    int64_t days = (int64_t)lith_load_u32(data + 8) - JULIAN_EPOCH_DAY;
    uint64_t of_day = lith_load_u64(data);
    int64_t ns;

    return of_day <= INT64_MAX && lith_mul_i64(days, DAY_NS, &ns) &&
           lith_add_i64(ns, (int64_t)of_day, ret_ns);
}

/* All bits of a number are; a double's sign may not be. */
static bool is_zero(enum lith_order order, struct lith_slice value)
{
    if (lith_order_is_floating(order))
        return lith_order_is_zero(order, value);
    for (size_t i = 0; i < value.bytes; i++) {
        if (value.data[i])
            return false;
    }
    return true;
}

/* The range that a value lies in; range_count: none. The order is defined, and it is no NaN. */
static size_t range_of(const struct lith_expected *e, struct lith_slice value)
{
    size_t i = 0;

    while (i < e->range_count && (lith_order_compare(e->order, value, e->ranges[i].low) < 0 ||
                                  lith_order_compare(e->order, value, e->ranges[i].high) > 0))
        i++;
    return i;
}

enum lith_fit lith_expected_fit(const struct lith_expected *e, struct lith_slice value)
{
    uint8_t room[8];
    int64_t ns = 0;

    if (e->is_int96) {
        if (!int96_ns(value.data, &ns))
            return e->zero_is_none && is_zero(e->order, value) ? LITH_FIT_NONE : LITH_FIT_NO;
        lith_store_u64(room, (uint64_t)ns);
        value = (struct lith_slice){room, sizeof(room)};
    }
    if (lith_order_is_nan(e->order, value))
        return LITH_FIT_NONE;
    if (range_of(e, value) < e->range_count || (e->is_raw && !is_plain_text(value)))
        return LITH_FIT_YES;
    return e->zero_is_none && is_zero(e->order, value) ? LITH_FIT_NONE : LITH_FIT_NO;
}

/* How much of a run is none. */
enum extent { EXTENT_NOTHING, EXTENT_MAYBE, EXTENT_SOME };

/* What is known of one column of a run. */
struct sight {
    enum lith_proof values; /* those that are not none */
    enum extent none;
};

static bool is_apart(const struct lith_expected *e, const struct lith_facts *facts)
{
    for (size_t i = 0; i < e->range_count; i++) {
        if (lith_order_compare(e->order, facts->max, e->ranges[i].low) >= 0 &&
            lith_order_compare(e->order, facts->min, e->ranges[i].high) <= 0)
            return false;
    }
    return true;
}

/* Bounds that may be cut prove nothing about a text: writers are known that cut a maximum and leave
 * it at that. */
static struct sight bounds_see(const struct lith_expected *e, const struct lith_facts *facts)
{
    bool is_whole = facts->is_fixed || (facts->min_exact && facts->max_exact);
    enum lith_fit min = lith_expected_fit(e, facts->min);
    enum lith_fit max = lith_expected_fit(e, facts->max);

    if (is_whole && min == LITH_FIT_NONE && max == LITH_FIT_NONE)
        return (struct sight){LITH_PROOF_YES, EXTENT_SOME};
    size_t range = is_whole && min == LITH_FIT_YES ? range_of(e, facts->min) : e->range_count;
    if (range < e->range_count && range_of(e, facts->max) == range)
        return (struct sight){LITH_PROOF_YES, EXTENT_NOTHING};
    bool is_suspect = is_whole ? min == LITH_FIT_NO || max == LITH_FIT_NO : is_apart(e, facts);
    bool has_none = is_whole && (min == LITH_FIT_NONE || max == LITH_FIT_NONE);
    return (struct sight){is_suspect ? LITH_PROOF_SUSPECT : LITH_PROOF_OPEN, has_none ? EXTENT_SOME
                                                                             : e->zero_is_none
                                                                                 ? EXTENT_MAYBE
                                                                                 : EXTENT_NOTHING};
}

static struct sight column_see(const struct lith_expected *e, const struct lith_facts *facts)
{
    struct sight sight = {LITH_PROOF_YES, EXTENT_SOME};

    if (!e || facts->is_all_null)
        return sight;
    bool has_values = facts->has_null_count && facts->null_count < facts->positions;
    if (facts->has_bounds && e->order != LITH_ORDER_NONE && !e->is_int96)
        sight = bounds_see(e, facts);
    else
        sight =
            (struct sight){has_values && e->range_count == 0 ? LITH_PROOF_SUSPECT : LITH_PROOF_OPEN,
                           e->zero_is_none ? EXTENT_MAYBE : EXTENT_NOTHING};
    bool has_nans = facts->has_nan_count && facts->nan_count > 0;
    bool may_have_nans = lith_order_is_floating(e->order) && !facts->has_nan_count;
    if (has_nans || (facts->has_null_count && facts->null_count > 0))
        sight.none = EXTENT_SOME;
    else if ((may_have_nans || !facts->has_null_count) && sight.none == EXTENT_NOTHING)
        sight.none = EXTENT_MAYBE;
    return sight;
}

static enum lith_proof worse(enum lith_proof a, enum lith_proof b)
{
    return a > b ? a : b;
}

enum lith_proof lith_expected_judge(const struct lith_expected_columns *columns,
                                    const struct lith_facts *first, const struct lith_facts *second)
{
    struct sight sight = column_see(columns->first, first);
    struct sight fallback = column_see(columns->second, second);
    enum lith_proof none = LITH_PROOF_YES;

    if ((columns->first ? first : second)->positions == 0)
        return LITH_PROOF_YES;
    if (sight.none == EXTENT_NOTHING)
        return sight.values;
    if (fallback.none == EXTENT_SOME && !columns->none_fits)
        none = columns->second || sight.none == EXTENT_MAYBE ? LITH_PROOF_OPEN : LITH_PROOF_SUSPECT;
    else if (fallback.none == EXTENT_MAYBE && !columns->none_fits)
        none = LITH_PROOF_OPEN;
    /* Which rows need the fallback is not known, but where all do. */
    if (columns->second && fallback.values != LITH_PROOF_YES)
        none = worse(none, columns->first ? LITH_PROOF_OPEN : fallback.values);
    return worse(sight.values, none);
}
