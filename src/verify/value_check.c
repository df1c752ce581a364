/*
 * Bounds are compared with the extremes of a run, so a value costs its place in a loop
 * whatever is said of it. Bloom filters are probed by code of its own.
 */
#include "verify/value_check.h"

enum lith_code lith_value_check_init(struct lith_value_check *check, struct lith_source *source,
                                     const struct lith_chunk_ref *ref,
                                     const struct lith_indexes *indexes, struct lith_mem *mem,
                                     struct lith_err *err)
{
    const struct lith_chunk_meta *meta = ref->meta;

    *check = (struct lith_value_check){
        .order = lith_order_of(lith_schema_leaf(ref->schema, ref->leaf)),
        .statistics = &meta->statistics,
        .indexes = indexes,
    };
    if (meta->bloom_filter_offset > 0)
        LITH_TRY(lith_bloom_read(source, (uint64_t)meta->bloom_filter_offset,
                                 (uint32_t)meta->bloom_filter_length, mem, &check->bloom, err));
    return LITH_OK;
}

void lith_value_check_done(struct lith_value_check *check)
{
    lith_bloom_done(&check->bloom);
    lith_used_done(&check->used);
}

static enum lith_code bounds_check(enum lith_order order, const struct lith_extremes *e,
                                   struct lith_slice low, struct lith_slice high, const char *what,
                                   struct lith_err *err)
{
    if (lith_order_compare(order, e->min, low) < 0)
        return lith_fail(err, LITH_E_CORRUPT, "a value below the minimum of the %s", what);
    if (lith_order_compare(order, e->max, high) > 0)
        return lith_fail(err, LITH_E_CORRUPT, "a value above the maximum of the %s", what);
    return LITH_OK;
}

static enum lith_code extremes_check(struct lith_value_check *check, const struct lith_extremes *e,
                                     struct lith_err *err)
{
    const struct lith_statistics *statistics = check->statistics;
    const struct lith_column_index *columns = &check->indexes->columns;
    enum lith_order order = check->order;

    if (statistics->min_value.data) {
        struct lith_slice low = statistics->min_value;
        struct lith_slice high = statistics->max_value;
        LITH_TRY(bounds_check(order, e, low, high, "chunk's statistics", err));
        check->min_attained |= lith_order_compare(order, e->min, low) == 0;
        check->max_attained |= lith_order_compare(order, e->max, high) == 0;
    }
    if (!check->indexes->has_columns || columns->null_pages[check->page])
        return LITH_OK;
    return bounds_check(order, e, columns->min_values[check->page],
                        columns->max_values[check->page], "column index's entry", err);
}

/* BloomFilter.md: a block by the upper half of the hash, one bit in each of its eight words by
 * the lower half. */
static bool bloom_has(const struct lith_bloom *bloom, uint64_t hash)
{
    static const uint32_t salts[8] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                      0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
    uint64_t blocks = bloom->bytes / 32;
    const uint8_t *block = bloom->bits + ((hash >> 32) * blocks >> 32) * 32;
    bool has = true;

    for (size_t i = 0; i < 8; i++) {
        uint32_t bit = ((uint32_t)hash * salts[i]) >> 27;
        has = has && (lith_load_u32(block + 4 * i) >> bit & 1);
    }
    return has;
}

static enum lith_code bloom_check(const struct lith_value_check *check,
                                  const struct lith_values *values, struct lith_err *err)
{
    for (size_t i = 0; check->bloom.bits && i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        if (!bloom_has(&check->bloom, lith_xxh64(value.data, value.bytes)))
            return lith_fail(err, LITH_E_CORRUPT, "a value of %zu bytes is not in the bloom filter",
                             value.bytes);
    }
    return LITH_OK;
}

static enum lith_code order_check(struct lith_value_check *check, const struct lith_values *values,
                                  uint64_t *nans, struct lith_err *err)
{
    struct lith_extremes e;

    if (check->order == LITH_ORDER_NONE)
        return LITH_OK;
    lith_extremes_find(check->order, values, &e);
    *nans += e.nans;
    return e.found ? extremes_check(check, &e, err) : LITH_OK;
}

/* Whether any entry, used or not, is NaN: then ids are looked at one by one. */
static bool has_nans(enum lith_order order, const struct lith_dictionary *dictionary)
{
    if (!lith_order_is_floating(order))
        return false;
    for (uint32_t i = 0; i < dictionary->count; i++) {
        if (lith_order_is_nan(order, lith_dictionary_at(dictionary, i)))
            return true;
    }
    return false;
}

static enum lith_code ids_add(struct lith_value_check *check, const struct lith_values *values,
                              uint64_t *nans, struct lith_err *err)
{
    if (!check->used.dictionary)
        check->used_has_nans = has_nans(check->order, values->dictionary);
    LITH_TRY(lith_used_add(&check->used, values, err));
    for (size_t i = 0; check->used_has_nans && i < values->count; i++)
        *nans +=
            lith_order_is_nan(check->order, lith_dictionary_at(values->dictionary, values->ids[i]));
    return LITH_OK;
}

enum lith_code lith_value_check_add(struct lith_value_check *check,
                                    const struct lith_values *values, uint64_t *nans,
                                    struct lith_err *err)
{
    if (values->ids)
        return ids_add(check, values, nans, err);
    LITH_TRY(order_check(check, values, nans, err));
    return bloom_check(check, values, err);
}

enum lith_code lith_value_check_page_end(struct lith_value_check *check, struct lith_err *err)
{
    struct lith_used_block block;
    uint64_t counted = 0; /* by id, before */

    for (size_t at = 0; lith_used_next(&check->used, &at, false, &block);)
        LITH_TRY(order_check(check, &block.values, &counted, err));
    for (size_t at = 0; check->bloom.bits && lith_used_next(&check->used, &at, true, &block);)
        LITH_TRY(bloom_check(check, &block.values, err));
    lith_used_page_end(&check->used);
    return LITH_OK;
}
