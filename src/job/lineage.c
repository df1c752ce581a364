/*
 * Lineage: footers read into a table by name and size.
 */
#include "job/lineage.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/stored_files.h"

/* A list of inputs while the table is filled. */
struct claim {
    size_t kin; /* whose; by its number before the table is sorted */
    const struct lith_listed_input *inputs;
    size_t input_count;
};

struct filling {
    const struct lith_job *job;
    const struct lith_manifest *manifest; /* NULL: none */
    struct lith_codec_context *codecs;
    struct lith_arena *arena;
    struct lith_kin *kins;
    size_t count;
    struct claim *claims;
    size_t claim_count;
};

static enum lith_code claim_add(struct filling *f, const struct lith_listed_input *inputs,
                                size_t count, struct lith_err *err)
{
    void *block = f->claims;

    LITH_TRY(lith_array_grow_in(f->arena, &block, f->claim_count, sizeof(*f->claims), err));
    f->claims = block;
    f->claims[f->claim_count++] = (struct claim){f->count - 1, inputs, count};
    f->kins[f->count - 1].is_output = true;
    return LITH_OK;
}

static enum lith_code kin_add(struct filling *f, const struct lith_kin *kin, struct lith_err *err)
{
    void *block = f->kins;

    LITH_TRY(lith_array_grow_in(f->arena, &block, f->count, sizeof(*kin), err));
    f->kins = block;
    f->kins[f->count++] = *kin;
    return LITH_OK;
}

static bool is_of_the_file(enum lith_code code)
{
    return code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID;
}

static enum lith_code origin_read(const struct filling *f, const struct lith_object *object,
                                  struct lith_origin *ret_origin, struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;

    LITH_TRY(lith_work_check(f->job->work, err));
    enum lith_code code = lith_folder_source_open(f->job->folder, object, &source, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was looked at", object->name);
    LITH_TRY(code);
    return f->job->options->format->origin(source, f->codecs, f->arena, ret_origin, err);
}

/* Was it made by the commit that brought it in? Others (rollback, restore, repair) bring back what
 * was made before, and retire what was made of it; what a fold retires are replays, of something
 * else. */
static bool is_made_by_commit(const struct lith_manifest *m, const struct lith_entry *entry)
{
    for (size_t i = 0; i < m->log_count; i++) {
        if (strcmp(m->log[i].commit_id, entry->commit_id) == 0)
            return m->log[i].op == LITH_OP_COMPACT;
    }
    return false;
}

/* What the manifest knows of a live file that says nothing itself: the kin that was added last. */
static enum lith_code by_entry(struct filling *f, const struct lith_entry *entry,
                               struct lith_err *err)
{
    const struct lith_manifest *m = f->manifest;
    struct lith_kin *kin = &f->kins[f->count - 1];
    size_t count = 0;
    void *block;

    kin->rows = entry->rows;
    kin->has_rows = entry->has_rows;
    if (!is_made_by_commit(m, entry))
        return LITH_OK;
    for (size_t i = 0; i < m->retired_count; i++)
        count += strcmp(m->retired[i].commit_id, entry->commit_id) == 0;
    if (count == 0)
        return LITH_OK;
    LITH_TRY(lith_arena_array(f->arena, count, sizeof(struct lith_listed_input), &block, err));
    struct lith_listed_input *input = block;
    for (size_t i = 0; i < m->retired_count; i++) {
        if (strcmp(m->retired[i].commit_id, entry->commit_id) == 0)
            *input++ = (struct lith_listed_input){m->retired[i].name, m->retired[i].size};
    }
    kin->by_commit = true;
    return claim_add(f, block, count, err);
}

/* A file that is there. */
static enum lith_code by_footer(struct filling *f, const struct lith_object *object,
                                struct lith_err *err)
{
    struct lith_kin kin = {.name = object->name, .object = object, .size = object->size};
    struct lith_origin origin = {0};
    void *copy;

    enum lith_code code = origin_read(f, object, &origin, err);
    if (code != LITH_OK && !is_of_the_file(code))
        return lith_err_prefix(err, "%s", object->name);
    if (code != LITH_OK) {
        LITH_TRY(lith_arena_copy(f->arena, err->text, strlen(err->text), &copy, err));
        kin.blocked = copy;
        LITH_TRY(kin_add(f, &kin, err));
        const struct lith_entry *entry =
            f->manifest ? lith_manifest_live(f->manifest, object->name) : NULL;
        return entry && entry->size == object->size ? by_entry(f, entry, err) : LITH_OK;
    }
    kin.rows = origin.rows;
    kin.has_rows = true;
    kin.pid = origin.pid;
    kin.job = origin.job;
    LITH_TRY(kin_add(f, &kin, err));
    return origin.is_output ? claim_add(f, origin.inputs, origin.input_count, err) : LITH_OK;
}

/* What is there, what is only named, and what is only listed. */
static enum lith_code table_fill(struct filling *f, const struct lith_listing *listing,
                                 struct lith_err *err)
{
    for (size_t i = 0; i < listing->object_count; i++) {
        const struct lith_object *object = &listing->objects[i];
        if (lith_name_is_data(object->name) && !object->is_link)
            LITH_TRY(by_footer(f, object, err));
    }
    for (size_t i = 0; f->manifest && i < f->manifest->file_count; i++) {
        const struct lith_entry *entry = &f->manifest->files[i];
        const struct lith_object *object = lith_listing_find(listing, entry->name);
        struct lith_kin kin = {.name = entry->name, .size = entry->size};
        if (object && object->size == entry->size)
            continue;
        LITH_TRY(kin_add(f, &kin, err));
        LITH_TRY(by_entry(f, entry, err));
    }
    for (size_t i = 0; i < f->claim_count; i++) {
        for (size_t k = 0; k < f->claims[i].input_count; k++) {
            const struct lith_listed_input *input = &f->claims[i].inputs[k];
            struct lith_kin kin = {.name = input->name, .size = input->size};
            LITH_TRY(kin_add(f, &kin, err));
        }
    }
    return LITH_OK;
}

static int by_name_and_size(const void *a, const void *b)
{
    const struct lith_kin *left = a;
    const struct lith_kin *right = b;
    int order = strcmp(left->name, right->name);

    return order ? order : (left->size > right->size) - (left->size < right->size);
}

/* Of one name and size: what is there, then what is named, then what is only listed. */
static int by_rank(const void *a, const void *b)
{
    const struct lith_kin *left = a;
    const struct lith_kin *right = b;
    int order = by_name_and_size(a, b);
    int left_rank = left->object ? 2 : left->is_output || left->has_rows;
    int right_rank = right->object ? 2 : right->is_output || right->has_rows;

    return order ? order : right_rank - left_rank;
}

size_t lith_lineage_find(const struct lith_lineage *lineage, const char *name, uint64_t size)
{
    const struct lith_kin key = {.name = name, .size = size};
    const struct lith_kin *found = lineage->count ? bsearch(&key, lineage->files, lineage->count,
                                                            sizeof(key), by_name_and_size)
                                                  : NULL;

    return found ? (size_t)(found - lineage->files) : LITH_NO_KIN;
}

/* Lists by name become lists of kins. */
static enum lith_code claims_link(const struct lith_lineage *lineage, const struct filling *f,
                                  const struct lith_kin *owners, struct lith_err *err)
{
    for (size_t i = 0; i < f->claim_count; i++) {
        const struct claim *claim = &f->claims[i];
        const struct lith_kin *owner = &owners[claim->kin];
        size_t at = lith_lineage_find(lineage, owner->name, owner->size);
        void *block;
        LITH_TRY(lith_arena_array(f->arena, claim->input_count, sizeof(size_t), &block, err));
        struct lith_kin *kin = &lineage->files[at];
        kin->inputs = block;
        kin->input_count = claim->input_count;
        for (size_t k = 0; k < claim->input_count; k++)
            kin->inputs[k] =
                lith_lineage_find(lineage, claim->inputs[k].name, claim->inputs[k].size);
    }
    return LITH_OK;
}

static enum lith_code table_make(struct filling *f, struct lith_lineage *ret_lineage,
                                 struct lith_err *err)
{
    struct lith_lineage lineage = {.arena = f->arena};
    void *owners;
    size_t kept = 0;

    LITH_TRY(lith_arena_copy(f->arena, f->kins, f->count * sizeof(*f->kins), &owners, err));
    if (f->count)
        qsort(f->kins, f->count, sizeof(*f->kins), by_rank);
    for (size_t i = 0; i < f->count; i++) {
        if (kept == 0 || by_name_and_size(&f->kins[kept - 1], &f->kins[i]) != 0)
            f->kins[kept++] = f->kins[i];
    }
    lineage.files = f->kins;
    lineage.count = kept;
    LITH_TRY(claims_link(&lineage, f, owners, err));
    *ret_lineage = lineage;
    return LITH_OK;
}

enum lith_code lith_lineage_read(const struct lith_job *job, const struct lith_listing *listing,
                                 const struct lith_manifest *manifest, struct lith_arena *arena,
                                 struct lith_lineage *ret_lineage, struct lith_err *err)
{
    struct filling f = {.job = job, .manifest = manifest, .arena = arena};

    if (!job->options->format->origin)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "files of this format say nothing of their making");
    LITH_TRY(lith_codec_context_new(job->work->mem, &f.codecs, err));
    enum lith_code code = table_fill(&f, listing, err);
    lith_codec_context_free(f.codecs);
    LITH_TRY(code);
    return table_make(&f, ret_lineage, err);
}

void lith_lineage_mark(const struct lith_lineage *lineage, size_t kin, bool *marks, size_t *stack)
{
    size_t depth = 0;

    if (marks[kin])
        return;
    marks[kin] = true;
    stack[depth++] = kin;
    while (depth) {
        const struct lith_kin *at = &lineage->files[stack[--depth]];
        for (size_t i = 0; i < at->input_count; i++) {
            if (marks[at->inputs[i]])
                continue;
            marks[at->inputs[i]] = true;
            stack[depth++] = at->inputs[i];
        }
    }
}

static enum lith_code objects_take(const struct lith_row_reader *reader, const size_t *files,
                                   size_t count, struct lith_arena *arena,
                                   struct lith_stored_files *ret_stored, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_object *), &block, err));
    const struct lith_object **objects = block;
    for (size_t i = 0; i < count; i++) {
        objects[i] = reader->lineage->files[files[i]].object;
        LITH_ASSERT(objects[i]);
    }
    *ret_stored = (struct lith_stored_files){reader->job->folder, objects, count};
    return LITH_OK;
}

static enum lith_code rows_hold(struct lith_row_judge *judge, const size_t *part, size_t part_count,
                                const size_t *whole, size_t whole_count, bool *ret_holds,
                                struct lith_err *err)
{
    const struct lith_row_reader *reader = (const struct lith_row_reader *)judge;
    const struct lith_job *job = reader->job;
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_stored_files stored[2];

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(objects_take(reader, part, part_count, &scratch, &stored[0], err));
    LITH_TRY(objects_take(reader, whole, whole_count, &scratch, &stored[1], err));
    return lith_stored_hold(job, &stored[0], &stored[1], ret_holds, err);
}

struct lith_row_reader lith_row_reader_of(const struct lith_job *job,
                                          const struct lith_lineage *lineage)
{
    return (struct lith_row_reader){.base = {.holds = rows_hold}, .job = job, .lineage = lineage};
}
