/*
 * Rewriting dictionary ids where they stand: the values part of a page, run by run.
 *
 * A run of equal ids costs one look-up, whatever its length; packed ids are unpacked, mapped and
 * packed again. Every id is checked against its dictionary. Encodings.md, "Dictionary Encoding";
 * parquet-splice.md section 5.
 */
#ifndef LITH_PARQUET_REMAP_H
#define LITH_PARQUET_REMAP_H

#include "base/buf.h"
#include "base/bytes.h"

/*
 * `ids` is the values part of a data page (width byte, hybrid) with `count` ids, each to be below
 * `dictionary_count`. Appends the same with each id replaced by map[id], packed for a dictionary
 * of `new_count` entries. CORRUPT for ids outside the dictionary and runs that end too early.
 */
LITH_MUST_CHECK enum lith_code lith_remap_ids(struct lith_slice ids, uint64_t count,
                                              const uint32_t *map, uint32_t dictionary_count,
                                              uint32_t new_count, struct lith_buf *to,
                                              struct lith_err *err);

/* Only checks the ids. */
LITH_MUST_CHECK enum lith_code lith_ids_check(struct lith_slice ids, uint64_t count,
                                              uint32_t dictionary_count, struct lith_err *err);

#endif
