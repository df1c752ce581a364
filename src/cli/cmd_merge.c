/*
 * lithify merge: named files into one, or into several of a size.
 */
#include <inttypes.h>

#include "cli/lake_open.h"
#include "cli/print.h"

static void request_make(const struct lith_cli *cli, struct lith_merge_request *request)
{
    const struct lith_config *config = &cli->config;

    lith_merge_request_default(request);
    request->inputs = cli->args.operands;
    request->input_count = cli->args.operand_count;
    request->output = cli->args.switches[LITH_SWITCH_OUTPUT];
    request->overwrite = cli->args.switches[LITH_SWITCH_OVERWRITE] != NULL;
    request->row_group_bytes = lith_config_size(config, LITH_OPTION_ROW_GROUP);
    request->row_group_rows = (int64_t)lith_config_count(config, LITH_OPTION_ROW_GROUP_ROWS);
    request->verify = lith_config_level(config, LITH_OPTION_VERIFY);
    /* The default is one output, whatever its size; a size that was asked for splits. */
    if (lith_config_given(config, LITH_OPTION_TARGET_FILE))
        request->target_file_bytes = lith_config_size(config, LITH_OPTION_TARGET_FILE);
}

static bool result_fill(struct lith_json *object, const struct lith_merge_request *request,
                        const struct lith_merge_result *result)
{
    return lith_json_set(object, "format", lith_json_int(1)) &&
           lith_json_set_path(object, "output", request->output) &&
           lith_json_set(object, "inputs", lith_json_u64(request->input_count)) &&
           lith_json_set(object, "outputs", lith_json_u64(result->outputs)) &&
           lith_json_set(object, "rows", lith_json_u64(result->rows)) &&
           lith_json_set(object, "row_groups", lith_json_u64(result->row_groups)) &&
           lith_json_set(object, "input_bytes", lith_json_u64(result->input_bytes)) &&
           lith_json_set(object, "output_bytes", lith_json_u64(result->output_bytes)) &&
           lith_json_set(object, "memory_peak_bytes", lith_json_u64(result->memory_peak_bytes));
}

static enum lith_code json_print(const struct lith_merge_request *request,
                                 const struct lith_merge_result *result, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();

    if (!object || !result_fill(object, request, result))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    LITH_TRY(lith_print_json(object, 2, err));
    (void)putchar('\n');
    return LITH_OK;
}

static void text_print(const struct lith_merge_request *request,
                       const struct lith_merge_result *result)
{
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

int lith_cmd_merge(struct lith_cli *cli)
{
    struct lith_merge_request request;
    struct lith_merge_result result;
    struct lith_err err;

    if (!cli->args.switches[LITH_SWITCH_OUTPUT]) {
        lith_print_error("merge: where to? Give -o FILE");
        return LITH_EXIT_USAGE;
    }
    request_make(cli, &request);
    enum lith_code code = lith_merge_files(&request, &cli->control, &result, &err);
    lith_meter_wipe(&cli->meter);
    if (code == LITH_OK && cli->json)
        code = json_print(&request, &result, &err);
    else if (code == LITH_OK)
        text_print(&request, &result);
    if (code == LITH_OK)
        return LITH_EXIT_DONE;
    int exit_code = lith_cli_fail(cli, &err);
    /* An output that exists is there tomorrow, too. */
    return code == LITH_E_CONFLICT ? LITH_EXIT_FAILED : exit_code;
}
