/*
 * Layout patterns: one part of a path against one part of a pattern, left to right.
 */
#include "base/path_layout.h"

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
        return lith_fail(err, LITH_E_INVALID, "\"%.*s\": a { without a name and }",
                         LITH_SLICE_ARGS(*pattern));
    size_t bytes = (size_t)(end - pattern->data);
    *ret_name = (struct lith_slice){pattern->data + 1, bytes - 1};
    slice_skip(pattern, bytes + 1);
    if (!field_digits(*ret_name) && pattern->bytes && pattern->data[0] == '{')
        return lith_fail(err, LITH_E_INVALID, "{%.*s} ends nowhere: text must follow it",
                         LITH_SLICE_ARGS(*ret_name));
    return LITH_OK;
}

enum lith_code lith_path_layout_match(struct lith_slice pattern, struct lith_slice part,
                                      struct lith_path_field ret_fields[LITH_PATH_FIELDS_MAX],
                                      size_t *ret_count, bool *ret_fits, struct lith_err *err)
{
    size_t count = 0;

    *ret_count = 0;
    *ret_fits = false;
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
            return lith_fail(err, LITH_E_INVALID, "more than %u fields in one part",
                             LITH_PATH_FIELDS_MAX);
        LITH_TRY(field_name(&pattern, &name, err));
        size_t takes = field_takes(name, pattern, part);
        if (takes == 0)
            return LITH_OK;
        ret_fields[count++] = (struct lith_path_field){name, {part.data, takes}};
        slice_skip(&part, takes);
    }
    *ret_fits = part.bytes == 0;
    if (*ret_fits)
        *ret_count = count;
    return LITH_OK;
}

struct lith_slice lith_path_part_next(const char **at)
{
    size_t bytes = strcspn(*at, "/");
    struct lith_slice part = {(const uint8_t *)*at, bytes};

    *at += bytes;
    if (**at == '/')
        (*at)++;
    return part;
}

/* The fields of a layout so far. */
struct names {
    struct lith_slice names[LITH_PATH_KEYS_MAX];
    size_t count;
};

/* Twice in a layout, a name would be twice in every path. */
static enum lith_code name_add(struct names *names, struct lith_slice name, struct lith_err *err)
{
    for (size_t i = 0; i < names->count; i++) {
        if (lith_slice_equal(names->names[i], name))
            return lith_fail(err, LITH_E_INVALID, "{%.*s} stands there twice",
                             LITH_SLICE_ARGS(name));
    }
    if (names->count == LITH_PATH_KEYS_MAX)
        return lith_fail(err, LITH_E_INVALID, "more than %u fields", LITH_PATH_KEYS_MAX);
    names->names[names->count++] = name;
    return LITH_OK;
}

static enum lith_code part_check(struct lith_slice pattern, struct names *names,
                                 struct lith_err *err)
{
    size_t before = names->count;

    if (pattern.bytes == 0)
        return lith_fail(err, LITH_E_INVALID, "nothing stands before a /");
    while (pattern.bytes) {
        struct lith_slice name;
        if (pattern.data[0] != '{') {
            slice_skip(&pattern, 1);
            continue;
        }
        LITH_TRY(field_name(&pattern, &name, err));
        if (memchr(name.data, '{', name.bytes))
            return lith_fail(err, LITH_E_INVALID, "{%.*s}: a { within a name",
                             LITH_SLICE_ARGS(name));
        LITH_TRY(name_add(names, name, err));
    }
    if (names->count - before > LITH_PATH_FIELDS_MAX)
        return lith_fail(err, LITH_E_INVALID, "more than %u fields in one part",
                         LITH_PATH_FIELDS_MAX);
    return LITH_OK;
}

static enum lith_code parts_check(const char *layout, struct lith_err *err)
{
    struct names names = {.count = 0};

    do {
        LITH_TRY(part_check(lith_path_part_next(&layout), &names, err));
    } while (*layout);
    if (names.count == 0)
        return lith_fail(err, LITH_E_INVALID, "no {field} is named");
    return LITH_OK;
}

enum lith_code lith_path_layout_check(const char *layout, struct lith_err *err)
{
    struct lith_err why;

    if (parts_check(layout, &why) == LITH_OK)
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID,
                     "\"%.100s\": %s; expected a pattern as {db}/{yyyy}/{mm}/{dd}/{hh}", layout,
                     why.text);
}
