/*
 * The inside of a merge: what merge_plan.c learns from footers and merge_run.c works from.
 */
#ifndef LITH_MERGE_MERGE_STATE_H
#define LITH_MERGE_MERGE_STATE_H

#include "merge/chunk_choice.h"
#include "merge/column_runs.h"
#include "merge/gate.h"
#include "merge/input_set.h"
#include "merge/key_values.h"
#include "merge/layout.h"
#include "merge/meaning.h"
#include "merge/mover.h"
#include "merge/sorting.h"
#include "merge/staging.h"

struct lith_merge {
    const struct lith_merge_input *inputs;
    size_t input_count;
    struct lith_merge_options options;
    const struct lith_work *work;

    struct lith_sorting sorting;     /* options.sort_by: NULL and zeroed without it */
    struct lith_erasure erasure;     /* options.erase.columns: NULL and erase NULL without it */
    bool erases_now;                 /* this pass asks which rows to erase: once, of the output's
                                        schema */
    const struct lith_visit *visits; /* row groups of inputs in the order of the units; in `arena`;
                                        NULL: inputs in order, whole */
    size_t visit_count;

    struct lith_input_set set;
    struct lith_column_runs runs; /* the chunks of all units */
    struct lith_codec_context *codecs;
    struct lith_codec_context *key_codecs; /* of sort keys, which are compared and not moved */
    struct lith_key_values key_values;

    struct lith_arena arena;        /* what lives as long as the merge */
    struct lith_kinds kinds;        /* of the inputs' schemas; in `arena` */
    struct lith_schema schema;      /* normalised: that of all inputs, else their union; likewise */
    struct lith_schema written;     /* the same as the outputs bear it: see annotations.h */
    struct lith_meaning meaning;    /* of all inputs so far */
    struct lith_chunk_votes *votes; /* one per leaf */
    struct lith_packed *packed;     /* likewise */
    struct lith_unit *units;        /* source row groups that hold rows, in input order */
    size_t unit_count;
    uint32_t *row_groups; /* the first unit of each output row group, or of a cluster of units whose
                             rows are to be sorted, which makes several */
    size_t row_group_count;
    struct lith_layout_limits limits;
    const struct lith_slice *last_writer; /* created_by of the input before, in `arena` */
    int64_t rows;
    uint64_t input_bytes; /* compressed, of all units */

    struct lith_merge_key *keys; /* the key columns that the schema has; counts of the open file */
    size_t key_count;
    size_t bad_input;       /* SIZE_MAX: none */
    struct lith_lock *lock; /* of bytes_done, and of who is told of it; NULL: one thread */
    uint64_t bytes_done;    /* for progress */
    uint64_t moved[LITH_MOVER_COUNT];
};

/* Counts source bytes that were moved, and reports them. Safe between the merge's threads. */
void lith_merge_progress(struct lith_merge *merge, uint64_t bytes);

/* What compresses for the merge, at the level that was chosen. */
LITH_MUST_CHECK enum lith_code lith_merge_codecs_new(const struct lith_merge *merge,
                                                     struct lith_codec_context **ret_codecs,
                                                     struct lith_err *err);

/* Whether an input whose footer was read once more, normalised here, still is of the kind that it
 * was: all that was planned for it rests on that. CONFLICT where it is not. `scratch` is that of
 * the footer. */
LITH_MUST_CHECK enum lith_code lith_merge_kind_check(struct lith_merge *merge, size_t input,
                                                     struct lith_footer *footer,
                                                     struct lith_arena *scratch,
                                                     struct lith_err *err);

/* The units of an output row group: [*ret_begin, *ret_end). */
void lith_merge_row_group(const struct lith_merge *merge, size_t index, size_t *ret_begin,
                          size_t *ret_end);

#endif
