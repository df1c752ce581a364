/*
 * The public face of a lake: options checked, store opened, passes run.
 */
#include "api/lake_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/joins.h"
#include "base/path_layout.h"
#include "base/time.h"
#include "job/format.h"
#include "lake/lake_file.h"
#include "lake/walk.h"
#include "sort/sort_key.h"
#include "store/exchange.h"
#include "store/local.h"
#include "sweep/leftovers.h"

static const char *const default_key_columns[] = {"template_id"};

void lith_options_default(struct lith_options *options)
{
    struct lith_policy policy = lith_policy_default();

    *options = (struct lith_options){
        .tenant_key = "tenant_id",
        .grace_ns = policy.grace_ns,
        .quiet_for_ns = policy.quiet_for_ns,
        .settle_ns = policy.settle_ns,
        .min_files = policy.min_files,
        .max_inputs = policy.max_inputs,
        .small_file_bytes = policy.small_file_bytes,
        .target_file_bytes = policy.target_file_bytes,
        .row_group_bytes = 128 * LITH_MIB,
        .row_group_rows = 1048576,
        .sorted_row_groups = true,
        .codec = "keep",
        .reader_grace_ns = 24 * 3600 * LITH_SECOND_NS,
        .orphan_grace_ns = 24 * 3600 * LITH_SECOND_NS,
        .replay_window_ns = 7 * 24 * 3600 * LITH_SECOND_NS,
        .gc_bytes_max = 100 * LITH_GIB,
        .min_free_percent = 5,
        .verify = LITH_VERIFY_CONTENT,
        .key_columns = default_key_columns,
        .key_column_count = 1,
        .shard_count = 1,
        .jobs = 1,
    };
}

static enum lith_code options_check(const struct lith_options *options, struct lith_err *err)
{
    struct lith_codec_choice codec;

    if (options->shard_count == 0 || options->shard_index >= options->shard_count)
        return lith_fail(err, LITH_E_INVALID, "shard %u of %u does not exist",
                         options->shard_index + 1, options->shard_count);
    if (options->jobs == 0 || options->jobs > 256)
        return lith_fail(err, LITH_E_INVALID, "jobs must be 1 to 256, not %u", options->jobs);
    if (options->manifest_name && strcmp(options->manifest_name, LITH_MANIFEST_NAME) != 0 &&
        strcmp(options->manifest_name, LITH_MANIFEST_NAME_HIDDEN) != 0)
        return lith_fail(err, LITH_E_INVALID, "manifest_name must be %s or %s, not %s",
                         LITH_MANIFEST_NAME, LITH_MANIFEST_NAME_HIDDEN, options->manifest_name);
    if (options->codec && lith_codec_choice_parse(options->codec, &codec, err) != LITH_OK)
        return lith_err_prefix(err, "codec");
    if ((unsigned)options->unknown_keys > LITH_UNKNOWN_KEYS_ERROR)
        return lith_fail(err, LITH_E_INVALID, "no unknown_keys %d", (int)options->unknown_keys);
    if (options->reader_grace_ns < 0 || options->orphan_grace_ns < 0 ||
        options->replay_window_ns < 0)
        return lith_fail(err, LITH_E_INVALID, "a grace cannot be negative");
    if (options->min_free_percent > 100)
        return lith_fail(err, LITH_E_INVALID, "min_free must be 0 to 100 %%, not %u",
                         options->min_free_percent);
    if (options->time_column_fallback && !options->time_column)
        return lith_fail(err, LITH_E_INVALID, "time_column_fallback without time_column");
    if (options->layout && lith_path_layout_check(options->layout, err) != LITH_OK)
        return lith_err_prefix(err, "layout");
    return lith_joins_check(&options->joins, err);
}

/* What else decides the bytes of an output, for the policy hash; and which files can be merged. */
static enum lith_code merge_text(struct lith_job_options *job, const struct lith_options *options,
                                 struct lith_arena *arena, struct lith_err *err)
{
    static const char *const unknown_keys[] = {
        [LITH_UNKNOWN_KEYS_DROP] = "",
        [LITH_UNKNOWN_KEYS_FIRST] = " unknown_keys=first",
        [LITH_UNKNOWN_KEYS_ERROR] = " unknown_keys=error",
    };
    const struct lith_codec_choice *codec = &job->codec;
    char joins[LITH_JOINS_TEXT_BYTES];
    char codec_text[32] = "";
    char *text;

    /* Defaults that are younger than the hash leave it as it was. */
    if (codec->is_given)
        (void)snprintf(codec_text, sizeof(codec_text), " codec=%d:%d", (int)codec->codec,
                       codec->level);
    lith_joins_text(&options->joins, joins);
    LITH_TRY(lith_arena_format(arena, &text, err, "%s%s%s", joins,
                               options->sort_by ? " sort_by=" : "",
                               options->sort_by ? options->sort_by : ""));
    lith_hash128_text(lith_hash128(text, strlen(text), 0), job->sets_hash);
    LITH_TRY(lith_arena_format(
        arena, &text, err, "row_group=%" PRIu64 " row_group_rows=%" PRId64 "%s%s%s%s%s%s",
        options->row_group_bytes, options->row_group_rows, joins, codec_text,
        options->sort_by ? " sort_by=" : "", options->sort_by ? options->sort_by : "",
        options->sort_by && !options->sorted_row_groups ? " sorted_row_groups=false" : "",
        unknown_keys[options->unknown_keys]));
    job->policy.merge_text = text;
    return LITH_OK;
}

enum lith_code lith_job_options_make(const struct lith_options *options, struct lith_arena *arena,
                                     struct lith_job_options *ret_job, struct lith_err *err)
{
    struct lith_job_options *job = ret_job;

    LITH_TRY(options_check(options, err));
    if (options->sort_by)
        LITH_TRY(lith_sort_text_check(options->sort_by, arena, err));
    *job = (struct lith_job_options){
        .policy = {.grace_ns = options->grace_ns,
                   .quiet_for_ns = options->quiet_for_ns,
                   .settle_ns = options->settle_ns,
                   .min_files = options->min_files,
                   .target_file_bytes = options->target_file_bytes,
                   .max_inputs = options->max_inputs,
                   .small_file_bytes = options->small_file_bytes},
        .gc = {.reader_grace_ns = options->reader_grace_ns,
               .orphan_grace_ns = options->orphan_grace_ns,
               .loss_grace_ns = options->replay_window_ns,
               .bytes_max = options->gc_bytes_max},
        .replay_window_ns = options->replay_window_ns,
        .row_group_bytes = options->row_group_bytes,
        .row_group_rows = options->row_group_rows,
        .sort_by = options->sort_by,
        .row_group_by_size = options->sorted_row_groups,
        .allow = lith_joins_rules(&options->joins),
        .match = options->joins.match,
        .unknown_keys = options->unknown_keys,
        .verify = options->verify,
        .key_columns = options->key_columns,
        .key_column_count = options->key_column_count,
        .key_columns_given = options->key_columns != default_key_columns,
        .min_free_percent = options->min_free_percent,
        .manifest_name = options->manifest_name ? options->manifest_name : LITH_MANIFEST_NAME,
        .path = {.tenant_key = options->tenant_key, .layout = options->layout},
        .tier_days = options->tier_days,
        .tier_months = options->tier_months,
        .time_column = options->time_column,
        .time_column_fallback = options->time_column_fallback,
        .path_check_skip = options->path_check_skip,
        .path_check_skip_count = options->path_check_skip_count,
        .explain = options->explain,
        .format = lith_parquet_format(),
    };
    if (options->codec)
        LITH_TRY(lith_codec_choice_parse(options->codec, &job->codec, err));
    LITH_TRY(merge_text(job, options, arena, err));
    LITH_TRY(lith_policy_check(&job->policy, err));
    return lith_policy_hash(&job->policy, arena, job->policy_hash, err);
}

static enum lith_code options_take(struct lith_lake *lake, const struct lith_options *options,
                                   struct lith_err *err)
{
    LITH_TRY(lith_job_options_make(options, &lake->arena, &lake->job, err));
    lake->manifest_name = options->manifest_name;
    lake->readers = LITH_READERS_NONE;
    lake->reader_grace_given = options->reader_grace_given;
    return options->readers ? lith_readers_parse(options->readers, &lake->readers, err) : LITH_OK;
}

/* With readers = glob what was merged goes at once: a grace for readers is a promise that cannot be
 * kept. The default is none that anybody asked for. */
static enum lith_code readers_take(struct lith_lake *lake, enum lith_readers readers,
                                   struct lith_err *err)
{
    struct lith_options defaults;
    int64_t grace_ns = lake->job.gc.reader_grace_ns;

    lith_options_default(&defaults);
    lake->job.readers = readers;
    if (readers != LITH_READERS_GLOB)
        return LITH_OK;
    if (grace_ns != 0 && (lake->reader_grace_given || grace_ns != defaults.reader_grace_ns))
        return lith_fail(err, LITH_E_INVALID,
                         "reader_grace: with readers = glob superseded files go at once; leave it "
                         "out, or choose readers = manifest at first");
    lake->job.gc.reader_grace_ns = 0;
    return LITH_OK;
}

/* What the lake chose at first counts; asking for another name is a mistake. */
static enum lith_code lake_file_take(struct lith_lake *lake, const struct lith_lake_file *file,
                                     struct lith_err *err)
{
    LITH_TRY(readers_take(lake, file->readers, err));
    if (lake->manifest_name && strcmp(lake->manifest_name, file->manifest_name) != 0)
        return lith_fail(err, LITH_E_INVALID,
                         "the lake was committed to with manifest_name = %s, not %s",
                         file->manifest_name, lake->manifest_name);
    lake->job.manifest_name = file->manifest_name;
    lake->job.has_tiers = file->has_tiers;
    return LITH_OK;
}

/* Everything in it was chosen with --readers and --manifest-name, or can be drawn anew. */
static enum lith_code lake_file_failed(const char *root, struct lith_err *err)
{
    struct lith_err why = *err;

    if (why.code != LITH_E_CORRUPT)
        return lith_err_prefix(err, "%s", root);
    return lith_fail(err, LITH_E_CORRUPT,
                     "%s/%s; restore it from a copy, or remove it and choose --readers (and "
                     "--manifest-name) as at first",
                     root, why.text);
}

static enum lith_code lake_fill(struct lith_lake *lake, const char *root,
                                const struct lith_options *options, struct lith_err *err)
{
    struct lith_local_options local = {.root = root,
                                       .single_writer = options->single_writer,
                                       .io_bytes_per_second = options->io_bytes_per_second,
                                       .cancel = lake->budget.control.cancel};
    struct lith_lake_file file;

    LITH_TRY(options_take(lake, options, err));
    LITH_TRY(lith_local_open(&local, lith_env_system(), &lake->budget.mem, &lake->store, err));
    lake->front = lake->store;
    lake->sweep = (struct lith_sweep){
        .store = lake->store,
        .options = &lake->job,
        .env = lith_env_system(),
        .work = &lake->budget.work,
        .partition_glob = options->partition_glob,
        .shard_index = options->shard_index,
        .shard_count = options->shard_count,
        .jobs = options->jobs,
    };
    LITH_TRY(lith_lake_series_open(lake, root, options, err));
    enum lith_code code = lith_lake_file_read(lake->store, &lake->arena, &file, err);
    lake->is_new = code == LITH_E_NOT_FOUND;
    if (lake->is_new) {
        LITH_TRY(readers_take(lake, lake->readers, err));
        return lith_lake_staging_open(lake, root, options->staging, NULL, err);
    }
    if (code != LITH_OK) {
        (void)lake_file_failed(root, err);
        lake->damage = *err;
        return options->damaged ? LITH_OK : code;
    }
    LITH_TRY(lith_lake_staging_open(lake, root, options->staging, &file, err));
    return lake_file_take(lake, &file, err);
}

enum lith_code lith_lake_open(const char *root, const struct lith_options *options,
                              const struct lith_control *control, struct lith_lake **ret_lake,
                              struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(lith_mem_root(), 1, sizeof(struct lith_lake), &block, err));
    struct lith_lake *lake = block;
    lith_arena_init(&lake->arena, &lake->budget.mem);
    enum lith_code code = lith_budget_init(&lake->budget, control, err);
    if (code == LITH_OK)
        code = lake_fill(lake, root, options, err);
    if (code != LITH_OK) {
        lith_lake_close(lake);
        return code;
    }
    *ret_lake = lake;
    return LITH_OK;
}

void lith_lake_close(struct lith_lake *lake)
{
    if (!lake)
        return;
    lith_store_close(lake->series.store);
    lith_store_close(lake->store);
    lith_arena_done(&lake->arena);
    lith_free(lake);
}

enum lith_code lith_lake_plan(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                              struct lith_summary *ret_summary, struct lith_err *err)
{
    return lith_sweep_run(&lake->sweep, LITH_PASS_PLAN, each, ctx, ret_summary, err);
}

enum lith_code lith_store_commits_check(struct lith_store *store, struct lith_err *err)
{
    struct lith_store_facts facts;

    LITH_TRY(lith_store_probe(store, &facts, err));
    if ((facts.locks && facts.conditions && facts.renames_sync) || store->single_writer)
        return LITH_OK;
    return lith_fail(err, LITH_E_UNSUPPORTED,
                     "this file system does not keep what commits rely on: %s; where no other "
                     "program commits to this lake, --single-writer says so",
                     facts.detail);
}

static bool has_tiers(const struct lith_lake *lake)
{
    return lake->job.tier_days || lake->job.tier_months;
}

static enum lith_code tiers_check(enum lith_readers readers, struct lith_err *err)
{
    if (readers == LITH_READERS_MANIFEST)
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID,
                     "tiers need readers = manifest: for a moment a file and what it was rolled "
                     "up into are both there; the lake has readers = %s",
                     lith_readers_name(readers));
}

/* Readers have to look above a partition from now on, which those of the other modes do not. */
static enum lith_code tiers_begin(struct lith_lake *lake, const struct lith_lake_file *file,
                                  struct lith_err *err)
{
    LITH_TRY(tiers_check(file->readers, err));
    return file->has_tiers ? LITH_OK : lith_lake_file_mark_tiers(lake->store, &lake->arena, err);
}

enum lith_code lith_lake_commits_prepare(struct lith_lake *lake, struct lith_err *err)
{
    struct lith_lake_choice choice = {.readers = lake->readers,
                                      .policy_hash = lake->job.policy_hash,
                                      .manifest_name = lake->job.manifest_name,
                                      .staging = lake->staging_kept};
    struct lith_lake_file file;

    LITH_TRY(lith_store_commits_check(lake->store, err));
    if (has_tiers(lake) && lake->readers != LITH_READERS_NONE)
        LITH_TRY(tiers_check(lake->readers, err)); /* before that choice is written down */
    LITH_TRY(lith_lake_staging_prepare(lake, err));
    LITH_TRY(lith_lake_file_ensure(lake->store, &choice, &lake->arena, &file, err));
    /* Of a lake whose file was lost, or that was here before: what is held by nobody's manifest is
     * never live. */
    if (lake->staging)
        LITH_TRY(lith_exchange_claim(lake->store, file.lake_id, lake->is_new && !lake->staging_kept,
                                     err));
    if (has_tiers(lake))
        LITH_TRY(tiers_begin(lake, &file, err));
    file.has_tiers = file.has_tiers || has_tiers(lake);
    lake->is_new = false;
    return lake_file_take(lake, &file, err);
}

static enum lith_code first_stop(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    bool *found = ctx;

    if (!stop->is_partition && !stop->failed)
        return LITH_OK;
    *found = true;
    return lith_fail(err, LITH_E_CANCELLED, "one is enough");
}

/* A directory without partitions does not become a lake: the path may be a slip. */
static enum lith_code is_worth_a_lake(struct lith_lake *lake, bool *ret_worth, struct lith_err *err)
{
    struct lith_lake_file file;
    bool found = false;

    enum lith_code code = lith_lake_file_read(lake->store, &lake->arena, &file, err);
    if (code == LITH_E_NOT_FOUND)
        code = lith_lake_walk(lake->store, &lake->budget.control, first_stop, &found, err);
    else
        found = true;
    if (code != LITH_OK && !(code == LITH_E_CANCELLED && found))
        return code;
    *ret_worth = found;
    return LITH_OK;
}

/* A pass that may be the first to commit to the lake. */
static enum lith_code first_run(struct lith_lake *lake, const struct lith_sweep *sweep,
                                enum lith_pass pass, lith_partition_fn each, void *ctx,
                                struct lith_summary *ret_summary, struct lith_err *err)
{
    bool worth = true;

    if (lake->readers != LITH_READERS_NONE)
        LITH_TRY(is_worth_a_lake(lake, &worth, err));
    if (!worth) {
        *ret_summary = (struct lith_summary){0};
        return LITH_OK;
    }
    LITH_TRY(lith_lake_commits_prepare(lake, err));
    LITH_TRY(lith_sweep_run(sweep, pass, each, ctx, ret_summary, err));
    return pass == LITH_PASS_COMPACT ? lith_lake_series_run(lake, pass, each, ctx, ret_summary, err)
                                     : LITH_OK;
}

enum lith_code lith_lake_compact(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                                 struct lith_summary *ret_summary, struct lith_err *err)
{
    return first_run(lake, &lake->sweep, LITH_PASS_COMPACT, each, ctx, ret_summary, err);
}

enum lith_code lith_lake_adopt(struct lith_lake *lake, enum lith_unlisted unlisted,
                               lith_partition_fn each, void *ctx, struct lith_summary *ret_summary,
                               struct lith_err *err)
{
    struct lith_sweep sweep = lake->sweep;

    if ((unsigned)unlisted > LITH_UNLISTED_IGNORE)
        return lith_fail(err, LITH_E_INVALID, "no unlisted %d", (int)unlisted);
    if (unlisted == LITH_UNLISTED_IGNORE &&
        (lake->staging || lake->job.readers == LITH_READERS_GLOB))
        return lith_fail(err, LITH_E_INVALID,
                         "unlisted: readers = %s is for readers that list directories, which "
                         "count every file: take away those that hold no rows of the partition, or "
                         "say --unlisted live",
                         lith_readers_name(lake->job.readers));
    sweep.unlisted = unlisted;
    return first_run(lake, &sweep, LITH_PASS_ADOPT, each, ctx, ret_summary, err);
}

static enum lith_code gc_run(struct lith_lake *lake, enum lith_pass pass, lith_partition_fn each,
                             void *ctx, struct lith_summary *ret_summary, struct lith_err *err)
{
    struct lith_lake_file file;
    enum lith_code code = lith_lake_file_read(lake->store, &lake->arena, &file, err);

    if (code == LITH_E_NOT_FOUND) {
        *ret_summary = (struct lith_summary){0}; /* never committed to: nothing of ours is there */
        return LITH_OK;
    }
    LITH_TRY(code);
    if (pass == LITH_PASS_GC)
        LITH_TRY(lith_lake_staging_prepare(lake, err));
    LITH_TRY(lith_sweep_run(&lake->sweep, pass, each, ctx, ret_summary, err));
    if (pass != LITH_PASS_GC)
        return LITH_OK;
    LITH_TRY(lith_sweep_leftovers(&lake->sweep, err));
    return lith_lake_series_run(lake, pass, each, ctx, ret_summary, err);
}

enum lith_code lith_lake_gc(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                            struct lith_summary *ret_summary, struct lith_err *err)
{
    return gc_run(lake, LITH_PASS_GC, each, ctx, ret_summary, err);
}

enum lith_code lith_lake_gc_plan(struct lith_lake *lake, lith_partition_fn each, void *ctx,
                                 struct lith_summary *ret_summary, struct lith_err *err)
{
    return gc_run(lake, LITH_PASS_GC_PLAN, each, ctx, ret_summary, err);
}
