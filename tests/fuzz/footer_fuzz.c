/*
 * Footers from any bytes: what is accepted keeps the promises of footer.h, takes memory in
 * proportion, and reads back the same after it was written again.
 *
 * Input: a whole file when it ends with the magic, else the bytes of a footer.
 */
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "parquet/metadata_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Room for chunks in front of a bare footer, and the largest one tried. */
#define BODY_BYTES 4096u
#define INPUT_BYTES_MAX (64u << 10)
#define FRAME_BYTES 12u

static uint8_t framed[BODY_BYTES + INPUT_BYTES_MAX + FRAME_BYTES];

/* body, footer, its length, the magic; returns the size of it all. */
static size_t frame(const uint8_t *footer, size_t bytes)
{
    memcpy(framed, "PAR1", 4);
    memcpy(framed + BODY_BYTES, footer, bytes);
    lith_store_u32(framed + BODY_BYTES + bytes, (uint32_t)bytes);
    memcpy(framed + BODY_BYTES + bytes + 4, "PAR1", 4);
    return BODY_BYTES + bytes + 8;
}

static enum lith_code footer_read(const uint8_t *data, size_t bytes, struct lith_arena *arena,
                                  struct lith_footer *ret_footer)
{
    struct lith_memory_source source;
    struct lith_err err;

    lith_memory_source_init(&source, data, bytes);
    return lith_footer_read(&source.base, arena, ret_footer, &err);
}

static void promises_check(const struct lith_footer *footer)
{
    int64_t rows = 0;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        const struct lith_row_group *row_group = &footer->row_groups[i];
        LITH_ASSERT(row_group->num_rows >= 0);
        rows += row_group->num_rows;
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
            const struct lith_chunk_meta *chunk = &row_group->chunks[leaf];
            LITH_ASSERT(chunk->num_values >= 0);
            LITH_ASSERT(chunk->total_compressed_size >= 0);
            if (chunk->num_values == 0)
                continue;
            LITH_ASSERT(chunk->data_page_offset >= 4);
            LITH_ASSERT((uint64_t)chunk->data_page_offset < footer->footer_offset);
        }
    }
    LITH_ASSERT(rows == footer->num_rows);
}

static void footer_write(const struct lith_footer *footer, struct lith_thrift_writer *w)
{
    lith_footer_head_write(w, &footer->schema, footer->num_rows, footer->row_group_count);
    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        const struct lith_row_group *row_group = &footer->row_groups[i];
        struct lith_row_group_tail tail = {
            .num_rows = row_group->num_rows,
            .total_byte_size = row_group->total_byte_size,
            .sorting_columns = row_group->sorting_columns,
            .sorting_column_count = row_group->sorting_column_count,
            .ordinal = -1,
        };
        lith_row_group_head_write(w, footer->schema.leaf_count);
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++)
            lith_chunk_meta_write(w, &footer->schema, leaf, &row_group->chunks[leaf]);
        lith_row_group_tail_write(w, &tail);
    }
    lith_footer_tail_write(w, footer->key_values, footer->key_value_count, footer->created_by,
                           footer->schema.leaf_count);
}

static void round_trip(struct lith_footer *footer, struct lith_arena *arena)
{
    LITH_AUTO(buf) struct lith_buf buf;
    struct lith_thrift_writer w;
    struct lith_footer again;
    struct lith_err err;
    const char *difference;
    bool equal;

    lith_buf_init(&buf, arena->mem, 4 * INPUT_BYTES_MAX);
    LITH_ASSERT(lith_schema_normalise(&footer->schema, arena, &err) == LITH_OK);
    lith_thrift_writer_init(&w, &buf, &err);
    footer_write(footer, &w);
    if (w.code != LITH_OK || buf.bytes > INPUT_BYTES_MAX)
        return; /* offsets are longer when every field is written */
    size_t bytes = frame(buf.data, buf.bytes);
    if (footer->footer_offset > BODY_BYTES)
        return; /* chunks may lie where the body of a bare footer ends */
    LITH_ASSERT(footer_read(framed, bytes, arena, &again) == LITH_OK);
    LITH_ASSERT(lith_schema_normalise(&again.schema, arena, &err) == LITH_OK);
    LITH_ASSERT(lith_schema_equal(&footer->schema, &again.schema, arena, &equal, &difference,
                                  &err) == LITH_OK);
    LITH_ASSERT(equal);
    LITH_ASSERT(again.num_rows == footer->num_rows);
    promises_check(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_footer footer;
    struct lith_arena arena;
    struct lith_mem mem;

    if (bytes > INPUT_BYTES_MAX)
        return 0;
    bool is_file = bytes >= FRAME_BYTES && memcmp(data + bytes - 4, "PAR1", 4) == 0;
    size_t framed_bytes = is_file ? bytes : frame(data, bytes);
    lith_mem_init(&mem, 64u << 20, NULL);
    lith_arena_init(&arena, &mem);
    enum lith_code code = footer_read(is_file ? data : framed, framed_bytes, &arena, &footer);
    LITH_ASSERT(atomic_load(&mem.peak) <= 64 * bytes + (256u << 10));
    LITH_ASSERT(code != LITH_E_NOMEM);
    if (code == LITH_OK) {
        promises_check(&footer);
        round_trip(&footer, &arena);
    }
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
