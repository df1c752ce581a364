/*
 * Numbers sorted in place against the C library's sort.
 */
#include "support.h"

#include "sort/number_sort.h"

static int number_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Bits that differ, and a few numbers far off: parts of very different sizes. */
static void same_as_qsort(void **state)
{
    static const size_t counts[] = {0, 1, 2, 32, 33, 5000, LITH_NUMBERS_CACHED, 70000, 1000000};
    static const uint64_t masks[] = {
        0,
        1,
        0xff00,
        0xfffff,
        0xffffffff00,
        UINT64_MAX,
        /* Of 64K numbers 4K, 256, 64 are the same but for their lowest bits. */
        0x00f0000000ffffff,
        0x0ff000000000ffff,
        0x0ffc0000000000ff,
        0x0ffc000000ffffff,
    };
    enum { MASKS = sizeof(masks) / sizeof(masks[0]) };
    struct lith_number_room *room = malloc(sizeof(*room));
    uint64_t *numbers = malloc(1000000 * sizeof(*numbers));
    uint64_t *expected = malloc(1000000 * sizeof(*numbers));
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) * MASKS; i++) {
        size_t count = counts[i / MASKS], bytes = count * sizeof(*numbers);
        for (size_t k = 0; k < count; k++)
            numbers[k] = test_random(&seed) & (k % 1000 == 999 ? UINT64_MAX : masks[i % MASKS]);
        memcpy(expected, numbers, bytes);
        qsort(expected, count, sizeof(*numbers), number_compare);
        for (int round = 0; round < 2; round++) { /* the second time they are in order */
            lith_numbers_sort(numbers, count, room);
            assert_memory_equal(numbers, expected, bytes);
        }
    }
    free(room);
    free(numbers);
    free(expected);
}

/* Rows with something that goes along, all different: some of many, in any order. */
static void by_their_upper_half(void **state)
{
    static const size_t counts[] = {0, 1, 2, 32, 33, 300, 5000, 100000};
    static const uint64_t steps[] = {1, 3, 1000, 40000};
    uint64_t *numbers = malloc(100000 * sizeof(*numbers));
    uint64_t *expected = malloc(100000 * sizeof(*numbers));
    uint64_t *room = malloc(100000 * sizeof(*numbers));
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) * 4; i++) {
        size_t count = counts[i / 4], bytes = count * sizeof(*numbers);
        for (size_t k = 0; k < count; k++) {
            uint64_t row = k * steps[i % 4] + test_random(&seed) % steps[i % 4];
            size_t other = (size_t)(test_random(&seed) % (k + 1));
            numbers[k] = numbers[other];
            numbers[other] = row << 32 | (test_random(&seed) & UINT32_MAX);
        }
        memcpy(expected, numbers, bytes);
        qsort(expected, count, sizeof(*numbers), number_compare);
        for (int round = 0; round < 2; round++) { /* the second time they are in order */
            lith_numbers_sort_upper(numbers, room, count);
            assert_memory_equal(numbers, expected, bytes);
        }
    }
    free(room);
    free(numbers);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_qsort),
        cmocka_unit_test(by_their_upper_half),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
