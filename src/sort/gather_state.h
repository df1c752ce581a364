/*
 * What gather.c shares with its two ways: loaded whole, and read where it lies.
 */
#ifndef LITH_SORT_GATHER_STATE_H
#define LITH_SORT_GATHER_STATE_H

#include "sort/gather.h"

/* A leaf of a bucket in memory, in the order of arrival. Counts are below 2^32. */
struct lith_gather_loaded {
    void *block; /* all of it */
    uint32_t value_count;
    uint32_t *row_positions; /* lists: where each row begins, and the end */
    uint32_t *row_values;    /* lists or nulls: its first value */
    uint32_t *byte_starts;   /* byte arrays: where each value begins, and the end */
    uint8_t *rep_levels;     /* NULL: not a list */
    uint8_t *def_levels;     /* NULL: no nulls */
    uint8_t *values;         /* of fixed width, or the bytes of byte arrays */
};

/* Where a row of the output lies in its parts. */
struct lith_row_place {
    uint64_t position;
    uint64_t position_count;
    uint64_t value;
    uint64_t byte;
};

/* Rows [begin, end) of the output, as many as places fit memory. */
struct lith_gather_placed {
    struct lith_row_place *places;
    uint64_t *keys; /* arrival above, row - begin below */
    uint64_t *room;
    size_t begin;
    size_t end;
    size_t row_count_max;
};

struct lith_gather {
    const struct lith_work *work;
    const struct lith_deal *deal;
    size_t memory_bytes_max;

    /* The leaf and bucket at hand; order NULL: none. */
    const struct lith_schema_node *leaf;
    struct lith_dictionary *dictionary; /* NULL: values are not ids */
    size_t width;                       /* of a value, or its id; 0: byte arrays */
    const struct lith_bucket_order *order;
    struct lith_stored_parts parts;
    size_t positions_max; /* of a batch */
    bool is_loaded;
    bool is_first;
    struct lith_gather_loaded loaded;
    struct lith_gather_placed placed;

    /* The next row of the output, and what of it was given already. */
    size_t row;
    uint64_t positions_done;
    uint64_t values_done;
    uint64_t bytes_done;

    /* The batch. */
    size_t position_count;
    size_t value_count;
    struct lith_buf values; /* of fixed width; placed: the bytes of byte arrays too */
    uint16_t rep_levels[LITH_BATCH_POSITIONS];
    uint16_t def_levels[LITH_BATCH_POSITIONS];
    uint32_t picks[LITH_BATCH_POSITIONS]; /* values, by arrival */
    uint32_t lengths[LITH_BATCH_POSITIONS];
    uint32_t ids[LITH_BATCH_POSITIONS];
    struct lith_slice slices[LITH_BATCH_POSITIONS];
};

static inline const struct lith_stored_part *lith_gather_part(const struct lith_gather *gather,
                                                              enum lith_bucket_part part)
{
    return &gather->parts.parts[part];
}

/* Whether the leaf can be loaded; what is counted in it is then below 2^32. */
bool lith_gather_loads(const struct lith_gather *gather);
LITH_MUST_CHECK enum lith_code lith_gather_load(struct lith_gather *gather, struct lith_err *err);
/* Fills the batch. */
LITH_MUST_CHECK enum lith_code lith_gather_loaded_next(struct lith_gather *gather,
                                                       struct lith_err *err);

LITH_MUST_CHECK enum lith_code lith_gather_place(struct lith_gather *gather, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_gather_placed_next(struct lith_gather *gather,
                                                       struct lith_err *err);
void lith_gather_placed_done(struct lith_gather_placed *placed);

#endif
