/*
 * Spools: bytes written once and read at random, in memory while few, else in an unlinked file.
 *
 * What does not fit a share of the budget (a page of DuckDB's whole-chunk kind, the indexes of a
 * large file) goes to the scratch directory. The files have no name, so a crash leaves none.
 */
#ifndef LITH_BASE_SPOOL_H
#define LITH_BASE_SPOOL_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/source.h"

/* Where spools of one process may put bytes; shared by its jobs, safe between threads. */
struct lith_scratch {
    const char *directory; /* borrowed */
    uint64_t limit;        /* bytes of all spools together */
    _Atomic uint64_t used;
};

struct lith_spool {
    struct lith_sink sink;     /* append through this */
    struct lith_source source; /* read through this; size = bytes appended so far */
    struct lith_scratch *scratch;
    struct lith_buf memory;  /* holds everything while fd is negative */
    size_t memory_bytes_max; /* beyond this the contents move to a file */
    int fd;
};

/* `directory` is borrowed, NULL is lith_env_scratch_directory(); a limit of 0 is
 * LITH_SCRATCH_BYTES_DEFAULT. */
void lith_scratch_init(struct lith_scratch *scratch, const char *directory, uint64_t limit);

/* Takes nothing yet. Up to `memory_bytes_max` bytes stay in memory charged to `mem`. */
void lith_spool_init(struct lith_spool *spool, struct lith_mem *mem, struct lith_scratch *scratch,
                     size_t memory_bytes_max);

/* Forgets the contents (the file too), so that the spool can be filled again. */
void lith_spool_clear(struct lith_spool *spool);

/* Gives everything back. A zeroed spool is a no-op. */
void lith_spool_done(struct lith_spool *spool);

/* Lets up to `memory_bytes_max` bytes stay in memory from now on, where more are not in a file
 * already: for contents that must have a place where there is no scratch. */
void lith_spool_allow(struct lith_spool *spool, size_t memory_bytes_max);

/* The contents in memory, or NULL when they are in a file. Valid until the next append. */
const uint8_t *lith_spool_memory(const struct lith_spool *spool);

/* Appends all of the spool to `sink`. */
LITH_MUST_CHECK enum lith_code lith_spool_copy(struct lith_spool *spool, struct lith_sink *sink,
                                               struct lith_err *err);

/* LITH_AUTO(spool) struct lith_spool s; */
static inline void lith_spool_auto(struct lith_spool *spool)
{
    lith_spool_done(spool);
}

#endif
