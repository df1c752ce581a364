/*
 * Packing keys of up to eight bytes, or of nine of which the first is the marker of a value.
 */
#include "sort/packed_rows.h"

#include "base/checked.h"
#include "sort/sort_record.h"

/* Of a place that a recipe takes: 32 bits, of which no number is shifted by all. */
#define PLACE_BITS_MAX 31u

static uint32_t bits_of(uint64_t number)
{
    return number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
}

/* Says how rows are packed; false where they cannot be. */
static bool packing_set(struct lith_packed_rows *rows, const struct lith_sort_outlook *outlook)
{
    size_t width = outlook->smallest.bytes;

    if (width == 0 || width > LITH_RECORD_KEY_BYTES || width != outlook->largest.bytes)
        return false;
    if (width == LITH_RECORD_KEY_BYTES && outlook->smallest.data[0] != outlook->largest.data[0])
        return false; /* nulls are among them */
    rows->width = width;
    rows->marker = outlook->smallest.data[0];
    rows->least = lith_key_number(outlook->smallest.data, width);
    rows->spread = lith_key_number(outlook->largest.data, width) - rows->least;
    rows->row_bits = bits_of(outlook->unit_rows_max - 1);
    rows->place_bits = rows->row_bits + bits_of(outlook->unit_count - 1);
    rows->unit_begin = outlook->unit_begin;
    rows->count_max = outlook->row_count;
    return rows->place_bits < 64 && bits_of(rows->spread) + rows->place_bits <= 64;
}

void lith_packed_rows_done(struct lith_packed_rows *rows)
{
    lith_free(rows->numbers);
    lith_free(rows->room);
    *rows = (struct lith_packed_rows){0};
}

/* Numbers that were kept get their places where they stand. The first look took them and what they
 * lie between from the same rows. */
static void kept_pack(struct lith_packed_rows *rows, const struct lith_kept_keys *kept)
{
    bool wrong = false;

    for (size_t unit = 0; unit < kept->unit_count; unit++) {
        uint64_t *numbers = rows->numbers + kept->units[unit].begin;
        uint64_t place = (uint64_t)unit << rows->row_bits;
        for (size_t i = 0; i < kept->units[unit].count; i++) {
            uint64_t above = numbers[i] - rows->least;
            wrong |= above > rows->spread;
            numbers[i] = above << rows->place_bits | (place + i);
        }
    }
    LITH_ASSERT(!wrong);
    rows->count = kept->count;
}

/* Room for all numbers: those that were kept, with more behind them. */
static enum lith_code numbers_begin(struct lith_packed_rows *rows, struct lith_kept_keys *kept,
                                    struct lith_err *err)
{
    bool keeps = kept && kept->width == rows->width; /* markers lie between those of the bounds */
    void *block = keeps ? kept->numbers : NULL;

    LITH_TRY(lith_realloc(rows->mem, &block, rows->count_max * sizeof(*rows->numbers), err));
    rows->numbers = block;
    if (!keeps)
        return LITH_OK;
    kept->numbers = NULL;
    LITH_ASSERT(kept->count <= rows->count_max);
    kept_pack(rows, kept);
    return LITH_OK;
}

enum lith_code lith_packed_rows_init(struct lith_packed_rows *rows,
                                     const struct lith_sort_outlook *outlook,
                                     size_t memory_bytes_max, struct lith_mem *mem,
                                     struct lith_err *err)
{
    struct lith_packed_rows made = {0};
    void *room;

    LITH_ASSERT(outlook->row_count > 0);
    LITH_ASSERT(outlook->unit_rows_max > 0);
    *rows = made;
    if (outlook->row_count > lith_packed_rows_max(memory_bytes_max) || !packing_set(&made, outlook))
        return LITH_OK;
    made.mem = mem;
    LITH_TRY(lith_alloc(mem, sizeof(*rows->room), &room, err));
    made.room = room;
    enum lith_code code = numbers_begin(&made, outlook->kept, err);
    if (code != LITH_OK) {
        lith_packed_rows_done(&made);
        return code;
    }
    *rows = made;
    return LITH_OK;
}

/* False where a key is not what was expected. */
LITH_TEMPLATE bool keys_pack(const struct lith_packed_rows *rows, const uint8_t *key, size_t width,
                             size_t count, uint64_t place, uint64_t *to)
{
    bool wrong = false;

    for (size_t i = 0; i < count; i++, key += width) {
        uint64_t above = lith_key_number(key, width) - rows->least;
        wrong |= above > rows->spread || (width > 8 && key[0] != rows->marker);
        to[i] = above << rows->place_bits | (place + i);
    }
    return !wrong;
}

enum lith_code lith_packed_rows_add(struct lith_packed_rows *rows,
                                    const struct lith_key_batch *keys, uint32_t unit, uint64_t row,
                                    struct lith_err *err)
{
    uint64_t place = (uint64_t)(unit - rows->unit_begin) << rows->row_bits | row;
    uint64_t *to = rows->numbers + rows->count;
    bool right = keys->count <= rows->count_max - rows->count &&
                 bits_of(row + keys->count - 1) <= rows->row_bits &&
                 bits_of(place) <= rows->place_bits;

    LITH_ASSERT(rows->width > 0);
    LITH_ASSERT(keys->width == rows->width);
    if (right && keys->width == 8)
        right = keys_pack(rows, keys->data, 8, keys->count, place, to);
    else if (right && keys->width == 9)
        right = keys_pack(rows, keys->data, 9, keys->count, place, to);
    else if (right)
        right = keys_pack(rows, keys->data, keys->width, keys->count, place, to);
    if (!right)
        return lith_fail(err, LITH_E_CONFLICT, "it changed while it was being merged");
    rows->count += keys->count;
    return LITH_OK;
}

/* How many of the rows, from the first on, follow each other in its unit. */
static size_t run_length(const struct lith_packed_rows *rows, size_t at)
{
    uint64_t place_mask = (UINT64_C(1) << rows->place_bits) - 1;
    uint64_t row_mask = (UINT64_C(1) << rows->row_bits) - 1;
    uint64_t place = rows->numbers[at] & place_mask;
    size_t length = 1;

    while (at + length < rows->count && (place & row_mask) + length <= row_mask &&
           (rows->numbers[at + length] & place_mask) == place + length)
        length++;
    return length;
}

void lith_packed_rows_sort(struct lith_packed_rows *rows)
{
    lith_numbers_sort(rows->numbers, rows->count, rows->room);
}

static enum lith_code runs_emit(struct lith_packed_rows *rows, struct lith_recipe *recipe,
                                struct lith_err *err)
{
    uint64_t place_mask = (UINT64_C(1) << rows->place_bits) - 1;
    uint64_t row_mask = (UINT64_C(1) << rows->row_bits) - 1;

    for (size_t at = 0; at < rows->count;) {
        uint64_t place = rows->numbers[at] & place_mask;
        size_t length = run_length(rows, at);
        LITH_TRY(lith_recipe_add(recipe, rows->unit_begin + (uint32_t)(place >> rows->row_bits),
                                 place & row_mask, length, err));
        at += length;
    }
    return LITH_OK;
}

/* The first key of a row as a number: its key without the `rest_bits` behind it. */
static uint64_t first_key(const struct lith_packed_rows *rows, size_t at, uint32_t rest_bits)
{
    uint64_t key = (rows->numbers[at] >> rows->place_bits) + rows->least;

    return rest_bits < 64 ? key >> rest_bits : 0; /* it is the marker, which is in no number */
}

/* Where among sorted rows [low, high), of which only one end has this first key, it begins or ends;
 * `high`: nowhere. */
static size_t first_key_border(const struct lith_packed_rows *rows, size_t low, size_t high,
                               uint64_t first, uint32_t rest_bits, bool begins)
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((first_key(rows, middle, rest_bits) == first) == begins)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

enum lith_code lith_packed_rows_stretches(const struct lith_packed_rows *rows,
                                          struct lith_key_stretches *stretches,
                                          struct lith_err *err)
{
    uint32_t rest_bits = (uint32_t)(8 * (rows->width - lith_key_stretches_width(stretches)));
    size_t end = 0;

    /* A long stretch that begins at `end` or later has this row, or one behind it. */
    while (stretches->rows_min <= rows->count - end) {
        size_t at = end + (size_t)stretches->rows_min - 1;
        uint64_t first = first_key(rows, at, rest_bits);
        size_t begin = first_key_border(rows, end, at, first, rest_bits, true);
        end = first_key_border(rows, at, rows->count, first, rest_bits, false);
        LITH_TRY(
            lith_key_stretches_put(stretches, stretches->row + begin, stretches->row + end, err));
    }
    stretches->row += rows->count;
    return LITH_OK;
}

/* Numbers become places where they stand, each written where none is read any more. */
static enum lith_code places_give(struct lith_packed_rows *rows, struct lith_recipe *recipe,
                                  struct lith_err *err)
{
    uint32_t place_mask = (uint32_t)((UINT64_C(1) << rows->place_bits) - 1);
    uint8_t *to = (uint8_t *)rows->numbers; /* bytes, which may stand for either */
    void *block = rows->numbers;

    for (size_t i = 0; i < rows->count; i++)
        lith_store_u32(to + i * sizeof(uint32_t), (uint32_t)rows->numbers[i] & place_mask);
    LITH_TRY(lith_realloc(rows->mem, &block, rows->count * sizeof(uint32_t), err));
    lith_recipe_take_places(recipe, block, rows->count, rows->unit_begin, rows->row_bits);
    rows->numbers = NULL;
    return LITH_OK;
}

enum lith_code lith_packed_rows_emit(struct lith_packed_rows *rows, struct lith_recipe *recipe,
                                     struct lith_err *err)
{
    if (rows->place_bits <= PLACE_BITS_MAX && lith_recipe_wants_places(recipe, rows->count))
        return places_give(rows, recipe, err);
    return runs_emit(rows, recipe, err);
}
