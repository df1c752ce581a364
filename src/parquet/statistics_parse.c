/*
 * Reading Statistics and KeyValue: the parts that chunks, pages and the footer share.
 */
#include "parquet/footer_parse.h"

/* A KeyValue has at least a key's header and length, and a stop byte. */
#define KEY_VALUE_BYTES_MIN 3u

/* Present but empty is not absent: an empty slice keeps its place in the input. */
static struct lith_slice bound_read(struct lith_metadata *m, const struct lith_struct_at *at)
{
    return lith_thrift_binary(&m->cursor, at->field);
}

enum lith_code lith_statistics_parse(struct lith_metadata *m,
                                     struct lith_statistics *ret_statistics, struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"max", LITH_THRIFT_BINARY, false},
        [2] = {"min", LITH_THRIFT_BINARY, false},
        [3] = {"null_count", LITH_THRIFT_I64, false},
        [4] = {"distinct_count", LITH_THRIFT_I64, false},
        [5] = {"max_value", LITH_THRIFT_BINARY, false},
        [6] = {"min_value", LITH_THRIFT_BINARY, false},
        [7] = {"is_max_value_exact", LITH_THRIFT_TRUE, false},
        [8] = {"is_min_value_exact", LITH_THRIFT_TRUE, false},
        [9] = {"nan_count", LITH_THRIFT_I64, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("Statistics", fields);
    struct lith_struct_at at = {.rule = &rule};
    struct lith_statistics s = {0};

    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            s.legacy_max = bound_read(m, &at);
            break;
        case 2:
            s.legacy_min = bound_read(m, &at);
            break;
        case 3:
            s.null_count = lith_thrift_i64(&m->cursor, at.field);
            s.has_null_count = true;
            break;
        case 4:
            s.distinct_count = lith_thrift_i64(&m->cursor, at.field);
            s.has_distinct_count = true;
            break;
        case 5:
            s.max_value = bound_read(m, &at);
            break;
        case 6:
            s.min_value = bound_read(m, &at);
            break;
        case 7:
            s.max_exact = lith_thrift_bool(&m->cursor, at.field);
            break;
        case 8:
            s.min_exact = lith_thrift_bool(&m->cursor, at.field);
            break;
        case 9:
            s.nan_count = lith_thrift_i64(&m->cursor, at.field);
            s.has_nan_count = true;
            break;
        }
    }
    LITH_TRY(lith_struct_end(m, &at, err));
    *ret_statistics = s;
    return LITH_OK;
}

static enum lith_code key_value_parse(struct lith_metadata *m, struct lith_key_value *ret_key_value,
                                      struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"key", LITH_THRIFT_BINARY, true},
        [2] = {"value", LITH_THRIFT_BINARY, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("KeyValue", fields);
    struct lith_struct_at at = {.rule = &rule};

    while (lith_struct_next(m, &at)) {
        struct lith_slice text = lith_thrift_binary(&m->cursor, at.field);
        if (at.field.id == 1)
            ret_key_value->key = text;
        else
            ret_key_value->value = text;
    }
    return lith_struct_end(m, &at, err);
}

enum lith_code lith_key_values_parse(struct lith_metadata *m, struct lith_struct_at *at,
                                     struct lith_key_value **ret_key_values, uint32_t *ret_count,
                                     struct lith_err *err)
{
    uint32_t count = lith_struct_list(m, at, LITH_THRIFT_STRUCT, KEY_VALUE_BYTES_MIN);
    void *block = NULL;

    if (count > 0)
        LITH_TRY(lith_arena_array(m->arena, count, sizeof(struct lith_key_value), &block, err));
    struct lith_key_value *key_values = block;
    for (uint32_t i = 0; i < count; i++)
        LITH_TRY(key_value_parse(m, &key_values[i], err));
    *ret_key_values = key_values;
    *ret_count = count;
    return LITH_OK;
}
