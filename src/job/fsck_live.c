/*
 * fsck: the files that are live, each by itself. What a look costs that is not deep: nothing, but
 * for files that are not as their manifest names them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/time.h"
#include "job/format.h"
#include "job/fsck.h"
#include "job/stored_files.h"

/* A file is known by its name, size and time. */
#define REMEDY_BYTES "put it back from a copy, with its time (cp -p)"
#define REMEDY_MISSING REMEDY_BYTES "; or lithify fsck --repair, which tells what is lost by that"
#define REMEDY_ANEW                                                                                \
    "lithify fsck --repair keeps it as new data, and brings its former rows back where an output " \
    "has them; or " REMEDY_BYTES
#define REMEDY_DAMAGED REMEDY_BYTES "; or take it out with its rows: lithify retire PARTITION FILE"
#define REMEDY_QUARANTINED                                                                         \
    "put it back from a copy, with a new time (cp, not cp -p), since by its old one it is taken "  \
    "for the one that was set aside; or take it out with its rows: lithify retire PARTITION FILE"

/* What is known of one live file. */
struct live {
    const struct lith_fsck_look *look;
    const struct lith_snapshot_file *file;
};

static struct lith_found found_of(const struct live *l, const char *kind, bool wants_hand,
                                  const char *todo)
{
    const struct lith_snapshot_file *file = l->file;

    return (struct lith_found){.kind = kind,
                               .file = file->name,
                               .bytes = file->object ? file->object->size : file->entry->size,
                               .wants_hand = wants_hand,
                               .todo = todo};
}

/* "12 rows", or nothing where they are not known. */
static const char *rows_text(const struct lith_entry *entry, char text[40])
{
    text[0] = '\0';
    if (entry->has_rows)
        (void)snprintf(text, 40, ", %" PRIu64 " rows", entry->rows);
    return text;
}

static enum lith_code missing_find(const struct live *l, struct lith_err *err)
{
    const struct lith_entry *entry = l->file->entry;
    struct lith_found found = found_of(l, "missing", true, REMEDY_MISSING);
    char rows[40];

    return lith_findings_add(l->look->findings, &found, err,
                             "it is not there; the manifest names it, %" PRIu64 " bytes%s",
                             entry->size, rows_text(entry, rows));
}

/* Is it what was read to its end, but for its time? */
static enum lith_code is_same(const struct live *l, bool *ret_same, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_job *job = l->look->job;
    uint32_t crc = 0;

    enum lith_code code = lith_folder_source_open(job->folder, l->file->object, &source, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was read", l->file->name);
    LITH_TRY(code);
    LITH_TRY(lith_source_crc32(source, job->work->mem, &crc, err));
    *ret_same = crc == l->file->entry->crc32;
    return LITH_OK;
}

/* Another size or time than the manifest has. */
static enum lith_code differs_find(const struct live *l, struct lith_err *err)
{
    const struct lith_object *object = l->file->object;
    const struct lith_entry *entry = l->file->entry;
    const struct lith_manifest *m = lith_view_manifest(l->look->view);
    struct lith_found found = found_of(l, "differs", false, NULL);
    bool same = false;
    char rows[40];

    if (!entry->has_crc)
        return lith_findings_add(l->look->findings, &found, err,
                                 "its writer has written it again (%s, the manifest names %s); "
                                 "compact takes it as it is, and gc deletes nothing here before",
                                 object->etag, entry->etag);
    if (entry->size == object->size)
        LITH_TRY(is_same(l, &same, err));
    if (same)
        return lith_findings_add(l->look->findings, &found, err,
                                 "its bytes are those that the manifest names, its time is not; "
                                 "compact notes it, and gc deletes nothing here before");
    found.wants_hand = true;
    found.todo = lith_output_name_is_of(l->file->name, m->pid) ? REMEDY_BYTES : REMEDY_ANEW;
    return lith_findings_add(l->look->findings, &found, err,
                             "its bytes are not those that the manifest names, %" PRIu64
                             " bytes, crc32 %08" PRIx32 "%s: it was written again by others; gc "
                             "deletes nothing here",
                             entry->size, entry->crc32, rows_text(entry, rows));
}

static enum lith_code quarantine_find(const struct live *l, struct lith_err *err)
{
    struct lith_found found = found_of(l, "quarantined", true, REMEDY_QUARANTINED);
    char since[LITH_TIME_TEXT_BYTES];

    lith_time_text(l->file->quarantine->since_ns, since);
    return lith_findings_add(l->look->findings, &found, err, "set aside since %s: %s", since,
                             l->file->quarantine->reason);
}

static enum lith_code damaged(const struct live *l, struct lith_err *err, const char *why)
{
    struct lith_found found = found_of(l, "damaged", true, REMEDY_DAMAGED);

    return lith_findings_add(l->look->findings, &found, err, "%s", why);
}

/* A late file without a footer. Young ones are still written, maybe. */
static enum lith_code footless_find(const struct live *l, const struct lith_fact *fact,
                                    struct lith_err *err)
{
    const struct lith_job *job = l->look->job;
    struct lith_found found =
        found_of(l, "damaged", false, "put it back from a copy, or remove it");
    int64_t until_ns = 0;

    found.wants_hand =
        lith_add_i64(l->file->object->mtime_ns, job->options->policy.quiet_for_ns, &until_ns) &&
        job->env->now_ns(job->env) >= until_ns;
    if (!found.wants_hand)
        found.todo = NULL;
    return lith_findings_add(
        l->look->findings, &found, err, "%s%s",
        found.wants_hand ? "" : "it is new, and maybe still written: ", fact->blocked);
}

/* Of what cannot be read, what is wrong with the file; other failures are passed on. */
static enum lith_code failed_find(const struct live *l, const struct lith_err *why,
                                  struct lith_err *err)
{
    struct lith_found found = found_of(l, "unsupported", false, NULL);

    if (why->code == LITH_E_CORRUPT || why->code == LITH_E_DENIED)
        return damaged(l, err, why->text);
    if (why->code == LITH_E_UNSUPPORTED || why->code == LITH_E_INVALID)
        return lith_findings_add(l->look->findings, &found, err, "it is not read: %s", why->text);
    *err = *why;
    return why->code;
}

/* Every page of it, decoded. */
static enum lith_code pages_read(const struct live *l, struct lith_err *err)
{
    const struct lith_job *job = l->look->job;
    struct lith_stored_files one = {.folder = job->folder, .objects = &l->file->object, .count = 1};
    struct lith_verify_files whole = lith_stored_verify_files(&one);
    struct lith_verify_files nothing = whole;
    struct lith_rows_question question = {
        .part = &nothing, .whole = &whole, .codecs = l->look->book->codecs, .work = job->work};
    bool holds;

    nothing.count = 0;
    return job->options->format->holds(&question, &holds, err);
}

/* Reads all of a file: its checksum where the manifest has one, then every page. */
static enum lith_code deep_find(const struct live *l, struct lith_err *err)
{
    const struct lith_entry *entry = l->file->entry;
    const struct lith_fact *fact = lith_fact_book_find(l->look->book, l->file->object);
    struct lith_err why;
    bool same = true;
    char text[120];

    LITH_TRY(lith_work_check(l->look->job->work, err));
    if (entry && entry->has_crc)
        LITH_TRY(is_same(l, &same, err));
    if (!same)
        return damaged(l, err, "its bytes have another crc32 than the manifest names");
    if (fact && fact->has_rows && entry && entry->has_rows && fact->rows != entry->rows) {
        (void)snprintf(text, sizeof(text),
                       "its footer says %" PRIu64 " rows, the manifest names %" PRIu64, fact->rows,
                       entry->rows);
        return damaged(l, err, text);
    }
    if (l->look->job->options->format->holds && pages_read(l, &why) != LITH_OK)
        return failed_find(l, &why, err);
    return LITH_OK;
}

static enum lith_code link_find(const struct live *l, struct lith_err *err)
{
    struct lith_found found = found_of(l, "link", true, "put the file itself in its place");

    return lith_findings_add(l->look->findings, &found, err,
                             "a symbolic link: its rows count, and it is neither merged nor, where "
                             "it is new, named by the manifest");
}

static enum lith_code file_find(const struct live *l, struct lith_err *err)
{
    const struct lith_snapshot_file *file = l->file;
    const struct lith_fact *fact =
        file->object ? lith_fact_book_find(l->look->book, file->object) : NULL;

    if (!file->object)
        return missing_find(l, err);
    if (file->object->is_link)
        return link_find(l, err);
    if (file->quarantine)
        return quarantine_find(l, err);
    if (file->differs)
        return differs_find(l, err);
    if (file->state == LITH_FILE_LATE && fact && !fact->has_rows && fact->blocked)
        return footless_find(l, fact, err);
    return l->look->deep ? deep_find(l, err) : LITH_OK;
}

enum lith_code lith_fsck_live(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &look->view->snapshot;
    struct live l = {.look = look};

    for (size_t i = 0; i < snapshot->file_count; i++) {
        l.file = &snapshot->files[i];
        if (l.file->state == LITH_FILE_LIVE || l.file->live)
            LITH_TRY(file_find(&l, err));
    }
    return LITH_OK;
}
