/*
 * What all commits have in common: generation, epoch, log, and tables that are copied with room.
 *
 * A commit that carries retired entries of its base's generation over writes down when that base
 * was stored, if that is later: a grace never runs from before readers could know (section 5).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/limits.h"
#include "lake/commit_build.h"

static enum lith_code table_copy(struct lith_commit_build *b, const struct lith_entry *from,
                                 size_t count, size_t more, struct lith_entry **ret_entries,
                                 struct lith_err *err)
{
    void *block = NULL;

    LITH_TRY(lith_arena_array(b->arena, count + more, sizeof(*from), &block, err));
    if (count)
        memcpy(block, from, count * sizeof(*from));
    *ret_entries = block;
    return LITH_OK;
}

static enum lith_code log_copy(struct lith_commit_build *b, enum lith_op op, struct lith_err *err)
{
    const struct lith_manifest *base = b->base;
    size_t count = base ? base->log_count : 0;
    void *block = NULL;

    LITH_TRY(lith_arena_array(b->arena, count + 1, sizeof(*b->next.log), &block, err));
    b->next.log = block;
    if (count)
        memcpy(b->next.log, base->log, count * sizeof(*b->next.log));
    b->next.log[count] = (struct lith_log_entry){.generation = b->next.generation,
                                                 .commit_id = b->commit_id,
                                                 .epoch = b->next.epoch,
                                                 .op = op,
                                                 .at_ns = b->stamp->at_ns,
                                                 .event = b->stamp->no_event,
                                                 .journal = b->stamp->journal};
    b->next.log_count = count + 1;
    lith_manifest_log_trim(&b->next);
    return LITH_OK;
}

static enum lith_code tables_begin(struct lith_commit_build *b, size_t more, struct lith_err *err)
{
    const struct lith_manifest *base = b->base;
    struct lith_manifest *next = &b->next;

    LITH_TRY(lith_commit_build_index(base->files, base->file_count, b->arena, &b->files, err));
    LITH_TRY(
        lith_commit_build_index(base->retired, base->retired_count, b->arena, &b->retired, err));
    LITH_TRY(lith_commit_build_index(base->gone, base->gone_count, b->arena, &b->gone, err));
    LITH_TRY(lith_name_index_build(base->condemned, base->condemned_count, sizeof(*base->condemned),
                                   0, b->arena, &b->condemned, err));
    LITH_TRY(table_copy(b, base->files, base->file_count, more, &next->files, err));
    LITH_TRY(table_copy(b, base->retired, base->retired_count, more, &next->retired, err));
    LITH_TRY(table_copy(b, base->gone, base->gone_count, more, &next->gone, err));
    for (size_t i = 0; i < next->retired_count; i++) {
        struct lith_entry *entry = &next->retired[i];
        if (entry->generation == base->generation && base->mtime_ns > entry->at_ns &&
            !lith_guard_is_out(LITH_GUARD_GRACE_SEEN))
            entry->at_ns = base->mtime_ns;
    }
    return LITH_OK;
}

enum lith_code lith_commit_build_begin(struct lith_commit_build *b,
                                       const struct lith_manifest *base, enum lith_op op,
                                       bool raise_epoch, size_t more,
                                       const struct lith_stamp *stamp, struct lith_arena *arena,
                                       struct lith_err *err)
{
    void *id = NULL;

    *b = (struct lith_commit_build){.base = base, .stamp = stamp, .arena = arena};
    if (!base || base->foreign)
        return lith_fail(err, LITH_E_INVALID, "%s: the partition is not adopted yet",
                         lith_op_name(op));
    if (base->generation >= INT64_MAX || base->epoch >= INT64_MAX)
        return lith_fail(err, LITH_E_LIMIT, "generation %" PRIu64 ", epoch %" PRIu64,
                         base->generation, base->epoch);
    LITH_TRY(lith_arena_copy(arena, stamp->commit_id, strlen(stamp->commit_id), &id, err));
    b->commit_id = id;
    b->next = *base;
    b->next.owned = NULL;
    b->next.charged = 0;
    b->next.generation = base->generation + 1;
    b->next.epoch = base->epoch + raise_epoch;
    b->next.commit_id = id;
    b->next.committed_at_ns = stamp->at_ns;
    b->next.mtime_ns = 0;
    LITH_TRY(tables_begin(b, more, err));
    return log_copy(b, op, err);
}

static enum lith_code quarantine_trim(struct lith_commit_build *b,
                                      const struct lith_name_index *files, struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    void *block = NULL;
    size_t kept = 0;
    size_t row = 0;

    LITH_TRY(
        lith_arena_array(b->arena, next->quarantine_count, sizeof(*next->quarantine), &block, err));
    struct lith_quarantine *rows = block;
    for (size_t i = 0; i < next->quarantine_count; i++) {
        if (lith_name_index_find(files, next->quarantine[i].name, &row))
            rows[kept++] = next->quarantine[i];
    }
    next->quarantine = rows;
    next->quarantine_count = kept;
    return LITH_OK;
}

static enum lith_code misplaced_trim(struct lith_commit_build *b,
                                     const struct lith_name_index *files, struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    void *block = NULL;
    size_t kept = 0;
    size_t row = 0;

    LITH_TRY(
        lith_arena_array(b->arena, next->misplaced_count, sizeof(*next->misplaced), &block, err));
    struct lith_misplaced *rows = block;
    for (size_t i = 0; i < next->misplaced_count; i++) {
        const struct lith_misplaced *note = &next->misplaced[i];
        if (lith_name_index_find(files, note->name, &row) && next->files[row].etag &&
            strcmp(next->files[row].etag, note->etag) == 0)
            rows[kept++] = *note;
    }
    next->misplaced = rows;
    next->misplaced_count = kept;
    return LITH_OK;
}

/* What was lost and is live again was not lost. */
static enum lith_code lost_trim(struct lith_commit_build *b, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_manifest *next = &b->next;
    struct lith_name_index files;
    void *block = NULL;
    size_t kept = 0;
    size_t row = 0;

    lith_arena_init(&scratch, b->arena->mem);
    if (next->lost_count == 0)
        return LITH_OK;
    LITH_TRY(lith_commit_build_index(next->files, next->file_count, &scratch, &files, err));
    LITH_TRY(lith_arena_array(b->arena, next->lost_count, sizeof(*next->lost), &block, err));
    struct lith_entry *rows = block;
    for (size_t i = 0; i < next->lost_count; i++) {
        const struct lith_entry *entry = &next->lost[i];
        if (!lith_name_index_find(&files, entry->name, &row) ||
            next->files[row].size != entry->size)
            rows[kept++] = *entry;
    }
    next->lost = rows;
    next->lost_count = kept;
    return LITH_OK;
}

/* What is noted of files that are no longer live, or were written again, is of no use. */
static enum lith_code notes_trim(struct lith_commit_build *b, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_name_index files;

    lith_arena_init(&scratch, b->arena->mem);
    if (b->next.quarantine_count == 0 && b->next.misplaced_count == 0)
        return LITH_OK;
    LITH_TRY(lith_commit_build_index(b->next.files, b->next.file_count, &scratch, &files, err));
    LITH_TRY(quarantine_trim(b, &files, err));
    return misplaced_trim(b, &files, err);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct lith_entry *)a)->name, ((const struct lith_entry *)b)->name);
}

enum lith_code lith_commit_build_end(struct lith_commit_build *b, struct lith_manifest *ret_next,
                                     struct lith_err *err)
{
    LITH_TRY(notes_trim(b, err));
    LITH_TRY(lost_trim(b, err));
    if (b->next.file_count)
        qsort(b->next.files, b->next.file_count, sizeof(*b->next.files), compare_names);
    LITH_TRY(lith_manifest_check(&b->next, b->arena->mem, err));
    *ret_next = b->next;
    return LITH_OK;
}

static enum lith_code text_own(struct lith_commit_build *b, const char **text, struct lith_err *err)
{
    void *copy = NULL;

    if (!*text)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(b->arena, *text, strlen(*text), &copy, err));
    *text = copy;
    return LITH_OK;
}

static enum lith_code row_own(struct lith_commit_build *b, const struct lith_entry *entry,
                              struct lith_entry *to, struct lith_err *err)
{
    *to = *entry;
    LITH_TRY(text_own(b, &to->name, err));
    LITH_TRY(text_own(b, &to->etag, err));
    to->generation = b->next.generation;
    to->commit_id = b->commit_id;
    to->at_ns = b->stamp->at_ns;
    return LITH_OK;
}

void lith_commit_build_name_file(struct lith_commit_build *b, const struct lith_entry *entry)
{
    struct lith_entry *to = &b->next.files[b->next.file_count++];

    *to = *entry;
    to->generation = b->next.generation;
    to->commit_id = b->commit_id;
    to->at_ns = b->stamp->at_ns;
}

enum lith_code lith_commit_build_add_file(struct lith_commit_build *b,
                                          const struct lith_entry *entry, struct lith_err *err)
{
    return row_own(b, entry, &b->next.files[b->next.file_count++], err);
}

enum lith_code lith_commit_build_add_retired(struct lith_commit_build *b,
                                             const struct lith_entry *entry, struct lith_err *err)
{
    return row_own(b, entry, &b->next.retired[b->next.retired_count++], err);
}

enum lith_code lith_commit_build_add_gone(struct lith_commit_build *b,
                                          const struct lith_entry *entry, struct lith_err *err)
{
    struct lith_entry *to = &b->next.gone[b->next.gone_count++];

    LITH_TRY(row_own(b, entry, to, err));
    to->generation = entry->generation; /* by which it was superseded */
    return LITH_OK;
}

enum lith_code lith_commit_build_add_lost(struct lith_commit_build *b,
                                          const struct lith_entry *entry, struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    void *block = NULL;

    LITH_TRY(lith_arena_array(b->arena, next->lost_count + 1, sizeof(*entry), &block, err));
    struct lith_entry *rows = block;
    if (next->lost_count)
        memcpy(rows, next->lost, next->lost_count * sizeof(*rows));
    LITH_TRY(row_own(b, entry, &rows[next->lost_count], err));
    rows[next->lost_count].commit_id = entry->commit_id;
    next->lost = rows;
    next->lost_count++;
    return LITH_OK;
}

enum lith_code lith_commit_build_supersede(struct lith_commit_build *b,
                                           const struct lith_entry *entries, size_t count,
                                           struct lith_err *err)
{
    struct lith_manifest *next = &b->next;

    for (size_t i = 0; i < count; i++) {
        struct lith_entry gone = entries[i];
        size_t kept = 0;
        for (size_t n = 0; n < next->lost_count; n++) {
            if (next->lost[n].size != gone.size || strcmp(next->lost[n].name, gone.name) != 0)
                next->lost[kept++] = next->lost[n];
        }
        if (kept == next->lost_count)
            return lith_fail(err, LITH_E_INVALID, "supersede: %s is not lost", gone.name);
        next->lost_count = kept;
        gone.has_crc = false;
        gone.generation = next->generation;
        LITH_TRY(lith_commit_build_add_gone(b, &gone, err));
    }
    return LITH_OK;
}

void lith_commit_build_drop(struct lith_entry *entries, size_t *count,
                            const struct lith_name_index *names)
{
    size_t kept = 0;
    size_t row = 0;

    for (size_t i = 0; i < *count; i++) {
        if (!lith_name_index_find(names, entries[i].name, &row))
            entries[kept++] = entries[i];
    }
    *count = kept;
}

bool lith_commit_build_is_gone(const struct lith_commit_build *b, const char *name, uint64_t size)
{
    size_t begin = 0;
    size_t count = lith_name_index_run(&b->gone, name, &begin);

    for (size_t i = begin; i < begin + count; i++) {
        if (b->base->gone[b->gone.refs[i].index].size == size)
            return true;
    }
    return false;
}

/* Its names are few against those of a partition, and most have none. */
enum lith_code lith_commit_build_stays(const struct lith_commit_build *b, const char *name,
                                       struct lith_err *err)
{
    if (LITH_GUARD(HANDED_STAYS, !lith_manifest_is_handed(b->base, name)))
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID, "%s is being rolled up into %s", name,
                     b->base->handed.parent);
}

enum lith_code lith_commit_build_output_check(const struct lith_commit_build *b,
                                              const struct lith_entry *output, struct lith_err *err)
{
    struct lith_output_name parts;
    size_t row = 0;

    if (!lith_output_name_parse(output->name, &parts) || strcmp(parts.pid, b->base->pid) != 0)
        return lith_fail(err, LITH_E_INVALID, "output %s is not named as one of partition %s",
                         output->name, b->base->pid);
    if (!LITH_GUARD(EPOCH, parts.epoch == b->base->epoch))
        return lith_fail(err, LITH_E_INVALID, "output %s is of another epoch than %" PRIu64,
                         output->name, b->base->epoch);
    bool is_known = lith_name_index_find(&b->files, output->name, &row) ||
                    lith_name_index_find(&b->retired, output->name, &row);
    if (is_known || !LITH_GUARD(OUTPUTS, !lith_commit_build_is_condemned(b, output->name)))
        return lith_fail(err, LITH_E_INVALID, "output %s is known already", output->name);
    return LITH_OK;
}

bool lith_commit_build_is_condemned(const struct lith_commit_build *b, const char *name)
{
    size_t row = 0;

    return lith_name_index_find(&b->condemned, name, &row);
}

enum lith_code lith_commit_build_index(const struct lith_entry *entries, size_t count,
                                       struct lith_arena *arena, struct lith_name_index *ret_index,
                                       struct lith_err *err)
{
    return lith_name_index_build(entries, count, sizeof(*entries),
                                 offsetof(struct lith_entry, name), arena, ret_index, err);
}

enum lith_code lith_commit_build_outcome(struct lith_commit_build *b, const char *policy_hash,
                                         const char *verdict, bool settled, uint64_t files_before,
                                         struct lith_err *err)
{
    struct lith_outcome outcome = {.writer = LITH_WRITER_VERSION,
                                   .files_before = files_before,
                                   .files_after = b->next.file_count,
                                   .verdict = verdict,
                                   .settled = settled};

    if (strlen(policy_hash) != sizeof(outcome.policy_hash) - 1)
        return lith_fail(err, LITH_E_INVALID, "policy hash \"%s\": 32 hex digits expected",
                         policy_hash);
    LITH_TRY(
        lith_live_hash(b->next.files, b->next.file_count, b->arena->mem, outcome.live_hash, err));
    memcpy(outcome.policy_hash, policy_hash, sizeof(outcome.policy_hash));
    for (size_t i = 0; i < b->next.file_count; i++)
        b->next.files[i].set = 0;
    b->next.outcome = outcome;
    b->next.has_outcome = true;
    return LITH_OK;
}
