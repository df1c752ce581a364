/*
 * Keys of units, looked at one unit after another.
 */
#include "merge/sorting.h"

#include "base/array.h"
#include "sort/packed_rows.h"

void lith_sorting_init(struct lith_sorting *sorting, const char *text,
                       struct lith_codec_context *codecs, const struct lith_work *work)
{
    *sorting = (struct lith_sorting){.text = text, .codecs = codecs, .work = work};
    lith_arena_init(&sorting->arena, work->mem);
}

/* Keys are kept while a merge is planned, which holds so much more than a sort that runs. */
static size_t kept_bytes_max(const struct lith_work *work)
{
    return lith_sorting_memory(work) - work->mem->limit / LITH_RUNS_BUDGET_SHARES;
}

/* Gives back what belongs to one pass over the units. */
static void pass_done(struct lith_sorting *sorting)
{
    lith_key_scan_done(&sorting->scan);
    lith_key_order_done(&sorting->order);
    lith_key_builder_done(&sorting->builder);
    lith_kept_keys_done(&sorting->kept);
    lith_arena_done(&sorting->arena);
    lith_free(sorting->ranges);
    sorting->ranges = NULL;
    sorting->range_count = 0;
}

void lith_sorting_done(struct lith_sorting *sorting)
{
    if (!sorting->work)
        return;
    pass_done(sorting);
    *sorting = (struct lith_sorting){0};
}

static enum lith_code keys_find(struct lith_sorting *sorting, struct lith_err *err)
{
    return lith_sort_keys_parse(sorting->text, sorting->schema, &sorting->arena, &sorting->keys,
                                &sorting->key_count, err);
}

enum lith_code lith_sorting_begin(struct lith_sorting *sorting, const struct lith_schema *schema,
                                  struct lith_err *err)
{
    pass_done(sorting);
    lith_arena_init(&sorting->arena, sorting->work->mem);
    sorting->schema = schema;
    enum lith_code code = keys_find(sorting, err);
    sorting->lacks_keys = code == LITH_E_INVALID || code == LITH_E_UNSUPPORTED;
    if (code != LITH_OK)
        return sorting->lacks_keys ? LITH_OK : code;
    for (uint32_t i = 0; i < sorting->key_count; i++)
        sorting->columns[i] = (struct lith_sorting_column){
            .column_index = (int32_t)sorting->keys[i].leaf,
            .descending = sorting->keys[i].descending,
            .nulls_first = sorting->keys[i].nulls_first,
        };
    lith_key_layout_init(&sorting->layout, schema, sorting->keys, sorting->key_count);
    lith_key_order_init(&sorting->order, &sorting->layout, sorting->work->mem);
    lith_key_builder_init(&sorting->builder, &sorting->layout, sorting->work->mem);
    lith_kept_keys_init(&sorting->kept, &sorting->layout, kept_bytes_max(sorting->work),
                        lith_packed_rows_max(lith_sorting_memory(sorting->work)),
                        sorting->work->mem);
    return lith_key_scan_init(&sorting->scan, schema, sorting->keys, &sorting->layout,
                              sorting->codecs, sorting->work, err);
}

static enum lith_code rows_add(struct lith_sorting *sorting, const struct lith_key_rows *rows,
                               struct lith_err *err)
{
    struct lith_key_batch keys;

    LITH_TRY(lith_key_order_add(&sorting->order, rows, err));
    if (!lith_kept_keys_wants(&sorting->kept) || rows->row_count == 0)
        return LITH_OK;
    LITH_TRY(lith_key_builder_build(&sorting->builder, rows, &keys, err));
    return lith_kept_keys_add(&sorting->kept, &keys, err);
}

enum lith_code lith_sorting_unit(struct lith_sorting *sorting, const struct lith_footer *footer,
                                 uint32_t row_group, const struct lith_union_place *places,
                                 struct lith_source *source, struct lith_err *err)
{
    struct lith_key_rows rows;
    void *block = sorting->ranges;

    if (sorting->lacks_keys)
        return LITH_OK;
    LITH_TRY(lith_array_grow(sorting->work->mem, &block, sorting->range_count,
                             sizeof(*sorting->ranges), err));
    sorting->ranges = block;
    LITH_TRY(lith_key_scan_unit(&sorting->scan, footer, row_group, places, source, err));
    lith_key_order_begin(&sorting->order);
    do {
        LITH_TRY(lith_key_reader_next(&sorting->scan.rows, &rows, err));
        LITH_TRY(rows_add(sorting, &rows, err));
    } while (rows.row_count > 0);
    struct lith_unit_range *range = &sorting->ranges[sorting->range_count];
    LITH_TRY(lith_key_order_range(&sorting->order, (uint32_t)sorting->range_count, &sorting->arena,
                                  range, err));
    sorting->range_count++;
    return lith_kept_keys_unit(&sorting->kept, range, sorting->range_count > 1 ? range - 1 : NULL,
                               err);
}

enum lith_code lith_sorting_settle(struct lith_sorting *sorting, bool *ret_in_order,
                                   struct lith_err *err)
{
    lith_key_scan_done(&sorting->scan);
    lith_key_order_done(&sorting->order);
    lith_key_builder_done(&sorting->builder);
    if (sorting->lacks_keys) { /* said again, now that it matters */
        enum lith_code code = keys_find(sorting, err);
        LITH_ASSERT(code != LITH_OK);
        return code;
    }
    LITH_TRY(lith_unit_clusters(sorting->ranges, sorting->range_count, &sorting->arena,
                                &sorting->clusters, &sorting->cluster_count, err));
    sorting->is_settled = true;
    /* Keys of several clusters would wait while one of them is written. */
    if (sorting->cluster_count != 1 || !sorting->clusters[0].needs_sort)
        lith_kept_keys_done(&sorting->kept);
    *ret_in_order = true;
    for (size_t i = 0; i < sorting->range_count; i++)
        *ret_in_order = *ret_in_order && sorting->ranges[i].unit == i;
    return LITH_OK;
}

bool lith_sorting_sorts(const struct lith_sorting *sorting)
{
    for (size_t i = 0; i < sorting->cluster_count; i++) {
        if (sorting->clusters[i].needs_sort)
            return true;
    }
    return false;
}

bool lith_sorting_sorts_unit(const struct lith_sorting *sorting, size_t unit)
{
    size_t low = 0, high = sorting->cluster_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorting->clusters[middle].begin < unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sorting->cluster_count && sorting->clusters[low].begin == unit &&
           sorting->clusters[low].needs_sort;
}
