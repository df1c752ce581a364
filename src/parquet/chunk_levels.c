/*
 * The levels of a data page.
 *
 * A decoder must know how many values a page has, which a V1 page tells only through its
 * definition levels: they are decoded once to count, and once more in step with the values,
 * unless all fit one batch. parquet-splice.md section 9.1, 7.
 */
#include "parquet/chunk_levels.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "parquet/page_body.h"

/* The array stays, and with it what run it holds. */
static enum lith_code stream_begin(struct lith_level_stream *s, const char *name, uint16_t max,
                                   bool msb_first, struct lith_mem *mem, struct lith_err *err)
{
    void *block = s->levels;

    lith_window_done(&s->window);
    if (max > 0 && !block)
        LITH_TRY(lith_alloc_array(mem, LITH_BATCH_POSITIONS, sizeof(uint16_t), &block, err));
    *s = (struct lith_level_stream){
        .name = name,
        .max = max,
        .width = lith_bit_width(max),
        .msb_first = msb_first,
        .levels = block,
        .is_run = s->is_run,
        .run_level = s->run_level,
    };
    return LITH_OK;
}

enum lith_code lith_chunk_levels_begin(struct lith_chunk_levels *levels,
                                       const struct lith_schema_node *leaf,
                                       struct lith_slice created_by, struct lith_mem *mem,
                                       struct lith_err *err)
{
    static const char lsb_writer[] = "impala";
    size_t name_bytes = sizeof(lsb_writer) - 1;
    bool msb_first =
        created_by.bytes < name_bytes || memcmp(created_by.data, lsb_writer, name_bytes) != 0;

    levels->mem = mem;
    levels->begin = 0;
    levels->end = 0;
    levels->undecoded = 0;
    levels->rows = 0;
    levels->values = 0;
    LITH_TRY(stream_begin(&levels->rep, "repetition", leaf->max_rep, msb_first, mem, err));
    return stream_begin(&levels->def, "definition", leaf->max_def, msb_first, mem, err);
}

void lith_chunk_levels_done(struct lith_chunk_levels *levels)
{
    lith_window_done(&levels->rep.window);
    lith_window_done(&levels->def.window);
    lith_free(levels->rep.levels);
    lith_free(levels->def.levels);
    *levels = (struct lith_chunk_levels){0};
}

/* Finds the part of a V1 body that a stream has, from *at on, and moves *at past it. */
static enum lith_code stream_find(struct lith_level_stream *s, int encoding, uint64_t count,
                                  const struct lith_body *body, uint64_t *at, struct lith_err *err)
{
    uint8_t length[4];
    uint64_t bytes;

    s->begin = *at;
    s->end = *at;
    if (s->max == 0)
        return LITH_OK;
    s->bit_packed = encoding == LITH_ENCODING_BIT_PACKED;
    if (s->bit_packed) {
        bytes = (count * s->width + 7) / 8; /* a 32-bit count, at most 16 bits each */
    } else if (encoding == LITH_ENCODING_RLE) {
        LITH_TRY(lith_body_read(body, *at, length, sizeof(length), err));
        bytes = lith_load_u32(length);
        s->begin += sizeof(length);
    } else {
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s levels with encoding %d", s->name, encoding);
    }
    if (s->begin > body->bytes || bytes > body->bytes - s->begin)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " bytes of %s levels at %" PRIu64 " of a body of %" PRIu64,
                         bytes, s->name, s->begin, body->bytes);
    s->end = s->begin + bytes;
    *at = s->end;
    return LITH_OK;
}

static enum lith_code stream_start(struct lith_level_stream *s, const struct lith_body *body,
                                   uint64_t count, struct lith_mem *mem, struct lith_err *err)
{
    lith_window_done(&s->window);
    if (s->max == 0)
        return LITH_OK;
    LITH_TRY(lith_window_init(&s->window, body, s->begin, s->end, mem, LITH_LEVEL_WINDOW_BYTES,
                              LITH_LEVEL_WINDOW_BYTES, err));
    if (s->bit_packed)
        return lith_rle_init_bit_packed(&s->rle, &s->window, s->width, count, s->msb_first, err);
    return lith_rle_init(&s->rle, &s->window, s->width, err);
}

static size_t count_equal(const uint16_t *levels, size_t count, uint16_t level)
{
    size_t equal = 0;

    for (size_t i = 0; i < count; i++)
        equal += levels[i] == level;
    return equal;
}

/* The next levels are one run, as in a page without nulls: the array is filled with it once. */
static void run_next(struct lith_level_stream *s, size_t count, uint16_t level)
{
    if (!s->is_run || s->run_level != level) {
        for (size_t i = 0; i < LITH_BATCH_POSITIONS; i++)
            s->levels[i] = level;
    }
    s->is_run = true;
    s->run_level = level;
    lith_rle_skip(&s->rle, count);
}

static enum lith_code levels_next(struct lith_level_stream *s, size_t count, uint32_t *ret_most,
                                  struct lith_err *err)
{
    uint64_t equal;
    uint32_t level;
    uint16_t most = 0;

    LITH_TRY(lith_rle_peek(&s->rle, &equal, &level, err));
    if (equal >= count && level <= UINT16_MAX) {
        run_next(s, count, (uint16_t)level);
        *ret_most = level;
        return LITH_OK;
    }
    s->is_run = false;
    LITH_TRY(lith_rle_next_u16(&s->rle, s->levels, count, err));
    for (size_t i = 0; i < count; i++)
        most = s->levels[i] > most ? s->levels[i] : most;
    *ret_most = most;
    return LITH_OK;
}

/* Decodes `count` levels, more than 0, to the start of the array and checks them. */
static enum lith_code stream_next(struct lith_level_stream *s, size_t count, struct lith_err *err)
{
    uint32_t most = 0;
    enum lith_code code = levels_next(s, count, &most, err);

    if (code != LITH_OK) {
        (void)lith_err_prefix(err, "%s levels", s->name);
        return code;
    }
    if (most > s->max)
        return lith_fail(err, LITH_E_CORRUPT, "a %s level of %" PRIu32 ", but the schema allows %u",
                         s->name, most, s->max);
    return LITH_OK;
}

/* How many of levels [begin, begin + count) are `level`. */
static size_t stream_count(const struct lith_level_stream *s, size_t begin, size_t count,
                           uint16_t level)
{
    if (s->is_run)
        return s->run_level == level ? count : 0;
    return count_equal(s->levels + begin, count, level);
}

/* Decodes the next batch of both streams to the start of the arrays. */
static enum lith_code decode(struct lith_chunk_levels *levels, struct lith_err *err)
{
    size_t count = (size_t)lith_min_u64(levels->undecoded, LITH_BATCH_POSITIONS);

    if (levels->rep.max > 0)
        LITH_TRY(stream_next(&levels->rep, count, err));
    if (levels->def.max > 0)
        LITH_TRY(stream_next(&levels->def, count, err));
    levels->begin = 0;
    levels->end = count;
    levels->undecoded -= count;
    levels->rows += levels->rep.max ? stream_count(&levels->rep, 0, count, 0) : count;
    levels->values += lith_chunk_levels_values(levels);
    return LITH_OK;
}

/* Counts the values of a V1 page that is larger than a batch. */
static enum lith_code count_values(struct lith_chunk_levels *levels, const struct lith_body *body,
                                   uint64_t positions, uint64_t *ret_count, struct lith_err *err)
{
    uint64_t values = 0;

    for (uint64_t left = positions; left > 0;) {
        size_t count = (size_t)lith_min_u64(left, LITH_BATCH_POSITIONS);
        LITH_TRY(stream_next(&levels->def, count, err));
        values += stream_count(&levels->def, 0, count, levels->def.max);
        left -= count;
    }
    LITH_TRY(stream_start(&levels->def, body, positions, levels->mem, err));
    *ret_count = values;
    return LITH_OK;
}

/* Where the streams of the page lie. */
static enum lith_code find(struct lith_chunk_levels *levels, const struct lith_page *page,
                           uint64_t *ret_values_begin, struct lith_err *err)
{
    const struct lith_page_header *header = &page->header;
    struct lith_level_stream *rep = &levels->rep;
    struct lith_level_stream *def = &levels->def;
    uint64_t at = 0;

    if (!page->is_v2) {
        LITH_TRY(
            stream_find(rep, header->rep_encoding, header->num_values, &page->values, &at, err));
        LITH_TRY(
            stream_find(def, header->def_encoding, header->num_values, &page->values, &at, err));
        *ret_values_begin = at;
        return LITH_OK;
    }
    /* Bytes of levels that the schema does not have (Athena wrote them) are passed over. */
    rep->bit_packed = false;
    def->bit_packed = false;
    rep->begin = 0;
    rep->end = header->rep_bytes;
    def->begin = rep->end;
    def->end = rep->end + header->def_bytes;
    *ret_values_begin = 0;
    return LITH_OK;
}

enum lith_code lith_chunk_levels_open(struct lith_chunk_levels *levels,
                                      const struct lith_page *page, uint64_t *ret_values_begin,
                                      uint64_t *ret_count, struct lith_err *err)
{
    const struct lith_page_header *header = &page->header;
    uint64_t positions = header->num_values;
    uint64_t begin;

    LITH_TRY(find(levels, page, &begin, err));
    levels->begin = 0;
    levels->end = 0;
    levels->undecoded = positions;
    levels->rows = 0;
    levels->values = 0;
    LITH_TRY(stream_start(&levels->rep, &page->levels, positions, levels->mem, err));
    LITH_TRY(stream_start(&levels->def, &page->levels, positions, levels->mem, err));
    uint64_t count = positions;
    if (page->is_v2) {
        if (header->num_nulls > positions)
            return lith_fail(err, LITH_E_CORRUPT, "%u nulls among %u values", header->num_nulls,
                             header->num_values);
        count = positions - header->num_nulls;
    } else if (levels->def.max > 0 && positions > LITH_BATCH_POSITIONS) {
        LITH_TRY(count_values(levels, &page->levels, positions, &count, err));
    } else if (levels->def.max > 0) {
        LITH_TRY(decode(levels, err));
        count = levels->values;
    }
    *ret_values_begin = begin;
    *ret_count = count;
    return LITH_OK;
}

enum lith_code lith_chunk_levels_fill(struct lith_chunk_levels *levels, struct lith_err *err)
{
    return levels->begin < levels->end ? LITH_OK : decode(levels, err);
}

size_t lith_chunk_levels_values(const struct lith_chunk_levels *levels)
{
    size_t count = levels->end - levels->begin;

    if (levels->def.max == 0)
        return count;
    return stream_count(&levels->def, levels->begin, count, levels->def.max);
}

size_t lith_chunk_levels_cut(const struct lith_chunk_levels *levels, size_t values)
{
    size_t count = levels->end - levels->begin;
    size_t seen = 0;

    if (levels->def.max == 0)
        return values;
    for (size_t i = 0; i < count; i++) {
        bool is_value = levels->def.levels[levels->begin + i] == levels->def.max;
        if (is_value && seen == values)
            return i;
        seen += is_value;
    }
    return count;
}
