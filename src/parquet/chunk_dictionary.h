/*
 * The dictionary's part of writing a chunk: pages of ids that wait, and the choice. Private to
 * the chunk writer.
 */
#ifndef LITH_PARQUET_CHUNK_DICTIONARY_H
#define LITH_PARQUET_CHUNK_DICTIONARY_H

#include "parquet/chunk_writer.h"

/* Begins collecting, when the plan wants a dictionary and the type may have one. */
void lith_chunk_dictionary_begin(struct lith_chunk_writer *writer);

/* Spools the open page. One that is not `whole` (the dictionary became full while it was filled)
 * is only ever fed back as values. The caller clears the open page. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_page(struct lith_chunk_writer *writer,
                                                          bool whole, struct lith_err *err);

/* After a page was spooled: a look, which gives up a hopeless dictionary. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_look(struct lith_chunk_writer *writer,
                                                          struct lith_err *err);
/* Where a source page begins, once: an early look, while a page is open. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_first_look(struct lith_chunk_writer *writer,
                                                                struct lith_err *err);

/* Ends collecting: writes the dictionary and the whole pages if it pays; feeds back the rest. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_settle(struct lith_chunk_writer *writer,
                                                            struct lith_err *err);

/* Writes a page of ids of `dictionary`, of whose entries the chunk has the first `count`. */
LITH_MUST_CHECK enum lith_code
lith_chunk_dictionary_put(struct lith_chunk_writer *writer, const struct lith_page_levels *page,
                          const struct lith_dictionary_builder *dictionary, uint32_t count,
                          struct lith_err *err);

/* Gives ids of a source's dictionary as values, in working memory of the writer. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_expand(struct lith_chunk_writer *writer,
                                                            struct lith_values *values,
                                                            struct lith_err *err);

/* The ids of `values` (or of ids of a source's dictionary) in the dictionary that is tried; fewer
 * than all, *ret_count, when it is full. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_ids(struct lith_chunk_writer *writer,
                                                         const struct lith_values *values,
                                                         uint32_t *ids, size_t *ret_count,
                                                         struct lith_err *err);

/* The ids of all values in the given dictionary, in `mapped`; false when one is not there. */
LITH_MUST_CHECK enum lith_code lith_chunk_dictionary_map(struct lith_chunk_writer *writer,
                                                         const struct lith_values *values,
                                                         bool *ret_all, struct lith_err *err);

/* Given by the chunk writer: forgets the open page. */
void lith_chunk_writer_page_clear(struct lith_chunk_writer *writer);
/* Given by the chunk writer: positions as values, and a bloom filter for `distinct` values. */
LITH_MUST_CHECK enum lith_code lith_chunk_writer_feed(struct lith_chunk_writer *writer,
                                                      const struct lith_batch *batch,
                                                      struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_chunk_writer_bloom(struct lith_chunk_writer *writer,
                                                       uint64_t distinct, struct lith_err *err);

#endif
