/*
 * A leaf of a bucket in memory: tables say where each row begins, and a batch is made in two steps:
 * levels, with the values they pick; then those values.
 */
#include "base/checked.h"
#include "sort/gather_state.h"

/* What loading takes; false where a number does not fit 32 bits. */
static bool loaded_bytes(const struct lith_gather *gather, size_t *ret_bytes)
{
    uint64_t rep = lith_gather_part(gather, LITH_PART_REP)->bytes;
    uint64_t def = lith_gather_part(gather, LITH_PART_DEF)->bytes;
    uint64_t values = lith_gather_part(gather, LITH_PART_VALUES)->bytes;
    uint64_t bytes = lith_gather_part(gather, LITH_PART_BYTES)->bytes;
    uint64_t each = gather->width ? gather->width : sizeof(uint32_t);
    uint64_t rows = gather->order->row_count;

    if (rep >= UINT32_MAX || def >= UINT32_MAX || values / each >= UINT32_MAX ||
        bytes >= UINT32_MAX)
        return false;
    uint64_t sum = lith_sum_u64(values, rep + def + bytes);
    if (rep)
        sum = lith_sum_u64(sum, (rows + 1) * sizeof(uint32_t));
    if (rep || def)
        sum = lith_sum_u64(sum, rows * sizeof(uint32_t));
    sum = lith_sum_u64(sum, sizeof(uint32_t)); /* the end of the last byte array */
    *ret_bytes = (size_t)sum;
    return sum <= SIZE_MAX;
}

bool lith_gather_loads(const struct lith_gather *gather)
{
    size_t bytes;

    return loaded_bytes(gather, &bytes) && bytes <= gather->memory_bytes_max;
}

static void *take(uint8_t **next, uint64_t bytes)
{
    void *here = *next;

    *next += bytes;
    return here;
}

/* Deals the block out, what has 32 bits first. */
static void block_cut(struct lith_gather *gather)
{
    struct lith_gather_loaded *l = &gather->loaded;
    uint64_t rep = lith_gather_part(gather, LITH_PART_REP)->bytes;
    uint64_t def = lith_gather_part(gather, LITH_PART_DEF)->bytes;
    uint64_t values = lith_gather_part(gather, LITH_PART_VALUES)->bytes;
    uint64_t rows = gather->order->row_count;
    uint8_t *next = l->block;

    l->value_count = (uint32_t)(values / (gather->width ? gather->width : sizeof(uint32_t)));
    if (rep)
        l->row_positions = take(&next, (rows + 1) * sizeof(uint32_t));
    if (rep || def)
        l->row_values = take(&next, rows * sizeof(uint32_t));
    if (!gather->width)
        l->byte_starts = take(&next, values + sizeof(uint32_t));
    l->values =
        take(&next, gather->width ? values : lith_gather_part(gather, LITH_PART_BYTES)->bytes);
    if (rep)
        l->rep_levels = take(&next, rep);
    if (def)
        l->def_levels = take(&next, def);
}

static enum lith_code part_load(struct lith_gather *gather, enum lith_bucket_part part, void *to,
                                struct lith_err *err)
{
    return to ? lith_stored_part_load(lith_gather_part(gather, part), to, err) : LITH_OK;
}

/* Lengths become starts, where they stand. */
static enum lith_code starts_make(struct lith_gather *gather, struct lith_err *err)
{
    struct lith_gather_loaded *l = &gather->loaded;
    uint64_t sum = 0;

    if (!l->byte_starts)
        return LITH_OK;
    for (uint32_t i = 0; i < l->value_count; i++) {
        uint32_t length = l->byte_starts[i];
        l->byte_starts[i] = (uint32_t)sum;
        sum += length;
    }
    l->byte_starts[l->value_count] = (uint32_t)sum;
    if (sum != lith_gather_part(gather, LITH_PART_BYTES)->bytes)
        return lith_scratch_damaged(err);
    return LITH_OK;
}

/* Rows of one position each: how many values come before each of them. */
static enum lith_code flat_rows_make(struct lith_gather *gather, struct lith_err *err)
{
    struct lith_gather_loaded *l = &gather->loaded;
    size_t rows = gather->order->row_count;
    uint8_t max_def = (uint8_t)gather->leaf->max_def;
    uint32_t value = 0;

    if (!l->def_levels)
        return l->value_count == rows ? LITH_OK : lith_scratch_damaged(err);
    if (lith_gather_part(gather, LITH_PART_DEF)->bytes != rows)
        return lith_scratch_damaged(err);
    for (size_t i = 0; i < rows; i++) {
        l->row_values[i] = value;
        value += l->def_levels[i] == max_def;
    }
    return value == l->value_count ? LITH_OK : lith_scratch_damaged(err);
}

static enum lith_code list_rows_make(struct lith_gather *gather, struct lith_err *err)
{
    struct lith_gather_loaded *l = &gather->loaded;
    size_t positions = (size_t)lith_gather_part(gather, LITH_PART_REP)->bytes;
    size_t rows = gather->order->row_count, row = 0;
    uint8_t max_def = (uint8_t)gather->leaf->max_def;
    uint32_t value = 0;

    if (l->def_levels && lith_gather_part(gather, LITH_PART_DEF)->bytes != positions)
        return lith_scratch_damaged(err);
    for (size_t i = 0; i < positions; i++) {
        if (l->rep_levels[i] == 0) {
            if (row == rows)
                return lith_scratch_damaged(err);
            l->row_positions[row] = (uint32_t)i;
            l->row_values[row++] = value;
        }
        value += !l->def_levels || l->def_levels[i] == max_def;
    }
    if (row != rows || value != l->value_count || l->rep_levels[0] != 0)
        return lith_scratch_damaged(err);
    l->row_positions[rows] = (uint32_t)positions;
    return LITH_OK;
}

enum lith_code lith_gather_load(struct lith_gather *gather, struct lith_err *err)
{
    struct lith_gather_loaded *l = &gather->loaded;
    size_t bytes = 0;

    if (!loaded_bytes(gather, &bytes))
        return lith_scratch_damaged(err); /* not after lith_gather_loads */
    LITH_TRY(lith_alloc(gather->work->mem, bytes, &l->block, err));
    block_cut(gather);
    LITH_TRY(part_load(gather, LITH_PART_REP, l->rep_levels, err));
    LITH_TRY(part_load(gather, LITH_PART_DEF, l->def_levels, err));
    LITH_TRY(part_load(gather, LITH_PART_VALUES,
                       gather->width ? (void *)l->values : (void *)l->byte_starts, err));
    LITH_TRY(part_load(gather, LITH_PART_BYTES, gather->width ? NULL : l->values, err));
    LITH_TRY(starts_make(gather, err));
    return l->rep_levels ? list_rows_make(gather, err) : flat_rows_make(gather, err);
}

/* Levels of rows of one position, and the values they pick. */
static void flat_pick(struct lith_gather *gather)
{
    const struct lith_gather_loaded *l = &gather->loaded;
    const uint32_t *arrivals = gather->order->arrivals + gather->row;
    uint16_t max_def = gather->leaf->max_def;
    size_t values = 0;

    for (size_t i = 0; i < gather->position_count; i++) {
        uint16_t level = l->def_levels[arrivals[i]];
        gather->def_levels[i] = level;
        gather->picks[values] = l->row_values[arrivals[i]];
        values += level == max_def;
    }
    gather->value_count = values;
}

/* `count` positions of a list's row, from `at` on; `value` is the next value. */
static uint32_t positions_pick(struct lith_gather *gather, size_t at, size_t count, uint32_t value)
{
    const struct lith_gather_loaded *l = &gather->loaded;
    uint16_t max_def = gather->leaf->max_def;
    size_t to = gather->position_count;

    for (size_t i = 0; i < count; i++) {
        uint16_t level = l->def_levels ? l->def_levels[at + i] : max_def;
        gather->rep_levels[to + i] = l->rep_levels[at + i];
        gather->def_levels[to + i] = level;
        gather->picks[gather->value_count] = value;
        gather->value_count += level == max_def;
        value += level == max_def;
    }
    gather->position_count += count;
    return value;
}

static void lists_pick(struct lith_gather *gather)
{
    const struct lith_gather_loaded *l = &gather->loaded;
    const struct lith_bucket_order *order = gather->order;

    gather->position_count = 0;
    gather->value_count = 0;
    while (gather->row < order->row_count && gather->position_count < gather->positions_max) {
        uint32_t arrival = order->arrivals[gather->row];
        size_t at = l->row_positions[arrival] + (size_t)gather->positions_done;
        uint32_t value = l->row_values[arrival] + (uint32_t)gather->values_done;
        size_t left = l->row_positions[arrival + 1] - at;
        size_t some = lith_min_size(left, gather->positions_max - gather->position_count);
        uint32_t next = positions_pick(gather, at, some, value);
        gather->positions_done += some;
        gather->values_done += next - value;
        if (some == left) {
            gather->row++;
            gather->positions_done = 0;
            gather->values_done = 0;
        }
    }
}

LITH_TEMPLATE void fixed_take(uint8_t *to, const uint8_t *from, const uint32_t *picks, size_t count,
                              size_t width)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, from + picks[i] * width, width);
}

static void fixed_gather(uint8_t *to, const uint8_t *from, const uint32_t *picks, size_t count,
                         size_t width)
{
    switch (width) {
    case 1:
        fixed_take(to, from, picks, count, 1);
        break;
    case 2:
        fixed_take(to, from, picks, count, 2);
        break;
    case 4:
        fixed_take(to, from, picks, count, 4);
        break;
    case 8:
        fixed_take(to, from, picks, count, 8);
        break;
    case 12:
        fixed_take(to, from, picks, count, 12);
        break;
    case 16:
        fixed_take(to, from, picks, count, 16);
        break;
    default:
        fixed_take(to, from, picks, count, width);
    }
}

static enum lith_code values_take(struct lith_gather *gather, const uint32_t *picks,
                                  struct lith_err *err)
{
    const struct lith_gather_loaded *l = &gather->loaded;
    size_t count = gather->value_count;

    if (gather->width) {
        lith_buf_clear(&gather->values);
        LITH_TRY(lith_buf_reserve(&gather->values, count * gather->width, err));
        fixed_gather(gather->values.data, l->values, picks, count, gather->width);
        return LITH_OK;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t start = l->byte_starts[picks[i]];
        gather->slices[i] =
            (struct lith_slice){l->values + start, l->byte_starts[picks[i] + 1] - start};
    }
    return LITH_OK;
}

enum lith_code lith_gather_loaded_next(struct lith_gather *gather, struct lith_err *err)
{
    const uint32_t *picks = gather->picks;

    if (gather->loaded.rep_levels) {
        lists_pick(gather);
        return values_take(gather, picks, err);
    }
    size_t rows = lith_min_size(gather->order->row_count - gather->row, gather->positions_max);
    gather->position_count = rows;
    gather->value_count = rows;
    if (gather->loaded.def_levels)
        flat_pick(gather);
    else
        picks = gather->order->arrivals + gather->row;
    gather->row += rows;
    return values_take(gather, picks, err);
}
