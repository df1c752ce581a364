/*
 * Keys as bytes: column by column where all keys have one width, else row by row.
 */
#include "sort/key_builder.h"

#include "sort/key_value.h"

void lith_key_builder_init(struct lith_key_builder *builder, const struct lith_key_layout *layout,
                           struct lith_mem *mem)
{
    *builder = (struct lith_key_builder){.layout = layout};
    lith_buf_init(&builder->bytes, mem, SIZE_MAX);
}

void lith_key_builder_done(struct lith_key_builder *builder)
{
    if (!builder->layout)
        return;
    lith_buf_done(&builder->bytes);
    lith_free(builder->ends);
    builder->ends = NULL;
}

static void complement(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)~bytes[i];
}

/* The rows of one field, each `stride` bytes behind the one before. */
LITH_TEMPLATE void column_store(enum lith_order order, const struct lith_key_field *field,
                                const struct lith_key_column *column, size_t row_count, uint8_t *to,
                                size_t stride)
{
    const uint8_t *value = column->values.fixed;
    size_t width = field->width;
    bool dense = column->values.count == row_count;

    for (size_t row = 0; row < row_count; row++, to += stride) {
        uint8_t *at = to + field->has_marker;
        if (!dense && lith_key_column_is_null(column, row)) {
            to[0] = field->null_marker;
            memset(at, 0, width);
            continue;
        }
        if (field->has_marker)
            to[0] = LITH_KEY_VALUE;
        lith_key_fixed_store(order, value, width, at);
        if (field->descending)
            complement(at, width);
        value += width;
    }
}

typedef void store_fn(const struct lith_key_field *field, const struct lith_key_column *column,
                      size_t row_count, uint8_t *to, size_t stride);

/* One loop for each order, so that no row asks which it is. */
#define STORE(name, order)                                                                         \
    static void name(const struct lith_key_field *field, const struct lith_key_column *column,     \
                     size_t row_count, uint8_t *to, size_t stride)                                 \
    {                                                                                              \
        column_store(order, field, column, row_count, to, stride);                                 \
    }
STORE(store_signed_32, LITH_ORDER_SIGNED_32)
STORE(store_signed_64, LITH_ORDER_SIGNED_64)
STORE(store_unsigned_32, LITH_ORDER_UNSIGNED_32)
STORE(store_unsigned_64, LITH_ORDER_UNSIGNED_64)
STORE(store_float, LITH_ORDER_FLOAT)
STORE(store_double, LITH_ORDER_DOUBLE)
STORE(store_float16, LITH_ORDER_FLOAT16)
STORE(store_bytes, LITH_ORDER_BYTES)
STORE(store_decimal, LITH_ORDER_DECIMAL_BYTES)

static store_fn *const stores[] = {
    [LITH_ORDER_BOOLEAN] = store_bytes,
    [LITH_ORDER_SIGNED_32] = store_signed_32,
    [LITH_ORDER_SIGNED_64] = store_signed_64,
    [LITH_ORDER_UNSIGNED_32] = store_unsigned_32,
    [LITH_ORDER_UNSIGNED_64] = store_unsigned_64,
    [LITH_ORDER_FLOAT] = store_float,
    [LITH_ORDER_DOUBLE] = store_double,
    [LITH_ORDER_FLOAT16] = store_float16,
    [LITH_ORDER_BYTES] = store_bytes,
    [LITH_ORDER_DECIMAL_BYTES] = store_decimal,
};

static enum lith_code build_fixed(struct lith_key_builder *builder,
                                  const struct lith_key_rows *rows, struct lith_err *err)
{
    const struct lith_key_layout *layout = builder->layout;
    size_t at = 0;

    LITH_TRY(lith_buf_reserve(&builder->bytes, rows->row_count * layout->width, err));
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct lith_key_field *field = &layout->fields[i];
        stores[field->order](field, &rows->columns[i], rows->row_count, builder->bytes.data + at,
                             layout->width);
        at += field->has_marker + field->width;
    }
    return LITH_OK;
}

/* The most bytes that the keys of all rows take. */
static size_t bytes_max(const struct lith_key_layout *layout, const struct lith_key_rows *rows)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < layout->field_count; i++) {
        const struct lith_values *values = &rows->columns[i].values;
        sum += rows->row_count + values->count * layout->fields[i].width;
        for (size_t k = 0; values->slices && k < values->count; k++)
            sum += lith_key_bytes_max(values->slices[k].bytes);
    }
    return sum;
}

/* One field of one row; returns where the next one begins. */
static uint8_t *field_store(const struct lith_key_field *field,
                            const struct lith_key_column *column, size_t row, size_t *value,
                            uint8_t *to)
{
    if (lith_key_column_is_null(column, row)) {
        *to++ = field->null_marker;
        return to;
    }
    if (field->has_marker)
        *to++ = LITH_KEY_VALUE;
    struct lith_slice slice = lith_values_at(&column->values, (*value)++);
    size_t bytes = field->width;
    if (bytes)
        stores[field->order](&(struct lith_key_field){.width = bytes},
                             &(struct lith_key_column){.values = {.fixed = slice.data, .count = 1}},
                             1, to, 0);
    else
        bytes = lith_key_bytes_store(field->order, slice, to);
    if (field->descending)
        complement(to, bytes);
    return to + bytes;
}

static enum lith_code build_varying(struct lith_key_builder *builder,
                                    const struct lith_key_rows *rows, struct lith_err *err)
{
    const struct lith_key_layout *layout = builder->layout;
    size_t values[LITH_SORT_KEYS_MAX] = {0};

    if (!builder->ends) {
        void *block;
        LITH_TRY(lith_alloc_array(builder->bytes.mem, LITH_BATCH_POSITIONS, sizeof(size_t), &block,
                                  err));
        builder->ends = block;
    }
    LITH_TRY(lith_buf_reserve(&builder->bytes, bytes_max(layout, rows), err));
    uint8_t *to = builder->bytes.data;
    for (size_t row = 0; row < rows->row_count; row++) {
        for (uint32_t i = 0; i < layout->field_count; i++)
            to = field_store(&layout->fields[i], &rows->columns[i], row, &values[i], to);
        builder->ends[row] = (size_t)(to - builder->bytes.data);
    }
    return LITH_OK;
}

enum lith_code lith_key_builder_build(struct lith_key_builder *builder,
                                      const struct lith_key_rows *rows,
                                      struct lith_key_batch *ret_keys, struct lith_err *err)
{
    size_t width = builder->layout->width;

    LITH_ASSERT(rows->row_count > 0);
    LITH_ASSERT(rows->row_count <= LITH_BATCH_POSITIONS);
    LITH_TRY(width ? build_fixed(builder, rows, err) : build_varying(builder, rows, err));
    *ret_keys = (struct lith_key_batch){
        .count = rows->row_count,
        .width = width,
        .data = builder->bytes.data,
        .ends = builder->ends,
    };
    return LITH_OK;
}
