/*
 * sorting_columns of a row group, held against its rows.
 *
 * One reader a column, all in step; a row is compared with a copy of the one before, first
 * column first. NaN sorts behind all other numbers. The columns of a sort are few, so their
 * readers are held to shares of the same budget as one.
 */
#include "verify/sorted.h"

#include <inttypes.h>

#include "parquet/order.h"
#include "verify/sorted_numbers.h"

/* One sorting column: its reader, where it stands, and its value in the row before. */
struct key {
    const struct lith_sorting_column *sorting;
    const struct lith_schema_node *leaf;
    enum lith_order order;
    struct lith_chunk_reader *reader;
    struct lith_batch batch;
    size_t position; /* in the batch */
    size_t value;
    bool is_null;
    struct lith_slice now;
    bool last_is_null;
    struct lith_buf last;
};

struct keys {
    struct key *keys;
    uint32_t count;
};

static enum lith_code key_open(struct key *key, struct lith_source *source,
                               const struct lith_footer *footer, uint32_t row_group,
                               const struct lith_sorting_column *sorting,
                               struct lith_codec_context *codecs, const struct lith_work *work,
                               struct lith_err *err)
{
    uint32_t leaf = (uint32_t)sorting->column_index; /* checked with the structure */

    key->sorting = sorting;
    key->leaf = lith_schema_leaf(&footer->schema, leaf);
    key->order = lith_order_of(key->leaf);
    lith_buf_init(&key->last, work->mem, lith_work_share(work));
    if (key->leaf->max_rep > 0 || key->order == LITH_ORDER_NONE)
        return lith_fail(err, LITH_E_CORRUPT, "sorted by column %" PRIu32 ", which has no order",
                         leaf);
    return lith_chunk_reader_open(source, footer, row_group, leaf, codecs, work, &key->reader, err);
}

/* Moves to the next row; *ret_end when there is none. */
static enum lith_code key_next(struct key *key, bool *ret_end, struct lith_err *err)
{
    if (key->position == key->batch.position_count) {
        LITH_TRY(lith_chunk_reader_next(key->reader, &key->batch, err));
        key->position = 0;
        key->value = 0;
    }
    *ret_end = key->batch.position_count == 0;
    if (*ret_end)
        return LITH_OK;
    key->is_null =
        key->batch.def_levels && key->batch.def_levels[key->position] < key->leaf->max_def;
    if (!key->is_null)
        key->now = lith_values_at(&key->batch.values, key->value++);
    key->position++;
    return LITH_OK;
}

static enum lith_code key_keep(struct key *key, struct lith_err *err)
{
    key->last_is_null = key->is_null;
    lith_buf_clear(&key->last);
    return key->is_null ? LITH_OK : lith_buf_append(&key->last, key->now.data, key->now.bytes, err);
}

/* The row before against this one, by one column: positive when they stand the wrong way. */
static int key_compare(const struct key *key)
{
    struct lith_slice last = {key->last.data, key->last.bytes};

    if (key->last_is_null || key->is_null) {
        int order = key->last_is_null - key->is_null;
        return key->sorting->nulls_first ? -order : order;
    }
    bool last_nan = lith_order_is_nan(key->order, last);
    bool now_nan = lith_order_is_nan(key->order, key->now);
    int order =
        last_nan || now_nan ? last_nan - now_nan : lith_order_compare(key->order, last, key->now);
    return key->sorting->descending ? -order : order;
}

static enum lith_code row_check(struct keys *keys, uint64_t row, bool *ret_end,
                                struct lith_err *err)
{
    bool decided = row == 0;

    for (uint32_t i = 0; i < keys->count; i++) {
        struct key *key = &keys->keys[i];
        LITH_TRY(key_next(key, ret_end, err));
        if (*ret_end)
            return LITH_OK;
        int order = decided ? 0 : key_compare(key);
        if (order > 0)
            return lith_fail(err, LITH_E_CORRUPT,
                             "sorting_columns: row %" PRIu64 " sorts before the row in front of it",
                             row);
        decided = decided || order < 0;
        LITH_TRY(key_keep(key, err));
    }
    return LITH_OK;
}

static enum lith_code rows_check(struct keys *keys, struct lith_err *err)
{
    bool end = false;

    for (uint64_t row = 0; !end; row++)
        LITH_TRY(row_check(keys, row, &end, err));
    return LITH_OK;
}

enum lith_code lith_sorted_check(struct lith_source *source, const struct lith_footer *footer,
                                 uint32_t row_group, struct lith_codec_context *codecs,
                                 const struct lith_work *work, struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[row_group];
    struct keys keys = {.count = group->sorting_column_count};
    enum lith_code code = LITH_OK;
    void *block;

    if (keys.count == 0)
        return LITH_OK;
    if (lith_sorted_numbers_fit(footer, row_group))
        return lith_sorted_numbers_check(source, footer, row_group, codecs, work, err);
    LITH_TRY(lith_alloc_array(work->mem, keys.count, sizeof(struct key), &block, err));
    keys.keys = block;
    for (uint32_t i = 0; i < keys.count && code == LITH_OK; i++)
        code = key_open(&keys.keys[i], source, footer, row_group, &group->sorting_columns[i],
                        codecs, work, err);
    if (code == LITH_OK)
        code = rows_check(&keys, err);
    for (uint32_t i = 0; i < keys.count; i++) {
        lith_chunk_reader_close(keys.keys[i].reader);
        lith_buf_done(&keys.keys[i].last);
    }
    lith_free(keys.keys);
    return code;
}
