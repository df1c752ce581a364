/*
 * Bounds: NaN, zeros, decimals, truncation; what is unknown of a part; and random runs, of values
 * and of facts, against comparing value by value.
 */
#include "support.h"

#include <math.h>

#include "parquet/bounds.h"
#include "parquet/truncate.h"

static struct lith_mem mem;
static struct lith_err err;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, 1 << 22, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_mem_done(&mem);
    return 0;
}

static struct lith_values fixed_values(enum lith_type type, const void *data, size_t width,
                                       size_t count)
{
    return (struct lith_values){.type = type, .width = width, .count = count, .fixed = data};
}

static struct lith_values text_values(const struct lith_slice *slices, size_t count)
{
    return (struct lith_values){.type = LITH_TYPE_BYTE_ARRAY, .count = count, .slices = slices};
}

/* Signs of zero are seen in the bytes, so bounds are compared as bytes. */
static void test_floats(void **state)
{
    static const struct {
        float values[3];
        size_t count;
        bool bounds;
        float min;
        float max;
        int64_t nans;
    } cases[] = {
        {{1, -2, 3}, 3, true, -2, 3, 0},
        {{0.0f, 0.0f}, 2, true, -0.0f, 0.0f, 0},
        {{-0.0f}, 1, true, -0.0f, 0.0f, 0},
        {{-0.0f, -5}, 2, true, -5, 0.0f, 0},
        {{NAN, 2, NAN}, 3, true, 2, 2, 2},
        {{NAN, NAN}, 2, false, 0, 0, 2},
        {{INFINITY, INFINITY}, 2, true, INFINITY, INFINITY, 0},
        {{-INFINITY, NAN}, 2, true, -INFINITY, -INFINITY, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_bounds bounds;
        struct lith_statistics s;
        struct lith_buf room;
        struct lith_values values =
            fixed_values(LITH_TYPE_FLOAT, cases[i].values, 4, cases[i].count);

        lith_bounds_init(&bounds, LITH_ORDER_FLOAT, &mem, 64);
        lith_buf_init(&room, &mem, 64);
        MUST(lith_bounds_add(&bounds, &values, &err));
        lith_bounds_add_nulls(&bounds, 7);
        MUST(lith_bounds_statistics(&bounds, false, 64, &room, &s, &err));
        assert_int_equal(s.min_value.data != NULL, cases[i].bounds);
        assert_int_equal(s.max_value.data != NULL, cases[i].bounds);
        assert_true(s.has_nan_count);
        assert_int_equal(s.nan_count, cases[i].nans);
        assert_true(s.has_null_count);
        assert_int_equal(s.null_count, 7);
        assert_int_equal(bounds.value_count, cases[i].count);
        if (cases[i].bounds) {
            assert_memory_equal(s.min_value.data, &cases[i].min, 4);
            assert_memory_equal(s.max_value.data, &cases[i].max, 4);
        }
        lith_bounds_done(&bounds);
        lith_buf_done(&room);
    }
}

struct cut_case {
    bool utf8;
    const char *value;
    size_t max; /* bytes */
    const char *lower;
    const char *upper; /* NULL: none, so neither bound is written */
};

static const struct cut_case cut_cases[] = {
    {true, "abcdef", 4, "abcd", "abce"},
    {false, "abcdef", 4, "abcd", "abce"},
    {false, "ab\xff\xff\xff", 4, "ab\xff\xff", "ac"},
    {false, "\xff\xff\xff\xff\xff", 4, NULL, NULL},
    {true, "aaa\xc3\xa9zz", 4, "aaa", "aab"}, /* e acute begins at byte 3 */
    {true, "aa\xc3\xa9zz", 4, "aa\xc3\xa9", "aa\xc3\xaa"},
    {true, "aa\xc3\xbfzz", 4, "aa\xc3\xbf", "aa\xc4\x80"},
    {true, "aaa\x7fzz", 4, "aaa\x7f", "aab"}, /* U+0080 would not fit */
    {true, "aa\x7fzzz", 5, "aa\x7fzz", "aa\x7fz{"},
    {true, "a\xed\x9f\xbf...", 4, "a\xed\x9f\xbf", "a\xee\x80\x80"}, /* over the surrogates */
    {true, "\xf4\x8f\xbf\xbfz", 4, NULL, NULL},                      /* the last code point */
    {true, "b\xf4\x8f\xbf\xbf!", 5, "b\xf4\x8f\xbf\xbf", "c"},
    {true, "ab\xff\xff\xff", 4, NULL, NULL},  /* not UTF-8 */
    {true, "\xed\xa0\x80zzz", 4, NULL, NULL}, /* a surrogate */
    {true, "\xc0\x80zzz", 4, NULL, NULL},     /* overlong */
};

static void test_truncation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cut_cases) / sizeof(cut_cases[0]); i++) {
        const struct cut_case *c = &cut_cases[i];
        struct lith_slice value = lith_slice_text(c->value);
        struct lith_values values = text_values(&value, 1);
        struct lith_bounds bounds;
        struct lith_statistics s;
        struct lith_buf room;

        lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 64);
        lith_buf_init(&room, &mem, 64);
        MUST(lith_bounds_add(&bounds, &values, &err));
        MUST(lith_bounds_statistics(&bounds, c->utf8, c->max, &room, &s, &err));
        if ((s.min_value.data != NULL) != (c->lower != NULL) ||
            (s.max_value.data != NULL) != (c->upper != NULL))
            fail_msg("case %zu: bounds present: %d, %d", i, s.min_value.data != NULL,
                     s.max_value.data != NULL);
        if (c->lower && (!lith_slice_equal(s.min_value, lith_slice_text(c->lower)) ||
                         !lith_slice_equal(s.max_value, lith_slice_text(c->upper))))
            fail_msg("case %zu: %.*s %.*s", i, LITH_SLICE_ARGS(s.min_value),
                     LITH_SLICE_ARGS(s.max_value));
        assert_false(s.min_exact);
        assert_false(s.max_exact);
        lith_bounds_done(&bounds);
        lith_buf_done(&room);
    }
}

static void test_exact_and_dropped(void **state)
{
    struct lith_slice values[] = {lith_slice_text("m"), lith_slice_text(""),
                                  lith_slice_text("zzzzzzzz")};
    struct lith_values all = text_values(values, 3);
    struct lith_bounds bounds, other;
    struct lith_statistics s;
    struct lith_buf room;

    (void)state;
    lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 8);
    lith_bounds_init(&other, LITH_ORDER_BYTES, &mem, 100);
    lith_buf_init(&room, &mem, 64);
    MUST(lith_bounds_add(&bounds, &all, &err));
    MUST(lith_bounds_statistics(&bounds, true, 4, &room, &s, &err));
    assert_true(s.min_exact);
    assert_non_null(s.min_value.data); /* an empty bound is there */
    assert_int_equal(s.min_value.bytes, 0);
    assert_false(s.max_exact);
    assert_true(lith_slice_equal(s.max_value, lith_slice_text("zzz{")));

    /* A bound of more than the 8 bytes it may have ends the bounds, also through a merge. */
    values[0] = lith_slice_text("zzzzzzzzz");
    MUST(lith_bounds_add(&other, &all, &err));
    MUST(lith_bounds_merge(&bounds, &other, &err));
    assert_true(bounds.dropped);
    MUST(lith_bounds_statistics(&bounds, true, 64, &room, &s, &err));
    assert_null(s.min_value.data);
    assert_null(s.max_value.data);
    assert_int_equal(bounds.value_count, 6);
    lith_bounds_clear(&bounds);
    assert_false(bounds.dropped);
    lith_bounds_done(&bounds);
    lith_bounds_done(&other);
    lith_buf_done(&room);
}

static void test_never_truncated(void **state)
{
    struct lith_slice decimal = {(const uint8_t *)"\x01\x02\x03\x04\x05\x06", 6};
    struct lith_values decimals = text_values(&decimal, 1);
    struct lith_values fixed = fixed_values(LITH_TYPE_FIXED_LEN_BYTE_ARRAY, decimal.data, 6, 1);
    struct lith_bounds bounds;
    struct lith_statistics s;
    struct lith_buf room;

    (void)state;
    lith_buf_init(&room, &mem, 64);
    for (int i = 0; i < 2; i++) {
        lith_bounds_init(&bounds, i ? LITH_ORDER_BYTES : LITH_ORDER_DECIMAL_BYTES, &mem, 64);
        MUST(lith_bounds_add(&bounds, i ? &fixed : &decimals, &err));
        MUST(lith_bounds_statistics(&bounds, false, 4, &room, &s, &err));
        assert_null(s.min_value.data);
        assert_null(s.max_value.data);
        MUST(lith_bounds_statistics(&bounds, false, 6, &room, &s, &err));
        assert_true(s.min_exact);
        lith_bounds_done(&bounds);
    }
    lith_buf_done(&room);
}

/* Runs of random values, added in two parts and merged, against comparing one by one. */
static void test_random_runs(void **state)
{
    static const struct {
        enum lith_order order;
        enum lith_type type;
        size_t width;
    } kinds[] = {
        {LITH_ORDER_SIGNED_32, LITH_TYPE_INT32, 4},
        {LITH_ORDER_UNSIGNED_32, LITH_TYPE_INT32, 4},
        {LITH_ORDER_SIGNED_64, LITH_TYPE_INT64, 8},
        {LITH_ORDER_UNSIGNED_64, LITH_TYPE_INT64, 8},
        {LITH_ORDER_FLOAT, LITH_TYPE_FLOAT, 4},
        {LITH_ORDER_DOUBLE, LITH_TYPE_DOUBLE, 8},
        {LITH_ORDER_FLOAT16, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2},
        {LITH_ORDER_BYTES, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3},
        {LITH_ORDER_DECIMAL_BYTES, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3},
    };
    uint64_t seed = test_seed();

    (void)state;
    for (size_t round = 0; round < 900; round++) {
        uint64_t data[50];
        size_t k = round % 9, width = kinds[k].width;
        size_t count = 1 + (size_t)(test_random(&seed) % (sizeof(data) / width));
        size_t split = (size_t)(test_random(&seed) % (count + 1));
        struct lith_bounds a, b;
        struct lith_values values;
        int64_t nans = 0;

        for (size_t i = 0; i < 50; i++)
            data[i] = test_random(&seed);
        const uint8_t *bytes = (const uint8_t *)data;
        lith_bounds_init(&a, kinds[k].order, &mem, 64);
        lith_bounds_init(&b, kinds[k].order, &mem, 64);
        values = fixed_values(kinds[k].type, bytes, width, split);
        MUST(lith_bounds_add(&a, &values, &err));
        values = fixed_values(kinds[k].type, bytes + split * width, width, count - split);
        MUST(lith_bounds_add(&b, &values, &err));
        MUST(lith_bounds_merge(&a, &b, &err));

        bool min_met = false, max_met = false;
        struct lith_slice min = {a.min.data, a.min.bytes}, max = {a.max.data, a.max.bytes};
        for (size_t i = 0; i < count; i++) {
            struct lith_slice value = {bytes + i * width, width};
            if (lith_order_is_nan(kinds[k].order, value)) {
                nans++;
                continue;
            }
            assert_true(lith_order_compare(kinds[k].order, min, value) <= 0);
            assert_true(lith_order_compare(kinds[k].order, max, value) >= 0);
            min_met |= lith_order_compare(kinds[k].order, min, value) == 0;
            max_met |= lith_order_compare(kinds[k].order, max, value) == 0;
        }
        assert_int_equal(a.nan_count, nans);
        assert_int_equal(a.value_count, count);
        assert_true(!a.has_bounds || (min_met && max_met));
        lith_bounds_done(&a);
        lith_bounds_done(&b);
    }
}

#define BYTES(text)                                                                                \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

struct part {
    int64_t positions;
    int64_t nulls; /* -1: unknown */
    int64_t nans;
    struct lith_slice min; /* data NULL: unknown */
    struct lith_slice max;
    bool min_exact;
    bool max_exact;
};

static struct lith_facts part_facts(const struct part *part)
{
    return (struct lith_facts){
        .positions = part->positions,
        .has_null_count = part->nulls >= 0,
        .null_count = part->nulls,
        .has_nan_count = part->nans >= 0,
        .nan_count = part->nans,
        .has_bounds = part->min.data != NULL,
        .is_all_null = part->nulls == part->positions,
        .min = part->min,
        .max = part->max,
        .min_exact = part->min_exact,
        .max_exact = part->max_exact,
    };
}

/* Each rule of section 3.2 that is about joining: two parts, and what is known of the whole. */
static void test_facts(void **state)
{
    static const struct {
        const char *what;
        enum lith_order order;
        struct part parts[2];
        struct part whole;
    } cases[] = {
        {"exact where one that attains it is",
         LITH_ORDER_BYTES,
         {{5, 1, -1, BYTES("b"), BYTES("k"), true, false},
          {4, 0, -1, BYTES("b"), BYTES("k"), false, true}},
         {9, 1, -1, BYTES("b"), BYTES("k"), true, true}},
        {"an exact one that does not attain it is of no use",
         LITH_ORDER_BYTES,
         {{5, 1, -1, BYTES("a"), BYTES("k"), false, true},
          {4, 0, -1, BYTES("b"), BYTES("z"), true, false}},
         {9, 1, -1, BYTES("a"), BYTES("z"), false, false}},
        {"nulls are neutral",
         LITH_ORDER_BYTES,
         {{5, 5, -1, {NULL, 0}, {NULL, 0}, false, false},
          {4, 0, -1, BYTES("b"), BYTES("z"), true, true}},
         {9, 5, -1, BYTES("b"), BYTES("z"), true, true}},
        {"missing bounds are not",
         LITH_ORDER_BYTES,
         {{4, 0, -1, BYTES("b"), BYTES("z"), true, true},
          {5, 4, -1, {NULL, 0}, {NULL, 0}, false, false}},
         {9, 4, -1, {NULL, 0}, {NULL, 0}, false, false}},
        {"missing ones first",
         LITH_ORDER_BYTES,
         {{5, 4, -1, {NULL, 0}, {NULL, 0}, false, false},
          {4, 0, -1, BYTES("b"), BYTES("z"), true, true}},
         {9, 4, -1, {NULL, 0}, {NULL, 0}, false, false}},
        {"a null count that is missing",
         LITH_ORDER_BYTES,
         {{5, 3, -1, BYTES("b"), BYTES("c"), true, true},
          {4, -1, -1, BYTES("b"), BYTES("z"), true, true}},
         {9, -1, -1, BYTES("b"), BYTES("z"), true, true}},
        {"decimals of several forms: the exact one's is shown",
         LITH_ORDER_DECIMAL_BYTES,
         {{5, 0, -1, BYTES("\0\1"), BYTES("\2"), false, true},
          {4, 0, -1, BYTES("\1"), BYTES("\0\2"), true, true}},
         {9, 0, -1, BYTES("\1"), BYTES("\2"), true, true}},
        {"NaN counted",
         LITH_ORDER_FLOAT,
         {{5, 0, 2, BYTES("\0\0\x80\x3f"), BYTES("\0\0\x80\x3f"), true, true},
          {4, 1, 1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
         {9, 1, 3, BYTES("\0\0\x80\xbf"), BYTES("\0\0\x80\x3f"), true, true}},
        {"a NaN count that is missing: bounds stay",
         LITH_ORDER_FLOAT,
         {{5, 0, -1, BYTES("\0\0\x80\x3f"), BYTES("\0\0\x80\x3f"), true, true},
          {4, 1, 1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
         {9, 1, -1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\x80\x3f"), true, true}},
        {"nothing but NaN and nulls is neutral",
         LITH_ORDER_FLOAT,
         {{5, 1, 4, {NULL, 0}, {NULL, 0}, false, false},
          {4, 1, 1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
         {9, 2, 5, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
        {"without NaN count it is not",
         LITH_ORDER_FLOAT,
         {{5, 1, -1, {NULL, 0}, {NULL, 0}, false, false},
          {4, 1, 1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
         {9, 2, -1, {NULL, 0}, {NULL, 0}, false, false}},
        {"nulls have no NaN to count",
         LITH_ORDER_FLOAT,
         {{5, 5, -1, {NULL, 0}, {NULL, 0}, false, false},
          {4, 1, 1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
         {9, 6, 1, BYTES("\0\0\x80\xbf"), BYTES("\0\0\0\x3f"), true, true}},
        {"zeros are widened and not exact",
         LITH_ORDER_FLOAT,
         {{5, 0, 0, BYTES("\0\0\0\0"), BYTES("\0\0\0\x80"), true, true},
          {4, 0, 0, BYTES("\0\0\0\0"), BYTES("\0\0\0\x80"), true, true}},
         {9, 0, 0, BYTES("\0\0\0\x80"), BYTES("\0\0\0\0"), false, false}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct part *whole = &cases[i].whole;
        struct lith_bounds pages[2], chunk;
        struct lith_statistics s;
        struct lith_buf room;

        /* One after the other, and page by page; both ways must come to the same. */
        lith_buf_init(&room, &mem, 64);
        lith_bounds_init(&chunk, cases[i].order, &mem, 64);
        for (int merged = 0; merged < 2; merged++) {
            lith_bounds_clear(&chunk);
            for (int p = 0; p < 2; p++) {
                struct lith_facts facts = part_facts(&cases[i].parts[p]);
                lith_bounds_init(&pages[p], cases[i].order, &mem, 64);
                MUST(lith_bounds_add_facts(merged ? &pages[p] : &chunk, &facts, &err));
                MUST(lith_bounds_merge(&chunk, &pages[p], &err));
                lith_bounds_done(&pages[p]);
            }
            MUST(lith_bounds_statistics(&chunk, false, 64, &room, &s, &err));
            if ((s.has_null_count ? s.null_count : -1) != whole->nulls ||
                (s.has_nan_count ? s.nan_count : -1) != whole->nans ||
                (s.min_value.data != NULL) != (whole->min.data != NULL) ||
                !lith_slice_equal(s.min_value, whole->min) ||
                !lith_slice_equal(s.max_value, whole->max) || s.min_exact != whole->min_exact ||
                s.max_exact != whole->max_exact)
                fail_msg("%s (%d)", cases[i].what, merged);
        }
        lith_bounds_done(&chunk);
        lith_buf_done(&room);
    }
}

/* A bound that is not exact does not become so, and a cut one never is. */
static void test_facts_truncated(void **state)
{
    struct part part = {5, 0, -1, BYTES("aaaaaaaa"), BYTES("c"), true, true};
    struct lith_facts facts;
    struct lith_bounds bounds;
    struct lith_statistics s;
    struct lith_buf room;

    (void)state;
    lith_buf_init(&room, &mem, 64);
    lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 64);
    for (int exact = 0; exact < 2; exact++) {
        part.max_exact = exact;
        facts = part_facts(&part);
        lith_bounds_clear(&bounds);
        MUST(lith_bounds_add_facts(&bounds, &facts, &err));
        MUST(lith_bounds_statistics(&bounds, false, 4, &room, &s, &err));
        assert_true(lith_slice_equal(s.min_value, lith_slice_text("aaaa")));
        assert_false(s.min_exact);
        assert_int_equal(s.max_exact, exact);
    }
    part = (struct part){5, -1, -1, BYTES("a"), BYTES("cccccccc"), false, true};
    facts = part_facts(&part);
    lith_bounds_clear(&bounds);
    MUST(lith_bounds_add_facts(&bounds, &facts, &err));
    MUST(lith_bounds_statistics(&bounds, false, 4, &room, &s, &err));
    assert_true(lith_slice_equal(s.max_value, lith_slice_text("cccd")));
    assert_false(s.min_exact);
    assert_false(s.max_exact);
    assert_false(s.has_null_count);
    lith_bounds_clear(&bounds);
    MUST(lith_bounds_statistics(&bounds, false, 4, &room, &s, &err));
    assert_true(s.has_null_count);
    /* Values of a fixed width are not cut. */
    facts.is_fixed = true;
    MUST(lith_bounds_add_facts(&bounds, &facts, &err));
    MUST(lith_bounds_statistics(&bounds, false, 4, &room, &s, &err));
    assert_null(s.min_value.data);
    /* Longer than the buffers: dropped. Counts that cannot be summed: refused. */
    lith_bounds_done(&bounds);
    lith_bounds_init(&bounds, LITH_ORDER_BYTES, &mem, 4);
    MUST(lith_bounds_add_facts(&bounds, &facts, &err));
    assert_true(bounds.dropped);
    facts.positions = INT64_MAX;
    assert_int_equal(lith_bounds_add_facts(&bounds, &facts, &err), LITH_E_LIMIT);
    lith_bounds_done(&bounds);
    lith_buf_done(&room);
}

/* NaN is counted also where a part without bounds has ended them. */
static void test_nan_counted_without_bounds(void **state)
{
    float values[3] = {1, NAN, NAN};
    struct lith_values run = fixed_values(LITH_TYPE_FLOAT, values, 4, 3);
    struct part part = {5, 0, 1, {NULL, 0}, {NULL, 0}, false, false};
    struct lith_facts facts = part_facts(&part);
    struct lith_bounds bounds;

    (void)state;
    lith_bounds_init(&bounds, LITH_ORDER_FLOAT, &mem, 64);
    MUST(lith_bounds_add_facts(&bounds, &facts, &err));
    MUST(lith_bounds_add(&bounds, &run, &err));
    assert_false(bounds.has_bounds);
    assert_int_equal(bounds.nan_count, 3);
    assert_int_equal(bounds.value_count, 8);
    lith_bounds_done(&bounds);
}

/*
 * Random parts: small numbers as floats (8 is NaN, 0 has both signs), a null now and then. Some are
 * added as values, some as facts of which something may be unknown or bounds be loose.
 */
enum { PART_VALUES = 6, PARTS = 4 };

struct run {
    float values[PART_VALUES];
    int64_t value_count;
    int64_t null_count;
    int64_t nan_count;
    bool decoded;
    struct part part;
    float min;
    float max;
};

static void run_make(struct run *run, uint64_t *seed)
{
    float low = HUGE_VALF, high = -HUGE_VALF;

    *run = (struct run){.value_count = (int64_t)(test_random(seed) % (PART_VALUES + 1)),
                        .null_count = (int64_t)(test_random(seed) % 3),
                        .decoded = test_random(seed) % 3 == 0};
    for (int64_t i = 0; i < run->value_count; i++) {
        int64_t number = (int64_t)(test_random(seed) % 10) - 1;
        float value = number == 8 ? NAN : (float)number;
        if (number == 0 && test_random(seed) % 2)
            value = -0.0f;
        run->values[i] = value;
        run->nan_count += number == 8;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    bool loose_min = test_random(seed) % 3 == 0, loose_max = test_random(seed) % 3 == 0;
    run->min = low - (loose_min ? 1 : 0);
    run->max = high + (loose_max ? 1 : 0);
    bool has_bounds = run->value_count > run->nan_count && test_random(seed) % 8;
    run->part = (struct part){
        .positions = run->value_count + run->null_count,
        .nulls = test_random(seed) % 8 ? run->null_count : -1,
        .nans = test_random(seed) % 8 ? run->nan_count : -1,
        .min_exact = has_bounds && !loose_min && test_random(seed) % 2,
        .max_exact = has_bounds && !loose_max && test_random(seed) % 2,
    };
    if (has_bounds) {
        run->part.min = (struct lith_slice){(const uint8_t *)&run->min, 4};
        run->part.max = (struct lith_slice){(const uint8_t *)&run->max, 4};
    }
}

static void run_add(struct lith_bounds *bounds, const struct run *run)
{
    struct lith_values values =
        fixed_values(LITH_TYPE_FLOAT, run->values, 4, (size_t)run->value_count);
    struct lith_facts facts = part_facts(&run->part);

    if (!run->decoded) {
        MUST(lith_bounds_add_facts(bounds, &facts, &err));
        return;
    }
    MUST(lith_bounds_add(bounds, &values, &err));
    lith_bounds_add_nulls(bounds, run->null_count);
}

/* What the whole must be, from the arrays alone. */
static void runs_check(const struct run *runs, const struct lith_statistics *s)
{
    int64_t nulls = 0, nans = 0;
    bool nulls_known = true, nans_known = true, bounded = true, any = false;
    bool min_attained = false, max_attained = false;
    float min = 0, max = 0;

    if (s->min_value.data) {
        memcpy(&min, s->min_value.data, 4);
        memcpy(&max, s->max_value.data, 4);
    }
    for (const struct run *run = runs; run < runs + PARTS; run++) {
        bool all_null_known = run->part.nulls == run->part.positions;
        bool counts_known = run->part.nulls >= 0 && run->part.nans >= 0;
        bool all_nan_known = counts_known && run->value_count == run->nan_count;
        nulls += run->null_count;
        nans += run->nan_count;
        if (!run->decoded) {
            nulls_known = nulls_known && run->part.nulls >= 0;
            nans_known = nans_known && (run->part.nans >= 0 || all_null_known);
            bounded = bounded && (run->part.min.data || all_null_known || all_nan_known);
        }
        any = any || run->value_count > run->nan_count;
        for (int64_t i = 0; i < run->value_count; i++) {
            float value = run->values[i];
            if (value != value || !s->min_value.data)
                continue;
            assert_true(min <= value && value <= max);
            min_attained = min_attained || min == value;
            max_attained = max_attained || max == value;
        }
    }
    assert_int_equal(s->has_null_count, nulls_known);
    assert_int_equal(s->has_nan_count, nans_known);
    assert_true(!nulls_known || s->null_count == nulls);
    assert_true(!nans_known || s->nan_count == nans);
    assert_int_equal(s->min_value.data != NULL, bounded && any);
    assert_true(!s->min_exact || (min_attained && min != 0));
    assert_true(!s->max_exact || (max_attained && max != 0));
    bool min_is_exact = false, max_is_exact = false;
    for (const struct run *run = runs; run < runs + PARTS && s->min_value.data; run++) {
        for (int64_t i = 0; run->decoded && i < run->value_count; i++) {
            min_is_exact |= run->values[i] == min;
            max_is_exact |= run->values[i] == max;
        }
        min_is_exact |= !run->decoded && run->part.min_exact && run->min == min;
        max_is_exact |= !run->decoded && run->part.max_exact && run->max == max;
    }
    assert_int_equal(s->min_exact, min_is_exact && min != 0);
    assert_int_equal(s->max_exact, max_is_exact && max != 0);
    if (s->min_value.data && min == 0)
        assert_true(signbit(min));
    if (s->min_value.data && max == 0)
        assert_false(signbit(max));
}

static void test_random_facts(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t round = 0; round < 20000; round++) {
        struct run runs[PARTS];
        struct lith_bounds page, chunk;
        struct lith_statistics s;
        struct lith_buf room;

        lith_buf_init(&room, &mem, 64);
        lith_bounds_init(&page, LITH_ORDER_FLOAT, &mem, 64);
        lith_bounds_init(&chunk, LITH_ORDER_FLOAT, &mem, 64);
        for (int i = 0; i < PARTS; i++) {
            run_make(&runs[i], &seed);
            run_add(&page, &runs[i]);
            if (test_random(&seed) % 2) {
                MUST(lith_bounds_merge(&chunk, &page, &err));
                lith_bounds_clear(&page);
            }
        }
        MUST(lith_bounds_merge(&chunk, &page, &err));
        MUST(lith_bounds_statistics(&chunk, false, 64, &room, &s, &err));
        runs_check(runs, &s);
        lith_bounds_done(&page);
        lith_bounds_done(&chunk);
        lith_buf_done(&room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_exact_and_dropped),
        cmocka_unit_test(test_never_truncated),
        cmocka_unit_test(test_random_runs),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_facts_truncated),
        cmocka_unit_test(test_nan_counted_without_bounds),
        cmocka_unit_test(test_random_facts),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
