/*
 * fsck: the tables of a manifest, and files that are not live, each with what becomes of it.
 *
 * gc's own plan says which of them may go, so that nothing else is told than is done.
 */
#include <string.h>

#include "base/checked.h"
#include "base/time.h"
#include "job/fsck.h"
#include "job/gc_orphans.h"
#include "store/store.h"

#define REMEDY_NEEDED                                                                              \
    "look where that file went and put it back; a copy of this one under another name counts its " \
    "rows"

static struct lith_found found_of(const struct lith_snapshot_file *file, const char *kind)
{
    return (struct lith_found){
        .kind = kind, .file = file->name, .bytes = file->object ? file->object->size : 0};
}

/* "2026-06-15T11:20:00Z", when the grace of something from `from_ns` on is over. */
static void until_text(int64_t from_ns, int64_t grace_ns, char text[LITH_TIME_TEXT_BYTES])
{
    int64_t until_ns = INT64_MAX;

    if (!lith_add_i64(from_ns, grace_ns, &until_ns))
        until_ns = INT64_MAX;
    lith_time_text(until_ns, text);
}

static enum lith_code orphan_unknown(const struct lith_fsck_look *look,
                                     const struct lith_snapshot_file *file,
                                     struct lith_found *found, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(look->view);
    struct lith_output_name parts = {0};

    found->wants_hand = true;
    if (lith_output_name_parse(file->name, &parts) && parts.epoch > m->epoch) {
        found->todo = "put the newer manifest back: lithify fsck --restore FILE PARTITION";
        return lith_findings_add(look->findings, found, err,
                                 "of epoch %llu, which the manifest, of epoch %llu, has not "
                                 "reached: an older manifest stands in the place of a newer one",
                                 (unsigned long long)parts.epoch, (unsigned long long)m->epoch);
    }
    found->todo = "put it back from a copy; remove it if its rows are known to be elsewhere";
    return lith_findings_add(look->findings, found, err,
                             "an output that no manifest names, and its footer does not say which "
                             "rows it holds; gc never takes it");
}

/* An output that was lost, and is back; or one that may hold rows of a lost file. */
static enum lith_code orphan_lost(const struct lith_fsck_look *look,
                                  const struct lith_gc_item *item, struct lith_err *err)
{
    struct lith_found found = found_of(item->file, "orphan");

    if (item->file->lost)
        return lith_findings_add(look->findings, &found, err,
                                 "it was lost, and is back; compact reads it, and it counts again "
                                 "unless files that it was made of do; gc never takes it");
    return lith_findings_add(look->findings, &found, err,
                             "of a merge that was not committed; %s was lost since, so gc keeps it "
                             "for replay_window",
                             item->needed);
}

static enum lith_code orphan_find(const struct lith_fsck_look *look,
                                  const struct lith_gc_item *item, struct lith_err *err)
{
    struct lith_found found = found_of(item->file, "orphan");
    char until[LITH_TIME_TEXT_BYTES];

    switch (item->verdict) {
    case LITH_GC_DELETE:
    case LITH_GC_KEEP_BRAKE:
        return lith_findings_add(look->findings, &found, err,
                                 "of a merge that was not committed, its rows are elsewhere; gc "
                                 "deletes it");
    case LITH_GC_KEEP_YOUNG:
        until_text(item->file->object->mtime_ns, look->job->options->gc.orphan_grace_ns, until);
        return lith_findings_add(look->findings, &found, err,
                                 "of a merge that goes on, or was not committed; gc looks at it "
                                 "from %s on",
                                 until);
    case LITH_GC_KEEP_NEEDED:
        found.wants_hand = true;
        found.todo = REMEDY_NEEDED;
        return lith_findings_add(look->findings, &found, err,
                                 "of a merge that was not committed, and rows of its input %s may "
                                 "be nowhere else; gc never takes it",
                                 item->needed);
    case LITH_GC_KEEP_LOST:
        return orphan_lost(look, item, err);
    case LITH_GC_KEEP_LINK:
    case LITH_GC_KEEP_UNKNOWN:
    case LITH_GC_KEEP_DIFFERS:
    case LITH_GC_VERDICT_COUNT:
        break;
    }
    return orphan_unknown(look, item->file, &found, err);
}

static enum lith_code retired_find(const struct lith_fsck_look *look,
                                   const struct lith_gc_item *item, struct lith_err *err)
{
    struct lith_found found = found_of(item->file, "retired");

    if (item->verdict == LITH_GC_KEEP_LINK) {
        found.wants_hand = true;
        found.todo = "remove the link";
        return lith_findings_add(look->findings, &found, err,
                                 "a symbolic link under the name of a file that was merged; gc "
                                 "never takes it");
    }
    if (item->verdict == LITH_GC_KEEP_LOST)
        return lith_findings_add(look->findings, &found, err,
                                 "it was merged, and %s was lost since, which may have held its "
                                 "rows: gc keeps it for replay_window; a copy under another name "
                                 "counts them",
                                 item->needed);
    if (item->verdict == LITH_GC_KEEP_DIFFERS && !item->file->differs) {
        found.wants_hand = true;
        found.todo = "remove the one that ends in .gone.tmp";
        return lith_findings_add(look->findings, &found, err,
                                 "it cannot be deleted: another file stands where a delete would "
                                 "put it, %s" LITH_GONE_SUFFIX,
                                 item->file->name);
    }
    if (item->file->differs)
        return lith_findings_add(look->findings, &found, err,
                                 "another file under the name of one that was merged; compact "
                                 "reads it, and names it as new data unless it is the same again");
    return LITH_OK;
}

static enum lith_code leftover_find(const struct lith_fsck_look *look,
                                    const struct lith_gc_item *item, struct lith_err *err)
{
    struct lith_found found = found_of(item->file, "leftover");
    char until[LITH_TIME_TEXT_BYTES];

    if (item->verdict == LITH_GC_DELETE || item->verdict == LITH_GC_KEEP_BRAKE)
        return lith_findings_add(look->findings, &found, err,
                                 "of a pass that was cut off; gc deletes it");
    if (item->verdict == LITH_GC_KEEP_YOUNG) {
        until_text(item->file->object->mtime_ns, look->job->options->gc.orphan_grace_ns, until);
        return lith_findings_add(look->findings, &found, err,
                                 "of a merge that goes on, or was cut off; gc deletes it from %s "
                                 "on",
                                 until);
    }
    if (item->verdict == LITH_GC_KEEP_LOST)
        return lith_findings_add(look->findings, &found, err,
                                 "of a delete that was cut off before %s was lost, which may have "
                                 "held its rows: gc keeps it for replay_window",
                                 item->needed);
    found.wants_hand = true;
    found.todo = "look what it is; give it the name without " LITH_GONE_SUFFIX
                 " if its rows are to count, else remove it";
    return lith_findings_add(look->findings, &found, err,
                             "named as by a delete that was cut off, but no such delete is known "
                             "here; gc never takes it");
}

static enum lith_code item_find(const struct lith_fsck_look *look, const struct lith_gc_item *item,
                                struct lith_err *err)
{
    if (item->file->condemned && item->file->object &&
        item->file->state != LITH_FILE_RETIRED) /* those of `condemned` have their own line */
        return LITH_OK;
    if (item->file->state == LITH_FILE_ORPHAN)
        return orphan_find(look, item, err);
    if (item->file->state == LITH_FILE_RETIRED)
        return retired_find(look, item, err);
    return leftover_find(look, item, err);
}

/* Where gc does nothing, since live files are not as they should be, nothing can be said of what it
 * would do. */
static enum lith_code stopped_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = &look->view->snapshot;

    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        bool is_orphan = file->state == LITH_FILE_ORPHAN;
        struct lith_found found = found_of(file, is_orphan ? "orphan" : "leftover");
        if (!is_orphan && file->state != LITH_FILE_OUR_TMP && file->state != LITH_FILE_GONE_TMP)
            continue;
        LITH_TRY(lith_findings_add(look->findings, &found, err,
                                   "%s; gc deletes nothing here before the live files are as the "
                                   "manifest names them",
                                   is_orphan ? "of a merge that was not committed"
                                             : "of a pass that was cut off"));
    }
    return LITH_OK;
}

static enum lith_code plan_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const struct lith_job *job = look->job;
    struct lith_orphan_inputs *orphans;
    struct lith_gc_plan plan;
    size_t orphan_count;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_gc_orphans_read(job, &look->view->snapshot, &orphans, &orphan_count, err));
    enum lith_code code = lith_gc_plan(look->view, orphans, orphan_count, &job->options->gc,
                                       job->env->now_ns(job->env), &scratch, &plan, err);
    if (code == LITH_E_INVALID)
        return stopped_find(look, err);
    LITH_TRY(code);
    for (size_t i = 0; i < plan.item_count; i++)
        LITH_TRY(item_find(look, &plan.items[i], err));
    return LITH_OK;
}

static enum lith_code lost_find(const struct lith_fsck_look *look, const struct lith_entry *lost,
                                struct lith_err *err)
{
    struct lith_found found = {.kind = "lost", .file = lost->name, .bytes = lost->size};
    char at[LITH_TIME_TEXT_BYTES];

    if (lith_listing_find(&look->view->listing, lost->name))
        return LITH_OK;
    lith_time_text(lost->at_ns, at);
    if (!lost->has_rows)
        return lith_findings_add(look->findings, &found, err,
                                 "a live file that vanished, written off on %s with all its rows; "
                                 "put back from a copy it counts again",
                                 at);
    return lith_findings_add(look->findings, &found, err,
                             "a live file that vanished, written off on %s with %llu rows; put "
                             "back from a copy it counts again",
                             at, (unsigned long long)lost->rows);
}

/* Rows of tables whose files are gone, or are not yet. */
static enum lith_code rows_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_manifest *m = lith_view_manifest(look->view);
    const struct lith_listing *listing = &look->view->listing;

    for (size_t i = 0; i < m->retired_count; i++) {
        const struct lith_entry *entry = &m->retired[i];
        struct lith_found found = {.kind = "retired", .file = entry->name, .bytes = entry->size};
        if (!lith_listing_shows(listing, entry->name))
            LITH_TRY(lith_findings_add(look->findings, &found, err,
                                       "it was deleted, and still is in `retired`; gc takes it "
                                       "out"));
    }
    for (size_t i = 0; i < m->lost_count; i++)
        LITH_TRY(lost_find(look, &m->lost[i], err));
    for (size_t i = 0; i < m->condemned_count; i++) {
        struct lith_found found = {.kind = "condemned", .file = m->condemned[i]};
        if (lith_listing_shows(listing, m->condemned[i]))
            LITH_TRY(lith_findings_add(look->findings, &found, err,
                                       "a pass was cut off before it had deleted it; gc goes on"));
    }
    return LITH_OK;
}

/* One whose rows may have been lost with what it was merged into. */
static enum lith_code replay_lost(const struct lith_fsck_look *look, struct lith_found *found,
                                  struct lith_err *err)
{
    found->wants_hand = true;
    found->todo = "give it another name if its rows are to count; else remove it";
    return lith_findings_add(look->findings, found, err,
                             "it bears the name and size of one that was merged and deleted before "
                             "a file was lost, which may have held its rows: it does not count, "
                             "and stays, unless it turns out to be new data");
}

/* Names that end like data and are no files; files that were sent once more. */
static enum lith_code others_find(const struct lith_fsck_look *look, struct lith_err *err)
{
    const struct lith_listing *listing = &look->view->listing;
    const struct lith_snapshot *snapshot = &look->view->snapshot;
    const struct lith_manifest *m = lith_view_manifest(look->view);

    for (size_t i = 0; i < listing->other_count; i++) {
        struct lith_found found = {.kind = "no-file", .file = listing->others[i]};
        if (lith_name_is_data(listing->others[i]))
            LITH_TRY(lith_findings_add(look->findings, &found, err,
                                       "named like data, but no regular file nor a link to one: "
                                       "not read"));
    }
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        struct lith_found found = found_of(file, "replay");
        /* Of what was never read nobody can say: adopt --unlisted ignore passed over it. */
        if (file->state == LITH_FILE_GONE && file->entry->has_crc &&
            lith_manifest_lost_since(m, file->entry))
            LITH_TRY(replay_lost(look, &found, err));
        else if (file->state == LITH_FILE_GONE && file->entry->has_crc)
            LITH_TRY(lith_findings_add(look->findings, &found, err,
                                       "it bears the name and size of one that was merged and "
                                       "deleted; compact reads it, and names it as new data "
                                       "unless it is the same again"));
    }
    return LITH_OK;
}

enum lith_code lith_fsck_tables(const struct lith_fsck_look *look, struct lith_err *err)
{
    LITH_TRY(rows_find(look, err));
    LITH_TRY(plan_find(look, err));
    return others_find(look, err);
}
