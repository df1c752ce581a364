/*
 * Joining: small pages of values that hardly compress go into larger ones as they are compressed.
 *
 * Only SNAPPY blocks can be joined so, and only where every value is there and has a fixed width:
 * then the size of the page proves the number of its values, and what is wrong in one page cannot
 * shift the values of the next. Where compressing them together would gain something, they are
 * recoded. parquet-splice.md section 11.2, row 5.
 */
#include "merge/mover.h"

#include "base/checked.h"
#include "base/hash.h"
#include "codec/snappy_expand.h"
#include "codec/snappy_join.h"
#include "parquet/level_prefix.h"
#include "parquet/page_source.h"

/* Levels that are shown to the witness at a time. */
#define WITNESS_LEVELS 1024u
/* Pages that have shrunk by less than this part are not worth compressing again. */
#define GAIN_PART 8u
/* Nor are they when pages of the column that were compressed again got no smaller than they are,
 * give or take this part, */
#define SAME_PART 32u
/* as far as so many bytes tell. */
#define TRIED_BYTES_MIN ((uint64_t)64 << 10)

static double ratio(uint64_t stored, uint64_t plain)
{
    return plain ? (double)stored / (double)plain : 0;
}

/*
 * Whether compressing the column's pages again, with others, gains little. Settled once for a
 * column, since pages of both kinds do not share a page of the output.
 */
static bool gains_little(struct lith_packed *packed, uint64_t plain, uint64_t stored)
{
    if (packed->is_settled)
        return packed->joins;
    packed->source_plain_bytes += plain;
    packed->source_stored_bytes += stored;
    double before = ratio(packed->source_stored_bytes, packed->source_plain_bytes);
    double after = ratio(packed->stored_bytes, packed->plain_bytes);
    packed->joins = before > 1 - 1.0 / GAIN_PART || after > before - before / SAME_PART;
    packed->is_settled =
        packed->plain_bytes >= TRIED_BYTES_MIN ||
        (before > 1 - 1.0 / GAIN_PART && packed->source_plain_bytes >= TRIED_BYTES_MIN);
    return packed->joins && (packed->is_settled || before > 1 - 1.0 / GAIN_PART);
}

/* What a page must be, by its header and the chunk's facts. */
static bool is_joinable(const struct lith_move *move, const struct lith_page *page,
                        const struct lith_schema_node *leaf)
{
    const struct lith_page_header *header = &page->header;
    const struct lith_facts *facts = &move->chunk->facts;
    uint64_t plain = (uint64_t)header->uncompressed_bytes;
    uint64_t stored = (uint64_t)header->compressed_bytes;
    size_t bytes_max =
        lith_min_size(LITH_PAGE_BYTES_TARGET, lith_work_share(move->tools->work) / 4);

    return plain <= bytes_max && stored <= lith_min_size(bytes_max, LITH_COPY_BLOCK_BYTES) &&
           lith_file_writer_joins(move->writer) && !move->counts && !page->is_v2 &&
           !(move->levels && !move->levels->is_same) && !move->widening &&
           move->chunk->meta.codec == LITH_CODEC_SNAPPY &&
           header->encoding == LITH_ENCODING_PLAIN &&
           (leaf->max_def == 0 || header->def_encoding == LITH_ENCODING_RLE) &&
           header->num_values == (uint64_t)move->chunk->meta.num_values &&
           facts->positions == (int64_t)header->num_values && facts->has_null_count &&
           facts->null_count == 0 &&
           (facts->has_bounds || lith_order_of(leaf) == LITH_ORDER_NONE) &&
           facts->unencoded_bytes >= 0 && gains_little(move->packed, plain, stored);
}

/* The levels in front of the values: one run, and nothing else, or false. */
static bool levels_find(struct lith_slice block, const struct lith_page_header *header,
                        uint16_t max_def, size_t *ret_bytes)
{
    struct lith_slice literal;
    uint64_t plain;

    *ret_bytes = 0;
    if (max_def == 0)
        return true;
    struct lith_level_run run = lith_level_run(header->num_values, max_def, max_def, true);
    if (!lith_snappy_first_literal(block, &literal, &plain) || literal.bytes < run.bytes ||
        memcmp(literal.data, run.data, run.bytes) != 0)
        return false;
    *ret_bytes = run.bytes;
    return true;
}

/* Shows the witness what a block holds: `count` values behind their levels, all of which are the
 * highest. Decompressed by other code than lith_snappy_tail, which knows of the format too. */
static enum lith_code block_witness(const struct lith_move *move, struct lith_slice block,
                                    uint64_t plain_bytes, size_t level_bytes, size_t count,
                                    struct lith_err *err)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(move->ref.schema, move->ref.leaf);
    struct lith_buf *plain = &move->tools->packed;
    uint16_t defs[WITNESS_LEVELS];
    size_t width = lith_type_width(leaf->type, leaf->type_length);

    if (!move->witness)
        return LITH_OK;
    lith_buf_clear(plain);
    LITH_TRY(lith_buf_reserve(plain, (size_t)plain_bytes, err));
    LITH_TRY(lith_snappy_expand(block, plain->data, (size_t)plain_bytes, err));
    for (size_t i = 0; i < WITNESS_LEVELS; i++)
        defs[i] = leaf->max_def;
    for (size_t at = 0; at < count;) {
        size_t some = lith_min_size(count - at, WITNESS_LEVELS);
        struct lith_batch batch = {
            .position_count = some,
            .def_levels = leaf->max_def ? defs : NULL,
            .values = {.type = leaf->type,
                       .width = width,
                       .count = some,
                       .fixed = plain->data + level_bytes + at * width},
            .page_start = at == 0,
        };
        LITH_TRY(lith_witness_decoded(move->witness, &batch, err));
        at += some;
    }
    return LITH_OK;
}

enum lith_code lith_move_join_page(const struct lith_move *move, struct lith_chunk_reader *reader,
                                   const struct lith_page *page, bool *ret_done,
                                   struct lith_err *err)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(move->ref.schema, move->ref.leaf);
    const struct lith_page_header *header = &page->header;
    size_t bytes = (size_t)header->compressed_bytes;
    struct lith_buf *elements = &move->tools->body;
    size_t level_bytes;

    *ret_done = false;
    if (!is_joinable(move, page, leaf))
        return LITH_OK;
    /* Also where it is not at hand: what is joined must not depend on that. */
    const uint8_t *data;
    LITH_TRY(lith_source_get(move->pages, page->offset + page->header_bytes, bytes,
                             &move->tools->block, &data, err));
    struct lith_slice block = {data, bytes};
    if (!levels_find(block, header, leaf->max_def, &level_bytes))
        return LITH_OK;
    uint64_t plain = (uint64_t)header->uncompressed_bytes;
    size_t width = lith_type_width(leaf->type, leaf->type_length);
    if (plain - level_bytes != (uint64_t)header->num_values * width)
        return LITH_OK;
    bool cut;
    lith_buf_clear(elements);
    LITH_TRY(lith_snappy_tail(block, plain, level_bytes, elements, &cut, err));
    if (!cut)
        return LITH_OK;
    enum lith_code code = LITH_OK;
    if (header->has_crc)
        code = lith_page_crc_check(header, lith_crc32(0, block.data, block.bytes), err);
    if (code == LITH_OK)
        code = block_witness(move, block, plain, level_bytes, header->num_values, err);
    if (code != LITH_OK)
        return lith_chunk_reader_fail(reader, code, err);
    move->tools->bytes[LITH_MOVER_REGROUP] += bytes;
    *ret_done = true;
    return lith_file_writer_join(move->writer, &move->chunk->facts,
                                 (struct lith_slice){elements->data, elements->bytes}, err);
}
