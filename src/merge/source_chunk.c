/*
 * Source chunks and their records: bits that say what is there, then numbers as varints.
 */
#include "merge/source_chunk.h"

#include <assert.h>

#include "base/checked.h"
#include "base/cursor.h"
#include "parquet/bloom.h"
#include "parquet/page_source.h"
#include "parquet/writer_version.h"

/* What stands in a record. */
enum {
    HAS_NULL_COUNT = 1 << 0,
    HAS_NAN_COUNT = 1 << 1,
    HAS_BOUNDS = 1 << 2,
    IS_ALL_NULL = 1 << 3,
    IS_FIXED = 1 << 4,
    MIN_EXACT = 1 << 5,
    MAX_EXACT = 1 << 6,
    HAS_UNENCODED = 1 << 7,
    HAS_REP_HISTOGRAM = 1 << 8,
    HAS_DEF_HISTOGRAM = 1 << 9,
    DEF_BY_NULLS = 1 << 10, /* the definition histogram is [nulls, values] */
    HAS_DICTIONARY = 1 << 11,
    HAS_OFFSET_INDEX = 1 << 12,
    HAS_COLUMN_INDEX = 1 << 13,
    HAS_BLOOM_FILTER = 1 << 14,
    IS_STAGED = 1 << 15,
    STAGED_OFFSET_INDEX = 1 << 16,
    STAGED_COLUMN_INDEX = 1 << 17,
    STAGED_BLOOM_FILTER = 1 << 18,
    UNENCODED_ZERO = 1 << 19, /* as it is for all but BYTE_ARRAY */
    TRUSTS_BOUNDS = 1 << 20,
    TRUSTS_NULLS = 1 << 21,
    IS_ABSENT = 1 << 22,
    IS_VOID = 1 << 23,
    IS_NARROW = 1 << 24,
};

#define VARINT_BYTES_MAX 10u
/* Numbers of a record besides histograms: counted generously. */
#define NUMBERS_MAX 32u
static_assert(NUMBERS_MAX * VARINT_BYTES_MAX +
                      2 * (LITH_HISTOGRAM_ENTRIES_MAX + 1) * VARINT_BYTES_MAX +
                      2 * LITH_STATISTICS_BYTES_MAX <=
                  LITH_SOURCE_RECORD_BYTES_MAX,
              "a record of the longest kind has room");

static bool is_dictionary(int32_t encoding)
{
    return encoding == LITH_ENCODING_PLAIN_DICTIONARY || encoding == LITH_ENCODING_RLE_DICTIONARY;
}

static void pages_count(const struct lith_chunk_meta *meta, struct lith_source_chunk *chunk)
{
    uint64_t all = 0;
    uint64_t plain = 0;

    for (uint32_t i = 0; i < meta->encoding_stat_count; i++) {
        const struct lith_encoding_stat *stat = &meta->encoding_stats[i];
        if (stat->page_type != LITH_PAGE_DATA && stat->page_type != LITH_PAGE_DATA_V2)
            continue;
        if (stat->count < 0)
            return; /* a lie: then all of it is unknown */
        all += (uint32_t)stat->count;
        plain += is_dictionary(stat->encoding) ? 0 : (uint32_t)stat->count;
    }
    if (all > UINT32_MAX)
        return;
    chunk->data_page_count = (uint32_t)all;
    chunk->plain_page_count = (uint32_t)plain;
}

/* A slice of the file that metadata speaks of, if it is among the bytes at hand. */
static struct lith_slice part_of(struct lith_source *bytes, int64_t offset, int64_t length)
{
    if (offset <= 0 || length <= 0)
        return (struct lith_slice){0};
    const uint8_t *data = lith_source_view(bytes, (uint64_t)offset, (size_t)length);
    return (struct lith_slice){data, data ? (size_t)length : 0};
}

static void stage(const struct lith_footer *footer, struct lith_source *bytes,
                  struct lith_source_chunk *chunk)
{
    const struct lith_chunk_meta *meta = &chunk->meta;
    uint64_t left =
        footer->footer_offset - lith_min_u64(footer->footer_offset, chunk->pages_offset);
    uint64_t length = (uint64_t)meta->total_compressed_size;

    /* These writers left the dictionary page's header out of the sum (PARQUET-816). */
    if (length > 0 && lith_is_old_parquet_mr(footer->created_by, 3))
        length += LITH_PAGE_HEADER_GUESS_BYTES;
    length = lith_min_u64(length, left);
    chunk->pages = part_of(bytes, (int64_t)chunk->pages_offset, (int64_t)length);
    chunk->is_staged = chunk->pages.bytes == length;
    if (!chunk->is_staged)
        return;
    /* Many writers do not say how long a filter is; its header does. */
    if (meta->bloom_filter_offset > 0 && meta->bloom_filter_length == 0)
        chunk->meta.bloom_filter_length =
            (int32_t)lith_bloom_length(bytes, (uint64_t)meta->bloom_filter_offset);
    chunk->bloom_filter = part_of(bytes, meta->bloom_filter_offset, meta->bloom_filter_length);
    if (chunk->data_page_count == 1)
        return;
    chunk->offset_index = part_of(bytes, meta->offset_index_offset, meta->offset_index_length);
    chunk->column_index = part_of(bytes, meta->column_index_offset, meta->column_index_length);
}

/* What a record cannot hold is unknown. */
static void facts_limit(struct lith_facts *facts, const struct lith_schema_node *leaf)
{
    if (facts->min.bytes > LITH_STATISTICS_BYTES_MAX ||
        facts->max.bytes > LITH_STATISTICS_BYTES_MAX) {
        facts->has_bounds = false;
        facts->min_exact = false;
        facts->max_exact = false;
    }
    if (!facts->has_bounds) {
        facts->min = (struct lith_slice){0};
        facts->max = (struct lith_slice){0};
    }
    if (leaf->max_rep >= LITH_HISTOGRAM_ENTRIES_MAX)
        facts->rep_histogram = NULL;
    if (leaf->max_def >= LITH_HISTOGRAM_ENTRIES_MAX)
        facts->def_histogram = NULL;
}

enum lith_code lith_source_chunk_take(const struct lith_footer *footer, uint32_t row_group,
                                      uint32_t leaf, struct lith_source *bytes,
                                      struct lith_arena *arena, struct lith_source_chunk *ret_chunk,
                                      struct lith_err *err)
{
    const struct lith_chunk_meta *meta = &footer->row_groups[row_group].chunks[leaf];
    const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, leaf);
    struct lith_source_chunk chunk = {
        .meta = {.codec = meta->codec,
                 .num_values = meta->num_values,
                 .total_uncompressed_size = meta->total_uncompressed_size,
                 .total_compressed_size = meta->total_compressed_size,
                 .data_page_offset = meta->data_page_offset,
                 .dictionary_page_offset = meta->dictionary_page_offset,
                 .offset_index_offset = meta->offset_index_offset,
                 .column_index_offset = meta->column_index_offset,
                 .bloom_filter_offset = meta->bloom_filter_offset,
                 .offset_index_length = meta->offset_index_length,
                 .column_index_length = meta->column_index_length,
                 .bloom_filter_length = meta->bloom_filter_length,
                 .encodings = meta->encodings},
        .trust = lith_facts_trust(footer, leaf),
    };

    if (!chunk.trust.bounds) {
        chunk.meta.column_index_offset = 0;
        chunk.meta.column_index_length = 0;
    }
    LITH_TRY(lith_facts_of_chunk(footer, row_group, leaf, arena, &chunk.facts, err));
    facts_limit(&chunk.facts, node);
    pages_count(meta, &chunk);
    chunk.pages_offset = (uint64_t)lith_chunk_start(meta);
    if (bytes)
        stage(footer, bytes, &chunk);
    *ret_chunk = chunk;
    return LITH_OK;
}

struct lith_source_chunk lith_source_chunk_absent(int64_t rows)
{
    return (struct lith_source_chunk){
        .meta = {.num_values = rows},
        .facts = {.positions = rows, .has_null_count = true, .null_count = rows},
        .is_absent = true,
    };
}

size_t lith_source_chunk_staged_bytes(const struct lith_source_chunk *chunk)
{
    return chunk->pages.bytes + chunk->offset_index.bytes + chunk->column_index.bytes +
           chunk->bloom_filter.bytes;
}

/* A bit for each thing that is there. */
static uint32_t bit_if(bool is, uint32_t bit)
{
    return is ? bit : 0;
}

/* Flat columns with and without nulls: the histogram says what the null count does. */
static bool def_is_by_nulls(const struct lith_facts *facts, const struct lith_schema_node *leaf)
{
    return facts->def_histogram && leaf->max_def == 1 && facts->has_null_count &&
           facts->def_histogram[0] == facts->null_count &&
           facts->def_histogram[1] == facts->positions - facts->null_count;
}

static uint32_t bits_of(const struct lith_source_chunk *chunk, const struct lith_schema_node *leaf)
{
    const struct lith_chunk_meta *meta = &chunk->meta;
    const struct lith_facts *facts = &chunk->facts;
    bool by_nulls = def_is_by_nulls(facts, leaf);

    return bit_if(facts->has_null_count, HAS_NULL_COUNT) |
           bit_if(chunk->trust.bounds, TRUSTS_BOUNDS) | bit_if(chunk->trust.nulls, TRUSTS_NULLS) |
           bit_if(facts->has_nan_count, HAS_NAN_COUNT) | bit_if(facts->has_bounds, HAS_BOUNDS) |
           bit_if(facts->is_all_null, IS_ALL_NULL) | bit_if(facts->is_fixed, IS_FIXED) |
           bit_if(facts->min_exact, MIN_EXACT) | bit_if(facts->max_exact, MAX_EXACT) |
           bit_if(facts->unencoded_bytes > 0, HAS_UNENCODED) |
           bit_if(facts->unencoded_bytes == 0, UNENCODED_ZERO) |
           bit_if(facts->rep_histogram, HAS_REP_HISTOGRAM) |
           bit_if(facts->def_histogram && !by_nulls, HAS_DEF_HISTOGRAM) |
           bit_if(by_nulls, DEF_BY_NULLS) |
           bit_if(meta->dictionary_page_offset != 0, HAS_DICTIONARY) |
           bit_if(meta->offset_index_offset != 0, HAS_OFFSET_INDEX) |
           bit_if(meta->column_index_offset != 0, HAS_COLUMN_INDEX) |
           bit_if(meta->bloom_filter_offset != 0, HAS_BLOOM_FILTER) |
           bit_if(chunk->is_absent, IS_ABSENT) | bit_if(chunk->is_void, IS_VOID) |
           bit_if(chunk->is_narrow, IS_NARROW) | bit_if(chunk->is_staged, IS_STAGED) |
           bit_if(chunk->offset_index.bytes, STAGED_OFFSET_INDEX) |
           bit_if(chunk->column_index.bytes, STAGED_COLUMN_INDEX) |
           bit_if(chunk->bloom_filter.bytes, STAGED_BLOOM_FILTER);
}

static uint8_t *put(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *put_if(uint8_t *at, bool is, uint64_t value)
{
    return is ? put(at, value) : at;
}

static uint8_t *put_histogram(uint8_t *at, const int64_t *entries, uint32_t count)
{
    at = put(at, count);
    for (uint32_t i = 0; i < count; i++)
        at = put(at, (uint64_t)entries[i]);
    return at;
}

static uint8_t *put_slice(uint8_t *at, struct lith_slice slice)
{
    at = put(at, slice.bytes);
    if (slice.bytes)
        memcpy(at, slice.data, slice.bytes);
    return at + slice.bytes;
}

/* Offsets of what stands near each other in a file as differences from the chunk's start. */
static uint8_t *put_place(uint8_t *at, const struct lith_source_chunk *chunk, int64_t offset,
                          int32_t length)
{
    if (offset == 0)
        return at;
    at = put(at, (uint64_t)offset - chunk->pages_offset);
    return put(at, (uint32_t)length);
}

static uint8_t *put_meta(uint8_t *at, const struct lith_source_chunk *chunk, uint32_t bits)
{
    const struct lith_chunk_meta *meta = &chunk->meta;

    at = put(at, (uint32_t)meta->codec);
    at = put(at, (uint64_t)meta->num_values);
    at = put(at, (uint64_t)meta->total_uncompressed_size);
    at = put(at, (uint64_t)meta->total_compressed_size);
    at = put(at, chunk->pages_offset);
    at = put(at, (uint64_t)meta->data_page_offset - chunk->pages_offset);
    at = put_if(at, bits & HAS_DICTIONARY,
                (uint64_t)meta->dictionary_page_offset - chunk->pages_offset);
    at = put_place(at, chunk, meta->offset_index_offset, meta->offset_index_length);
    at = put_place(at, chunk, meta->column_index_offset, meta->column_index_length);
    at = put_place(at, chunk, meta->bloom_filter_offset, meta->bloom_filter_length);
    at = put(at, meta->encodings);
    at = put(at, chunk->data_page_count);
    at = put(at, chunk->plain_page_count);
    return put_if(at, bits & IS_STAGED, chunk->pages.bytes);
}

static uint8_t *put_facts(uint8_t *at, const struct lith_facts *facts,
                          const struct lith_schema_node *leaf, uint32_t bits)
{
    at = put(at, (uint64_t)facts->positions);
    at = put_if(at, bits & HAS_NULL_COUNT, (uint64_t)facts->null_count);
    at = put_if(at, bits & HAS_NAN_COUNT, (uint64_t)facts->nan_count);
    at = put_if(at, bits & HAS_UNENCODED, (uint64_t)facts->unencoded_bytes);
    if (bits & HAS_REP_HISTOGRAM)
        at = put_histogram(at, facts->rep_histogram, leaf->max_rep + 1u);
    if (bits & HAS_DEF_HISTOGRAM)
        at = put_histogram(at, facts->def_histogram, leaf->max_def + 1u);
    if (bits & HAS_BOUNDS) {
        at = put_slice(at, facts->min);
        at = put_slice(at, facts->max);
    }
    return at;
}

size_t lith_source_chunk_write(const struct lith_source_chunk *chunk,
                               const struct lith_schema_node *leaf,
                               uint8_t room[LITH_SOURCE_RECORD_BYTES_MAX])
{
    uint32_t bits = bits_of(chunk, leaf);
    uint8_t *at = put(room, bits);

    at = put_meta(at, chunk, bits);
    at = put_facts(at, &chunk->facts, leaf, bits);
    return (size_t)(at - room);
}

static uint64_t get_if(struct lith_cursor *c, bool is)
{
    return is ? lith_cursor_varint(c) : 0;
}

static void get_place(struct lith_cursor *c, bool is, uint64_t start, int64_t *ret_offset,
                      int32_t *ret_length)
{
    if (!is)
        return;
    *ret_offset = (int64_t)(lith_cursor_varint(c) + start);
    *ret_length = (int32_t)lith_cursor_varint(c);
}

static void get_meta(struct lith_cursor *c, uint32_t bits, struct lith_source_chunk *chunk)
{
    struct lith_chunk_meta *meta = &chunk->meta;

    meta->codec = (int)(uint32_t)lith_cursor_varint(c);
    meta->num_values = (int64_t)lith_cursor_varint(c);
    meta->total_uncompressed_size = (int64_t)lith_cursor_varint(c);
    meta->total_compressed_size = (int64_t)lith_cursor_varint(c);
    uint64_t start = lith_cursor_varint(c);
    chunk->pages_offset = start;
    meta->data_page_offset = (int64_t)(lith_cursor_varint(c) + start);
    if (bits & HAS_DICTIONARY)
        meta->dictionary_page_offset = (int64_t)(lith_cursor_varint(c) + start);
    get_place(c, bits & HAS_OFFSET_INDEX, start, &meta->offset_index_offset,
              &meta->offset_index_length);
    get_place(c, bits & HAS_COLUMN_INDEX, start, &meta->column_index_offset,
              &meta->column_index_length);
    get_place(c, bits & HAS_BLOOM_FILTER, start, &meta->bloom_filter_offset,
              &meta->bloom_filter_length);
    meta->encodings = (uint32_t)lith_cursor_varint(c);
    chunk->data_page_count = (uint32_t)lith_cursor_varint(c);
    chunk->plain_page_count = (uint32_t)lith_cursor_varint(c);
    chunk->is_staged = bits & IS_STAGED;
    chunk->pages.bytes = (size_t)get_if(c, bits & IS_STAGED);
    if (bits & STAGED_OFFSET_INDEX)
        chunk->offset_index.bytes = (size_t)meta->offset_index_length;
    if (bits & STAGED_COLUMN_INDEX)
        chunk->column_index.bytes = (size_t)meta->column_index_length;
    if (bits & STAGED_BLOOM_FILTER)
        chunk->bloom_filter.bytes = (size_t)meta->bloom_filter_length;
}

static const int64_t *get_histogram(struct lith_cursor *c, int64_t *room)
{
    uint64_t count = lith_cursor_varint(c);

    if (count > LITH_HISTOGRAM_ENTRIES_MAX)
        c->failed = true;
    for (uint64_t i = 0; i < count && !c->failed; i++)
        room[i] = (int64_t)lith_cursor_varint(c);
    return room;
}

static struct lith_slice get_slice(struct lith_cursor *c)
{
    size_t bytes = (size_t)lith_cursor_varint(c);

    return (struct lith_slice){lith_cursor_take(c, bytes), bytes};
}

static void get_facts(struct lith_cursor *c, uint32_t bits, int64_t *room, struct lith_facts *facts)
{
    int64_t *def_room = room + LITH_HISTOGRAM_ENTRIES_MAX;

    *facts = (struct lith_facts){
        .positions = (int64_t)lith_cursor_varint(c),
        .has_null_count = bits & HAS_NULL_COUNT,
        .has_nan_count = bits & HAS_NAN_COUNT,
        .has_bounds = bits & HAS_BOUNDS,
        .is_all_null = bits & IS_ALL_NULL,
        .is_fixed = bits & IS_FIXED,
        .min_exact = bits & MIN_EXACT,
        .max_exact = bits & MAX_EXACT,
        .unencoded_bytes = bits & UNENCODED_ZERO ? 0 : -1,
    };
    facts->null_count = (int64_t)get_if(c, bits & HAS_NULL_COUNT);
    facts->nan_count = (int64_t)get_if(c, bits & HAS_NAN_COUNT);
    if (bits & HAS_UNENCODED)
        facts->unencoded_bytes = (int64_t)lith_cursor_varint(c);
    if (bits & HAS_REP_HISTOGRAM)
        facts->rep_histogram = get_histogram(c, room);
    if (bits & HAS_DEF_HISTOGRAM)
        facts->def_histogram = get_histogram(c, def_room);
    if (bits & DEF_BY_NULLS) {
        def_room[0] = facts->null_count;
        def_room[1] = facts->positions - facts->null_count;
        facts->def_histogram = def_room;
    }
    if (bits & HAS_BOUNDS) {
        facts->min = get_slice(c);
        facts->max = get_slice(c);
    }
}

enum lith_code lith_source_chunk_read(struct lith_slice record, int64_t *room,
                                      struct lith_source_chunk *ret_chunk, struct lith_err *err)
{
    struct lith_cursor c = lith_cursor_at(record.data, record.bytes);
    struct lith_source_chunk chunk = {0};
    uint32_t bits = (uint32_t)lith_cursor_varint(&c);

    chunk.trust.bounds = bits & TRUSTS_BOUNDS;
    chunk.trust.nulls = bits & TRUSTS_NULLS;
    chunk.is_absent = bits & IS_ABSENT;
    chunk.is_void = bits & IS_VOID;
    chunk.is_narrow = bits & IS_NARROW;
    get_meta(&c, bits, &chunk);
    get_facts(&c, bits, room, &chunk.facts);
    if (c.failed || c.next != c.end)
        return lith_fail(err, LITH_E_CORRUPT, "scratch space gives back other bytes than it got");
    *ret_chunk = chunk;
    return LITH_OK;
}

void lith_source_chunk_unstage(struct lith_source_chunk *chunk)
{
    const struct lith_slice none = {0};

    chunk->is_staged = false;
    chunk->pages = none;
    chunk->offset_index = none;
    chunk->column_index = none;
    chunk->bloom_filter = none;
}

static const uint8_t *slice_place(struct lith_slice *slice, const uint8_t *at)
{
    slice->data = slice->bytes ? at : NULL;
    return at + slice->bytes;
}

void lith_source_chunk_place(struct lith_source_chunk *chunk, const uint8_t *data)
{
    data = slice_place(&chunk->pages, data);
    data = slice_place(&chunk->offset_index, data);
    data = slice_place(&chunk->column_index, data);
    (void)slice_place(&chunk->bloom_filter, data);
}
