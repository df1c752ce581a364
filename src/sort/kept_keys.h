/*
 * Keys of the first look, kept as numbers: units whose keys are here need not be read again to be
 * sorted.
 *
 * Nothing is kept until a unit is not in order, or overlaps the one before it: rows that nobody
 * sorts cost nothing. From then on units are kept whole, while they fit; any may be missing.
 */
#ifndef LITH_SORT_KEPT_KEYS_H
#define LITH_SORT_KEPT_KEYS_H

#include "sort/key_builder.h"
#include "sort/unit_clusters.h"

struct lith_kept_unit {
    size_t begin;
    size_t count; /* 0: its keys are not kept */
};

struct lith_kept_keys {
    struct lith_mem *mem;
    size_t width;     /* of keys; 0: they are no numbers, nothing is kept */
    size_t count_max; /* of numbers */
    uint64_t rows_max;
    uint64_t row_count; /* of all units, kept or not */
    bool is_wanted;
    uint64_t *numbers; /* of kept units, one behind the other */
    size_t count;
    size_t count_room;
    struct lith_kept_unit *units;
    size_t unit_count;
    /* The unit at hand. */
    bool is_dropped;
    size_t begin;
};

/* Takes no memory yet; then at most `bytes_max`, and 16 bytes a unit. Nothing is kept of what a
 * sort would not take as numbers: more than `rows_max` rows, or nulls in keys of nine bytes. */
void lith_kept_keys_init(struct lith_kept_keys *kept, const struct lith_key_layout *layout,
                         size_t bytes_max, uint64_t rows_max, struct lith_mem *mem);

/* A zeroed one is a no-op. */
void lith_kept_keys_done(struct lith_kept_keys *kept);

/* Whether keys of the unit at hand should be added. */
static inline bool lith_kept_keys_wants(const struct lith_kept_keys *kept)
{
    return kept->is_wanted && !kept->is_dropped;
}

/* Adds the next rows of the unit, which is dropped where they do not fit. Keys of nine bytes lose
 * the first. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_kept_keys_add(struct lith_kept_keys *kept,
                                                  const struct lith_key_batch *keys,
                                                  struct lith_err *err);

/* Ends the unit. `before` is the range of the one before it, NULL for the first. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_kept_keys_unit(struct lith_kept_keys *kept,
                                                   const struct lith_unit_range *range,
                                                   const struct lith_unit_range *before,
                                                   struct lith_err *err);

/* Whether the keys of a unit, by its number as they came, are here. */
static inline bool lith_kept_keys_has(const struct lith_kept_keys *kept, size_t unit)
{
    return unit < kept->unit_count && kept->units[unit].count > 0;
}

#endif
