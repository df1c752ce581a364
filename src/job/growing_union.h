/*
 * A union of schemas that grows, in memory bounded by the schemas and not by how many were added.
 *
 * Joining writes the whole union anew (schema_union.h). So there are two arenas: one has the union,
 * the other the one that is tried; taking it gives the first one back. Several unions can be tried
 * before any of them is taken.
 */
#ifndef LITH_JOB_GROWING_UNION_H
#define LITH_JOB_GROWING_UNION_H

#include "merge/schema_union.h"

struct lith_growing_union {
    struct lith_union now;  /* in arenas[at], where is_begun */
    struct lith_union next; /* in the other one, where is_tried */
    struct lith_arena arenas[2];
    unsigned at;
    bool is_begun;
    bool is_tried;
};

void lith_growing_union_init(struct lith_growing_union *g, struct lith_mem *mem);
/* A zeroed one is a no-op. */
void lith_growing_union_done(struct lith_growing_union *g);

/* Tries a schema: begins with it where nothing was taken yet. A conflict's text lasts until the
 * next try, take or drop. */
LITH_MUST_CHECK enum lith_code
lith_growing_union_try(struct lith_growing_union *g, const struct lith_union_rules *rules,
                       const struct lith_schema *schema, uint32_t origin,
                       struct lith_union_conflict *ret_conflict, struct lith_err *err);
/* Tries a schema on top of what another union tried, or has. */
LITH_MUST_CHECK enum lith_code
lith_growing_union_try_on(struct lith_growing_union *g, const struct lith_growing_union *base,
                          const struct lith_schema *schema, uint32_t origin,
                          struct lith_union_conflict *ret_conflict, struct lith_err *err);

/* What is tried becomes the union; nothing was tried: a no-op. */
void lith_growing_union_take(struct lith_growing_union *g);
void lith_growing_union_drop(struct lith_growing_union *g);

/* The schema that was tried, else the one there is. */
const struct lith_schema *lith_growing_union_schema(const struct lith_growing_union *g);

#endif
