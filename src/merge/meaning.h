/*
 * How values of a file are to be understood, beyond what its schema says.
 *
 * Some key-values and writers change the meaning of stored dates and timestamps (Spark's and Hive's
 * calendars, INT96 of parquet-mr), others that of coordinates (geo.h). Files of different meaning
 * must not share one footer. A file that has no such column joins others as long as its keys say
 * the same, since those stay in the output. parquet-splice.md sections 1.2, 7.2 and 7.4.
 */
#ifndef LITH_MERGE_MEANING_H
#define LITH_MERGE_MEANING_H

#include "parquet/footer.h"

enum {
    LITH_MEANING_DATES,   /* of DATE and TIMESTAMP */
    LITH_MEANING_INT96,   /* of INT96 */
    LITH_MEANING_WRITER,  /* of INT96: parquet-mr's, or another's; nothing without such columns */
    LITH_MEANING_SYSTEMS, /* reference systems that stand in keys of their own */
    LITH_MEANING_GEOMETRIES, /* GeoParquet's */
    LITH_MEANING_COUNT
};

#define LITH_MEANING_TEXT_BYTES 448u

struct lith_meaning {
    char texts[LITH_MEANING_COUNT][LITH_MEANING_TEXT_BYTES]; /* zeros behind the text */
    bool matters[LITH_MEANING_COUNT]; /* there are columns that depend on it */
};

/* NOMEM, LIMIT: no memory for reading what the file says. */
LITH_MUST_CHECK enum lith_code lith_meaning_of(const struct lith_footer *footer,
                                               struct lith_mem *mem,
                                               struct lith_meaning *ret_meaning,
                                               struct lith_err *err);

/* Adds a file to those that `meaning` is of. False, and nothing is added, where it means something
 * else: *ret_part is what. */
bool lith_meaning_join(struct lith_meaning *meaning, const struct lith_meaning *file,
                       int *ret_part);

/* An output with INT96 of parquet-mr says so under this key, since its created_by is ours. */
#define LITH_INT96_KEY "lithify.int96"
#define LITH_INT96_PARQUET_MR "parquet-mr"
bool lith_meaning_is_parquet_mr(const struct lith_meaning *meaning);

/* What the part says, for people: "calendar proleptic"; "nothing". */
const char *lith_meaning_text(const struct lith_meaning *meaning, int part);

#endif
