/*
 * Facts: footers read one after the other into an arena that is reset between them.
 */
#include "job/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/checked.h"
#include "merge/gate.h"
#include "merge/input_list.h"

enum lith_code lith_fact_book_init(struct lith_fact_book *book, struct lith_arena *arena,
                                   struct lith_mem *mem, struct lith_err *err)
{
    *book = (struct lith_fact_book){.arena = arena};
    return lith_codec_context_new(mem, &book->codecs, err);
}

void lith_fact_book_done(struct lith_fact_book *book)
{
    lith_codec_context_free(book->codecs);
    book->codecs = NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct lith_facts *left = a;
    const struct lith_facts *right = b;

    return strcmp(left->name, right->name);
}

static int known_by_name(const void *a, const void *b)
{
    const struct lith_fact *left = a;
    const struct lith_fact *right = b;

    return strcmp(left->facts.name, right->facts.name);
}

const struct lith_facts *lith_fact_book_find(const struct lith_fact_book *book, const char *name)
{
    struct lith_facts key = {.name = name};

    return book->count ? bsearch(&key, book->facts, book->count, sizeof(key), by_name) : NULL;
}

/* The schema of a footer, copied to outlive it. */
static enum lith_code schema_keep(struct lith_fact_book *book, const struct lith_footer *footer,
                                  struct lith_schema **ret_schema, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_alloc(book->arena, sizeof(struct lith_schema), &block, err));
    LITH_TRY(lith_schema_copy(&footer->schema, book->arena, block, err));
    *ret_schema = block;
    return LITH_OK;
}

/* The number of the set that a footer joins; a new one when none fits. Numbers begin at 1. */
static enum lith_code set_find(struct lith_fact_book *book, const struct lith_footer *footer,
                               struct lith_arena *scratch, uint64_t *ret_set, struct lith_err *err)
{
    char meaning[LITH_MEANING_BYTES];
    const char *difference;
    void *copy;

    lith_gate_meaning(footer, meaning);
    for (size_t i = 0; i < book->set_count; i++) {
        bool equal = false;
        if (strcmp(book->sets[i].meaning, meaning) != 0)
            continue;
        LITH_TRY(lith_schema_equal(book->sets[i].schema, &footer->schema, scratch, &equal,
                                   &difference, err));
        if (equal) {
            *ret_set = i + 1;
            return LITH_OK;
        }
    }
    void *sets = book->sets;
    LITH_TRY(lith_array_grow_in(book->arena, &sets, book->set_count, sizeof(*book->sets), err));
    book->sets = sets;
    struct lith_fact_set *set = &book->sets[book->set_count];
    LITH_TRY(lith_arena_copy(book->arena, meaning, strlen(meaning), &copy, err));
    set->meaning = copy;
    LITH_TRY(schema_keep(book, footer, &set->schema, err));
    *ret_set = ++book->set_count;
    return LITH_OK;
}

/* True for what is wrong with the file, false for what is wrong with the machine or the moment. */
static bool is_of_the_file(enum lith_code code)
{
    return code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED || code == LITH_E_INVALID ||
           code == LITH_E_DENIED;
}

/* Notes an output of ours some of whose inputs are here too, as files of their own. */
static enum lith_code lost_check(struct lith_fact_book *book, const char *name,
                                 struct lith_source *source, const struct lith_footer *footer,
                                 const struct lith_snapshot *snapshot, struct lith_arena *scratch,
                                 struct lith_err *err)
{
    struct lith_listed_input *inputs;
    size_t count;
    void *copy;

    if (book->lost_output || !lith_footer_key(footer, LITH_INPUT_LIST_KEY))
        return LITH_OK;
    enum lith_code code =
        lith_input_list_read(source, footer, book->codecs, scratch, &inputs, &count, err);
    if (code != LITH_OK && !is_of_the_file(code))
        return code;
    if (code != LITH_OK) { /* whose rows it holds is not known: it must not be counted */
        LITH_TRY(lith_arena_copy(book->arena, name, strlen(name), &copy, err));
        book->lost_output = copy;
        return LITH_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const struct lith_snapshot_file *file = lith_snapshot_find(snapshot, inputs[i].name);
        if (!file || !file->live || !file->object || file->object->size != inputs[i].size)
            continue;
        LITH_TRY(lith_arena_copy(book->arena, name, strlen(name), &copy, err));
        book->lost_output = copy;
        return LITH_OK;
    }
    return LITH_OK;
}

static enum lith_code footer_take(struct lith_fact_book *book, const struct lith_job *job,
                                  const struct lith_snapshot *snapshot,
                                  const struct lith_object *object, struct lith_facts *facts,
                                  struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_footer footer;
    uint64_t rows = 0;

    lith_arena_init(&scratch, job->work->mem);
    LITH_TRY(lith_folder_source_open(job->folder, object, &source, err));
    LITH_TRY(lith_footer_read(source, &scratch, &footer, err));
    LITH_TRY(lith_schema_normalise(&footer.schema, &scratch, err));
    for (uint32_t i = 0; i < footer.row_group_count; i++) {
        if (!lith_add_u64(rows, (uint64_t)footer.row_groups[i].num_rows, &rows))
            return lith_fail(err, LITH_E_CORRUPT, "row counts do not sum up");
    }
    facts->rows = rows;
    facts->has_rows = true;
    if (!snapshot->manifest)
        LITH_TRY(lost_check(book, object->name, source, &footer, snapshot, &scratch, err));
    LITH_TRY(lith_gate_file(&footer, err));
    return set_find(book, &footer, &scratch, &facts->schema_set, err);
}

/* Reads one footer into a fact; what is wrong with the file itself becomes its reason. */
static enum lith_code fact_read(struct lith_fact_book *book, const struct lith_job *job,
                                const struct lith_snapshot *snapshot,
                                const struct lith_object *object, struct lith_fact *ret_fact,
                                struct lith_err *err)
{
    struct lith_fact fact = {.size = object->size};
    void *copy;

    LITH_TRY(lith_work_check(job->work, err));
    LITH_TRY(lith_arena_copy(book->arena, object->name, strlen(object->name), &copy, err));
    fact.facts.name = copy;
    LITH_TRY(lith_arena_copy(book->arena, object->etag, strlen(object->etag), &copy, err));
    fact.etag = copy;
    enum lith_code code = footer_take(book, job, snapshot, object, &fact.facts, err);
    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was looked at", object->name);
    if (code != LITH_OK && !is_of_the_file(code))
        return lith_err_prefix(err, "%s", object->name);
    if (code != LITH_OK) {
        LITH_TRY(lith_arena_copy(book->arena, err->text, strlen(err->text), &copy, err));
        fact.facts.blocked = copy;
        fact.facts.blocked_for_good = code == LITH_E_CORRUPT || code == LITH_E_UNSUPPORTED;
    }
    *ret_fact = fact;
    return LITH_OK;
}

/* Sorts what is known, and gives the planner its view of it. */
static enum lith_code facts_publish(struct lith_fact_book *book, struct lith_err *err)
{
    void *block;

    if (book->known_count == 0)
        return LITH_OK;
    qsort(book->known, book->known_count, sizeof(*book->known), known_by_name);
    if (book->capacity < book->known_count) {
        LITH_TRY(
            lith_arena_array(book->arena, book->known_capacity, sizeof(*book->facts), &block, err));
        book->facts = block;
        book->capacity = book->known_capacity;
    }
    for (size_t i = 0; i < book->known_count; i++)
        book->facts[i] = book->known[i].facts;
    book->count = book->known_count;
    return LITH_OK;
}

bool lith_fact_is_replaced(const struct lith_snapshot_file *file)
{
    return file->state == LITH_FILE_RETIRED && file->object && file->differs &&
           !file->object->is_link;
}

static bool is_wanted(const struct lith_snapshot_file *file, enum lith_fact_scope scope)
{
    if (!file->object || file->object->is_link)
        return false;
    if (lith_fact_is_replaced(file))
        return true;
    return file->live && (scope == LITH_FACTS_ALL || file->state == LITH_FILE_LATE);
}

/* Among the first `sorted` of what is known, which are in order; NULL: it is not there. */
static struct lith_fact *known_find(const struct lith_fact_book *book, const char *name,
                                    size_t sorted)
{
    struct lith_fact key = {.facts = {.name = name}};

    return sorted ? bsearch(&key, book->known, sorted, sizeof(key), known_by_name) : NULL;
}

/* Reads the footer of one file, unless it is known; what is known of another file of that name
 * gives way. There is room for one more. */
static enum lith_code file_take(struct lith_fact_book *book, const struct lith_job *job,
                                const struct lith_snapshot *snapshot,
                                const struct lith_object *object, size_t sorted,
                                struct lith_err *err)
{
    struct lith_fact *old = known_find(book, object->name, sorted);
    struct lith_fact fact;

    if (old && old->size == object->size && strcmp(old->etag, object->etag) == 0)
        return LITH_OK;
    LITH_TRY(fact_read(book, job, snapshot, object, &fact, err));
    if (old) {
        *old = fact;
        return LITH_OK;
    }
    LITH_ASSERT(book->known_count < book->known_capacity);
    book->known[book->known_count++] = fact;
    return LITH_OK;
}

/* Makes room for `more` files at once: how many will come is known before they are read. */
static enum lith_code room_make(struct lith_fact_book *book, size_t more, struct lith_err *err)
{
    size_t wanted = book->known_count + more;
    void *grown;

    if (wanted <= book->known_capacity)
        return LITH_OK;
    if (wanted < book->known_capacity * 2)
        wanted = book->known_capacity * 2;
    LITH_TRY(lith_arena_array(book->arena, wanted, sizeof(*book->known), &grown, err));
    if (book->known_count)
        memcpy(grown, book->known, book->known_count * sizeof(*book->known));
    book->known = grown;
    book->known_capacity = wanted;
    return LITH_OK;
}

enum lith_code lith_fact_book_fill(struct lith_fact_book *book, const struct lith_job *job,
                                   const struct lith_snapshot *snapshot, enum lith_fact_scope scope,
                                   struct lith_err *err)
{
    size_t sorted = book->known_count;
    size_t more = 0;

    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        more += is_wanted(file, scope) && !known_find(book, file->name, sorted) ? 1 : 0;
    }
    LITH_TRY(room_make(book, more, err));
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        if (is_wanted(file, scope))
            LITH_TRY(file_take(book, job, snapshot, file->object, sorted, err));
    }
    return facts_publish(book, err);
}
