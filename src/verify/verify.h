/*
 * Proof that files hold what they must: outputs against the witness of the merge that wrote
 * them, and any two sets of files against each other.
 *
 * The levels are public: enum lith_verify_level.
 * Reads files back through its own walk of pages and the parsers of parquet/; knows nothing of
 * the writer or the merge. DESIGN.md section 8; parquet-splice.md section 11.4.
 */
#ifndef LITH_VERIFY_VERIFY_H
#define LITH_VERIFY_VERIFY_H

#include "parquet/key_counts.h"
#include "parquet/witness.h"

/* Files that verify opens itself, by number, so that a large set needs no descriptors at once. */
struct lith_verify_files {
    size_t count;
    /* Gives a source that verify closes. */
    enum lith_code (*open)(void *ctx, size_t index, struct lith_source **ret_source,
                           struct lith_err *err);
    /* The name of a file, for errors. */
    const char *(*name)(void *ctx, size_t index);
    void *ctx;
};

/* A row group of a source file; row_group LITH_NO_INDEX: all of the file. */
struct lith_verify_part {
    size_t file;
    uint32_t row_group;
};

/* What an output was made from. */
struct lith_verify_sources {
    struct lith_verify_files files;
    const struct lith_verify_part *parts; /* in the order of the output's rows; NULL: all files */
    size_t part_count;
    bool sorted; /* the output's rows have another order: compared as a multiset */
};

/* Counts that the merge took of one leaf of the output. */
struct lith_verify_key {
    uint32_t leaf;
    const struct lith_key_counts *expected;
};

struct lith_verify_options {
    enum lith_verify_level level;
    struct lith_witness *witness; /* NULL: nothing to compare with; its spool is read */
    const struct lith_verify_key *keys;
    size_t key_count;
    const struct lith_verify_sources *sources; /* level DECODE needs them */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
};

/*
 * Checks one output file. CORRUPT says what is wrong and where; INVALID for a call that lacks
 * what its level needs. `source` is borrowed.
 */
LITH_MUST_CHECK enum lith_code lith_verify_file(struct lith_source *source,
                                                const struct lith_verify_options *options,
                                                struct lith_err *err);

struct lith_rows_sum {
    uint64_t rows;
    struct lith_hash128 sum; /* modulo 2^128, of a hash of each whole row */
};

struct lith_verify_rows_options {
    const struct lith_verify_files *a;
    const struct lith_verify_files *b;
    uint64_t seed; /* of the row hash: random where the files may be chosen by an enemy */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
};

/*
 * Compares two sets of files as multisets of rows. Where schemas differ, that of b's first file, or
 * else of a's, is to hold all: others may lack columns of it (they count as nulls), or have them
 * REQUIRED or narrower, as the inputs of a merge do. INVALID, naming a difference, when neither
 * does; otherwise *ret_equal tells, and the sums say how many rows. Two different sets pass as
 * equal with a chance of about 2^-128.
 */
LITH_MUST_CHECK enum lith_code lith_verify_rows(const struct lith_verify_rows_options *options,
                                                bool *ret_equal, struct lith_rows_sum *ret_a,
                                                struct lith_rows_sum *ret_b, struct lith_err *err);

/*
 * The same question of a part: are all rows of a among those of b, each as often at least? Reads
 * all of both, also where one is empty. Hashes of all rows, 16 bytes each, may go to scratch.
 */
LITH_MUST_CHECK enum lith_code lith_verify_rows_hold(const struct lith_verify_rows_options *options,
                                                     bool *ret_holds, struct lith_rows_sum *ret_a,
                                                     struct lith_rows_sum *ret_b,
                                                     struct lith_err *err);

#endif
