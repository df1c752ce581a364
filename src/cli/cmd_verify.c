/*
 * lithify verify: do two sets of files hold the same rows?
 */
#include <inttypes.h>

#include "cli/lake_open.h"
#include "cli/print.h"

static bool side_fill(struct lith_json *object, uint64_t files, uint64_t rows, const char *sum)
{
    return lith_json_set(object, "files", lith_json_u64(files)) &&
           lith_json_set(object, "rows", lith_json_u64(rows)) &&
           lith_json_set(object, "sum", lith_json_text(sum));
}

static enum lith_code json_print(const struct lith_args *args,
                                 const struct lith_compare_result *result, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = lith_json_object();
    struct lith_json *a = lith_json_object();
    struct lith_json *b = lith_json_object();

    bool ok = root && lith_json_set(root, "format", lith_json_int(1)) &&
              lith_json_set(root, "equal", lith_json_bool(result->equal));
    ok &= a && side_fill(a, args->split, result->rows_a, result->sum_a);
    ok &= b && side_fill(b, args->operand_count - args->split, result->rows_b, result->sum_b);
    ok &= lith_json_set(root, "a", a);
    ok &= lith_json_set(root, "b", b);
    if (!ok)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    LITH_TRY(lith_print_json(root, 2, err));
    (void)putchar('\n');
    return LITH_OK;
}

static void text_print(const struct lith_compare_result *result)
{
    if (result->equal)
        (void)printf("the same %" PRIu64 " row%s\n", result->rows_a, LITH_PLURAL(result->rows_a));
    else if (result->rows_a != result->rows_b)
        (void)printf("different: %" PRIu64 " row%s in front of --, %" PRIu64 " behind it\n",
                     result->rows_a, LITH_PLURAL(result->rows_a), result->rows_b);
    else
        (void)printf("different: %" PRIu64 " row%s on both sides, but not the same ones\n",
                     result->rows_a, LITH_PLURAL(result->rows_a));
}

int lith_cmd_verify(struct lith_cli *cli)
{
    const struct lith_args *args = &cli->args;
    struct lith_compare_result result;
    struct lith_err err;

    if (!args->has_split || args->split == 0 || args->split == args->operand_count) {
        lith_print_error("verify: expected files on both sides of --, as in lithify verify "
                         "a.parquet b.parquet -- merged.parquet");
        return LITH_EXIT_USAGE;
    }
    enum lith_code code =
        lith_compare_files(args->operands, args->split, args->operands + args->split,
                           args->operand_count - args->split, &cli->control, &result, &err);
    lith_meter_wipe(&cli->meter);
    if (code == LITH_OK && cli->json)
        code = json_print(args, &result, &err);
    else if (code == LITH_OK)
        text_print(&result);
    if (code == LITH_OK)
        return result.equal ? LITH_EXIT_DONE : LITH_EXIT_FAILED;
    int exit_code = lith_cli_fail(cli, &err);
    /* Other columns are other rows, not a wrong use. */
    return code == LITH_E_INVALID ? LITH_EXIT_FAILED : exit_code;
}
