/*
 * What keeps files from being merged: alone, or with one another.
 *
 * Some key-values and writers change the meaning of stored dates and timestamps (Spark's and
 * Hive's calendars, INT96 of parquet-mr). Files of different meaning must not share one footer.
 * parquet-splice.md sections 1.2, 7.4 and 11.1.
 */
#ifndef LITH_MERGE_GATE_H
#define LITH_MERGE_GATE_H

#include "parquet/footer.h"

/* UNSUPPORTED or INVALID when this file cannot be merged with anything. */
LITH_MUST_CHECK enum lith_code lith_gate_file(const struct lith_footer *footer,
                                              struct lith_err *err);

#define LITH_MEANING_BYTES 384

/*
 * How a file's dates and timestamps are to be understood, as a line of text: two files may be
 * merged only if theirs are equal. Empty when it has no column that depends on it, or when it has
 * dates and timestamps alone and says nothing of them.
 */
void lith_gate_meaning(const struct lith_footer *footer, char ret_meaning[LITH_MEANING_BYTES]);

#endif
