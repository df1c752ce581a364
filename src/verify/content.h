/*
 * The contents of an output chunk: decoded, compared with the witness, and used as the measure of
 * everything that is said about them. parquet-splice.md section 11.4, 1, 2 and 6 to 9.
 */
#ifndef LITH_VERIFY_CONTENT_H
#define LITH_VERIFY_CONTENT_H

#include "verify/structure.h"
#include "verify/verify.h"

struct lith_content {
    struct lith_source *source;
    const struct lith_footer *footer;
    uint32_t row_group;
    uint32_t leaf;
    const struct lith_indexes *indexes;
    const struct lith_witness_chunk *expected; /* NULL: no witness */
    struct lith_key_counts *key_counts;        /* filled; NULL: not a key column */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
};

LITH_MUST_CHECK enum lith_code lith_content_check(const struct lith_content *content,
                                                  struct lith_err *err);

#endif
