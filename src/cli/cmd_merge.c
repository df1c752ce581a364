/*
 * lithify merge: named files into one, or into several of a size; with --explain alone, into none.
 *
 * JSON is one object; what is explained is written into it chunk by chunk, so that a merge of any
 * number of files takes no memory for it.
 */
#include <inttypes.h>
#include <string.h>

#include <fcntl.h>

#include "base/file.h"
#include "base/limits.h"
#include "cli/explain.h"
#include "cli/lake_open.h"
#include "cli/name_list.h"
#include "cli/print.h"

/* One run, and what was told of it so far. */
struct run {
    struct lith_cli *cli;
    struct lith_merge_request request;
    uint64_t explained;    /* JSON: objects written */
    struct lith_err first; /* a failure to print; code OK: none */
};

/* The path of an output, in the config's arena; NULL when there is no memory for it. */
static const char *path_make(const struct run *run, uint64_t index)
{
    size_t bytes = lith_merge_output_path(run->request.output, index, NULL, 0) + 1;
    struct lith_err ignored;
    void *path;

    if (lith_arena_array(&run->cli->config.arena, bytes, 1, &path, &ignored) != LITH_OK)
        return NULL;
    (void)lith_merge_output_path(run->request.output, index, path, bytes);
    return path;
}

/* JSON: one chunk a line. */
static void chunk_print(struct run *run, const struct lith_explanation *explanation)
{
    LITH_AUTO(json) struct lith_json *object = lith_explain_json(explanation);
    struct lith_err err;

    if (run->first.code != LITH_OK)
        return;
    if (!object) {
        (void)!lith_fail(&run->first, LITH_E_NOMEM, "out of memory for JSON");
        return;
    }
    (void)fputs(run->explained++ ? ",\n" : "\n", stdout);
    if (lith_print_json(object, 0, &err) != LITH_OK)
        run->first = err;
}

static void explain_take(void *ctx, const struct lith_explanation *explanations, size_t count)
{
    struct run *run = ctx;

    lith_meter_wipe(&run->cli->meter);
    if (!run->cli->json)
        lith_explain_print(explanations, count, 0);
    for (size_t i = 0; run->cli->json && i < count; i++)
        chunk_print(run, &explanations[i]);
}

static void request_make(struct run *run)
{
    const struct lith_cli *cli = run->cli;
    const struct lith_config *config = &cli->config;
    struct lith_merge_request *request = &run->request;

    lith_merge_request_default(request);
    request->output = cli->args.switches[LITH_SWITCH_OUTPUT];
    request->overwrite = cli->args.switches[LITH_SWITCH_OVERWRITE] != NULL;
    request->row_group_bytes = lith_config_size(config, LITH_OPTION_ROW_GROUP);
    request->row_group_rows = (int64_t)lith_config_count(config, LITH_OPTION_ROW_GROUP_ROWS);
    request->joins = lith_cli_joins(cli);
    request->sort_by = lith_config_text(config, LITH_OPTION_SORT_BY);
    request->sorted_row_groups = !lith_config_given(config, LITH_OPTION_ROW_GROUP);
    request->codec = lith_config_text(config, LITH_OPTION_CODEC);
    request->unknown_keys = lith_config_unknown_keys(config, LITH_OPTION_UNKNOWN_KEYS);
    request->verify = lith_config_level(config, LITH_OPTION_VERIFY);
    /* The default is one output, whatever its size; a size that was asked for splits. */
    if (lith_config_given(config, LITH_OPTION_TARGET_FILE))
        request->target_file_bytes = lith_config_size(config, LITH_OPTION_TARGET_FILE);
    if (cli->args.switches[LITH_SWITCH_EXPLAIN])
        request->explain = explain_take;
    request->explain_ctx = run;
    request->explain_each = cli->json;
}

/* The paths of all outputs, in order. */
static bool paths_fill(struct lith_json *object, const struct run *run, uint64_t outputs)
{
    struct lith_json *paths = lith_json_array();
    bool ok = paths != NULL;

    for (uint64_t i = 0; ok && i < outputs; i++) {
        const char *path = path_make(run, i);
        ok = path && lith_json_push(paths, lith_json_text(path));
    }
    return lith_json_set(object, "output_paths", paths) && ok;
}

static bool output_exists(const struct run *run, uint64_t index)
{
    const char *path = path_make(run, index);
    struct lith_file_info info;
    struct lith_err ignored;

    return path && lith_file_stat(AT_FDCWD, path, true, &info, &ignored) == LITH_OK;
}

/* Files with the names of further outputs, of an earlier merge perhaps: whoever reads OUT*.parquet
 * counts their rows too. Nothing proves that they are ours to delete. */
static void others_warn(const struct run *run, uint64_t outputs)
{
    uint64_t end = outputs;

    while (output_exists(run, end))
        end++;
    const char *path = path_make(run, outputs);
    if (end == outputs || !path)
        return;
    lith_print_error("%s is not of this merge (files with the names of its outputs: %" PRIu64
                     "); remove what an earlier merge left, or its rows count twice",
                     path, end - outputs);
}

static bool result_fill(struct lith_json *object, const struct run *run,
                        const struct lith_merge_result *result)
{
    const struct lith_merge_request *request = &run->request;
    bool named = request->output ? lith_json_set_path(object, "output", request->output)
                                 : lith_json_set(object, "output", lith_json_null());

    return named && paths_fill(object, run, result->outputs) &&
           lith_json_set(object, "inputs", lith_json_u64(request->input_count)) &&
           lith_json_set(object, "outputs", lith_json_u64(result->outputs)) &&
           lith_json_set(object, "rows", lith_json_u64(result->rows)) &&
           lith_json_set(object, "row_groups", lith_json_u64(result->row_groups)) &&
           lith_json_set(object, "input_bytes", lith_json_u64(result->input_bytes)) &&
           lith_json_set(object, "output_bytes", lith_json_u64(result->output_bytes)) &&
           lith_json_set(object, "memory_peak_bytes", lith_json_u64(result->memory_peak_bytes)) &&
           lith_json_set(object, "spliced_bytes", lith_json_u64(result->spliced_bytes)) &&
           lith_json_set(object, "remapped_bytes", lith_json_u64(result->remapped_bytes)) &&
           lith_json_set(object, "regrouped_bytes", lith_json_u64(result->regrouped_bytes)) &&
           lith_json_set(object, "recoded_bytes", lith_json_u64(result->recoded_bytes)) &&
           lith_json_set(object, "refuted",
                         result->refuted.code == LITH_OK ? lith_json_null()
                                                         : lith_json_text(result->refuted.text));
}

static enum lith_code json_print(const struct run *run, const struct lith_merge_result *result,
                                 struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();

    if (!object || !lith_json_set(object, "format", lith_json_int(1)) ||
        !result_fill(object, run, result))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    LITH_TRY(lith_print_json(object, 2, err));
    (void)putchar('\n');
    return LITH_OK;
}

/* Ends the object that explanations were written into: `result` or, on a failure, `error`. */
static enum lith_code explained_end(const struct run *run, const struct lith_merge_result *result,
                                    struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();
    bool ok =
        object && (result ? result_fill(object, run, result) : lith_json_set_error(object, err));

    if (!ok)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    (void)fputs(result ? "\n],\"result\":" : "\n],\"error\":", stdout);
    LITH_TRY(lith_print_json(object, 0, err));
    (void)fputs("}\n", stdout);
    return LITH_OK;
}

static void planned_print(const struct lith_merge_request *request,
                          const struct lith_merge_result *result)
{
    (void)printf("%zu file%s, %s, %" PRIu64 " row%s; nothing is written: -o FILE merges them\n",
                 request->input_count, LITH_PLURAL(request->input_count),
                 lith_print_size(result->input_bytes), result->rows, LITH_PLURAL(result->rows));
}

static void text_print(const struct lith_merge_request *request,
                       const struct lith_merge_result *result)
{
    struct lith_explain_shares shares = {result->spliced_bytes, result->remapped_bytes,
                                         result->regrouped_bytes, result->recoded_bytes};

    if (request->explain)
        lith_explain_shares_print(&shares, request->output ? "data pages" : "chunks", 0);
    if (!request->output) {
        planned_print(request, result);
        return;
    }
    (void)printf("%zu file%s, %s -> ", request->input_count, LITH_PLURAL(request->input_count),
                 lith_print_size(result->input_bytes));
    lith_print_text(stdout, request->output);
    if (result->outputs > 1)
        (void)printf(" and %" PRIu64 " more", result->outputs - 1);
    (void)printf(", %s; %" PRIu64 " row%s in %" PRIu64 " row group%s; heap peak %s\n",
                 lith_print_size(result->output_bytes), result->rows, LITH_PLURAL(result->rows),
                 result->row_groups, LITH_PLURAL(result->row_groups),
                 lith_print_size(result->memory_peak_bytes));
}

static enum lith_code result_print(struct run *run, const struct lith_merge_result *result,
                                   struct lith_err *err)
{
    if (!run->cli->json && result->refuted.code != LITH_OK)
        lith_print_error("%s; all pages were decoded instead", result->refuted.text);
    if (run->request.output && !run->cli->quiet)
        others_warn(run, result->outputs);
    if (!run->cli->json)
        text_print(&run->request, result);
    else if (run->request.explain)
        return explained_end(run, result, err);
    else
        return json_print(run, result, err);
    return LITH_OK;
}

static enum lith_code merge(struct run *run, struct lith_err *err)
{
    struct lith_merge_result result;
    struct lith_err ended;
    bool is_open = run->cli->json && run->request.explain;

    if (is_open)
        (void)fputs("{\"format\":1,\"explained\":[", stdout);
    enum lith_code code = lith_merge_files(&run->request, &run->cli->control, &result, err);
    lith_meter_wipe(&run->cli->meter);
    if (code == LITH_OK)
        code = result_print(run, &result, err);
    else if (is_open) {
        ended = *err;
        (void)!explained_end(run, NULL, &ended);
    }
    if (code == LITH_OK && run->first.code != LITH_OK) {
        *err = run->first;
        code = err->code;
    }
    return code;
}

/* The movers that were asked for; false, and said, where there are none of the name. */
static bool movers_read(const struct lith_cli *cli, enum lith_movers *ret_movers)
{
    static const char *const names[] = {
        [LITH_MOVERS_AUTO] = "auto", [LITH_MOVERS_COPY] = "copy", [LITH_MOVERS_RECODE] = "recode"};
    const char *name = cli->args.switches[LITH_SWITCH_MOVERS];

    for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0) {
            *ret_movers = (enum lith_movers)i;
            return true;
        }
    }
    if (name)
        lith_print_error("--movers is auto, copy or recode, not %s", name);
    return name == NULL;
}

/* The listed names come out of the memory that was given to the whole. */
static enum lith_code names_charge(struct lith_cli *cli, struct lith_err *err)
{
    uint64_t *left = &cli->control.memory_bytes_max;
    uint64_t taken = cli->mem.used;

    if (*left < taken + LITH_MEMORY_BYTES_MIN)
        return lith_fail(err, LITH_E_LIMIT,
                         "the list of names takes %" PRIu64 " bytes of a memory of %" PRIu64
                         " bytes; raise --memory",
                         taken, *left);
    *left -= taken;
    return LITH_OK;
}

static enum lith_code names_read(struct lith_cli *cli, struct lith_name_list *list,
                                 struct lith_err *err)
{
    const struct lith_args *args = &cli->args;
    struct lith_name_list_request request = {
        .path = args->switches[LITH_SWITCH_INPUTS_FROM],
        .by_zero = args->switches[LITH_SWITCH_NULL] != NULL,
        .operands = args->operands,
        .operand_count = args->operand_count,
        .list_at = args->inputs_at,
    };

    LITH_TRY(lith_name_list_read(&request, &cli->mem, list, err));
    return names_charge(cli, err);
}

static int merge_request(struct lith_cli *cli, const char *const *inputs, size_t input_count)
{
    struct run run = {.cli = cli};
    struct lith_err err;

    request_make(&run);
    run.request.inputs = inputs;
    run.request.input_count = input_count;
    if (!run.request.output && !run.request.explain) {
        lith_print_error("merge: where to? Give -o FILE");
        return LITH_EXIT_USAGE;
    }
    if (run.request.output && strcmp(run.request.output, "-") == 0) {
        lith_print_error(
            "merge: -o -: an output is a file, since it is read back; -o ./- names one");
        return LITH_EXIT_USAGE;
    }
    if (!movers_read(cli, &run.request.movers))
        return LITH_EXIT_USAGE;
    enum lith_code code = merge(&run, &err);
    if (code == LITH_OK)
        return LITH_EXIT_DONE;
    int exit_code = lith_cli_fail(cli, &err);
    /* An output that exists is there tomorrow, too. */
    return code == LITH_E_CONFLICT ? LITH_EXIT_FAILED : exit_code;
}

int lith_cmd_merge(struct lith_cli *cli)
{
    const struct lith_args *args = &cli->args;
    struct lith_name_list list = {0};
    struct lith_err err;
    int exit_code;

    if (!args->switches[LITH_SWITCH_INPUTS_FROM] && args->operand_count == 0) {
        lith_print_error("merge: which files? Name them, or give --inputs-from FILE");
        return LITH_EXIT_USAGE;
    }
    if (!args->switches[LITH_SWITCH_INPUTS_FROM])
        return merge_request(cli, args->operands, args->operand_count);
    if (names_read(cli, &list, &err) != LITH_OK) {
        exit_code = lith_cli_fail(cli, &err);
    } else if (list.count == 0) {
        lith_print_error("merge: the list of --inputs-from names no file");
        exit_code = LITH_EXIT_USAGE;
    } else {
        exit_code = merge_request(cli, list.names, list.count);
    }
    lith_name_list_done(&list);
    return exit_code;
}
