/*
 * The audit events of a job: note, event, note away.
 *
 * That a commit has its event is known for sure of those that this job wrote or found; the manifest
 * says it of earlier ones. What lies between is looked for before the next commit, which writes
 * down what was found.
 */
#include "job/events.h"

#include <string.h>

#include "base/array.h"
#include "base/guard.h"
#include "job/event_of.h"
#include "lake/path_keys.h"
#include "lake/snapshot.h"
#include "store/steps.h"

/* A note that is being put, or was not to its end. */
#define NOTE_REMAINS_NAME LITH_EVENTS_NOTE_NAME ".tmp"

/* A note is known by its length when it is removed, also one that another version left: so the
 * length of this text never changes. */
static const char note_text[] = "events of commits may be missing\n";
static_assert(sizeof(note_text) - 1 == 33, "notes that are there have this length");

void lith_job_events_init(struct lith_job_events *events, struct lith_series *series,
                          struct lith_env *env)
{
    *events = (struct lith_job_events){.series = series, .since_ns = env->monotonic_ns(env)};
}

void lith_job_events_done(struct lith_job_events *events)
{
    lith_series_day_done(&events->day);
}

/* A note says something only where the one who takes it away is alone: another one who found it
 * there may rely on it, and a commit that was given up may land behind it. */
static bool has_notes(const struct lith_job *job)
{
    return !job->folder->store->is_lockless || lith_guard_is_out(LITH_GUARD_AUDIT_NOTES);
}

static bool has_unmarked(const struct lith_manifest *m)
{
    bool found = false;

    for (size_t i = 0; m && !found && i < m->log_count; i++)
        found = !m->log[i].event;
    return found;
}

bool lith_job_events_owed(const struct lith_job *job, const struct lith_view *view)
{
    if (!job->events)
        return false;
    return has_notes(job) ? lith_listing_shows(&view->listing, LITH_EVENTS_NOTE_NAME) ||
                                lith_listing_shows(&view->listing, NOTE_REMAINS_NAME)
                          : has_unmarked(lith_view_manifest(view));
}

static bool is_known(const struct lith_job_events *events, const char *commit_id)
{
    for (size_t i = 0; i < events->known_count; i++) {
        if (strcmp(events->known[i], commit_id) == 0)
            return true;
    }
    return false;
}

static enum lith_code known_add(const struct lith_job *job, const char *commit_id,
                                struct lith_err *err)
{
    struct lith_job_events *events = job->events;
    void *block = events->known;
    void *copy;

    LITH_TRY(lith_arena_copy(job->arena, commit_id, strlen(commit_id), &copy, err));
    LITH_TRY(
        lith_array_grow_in(job->arena, &block, events->known_count, sizeof(*events->known), err));
    events->known = block;
    events->known[events->known_count++] = copy;
    return LITH_OK;
}

/* What stands in every event of the partition. */
static enum lith_code names_take(const struct lith_job *job, const char **ret_tenant,
                                 struct lith_err *err)
{
    struct lith_job_events *events = job->events;
    struct lith_path_keys keys;

    LITH_TRY(lith_path_keys_parse(job->folder->path, &job->options->path, job->arena, &keys, err));
    LITH_TRY(lith_text_as_utf8(job->folder->path, job->arena, &events->partition, err));
    LITH_TRY(lith_text_as_utf8(keys.tenant, job->arena, &events->tenant, err));
    *ret_tenant = keys.tenant;
    return LITH_OK;
}

/* One commit, on its way into the series. */
struct commit {
    const struct lith_manifest *manifest; /* has the commit in its log */
    const struct lith_log_entry *entry;
    const struct lith_manifest *base; /* of a commit of this job; else NULL */
    bool is_ours;                     /* made by this job, just now */
};

static enum lith_code event_make(const struct lith_job *job, const struct commit *commit,
                                 struct lith_arena *arena, struct lith_event *ret_event,
                                 struct lith_err *err)
{
    static const char *const levels[] = {
        [LITH_VERIFY_OFF] = "off",
        [LITH_VERIFY_STRUCTURE] = "structure",
        [LITH_VERIFY_CONTENT] = "content",
        [LITH_VERIFY_DECODE] = "decode",
    };
    struct lith_job_events *events = job->events;

    LITH_TRY(lith_event_of(commit->manifest, commit->entry, commit->base, arena, ret_event, err));
    ret_event->tenant = events->tenant;
    ret_event->partition = events->partition;
    if (!commit->is_ours) {
        if (!ret_event->reason)
            ret_event->reason = "written later, from the manifest";
        return LITH_OK;
    }
    if (commit->entry->op == LITH_OP_COMPACT)
        ret_event->verify = levels[job->options->verify];
    int64_t now_ns = job->env->monotonic_ns(job->env);
    ret_event->duration_ns = (uint64_t)(now_ns - events->since_ns);
    ret_event->has_duration = true;
    events->since_ns = now_ns;
    return LITH_OK;
}

static enum lith_code event_write(const struct lith_job *job, const struct commit *commit,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_job_events *events = job->events;
    const struct lith_log_entry *entry = commit->entry;
    struct lith_event_id id = {.pid = commit->manifest->pid,
                               .generation = entry->generation,
                               .commit_id = entry->commit_id,
                               .at_ns = entry->at_ns};
    struct lith_event event;
    bool has = false;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(names_take(job, &id.tenant, err));
    LITH_TRY(lith_series_day_go(&events->day, events->series, &id, job->work, err));
    if (!commit->is_ours && !lith_guard_is_out(LITH_GUARD_AUDIT_LOOK))
        LITH_TRY(lith_series_day_has(&events->day, &id, job->work, &has, err));
    if (has && events->is_found)
        LITH_TRY(lith_series_day_sync(&events->day, err));
    if (!has) {
        LITH_TRY(event_make(job, commit, &scratch, &event, err));
        LITH_TRY(lith_series_day_put(&events->day, &id, &event, job->work, err));
        events->written++;
        job->env->step(job->env, LITH_STEP_AUDITED);
    }
    return known_add(job, entry->commit_id, err);
}

/* False when the event is not known to be there. After one failure the job tries no more. */
static bool event_ensure(const struct lith_job *job, const struct commit *commit)
{
    struct lith_job_events *events = job->events;
    struct lith_err err;

    if (is_known(events, commit->entry->commit_id))
        return true;
    if (events->err.code != LITH_OK)
        return false;
    enum lith_code code = event_write(job, commit, &err);
    if (code != LITH_OK)
        events->err = err;
    return code == LITH_OK;
}

void lith_job_events_settle(const struct lith_job *job, const struct lith_manifest *m)
{
    if (!job->events || !m || lith_guard_is_out(LITH_GUARD_AUDIT_REPAIR))
        return;
    job->events->missing = 0;
    for (size_t i = 0; i < m->log_count; i++) {
        struct commit commit = {.manifest = m, .entry = &m->log[i]};
        if (!m->log[i].event && !event_ensure(job, &commit))
            job->events->missing++;
    }
}

/* The note of a job that was cut off: what it committed may be seen, and yet be gone after a power
 * cut. There must be no event of that. */
static enum lith_code note_found(const struct lith_job *job, struct lith_err *err)
{
    LITH_TRY(lith_folder_sync(job->folder, err));
    job->events->is_noted = true;
    job->events->is_found = true;
    return LITH_OK;
}

static enum lith_code note_put(const struct lith_job *job, struct lith_err *err)
{
    if (job->events->is_noted || !has_notes(job))
        return LITH_OK;
    enum lith_code code = lith_folder_put_if(job->folder, LITH_EVENTS_NOTE_NAME, NULL, note_text,
                                             sizeof(note_text) - 1, err);
    if (code == LITH_E_CONFLICT)
        return note_found(job, err);
    LITH_TRY(code);
    job->events->is_noted = true;
    return LITH_OK;
}

/* What is left of a note whose writer was killed goes the way of a note: put, and removed at the
 * end. Where that fails it stays, and holds up nothing. */
static void remains_take(const struct lith_job *job, const struct lith_view *view)
{
    struct lith_err ignored;

    if (lith_listing_shows(&view->listing, NOTE_REMAINS_NAME))
        (void)!note_put(job, &ignored);
}

enum lith_code lith_job_events_repair(const struct lith_job *job, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};

    if (!job->events)
        return LITH_OK;
    LITH_TRY(lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, err));
    if (lith_listing_shows(&view.listing, LITH_EVENTS_NOTE_NAME))
        LITH_TRY(note_found(job, err));
    remains_take(job, &view);
    lith_job_events_settle(job, lith_view_manifest(&view));
    return LITH_OK;
}

enum lith_code lith_job_events_before(const struct lith_job *job, const struct lith_manifest *base,
                                      struct lith_manifest *next, struct lith_err *err)
{
    if (!job->events)
        return LITH_OK;
    LITH_TRY(note_put(job, err));
    lith_job_events_settle(job, base);
    for (size_t i = 0; i < job->events->known_count; i++)
        lith_manifest_mark_event(next, job->events->known[i]);
    lith_manifest_log_trim(next);
    return LITH_OK;
}

void lith_job_events_after(const struct lith_job *job, const struct lith_manifest *base,
                           const struct lith_manifest *next, enum lith_put put)
{
    struct commit commit = {
        .manifest = next, .entry = &next->log[next->log_count - 1], .base = base, .is_ours = true};

    if (!job->events)
        return;
    if (put == LITH_PUT_COMMITTED && !event_ensure(job, &commit))
        job->events->missing++;
    if (put == LITH_PUT_UNKNOWN)
        job->events->stays = true;
}

/* Not synced: a note that comes back after a crash costs a look. */
static enum lith_code note_remove(const struct lith_job *job, struct lith_err *err)
{
    static const struct lith_object note = {.name = LITH_EVENTS_NOTE_NAME,
                                            .size = sizeof(note_text) - 1};
    enum lith_code code = lith_folder_delete_if(job->folder, &note, err);

    if (code == LITH_E_CONFLICT)
        return lith_fail(err, LITH_E_CONFLICT,
                         "%s is damaged, or somebody else's: not the %zu bytes of a note; the "
                         "events that were owed are written, and it may be removed by hand",
                         LITH_EVENTS_NOTE_NAME, sizeof(note_text) - 1);
    return code == LITH_E_NOT_FOUND ? LITH_OK : code;
}

void lith_job_events_end(const struct lith_job *job, struct lith_partition_report *report)
{
    struct lith_job_events *events = job->events;
    struct lith_err err;
    void *text;

    if (!events)
        return;
    bool is_done = !events->stays && events->missing == 0 && events->err.code == LITH_OK;
    if (events->is_noted && is_done && note_remove(job, &err) != LITH_OK)
        events->err = err;
    events->is_noted = false; /* the next lock, of a roll-up, looks for itself */
    report->events = events->written;
    report->events_pending = events->missing;
    if (events->err.code == LITH_OK)
        return;
    enum lith_code code =
        lith_arena_copy(job->arena, events->err.text, strlen(events->err.text), &text, &err);
    report->event_error = code == LITH_OK ? text : "an audit event could not be written";
}
