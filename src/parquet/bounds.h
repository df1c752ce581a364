/*
 * Bounds and counts of a run of values: what statistics and the column index are made of.
 *
 * Of values that were decoded, and of runs whose facts alone are known; what is unknown of a part
 * is unknown of the whole. NaN is counted and never a bound; a zero bound is widened (min -0, max
 * +0). Bounds are copied into the struct's own buffers. parquet-splice.md sections 3.2 and 3.3.
 */
#ifndef LITH_PARQUET_BOUNDS_H
#define LITH_PARQUET_BOUNDS_H

#include "base/buf.h"
#include "parquet/facts.h"
#include "parquet/values.h"

struct lith_bounds {
    enum lith_order order;
    bool has_bounds; /* some value that is not NaN was seen, and the order is defined */
    bool dropped;    /* a value was longer than the buffers hold, or unknown: no bounds */
    bool is_fixed;   /* values have a fixed width: their bounds are never truncated */
    bool min_exact;  /* the bound is a value that was added, but for a zero's sign */
    bool max_exact;
    bool nulls_unknown; /* of some part: null_count is that of the others */
    bool nans_unknown;
    struct lith_buf min;
    struct lith_buf max;
    int64_t value_count; /* positions not known to be null; NaN included */
    int64_t null_count;
    int64_t nan_count;
};

/* Values longer than `bytes_max` as a bound end the bounds (dropped). Takes no memory yet. */
void lith_bounds_init(struct lith_bounds *bounds, enum lith_order order, struct lith_mem *mem,
                      size_t bytes_max);
void lith_bounds_done(struct lith_bounds *bounds);
void lith_bounds_clear(struct lith_bounds *bounds);

LITH_MUST_CHECK enum lith_code
lith_bounds_add(struct lith_bounds *bounds, const struct lith_values *values, struct lith_err *err);
void lith_bounds_add_nulls(struct lith_bounds *bounds, int64_t count);
/* Adds a run that is not decoded. LIMIT also where counts overflow. */
LITH_MUST_CHECK enum lith_code lith_bounds_add_facts(struct lith_bounds *bounds,
                                                     const struct lith_facts *facts,
                                                     struct lith_err *err);

/* Adds all of `from` to `into`. */
LITH_MUST_CHECK enum lith_code
lith_bounds_merge(struct lith_bounds *into, const struct lith_bounds *from, struct lith_err *err);

/*
 * Chunk statistics from bounds: null_count, and nan_count for floating orders, where they are
 * known; min and max together or not at all, as the rules say, truncated to `bytes_max` where the
 * order allows it (bytes; UTF-8 at character borders; a max that cannot be incremented drops both)
 * with exact flags that tell. Slices point into `bounds` or `room` (working memory, appended to;
 * growing it voids slices of earlier calls).
 */
LITH_MUST_CHECK enum lith_code lith_bounds_statistics(const struct lith_bounds *bounds,
                                                      bool is_utf8, size_t bytes_max,
                                                      struct lith_buf *room,
                                                      struct lith_statistics *ret_statistics,
                                                      struct lith_err *err);

#endif
