/*
 * Judging what a file claims of a chunk or a page.
 *
 * Three steps: counts against the positions, bounds against the order, histograms against both.
 * parquet-splice.md sections 3.2 to 3.5; SizeStatistics of parquet.thrift.
 */
#include "parquet/facts.h"

#include "base/checked.h"
#include "parquet/writer_version.h"

/* More bytes of values than this in one chunk are a lie, and so that no sum of them overflows. */
#define UNENCODED_BYTES_MAX ((int64_t)1 << 40)

struct lith_facts lith_facts_unknown(const struct lith_schema_node *leaf, int64_t positions)
{
    bool is_bytes = leaf->type == LITH_TYPE_BYTE_ARRAY;

    return (struct lith_facts){
        .positions = positions,
        .has_null_count = leaf->max_def == 0 || positions == 0,
        .is_all_null = positions == 0,
        .is_fixed = !is_bytes,
        .unencoded_bytes = is_bytes && positions > 0 ? -1 : 0,
    };
}

static bool order_is_stated(const struct lith_footer *footer, uint32_t leaf, enum lith_order order)
{
    int stated = footer->column_orders ? footer->column_orders[leaf] : LITH_ORDER_UNDEFINED;

    return stated == LITH_ORDER_TYPE ||
           (stated == LITH_ORDER_IEEE754 && lith_order_is_floating(order));
}

struct lith_trust lith_facts_trust(const struct lith_footer *footer, uint32_t leaf)
{
    const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, leaf);
    enum lith_order order = lith_order_of(node);

    return (struct lith_trust){
        .bounds = order != LITH_ORDER_NONE && order_is_stated(footer, leaf, order) &&
                  lith_writer_knows_bounds(footer->created_by, node),
        .nulls = lith_writer_knows_nulls(footer->created_by),
    };
}

/* False where the counts cannot be. */
static bool counts_take(const struct lith_statistics *statistics,
                        const struct lith_schema_node *leaf, struct lith_facts *facts)
{
    bool has_nan_count = statistics->has_nan_count && lith_order_is_floating(lith_order_of(leaf));
    int64_t values_max = facts->positions;

    if (statistics->has_null_count) {
        if (leaf->max_def == 0 && statistics->null_count > 0)
            return false;
        facts->has_null_count = true;
        facts->null_count = statistics->null_count;
        facts->is_all_null = facts->null_count == facts->positions;
        values_max -= facts->null_count;
    }
    if (has_nan_count) {
        if (statistics->nan_count < 0 || statistics->nan_count > values_max)
            return false;
        facts->has_nan_count = true;
        facts->nan_count = statistics->nan_count;
    }
    if (facts->is_all_null)
        facts->unencoded_bytes = 0;
    return true;
}

/* Whether the bytes are a value of the column that can be a bound. */
static bool bound_is_valid(const struct lith_schema_node *leaf, enum lith_order order,
                           struct lith_slice bound)
{
    size_t width = lith_type_width(leaf->type, leaf->type_length);

    if (width > 0 ? bound.bytes != width : order == LITH_ORDER_DECIMAL_BYTES && bound.bytes == 0)
        return false;
    if (order == LITH_ORDER_BOOLEAN && bound.data[0] > 1)
        return false;
    return !lith_order_is_nan(order, bound);
}

/* A zero as the lower or the upper bound that also covers the other zero. */
static struct lith_slice zero_widened(struct lith_slice zero, bool is_max)
{
    static const uint8_t minus[][8] = {
        [2] = {0, 0x80}, [4] = {0, 0, 0, 0x80}, [8] = {0, 0, 0, 0, 0, 0, 0, 0x80}};
    static const uint8_t plus[8] = {0};

    return (struct lith_slice){is_max ? plus : minus[zero.bytes], zero.bytes};
}

static void bounds_take(const struct lith_statistics *statistics,
                        const struct lith_schema_node *leaf, struct lith_facts *facts)
{
    struct lith_slice min = statistics->min_value;
    struct lith_slice max = statistics->max_value;
    enum lith_order order = lith_order_of(leaf);

    if (!min.data || !max.data || !bound_is_valid(leaf, order, min) ||
        !bound_is_valid(leaf, order, max) || lith_order_compare(order, min, max) > 0)
        return;
    facts->has_bounds = true;
    facts->min_exact = statistics->min_exact && !lith_order_is_zero(order, min);
    facts->max_exact = statistics->max_exact && !lith_order_is_zero(order, max);
    facts->min = lith_order_is_zero(order, min) ? zero_widened(min, false) : min;
    facts->max = lith_order_is_zero(order, max) ? zero_widened(max, true) : max;
}

/* Bounds of a run without values that could have any. */
static bool bounds_contradict(const struct lith_facts *facts)
{
    if (!facts->has_bounds || !facts->has_null_count)
        return false;
    return facts->null_count + (facts->has_nan_count ? facts->nan_count : 0) == facts->positions;
}

/* Counts and bounds, without histograms. */
static bool statistics_take(const struct lith_statistics *statistics,
                            const struct lith_schema_node *leaf, bool has_order,
                            struct lith_facts *facts)
{
    if (!counts_take(statistics, leaf, facts))
        return false;
    /* A writer that is not trusted with bounds still says here that there are values. */
    if (facts->is_all_null && (statistics->min_value.data || statistics->max_value.data))
        return false;
    if (has_order)
        bounds_take(statistics, leaf, facts);
    return !bounds_contradict(facts);
}

/* Whether the entries are counts of all positions. */
static bool histogram_sums_up(const int64_t *histogram, size_t count, int64_t positions)
{
    int64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        if (histogram[i] < 0 || !lith_add_i64(sum, histogram[i], &sum))
            return false;
    return sum == positions;
}

/* Leaves what of the null count and the histograms can be believed; false where they contradict
 * themselves or each other. */
static bool nulls_settle(struct lith_claims *claims, const struct lith_schema_node *leaf,
                         struct lith_trust trust, int64_t positions)
{
    struct lith_statistics *s = &claims->statistics;
    const int64_t *rep = claims->rep_histogram;
    const int64_t *def = claims->def_histogram;
    bool agree = (!rep || histogram_sums_up(rep, leaf->max_rep + 1u, positions)) &&
                 (!def || histogram_sums_up(def, leaf->max_def + 1u, positions));
    int64_t nulls = agree && def ? positions - def[leaf->max_def] : 0;

    s->has_null_count = s->has_null_count && (trust.nulls || s->null_count == 0);
    if (agree && def && s->has_null_count && s->null_count != nulls &&
        !(leaf->max_rep && s->null_count < nulls)) {
        s->has_null_count = false;
        agree = false;
    }
    if (!agree)
        claims->rep_histogram = claims->def_histogram = NULL;
    if (leaf->max_rep && claims->def_histogram) {
        s->has_null_count = true;
        s->null_count = nulls;
    } else if (leaf->max_rep && s->null_count != positions) {
        s->has_null_count = false;
    }
    return agree;
}

bool lith_facts_of_claims(const struct lith_claims *claims, const struct lith_schema_node *leaf,
                          struct lith_trust trust, int64_t positions, struct lith_facts *ret_facts)
{
    struct lith_facts facts = lith_facts_unknown(leaf, positions);
    struct lith_claims settled = *claims;
    const struct lith_statistics *s = &settled.statistics;

    *ret_facts = facts;
    if (positions == 0)
        return true;
    if (s->has_null_count && (s->null_count < 0 || s->null_count > positions))
        return false;
    bool agree = nulls_settle(&settled, leaf, trust, positions);
    if (!statistics_take(s, leaf, trust.bounds, &facts))
        return false;
    facts.rep_histogram = leaf->max_rep ? settled.rep_histogram : NULL;
    facts.def_histogram = leaf->max_def ? settled.def_histogram : NULL;
    *ret_facts = facts;
    return agree;
}

struct lith_facts lith_facts_of_statistics(const struct lith_statistics *statistics,
                                           const struct lith_schema_node *leaf,
                                           struct lith_trust trust, int64_t positions)
{
    struct lith_claims claims = {.statistics = *statistics};
    struct lith_facts facts;

    (void)lith_facts_of_claims(&claims, leaf, trust, positions, &facts);
    return facts;
}

void lith_facts_synthesise(struct lith_facts *facts, const struct lith_schema_node *leaf,
                           int64_t *room)
{
    bool is_told = leaf->max_def == 1 || facts->null_count == 0;

    if (leaf->max_rep || !leaf->max_def || facts->def_histogram || !facts->has_null_count ||
        !is_told)
        return;
    memset(room, 0, (leaf->max_def + 1u) * sizeof(*room));
    room[0] = facts->null_count;
    room[leaf->max_def] = facts->positions - facts->null_count;
    facts->def_histogram = room;
}

void lith_facts_take_unencoded(struct lith_facts *facts, const struct lith_schema_node *leaf,
                               int64_t unencoded_bytes)
{
    if (leaf->type == LITH_TYPE_BYTE_ARRAY && !facts->is_all_null && unencoded_bytes >= 0 &&
        unencoded_bytes <= UNENCODED_BYTES_MAX)
        facts->unencoded_bytes = unencoded_bytes;
}

enum lith_code lith_facts_of_chunk(const struct lith_footer *footer, uint32_t row_group,
                                   uint32_t leaf, struct lith_arena *arena,
                                   struct lith_facts *ret_facts, struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[row_group];
    const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, leaf);
    const struct lith_chunk_meta *meta = &group->chunks[leaf];
    const struct lith_size_statistics *sizes = &meta->size_statistics;
    struct lith_claims claims = {.statistics = meta->statistics};
    struct lith_facts facts;
    void *room;

    /* Rows begin at repetition level 0. */
    if (!sizes->rep_histogram || sizes->rep_histogram[0] == group->num_rows) {
        claims.rep_histogram = sizes->rep_histogram;
        claims.def_histogram = sizes->def_histogram;
    }
    (void)lith_facts_of_claims(&claims, node, lith_facts_trust(footer, leaf), meta->num_values,
                               &facts);
    if (sizes->has_unencoded_bytes)
        lith_facts_take_unencoded(&facts, node, sizes->unencoded_bytes);
    if (node->max_def && !node->max_rep && !facts.def_histogram) {
        LITH_TRY(lith_arena_array(arena, node->max_def + 1u, sizeof(int64_t), &room, err));
        lith_facts_synthesise(&facts, node, room);
    }
    *ret_facts = facts;
    return LITH_OK;
}
