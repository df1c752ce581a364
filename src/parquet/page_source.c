/*
 * Walking the pages of a column chunk.
 *
 * Page types decide, not the offsets of the metadata: files exist whose data_page_offset points
 * at the dictionary page. Bodies are page_body.c's. parquet-splice.md sections 1.1 to 1.3, 9.1.
 */
#include "parquet/page_source.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/page_body.h"

static void room_init(struct lith_page_room *room, const struct lith_work *work)
{
    size_t bytes_max = lith_page_bytes_max(work);

    lith_buf_init(&room->stored, work->mem, bytes_max);
    lith_buf_init(&room->plain, work->mem, bytes_max);
    lith_spool_init(&room->spool, work->mem, work->scratch, 0);
}

static void room_done(struct lith_page_room *room)
{
    lith_buf_done(&room->stored);
    lith_buf_done(&room->plain);
    lith_spool_done(&room->spool);
}

void lith_page_source_init(struct lith_page_source *pages, struct lith_codec_context *codecs,
                           const struct lith_work *work)
{
    *pages = (struct lith_page_source){.codecs = codecs, .work = work};
    lith_buf_init(&pages->head, work->mem,
                  lith_min_size(LITH_PAGE_HEADER_BYTES_MAX, lith_work_share(work)));
    room_init(&pages->dictionary, work);
    room_init(&pages->data, work);
}

int64_t lith_chunk_start(const struct lith_chunk_meta *meta)
{
    if (meta->dictionary_page_offset > 0 && meta->dictionary_page_offset < meta->data_page_offset)
        return meta->dictionary_page_offset;
    return meta->data_page_offset;
}

/* As if the dictionary page had just been read. */
static void dictionary_pass(struct lith_page_source *pages,
                            const struct lith_read_dictionary *dictionary)
{
    pages->position = dictionary->position;
    pages->end = dictionary->end;
    pages->page_index = dictionary->page_index - 1;
    pages->has_dictionary = true;
    pages->started = true;
}

enum lith_code lith_page_source_begin(struct lith_page_source *pages, struct lith_source *source,
                                      const struct lith_chunk_ref *ref, struct lith_err *err)
{
    const struct lith_chunk_meta *meta = ref->meta;

    LITH_TRY(lith_codec_check(meta->codec, err));
    if (meta->num_values < 0 || meta->data_page_offset < 0 || meta->dictionary_page_offset < 0 ||
        meta->total_compressed_size < 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRId64 " values in %" PRId64 " bytes, data page at %" PRId64
                         ", dictionary at %" PRId64,
                         meta->num_values, meta->total_compressed_size, meta->data_page_offset,
                         meta->dictionary_page_offset);
    int64_t start = lith_chunk_start(meta);
    pages->source = source;
    pages->meta = meta;
    pages->position = (uint64_t)start;
    pages->end_max = lith_min_u64(ref->footer_offset, source->size);
    pages->end =
        lith_min_u64((uint64_t)start + (uint64_t)meta->total_compressed_size, pages->end_max);
    pages->values_left = (uint64_t)meta->num_values;
    pages->page_index = 0;
    pages->page_offset = pages->position;
    /* parquet-cpp before Arrow 3 compressed V2 pages and said that it had not. */
    pages->always_compressed = lith_slice_begins(ref->created_by, "parquet-cpp version ");
    pages->size_lacks_header = lith_is_old_parquet_mr(ref->created_by, 3);
    pages->has_dictionary = false;
    pages->has_data = false;
    pages->started = false;
    pages->dictionary_in_source = false;
    if (ref->dictionary)
        dictionary_pass(pages, ref->dictionary);
    return LITH_OK;
}

void lith_page_source_done(struct lith_page_source *pages)
{
    if (!pages->work)
        return;
    lith_buf_done(&pages->head);
    room_done(&pages->dictionary);
    room_done(&pages->data);
}

/* Reads on from what `head` holds, to `bytes` bytes from page_offset. */
static enum lith_code head_grow(struct lith_page_source *pages, size_t bytes, struct lith_err *err)
{
    struct lith_buf *head = &pages->head;
    size_t more = bytes - head->bytes;

    LITH_TRY(lith_buf_reserve(head, more, err));
    LITH_TRY(lith_source_read(pages->source, pages->page_offset + head->bytes,
                              head->data + head->bytes, more, err));
    head->bytes = bytes;
    return LITH_OK;
}

/* The first `bytes` bytes of the page: where they stand in memory, else in `head`. */
static enum lith_code head_see(struct lith_page_source *pages, size_t bytes,
                               const uint8_t **ret_data, struct lith_err *err)
{
    const uint8_t *view = NULL;

    if (pages->head.bytes == 0)
        view = lith_source_view(pages->source, pages->page_offset, bytes);
    if (!view) {
        LITH_TRY(head_grow(pages, bytes, err));
        view = pages->head.data;
    }
    *ret_data = view;
    return LITH_OK;
}

static void slice_move(struct lith_slice *slice, const uint8_t *from, const uint8_t *to)
{
    if (slice->data)
        slice->data = to + (slice->data - from);
}

/* Statistics point into the header: where that is a view it is copied, since what reads the page
 * may want both. */
static enum lith_code statistics_keep(struct lith_page_source *pages, const uint8_t *seen,
                                      size_t header_bytes, struct lith_statistics *statistics,
                                      struct lith_err *err)
{
    bool any = statistics->min_value.data || statistics->max_value.data ||
               statistics->legacy_min.data || statistics->legacy_max.data;

    if (!any || pages->head.bytes > 0)
        return LITH_OK;
    LITH_TRY(lith_buf_append(&pages->head, seen, header_bytes, err));
    slice_move(&statistics->min_value, seen, pages->head.data);
    slice_move(&statistics->max_value, seen, pages->head.data);
    slice_move(&statistics->legacy_min, seen, pages->head.data);
    slice_move(&statistics->legacy_max, seen, pages->head.data);
    return LITH_OK;
}

static enum lith_code header_read(struct lith_page_source *pages, struct lith_page *page,
                                  struct lith_err *err)
{
    uint64_t left = pages->position < pages->end ? pages->end - pages->position : 0;
    uint64_t most = lith_min_u64(left, LITH_PAGE_HEADER_BYTES_MAX);
    uint64_t want = lith_min_u64(LITH_PAGE_HEADER_GUESS_BYTES, most);
    size_t header_bytes;
    const uint8_t *seen;

    pages->page_offset = pages->position;
    lith_buf_clear(&pages->head);
    for (;;) {
        LITH_TRY(head_see(pages, (size_t)want, &seen, err));
        enum lith_code code =
            lith_page_header_parse(seen, (size_t)want, &page->header, &header_bytes, err);
        if (code == LITH_OK)
            break;
        if (code != LITH_E_NOT_FOUND)
            return code;
        if (want == most)
            return lith_fail(err, LITH_E_CORRUPT,
                             "no page header in %" PRIu64 " bytes, and %" PRIu64 " of %" PRId64
                             " values are still to come",
                             most, pages->values_left, pages->meta->num_values);
        want = lith_min_u64(want * 8, most);
    }
    LITH_TRY(statistics_keep(pages, seen, header_bytes, &page->header.statistics, err));
    page->offset = pages->page_offset;
    page->header_bytes = (uint32_t)header_bytes;
    page->is_v2 = page->header.type == LITH_PAGE_DATA_V2;
    return LITH_OK;
}

/* Moves past the page; its body must end where the chunk does, or the next one's pages would pass
 * for pages of this one. */
static enum lith_code page_pass(struct lith_page_source *pages, const struct lith_page *page,
                                struct lith_err *err)
{
    uint64_t body = page->offset + page->header_bytes;
    uint64_t bytes = (uint64_t)page->header.compressed_bytes;

    if (page->header.type == LITH_PAGE_DICTIONARY && pages->size_lacks_header &&
        !pages->has_dictionary)
        pages->end = lith_min_u64(pages->end + page->header_bytes, pages->end_max);
    if (bytes > pages->end - body)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a body of %" PRIu64 " bytes, but the pages end in %" PRIu64, bytes,
                         pages->end - body);
    pages->position = body + bytes;
    return LITH_OK;
}

static enum lith_code dictionary_check(struct lith_page_source *pages, const struct lith_page *page,
                                       struct lith_err *err)
{
    int encoding = page->header.encoding;

    if (pages->has_dictionary)
        return lith_fail(err, LITH_E_CORRUPT, "a second dictionary page");
    if (pages->has_data)
        return lith_fail(err, LITH_E_CORRUPT, "a dictionary page after data pages");
    if (encoding != LITH_ENCODING_PLAIN && encoding != LITH_ENCODING_PLAIN_DICTIONARY)
        return lith_fail(err, LITH_E_UNSUPPORTED, "a dictionary page with encoding %d", encoding);
    pages->has_dictionary = true;
    return LITH_OK;
}

static enum lith_code data_check(struct lith_page_source *pages, const struct lith_page *page,
                                 struct lith_err *err)
{
    uint64_t values = page->header.num_values;

    if (values > pages->values_left)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " values in the page, but only %" PRIu64 " of %" PRId64
                         " are left in the chunk",
                         values, pages->values_left, pages->meta->num_values);
    pages->values_left -= values;
    pages->has_data = true;
    return LITH_OK;
}

static bool holds_values(const struct lith_page_header *header)
{
    if (header->type == LITH_PAGE_DICTIONARY)
        return true;
    return (header->type == LITH_PAGE_DATA || header->type == LITH_PAGE_DATA_V2) &&
           header->num_values > 0;
}

enum lith_code lith_page_source_next(struct lith_page_source *pages, struct lith_page *ret_page,
                                     bool *ret_end, struct lith_err *err)
{
    struct lith_page page = {0};

    if (pages->values_left == 0) {
        *ret_end = true;
        return LITH_OK;
    }
    do {
        LITH_TRY(lith_work_check(pages->work, err));
        if (pages->started)
            pages->page_index++;
        pages->started = true;
        LITH_TRY(header_read(pages, &page, err));
        LITH_TRY(page_pass(pages, &page, err));
    } while (!holds_values(&page.header));
    if (page.header.type == LITH_PAGE_DICTIONARY) {
        LITH_TRY(dictionary_check(pages, &page, err));
        LITH_TRY(lith_page_body_load(pages, &pages->dictionary, &page, err));
        pages->dictionary_in_source = page.values.source == pages->source;
        /* The room may hold what a chunk before had: the body alone says where it is. */
        if (page.values.data != pages->dictionary.stored.data)
            lith_buf_done(&pages->dictionary.stored);
        pages->passed = (struct lith_read_dictionary){
            .count = page.header.num_values,
            .page_index = pages->page_index + 1,
            .position = pages->position,
            .end = pages->end,
        };
    } else {
        LITH_TRY(data_check(pages, &page, err));
    }
    *ret_page = page;
    *ret_end = false;
    return LITH_OK;
}

enum lith_code lith_page_source_load(struct lith_page_source *pages, struct lith_page *page,
                                     struct lith_err *err)
{
    LITH_ASSERT(page->offset == pages->page_offset);
    return lith_page_body_load(pages, &pages->data, page, err);
}
