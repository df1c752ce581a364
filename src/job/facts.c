/*
 * Facts: footers read one after the other into an arena that is reset between them.
 */
#include "job/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "job/format.h"
#include "job/lost.h"

enum lith_code lith_fact_book_init(struct lith_fact_book *book, const struct lith_job *job,
                                   const struct lith_path_keys *keys, struct lith_err *err)
{
    struct lith_schema_rules rules = {
        .allow = job->options->allow,
        .match = job->options->match,
        .sort_by = job->options->sort_by,
    };

    *book = (struct lith_fact_book){.arena = job->arena, .mem = job->work->mem};
    LITH_TRY(lith_schema_sets_init(&book->sets, &rules, job->arena, err));
    LITH_TRY(lith_path_rules_make(keys, job->options, job->arena, &book->rules, err));
    return lith_codec_context_new(book->mem, &book->codecs, err);
}

void lith_fact_book_forget(struct lith_fact_book *book)
{
    lith_free(book->known);
    book->known = NULL;
    book->known_count = 0;
    book->known_capacity = 0;
}

void lith_fact_book_done(struct lith_fact_book *book)
{
    lith_fact_book_forget(book);
    lith_schema_sets_done(&book->sets);
    lith_codec_context_free(book->codecs);
    book->codecs = NULL;
}

static int by_id(const void *a, const void *b)
{
    return memcmp(&((const struct lith_fact *)a)->id, &((const struct lith_fact *)b)->id,
                  sizeof(struct lith_hash128));
}

static struct lith_hash128 id_of(const struct lith_object *object)
{
    uint64_t seed = lith_xxh64(object->etag, strlen(object->etag)) ^ object->size;

    return lith_hash128(object->name, strlen(object->name), seed);
}

/* Among the first `sorted` of what is known, which are in order; NULL: it is not there. */
static const struct lith_fact *known_find(const struct lith_fact_book *book,
                                          const struct lith_object *object, size_t sorted)
{
    struct lith_fact key = {.id = id_of(object)};

    return sorted ? bsearch(&key, book->known, sorted, sizeof(key), by_id) : NULL;
}

const struct lith_fact *lith_fact_book_find(const struct lith_fact_book *book,
                                            const struct lith_object *object)
{
    return known_find(book, object, book->known_count);
}

struct lith_fact *lith_fact_book_edit(struct lith_fact_book *book, const struct lith_object *object)
{
    const struct lith_fact *fact = lith_fact_book_find(book, object);

    return fact ? &book->known[fact - book->known] : NULL;
}

/* What is known of a file's kind; all zero where nothing is. */
static struct lith_schema_kind kind_of(const struct lith_fact_book *book,
                                       const struct lith_fact *fact)
{
    return fact && fact->kind ? book->sets.kinds[fact->kind - 1] : (struct lith_schema_kind){0};
}

uint32_t lith_fact_book_set(const struct lith_fact_book *book, const struct lith_object *object)
{
    return kind_of(book, lith_fact_book_find(book, object)).set;
}

void lith_fact_book_keep(struct lith_fact_book *book,
                         const struct lith_snapshot_file *const *inputs, size_t input_count)
{
    struct lith_err ignored;
    void *block = book->known;
    size_t kept = 0;

    for (size_t i = 0; i < input_count; i++) {
        struct lith_fact key = {.id = id_of(inputs[i]->object)};
        struct lith_fact *fact =
            book->known_count ? bsearch(&key, book->known, book->known_count, sizeof(key), by_id)
                              : NULL;
        if (fact)
            fact->kept = true;
    }
    for (size_t i = 0; i < book->known_count; i++) {
        struct lith_fact fact = book->known[i];
        if (!fact.kept && !fact.blocked && !fact.misplaced)
            continue;
        fact.kept = false;
        book->known[kept++] = fact;
    }
    book->known_count = kept;
    if (kept && lith_realloc(book->mem, &block, kept * sizeof(*book->known), &ignored) == LITH_OK) {
        book->known = block;
        book->known_capacity = kept;
    }
}

/* True for what is wrong with the file, false for what is wrong with the machine or the moment. */
static bool is_of_the_file(enum lith_code code)
{
    return code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID ||
           code == LITH_E_DENIED;
}

/* Notes an output of ours some of whose inputs are here too, as files of their own. */
static enum lith_code lost_check(struct lith_fact_book *book, const struct lith_job *job,
                                 const char *name, struct lith_source *source,
                                 const struct lith_snapshot *snapshot, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_listed_input *inputs;
    bool is_beside;
    size_t count;
    void *copy;

    lith_arena_init(&scratch, job->work->mem);
    if (book->lost_output)
        return LITH_OK;
    enum lith_code code =
        job->options->format->inputs(source, book->codecs, &scratch, &inputs, &count, err);
    if (code != LITH_OK && !is_of_the_file(code))
        return code;
    if (code != LITH_OK) { /* whose rows it holds is not known: it must not be counted */
        LITH_TRY(lith_arena_copy(book->arena, name, strlen(name), &copy, err));
        book->lost_output = copy;
        return LITH_OK;
    }
    LITH_TRY(lith_lost_is_beside(job, inputs, count, snapshot, &is_beside, err));
    bool is_held = lith_lost_is_held(inputs, count, snapshot);
    if (!is_beside && !is_held)
        return LITH_OK;
    LITH_TRY(lith_arena_copy(book->arena, name, strlen(name), &copy, err));
    if (is_beside)
        book->lost_output = copy;
    else
        book->held_output = copy;
    return LITH_OK;
}

static enum lith_code file_look(struct lith_fact_book *book, const struct lith_job *job,
                                const struct lith_snapshot *snapshot,
                                const struct lith_object *object, struct lith_fact *fact,
                                struct lith_err *err)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    bool lists_inputs = false;
    struct lith_err why;

    LITH_TRY(lith_folder_source_open(job->folder, object, &source, err));
    enum lith_code code =
        job->options->format->look(book, job, source, object->name, fact, &lists_inputs, &why);
    /* Even an output that is not merged itself tells of a manifest that was lost. */
    if (lists_inputs && !snapshot->manifest)
        LITH_TRY(lost_check(book, job, object->name, source, snapshot, err));
    if (code != LITH_OK)
        *err = why;
    return code;
}

/* Reads one footer into a fact; what is wrong with the file itself becomes its reason. */
static enum lith_code fact_read(struct lith_fact_book *book, const struct lith_job *job,
                                const struct lith_snapshot *snapshot,
                                const struct lith_object *object, struct lith_fact *ret_fact,
                                struct lith_err *err)
{
    struct lith_fact fact = {.id = id_of(object)};
    void *copy;

    LITH_TRY(lith_work_check(job->work, err));
    enum lith_code code = file_look(book, job, snapshot, object, &fact, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was looked at", object->name);
    if (code != LITH_OK && !is_of_the_file(code))
        return lith_err_prefix(err, "%s", object->name);
    if (code != LITH_OK) {
        LITH_TRY(lith_arena_copy(book->arena, err->text, strlen(err->text), &copy, err));
        fact.blocked = copy;
        fact.blocked_for_good = code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED;
    }
    *ret_fact = fact;
    return LITH_OK;
}

bool lith_fact_is_former(const struct lith_snapshot_file *file)
{
    if (!file->object || file->object->is_link)
        return false;
    if (file->lost)
        return file->lost->has_crc;
    if (file->state == LITH_FILE_GONE)
        return file->entry->has_crc; /* of what was never read nobody can say whether this is it */
    if (!file->differs)
        return false;
    /* What was read and is live must be the same still, so it has that size. */
    return file->state == LITH_FILE_RETIRED ||
           (file->state == LITH_FILE_LIVE &&
            (!file->entry->has_crc || file->entry->size == file->object->size));
}

static bool is_wanted(const struct lith_snapshot_file *file, enum lith_fact_scope scope)
{
    if (!file->object || file->object->is_link)
        return false;
    if (lith_fact_is_former(file))
        return true;
    return file->live && (scope == LITH_FACTS_ALL || file->state == LITH_FILE_LATE);
}

/* Makes room for `more` files at once: how many will come is known before they are read. */
static enum lith_code room_make(struct lith_fact_book *book, size_t more, struct lith_err *err)
{
    size_t wanted = book->known_count + more;
    size_t bytes;
    void *grown = book->known;

    if (wanted <= book->known_capacity)
        return LITH_OK;
    if (!lith_mul_size(wanted, sizeof(*book->known), &bytes))
        return lith_fail(err, LITH_E_LIMIT, "facts of %zu files", wanted);
    LITH_TRY(lith_realloc(book->mem, &grown, bytes, err));
    book->known = grown;
    book->known_capacity = wanted;
    return LITH_OK;
}

/* One round over the files of a request. A plan's inputs are late, replaced or live, once each:
 * what the scope has of them is known by the time they are asked for. */
struct filling {
    struct lith_fact_book *book;
    const struct lith_job *job;
    const struct lith_fact_request *request;
    size_t sorted; /* what was known before */
};

static bool is_missing(const struct filling *f, const struct lith_snapshot_file *file, bool input)
{
    const struct lith_fact_request *request = f->request;

    return (is_wanted(file, request->scope) || (input && is_wanted(file, LITH_FACTS_ALL))) &&
           !known_find(f->book, file->object, f->sorted);
}

/* Reads the footer of one file, for which there is room. */
static enum lith_code file_take(const struct filling *f, const struct lith_snapshot_file *file,
                                struct lith_err *err)
{
    struct lith_fact_book *book = f->book;
    struct lith_fact fact;

    LITH_TRY(fact_read(book, f->job, f->request->snapshot, file->object, &fact, err));
    LITH_ASSERT(book->known_count < book->known_capacity);
    book->known[book->known_count++] = fact;
    return LITH_OK;
}

static void facts_sort(struct lith_fact_book *book)
{
    if (book->known_count)
        qsort(book->known, book->known_count, sizeof(*book->known), by_id);
}

static enum lith_code scope_take(struct filling *f, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = f->request->snapshot;
    size_t more = 0;

    for (size_t i = 0; i < snapshot->file_count; i++)
        more += is_missing(f, &snapshot->files[i], false);
    LITH_TRY(room_make(f->book, more, err));
    for (size_t i = 0; i < snapshot->file_count; i++) {
        if (is_missing(f, &snapshot->files[i], false))
            LITH_TRY(file_take(f, &snapshot->files[i], err));
    }
    return LITH_OK;
}

static enum lith_code inputs_take(struct filling *f, struct lith_err *err)
{
    const struct lith_fact_request *request = f->request;
    size_t more = 0;

    f->sorted = f->book->known_count;
    for (size_t i = 0; i < request->input_count; i++)
        more += is_missing(f, request->inputs[i], true);
    LITH_TRY(room_make(f->book, more, err));
    for (size_t i = 0; i < request->input_count; i++) {
        if (is_missing(f, request->inputs[i], true))
            LITH_TRY(file_take(f, request->inputs[i], err));
    }
    return LITH_OK;
}

enum lith_code lith_fact_book_fill(struct lith_fact_book *book, const struct lith_job *job,
                                   const struct lith_fact_request *request, size_t *ret_read,
                                   struct lith_err *err)
{
    struct filling f = {.book = book, .job = job, .request = request, .sorted = book->known_count};
    size_t before = book->known_count;

    /* A file that was rolled up must not be named anew, nor told as one that is live. */
    if (!book->above_asked)
        LITH_TRY(lith_above_find(job, request->snapshot, book->arena, &book->above, err));
    book->above_asked = true;
    enum lith_code code = scope_take(&f, err);
    facts_sort(book);
    if (code == LITH_OK)
        code = inputs_take(&f, err);
    facts_sort(book);
    *ret_read = book->known_count - before;
    return code;
}

enum lith_code lith_fact_book_list(const struct lith_fact_book *book,
                                   const struct lith_snapshot *snapshot, struct lith_arena *arena,
                                   struct lith_file_facts **ret_facts, size_t *ret_count,
                                   struct lith_err *err)
{
    size_t room = lith_min_size(book->known_count, snapshot->file_count);
    size_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(arena, room, sizeof(struct lith_file_facts), &block, err));
    struct lith_file_facts *facts = block;
    for (size_t i = 0; room && i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        const struct lith_fact *fact =
            file->object ? lith_fact_book_find(book, file->object) : NULL;
        if (!fact)
            continue;
        struct lith_schema_kind kind = kind_of(book, fact);
        LITH_ASSERT(count < room);
        facts[count++] = (struct lith_file_facts){
            .name = file->name,
            .has_rows = fact->has_rows,
            .rows = fact->rows,
            .schema_set = kind.set,
            .lacks = kind.lacks,
            .blocked = fact->blocked,
            .misplaced = fact->misplaced,
            .blocked_for_good = fact->blocked_for_good,
        };
    }
    *ret_facts = facts;
    *ret_count = count;
    return LITH_OK;
}

enum lith_code lith_fact_book_conflicts(const struct lith_fact_book *book, struct lith_arena *arena,
                                        const char *const **ret_conflicts, size_t *ret_count,
                                        struct lith_err *err)
{
    size_t count = book->sets.count ? book->sets.count - 1 : 0;
    void *block;

    LITH_TRY(lith_arena_array(arena, count, sizeof(char *), &block, err));
    const char **texts = block;
    for (size_t i = 0; i < count; i++) {
        const struct lith_schema_conflict *conflict =
            lith_schema_sets_conflict(&book->sets, (uint32_t)i + 2);
        LITH_ASSERT(conflict);
        LITH_TRY(lith_schema_conflict_text(conflict, conflict->left, conflict->right, arena,
                                           &texts[i], err));
    }
    *ret_conflicts = texts;
    *ret_count = count;
    return LITH_OK;
}

enum lith_code lith_fact_book_refusals(const struct lith_fact_book *book, struct lith_arena *arena,
                                       const char *const **ret_refusals, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, book->sets.count, sizeof(char *), &block, err));
    const char **texts = block;
    for (uint32_t i = 0; i < book->sets.count; i++)
        LITH_TRY(lith_schema_sets_refusal(&book->sets, i + 1, arena, &texts[i], err));
    *ret_refusals = texts;
    return LITH_OK;
}
