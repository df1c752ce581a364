/*
 * Rows that a rewrite leaves out, for requests of privacy: the one exception to P1.
 *
 * While a merge is planned the caller looks at the columns it named, row by row, once, and says
 * which rows are to go. What stays of a unit is a recipe (sort/recipe.h). An output row group that
 * has a unit with such rows is written anew from the rows that stay; all others are merged as ever.
 */
#ifndef LITH_MERGE_ERASURE_H
#define LITH_MERGE_ERASURE_H

#include "merge/key_scan.h"
#include "sort/recipe.h"

/* What the caller wants. */
struct lith_erase {
    const char *columns; /* in the form of sort keys (sort/sort_key.h); NULL: no row is erased */
    /* Whether the row goes that has these values, one for each column, PLAIN-encoded; NULL data:
     * null. Called for each row, in the order of units; a merge that begins anew calls it anew. */
    bool (*row)(void *ctx, const struct lith_slice *values, size_t count);
    void *ctx;
};

/* What stays of a unit. */
struct lith_kept_rows {
    uint64_t first; /* of the recipe */
    uint64_t count;
    uint64_t erased;
};

struct lith_erasure {
    const struct lith_erase *erase; /* NULL: no row is erased */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    struct lith_arena arena;
    struct lith_sort_key *columns;
    uint32_t column_count;
    struct lith_key_layout layout;
    struct lith_key_scan scan;
    struct lith_recipe recipe;    /* of all units that lose rows */
    struct lith_kept_rows *units; /* of each unit */
    size_t unit_count;
    uint64_t erased;
};

/* Takes no memory yet. `erase` outlives it. */
void lith_erasure_init(struct lith_erasure *erasure, const struct lith_erase *erase,
                       struct lith_codec_context *codecs, const struct lith_work *work);
/* A zeroed one is a no-op. */
void lith_erasure_done(struct lith_erasure *erasure);

/* Begins anew, with the schema of the output, which outlives it. As lith_sort_keys_parse. */
LITH_MUST_CHECK enum lith_code lith_erasure_begin(struct lith_erasure *erasure,
                                                  const struct lith_schema *schema,
                                                  struct lith_err *err);

/* Asks for the rows of the next unit; as for lith_key_scan_unit. */
LITH_MUST_CHECK enum lith_code lith_erasure_unit(struct lith_erasure *erasure,
                                                 const struct lith_footer *footer,
                                                 uint32_t row_group,
                                                 const struct lith_union_place *places,
                                                 struct lith_source *source, struct lith_err *err);

/* All units have come. */
LITH_MUST_CHECK enum lith_code lith_erasure_settle(struct lith_erasure *erasure,
                                                   struct lith_err *err);

/* Whether some of units [begin, end) lose rows. */
bool lith_erasure_touches(const struct lith_erasure *erasure, size_t begin, size_t end);

/* Appends what stays of a unit of `row_count` rows. */
LITH_MUST_CHECK enum lith_code lith_erasure_copy(struct lith_erasure *erasure, uint32_t unit,
                                                 uint64_t row_count, struct lith_recipe *recipe,
                                                 struct lith_err *err);

#endif
