/*
 * Explanations summed up: one for each column, mover and reason; most bytes first.
 */
#include "support.h"

#include "merge/explain_sums.h"
#include "sample_schema.h"

static const struct sample_node nodes[] = {
    {.name = "root", .child_count = 3},
    {.name = "a", .type = LITH_TYPE_INT64},
    {.name = "b", .type = LITH_TYPE_INT64},
    {.name = "c.d", .type = LITH_TYPE_INT64},
};

static void add(struct lith_explain_sums *sums, const struct lith_schema *schema, uint32_t leaf,
                enum lith_mover mover, enum lith_reason reason, uint64_t bytes)
{
    struct lith_err err;
    struct lith_explained explained = {
        .schema = schema, .leaf = leaf, .mover = mover, .reason = reason, .bytes = bytes};

    MUST(lith_explain_sums_add(sums, &explained, &err));
}

static void said(const struct lith_explanation *one, const char *column, const char *mover,
                 uint64_t sources, uint64_t bytes)
{
    assert_string_equal(one->column, column);
    assert_string_equal(one->mover, mover);
    assert_null(one->input);
    assert_int_equal(one->sources, sources);
    assert_int_equal(one->bytes, bytes);
}

static void test_sums(void **state)
{
    struct lith_arena arena;
    struct lith_schema schema;
    struct lith_explain_sums sums;
    const struct lith_explanation *list;
    size_t count;
    struct lith_err err;

    (void)state;
    lith_arena_init(&arena, lith_mem_root());
    MUST(sample_schema_build(nodes, 4, &arena, &schema, &err));
    lith_explain_sums_init(&sums, &arena);
    MUST(lith_explain_sums_list(&sums, &list, &count, &err));
    assert_int_equal(count, 0);
    for (int i = 0; i < 100; i++) {
        add(&sums, &schema, 2, LITH_MOVER_SPLICE, LITH_REASON_VALUES, 10);
        add(&sums, &schema, 0, LITH_MOVER_SPLICE, LITH_REASON_IDS_SAME, 1);
        add(&sums, &schema, 0, LITH_MOVER_REMAP, LITH_REASON_IDS, 30);
        add(&sums, &schema, 1, LITH_MOVER_RECODE, LITH_REASON_CODEC, 20);
        add(&sums, &schema, 1, LITH_MOVER_RECODE, LITH_REASON_ENCODING, 10);
    }
    add(&sums, &schema, 0, LITH_MOVER_REMAP, LITH_REASON_IDS, 5);
    MUST(lith_explain_sums_list(&sums, &list, &count, &err));
    assert_int_equal(count, 5);
    said(&list[0], "a", "remap", 101, 3005);
    said(&list[1], "b", "recode", 100, 2000);
    assert_string_equal(list[1].reason, lith_reason_text(LITH_REASON_CODEC));
    said(&list[2], "b", "recode", 100, 1000);
    said(&list[3], "\"c.d\"", "splice", 100, 1000);
    said(&list[4], "a", "splice", 100, 100);
    assert_int_equal(sums.bytes[LITH_MOVER_SPLICE], 1100);
    assert_int_equal(sums.bytes[LITH_MOVER_REMAP], 3005);
    assert_int_equal(sums.bytes[LITH_MOVER_RECODE], 3000);
    lith_arena_done(&arena);
}

/* Every allocation that fails is told, and nothing stays behind. */
static void test_out_of_memory(void **state)
{
    struct lith_mem mem;
    struct lith_err err;
    size_t limit = 0;
    enum lith_code code;

    (void)state;
    do {
        struct lith_arena arena;
        struct lith_arena inside;
        struct lith_schema schema;
        struct lith_explain_sums sums;
        lith_arena_init(&arena, lith_mem_root());
        MUST(sample_schema_build(nodes, 4, &arena, &schema, &err));
        lith_mem_init(&mem, limit, lith_mem_root());
        lith_arena_init(&inside, &mem);
        lith_explain_sums_init(&sums, &inside);
        code = LITH_OK;
        for (uint32_t i = 0; code == LITH_OK && i < 27; i++) {
            struct lith_explained explained = {.schema = &schema,
                                               .leaf = i % 3,
                                               .mover = LITH_MOVER_RECODE,
                                               .reason = (enum lith_reason)(i / 3)};
            code = lith_explain_sums_add(&sums, &explained, &err);
        }
        const struct lith_explanation *list;
        size_t count;
        if (code == LITH_OK)
            code = lith_explain_sums_list(&sums, &list, &count, &err);
        if (code != LITH_OK)
            assert_int_equal(code, LITH_E_LIMIT);
        lith_arena_done(&inside);
        assert_int_equal(atomic_load(&mem.used), 0);
        lith_mem_done(&mem);
        lith_arena_done(&arena);
        limit += 256;
    } while (code != LITH_OK && limit < 1 << 20);
    assert_int_equal(code, LITH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_out_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
