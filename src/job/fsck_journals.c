/*
 * fsck: journals of the partition (readers = glob), each with what becomes of it.
 */
#include "job/fsck.h"
#include "job/pending.h"

#define REMEDY_JOURNAL "restore it; or take it away, and run gc (docs/readers.md)"
#define REMEDY_MANIFEST "put the last manifest of the partition back (docs/readers.md)"
#define REMEDY_MODE                                                                                \
    "put _lithify.json back as it was; where the mode was changed on purpose, run gc, and take "   \
    "the journal away"

/* Where it is, and what the partition looks like. */
struct place {
    const struct lith_job *job;
    const struct lith_view *view; /* NULL: the manifest cannot be read */
    struct lith_findings *findings;
    const char *tier;
    const char *name;
};

static enum lith_code tell(const struct place *place, const char *todo, const char *text,
                           struct lith_err *err)
{
    const struct lith_found found = {.kind = "journal", .wants_hand = todo, .todo = todo};

    return lith_findings_add(place->findings, &found, err, LITH_JOURNAL_FOLDER "/%s/%s: %s",
                             place->tier, place->name, text);
}

static enum lith_code unreadable_find(const struct place *place, const char *why,
                                      struct lith_err *err)
{
    char *text;

    LITH_TRY(lith_arena_format(place->job->arena, &text, err,
                               "it cannot be gone by, and nothing is done in the partition: %s",
                               why));
    return tell(place, REMEDY_JOURNAL, text, err);
}

static enum lith_code pending_find(const struct place *place, struct lith_pending *pending,
                                   struct lith_err *err)
{
    const struct lith_view *view = place->view;
    char *text;

    if (!view)
        return tell(place, NULL, "it waits for a manifest that can be read", err);
    const char *why = lith_pending_judge(pending, lith_view_manifest(view));
    if (why) {
        LITH_TRY(lith_arena_format(place->job->arena, &text, err,
                                   "%s; nothing is done in the partition", why));
        return tell(place, REMEDY_MANIFEST, text, err);
    }
    size_t left = lith_pending_left(pending, &view->snapshot, NULL, 0);
    LITH_TRY(lith_arena_format(
        place->job->arena, &text, err,
        pending->is_committed
            ? "of a merge that was committed; files that it merged and that are still there: %zu; "
              "the next compact or gc deletes them"
            : "of a merge that goes on, or was cut off before it was committed; outputs that are "
              "there: %zu; the next compact or gc deletes them",
        left));
    return tell(place, NULL, text, err);
}

static enum lith_code file_find(const struct place *place, const struct lith_journal_file *file,
                                struct lith_err *err)
{
    enum lith_readers readers = place->job->options->readers;
    struct lith_pending pending;
    struct lith_err why;

    if (readers != LITH_READERS_GLOB && readers != LITH_READERS_NONE)
        return tell(place, REMEDY_MODE,
                    "of a lake with readers = glob, which this one is not: no pass looks at it",
                    err);
    if (file->leftover)
        return tell(place, NULL,
                    "of a pass that goes on, or was cut off; the next compact or gc "
                    "takes it away",
                    err);
    enum lith_code code = lith_pending_read(place->job, file, &pending, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK; /* settled meanwhile */
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_DENIED)
        return unreadable_find(place, why.text, err);
    if (code != LITH_OK) {
        *err = why;
        return code;
    }
    return pending_find(place, &pending, err);
}

enum lith_code lith_fsck_journals(const struct lith_job *job, const struct lith_view *view,
                                  struct lith_findings *findings, struct lith_err *err)
{
    struct place place = {.job = job, .view = view, .findings = findings};
    size_t begin = 0;
    size_t count = 0;

    LITH_TRY(lith_pending_files(job, &begin, &count, err));
    for (size_t i = begin; i < begin + count; i++) {
        const struct lith_journal_file *file = &job->journals->files[i];
        place.tier = file->tier;
        place.name = file->leftover ? file->leftover : file->name;
        LITH_TRY(file_find(&place, file, err));
    }
    return LITH_OK;
}
