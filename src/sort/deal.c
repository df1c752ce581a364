/*
 * Dealing: destinations of rows become those of their positions, and these those of their values;
 * then levels and values are scattered alike.
 *
 * Definition levels are stored from the first null of a leaf on. Until then each position has a
 * value, so the positions of a bucket are known from the bytes of its values.
 */
#include "sort/deal.h"

#include <inttypes.h>

#include "base/checked.h"
#include "sort/bucket_writer.h"
#include "sort/destinations.h"

/* Of the span's memory: dictionaries and buffers; the beginning of what is dealt has the rest that
 * destinations leave. */
#define DICTIONARY_SHARES 8u
#define BUFFER_SHARES 2u

struct lith_deal {
    struct lith_deal_span span;
    struct lith_deal
        *first; /* whose destinations it follows; itself, or the deal it is a twin of */
    struct lith_destinations destinations; /* the first's */
    struct lith_bucket_store **stores;     /* likewise: of each leaf that was begun, where it is */
    struct lith_destinations_cursor cursor;
    struct lith_bucket_store store; /* of the leaves that this one deals */

    /* The leaf at hand; NULL between leaves. */
    const struct lith_schema_node *leaf;
    struct lith_deal_dictionary *dictionary; /* NULL: values are dealt as they are */
    size_t dictionary_bytes;                 /* of those of leaves that were dealt */
    bool is_full;
    size_t width; /* of a value, or its id; 0: byte arrays */
    bool has_nulls;
    uint64_t row_count; /* dealt to the span */
    uint32_t unit_next; /* index: units ascend */
    struct lith_bucket_writer writer;

    /* The unit at hand. */
    bool has_unit;
    uint32_t unit;      /* index */
    uint64_t row;       /* rows that began */
    uint8_t row_bucket; /* of the last one */

    /* Of the batch at hand. */
    uint8_t buckets[LITH_BATCH_POSITIONS];       /* of positions */
    uint8_t value_buckets[LITH_BATCH_POSITIONS]; /* of values */
    uint8_t levels[LITH_BATCH_POSITIONS];
    uint32_t lengths[LITH_BATCH_POSITIONS];
    uint16_t ids[LITH_BATCH_POSITIONS];
};

static uint32_t dealers(const struct lith_deal *deal)
{
    return deal->span.dealer_count ? deal->span.dealer_count : 1;
}

static size_t store_bytes(const struct lith_deal *deal)
{
    size_t memory = deal->span.memory_bytes_max;
    size_t taken = memory / DICTIONARY_SHARES + memory / BUFFER_SHARES +
                   lith_destinations_bytes(&deal->first->destinations);

    LITH_ASSERT(taken < memory);
    return (memory - taken) / dealers(deal);
}

/* Without destinations yet. */
static enum lith_code deal_make(const struct lith_deal_span *span, struct lith_deal **ret_deal,
                                struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(span->work->mem, 1, sizeof(struct lith_deal), &block, err));
    struct lith_deal *deal = block;
    deal->span = *span;
    deal->first = deal;
    LITH_ASSERT(span->memory_bytes_max / dealers(deal) >=
                span->bucket_count * LITH_DEAL_MEMORY_BYTES_MIN);
    *ret_deal = deal;
    return LITH_OK;
}

/* Takes up what there is of destinations. */
static enum lith_code deal_begin(struct lith_deal *deal, struct lith_err *err)
{
    deal->cursor.of = &deal->first->destinations;
    return lith_bucket_store_init(&deal->store, deal->span.work, deal->span.leaf_count,
                                  store_bytes(deal), err);
}

static enum lith_code first_begin(struct lith_deal *deal, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(deal->span.work->mem, deal->span.leaf_count, sizeof(*deal->stores),
                              &block, err));
    deal->stores = block;
    LITH_TRY(lith_destinations_init(&deal->destinations, &deal->span, err));
    return deal_begin(deal, err);
}

enum lith_code lith_deal_new(const struct lith_deal_span *span, struct lith_deal **ret_deal,
                             struct lith_err *err)
{
    struct lith_deal *deal;

    LITH_TRY(deal_make(span, &deal, err));
    enum lith_code code = first_begin(deal, err);
    if (code != LITH_OK) {
        lith_deal_free(deal);
        return code;
    }
    *ret_deal = deal;
    return LITH_OK;
}

enum lith_code lith_deal_twin(struct lith_deal *first, struct lith_deal **ret_deal,
                              struct lith_err *err)
{
    struct lith_deal *deal;

    LITH_ASSERT(first->first == first);
    LITH_TRY(deal_make(&first->span, &deal, err));
    deal->first = first;
    enum lith_code code = deal_begin(deal, err);
    if (code != LITH_OK) {
        lith_deal_free(deal);
        return code;
    }
    *ret_deal = deal;
    return LITH_OK;
}

void lith_deal_free(struct lith_deal *deal)
{
    if (!deal)
        return;
    lith_bucket_writer_done(&deal->writer);
    lith_deal_dictionary_free(deal->dictionary);
    lith_destinations_done(&deal->destinations);
    lith_bucket_store_done(&deal->store);
    lith_free(deal->stores);
    lith_free(deal);
}

const struct lith_deal_span *lith_deal_span(const struct lith_deal *deal)
{
    return &deal->span;
}

struct lith_bucket_store *lith_deal_store(const struct lith_deal *deal, uint32_t leaf)
{
    LITH_ASSERT(leaf < deal->span.leaf_count);
    LITH_ASSERT(deal->first->stores[leaf]);
    return deal->first->stores[leaf];
}

uint32_t lith_deal_rows(const struct lith_deal *deal, uint32_t unit)
{
    return lith_destinations_rows(deal->cursor.of, lith_deal_unit_index(&deal->span, unit));
}

static bool has_part(const struct lith_deal *deal, const struct lith_schema_node *leaf,
                     enum lith_bucket_part part)
{
    switch (part) {
    case LITH_PART_REP:
        return leaf->max_rep > 0;
    case LITH_PART_DEF:
        return leaf->max_def > 0;
    case LITH_PART_VALUES:
        return true;
    case LITH_PART_BYTES:
        return leaf->type == LITH_TYPE_BYTE_ARRAY && !deal->dictionary;
    case LITH_PART_COUNT:
        break;
    }
    return false;
}

static enum lith_code writer_begin(struct lith_deal *deal, const struct lith_schema_node *leaf,
                                   struct lith_err *err)
{
    uint32_t count = 0;

    for (int i = 0; i < LITH_PART_COUNT; i++)
        count += has_part(deal, leaf, (enum lith_bucket_part)i);
    LITH_TRY(lith_bucket_writer_init(&deal->writer, &deal->store, deal->span.bucket_count, count,
                                     deal->span.memory_bytes_max / BUFFER_SHARES / dealers(deal),
                                     err));
    count = 0;
    for (int i = 0; i < LITH_PART_COUNT; i++)
        if (has_part(deal, leaf, (enum lith_bucket_part)i))
            lith_bucket_writer_part(&deal->writer, (enum lith_bucket_part)i, count++);
    return LITH_OK;
}

static enum lith_code level_check(const struct lith_schema_node *leaf, struct lith_err *err)
{
    if (leaf->max_def > UINT8_MAX)
        return lith_fail(err, LITH_E_LIMIT,
                         "a column of %" PRIu16
                         " definition levels: a sorted rewrite takes at most %u; write it without "
                         "--sort-by",
                         leaf->max_def, UINT8_MAX);
    return LITH_OK;
}

/* The leaf is in the store, nothing was dealt of it. */
static enum lith_code leaf_begin(struct lith_deal *deal, const struct lith_schema_node *leaf,
                                 struct lith_err *err)
{
    LITH_TRY(writer_begin(deal, leaf, err));
    deal->leaf = leaf;
    deal->width =
        deal->dictionary ? LITH_DEAL_ID_BYTES : lith_type_width(leaf->type, leaf->type_length);
    deal->is_full = false;
    deal->has_nulls = false;
    deal->row_count = 0;
    deal->unit_next = 0;
    return LITH_OK;
}

static void leaf_place(struct lith_deal *deal, const struct lith_schema_node *leaf)
{
    lith_bucket_store_leaf(&deal->store, leaf);
    deal->first->stores[leaf->leaf_index] = &deal->store;
}

enum lith_code lith_deal_leaf(struct lith_deal *deal, const struct lith_schema_node *leaf,
                              struct lith_err *err)
{
    LITH_ASSERT(!deal->leaf);
    LITH_TRY(level_check(leaf, err));
    leaf_place(deal, leaf);
    return leaf_begin(deal, leaf, err);
}

enum lith_code lith_deal_leaf_ids(struct lith_deal *deal, const struct lith_schema_node *leaf,
                                  struct lith_err *err)
{
    size_t bytes_max = deal->span.memory_bytes_max / DICTIONARY_SHARES / dealers(deal);

    LITH_ASSERT(!deal->leaf);
    LITH_TRY(level_check(leaf, err));
    leaf_place(deal, leaf);
    bytes_max -= lith_min_size(bytes_max, deal->dictionary_bytes);
    LITH_TRY(lith_deal_dictionary_new(leaf, bytes_max, deal->span.work, &deal->dictionary, err));
    return leaf_begin(deal, leaf, err);
}

bool lith_deal_is_full(const struct lith_deal *deal)
{
    return deal->is_full;
}

bool lith_deal_takes_ids(const struct lith_deal *deal)
{
    return deal->dictionary;
}

enum lith_code lith_deal_leaf_again(struct lith_deal *deal, struct lith_err *err)
{
    LITH_ASSERT(deal->leaf);
    LITH_ASSERT(!deal->has_unit);
    lith_bucket_writer_done(&deal->writer);
    lith_deal_dictionary_free(deal->dictionary);
    deal->dictionary = NULL;
    lith_bucket_store_restart(&deal->store);
    return leaf_begin(deal, deal->leaf, err);
}

enum lith_code lith_deal_unit(struct lith_deal *deal, uint32_t unit, struct lith_err *err)
{
    uint32_t index = lith_deal_unit_index(&deal->span, unit);

    LITH_ASSERT(deal->leaf);
    LITH_ASSERT(!deal->has_unit);
    LITH_ASSERT(index >= deal->unit_next);
    LITH_TRY(lith_destinations_unit(&deal->cursor, index, err));
    deal->has_unit = true;
    deal->unit = index;
    deal->unit_next = index + 1;
    deal->row = 0;
    return LITH_OK;
}

static uint32_t unit_rows(const struct lith_deal *deal)
{
    return deal->span.units[deal->unit].row_count;
}

static size_t rows_begun(const struct lith_batch *batch)
{
    size_t count = 0;

    if (!batch->rep_levels)
        return batch->position_count;
    for (size_t i = 0; i < batch->position_count; i++)
        count += batch->rep_levels[i] == 0;
    return count;
}

/* Positions before the first row that begins belong to the row of the last batch. */
static void positions_of_rows(struct lith_deal *deal, const struct lith_batch *batch,
                              const uint8_t *rows)
{
    uint8_t bucket = deal->row_bucket;

    for (size_t i = 0; i < batch->position_count; i++) {
        if (batch->rep_levels[i] == 0)
            bucket = *rows++;
        deal->buckets[i] = bucket;
    }
    deal->row_bucket = bucket;
}

/* Where the positions of a batch go. */
static enum lith_code positions_place(struct lith_deal *deal, const struct lith_batch *batch,
                                      const uint8_t **ret_buckets, struct lith_err *err)
{
    size_t rows = rows_begun(batch);

    if (rows > unit_rows(deal) - deal->row)
        return lith_fail(err, LITH_E_CORRUPT,
                         "more rows than the %" PRIu32 " of the row group; write the file again",
                         unit_rows(deal));
    if (batch->rep_levels && deal->row == 0 && batch->rep_levels[0] != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the first position has repetition level %" PRIu16
                         ", a row begins with 0; write the file again",
                         batch->rep_levels[0]);
    LITH_TRY(lith_destinations_next(&deal->cursor, rows, ret_buckets, err));
    deal->row += rows;
    if (!batch->rep_levels)
        return LITH_OK;
    positions_of_rows(deal, batch, *ret_buckets);
    *ret_buckets = deal->buckets;
    return LITH_OK;
}

static void levels_narrow(uint8_t *to, const uint16_t *levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)levels[i];
}

/* The first null of the leaf: the positions so far get their levels. */
static enum lith_code nulls_begin(struct lith_deal *deal, struct lith_err *err)
{
    size_t width = deal->width ? deal->width : sizeof(uint32_t);

    for (uint32_t i = 0; i < deal->span.bucket_count; i++) {
        uint64_t bytes = lith_bucket_writer_bytes(&deal->writer, i, LITH_PART_VALUES);
        LITH_TRY(lith_bucket_writer_fill(&deal->writer, i, LITH_PART_DEF,
                                         (uint8_t)deal->leaf->max_def, bytes / width, err));
    }
    deal->has_nulls = true;
    return LITH_OK;
}

static enum lith_code levels_add(struct lith_deal *deal, const struct lith_batch *batch,
                                 const uint8_t *buckets, struct lith_err *err)
{
    struct lith_bucket_writer *writer = &deal->writer;
    size_t count = batch->position_count;

    if (batch->rep_levels) {
        levels_narrow(deal->levels, batch->rep_levels, count);
        LITH_TRY(lith_bucket_writer_scatter(writer, LITH_PART_REP, buckets, deal->levels, count, 1,
                                            err));
    }
    if (!deal->has_nulls && batch->values.count < count)
        LITH_TRY(nulls_begin(deal, err));
    if (!deal->has_nulls)
        return LITH_OK;
    if (batch->def_levels)
        levels_narrow(deal->levels, batch->def_levels, count);
    else
        memset(deal->levels, deal->leaf->max_def, count);
    return lith_bucket_writer_scatter(writer, LITH_PART_DEF, buckets, deal->levels, count, 1, err);
}

/* Where the values of the positions go. */
static const uint8_t *values_place(struct lith_deal *deal, const struct lith_batch *batch,
                                   const uint8_t *buckets)
{
    size_t count = 0;

    if (batch->values.count == batch->position_count)
        return buckets;
    LITH_ASSERT(batch->def_levels);
    for (size_t i = 0; i < batch->position_count; i++) {
        deal->value_buckets[count] = buckets[i];
        count += batch->def_levels[i] == deal->leaf->max_def;
    }
    LITH_ASSERT(count == batch->values.count);
    return deal->value_buckets;
}

static enum lith_code slices_add(struct lith_deal *deal, const struct lith_values *values,
                                 const uint8_t *buckets, struct lith_err *err)
{
    const void *lengths = deal->lengths;

    for (size_t i = 0; i < values->count; i++)
        deal->lengths[i] = (uint32_t)values->slices[i].bytes; /* pages have 31 bits of bytes */
    LITH_TRY(lith_bucket_writer_scatter(&deal->writer, LITH_PART_VALUES, buckets, lengths,
                                        values->count, sizeof(uint32_t), err));
    return lith_bucket_writer_slices(&deal->writer, buckets, values->slices, values->count, err);
}

static enum lith_code values_add(struct lith_deal *deal, const struct lith_values *values,
                                 const uint8_t *buckets, struct lith_err *err)
{
    const void *from = deal->dictionary ? (const void *)deal->ids : values->fixed;

    if (!deal->width)
        return slices_add(deal, values, buckets, err);
    LITH_ASSERT(deal->dictionary || values->width == deal->width);
    return lith_bucket_writer_scatter(&deal->writer, LITH_PART_VALUES, buckets, from, values->count,
                                      deal->width, err);
}

enum lith_code lith_deal_add(struct lith_deal *deal, const struct lith_batch *batch,
                             struct lith_err *err)
{
    const struct lith_values *values = &batch->values;
    const uint8_t *buckets;

    LITH_ASSERT(deal->has_unit);
    LITH_ASSERT(batch->position_count <= LITH_BATCH_POSITIONS);
    LITH_ASSERT(!values->ids || deal->dictionary);
    LITH_ASSERT((deal->leaf->max_rep > 0) == (batch->rep_levels != NULL));
    LITH_TRY(lith_work_check(deal->span.work, err));
    if (deal->dictionary && !deal->is_full && values->count)
        LITH_TRY(lith_deal_dictionary_ids(deal->dictionary, values, deal->ids, deal->lengths,
                                          &deal->is_full, err));
    if (batch->position_count == 0 || deal->is_full)
        return LITH_OK;
    LITH_TRY(positions_place(deal, batch, &buckets, err));
    LITH_TRY(levels_add(deal, batch, buckets, err));
    if (values->count == 0)
        return LITH_OK;
    return values_add(deal, values, values_place(deal, batch, buckets), err);
}

uint64_t lith_deal_idle_rows(struct lith_deal *deal)
{
    LITH_ASSERT(deal->has_unit);
    return deal->is_full ? 0 : lith_destinations_idle(&deal->cursor);
}

void lith_deal_skip(struct lith_deal *deal, uint64_t row_count)
{
    lith_destinations_skip(&deal->cursor, row_count);
    deal->row += row_count;
    deal->row_bucket = LITH_NO_BUCKET;
}

static uint64_t span_rows(const struct lith_deal *deal)
{
    return deal->span.borders[deal->span.bucket_count] - deal->span.borders[0];
}

enum lith_code lith_deal_unit_end(struct lith_deal *deal, struct lith_err *err)
{
    LITH_ASSERT(deal->has_unit);
    deal->has_unit = false;
    deal->is_full =
        deal->is_full || (deal->dictionary && lith_deal_dictionary_is_idle(deal->dictionary));
    if (deal->is_full)
        return LITH_OK;
    if (deal->row != unit_rows(deal))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " rows, %" PRIu32 " in the row group; write the file again",
                         deal->row, unit_rows(deal));
    deal->row_count += lith_destinations_rows(deal->cursor.of, deal->unit);
    return LITH_OK;
}

enum lith_code lith_deal_leaf_end(struct lith_deal *deal, struct lith_err *err)
{
    LITH_ASSERT(deal->leaf);
    LITH_ASSERT(!deal->has_unit);
    LITH_ASSERT(!deal->is_full);
    LITH_ASSERT(deal->row_count == span_rows(deal));
    LITH_TRY(lith_bucket_writer_flush(&deal->writer, err));
    lith_bucket_writer_done(&deal->writer);
    if (deal->dictionary) {
        LITH_TRY(lith_deal_dictionary_end(deal->dictionary, err));
        deal->dictionary_bytes += lith_deal_dictionary_bytes(deal->dictionary);
        lith_bucket_store_dictionary(&deal->store, deal->dictionary);
        deal->dictionary = NULL;
    }
    deal->leaf = NULL;
    return LITH_OK;
}
