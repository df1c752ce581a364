/*
 * Order of a unit's rows: batch against batch by key bytes, inside a batch by values where one
 * key of 32 or 64 bits decides, else by key bytes too.
 *
 * Once a row stands wrong only the smallest and largest key are still wanted.
 */
#include "sort/key_order.h"

#include "base/checked.h"
#include "sort/sort_record.h"

void lith_key_order_init(struct lith_key_order *order, const struct lith_key_layout *layout,
                         struct lith_mem *mem)
{
    *order = (struct lith_key_order){.layout = layout, .in_order = true};
    lith_key_builder_init(&order->builder, layout, mem);
    lith_buf_init(&order->smallest, mem, SIZE_MAX);
    lith_buf_init(&order->largest, mem, SIZE_MAX);
}

void lith_key_order_done(struct lith_key_order *order)
{
    if (!order->layout)
        return;
    lith_key_builder_done(&order->builder);
    lith_buf_done(&order->smallest);
    lith_buf_done(&order->largest);
}

void lith_key_order_begin(struct lith_key_order *order)
{
    order->in_order = true;
    order->row_count = 0;
}

/*
 * Loops over values side by side without a branch: whether one is WRONG in front of the next. A NaN
 * is the greatest, and equal to another.
 */
#define VALUES_IN_ORDER(name, type, WRONG)                                                         \
    static bool name(const uint8_t *values, size_t count)                                          \
    {                                                                                              \
        bool wrong = false;                                                                        \
        for (size_t i = 0; i + 1 < count; i++) {                                                   \
            type a, b;                                                                             \
            memcpy(&a, values + i * sizeof(a), sizeof(a));                                         \
            memcpy(&b, values + (i + 1) * sizeof(b), sizeof(b));                                   \
            wrong |= WRONG(a, b);                                                                  \
        }                                                                                          \
        return !wrong;                                                                             \
    }
#define GREATER(a, b) ((a) > (b))
#define LESS(a, b) GREATER(b, a)
#define FLOAT_GREATER(a, b) (!(((a) <= (b)) | ((b) != (b))))
#define FLOAT_LESS(a, b) FLOAT_GREATER(b, a)
VALUES_IN_ORDER(signed_32_ascend, int32_t, GREATER)
VALUES_IN_ORDER(signed_32_descend, int32_t, LESS)
VALUES_IN_ORDER(signed_64_ascend, int64_t, GREATER)
VALUES_IN_ORDER(signed_64_descend, int64_t, LESS)
VALUES_IN_ORDER(unsigned_32_ascend, uint32_t, GREATER)
VALUES_IN_ORDER(unsigned_32_descend, uint32_t, LESS)
VALUES_IN_ORDER(unsigned_64_ascend, uint64_t, GREATER)
VALUES_IN_ORDER(unsigned_64_descend, uint64_t, LESS)
VALUES_IN_ORDER(float_ascend, float, FLOAT_GREATER)
VALUES_IN_ORDER(float_descend, float, FLOAT_LESS)
VALUES_IN_ORDER(double_ascend, double, FLOAT_GREATER)
VALUES_IN_ORDER(double_descend, double, FLOAT_LESS)

typedef bool values_check_fn(const uint8_t *values, size_t count);

/* Ascending, descending; NULL: keys decide. */
static values_check_fn *const values_checks[][2] = {
    [LITH_ORDER_SIGNED_32] = {signed_32_ascend, signed_32_descend},
    [LITH_ORDER_SIGNED_64] = {signed_64_ascend, signed_64_descend},
    [LITH_ORDER_UNSIGNED_32] = {unsigned_32_ascend, unsigned_32_descend},
    [LITH_ORDER_UNSIGNED_64] = {unsigned_64_ascend, unsigned_64_descend},
    [LITH_ORDER_FLOAT] = {float_ascend, float_descend},
    [LITH_ORDER_DOUBLE] = {double_ascend, double_descend},
    [LITH_ORDER_DECIMAL_BYTES] = {NULL, NULL}, /* the last order: the table's length */
};

/* True when all nulls stand at the end where they belong. */
static bool nulls_in_place(const struct lith_key_field *field, const struct lith_key_column *column,
                           size_t row_count)
{
    size_t nulls = row_count - column->values.count;
    size_t begin = field->null_marker ? row_count - nulls : 0;

    for (size_t i = 0; i < nulls; i++) {
        if (!lith_key_column_is_null(column, begin + i))
            return false;
    }
    return true;
}

static enum lith_code keep(struct lith_buf *buf, struct lith_slice key, struct lith_err *err)
{
    lith_buf_clear(buf);
    return lith_buf_append(buf, key.data, key.bytes, err);
}

static struct lith_slice kept(const struct lith_buf *buf)
{
    return (struct lith_slice){buf->data, buf->bytes};
}

/* Only the beginning of the smallest key is ever told, so only that is kept. */
static enum lith_code keep_smallest(struct lith_key_order *order, struct lith_slice key,
                                    struct lith_err *err)
{
    key.bytes = lith_min_size(key.bytes, LITH_SORT_BOUND_BYTES_MAX + 1);
    return keep(&order->smallest, key, err);
}

/* The smallest and largest of short keys, which are compared as numbers: eight bytes, then a ninth.
 */
LITH_TEMPLATE void short_bounds(const struct lith_key_batch *keys, size_t width,
                                size_t *ret_smallest, size_t *ret_largest)
{
    uint64_t least = UINT64_MAX, most = 0;
    uint8_t least_ninth = UINT8_MAX, most_ninth = 0;

    *ret_smallest = *ret_largest = 0;
    for (size_t i = 0; i < keys->count; i++) {
        const uint8_t *key = keys->data + i * width;
        uint64_t prefix = lith_key_prefix(key, width);
        uint8_t ninth = width > 8 ? key[8] : 0;
        if (prefix < least || (prefix == least && ninth < least_ninth)) {
            least = prefix;
            least_ninth = ninth;
            *ret_smallest = i;
        }
        if (prefix > most || (prefix == most && ninth > most_ninth)) {
            most = prefix;
            most_ninth = ninth;
            *ret_largest = i;
        }
    }
}

static void any_bounds(const struct lith_key_batch *keys, size_t *ret_smallest, size_t *ret_largest)
{
    struct lith_slice smallest = lith_key_at(keys, 0), largest = smallest;

    *ret_smallest = *ret_largest = 0;
    for (size_t i = 1; i < keys->count; i++) {
        struct lith_slice key = lith_key_at(keys, i);
        if (lith_key_compare(key, smallest) < 0) {
            smallest = key;
            *ret_smallest = i;
        } else if (lith_key_compare(key, largest) > 0) {
            largest = key;
            *ret_largest = i;
        }
    }
}

/* Takes in the smallest and largest key of the rows: the first and last one while all are in
 * order. */
static enum lith_code widen(struct lith_key_order *order, const struct lith_key_batch *keys,
                            struct lith_err *err)
{
    size_t first = 0, last = keys->count - 1;

    if (!order->in_order && keys->width == 8)
        short_bounds(keys, 8, &first, &last);
    else if (!order->in_order && keys->width == 9)
        short_bounds(keys, 9, &first, &last);
    else if (!order->in_order)
        any_bounds(keys, &first, &last);
    struct lith_slice smallest = lith_key_at(keys, first), largest = lith_key_at(keys, last);
    if (order->row_count == 0 || lith_key_compare(smallest, kept(&order->smallest)) < 0)
        LITH_TRY(keep_smallest(order, smallest, err));
    if (order->row_count == 0 || lith_key_compare(largest, kept(&order->largest)) > 0)
        LITH_TRY(keep(&order->largest, largest, err));
    return LITH_OK;
}

static bool keys_in_order(const struct lith_key_batch *keys)
{
    for (size_t i = 1; i < keys->count; i++) {
        if (lith_key_compare(lith_key_at(keys, i - 1), lith_key_at(keys, i)) > 0)
            return false;
    }
    return true;
}

/* The key of one row; borrowed until the next build. */
static enum lith_code row_key(struct lith_key_order *order, const struct lith_key_rows *rows,
                              size_t row, struct lith_slice *ret_key, struct lith_err *err)
{
    struct lith_key_rows one = lith_key_rows_cut(rows, order->layout->field_count, row, 1);
    struct lith_key_batch keys;

    LITH_TRY(lith_key_builder_build(&order->builder, &one, &keys, err));
    *ret_key = lith_key_at(&keys, 0);
    return LITH_OK;
}

/* Rows that are in order among themselves: *ret_follows when they follow those before, too. */
static enum lith_code extend(struct lith_key_order *order, const struct lith_key_rows *rows,
                             bool *ret_follows, struct lith_err *err)
{
    struct lith_slice key;

    LITH_TRY(row_key(order, rows, 0, &key, err));
    *ret_follows = order->row_count == 0 || lith_key_compare(kept(&order->largest), key) <= 0;
    if (!*ret_follows)
        return LITH_OK;
    if (order->row_count == 0)
        LITH_TRY(keep_smallest(order, key, err));
    LITH_TRY(row_key(order, rows, rows->row_count - 1, &key, err));
    return keep(&order->largest, key, err);
}

/* By values alone, where one key allows it; false also where it does not. */
static bool values_in_order(const struct lith_key_layout *layout, const struct lith_key_rows *rows)
{
    const struct lith_key_field *field = &layout->fields[0];
    const struct lith_key_column *column = &rows->columns[0];
    values_check_fn *check = values_checks[field->order][field->descending];

    return layout->field_count == 1 && check && check(column->values.fixed, column->values.count) &&
           (column->values.count == rows->row_count ||
            nulls_in_place(field, column, rows->row_count));
}

enum lith_code lith_key_order_add(struct lith_key_order *order, const struct lith_key_rows *rows,
                                  struct lith_err *err)
{
    struct lith_key_batch keys;
    bool follows = false;

    if (rows->row_count == 0)
        return LITH_OK;
    if (order->in_order && values_in_order(order->layout, rows))
        LITH_TRY(extend(order, rows, &follows, err));
    if (!follows) {
        LITH_TRY(lith_key_builder_build(&order->builder, rows, &keys, err));
        order->in_order = order->in_order && keys_in_order(&keys) &&
                          (order->row_count == 0 ||
                           lith_key_compare(kept(&order->largest), lith_key_at(&keys, 0)) <= 0);
        LITH_TRY(widen(order, &keys, err));
    }
    order->row_count += rows->row_count;
    return LITH_OK;
}

static enum lith_code bound_make(struct lith_slice key, struct lith_arena *arena,
                                 struct lith_key_bound *ret_bound, struct lith_err *err)
{
    size_t bytes = lith_min_size(key.bytes, LITH_SORT_BOUND_BYTES_MAX);
    void *copy;

    LITH_TRY(lith_arena_copy(arena, key.data, bytes, &copy, err));
    *ret_bound = (struct lith_key_bound){.bytes = {copy, bytes}, .is_cut = bytes < key.bytes};
    return LITH_OK;
}

enum lith_code lith_key_order_range(const struct lith_key_order *order, uint32_t unit,
                                    struct lith_arena *arena, struct lith_unit_range *ret_range,
                                    struct lith_err *err)
{
    struct lith_unit_range range = {
        .unit = unit, .in_order = order->in_order, .row_count = order->row_count};

    if (range.row_count) {
        LITH_TRY(bound_make(kept(&order->smallest), arena, &range.smallest, err));
        LITH_TRY(bound_make(kept(&order->largest), arena, &range.largest, err));
    }
    *ret_range = range;
    return LITH_OK;
}
