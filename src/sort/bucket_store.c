/*
 * Extents: their places follow from their lengths, so that one takes 12 bytes.
 */
#include "sort/bucket_store.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/hash.h"
#include "sort/scratch_damage.h"

enum lith_code lith_bucket_store_init(struct lith_bucket_store *store, const struct lith_work *work,
                                      uint32_t leaf_count, size_t memory_bytes_max,
                                      struct lith_err *err)
{
    void *leaves;

    LITH_TRY(lith_alloc_array(work->mem, leaf_count, sizeof(*store->leaves), &leaves, err));
    *store =
        (struct lith_bucket_store){.mem = work->mem, .leaves = leaves, .leaf_count = leaf_count};
    lith_spool_init(&store->spool, work->mem, work->scratch, memory_bytes_max);
    return LITH_OK;
}

void lith_bucket_store_done(struct lith_bucket_store *store)
{
    lith_spool_done(&store->spool);
    for (uint32_t i = 0; i < store->leaf_count; i++)
        lith_deal_dictionary_free(store->leaves[i].dictionary);
    lith_free(store->extents);
    lith_free(store->leaves);
    *store = (struct lith_bucket_store){0};
}

void lith_bucket_store_leaf(struct lith_bucket_store *store, const struct lith_schema_node *node)
{
    uint32_t leaf = node->leaf_index;

    LITH_ASSERT(leaf < store->leaf_count);
    LITH_ASSERT(!store->leaves[leaf].node);
    store->leaf = leaf;
    store->leaves[leaf] = (struct lith_stored_leaf){.node = node,
                                                    .extent = store->extent_count,
                                                    .extent_end = store->extent_count,
                                                    .offset = store->spool.sink.written};
}

void lith_bucket_store_restart(struct lith_bucket_store *store)
{
    struct lith_stored_leaf *leaf = &store->leaves[store->leaf];

    store->extent_count = leaf->extent;
    leaf->extent_end = leaf->extent;
    leaf->offset = store->spool.sink.written;
}

void lith_bucket_store_dictionary(struct lith_bucket_store *store,
                                  struct lith_deal_dictionary *dictionary)
{
    store->leaves[store->leaf].dictionary = dictionary;
}

static enum lith_code extent_put(struct lith_bucket_store *store, struct lith_extent extent,
                                 const void *from, struct lith_err *err)
{
    void *array = store->extents;

    LITH_TRY(
        lith_array_grow(store->mem, &array, store->extent_count, sizeof(*store->extents), err));
    store->extents = array;
    LITH_TRY(lith_sink_write(&store->spool.sink, from, extent.bytes, err));
    store->extents[store->extent_count++] = extent;
    store->leaves[store->leaf].extent_end = store->extent_count;
    return LITH_OK;
}

enum lith_code lith_bucket_store_put(struct lith_bucket_store *store, uint32_t bucket,
                                     enum lith_bucket_part part, const void *from, size_t bytes,
                                     struct lith_err *err)
{
    const uint8_t *next = from;

    while (bytes) {
        uint32_t some = (uint32_t)lith_min_size(bytes, UINT32_MAX);
        struct lith_extent extent = {.bytes = some,
                                     .crc32 = lith_crc32(0, next, some),
                                     .bucket = (uint8_t)bucket,
                                     .part = (uint8_t)part};
        LITH_TRY(extent_put(store, extent, next, err));
        next += some;
        bytes -= some;
    }
    return LITH_OK;
}

uint64_t lith_bucket_store_bytes(const struct lith_bucket_store *store, uint32_t leaf,
                                 uint32_t bucket)
{
    uint64_t bytes = 0;

    for (size_t i = store->leaves[leaf].extent; i < store->leaves[leaf].extent_end; i++)
        bytes += store->extents[i].bucket == bucket ? store->extents[i].bytes : 0;
    return bytes;
}

static void pieces_set(struct lith_bucket_store *store, uint32_t leaf, uint32_t bucket,
                       struct lith_stored_parts *parts)
{
    uint64_t offset = store->leaves[leaf].offset;
    size_t filled[LITH_PART_COUNT] = {0};

    for (size_t i = store->leaves[leaf].extent; i < store->leaves[leaf].extent_end; i++) {
        const struct lith_extent *extent = &store->extents[i];
        struct lith_stored_part *part = &parts->parts[extent->part];
        if (extent->bucket == bucket) {
            size_t piece = (size_t)(part->pieces - parts->pieces) + filled[extent->part]++;
            parts->pieces[piece] = (struct lith_part_piece){part->bytes, offset, extent->crc32};
            part->bytes += extent->bytes;
        }
        offset += extent->bytes;
    }
}

enum lith_code lith_bucket_store_find(struct lith_bucket_store *store, uint32_t leaf,
                                      uint32_t bucket, struct lith_stored_parts *ret_parts,
                                      struct lith_err *err)
{
    struct lith_stored_parts parts = {0};
    size_t count = 0;
    void *block;

    LITH_ASSERT(store->leaves[leaf].node);
    for (size_t i = store->leaves[leaf].extent; i < store->leaves[leaf].extent_end; i++)
        if (store->extents[i].bucket == bucket)
            parts.parts[store->extents[i].part].piece_count++;
    for (int i = 0; i < LITH_PART_COUNT; i++)
        count += parts.parts[i].piece_count;
    LITH_TRY(lith_alloc_array(store->mem, count, sizeof(*parts.pieces), &block, err));
    parts.pieces = block;
    count = 0;
    for (int i = 0; i < LITH_PART_COUNT; i++) {
        parts.parts[i].store = store;
        parts.parts[i].pieces = parts.pieces + count;
        count += parts.parts[i].piece_count;
    }
    pieces_set(store, leaf, bucket, &parts);
    *ret_parts = parts;
    return LITH_OK;
}

static size_t piece_bytes(const struct lith_stored_part *part, size_t piece)
{
    uint64_t end = piece + 1 < part->piece_count ? part->pieces[piece + 1].begin : part->bytes;

    return (size_t)(end - part->pieces[piece].begin);
}

enum lith_code lith_stored_part_load(const struct lith_stored_part *part, void *to,
                                     struct lith_err *err)
{
    uint8_t *next = to;

    for (size_t i = 0; i < part->piece_count; i++) {
        size_t bytes = piece_bytes(part, i);
        LITH_TRY(
            lith_source_read(&part->store->spool.source, part->pieces[i].offset, next, bytes, err));
        if (lith_crc32(0, next, bytes) != part->pieces[i].crc32)
            return lith_scratch_damaged(err);
        next += bytes;
    }
    return LITH_OK;
}

static enum lith_code piece_check(const struct lith_stored_part *part, size_t piece,
                                  struct lith_buf *room, struct lith_err *err)
{
    uint64_t at = part->pieces[piece].offset;
    uint32_t crc = 0;

    for (size_t left = piece_bytes(part, piece); left;) {
        size_t some = lith_min_size(left, LITH_DEAL_BUFFER_BYTES_MAX);
        LITH_TRY(lith_source_read(&part->store->spool.source, at, room->data, some, err));
        crc = lith_crc32(crc, room->data, some);
        at += some;
        left -= some;
    }
    return crc == part->pieces[piece].crc32 ? LITH_OK : lith_scratch_damaged(err);
}

enum lith_code lith_stored_part_check(const struct lith_stored_part *part, struct lith_buf *room,
                                      struct lith_err *err)
{
    lith_buf_clear(room);
    LITH_TRY(lith_buf_reserve(room, LITH_DEAL_BUFFER_BYTES_MAX, err));
    for (size_t i = 0; i < part->piece_count; i++)
        LITH_TRY(piece_check(part, i, room, err));
    return LITH_OK;
}

/* The piece that holds byte `at`. */
static size_t piece_find(const struct lith_stored_part *part, uint64_t at)
{
    size_t low = 0, high = part->piece_count; /* low begins at or before it */

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (part->pieces[middle].begin <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum lith_code lith_stored_part_read(const struct lith_stored_part *part, uint64_t at, void *to,
                                     size_t bytes, struct lith_err *err)
{
    uint8_t *next = to;

    LITH_ASSERT(at <= part->bytes);
    LITH_ASSERT(bytes <= part->bytes - at);
    for (size_t i = bytes ? piece_find(part, at) : 0; bytes; i++) {
        const struct lith_part_piece *piece = &part->pieces[i];
        size_t some = lith_min_size(bytes, piece_bytes(part, i) - (size_t)(at - piece->begin));
        LITH_TRY(lith_source_read(&part->store->spool.source, piece->offset + (at - piece->begin),
                                  next, some, err));
        next += some;
        at += some;
        bytes -= some;
    }
    return LITH_OK;
}
