/*
 * Walking the pages of an output chunk. Stricter than the reader of foreign files: every byte
 * between the chunk's ends must belong to a page that the metadata counts.
 *
 * Bytes are read once, in blocks: a body that is looked at here is seen by its checksum and by the
 * hash of copied pages on the way; the others are passed over.
 */
#include "verify/seen.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/page_header.h"
#include "parquet/window.h"

/* Reads of bodies: few system calls, and within the nearest cache. */
#define BLOCK_BYTES ((size_t)128 << 10)

struct walk {
    const struct lith_seen_walk *options;
    const struct lith_chunk_meta *meta;
    const struct lith_schema_node *leaf;
    struct lith_seen *seen;
    struct lith_window window; /* of the chunk; `next` is at `position`, or behind its header */
    size_t block_bytes;
    uint64_t position; /* of the page */
    struct lith_page_header header;
    size_t header_bytes;
};

void lith_seen_init(struct lith_seen *seen, const struct lith_work *work)
{
    *seen = (struct lith_seen){.page_count = 0};
    lith_buf_init(&seen->pages, work->mem, lith_work_share(work));
}

void lith_seen_done(struct lith_seen *seen)
{
    lith_buf_done(&seen->pages);
}

/* Parses the header at the window; the window stays in front of it. */
static enum lith_code header_read(struct walk *walk, struct lith_err *err)
{
    struct lith_window *w = &walk->window;
    uint64_t left = lith_window_left(w);
    uint64_t most = lith_min_u64(left, LITH_PAGE_HEADER_BYTES_MAX);
    uint64_t want = lith_min_u64(LITH_PAGE_HEADER_GUESS_BYTES, most);

    for (;;) {
        if (!lith_window_need(w, (size_t)want))
            return w->code;
        enum lith_code code = lith_page_header_parse(w->next, (size_t)(w->end - w->next),
                                                     &walk->header, &walk->header_bytes, err);
        if (code != LITH_E_NOT_FOUND)
            return code;
        if (want == most)
            return lith_fail(err, LITH_E_CORRUPT, "no page header in the %" PRIu64 " bytes left",
                             left);
        want = lith_min_u64(want * 16, most);
    }
}

/* Reads the body for its checksum, and for the witness where it was copied. */
static enum lith_code body_read(struct walk *walk, bool copied, struct lith_err *err)
{
    struct lith_window *w = &walk->window;
    uint64_t left = (uint64_t)walk->header.compressed_bytes;
    uint32_t crc = 0;

    w->buffer_bytes = walk->block_bytes;
    while (left > 0) {
        if (!lith_window_need(w, 1))
            return w->code;
        size_t bytes = (size_t)lith_min_u64(left, (uint64_t)(w->end - w->next));
        if (walk->header.has_crc)
            crc = lith_crc32(crc, w->next, bytes);
        if (copied)
            lith_copied_bytes(walk->options->copied, w->next, bytes);
        w->next += bytes;
        left -= bytes;
    }
    return lith_page_crc_check(&walk->header, crc, err);
}

static enum lith_code body_pass(struct walk *walk)
{
    struct lith_window *w = &walk->window;

    w->buffer_bytes = LITH_PAGE_HEADER_GUESS_BYTES;
    return lith_window_skip(w, (uint64_t)walk->header.compressed_bytes) ? LITH_OK : w->code;
}

static enum lith_code dictionary_seen(struct walk *walk, struct lith_err *err)
{
    struct lith_seen *seen = walk->seen;

    if (seen->has_dictionary || seen->page_count > 0)
        return lith_fail(err, LITH_E_CORRUPT, "a dictionary page that is not the first page");
    seen->has_dictionary = true;
    seen->data_begin =
        walk->position + walk->header_bytes + (uint64_t)walk->header.compressed_bytes;
    return body_read(walk, false, err);
}

static enum lith_code data_body(struct walk *walk, struct lith_err *err)
{
    struct lith_copied *copied = walk->options->copied;
    bool is_copied = false;

    if (copied)
        LITH_TRY(lith_copied_page(copied, &walk->header, &is_copied, err));
    if (!is_copied && !walk->options->check_bodies)
        return body_pass(walk);
    LITH_TRY(body_read(walk, is_copied, err));
    return copied ? lith_copied_page_end(copied, err) : LITH_OK;
}

/* Some readers skip pages by them, and nothing proves them; the indexes are what is proven. */
static bool has_statistics(const struct lith_statistics *statistics)
{
    return statistics->min_value.data || statistics->max_value.data ||
           statistics->legacy_min.data || statistics->legacy_max.data ||
           statistics->has_null_count || statistics->has_distinct_count ||
           statistics->has_nan_count;
}

/* Most readers refuse BIT_PACKED levels, or take their bits from the other end. */
static bool has_odd_levels(const struct walk *walk)
{
    const struct lith_page_header *header = &walk->header;

    return header->type == LITH_PAGE_DATA &&
           ((walk->leaf->max_def && header->def_encoding != LITH_ENCODING_RLE) ||
            (walk->leaf->max_rep && header->rep_encoding != LITH_ENCODING_RLE));
}

static enum lith_code data_seen(struct walk *walk, struct lith_err *err)
{
    const struct lith_page_header *header = &walk->header;
    bool is_v2 = header->type == LITH_PAGE_DATA_V2;
    struct lith_seen_page page = {
        .offset = walk->position,
        .bytes = (uint32_t)walk->header_bytes + (uint32_t)header->compressed_bytes,
        .num_values = header->num_values,
        .rows = walk->leaf->max_rep == 0 ? (int64_t)header->num_values : -1,
    };

    if (header->num_values == 0)
        return lith_fail(err, LITH_E_CORRUPT, "a data page without values");
    if (has_statistics(&header->statistics))
        return lith_fail(err, LITH_E_CORRUPT, "statistics in a page header");
    if (has_odd_levels(walk))
        return lith_fail(err, LITH_E_CORRUPT, "levels that are not RLE");
    if (is_v2 && walk->leaf->max_rep == 0 && header->num_rows != header->num_values)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu32 " rows, but %" PRIu32 " values",
                         header->num_rows, header->num_values);
    if (is_v2)
        page.rows = (int64_t)header->num_rows;
    walk->seen->num_values += header->num_values;
    walk->seen->page_count++;
    LITH_TRY(lith_buf_append(&walk->seen->pages, &page, sizeof(page), err));
    return data_body(walk, err);
}

static enum lith_code page_seen(struct walk *walk, struct lith_err *err)
{
    const struct lith_page_header *header = &walk->header;
    uint64_t body = walk->position + walk->header_bytes;

    if ((uint64_t)header->compressed_bytes > walk->seen->end - body)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a body of %" PRId32 " bytes passes the end of the chunk at %" PRIu64,
                         header->compressed_bytes, walk->seen->end);
    if (header->encoding < 0 || header->encoding >= LITH_SEEN_ENCODINGS)
        return lith_fail(err, LITH_E_CORRUPT, "encoding %" PRId32, header->encoding);
    walk->window.next += walk->header_bytes;
    if (header->type == LITH_PAGE_DICTIONARY)
        LITH_TRY(dictionary_seen(walk, err));
    else if (header->type == LITH_PAGE_DATA || header->type == LITH_PAGE_DATA_V2)
        LITH_TRY(data_seen(walk, err));
    else
        return lith_fail(err, LITH_E_CORRUPT, "a page of type %" PRId32, header->type);
    walk->seen->counts[header->type][header->encoding]++;
    walk->seen->uncompressed_bytes += walk->header_bytes + (uint64_t)header->uncompressed_bytes;
    walk->position = body + (uint64_t)header->compressed_bytes;
    return LITH_OK;
}

static enum lith_code walk_pages(struct walk *walk, struct lith_err *err)
{
    while (walk->position < walk->seen->end) {
        LITH_TRY(lith_work_check(walk->options->work, err));
        enum lith_code code = header_read(walk, err);
        if (code == LITH_OK)
            code = page_seen(walk, err);
        if (code != LITH_OK)
            (void)lith_err_prefix(err, "page at byte %" PRIu64, walk->position);
        LITH_TRY(code);
    }
    return walk->options->copied ? lith_copied_end(walk->options->copied, err) : LITH_OK;
}

static enum lith_code window_open(struct walk *walk, struct lith_err *err)
{
    const struct lith_work *work = walk->options->work;
    struct lith_body chunk = {.source = walk->options->source,
                              .offset = walk->seen->begin,
                              .bytes = walk->seen->end - walk->seen->begin};
    size_t most = lith_min_size(LITH_PAGE_HEADER_BYTES_MAX, lith_work_share(work));

    walk->block_bytes = lith_min_size(BLOCK_BYTES, most);
    LITH_TRY(lith_window_init(&walk->window, &chunk, 0, chunk.bytes, work->mem, walk->block_bytes,
                              most, err));
    if (!walk->options->check_bodies)
        walk->window.buffer_bytes = LITH_PAGE_HEADER_GUESS_BYTES;
    return LITH_OK;
}

enum lith_code lith_seen_walk(struct lith_seen *seen, const struct lith_seen_walk *options,
                              struct lith_err *err)
{
    const struct lith_chunk_meta *meta = options->ref->meta;
    uint64_t footer_offset = options->ref->footer_offset;
    struct walk walk = {.options = options,
                        .meta = meta,
                        .leaf = lith_schema_leaf(options->ref->schema, options->ref->leaf),
                        .seen = seen};
    int64_t begin =
        meta->dictionary_page_offset > 0 ? meta->dictionary_page_offset : meta->data_page_offset;

    if (begin < 4 || meta->total_compressed_size < 0 || (uint64_t)begin > footer_offset ||
        (uint64_t)meta->total_compressed_size > footer_offset - (uint64_t)begin)
        return lith_fail(err, LITH_E_CORRUPT,
                         "pages at %" PRId64 ", %" PRId64 " bytes, but the footer begins at "
                         "%" PRIu64,
                         begin, meta->total_compressed_size, footer_offset);
    lith_buf_clear(&seen->pages);
    *seen = (struct lith_seen){.pages = seen->pages};
    seen->begin = (uint64_t)begin;
    seen->data_begin = seen->begin;
    seen->end = seen->begin + (uint64_t)meta->total_compressed_size;
    walk.position = seen->begin;
    LITH_TRY(window_open(&walk, err));
    enum lith_code code = walk_pages(&walk, err);
    lith_window_done(&walk.window);
    return code;
}
