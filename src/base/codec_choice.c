/*
 * The table of codecs that can be chosen, and their levels.
 */
#include "base/codec_choice.h"

#include <string.h>

static const struct named {
    const char *name;
    enum lith_codec codec;
    struct lith_codec_levels levels;
} table[] = {
    {"none", LITH_CODEC_UNCOMPRESSED, {0, 0, 0}}, {"snappy", LITH_CODEC_SNAPPY, {0, 0, 0}},
    {"lz4_raw", LITH_CODEC_LZ4_RAW, {0, 0, 0}},   {"zstd", LITH_CODEC_ZSTD, {1, 22, 1}},
    {"gzip", LITH_CODEC_GZIP, {1, 12, 6}},        {"brotli", LITH_CODEC_BROTLI, {0, 11, 5}},
};
#define TABLE_COUNT (sizeof(table) / sizeof(table[0]))

struct lith_codec_levels lith_codec_levels(enum lith_codec codec)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (table[i].codec == codec)
            return table[i].levels;
    }
    return (struct lith_codec_levels){0};
}

/* The row whose name stands in front of the colon; NULL: none. */
static const struct named *named_find(const char *text)
{
    size_t bytes = strcspn(text, ":");

    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (strlen(table[i].name) == bytes && memcmp(table[i].name, text, bytes) == 0)
            return &table[i];
    }
    return NULL;
}

/* One or two digits; false for anything else. */
static bool level_read(const char *text, int *ret_level)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 2 || text[digits])
        return false;
    *ret_level = digits == 1 ? text[0] - '0' : (text[0] - '0') * 10 + (text[1] - '0');
    return true;
}

enum lith_code lith_codec_choice_parse(const char *text, struct lith_codec_choice *ret_choice,
                                       struct lith_err *err)
{
    const struct named *named = named_find(text);
    const char *colon = strchr(text, ':');

    if (strcmp(text, "keep") == 0) {
        *ret_choice = (struct lith_codec_choice){0};
        return LITH_OK;
    }
    if (!named)
        return lith_fail(err, LITH_E_INVALID,
                         "\"%.100s\": expected keep, none, snappy, lz4_raw, zstd[:1-22], "
                         "gzip[:1-12] or brotli[:0-11]",
                         text);
    struct lith_codec_choice choice = {true, named->codec, named->levels.usual};
    if (colon && named->levels.most == 0)
        return lith_fail(err, LITH_E_INVALID, "\"%.100s\": %s has no levels", text, named->name);
    if (colon && (!level_read(colon + 1, &choice.level) || choice.level < named->levels.least ||
                  choice.level > named->levels.most))
        return lith_fail(err, LITH_E_INVALID, "\"%.100s\": levels of %s are %d to %d (usual: %d)",
                         text, named->name, named->levels.least, named->levels.most,
                         named->levels.usual);
    *ret_choice = choice;
    return LITH_OK;
}
