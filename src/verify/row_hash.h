/*
 * The hash of a row: a 128-bit state that takes position after position, column after column.
 *
 * A position is a value or a null, with its levels; it comes as 128 bits, its word. A step adds the
 * word to the state, and then each half of the state, multiplied, to the other. For each word that
 * is a permutation of states: a difference once made is only lost where the products of later
 * columns, whose factors follow from the seed, happen to undo it in both halves.
 */
#ifndef LITH_VERIFY_ROW_HASH_H
#define LITH_VERIFY_ROW_HASH_H

#include "base/hash.h"
#include "parquet/dictionary.h"

/* Fixed values of up to so many bytes are their own words; all other values are hashed. */
#define LITH_ROW_WORD_BYTES 8u

/* What one column's positions are mixed with. */
struct lith_row_key {
    uint64_t seed;       /* of hashed values */
    uint64_t factors[2]; /* odd */
    uint16_t max_rep;
    uint16_t max_def;
    const struct lith_hash128 *rep; /* by level; of 0: zero */
    const struct lith_hash128 *def; /* by level; of max_def: zero */
};

/* Positions side by side. */
struct lith_row_positions {
    size_t count;
    const uint16_t *rep_levels; /* NULL: each begins a row */
    const uint16_t *def_levels; /* NULL: all have values */
    /* Of the values; one more is there, of any contents. */
    const struct lith_hash128 *words;
};

/* The key of column `leaf`. `room` has max_rep + max_def + 2 elements, and lives as long. */
struct lith_row_key lith_row_key_make(uint64_t seed, uint32_t leaf, uint16_t max_rep,
                                      uint16_t max_def, struct lith_hash128 *room);

/*
 * The words of `count` values from `begin` on. Where the values are ids, `entries` has the words
 * of the dictionary's entries; NULL: they are made anew for each value.
 */
void lith_row_words(const struct lith_row_key *key, const struct lith_values *values, size_t begin,
                    size_t count, const struct lith_hash128 *entries,
                    struct lith_hash128 *ret_words);
/* The words of byte arrays and of values of more than LITH_ROW_WORD_BYTES. */
void lith_row_words_hash(const struct lith_row_key *key, const struct lith_slice *values,
                         size_t count, struct lith_hash128 *ret_words);

/* States before the first column. */
void lith_row_hash_begin(uint64_t seed, struct lith_hash128 *states, size_t count);
/* Adds each position to the state of its row. `row_count` of the rows have begun before; the first
 * of all begins one (asserted). */
void lith_row_hash_add(const struct lith_row_key *key, const struct lith_row_positions *positions,
                       struct lith_hash128 *states, size_t row_count);
/* The sum modulo 2^128 of the hashes of rows that had all of their columns. */
struct lith_hash128 lith_row_hash_sum(uint64_t seed, const struct lith_hash128 *states,
                                      size_t count);

#endif
