/*
 * Layout patterns: one part of a path against one part of a pattern, left to right.
 */
#include "lake/path_layout.h"

static bool slice_is(struct lith_slice slice, const char *text)
{
    return lith_slice_equal(slice, lith_slice_text(text));
}

/* The exact digits that a time field takes; 0 for other fields. */
static size_t field_digits(struct lith_slice name)
{
    if (slice_is(name, "yyyy"))
        return 4;
    if (slice_is(name, "mm") || slice_is(name, "dd") || slice_is(name, "hh") ||
        slice_is(name, "min"))
        return 2;
    return 0;
}

/* How many bytes of `left` the field takes; 0 when it does not match. */
static size_t field_takes(struct lith_slice name, struct lith_slice pattern_left,
                          struct lith_slice left)
{
    size_t digits = field_digits(name);

    if (digits) {
        for (size_t i = 0; i < digits; i++) {
            if (i >= left.bytes || left.data[i] < '0' || left.data[i] > '9')
                return 0;
        }
        return digits;
    }
    if (pattern_left.bytes == 0)
        return left.bytes;
    const uint8_t *stop = left.bytes ? memchr(left.data, pattern_left.data[0], left.bytes) : NULL;
    return stop ? (size_t)(stop - left.data) : 0;
}

static void slice_skip(struct lith_slice *slice, size_t bytes)
{
    slice->data += bytes;
    slice->bytes -= bytes;
}

/* Takes "{name}" off the front of a pattern. */
static enum lith_code field_name(struct lith_slice *pattern, struct lith_slice *ret_name,
                                 struct lith_err *err)
{
    const uint8_t *end = memchr(pattern->data, '}', pattern->bytes);

    if (!end || end == pattern->data + 1)
        return lith_fail(err, LITH_E_INVALID, "layout \"%.*s\": { without a name and }",
                         LITH_SLICE_ARGS(*pattern));
    size_t bytes = (size_t)(end - pattern->data);
    *ret_name = (struct lith_slice){pattern->data + 1, bytes - 1};
    slice_skip(pattern, bytes + 1);
    if (!field_digits(*ret_name) && pattern->bytes && pattern->data[0] == '{')
        return lith_fail(err, LITH_E_INVALID, "layout: {%.*s} ends nowhere: text must follow it",
                         LITH_SLICE_ARGS(*ret_name));
    return LITH_OK;
}

enum lith_code lith_path_layout_match(struct lith_slice pattern, struct lith_slice part,
                                      struct lith_path_field ret_fields[LITH_PATH_FIELDS_MAX],
                                      size_t *ret_count, struct lith_err *err)
{
    size_t count = 0;

    *ret_count = 0;
    while (pattern.bytes) {
        struct lith_slice name;
        if (pattern.data[0] != '{') {
            if (part.bytes == 0 || part.data[0] != pattern.data[0])
                return LITH_OK;
            slice_skip(&pattern, 1);
            slice_skip(&part, 1);
            continue;
        }
        if (count == LITH_PATH_FIELDS_MAX)
            return lith_fail(err, LITH_E_INVALID, "layout: more than %u fields in one part",
                             LITH_PATH_FIELDS_MAX);
        LITH_TRY(field_name(&pattern, &name, err));
        size_t takes = field_takes(name, pattern, part);
        if (takes == 0)
            return LITH_OK;
        ret_fields[count++] = (struct lith_path_field){name, {part.data, takes}};
        slice_skip(&part, takes);
    }
    if (part.bytes == 0)
        *ret_count = count;
    return LITH_OK;
}
