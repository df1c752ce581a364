/*
 * Fingerprints of streams: the same however a stream is cut, another one for any change of it.
 */
#include "support.h"

#include "base/work.h"
#include "parquet/witness.h"

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
        lith_stream_hash_add(&hash, &batch);
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
    lith_stream_hash_add(&hash, &batch);
    struct lith_hash128 first = lith_stream_hash_end(&hash);
    lith_stream_hash_reset(&hash);
    batch = (struct lith_batch){.position_count = 1, .def_levels = absent};
    lith_stream_hash_add(&hash, &batch);
    assert_false(lith_hash128_equal(first, lith_stream_hash_end(&hash)));
    lith_stream_hash_done(&hash);
}

static void chunks_come_back_from_the_spool(void **state)
{
    struct lith_mem small;
    struct lith_scratch scratch;
    struct lith_control control = {0};
    struct lith_witness witness;
    struct lith_witness_chunk chunk;

    (void)state;
    lith_mem_init(&small, 1 << 16, NULL);
    lith_scratch_init(&scratch, "/tmp", 0);
    const struct lith_work work = {.mem = &small, .scratch = &scratch, .control = &control};
    lith_witness_init(&witness, &work, 3);
    for (uint64_t i = 0; i < 3000; i++) {
        chunk = (struct lith_witness_chunk){.rows = 10, .positions = i, .fingerprint = {i, ~i}};
        MUST(lith_witness_add(&witness, &chunk, &err));
    }
    assert_int_equal(witness.row_group_count, 1000);
    assert_int_equal(witness.rows, 10000);
    for (uint64_t i = 3000; i-- > 0;) {
        MUST(lith_witness_at(&witness, i, &chunk, &err));
        assert_int_equal(chunk.positions, i);
        assert_int_equal(chunk.fingerprint.high, ~i);
    }
    lith_witness_done(&witness);
    lith_mem_done(&small);
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
        cmocka_unit_test(cuts_do_not_matter),   cmocka_unit_test(every_change_matters),
        cmocka_unit_test(null_is_not_empty),    cmocka_unit_test(chunks_come_back_from_the_spool),
        cmocka_unit_test(allocations_may_fail),
    };

    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
