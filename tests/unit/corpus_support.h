/*
 * The corpus of files written by others, for tests: where it is, what its manifest says, and a
 * file opened and read to the end.
 * Without it a test is skipped and says so.
 */
#ifndef LITH_TESTS_CORPUS_SUPPORT_H
#define LITH_TESTS_CORPUS_SUPPORT_H

#include "support.h"

#include "base/file.h"
#include "parquet/stream_hash.h"

static struct lith_err err;

struct corpus_entry {
    char path[512]; /* relative to the corpus */
    int64_t rows;   /* -1: nothing is certain */
    bool good;
    bool bad;
};

static struct corpus_entry corpus_entries[512];
static size_t corpus_count;
static char corpus_root[512];

static inline bool corpus_parse(char *line, struct corpus_entry *entry)
{
    char *fields[9];

    for (size_t i = 0; i < 9; i++) {
        fields[i] = strsep(&line, "\t");
        if (!fields[i])
            return false;
    }
    (void)snprintf(entry->path, sizeof(entry->path), "%s", fields[0]);
    entry->rows = strcmp(fields[7], "-") == 0 ? -1 : strtoll(fields[7], NULL, 10);
    entry->good = strcmp(fields[8], "merge ok") == 0;
    entry->bad = strncmp(fields[8], "refuse", 6) == 0;
    return strcmp(fields[0], "file") != 0;
}

/* Reads the manifest; false when there is no corpus. */
static inline bool corpus_find(void)
{
    static char line[65536];
    const char *folder = test_corpus_folder();
    char path[600];

    if (!folder)
        return false;
    (void)snprintf(corpus_root, sizeof(corpus_root), "%s", folder);
    int length = snprintf(path, sizeof(path), "%s/MANIFEST.tsv", corpus_root);
    assert_in_range(length, 1, sizeof(path) - 1);
    FILE *manifest = fopen(path, "r");
    assert_non_null(manifest);
    while (fgets(line, sizeof(line), manifest) && corpus_count < 512) {
        if (corpus_parse(line, &corpus_entries[corpus_count]))
            corpus_count++;
    }
    (void)fclose(manifest);
    assert_true(corpus_count > 100);
    return true;
}

/* A file open for reading, under a budget of its own. */
struct opened {
    struct lith_mem own; /* source, footer, codecs */
    struct lith_mem mem; /* the readers */
    struct lith_scratch scratch;
    struct lith_control control;
    struct lith_work work;
    struct lith_source *source;
    struct lith_arena arena;
    struct lith_footer footer;
    struct lith_codec_context *codecs;
};

static inline enum lith_code opened_open(struct opened *o, const char *path, size_t budget)
{
    char full[1200];

    memset(o, 0, sizeof(*o));
    lith_mem_init(&o->own, (size_t)1 << 30, NULL);
    lith_mem_init(&o->mem, budget, NULL);
    lith_scratch_init(&o->scratch, "/tmp", 0);
    o->work = (struct lith_work){.mem = &o->mem, .scratch = &o->scratch, .control = &o->control};
    lith_arena_init(&o->arena, &o->own);
    MUST(lith_codec_context_new(&o->own, &o->codecs, &err));
    int length = snprintf(full, sizeof(full), "%s/%s", corpus_root, path);
    assert_in_range(length, 1, sizeof(full) - 1);
    MUST(lith_file_source_open(AT_FDCWD, full, &o->own, &o->source, &err));
    return lith_footer_read(o->source, &o->arena, &o->footer, &err);
}

static inline void opened_close(struct opened *o)
{
    lith_arena_done(&o->arena);
    lith_codec_context_free(o->codecs);
    lith_source_close(o->source);
    lith_mem_done(&o->mem);
    lith_mem_done(&o->own);
}

/* Reads one chunk to its end; the fingerprint goes on from what `hash` has. */
static inline enum lith_code opened_chunk(struct opened *o, uint32_t row_group, uint32_t leaf,
                                          struct lith_stream_hash *hash)
{
    struct lith_chunk_reader *reader = NULL;
    struct lith_batch batch;
    enum lith_code code = lith_chunk_reader_open(o->source, &o->footer, row_group, leaf, o->codecs,
                                                 &o->work, &reader, &err);

    while (code == LITH_OK) {
        code = lith_chunk_reader_next(reader, &batch, &err);
        if (code != LITH_OK || batch.position_count == 0)
            break;
        assert_true(batch.position_count <= LITH_BATCH_POSITIONS);
        code = lith_stream_hash_add(hash, &batch, &err);
    }
    lith_chunk_reader_close(reader);
    return code;
}

/* Reads all chunks of a file in order. */
static inline enum lith_code opened_read(struct opened *o, struct lith_stream_hash *hash)
{
    for (uint32_t row_group = 0; row_group < o->footer.row_group_count; row_group++) {
        for (uint32_t leaf = 0; leaf < o->footer.schema.leaf_count; leaf++)
            LITH_TRY(opened_chunk(o, row_group, leaf, hash));
    }
    return LITH_OK;
}

#endif
