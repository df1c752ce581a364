/*
 * One column of a target schema, read from a row group of a file that has it, has it in a
 * narrower form (REQUIRED under OPTIONAL, INT32 under INT64), or lacks it (nulls).
 *
 * The view that a merge promises: verify works it out anew, from names and levels alone.
 * parquet-splice.md sections 6.3 and 6.4.
 */
#ifndef LITH_VERIFY_COLUMN_H
#define LITH_VERIFY_COLUMN_H

#include "parquet/chunk_reader.h"

/* How one target leaf comes from a file. */
struct lith_leaf_map {
    uint32_t leaf;     /* of the file: the column itself, or one whose levels tell where nulls
                          stand; LITH_NO_INDEX: one null a row */
    bool present;      /* the column itself */
    bool is_void;      /* not so, but `leaf` is of that name, and of type UNKNOWN: all nulls */
    bool identity;     /* levels and values are the target's as they are */
    uint16_t rep_max;  /* positions with a higher repetition level are not the target's */
    uint16_t *def_map; /* target's definition level by the file's, or NULL for identity */
};

/* Maps every leaf of `target` for a file of schema `from`; arrays come from `arena`. INVALID
 * where the target cannot hold the file's column. */
LITH_MUST_CHECK enum lith_code lith_leaf_maps_make(const struct lith_schema *target,
                                                   const struct lith_schema *from,
                                                   struct lith_arena *arena,
                                                   struct lith_leaf_map **ret_maps,
                                                   struct lith_err *err);

struct lith_column {
    const struct lith_leaf_map *map;
    const struct lith_schema_node *target;
    struct lith_chunk_reader *reader; /* NULL: rows of nulls */
    uint64_t rows_left;
    struct lith_mem *mem;
    uint16_t *def_levels; /* LITH_BATCH_POSITIONS each, or NULL */
    uint16_t *rep_levels;
    uint8_t *wide; /* promoted values; NULL: values are as the file has them */
};

/* The file (source, footer) that a column is read from. */
struct lith_column_file {
    struct lith_source *source;
    const struct lith_footer *footer;
    const struct lith_leaf_map *maps;
};

LITH_MUST_CHECK enum lith_code
lith_column_open(struct lith_column *column, const struct lith_column_file *file,
                 uint32_t row_group, const struct lith_schema *target, uint32_t target_leaf,
                 struct lith_codec_context *codecs, const struct lith_work *work,
                 struct lith_err *err);
/* As lith_chunk_reader_next, in terms of the target. Values may be ids. */
LITH_MUST_CHECK enum lith_code lith_column_next(struct lith_column *column,
                                                struct lith_batch *ret_batch, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_column_close(struct lith_column *column);

#endif
