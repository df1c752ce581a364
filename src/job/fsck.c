/*
 * What is wrong in one partition, and what is only left to do: looked at, never touched.
 *
 * No lock is taken, and no clock of the store is asked, since that writes. What a pass that runs
 * meanwhile changes under the look makes it begin again. docs/fsck.md.
 */
#include "job/fsck.h"

#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "job/look.h"
#include "job/lost.h"

#define REMEDY_MANIFEST "put a copy back: lithify fsck --restore FILE PARTITION"
#define REMEDY_LOST "lithify fsck --repair makes one anew; or " REMEDY_MANIFEST

static enum lith_code text_keep(const struct lith_job *job, const char *text, const char **ret_text,
                                struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(job->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

/* One of the two manifests that are there, as far as it can be read: what tells which one counts.
 */
static enum lith_code manifest_tell(const struct lith_job *job, const char *name,
                                    struct lith_findings *findings, struct lith_err *err)
{
    static const char todo[] = "move the one that does not count out of the directory";
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(manifest) struct lith_manifest m = {0};
    struct lith_found found = {
        .kind = "two-manifests", .file = name, .wants_hand = true, .todo = todo};
    char at[LITH_TIME_TEXT_BYTES];
    struct lith_blob blob;
    struct lith_err why;

    lith_arena_init(&scratch, job->work->mem);
    enum lith_code code =
        lith_folder_get(job->folder, name, LITH_MANIFEST_BYTES_MAX, &scratch, &blob, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s went away while it was looked at", name);
    LITH_TRY(code);
    found.bytes = blob.bytes;
    if (lith_manifest_parse(blob.data, blob.bytes, name, &scratch, &m, &why) != LITH_OK)
        return lith_findings_add(findings, &found, err,
                                 "both manifest names are there, and which of them counts is "
                                 "unknown; this one cannot be read: %s",
                                 why.text);
    if (m.foreign)
        return lith_findings_add(findings, &found, err,
                                 "both manifest names are there, and which of them counts is "
                                 "unknown; this one is another program's, with %zu files",
                                 m.file_count);
    lith_time_text(m.committed_at_ns, at);
    return lith_findings_add(findings, &found, err,
                             "both manifest names are there, and which of them counts is unknown; "
                             "this one is of partition %s, generation %llu, of %s, with %zu files",
                             m.pid, (unsigned long long)m.generation, at, m.file_count);
}

/* The one of the names that stands for something else than a file, or NULL. */
static const char *name_find(const struct lith_listing *listing, const char *const *names,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < listing->folder_count; k++) {
            if (strcmp(listing->folders[k], names[i]) == 0)
                return names[i];
        }
        for (size_t k = 0; k < listing->other_count; k++) {
            if (strcmp(listing->others[k], names[i]) == 0)
                return names[i];
        }
    }
    return NULL;
}

/* A manifest that nobody can go by; `why` is what the view had to say. */
static enum lith_code manifest_find(const struct lith_job *job, const struct lith_err *why,
                                    struct lith_findings *findings, struct lith_err *err)
{
    static const char *const names[] = {LITH_MANIFEST_NAME, LITH_MANIFEST_NAME_HIDDEN};
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_found found = {.wants_hand = true};
    struct lith_listing listing;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_folder_list(job->folder, &scratch, &listing, err));
    const struct lith_object *first = lith_listing_find(&listing, names[0]);
    const struct lith_object *second = lith_listing_find(&listing, names[1]);
    if (first && second) {
        LITH_TRY(manifest_tell(job, names[0], findings, err));
        return manifest_tell(job, names[1], findings, err);
    }
    if (first || second) {
        found.file = (first ? first : second)->name;
        found.bytes = (first ? first : second)->size;
    } else {
        found.file = name_find(&listing, names, 2);
    }
    if (!found.file)
        return lith_fail(err, LITH_E_CONFLICT, "the manifest went away while it was looked at");
    /* A directory, or a link, in its place is UNSUPPORTED, too. */
    bool is_newer =
        why->code == LITH_E_UNSUPPORTED && (first || second) && !(first ? first : second)->is_link;
    found.kind = is_newer ? "newer-manifest" : "bad-manifest";
    found.todo = is_newer ? "use the version of Lithify that wrote it" : REMEDY_MANIFEST;
    return lith_findings_add(findings, &found, err, "it cannot be read: %s", why->text);
}

static enum lith_code damaged_find(const struct lith_job *job, const struct lith_err *why,
                                   struct lith_findings *findings, struct lith_err *err)
{
    LITH_TRY(manifest_find(job, why, findings, err));
    return lith_fsck_journals(job, NULL, findings, err);
}

/* The directory shows what is live; what is held stays until a manifest says what it is. */
static enum lith_code held_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    struct lith_found found = {.kind = "lost-manifest", .wants_hand = true, .todo = REMEDY_LOST};
    size_t count = lith_lost_held(&look->view->snapshot, &found.bytes);

    if (count == 0)
        return LITH_OK;
    return lith_findings_add(look->findings, &found, err,
                             "a manifest was lost: %zu file%s held beside the lake, which only a "
                             "commit does; gc deletes nothing here",
                             count, count == 1 ? " is" : "s are");
}

/* What a roll-up has taken counts above. */
static enum lith_code above_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_above_doubt *above = &look->book->above;
    struct lith_found found = {.kind = above->is_lost ? "lost-manifest" : "above",
                               .wants_hand = true,
                               .todo = above->todo};

    return above->why ? lith_findings_add(look->findings, &found, err, "%s", above->why) : LITH_OK;
}

/* Without a manifest every file counts: that is so before the first commit, and a doubling where
 * one was lost. Footers tell. */
static enum lith_code lost_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    static const struct lith_found found = {
        .kind = "lost-manifest", .wants_hand = true, .todo = REMEDY_LOST};

    if (!look->book->lost_output)
        return look->book->above.why ? above_find(look, err) : held_find(look, err);
    return lith_findings_add(look->findings, &found, err,
                             "a manifest was lost: %s is an output of Lithify, and inputs of it "
                             "are here too, so that readers count rows twice",
                             look->book->lost_output);
}

static enum lith_code foreign_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(look->view);
    const struct lith_found found = {
        .kind = "foreign-manifest",
        .file = m->name,
        .wants_hand = true,
        .todo = "lithify adopt --unlisted live|ignore takes it over",
    };

    LITH_TRY(lith_findings_add(look->findings, &found, err,
                               "it is another program's; %zu data files are not in it",
                               look->view->snapshot.state_count[LITH_FILE_LATE]));
    LITH_TRY(above_find(look, err));
    return lith_fsck_live(look, err);
}

/* What was left beside the manifest. */
static enum lith_code notes_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_listing *listing = &look->view->listing;

    for (size_t i = 0; i < listing->object_count; i++) {
        const struct lith_object *object = &listing->objects[i];
        struct lith_found found = {.file = object->name, .bytes = object->size};
        if (strcmp(object->name, LITH_MANIFEST_NAME ".tmp") == 0 ||
            strcmp(object->name, LITH_MANIFEST_NAME_HIDDEN ".tmp") == 0) {
            found.kind = "leftover";
            LITH_TRY(lith_findings_add(look->findings, &found, err,
                                       "of a commit that goes on, or was cut off; the next commit "
                                       "takes its place"));
        }
    }
    if (!lith_listing_shows(listing, LITH_EVENTS_NOTE_NAME))
        return LITH_OK;
    static const struct lith_found owed = {.kind = "owed-events", .file = LITH_EVENTS_NOTE_NAME};
    return lith_findings_add(look->findings, &owed, err,
                             "commits may be without their audit events; the next compact or gc "
                             "writes what is missing");
}

/* Files whose rows do not belong to the path, as compact found by the options of today. */
static enum lith_code misplaced_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(look->view);

    for (size_t i = 0; i < m->misplaced_count; i++) {
        const struct lith_misplaced *note = &m->misplaced[i];
        const struct lith_snapshot_file *file =
            lith_snapshot_find(&look->view->snapshot, note->name);
        struct lith_found found = {
            .kind = "misplaced",
            .file = note->name,
            .wants_hand = true,
            .todo = "move such rows to their path, or name the column in path_check_skip"};
        if (!file || !file->live || !file->object || strcmp(file->object->etag, note->etag) != 0 ||
            strcmp(note->rules, look->book->rules.hash) != 0)
            continue;
        found.bytes = file->object->size;
        LITH_TRY(lith_findings_add(look->findings, &found, err, "%s; nothing is merged here",
                                   note->reason));
    }
    return LITH_OK;
}

static enum lith_code view_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(look->view);

    LITH_TRY(notes_find(look, err));
    if (!m)
        LITH_TRY(lost_find(look, err));
    if (m && m->foreign)
        return foreign_find(look, err);
    if (m)
        LITH_TRY(misplaced_find(look, err));
    if (m)
        LITH_TRY(lith_fsck_tables(look, err));
    return lith_fsck_live(look, err);
}

static enum lith_code book_find(const struct lith_job *job, const struct lith_view *view, bool deep,
                                struct lith_findings *findings, struct lith_fact_book *book,
                                struct lith_err *err)
{
    struct lith_fact_request request = {
        .snapshot = &view->snapshot,
        .scope = deep || !lith_view_manifest(view) ? LITH_FACTS_ALL : LITH_FACTS_LATE,
    };
    struct lith_fsck_look look = {
        .job = job, .view = view, .book = book, .findings = findings, .deep = deep};
    size_t read;

    LITH_TRY(lith_fact_book_fill(book, job, &request, &read, err));
    return view_find(&look, err);
}

/* One look. CONFLICT: something changed under it. */
static enum lith_code look_once(const struct lith_job *job, const struct lith_path_keys *keys,
                                bool deep, struct lith_findings *findings,
                                struct lith_partition_report *report, struct lith_err *err)
{
    LITH_AUTO(view) struct lith_view view = {0};
    struct lith_fact_book book;
    struct lith_err why;

    *findings = (struct lith_findings){.arena = job->arena};
    enum lith_code code =
        lith_view_take(job->folder, LITH_SNAPSHOT_OPEN, job->work->mem, &view, &why);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return damaged_find(job, &why, findings, err);
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    report->files_before = report->files_after = view.snapshot.live_count;
    lith_held_report(&view.snapshot, job, report);
    code = lith_fact_book_init(&book, job, keys, err);
    if (code == LITH_OK)
        code = book_find(job, &view, deep, findings, &book, err);
    lith_fact_book_done(&book);
    return code == LITH_OK ? lith_fsck_journals(job, &view, findings, err) : code;
}

static enum lith_code table_format_find(const struct lith_job *job, struct lith_findings *findings,
                                        struct lith_err *err)
{
    struct lith_found found = {.kind = "table-format"};

    LITH_TRY(text_keep(job, job->table_format, &found.file, err));
    return lith_findings_add(
        findings, &found, err,
        "at or above this directory: its files are a table format's, or another "
        "lake's, which this run leaves alone");
}

enum lith_code lith_job_fsck(const struct lith_job *job, bool deep,
                             struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_findings findings = {.arena = job->arena};
    struct lith_path_keys keys;
    enum lith_code code = LITH_E_CONFLICT;

    LITH_TRY(lith_path_keys_parse(job->folder->path, &job->options->path, job->arena, &keys, err));
    report->tenant = keys.tenant;
    if (job->table_format) {
        LITH_TRY(table_format_find(job, &findings, err));
        return lith_findings_report(&findings, report, err);
    }
    for (unsigned tries = 0; code == LITH_E_CONFLICT && tries < LITH_LOOK_AGAIN_MAX; tries++) {
        LITH_TRY(lith_work_check(job->work, err));
        code = look_once(job, &keys, deep, &findings, report, err);
    }
    LITH_TRY(code);
    return lith_findings_report(&findings, report, err);
}
