/*
 * Reads a journal, and believes nothing of it that can be checked.
 *
 * Its text must be about the partition and the job that its name speaks of, and name files of that
 * partition alone: so what a foreign hand has edited, copied or moved here is refused, and never
 * deleted by.
 */
#include <inttypes.h>
#include <string.h>

#include "base/time.h"
#include "lake/journal.h"
#include "lake/name_index.h"

struct reader {
    const struct lith_json *root;
    struct lith_arena *arena;
    struct lith_journal journal;
};

static enum lith_code text_read(const struct reader *r, const struct lith_json *object,
                                const char *key, const char **ret_text, struct lith_err *err)
{
    const char *text = lith_json_text_of(lith_json_get(object, key));
    void *copy;

    if (!text)
        return lith_fail(err, LITH_E_CORRUPT, "%s: a text expected", key);
    LITH_TRY(lith_arena_copy(r->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

static enum lith_code word_check(const struct reader *r, const char *key, const char *wanted,
                                 struct lith_err *err)
{
    const char *text = lith_json_text_of(lith_json_get(r->root, key));

    if (!text)
        return lith_fail(err, LITH_E_CORRUPT, "%s: a text expected", key);
    if (strcmp(text, wanted) != 0)
        return lith_fail(err, LITH_E_CORRUPT, "%s: \"%.100s\", expected \"%.100s\"", key, text,
                         wanted);
    return LITH_OK;
}

static enum lith_code format_check(const struct reader *r, struct lith_err *err)
{
    const struct lith_json *format = lith_json_get(r->root, "format");

    if (!lith_json_is_int(format) || lith_json_int_of(format) < 1)
        return lith_fail(err, LITH_E_CORRUPT, "format: 1 expected");
    if (lith_json_int_of(format) > 1)
        return lith_fail(err, LITH_E_UNSUPPORTED, "format %" PRId64 "; this version knows 1",
                         lith_json_int_of(format));
    return LITH_OK;
}

static enum lith_code time_read(const struct reader *r, const char *key, int64_t *ret_ns,
                                struct lith_err *err)
{
    const char *text = lith_json_text_of(lith_json_get(r->root, key));
    struct lith_err ignored;

    if (!text || lith_time_parse(text, ret_ns, &ignored) != LITH_OK)
        return lith_fail(err, LITH_E_CORRUPT, "%s: a time (RFC 3339) expected", key);
    return LITH_OK;
}

/* The partition and the job are those of the name. */
static enum lith_code name_check(struct reader *r, const char *name, struct lith_err *err)
{
    struct lith_journal *journal = &r->journal;
    const char *stem;
    size_t bytes = 0;

    if (!lith_journal_name_parse(name, &bytes))
        return lith_fail(err, LITH_E_CORRUPT, "its name is not that of a journal");
    LITH_TRY(text_read(r, r->root, "job_id", &journal->job_id, err));
    size_t id_bytes = strlen(journal->job_id);
    if (id_bytes != LITH_COMMIT_ID_BYTES - 1 ||
        strncmp(journal->job_id, name + bytes, id_bytes) != 0)
        return lith_fail(err, LITH_E_CORRUPT, "job_id: \"%.100s\" is not the job of its name",
                         journal->job_id);
    LITH_TRY(text_read(r, r->root, "partition_path", &journal->partition, err));
    LITH_TRY(lith_journal_stem(journal->partition, r->arena, &stem, err));
    if (strlen(stem) != bytes || memcmp(stem, name, bytes) != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "partition_path: \"%.200s\" is not the partition of its name",
                         journal->partition);
    return LITH_OK;
}

/* A path of a data file in the journal's partition; its bare name. */
static enum lith_code path_read(const struct reader *r, const struct lith_json *value,
                                const char *key, const char **ret_name, struct lith_err *err)
{
    const char *partition = r->journal.partition;
    const char *path = lith_json_text_of(value);
    size_t bytes = strlen(partition);
    void *copy;

    if (!path)
        return lith_fail(err, LITH_E_CORRUPT, "%s: a path expected", key);
    const char *name = path;
    if (bytes) {
        if (strncmp(path, partition, bytes) != 0 || path[bytes] != '/')
            return lith_fail(err, LITH_E_CORRUPT, "%s: %.200s is not in partition %.200s", key,
                             path, partition);
        name = path + bytes + 1;
    }
    if (strchr(name, '/') || !lith_name_is_data(name))
        return lith_fail(err, LITH_E_CORRUPT, "%s: \"%.200s\" is not the name of a data file", key,
                         name);
    LITH_TRY(lith_arena_copy(r->arena, name, strlen(name), &copy, err));
    *ret_name = copy;
    return LITH_OK;
}

static enum lith_code size_read(const struct lith_json *value, const char *key, uint64_t *ret_size,
                                struct lith_err *err)
{
    if (!lith_json_is_int(value) || lith_json_int_of(value) < 0)
        return lith_fail(err, LITH_E_CORRUPT, "%s: a number of bytes expected", key);
    *ret_size = (uint64_t)lith_json_int_of(value);
    return LITH_OK;
}

static enum lith_code crc_read(const struct lith_json *value, const char *key, uint32_t *ret_crc,
                               struct lith_err *err)
{
    const char *text = lith_json_text_of(value);
    uint32_t crc = 0;

    if (!text || strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
        return lith_fail(err, LITH_E_CORRUPT, "%s: 8 hex digits expected", key);
    for (const char *at = text; *at; at++)
        crc = crc << 4 | (uint32_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
    *ret_crc = crc;
    return LITH_OK;
}

/* Size and crc32 are both there, or both null: it was not sealed yet. */
static enum lith_code seal_read(const struct lith_json *object, const char *size_key,
                                const char *crc_key, struct lith_journal_output *output,
                                struct lith_err *err)
{
    output->is_sealed = !lith_json_is_null(lith_json_get(object, size_key)) ||
                        !lith_json_is_null(lith_json_get(object, crc_key));
    if (!output->is_sealed)
        return LITH_OK;
    LITH_TRY(size_read(lith_json_get(object, size_key), size_key, &output->size, err));
    return crc_read(lith_json_get(object, crc_key), crc_key, &output->crc32, err);
}

static enum lith_code output_read(const struct reader *r, const struct lith_json *object,
                                  struct lith_journal_output *output, struct lith_err *err)
{
    struct lith_output_name parts;

    if (!lith_json_is_object(object))
        return lith_fail(err, LITH_E_CORRUPT, "outputs: an object expected");
    LITH_TRY(path_read(r, lith_json_get(object, "path"), "path", &output->name, err));
    if (!lith_output_name_parse(output->name, &parts))
        return lith_fail(err, LITH_E_CORRUPT, "path: %s is not named as an output", output->name);
    LITH_TRY(seal_read(object, "size", "crc32", output, err));
    if (lith_json_get(object, "upload_id"))
        LITH_TRY(text_read(r, object, "upload_id", &output->upload_id, err));
    return LITH_OK;
}

/* The fields of one output say what the list says of the first. */
static enum lith_code first_check(const struct reader *r, struct lith_err *err)
{
    const struct lith_journal_output *first = &r->journal.outputs[0];
    struct lith_journal_output single = {0};

    LITH_TRY(path_read(r, lith_json_get(r->root, "output_path"), "output_path", &single.name, err));
    LITH_TRY(seal_read(r->root, "output_size", "output_crc32", &single, err));
    if (strcmp(single.name, first->name) != 0 || single.is_sealed != first->is_sealed ||
        single.size != first->size || single.crc32 != first->crc32)
        return lith_fail(err, LITH_E_CORRUPT,
                         "output_path, output_size and output_crc32 are not those of the first of "
                         "outputs");
    return LITH_OK;
}

/* A job writes its outputs under one lease. */
static enum lith_code outputs_agree(const struct reader *r, struct lith_err *err)
{
    struct lith_output_name first = {0};
    struct lith_output_name parts = {0};

    for (size_t i = 0; i < r->journal.output_count; i++) {
        const char *name = r->journal.outputs[i].name;
        bool is_output = lith_output_name_parse(name, i ? &parts : &first);
        LITH_ASSERT(is_output);
        if (i && (strcmp(parts.pid, first.pid) != 0 || parts.epoch != first.epoch))
            return lith_fail(err, LITH_E_CORRUPT, "outputs: %s is not of the job of %s", name,
                             r->journal.outputs[0].name);
    }
    return LITH_OK;
}

static enum lith_code outputs_read(struct reader *r, struct lith_err *err)
{
    const struct lith_json *array = lith_json_get(r->root, "outputs");
    size_t count = lith_json_count(array);
    void *block;

    if (!lith_json_is_array(array) || count == 0)
        return lith_fail(err, LITH_E_CORRUPT, "outputs: a list of files expected");
    LITH_TRY(lith_arena_array(r->arena, count, sizeof(*r->journal.outputs), &block, err));
    r->journal.outputs = block;
    r->journal.output_count = count;
    for (size_t i = 0; i < count; i++)
        LITH_TRY(output_read(r, lith_json_at(array, i), &r->journal.outputs[i], err));
    LITH_TRY(outputs_agree(r, err));
    return first_check(r, err);
}

static enum lith_code inputs_read(struct reader *r, struct lith_err *err)
{
    const struct lith_json *files = lith_json_get(r->root, "input_files");
    const struct lith_json *sizes = lith_json_get(r->root, "input_sizes");
    const struct lith_json *etags = lith_json_get(r->root, "input_etags");
    size_t count = lith_json_count(files);
    void *block;

    if (!lith_json_is_array(files) || !lith_json_is_array(sizes) || !lith_json_is_array(etags) ||
        count == 0 || lith_json_count(sizes) != count || lith_json_count(etags) != count)
        return lith_fail(err, LITH_E_CORRUPT,
                         "input_files, input_sizes and input_etags: lists of equal length "
                         "expected");
    LITH_TRY(lith_arena_array(r->arena, count, sizeof(*r->journal.inputs), &block, err));
    r->journal.inputs = block;
    r->journal.input_count = count;
    for (size_t i = 0; i < count; i++) {
        struct lith_journal_input *input = &r->journal.inputs[i];
        const char *etag = lith_json_text_of(lith_json_at(etags, i));
        LITH_TRY(path_read(r, lith_json_at(files, i), "input_files", &input->name, err));
        LITH_TRY(size_read(lith_json_at(sizes, i), "input_sizes", &input->size, err));
        if (!etag || !*etag)
            return lith_fail(err, LITH_E_CORRUPT, "input_etags: a text expected");
        LITH_TRY(lith_arena_copy(r->arena, etag, strlen(etag), &block, err));
        input->etag = block;
    }
    return LITH_OK;
}

/* No name twice, among inputs and outputs together. */
static enum lith_code doubles_check(const struct lith_journal *journal, struct lith_mem *mem,
                                    struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_name_index index;
    void *block;

    lith_arena_init(&scratch, mem);
    LITH_TRY(lith_arena_array(&scratch, journal->input_count + journal->output_count,
                              sizeof(char *), &block, err));
    const char **names = block;
    size_t count = 0;
    for (size_t i = 0; i < journal->input_count; i++)
        names[count++] = journal->inputs[i].name;
    for (size_t i = 0; i < journal->output_count; i++)
        names[count++] = journal->outputs[i].name;
    LITH_TRY(lith_name_index_build(names, count, sizeof(*names), 0, &scratch, &index, err));
    const char *twice = lith_name_index_double(&index);
    if (twice)
        return lith_fail(err, LITH_E_CORRUPT, "it names %s twice", twice);
    return LITH_OK;
}

static enum lith_code root_read(struct reader *r, const char *tier, const char *name,
                                struct lith_err *err)
{
    if (!lith_json_is_object(r->root))
        return lith_fail(err, LITH_E_CORRUPT, "an object expected");
    LITH_TRY(format_check(r, err));
    LITH_TRY(word_check(r, "status", "pending", err));
    LITH_TRY(word_check(r, "tier", tier, err));
    LITH_TRY(name_check(r, name, err));
    LITH_TRY(time_read(r, "created_at", &r->journal.created_at_ns, err));
    LITH_TRY(outputs_read(r, err));
    LITH_TRY(inputs_read(r, err));
    return doubles_check(&r->journal, r->arena->mem, err);
}

enum lith_code lith_journal_parse(const void *data, size_t bytes, const char *tier,
                                  const char *name, struct lith_arena *arena,
                                  struct lith_journal *ret_journal, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    size_t cost = lith_json_cost(data, bytes);

    LITH_TRY(lith_mem_charge(arena->mem, cost, err));
    enum lith_code code = lith_json_parse(data, bytes, &root, err);
    struct reader r = {.root = root, .arena = arena};
    if (code == LITH_OK)
        code = root_read(&r, tier, name, err);
    lith_mem_release(arena->mem, cost);
    LITH_TRY(code);
    *ret_journal = r.journal;
    return LITH_OK;
}
