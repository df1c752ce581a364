#include "sim_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_parquet.h"

#define HEAD "sim\n"
#define HEAD_BYTES (sizeof(HEAD) - 1)
#define LINE_BYTES 160u

const struct sim_blob *sim_file_new(struct sim_world *world, const uint32_t *rows, uint32_t count)
{
    if (world->is_real)
        return sim_parquet_new(world, rows, count);
    char text[HEAD_BYTES + 64 * 16];
    int bytes = snprintf(text, sizeof(text), HEAD);

    for (uint32_t i = 0; i < count && i < 64; i++)
        bytes +=
            snprintf(text + bytes, sizeof(text) - (size_t)bytes, "row %06" PRIu32 "\n", rows[i]);
    return sim_blob_new(world, text, (size_t)bytes);
}

/* The next line of a text that ends with a zero, without its end; NULL behind the last. */
static const char *line_next(const char **at, char line[LINE_BYTES])
{
    size_t bytes = strcspn(*at, "\n");

    if (**at == 0)
        return NULL;
    (void)snprintf(line, LINE_BYTES, "%.*s", (int)bytes, *at);
    *at += bytes + ((*at)[bytes] == '\n');
    return line;
}

struct sim_rows sim_file_rows(struct sim_world *world, const struct sim_blob *blob)
{
    struct sim_blob *known = (struct sim_blob *)(uintptr_t)blob; /* what is noted changes nothing */
    const char *at = (const char *)blob->data;
    char line[LINE_BYTES];

    if (!blob->is_parsed && sim_parquet_is(blob)) {
        struct sim_rows rows = sim_parquet_rows(world, blob);
        known->rows = rows.rows;
        known->row_count = rows.count;
    } else if (!blob->is_parsed && strncmp(at, HEAD, HEAD_BYTES) == 0) {
        uint32_t *rows = sim_take(world, (blob->bytes / 8 + 1) * sizeof(*rows));
        while (line_next(&at, line)) {
            if (strncmp(line, "row ", 4) == 0)
                rows[known->row_count++] = (uint32_t)strtoul(line + 4, NULL, 10);
        }
        known->rows = rows;
    }
    known->is_parsed = true;
    return (struct sim_rows){blob->rows, blob->row_count};
}

struct sim_inputs sim_file_inputs(struct sim_world *world, const struct sim_blob *blob)
{
    if (sim_parquet_is(blob))
        return sim_parquet_inputs(world, blob);
    size_t room = blob->bytes / 4 + 1;
    struct sim_inputs inputs = {.names = sim_take(world, room * sizeof(char *)),
                                .sizes = sim_take(world, room * sizeof(uint64_t))};
    const char *at = (const char *)blob->data;
    char line[LINE_BYTES];

    while (line_next(&at, line)) {
        char *space = strrchr(line, ' ');
        if (strncmp(line, "in ", 3) != 0)
            continue;
        *space = 0;
        inputs.names[inputs.count] = sim_text(world, line + 3);
        inputs.sizes[inputs.count++] = strtoull(space + 1, NULL, 10);
    }
    return inputs;
}

/* A file as text, in the arena. */
static enum lith_code text_read(struct lith_source *source, struct lith_arena *arena,
                                const char **ret_text, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_alloc(arena, (size_t)source->size + 1, &block, err));
    LITH_TRY(lith_source_read(source, 0, block, (size_t)source->size, err));
    if (source->size < HEAD_BYTES || memcmp(block, HEAD, HEAD_BYTES) != 0)
        return lith_fail(err, LITH_E_CORRUPT, "this is no file of rows");
    *ret_text = block;
    return LITH_OK;
}

static enum lith_code look(struct lith_fact_book *book, const struct lith_job *job,
                           struct lith_source *source, const char *name, struct lith_fact *fact,
                           bool *ret_lists_inputs, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    char line[LINE_BYTES];
    const char *at;

    (void)book;
    (void)name;
    lith_arena_init(&arena, job->work->mem);
    LITH_TRY(text_read(source, &arena, &at, err));
    fact->has_rows = true;
    while (line_next(&at, line)) {
        fact->rows += strncmp(line, "row ", 4) == 0;
        *ret_lists_inputs = *ret_lists_inputs || strncmp(line, "in ", 3) == 0;
    }
    return LITH_OK;
}

static enum lith_code inputs(struct lith_source *source, struct lith_codec_context *codecs,
                             struct lith_arena *arena, struct lith_listed_input **ret_inputs,
                             size_t *ret_count, struct lith_err *err)
{
    char line[LINE_BYTES];
    const char *at;
    void *block;

    (void)codecs;
    LITH_TRY(text_read(source, arena, &at, err));
    LITH_TRY(lith_arena_array(arena, (size_t)source->size / 8 + 1, sizeof(struct lith_listed_input),
                              &block, err));
    struct lith_listed_input *found = block;
    *ret_count = 0;
    while (line_next(&at, line)) {
        char *space = strrchr(line, ' ');
        if (strncmp(line, "in ", 3) != 0)
            continue;
        LITH_TRY(lith_arena_copy(arena, line + 3, (size_t)(space - line - 3), &block, err));
        found[(*ret_count)++] =
            (struct lith_listed_input){.name = block, .size = strtoull(space + 1, NULL, 10)};
    }
    *ret_inputs = found;
    return *ret_count ? LITH_OK : lith_fail(err, LITH_E_NOT_FOUND, "no inputs are listed");
}

/* The rows, how many; and of which partition and job an output is. */
static enum lith_code making_read(struct lith_source *source, struct lith_arena *arena,
                                  struct lith_origin *origin, struct lith_err *err)
{
    char line[LINE_BYTES];
    const char *at;
    void *block;

    origin->pid = origin->job = "";
    LITH_TRY(text_read(source, arena, &at, err));
    while (line_next(&at, line)) {
        origin->rows += strncmp(line, "row ", 4) == 0;
        if (strncmp(line, "pid ", 4) == 0) {
            LITH_TRY(lith_arena_copy(arena, line + 4, strlen(line + 4), &block, err));
            origin->pid = block;
        } else if (strncmp(line, "job ", 4) == 0) {
            LITH_TRY(lith_arena_copy(arena, line + 4, strlen(line + 4), &block, err));
            origin->job = block;
        }
    }
    return LITH_OK;
}

static enum lith_code origin(struct lith_source *source, struct lith_codec_context *codecs,
                             struct lith_arena *arena, struct lith_origin *ret_origin,
                             struct lith_err *err)
{
    struct lith_origin found = {0};

    LITH_TRY(making_read(source, arena, &found, err));
    enum lith_code code = inputs(source, codecs, arena, &found.inputs, &found.input_count, err);
    if (code != LITH_OK && code != LITH_E_NOT_FOUND)
        return code;
    found.is_output = code == LITH_OK;
    *ret_origin = found;
    return LITH_OK;
}

/* Adds to each row's number how often it is in the files. */
static enum lith_code rows_count(const struct lith_verify_files *files, struct lith_mem *mem,
                                 int32_t by, int32_t *counts, struct lith_err *err)
{
    for (size_t i = 0; i < files->count; i++) {
        LITH_AUTO(arena) struct lith_arena arena;
        LITH_AUTO(source) struct lith_source *source = NULL;
        char line[LINE_BYTES];
        const char *at;
        lith_arena_init(&arena, mem);
        LITH_TRY(files->open(files->ctx, i, &source, err));
        LITH_TRY(text_read(source, &arena, &at, err));
        while (line_next(&at, line)) {
            if (strncmp(line, "row ", 4) == 0)
                counts[strtoul(line + 4, NULL, 10) % SIM_ROWS_MAX] += by;
        }
    }
    return LITH_OK;
}

static enum lith_code holds(const struct lith_rows_question *question, bool *ret_holds,
                            struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    void *block;

    lith_arena_init(&arena, question->work->mem);
    LITH_TRY(lith_arena_array(&arena, SIM_ROWS_MAX, sizeof(int32_t), &block, err));
    int32_t *counts = block;
    LITH_TRY(rows_count(question->whole, question->work->mem, 1, counts, err));
    LITH_TRY(rows_count(question->part, question->work->mem, -1, counts, err));
    *ret_holds = true;
    for (size_t i = 0; i < SIM_ROWS_MAX; i++)
        *ret_holds = *ret_holds && counts[i] >= 0;
    return LITH_OK;
}

/* Rows lose nothing when they are rolled up. */
static enum lith_code columns(const struct lith_job *job, struct lith_source *source,
                              const char *const *names, size_t count, size_t *ret_missing,
                              struct lith_err *err)
{
    (void)job;
    (void)source;
    (void)names;
    (void)err;
    *ret_missing = count;
    return LITH_OK;
}

/* A row of an input. */
struct row {
    uint32_t number;
    size_t input;
};

struct merging {
    struct lith_format_merge *m;
    struct lith_arena arena;
    struct row *rows;
    size_t count;
};

static enum lith_code input_take(struct merging *merging, size_t index, struct lith_err *err)
{
    struct lith_format_merge *m = merging->m;
    LITH_AUTO(source) struct lith_source *source = NULL;
    char line[LINE_BYTES];
    const char *at;

    LITH_TRY(m->opener->open(m->opener, index, &source, err));
    LITH_TRY(text_read(source, &merging->arena, &at, err));
    while (line_next(&at, line)) {
        if (strncmp(line, "row ", 4) != 0)
            continue;
        merging->rows[merging->count++] =
            (struct row){(uint32_t)strtoul(line + 4, NULL, 10), index};
        m->rows[index]++;
        m->row_count++;
    }
    return LITH_OK;
}

static enum lith_code line_put(struct lith_sink *sink, struct lith_err *err, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));

static enum lith_code line_put(struct lith_sink *sink, struct lith_err *err, const char *format,
                               ...)
{
    char line[LINE_BYTES];
    va_list args;

    va_start(args, format);
    int bytes = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    return lith_sink_write(sink, line, (size_t)bytes, err);
}

/* Writes rows [begin, end) as one output. */
static enum lith_code output_write(const struct merging *merging, size_t index, size_t begin,
                                   size_t end, struct lith_err *err)
{
    const struct lith_format_merge *m = merging->m;
    size_t first = end > begin ? merging->rows[begin].input : 0;
    size_t last = end > begin ? merging->rows[end - 1].input : m->input_count - 1;
    struct lith_sink *sink;

    LITH_TRY(m->outputs->begin(m->outputs, index, &sink, err));
    LITH_TRY(line_put(sink, err, HEAD "pid %s\njob %s\n", m->pid, m->hash));
    for (size_t i = first; i <= last; i++)
        LITH_TRY(
            line_put(sink, err, "in %.100s %" PRIu64 "\n", m->inputs[i].name, m->inputs[i].size));
    for (size_t i = begin; i < end; i++)
        LITH_TRY(line_put(sink, err, "row %06" PRIu32 "\n", merging->rows[i].number));
    struct lith_merge_file file = {.index = index,
                                   .bytes = sink->written,
                                   .rows = (int64_t)(end - begin),
                                   .first_input = first,
                                   .last_input = last};
    return m->outputs->end(m->outputs, &file, err);
}

static enum lith_code outputs_write(const struct merging *merging, uint64_t bytes,
                                    struct lith_err *err)
{
    const struct lith_policy *policy = &merging->m->job->options->policy;
    size_t count = (size_t)lith_plan_output_count(bytes, policy->target_file_bytes);

    for (size_t i = 0; i < count; i++)
        LITH_TRY(output_write(merging, i, merging->count * i / count,
                              merging->count * (i + 1) / count, err));
    return LITH_OK;
}

static enum lith_code merge_rows(struct merging *merging, struct lith_err *err)
{
    struct lith_format_merge *m = merging->m;
    uint64_t bytes = 0;
    void *block;

    for (size_t i = 0; i < m->input_count; i++)
        bytes += m->inputs[i].size;
    LITH_TRY(
        lith_arena_array(&merging->arena, (size_t)bytes / 8 + 1, sizeof(struct row), &block, err));
    merging->rows = block;
    for (size_t i = 0; i < m->input_count; i++) {
        enum lith_code code = input_take(merging, i, err);
        if (code != LITH_OK) {
            m->bad_input = i;
            return code;
        }
    }
    return outputs_write(merging, bytes, err);
}

static enum lith_code merge(struct lith_format_merge *m, struct lith_err *err)
{
    struct merging merging = {.m = m};

    m->bad_input = SIZE_MAX;
    m->row_count = 0;
    lith_arena_init(&merging.arena, m->job->work->mem);
    enum lith_code code = merge_rows(&merging, err);
    lith_arena_done(&merging.arena);
    return code;
}

static enum lith_code check(const struct lith_check *check, struct lith_source *source,
                            const struct lith_merge_file *file, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    char line[LINE_BYTES];
    int64_t rows = 0;
    const char *at;

    lith_arena_init(&arena, check->work->mem);
    LITH_TRY(text_read(source, &arena, &at, err));
    while (line_next(&at, line))
        rows += strncmp(line, "row ", 4) == 0;
    if (rows != file->rows || source->size != file->bytes)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRId64 " rows", rows);
    return LITH_OK;
}

const struct lith_format *sim_format(void)
{
    static const struct lith_format format = {.look = look,
                                              .inputs = inputs,
                                              .origin = origin,
                                              .holds = holds,
                                              .columns = columns,
                                              .merge = merge,
                                              .check = check};

    return &format;
}
