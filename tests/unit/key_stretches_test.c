/*
 * Stretches of one first key: where that key ends among the bytes of all, and what is not kept.
 * key_sorter_test.c has them of sorted rows.
 */
#include "mem_support.h"

#include "sort/key_stretches.h"
#include "sort/key_value.h"

static struct lith_err err;

static const struct lith_key_layout text = {
    .field_count = 2,
    .fields = {{.order = LITH_ORDER_BYTES, .has_marker = true, .null_marker = 2}}};

static void complement(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)~bytes[i];
}

/* Two rows whose keys differ only behind a value of random bytes are one stretch, of as many bytes
 * as the value took, ascending or not; and where it is cut there is none. */
static void the_first_key_ends_where_its_value_does(void **state)
{
    static const enum lith_order orders[] = {LITH_ORDER_BYTES, LITH_ORDER_DECIMAL_BYTES};
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct lith_key_layout layout = text;
        struct lith_key_stretches stretches;
        uint8_t value[40], key[1 + 2 * sizeof(value) + 4 + 8];
        size_t count = test_random(&seed) % sizeof(value);
        layout.fields[0].order = orders[round % 2];
        layout.fields[0].descending = round & 2;
        for (size_t i = 0; i < count; i++)
            value[i] = (uint8_t)(test_random(&seed) % 3 - 1);
        key[0] = LITH_KEY_VALUE;
        size_t bytes =
            lith_key_bytes_store(orders[round % 2], (struct lith_slice){value, count}, key + 1);
        if (layout.fields[0].descending)
            complement(key + 1, bytes);
        memset(key + 1 + bytes, layout.fields[0].descending ? 0xff : 0, 8);
        lith_key_stretches_init(&stretches, &layout, 1, &mem);
        MUST(lith_key_stretches_add(&stretches, (struct lith_slice){key, bytes + 9}, &err));
        assert_int_equal(stretches.first_bytes, 1 + bytes);
        key[1 + bytes] = 7;
        MUST(lith_key_stretches_add(&stretches, (struct lith_slice){key, bytes + 9}, &err));
        MUST(lith_key_stretches_end(&stretches, &err));
        assert_int_equal(stretches.count, 1);
        assert_int_equal(stretches.kept[0].end, 2);
        for (size_t cut = 0; cut <= bytes; cut++) {
            MUST(lith_key_stretches_add(&stretches, (struct lith_slice){key, cut}, &err));
            assert_int_equal(stretches.first_bytes, 0);
        }
        MUST(lith_key_stretches_end(&stretches, &err));
        assert_int_equal(stretches.count, 1);
        lith_key_stretches_done(&stretches);
    }
}

/* Nulls of keys that vary are their markers; keys of 257 bytes are no stretch, nor do they join
 * what stands beside them. */
static void nulls_and_long_keys(void **state)
{
    static const struct {
        uint8_t marker;
        size_t value_bytes; /* with the end; a null's next field begins at once */
        size_t rows;
    } parts[] = {{1, 5, 10}, {1, 255, 9}, {1, 256, 40}, {1, 7, 9}, {1, 6, 8}, {2, 0, 30}};
    static const struct lith_key_stretch expected[] = {{0, 10}, {10, 19}, {59, 68}, {76, 106}};
    struct lith_key_stretches stretches;
    uint8_t key[300];

    (void)state;
    lith_key_stretches_init(&stretches, &text, 9, &mem);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        for (size_t row = 0; row < parts[i].rows; row++) {
            memset(key, 'x', sizeof(key));
            key[0] = parts[i].marker;
            if (parts[i].value_bytes)
                memset(key + parts[i].value_bytes - 1, 0, 2);
            key[1 + parts[i].value_bytes] = (uint8_t)(1 + row); /* the next field */
            MUST(lith_key_stretches_add(&stretches, (struct lith_slice){key, sizeof(key)}, &err));
        }
    }
    MUST(lith_key_stretches_end(&stretches, &err));
    assert_int_equal(stretches.count, sizeof(expected) / sizeof(expected[0]));
    assert_memory_equal(stretches.kept, expected, sizeof(expected));
    lith_key_stretches_done(&stretches);
    lith_key_stretches_done(&stretches);
}

/* Memory that is refused is an error, and nothing is left behind. */
static void refused_memory(void **state)
{
    struct lith_key_stretches stretches;

    (void)state;
    for (int64_t n = 0; n < 2; n++) {
        enum lith_code code = LITH_OK;
        atomic_store(&mem.fail_after, n);
        lith_key_stretches_init(&stretches, &text, 1, &mem);
        for (uint64_t i = 0; i < 20 && code == LITH_OK; i++)
            code = lith_key_stretches_put(&stretches, i, i + 1, &err);
        assert_int_equal(code, LITH_E_NOMEM);
        assert_int_equal(stretches.count, n * 16);
        atomic_store(&mem.fail_after, -1);
        lith_key_stretches_done(&stretches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_key_ends_where_its_value_does, mem_setup,
                                        mem_teardown),
        cmocka_unit_test_setup_teardown(nulls_and_long_keys, mem_setup, mem_teardown),
        cmocka_unit_test_setup_teardown(refused_memory, mem_setup, mem_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
