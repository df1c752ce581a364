/*
 * lithify rollback, retire: changes of a partition by hand.
 *
 * The partition is given by its path, from which the lake above it is found.
 */
#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "cli/lake_open.h"
#include "cli/report.h"

typedef enum lith_code (*change_fn)(struct lith_lake *lake, const struct lith_change *change,
                                    lith_partition_fn each, void *ctx,
                                    struct lith_summary *ret_summary, struct lith_err *err);

static int change_run(struct lith_cli *cli, const char *root, struct lith_change *change,
                      change_fn run)
{
    struct lith_report report = {.cli = cli,
                                 .root = root,
                                 .is_dry = cli->args.switches[LITH_SWITCH_DRY_RUN] != NULL,
                                 .changed = run == lith_lake_retire ? "retired" : "rolled back"};
    struct lith_summary summary = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    change->dry_run = report.is_dry;
    cli->meter.counts_partitions = true;
    enum lith_code code = lith_cli_lake_open(cli, root, &lake, &err);
    if (code == LITH_OK)
        code = run(lake, change, lith_report_partition, &report, &summary, &err);
    lith_lake_close(lake);
    return lith_report_end(&report, code, &summary, &err);
}

int lith_cmd_rollback(struct lith_cli *cli)
{
    struct lith_change change = {0};
    struct lith_err err;
    const char *root;

    if (lith_cli_root_find(cli, cli->args.operands[0], &root, &change.partition, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (!*change.partition && lith_config_text(&cli->config, LITH_OPTION_PARTITION))
        change.partition = NULL;
    return change_run(cli, root, &change, lith_lake_rollback);
}

/* A file as a shell writes it, PARTITION/NAME, is meant as NAME. */
static enum lith_code name_take(struct lith_cli *cli, const char *partition, const char *given,
                                const char **ret_name, struct lith_err *err)
{
    const char *slash = strrchr(given, '/');
    struct lith_file_info here, there;
    void *directory;

    *ret_name = slash ? slash + 1 : given;
    if (!**ret_name)
        return lith_fail(err, LITH_E_INVALID, "\"%.200s\" names no file", given);
    if (!slash)
        return LITH_OK;
    LITH_TRY(
        lith_arena_copy(&cli->config.arena, given, (size_t)(slash + 1 - given), &directory, err));
    LITH_TRY(lith_file_stat(AT_FDCWD, partition, true, &here, err));
    LITH_TRY(lith_file_stat(AT_FDCWD, directory, true, &there, err));
    if (here.device != there.device || here.inode != there.inode)
        return lith_fail(err, LITH_E_INVALID, "%.200s is no file of %.200s", given, partition);
    return LITH_OK;
}

static enum lith_code names_take(struct lith_cli *cli, struct lith_change *change,
                                 struct lith_err *err)
{
    size_t count = cli->args.operand_count - 1;
    void *block;

    LITH_TRY(lith_arena_array(&cli->config.arena, count, sizeof(char *), &block, err));
    const char **names = block;
    for (size_t i = 0; i < count; i++)
        LITH_TRY(name_take(cli, cli->args.operands[0], cli->args.operands[i + 1], &names[i], err));
    change->files = names;
    change->file_count = count;
    return LITH_OK;
}

int lith_cmd_retire(struct lith_cli *cli)
{
    struct lith_change change = {0};
    struct lith_err err;
    const char *root;

    enum lith_code code =
        lith_cli_root_find(cli, cli->args.operands[0], &root, &change.partition, &err);
    if (code == LITH_OK)
        code = names_take(cli, &change, &err);
    if (code != LITH_OK)
        return lith_cli_fail(cli, &err);
    return change_run(cli, root, &change, lith_lake_retire);
}
