/*
 * One reader a key column, each over its own range of the file.
 */
#include "merge/key_scan.h"

#include "base/checked.h"
#include "parquet/page_source.h"

enum lith_code lith_key_scan_init(struct lith_key_scan *scan, const struct lith_schema *schema,
                                  const struct lith_sort_key *keys,
                                  const struct lith_key_layout *layout,
                                  struct lith_codec_context *codecs, const struct lith_work *work,
                                  struct lith_err *err)
{
    *scan = (struct lith_key_scan){.work = work, .schema = schema, .keys = keys, .layout = layout};
    for (uint32_t i = 0; i < layout->field_count; i++) {
        struct lith_key_scan_column *column = &scan->columns[i];
        lith_read_ahead_init(&column->ahead, work->mem, LITH_READ_AHEAD_BYTES);
        lith_buf_init(&column->widened, work->mem, lith_work_share(work));
        LITH_TRY(lith_chunk_reader_new(codecs, work, false, &column->reader, err));
    }
    return LITH_OK;
}

void lith_key_scan_done(struct lith_key_scan *scan)
{
    for (uint32_t i = 0; scan->layout && i < scan->layout->field_count; i++) {
        lith_chunk_reader_close(scan->columns[i].reader);
        lith_read_ahead_done(&scan->columns[i].ahead);
        lith_buf_done(&scan->columns[i].widened);
    }
    *scan = (struct lith_key_scan){0};
}

/* Begins the chunk of a key column; *ret_source stays empty where the file has none. */
static enum lith_code column_begin(struct lith_key_scan *scan, uint32_t index,
                                   const struct lith_footer *footer, uint32_t row_group,
                                   const struct lith_union_place *places,
                                   struct lith_source *source, struct lith_key_source *ret_source,
                                   struct lith_err *err)
{
    struct lith_key_scan_column *column = &scan->columns[index];
    uint32_t leaf = scan->keys[index].leaf;
    uint32_t from = places ? places[leaf].leaf : leaf;

    *ret_source = (struct lith_key_source){0};
    if (from == LITH_NO_INDEX)
        return LITH_OK;
    const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, from);
    struct lith_chunk_ref ref = lith_chunk_ref_of(footer, row_group, from);
    ret_source->reader = column->reader;
    ret_source->max_def = node->max_def;
    if (places && places[leaf].is_narrow) {
        column->widening = lith_widening_of(node, lith_schema_leaf(scan->schema, leaf));
        ret_source->widening = &column->widening;
        ret_source->widened = &column->widened;
    }
    lith_read_ahead_open(&column->ahead, source, (uint64_t)lith_chunk_start(ref.meta),
                         lith_chunk_ref_end(&ref));
    return lith_chunk_reader_begin(column->reader, &column->ahead.base, &ref, err);
}

enum lith_code lith_key_scan_unit(struct lith_key_scan *scan, const struct lith_footer *footer,
                                  uint32_t row_group, const struct lith_union_place *places,
                                  struct lith_source *source, struct lith_err *err)
{
    struct lith_key_source sources[LITH_SORT_KEYS_MAX];

    for (uint32_t i = 0; i < scan->layout->field_count; i++)
        LITH_TRY(column_begin(scan, i, footer, row_group, places, source, &sources[i], err));
    lith_key_reader_init(&scan->rows, scan->layout, sources,
                         (uint64_t)footer->row_groups[row_group].num_rows, scan->work);
    return LITH_OK;
}
