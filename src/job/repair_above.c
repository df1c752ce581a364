/*
 * What a roll-up has of the files of a partition whose manifest is made anew.
 *
 * Lists of outputs say which files, their rows whether it is so. A file that nothing lists, and
 * that was there by the last roll-up, may be in an output that was merged and deleted since: a
 * repair does not guess.
 */
#include "job/repair_above.h"

#include <string.h>

#include "job/above.h"
#include "lake/output_name.h"

struct settling {
    struct lith_repair_try *t;
    struct lith_above above;
    char *why; /* what cannot be told; NULL: all can */
    /* The live files that are listed above. */
    const struct lith_object **objects;
    size_t count;
};

static bool is_listed(const struct settling *s, const struct lith_object *object)
{
    size_t count;

    return lith_above_listers(&s->above, object->name, object->size, &count) != NULL;
}

static const struct lith_object *live_at(const struct settling *s, size_t i)
{
    return s->t->lineage.files[s->t->rebuild.live[i]].object;
}

static enum lith_code listed_take(struct settling *s, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(&s->t->arena, s->t->rebuild.live_count, sizeof(struct lith_object *),
                              &block, err));
    s->objects = block;
    for (size_t i = 0; i < s->t->rebuild.live_count; i++) {
        if (is_listed(s, live_at(s, i)))
            s->objects[s->count++] = live_at(s, i);
    }
    for (size_t i = 0; !s->why && i < s->t->shown.object_count; i++) {
        const struct lith_object *object = &s->t->shown.objects[i];
        if (object->is_link && is_listed(s, object))
            LITH_TRY(
                lith_arena_format(&s->t->arena, &s->why, err,
                                  "%s was rolled up into %s, and is a symbolic link now: remove it",
                                  object->name, s->above.path));
    }
    return LITH_OK;
}

static enum lith_code unlisted_check(struct settling *s, struct lith_err *err)
{
    struct lith_output_name ignored;

    for (size_t i = 0; !s->why && i < s->t->rebuild.live_count; i++) {
        const struct lith_object *object = live_at(s, i);
        bool is_output = lith_output_name_parse(object->name, &ignored);
        if (!is_listed(s, object) && object->mtime_ns <= s->above.last_ns)
            LITH_TRY(lith_arena_format(
                &s->t->arena, &s->why, err,
                "%s may have been rolled up into %s: it was there by the last roll-up, "
                "and nobody knows; %s",
                object->name, s->above.path,
                is_output ? "copy the last manifest back by hand"
                          : "where it is new data, touch it"));
    }
    return LITH_OK;
}

/* What a file that is listed was made of is above with it. */
static enum lith_code made_of_check(struct settling *s, struct lith_err *err)
{
    const struct lith_lineage *lineage = &s->t->lineage;
    void *blocks[2];

    LITH_TRY(lith_arena_array(&s->t->arena, lineage->count, sizeof(bool), &blocks[0], err));
    LITH_TRY(lith_arena_array(&s->t->arena, lineage->count, sizeof(size_t), &blocks[1], err));
    bool *marks = blocks[0];
    for (size_t i = 0; i < lineage->count; i++) {
        if (lineage->files[i].object && is_listed(s, lineage->files[i].object))
            lith_lineage_mark(lineage, i, marks, blocks[1]);
    }
    for (size_t i = 0; !s->why && i < s->t->rebuild.live_count; i++) {
        if (marks[s->t->rebuild.live[i]] && !is_listed(s, live_at(s, i)))
            LITH_TRY(lith_arena_format(
                &s->t->arena, &s->why, err,
                "%s was merged into a file that was rolled up into %s, and it cannot be "
                "told what of it is there",
                live_at(s, i)->name, s->above.path));
    }
    return LITH_OK;
}

static enum lith_code one_check(struct settling *s, const struct lith_object *object,
                                struct lith_err *err)
{
    struct lith_err unread;
    bool holds = false;

    enum lith_code code = lith_above_holds(&s->above, s->t->job, &object, 1, &holds, &unread);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED)
        return lith_arena_format(
            &s->t->arena, &s->why, err,
            "%s was rolled up into %s, and whether it is the same still cannot be told: "
            "%.300s",
            object->name, s->above.path, unread.text);
    if (code != LITH_OK) {
        *err = unread;
        return code;
    }
    return holds ? LITH_OK
                 : lith_arena_format(
                       &s->t->arena, &s->why, err,
                       "%s has the name and the size of a file that was rolled up into %s, where "
                       "not all of its rows are found; if it is new data, give it another name",
                       object->name, s->above.path);
}

/* One question where all is well; else who it is. */
static enum lith_code rows_check(struct settling *s, struct lith_err *err)
{
    struct lith_err unread;
    bool holds = s->count == 0;
    enum lith_code code = LITH_OK;

    if (s->count)
        code = lith_above_holds(&s->above, s->t->job, s->objects, s->count, &holds, &unread);
    if (code != LITH_OK && code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED) {
        *err = unread;
        return code;
    }
    if (code == LITH_OK && holds)
        return LITH_OK;
    for (size_t i = 0; !s->why && i < s->count; i++)
        LITH_TRY(one_check(s, s->objects[i], err));
    return s->why ? LITH_OK
                  : lith_arena_format(&s->t->arena, &s->why, err,
                                      "files hold the same rows, which %s has once", s->above.path);
}

static void listed_move(struct settling *s)
{
    struct lith_rebuild_plan *plan = &s->t->rebuild;
    size_t kept = 0;

    for (size_t i = 0; i < plan->live_count; i++) {
        if (is_listed(s, live_at(s, i)))
            plan->out[plan->out_count++] = plan->live[i];
        else
            plan->live[kept++] = plan->live[i];
    }
    plan->live_count = kept;
}

static enum lith_code settle(struct settling *s, bool *due, struct lith_err *err)
{
    LITH_TRY(listed_take(s, err));
    *due = *due || s->count || s->why || s->above.unknown;
    if (!*due)
        return LITH_OK;
    if (s->above.unknown && !s->why)
        LITH_TRY(
            lith_arena_format(&s->t->arena, &s->why, err,
                              "%s of %s is missing, has another time than the manifest names, or "
                              "cannot be read, and may have files of it",
                              s->above.unknown, s->above.path));
    if (!s->above.has_manifest && !s->why)
        LITH_TRY(lith_arena_format(
            &s->t->arena, &s->why, err,
            "%s, which has files of it, has no manifest: put that back first", s->above.path));
    LITH_TRY(unlisted_check(s, err));
    if (!s->why)
        LITH_TRY(made_of_check(s, err));
    if (!s->why)
        LITH_TRY(rows_check(s, err));
    if (!s->why)
        listed_move(s);
    return LITH_OK;
}

enum lith_code lith_repair_above_settle(struct lith_repair_try *t, bool *due, const char **ret_why,
                                        struct lith_err *err)
{
    struct settling s = {.t = t};
    void *copy;

    enum lith_code code = lith_above_read(t->job, &s.above, err);
    if (code == LITH_OK && s.above.has_taken)
        code = settle(&s, due, err);
    lith_above_done(&s.above);
    *ret_why = s.why;
    if (code != LITH_E_CORRUPT && code != LITH_E_UNSUPPORTED)
        return code;
    if (!*due && !t->job->options->has_tiers)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(&t->arena, err->text, strlen(err->text), &copy, err));
    *due = true;
    *ret_why = copy;
    return LITH_OK;
}
