/*
 * Whether the rows of a unit stand in the order asked for, and between which keys.
 *
 * Read from the rows themselves: sorting_columns of a footer are not believed. One key of 32 or 64
 * bits is compared as it was decoded; keys are built of the first and last row of each batch only.
 */
#ifndef LITH_SORT_KEY_ORDER_H
#define LITH_SORT_KEY_ORDER_H

#include "base/arena.h"
#include "sort/key_builder.h"
#include "sort/unit_clusters.h"

struct lith_key_order {
    const struct lith_key_layout *layout;
    struct lith_key_builder builder;
    bool in_order;
    uint64_t row_count;
    struct lith_buf smallest; /* the first key while rows are in order */
    struct lith_buf largest;  /* the last one */
};

/* Takes no memory yet. The layout outlives it. */
void lith_key_order_init(struct lith_key_order *order, const struct lith_key_layout *layout,
                         struct lith_mem *mem);

/* A zeroed one is a no-op. */
void lith_key_order_done(struct lith_key_order *order);

/* Begins the next unit. */
void lith_key_order_begin(struct lith_key_order *order);

/* Looks at the next rows of the unit; none is a no-op. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_key_order_add(struct lith_key_order *order,
                                                  const struct lith_key_rows *rows,
                                                  struct lith_err *err);

/* What is known of the unit once all its rows were added; the bounds are the arena's. */
LITH_MUST_CHECK enum lith_code lith_key_order_range(const struct lith_key_order *order,
                                                    uint32_t unit, struct lith_arena *arena,
                                                    struct lith_unit_range *ret_range,
                                                    struct lith_err *err);

#endif
