/*
 * Sets of files that do not join, as a commit notes them.
 */
#include "job/set_notes.h"

#include <string.h>

static bool is_candidate(enum lith_file_reason reason)
{
    return reason == LITH_WHY_MERGE || reason == LITH_WHY_LADDER || reason == LITH_WHY_LEFT_ALONE ||
           reason == LITH_WHY_MAX_INPUTS || reason == LITH_WHY_SCHEMA || reason == LITH_WHY_REFUSED;
}

/* Marks the sets that files are of. False where one is not known. */
static bool sets_mark(const struct lith_look *look, bool *is_used)
{
    for (size_t i = 0; i < look->plan.file_count; i++) {
        const struct lith_plan_file *file = &look->plan.files[i];
        if (!is_candidate(file->reason))
            continue;
        uint32_t set = lith_fact_book_set(&look->book, file->file->object);
        if (set == 0)
            return false;
        is_used[set - 1] = true;
    }
    return true;
}

/* Numbers the marked sets from 1 on, and keeps what is between them, and what refuses them. True
 * where there is something to note. */
static bool sets_number(const struct lith_look *look, const bool *is_used, uint16_t *numbers,
                        struct lith_set_notes *notes)
{
    const struct lith_schema_sets *sets = &look->book.sets;
    bool is_refused = false;
    size_t count = 0;

    for (uint32_t i = 0; i < sets->count; i++) {
        if (!is_used[i])
            continue;
        if (count > 0)
            notes->conflicts[count - 1] = lith_schema_sets_conflict(sets, i + 1);
        notes->refusals[count] = look->refusals[i];
        is_refused = is_refused || look->refusals[i];
        numbers[i] = (uint16_t)++count;
    }
    notes->conflict_count = count ? count - 1 : 0;
    notes->refusal_count = is_refused ? count : 0;
    return count > 1 || is_refused;
}

static enum lith_code files_note(const struct lith_look *look, const uint16_t *numbers,
                                 struct lith_arena *arena, struct lith_set_notes *notes,
                                 struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, look->plan.file_count, sizeof(*notes->files), &block, err));
    notes->files = block;
    for (size_t i = 0; i < look->plan.file_count; i++) {
        const struct lith_plan_file *file = &look->plan.files[i];
        if (!is_candidate(file->reason))
            continue;
        uint16_t set = numbers[lith_fact_book_set(&look->book, file->file->object) - 1];
        if (file->reason == LITH_WHY_MERGE)
            notes->input_set = set;
        notes->files[notes->file_count++] = (struct lith_file_set){file->file->name, set};
    }
    return LITH_OK;
}

enum lith_code lith_set_notes_take(const struct lith_look *look, struct lith_arena *arena,
                                   struct lith_set_notes *ret_notes, struct lith_err *err)
{
    size_t set_count = look->book.sets.count;
    struct lith_set_notes notes = {0};
    void *blocks[4];

    *ret_notes = notes;
    /* Of more sets than are tried on each other it is not even known why. */
    if (set_count > LITH_UNION_SETS_MAX)
        return LITH_OK;
    LITH_TRY(lith_arena_array(arena, set_count, sizeof(bool), &blocks[0], err));
    LITH_TRY(lith_arena_array(arena, set_count, sizeof(uint16_t), &blocks[1], err));
    LITH_TRY(lith_arena_array(arena, set_count, sizeof(*notes.conflicts), &blocks[2], err));
    LITH_TRY(lith_arena_array(arena, set_count, sizeof(*notes.refusals), &blocks[3], err));
    notes.conflicts = blocks[2];
    notes.refusals = blocks[3];
    if (!sets_mark(look, blocks[0]) || !sets_number(look, blocks[0], blocks[1], &notes))
        return LITH_OK;
    LITH_TRY(files_note(look, blocks[1], arena, &notes, err));
    *ret_notes = notes;
    return LITH_OK;
}

/* The name under which a file's rows are from this commit on. */
static const char *name_after(const struct lith_merge_step *step, const char *name)
{
    for (size_t i = 0; step && step->outputs.count && i < step->input_count; i++) {
        if (strcmp(step->inputs[i].name, name) == 0)
            return step->outputs.outputs[0]->name;
    }
    return name;
}

enum lith_code lith_set_notes_list(const struct lith_set_notes *notes,
                                   const struct lith_merge_step *step, struct lith_arena *arena,
                                   struct lith_file_sets *ret_sets, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, notes->conflict_count, sizeof(char *), &block, err));
    const char **texts = block;
    for (size_t i = 0; i < notes->conflict_count; i++) {
        const struct lith_schema_conflict *conflict = notes->conflicts[i];
        LITH_TRY(lith_schema_conflict_text(conflict, name_after(step, conflict->left),
                                           name_after(step, conflict->right), arena, &texts[i],
                                           err));
    }
    *ret_sets = (struct lith_file_sets){
        .files = notes->files,
        .file_count = notes->file_count,
        .conflicts = texts,
        .conflict_count = notes->conflict_count,
        .refusals = notes->refusals,
        .refusal_count = notes->refusal_count,
    };
    return LITH_OK;
}
