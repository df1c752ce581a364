/*
 * Commits of a roll-up: files of partitions become rows of the one above them.
 *
 * Each child hands names to one commit of the parent; that commit is the one that counts; then the
 * children let the names go. A name that is handed is live here until the parent has taken it, and
 * no other commit moves it meanwhile. DESIGN.md section 6.6.
 */
#include <inttypes.h>
#include <string.h>

#include "lake/commit_build.h"

static enum lith_code text_copy(struct lith_commit_build *b, const char *text,
                                const char **ret_text, struct lith_err *err)
{
    void *copy = NULL;

    LITH_TRY(lith_arena_copy(b->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

enum lith_code lith_commit_hand(const struct lith_manifest *base, const struct lith_hand *hand,
                                const struct lith_stamp *stamp, struct lith_arena *arena,
                                struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;
    struct lith_name_index index;
    void *block = NULL;
    size_t row = 0;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_HAND, false, 0, stamp, arena, err));
    if (base->has_handed)
        return lith_fail(err, LITH_E_INVALID, "hand: files are handed to %s already",
                         base->handed.parent);
    LITH_TRY(lith_commit_build_index(hand->inputs, hand->input_count, arena, &index, err));
    if (lith_name_index_double(&index))
        return lith_fail(err, LITH_E_INVALID, "hand: %s twice", lith_name_index_double(&index));
    LITH_TRY(lith_arena_array(arena, hand->input_count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *files = block;
    struct lith_handed *handed = &b.next.handed;
    *handed = (struct lith_handed){
        .at_ns = stamp->at_ns, .files = files, .file_count = hand->input_count};
    for (size_t i = 0; i < hand->input_count; i++) {
        const struct lith_entry *input = &hand->inputs[i];
        if (!lith_name_index_find(&b.files, input->name, &row))
            return lith_fail(err, LITH_E_INVALID, "hand: %s is not live", input->name);
        const struct lith_entry *entry = &base->files[row];
        bool same_rows = input->has_rows && (!entry->has_rows || entry->rows == input->rows);
        if (entry->size != input->size || strcmp(entry->etag, input->etag) != 0 || !same_rows ||
            !input->has_crc)
            return lith_fail(err, LITH_E_INVALID, "hand: %s is not what was read", input->name);
        files[i] = (struct lith_entry){.name = entry->name,
                                       .size = entry->size,
                                       .rows = input->rows,
                                       .has_rows = true,
                                       .crc32 = input->crc32,
                                       .has_crc = true};
    }
    LITH_TRY(text_copy(&b, hand->parent, &handed->parent, err));
    LITH_TRY(text_copy(&b, hand->commit_id, &handed->commit_id, err));
    b.next.has_handed = true;
    return lith_commit_build_end(&b, ret_next, err);
}

static enum lith_code handed_check(const struct lith_manifest *base, const char *commit_id,
                                   const char *op, struct lith_err *err)
{
    if (base && base->has_handed && strcmp(base->handed.commit_id, commit_id) == 0)
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID, "%s: nothing is handed to commit %s", op, commit_id);
}

enum lith_code lith_commit_moved(const struct lith_manifest *base, const char *commit_id,
                                 const struct lith_stamp *stamp, struct lith_arena *arena,
                                 struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;
    struct lith_name_index names;
    size_t row = 0;

    LITH_TRY(handed_check(base, commit_id, "moved", err));
    size_t count = base->handed.file_count;
    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_MOVED, false, count, stamp, arena, err));
    for (size_t i = 0; i < count; i++) {
        const struct lith_entry *file = &base->handed.files[i];
        if (!lith_name_index_find(&b.files, file->name, &row))
            return lith_fail(err, LITH_E_INVALID, "moved: %s is not live", file->name);
        struct lith_entry entry = base->files[row];
        entry.rows = file->rows;
        entry.has_rows = file->has_rows;
        entry.crc32 = file->crc32;
        entry.has_crc = file->has_crc;
        LITH_TRY(lith_commit_build_add_retired(&b, &entry, err));
    }
    LITH_TRY(lith_commit_build_index(base->handed.files, count, arena, &names, err));
    lith_commit_build_drop(b.next.files, &b.next.file_count, &names);
    b.next.has_handed = false;
    return lith_commit_build_end(&b, ret_next, err);
}

enum lith_code lith_commit_unhand(const struct lith_manifest *base, const char *commit_id,
                                  const struct lith_stamp *stamp, struct lith_arena *arena,
                                  struct lith_manifest *ret_next, struct lith_err *err)
{
    struct lith_commit_build b;

    LITH_TRY(handed_check(base, commit_id, "unhand", err));
    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_UNHAND, false, 0, stamp, arena, err));
    b.next.has_handed = false;
    return lith_commit_build_end(&b, ret_next, err);
}

static enum lith_code taken_add(struct lith_commit_build *b, struct lith_err *err)
{
    const struct lith_manifest *base = b->base;
    void *block = NULL;

    LITH_TRY(lith_arena_array(b->arena, base->taken_count + 1, sizeof(*base->taken), &block, err));
    struct lith_taken *taken = block;
    if (base->taken_count)
        memcpy(taken, base->taken, base->taken_count * sizeof(*taken));
    taken[base->taken_count] =
        (struct lith_taken){.commit_id = b->commit_id, .at_ns = b->stamp->at_ns};
    b->next.taken = taken;
    b->next.taken_count = base->taken_count + 1;
    return LITH_OK;
}

enum lith_code lith_commit_rollup(const struct lith_manifest *base,
                                  const struct lith_rollup *rollup, const struct lith_stamp *stamp,
                                  struct lith_arena *arena, struct lith_manifest *ret_next,
                                  struct lith_err *err)
{
    struct lith_commit_build b;
    uint64_t rows = 0;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_ROLLUP, false, rollup->output_count, stamp,
                                     arena, err));
    for (size_t i = 0; i < rollup->output_count; i++) {
        LITH_TRY(lith_commit_build_output_check(&b, &rollup->outputs[i], err));
        rows += rollup->outputs[i].rows;
        LITH_TRY(lith_commit_build_add_file(&b, &rollup->outputs[i], err));
    }
    if (rows != rollup->rows)
        return lith_fail(err, LITH_E_INVALID, "%" PRIu64 " rows went in, %" PRIu64 " came out",
                         rollup->rows, rows);
    LITH_TRY(taken_add(&b, err));
    return lith_commit_build_end(&b, ret_next, err);
}
