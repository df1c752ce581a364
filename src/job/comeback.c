/*
 * Outputs that were lost, and are back.
 */
#include "job/comeback.h"

#include <string.h>

#include "job/below.h"
#include "job/format.h"
#include "lake/output_name.h"

void lith_comeback_init(struct lith_comeback *comeback, const struct lith_look *look,
                        const struct lith_job *job, struct lith_arena *arena)
{
    *comeback = (struct lith_comeback){.look = look, .job = job, .arena = arena};
}

/* Does a file of now hold rows of a lost output's input: by itself, or what it was merged into
 * since?
 */
static enum lith_code is_elsewhere(const struct lith_comeback *c, const struct lith_entry *lost,
                                   const struct lith_listed_input *input, bool *ret_is,
                                   struct lith_err *err)
{
    const struct lith_manifest *m = &c->look->view.manifest;
    const struct lith_snapshot_file *file =
        lith_snapshot_find(&c->look->view.snapshot, input->name);
    const struct lith_entry *retired = lith_manifest_retired(m, input->name);
    enum lith_below below;

    LITH_TRY(lith_below_look(c->job, input->name, input->size, &below, err));
    *ret_is = below == LITH_BELOW_LIVE;
    if (file && file->live && file->object && file->object->size == input->size)
        *ret_is = true;
    if (retired && retired->size == input->size && !lith_entry_is_before(retired, lost))
        *ret_is = true;
    for (size_t i = 0; i < m->gone_count && !*ret_is; i++)
        *ret_is = m->gone[i].size == input->size && strcmp(m->gone[i].name, input->name) == 0 &&
                  !lith_entry_is_before(&m->gone[i], lost);
    return LITH_OK;
}

/* By what it says of itself, and what the manifest remembers: no other footer is read. */
static enum lith_code inputs_check(const struct lith_comeback *c,
                                   const struct lith_snapshot_file *file, bool *ret_counts,
                                   struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(source) struct lith_source *source = NULL;
    const struct lith_job *job = c->job;
    struct lith_listed_input *inputs;
    bool elsewhere = false;
    size_t count;

    *ret_counts = false;
    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_folder_source_open(job->folder, file->object, &source, err));
    enum lith_code code =
        job->options->format->inputs(source, c->look->book.codecs, &scratch, &inputs, &count, err);
    if (code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID ||
        code == LITH_E_NOT_FOUND)
        return LITH_OK;
    LITH_TRY(code);
    for (size_t i = 0; i < count && !elsewhere; i++)
        LITH_TRY(is_elsewhere(c, file->lost, &inputs[i], &elsewhere, err));
    *ret_counts = !elsewhere;
    return LITH_OK;
}

static enum lith_code kins_read(struct lith_comeback *c, struct lith_err *err)
{
    const struct lith_view *view = &c->look->view;
    void *block;

    if (c->is_read)
        return LITH_OK;
    LITH_TRY(
        lith_lineage_read(c->job, &view->listing, &view->manifest, c->arena, &c->lineage, err));
    LITH_TRY(lith_arena_array(c->arena, c->lineage.count, sizeof(bool), &block, err));
    c->counts = block;
    LITH_TRY(lith_arena_array(c->arena, c->lineage.count, sizeof(bool), &block, err));
    c->made = block;
    for (size_t i = 0; i < view->snapshot.file_count; i++) {
        const struct lith_snapshot_file *file = &view->snapshot.files[i];
        size_t at = file->live && file->object
                        ? lith_lineage_find(&c->lineage, file->name, file->object->size)
                        : LITH_NO_KIN;
        if (at != LITH_NO_KIN)
            c->counts[at] = true;
    }
    c->is_read = true;
    return LITH_OK;
}

static size_t kin_find(const struct lith_comeback *c, const struct lith_snapshot_file *file)
{
    return lith_lineage_find(&c->lineage, file->name, file->object->size);
}

/* Marks all that was made of something that is in c->made. */
static void sharers_mark(const struct lith_comeback *c, bool *marks)
{
    bool changed = true;

    memcpy(marks, c->made, c->lineage.count * sizeof(*marks));
    while (changed) {
        changed = false;
        for (size_t k = 0; k < c->lineage.count; k++) {
            const struct lith_kin *kin = &c->lineage.files[k];
            for (size_t n = 0; n < kin->input_count && !marks[k]; n++)
                marks[k] = changed = marks[kin->inputs[n]];
        }
    }
}

/* Two outputs of one job may share an input, each with a part of it; of a job that was repeated one
 * holds all that the other has. */
static enum lith_code is_shared(const struct lith_comeback *c, size_t at, size_t other,
                                bool *ret_is, struct lith_err *err)
{
    const struct lith_kin *kin = &c->lineage.files[at];
    const char *job = c->lineage.files[other].job;
    struct lith_row_reader reader = lith_row_reader_of(c->job, &c->lineage);

    *ret_is = true;
    if (!job || !kin->job || !*job || strcmp(job, kin->job) != 0)
        return LITH_OK;
    return reader.base.holds(&reader.base, &at, 1, &other, 1, ret_is, err);
}

/* By the lists of all that is there: is it made of the same as something that counts? */
static enum lith_code kins_check(struct lith_comeback *c, const struct lith_snapshot_file *file,
                                 bool *ret_counts, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    void *block;
    bool shared = false;

    lith_arena_init(&scratch, c->job->work->mem);
    LITH_TRY(kins_read(c, err));
    size_t at = kin_find(c, file);
    *ret_counts = false;
    if (at == LITH_NO_KIN) /* a symbolic link */
        return LITH_OK;
    LITH_TRY(lith_arena_array(&scratch, c->lineage.count, sizeof(size_t), &block, err));
    memset(c->made, 0, c->lineage.count * sizeof(*c->made));
    lith_lineage_mark(&c->lineage, at, c->made, block);
    LITH_TRY(lith_arena_array(&scratch, c->lineage.count, sizeof(bool), &block, err));
    bool *marks = block;
    sharers_mark(c, marks);
    for (size_t k = 0; k < c->lineage.count && !shared; k++) {
        if (marks[k] && c->counts[k])
            LITH_TRY(is_shared(c, at, k, &shared, err));
    }
    *ret_counts = !shared;
    return LITH_OK;
}

enum lith_code lith_comeback_ask(struct lith_comeback *comeback,
                                 const struct lith_snapshot_file *file, bool *ret_counts,
                                 struct lith_err *err)
{
    LITH_TRY(inputs_check(comeback, file, ret_counts, err));
    return *ret_counts ? kins_check(comeback, file, ret_counts, err) : LITH_OK;
}

void lith_comeback_take(struct lith_comeback *comeback, const struct lith_snapshot_file *file,
                        struct lith_entry *superseded, size_t *count)
{
    const struct lith_manifest *m = &comeback->look->view.manifest;

    comeback->counts[kin_find(comeback, file)] = true;
    for (size_t i = 0; i < m->lost_count; i++) {
        size_t at = lith_lineage_find(&comeback->lineage, m->lost[i].name, m->lost[i].size);
        /* Two outputs may have been made of it. */
        bool is_told = false;
        for (size_t n = 0; n < *count; n++)
            is_told = is_told || superseded[n].name == m->lost[i].name;
        if (at != LITH_NO_KIN && comeback->made[at] && !is_told &&
            !lith_output_name_is_of(m->lost[i].name, m->pid))
            superseded[(*count)++] = m->lost[i];
    }
}
