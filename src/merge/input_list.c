/*
 * The list of inputs that an output carries: written, and read with suspicion.
 */
#include "merge/input_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

static int by_name(const void *a, const void *b)
{
    const struct lith_merge_input *const *left = a;
    const struct lith_merge_input *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

static enum lith_code raw_build(const struct lith_merge_input *inputs, size_t count,
                                struct lith_buf *raw, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;

    LITH_TRY(lith_alloc_array(raw->mem, count, sizeof(struct lith_merge_input *), &block, err));
    const struct lith_merge_input **sorted = block;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &inputs[i];
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 0; i < count; i++) {
        char size[32];
        int digits = snprintf(size, sizeof(size), "%" PRIu64 "\n", sorted[i]->size);
        LITH_TRY(lith_buf_append(raw, sorted[i]->name, strlen(sorted[i]->name) + 1, err));
        LITH_TRY(lith_buf_append(raw, size, (size_t)digits, err));
    }
    return LITH_OK;
}

enum lith_code lith_input_list_write(struct lith_file_writer *writer,
                                     const struct lith_merge_input *inputs, size_t first,
                                     size_t last, struct lith_codec_context *codecs,
                                     struct lith_arena *arena, struct lith_slice *ret_value,
                                     struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf raw;
    LITH_AUTO(buf) struct lith_buf packed;
    char hash[33];
    uint64_t offset;
    char *value;

    lith_buf_init(&raw, arena->mem, LITH_INPUT_LIST_BYTES_MAX);
    lith_buf_init(&packed, arena->mem, LITH_INPUT_LIST_BYTES_MAX);
    LITH_TRY(raw_build(inputs + first, last - first + 1, &raw, err));
    LITH_TRY(lith_compress(codecs, LITH_CODEC_ZSTD, raw.data, raw.bytes, &packed, err));
    LITH_TRY(lith_file_writer_blob(writer, packed.data, packed.bytes, &offset, err));
    lith_hash128_text(lith_hash128(raw.data, raw.bytes, 0), hash);
    LITH_TRY(lith_arena_format(arena, &value, err,
                               "offset=%" PRIu64 " bytes=%zu raw=%zu count=%zu hash=%s", offset,
                               packed.bytes, raw.bytes, last - first + 1, hash));
    *ret_value = lith_slice_text(value);
    return LITH_OK;
}

/* The key's value in numbers. */
struct place {
    uint64_t offset;
    size_t bytes;
    size_t raw_bytes;
    size_t count;
    char hash[33];
};

static enum lith_code place_parse(struct lith_slice value, struct place *ret_place,
                                  struct lith_err *err)
{
    char text[200];
    int used = 0;

    if (value.bytes >= sizeof(text))
        return lith_fail(err, LITH_E_CORRUPT, "%s has %zu bytes", LITH_INPUT_LIST_KEY, value.bytes);
    if (value.bytes)
        memcpy(text, value.data, value.bytes);
    text[value.bytes] = '\0';
    int fields = sscanf(text, "offset=%" SCNu64 " bytes=%zu raw=%zu count=%zu hash=%32[0-9a-f]%n",
                        &ret_place->offset, &ret_place->bytes, &ret_place->raw_bytes,
                        &ret_place->count, ret_place->hash, &used);
    if (fields != 5 || (size_t)used != value.bytes)
        return lith_fail(err, LITH_E_CORRUPT, "%s is not a place: %s", LITH_INPUT_LIST_KEY, text);
    if (ret_place->raw_bytes > LITH_INPUT_LIST_BYTES_MAX ||
        ret_place->bytes > LITH_INPUT_LIST_BYTES_MAX || ret_place->count > ret_place->raw_bytes)
        return lith_fail(err, LITH_E_CORRUPT, "%s is out of bounds: %s", LITH_INPUT_LIST_KEY, text);
    return LITH_OK;
}

static enum lith_code list_parse(char *raw, const struct place *place,
                                 struct lith_listed_input *inputs, struct lith_err *err)
{
    char *end = raw + place->raw_bytes;

    for (size_t i = 0; i < place->count; i++) {
        char *zero = memchr(raw, '\0', (size_t)(end - raw));
        char *newline = zero ? memchr(zero, '\n', (size_t)(end - zero)) : NULL;
        if (!newline)
            return lith_fail(err, LITH_E_CORRUPT, "the list of inputs ends at entry %zu of %zu", i,
                             place->count);
        char *digits_end;
        inputs[i].name = raw;
        inputs[i].size = strtoull(zero + 1, &digits_end, 10);
        if (digits_end != newline)
            return lith_fail(err, LITH_E_CORRUPT, "entry %zu of the list of inputs has no size", i);
        raw = newline + 1;
    }
    if (raw != end)
        return lith_fail(err, LITH_E_CORRUPT, "%zu bytes behind the list of inputs",
                         (size_t)(end - raw));
    return LITH_OK;
}

enum lith_code lith_input_list_read(struct lith_source *source, const struct lith_footer *footer,
                                    struct lith_codec_context *codecs, struct lith_arena *arena,
                                    struct lith_listed_input **ret_inputs, size_t *ret_count,
                                    struct lith_err *err)
{
    const struct lith_key_value *key = lith_footer_key(footer, LITH_INPUT_LIST_KEY);
    struct place place;
    char hash[33];
    void *packed;
    void *raw;
    void *inputs;

    if (!key)
        return lith_fail(err, LITH_E_NOT_FOUND, "the footer has no key %s", LITH_INPUT_LIST_KEY);
    LITH_TRY(place_parse(key->value, &place, err));
    if (place.offset > footer->footer_offset || place.bytes > footer->footer_offset - place.offset)
        return lith_fail(err, LITH_E_CORRUPT, "the list of inputs passes the footer at %" PRIu64,
                         footer->footer_offset);
    LITH_TRY(lith_arena_alloc(arena, place.bytes, &packed, err));
    LITH_TRY(lith_arena_alloc(arena, place.raw_bytes, &raw, err));
    LITH_TRY(lith_source_read(source, place.offset, packed, place.bytes, err));
    LITH_TRY(
        lith_decompress(codecs, LITH_CODEC_ZSTD, packed, place.bytes, raw, place.raw_bytes, err));
    lith_hash128_text(lith_hash128(raw, place.raw_bytes, 0), hash);
    if (strcmp(hash, place.hash) != 0)
        return lith_fail(err, LITH_E_CORRUPT, "the list of inputs has hash %s, the footer says %s",
                         hash, place.hash);
    LITH_TRY(lith_arena_array(arena, place.count, sizeof(struct lith_listed_input), &inputs, err));
    LITH_TRY(list_parse(raw, &place, inputs, err));
    *ret_inputs = inputs;
    *ret_count = place.count;
    return LITH_OK;
}
