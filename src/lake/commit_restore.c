/*
 * The commit that brings the live set of an older manifest back; and the one of a repair, whose
 * manifest was made up for it.
 *
 * It goes on from what is now, where that can be read, else from the older manifest itself. Who
 * comes and who leaves was found out by reading rows; here it is checked that all that comes is
 * there as it was, and that no grace goes on from before.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "lake/commit_build.h"

struct restoring {
    struct lith_commit_build b;
    const struct lith_manifest *base; /* NULL: nothing that can be read */
    const struct lith_restore *restore;
    struct lith_name_index own; /* of the older manifest's files */
};

static enum lith_op op_of(const struct restoring *r)
{
    return r->restore->is_repair ? LITH_OP_REPAIR : LITH_OP_RESTORE;
}

static const char *word(const struct restoring *r)
{
    return lith_op_name(op_of(r));
}

static enum lith_code coming_check(const struct restoring *r, const struct lith_entry *entry,
                                   struct lith_err *err)
{
    const struct lith_object *object = lith_listing_find(r->restore->listing, entry->name);

    if (lith_commit_build_is_condemned(&r->b, entry->name))
        return lith_fail(err, LITH_E_INVALID, "%s: %s is being deleted", word(r), entry->name);
    if (!object)
        return lith_fail(err, LITH_E_INVALID, "%s: %s is not there any more", word(r), entry->name);
    if (object->size != entry->size || !entry->etag || strcmp(object->etag, entry->etag) != 0)
        return lith_fail(err, LITH_E_INVALID, "%s: %s is %s, was %s", word(r), entry->name,
                         object->etag, entry->etag ? entry->etag : "of no identity");
    return LITH_OK;
}

static bool is_same(const struct lith_entry *a, const struct lith_entry *b)
{
    return a->size == b->size && a->etag && b->etag && strcmp(a->etag, b->etag) == 0;
}

/* Generation and epoch rise above both manifests, and above every output's. */
static enum lith_code numbers_raise(struct restoring *r, struct lith_err *err)
{
    struct lith_manifest *next = &r->b.next;
    const struct lith_manifest *file = r->restore->file;
    uint64_t generation =
        r->base && r->base->generation > file->generation ? r->base->generation : file->generation;
    uint64_t epoch = r->base && r->base->epoch > file->epoch ? r->base->epoch : file->epoch;

    if (r->restore->epoch_min > epoch)
        epoch = r->restore->epoch_min;
    if (generation >= INT64_MAX || epoch >= INT64_MAX)
        return lith_fail(err, LITH_E_LIMIT, "generation %" PRIu64 ", epoch %" PRIu64, generation,
                         epoch);
    next->generation = generation + 1;
    next->epoch = epoch + 1;
    next->log[next->log_count - 1].generation = next->generation;
    next->log[next->log_count - 1].epoch = next->epoch;
    return LITH_OK;
}

static enum lith_code begin(struct restoring *r, const struct lith_stamp *stamp,
                            struct lith_arena *arena, struct lith_err *err)
{
    const struct lith_restore *restore = r->restore;
    const struct lith_manifest *file = restore->file;
    size_t more = file->file_count + file->retired_count + file->gone_count + restore->back_count +
                  restore->out_count + restore->superseded_count;

    if (file->foreign)
        return lith_fail(err, LITH_E_INVALID, "%s: it is another program's manifest", word(r));
    if (r->base && r->base->foreign)
        return lith_fail(err, LITH_E_INVALID, "%s: the manifest in place is another program's",
                         word(r));
    if (r->base && strcmp(r->base->pid, file->pid) != 0)
        return lith_fail(err, LITH_E_INVALID,
                         "%s: it is the manifest of partition %s, this one is %s", word(r),
                         file->pid, r->base->pid);
    if (file->has_handed || (r->base && r->base->has_handed))
        return lith_fail(err, LITH_E_INVALID, "%s: files are being rolled up into %s", word(r),
                         file->has_handed ? file->handed.parent : r->base->handed.parent);
    LITH_TRY(lith_commit_build_begin(&r->b, r->base ? r->base : file, op_of(r), true, more, stamp,
                                     arena, err));
    if (!r->base)
        r->b.next.name = restore->manifest_name;
    LITH_TRY(lith_commit_build_index(file->files, file->file_count, arena, &r->own, err));
    return numbers_raise(r, err);
}

/* Rows whose file the older manifest has with another identity give way to its own. */
static void files_give_way(struct restoring *r)
{
    struct lith_manifest *next = &r->b.next;
    size_t kept = 0;
    size_t row = 0;

    for (size_t i = 0; i < next->file_count; i++) {
        const struct lith_entry *entry = &next->files[i];
        bool is_own = lith_name_index_find(&r->own, entry->name, &row);
        if (!is_own || is_same(entry, &r->restore->file->files[row]))
            next->files[kept++] = *entry;
    }
    next->file_count = kept;
}

static enum lith_code files_come(struct restoring *r, struct lith_err *err)
{
    const struct lith_restore *restore = r->restore;
    struct lith_manifest *next = &r->b.next;
    struct lith_name_index kept;
    size_t row = 0;

    files_give_way(r);
    LITH_TRY(lith_commit_build_index(next->files, next->file_count, r->b.arena, &kept, err));
    for (size_t i = 0; i < restore->file->file_count; i++) {
        const struct lith_entry *entry = &restore->file->files[i];
        LITH_TRY(coming_check(r, entry, err));
        if (!lith_name_index_find(&kept, entry->name, &row))
            LITH_TRY(lith_commit_build_add_file(&r->b, entry, err));
    }
    for (size_t i = 0; i < restore->back_count; i++) {
        LITH_TRY(coming_check(r, &restore->back[i], err));
        LITH_TRY(lith_commit_build_add_file(&r->b, &restore->back[i], err));
    }
    return LITH_OK;
}

static enum lith_code files_leave(struct restoring *r, struct lith_err *err)
{
    const struct lith_restore *restore = r->restore;
    struct lith_manifest *next = &r->b.next;
    struct lith_name_index out;
    size_t row = 0;

    LITH_TRY(lith_commit_build_index(restore->out, restore->out_count, r->b.arena, &out, err));
    for (size_t i = 0; i < restore->out_count; i++) {
        const struct lith_entry *entry = &restore->out[i];
        if (lith_name_index_find(&r->own, entry->name, &row))
            return lith_fail(err, LITH_E_INVALID, "%s: %s comes and leaves", word(r), entry->name);
        if (!entry->etag) {
            struct lith_entry gone = *entry;
            gone.generation = next->generation;
            LITH_TRY(lith_commit_build_add_gone(&r->b, &gone, err));
            continue;
        }
        if (!entry->has_crc)
            return lith_fail(err, LITH_E_INVALID, "%s: %s leaves without its crc32", word(r),
                             entry->name);
        LITH_TRY(lith_commit_build_add_retired(&r->b, entry, err));
    }
    lith_commit_build_drop(next->files, &next->file_count, &out);
    return LITH_OK;
}

static enum lith_code files_lose(struct restoring *r, struct lith_err *err)
{
    const struct lith_restore *restore = r->restore;
    struct lith_manifest *next = &r->b.next;
    struct lith_name_index lost;
    size_t row = 0;

    LITH_TRY(lith_commit_build_index(restore->lost, restore->lost_count, r->b.arena, &lost, err));
    for (size_t i = 0; i < restore->lost_count; i++) {
        const struct lith_entry *entry = &restore->lost[i];
        if (lith_listing_shows(restore->listing, entry->name) ||
            !lith_name_index_find(&r->b.files, entry->name, &row))
            return lith_fail(err, LITH_E_INVALID, "%s: %s is not lost", word(r), entry->name);
        LITH_TRY(lith_commit_build_add_lost(&r->b, &r->base->files[row], err));
    }
    lith_commit_build_drop(next->files, &next->file_count, &lost);
    return LITH_OK;
}

/* Is it written down already? `gone` indexes `rows`. */
static bool is_gone_in(const struct lith_entry *rows, const struct lith_name_index *gone,
                       const struct lith_entry *entry)
{
    size_t begin = 0;
    size_t count = lith_name_index_run(gone, entry->name, &begin);

    for (size_t i = begin; i < begin + count; i++) {
        if (rows[gone->refs[i].index].size == entry->size)
            return true;
    }
    return false;
}

/* What the older manifest knows to be gone, or superseded, stays so if it is not there. */
static enum lith_code gone_remember(struct restoring *r, const struct lith_entry *entries,
                                    size_t count, const struct lith_name_index *live,
                                    struct lith_err *err)
{
    const struct lith_manifest *next = &r->b.next;
    struct lith_name_index gone;
    size_t row = 0;

    LITH_TRY(lith_commit_build_index(next->gone, next->gone_count, r->b.arena, &gone, err));
    for (size_t i = 0; i < count; i++) {
        const struct lith_entry *entry = &entries[i];
        if (lith_name_index_find(live, entry->name, &row) ||
            lith_listing_find(r->restore->listing, entry->name) ||
            lith_name_index_find(&r->b.retired, entry->name, &row) ||
            is_gone_in(next->gone, &gone, entry))
            continue;
        LITH_TRY(lith_commit_build_add_gone(&r->b, entry, err));
    }
    return LITH_OK;
}

/* What is live again is not gone. Should it vanish once more, it must count when it is put back. */
static void gone_give_way(struct restoring *r, const struct lith_name_index *live)
{
    struct lith_manifest *next = &r->b.next;
    size_t kept = 0;
    size_t row = 0;

    for (size_t i = 0; i < next->gone_count; i++) {
        const struct lith_entry *gone = &next->gone[i];
        const struct lith_entry *file =
            lith_name_index_find(live, gone->name, &row) ? &next->files[row] : NULL;
        bool differs = file && (file->size != gone->size ||
                                (file->has_crc && gone->has_crc && file->crc32 != gone->crc32));
        if (!file || differs)
            next->gone[kept++] = *gone;
    }
    next->gone_count = kept;
}

/* Names that are live again leave `retired` and `gone`; every grace begins anew. */
static enum lith_code graces_renew(struct restoring *r, struct lith_err *err)
{
    const struct lith_manifest *file = r->restore->file;
    struct lith_manifest *next = &r->b.next;
    struct lith_name_index live;

    LITH_TRY(lith_commit_build_index(next->files, next->file_count, r->b.arena, &live, err));
    lith_commit_build_drop(next->retired, &next->retired_count, &live);
    gone_give_way(r, &live);
    if (r->base) {
        LITH_TRY(gone_remember(r, file->gone, file->gone_count, &live, err));
        LITH_TRY(gone_remember(r, file->retired, file->retired_count, &live, err));
    }
    for (size_t i = 0; i < next->retired_count; i++)
        next->retired[i].at_ns = r->b.stamp->at_ns;
    for (size_t i = 0; i < next->gone_count; i++)
        next->gone[i].at_ns = r->b.stamp->at_ns;
    return LITH_OK;
}

enum lith_code lith_commit_restore(const struct lith_manifest *base,
                                   const struct lith_restore *restore,
                                   const struct lith_stamp *stamp, struct lith_arena *arena,
                                   struct lith_manifest *ret_next, struct lith_err *err)
{
    struct restoring r = {.base = base, .restore = restore};
    struct lith_manifest *next = &r.b.next;

    LITH_TRY(begin(&r, stamp, arena, err));
    LITH_TRY(files_leave(&r, err));
    LITH_TRY(files_lose(&r, err));
    LITH_TRY(files_come(&r, err));
    LITH_TRY(
        lith_commit_build_supersede(&r.b, restore->superseded, restore->superseded_count, err));
    LITH_TRY(graces_renew(&r, err));
    /* What was found out of another live set does not hold of this one. */
    next->has_outcome = false;
    for (size_t i = 0; i < next->file_count; i++)
        next->files[i].set = 0;
    return lith_commit_build_end(&r.b, ret_next, err);
}
