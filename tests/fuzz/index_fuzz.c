/*
 * Page indexes and bloom filters from any bytes: what is accepted has lists of one length, and
 * every slice lies in the input.
 *
 * Input: the first byte says what the rest is: a column index, an offset index, a bloom filter.
 */
#include <stdint.h>

#include "base/limits.h"
#include "parquet/bloom.h"
#include "parquet/page_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void inside_check(struct lith_slice slice, const uint8_t *data, size_t bytes)
{
    if (slice.bytes == 0)
        return;
    LITH_ASSERT(slice.data >= data);
    LITH_ASSERT(slice.data + slice.bytes <= data + bytes);
}

static void column_index(const uint8_t *data, size_t bytes, struct lith_arena *arena)
{
    struct lith_column_index index;
    struct lith_err err;

    if (lith_column_index_parse(data, bytes, arena, &index, &err) != LITH_OK)
        return;
    LITH_ASSERT(index.page_count <= bytes);
    for (uint32_t i = 0; i < index.page_count; i++) {
        inside_check(index.min_values[i], data, bytes);
        inside_check(index.max_values[i], data, bytes);
    }
}

static void offset_index(const uint8_t *data, size_t bytes, struct lith_arena *arena)
{
    struct lith_offset_index index;
    struct lith_err err;

    if (lith_offset_index_parse(data, bytes, arena, &index, &err) != LITH_OK)
        return;
    for (uint32_t i = 0; i < index.page_count; i++) {
        LITH_ASSERT(index.pages[i].offset >= 0);
        LITH_ASSERT(index.pages[i].bytes >= 0);
        LITH_ASSERT(index.pages[i].first_row >= 0);
    }
}

static void bloom_filter(const uint8_t *data, size_t bytes, struct lith_mem *mem)
{
    struct lith_memory_source source;
    struct lith_bloom bloom;
    struct lith_err err;

    lith_memory_source_init(&source, data, bytes);
    if (lith_bloom_read(&source.base, 0, 0, mem, &bloom, &err) != LITH_OK)
        return;
    LITH_ASSERT(bloom.bytes <= bytes);
    lith_bloom_add_hash(&bloom, 0x123456789abcdef0u);
    lith_bloom_fold(&bloom, LITH_BLOOM_ONE_IN);
    LITH_ASSERT(lith_bloom_has_hash(&bloom, 0x123456789abcdef0u));
    lith_bloom_done(&bloom);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_arena arena;
    struct lith_mem mem;

    if (bytes == 0)
        return 0;
    lith_mem_init(&mem, 64 << 20, NULL);
    lith_arena_init(&arena, &mem);
    if (data[0] % 3 == 0)
        column_index(data + 1, bytes - 1, &arena);
    else if (data[0] % 3 == 1)
        offset_index(data + 1, bytes - 1, &arena);
    else
        bloom_filter(data + 1, bytes - 1, &mem);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
