/*
 * Which entries of a dictionary a page used, and which the chunk did: what is true of each value
 * is then checked once for each entry.
 */
#ifndef LITH_VERIFY_USED_H
#define LITH_VERIFY_USED_H

#include "parquet/dictionary.h"

struct lith_used {
    uint8_t *in_page;  /* by id: 1 for those used in the page */
    uint8_t *in_chunk; /* in pages that ended */
    uint32_t *ids;     /* those used in the page, each once: all of them, or none yet */
    size_t count;
    bool lists_late;                    /* `ids` is made when it is asked for */
    struct lith_dictionary *dictionary; /* NULL: no ids came yet */
};

/* A zeroed one begins a chunk; this ends it. */
void lith_used_done(struct lith_used *used);

/* Marks the ids of a batch. */
LITH_MUST_CHECK enum lith_code
lith_used_add(struct lith_used *used, const struct lith_values *values, struct lith_err *err);

/* Some entries at a time: few enough for the stack. */
#define LITH_USED_BLOCK 128u
struct lith_used_block {
    struct lith_values values;
    union {
        struct lith_slice slices[LITH_USED_BLOCK];
        uint8_t fixed[LITH_USED_BLOCK * 8];
    } room;
};

/*
 * Gives the entries that the page used, from *position on (0 at first); false when there are none
 * left. With `new_only`, those that no earlier page of the chunk used.
 */
bool lith_used_next(struct lith_used *used, size_t *position, bool new_only,
                    struct lith_used_block *ret_block);

/* The page ends: what it used belongs to the chunk. */
void lith_used_page_end(struct lith_used *used);

#endif
