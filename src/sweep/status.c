/*
 * The state of a lake in numbers.
 *
 * "Mergeable" are small files that a job takes now, or would take once the partition is sealed:
 * not those that stand out for a reason of their own, nor those that nothing is left to join.
 */
#include "sweep/status.h"

#include <string.h>

#include "base/array.h"
#include "job/look.h"
#include "job/recovery.h"
#include "lake/walk.h"
#include "sweep/strays.h"

static const uint64_t bucket_ends[LITH_SIZE_BUCKETS] = {
    64 * LITH_KIB,  1 * LITH_MIB,   16 * LITH_MIB, 64 * LITH_MIB, 128 * LITH_MIB,
    256 * LITH_MIB, 512 * LITH_MIB, 1 * LITH_GIB,  2 * LITH_GIB,  UINT64_MAX,
};

uint64_t lith_size_bucket_end(unsigned bucket)
{
    LITH_ASSERT(bucket < LITH_SIZE_BUCKETS);
    return bucket_ends[bucket];
}

/* The place of a tenant among the sorted ones; *ret_found tells whether it is there. */
static size_t tenant_place(const struct lith_status_book *book, const char *tenant, bool *ret_found)
{
    size_t low = 0;
    size_t high = book->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(book->tenants[middle].tenant, tenant);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = false;
    return low;
}

static enum lith_code tenant_get(struct lith_status_book *book, const char *tenant,
                                 struct lith_tenant_status **ret_status, struct lith_err *err)
{
    bool found;
    void *block = book->tenants;
    size_t place = tenant_place(book, tenant, &found);

    if (!found) {
        LITH_TRY(lith_array_grow_in(book->arena, &block, book->count, sizeof(*book->tenants), err));
        book->tenants = block;
        LITH_TRY(lith_arena_copy(book->arena, tenant, strlen(tenant), &block, err));
        memmove(&book->tenants[place + 1], &book->tenants[place],
                (book->count - place) * sizeof(*book->tenants));
        book->tenants[place] = (struct lith_tenant_status){.tenant = block};
        book->count++;
    }
    *ret_status = &book->tenants[place];
    return LITH_OK;
}

static bool is_mergeable(enum lith_file_reason reason)
{
    return reason == LITH_WHY_MERGE || reason == LITH_WHY_MAX_INPUTS ||
           reason == LITH_WHY_LEFT_ALONE;
}

static void file_count(struct lith_tenant_status *status, const struct lith_plan_file *file,
                       uint64_t small_file_bytes)
{
    uint64_t bytes = file->file->object ? file->file->object->size : 0;
    unsigned bucket = 0;

    while (bytes >= bucket_ends[bucket] && bucket + 1 < LITH_SIZE_BUCKETS)
        bucket++;
    status->files++;
    status->bytes += bytes;
    status->histogram_files[bucket]++;
    status->histogram_bytes[bucket] += bytes;
    if (bytes >= small_file_bytes)
        return;
    status->small_files++;
    status->mergeable_files += is_mergeable(file->reason) ? 1 : 0;
}

static void partition_count(struct lith_tenant_status *status, const struct lith_look *look,
                            const struct lith_partition_report *report, uint64_t small_file_bytes)
{
    status->partitions++;
    status->held_bytes += report->held_bytes;
    if (report->state == LITH_PARTITION_BLOCKED)
        status->blocked_partitions++;
    if (look->plan.conflict_count)
        status->apart_partitions++;
    if (look->plan.reason == LITH_PART_DUE && report->state != LITH_PARTITION_BLOCKED) {
        status->due_partitions++;
        status->due_files += look->plan.input_count;
        status->due_bytes += look->plan.input_bytes;
    }
    for (size_t i = 0; i < look->plan.file_count; i++) {
        if (look->plan.files[i].file->live)
            file_count(status, &look->plan.files[i], small_file_bytes);
    }
}

/* One walk with its book. */
struct walk {
    const struct lith_sweep *sweep;
    struct lith_status_book *book;
    struct lith_sweep_journals journals;
};

static enum lith_code look_count(struct walk *walk, const struct lith_job *job,
                                 const struct lith_listing *listing, struct lith_look *look,
                                 struct lith_err *err)
{
    struct lith_partition_report report = {0};
    uint64_t small_file_bytes = walk->sweep->options->policy.small_file_bytes;
    struct lith_tenant_status *tenant;

    LITH_TRY(lith_look_listed(look, job, listing, err));
    LITH_TRY(lith_look_report(look, job, &report, err));
    LITH_TRY(lith_recovery_foresee(job, &report, err));
    LITH_TRY(tenant_get(walk->book, report.tenant, &tenant, err));
    partition_count(tenant, look, &report, small_file_bytes);
    partition_count(&walk->book->total, look, &report, small_file_bytes);
    return LITH_OK;
}

static enum lith_code partition_take(struct walk *walk, const struct lith_walk_stop *stop,
                                     struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_look look;

    lith_arena_init(&arena, walk->sweep->work->mem);
    struct lith_job job = {
        .folder = stop->folder,
        .table_format = stop->table_format,
        .options = walk->sweep->options,
        .env = walk->sweep->env,
        .work = walk->sweep->work,
        .arena = &arena,
        .journals = &walk->journals.files,
    };
    enum lith_code code = lith_look_init(&look, &job, err);
    look.listing_only = true;
    if (code == LITH_OK)
        code = look_count(walk, &job, stop->listing, &look, err);
    lith_look_done(&look);
    return code;
}

static enum lith_code stop_take(void *ctx, const struct lith_walk_stop *stop, struct lith_err *err)
{
    struct walk *walk = ctx;

    LITH_TRY(lith_work_check(walk->sweep->work, err));
    if (!lith_sweep_selects(walk->sweep, stop->path))
        return LITH_OK;
    enum lith_code code = LITH_E_IO;
    if (!stop->failed && !stop->is_partition)
        return LITH_OK;
    LITH_TRY(lith_sweep_journals_meet(&walk->journals, stop->path, walk->sweep->work->mem, err));
    if (!stop->failed)
        code = partition_take(walk, stop, err);
    if (code == LITH_E_NOMEM || code == LITH_E_LIMIT || code == LITH_E_CANCELLED)
        return code;
    if (code != LITH_OK) {
        walk->book->total.partitions++;
        walk->book->total.blocked_partitions++;
    }
    return LITH_OK;
}

/* A journal of no partition is told of as a blocked one. */
static void stray_count(void *ctx, const struct lith_partition_report *report)
{
    struct walk *walk = ctx;

    walk->book->total.partitions++;
    walk->book->total.blocked_partitions += report->state == LITH_PARTITION_BLOCKED;
}

enum lith_code lith_sweep_status(const struct lith_sweep *sweep, struct lith_status_book *book,
                                 struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct walk walk = {.sweep = sweep, .book = book};

    lith_arena_init(&arena, sweep->work->mem);
    LITH_TRY(lith_sweep_journals_list(sweep, LITH_PASS_PLAN, &arena, &walk.journals, err));
    LITH_TRY(lith_lake_walk(sweep->store, sweep->work->control, stop_take, &walk, err));
    return lith_strays_tell(sweep, LITH_PASS_PLAN, &walk.journals, stray_count, &walk, err);
}
