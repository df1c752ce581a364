/*
 * Records: sorted by their nine bytes, equal ones in the order they came, whatever bits differ.
 */
#include "support.h"

#include "sort/sort_record.h"

static int compare(const void *a, const void *b)
{
    const struct lith_sort_record *x = a, *y = b;

    if (x->prefix != y->prefix)
        return x->prefix < y->prefix ? -1 : 1;
    return x->ref < y->ref ? -1 : x->ref > y->ref; /* places grew as records were made */
}

struct shape {
    const char *name;
    size_t count;
    uint64_t prefix_mask; /* bits that are random */
    uint64_t prefix_set;  /* bits that are set in all */
    uint8_t ninth_mask;
    uint32_t odd_one_in; /* so seldom a prefix of 64 random bits; 0: never */
};

static const struct shape shapes[] = {
    {"none", 0, UINT64_MAX, 0, 0xff, 0},
    {"one", 1, UINT64_MAX, 0, 0xff, 0},
    {"few", 30, UINT64_MAX, 0, 0xff, 0},
    {"some", 5000, UINT64_MAX, 0, 0xff, 0},
    {"some, few values", 5000, 3, 0x100, 3, 0},
    {"all the same", 200000, 0, 42, 0, 0},
    {"only the ninth byte differs", 200000, 0, 42, 0xff, 0},
    {"all bits", 300000, UINT64_MAX, 0, 0xff, 0},
    {"low bits", 300000, 0x1ffff, UINT64_C(1) << 50, 0, 0},
    {"high bits", 300000, UINT64_C(0xff) << 56, 0, 1, 0},
    {"many equal", 300000, 0x8000000000000001, 0, 0x81, 0},
    {"values far off", 300000, 0xffffffff, UINT64_C(1) << 40, 0, 10000},
    {"a bit here and there", 300000, 0x1000100010001000, 7, 0x10, 3},
};

static void same_as_comparing(void **state)
{
    uint64_t seed = test_seed();

    (void)state;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct shape *shape = &shapes[i];
        struct lith_sort_record *records = calloc(shape->count + 1, sizeof(*records));
        struct lith_sort_record *room = calloc(shape->count + 1, sizeof(*room));
        struct lith_sort_record *expected = calloc(shape->count + 1, sizeof(*expected));
        for (size_t k = 0; k < shape->count; k++) {
            uint64_t mask = shape->odd_one_in && test_random(&seed) % shape->odd_one_in == 0
                                ? UINT64_MAX
                                : shape->prefix_mask;
            uint64_t ninth = test_random(&seed) & shape->ninth_mask;
            records[k].prefix = (test_random(&seed) & mask) | shape->prefix_set;
            records[k].ref = ninth << LITH_PLACE_BITS | k;
        }
        memcpy(expected, records, shape->count * sizeof(*records));
        qsort(expected, shape->count, sizeof(*expected), compare);
        lith_records_sort(records, room, shape->count);
        if (memcmp(records, expected, shape->count * sizeof(*records)) != 0)
            fail_msg("%s", shape->name);
        free(records);
        free(room);
        free(expected);
    }
}

static void places(void **state)
{
    uint64_t place = lith_place_of(0xffffff, 0xffffffff);
    static const uint8_t key[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

    (void)state;
    assert_int_equal(lith_place_unit(place), 0xffffff);
    assert_int_equal(lith_place_row(place), 0xffffffff);
    assert_true(place >> LITH_PLACE_BITS == 0);
    assert_int_equal(lith_place_unit(UINT64_C(0xff) << LITH_PLACE_BITS | lith_place_of(5, 7)), 5);
    assert_true(lith_key_prefix(key, 9) == 0x0102030405060708);
    assert_true(lith_key_prefix(key, 3) == 0x0102030000000000);
    assert_true(lith_key_prefix(key, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_comparing),
        cmocka_unit_test(places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
