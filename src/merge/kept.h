/*
 * Dictionaries of source chunks, kept from planning an output chunk to moving its sources.
 *
 * Planning reads the dictionary pages of all sources, moving reads them again, and decompressing
 * them is a good part of either. What fits here is handed over instead; the others are read again.
 */
#ifndef LITH_MERGE_KEPT_H
#define LITH_MERGE_KEPT_H

#include "base/work.h"
#include "parquet/chunk_reader.h"

struct lith_kept {
    struct lith_buf entries; /* struct kept of kept.c each, units ascending */
    size_t next;             /* the first entry that was not taken or passed */
    size_t bytes;            /* of all bodies */
    size_t bytes_max;
};

void lith_kept_init(struct lith_kept *kept, const struct lith_work *work);
/* Forgets all. A zeroed one is a no-op. */
void lith_kept_clear(struct lith_kept *kept);

/* Whether a dictionary of so many bytes is worth keeping, and there is room for it. */
bool lith_kept_wants(const struct lith_kept *kept, size_t bytes);
/* Keeps a dictionary that it wants, and owns its body from then on; its unit is behind all that
 * were added since the last clear. NOMEM, LIMIT: it is still the caller's. */
LITH_MUST_CHECK enum lith_code lith_kept_add(struct lith_kept *kept, uint32_t unit,
                                             const struct lith_read_dictionary *dictionary,
                                             struct lith_err *err);

/* The dictionary of a unit, borrowed until the next take or clear; NULL: it was not kept. Units
 * are asked for in ascending order, and what stands before one that was asked for is let go. */
const struct lith_read_dictionary *lith_kept_take(struct lith_kept *kept, uint32_t unit);

#endif
