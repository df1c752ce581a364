/*
 * The sort keys of units, read from their files.
 *
 * A unit is one row group of an input. Its key columns are read in step (sort/key_rows.h), as the
 * output has them: widened, or null where the input lacks them.
 */
#ifndef LITH_MERGE_KEY_SCAN_H
#define LITH_MERGE_KEY_SCAN_H

#include "base/read_ahead.h"
#include "merge/schema_union.h"
#include "sort/key_rows.h"

/* One key column of the unit at hand. */
struct lith_key_scan_column {
    struct lith_chunk_reader *reader;
    struct lith_read_ahead ahead;
    struct lith_widening widening;
    struct lith_buf widened;
};

struct lith_key_scan {
    const struct lith_work *work;
    const struct lith_schema *schema; /* of the output */
    const struct lith_sort_key *keys;
    const struct lith_key_layout *layout;
    struct lith_key_scan_column columns[LITH_SORT_KEYS_MAX];
    struct lith_key_reader rows; /* of the unit at hand */
};

/* What is borrowed outlives the scan. */
LITH_MUST_CHECK enum lith_code
lith_key_scan_init(struct lith_key_scan *scan, const struct lith_schema *schema,
                   const struct lith_sort_key *keys, const struct lith_key_layout *layout,
                   struct lith_codec_context *codecs, const struct lith_work *work,
                   struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_key_scan_done(struct lith_key_scan *scan);

/*
 * Begins a unit: scan->rows gives its rows. `places` says where the output's leaves stand in the
 * footer's schema; NULL: leaf by leaf. `source` is the file, or a memory source over it (which is
 * not read ahead of). Both, and the footer, stay until the next unit.
 */
LITH_MUST_CHECK enum lith_code lith_key_scan_unit(struct lith_key_scan *scan,
                                                  const struct lith_footer *footer,
                                                  uint32_t row_group,
                                                  const struct lith_union_place *places,
                                                  struct lith_source *source, struct lith_err *err);

#endif
