/*
 * The movers that copy pages: splice and remap, page by page.
 *
 * A page of values goes over as it is stored. A page of ids does where its ids mean the same in the
 * merged dictionary; else its ids are rewritten, run by run, and all else of it stays. What the
 * header shows to be unfit is recoded. Headers are written anew: without statistics, with the
 * one name for dictionary ids that filters of readers understand. Pages without levels get them put
 * in front, where the output has some. parquet-splice.md sections 1, 5.
 */
#include "merge/mover.h"

#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "merge/page_check.h"
#include "merge/page_edit.h"
#include "parquet/bloom.h"
#include "parquet/carried_index.h"
#include "parquet/decoder.h"
#include "parquet/dictionary_builder.h"
#include "parquet/page_source.h"
#include "parquet/page_writer.h"
#include "parquet/remap.h"

/* The indexes of a source chunk may take this part of a share, parsed. */
#define INDEX_SHARES 128u
/* A bloom filter may take this part of a share: as much as one that is built anew. */
#define BLOOM_SHARES 4u
/* What of a rewritten page's buffers is kept for the next page. */
#define ROOM_BYTES_KEPT ((size_t)(2 * LITH_PAGE_BYTES_TARGET))

struct copy {
    const struct lith_move *move;
    struct lith_chunk_reader *reader;
    const struct lith_page *page;
    const struct lith_schema_node *leaf; /* of the source */
    bool is_widened;                     /* the output has other definition levels */
    bool is_single;                      /* one data page: the chunk's facts are the page's */
    struct lith_carried_index index;
    struct lith_facts facts; /* of the page at hand, for the output */
    int64_t *room;           /* widened: of its definition histogram */
    int64_t rows;            /* that begin in it; -1: not known */
    struct lith_arena arena; /* of the index */
    /* The source's dictionary in terms of the merged one. */
    bool knows_ids;   /* all its entries are there */
    bool is_identity; /* with the same ids */
    const uint32_t *map;
    bool is_witnessed;
    struct lith_chunk_levels levels; /* of V2 pages, once there is one */
};

static bool has_ids(const struct lith_page *page)
{
    return lith_page_has_ids(&page->header);
}

/* Maps the source's dictionary into the merged one. */
static enum lith_code dictionary_map(struct copy *copy, struct lith_err *err)
{
    const struct lith_dictionary_builder *merged = copy->move->dictionary;
    struct lith_dictionary *source = lith_chunk_reader_dictionary(copy->reader);
    void *block;

    copy->knows_ids = merged && source && lith_dictionary_is_held(source) && source->count > 0;
    copy->is_identity = true;
    if (!copy->knows_ids)
        return LITH_OK;
    if (copy->move->map && copy->move->map_count == source->count) {
        copy->map = copy->move->map;
        for (uint32_t id = 0; copy->is_identity && id < source->count; id++)
            copy->is_identity = copy->map[id] == id;
        return LITH_OK;
    }
    LITH_TRY(lith_alloc_array(copy->move->tools->work->mem, source->count, sizeof(uint32_t), &block,
                              err));
    source->map = block;
    copy->map = source->map;
    for (uint32_t id = 0; id < source->count; id++) {
        uint32_t mapped = lith_dictionary_builder_find(merged, lith_dictionary_at(source, id));
        source->map[id] = mapped;
        copy->knows_ids = copy->knows_ids && mapped != LITH_NO_ID;
        copy->is_identity = copy->is_identity && mapped == id;
    }
    return LITH_OK;
}

/* What is known of the page at hand. Every page passes here, in order, recoded ones too. */
static void page_facts(struct copy *copy)
{
    const struct lith_page_header *header = &copy->page->header;
    struct lith_walked_page walked = {
        .offset = copy->page->offset,
        .bytes = copy->page->header_bytes + (uint32_t)header->compressed_bytes,
        .num_values = header->num_values,
        .rows = copy->page->is_v2 ? (int64_t)header->num_rows : -1,
    };

    if (copy->is_single) {
        copy->facts = copy->move->chunk->facts;
        copy->rows = copy->move->ref.num_rows;
    } else {
        lith_carried_index_page(&copy->index, &walked, &copy->facts, &copy->rows);
    }
    if (copy->is_widened)
        copy->facts = lith_level_map_facts(copy->move->levels, &copy->facts, copy->room);
}

/* GZIP: the trailer has the size of the last member; of more than one, few readers take it. */
static enum lith_code gzip_is_single(const struct copy *copy, bool *ret_single,
                                     struct lith_err *err)
{
    const struct lith_page_header *header = &copy->page->header;
    uint64_t end =
        copy->page->offset + copy->page->header_bytes + (uint64_t)header->compressed_bytes;
    uint8_t size[4];
    uint32_t plain = (uint32_t)header->uncompressed_bytes;

    *ret_single = true;
    if (copy->move->codec != LITH_CODEC_GZIP || (copy->page->is_v2 && !header->is_compressed))
        return LITH_OK;
    if (copy->page->is_v2)
        plain -= header->rep_bytes + header->def_bytes;
    *ret_single = false;
    if (header->compressed_bytes < 8)
        return LITH_OK;
    LITH_TRY(lith_source_read(copy->move->pages, end - sizeof(size), size, sizeof(size), err));
    *ret_single = lith_load_u32(size) == plain;
    return LITH_OK;
}

/* V1: BIT_PACKED. V2: levels that the schema does not have. */
static bool has_odd_levels(const struct copy *copy)
{
    const struct lith_page_header *header = &copy->page->header;
    const struct lith_schema_node *leaf = copy->leaf;

    if (copy->page->is_v2)
        return (leaf->max_rep == 0 && header->rep_bytes) ||
               (leaf->max_def == 0 && header->def_bytes);
    return (leaf->max_def && header->def_encoding != LITH_ENCODING_RLE) ||
           (leaf->max_rep && header->rep_encoding != LITH_ENCODING_RLE);
}

/* Whether the page's levels are as the output has them, or can be made so without decoding. */
static bool levels_fit(const struct copy *copy)
{
    return !copy->is_widened || (copy->leaf->max_rep == 0 && copy->leaf->max_def == 0);
}

/* A failure of what was done with the page at hand, with its place. */
static enum lith_code at_page(const struct copy *copy, enum lith_code code, struct lith_err *err)
{
    return code == LITH_OK ? code : lith_chunk_reader_fail(copy->reader, code, err);
}

/* What decoding would have found wrong, as far as it can be seen without. */
static enum lith_code v2_check(struct copy *copy, struct lith_err *err)
{
    const struct lith_move *move = copy->move;

    if (!copy->page->is_v2)
        return LITH_OK;
    if (!copy->levels.mem)
        LITH_TRY(lith_chunk_levels_begin(&copy->levels, copy->leaf, move->ref.created_by,
                                         move->tools->work->mem, err));
    return at_page(copy, lith_v2_levels_check(copy->page, move->pages, &copy->levels, err), err);
}

/* Values with prefixes: whether they need no other page. */
static enum lith_code prefix_is_own(struct copy *copy, bool *ret_own, struct lith_err *err)
{
    uint64_t begin, count;

    *ret_own = true;
    if (copy->page->header.encoding != LITH_ENCODING_DELTA_BYTE_ARRAY)
        return LITH_OK;
    LITH_TRY(lith_chunk_reader_page_values(copy->reader, &begin, &count, err));
    if (count == 0)
        return LITH_OK;
    return at_page(copy, lith_prefix_is_own(&copy->page->values, begin, ret_own, err), err);
}

/* Ids are checked, or rewritten, in memory: whether the page's, if it has any, fit there. */
static enum lith_code ids_are_held(const struct copy *copy, bool *ret_held, struct lith_err *err)
{
    *ret_held = true;
    if (!has_ids(copy->page))
        return LITH_OK;
    LITH_TRY(lith_chunk_reader_page_load(copy->reader, err));
    *ret_held = copy->page->values.data != NULL;
    return LITH_OK;
}

/*
 * Damage that nobody sees would make all rows of the output chunk unreadable, not only those of its
 * source. A checksum shows it while the body is copied; without one, decompressing does, and the
 * levels in front of the values. Pages that do not fit memory go unchecked.
 */
static enum lith_code damage_check(struct copy *copy, struct lith_err *err)
{
    const struct lith_page_header *header = &copy->page->header;
    uint64_t bytes = (uint64_t)header->compressed_bytes + (uint64_t)header->uncompressed_bytes;
    uint64_t begin, count;

    if (!copy->move->checks_damage || header->has_crc ||
        bytes > lith_page_bytes_max(copy->move->tools->work))
        return LITH_OK;
    return lith_chunk_reader_page_values(copy->reader, &begin, &count, err);
}

/*
 * Pages without a value: some have no body either, which only PLAIN lets readers take, and one such
 * page would keep them from the rows of every other source. What is said of nulls is believed where
 * nothing depends on the input any more; parquet-splice.md section 5, "Null pages".
 */
static enum lith_code has_values(struct copy *copy, bool *ret_has, struct lith_err *err)
{
    const struct lith_page_header *header = &copy->page->header;
    uint64_t begin, count;

    *ret_has = true;
    if (copy->leaf->max_def == 0 || header->encoding == LITH_ENCODING_PLAIN || has_ids(copy->page))
        return LITH_OK;
    if (copy->page->is_v2) {
        *ret_has = header->num_nulls < header->num_values;
    } else if (copy->facts.has_null_count && !copy->move->checks_damage) {
        *ret_has = copy->facts.null_count < (int64_t)header->num_values;
    } else {
        LITH_TRY(lith_chunk_reader_page_values(copy->reader, &begin, &count, err));
        *ret_has = count > 0;
    }
    return LITH_OK;
}

/* Whether the body may stand in the output as it is, ids aside; else it is recoded. */
static enum lith_code is_fit(struct copy *copy, bool *ret_fit, struct lith_err *err)
{
    *ret_fit = false;
    if (has_odd_levels(copy) || !levels_fit(copy) ||
        !lith_decoder_knows(copy->leaf->type, (int)copy->page->header.encoding) ||
        (has_ids(copy->page) && (!copy->knows_ids || copy->move->chunk->facts.is_all_null)))
        return LITH_OK;
    /* A row too many or too few would shift the rows of every source behind this one. */
    LITH_TRY(lith_chunk_reader_page_rows(copy->reader, err));
    LITH_TRY(v2_check(copy, err));
    LITH_TRY(damage_check(copy, err));
    LITH_TRY(has_values(copy, ret_fit, err));
    if (*ret_fit)
        LITH_TRY(prefix_is_own(copy, ret_fit, err));
    if (*ret_fit)
        LITH_TRY(gzip_is_single(copy, ret_fit, err));
    return *ret_fit ? ids_are_held(copy, ret_fit, err) : LITH_OK;
}

/* The header of the page at hand as it is to stand in the output. */
static struct lith_page_header new_header(const struct copy *copy)
{
    struct lith_page_header header = copy->page->header;

    if (has_ids(copy->page))
        header.encoding = LITH_ENCODING_RLE_DICTIONARY;
    header.def_encoding = LITH_ENCODING_RLE;
    header.rep_encoding = LITH_ENCODING_RLE;
    return header;
}

static enum lith_code body_part(const struct copy *copy, const uint8_t *data, size_t bytes,
                                uint32_t *crc, struct lith_err *err)
{
    if (copy->page->header.has_crc)
        *crc = lith_crc32(*crc, data, bytes);
    if (copy->move->witness)
        lith_witness_copied_bytes(copy->move->witness, data, bytes);
    return lith_file_writer_copy_bytes(copy->move->writer, data, bytes, err);
}

/* Sends the stored body from the source to the writer, past the witness. */
static enum lith_code body_copy(const struct copy *copy, struct lith_err *err)
{
    const struct lith_page *page = copy->page;
    struct lith_buf *block = &copy->move->tools->block;
    uint64_t at = page->offset + page->header_bytes;
    size_t left = (size_t)page->header.compressed_bytes;
    uint32_t crc = 0;

    while (left > 0) {
        size_t bytes = lith_min_size(left, LITH_COPY_BLOCK_BYTES);
        const uint8_t *data;
        LITH_TRY(lith_source_get(copy->move->pages, at, bytes, block, &data, err));
        LITH_TRY(lith_work_check(copy->move->tools->work, err));
        LITH_TRY(body_part(copy, data, bytes, &crc, err));
        at += bytes;
        left -= bytes;
    }
    return at_page(copy, lith_page_crc_check(&page->header, crc, err), err);
}

/* What ids of pages to come mean, for the witness. */
static enum lith_code dictionary_witness(struct copy *copy, struct lith_err *err)
{
    struct lith_dictionary *source = lith_chunk_reader_dictionary(copy->reader);
    struct lith_hash128 fingerprint;

    if (copy->is_witnessed || !copy->move->witness)
        return LITH_OK;
    LITH_TRY(lith_dictionary_fingerprint(source, source->count, &fingerprint, err));
    lith_witness_dictionary(copy->move->witness, source->count, fingerprint);
    copy->is_witnessed = true;
    return LITH_OK;
}

/* An id past the source's dictionary would mean something in a larger one, or nothing. */
static enum lith_code ids_check(const struct copy *copy, struct lith_err *err)
{
    const struct lith_dictionary *source = lith_chunk_reader_dictionary(copy->reader);
    uint64_t begin, count;

    LITH_TRY(lith_chunk_reader_page_values(copy->reader, &begin, &count, err));
    const struct lith_body *body = &copy->page->values;
    LITH_ASSERT(body->data);
    struct lith_slice ids = {body->data + begin, (size_t)(body->bytes - begin)};
    return at_page(copy, lith_ids_check(ids, count, source->count, err), err);
}

static enum lith_code page_splice(struct copy *copy, struct lith_err *err)
{
    const struct lith_move *move = copy->move;
    struct lith_copied_page copied = {
        .header = new_header(copy), .facts = &copy->facts, .rows = copy->rows};
    enum lith_codec codec = lith_page_codec(&copy->page->header, move->codec);

    LITH_TRY(at_page(copy, lith_plain_size_check(&copy->page->header, codec, err), err));
    if (has_ids(copy->page)) {
        LITH_TRY(ids_check(copy, err));
        LITH_TRY(dictionary_witness(copy, err));
    }
    if (move->witness)
        LITH_TRY(lith_witness_copied_page(move->witness, &copy->page->header, codec, err));
    LITH_TRY(lith_file_writer_copy(move->writer, &copied, err));
    LITH_TRY(body_copy(copy, err));
    move->tools->bytes[LITH_MOVER_SPLICE] += (uint64_t)copied.header.compressed_bytes;
    return lith_file_writer_copy_end(move->writer, err);
}

/* The decoded stream of the page at hand, for witness and key counts; the page stays at hand. */
static enum lith_code page_witness(const struct copy *copy, struct lith_err *err)
{
    const struct lith_move *move = copy->move;
    struct lith_batch batch;

    for (;;) {
        LITH_TRY(lith_chunk_reader_page_batch(copy->reader, &batch, err));
        if (batch.position_count == 0)
            return LITH_OK;
        LITH_TRY(lith_move_levels(move, &batch, err));
        LITH_TRY(lith_witness_decoded(move->witness, &batch, err));
    }
}

/* Buffers that one long page has stretched are given back. */
static void rooms_trim(struct lith_move_tools *tools)
{
    if (tools->body.capacity > ROOM_BYTES_KEPT)
        lith_buf_done(&tools->body);
    if (tools->packed.capacity > ROOM_BYTES_KEPT)
        lith_buf_done(&tools->packed);
}

/* A page whose body is made anew: ids rewritten, or levels put in front, or both. */
static enum lith_code page_rewrite(struct copy *copy, struct lith_err *err)
{
    const struct lith_move *move = copy->move;
    struct lith_copied_page copied = {
        .header = new_header(copy), .facts = &copy->facts, .rows = copy->rows};
    struct lith_buf *packed = &move->tools->packed;
    uint64_t source_bytes = (uint64_t)copy->page->header.compressed_bytes;
    bool remaps = has_ids(copy->page) && !copy->is_identity;
    const struct lith_page_edit edit = {
        .move = move,
        .reader = copy->reader,
        .page = copy->page,
        .map = copy->map,
        .defines = copy->is_widened,
    };
    bool done;

    if (has_ids(copy->page) && !remaps)
        LITH_TRY(ids_check(copy, err));
    LITH_TRY(remaps ? lith_page_edit_ids(&edit, &copied.header, &done, err)
                    : lith_page_edit_levels(&edit, &copied.header, &done, err));
    if (!done) {
        move->tools->bytes[LITH_MOVER_RECODE] += source_bytes;
        return lith_move_recode_page(move, copy->reader, NULL, err);
    }
    if (move->witness)
        LITH_TRY(page_witness(copy, err));
    move->tools->bytes[remaps ? LITH_MOVER_REMAP : LITH_MOVER_SPLICE] += source_bytes;
    LITH_TRY(lith_file_writer_copy(move->writer, &copied, err));
    LITH_TRY(lith_file_writer_copy_bytes(move->writer, packed->data, packed->bytes, err));
    rooms_trim(move->tools);
    return lith_file_writer_copy_end(move->writer, err);
}

static enum lith_code page_move(struct copy *copy, struct lith_err *err)
{
    bool fit;

    page_facts(copy);
    LITH_TRY(is_fit(copy, &fit, err));
    if (!fit) {
        copy->move->tools->bytes[LITH_MOVER_RECODE] +=
            (uint64_t)copy->page->header.compressed_bytes;
        return lith_move_recode_page(copy->move, copy->reader, NULL, err);
    }
    if (copy->is_widened || (has_ids(copy->page) && !copy->is_identity))
        return page_rewrite(copy, err);
    return page_splice(copy, err);
}

/* The bytes of an index: as they were staged, or from the file; empty where there are none, or too
 * many to be parsed. */
static enum lith_code index_bytes(struct copy *copy, struct lith_slice staged, int64_t offset,
                                  int32_t bytes, struct lith_slice *ret_bytes, struct lith_err *err)
{
    const struct lith_move *move = copy->move;
    size_t bytes_max = lith_work_share(move->tools->work) / INDEX_SHARES;
    uint64_t end = move->ref.footer_offset;
    void *block;

    *ret_bytes = (struct lith_slice){NULL, 0};
    if (bytes <= 0 || (size_t)bytes > bytes_max)
        return LITH_OK;
    if (staged.bytes) {
        *ret_bytes = staged;
        return LITH_OK;
    }
    if (!move->file || offset <= 0 || (uint64_t)offset > end ||
        (uint64_t)bytes > end - (uint64_t)offset)
        return LITH_OK;
    LITH_TRY(lith_arena_alloc(&copy->arena, (size_t)bytes, &block, err));
    LITH_TRY(lith_source_read(move->file, (uint64_t)offset, block, (size_t)bytes, err));
    *ret_bytes = (struct lith_slice){block, (size_t)bytes};
    return LITH_OK;
}

/* Reads the page index, where the chunk has more than one page. */
static enum lith_code index_read(struct copy *copy, struct lith_err *err)
{
    const struct lith_source_chunk *chunk = copy->move->chunk;
    const struct lith_chunk_meta *meta = &chunk->meta;
    struct lith_carried_claims claims = {
        .leaf = copy->leaf,
        .trust = chunk->trust,
        .chunk = &chunk->facts,
        .num_rows = copy->move->ref.num_rows,
    };

    copy->is_single = copy->page->header.num_values == (uint64_t)meta->num_values;
    if (copy->is_single)
        return LITH_OK;
    /* The index of one page alone is not staged, and where the footer is wrong about that, what
     * is known must not depend on staging. */
    if (chunk->data_page_count != 1) {
        LITH_TRY(index_bytes(copy, chunk->offset_index, meta->offset_index_offset,
                             meta->offset_index_length, &claims.offset_index, err));
        LITH_TRY(index_bytes(copy, chunk->column_index, meta->column_index_offset,
                             meta->column_index_length, &claims.column_index, err));
    }
    return lith_carried_index_read(&claims, &copy->arena, &copy->index, err);
}

/* What the chunk's bloom filter must know of values in pages that nobody decodes. */
static enum lith_code bloom_move(const struct copy *copy, struct lith_err *err)
{
    const struct lith_move *move = copy->move;
    const struct lith_source_chunk *chunk = move->chunk;
    struct lith_mem *mem = move->tools->work->mem;
    struct lith_memory_source staged;
    struct lith_bloom bloom = {.bits = NULL};
    enum lith_code code = LITH_E_NOT_FOUND;

    if (!move->wants_bloom || chunk->facts.is_all_null)
        return LITH_OK;
    if (chunk->bloom_filter.bytes) {
        lith_memory_source_init(&staged, chunk->bloom_filter.data, chunk->bloom_filter.bytes);
        code =
            lith_bloom_read(&staged.base, 0, (uint32_t)chunk->bloom_filter.bytes, mem, &bloom, err);
    } else if (move->file && chunk->meta.bloom_filter_offset > 0) {
        code = lith_bloom_read(move->file, (uint64_t)chunk->meta.bloom_filter_offset,
                               (uint32_t)chunk->meta.bloom_filter_length, mem, &bloom, err);
    }
    if (code == LITH_E_NOMEM || code == LITH_E_IO || code == LITH_E_TRANSIENT)
        return code;
    bool is_known =
        code == LITH_OK && bloom.bytes <= lith_work_share(move->tools->work) / BLOOM_SHARES;
    lith_file_writer_bloom(move->writer, is_known ? &bloom : NULL);
    lith_bloom_done(&bloom);
    return LITH_OK;
}

static enum lith_code pages_move(struct copy *copy, struct lith_err *err)
{
    const struct lith_move *move = copy->move;
    bool bloom_done = false;
    void *room;

    if (copy->is_widened) {
        LITH_TRY(
            lith_arena_array(&copy->arena, move->leaf->max_def + 1u, sizeof(int64_t), &room, err));
        copy->room = room;
    }
    LITH_TRY(lith_chunk_reader_begin(copy->reader, move->pages, &move->ref, err));
    LITH_TRY(lith_chunk_reader_page(copy->reader, &copy->page, err));
    if (!copy->page)
        return LITH_OK;
    LITH_TRY(dictionary_map(copy, err));
    LITH_TRY(index_read(copy, err));
    struct lith_facts facts = move->chunk->facts;
    if (copy->is_widened)
        facts = lith_level_map_facts(move->levels, &facts, copy->room);
    LITH_TRY(lith_file_writer_source(move->writer, &facts, move->ref.num_rows, err));
    while (copy->page) {
        if (!has_ids(copy->page) && !bloom_done) {
            LITH_TRY(bloom_move(copy, err));
            bloom_done = true;
        }
        LITH_TRY(page_move(copy, err));
        LITH_TRY(lith_chunk_reader_page(copy->reader, &copy->page, err));
    }
    return lith_file_writer_source_end(move->writer, err);
}

/* The values of a key column, counted in a walk of their own. */
static enum lith_code keys_count(const struct lith_move *move, struct lith_err *err)
{
    struct lith_chunk_reader *reader = move->tools->key_reader;
    struct lith_batch batch;

    if (!move->counts)
        return LITH_OK;
    LITH_TRY(lith_chunk_reader_begin(reader, move->pages, &move->ref, err));
    for (;;) {
        LITH_TRY(lith_chunk_reader_next(reader, &batch, err));
        if (batch.position_count == 0)
            return LITH_OK;
        LITH_TRY(lith_key_counts_add(move->counts, &batch, err));
    }
}

enum lith_code lith_mover_copy(const struct lith_move *move, struct lith_err *err)
{
    struct copy copy = {
        .move = move,
        .reader = move->tools->reader,
        .leaf = lith_schema_leaf(move->ref.schema, move->ref.leaf),
        .is_widened = move->levels && !move->levels->is_same,
    };

    lith_arena_init(&copy.arena, move->tools->work->mem);
    enum lith_code code = keys_count(move, err);
    if (code == LITH_OK)
        code = pages_move(&copy, err);
    lith_chunk_levels_done(&copy.levels);
    lith_arena_done(&copy.arena);
    return code;
}
