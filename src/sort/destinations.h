/*
 * Which bucket of a span each row of a unit goes to.
 *
 * Of a unit whose rows are in order the rows of a bucket stand behind those of the bucket before:
 * where each ends says it all, 4 bytes a bucket. Of others each row has a byte. Both are found once
 * and kept in memory, or else in a spool, in the order of units, in which every column asks.
 */
#ifndef LITH_SORT_DESTINATIONS_H
#define LITH_SORT_DESTINATIONS_H

#include "sort/deal_span.h"

#define LITH_NO_BUCKET 0xffu /* the row is not in the span */

struct lith_unit_destinations {
    uint64_t offset;    /* in what is kept, or the spool */
    uint32_t row_count; /* in the span */
};

struct lith_destinations {
    const struct lith_deal_span *span;
    struct lith_unit_destinations *units;
    uint8_t *kept; /* those of all units; NULL: they are in the spool */
    struct lith_spool spool;
    uint64_t bytes; /* of all units */
};

/* Where one who deals is; destinations that were made may have several, each in its thread. */
struct lith_destinations_cursor {
    struct lith_destinations *of;
    uint32_t unit;                            /* index */
    uint64_t row;                             /* the next one */
    uint32_t end;                             /* in order: the first of `ends` that is not passed */
    uint32_t ends[LITH_DEAL_BUCKETS_MAX + 1]; /* [0]: where the first bucket begins */
    uint8_t buckets[LITH_BATCH_POSITIONS];
};

/*
 * Reads the span's part of the recipe once where the destinations of all units fit a quarter of the
 * span's memory. Else it reads it once to count; then once where those with rows in the span fit,
 * or once for each eighth that they take. Holds 16 bytes a unit and at most a quarter of the
 * memory. CANCELLED, NOMEM, LIMIT (scratch), IO.
 */
LITH_MUST_CHECK enum lith_code lith_destinations_init(struct lith_destinations *destinations,
                                                      const struct lith_deal_span *span,
                                                      struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_destinations_done(struct lith_destinations *destinations);

/* What they hold at most, but for what a unit takes. */
size_t lith_destinations_bytes(const struct lith_destinations *destinations);

/* How many rows of a unit, given by its index, go to the span. */
static inline uint32_t lith_destinations_rows(const struct lith_destinations *destinations,
                                              uint32_t unit)
{
    return destinations->units[unit].row_count;
}

/* Begins a unit of which some rows go to the span, given by its index. IO. */
LITH_MUST_CHECK enum lith_code lith_destinations_unit(struct lith_destinations_cursor *cursor,
                                                      uint32_t unit, struct lith_err *err);

/* The buckets of the next `row_count` rows of the unit, at most LITH_BATCH_POSITIONS and no more
 * than it has left; borrowed until the next call. IO. */
LITH_MUST_CHECK enum lith_code lith_destinations_next(struct lith_destinations_cursor *cursor,
                                                      size_t row_count, const uint8_t **ret_buckets,
                                                      struct lith_err *err);

/* So many of the next rows surely go nowhere: those in front of the span and behind it, where the
 * unit is in order. */
uint64_t lith_destinations_idle(struct lith_destinations_cursor *cursor);

/* Passes over rows that go nowhere. */
void lith_destinations_skip(struct lith_destinations_cursor *cursor, uint64_t row_count);

#endif
