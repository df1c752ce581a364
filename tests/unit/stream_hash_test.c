/*
 * Fingerprints of streams: the same however a stream is cut, another one for any change of it.
 */
#include "support.h"

#include "base/work.h"
#include "parquet/stream_hash.h"

static struct lith_err err;
static struct lith_mem mem;

#define COUNT 500u

/* A column of strings below a list, and one of doubles. */
struct stream {
    uint16_t rep[COUNT];
    uint16_t def[COUNT];
    char text[COUNT][40];
    struct lith_slice slices[COUNT];
    double doubles[COUNT];
    size_t value_count;
};

static void stream_make(struct stream *s, uint64_t *seed)
{
    memset(s, 0, sizeof(*s));
    for (size_t i = 0; i < COUNT; i++) {
        s->rep[i] = i == 0 ? 0 : (uint16_t)(test_random(seed) % 2);
        s->def[i] = (uint16_t)(test_random(seed) % 3);
        if (s->def[i] < 2)
            continue;
        char *text = s->text[s->value_count];
        size_t bytes = test_random(seed) % 40;
        memset(text, 'a' + (int)(test_random(seed) % 26), bytes);
        s->doubles[s->value_count] = (double)test_random(seed);
        s->slices[s->value_count++] = (struct lith_slice){(const uint8_t *)text, bytes};
    }
}

static struct lith_hash128 hash_of(const struct stream *s, bool doubles, size_t step,
                                   uint64_t *seed)
{
    struct lith_stream_hash hash;
    size_t value = 0;

    MUST(lith_stream_hash_new(&mem, &hash, &err));
    for (size_t at = 0; at < COUNT;) {
        size_t count = 1 + (step > 1 ? test_random(seed) % step : 0);
        if (count > COUNT - at)
            count = COUNT - at;
        size_t values = 0;
        for (size_t i = at; i < at + count; i++)
            values += s->def[i] == 2;
        struct lith_batch batch = {
            .position_count = count, .def_levels = s->def + at, .rep_levels = s->rep + at};
        batch.values.count = values;
        batch.values.width = doubles ? 8 : 0;
        if (doubles)
            batch.values.fixed = (const uint8_t *)(s->doubles + value);
        else
            batch.values.slices = s->slices + value;
        MUST(lith_stream_hash_add(&hash, &batch, &err));
        value += values;
        at += count;
    }
    struct lith_hash128 end = lith_stream_hash_end(&hash);
    assert_int_equal(hash.positions, COUNT);
    assert_int_equal(hash.values, s->value_count);
    lith_stream_hash_done(&hash);
    return end;
}

static void cuts_do_not_matter(void **state)
{
    static struct stream s;
    uint64_t seed = test_seed();

    (void)state;
    for (size_t round = 0; round < 20; round++) {
        stream_make(&s, &seed);
        for (int doubles = 0; doubles < 2; doubles++) {
            struct lith_hash128 whole = hash_of(&s, doubles, COUNT * 1000, &seed);
            assert_true(lith_hash128_equal(whole, hash_of(&s, doubles, 1, &seed)));
            assert_true(lith_hash128_equal(whole, hash_of(&s, doubles, 7, &seed)));
            assert_true(lith_hash128_equal(whole, hash_of(&s, doubles, 100, &seed)));
        }
    }
}

static void every_change_matters(void **state)
{
    static struct stream s;
    static struct stream t;
    uint64_t seed = test_seed();

    (void)state;
    stream_make(&s, &seed);
    struct lith_hash128 before = hash_of(&s, false, 50, &seed);
    struct lith_hash128 before_doubles = hash_of(&s, true, 50, &seed);

    t = s; /* two values exchanged */
    t.slices[0] = (struct lith_slice){(const uint8_t *)"first", 5};
    struct lith_hash128 first = hash_of(&t, false, 50, &seed);
    t.slices[0] = s.slices[1];
    t.slices[1] = (struct lith_slice){(const uint8_t *)"first", 5};
    assert_false(lith_hash128_equal(first, hash_of(&t, false, 50, &seed)));

    t = s; /* a null moves to the position behind it */
    for (size_t i = 0; i + 1 < COUNT; i++) {
        if (t.def[i] < 2 && t.def[i + 1] == 2) {
            t.def[i + 1] = t.def[i];
            t.def[i] = 2;
            break;
        }
    }
    assert_false(lith_hash128_equal(before, hash_of(&t, false, 50, &seed)));

    t = s; /* an element begins a row of its own */
    t.rep[COUNT / 2] ^= 1;
    assert_false(lith_hash128_equal(before, hash_of(&t, false, 50, &seed)));

    t = s; /* another kind of null */
    for (size_t i = 0; i < COUNT; i++) {
        if (t.def[i] < 2) {
            t.def[i] ^= 1;
            break;
        }
    }
    assert_false(lith_hash128_equal(before, hash_of(&t, false, 50, &seed)));

    t = s; /* a byte moves from one value to its neighbour */
    t.slices[0] = (struct lith_slice){(const uint8_t *)"aa", 2};
    t.slices[1] = (struct lith_slice){(const uint8_t *)"a", 1};
    first = hash_of(&t, false, 50, &seed);
    t.slices[0].bytes = 1;
    t.slices[1] = (struct lith_slice){(const uint8_t *)"aa", 2};
    assert_false(lith_hash128_equal(first, hash_of(&t, false, 50, &seed)));

    t = s; /* the sign of a zero */
    t.doubles[3] = 0.0;
    first = hash_of(&t, true, 50, &seed);
    assert_false(lith_hash128_equal(before_doubles, first));
    t.doubles[3] = -0.0;
    assert_false(lith_hash128_equal(first, hash_of(&t, true, 50, &seed)));
}

static void null_is_not_empty(void **state)
{
    static const uint16_t present[] = {1};
    static const uint16_t absent[] = {0};
    struct lith_slice empty = {(const uint8_t *)"", 0};
    struct lith_batch batch = {.position_count = 1, .def_levels = present};
    struct lith_stream_hash hash;

    (void)state;
    MUST(lith_stream_hash_new(&mem, &hash, &err));
    batch.values = (struct lith_values){.count = 1, .slices = &empty};
    MUST(lith_stream_hash_add(&hash, &batch, &err));
    struct lith_hash128 first = lith_stream_hash_end(&hash);
    lith_stream_hash_reset(&hash);
    batch = (struct lith_batch){.position_count = 1, .def_levels = absent};
    MUST(lith_stream_hash_add(&hash, &batch, &err));
    assert_false(lith_hash128_equal(first, lith_stream_hash_end(&hash)));
    lith_stream_hash_done(&hash);
}

/* PLAIN values of a dictionary page, over which ids mean the same as the values they stand for. */
#define ENTRIES 37u

struct entries {
    uint8_t body[ENTRIES * 64];
    size_t bytes;
    struct lith_slice slices[ENTRIES];
    uint8_t fixed[ENTRIES * 16];
};

static void entries_make(struct entries *e, size_t width)
{
    e->bytes = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        size_t bytes = width ? width : i;
        if (!width) {
            lith_store_u32(e->body + e->bytes, (uint32_t)bytes);
            e->bytes += 4;
        }
        memset(e->body + e->bytes, (int)(i * 7), bytes);
        if (bytes)
            e->body[e->bytes] = (uint8_t)i;
        e->slices[i] = (struct lith_slice){e->body + e->bytes, bytes};
        if (width)
            memcpy(e->fixed + i * width, e->body + e->bytes, width);
        e->bytes += bytes;
    }
}

static void entries_open(const struct entries *e, size_t width, struct lith_dictionary *dictionary)
{
    struct lith_scratch scratch;
    struct lith_control control = {0};
    const struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
    const struct lith_body body = {.data = e->body, .bytes = e->bytes};
    enum lith_type type = width == 0   ? LITH_TYPE_BYTE_ARRAY
                          : width == 4 ? LITH_TYPE_INT32
                          : width == 8 ? LITH_TYPE_DOUBLE
                                       : LITH_TYPE_FIXED_LEN_BYTE_ARRAY;

    MUST(lith_dictionary_init(dictionary, type, (int32_t)width, ENTRIES, &body, &work, &err));
}

static void ids_are_what_they_mean(void **state)
{
    static const size_t widths[] = {0, 4, 8, 16};
    static struct entries e;
    uint64_t seed = test_seed();

    (void)state;
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        size_t width = widths[w];
        static uint32_t ids[COUNT];
        static struct lith_slice slices[COUNT];
        static uint8_t fixed[COUNT * 16];
        struct lith_dictionary dictionary;
        struct lith_stream_hash hash;
        entries_make(&e, width);
        entries_open(&e, width, &dictionary);
        for (size_t i = 0; i < COUNT; i++) {
            ids[i] = (uint32_t)(test_random(&seed) % ENTRIES);
            slices[i] = e.slices[ids[i]];
            if (width)
                memcpy(fixed + i * width, slices[i].data, width);
        }
        struct lith_batch batch = {.position_count = COUNT,
                                   .values = {.count = COUNT, .width = width}};
        if (width)
            batch.values.fixed = fixed;
        else
            batch.values.slices = slices;
        MUST(lith_stream_hash_new(&mem, &hash, &err));
        MUST(lith_stream_hash_add(&hash, &batch, &err));
        struct lith_hash128 by_value = lith_stream_hash_end(&hash);
        lith_stream_hash_reset(&hash);
        batch.values.slices = NULL;
        batch.values.fixed = NULL;
        batch.values.dictionary = &dictionary;
        for (size_t at = 0; at < COUNT; at += 100) {
            batch.position_count = batch.values.count = 100;
            batch.values.ids = ids + at;
            MUST(lith_stream_hash_add(&hash, &batch, &err));
        }
        assert_true(lith_hash128_equal(by_value, lith_stream_hash_end(&hash)));
        lith_stream_hash_done(&hash);
        lith_dictionary_done(&dictionary);
    }
}

/* The same for a dictionary in memory and one that stays in its body; another one for each count
 * and each changed entry. */
static void dictionaries_by_their_entries(void **state)
{
    static const size_t widths[] = {0, 4, 16};
    static struct entries e;

    (void)state;
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        struct lith_dictionary held;
        struct lith_dictionary outside;
        struct lith_memory_source source;
        struct lith_hash128 last = {0, 0};
        entries_make(&e, widths[w]);
        entries_open(&e, widths[w], &held);
        entries_open(&e, widths[w], &outside);
        /* As it would be over a source: places instead of values. */
        uint64_t offsets[ENTRIES];
        uint32_t lengths[ENTRIES];
        for (size_t i = 0; i < ENTRIES; i++) {
            offsets[i] = (uint64_t)(e.slices[i].data - e.body);
            lengths[i] = (uint32_t)e.slices[i].bytes;
        }
        lith_memory_source_init(&source, e.body, e.bytes);
        lith_free(outside.slices);
        outside.slices = NULL;
        outside.fixed = NULL;
        outside.body = (struct lith_body){.source = &source.base, .bytes = e.bytes};
        if (!widths[w]) {
            outside.offsets = offsets;
            outside.lengths = lengths;
        }
        for (uint32_t count = 0; count <= ENTRIES; count++) {
            struct lith_hash128 a;
            struct lith_hash128 b;
            MUST(lith_dictionary_fingerprint(&held, count, &a, &err));
            MUST(lith_dictionary_fingerprint(&outside, count, &b, &err));
            assert_true(lith_hash128_equal(a, b));
            assert_false(lith_hash128_equal(a, last));
            last = a;
        }
        outside.offsets = NULL;
        outside.lengths = NULL;
        lith_dictionary_done(&held);
        lith_dictionary_done(&outside);
        e.body[e.bytes - 1] ^= 1;
        entries_open(&e, widths[w], &held);
        MUST(lith_dictionary_fingerprint(&held, ENTRIES, &last, &err));
        e.body[e.bytes - 1] ^= 1;
        struct lith_hash128 before;
        entries_open(&e, widths[w], &outside);
        MUST(lith_dictionary_fingerprint(&outside, ENTRIES, &before, &err));
        assert_false(lith_hash128_equal(before, last));
        lith_dictionary_done(&held);
        lith_dictionary_done(&outside);
    }
}

static void allocations_may_fail(void **state)
{
    struct lith_stream_hash hash;
    enum lith_code code = LITH_E_NOMEM;

    (void)state;
    for (int64_t n = 0; code == LITH_E_NOMEM; n++) {
        atomic_store(&mem.fail_after, n);
        code = lith_stream_hash_new(&mem, &hash, &err);
        atomic_store(&mem.fail_after, -1);
    }
    MUST(code);
    lith_stream_hash_done(&hash);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_do_not_matter),
        cmocka_unit_test(every_change_matters),
        cmocka_unit_test(null_is_not_empty),
        cmocka_unit_test(ids_are_what_they_mean),
        cmocka_unit_test(dictionaries_by_their_entries),
        cmocka_unit_test(allocations_may_fail),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
