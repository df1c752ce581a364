/*
 * How the chunks of a column are written: codec, encoding, dictionary, bloom filter.
 *
 * Decided once per column from the footers of all sources, so that the result does not depend on
 * where a row group ends: the majority codec by compressed bytes, unless one is given; the majority
 * encoding by values, never one that no source had; a dictionary is tried where it may pay.
 * DESIGN.md section 7.
 */
#ifndef LITH_MERGE_CHUNK_CHOICE_H
#define LITH_MERGE_CHUNK_CHOICE_H

#include "parquet/file_writer.h"

/* What the sources of one leaf column have, summed up. */
struct lith_chunk_votes {
    uint64_t bytes_by_codec[LITH_CODEC_COUNT];
    uint64_t values_by_encoding[LITH_ENCODING_COUNT]; /* of data pages; dictionaries as one */
    bool any_bloom;
    bool any_dictionary;
};

/* Adds one source chunk. */
void lith_chunk_votes_add(struct lith_chunk_votes *votes, const struct lith_chunk_meta *meta,
                          enum lith_type type);

/* Adds one whose values are to be widened: how it was encoded says nothing of how they will be. */
void lith_chunk_votes_add_narrow(struct lith_chunk_votes *votes,
                                 const struct lith_chunk_meta *meta);

/* The plan that the votes give, but for a codec that is given. Ties go to the lower number. */
struct lith_chunk_plan lith_chunk_votes_plan(const struct lith_chunk_votes *votes,
                                             const struct lith_schema_node *leaf,
                                             const struct lith_codec_choice *codec);

#endif
