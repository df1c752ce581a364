/*
 * What is held is judged by what is shown.
 */
#include "job/repair_held.h"

#include <string.h>

#include "lake/output_name.h"

struct judging {
    struct lith_repair_held held;
    struct lith_arena *arena;
    bool *leaves; /* by kin: shown, and leaves */
    bool *marks;  /* by kin: is shown, or something that is shown was made of it */
};

static bool is_shown(const struct judging *j, size_t kin)
{
    const struct lith_object *object = j->held.lineage.files[kin].object;

    return object && !object->is_held;
}

/* By name and size: kins of a list of what is shown alone have other numbers. */
static void leaving_mark(struct judging *j, const struct lith_repair_shown *shown)
{
    for (size_t i = 0; i < shown->out_count; i++) {
        const struct lith_kin *kin = &shown->lineage->files[shown->out[i]];
        size_t at = lith_lineage_find(&j->held.lineage, kin->name, kin->size);
        LITH_ASSERT(at != LITH_NO_KIN);
        j->leaves[at] = true;
    }
}

/* A file that is shown beside what was made of it through files that are held, and of which those
 * that are shown do not tell; or LITH_NO_KIN. `marks` of what `kin` was made of. */
static size_t doubled_find(const struct judging *j, size_t kin, const bool *marks)
{
    for (size_t i = 0; i < j->held.lineage.count; i++) {
        if (i != kin && marks[i] && is_shown(j, i) && !j->leaves[i])
            return i;
    }
    return LITH_NO_KIN;
}

/* Marks what the files that are shown were made of, and themselves. */
static enum lith_code shown_mark(struct judging *j, struct lith_err *err)
{
    const struct lith_lineage *lineage = &j->held.lineage;
    void *block;
    char *why;

    LITH_TRY(lith_arena_array(j->arena, lineage->count, sizeof(bool), &block, err));
    bool *own = block;
    LITH_TRY(lith_arena_array(j->arena, lineage->count, sizeof(size_t), &block, err));
    for (size_t i = 0; i < lineage->count && !j->held.refusal; i++) {
        if (!is_shown(j, i))
            continue;
        lith_lineage_mark(lineage, i, j->marks, block);
        if (!lineage->files[i].is_output)
            continue;
        memset(own, 0, lineage->count * sizeof(*own));
        lith_lineage_mark(lineage, i, own, block);
        size_t doubled = doubled_find(j, i, own);
        if (doubled == LITH_NO_KIN)
            continue;
        LITH_TRY(lith_arena_format(j->arena, &why, err,
                                   "%s was made of %s through files that are held beside the lake, "
                                   "and both are shown: take one of them out of the partition",
                                   lineage->files[i].name, lineage->files[doubled].name));
        j->held.refusal = why;
    }
    return LITH_OK;
}

/* Is it an output all of whose rows are in what is marked? Then it was never committed, or was
 * rolled back. */
static bool is_made_of_marked(const struct judging *j, size_t kin)
{
    const struct lith_kin *file = &j->held.lineage.files[kin];
    bool is = file->is_output;

    for (size_t i = 0; is && i < file->input_count; i++)
        is = j->marks[file->inputs[i]];
    return is;
}

/* Rows of what nothing shown was made of may be nowhere else, or have been taken out. */
static enum lith_code held_choose(struct judging *j, struct lith_err *err)
{
    struct lith_repair_held *held = &j->held;
    char *why;

    for (size_t i = 0; i < held->lineage.count && !held->refusal; i++) {
        const struct lith_kin *kin = &held->lineage.files[i];
        if (!kin->object || !kin->object->is_held)
            continue;
        if (j->marks[i]) {
            held->kins[held->kin_count++] = i;
        } else if (!is_made_of_marked(j, i)) {
            LITH_TRY(lith_arena_format(j->arena, &why, err,
                                       "%s is held beside the lake (_held), and nothing that is "
                                       "shown was made of it: put it into the partition if its "
                                       "rows are to count; else lithify adopt makes a manifest of "
                                       "what is shown, and gc takes what is held",
                                       kin->name));
            held->refusal = why;
        }
    }
    return LITH_OK;
}

/* Does the output tell whose manifest it was: held, or made of what is? Others may have been moved
 * here. */
static bool tells_pid(const struct judging *j, const struct lith_kin *kin)
{
    bool tells = kin->object && kin->object->is_held;

    for (size_t i = 0; i < kin->input_count && !tells; i++) {
        const struct lith_object *input = j->held.lineage.files[kin->inputs[i]].object;
        tells = input && input->is_held;
    }
    return tells && kin->is_output && kin->object && lith_output_name_is_of(kin->name, kin->pid);
}

/* NULL where no output tells, or they do not agree. */
static const char *pid_find(const struct judging *j)
{
    const char *pid = NULL;

    for (size_t i = 0; i < j->held.lineage.count; i++) {
        const struct lith_kin *kin = &j->held.lineage.files[i];
        if (!tells_pid(j, kin))
            continue;
        if (pid && strcmp(pid, kin->pid) != 0)
            return NULL;
        pid = kin->pid;
    }
    return pid;
}

enum lith_code lith_repair_held_judge(const struct lith_job *job,
                                      const struct lith_listing *listing,
                                      const struct lith_repair_shown *shown,
                                      struct lith_arena *arena, struct lith_repair_held *ret_held,
                                      struct lith_err *err)
{
    struct judging j = {.arena = arena};
    struct lith_lineage *lineage = &j.held.lineage;
    void *block;

    LITH_TRY(lith_lineage_read(job, listing, NULL, arena, lineage, err));
    LITH_TRY(lith_arena_array(arena, lineage->count, sizeof(bool), &block, err));
    j.leaves = block;
    LITH_TRY(lith_arena_array(arena, lineage->count, sizeof(bool), &block, err));
    j.marks = block;
    LITH_TRY(lith_arena_array(arena, lineage->count, sizeof(size_t), &block, err));
    j.held.kins = block;
    leaving_mark(&j, shown);
    LITH_TRY(shown_mark(&j, err));
    LITH_TRY(held_choose(&j, err));
    j.held.pid = pid_find(&j);
    *ret_held = j.held;
    return LITH_OK;
}
