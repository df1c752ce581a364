/*
 * Gathering, as far as both ways of it are one.
 */
#include "sort/gather.h"

#include "base/checked.h"
#include "sort/gather_state.h"

enum lith_code lith_gather_new(const struct lith_deal *deal, size_t memory_bytes_max,
                               struct lith_gather **ret_gather, struct lith_err *err)
{
    const struct lith_work *work = lith_deal_span(deal)->work;
    void *block;

    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_gather), &block, err));
    struct lith_gather *gather = block;
    gather->work = work;
    gather->deal = deal;
    gather->memory_bytes_max = memory_bytes_max;
    lith_buf_init(&gather->values, work->mem, SIZE_MAX);
    *ret_gather = gather;
    return LITH_OK;
}

uint64_t lith_gather_bytes(const struct lith_deal *deal, uint32_t leaf, uint32_t bucket)
{
    /* Of lists each row has two numbers more; there is one behind the last, and one behind bytes.
     */
    uint64_t numbers = 2 * (uint64_t)lith_deal_bucket_rows(lith_deal_span(deal), bucket) + 2;

    return lith_sum_u64(lith_bucket_store_bytes(lith_deal_store(deal, leaf), leaf, bucket),
                        numbers * sizeof(uint32_t));
}

/* Lets go of the leaf at hand. */
static void leaf_done(struct lith_gather *gather)
{
    lith_free(gather->parts.pieces);
    gather->parts = (struct lith_stored_parts){0};
    lith_free(gather->loaded.block);
    gather->loaded = (struct lith_gather_loaded){0};
    lith_gather_placed_done(&gather->placed);
    lith_buf_done(&gather->values);
    gather->order = NULL;
}

void lith_gather_free(struct lith_gather *gather)
{
    if (!gather)
        return;
    leaf_done(gather);
    lith_free(gather);
}

enum lith_code lith_gather_begin(struct lith_gather *gather, uint32_t leaf,
                                 const struct lith_bucket_order *order, struct lith_err *err)
{
    struct lith_bucket_store *store = lith_deal_store(gather->deal, leaf);

    leaf_done(gather);
    LITH_TRY(lith_work_check(gather->work, err));
    LITH_TRY(lith_bucket_store_find(store, leaf, order->bucket, &gather->parts, err));
    gather->leaf = store->leaves[leaf].node;
    struct lith_deal_dictionary *dictionary = store->leaves[leaf].dictionary;
    gather->dictionary = dictionary ? &dictionary->entries : NULL;
    gather->width = dictionary ? LITH_DEAL_ID_BYTES
                               : lith_type_width(gather->leaf->type, gather->leaf->type_length);
    gather->order = order;
    gather->is_first = true;
    gather->row = 0;
    gather->positions_done = 0;
    gather->values_done = 0;
    gather->bytes_done = 0;
    gather->positions_max = LITH_BATCH_POSITIONS;
    if (gather->width)
        gather->positions_max =
            lith_min_size(LITH_BATCH_POSITIONS, LITH_GATHER_BATCH_BYTES / gather->width);
    if (gather->positions_max == 0)
        gather->positions_max = 1;
    for (size_t i = 0; i < LITH_BATCH_POSITIONS; i++)
        gather->def_levels[i] = gather->leaf->max_def; /* stays so where there are no nulls */
    gather->is_loaded = lith_gather_loads(gather);
    return gather->is_loaded ? lith_gather_load(gather, err) : lith_gather_place(gather, err);
}

void lith_gather_chunk(struct lith_gather *gather, uint32_t leaf)
{
    struct lith_deal_dictionary *dictionary =
        lith_deal_store(gather->deal, leaf)->leaves[leaf].dictionary;

    if (dictionary)
        lith_dictionary_map_drop(&dictionary->entries);
}

/* What comes from scratch is an id only if it is small enough. */
static enum lith_code ids_make(struct lith_gather *gather, struct lith_err *err)
{
    uint32_t count = gather->dictionary->count;
    bool is_good = true;

    for (size_t i = 0; i < gather->value_count; i++) {
        uint16_t id;
        memcpy(&id, gather->values.data + i * sizeof(id), sizeof(id));
        gather->ids[i] = id;
        is_good &= id < count;
    }
    return is_good ? LITH_OK : lith_scratch_damaged(err);
}

/* The values of the batch; those of ids may be none, without a dictionary then. */
static enum lith_code values_of(struct lith_gather *gather, struct lith_values *ret_values,
                                struct lith_err *err)
{
    const struct lith_schema_node *leaf = gather->leaf;
    struct lith_values values = {
        .type = leaf->type,
        .width = lith_type_width(leaf->type, leaf->type_length),
        .count = gather->value_count,
    };

    if (gather->dictionary && values.count) {
        LITH_TRY(ids_make(gather, err));
        values.ids = gather->ids;
        values.dictionary = gather->dictionary;
    } else if (values.width) {
        values.fixed = gather->values.data;
    } else {
        values.slices = gather->slices;
    }
    *ret_values = values;
    return LITH_OK;
}

enum lith_code lith_gather_next(struct lith_gather *gather, struct lith_batch *ret_batch,
                                struct lith_err *err)
{
    LITH_ASSERT(gather->order);
    LITH_TRY(lith_work_check(gather->work, err));
    if (gather->row == gather->order->row_count) {
        leaf_done(gather);
        *ret_batch = (struct lith_batch){.position_count = 0};
        return LITH_OK;
    }
    LITH_TRY(gather->is_loaded ? lith_gather_loaded_next(gather, err)
                               : lith_gather_placed_next(gather, err));
    struct lith_values values;
    LITH_TRY(values_of(gather, &values, err));
    *ret_batch = (struct lith_batch){
        .position_count = gather->position_count,
        .def_levels = gather->leaf->max_def ? gather->def_levels : NULL,
        .rep_levels = gather->leaf->max_rep ? gather->rep_levels : NULL,
        .values = values,
        .page_start = gather->is_first,
    };
    gather->is_first = false;
    return LITH_OK;
}
