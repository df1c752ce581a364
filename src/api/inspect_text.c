/*
 * What the parts of inspect share: names, bytes, bounds.
 */
#include <stdio.h>
#include <string.h>

#include "api/inspect.h"
#include "parquet/value_text.h"
#include "base/utf8.h"

enum lith_code lith_inspect_raw(struct lith_inspect *in, const char *text, struct lith_err *err)
{
    return lith_buf_append(in->text, text, strlen(text), err);
}

enum lith_code lith_inspect_value(struct lith_inspect *in, struct lith_json *take, bool ok,
                                  bool open, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *json = take;

    if (!json || !ok)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    LITH_TRY(lith_json_write(json, 0, in->text, err));
    if (open)
        in->text->bytes--;
    return LITH_OK;
}

struct lith_json *lith_inspect_name(const char *name, int64_t number)
{
    return name ? lith_json_text(name) : lith_json_int(number);
}

bool lith_inspect_set_hex(struct lith_json *object, const char *key, struct lith_slice bytes,
                          size_t bytes_max)
{
    static const char digits[] = "0123456789abcdef";
    char text[LITH_INSPECT_VALUE_BYTES_MAX];
    size_t count = bytes.bytes < bytes_max ? bytes.bytes : bytes_max;

    count = count < LITH_INSPECT_VALUE_BYTES_MAX / 2 ? count : LITH_INSPECT_VALUE_BYTES_MAX / 2;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes.data[i] >> 4];
        text[2 * i + 1] = digits[bytes.data[i] & 15];
    }
    return lith_json_set(object, key, lith_json_text_bytes(text, 2 * count));
}

/* Bytes of the longest prefix of whole characters; false when the bytes are no UTF-8. */
static bool utf8_prefix(struct lith_slice bytes, size_t bytes_max, size_t *ret_bytes)
{
    size_t kept = 0;

    for (size_t at = 0; at < bytes.bytes;) {
        size_t taken = lith_utf8_character(bytes.data + at, bytes.bytes - at);
        if (!taken || bytes.data[at] == 0)
            return false;
        at += taken;
        kept = at <= bytes_max ? at : kept;
    }
    *ret_bytes = kept;
    return true;
}

bool lith_inspect_set_bytes(struct lith_json *object, const char *key, struct lith_slice bytes,
                            size_t bytes_max)
{
    char other[64];
    size_t kept = 0;
    bool ok;

    if (utf8_prefix(bytes, bytes_max, &kept)) {
        ok = lith_json_set(object, key, lith_json_text_bytes(bytes.data, kept));
    } else {
        (void)snprintf(other, sizeof(other), "%s_hex", key);
        ok = lith_json_set(object, key, lith_json_null()) &&
             lith_inspect_set_hex(object, other, bytes, bytes_max);
    }
    (void)snprintf(other, sizeof(other), "%s_bytes", key);
    return ok && (bytes.bytes == kept ||
                  lith_json_set(object, other, lith_json_int((int64_t)bytes.bytes)));
}

enum lith_code lith_inspect_set_bound(struct lith_inspect *in, struct lith_json *object,
                                      const char *key, uint32_t leaf, struct lith_slice bound,
                                      struct lith_err *err)
{
    char hex[64];
    char *text;

    if (!bound.data)
        return LITH_OK;
    LITH_TRY(
        lith_value_text(lith_schema_leaf(&in->meaning, leaf), bound, &in->scratch, &text, err));
    (void)snprintf(hex, sizeof(hex), "%s_hex", key);
    if (!lith_json_set(object, key, text ? lith_json_text(text) : lith_json_null()) ||
        !lith_inspect_set_hex(object, hex, bound, LITH_INSPECT_BOUND_BYTES_MAX))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    return LITH_OK;
}

struct lith_json *lith_inspect_key_values(const struct lith_key_value *pairs, uint32_t count)
{
    struct lith_json *array = lith_json_array();

    for (uint32_t i = 0; array && i < count; i++) {
        struct lith_json *pair = lith_json_object();
        bool ok =
            pair && lith_inspect_set_bytes(pair, "key", pairs[i].key, LITH_INSPECT_VALUE_BYTES_MAX);
        if (pairs[i].value.data)
            ok = ok && lith_inspect_set_bytes(pair, "value", pairs[i].value,
                                              LITH_INSPECT_VALUE_BYTES_MAX);
        else
            ok = ok && lith_json_set(pair, "value", lith_json_null());
        if (!lith_json_push(array, pair) || !ok) {
            lith_json_free(array);
            return NULL;
        }
    }
    return array;
}

struct lith_json *lith_inspect_counts(const int64_t *counts, size_t count)
{
    struct lith_json *array = lith_json_array();

    for (size_t i = 0; array && i < count; i++) {
        if (!lith_json_push(array, lith_json_int(counts[i]))) {
            lith_json_free(array);
            return NULL;
        }
    }
    return array;
}

void lith_inspect_path(const struct lith_inspect *in, uint32_t leaf, char path[512])
{
    lith_schema_path(&in->footer.schema, in->footer.schema.leaves[leaf], path, 512);
}
