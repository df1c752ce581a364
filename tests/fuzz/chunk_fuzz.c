/*
 * A whole file from memory: its footer, then every chunk, under a budget of 16 MiB. Nothing may
 * crash, hang or pass the budget, whatever the bytes.
 */
#include "parquet/stream_hash.h"

#define BUDGET ((size_t)16 << 20)
/* Positions are cheap to claim (a run of nulls), so an input stops after this many. */
#define POSITIONS_MAX 2000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void chunk_read(struct lith_source *source, const struct lith_footer *footer,
                       uint32_t row_group, uint32_t leaf, struct lith_codec_context *codecs,
                       const struct lith_work *work, uint64_t *positions)
{
    struct lith_chunk_reader *reader;
    struct lith_stream_hash hash;
    struct lith_batch batch;
    struct lith_err err;

    if (lith_stream_hash_new(work->mem, &hash, &err) != LITH_OK)
        return;
    enum lith_code code =
        lith_chunk_reader_open(source, footer, row_group, leaf, codecs, work, &reader, &err);
    if (code == LITH_OK) {
        do {
            code = lith_chunk_reader_next(reader, &batch, &err);
            if (code != LITH_OK)
                break;
            code = lith_stream_hash_add(&hash, &batch, &err);
            if (code != LITH_OK)
                break;
            *positions += batch.position_count;
        } while (batch.position_count > 0 && *positions < POSITIONS_MAX);
        lith_chunk_reader_close(reader);
    }
    lith_stream_hash_done(&hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control = {0};
    struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
    struct lith_memory_source source;
    struct lith_arena arena;
    struct lith_footer footer;
    struct lith_codec_context *codecs;
    struct lith_err err;
    uint64_t positions = 0;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_scratch_init(&scratch, "/tmp", 64 * LITH_MIB);
    lith_memory_source_init(&source, data, bytes);
    lith_arena_init(&arena, &mem);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 0;
    if (lith_footer_read(&source.base, &arena, &footer, &err) == LITH_OK) {
        for (uint32_t i = 0; i < footer.row_group_count && positions < POSITIONS_MAX; i++) {
            for (uint32_t leaf = 0; leaf < footer.schema.leaf_count; leaf++)
                chunk_read(&source.base, &footer, i, leaf, codecs, &work, &positions);
        }
    }
    lith_codec_context_free(codecs);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
