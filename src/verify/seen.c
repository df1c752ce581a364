/*
 * Walking the pages of an output chunk. Stricter than the reader of foreign files: every byte
 * between the chunk's ends must belong to a page that the metadata counts.
 */
#include "verify/seen.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/page_header.h"

#define CRC_BLOCK_BYTES 4096u

struct walk {
    struct lith_seen *seen;
    struct lith_source *source;
    const struct lith_chunk_meta *meta;
    const struct lith_schema_node *leaf;
    const struct lith_work *work;
    struct lith_buf head;
    uint64_t position;
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

static enum lith_code header_read(struct walk *walk, struct lith_err *err)
{
    uint64_t left = walk->seen->end - walk->position;
    uint64_t most = lith_min_u64(left, LITH_PAGE_HEADER_BYTES_MAX);
    uint64_t want = lith_min_u64(LITH_PAGE_HEADER_GUESS_BYTES, most);
    enum lith_code code;

    do {
        lith_buf_clear(&walk->head);
        LITH_TRY(lith_buf_reserve(&walk->head, (size_t)want, err));
        LITH_TRY(
            lith_source_read(walk->source, walk->position, walk->head.data, (size_t)want, err));
        code = lith_page_header_parse(walk->head.data, (size_t)want, &walk->header,
                                      &walk->header_bytes, err);
        if (code == LITH_OK || code != LITH_E_NOT_FOUND)
            return code;
        if (want == most)
            break;
        want = lith_min_u64(want * 16, most);
    } while (true);
    return lith_fail(err, LITH_E_CORRUPT, "no page header in the %" PRIu64 " bytes left", left);
}

static enum lith_code crc_check(struct walk *walk, struct lith_err *err)
{
    uint8_t block[CRC_BLOCK_BYTES];
    uint64_t at = walk->position + walk->header_bytes;
    uint64_t left = (uint64_t)walk->header.compressed_bytes;
    uint32_t crc = 0;

    if (!walk->header.has_crc)
        return LITH_OK;
    while (left > 0) {
        size_t bytes = (size_t)lith_min_u64(left, sizeof(block));
        LITH_TRY(lith_source_read(walk->source, at, block, bytes, err));
        crc = lith_crc32(crc, block, bytes);
        at += bytes;
        left -= bytes;
    }
    if (crc != walk->header.crc)
        return lith_fail(err, LITH_E_CORRUPT, "CRC %08" PRIx32 ", the header says %08" PRIx32, crc,
                         walk->header.crc);
    return LITH_OK;
}

static enum lith_code dictionary_seen(struct walk *walk, struct lith_err *err)
{
    struct lith_seen *seen = walk->seen;

    if (seen->has_dictionary || seen->page_count > 0)
        return lith_fail(err, LITH_E_CORRUPT, "a dictionary page that is not the first page");
    seen->has_dictionary = true;
    seen->data_begin =
        walk->position + walk->header_bytes + (uint64_t)walk->header.compressed_bytes;
    return LITH_OK;
}

/* Some readers skip pages by them, and nothing proves them; the indexes are what is proven. */
static bool has_statistics(const struct lith_statistics *statistics)
{
    return statistics->min_value.data || statistics->max_value.data ||
           statistics->legacy_min.data || statistics->legacy_max.data ||
           statistics->has_null_count || statistics->has_distinct_count ||
           statistics->has_nan_count;
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
    if (is_v2 && walk->leaf->max_rep == 0 && header->num_rows != header->num_values)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu32 " rows, but %" PRIu32 " values",
                         header->num_rows, header->num_values);
    if (is_v2)
        page.rows = (int64_t)header->num_rows;
    walk->seen->num_values += header->num_values;
    walk->seen->page_count++;
    return lith_buf_append(&walk->seen->pages, &page, sizeof(page), err);
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
    LITH_TRY(crc_check(walk, err));
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
        LITH_TRY(lith_work_check(walk->work, err));
        enum lith_code code = header_read(walk, err);
        if (code == LITH_OK)
            code = page_seen(walk, err);
        if (code != LITH_OK)
            (void)lith_err_prefix(err, "page at byte %" PRIu64, walk->position);
        LITH_TRY(code);
    }
    return LITH_OK;
}

enum lith_code lith_seen_walk(struct lith_seen *seen, struct lith_source *source,
                              const struct lith_footer *footer, const struct lith_chunk_meta *meta,
                              const struct lith_schema_node *leaf, const struct lith_work *work,
                              struct lith_err *err)
{
    struct walk walk = {.seen = seen, .source = source, .meta = meta, .leaf = leaf, .work = work};
    int64_t begin =
        meta->dictionary_page_offset > 0 ? meta->dictionary_page_offset : meta->data_page_offset;

    if (begin < 4 || meta->total_compressed_size < 0 || (uint64_t)begin > footer->footer_offset ||
        (uint64_t)meta->total_compressed_size > footer->footer_offset - (uint64_t)begin)
        return lith_fail(err, LITH_E_CORRUPT,
                         "pages at %" PRId64 ", %" PRId64 " bytes, but the footer begins at "
                         "%" PRIu64,
                         begin, meta->total_compressed_size, footer->footer_offset);
    lith_buf_clear(&seen->pages);
    *seen = (struct lith_seen){.pages = seen->pages};
    seen->begin = (uint64_t)begin;
    seen->data_begin = seen->begin;
    seen->end = seen->begin + (uint64_t)meta->total_compressed_size;
    walk.position = seen->begin;
    lith_buf_init(&walk.head, work->mem,
                  lith_min_size(LITH_PAGE_HEADER_BYTES_MAX, lith_work_share(work)));
    enum lith_code code = walk_pages(&walk, err);
    lith_buf_done(&walk.head);
    return code;
}
