/*
 * What is known of a run of positions without decoding it: the believable part of what a source
 * says of a chunk or of a page.
 *
 * Copied pages take their statistics from here. Whatever is not certain is unknown, and unknown
 * stays unknown when runs are joined: a missing bound is slow, a wrong one loses rows. Claims that
 * contradict each other are not believed at all. parquet-splice.md sections 1.2, 2.6 and 3.
 */
#ifndef LITH_PARQUET_FACTS_H
#define LITH_PARQUET_FACTS_H

#include "base/arena.h"
#include "parquet/footer.h"
#include "parquet/order.h"

/*
 * is_all_null: null_count is known to be all of positions, and there are no bounds. has_bounds: min
 * <= max, as wide as values are, no NaN, zeros widened (min -0, max +0, never exact); an exact one
 * is a value of the run. Known counts fit into positions.
 */
struct lith_facts {
    int64_t positions; /* nulls included */
    bool has_null_count;
    bool has_nan_count; /* floating orders only */
    bool has_bounds;    /* min and max are valid bounds of all values that are not NaN */
    bool is_all_null;   /* certainly no values: then there are no bounds, and none are missed */
    bool is_fixed;      /* values have a fixed width: their bounds are never truncated */
    bool min_exact;
    bool max_exact;
    int64_t null_count;
    int64_t nan_count;
    int64_t unencoded_bytes;      /* of BYTE_ARRAY values (of others 0); -1: unknown */
    const int64_t *rep_histogram; /* max_rep + 1; NULL: unknown (or max_rep is 0) */
    const int64_t *def_histogram; /* max_def + 1; NULL: unknown (or max_def is 0) */
    struct lith_slice min;        /* borrowed */
    struct lith_slice max;
};

/* A run of which nothing is known but what the schema says: no nulls where max_def is 0. */
struct lith_facts lith_facts_unknown(const struct lith_schema_node *leaf, int64_t positions);

/* What of a column's statistics and column indexes can be believed at all. */
struct lith_trust {
    bool bounds; /* the column has an order, the file states it, its writer keeps to it */
    bool nulls;  /* else a null count says nothing, unless it is 0 */
};

struct lith_trust lith_facts_trust(const struct lith_footer *footer, uint32_t leaf);

/* Facts of a chunk of a footer. Slices borrow from the footer; histograms that are synthesised
 * (flat columns: [nulls, values]) come from the arena. Never fails for what a file says: what
 * cannot be believed is unknown. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code
lith_facts_of_chunk(const struct lith_footer *footer, uint32_t row_group, uint32_t leaf,
                    struct lith_arena *arena, struct lith_facts *ret_facts, struct lith_err *err);

/* What is claimed of a run. Histograms may be NULL, the statistics empty. */
struct lith_claims {
    struct lith_statistics statistics;
    const int64_t *rep_histogram; /* max_rep + 1 */
    const int64_t *def_histogram; /* max_def + 1 */
};

/*
 * Facts from claims. Slices and histograms borrow from the claims. False where counts contradict
 * each other or cannot be; the facts have what is certain still: bounds, where only null count and
 * histogram differ. A pair that cannot be bounds is left out. Null counts of a repeated column are
 * those of the histogram, or all: writers are known that do not count empty lists.
 */
bool lith_facts_of_claims(const struct lith_claims *claims, const struct lith_schema_node *leaf,
                          struct lith_trust trust, int64_t positions, struct lith_facts *ret_facts);

/* The same from statistics alone: those of a page header. */
struct lith_facts lith_facts_of_statistics(const struct lith_statistics *statistics,
                                           const struct lith_schema_node *leaf,
                                           struct lith_trust trust, int64_t positions);

/* Fills an unknown definition histogram where the null count tells it: flat columns of one level,
 * or without nulls. `room` has max_def + 1 entries and lives as long as the facts. */
void lith_facts_synthesise(struct lith_facts *facts, const struct lith_schema_node *leaf,
                           int64_t *room);

/* Takes the bytes of BYTE_ARRAY values as a file states them. */
void lith_facts_take_unencoded(struct lith_facts *facts, const struct lith_schema_node *leaf,
                               int64_t unencoded_bytes);

#endif
