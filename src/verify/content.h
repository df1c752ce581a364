/*
 * The contents of an output chunk: decoded, compared with the witness, and used as the measure of
 * everything that is said about them. parquet-splice.md section 11.4, 1, 2 and 6 to 9.
 *
 * Pages that the witness says were copied are passed over here (verify/copied.h compares them),
 * unless keys are counted or all is to be decoded. Of what the metadata says about the whole chunk,
 * a part can then only be shown to be too little.
 */
#ifndef LITH_VERIFY_CONTENT_H
#define LITH_VERIFY_CONTENT_H

#include "verify/segments.h"
#include "verify/siblings.h"
#include "verify/structure.h"
#include "verify/verify.h"

struct lith_content {
    struct lith_source *source;
    const struct lith_chunk_ref *ref;
    const struct lith_indexes *indexes;
    struct lith_witness *witness;       /* NULL: everything is decoded, and compared with nothing */
    struct lith_witness_place place;    /* of the chunk's first segment */
    struct lith_key_counts *key_counts; /* filled; NULL: not a key column */
    bool decodes_copied;                /* also without keys */
    struct lith_siblings *siblings;     /* told of the chunk's levels, where all were decoded */
    struct lith_chunk_reader *reader;   /* gives ids */
    const struct lith_work *work;
};

LITH_MUST_CHECK enum lith_code lith_content_check(const struct lith_content *content,
                                                  struct lith_err *err);

#endif
