/*
 * Inputs decoded one after the other; notes for the manifest.
 */
#include "job/path_check.h"

#include <string.h>

#include "base/limits.h"
#include "job/format.h"

/* True for what is wrong with the file, false for what is wrong with the machine or the moment. */
static bool is_of_the_file(enum lith_code code)
{
    return code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED;
}

/* Decodes one input. What is found out is in the fact. */
static enum lith_code input_check(const struct lith_fact_book *book, const struct lith_job *job,
                                  const struct lith_object *object, struct lith_fact *fact,
                                  struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    const char *misfit = NULL;
    void *copy;

    LITH_TRY(lith_work_check(job->work, err));
    enum lith_code code = lith_folder_source_open(job->folder, object, &source, err);
    if (code == LITH_OK)
        code = job->options->format->belongs(book, job, source, &misfit, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was looked at", object->name);
    if (code != LITH_OK && !is_of_the_file(code))
        return lith_err_prefix(err, "%s", object->name);
    fact->belonging = LITH_BELONGS;
    fact->misplaced = misfit;
    if (code == LITH_OK)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(book->arena, err->text, strlen(err->text), &copy, err));
    fact->blocked = copy;
    fact->blocked_for_good = true;
    return LITH_OK;
}

enum lith_code lith_path_check_inputs(struct lith_fact_book *book, const struct lith_job *job,
                                      const struct lith_plan *plan, enum lith_path_check which,
                                      bool *ret_found, struct lith_err *err)
{
    *ret_found = false;
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct lith_object *object = plan->inputs[i]->object;
        struct lith_fact *fact = lith_fact_book_edit(book, object);
        bool is_wanted =
            fact && (fact->belonging == LITH_BELONGS_SUSPECT ||
                     (fact->belonging == LITH_BELONGS_OPEN && which == LITH_PATH_CHECK_ALL));
        if (!is_wanted)
            continue;
        LITH_TRY(input_check(book, job, object, fact, err));
        *ret_found = *ret_found || fact->misplaced || fact->blocked;
    }
    return LITH_OK;
}

/* How many more files may be noted: one is enough to block, and each costs every look a little. */
static size_t room_left(const struct lith_look *look)
{
    const struct lith_manifest *m = lith_view_manifest(&look->view);
    size_t room = LITH_MISPLACED_MAX;

    for (size_t i = 0; m && room && i < m->misplaced_count; i++)
        room -= strcmp(m->misplaced[i].rules, look->book.rules.hash) == 0;
    return room;
}

static bool is_noted(const struct lith_look *look, const struct lith_object *object)
{
    const struct lith_manifest *m = lith_view_manifest(&look->view);

    for (size_t i = 0; m && i < m->misplaced_count; i++) {
        const struct lith_misplaced *note = &m->misplaced[i];
        if (strcmp(note->name, object->name) == 0 && strcmp(note->etag, object->etag) == 0 &&
            strcmp(note->rules, look->book.rules.hash) == 0)
            return true;
    }
    return false;
}

/* The fact of a file that stands out for its rows, where the manifest does not say so; or NULL. */
static const struct lith_fact *news_of(const struct lith_look *look,
                                       const struct lith_plan_file *file)
{
    if (file->reason != LITH_WHY_MISPLACED)
        return NULL;
    const struct lith_fact *fact = lith_fact_book_find(&look->book, file->file->object);
    return fact && fact->misplaced && !is_noted(look, file->file->object) ? fact : NULL;
}

bool lith_path_check_is_news(const struct lith_look *look)
{
    if (look->plan.reason != LITH_PART_MISPLACED || room_left(look) == 0)
        return false;
    for (size_t i = 0; i < look->plan.file_count; i++) {
        if (news_of(look, &look->plan.files[i]))
            return true;
    }
    return false;
}

enum lith_code lith_path_check_note(const struct lith_look *look, int64_t now_ns,
                                    struct lith_arena *arena, struct lith_fold *fold,
                                    struct lith_err *err)
{
    size_t room = look->plan.reason == LITH_PART_MISPLACED ? room_left(look) : 0;
    size_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_misplaced), &block, err));
    struct lith_misplaced *rows = block;
    for (size_t i = 0; i < look->plan.file_count && count < room; i++) {
        const struct lith_plan_file *file = &look->plan.files[i];
        const struct lith_fact *fact = news_of(look, file);
        if (!fact)
            continue;
        rows[count++] = (struct lith_misplaced){
            .name = file->file->name,
            .etag = file->file->object->etag,
            .rules = look->book.rules.hash,
            .reason = fact->misplaced,
            .since_ns = now_ns,
        };
    }
    fold->misplaced = rows;
    fold->misplaced_count = count;
    return LITH_OK;
}
