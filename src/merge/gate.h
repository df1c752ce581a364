/*
 * What keeps a file from being merged with any other. parquet-splice.md sections 6.2 and 11.1.
 */
#ifndef LITH_MERGE_GATE_H
#define LITH_MERGE_GATE_H

#include "parquet/footer.h"

/* UNSUPPORTED or INVALID when this file cannot be merged with anything. */
LITH_MUST_CHECK enum lith_code lith_gate_file(const struct lith_footer *footer,
                                              struct lith_err *err);

#endif
