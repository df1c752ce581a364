/*
 * Copied pages: a running hash over each copied segment, compared where it ends.
 */
#include "verify/copied.h"

#include <inttypes.h>

void lith_copied_init(struct lith_copied *copied, struct lith_witness *witness,
                      struct lith_mem *mem)
{
    *copied = (struct lith_copied){.segments = {.witness = witness}, .mem = mem};
}

void lith_copied_done(struct lith_copied *copied)
{
    lith_pages_hash_done(&copied->hash);
}

void lith_copied_begin(struct lith_copied *copied, struct lith_source *source,
                       const struct lith_chunk_ref *ref, struct lith_chunk_reader *reader)
{
    lith_segments_begin(&copied->segments, copied->segments.witness, copied->segments.place);
    copied->source = source;
    copied->ref = *ref;
    copied->reader = reader;
    copied->positions = 0;
    copied->decoded_pages = 0;
    copied->pages = 0;
    copied->in_copied = false;
    copied->dictionary_asked_for = false;
}

enum lith_code lith_copied_page(struct lith_copied *copied, const struct lith_page_header *header,
                                bool *ret_copied, struct lith_err *err)
{
    struct lith_segments *segments = &copied->segments;
    enum lith_codec codec = (enum lith_codec)copied->ref.meta->codec;

    LITH_TRY(lith_segments_page(segments, header->num_values, err));
    copied->positions += header->num_values;
    copied->in_copied = segments->segment.kind == LITH_SEGMENT_COPIED;
    *ret_copied = copied->in_copied;
    if (!copied->in_copied) {
        copied->decoded_pages++;
        return LITH_OK;
    }
    if (!copied->hash.hasher)
        LITH_TRY(lith_pages_hash_new(copied->mem, &copied->hash, err));
    if (copied->pages == 0)
        lith_pages_hash_reset(&copied->hash);
    copied->pages++;
    lith_pages_hash_page(&copied->hash, header, lith_page_codec(header, codec),
                         lith_schema_leaf(copied->ref.schema, copied->ref.leaf));
    return LITH_OK;
}

void lith_copied_bytes(struct lith_copied *copied, const void *data, size_t bytes)
{
    lith_pages_hash_bytes(&copied->hash, data, bytes);
}

/* What the ids of the segment mean here. */
static enum lith_code dictionary_check(struct lith_copied *copied, struct lith_err *err)
{
    const struct lith_segment *segment = &copied->segments.segment;
    const struct lith_page *page;
    struct lith_hash128 found;

    if (!copied->dictionary_asked_for) {
        LITH_TRY(lith_chunk_reader_begin(copied->reader, copied->source, &copied->ref, err));
        LITH_TRY(lith_chunk_reader_page(copied->reader, &page, err));
        copied->dictionary_asked_for = true;
    }
    struct lith_dictionary *dictionary = lith_chunk_reader_dictionary(copied->reader);
    if (!dictionary || dictionary->count < segment->dictionary_count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a dictionary of %" PRIu32 " entries, copied ids need %" PRIu32,
                         dictionary ? dictionary->count : 0, segment->dictionary_count);
    LITH_TRY(lith_dictionary_fingerprint(dictionary, segment->dictionary_count, &found, err));
    if (!lith_hash128_equal(found, segment->dictionary))
        return lith_fail(err, LITH_E_CORRUPT,
                         "the first %" PRIu32 " entries of the dictionary are not those that "
                         "copied ids had",
                         segment->dictionary_count);
    return LITH_OK;
}

enum lith_code lith_copied_page_end(struct lith_copied *copied, struct lith_err *err)
{
    const struct lith_segment *segment = &copied->segments.segment;

    if (!copied->in_copied || !lith_segments_at_border(&copied->segments))
        return LITH_OK;
    uint64_t pages = copied->pages;
    copied->pages = 0;
    if (pages != segment->pages)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu64 " copied pages, the sources had %" PRIu64,
                         pages, segment->pages);
    if (!lith_hash128_equal(lith_pages_hash_end(&copied->hash), segment->fingerprint))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " copied pages that are not as in the sources", pages);
    return segment->has_ids ? dictionary_check(copied, err) : LITH_OK;
}

enum lith_code lith_copied_end(struct lith_copied *copied, struct lith_err *err)
{
    uint64_t expected = (uint64_t)copied->ref.num_rows;
    uint64_t rows;

    LITH_TRY(lith_segments_end(&copied->segments, &rows, err));
    if (rows != expected || (lith_schema_leaf(copied->ref.schema, copied->ref.leaf)->max_rep == 0 &&
                             copied->positions != rows))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " rows with %" PRIu64 " values; the sources had %" PRIu64
                         " rows",
                         expected, copied->positions, rows);
    return LITH_OK;
}
