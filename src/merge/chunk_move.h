/*
 * One output chunk: its sources surveyed, their dictionaries merged, each moved in turn.
 */
#ifndef LITH_MERGE_CHUNK_MOVE_H
#define LITH_MERGE_CHUNK_MOVE_H

#include "base/read_ahead.h"
#include "merge/chunk_route.h"
#include "merge/column_runs.h"
#include "merge/merge_state.h"
#include "merge/windows.h"

/* What making chunks works with, one after another. */
struct lith_chunk_maker {
    struct lith_merge *merge;
    struct lith_move_tools tools;
    struct lith_run_cursor cursor;
    struct lith_read_ahead ahead; /* over a chunk of an input that has no window */
    struct lith_windows windows;
    size_t window_begin; /* the unit of the first window */
    struct lith_memory_source staged;
    struct lith_chunk_route route;
};

LITH_MUST_CHECK enum lith_code lith_chunk_maker_init(struct lith_chunk_maker *maker,
                                                     struct lith_merge *merge,
                                                     struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_chunk_maker_done(struct lith_chunk_maker *maker);

/* Begins an output row group of units [begin, end). */
void lith_chunk_maker_row_group(struct lith_chunk_maker *maker, size_t begin, size_t end);

/* Plans the chunk of `leaf` over units [begin, end), in maker->route; tells merge->explain of it.
 */
LITH_MUST_CHECK enum lith_code lith_chunk_maker_plan(struct lith_chunk_maker *maker, uint32_t leaf,
                                                     size_t begin, size_t end,
                                                     struct lith_err *err);
/* The same, then writes the chunk. Failures name the input. */
LITH_MUST_CHECK enum lith_code lith_chunk_maker_write(struct lith_chunk_maker *maker, uint32_t leaf,
                                                      size_t begin, size_t end,
                                                      struct lith_file_writer *writer,
                                                      struct lith_witness *witness,
                                                      struct lith_err *err);

#endif
