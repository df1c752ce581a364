/*
 * JSON values over jansson, the only file that includes it.
 *
 * jansson takes its memory itself, uncounted: lith_json_cost tells callers how much before they
 * parse. Depth is measured before jansson's recursive parser sees the text. A zero character is
 * refused in strings, since readers of values get zero-terminated text.
 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/utf8.h"

static json_t *inner(const struct lith_json *json)
{
    return (json_t *)(uintptr_t)json; /* jansson's iterators want it writable, and do not write */
}

static struct lith_json *outer(json_t *json)
{
    return (struct lith_json *)json;
}

/* What a text is made of, outside of strings; one that is no JSON gives some numbers. */
struct outline {
    size_t deepest; /* nesting of brackets */
    size_t objects;
    size_t arrays;
    size_t strings; /* keys too */
    size_t colons;
    size_t commas;
};

static void letter_count(struct outline *o, size_t *depth, char letter)
{
    o->objects += letter == '{';
    o->arrays += letter == '[';
    o->strings += letter == '"';
    o->colons += letter == ':';
    o->commas += letter == ',';
    if (letter == '{' || letter == '[')
        o->deepest = ++*depth > o->deepest ? *depth : o->deepest;
    else if (letter == '}' || letter == ']')
        *depth -= *depth > 0;
}

static struct outline outline_of(const char *text, size_t bytes)
{
    struct outline o = {0};
    size_t depth = 0;
    bool in_string = false;

    for (size_t i = 0; i < bytes; i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (in_string)
            in_string = text[i] != '"';
        else {
            letter_count(&o, &depth, text[i]);
            in_string = text[i] == '"';
        }
    }
    return o;
}

/* Bytes of jansson 2.14 on 64-bit glibc, measured with mallinfo2, with room for their growth. */
#define OBJECT_BYTES 240u
#define ARRAY_BYTES 140u
#define MEMBER_BYTES 112u /* of an object: the pair with its key, its share of the table */
#define VALUE_BYTES 44u   /* a number, or a place in an array */
#define STRING_BYTES 90u
#define PARSER_BYTES 4096u

size_t lith_json_cost(const void *data, size_t bytes)
{
    struct outline o = outline_of(bytes ? data : "", bytes);
    size_t values = o.strings > o.colons ? o.strings - o.colons : 0;

    return PARSER_BYTES + bytes + o.objects * OBJECT_BYTES + o.arrays * ARRAY_BYTES +
           o.colons * MEMBER_BYTES + o.commas * VALUE_BYTES + values * STRING_BYTES;
}

enum lith_code lith_json_parse(const void *data, size_t bytes, struct lith_json **ret_root,
                               struct lith_err *err)
{
    const char *text = bytes ? data : "";
    json_error_t error;

    size_t depth = outline_of(text, bytes).deepest;
    if (depth > LITH_JSON_DEPTH_MAX)
        return lith_fail(err, LITH_E_CORRUPT, "JSON nested %zu deep, at most %u expected", depth,
                         LITH_JSON_DEPTH_MAX);
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for %zu bytes of JSON", bytes);
    if (!root)
        return lith_fail(err, LITH_E_CORRUPT, "JSON of %zu bytes, line %d, column %d: %s", bytes,
                         error.line, error.column, error.text);
    *ret_root = outer(root);
    return LITH_OK;
}

void lith_json_free(struct lith_json *root)
{
    json_decref(inner(root));
}

struct lith_json *lith_json_clone(const struct lith_json *json)
{
    return outer(json_deep_copy(inner(json)));
}

struct writing {
    struct lith_buf *to;
    struct lith_err *err;
    enum lith_code code;
};

static int write_piece(const char *piece, size_t bytes, void *ctx)
{
    struct writing *writing = ctx;

    /* jansson goes on after some pieces that failed: what was lost must not be forgotten. */
    if (writing->code != LITH_OK)
        return -1;
    writing->code = lith_buf_append(writing->to, piece, bytes, writing->err);
    return writing->code == LITH_OK ? 0 : -1;
}

enum lith_code lith_json_write(const struct lith_json *root, unsigned indent, struct lith_buf *to,
                               struct lith_err *err)
{
    struct writing writing = {.to = to, .err = err, .code = LITH_OK};
    size_t bytes_before = to->bytes;
    size_t flags = JSON_ENCODE_ANY | (indent ? JSON_INDENT(indent) : JSON_COMPACT);

    LITH_ASSERT(root);
    if (json_dump_callback(inner(root), write_piece, &writing, flags) == 0)
        return LITH_OK;
    to->bytes = bytes_before;
    if (writing.code != LITH_OK)
        return writing.code;
    return lith_fail(err, LITH_E_NOMEM, "out of memory for writing JSON");
}

struct lith_json *lith_json_object(void)
{
    return outer(json_object());
}

struct lith_json *lith_json_array(void)
{
    return outer(json_array());
}

/* Bytes of the character at `at`; 0 for what is replaced: ill-formed bytes and zero. */
static size_t character_kept(const uint8_t *at, size_t left)
{
    return *at ? lith_utf8_character(at, left) : 0;
}

static bool all_kept(const uint8_t *data, size_t bytes)
{
    size_t taken = 0;

    for (size_t i = 0; i < bytes; i += taken) {
        taken = character_kept(data + i, bytes - i);
        if (!taken)
            return false;
    }
    return true;
}

/* Writes the text with U+FFFD for each byte that is not kept; at most 3 bytes for each. */
static size_t replace(uint8_t *to, const uint8_t *data, size_t bytes)
{
    size_t used = 0;

    for (size_t i = 0; i < bytes;) {
        size_t taken = character_kept(data + i, bytes - i);
        memcpy(to + used, taken ? data + i : (const uint8_t *)"\xef\xbf\xbd", taken ? taken : 3);
        used += taken ? taken : 3;
        i += taken ? taken : 1;
    }
    return used;
}

struct lith_json *lith_json_text_bytes(const void *data, size_t bytes)
{
    struct lith_mem uncounted;
    struct lith_err err;
    size_t room;
    void *block;

    if (bytes == 0)
        return outer(json_stringn_nocheck("", 0));
    if (all_kept(data, bytes))
        return outer(json_stringn_nocheck(data, bytes));
    lith_mem_init(&uncounted, SIZE_MAX, NULL);
    if (!lith_mul_size(bytes, 3, &room) || lith_alloc(&uncounted, room, &block, &err) != LITH_OK)
        return NULL;
    json_t *text = json_stringn_nocheck(block, replace(block, data, bytes));
    lith_free(block);
    return outer(text);
}

struct lith_json *lith_json_text(const char *text)
{
    return lith_json_text_bytes(text, strlen(text));
}

struct lith_json *lith_json_int(int64_t value)
{
    return outer(json_integer(value));
}

struct lith_json *lith_json_bool(bool value)
{
    return outer(json_boolean(value));
}

struct lith_json *lith_json_real(double value)
{
    return outer(isfinite(value) ? json_real(value) : json_null());
}

struct lith_json *lith_json_null(void)
{
    return outer(json_null());
}

bool lith_json_set(struct lith_json *object, const char *key, struct lith_json *value)
{
    return json_object_set_new(inner(object), key, inner(value)) == 0;
}

bool lith_json_push(struct lith_json *array, struct lith_json *value)
{
    return json_array_append_new(inner(array), inner(value)) == 0;
}

bool lith_json_remove(struct lith_json *object, const char *key)
{
    return json_object_del(inner(object), key) == 0;
}

bool lith_json_is_object(const struct lith_json *json)
{
    return json_is_object(inner(json));
}

bool lith_json_is_array(const struct lith_json *json)
{
    return json_is_array(inner(json));
}

bool lith_json_is_text(const struct lith_json *json)
{
    return json_is_string(inner(json));
}

bool lith_json_is_int(const struct lith_json *json)
{
    return json_is_integer(inner(json));
}

bool lith_json_is_number(const struct lith_json *json)
{
    return json_is_number(inner(json));
}

bool lith_json_is_bool(const struct lith_json *json)
{
    return json_is_boolean(inner(json));
}

bool lith_json_is_null(const struct lith_json *json)
{
    return json_is_null(inner(json));
}

struct lith_json *lith_json_get(const struct lith_json *object, const char *key)
{
    return outer(json_object_get(inner(object), key));
}

size_t lith_json_count(const struct lith_json *array_or_object)
{
    json_t *json = inner(array_or_object);

    return json_is_array(json) ? json_array_size(json) : json_object_size(json);
}

struct lith_json *lith_json_at(const struct lith_json *array, size_t index)
{
    return outer(json_array_get(inner(array), index));
}

const char *lith_json_text_of(const struct lith_json *json)
{
    return json_string_value(inner(json));
}

int64_t lith_json_int_of(const struct lith_json *json)
{
    return json_integer_value(inner(json));
}

double lith_json_number_of(const struct lith_json *json)
{
    return json_number_value(inner(json));
}

bool lith_json_bool_of(const struct lith_json *json)
{
    return json_is_true(inner(json));
}

bool lith_json_equal(const struct lith_json *a, const struct lith_json *b)
{
    return json_equal(inner(a), inner(b)) == 1;
}

void lith_json_each(const struct lith_json *object,
                    void (*each)(void *ctx, const char *key, const struct lith_json *value),
                    void *ctx)
{
    json_t *json = inner(object);

    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
        each(ctx, json_object_iter_key(at), outer(json_object_iter_value(at)));
}
