/*
 * Do the values of a row group fit what is expected of them? Found out by decoding, up to the first
 * that does not.
 *
 * Pages of ids are passed over, unread, where all entries of the dictionary fit and nulls do or are
 * not there; an entry that no value uses is no value.
 */
#ifndef LITH_PARQUET_EXPECTED_SCAN_H
#define LITH_PARQUET_EXPECTED_SCAN_H

#include "parquet/chunk_reader.h"
#include "parquet/expected.h"

/* The first value that does not fit. */
struct lith_misfit {
    bool found;
    bool is_null;            /* or there is no such column */
    bool is_of_second;       /* else of the first one */
    struct lith_slice value; /* unless it is null; in the arena */
};

struct lith_expected_scan {
    struct lith_source *source; /* as the footer */
    const struct lith_footer *footer;
    uint32_t row_group;
    struct lith_expected_columns columns;
    uint32_t first; /* the leaves; of a column that is not there it does not matter */
    uint32_t second;
    bool has_nulls; /* the first column may have some */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
};

/* Errors are those of a chunk_reader. */
LITH_MUST_CHECK enum lith_code lith_expected_scan(const struct lith_expected_scan *scan,
                                                  struct lith_arena *arena,
                                                  struct lith_misfit *ret_misfit,
                                                  struct lith_err *err);

#endif
