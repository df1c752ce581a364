/*
 * Movers: how the positions of one source chunk get into an output chunk.
 *
 * splice copies pages as they are compressed; remap copies them but for their dictionary ids;
 * recode decodes and encodes; null makes what a source lacks. The route of the output chunk
 * (chunk_route.h) says which one a source chunk takes; inside a chunk each page may still fall back
 * to recode, where its header shows what metadata did not. Every mover leaves the same rows; the
 * witness is taken from what was read.
 *
 * The output's column may be OPTIONAL where the source has it REQUIRED, itself or a group above it:
 * pages without levels then get them put in front, others are recoded. parquet-splice.md sections
 * 1.3 and 6.
 */
#ifndef LITH_MERGE_MOVER_H
#define LITH_MERGE_MOVER_H

#include "merge/explain.h"
#include "merge/source_chunk.h"
#include "parquet/widen.h"
#include "sort/deal.h"
#include "parquet/chunk_reader.h"
#include "parquet/file_writer.h"
#include "parquet/key_counts.h"
#include "parquet/level_map.h"
#include "parquet/witness.h"

/* What moving works with, and keeps from one source chunk to the next. */
struct lith_move_tools {
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    struct lith_chunk_reader *reader;     /* gives ids */
    struct lith_chunk_reader *key_reader; /* gives values: for key columns */
    struct lith_buf block;                /* of a body on its way */
    struct lith_buf body;                 /* of a page whose ids are rewritten */
    struct lith_buf packed;
    struct lith_buf def_levels; /* of a batch, as the output has them: uint16_t each */
    struct lith_buf rep_levels;
    struct lith_buf widened;          /* values of a batch */
    uint64_t bytes[LITH_MOVER_COUNT]; /* compressed bytes of source pages, by how they went */
};

LITH_MUST_CHECK enum lith_code lith_move_tools_init(struct lith_move_tools *tools,
                                                    struct lith_codec_context *codecs,
                                                    const struct lith_work *work,
                                                    struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_move_tools_done(struct lith_move_tools *tools);

/* How well the small pages of a column compress: as they come, and together. */
struct lith_packed {
    uint64_t source_plain_bytes; /* of those that could be joined */
    uint64_t source_stored_bytes;
    uint64_t plain_bytes; /* of pages of the output's last chunk */
    uint64_t stored_bytes;
    bool is_settled; /* `joins` stays as it is */
    bool joins;
};

/*
 * One source chunk and where it goes. Where the source lacks the column (LITH_MOVER_NULL), `chunk`
 * is NULL, and pages and ref are those of any leaf below `group`, the nearest group of the column's
 * path that the source has; no leaf is read, and pages may be NULL, where every row has the group
 * once (its max_rep and max_def are 0, as the root's). It is that leaf where the source has the
 * column with a type of nothing but nulls (`is_void`): it is read to see that this is so.
 */
struct lith_move {
    const struct lith_source_chunk *chunk;
    const struct lith_schema_node *leaf;  /* of the output; ref.schema is the source's */
    const struct lith_level_map *levels;  /* from the source's leaf to it, or from `group` to its
                                             fellow in the output; NULL: no level is another one */
    const struct lith_schema_node *group; /* LITH_MOVER_NULL: of ref.schema */
    bool is_void;                         /* likewise */
    const struct lith_widening *widening; /* of the source's values; NULL: they are of the type */
    bool may_copy;             /* the output chunk takes copied pages: it tries no dictionary */
    struct lith_source *pages; /* read forward: the chunk's bytes at the file's offsets */
    struct lith_source *file;  /* for indexes and bloom filter; NULL where the chunk is staged */
    struct lith_chunk_ref ref;
    struct lith_move_tools *tools;
    struct lith_file_writer *writer;
    struct lith_deal *deal; /* takes all batches instead, and nothing is witnessed yet; or NULL */
    enum lith_codec codec;  /* of the output chunk */
    const struct lith_dictionary_builder *dictionary; /* the merged one; NULL: none */
    const uint32_t *map; /* of ids into it, as planned; NULL: not kept */
    uint32_t map_count;
    bool wants_bloom;
    bool checks_damage; /* pages without a checksum are decompressed before they are copied */
    struct lith_packed *packed;     /* of the column, so far */
    struct lith_witness *witness;   /* NULL: nothing is witnessed */
    struct lith_key_counts *counts; /* NULL unless the leaf is a key column */
};

/*
 * Appends the whole source chunk. RECODE is right for every chunk that is there, NULL for one that
 * is not, the others for those that lith_chunk_route finds fit. Failures name row group, column and
 * page.
 */
LITH_MUST_CHECK enum lith_code lith_mover_run(enum lith_mover mover, const struct lith_move *move,
                                              struct lith_err *err);

/* The movers; mover.c alone calls them. */
LITH_MUST_CHECK enum lith_code lith_mover_copy(const struct lith_move *move, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_mover_recode(const struct lith_move *move,
                                                 struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_mover_null(const struct lith_move *move, struct lith_err *err);
/* Gives a batch of the source the definition levels of the output's leaf; they live until the next
 * call. */
LITH_MUST_CHECK enum lith_code lith_move_levels(const struct lith_move *move,
                                                struct lith_batch *batch, struct lith_err *err);
/* Hands on a batch that is as the output has it: the witness sees it first; its values are added to
 * `counts`, if any. */
LITH_MUST_CHECK enum lith_code lith_move_deliver(const struct lith_move *move,
                                                 const struct lith_batch *batch,
                                                 struct lith_key_counts *counts,
                                                 struct lith_err *err);
/* Gives a batch of the source values of the output's type; they live until the next call. */
LITH_MUST_CHECK enum lith_code lith_move_values(const struct lith_move *move,
                                                struct lith_batch *batch, struct lith_err *err);
/* The page at hand of `reader`, decoded and encoded; its values are added to `counts`, if any. */
LITH_MUST_CHECK enum lith_code lith_move_recode_page(const struct lith_move *move,
                                                     struct lith_chunk_reader *reader,
                                                     struct lith_key_counts *counts,
                                                     struct lith_err *err);

/* Joins the page at hand of `reader`, compressed as it is, to the ones before; *ret_done is false,
 * and nothing was done, where that cannot be. */
LITH_MUST_CHECK enum lith_code lith_move_join_page(const struct lith_move *move,
                                                   struct lith_chunk_reader *reader,
                                                   const struct lith_page *page, bool *ret_done,
                                                   struct lith_err *err);

#endif
