/*
 * Kinds of files: those of one schema and one meaning, known by a hash of both.
 *
 * A partition of hundreds of thousands of files has few kinds, and each is joined once. The hash is
 * of the normalised schema, the root's own name aside; it is finer than lith_schema_equal, so that
 * one kind may come as two, which then join.
 */
#ifndef LITH_JOB_KIND_HASH_H
#define LITH_JOB_KIND_HASH_H

#include "base/hash.h"
#include "merge/meaning.h"

/* What the hasher had before is forgotten. */
struct lith_hash128 lith_kind_hash(struct lith_hasher *hasher, const struct lith_schema *schema,
                                   const struct lith_meaning *meaning, bool is_counted);

#endif
