/*
 * Numbers in order: each value becomes a rank, an unsigned number in the order that is asked for,
 * with a class below or above it for nulls. Then rows are compared column by column: a row stands
 * right where the first column that differs grows.
 */
#include "verify/sorted_numbers.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/order.h"

#define CLASS_NULL_FIRST 0u
#define CLASS_VALUE 1u
#define CLASS_NULL_LAST 2u

/* The rows of one column that are compared; [0] is the row in front of them. */
struct column {
    const struct lith_sorting_column *sorting;
    const struct lith_schema_node *leaf;
    enum lith_order order;
    struct lith_chunk_reader *reader;
    struct lith_batch batch;
    size_t position; /* in the batch */
    size_t value;
    uint64_t ranks[LITH_BATCH_POSITIONS + 1];
    uint8_t classes[LITH_BATCH_POSITIONS + 1];
};

struct check {
    struct column *columns;
    uint32_t count;
    uint64_t row;                        /* of the row group, the first that is compared */
    uint8_t equal[LITH_BATCH_POSITIONS]; /* to the row in front, in the columns so far */
};

static bool is_number(enum lith_order order)
{
    return order == LITH_ORDER_SIGNED_32 || order == LITH_ORDER_SIGNED_64 ||
           order == LITH_ORDER_UNSIGNED_32 || order == LITH_ORDER_UNSIGNED_64 ||
           order == LITH_ORDER_FLOAT || order == LITH_ORDER_DOUBLE;
}

bool lith_sorted_numbers_fit(const struct lith_footer *footer, uint32_t row_group)
{
    const struct lith_row_group *group = &footer->row_groups[row_group];

    for (uint32_t i = 0; i < group->sorting_column_count; i++) {
        const struct lith_schema_node *leaf =
            lith_schema_leaf(&footer->schema, (uint32_t)group->sorting_columns[i].column_index);
        if (leaf->max_rep > 0 || !is_number(lith_order_of(leaf)))
            return false;
    }
    return true;
}

/* A double by its place in the order: -0 as +0, all NaNs behind all else. A float is one too. */
static inline uint64_t double_rank(double value)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;

    if (value != value)
        return UINT64_MAX;
    if (value == 0)
        return sign;
    memcpy(&bits, &value, sizeof(bits));
    return bits & sign ? ~bits : bits | sign;
}

LITH_TEMPLATE uint64_t rank_of(enum lith_order order, const uint8_t *value)
{
    const uint64_t sign = UINT64_C(1) << 63;
    float single;
    double number;

    if (order == LITH_ORDER_SIGNED_32)
        return (uint64_t)(int64_t)(int32_t)lith_load_u32(value) ^ sign;
    if (order == LITH_ORDER_UNSIGNED_32)
        return lith_load_u32(value);
    if (order == LITH_ORDER_SIGNED_64)
        return lith_load_u64(value) ^ sign;
    if (order == LITH_ORDER_UNSIGNED_64)
        return lith_load_u64(value);
    if (order == LITH_ORDER_FLOAT) {
        memcpy(&single, value, sizeof(single));
        return double_rank((double)single);
    }
    memcpy(&number, value, sizeof(number));
    return double_rank(number);
}

LITH_TEMPLATE void ranks_make(enum lith_order order, const uint8_t *values, size_t width,
                              size_t count, uint64_t flip, uint64_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = rank_of(order, values + i * width) ^ flip;
}

/* The ranks of `count` values, from the next one on. */
static void values_rank(const struct column *column, size_t count, uint64_t *to)
{
    const uint8_t *values = column->batch.values.fixed + column->value * column->batch.values.width;
    uint64_t flip = column->sorting->descending ? UINT64_MAX : 0;

    if (column->order == LITH_ORDER_SIGNED_32)
        ranks_make(LITH_ORDER_SIGNED_32, values, 4, count, flip, to);
    else if (column->order == LITH_ORDER_UNSIGNED_32)
        ranks_make(LITH_ORDER_UNSIGNED_32, values, 4, count, flip, to);
    else if (column->order == LITH_ORDER_FLOAT)
        ranks_make(LITH_ORDER_FLOAT, values, 4, count, flip, to);
    else if (column->order == LITH_ORDER_SIGNED_64)
        ranks_make(LITH_ORDER_SIGNED_64, values, 8, count, flip, to);
    else if (column->order == LITH_ORDER_UNSIGNED_64)
        ranks_make(LITH_ORDER_UNSIGNED_64, values, 8, count, flip, to);
    else
        ranks_make(LITH_ORDER_DOUBLE, values, 8, count, flip, to);
}

/* Moves the ranks of values, which stand in front, to where their rows are. Returns how many. */
static size_t nulls_place(struct column *column, size_t count)
{
    const uint16_t *levels = column->batch.def_levels + column->position;
    uint8_t null_class = column->sorting->nulls_first ? CLASS_NULL_FIRST : CLASS_NULL_LAST;
    size_t values = 0;

    for (size_t i = 0; i < count; i++)
        values += levels[i] == column->leaf->max_def;
    values_rank(column, values, column->ranks + 1);
    for (size_t i = count, left = values; i > 0; i--) {
        bool is_value = levels[i - 1] == column->leaf->max_def;
        column->classes[i] = is_value ? CLASS_VALUE : null_class;
        column->ranks[i] = is_value ? column->ranks[left] : 0;
        left -= is_value;
    }
    return values;
}

/* Takes the next `count` rows of a column; the last ones before stand in front. */
static void rows_take(struct column *column, size_t count)
{
    size_t values = count;

    if (column->batch.values.count == column->batch.position_count) {
        values_rank(column, count, column->ranks + 1);
        memset(column->classes + 1, CLASS_VALUE, count);
    } else {
        values = nulls_place(column, count);
    }
    column->position += count;
    column->value += values;
}

/* Compares rows with those in front of them; true when none sorts before it. */
static bool rows_compare(const struct column *column, uint8_t *equal, size_t count)
{
    const uint64_t *ranks = column->ranks;
    const uint8_t *classes = column->classes;
    unsigned wrong = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned same_class = classes[i] == classes[i + 1];
        unsigned before = (classes[i] > classes[i + 1]) | (same_class & (ranks[i] > ranks[i + 1]));
        wrong |= equal[i] & before;
        equal[i] &= (uint8_t)(same_class & (ranks[i] == ranks[i + 1]));
    }
    return !wrong;
}

/* The first of the rows that stands wrong: it differs from the row in front as no other may. */
static size_t wrong_find(const struct check *check, size_t count)
{
    for (size_t i = check->row == 0; i < count; i++) {
        for (uint32_t k = 0; k < check->count; k++) {
            const struct column *column = &check->columns[k];
            int difference = (column->classes[i] > column->classes[i + 1]) -
                             (column->classes[i] < column->classes[i + 1]);
            if (difference == 0)
                difference = (column->ranks[i] > column->ranks[i + 1]) -
                             (column->ranks[i] < column->ranks[i + 1]);
            if (difference > 0)
                return i;
            if (difference < 0)
                break;
        }
    }
    return count;
}

static enum lith_code stretch_check(struct check *check, size_t count, struct lith_err *err)
{
    bool right = true;

    memset(check->equal, 1, count);
    check->equal[0] = check->row > 0; /* nothing is in front of the first one */
    for (uint32_t k = 0; k < check->count; k++) {
        rows_take(&check->columns[k], count);
        right &= rows_compare(&check->columns[k], check->equal, count);
    }
    if (!right)
        return lith_fail(err, LITH_E_CORRUPT,
                         "sorting_columns: row %" PRIu64 " sorts before the row in front of it",
                         check->row + wrong_find(check, count));
    for (uint32_t k = 0; k < check->count; k++) {
        check->columns[k].ranks[0] = check->columns[k].ranks[count];
        check->columns[k].classes[0] = check->columns[k].classes[count];
    }
    check->row += count;
    return LITH_OK;
}

/* So many rows are at hand in all columns; 0 at the end of one: all columns of a row group have its
 * rows, or reading them fails. */
static enum lith_code rows_fill(struct check *check, size_t *ret_count, struct lith_err *err)
{
    *ret_count = LITH_BATCH_POSITIONS;
    for (uint32_t k = 0; k < check->count; k++) {
        struct column *column = &check->columns[k];
        if (column->position == column->batch.position_count) {
            LITH_TRY(lith_chunk_reader_next(column->reader, &column->batch, err));
            column->position = 0;
            column->value = 0;
        }
        *ret_count = lith_min_size(*ret_count, column->batch.position_count - column->position);
    }
    return LITH_OK;
}

static enum lith_code rows_check(struct check *check, struct lith_err *err)
{
    size_t count;

    for (;;) {
        LITH_TRY(rows_fill(check, &count, err));
        if (count == 0)
            return LITH_OK;
        LITH_TRY(stretch_check(check, count, err));
    }
}

enum lith_code lith_sorted_numbers_check(struct lith_source *source,
                                         const struct lith_footer *footer, uint32_t row_group,
                                         struct lith_codec_context *codecs,
                                         const struct lith_work *work, struct lith_err *err)
{
    const struct lith_row_group *group = &footer->row_groups[row_group];
    LITH_AUTO(block) void *block = NULL;
    LITH_AUTO(block) void *columns = NULL;
    enum lith_code code = LITH_OK;

    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct check), &block, err));
    LITH_TRY(lith_alloc_array(work->mem, group->sorting_column_count, sizeof(struct column),
                              &columns, err));
    struct check *check = block;
    check->columns = columns;
    check->count = group->sorting_column_count;
    for (uint32_t i = 0; i < check->count && code == LITH_OK; i++) {
        struct column *column = &check->columns[i];
        uint32_t leaf = (uint32_t)group->sorting_columns[i].column_index;
        column->sorting = &group->sorting_columns[i];
        column->leaf = lith_schema_leaf(&footer->schema, leaf);
        column->order = lith_order_of(column->leaf);
        code = lith_chunk_reader_open(source, footer, row_group, leaf, codecs, work,
                                      &column->reader, err);
    }
    if (code == LITH_OK)
        code = rows_check(check, err);
    for (uint32_t i = 0; i < check->count; i++)
        lith_chunk_reader_close(check->columns[i].reader);
    return code;
}
