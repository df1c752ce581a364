/*
 * From the configuration to an open lake.
 */
#include "cli/lake_open.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/print.h"

struct lith_joins lith_cli_joins(const struct lith_cli *cli)
{
    static const enum lith_match matches[] = {LITH_MATCH_AUTO, LITH_MATCH_NAME, LITH_MATCH_ID};
    const struct lith_config *config = &cli->config;
    const char *match = lith_config_text(config, LITH_OPTION_MATCH_COLUMNS);

    return (struct lith_joins){
        .match = matches[lith_option_choice(LITH_OPTION_MATCH_COLUMNS, match)],
        .dates_to_timestamps = lith_config_has(config, LITH_OPTION_ALLOW, "dates-to-timestamps"),
        .bytes_to_strings = lith_config_has(config, LITH_OPTION_ALLOW, "bytes-to-strings"),
        .names_by_case = lith_config_has(config, LITH_OPTION_ALLOW, "names-by-case"),
    };
}

static enum lith_code options_make(struct lith_cli *cli, struct lith_options *options,
                                   struct lith_err *err)
{
    struct lith_config *config = &cli->config;
    const char **columns;

    lith_options_default(options);
    options->readers = lith_config_text(config, LITH_OPTION_READERS);
    options->staging = lith_config_text(config, LITH_OPTION_STAGING);
    options->tenant_key = lith_config_text(config, LITH_OPTION_TENANT_KEY);
    options->layout = lith_config_text(config, LITH_OPTION_LAYOUT);
    options->tier_days = lith_config_has(config, LITH_OPTION_TIERS, "day");
    options->tier_months = lith_config_has(config, LITH_OPTION_TIERS, "month");
    if (lith_config_given(config, LITH_OPTION_MANIFEST_NAME))
        options->manifest_name = lith_config_text(config, LITH_OPTION_MANIFEST_NAME);
    options->single_writer = lith_config_switch(config, LITH_OPTION_SINGLE_WRITER);
    /* A command that neither reads nor writes events does not depend on where they would be. */
    options->audit = lith_command_takes(cli->command, LITH_OPTION_AUDIT)
                         ? lith_config_text(config, LITH_OPTION_AUDIT)
                         : "none";
    options->grace_ns = lith_config_duration(config, LITH_OPTION_GRACE);
    options->quiet_for_ns = lith_config_duration(config, LITH_OPTION_QUIET_FOR);
    options->settle_ns = lith_config_duration(config, LITH_OPTION_SETTLE);
    options->min_files = lith_config_count(config, LITH_OPTION_MIN_FILES);
    options->max_inputs = lith_config_count(config, LITH_OPTION_MAX_INPUTS);
    options->small_file_bytes = lith_config_size(config, LITH_OPTION_SMALL_FILE);
    options->target_file_bytes = lith_config_size(config, LITH_OPTION_TARGET_FILE);
    options->row_group_bytes = lith_config_size(config, LITH_OPTION_ROW_GROUP);
    options->row_group_rows = (int64_t)lith_config_count(config, LITH_OPTION_ROW_GROUP_ROWS);
    options->joins = lith_cli_joins(cli);
    options->sort_by = lith_config_text(config, LITH_OPTION_SORT_BY);
    options->sorted_row_groups = !lith_config_given(config, LITH_OPTION_ROW_GROUP);
    options->codec = lith_config_text(config, LITH_OPTION_CODEC);
    options->unknown_keys = lith_config_unknown_keys(config, LITH_OPTION_UNKNOWN_KEYS);
    options->reader_grace_ns = lith_config_duration(config, LITH_OPTION_READER_GRACE);
    options->reader_grace_given = lith_config_given(config, LITH_OPTION_READER_GRACE);
    options->orphan_grace_ns = lith_config_duration(config, LITH_OPTION_ORPHAN_GRACE);
    options->replay_window_ns = lith_config_duration(config, LITH_OPTION_REPLAY_WINDOW);
    options->gc_bytes_max = lith_config_size(config, LITH_OPTION_GC_BYTES_MAX);
    options->min_free_percent = lith_config_percent(config, LITH_OPTION_MIN_FREE);
    options->io_bytes_per_second = lith_config_size(config, LITH_OPTION_IO_RATE);
    options->verify = lith_config_level(config, LITH_OPTION_VERIFY);
    options->partition_glob = lith_config_text(config, LITH_OPTION_PARTITION);
    options->jobs = (uint32_t)lith_config_count(config, LITH_OPTION_JOBS);
    options->damaged = cli->command->run == lith_cmd_fsck;
    options->explain = cli->args.switches[LITH_SWITCH_EXPLAIN] != NULL;
    lith_config_shard(config, LITH_OPTION_SHARD, &options->shard_index, &options->shard_count);
    options->time_column = lith_config_text(config, LITH_OPTION_TIME_COLUMN);
    options->time_column_fallback = lith_config_text(config, LITH_OPTION_TIME_COLUMN_FALLBACK);
    LITH_TRY(lith_config_list(config, LITH_OPTION_PATH_CHECK_SKIP, &columns,
                              &options->path_check_skip_count, err));
    options->path_check_skip = columns;
    if (!lith_config_given(config, LITH_OPTION_KEY_COLUMNS))
        return LITH_OK;
    LITH_TRY(lith_config_list(config, LITH_OPTION_KEY_COLUMNS, &columns, &options->key_column_count,
                              err));
    options->key_columns = columns;
    return LITH_OK;
}

static enum lith_code is_local_check(const char *root, struct lith_err *err)
{
    if (strncmp(root, "s3://", 5) != 0)
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID,
                     "%.200s: object storage is not there yet; give a directory", root);
}

enum lith_code lith_cli_lake_open(struct lith_cli *cli, const char *root,
                                  struct lith_lake **ret_lake, struct lith_err *err)
{
    struct lith_options options;

    LITH_TRY(is_local_check(root, err));
    LITH_TRY(options_make(cli, &options, err));
    return lith_lake_open(root, &options, &cli->control, ret_lake, err);
}

enum lith_code lith_cli_is_root(const char *directory, bool *ret_is_root, struct lith_err *err)
{
    struct lith_file_info info;
    int fd = -1;

    *ret_is_root = false;
    enum lith_code code = lith_dir_reach(AT_FDCWD, directory, &fd, err);
    if (code == LITH_OK)
        code = lith_file_stat(fd, "_lithify.json", true, &info, err);
    lith_fd_close(fd);
    *ret_is_root = code == LITH_OK;
    return code == LITH_E_NOT_FOUND ? LITH_OK : code;
}

enum lith_code lith_cli_root_find(struct lith_cli *cli, const char *path, const char **ret_root,
                                  const char **ret_below, struct lith_err *err)
{
    char real[PATH_MAX];
    bool is_root = false;
    void *root;
    int fd;

    LITH_TRY(is_local_check(path, err));
    LITH_TRY(lith_dir_open(AT_FDCWD, path, &fd, err));
    lith_fd_close(fd);
    *ret_root = path;
    *ret_below = "";
    LITH_TRY(lith_cli_is_root(path, &is_root, err));
    if (is_root)
        return LITH_OK;
    LITH_TRY(lith_path_real(path, real, err));
    LITH_TRY(lith_arena_copy(&cli->config.arena, real, strlen(real), &root, err));
    for (;;) {
        char *slash = strrchr(root, '/');
        if (!slash || slash == root)
            return LITH_OK;
        *slash = '\0';
        LITH_TRY(lith_cli_is_root(root, &is_root, err));
        if (!is_root)
            continue;
        const char *below = real + (slash + 1 - (char *)root);
        void *copy;
        LITH_TRY(lith_arena_copy(&cli->config.arena, below, strlen(below), &copy, err));
        *ret_root = root;
        *ret_below = copy;
        return LITH_OK;
    }
}

int lith_cli_fail(struct lith_cli *cli, const struct lith_err *err)
{
    lith_meter_wipe(&cli->meter);
    if (err->code == LITH_E_CANCELLED) {
        lith_print_error("stopped on request; nothing was lost");
        return LITH_EXIT_FAILED;
    }
    lith_print_error("%s", err->text);
    if (err->code == LITH_E_INVALID)
        return LITH_EXIT_USAGE;
    return err->code == LITH_E_TRANSIENT || err->code == LITH_E_CONFLICT ? LITH_EXIT_AGAIN
                                                                         : LITH_EXIT_FAILED;
}
