/*
 * The body of one page: three ways to it, by size.
 *
 * A whole body in memory has its CRC checked before anything looks at it. One that is streamed is
 * checked as the codec reads it, or in a pass of its own. parquet-splice.md sections 1.3, 9.2.
 */
#include "parquet/page_body.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/hash.h"

/* For bodies without bytes: `data` must not be NULL. */
static const uint8_t no_bytes[1];

enum lith_code lith_body_read(const struct lith_body *body, uint64_t at, void *to, size_t bytes,
                              struct lith_err *err)
{
    if (at > body->bytes || bytes > body->bytes - at)
        return lith_fail(err, LITH_E_CORRUPT, "%zu bytes at %" PRIu64 " of a page body of %" PRIu64,
                         bytes, at, body->bytes);
    if (!body->data)
        return lith_source_read(body->source, body->offset + at, to, bytes, err);
    memcpy(to, body->data + at, bytes);
    return LITH_OK;
}

/* A source that sees to the checksum of what is read through it, as long as it is read forward. */
struct crc_source {
    struct lith_source base;
    struct lith_source *inner;
    uint64_t next; /* all bytes of the body before this offset are in `crc` */
    uint32_t crc;
};

static enum lith_code crc_source_read(struct lith_source *source, uint64_t offset, void *to,
                                      size_t bytes, struct lith_err *err)
{
    struct crc_source *self = (struct crc_source *)source;

    LITH_TRY(lith_source_read(self->inner, offset, to, bytes, err));
    if (offset <= self->next && offset + bytes > self->next) {
        size_t seen = (size_t)(self->next - offset);
        self->crc = lith_crc32(self->crc, (const uint8_t *)to + seen, bytes - seen);
        self->next = offset + bytes;
    }
    return LITH_OK;
}

static void crc_source_close(struct lith_source *source)
{
    (void)source;
}

static void crc_source_init(struct crc_source *self, struct lith_source *inner, uint64_t offset)
{
    static const struct lith_source_ops ops = {.read = crc_source_read, .close = crc_source_close};

    *self = (struct crc_source){
        .base = {.ops = &ops, .size = inner->size}, .inner = inner, .next = offset};
}

/* Reads up to `end` what was not read yet, for the checksum alone. */
static enum lith_code crc_source_drain(struct crc_source *self, uint64_t end, struct lith_err *err)
{
    uint8_t block[4096];

    while (self->next < end) {
        size_t bytes = (size_t)lith_min_u64(sizeof(block), end - self->next);
        LITH_TRY(lith_source_read(&self->base, self->next, block, bytes, err));
    }
    return LITH_OK;
}

/* Reads the stored body into room->stored, using what `head` has of it. */
static enum lith_code stored_read(struct lith_page_source *pages, struct lith_page_room *room,
                                  const struct lith_page *page, struct lith_err *err)
{
    size_t bytes = (size_t)page->header.compressed_bytes;
    size_t seen = 0;

    if (pages->head.bytes > page->header_bytes)
        seen = lith_min_size(pages->head.bytes - page->header_bytes, bytes);
    uint64_t at = page->offset + page->header_bytes + seen;
    lith_buf_clear(&room->stored);
    LITH_TRY(lith_buf_reserve(&room->stored, bytes, err));
    if (seen)
        LITH_TRY(lith_buf_append(&room->stored, pages->head.data + page->header_bytes, seen, err));
    if (bytes > seen)
        LITH_TRY(lith_source_read(pages->source, at, room->stored.data + seen, bytes - seen, err));
    room->stored.bytes = bytes;
    return LITH_OK;
}

/*
 * The stored body: where it stands in memory, if nothing else is asked of the source as long as it
 * is used; else a copy. A dictionary outlives pages unless it is decompressed at once, and one that
 * stays in the source is looked up there.
 */
static enum lith_code stored_get(struct lith_page_source *pages, struct lith_page_room *room,
                                 const struct lith_page *page, bool compressed,
                                 const uint8_t **ret_stored, struct lith_err *err)
{
    size_t bytes = (size_t)page->header.compressed_bytes;
    bool is_data = room == &pages->data;
    const uint8_t *stored = NULL;

    if (is_data ? !pages->dictionary_in_source : compressed)
        stored = lith_source_view(pages->source, page->offset + page->header_bytes, bytes);
    if (!stored) {
        LITH_TRY(stored_read(pages, room, page, err));
        stored = bytes ? room->stored.data : no_bytes;
    }
    if (page->header.has_crc)
        LITH_TRY(lith_page_crc_check(&page->header, lith_crc32(0, stored, bytes), err));
    *ret_stored = stored;
    return LITH_OK;
}

/* The parts of a page, as its header cuts it. */
struct parts {
    uint64_t offset; /* of the stored body in the file */
    uint64_t stored_bytes;
    uint64_t plain_bytes;  /* of the values' part, decompressed */
    uint64_t level_bytes;  /* V2: in front, never compressed */
    uint64_t packed_bytes; /* of the values' part, as stored */
    bool compressed;
};

static enum lith_code parts_of(const struct lith_page_source *pages, const struct lith_page *page,
                               struct parts *ret_parts, struct lith_err *err)
{
    const struct lith_page_header *header = &page->header;
    struct parts p = {
        .offset = page->offset + page->header_bytes,
        .stored_bytes = (uint64_t)header->compressed_bytes,
        .compressed = pages->meta->codec != LITH_CODEC_UNCOMPRESSED,
    };

    if (page->is_v2) {
        p.level_bytes = (uint64_t)header->rep_bytes + header->def_bytes;
        p.compressed = p.compressed && (header->is_compressed || pages->always_compressed);
    }
    uint64_t plain = (uint64_t)header->uncompressed_bytes;
    if (p.level_bytes > p.stored_bytes || p.level_bytes > plain)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " bytes of levels in a body of %" PRIu64 " (%" PRIu64
                         " uncompressed)",
                         p.level_bytes, p.stored_bytes, plain);
    if (!p.compressed && p.stored_bytes != plain)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a body of %" PRIu64 " bytes that is not compressed, but the header "
                         "says %" PRIu64 " uncompressed",
                         p.stored_bytes, plain);
    p.plain_bytes = plain - p.level_bytes;
    p.packed_bytes = p.stored_bytes - p.level_bytes;
    *ret_parts = p;
    return LITH_OK;
}

static struct lith_body body_in_memory(const uint8_t *data, uint64_t bytes)
{
    return (struct lith_body){.data = bytes ? data : no_bytes, .bytes = bytes};
}

static struct lith_body body_in_source(struct lith_source *source, uint64_t offset, uint64_t bytes)
{
    if (bytes == 0)
        return body_in_memory(NULL, 0);
    return (struct lith_body){.source = source, .offset = offset, .bytes = bytes};
}

static enum lith_code load_in_memory(struct lith_page_source *pages, struct lith_page_room *room,
                                     struct lith_page *page, const struct parts *p,
                                     struct lith_err *err)
{
    /* Each buffer may have been most of the allowance for a page before. */
    if (room->stored.capacity + room->plain.capacity > lith_page_bytes_max(pages->work)) {
        lith_buf_done(&room->stored);
        lith_buf_done(&room->plain);
    }
    const uint8_t *stored;
    LITH_TRY(stored_get(pages, room, page, p->compressed, &stored, err));
    page->levels = body_in_memory(stored, p->level_bytes);
    if (!p->compressed) {
        page->values = body_in_memory(stored + p->level_bytes, p->packed_bytes);
        return LITH_OK;
    }
    lith_buf_clear(&room->plain);
    LITH_TRY(lith_buf_reserve(&room->plain, (size_t)p->plain_bytes, err));
    /* A page of nulls alone may have no values' part at all, which is not for the codec. */
    if (p->packed_bytes > 0 || p->plain_bytes > 0)
        LITH_TRY(lith_decompress(pages->codecs, (enum lith_codec)pages->meta->codec,
                                 stored + p->level_bytes, (size_t)p->packed_bytes, room->plain.data,
                                 (size_t)p->plain_bytes, err));
    room->plain.bytes = (size_t)p->plain_bytes;
    page->values = body_in_memory(room->plain.data, p->plain_bytes);
    return LITH_OK;
}

static enum lith_code load_in_source(struct lith_page_source *pages, struct lith_page *page,
                                     const struct parts *p, struct lith_err *err)
{
    struct crc_source through;

    if (page->header.has_crc) {
        crc_source_init(&through, pages->source, p->offset);
        LITH_TRY(crc_source_drain(&through, p->offset + p->stored_bytes, err));
        LITH_TRY(lith_page_crc_check(&page->header, through.crc, err));
    }
    page->levels = body_in_source(pages->source, p->offset, p->level_bytes);
    page->values = body_in_source(pages->source, p->offset + p->level_bytes, p->packed_bytes);
    return LITH_OK;
}

static enum lith_code load_in_spool(struct lith_page_source *pages, struct lith_page_room *room,
                                    struct lith_page *page, const struct parts *p,
                                    struct lith_err *err)
{
    struct crc_source through;

    /* What the room held in memory makes place for the codec's history. */
    lith_buf_done(&room->stored);
    lith_buf_done(&room->plain);
    lith_spool_clear(&room->spool);
    crc_source_init(&through, pages->source, p->offset);
    if (page->header.has_crc)
        LITH_TRY(crc_source_drain(&through, p->offset + p->level_bytes, err));
    const struct lith_decompress_stream stream = {
        .from = &through.base,
        .from_offset = p->offset + p->level_bytes,
        .from_bytes = p->packed_bytes,
        .to = &room->spool.sink,
        .written = &room->spool.source,
        .to_bytes = p->plain_bytes,
        .history_bytes_max = lith_work_share(pages->work),
    };
    LITH_TRY(
        lith_decompress_stream(pages->codecs, (enum lith_codec)pages->meta->codec, &stream, err));
    if (page->header.has_crc) {
        LITH_TRY(crc_source_drain(&through, p->offset + p->stored_bytes, err));
        LITH_TRY(lith_page_crc_check(&page->header, through.crc, err));
    }
    page->levels = body_in_source(pages->source, p->offset, p->level_bytes);
    page->values = body_in_source(&room->spool.source, 0, p->plain_bytes);
    return LITH_OK;
}

enum lith_code lith_page_body_load(struct lith_page_source *pages, struct lith_page_room *room,
                                   struct lith_page *page, struct lith_err *err)
{
    struct parts p = {0};

    LITH_TRY(parts_of(pages, page, &p, err));
    uint64_t needed = p.stored_bytes + (p.compressed ? p.plain_bytes : 0);
    if (needed <= lith_page_bytes_max(pages->work))
        LITH_TRY(load_in_memory(pages, room, page, &p, err));
    else if (!p.compressed)
        LITH_TRY(load_in_source(pages, page, &p, err));
    else
        LITH_TRY(load_in_spool(pages, room, page, &p, err));
    if (!page->is_v2)
        page->levels = page->values;
    return LITH_OK;
}
