/*
 * Clusters: against joining every two units whose ranges overlap, for random ranges of few keys.
 */
#include "support.h"

#include "sort/unit_clusters.h"

static struct lith_err err;
static struct lith_mem mem;

#define UNITS_MAX 9

static struct lith_key_bound bound_of(const char *text, bool is_cut)
{
    return (struct lith_key_bound){lith_slice_text(text), is_cut};
}

/* Whether all of `a` comes before all of `b`, by (key, unit). Whole keys are single letters. */
static bool is_before(const struct lith_unit_range *a, const struct lith_unit_range *b)
{
    uint8_t last = a->largest.bytes.data[0], first = b->smallest.bytes.data[0];

    return last < first || (last == first && a->unit < b->unit);
}

/* Gives all units that overlap, directly or through others, the same label. */
static void labels_join(const struct lith_unit_range *ranges, size_t count, size_t *labels)
{
    bool changed = true;

    for (size_t i = 0; i < count; i++)
        labels[ranges[i].unit] = i;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < count; k++) {
                size_t *a = &labels[ranges[i].unit], *b = &labels[ranges[k].unit];
                if (*a <= *b || ranges[i].row_count == 0 || ranges[k].row_count == 0 ||
                    is_before(&ranges[i], &ranges[k]) || is_before(&ranges[k], &ranges[i]))
                    continue;
                *a = *b;
                changed = true;
            }
        }
    }
}

static void clusters_check(const struct lith_unit_range *ranges, size_t count,
                           const struct lith_unit_cluster *clusters, size_t cluster_count,
                           const size_t *labels)
{
    size_t at = 0;

    for (size_t i = 0; i < cluster_count; i++) {
        const struct lith_unit_cluster *cluster = &clusters[i];
        uint64_t rows = 0;
        assert_int_equal(cluster->begin, at);
        assert_true(cluster->end > at);
        for (size_t k = at; k < cluster->end; k++) {
            assert_true(ranges[k].row_count > 0);
            assert_true(k == at || ranges[k].unit > ranges[k - 1].unit);
            assert_int_equal(labels[ranges[k].unit], labels[ranges[at].unit]);
            rows += ranges[k].row_count;
            for (size_t n = cluster->end; n < count && ranges[n].row_count; n++)
                assert_true(is_before(&ranges[k], &ranges[n]));
        }
        assert_int_equal(cluster->row_count, rows);
        assert_int_equal(cluster->needs_sort, cluster->end - at > 1 || !ranges[at].in_order);
        at = cluster->end;
    }
    for (; at < count; at++)
        assert_int_equal(ranges[at].row_count, 0);
}

static void same_as_joining_pairs(void **state)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    uint64_t seed = test_seed();

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct lith_unit_range ranges[UNITS_MAX];
        struct lith_unit_cluster *clusters;
        size_t labels[UNITS_MAX], cluster_count;
        size_t count = test_random(&seed) % (UNITS_MAX + 1);
        struct lith_arena arena;
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_arena_init(&arena, &mem);
        for (size_t i = 0; i < count; i++) {
            size_t from = test_random(&seed) % 9, to = from + test_random(&seed) % 3;
            ranges[i] = (struct lith_unit_range){
                .unit = (uint32_t)i,
                .in_order = test_random(&seed) % 2,
                .row_count = test_random(&seed) % 5,
                .smallest = bound_of(letters[from], false),
                .largest = bound_of(letters[to < 9 ? to : 8], false),
            };
            if (ranges[i].row_count == 0)
                ranges[i].smallest = ranges[i].largest = (struct lith_key_bound){0};
        }
        labels_join(ranges, count, labels);
        MUST(lith_unit_clusters(ranges, count, &arena, &clusters, &cluster_count, &err));
        clusters_check(ranges, count, clusters, cluster_count, labels);
        lith_arena_done(&arena);
        lith_mem_done(&mem);
    }
}

struct cut_case {
    const char *largest; /* of unit 0 */
    bool largest_cut;
    const char *smallest; /* of unit 1 */
    bool smallest_cut;
    size_t clusters;
};

/* A cut largest key may be anything that begins so. */
static void cut_bounds_join_what_may_overlap(void **state)
{
    static const struct cut_case cases[] = {
        {"bb", false, "bb", false, 2}, {"bb", true, "bb", false, 1}, {"bb", true, "bbzz", false, 1},
        {"bb", true, "bc", false, 2},  {"bb", true, "b", false, 1},  {"bb", false, "bb", true, 2},
        {"bb", false, "ba", true, 1},  {"bb", true, "bb", true, 1},  {"bb", true, "c", true, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lith_unit_range ranges[3] = {
            {0, true, 1, bound_of("a", false), bound_of(cases[i].largest, cases[i].largest_cut)},
            {1, true, 1, bound_of(cases[i].smallest, cases[i].smallest_cut), bound_of("x", false)},
            {2, true, 1, bound_of("y", false), bound_of("y", true)},
        };
        struct lith_unit_cluster *clusters;
        struct lith_arena arena;
        size_t count;
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_arena_init(&arena, &mem);
        MUST(lith_unit_clusters(ranges, 3, &arena, &clusters, &count, &err));
        if (count != cases[i].clusters + 1)
            fail_msg("case %zu: %zu clusters", i, count);
        lith_arena_done(&arena);
        lith_mem_done(&mem);
    }
}

/* The unit that ends last is not the one that began last; one of them cut. */
static void the_farthest_end_counts(void **state)
{
    static const bool cut_first[] = {true, false};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct lith_key_bound cut = bound_of("m", true), whole = bound_of("mzz", false);
        struct lith_unit_range ranges[] = {
            {0, true, 1, bound_of("a", false), cut_first[i] ? cut : whole},
            {1, true, 1, bound_of("b", false), cut_first[i] ? whole : cut},
            {2, true, 1, bound_of("mzzz", false),
             bound_of("n", false)}, /* may be below the cut m */
            {3, true, 1, bound_of("c", false), bound_of("d", false)},
        };
        struct lith_unit_cluster *clusters;
        struct lith_arena arena;
        size_t count;
        lith_mem_init(&mem, SIZE_MAX, NULL);
        lith_arena_init(&arena, &mem);
        MUST(lith_unit_clusters(ranges, 4, &arena, &clusters, &count, &err));
        assert_int_equal(count, 1);
        lith_arena_done(&arena);
        atomic_store(&mem.fail_after, 0);
        assert_int_equal(lith_unit_clusters(ranges, 4, &arena, &clusters, &count, &err),
                         LITH_E_NOMEM);
        lith_arena_done(&arena);
        lith_mem_done(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_joining_pairs),
        cmocka_unit_test(cut_bounds_join_what_may_overlap),
        cmocka_unit_test(the_farthest_end_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
