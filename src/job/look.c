/*
 * A look at a partition.
 *
 * The first plan is made from the listing alone; only where it finds work are footers read, and
 * the plan made again with what they say. A lake at rest costs listings and manifests, no footers.
 */
#include "job/look.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "job/late.h"
#include "job/lost.h"
#include "job/path_check.h"

enum lith_code lith_look_init(struct lith_look *look, const struct lith_job *job,
                              struct lith_err *err)
{
    *look = (struct lith_look){0};
    lith_arena_init(&look->arena, job->work->mem);
    LITH_TRY(
        lith_path_keys_parse(job->folder->path, &job->options->path, job->arena, &look->keys, err));
    return lith_fact_book_init(&look->book, job, &look->keys, err);
}

void lith_look_done(struct lith_look *look)
{
    lith_fact_book_done(&look->book);
    lith_view_done(&look->view);
    lith_arena_done(&look->arena);
}

static enum lith_code plan_make(struct lith_look *look, const struct lith_job *job,
                                struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const char *const *conflicts;
    struct lith_file_facts *facts;
    size_t fact_count, conflict_count;

    lith_arena_init(&scratch, job->work->mem);
    lith_arena_done(&look->arena);
    LITH_TRY(lith_fact_book_conflicts(&look->book, &look->arena, &conflicts, &conflict_count, err));
    LITH_TRY(lith_fact_book_refusals(&look->book, &look->arena, &look->refusals, err));
    LITH_TRY(
        lith_fact_book_list(&look->book, &look->view.snapshot, &scratch, &facts, &fact_count, err));
    struct lith_plan_request request = {
        .snapshot = &look->view.snapshot,
        .keys = &look->keys,
        .facts = facts,
        .fact_count = fact_count,
        .conflicts = conflicts,
        .conflict_count = conflict_count,
        .refusals = look->refusals,
        .refusal_count = look->book.sets.count,
        .policy = &job->options->policy,
        .policy_hash = job->options->policy_hash,
        .sets_hash = job->options->sets_hash,
        .rules_hash = look->book.rules.hash,
        .table_format = job->table_format,
        .now_ns = look->now_ns,
    };

    return lith_plan_partition(&request, &look->arena, &look->plan, err);
}

/* Ages are judged by the store's clock where it may be asked (it writes), else by the system's. */
static enum lith_code now_take(struct lith_look *look, const struct lith_job *job,
                               struct lith_err *err)
{
    if (!job->folder->locked) {
        look->now_ns = job->env->now_ns(job->env);
        return LITH_OK;
    }
    return lith_folder_now(job->folder, &look->now_ns, err);
}

/* Reads the footers that the plan needs, until the plan made with them needs no more. */
static enum lith_code footers_read(struct lith_look *look, const struct lith_job *job,
                                   enum lith_fact_scope scope, struct lith_err *err)
{
    size_t read = 0;

    for (;;) {
        bool due = look->plan.reason == LITH_PART_DUE;
        struct lith_fact_request request = {
            .snapshot = &look->view.snapshot,
            .scope = scope,
            .inputs = look->plan.inputs,
            .input_count = due ? look->plan.input_count : 0,
        };
        LITH_TRY(lith_fact_book_fill(&look->book, job, &request, &read, err));
        if (read == 0)
            return LITH_OK;
        LITH_TRY(plan_make(look, job, err));
    }
}

enum lith_code lith_look_settle(struct lith_look *look, const struct lith_job *job,
                                enum lith_path_check which, bool *ret_found, struct lith_err *err)
{
    LITH_TRY(lith_path_check_inputs(&look->book, job, &look->plan, which, ret_found, err));
    return *ret_found ? plan_make(look, job, err) : LITH_OK;
}

/*
 * All footers where one job may take all files, or where no manifest says that the rows of one file
 * are not those of another. In a partition of more files only those of the plan's inputs: of
 * hundreds of thousands a job takes max_inputs. Files whose footers are not read pass for ones that
 * join; what is planned with them is planned again with what they say. Should nothing come of it,
 * all are read.
 */
static enum lith_code due_footers(struct lith_look *look, const struct lith_job *job,
                                  struct lith_err *err)
{
    bool many = lith_view_manifest(&look->view) &&
                look->view.snapshot.live_count > job->options->policy.max_inputs;

    if (many) {
        LITH_TRY(footers_read(look, job, LITH_FACTS_LATE, err));
        if (look->plan.reason == LITH_PART_DUE)
            return LITH_OK;
    }
    return footers_read(look, job, LITH_FACTS_ALL, err);
}

/* Rows that do not belong to the path, going by what footers say, are looked for at once: a dry run
 * finds them too, and whoever says so has seen one. */
static enum lith_code due_look(struct lith_look *look, const struct lith_job *job,
                               struct lith_err *err)
{
    bool found = true;

    while (found && look->plan.reason == LITH_PART_DUE) {
        LITH_TRY(due_footers(look, job, err));
        found = false;
        if (look->plan.reason == LITH_PART_DUE)
            LITH_TRY(lith_look_settle(look, job, LITH_PATH_CHECK_SUSPECTS, &found, err));
    }
    return LITH_OK;
}

static enum lith_code view_plan(struct lith_look *look, const struct lith_job *job,
                                struct lith_err *err)
{
    LITH_TRY(plan_make(look, job, err));
    if (look->listing_only || lith_part_reason_stops(look->plan.reason))
        return LITH_OK;
    if (look->plan.reason == LITH_PART_DUE)
        return due_look(look, job, err);
    return lith_late_waits(look, job) ? footers_read(look, job, LITH_FACTS_LATE, err) : LITH_OK;
}

enum lith_code lith_look_listed(struct lith_look *look, const struct lith_job *job,
                                const struct lith_listing *listing, struct lith_err *err)
{
    lith_view_done(&look->view);
    lith_arena_done(&look->arena);
    look->view = (struct lith_view){0};
    LITH_TRY(now_take(look, job, err));
    LITH_TRY(lith_view_take_listed(job->folder, listing, LITH_SNAPSHOT_OPEN, job->work->mem,
                                   &look->view, err));
    enum lith_code code = view_plan(look, job, err);
    if (look->view.listing.object_count >= LITH_TRIM_FILES_MIN)
        lith_mem_trim();
    if (code == LITH_E_LIMIT)
        return lith_err_prefix(err, "%zu files in one directory", look->view.listing.object_count);
    return code;
}

enum lith_code lith_look_again(struct lith_look *look, const struct lith_job *job,
                               struct lith_err *err)
{
    return lith_look_listed(look, job, NULL, err);
}

/* A manifest was lost: files and what was made of them are both here, held for it, or above; or it
 * cannot be told what is above. Blocks the
 * partition: what is adopted then would forget what is held, and what must not count again. */
static bool is_lost(const struct lith_look *look)
{
    const struct lith_fact_book *book = &look->book;

    return (book->lost_output || book->held_output || book->above.why) &&
           !lith_view_manifest(&look->view);
}

bool lith_look_wants_work(const struct lith_look *look, const struct lith_job *job)
{
    if (lith_part_reason_stops(look->plan.reason) || is_lost(look))
        return false;
    return look->plan.reason == LITH_PART_DUE || lith_late_foldable(look, job) ||
           lith_path_check_is_news(look);
}

/* True for files that an operator should hear of: no pass takes them as they are. */
static bool is_own_reason(enum lith_file_reason reason)
{
    return reason == LITH_WHY_QUARANTINE || reason == LITH_WHY_BLOCKED || reason == LITH_WHY_LINK ||
           reason == LITH_WHY_CHANGED || reason == LITH_WHY_REFUSED || reason == LITH_WHY_MISPLACED;
}

static enum lith_code text_keep(const struct lith_job *job, const char *text, const char **ret_text,
                                struct lith_err *err)
{
    void *copy = NULL;

    if (text)
        LITH_TRY(lith_arena_copy(job->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

/* Tells of names that end like data and are no files; appends at *count. */
static enum lith_code names_report(const struct lith_job *job, const char *const *names,
                                   size_t name_count, const char *reason,
                                   struct lith_file_report *files, size_t *count,
                                   struct lith_err *err)
{
    for (size_t i = 0; i < name_count; i++) {
        if (!lith_name_is_data(names[i]))
            continue;
        struct lith_file_report *file = &files[(*count)++];
        file->reason = reason;
        LITH_TRY(text_keep(job, names[i], &file->name, err));
    }
    return LITH_OK;
}

static enum lith_code conflicts_report(const struct lith_look *look, const struct lith_job *job,
                                       struct lith_partition_report *report, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(job->arena, look->plan.conflict_count, sizeof(char *), &block, err));
    const char **conflicts = block;
    for (size_t i = 0; i < look->plan.conflict_count; i++)
        LITH_TRY(text_keep(job, look->plan.conflicts[i], &conflicts[i], err));
    report->conflicts = conflicts;
    report->conflict_count = look->plan.conflict_count;
    return LITH_OK;
}

/* True for files that the report names. */
static bool is_told(const struct lith_look *look, const struct lith_plan_file *file)
{
    return (look->all_files || is_own_reason(file->reason)) &&
           file->file->state != LITH_FILE_MANIFEST;
}

static enum lith_code files_report(const struct lith_look *look, const struct lith_job *job,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    const struct lith_listing *listing = &look->view.listing;
    size_t room = listing->other_count + listing->folder_count;
    size_t count = 0;
    void *block;

    for (size_t i = 0; i < look->plan.file_count; i++)
        room += is_told(look, &look->plan.files[i]);
    LITH_TRY(lith_arena_array(job->arena, room, sizeof(struct lith_file_report), &block, err));
    struct lith_file_report *files = block;
    for (size_t i = 0; i < look->plan.file_count; i++) {
        const struct lith_plan_file *from = &look->plan.files[i];
        if (!is_told(look, from))
            continue;
        struct lith_file_report *file = &files[count++];
        file->bytes = from->file->object ? from->file->object->size : 0;
        file->is_input = from->reason == LITH_WHY_MERGE;
        file->reason = lith_file_reason_text(from->reason);
        LITH_TRY(text_keep(job, from->file->name, &file->name, err));
        LITH_TRY(text_keep(job, from->detail, &file->detail, err));
        report->blocked_files += is_own_reason(from->reason) ? 1 : 0;
    }
    LITH_TRY(names_report(job, listing->others, listing->other_count,
                          "is no regular file, nor a link to one: not read", files, &count, err));
    if (look->all_files)
        LITH_TRY(names_report(job, listing->folders, listing->folder_count,
                              "is a directory: not a file of this partition", files, &count, err));
    report->files = files;
    report->file_count = count;
    return LITH_OK;
}

void lith_held_report(const struct lith_snapshot *snapshot, const struct lith_job *job,
                      struct lith_partition_report *report)
{
    report->held_until_ns = 0;
    (void)lith_lost_held(snapshot, &report->held_bytes);
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        if (file->state != LITH_FILE_RETIRED || !file->object || !file->entry)
            continue;
        int64_t until_ns = INT64_MAX;
        if (!lith_add_i64(file->entry->at_ns, job->options->gc.reader_grace_ns, &until_ns))
            until_ns = INT64_MAX;
        report->held_bytes += file->object->size;
        if (until_ns > report->held_until_ns)
            report->held_until_ns = until_ns;
    }
}

enum lith_code lith_lost_report(const struct lith_fact_book *book, const struct lith_job *job,
                                struct lith_partition_report *report, struct lith_err *err)
{
    char *reason;

    if (book->lost_output)
        LITH_TRY(lith_arena_format(job->arena, &reason, err, LITH_LOST_FORMAT, book->lost_output));
    else if (book->above.why)
        LITH_TRY(lith_arena_format(job->arena, &reason, err, "%s; %s", book->above.why,
                                   book->above.todo));
    else
        LITH_TRY(
            lith_arena_format(job->arena, &reason, err, LITH_LOST_MADE_FORMAT, book->held_output));
    report->state = LITH_PARTITION_BLOCKED;
    report->reason = reason;
    return LITH_OK;
}

enum lith_code lith_look_report(const struct lith_look *look, const struct lith_job *job,
                                struct lith_partition_report *report, struct lith_err *err)
{
    char *reason;
    const char *text = lith_part_reason_text(look->plan.reason);

    report->state =
        lith_part_reason_blocks(look->plan.reason) ? LITH_PARTITION_BLOCKED : LITH_PARTITION_LEFT;
    const char *uncompared = look->plan.reason == LITH_PART_DUE ? look->book.uncompared : NULL;
    LITH_TRY(lith_arena_format(job->arena, &reason, err, "%s%s%s%s%s", text,
                               look->plan.detail ? ": " : "",
                               look->plan.detail ? look->plan.detail : "", uncompared ? "; " : "",
                               uncompared ? uncompared : ""));
    report->reason = reason;
    uint64_t held_bytes;
    size_t held = lith_lost_held(&look->view.snapshot, &held_bytes);
    if (held) {
        LITH_TRY(lith_arena_format(job->arena, &reason, err, "%s; " LITH_LOST_HELD_FORMAT,
                                   report->reason, held));
        report->reason = reason;
    }
    if (is_lost(look))
        LITH_TRY(lith_lost_report(&look->book, job, report, err));
    LITH_TRY(text_keep(job, look->keys.tenant, &report->tenant, err));
    report->files_before = look->view.snapshot.live_count;
    report->files_after = look->view.snapshot.live_count;
    report->blocked_files = 0;
    lith_held_report(&look->view.snapshot, job, report);
    LITH_TRY(conflicts_report(look, job, report, err));
    return files_report(look, job, report, err);
}

enum lith_code lith_look_first(struct lith_look *look, const struct lith_job *job,
                               struct lith_partition_report *report, struct lith_err *err)
{
    enum lith_code code = lith_look_again(look, job, err);

    if (code == LITH_OK)
        return lith_look_report(look, job, report, err);
    if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED)
        return code;
    LITH_TRY(text_keep(job, look->keys.tenant, &report->tenant, err));
    LITH_TRY(text_keep(job, err->text, &report->reason, err));
    report->state = LITH_PARTITION_BLOCKED;
    return LITH_OK;
}
