/*
 * Commits that change the live set, as functions from one manifest to the next: adopt, lease,
 * compact, fold. Those of gc, and the undoing ones, have their own files.
 *
 * Each refuses what would lose or double a row, whatever its caller thinks: inputs must be live or
 * late, outputs must be new and of this epoch, and the rows must add up.
 */
#include "lake/commit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/guard.h"
#include "lake/commit_build.h"

void lith_stamp_draw(struct lith_env *env, int64_t at_ns, struct lith_stamp *ret_stamp)
{
    struct lith_hash128 id;

    env->random(env, &id, sizeof(id));
    lith_hash128_text(id, ret_stamp->commit_id);
    ret_stamp->at_ns = at_ns;
    ret_stamp->no_event = false;
    ret_stamp->journal = false;
}

/* What an adoption starts from: generation 1, or a foreign manifest's names and fields. */
static enum lith_code adopt_begin(struct lith_commit_build *b, const struct lith_manifest *base,
                                  const struct lith_adopt *adopt, const struct lith_stamp *stamp,
                                  struct lith_arena *arena, struct lith_err *err)
{
    static const struct lith_manifest nothing;
    void *id = NULL;
    void *blocks[2] = {0};
    size_t rows = adopt->listing->object_count;

    *b = (struct lith_commit_build){.base = base ? base : &nothing, .stamp = stamp, .arena = arena};
    LITH_TRY(lith_arena_copy(arena, stamp->commit_id, strlen(stamp->commit_id), &id, err));
    b->commit_id = id;
    b->next = (struct lith_manifest){.name = base ? base->name : adopt->manifest_name,
                                     .generation = b->base->generation + 1,
                                     .epoch = 1,
                                     .commit_id = id,
                                     .committed_at_ns = stamp->at_ns,
                                     .raw = b->base->raw};
    memcpy(b->next.pid, adopt->pid, sizeof(b->next.pid));
    LITH_TRY(lith_commit_build_index(b->base->files, b->base->file_count, arena, &b->files, err));
    LITH_TRY(lith_arena_array(arena, rows, sizeof(struct lith_entry), &blocks[0], err));
    LITH_TRY(lith_arena_array(arena, base ? rows : 0, sizeof(struct lith_entry), &blocks[1], err));
    b->next.files = blocks[0];
    b->next.gone = blocks[1];
    LITH_TRY(lith_arena_array(arena, 1, sizeof(*b->next.log), &blocks[0], err));
    b->next.log = blocks[0];
    b->next.log[0] = (struct lith_log_entry){.generation = b->next.generation,
                                             .commit_id = id,
                                             .epoch = 1,
                                             .op = LITH_OP_ADOPT,
                                             .at_ns = stamp->at_ns,
                                             .event = stamp->no_event};
    b->next.log_count = 1;
    return LITH_OK;
}

enum lith_code lith_commit_adopt(const struct lith_manifest *base, const struct lith_adopt *adopt,
                                 const struct lith_stamp *stamp, struct lith_arena *arena,
                                 struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;
    size_t row = 0;

    if (base && !base->foreign)
        return lith_fail(err, LITH_E_INVALID, "%s: the partition is adopted already", base->name);
    if (base && base->generation >= INT64_MAX)
        return lith_fail(err, LITH_E_LIMIT, "%s: generation %" PRIu64, base->name,
                         base->generation);
    LITH_TRY(adopt_begin(&b, base, adopt, stamp, arena, err));
    for (size_t i = 0; i < adopt->listing->object_count; i++) {
        const struct lith_object *object = &adopt->listing->objects[i];
        struct lith_entry entry = {
            .name = object->name, .etag = object->etag, .size = object->size};
        /* What is held was superseded, or taken out: only a manifest of ours can want it back. */
        if (!lith_name_is_data(object->name) || object->is_held)
            continue;
        bool named = base && lith_name_index_find(&b.files, object->name, &row);
        if (!base || named || adopt->unlisted_live)
            lith_commit_build_name_file(&b, &entry);
        else
            LITH_TRY(lith_commit_build_add_gone(&b, &entry, err));
    }
    struct lith_name_index present = {0};
    if (base)
        LITH_TRY(lith_commit_build_index(b.next.files, b.next.file_count, arena, &present, err));
    for (size_t i = 0; base && i < b.files.count; i++) {
        if (!lith_name_index_find(&present, b.files.refs[i].name, &row))
            return lith_fail(err, LITH_E_INVALID, "%s names %s, which is not there", base->name,
                             b.files.refs[i].name);
    }
    return lith_commit_build_end(&b, ret_next, err);
}

enum lith_code lith_commit_lease(const struct lith_manifest *base, const struct lith_stamp *stamp,
                                 struct lith_arena *arena, struct lith_manifest *ret_next,
                                 struct lith_err *err)
{
    struct lith_commit_build b;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_LEASE, true, 0, stamp, arena, err));
    return lith_commit_build_end(&b, ret_next, err);
}

static bool identity_equal(const struct lith_entry *a, const struct lith_entry *b)
{
    return a->size == b->size && a->etag && b->etag && strcmp(a->etag, b->etag) == 0;
}

/* What a job puts in and takes out must have been read, or written, to the end. */
static enum lith_code rows_sum(const struct lith_entry *entries, size_t count, uint64_t *ret_rows,
                               struct lith_err *err)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < count; i++) {
        if (!entries[i].has_rows || !entries[i].has_crc || !entries[i].etag)
            return lith_fail(err, LITH_E_INVALID, "%s: without its rows, crc32 or etag",
                             entries[i].name);
        if (!lith_add_u64(rows, entries[i].rows, &rows))
            return lith_fail(err, LITH_E_LIMIT, "more than 2^64 rows");
    }
    *ret_rows = rows;
    return LITH_OK;
}

/* Live with the identity that was read, or late: not known to the manifest at all. */
static enum lith_code input_check(const struct lith_commit_build *b, const struct lith_entry *input,
                                  struct lith_err *err)
{
    size_t row = 0;

    if (lith_guard_is_out(LITH_GUARD_INPUTS))
        return LITH_OK;
    LITH_TRY(lith_commit_build_stays(b, input->name, err));
    if (lith_name_index_find(&b->files, input->name, &row)) {
        const struct lith_entry *entry = &b->base->files[row];
        if (!identity_equal(entry, input))
            return lith_fail(err, LITH_E_INVALID, "input %s is %s, the manifest names %s",
                             input->name, input->etag, entry->etag);
        if (entry->has_rows && entry->rows != input->rows)
            return lith_fail(err, LITH_E_INVALID,
                             "input %s: %" PRIu64 " rows read, the manifest names %" PRIu64,
                             input->name, input->rows, entry->rows);
        return LITH_OK;
    }
    if (!lith_name_is_data(input->name) || lith_name_index_find(&b->retired, input->name, &row) ||
        lith_commit_build_is_gone(b, input->name, input->size) ||
        lith_commit_build_is_condemned(b, input->name) ||
        lith_output_name_is_of(input->name, b->base->pid))
        return lith_fail(err, LITH_E_INVALID, "input %s is not live", input->name);
    return LITH_OK;
}

static int compare_sets(const void *a, const void *b)
{
    return strcmp(((const struct lith_file_set *)a)->name, ((const struct lith_file_set *)b)->name);
}

static uint16_t set_of(const struct lith_file_sets *sets, const char *name)
{
    struct lith_file_set key = {.name = name};
    const struct lith_file_set *found =
        sets->file_count ? bsearch(&key, sets->files, sets->file_count, sizeof(key), compare_sets)
                         : NULL;

    return found ? found->set : 0;
}

static enum lith_code texts_copy(struct lith_arena *arena, const char *const *from, size_t count,
                                 const char *const **ret_texts, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, count, sizeof(char *), &block, err));
    const char **texts = block;
    for (size_t i = 0; i < count; i++) {
        if (!from[i])
            continue;
        LITH_TRY(lith_arena_copy(arena, from[i], strlen(from[i]), &block, err));
        texts[i] = block;
    }
    *ret_texts = texts;
    return LITH_OK;
}

/* Notes the sets in the rows of files, and what is known of them in the outcome. */
static enum lith_code sets_note(struct lith_commit_build *b, const struct lith_file_sets *sets,
                                struct lith_err *err)
{
    struct lith_outcome *outcome = &b->next.outcome;

    if (sets->file_count == 0)
        return LITH_OK;
    LITH_ASSERT(strlen(sets->hash) == sizeof(outcome->sets_hash) - 1);
    memcpy(outcome->sets_hash, sets->hash, sizeof(outcome->sets_hash));
    for (size_t i = 0; i < b->next.file_count; i++)
        b->next.files[i].set = set_of(sets, b->next.files[i].name);
    LITH_TRY(texts_copy(b->arena, sets->conflicts, sets->conflict_count, &outcome->conflicts, err));
    LITH_TRY(texts_copy(b->arena, sets->refusals, sets->refusal_count, &outcome->refusals, err));
    outcome->conflict_count = sets->conflict_count;
    outcome->refusal_count = sets->refusal_count;
    return LITH_OK;
}

enum lith_code lith_commit_compact(const struct lith_manifest *base,
                                   const struct lith_compact *compact,
                                   const struct lith_stamp *stamp, struct lith_arena *arena,
                                   struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;
    struct lith_name_index inputs;
    uint64_t rows_in = 0;
    uint64_t rows_out = 0;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_COMPACT, false,
                                     compact->input_count + compact->output_count, stamp, arena,
                                     err));
    LITH_TRY(rows_sum(compact->inputs, compact->input_count, &rows_in, err));
    LITH_TRY(rows_sum(compact->outputs, compact->output_count, &rows_out, err));
    if (rows_in != rows_out)
        return lith_fail(err, LITH_E_INVALID, "%" PRIu64 " rows went in, %" PRIu64 " came out",
                         rows_in, rows_out);
    LITH_TRY(lith_commit_build_index(compact->inputs, compact->input_count, arena, &inputs, err));
    if (lith_name_index_double(&inputs))
        return lith_fail(err, LITH_E_INVALID, "input %s twice", lith_name_index_double(&inputs));
    for (size_t i = 0; i < compact->input_count; i++) {
        struct lith_entry entry = compact->inputs[i];
        size_t row = 0;
        LITH_TRY(input_check(&b, &entry, err));
        entry.raw = lith_name_index_find(&b.files, entry.name, &row) ? base->files[row].raw : NULL;
        LITH_TRY(lith_commit_build_add_retired(&b, &entry, err));
    }
    lith_commit_build_drop(b.next.files, &b.next.file_count, &inputs);
    uint64_t before = b.next.file_count + compact->input_count;
    for (size_t i = 0; i < compact->output_count; i++) {
        LITH_TRY(lith_commit_build_output_check(&b, &compact->outputs[i], err));
        LITH_TRY(lith_commit_build_add_file(&b, &compact->outputs[i], err));
    }
    const char *verdict = b.next.file_count < before ? "reduced" : "unchanged";
    LITH_TRY(lith_commit_build_outcome(&b, compact->policy_hash, verdict, compact->settled, before,
                                       err));
    LITH_TRY(sets_note(&b, &compact->sets, err));
    size_t kept = b.next.file_count - compact->output_count; /* outputs were added last */
    for (size_t i = kept; compact->sets.file_count && i < b.next.file_count; i++)
        b.next.files[i].set = compact->output_set;
    return lith_commit_build_end(&b, ret_next, err);
}

/* Might the file be one that is gone? */
static bool may_be_gone(const struct lith_commit_build *b, const struct lith_entry *file)
{
    size_t begin = 0;
    size_t count = lith_name_index_run(&b->gone, file->name, &begin);

    for (size_t i = begin; i < begin + count; i++) {
        const struct lith_entry *gone = &b->base->gone[b->gone.refs[i].index];
        bool differs = gone->has_crc && file->has_crc && gone->crc32 != file->crc32;
        if (gone->size == file->size && !differs)
            return true;
    }
    return false;
}

/* A late file, or one whose name was used before for other bytes. */
static enum lith_code fold_one(struct lith_commit_build *b, const struct lith_entry *file,
                               struct lith_err *err)
{
    const struct lith_entry *lost = lith_manifest_lost(b->base, file->name, file->size);
    bool is_back = lost && lost->has_crc && file->has_crc && lost->crc32 == file->crc32;
    size_t row = 0;

    if (!lith_name_is_data(file->name) || !file->etag ||
        lith_name_index_find(&b->files, file->name, &row) ||
        lith_commit_build_is_condemned(b, file->name) ||
        (lith_output_name_is_of(file->name, b->base->pid) && !is_back) || may_be_gone(b, file))
        return lith_fail(err, LITH_E_INVALID, "fold: %s is not late", file->name);
    if (lith_name_index_find(&b->retired, file->name, &row)) {
        const struct lith_entry *old = &b->base->retired[row];
        if (identity_equal(old, file))
            return lith_fail(err, LITH_E_INVALID, "fold: %s is retired", file->name);
        LITH_TRY(lith_commit_build_add_gone(b, old, err));
    }
    /* Its writer may write it again at any time: only of what we merged, or wrote, a checksum
     * binds. */
    struct lith_entry named = *file;
    named.has_crc = is_back;
    return lith_commit_build_add_file(b, &named, err);
}

static enum lith_code refresh_one(struct lith_commit_build *b, const struct lith_entry *entry,
                                  struct lith_err *err)
{
    size_t row = 0;
    void *etag = NULL;

    if (!lith_name_index_find(&b->retired, entry->name, &row))
        return lith_fail(err, LITH_E_INVALID, "refresh: %s is not retired", entry->name);
    struct lith_entry *old = &b->next.retired[row];
    bool same_rows = !old->has_rows || (entry->has_rows && old->rows == entry->rows);
    if (!entry->etag || !entry->has_crc || !old->has_crc || old->crc32 != entry->crc32 ||
        old->size != entry->size || !same_rows)
        return lith_fail(err, LITH_E_INVALID, "refresh: %s has other contents", entry->name);
    LITH_TRY(lith_arena_copy(b->arena, entry->etag, strlen(entry->etag), &etag, err));
    old->etag = etag;
    old->at_ns = b->stamp->at_ns;
    return LITH_OK;
}

/* A live file that its writer has written again. Where it was read to its end before it must be the
 * same: its rows may be nowhere else. */
static enum lith_code renew_one(struct lith_commit_build *b, const struct lith_entry *file,
                                struct lith_err *err)
{
    size_t row = 0;
    void *etag = NULL;

    if (!lith_name_index_find(&b->files, file->name, &row))
        return lith_fail(err, LITH_E_INVALID, "renew: %s is not live", file->name);
    struct lith_entry *entry = &b->next.files[row];
    LITH_TRY(lith_commit_build_stays(b, file->name, err));
    if (!file->etag || !file->has_rows ||
        (entry->has_crc && (!file->has_crc || file->crc32 != entry->crc32)))
        return lith_fail(err, LITH_E_INVALID, "renew: %s has other contents", file->name);
    LITH_TRY(lith_arena_copy(b->arena, file->etag, strlen(file->etag), &etag, err));
    entry->etag = etag;
    entry->size = file->size;
    entry->rows = file->rows;
    entry->has_rows = true;
    return LITH_OK;
}

/* Takes a file out of `gone`; false where it was not there. */
static bool gone_take(struct lith_manifest *next, const struct lith_entry *file)
{
    size_t kept = 0;

    for (size_t i = 0; i < next->gone_count; i++) {
        const struct lith_entry *gone = &next->gone[i];
        bool same = gone->has_crc && gone->crc32 == file->crc32 && gone->size == file->size &&
                    strcmp(gone->name, file->name) == 0;
        if (!same)
            next->gone[kept++] = *gone;
    }
    bool found = kept < next->gone_count;
    next->gone_count = kept;
    return found;
}

/* What was gone is there again: it is retired anew. An entry of that name for other bytes, whose
 * file this one has replaced, is of the past. */
static enum lith_code replay_one(struct lith_commit_build *b, const struct lith_entry *file,
                                 struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    size_t row = 0;

    if (!file->etag || !file->has_crc || lith_name_index_find(&b->files, file->name, &row) ||
        lith_commit_build_is_condemned(b, file->name) || !gone_take(next, file))
        return lith_fail(err, LITH_E_INVALID, "replay: %s is not gone", file->name);
    for (size_t i = 0; i < next->retired_count; i++) {
        if (strcmp(next->retired[i].name, file->name) != 0)
            continue;
        LITH_TRY(lith_commit_build_add_gone(b, &next->retired[i], err));
        next->retired[i] = next->retired[--next->retired_count];
        break;
    }
    return lith_commit_build_add_retired(b, file, err);
}

/* New entries replace older ones of the same name. */
static enum lith_code quarantine_add(struct lith_commit_build *b, const struct lith_fold *fold,
                                     struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    struct lith_name_index fresh;
    void *block = NULL;
    size_t kept = 0;
    size_t row = 0;

    LITH_TRY(lith_name_index_build(fold->quarantine, fold->quarantine_count,
                                   sizeof(*fold->quarantine),
                                   offsetof(struct lith_quarantine, name), b->arena, &fresh, err));
    LITH_TRY(lith_arena_array(b->arena, next->quarantine_count + fold->quarantine_count,
                              sizeof(*next->quarantine), &block, err));
    struct lith_quarantine *rows = block;
    for (size_t i = 0; i < next->quarantine_count; i++) {
        if (!lith_name_index_find(&fresh, next->quarantine[i].name, &row))
            rows[kept++] = next->quarantine[i];
    }
    for (size_t i = 0; i < fold->quarantine_count; i++)
        rows[kept++] = fold->quarantine[i];
    next->quarantine = rows;
    next->quarantine_count = kept;
    return LITH_OK;
}

/* New notes replace those of the same name, and all that were made under other rules. */
static enum lith_code misplaced_add(struct lith_commit_build *b, const struct lith_fold *fold,
                                    struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    struct lith_name_index fresh;
    void *block = NULL;
    size_t kept = 0;
    size_t row = 0;

    LITH_TRY(lith_name_index_build(fold->misplaced, fold->misplaced_count, sizeof(*fold->misplaced),
                                   offsetof(struct lith_misplaced, name), b->arena, &fresh, err));
    LITH_TRY(lith_arena_array(b->arena, next->misplaced_count + fold->misplaced_count,
                              sizeof(*next->misplaced), &block, err));
    struct lith_misplaced *rows = block;
    for (size_t i = 0; i < next->misplaced_count; i++) {
        if (strcmp(next->misplaced[i].rules, fold->misplaced[0].rules) == 0 &&
            !lith_name_index_find(&fresh, next->misplaced[i].name, &row))
            rows[kept++] = next->misplaced[i];
    }
    for (size_t i = 0; i < fold->misplaced_count; i++)
        rows[kept++] = fold->misplaced[i];
    next->misplaced = rows;
    next->misplaced_count = kept;
    return LITH_OK;
}

enum lith_code lith_commit_fold(const struct lith_manifest *base, const struct lith_fold *fold,
                                const struct lith_stamp *stamp, struct lith_arena *arena,
                                struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;
    struct lith_name_index folded;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_FOLD, false,
                                     fold->file_count + fold->replay_count + fold->superseded_count,
                                     stamp, arena, err));
    for (size_t i = 0; i < fold->renewed_count; i++)
        LITH_TRY(renew_one(&b, &fold->renewed[i], err));
    for (size_t i = 0; i < fold->refreshed_count; i++)
        LITH_TRY(refresh_one(&b, &fold->refreshed[i], err));
    for (size_t i = 0; i < fold->file_count; i++)
        LITH_TRY(fold_one(&b, &fold->files[i], err));
    LITH_TRY(lith_commit_build_index(fold->files, fold->file_count, arena, &folded, err));
    lith_commit_build_drop(b.next.retired, &b.next.retired_count, &folded);
    for (size_t i = 0; i < fold->replay_count; i++)
        LITH_TRY(replay_one(&b, &fold->replays[i], err));
    LITH_TRY(lith_commit_build_supersede(&b, fold->superseded, fold->superseded_count, err));
    if (fold->quarantine_count)
        LITH_TRY(quarantine_add(&b, fold, err));
    if (fold->misplaced_count)
        LITH_TRY(misplaced_add(&b, fold, err));
    if (b.next.has_outcome)
        LITH_TRY(sets_note(&b, &fold->sets, err));
    return lith_commit_build_end(&b, ret_next, err);
}
