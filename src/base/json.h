/*
 * JSON values: this is the only user of jansson.
 *
 * Integers are exact 64-bit; duplicate keys are refused; depth is bounded (LITH_JSON_DEPTH_MAX);
 * objects keep their order, so a rewrite changes only what was changed. A `struct lith_json *` is
 * jansson's json_t under our name: reference counted, freed by lith_json_free of the root.
 */
#ifndef LITH_BASE_JSON_H
#define LITH_BASE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct lith_json;

/* Parses all of `bytes`. CORRUPT names line and column. The tree is not charged to a budget and
 * takes about ten times the text: the caller bounds `bytes`. */
LITH_MUST_CHECK enum lith_code lith_json_parse(const void *data, size_t bytes,
                                               struct lith_json **ret_root, struct lith_err *err);
/*
 * At least the heap that parsing this text takes, whatever it says. jansson takes it uncounted:
 * callers charge it (lith_mem_charge) before they parse what somebody else wrote.
 */
size_t lith_json_cost(const void *data, size_t bytes);

/* A value in a text, by its outline alone: whether it is one shows when it is parsed. */
struct lith_json_span {
    const char *text;
    size_t bytes;
};

/* The members of an object, or the elements of an array, one after the other: a long table is read
 * with memory for one row. */
struct lith_json_walk {
    const char *at;
    const char *end;
    char close; /* of the object or array; 0: the walk is over */
    bool first;
};

/* The one value of a text, without the white space around it. CORRUPT: there is none, or more. */
LITH_MUST_CHECK enum lith_code lith_json_span_of(const void *data, size_t bytes,
                                                 struct lith_json_span *ret_span,
                                                 struct lith_err *err);
/* False when the span is neither an object nor, with `array`, an array. */
bool lith_json_walk_begin(struct lith_json_walk *walk, struct lith_json_span span, bool array);
/* The next value, and the key of an object's member (a span with its quotes; may be NULL for an
 * array). *ret_more false: there was none, and the walk ended well. CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_json_walk_next(struct lith_json_walk *walk,
                                                   struct lith_json_span *ret_key,
                                                   struct lith_json_span *ret_value, bool *ret_more,
                                                   struct lith_err *err);

void lith_json_free(struct lith_json *root);
struct lith_json *lith_json_clone(const struct lith_json *json); /* deep; NULL when out of memory */

/* Appends the text: keys in order; `indent` 0 = compact on one line. */
LITH_MUST_CHECK enum lith_code lith_json_write(const struct lith_json *root, unsigned indent,
                                               struct lith_buf *to, struct lith_err *err);

/* New values; NULL only when out of memory. Setters below take ownership, also on failure, and
 * accept NULL as a failed value, so that building is a straight line checked once. */
struct lith_json *lith_json_object(void);
struct lith_json *lith_json_array(void);
struct lith_json *lith_json_text(const char *text); /* as lith_json_text_bytes */
/* Bytes that are not UTF-8, and zero bytes, become U+FFFD. */
struct lith_json *lith_json_text_bytes(const void *data, size_t bytes);
struct lith_json *lith_json_int(int64_t value);
struct lith_json *lith_json_bool(bool value);
struct lith_json *lith_json_real(double value); /* NaN and infinities: null */
struct lith_json *lith_json_null(void);
/* The key is UTF-8; one that is there keeps its place and takes the new value. */
bool lith_json_set(struct lith_json *object, const char *key, struct lith_json *value);
bool lith_json_push(struct lith_json *array, struct lith_json *value);
bool lith_json_remove(struct lith_json *object, const char *key);

/* Readers: NULL, 0 or false where the value is absent or of another type (`_get` style); the
 * _is functions tell them apart. Returned pointers are borrowed from the root. */
bool lith_json_is_object(const struct lith_json *json);
bool lith_json_is_array(const struct lith_json *json);
bool lith_json_is_text(const struct lith_json *json);
bool lith_json_is_int(const struct lith_json *json);
bool lith_json_is_number(const struct lith_json *json); /* whole or not */
bool lith_json_is_bool(const struct lith_json *json);
bool lith_json_is_null(const struct lith_json *json); /* the value null; false where absent */
struct lith_json *lith_json_get(const struct lith_json *object, const char *key);
size_t lith_json_count(const struct lith_json *array_or_object);
struct lith_json *lith_json_at(const struct lith_json *array, size_t index);
const char *lith_json_text_of(const struct lith_json *json);
int64_t lith_json_int_of(const struct lith_json *json);
double lith_json_number_of(const struct lith_json *json); /* the nearest, of a whole one */
bool lith_json_bool_of(const struct lith_json *json);
/* The same value: members of objects in any order; 1 and 1.0 are two values. */
bool lith_json_equal(const struct lith_json *a, const struct lith_json *b);
/* Calls `each` for the members in order. */
void lith_json_each(const struct lith_json *object,
                    void (*each)(void *ctx, const char *key, const struct lith_json *value),
                    void *ctx);

/* LITH_AUTO(json) struct lith_json *j = NULL; */
static inline void lith_json_auto(struct lith_json **json)
{
    lith_json_free(*json);
}

#endif
