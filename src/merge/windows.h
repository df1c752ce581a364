/*
 * Windows over the open inputs of an output row group: what was read of a file beyond one column
 * waits for the next.
 *
 * A wide file has its columns side by side, and a merge asks for one column of every file, then for
 * the next. Where chunks are small, a read of its own for each would cost more than its bytes; so
 * each input keeps a buffer of some chunks.
 */
#ifndef LITH_MERGE_WINDOWS_H
#define LITH_MERGE_WINDOWS_H

#include "base/read_ahead.h"
#include "base/work.h"

struct lith_windows {
    const struct lith_work *work;
    size_t bytes_max;
    struct lith_read_ahead *windows; /* one per unit of the row group; NULL: not worth it */
    size_t count;
};

/* What all windows of a job should take together. */
size_t lith_windows_bytes_max(const struct lith_work *work);

/* All windows together take `bytes_max` at most. */
void lith_windows_init(struct lith_windows *windows, const struct lith_work *work,
                       size_t bytes_max);
/* A zeroed one is a no-op. */
void lith_windows_done(struct lith_windows *windows);

/* Begins a row group of `count` source row groups with `chunk_bytes` in a chunk on average. No
 * failure: without memory there are no windows. */
void lith_windows_begin(struct lith_windows *windows, size_t count, uint64_t chunk_bytes);

/*
 * A source over `inner`, an input that is open, for its source row group `index`; reads from
 * `begin` on, up to `end`, will follow each other. NULL where there are no windows.
 */
struct lith_source *lith_windows_open(struct lith_windows *windows, size_t index,
                                      struct lith_source *inner, uint64_t begin, uint64_t end);

#endif
