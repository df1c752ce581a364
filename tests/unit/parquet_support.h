/*
 * Small Parquet files for tests: written by our writer, read back row by row.
 *
 * Every row has a number of its own, so that "each row exactly once" is a count per number.
 */
#ifndef LITH_TESTS_PARQUET_SUPPORT_H
#define LITH_TESTS_PARQUET_SUPPORT_H

#include "support.h"

#include <sys/stat.h>

#include "base/file.h"
#include "parquet/file_writer.h"
#include "sample_schema.h"

/* What one file is made of: columns id, template_id, word, and `more` after them. */
struct test_parquet {
    uint64_t begin; /* ids [begin, begin + rows) */
    size_t rows;
    const char *more; /* name of a fourth column, or NULL */
    bool is_text;     /* the fourth column is, and not numbers */
    int64_t age_s;    /* of its mtime */
    uint32_t mode;    /* 0: 0644 */
};

/* Memory and codecs of a test's own, never part of what is measured. */
struct test_tools {
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
};

static inline void test_tools_init(struct test_tools *tools)
{
    *tools = (struct test_tools){0};
    lith_mem_init(&tools->mem, (size_t)256 << 20, NULL);
    lith_scratch_init(&tools->scratch, "/tmp", 0);
    tools->work = (struct lith_work){
        .mem = &tools->mem, .scratch = &tools->scratch, .control = &tools->control};
}

static inline void test_parquet_column(struct lith_file_writer *writer,
                                       const struct test_parquet *file, uint32_t leaf)
{
    struct lith_chunk_plan plan = {.codec = LITH_CODEC_SNAPPY, .fallback = LITH_ENCODING_PLAIN};
    bool is_text = leaf == 2 || (leaf == 3 && file->is_text);
    enum lith_type type = is_text ? LITH_TYPE_BYTE_ARRAY : LITH_TYPE_INT64;
    struct lith_slice *slices = calloc(file->rows + 1, sizeof(*slices));
    uint64_t *numbers = calloc(file->rows + 1, sizeof(*numbers));
    char(*texts)[24] = calloc(file->rows + 1, sizeof(*texts));
    struct lith_err err;

    assert_true(slices && numbers && texts);
    for (size_t i = 0; i < file->rows; i++) {
        numbers[i] = leaf == 1 ? (file->begin + i) % 5 : file->begin + i;
        int bytes = snprintf(texts[i], sizeof(texts[i]), "row-%" PRIu64, file->begin + i);
        slices[i] = (struct lith_slice){(const uint8_t *)texts[i], (size_t)bytes};
    }
    MUST(lith_file_writer_chunk(writer, &plan, &err));
    for (size_t at = 0; at < file->rows; at += LITH_BATCH_POSITIONS) {
        size_t count =
            file->rows - at < LITH_BATCH_POSITIONS ? file->rows - at : LITH_BATCH_POSITIONS;
        struct lith_batch batch = {
            .position_count = count,
            .values = {.type = type,
                       .width = lith_type_width(type, 0),
                       .count = count,
                       .fixed = is_text ? NULL : (const uint8_t *)(numbers + at),
                       .slices = is_text ? slices + at : NULL},
        };
        MUST(lith_file_writer_add(writer, &batch, &err));
    }
    MUST(lith_file_writer_chunk_end(writer, &err));
    free(slices);
    free(numbers);
    free(texts);
}

static inline void test_parquet_rows(struct lith_sink *sink, const struct test_parquet *file,
                                     struct test_tools *tools)
{
    const struct sample_node nodes[] = {
        {"schema", file->more ? 4 : 3, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
        {"id", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
        {"template_id", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
        {"word", 0, LITH_REQUIRED, LITH_TYPE_BYTE_ARRAY, 0, LITH_CONVERTED_UTF8, 0, 0, 0},
        {file->more, 0, LITH_REQUIRED, file->is_text ? LITH_TYPE_BYTE_ARRAY : LITH_TYPE_INT64, 0,
         file->is_text ? LITH_CONVERTED_UTF8 : -1, 0, 0, 0},
    };
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_codec_context *codecs;
    struct lith_file_writer *writer;
    struct lith_schema schema;
    struct lith_err err;

    lith_arena_init(&arena, &tools->mem);
    MUST(sample_schema_build(nodes, file->more ? 5 : 4, &arena, &schema, &err));
    MUST(lith_codec_context_new(&tools->mem, &codecs, &err));
    MUST(lith_file_writer_new(sink, &schema, codecs, &tools->work, &writer, &err));
    if (file->rows) {
        MUST(lith_file_writer_row_group(writer, (int64_t)file->rows, &err));
        for (uint32_t leaf = 0; leaf < schema.leaf_count; leaf++)
            test_parquet_column(writer, file, leaf);
        MUST(lith_file_writer_row_group_end(writer, &err));
    }
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
    lith_codec_context_free(codecs);
}

/* Makes a file that was written `age_s` seconds ago. */
static inline void test_age(int dir_fd, const char *name, int64_t age_s)
{
    struct timespec times[2];

    assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
    times[0].tv_sec -= age_s;
    times[1] = times[0];
    assert_int_equal(utimensat(dir_fd, name, times, 0), 0);
}

/* Writes one file, under a temporary name first, as good writers do. */
static inline void test_parquet_write(int dir_fd, const char *name, const struct test_parquet *file)
{
    struct test_tools tools;
    struct lith_file_sink sink;
    struct lith_err err;
    int fd;

    test_tools_init(&tools);
    (void)unlinkat(dir_fd, "writer.tmp", 0);
    MUST(lith_file_create(dir_fd, "writer.tmp", file->mode ? file->mode : 0644, &fd, &err));
    MUST(lith_file_sink_init(&sink, fd, name, &tools.mem, &err));
    test_parquet_rows(&sink.base, file, &tools);
    MUST(lith_file_sink_flush(&sink, &err));
    lith_file_sink_done(&sink);
    assert_int_equal(fchmod(fd, file->mode ? file->mode : 0644), 0);
    lith_fd_close(fd);
    test_age(dir_fd, "writer.tmp", file->age_s);
    assert_int_equal(renameat(dir_fd, "writer.tmp", dir_fd, name), 0);
    lith_mem_done(&tools.mem);
}

/* Adds one to counts[id] for every row of an open file; false when it cannot be read. */
static inline bool test_parquet_read(struct lith_source *source, uint32_t *counts, size_t count_max,
                                     struct test_tools *tools)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_codec_context *codecs;
    struct lith_footer footer;
    struct lith_err err;

    lith_arena_init(&arena, &tools->mem);
    MUST(lith_codec_context_new(&tools->mem, &codecs, &err));
    bool good = lith_footer_read(source, &arena, &footer, &err) == LITH_OK;
    for (uint32_t i = 0; good && i < footer.row_group_count; i++) {
        struct lith_chunk_reader *reader = NULL;
        struct lith_batch batch = {.position_count = 1};
        good = lith_chunk_reader_open(source, &footer, i, 0, codecs, &tools->work, &reader, &err) ==
               LITH_OK;
        while (good && batch.position_count) {
            good = lith_chunk_reader_next(reader, &batch, &err) == LITH_OK;
            for (size_t k = 0; good && k < batch.position_count; k++) {
                uint64_t id = lith_load_u64(batch.values.fixed + 8 * k);
                assert_true(id < count_max);
                counts[id]++;
            }
        }
        lith_chunk_reader_close(reader);
    }
    lith_codec_context_free(codecs);
    return good;
}

#endif
