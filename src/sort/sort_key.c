/*
 * The text of a sort: cut into keys, paths and options by one walk from left to right.
 *
 * Quotes are taken off here; which column a path means is sort_column.c's.
 */
#include "sort/sort_key.h"

#include <assert.h>

#include "base/limits.h"
#include "sort/sort_column.h"

static_assert(LITH_SORT_KEYS_MAX <= 32, "a bit for each key");

struct text {
    const char *at;
    const char *end;
};

static bool text_takes(struct text *text, char byte)
{
    if (text->at == text->end || *text->at != byte)
        return false;
    text->at++;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte behind a backslash: \x1f is a number, all else stands for itself. */
static enum lith_code escape_read(struct text *text, uint8_t *ret_byte, struct lith_err *err)
{
    if (text->at == text->end)
        return lith_fail(err, LITH_E_INVALID, "a backslash with nothing behind it");
    char c = *text->at++;
    if (c != 'x') {
        *ret_byte = (uint8_t)c;
        return LITH_OK;
    }
    int high = text->end - text->at >= 2 ? hex_digit(text->at[0]) : -1;
    int low = high >= 0 ? hex_digit(text->at[1]) : -1;
    if (low < 0)
        return lith_fail(err, LITH_E_INVALID, "\\x without two hexadecimal digits behind it");
    text->at += 2;
    *ret_byte = (uint8_t)(high << 4 | low);
    return LITH_OK;
}

/* The rest of a name behind its opening quote, with the closing one. */
static enum lith_code quoted_read(struct text *text, struct lith_arena *arena,
                                  struct lith_slice *ret_name, struct lith_err *err)
{
    void *block;
    size_t bytes = 0;

    LITH_TRY(lith_arena_alloc(arena, (size_t)(text->end - text->at) + 1, &block, err));
    uint8_t *name = block;
    while (!text_takes(text, '"')) {
        if (text->at == text->end)
            return lith_fail(err, LITH_E_INVALID, "a quote that is not closed");
        uint8_t byte = (uint8_t)*text->at++;
        if (byte == '\\')
            LITH_TRY(escape_read(text, &byte, err));
        name[bytes++] = byte;
    }
    *ret_name = (struct lith_slice){name, bytes};
    return LITH_OK;
}

/* A name without quotes ends at the first byte that means something. */
static struct lith_slice plain_read(struct text *text)
{
    const char *begin = text->at;

    while (text->at < text->end && *text->at != '.' && *text->at != ':' && *text->at != ',')
        text->at++;
    return (struct lith_slice){(const uint8_t *)begin, (size_t)(text->at - begin)};
}

static enum lith_code name_read(struct text *text, struct lith_arena *arena,
                                struct lith_column_name *ret_name, struct lith_err *err)
{
    const char *begin = text->at;
    bool quoted = false;
    uint32_t count = 0;
    void *block;

    LITH_TRY(
        lith_arena_array(arena, LITH_SCHEMA_DEPTH_MAX, sizeof(struct lith_slice), &block, err));
    struct lith_slice *parts = block;
    do {
        if (count == LITH_SCHEMA_DEPTH_MAX)
            return lith_fail(err, LITH_E_INVALID, "a path of more than %u names",
                             LITH_SCHEMA_DEPTH_MAX);
        if (text_takes(text, '"')) {
            quoted = true;
            LITH_TRY(quoted_read(text, arena, &parts[count++], err));
        } else {
            parts[count++] = plain_read(text);
        }
    } while (text_takes(text, '.'));
    *ret_name = (struct lith_column_name){
        .text = {(const uint8_t *)begin, (size_t)(text->at - begin)},
        .parts = quoted ? parts : NULL,
        .part_count = count,
    };
    if (text->at == begin)
        return lith_fail(err, LITH_E_INVALID, "a key without a column");
    return LITH_OK;
}

/* What an option sets; two that set the same cannot both be meant. */
struct option {
    const char *name;
    bool sets_nulls;
    bool value;
};

static enum lith_code option_apply(struct lith_slice word, bool seen[2], struct lith_sort_key *key,
                                   struct lith_err *err)
{
    static const struct option options[] = {
        {"asc", false, false},
        {"desc", false, true},
        {"nulls-first", true, true},
        {"nulls-last", true, false},
    };

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const struct option *option = &options[i];
        if (!lith_slice_equal(word, lith_slice_text(option->name)))
            continue;
        if (seen[option->sets_nulls])
            return lith_fail(err, LITH_E_INVALID, "\"%s\" behind an option of the same kind",
                             option->name);
        seen[option->sets_nulls] = true;
        *(option->sets_nulls ? &key->nulls_first : &key->descending) = option->value;
        return LITH_OK;
    }
    return lith_fail(err, LITH_E_INVALID,
                     "unknown option \"%.*s\": asc, desc, nulls-first and nulls-last may stand "
                     "behind a colon; a name that holds one is written in quotes",
                     LITH_SLICE_ARGS(word));
}

static enum lith_code options_read(struct text *text, struct lith_sort_key *key,
                                   struct lith_err *err)
{
    bool seen[2] = {false};

    while (text_takes(text, ':')) {
        const char *begin = text->at;
        while (text->at < text->end && *text->at != ':' && *text->at != ',')
            text->at++;
        struct lith_slice word = {(const uint8_t *)begin, (size_t)(text->at - begin)};
        LITH_TRY(option_apply(word, seen, key, err));
    }
    return LITH_OK;
}

/* All of a key but which column its name means. */
static enum lith_code key_text_read(struct text *text, struct lith_arena *arena,
                                    struct lith_sort_key *ret_key,
                                    struct lith_column_name *ret_name, struct lith_err *err)
{
    struct lith_sort_key key = {0};

    LITH_TRY(name_read(text, arena, ret_name, err));
    LITH_TRY(options_read(text, &key, err));
    if (text->at < text->end && *text->at != ',')
        return lith_fail(err, LITH_E_INVALID,
                         "\"%c\" behind a quoted name, where . : or , may stand", *text->at);
    *ret_key = key;
    return LITH_OK;
}

static enum lith_code room_check(uint32_t count, struct lith_err *err)
{
    if (count == LITH_SORT_KEYS_MAX)
        return lith_fail(err, LITH_E_LIMIT, "more than %u keys", LITH_SORT_KEYS_MAX);
    return LITH_OK;
}

static enum lith_code keys_read(struct text *text, const struct lith_schema *schema,
                                struct lith_arena *arena, struct lith_sort_key *keys,
                                uint32_t *ret_count, struct lith_err *err)
{
    uint32_t count = 0;

    do {
        struct lith_column_name name;
        LITH_TRY(room_check(count, err));
        LITH_TRY(key_text_read(text, arena, &keys[count], &name, err));
        LITH_TRY(lith_sort_column_find(schema, &name, &keys[count].leaf, err));
        for (uint32_t i = 0; i < count; i++) {
            if (keys[i].leaf == keys[count].leaf)
                return lith_fail(err, LITH_E_INVALID, "keys %u and %u are the same column", i + 1,
                                 count + 1);
        }
        count++;
    } while (text_takes(text, ','));
    *ret_count = count;
    return LITH_OK;
}

/* Says of which text, and where in it. */
static enum lith_code place_tell(const char *text, const struct text *walk, struct lith_err *err)
{
    return lith_err_prefix(err, "sort order \"%.200s\", at byte %zu", text,
                           (size_t)(walk->at - text));
}

enum lith_code lith_sort_keys_parse(const char *text, const struct lith_schema *schema,
                                    struct lith_arena *arena, struct lith_sort_key **ret_keys,
                                    uint32_t *ret_count, struct lith_err *err)
{
    struct text walk = {text, text + strlen(text)};
    void *keys;

    LITH_TRY(lith_arena_array(arena, LITH_SORT_KEYS_MAX, sizeof(struct lith_sort_key), &keys, err));
    if (keys_read(&walk, schema, arena, keys, ret_count, err) != LITH_OK)
        return place_tell(text, &walk, err);
    *ret_keys = keys;
    return LITH_OK;
}

static enum lith_code lacks_read(struct text *text, const struct lith_schema *schema,
                                 struct lith_arena *arena, uint32_t *ret_lacks,
                                 struct lith_err *err)
{
    uint32_t lacks = 0;
    uint32_t count = 0;

    do {
        struct lith_column_name name;
        struct lith_sort_key key;
        struct lith_err why;
        LITH_TRY(room_check(count, err));
        LITH_TRY(key_text_read(text, arena, &key, &name, err));
        if (lith_sort_column_find(schema, &name, &key.leaf, &why) != LITH_OK)
            lacks |= 1u << count;
        count++;
    } while (text_takes(text, ','));
    *ret_lacks = lacks;
    return LITH_OK;
}

enum lith_code lith_sort_keys_lacking(const char *text, const struct lith_schema *schema,
                                      struct lith_arena *arena, uint32_t *ret_lacks,
                                      struct lith_err *err)
{
    struct text walk = {text, text + strlen(text)};

    if (lacks_read(&walk, schema, arena, ret_lacks, err) != LITH_OK)
        return place_tell(text, &walk, err);
    return LITH_OK;
}

enum lith_code lith_sort_text_check(const char *text, struct lith_arena *arena,
                                    struct lith_err *err)
{
    static const struct lith_schema nothing;
    uint32_t lacks;

    return lith_sort_keys_lacking(text, &nothing, arena, &lacks, err);
}
