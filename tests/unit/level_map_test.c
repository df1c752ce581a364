/*
 * Definition levels under a wider schema: every level of every way to relax a path of four nodes,
 * against the rule read literally.
 */
#include "support.h"

#include "parquet/level_map.h"

#define DEPTH 4u

static struct lith_mem mem;
static struct lith_err err;

/* A path of groups down to one leaf. */
static struct lith_schema path_of(const enum lith_repetition repetitions[DEPTH],
                                  struct lith_arena *arena)
{
    void *block;

    MUST(lith_arena_array(arena, DEPTH + 1, sizeof(struct lith_schema_node), &block, &err));
    struct lith_schema schema = {.nodes = block, .node_count = DEPTH + 1};
    for (uint32_t i = 0; i <= DEPTH; i++)
        schema.nodes[i] = (struct lith_schema_node){
            .name = lith_slice_text("x"),
            .is_group = i < DEPTH,
            .child_count = i < DEPTH,
            .repetition = i ? repetitions[i - 1] : LITH_REQUIRED,
            .type = LITH_TYPE_BYTE_ARRAY,
            .converted_type = -1,
        };
    MUST(lith_schema_link(&schema, arena, &err));
    return schema;
}

/* The level of a value whose first `present` nodes are there. */
static uint16_t level_of(const enum lith_repetition repetitions[DEPTH], uint32_t present)
{
    uint16_t level = 0;

    for (uint32_t i = 0; i < present; i++)
        level = (uint16_t)(level + (repetitions[i] != LITH_REQUIRED));
    return level;
}

static void check(const enum lith_repetition from[DEPTH], const enum lith_repetition to[DEPTH])
{
    LITH_AUTO(arena) struct lith_arena arena;

    lith_arena_init(&arena, &mem);
    struct lith_schema a = path_of(from, &arena);
    struct lith_schema b = path_of(to, &arena);
    for (uint32_t node = 0; node <= DEPTH; node++) {
        struct lith_level_map map = lith_level_map_make(&a, node, &b, node);
        assert_int_equal(map.max_from, a.nodes[node].max_def);
        assert_int_equal(map.max_to, b.nodes[node].max_def);
        assert_int_equal(map.is_same, map.max_from == map.max_to);
        /* Present down to the node that is missing: only such as may be. */
        for (uint32_t present = 0; present <= node; present++) {
            if (present < node && from[present] == LITH_REQUIRED)
                continue;
            uint16_t level = level_of(from, present);
            uint16_t mapped;
            lith_level_map_apply(&map, &level, 1, &mapped);
            assert_int_equal(mapped, level_of(to, present));
        }
    }
}

static void test_every_way_to_relax(void **state)
{
    (void)state;
    /* Three digits of base 3 and one more: what the source has. */
    for (uint32_t source = 0; source < 81; source++) {
        enum lith_repetition from[DEPTH];
        uint32_t digits = source;
        for (uint32_t i = 0; i < DEPTH; i++, digits /= 3)
            from[i] = (enum lith_repetition)(digits % 3);
        for (uint32_t relaxed = 0; relaxed < 1u << DEPTH; relaxed++) {
            enum lith_repetition to[DEPTH];
            for (uint32_t i = 0; i < DEPTH; i++)
                to[i] = from[i] == LITH_REQUIRED && (relaxed >> i & 1) ? LITH_OPTIONAL : from[i];
            check(from, to);
        }
    }
}

static void test_facts(void **state)
{
    LITH_AUTO(arena) struct lith_arena arena;
    /* An OPTIONAL group of a REQUIRED group of an OPTIONAL leaf's REQUIRED parent. */
    static const enum lith_repetition from[DEPTH] = {LITH_OPTIONAL, LITH_REQUIRED, LITH_REQUIRED,
                                                     LITH_OPTIONAL};
    static const enum lith_repetition to[DEPTH] = {LITH_OPTIONAL, LITH_OPTIONAL, LITH_REQUIRED,
                                                   LITH_OPTIONAL};
    static const enum lith_repetition none[DEPTH] = {LITH_REQUIRED, LITH_REQUIRED, LITH_REQUIRED,
                                                     LITH_REQUIRED};
    static const int64_t histogram[] = {3, 4, 5};
    int64_t room[DEPTH + 1];

    (void)state;
    lith_arena_init(&arena, &mem);
    struct lith_schema a = path_of(from, &arena);
    struct lith_schema b = path_of(to, &arena);
    struct lith_schema c = path_of(none, &arena);
    struct lith_level_map map = lith_level_map_make(&a, DEPTH, &b, DEPTH);
    struct lith_facts facts = {
        .positions = 12, .has_null_count = true, .null_count = 7, .def_histogram = histogram};
    struct lith_facts mapped = lith_level_map_facts(&map, &facts, room);
    assert_int_equal(mapped.null_count, 7);
    assert_int_equal(mapped.def_histogram[0], 3);
    assert_int_equal(mapped.def_histogram[1], 0);
    assert_int_equal(mapped.def_histogram[2], 4);
    assert_int_equal(mapped.def_histogram[3], 5);
    /* What is unknown stays unknown. */
    facts.def_histogram = NULL;
    assert_null(lith_level_map_facts(&map, &facts, room).def_histogram);
    /* Without levels all values are there, and no histogram had to say so. */
    map = lith_level_map_make(&c, DEPTH, &b, DEPTH);
    facts = lith_facts_unknown(lith_schema_leaf(&c, 0), 12);
    mapped = lith_level_map_facts(&map, &facts, room);
    assert_true(mapped.has_null_count);
    assert_int_equal(mapped.null_count, 0);
    assert_int_equal(mapped.def_histogram[3], 12);
    assert_int_equal(mapped.def_histogram[0] + mapped.def_histogram[1] + mapped.def_histogram[2],
                     0);
    /* Nothing to map. */
    facts.def_histogram = histogram;
    map = lith_level_map_make(&b, DEPTH, &b, DEPTH);
    assert_ptr_equal(lith_level_map_facts(&map, &facts, room).def_histogram, histogram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_to_relax),
        cmocka_unit_test(test_facts),
    };

    lith_mem_init(&mem, (size_t)16 << 20, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    lith_mem_done(&mem);
    return failed;
}
