/*
 * Walks over a JSON text by its outline: strings, brackets, commas.
 *
 * What stands between the commas is only cut out here; lith_json_parse says whether it is a value.
 */
#include <string.h>

#include "base/json.h"

static bool is_space(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

static const char *space_skip(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* Behind the closing quote of a string; NULL: it has none. */
static const char *string_skip(const char *at, const char *end)
{
    at++;
    while (at < end) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (!quote)
            return NULL;
        const char *escape = memchr(at, '\\', (size_t)(quote - at));
        if (!escape)
            return quote + 1;
        at = escape + 2;
    }
    return NULL;
}

/* Behind a value: brackets are counted, whatever their kinds. NULL: it does not end. */
static const char *value_skip(const char *at, const char *end)
{
    size_t depth = 0;

    while (at && at < end) {
        char letter = *at;
        bool closes = letter == '}' || letter == ']';
        if (depth == 0 && (closes || letter == ',' || is_space(letter)))
            return at;
        if (letter == '{' || letter == '[')
            depth++;
        depth -= closes;
        at = letter == '"' ? string_skip(at, end) : at + 1;
        if (depth == 0 && (closes || letter == '"'))
            return at;
    }
    return depth == 0 ? at : NULL;
}

static enum lith_code value_take(const char **at, const char *end, struct lith_json_span *ret_span,
                                 struct lith_err *err)
{
    const char *begin = space_skip(*at, end);
    const char *behind = value_skip(begin, end);

    if (!behind || behind == begin)
        return lith_fail(err, LITH_E_CORRUPT, "JSON: a value is missing, or has no end");
    *ret_span = (struct lith_json_span){begin, (size_t)(behind - begin)};
    *at = space_skip(behind, end);
    return LITH_OK;
}

enum lith_code lith_json_span_of(const void *data, size_t bytes, struct lith_json_span *ret_span,
                                 struct lith_err *err)
{
    const char *at = bytes ? data : "";
    const char *end = at + bytes;
    struct lith_json_span span;

    LITH_TRY(value_take(&at, end, &span, err));
    if (at != end)
        return lith_fail(err, LITH_E_CORRUPT, "JSON: %zu bytes behind its end", (size_t)(end - at));
    *ret_span = span;
    return LITH_OK;
}

bool lith_json_walk_begin(struct lith_json_walk *walk, struct lith_json_span span, bool array)
{
    char open = array ? '[' : '{';

    *walk = (struct lith_json_walk){0};
    if (!span.text || span.bytes < 2 || span.text[0] != open)
        return false;
    *walk = (struct lith_json_walk){.at = span.text + 1,
                                    .end = span.text + span.bytes,
                                    .close = array ? ']' : '}',
                                    .first = true};
    return true;
}

static enum lith_code separator_take(struct lith_json_walk *walk, char letter, struct lith_err *err)
{
    walk->at = space_skip(walk->at, walk->end);
    if (walk->at == walk->end || *walk->at != letter)
        return lith_fail(err, LITH_E_CORRUPT, "JSON: '%c' expected", letter);
    walk->at++;
    return LITH_OK;
}

enum lith_code lith_json_walk_next(struct lith_json_walk *walk, struct lith_json_span *ret_key,
                                   struct lith_json_span *ret_value, bool *ret_more,
                                   struct lith_err *err)
{
    struct lith_json_span key = {0};

    LITH_ASSERT(walk->close);
    walk->at = space_skip(walk->at, walk->end);
    if (walk->at < walk->end && *walk->at == walk->close) {
        if (walk->at + 1 != walk->end)
            return lith_fail(err, LITH_E_CORRUPT, "JSON: '%c' before its end", walk->close);
        *ret_more = false;
        return LITH_OK;
    }
    if (!walk->first)
        LITH_TRY(separator_take(walk, ',', err));
    walk->first = false;
    if (walk->close == '}') {
        LITH_TRY(value_take(&walk->at, walk->end, &key, err));
        LITH_TRY(separator_take(walk, ':', err));
    }
    LITH_TRY(value_take(&walk->at, walk->end, ret_value, err));
    if (ret_key)
        *ret_key = key;
    *ret_more = true;
    return LITH_OK;
}
