/*
 * The hybrid: the examples of Encodings.md, forms that only other writers make, round trips at
 * every width, truncations.
 */
#include "encoding_support.h"

#include "parquet/bitpack.h"

static struct bench bench;

static int setup(void **state)
{
    bench_init(&bench, SMALL_BUDGET);
    return encoding_setup(state);
}

static int teardown(void **state)
{
    assert_int_equal(bench.mem.used, 0);
    return encoding_teardown(state);
}

/* Decodes `count` values in calls of `step`, over memory or a source with a buffer of 7 bytes. */
static enum lith_code rle_decode(const uint8_t *data, size_t bytes, unsigned width, bool in_memory,
                                 size_t step, uint32_t *to, size_t count, uint64_t *ret_left)
{
    struct lith_body body = bench_body(&bench, data, bytes, in_memory);
    struct lith_window w;
    struct lith_rle_decoder d;
    enum lith_code code = LITH_OK;

    MUST(lith_window_init(&w, &body, 0, bytes, &mem, 7, 64, &err));
    MUST(lith_rle_init(&d, &w, width, &err));
    for (size_t at = 0; at < count && code == LITH_OK; at += step)
        code = lith_rle_next(&d, to + at, step < count - at ? step : count - at, &err);
    if (code == LITH_OK && ret_left)
        *ret_left = lith_rle_left(&d);
    lith_window_done(&w);
    return code;
}

static void test_known_bytes(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[8];
        size_t byte_count;
        unsigned width;
        uint32_t values[20];
        size_t count;
        uint64_t left;
        enum lith_code code;
    } cases[] = {
        /* 0 to 7, three bits each, as in the specification */
        {{3, 0x88, 0xc6, 0xfa}, 4, 3, {0, 1, 2, 3, 4, 5, 6, 7}, 8, 0, LITH_OK},
        {{3, 0x88, 0xc6, 0xfa}, 4, 3, {0, 1, 2, 3, 4}, 5, 0, LITH_OK},
        {{3, 0x88, 0xc6, 0xfa}, 4, 3, {0}, 9, 0, LITH_E_CORRUPT},
        /* padding cut off: five values need two bytes */
        {{3, 0x88, 0xc6}, 3, 3, {0, 1, 2, 3, 4}, 5, 0, LITH_OK},
        {{3, 0x88, 0xc6}, 3, 3, {0}, 6, 0, LITH_E_CORRUPT},
        /* a run longer than needed, and bytes behind it */
        {{20, 5, 9, 9}, 4, 3, {5, 5, 5}, 3, 2, LITH_OK},
        /* a repeated value of two bytes, wider than 9 bits */
        {{4, 0xff, 0xff}, 3, 9, {0xffff, 0xffff}, 2, 0, LITH_OK},
        {{4, 0xff}, 2, 9, {0}, 2, 0, LITH_E_CORRUPT},
        /* width 0: runs without bytes */
        {{6, 3}, 2, 0, {0}, 11, 0, LITH_OK},
        {{6, 3}, 2, 0, {0}, 12, 0, LITH_E_CORRUPT},
        {{0}, 0, 0, {0}, 1, 0, LITH_E_CORRUPT},
        /* runs of no values */
        {{0, 7, 1, 2, 1}, 5, 1, {1}, 1, 0, LITH_OK},
        {{0, 7, 1, 2, 1}, 5, 1, {0}, 2, 0, LITH_E_CORRUPT},
        /* a header of more than 64 bits */
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 8, 1, {0}, 1, 0, LITH_E_CORRUPT},
        {{2, 0, 0, 0, 0x80}, 5, 32, {0x80000000u}, 1, 0, LITH_OK},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t step = 1; step < 20; step += 6)
            for (int in_memory = 0; in_memory < 2; in_memory++) {
                uint32_t values[20] = {0};
                uint64_t left = 0;

                enum lith_code code =
                    rle_decode(cases[i].bytes, cases[i].byte_count, cases[i].width, in_memory, step,
                               values, cases[i].count, &left);
                if (code != cases[i].code)
                    fail_msg("case %zu: %s", i, lith_code_name(code));
                if (code == LITH_OK) {
                    assert_memory_equal(values, cases[i].values, cases[i].count * 4);
                    assert_int_equal(left, cases[i].left);
                }
            }
}

static void test_bit_packed(void **state)
{
    (void)state;
    static const uint8_t data[] = {0x05, 0x39, 0x77}; /* 0 to 7, as in the specification */
    struct lith_body body = bench_body(&bench, data, sizeof(data), true);
    struct lith_window w;
    struct lith_rle_decoder d;
    uint32_t values[9];

    MUST(lith_window_init(&w, &body, 0, 3, &mem, 7, 64, &err));
    MUST(lith_rle_init_bit_packed(&d, &w, 3, 8, true, &err));
    MUST(lith_rle_next(&d, values, 5, &err));
    MUST(lith_rle_next(&d, values + 5, 3, &err));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(values[i], i);
    assert_int_equal(lith_rle_next(&d, values, 1, &err), LITH_E_CORRUPT);
    lith_window_done(&w);

    MUST(lith_window_init(&w, &body, 0, 3, &mem, 7, 64, &err));
    MUST(lith_rle_init_bit_packed(&d, &w, 3, 9, true, &err));
    assert_int_equal(lith_rle_next(&d, values, 9, &err), LITH_E_CORRUPT);
    assert_int_equal(lith_rle_init(&d, &w, 33, &err), LITH_E_CORRUPT);
    lith_window_done(&w);
}

/* The same numbers with the least significant bit first: one run, without a header. */
static void test_bit_packed_lsb(void **state)
{
    (void)state;
    static const uint8_t data[] = {0x88, 0xc6, 0xfa}; /* 0 to 7, as the hybrid packs them */
    struct lith_body body = bench_body(&bench, data, sizeof(data), true);
    struct lith_window w;
    struct lith_rle_decoder d;
    uint32_t values[9];

    MUST(lith_window_init(&w, &body, 0, 3, &mem, 7, 64, &err));
    MUST(lith_rle_init_bit_packed(&d, &w, 3, 8, false, &err));
    MUST(lith_rle_next(&d, values, 5, &err));
    MUST(lith_rle_next(&d, values + 5, 3, &err));
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(values[i], i);
    assert_int_equal(lith_rle_next(&d, values, 1, &err), LITH_E_CORRUPT);
    lith_window_done(&w);
}

/* Values with runs of all lengths, not aligned to groups. */
static void values_make(uint32_t *values, size_t count, unsigned width, uint64_t *random)
{
    uint32_t mask = width == 32 ? UINT32_MAX : ((uint32_t)1 << width) - 1;

    for (size_t at = 0; at < count;) {
        size_t run = test_random(random) % 3 ? 1 : test_random(random) % 40 + 1;
        uint32_t value = (uint32_t)test_random(random) & mask;
        for (; run && at < count; run--)
            values[at++] = value;
    }
}

static void round_trip(const uint32_t *values, size_t count, unsigned width)
{
    static uint32_t back[20000 + 7];
    struct lith_buf buf;
    uint64_t left = 1;

    lith_buf_init(&buf, &mem, SIZE_MAX);
    MUST(lith_rle_encode(values, count, width, &buf, &err));
    for (int in_memory = 0; in_memory < 2; in_memory++)
        for (size_t step = 1; step <= 20000; step = step * 13 + 4) {
            if (step < 100 && count > 1000)
                continue;
            MUST(rle_decode(buf.data, buf.bytes, width, in_memory, step, back, count, &left));
            assert_memory_equal(back, values, count * 4);
            assert_true(count == 0 || left == 0);
        }
    if (count && buf.bytes)
        assert_int_equal(
            rle_decode(buf.data, buf.bytes - 1, width, true, 100, back, count + 7, NULL),
            LITH_E_CORRUPT);
    lith_buf_done(&buf);
}

static void test_round_trips(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 127, 128, 129, 505, 1000, 20000};
    static uint32_t values[20000];
    uint64_t random = test_seed();

    for (unsigned width = 0; width <= 32; width++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            values_make(values, sizes[i], width, &random);
            round_trip(values, sizes[i], width);
        }
}

static void test_u16(void **state)
{
    (void)state;
    static uint16_t values[5000];
    static uint16_t back[5000];
    uint64_t random = test_seed();
    struct lith_buf buf;

    for (size_t i = 0; i < 5000; i++)
        values[i] = (uint16_t)(i % 100 < 60 ? 3 : test_random(&random) % 5);
    lith_buf_init(&buf, &mem, SIZE_MAX);
    MUST(lith_rle_encode_u16(values, 5000, 3, &buf, &err));
    struct lith_body body = bench_body(&bench, buf.data, buf.bytes, false);
    struct lith_window w;
    struct lith_rle_decoder d;
    MUST(lith_window_init(&w, &body, 0, buf.bytes, &mem, 16, 64, &err));
    MUST(lith_rle_init(&d, &w, 3, &err));
    MUST(lith_rle_next_u16(&d, back, 11, &err));
    MUST(lith_rle_next_u16(&d, back + 11, 4989, &err));
    assert_memory_equal(back, values, sizeof(values));
    lith_window_done(&w);
    lith_buf_done(&buf);
}

/* Runs are found where they are: what the encoder makes, byte by byte. */
static void test_encoded_form(void **state)
{
    (void)state;
    static const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 5, 5, 5, 5, 5, 1};
    static const uint8_t expected[] = {3, 0x88, 0xc6, 0xfa, 16, 5, 3, 1, 0, 0};
    struct lith_buf buf;

    lith_buf_init(&buf, &mem, SIZE_MAX);
    MUST(lith_rle_encode(values, 17, 3, &buf, &err));
    assert_int_equal(buf.bytes, sizeof(expected));
    assert_memory_equal(buf.data, expected, sizeof(expected));
    lith_buf_done(&buf);
    lith_buf_init(&buf, &mem, 9);
    assert_int_equal(lith_rle_encode(values, 17, 3, &buf, &err), LITH_E_LIMIT);
    lith_buf_done(&buf);
    assert_int_equal(lith_bit_width(0), 0);
    assert_int_equal(lith_bit_width(1), 1);
    assert_int_equal(lith_bit_width(255), 8);
    assert_int_equal(lith_bit_width(256), 9);
    assert_int_equal(lith_bit_width(UINT32_MAX), 32);
}

/* 64-bit packing against one bit at a time; exact allocations so that ASan sees overreads. */
static void test_packing(void **state)
{
    (void)state;
    uint64_t random = test_seed();

    for (unsigned width = 0; width <= 64; width++)
        for (size_t groups = 1; groups < 12; groups++) {
            uint64_t values[96];
            uint64_t back[96];
            uint8_t *packed = malloc(groups * width + 1);

            for (size_t i = 0; i < groups * 8; i++)
                values[i] = width ? test_random(&random) >> (64 - width) : 0;
            lith_pack_u64(values, groups, width, packed + 1);
            for (size_t i = 0; i < groups * 8; i++)
                for (unsigned k = 0; k < width; k++) {
                    size_t bit = i * width + k;
                    assert_int_equal(packed[1 + bit / 8] >> (bit % 8) & 1, values[i] >> k & 1);
                }
            lith_unpack_u64(packed + 1, groups * width, groups, width, back);
            assert_memory_equal(back, values, groups * 64);
            free(packed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_known_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bit_packed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bit_packed_lsb, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trips, setup, teardown),
        cmocka_unit_test_setup_teardown(test_u16, setup, teardown),
        cmocka_unit_test_setup_teardown(test_encoded_form, setup, teardown),
        cmocka_unit_test_setup_teardown(test_packing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
