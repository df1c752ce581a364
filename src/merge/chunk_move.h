/*
 * One output chunk: its sources surveyed, their dictionaries merged, each moved in turn.
 */
#ifndef LITH_MERGE_CHUNK_MOVE_H
#define LITH_MERGE_CHUNK_MOVE_H

#include "base/read_ahead.h"
#include "merge/chunk_route.h"
#include "merge/column_runs.h"
#include "merge/kept.h"
#include "merge/merge_state.h"
#include "merge/windows.h"
#include "sort/deal.h"

/* What making chunks works with, one after another. Several, each in its own thread, may work on
 * chunks of different leaves of one row group. */
struct lith_chunk_maker {
    struct lith_merge *merge;
    uint32_t user;            /* of merge->set; LITH_NO_INDEX: its only one */
    size_t bad_input;         /* the input whose reading failed; SIZE_MAX: none */
    const _Atomic bool *stop; /* set: the chunk is not needed any more; may be NULL */
    struct lith_move_tools tools;
    struct lith_run_cursor cursor;
    struct lith_read_ahead ahead; /* over a chunk of an input that has no window */
    struct lith_windows windows;
    size_t window_begin; /* the unit of the first window */
    struct lith_memory_source staged;
    struct lith_level_map levels; /* of the chunk at hand */
    struct lith_widening widening;
    struct lith_chunk_route route;
    struct lith_kept kept;
    uint64_t dealt_bytes; /* progress of the leaf that is dealt */
    uint64_t told_bytes;  /* of it what was told before it began anew */
};

/* With `codecs`, which outlive it, as `user` of the merge's inputs (LITH_NO_INDEX: they are not
 * shared). `windows_bytes` is what it may keep of open inputs beyond the chunk at hand. */
LITH_MUST_CHECK enum lith_code lith_chunk_maker_init(struct lith_chunk_maker *maker,
                                                     struct lith_merge *merge,
                                                     struct lith_codec_context *codecs,
                                                     uint32_t user, size_t windows_bytes,
                                                     struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_chunk_maker_done(struct lith_chunk_maker *maker);

/* The bytes of an input, until the next that is asked for. Failures name it. */
LITH_MUST_CHECK enum lith_code lith_chunk_maker_input(struct lith_chunk_maker *maker, size_t index,
                                                      struct lith_source **ret_file,
                                                      struct lith_err *err);

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

/* Where the positions of a chunk go. */
struct lith_chunk_outlet {
    struct lith_file_writer *writer;
    struct lith_witness *witness;   /* NULL: nothing is witnessed */
    struct lith_key_counts *counts; /* NULL unless the leaf is a key column */
};

struct lith_chunk_outlet lith_chunk_outlet_of(struct lith_merge *merge, uint32_t leaf,
                                              struct lith_file_writer *writer,
                                              struct lith_witness *witness);

/* Tells merge->explain of the chunks of `leaf` over units whose rows will be sorted. */
LITH_MUST_CHECK enum lith_code lith_chunk_maker_explain_sorted(struct lith_chunk_maker *maker,
                                                               uint32_t leaf, size_t begin,
                                                               size_t end, struct lith_err *err);

/* Deals `leaf` over units [begin, end), from its beginning to its end: the chunks, decoded, of
 * units that have rows in the span. Failures name the input. */
LITH_MUST_CHECK enum lith_code lith_chunk_maker_deal(struct lith_chunk_maker *maker, uint32_t leaf,
                                                     size_t begin, size_t end,
                                                     struct lith_deal *deal, struct lith_err *err);

#endif
