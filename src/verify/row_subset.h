/*
 * Are the rows of one set of files all among those of another, as often? By a hash of each row.
 *
 * Sums tell whether two multisets are equal; whether one holds the other takes each single row. The
 * rows of the part are counted in a table, those of the whole cross them off. Where they are too
 * many for it, the hashes are gone through several times, by their leading bits.
 */
#ifndef LITH_VERIFY_ROW_SUBSET_H
#define LITH_VERIFY_ROW_SUBSET_H

#include "base/hash.h"
#include "base/source.h"

/*
 * Both are sources of struct lith_hash128, one after the other. The table takes `table_bytes` of
 * `mem` at most (a few KiB at least). LIMIT where that cannot do.
 */
LITH_MUST_CHECK enum lith_code lith_row_subset(struct lith_source *part, struct lith_source *whole,
                                               size_t table_bytes, struct lith_mem *mem,
                                               bool *ret_is_subset, struct lith_err *err);

#endif
