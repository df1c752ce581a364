/*
 * The witness: segments are joined while they are of one kind, and spooled when they end.
 *
 * Copied pages join only while their ids mean the same, so a chunk that is all copied from
 * sources of one dictionary, or none, costs one segment.
 */
#include "parquet/witness.h"

#include "base/checked.h"

#define SEED_PAGES 6u

enum lith_code lith_pages_hash_new(struct lith_mem *mem, struct lith_pages_hash *ret_hash,
                                   struct lith_err *err)
{
    struct lith_pages_hash hash = {.body_left = 0};

    LITH_TRY(lith_hasher_new(mem, SEED_PAGES, &hash.hasher, err));
    *ret_hash = hash;
    return LITH_OK;
}

void lith_pages_hash_done(struct lith_pages_hash *hash)
{
    lith_hasher_free(hash->hasher);
    *hash = (struct lith_pages_hash){0};
}

void lith_pages_hash_reset(struct lith_pages_hash *hash)
{
    LITH_ASSERT(hash->body_left == 0);
    lith_hasher_reset(hash->hasher);
}

enum lith_codec lith_page_codec(const struct lith_page_header *header, enum lith_codec codec)
{
    bool compressed = header->type != LITH_PAGE_DATA_V2 || header->is_compressed;

    return compressed ? codec : LITH_CODEC_UNCOMPRESSED;
}

void lith_pages_hash_page(struct lith_pages_hash *hash, const struct lith_page_header *header,
                          enum lith_codec codec, const struct lith_schema_node *leaf)
{
    bool is_v2 = header->type == LITH_PAGE_DATA_V2;
    int32_t encoding = lith_page_has_ids(header) ? LITH_ENCODING_RLE_DICTIONARY : header->encoding;
    const uint32_t facts[12] = {
        (uint32_t)header->type,
        (uint32_t)encoding,
        header->num_values,
        (uint32_t)header->uncompressed_bytes,
        (uint32_t)header->compressed_bytes,
        (uint32_t)codec,
        !is_v2 && leaf->max_def > 0 ? (uint32_t)header->def_encoding : 0,
        !is_v2 && leaf->max_rep > 0 ? (uint32_t)header->rep_encoding : 0,
        is_v2 ? header->num_nulls : 0,
        is_v2 ? header->num_rows : 0,
        is_v2 ? header->def_bytes : 0,
        is_v2 ? header->rep_bytes : 0,
    };

    LITH_ASSERT(hash->body_left == 0);
    lith_hasher_add(hash->hasher, facts, sizeof(facts));
    hash->body_left = (uint64_t)header->compressed_bytes;
}

void lith_pages_hash_bytes(struct lith_pages_hash *hash, const void *data, size_t bytes)
{
    LITH_ASSERT(bytes <= hash->body_left);
    lith_hasher_add(hash->hasher, data, bytes);
    hash->body_left -= bytes;
}

struct lith_hash128 lith_pages_hash_end(const struct lith_pages_hash *hash)
{
    LITH_ASSERT(hash->body_left == 0);
    return lith_hasher_end(hash->hasher);
}

void lith_witness_init(struct lith_witness *witness, const struct lith_work *work,
                       uint32_t leaf_count)
{
    *witness = (struct lith_witness){.mem = work->mem, .leaf_count = leaf_count};
    lith_spool_init(&witness->segments, work->mem, work->scratch,
                    (size_t)lith_min_u64(LITH_WITNESS_MEMORY_BYTES, lith_work_share(work) / 4));
}

void lith_witness_done(struct lith_witness *witness)
{
    lith_spool_done(&witness->segments);
    lith_stream_hash_done(&witness->stream);
    lith_pages_hash_done(&witness->pages);
    *witness = (struct lith_witness){0};
}

void lith_witness_chunk_begin(struct lith_witness *witness, const struct lith_schema_node *leaf)
{
    LITH_ASSERT(witness->open.kind == LITH_SEGMENT_END);
    witness->leaf = leaf;
    witness->has_dictionary = false;
}

/* Ends the open segment, where there is one. */
static enum lith_code segment_end(struct lith_witness *witness, struct lith_err *err)
{
    struct lith_segment *open = &witness->open;

    if (open->kind == LITH_SEGMENT_END)
        return LITH_OK;
    if (open->kind == LITH_SEGMENT_DECODED) {
        open->positions = witness->stream.positions;
        open->values = witness->stream.values;
        open->rows = witness->stream.rows;
        open->fingerprint = lith_stream_hash_end(&witness->stream);
    } else {
        open->fingerprint = lith_pages_hash_end(&witness->pages);
    }
    LITH_TRY(lith_sink_write(&witness->segments.sink, open, sizeof(*open), err));
    *open = (struct lith_segment){.kind = LITH_SEGMENT_END};
    return LITH_OK;
}

static enum lith_code decoded_begin(struct lith_witness *witness, struct lith_err *err)
{
    LITH_TRY(segment_end(witness, err));
    if (!witness->stream.state)
        LITH_TRY(lith_stream_hash_new(witness->mem, &witness->stream, err));
    lith_stream_hash_reset(&witness->stream);
    witness->open.kind = LITH_SEGMENT_DECODED;
    return LITH_OK;
}

enum lith_code lith_witness_decoded(struct lith_witness *witness, const struct lith_batch *batch,
                                    struct lith_err *err)
{
    if (!witness || batch->position_count == 0)
        return LITH_OK;
    if (witness->open.kind != LITH_SEGMENT_DECODED)
        LITH_TRY(decoded_begin(witness, err));
    return lith_stream_hash_add(&witness->stream, batch, err);
}

void lith_witness_dictionary(struct lith_witness *witness, uint32_t count,
                             struct lith_hash128 fingerprint)
{
    if (!witness)
        return;
    witness->has_dictionary = true;
    witness->dictionary_count = count;
    witness->dictionary = fingerprint;
}

static enum lith_code copied_begin(struct lith_witness *witness, struct lith_err *err)
{
    LITH_TRY(segment_end(witness, err));
    if (!witness->pages.hasher)
        LITH_TRY(lith_pages_hash_new(witness->mem, &witness->pages, err));
    lith_pages_hash_reset(&witness->pages);
    witness->open.kind = LITH_SEGMENT_COPIED;
    return LITH_OK;
}

/* Whether ids that are copied now mean what those of the open segment do. */
static bool same_dictionary(const struct lith_witness *witness)
{
    return witness->open.dictionary_count == witness->dictionary_count &&
           lith_hash128_equal(witness->open.dictionary, witness->dictionary);
}

enum lith_code lith_witness_copied_page(struct lith_witness *witness,
                                        const struct lith_page_header *header,
                                        enum lith_codec codec, struct lith_err *err)
{
    if (!witness)
        return LITH_OK;
    struct lith_segment *open = &witness->open;
    bool has_ids = lith_page_has_ids(header);
    LITH_ASSERT(!has_ids || witness->has_dictionary);
    if (open->kind != LITH_SEGMENT_COPIED ||
        (has_ids && open->has_ids && !same_dictionary(witness)))
        LITH_TRY(copied_begin(witness, err));
    if (has_ids) {
        open->has_ids = true;
        open->dictionary_count = witness->dictionary_count;
        open->dictionary = witness->dictionary;
    }
    open->pages++;
    open->positions += header->num_values;
    lith_pages_hash_page(&witness->pages, header, codec, witness->leaf);
    return LITH_OK;
}

void lith_witness_copied_bytes(struct lith_witness *witness, const void *data, size_t bytes)
{
    if (witness)
        lith_pages_hash_bytes(&witness->pages, data, bytes);
}

/* Writes a segment; the end of a chunk is counted. */
static enum lith_code segment_put(struct lith_witness *witness, const struct lith_segment *segment,
                                  struct lith_err *err)
{
    LITH_TRY(lith_sink_write(&witness->segments.sink, segment, sizeof(*segment), err));
    if (segment->kind != LITH_SEGMENT_END)
        return LITH_OK;
    if (witness->chunk_count % witness->leaf_count == 0) {
        witness->row_group_count++;
        witness->rows += segment->rows;
    }
    witness->chunk_count++;
    return LITH_OK;
}

enum lith_code lith_witness_chunk_end(struct lith_witness *witness, uint64_t rows,
                                      struct lith_err *err)
{
    const struct lith_segment end = {.kind = LITH_SEGMENT_END, .rows = rows};

    LITH_ASSERT(witness->leaf_count > 0);
    LITH_TRY(segment_end(witness, err));
    return segment_put(witness, &end, err);
}

enum lith_code lith_witness_put(struct lith_witness *witness, struct lith_witness *part,
                                struct lith_err *err)
{
    struct lith_witness_place place = {.offset = 0};
    struct lith_segment segment;

    LITH_ASSERT(witness->open.kind == LITH_SEGMENT_END);
    LITH_ASSERT(part->open.kind == LITH_SEGMENT_END);
    while (place.offset < part->segments.source.size) {
        LITH_TRY(lith_witness_read(part, &place, &segment, err));
        LITH_TRY(segment_put(witness, &segment, err));
    }
    lith_witness_clear(part);
    return LITH_OK;
}

void lith_witness_clear(struct lith_witness *witness)
{
    lith_spool_clear(&witness->segments);
    witness->chunk_count = 0;
    witness->rows = 0;
    witness->row_group_count = 0;
    witness->open = (struct lith_segment){.kind = LITH_SEGMENT_END};
    witness->has_dictionary = false;
    witness->pages.body_left = 0;
}

enum lith_code lith_witness_read(struct lith_witness *witness, struct lith_witness_place *place,
                                 struct lith_segment *ret_segment, struct lith_err *err)
{
    struct lith_segment segment;

    LITH_TRY(
        lith_source_read(&witness->segments.source, place->offset, &segment, sizeof(segment), err));
    place->offset += sizeof(segment);
    *ret_segment = segment;
    return LITH_OK;
}
