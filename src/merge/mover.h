/*
 * Movers: how the positions of one source chunk get into an output chunk.
 *
 * A table, so that a cheaper way (copying pages, rewriting dictionary ids) is a new entry. Every
 * mover leaves the same rows; the witness is taken from what it reads.
 */
#ifndef LITH_MERGE_MOVER_H
#define LITH_MERGE_MOVER_H

#include "parquet/file_writer.h"
#include "parquet/key_counts.h"
#include "parquet/witness.h"

/* What one move works with. */
struct lith_move {
    struct lith_source *source;
    struct lith_chunk_ref ref; /* the source chunk */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    struct lith_file_writer *writer;
    struct lith_witness *witness;   /* told of everything that is read; NULL: nobody asks */
    struct lith_key_counts *counts; /* NULL unless the leaf is a key column */
};

enum lith_mover {
    LITH_MOVER_RECODE, /* decode and encode */
    LITH_MOVER_COUNT
};

/* The cheapest mover that is right for this chunk, from metadata alone. */
enum lith_mover lith_mover_choose(const struct lith_move *move);

/* Appends the whole source chunk. Failures name row group, column and page. */
LITH_MUST_CHECK enum lith_code lith_mover_run(enum lith_mover mover, const struct lith_move *move,
                                              struct lith_err *err);

/* The entries of the table; mover.c alone calls them. */
LITH_MUST_CHECK enum lith_code lith_mover_recode(const struct lith_move *move,
                                                 struct lith_err *err);

#endif
