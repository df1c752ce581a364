/*
 * Commits that take files out again: rollback of the last compaction, retire.
 */
#include <inttypes.h>
#include <string.h>

#include "base/guard.h"
#include "lake/commit_build.h"

/* The last compaction, when nothing since has touched what it made. */
static enum lith_code last_compact(const struct lith_manifest *base,
                                   const struct lith_log_entry **ret_entry, struct lith_err *err)
{
    for (size_t i = base->log_count; i > 0; i--) {
        const struct lith_log_entry *entry = &base->log[i - 1];
        if (entry->op == LITH_OP_COMPACT) {
            *ret_entry = entry;
            return LITH_OK;
        }
        if (entry->op == LITH_OP_ROLLBACK)
            return lith_fail(err, LITH_E_INVALID,
                             "rollback: the last compaction was rolled back already, in generation "
                             "%" PRIu64,
                             entry->generation);
        if (entry->op == LITH_OP_RESTORE || entry->op == LITH_OP_RETIRE ||
            entry->op == LITH_OP_REPAIR || entry->op == LITH_OP_ROLLUP ||
            entry->op == LITH_OP_MOVED || entry->op == LITH_OP_OTHER)
            return lith_fail(err, LITH_E_INVALID,
                             "rollback: generation %" PRIu64 " was a %s; the compaction before it "
                             "cannot be undone any more",
                             entry->generation, lith_op_name(entry->op));
    }
    return lith_fail(err, LITH_E_INVALID, "rollback: the log has no compaction");
}

/* An input that can come back: there, with the identity that was retired, and not condemned. */
static enum lith_code input_check(const struct lith_commit_build *b,
                                  const struct lith_listing *listing,
                                  const struct lith_entry *input, struct lith_err *err)
{
    const struct lith_object *object = lith_listing_find(listing, input->name);

    if (!LITH_GUARD(ROLLBACK_FENCED, !lith_commit_build_is_condemned(b, input->name)))
        return lith_fail(err, LITH_E_INVALID, "rollback: %s is being deleted", input->name);
    if (!object)
        return lith_fail(err, LITH_E_INVALID, "rollback: %s is not there any more", input->name);
    if (object->size != input->size || strcmp(object->etag, input->etag) != 0)
        return lith_fail(err, LITH_E_INVALID, "rollback: %s is %s, was %s", input->name,
                         object->etag, input->etag);
    return LITH_OK;
}

/* Moves the rows of one commit from one table to the other; counts their rows. */
static enum lith_code outputs_retire(struct lith_commit_build *b, const char *commit_id,
                                     uint64_t *ret_rows, struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    size_t kept = 0;

    for (size_t i = 0; i < next->file_count; i++) {
        struct lith_entry entry = next->files[i];
        if (strcmp(entry.commit_id, commit_id) != 0) {
            next->files[kept++] = entry;
            continue;
        }
        *ret_rows += entry.rows;
        LITH_TRY(lith_commit_build_add_retired(b, &entry, err));
    }
    next->file_count = kept;
    return LITH_OK;
}

static enum lith_code inputs_return(struct lith_commit_build *b, const struct lith_listing *listing,
                                    const char *commit_id, uint64_t *ret_rows, size_t *ret_count,
                                    struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    size_t kept = 0;

    for (size_t i = 0; i < next->retired_count; i++) {
        struct lith_entry entry = next->retired[i];
        if (strcmp(entry.commit_id, commit_id) != 0) {
            next->retired[kept++] = entry;
            continue;
        }
        LITH_TRY(input_check(b, listing, &entry, err));
        *ret_rows += entry.rows;
        (*ret_count)++;
        LITH_TRY(lith_commit_build_add_file(b, &entry, err));
    }
    next->retired_count = kept;
    return LITH_OK;
}

enum lith_code lith_commit_rollback(const struct lith_manifest *base,
                                    const struct lith_listing *listing,
                                    const struct lith_stamp *stamp, struct lith_arena *arena,
                                    struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;
    const struct lith_log_entry *compact = NULL;
    uint64_t rows_back = 0;
    uint64_t rows_out = 0;
    size_t inputs = 0;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_ROLLBACK, false,
                                     base->file_count + base->retired_count, stamp, arena, err));
    LITH_TRY(last_compact(base, &compact, err));
    if (!LITH_GUARD(HANDED_STAYS, !base->has_handed))
        return lith_fail(err, LITH_E_INVALID, "rollback: files are being rolled up into %s",
                         base->handed.parent);
    LITH_TRY(inputs_return(&b, listing, compact->commit_id, &rows_back, &inputs, err));
    LITH_TRY(outputs_retire(&b, compact->commit_id, &rows_out, err));
    if (inputs == 0)
        return lith_fail(err, LITH_E_INVALID, "rollback: the inputs are deleted already");
    if (rows_back != rows_out)
        return lith_fail(err, LITH_E_INVALID,
                         "rollback: %" PRIu64 " rows would come back for %" PRIu64
                         "; some of the inputs are deleted already",
                         rows_back, rows_out);
    LITH_TRY(lith_commit_build_outcome(&b, base->has_outcome ? base->outcome.policy_hash : "",
                                       "rolled_back", true, base->file_count, err));
    return lith_commit_build_end(&b, ret_next, err);
}

enum lith_code lith_commit_retire(const struct lith_manifest *base, const struct lith_entry *files,
                                  size_t count, const struct lith_stamp *stamp,
                                  struct lith_arena *arena, struct lith_manifest *ret_next,
                                  struct lith_err *err)
{
    struct lith_commit_build b;
    struct lith_name_index index;
    size_t row = 0;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_RETIRE, false, count, stamp, arena, err));
    LITH_TRY(lith_commit_build_index(files, count, arena, &index, err));
    if (lith_name_index_double(&index))
        return lith_fail(err, LITH_E_INVALID, "retire: %s twice", lith_name_index_double(&index));
    for (size_t i = 0; i < count; i++) {
        if (!lith_name_index_find(&b.files, files[i].name, &row))
            return lith_fail(err, LITH_E_INVALID,
                             "retire: %s is not in the manifest; a late file is folded first",
                             files[i].name);
        LITH_TRY(lith_commit_build_stays(&b, files[i].name, err));
        struct lith_entry entry = base->files[row];
        if (files[i].has_crc) {
            entry.crc32 = files[i].crc32;
            entry.has_crc = true;
        }
        LITH_TRY(lith_commit_build_add_retired(&b, &entry, err));
    }
    lith_commit_build_drop(b.next.files, &b.next.file_count, &index);
    return lith_commit_build_end(&b, ret_next, err);
}
