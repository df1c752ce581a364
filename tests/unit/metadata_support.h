/*
 * What tests of the metadata share: schemas by hand, and whole files without pages.
 */
#ifndef LITH_TESTS_METADATA_SUPPORT_H
#define LITH_TESTS_METADATA_SUPPORT_H

#include "support.h"

#include "base/buf.h"
#include "parquet/metadata_write.h"

/* Bytes given to each chunk of a file made here. */
#define TEST_CHUNK_BYTES 10

static inline struct lith_schema_node test_group(const char *name, enum lith_repetition repetition,
                                                 uint32_t child_count)
{
    return (struct lith_schema_node){.name = lith_slice_text(name),
                                     .is_group = true,
                                     .repetition = repetition,
                                     .child_count = child_count,
                                     .converted_type = LITH_CONVERTED_NONE};
}

static inline struct lith_schema_node test_leaf(const char *name, enum lith_repetition repetition,
                                                enum lith_type type)
{
    return (struct lith_schema_node){.name = lith_slice_text(name),
                                     .type = type,
                                     .repetition = repetition,
                                     .converted_type = LITH_CONVERTED_NONE};
}

/* What a file is made of. Offsets of chunks ascend from 4; `tweak` may change anything. */
struct test_file {
    const struct lith_schema *schema;
    int64_t num_rows; /* of each row group, and of each chunk */
    int64_t footer_rows;
    uint32_t row_group_count;
    void (*tweak)(struct lith_chunk_meta *meta, uint32_t row_group, uint32_t leaf);
};

static inline void test_chunk_write(struct lith_thrift_writer *w, const struct test_file *file,
                                    uint32_t row_group, uint32_t leaf)
{
    uint32_t index = row_group * file->schema->leaf_count + leaf;
    struct lith_chunk_meta meta = {
        .num_values = file->num_rows,
        .total_uncompressed_size = TEST_CHUNK_BYTES,
        .total_compressed_size = TEST_CHUNK_BYTES,
        .data_page_offset = 4 + (int64_t)index * TEST_CHUNK_BYTES,
        .encodings = 1u << LITH_ENCODING_PLAIN | 1u << LITH_ENCODING_RLE,
    };

    if (file->tweak)
        file->tweak(&meta, row_group, leaf);
    lith_chunk_meta_write(w, file->schema, leaf, &meta);
}

/* Puts footer bytes behind a magic and room for the chunks, with length and magic behind them. */
static inline void test_file_wrap(const uint8_t *footer, size_t footer_bytes, size_t body_bytes,
                                  struct lith_buf *to)
{
    struct lith_err err;
    uint8_t length[4];

    lith_store_u32(length, (uint32_t)footer_bytes);
    MUST(lith_buf_append(to, "PAR1", 4, &err));
    for (size_t i = 0; i < body_bytes; i++)
        MUST(lith_buf_append_byte(to, 0xee, &err));
    MUST(lith_buf_append(to, footer, footer_bytes, &err));
    MUST(lith_buf_append(to, length, 4, &err));
    MUST(lith_buf_append(to, "PAR1", 4, &err));
}

static inline void test_file_make(const struct test_file *file, struct lith_buf *to)
{
    uint32_t chunk_count = file->row_group_count * file->schema->leaf_count;
    LITH_AUTO(buf) struct lith_buf footer;
    struct lith_thrift_writer w;
    struct lith_err err;

    lith_buf_init(&footer, to->mem, to->limit);
    lith_thrift_writer_init(&w, &footer, &err);
    lith_footer_head_write(&w, file->schema, file->footer_rows, file->row_group_count);
    for (uint32_t i = 0; i < file->row_group_count; i++) {
        struct lith_row_group_tail tail = {
            .num_rows = file->num_rows,
            .total_byte_size = TEST_CHUNK_BYTES,
            .ordinal = (int32_t)i,
        };
        lith_row_group_head_write(&w, file->schema->leaf_count);
        for (uint32_t leaf = 0; leaf < file->schema->leaf_count; leaf++)
            test_chunk_write(&w, file, i, leaf);
        lith_row_group_tail_write(&w, &tail);
    }
    lith_footer_tail_write(&w, NULL, 0, lith_slice_text("tests"), file->schema->leaf_count);
    MUST(w.code);
    test_file_wrap(footer.data, footer.bytes, (size_t)chunk_count * TEST_CHUNK_BYTES, to);
}

#endif
