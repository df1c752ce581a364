/*
 * Keeping keys: one array that grows by doubling, cut back where a unit is dropped.
 */
#include "sort/kept_keys.h"

#include "base/array.h"
#include "base/checked.h"
#include "sort/sort_record.h"

#define COUNT_ROOM_MIN ((size_t)64 << 10)

void lith_kept_keys_init(struct lith_kept_keys *kept, const struct lith_key_layout *layout,
                         size_t bytes_max, uint64_t rows_max, struct lith_mem *mem)
{
    *kept = (struct lith_kept_keys){
        .mem = mem,
        .width = layout->width <= LITH_RECORD_KEY_BYTES ? layout->width : 0,
        .count_max = bytes_max / sizeof(*kept->numbers),
        .rows_max = rows_max,
    };
}

void lith_kept_keys_done(struct lith_kept_keys *kept)
{
    lith_free(kept->numbers);
    lith_free(kept->units);
    *kept = (struct lith_kept_keys){0};
}

/* Nothing is kept where there is no room for it: keys can be read again. */
static enum lith_code given_up(struct lith_kept_keys *kept, enum lith_code code)
{
    if (code != LITH_E_LIMIT)
        return code;
    lith_kept_keys_done(kept);
    return LITH_OK;
}

/* Makes room for `count` numbers more; *ret_fits is false where there may not be so many. */
static enum lith_code room_make(struct lith_kept_keys *kept, size_t count, bool *ret_fits,
                                struct lith_err *err)
{
    size_t room = lith_max_size(kept->count_room, COUNT_ROOM_MIN);
    void *block = kept->numbers;

    *ret_fits = count <= kept->count_max - kept->count;
    if (!*ret_fits || count <= kept->count_room - kept->count)
        return LITH_OK;
    while (room < kept->count + count)
        room *= 2;
    room = lith_min_size(room, kept->count_max);
    LITH_TRY(lith_realloc(kept->mem, &block, room * sizeof(*kept->numbers), err));
    kept->numbers = block;
    kept->count_room = room;
    return LITH_OK;
}

LITH_TEMPLATE void numbers_add(struct lith_kept_keys *kept, const struct lith_key_batch *keys,
                               size_t width)
{
    uint64_t *to = kept->numbers + kept->count;
    const uint8_t *key = keys->data;

    for (size_t i = 0; i < keys->count; i++, key += width)
        to[i] = lith_key_number(key, width);
    kept->count += keys->count;
}

enum lith_code lith_kept_keys_add(struct lith_kept_keys *kept, const struct lith_key_batch *keys,
                                  struct lith_err *err)
{
    bool fits;

    LITH_ASSERT(lith_kept_keys_wants(kept));
    LITH_ASSERT(kept->width > 0);
    LITH_ASSERT(keys->width == kept->width);
    if (keys->count == 0)
        return LITH_OK;
    enum lith_code code = room_make(kept, keys->count, &fits, err);
    if (code != LITH_OK)
        return given_up(kept, code);
    if (!fits) {
        kept->is_dropped = true;
        kept->count = kept->begin;
        return LITH_OK;
    }
    if (kept->width == 8)
        numbers_add(kept, keys, 8);
    else if (kept->width == 9)
        numbers_add(kept, keys, 9);
    else
        numbers_add(kept, keys, kept->width);
    return LITH_OK;
}

static bool overlap(const struct lith_unit_range *a, const struct lith_unit_range *b)
{
    return lith_key_compare(a->smallest.bytes, b->largest.bytes) <= 0 &&
           lith_key_compare(b->smallest.bytes, a->largest.bytes) <= 0;
}

enum lith_code lith_kept_keys_unit(struct lith_kept_keys *kept, const struct lith_unit_range *range,
                                   const struct lith_unit_range *before, struct lith_err *err)
{
    void *array = kept->units;

    kept->row_count += range->row_count;
    if (kept->row_count > kept->rows_max ||
        (kept->width == LITH_RECORD_KEY_BYTES &&
         range->smallest.bytes.data[0] != range->largest.bytes.data[0]))
        lith_kept_keys_done(kept);
    if (kept->width == 0)
        return LITH_OK;
    enum lith_code code =
        lith_array_grow(kept->mem, &array, kept->unit_count, sizeof(*kept->units), err);
    if (code != LITH_OK)
        return given_up(kept, code);
    kept->units = array;
    LITH_ASSERT(kept->count == kept->begin || kept->count - kept->begin == range->row_count);
    kept->units[kept->unit_count++] =
        (struct lith_kept_unit){kept->begin, kept->count - kept->begin};
    kept->is_wanted = kept->is_wanted || !range->in_order || (before && overlap(range, before));
    kept->begin = kept->count;
    kept->is_dropped = false;
    return LITH_OK;
}
