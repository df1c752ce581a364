/*
 * The columns of one group must agree on how often the group is there: each tells it by its own
 * levels.
 *
 * Nulls put in for a column that a file lacks are where this goes wrong: levels of 0 below a group
 * that is present turn the whole group null for readers that take its structure from that column.
 * parquet-splice.md section 6.3.
 */
#ifndef LITH_VERIFY_SIBLINGS_H
#define LITH_VERIFY_SIBLINGS_H

#include "base/mem.h"
#include "parquet/schema.h"

/* What the first column of a group said. */
struct lith_sibling_group {
    bool is_known;
    uint32_t leaf;
    uint64_t places; /* positions that begin an instance of the group, or stand for none */
    uint64_t nulls;  /* of these, where the group or one above it is null or empty */
};

struct lith_siblings {
    const struct lith_schema *schema;
    struct lith_sibling_group *groups; /* by node */
};

/* For the chunks of one row group after the other. `schema` outlives it. */
LITH_MUST_CHECK enum lith_code lith_siblings_init(struct lith_siblings *siblings,
                                                  const struct lith_schema *schema,
                                                  struct lith_mem *mem, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_siblings_done(struct lith_siblings *siblings);
/* Begins a row group. */
void lith_siblings_clear(struct lith_siblings *siblings);

/* Adds a leaf's chunk by its level histograms (max_rep + 1 and max_def + 1 entries). CORRUPT where
 * it contradicts another leaf's. */
LITH_MUST_CHECK enum lith_code lith_siblings_add(struct lith_siblings *siblings, uint32_t leaf,
                                                 const int64_t *rep_histogram,
                                                 const int64_t *def_histogram,
                                                 struct lith_err *err);

#endif
