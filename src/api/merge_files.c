/*
 * Merging named files, no lake needed.
 *
 * Each output is written under OUTPUT.tmp, made durable and read back; only when all of them have
 * passed do they get their names. Inputs are opened for reading alone. Without an output the merge
 * is planned and explained, and nothing is written.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/joins.h"
#include "api/paths.h"
#include "base/array.h"
#include "base/file.h"
#include "job/check.h"
#include "merge/explain_sums.h"
#include "merge/merge.h"

/* One output on disk. */
struct out {
    char *path; /* in the arena, as is tmp */
    char *tmp;
    int fd;
    bool exists; /* tmp is there and ours */
};

/* What an input is known by. */
struct input_known {
    uint64_t size;
    uint64_t inode;
    int64_t mtime_ns;
};

struct outs {
    struct lith_merge_outputs base;
    const struct lith_merge_request *request;
    struct lith_budget *budget;
    struct lith_arena *arena;
    struct lith_paths *paths;
    struct lith_codec_context *codecs;
    struct lith_file_sink sink;
    struct out *outs;
    size_t count;
    struct input_known *known;     /* of the inputs; in the arena */
    struct lith_explain_sums sums; /* of what was explained, where the request wants that */
    struct lith_merge_result result;
    bool is_mingled; /* some outputs have rows that were sorted */
    bool is_refuted; /* verification found an output wrong */
};

void lith_merge_request_default(struct lith_merge_request *request)
{
    struct lith_options options;

    lith_options_default(&options);
    *request = (struct lith_merge_request){
        .row_group_bytes = options.row_group_bytes,
        .row_group_rows = options.row_group_rows,
        .sorted_row_groups = options.sorted_row_groups,
        .codec = options.codec,
        .verify = options.verify,
    };
}

size_t lith_merge_output_path(const char *output, uint64_t index, char *to, size_t bytes)
{
    size_t stem = strlen(output);
    const char *dot = strrchr(output, '.');

    if (dot && !strchr(dot, '/'))
        stem = (size_t)(dot - output);
    int length = index == 0 ? snprintf(to, bytes, "%s", output)
                            : snprintf(to, bytes, "%.*s-%" PRIu64 "%s", (int)stem, output, index,
                                       output + stem);
    return length < 0 ? 0 : (size_t)length;
}

static enum lith_code path_make(struct outs *outs, size_t index, char **ret_path,
                                struct lith_err *err)
{
    size_t bytes = lith_merge_output_path(outs->request->output, index, NULL, 0) + 1;
    void *path;

    LITH_TRY(lith_arena_array(outs->arena, bytes, 1, &path, err));
    (void)lith_merge_output_path(outs->request->output, index, path, bytes);
    *ret_path = path;
    return LITH_OK;
}

/* The directory that holds the path. */
static enum lith_code parent_make(const struct outs *outs, const char *path, char **ret_parent,
                                  struct lith_err *err)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return lith_arena_format(outs->arena, ret_parent, err, ".");
    return lith_arena_format(outs->arena, ret_parent, err, "%.*s/", (int)(slash - path), path);
}

static enum lith_code parent_check(const struct outs *outs, const char *path, struct lith_err *err)
{
    struct lith_file_info info;
    char *parent;

    LITH_TRY(parent_make(outs, path, &parent, err));
    enum lith_code code = lith_file_stat(AT_FDCWD, parent, true, &info, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, code, "the output %s: the directory %s is not there; create it first",
                         path, parent);
    return code;
}

/* Refuses an output that is one of the inputs, one that exists, and one that is no regular file:
 * the rename would put a file in the place of a device, for everybody. */
static enum lith_code path_check(const struct outs *outs, const char *path, struct lith_err *err)
{
    const struct lith_merge_request *request = outs->request;
    struct lith_file_info output;
    struct lith_file_info info;

    enum lith_code code = lith_file_stat(AT_FDCWD, path, true, &output, err);
    if (code == LITH_E_NOT_FOUND)
        return parent_check(outs, path, err);
    LITH_TRY(code);
    for (size_t i = 0; i < request->input_count; i++) {
        LITH_TRY(lith_file_stat(AT_FDCWD, request->inputs[i], true, &info, err));
        if (info.device == output.device && info.inode == output.inode)
            return lith_fail(err, LITH_E_INVALID, "the output %s is the input %s", path,
                             request->inputs[i]);
    }
    if (!request->overwrite)
        return lith_fail(err, LITH_E_CONFLICT, "%s exists; --overwrite replaces it", path);
    if (!output.is_file)
        return lith_fail(err, LITH_E_INVALID, "the output %s exists and is not a regular file",
                         path);
    return LITH_OK;
}

static enum lith_code out_begin(struct lith_merge_outputs *base, size_t index,
                                struct lith_sink **ret_sink, struct lith_err *err)
{
    struct outs *outs = (struct outs *)base;
    void *block = outs->outs;

    LITH_ASSERT(index == outs->count);
    LITH_TRY(lith_array_grow_in(outs->arena, &block, outs->count, sizeof(*outs->outs), err));
    outs->outs = block;
    struct out *out = &outs->outs[index];
    *out = (struct out){.fd = -1};
    LITH_TRY(path_make(outs, index, &out->path, err));
    LITH_TRY(path_check(outs, out->path, err));
    LITH_TRY(lith_arena_format(outs->arena, &out->tmp, err, "%s.tmp", out->path));
    enum lith_code code = lith_file_create(AT_FDCWD, out->tmp, 0666, &out->fd, err);
    if (code == LITH_E_CONFLICT)
        return lith_fail(err, code,
                         "%s exists: another merge writes it, or one that was killed left it; "
                         "remove it in that case",
                         out->tmp);
    LITH_TRY(code);
    out->exists = true;
    outs->count++;
    LITH_TRY(lith_file_sink_init(&outs->sink, out->fd, out->tmp, &outs->budget->mem, err));
    *ret_sink = &outs->sink.base;
    return LITH_OK;
}

static struct lith_check check_of(struct outs *outs, const struct lith_verify_files *inputs)
{
    return (struct lith_check){
        .level = outs->request->verify,
        .inputs = inputs,
        .codecs = outs->codecs,
        .work = &outs->budget->work,
    };
}

static enum lith_code tmp_open(void *ctx, size_t index, struct lith_source **ret_source,
                               struct lith_err *err)
{
    struct outs *outs = ctx;

    return lith_file_source_open(AT_FDCWD, outs->outs[index].tmp, &outs->budget->mem, ret_source,
                                 err);
}

static const char *tmp_name(void *ctx, size_t index)
{
    struct outs *outs = ctx;

    return outs->outs[index].path;
}

/* What can only be checked of all outputs together. */
static enum lith_code outs_check(struct outs *outs, struct lith_err *err)
{
    struct lith_verify_files inputs = lith_paths_verify_files(outs->paths);
    struct lith_verify_files written = {
        .count = outs->count, .open = tmp_open, .name = tmp_name, .ctx = outs};
    struct lith_check check = check_of(outs, &inputs);

    if (!outs->is_mingled || lith_check_rows(&check, &written, err) == LITH_OK)
        return LITH_OK;
    outs->is_refuted = lith_check_refutes(err);
    return lith_check_failed(outs->outs[0].path, err);
}

static enum lith_code out_verify(struct outs *outs, const struct out *out,
                                 const struct lith_merge_file *file, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_verify_files inputs = lith_paths_verify_files(outs->paths);
    struct lith_check check = check_of(outs, &inputs);

    LITH_TRY(lith_file_source_open(AT_FDCWD, out->tmp, &outs->budget->mem, &source, err));
    return lith_check_output(&check, source, file, err);
}

static enum lith_code out_end(struct lith_merge_outputs *base, const struct lith_merge_file *file,
                              struct lith_err *err)
{
    struct outs *outs = (struct outs *)base;
    struct out *out = &outs->outs[file->index];

    LITH_TRY(lith_file_sink_flush(&outs->sink, err));
    lith_file_sink_done(&outs->sink);
    LITH_TRY(lith_fd_sync(out->fd, out->tmp, err));
    lith_fd_close(out->fd);
    out->fd = -1;
    outs->is_mingled = outs->is_mingled || file->is_mingled;
    if (outs->request->verify != LITH_VERIFY_OFF && out_verify(outs, out, file, err) != LITH_OK) {
        outs->is_refuted = lith_check_refutes(err);
        return lith_check_failed(out->path, err);
    }
    outs->result.outputs++;
    outs->result.rows += (uint64_t)file->rows;
    outs->result.output_bytes += file->bytes;
    outs->result.row_groups += file->witness->row_group_count;
    return LITH_OK;
}

/* Makes a rename durable: fsync of the directory that holds the path. */
static enum lith_code parent_sync(struct outs *outs, const char *path, struct lith_err *err)
{
    char *parent;
    int fd;

    LITH_TRY(parent_make(outs, path, &parent, err));
    LITH_TRY(lith_dir_open(AT_FDCWD, parent, &fd, err));
    enum lith_code code = lith_fd_sync(fd, parent, err);
    lith_fd_close(fd);
    return code;
}

/* Gives all outputs their names, durably. */
static enum lith_code outs_publish(struct outs *outs, struct lith_err *err)
{
    for (size_t i = 0; i < outs->count; i++) {
        struct out *out = &outs->outs[i];
        enum lith_code code = outs->request->overwrite
                                  ? lith_file_rename(AT_FDCWD, out->tmp, out->path, err)
                                  : lith_file_rename_new(AT_FDCWD, out->tmp, out->path, err);
        if (code == LITH_E_CONFLICT)
            return lith_fail(err, LITH_E_CONFLICT, "%s exists; --overwrite replaces it", out->path);
        LITH_TRY(code);
        out->exists = false;
        LITH_TRY(parent_sync(outs, out->path, err));
    }
    return LITH_OK;
}

static void outs_done(struct outs *outs)
{
    struct lith_err ignored;

    lith_file_sink_done(&outs->sink);
    for (size_t i = 0; i < outs->count; i++) {
        lith_fd_close(outs->outs[i].fd);
        if (outs->outs[i].exists)
            (void)!lith_file_unlink(AT_FDCWD, outs->outs[i].tmp, &ignored);
    }
}

/* As before the merge, but for why it is made again. */
static void outs_again(struct outs *outs, const struct lith_err *refuted)
{
    outs_done(outs);
    outs->count = 0;
    outs->outs = NULL;
    outs->result = (struct lith_merge_result){.refuted = *refuted};
    lith_explain_sums_init(&outs->sums, outs->arena);
}

/* Inputs are read more than once, and what they hold must have been the same each time. */
static enum lith_code inputs_look_again(const struct outs *outs, struct lith_err *err)
{
    const struct lith_merge_request *request = outs->request;
    struct lith_file_info info;

    for (size_t i = 0; i < request->input_count; i++) {
        const struct input_known *known = &outs->known[i];
        enum lith_code code = lith_file_stat(AT_FDCWD, request->inputs[i], true, &info, err);
        if (code != LITH_OK && code != LITH_E_NOT_FOUND)
            return code;
        if (code != LITH_OK || info.size != known->size || info.inode != known->inode ||
            info.mtime_ns != known->mtime_ns)
            return lith_fail(err, LITH_E_CONFLICT,
                             "%s changed while it was being merged; nothing was written, run again",
                             request->inputs[i]);
    }
    return LITH_OK;
}

/* Fills sizes, and looks at the first output before any work is done. */
static enum lith_code inputs_look(struct outs *outs, struct lith_merge_input *inputs,
                                  struct lith_err *err)
{
    const struct lith_merge_request *request = outs->request;
    struct lith_file_info info;
    void *block;

    LITH_TRY(
        lith_arena_array(outs->arena, request->input_count, sizeof(*outs->known), &block, err));
    outs->known = block;

    for (size_t i = 0; i < request->input_count; i++) {
        LITH_TRY(lith_file_stat(AT_FDCWD, request->inputs[i], true, &info, err));
        if (info.is_directory)
            return lith_fail(err, LITH_E_UNSUPPORTED,
                             "%s is a directory; name its files, or compact it as a lake",
                             request->inputs[i]);
        if (!info.is_file)
            return lith_fail(err, LITH_E_UNSUPPORTED, "%s is not a regular file",
                             request->inputs[i]);
        inputs[i] = (struct lith_merge_input){.name = request->inputs[i], .size = info.size};
        outs->known[i] = (struct input_known){info.size, info.inode, info.mtime_ns};
        outs->result.input_bytes += info.size;
    }
    return request->output ? path_check(outs, request->output, err) : LITH_OK;
}

static enum lith_code explain_take(void *ctx, const struct lith_explained *explained,
                                   struct lith_err *err)
{
    struct outs *outs = ctx;
    char column[LITH_COLUMN_PATH_BYTES];

    LITH_TRY(lith_explain_sums_add(&outs->sums, explained, err));
    if (!outs->request->explain_each)
        return LITH_OK;
    lith_explained_column(explained, column);
    struct lith_explanation single = {
        .column_index = explained->leaf,
        .column = column,
        .input = explained->input_name,
        .row_group = explained->row_group,
        .sources = 1,
        .bytes = explained->bytes,
        .mover = lith_mover_name(explained->mover),
        .reason = lith_reason_text(explained->reason),
    };
    outs->request->explain(outs->request->explain_ctx, &single, 1);
    return LITH_OK;
}

static void moved_take(struct outs *outs, const uint64_t bytes[LITH_MOVER_COUNT])
{
    outs->result.spliced_bytes = bytes[LITH_MOVER_SPLICE];
    outs->result.remapped_bytes = bytes[LITH_MOVER_REMAP];
    outs->result.regrouped_bytes = bytes[LITH_MOVER_REGROUP];
    outs->result.recoded_bytes = bytes[LITH_MOVER_RECODE];
}

/* Writes the outputs, under their temporary names. */
static enum lith_code merge_write(struct outs *outs, struct lith_merge *merge, struct lith_err *err)
{
    uint64_t moved[LITH_MOVER_COUNT];

    LITH_TRY(lith_merge_run(merge, &outs->base, err));
    outs->result.rows_erased = lith_merge_erased(merge);
    if (!outs->request->erase_by) /* else the rows are not those of the inputs */
        LITH_TRY(outs_check(outs, err));
    if (outs->result.rows != (uint64_t)lith_merge_rows(merge))
        return lith_fail(err, LITH_E_CORRUPT,
                         "the outputs hold %" PRIu64 " rows, the inputs %" PRIi64,
                         outs->result.rows, lith_merge_rows(merge));
    for (int mover = 0; mover < LITH_MOVER_COUNT; mover++)
        moved[mover] = lith_merge_moved(merge, (enum lith_mover)mover);
    moved_take(outs, moved);
    return LITH_OK;
}

static enum lith_code merge_plan(struct outs *outs, struct lith_merge *merge, struct lith_err *err)
{
    LITH_TRY(lith_merge_explain(merge, err));
    outs->result.rows = (uint64_t)lith_merge_rows(merge);
    moved_take(outs, outs->sums.bytes);
    return LITH_OK;
}

/* Names for the outputs; then nothing can fail any more, and what was explained is told. */
static enum lith_code merge_finish(struct outs *outs, struct lith_err *err)
{
    const struct lith_merge_request *request = outs->request;
    const struct lith_explanation *list;
    size_t count;

    LITH_TRY(lith_explain_sums_list(&outs->sums, &list, &count, err));
    if (request->output)
        LITH_TRY(inputs_look_again(outs, err));
    LITH_TRY(outs_publish(outs, err));
    if (request->explain && !request->explain_each)
        request->explain(request->explain_ctx, list, count);
    return LITH_OK;
}

static const enum lith_force forces[] = {
    [LITH_MOVERS_AUTO] = LITH_FORCE_NONE,
    [LITH_MOVERS_COPY] = LITH_FORCE_COPY,
    [LITH_MOVERS_RECODE] = LITH_FORCE_RECODE,
};

/* Hands a row to the caller. */
static bool erase_row(void *ctx, const struct lith_slice *values, size_t count)
{
    const struct outs *outs = ctx;
    struct lith_value row[LITH_SORT_KEYS_MAX];

    for (size_t i = 0; i < count; i++)
        row[i] = (struct lith_value){values[i].data, values[i].bytes};
    return outs->request->erase(outs->request->erase_ctx, row, count);
}

static enum lith_code merge_with(struct outs *outs, enum lith_movers movers, struct lith_err *err)
{
    const struct lith_merge_request *request = outs->request;
    struct lith_merge_options options = {
        .target_file_bytes = request->target_file_bytes,
        .row_group_bytes = request->row_group_bytes,
        .row_group_rows = request->row_group_rows,
        .sort_by = request->sort_by,
        .row_group_by_size = request->sorted_row_groups,
        .allow = lith_joins_rules(&request->joins),
        .match = request->joins.match,
        .unknown_keys = request->unknown_keys,
        .force = forces[movers],
        .skip_witness = request->verify < LITH_VERIFY_CONTENT,
        .check_damage = request->verify >= LITH_VERIFY_DECODE,
        .explain = request->explain ? explain_take : NULL,
        .explain_ctx = outs,
    };
    struct lith_merge *merge;
    void *inputs;

    if ((request->erase_by != NULL) != (request->erase != NULL))
        return lith_fail(err, LITH_E_INVALID, "erase_by and erase go together: %s is missing",
                         request->erase ? "erase_by" : "erase");
    if (request->erase_by)
        options.erase = (struct lith_erase){request->erase_by, erase_row, outs};

    if (request->codec && lith_codec_choice_parse(request->codec, &options.codec, err) != LITH_OK)
        return lith_err_prefix(err, "codec");
    LITH_TRY(lith_arena_array(outs->arena, request->input_count, sizeof(struct lith_merge_input),
                              &inputs, err));
    LITH_TRY(inputs_look(outs, inputs, err));
    LITH_TRY(lith_merge_new(inputs, request->input_count, &outs->paths->opener, &options,
                            &outs->budget->work, &merge, err));
    enum lith_code code =
        request->output ? merge_write(outs, merge, err) : merge_plan(outs, merge, err);
    lith_merge_free(merge);
    LITH_TRY(code);
    return merge_finish(outs, err);
}

static enum lith_code merge_try(const struct lith_merge_request *request,
                                const struct lith_control *control,
                                struct lith_merge_result *ret_result, struct lith_err *err)
{
    struct lith_budget budget;
    struct lith_arena arena;
    struct lith_paths paths;
    struct outs outs = {.base = {.begin = out_begin, .end = out_end},
                        .request = request,
                        .budget = &budget,
                        .arena = &arena,
                        .paths = &paths};

    LITH_TRY(lith_budget_init(&budget, control, err));
    lith_arena_init(&arena, &budget.mem);
    lith_explain_sums_init(&outs.sums, &arena);
    lith_paths_init(&paths, request->inputs, request->input_count, &budget.mem);
    enum lith_code code = lith_codec_context_new(&budget.mem, &outs.codecs, err);
    if (code == LITH_OK)
        lith_codec_context_for_proofs(outs.codecs);
    if (code == LITH_OK)
        code = merge_with(&outs, request->movers, err);
    if (code != LITH_OK && outs.is_refuted && request->movers == LITH_MOVERS_AUTO) {
        /* A source says what is not true, or is damaged where nobody looked who copied it. Decoding
         * leaves the lie behind, or names the source. */
        outs_again(&outs, err);
        code = merge_with(&outs, LITH_MOVERS_RECODE, err);
    }
    outs_done(&outs);
    lith_codec_context_free(outs.codecs);
    lith_arena_done(&arena);
    if (code != LITH_OK)
        return code;
    outs.result.memory_peak_bytes = atomic_load(&budget.mem.peak);
    *ret_result = outs.result;
    return LITH_OK;
}

enum lith_code lith_merge_files(const struct lith_merge_request *request,
                                const struct lith_control *control,
                                struct lith_merge_result *ret_result, struct lith_err *err)
{
    struct lith_control alone = control ? *control : (struct lith_control){0};

    if (request->input_count == 0 ||
        (request->output ? *request->output == '\0' : !request->explain))
        return lith_fail(err, LITH_E_INVALID, "a merge needs inputs and an output");
    LITH_TRY(lith_joins_check(&request->joins, err));
    if ((unsigned)request->movers >= sizeof(forces) / sizeof(forces[0]))
        return lith_fail(err, LITH_E_INVALID, "no movers %d", (int)request->movers);
    if ((unsigned)request->unknown_keys > LITH_UNKNOWN_KEYS_ERROR)
        return lith_fail(err, LITH_E_INVALID, "no unknown_keys %d", (int)request->unknown_keys);
    enum lith_code code = merge_try(request, control, ret_result, err);
    if (code != LITH_E_LIMIT || alone.threads < 2 || request->explain)
        return code;
    /* The memory was short for so many threads; one may have enough. */
    alone.threads = 1;
    return merge_try(request, &alone, ret_result, err);
}
