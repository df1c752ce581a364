/*
 * Finding and reading the footer: magic, length, bytes, then the parse and the checks.
 *
 * One read from the end brings most footers whole; a larger one takes a second. The leading magic
 * is looked at only when it came along: pages behind it are checked by themselves.
 */
#include "parquet/footer.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/limits.h"
#include "parquet/footer_parse.h"

/* Behind the footer: its length (u32) and the magic. In front of all: the magic. */
#define TAIL_BYTES 8u
#define MAGIC_BYTES 4u
#define FILE_BYTES_MIN (MAGIC_BYTES + TAIL_BYTES)

static enum lith_code magic_check(const uint8_t *magic, uint64_t offset, struct lith_err *err)
{
    if (memcmp(magic, "PAR1", MAGIC_BYTES) == 0)
        return LITH_OK;
    if (memcmp(magic, "PARE", MAGIC_BYTES) == 0)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "byte %" PRIu64 ": magic PARE: the file is encrypted; decrypt it before "
                         "merging",
                         offset);
    return lith_fail(err, LITH_E_CORRUPT,
                     "byte %" PRIu64 ": expected magic PAR1, found %02x %02x %02x %02x: no Parquet "
                     "file, or one that was not written to its end",
                     offset, magic[0], magic[1], magic[2], magic[3]);
}

static enum lith_code length_check(uint64_t file_bytes, uint32_t footer_bytes, struct lith_err *err)
{
    if (footer_bytes == 0 || footer_bytes > file_bytes - FILE_BYTES_MIN)
        return lith_fail(err, LITH_E_CORRUPT,
                         "byte %" PRIu64 ": footer length %u in a file of %" PRIu64 " bytes",
                         file_bytes - TAIL_BYTES, footer_bytes, file_bytes);
    if (footer_bytes > LITH_FOOTER_BYTES_MAX)
        return lith_fail(err, LITH_E_LIMIT, "the footer has %u bytes, at most %" PRIu64 " are read",
                         footer_bytes, LITH_FOOTER_BYTES_MAX);
    return LITH_OK;
}

/* Copies the footer out of `tail`, the last bytes of the file, and reads what they lack. */
static enum lith_code bytes_read(struct lith_source *source, const uint8_t *tail, size_t tail_bytes,
                                 uint32_t footer_bytes, struct lith_arena *arena,
                                 const uint8_t **ret_bytes, struct lith_err *err)
{
    size_t have = lith_min_size(tail_bytes - TAIL_BYTES, footer_bytes);
    size_t missing = footer_bytes - have;
    uint64_t offset = source->size - TAIL_BYTES - footer_bytes;
    void *block;

    LITH_TRY(lith_arena_alloc(arena, footer_bytes, &block, err));
    uint8_t *bytes = block;
    memcpy(bytes + missing, tail + tail_bytes - TAIL_BYTES - have, have);
    LITH_TRY(lith_source_read(source, offset, bytes, missing, err)); /* voids a view */
    *ret_bytes = bytes;
    return LITH_OK;
}

static enum lith_code tail_read(struct lith_source *source, struct lith_arena *arena,
                                uint32_t *ret_footer_bytes, const uint8_t **ret_bytes,
                                struct lith_err *err)
{
    size_t tail_bytes = (size_t)lith_min_u64(source->size, LITH_FOOTER_GUESS_BYTES);
    LITH_AUTO(block) void *block = NULL;

    const uint8_t *tail = lith_source_view(source, source->size - tail_bytes, tail_bytes);
    if (!tail) {
        LITH_TRY(lith_alloc(arena->mem, tail_bytes, &block, err));
        LITH_TRY(lith_source_read(source, source->size - tail_bytes, block, tail_bytes, err));
        tail = block;
    }
    LITH_TRY(magic_check(tail + tail_bytes - MAGIC_BYTES, source->size - MAGIC_BYTES, err));
    if (tail_bytes == source->size)
        LITH_TRY(magic_check(tail, 0, err));
    uint32_t footer_bytes = lith_load_u32(tail + tail_bytes - TAIL_BYTES);
    LITH_TRY(length_check(source->size, footer_bytes, err));
    LITH_TRY(bytes_read(source, tail, tail_bytes, footer_bytes, arena, ret_bytes, err));
    *ret_footer_bytes = footer_bytes;
    return LITH_OK;
}

enum lith_code lith_footer_read(struct lith_source *source, struct lith_arena *arena,
                                struct lith_footer *ret_footer, struct lith_err *err)
{
    struct lith_footer footer = {0};
    const uint8_t *bytes;

    if (source->size < FILE_BYTES_MIN)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " bytes are too few for a Parquet file (%u at least)",
                         source->size, FILE_BYTES_MIN);
    LITH_TRY(tail_read(source, arena, &footer.footer_bytes, &bytes, err));
    footer.footer_offset = source->size - TAIL_BYTES - footer.footer_bytes;
    struct lith_metadata m =
        lith_metadata_at(bytes, footer.footer_bytes, footer.footer_offset, arena);
    LITH_TRY(lith_footer_parse(&m, &footer, err));
    LITH_TRY(lith_footer_check(&footer, arena->mem, err));
    *ret_footer = footer;
    return LITH_OK;
}

const struct lith_key_value *lith_footer_key_slice(const struct lith_footer *footer,
                                                   struct lith_slice key)
{
    for (uint32_t i = footer->key_value_count; i > 0; i--) {
        if (lith_slice_equal(footer->key_values[i - 1].key, key))
            return &footer->key_values[i - 1];
    }
    return NULL;
}

const struct lith_key_value *lith_footer_key(const struct lith_footer *footer, const char *key)
{
    return lith_footer_key_slice(footer, lith_slice_text(key));
}
