/*
 * The public face of changes by hand: rollback and retire.
 */
#include "api/lake_state.h"

enum lith_code lith_lake_change_run(struct lith_lake *lake, const struct lith_sweep *sweep,
                                    enum lith_pass pass, bool dry_run, lith_partition_fn each,
                                    void *ctx, struct lith_summary *ret_summary,
                                    struct lith_err *err)
{
    const char *partition = sweep->change.partition;
    struct lith_lake_file file;

    enum lith_code code = lith_lake_file_read(lake->store, &lake->arena, &file, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_INVALID,
                         "%s: no lake that was committed to: no " LITH_LAKE_FILE_NAME " there",
                         lake->store->root);
    LITH_TRY(code);
    if (!dry_run)
        LITH_TRY(lith_lake_commits_prepare(lake, err));
    LITH_TRY(lith_sweep_run(sweep, pass, each, ctx, ret_summary, err));
    if (partition && ret_summary->partitions == 0)
        return lith_fail(err, LITH_E_NOT_FOUND,
                         "%s%s%s is no partition (no *.parquet files, no manifest), or not one "
                         "that --partition and --shard select",
                         lake->store->root, *partition ? "/" : "", partition);
    return LITH_OK;
}

static enum lith_code change_run(struct lith_lake *lake, const struct lith_change *change,
                                 enum lith_pass pass, lith_partition_fn each, void *ctx,
                                 struct lith_summary *ret_summary, struct lith_err *err)
{
    struct lith_sweep sweep = lake->sweep;

    sweep.change = *change;
    return lith_lake_change_run(lake, &sweep, pass, change->dry_run, each, ctx, ret_summary, err);
}

enum lith_code lith_lake_rollback(struct lith_lake *lake, const struct lith_change *change,
                                  lith_partition_fn each, void *ctx,
                                  struct lith_summary *ret_summary, struct lith_err *err)
{
    return change_run(lake, change, LITH_PASS_ROLLBACK, each, ctx, ret_summary, err);
}

enum lith_code lith_lake_retire(struct lith_lake *lake, const struct lith_change *change,
                                lith_partition_fn each, void *ctx, struct lith_summary *ret_summary,
                                struct lith_err *err)
{
    if (!change->partition)
        return lith_fail(err, LITH_E_INVALID, "retire: files are those of one partition");
    return change_run(lake, change, LITH_PASS_RETIRE, each, ctx, ret_summary, err);
}

enum lith_code lith_lake_repair(struct lith_lake *lake, const struct lith_change *change,
                                lith_partition_fn each, void *ctx, struct lith_summary *ret_summary,
                                struct lith_err *err)
{
    return change_run(lake, change, LITH_PASS_REPAIR, each, ctx, ret_summary, err);
}
