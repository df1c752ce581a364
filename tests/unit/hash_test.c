/*
 * Checksums against published vectors: the CRC check value, xxHash's own sanity vectors.
 */
#include "support.h"

#include "base/hash.h"
#include "base/xxh3.h"

static struct lith_err err;

/* The buffer that xxHash's sanity check is defined over. */
static void sanity_fill(uint8_t *to, size_t bytes)
{
    uint64_t generator = 2654435761u;

    for (size_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(generator >> 56);
        generator *= 11400714785074694797u;
    }
}

static void crc32_of_known_texts(void **state)
{
    (void)state;
    assert_int_equal(lith_crc32(0, "", 0), 0);
    assert_int_equal(lith_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(lith_crc32(lith_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
    assert_int_equal(lith_crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
}

static void xxh64_of_known_texts(void **state)
{
    static const struct {
        size_t bytes;
        uint64_t hash;
    } cases[] = {{1, 0xe934a84adb052768u},
                 {4, 0x9136a0dca57457eeu},
                 {14, 0x8282dcc4994e35c8u},
                 {222, 0xb641ae8cb691c174u}};
    uint8_t data[222];

    (void)state;
    sanity_fill(data, sizeof(data));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(lith_xxh64(data, cases[i].bytes), cases[i].hash);
    assert_int_equal(lith_xxh64("", 0), 0xef46db3751d8e999u);
    assert_int_equal(lith_xxh64("a", 1), 0xd24ec4f1a98c6e5bu);
    assert_int_equal(lith_xxh64("abc", 3), 0x44bc2cf5ad770999u);
}

static void xxh3_128_of_known_bytes(void **state)
{
    static const struct {
        size_t bytes;
        const char *text;
    } cases[] = {
        {0, "99aa06d3014798d86001c324468d497f"},    {1, "a6cd5e9392000f6ac44bdff4074eecdb"},
        {6, "082afe0b8162d12a3e7039bdda43cfc6"},    {12, "6e3efd8fc7802b18061a192713f69ad9"},
        {24, "0ce966e4678d37611e7044d28b1b901d"},   {512, "18d2d110dcc9bca1617e49599013cb6b"},
        {2367, "e89c0f6ff369b427cb37aeb9e5d361ed"},
    };
    uint8_t data[2367];
    char text[33];

    (void)state;
    sanity_fill(data, sizeof(data));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lith_hash128_text(lith_hash128(data, cases[i].bytes, 0), text);
        assert_string_equal(text, cases[i].text);
    }
    lith_hash128_text(lith_hash128("abc", 3, 0), text);
    assert_string_equal(text, "06b05ab6733a618578af5f94892f3950");
}

static void pieces_give_the_hash_of_the_whole(void **state)
{
    static uint8_t data[5000];
    uint64_t seed = test_seed();
    struct lith_hasher *hasher = NULL;
    struct lith_mem mem;

    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    sanity_fill(data, sizeof(data));
    MUST(lith_hasher_new(&mem, 42, &hasher, &err));
    for (int round = 0; round < 200; round++) {
        size_t done = 0;
        lith_hasher_reset(hasher);
        while (done < sizeof(data)) {
            size_t bytes = test_random(&seed) % 700;
            bytes = bytes < sizeof(data) - done ? bytes : sizeof(data) - done;
            lith_hasher_add(hasher, data + done, bytes);
            done += bytes;
            struct lith_hash128 running = lith_hasher_end(hasher);
            struct lith_hash128 whole = lith_hash128(data, done, 42);
            assert_true(running.low == whole.low && running.high == whole.high);
        }
    }
    lith_hasher_free(hasher);
    lith_hasher_free(NULL);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_hasher_new(&mem, 42, &hasher, &err), LITH_E_NOMEM);
    lith_mem_done(&mem);
}

/* Published vectors are of hash.c, which takes one of them; this is of all there are. */
static void instructions_do_not_change_hashes(void **state)
{
    static uint8_t data[5000];
    static _Alignas(64) uint8_t room[1024];
    const struct lith_xxh3 *baseline = &lith_xxh3_baseline;
    const struct lith_xxh3 *wide = baseline;
    uint64_t hashes[2];

    (void)state;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        wide = &lith_xxh3_avx2;
#endif
    sanity_fill(data, sizeof(data));
    for (size_t bytes = 0; bytes < sizeof(data); bytes++) {
        const struct lith_slice slice = {data, bytes};
        struct lith_hash128 whole = baseline->whole(data, bytes, 7);
        baseline->hash64_each(&slice, 1, &hashes[0]);
        wide->hash64_each(&slice, 1, &hashes[1]);
        assert_int_equal(hashes[0], hashes[1]);
        assert_true(lith_hash128_equal(whole, wide->whole(data, bytes, 7)));
        wide->reset(room, 7);
        wide->add(room, data, bytes / 2);
        baseline->add(room, data + bytes / 2, bytes - bytes / 2);
        assert_true(lith_hash128_equal(whole, wide->end(room)));
        assert_true(lith_hash128_equal(whole, baseline->end(room)));
    }
}

static void sums_carry(void **state)
{
    struct lith_hash128 sum = lith_hash128_add((struct lith_hash128){UINT64_MAX, 1},
                                               (struct lith_hash128){2, UINT64_MAX});

    (void)state;
    assert_int_equal(sum.low, 1);
    assert_int_equal(sum.high, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32_of_known_texts),
        cmocka_unit_test(xxh64_of_known_texts),
        cmocka_unit_test(xxh3_128_of_known_bytes),
        cmocka_unit_test(pieces_give_the_hash_of_the_whole),
        cmocka_unit_test(instructions_do_not_change_hashes),
        cmocka_unit_test(sums_carry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
