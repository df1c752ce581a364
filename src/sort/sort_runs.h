/*
 * Sorted runs in a scratch file: records of short keys, entries of long ones, as blocks have them.
 *
 * A run goes on where the next block begins behind its end, so that rows that come in order are one
 * run however many they are.
 */
#ifndef LITH_SORT_SORT_RUNS_H
#define LITH_SORT_SORT_RUNS_H

#include "base/work.h"
#include "sort/sort_block.h"

struct lith_sort_run {
    uint64_t begin; /* bytes in the file */
    uint64_t end;
};

struct lith_sort_runs {
    size_t width; /* of keys; 0: they vary */
    struct lith_spool spool;
    struct lith_buf buffer; /* not yet in the file */
    struct lith_sort_run *runs;
    size_t count;
    uint64_t bytes; /* in the file and the buffer */
    /* Where the last run ends: a short key's record, or the beginning of a long key. */
    struct lith_sort_record last_record;
    size_t last_bytes;
    bool last_is_cut;
    uint8_t last_key[LITH_SORT_BOUND_BYTES_MAX];
};

/* Takes nothing yet; then a buffer of `buffer_bytes` and 16 bytes a run. */
void lith_sort_runs_init(struct lith_sort_runs *runs, size_t width, size_t buffer_bytes,
                         const struct lith_work *work);

/* Gives everything back; a zeroed one is a no-op. */
void lith_sort_runs_done(struct lith_sort_runs *runs);

/* Appends a sorted block that is not empty. NOMEM, LIMIT, IO. */
LITH_MUST_CHECK enum lith_code lith_sort_runs_add_block(struct lith_sort_runs *runs,
                                                        const struct lith_sort_block *block,
                                                        struct lith_err *err);

/* Appends one row, whose key may be longer than any buffer. */
LITH_MUST_CHECK enum lith_code lith_sort_runs_add_key(struct lith_sort_runs *runs,
                                                      struct lith_slice key, uint64_t place,
                                                      struct lith_err *err);

/* For who merges: begins a run, appends bytes to it, and has all of it in the file. */
LITH_MUST_CHECK enum lith_code lith_sort_runs_begin(struct lith_sort_runs *runs,
                                                    struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_sort_runs_put(struct lith_sort_runs *runs, const uint8_t *from,
                                                  size_t bytes, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_sort_runs_flush(struct lith_sort_runs *runs,
                                                    struct lith_err *err);

#endif
