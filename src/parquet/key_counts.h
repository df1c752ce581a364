/*
 * How often each value of a key column occurs: taken from the sources by the merge, from the
 * output by verify, and compared before a commit. DESIGN.md section 2, P1.
 *
 * Up to LITH_KEY_VALUES_MAX distinct values are counted one by one; beyond that the table is
 * given up, and the sum modulo 2^128 of a strong hash of every value, which does not depend on
 * their order, proves the same without naming a value.
 */
#ifndef LITH_PARQUET_KEY_COUNTS_H
#define LITH_PARQUET_KEY_COUNTS_H

#include "base/hash.h"
#include "parquet/chunk_reader.h"

#define LITH_KEY_SAMPLE_BYTES 23u

struct lith_key_count {
    struct lith_hash128 hash;
    uint64_t count; /* 0: an empty place of the table */
    uint8_t sample_bytes;
    uint8_t sample[LITH_KEY_SAMPLE_BYTES]; /* the value's first bytes, for people */
};

struct lith_key_counts {
    struct lith_mem *mem;
    struct lith_key_count *table; /* capacity entries, a power of two; NULL when empty or folded */
    size_t capacity;
    size_t distinct;
    bool folded; /* more than LITH_KEY_VALUES_MAX distinct values, or no memory for a table */
    uint64_t nulls;
    uint64_t values;
    struct lith_hash128 sum;
};

/* Takes no memory yet. */
void lith_key_counts_init(struct lith_key_counts *counts, struct lith_mem *mem);
/* A zeroed one is a no-op. */
void lith_key_counts_done(struct lith_key_counts *counts);

/* Adds the values and nulls of a batch. NOMEM. */
LITH_MUST_CHECK enum lith_code lith_key_counts_add(struct lith_key_counts *counts,
                                                   const struct lith_batch *batch,
                                                   struct lith_err *err);

/* Occurrences of one value; 0 when folded. */
uint64_t lith_key_counts_of(const struct lith_key_counts *counts, struct lith_slice value);

/* CORRUPT, naming a value and both counts, when `found` is not the same as `expected`. */
LITH_MUST_CHECK enum lith_code lith_key_counts_compare(const struct lith_key_counts *expected,
                                                       const struct lith_key_counts *found,
                                                       struct lith_err *err);

#endif
