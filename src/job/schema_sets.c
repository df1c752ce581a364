/*
 * Sets of files that join: kinds looked up, new ones tried on each set in turn.
 */
#include "job/schema_sets.h"

#include <string.h>

#include "base/array.h"
#include "job/kind_hash.h"
#include "sort/sort_key.h"

enum lith_code lith_schema_sets_init(struct lith_schema_sets *sets,
                                     const struct lith_schema_rules *rules,
                                     struct lith_arena *arena, struct lith_err *err)
{
    *sets = (struct lith_schema_sets){.arena = arena, .rules = *rules};
    lith_hash_map_init(&sets->found, arena->mem);
    return lith_hasher_new(arena->mem, 0, &sets->hasher, err);
}

void lith_schema_sets_done(struct lith_schema_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        lith_growing_union_done(&sets->sets[i].by_id);
        lith_growing_union_done(&sets->sets[i].ids_by_name);
        lith_growing_union_done(&sets->sets[i].by_name);
        lith_field_names_done(&sets->sets[i].names);
    }
    lith_hash_map_done(&sets->found);
    lith_hasher_free(sets->hasher);
    *sets = (struct lith_schema_sets){0};
}

/* A kind that is tried on one set. */
struct trial {
    struct lith_schema_sets *sets;
    struct lith_schema_set *set;
    const struct lith_schema *schema;
    uint32_t origin;
    bool has_ids; /* it is matched by id among those that have some, too */
    struct lith_union_conflict conflict;
};

static struct lith_union_rules rules_of(const struct trial *t, bool by_id)
{
    struct lith_union_rules rules = t->sets->rules.allow;

    rules.by_id = by_id;
    rules.ids_agree = t->sets->rules.match == LITH_MATCH_AUTO;
    return rules;
}

static void order_conflict_set(struct trial *t)
{
    t->conflict = (struct lith_union_conflict){
        .text = "one name belongs to columns of different field ids, so that the order of "
                "files would decide",
        .origin = t->set->by_id.now.origins[0],
    };
}

/* Whether the kind also takes what the set has: by ids a field bears the last name it had, so that
 * names that moved from one field to another join in one order and not in the other. Files are
 * merged in the order of their names, which says nothing of time. */
static enum lith_code turned_check(struct trial *t, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const struct lith_union *now = &t->set->by_id.now;
    struct lith_union_rules rules = rules_of(t, true);
    struct lith_union_conflict conflict;
    struct lith_union turned;

    lith_arena_init(&scratch, t->sets->arena->mem);
    LITH_TRY(lith_union_begin(&turned, &rules, t->schema, 0, &scratch, err));
    LITH_TRY(lith_union_add(&turned, &now->schema, 1, &scratch, &conflict, err));
    if (conflict.text)
        order_conflict_set(t);
    return LITH_OK;
}

static enum lith_code id_try(struct trial *t, struct lith_err *err)
{
    struct lith_union_rules rules = rules_of(t, true);
    bool is_first = !t->set->by_id.is_begun;

    LITH_TRY(
        lith_growing_union_try(&t->set->by_id, &rules, t->schema, t->origin, &t->conflict, err));
    if (is_first || t->conflict.text)
        return LITH_OK;
    if (!lith_field_names_agree(&t->set->names, t->schema)) {
        order_conflict_set(t);
        return LITH_OK;
    }
    return turned_check(t, err);
}

static enum lith_code name_try(struct trial *t, struct lith_err *err)
{
    struct lith_union_rules rules = rules_of(t, false);

    return lith_growing_union_try(&t->set->by_name, &rules, t->schema, t->origin, &t->conflict,
                                  err);
}

/* Whether the kinds with ids have one union by id and by name, with this kind among them. */
static enum lith_code agreement_try(struct trial *t, bool *ret_agrees, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_union_rules rules = rules_of(t, false);
    struct lith_growing_union *names = &t->set->ids_by_name;
    struct lith_union_conflict conflict;
    const char *difference;

    lith_arena_init(&scratch, t->sets->arena->mem);
    *ret_agrees = false;
    if (t->set->disagrees)
        return LITH_OK;
    LITH_TRY(lith_growing_union_try(names, &rules, t->schema, t->origin, &conflict, err));
    if (conflict.text)
        return LITH_OK;
    return lith_schema_equal(lith_growing_union_schema(&t->set->by_id),
                             lith_growing_union_schema(names), &scratch, ret_agrees, &difference,
                             err);
}

static void disagreement_set(struct trial *t)
{
    const struct lith_growing_union *with =
        t->set->by_id.is_begun ? &t->set->by_id : &t->set->by_name;

    t->conflict = (struct lith_union_conflict){
        .text = "columns that are one by their field ids are not by their names: such files and "
                "those without ids do not mix",
        .origin = with->now.origins[0],
    };
}

/* A kind with ids on all fields. */
static enum lith_code with_ids_try(struct trial *t, struct lith_err *err)
{
    bool agrees;

    LITH_TRY(id_try(t, err));
    if (t->conflict.text)
        return LITH_OK;
    LITH_TRY(agreement_try(t, &agrees, err));
    if (t->set->by_name.is_begun && !agrees)
        disagreement_set(t);
    else if (t->set->by_name.is_begun)
        return name_try(t, err);
    else if (!agrees) {
        lith_growing_union_done(&t->set->ids_by_name);
        t->set->disagrees = true;
    }
    return LITH_OK;
}

/* A kind without ids, or with some: from the first of them on the set is matched by name. */
static enum lith_code without_ids_try(struct trial *t, struct lith_err *err)
{
    struct lith_schema_set *set = t->set;

    if (set->by_name.is_begun || !set->by_id.is_begun)
        return name_try(t, err);
    if (set->disagrees) {
        disagreement_set(t);
        return LITH_OK;
    }
    return lith_growing_union_try_on(&set->by_name, &set->ids_by_name, t->schema, t->origin,
                                     &t->conflict, err);
}

/* The union of all kinds, not begun where there is none. */
static const struct lith_growing_union *union_of(const struct lith_schema_set *set)
{
    return set->by_name.is_begun ? &set->by_name : &set->by_id;
}

/* Equal schemas need no union: those that no union takes (a name twice in a group) join them. */
static enum lith_code is_equal(const struct trial *t, bool *ret_equal, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const struct lith_growing_union *u = union_of(t->set);
    const char *difference;

    lith_arena_init(&scratch, t->sets->arena->mem);
    *ret_equal = false;
    if (!u->is_begun)
        return LITH_OK;
    return lith_schema_equal(lith_growing_union_schema(u), t->schema, &scratch, ret_equal,
                             &difference, err);
}

static enum lith_code set_try(struct trial *t, struct lith_err *err)
{
    bool equal;

    t->conflict = (struct lith_union_conflict){0};
    LITH_TRY(is_equal(t, &equal, err));
    if (equal)
        return LITH_OK;
    if (t->sets->rules.match == LITH_MATCH_NAME)
        return name_try(t, err);
    if (t->sets->rules.match == LITH_MATCH_ID)
        return id_try(t, err);
    return t->has_ids ? with_ids_try(t, err) : without_ids_try(t, err);
}

/* The unions that were tried stay, or go. */
static enum lith_code set_settle(struct trial *t, bool is_taken, struct lith_err *err)
{
    bool is_by_id = t->has_ids && t->sets->rules.match != LITH_MATCH_NAME;
    struct lith_growing_union *const unions[] = {&t->set->by_id, &t->set->ids_by_name,
                                                 &t->set->by_name};

    for (size_t i = 0; i < sizeof(unions) / sizeof(unions[0]); i++) {
        if (is_taken)
            lith_growing_union_take(unions[i]);
        else
            lith_growing_union_drop(unions[i]);
    }
    return is_taken && is_by_id ? lith_field_names_add(&t->set->names, t->schema, err) : LITH_OK;
}

static enum lith_code text_keep(struct lith_schema_sets *sets, const char *text,
                                const char **ret_text, struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(sets->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

/* Keeps the first conflict that a kind met. */
static enum lith_code conflict_keep(const struct trial *t, struct lith_schema_conflict *kept,
                                    struct lith_err *err)
{
    if (kept->text)
        return LITH_OK;
    kept->left = t->sets->kinds[t->conflict.origin].name;
    return text_keep(t->sets, t->conflict.text, &kept->text, err);
}

/* Tries the sets of the file's meaning, in order. *ret_set 0: none takes it. */
static enum lith_code sets_try(struct trial *t, const struct lith_meaning *meaning,
                               uint32_t *ret_set, struct lith_schema_conflict *ret_conflict,
                               struct lith_err *err)
{
    int part;

    *ret_set = 0;
    for (size_t i = 0; i < t->sets->count && !*ret_set; i++) {
        struct lith_meaning joined = t->sets->sets[i].meaning;
        t->set = &t->sets->sets[i];
        if (t->set->is_closed || !lith_meaning_join(&joined, meaning, &part))
            continue;
        enum lith_code code = set_try(t, err);
        if (code == LITH_OK && t->conflict.text)
            code = conflict_keep(t, ret_conflict, err);
        else if (code == LITH_OK)
            *ret_set = (uint32_t)i + 1;
        enum lith_code settled = set_settle(t, *ret_set > 0, err);
        LITH_TRY(code != LITH_OK ? code : settled);
        if (*ret_set)
            t->set->meaning = joined;
    }
    return LITH_OK;
}

/* Of the first set, where none has the file's meaning. */
static enum lith_code meaning_conflict(struct lith_schema_sets *sets,
                                       const struct lith_meaning *meaning,
                                       struct lith_schema_conflict *conflict, struct lith_err *err)
{
    struct lith_meaning first = sets->sets[0].meaning;
    char *text;
    int part;

    /* It is never closed, so a file that could be of its meaning was tried on it. */
    bool joins = lith_meaning_join(&first, meaning, &part);
    LITH_ASSERT(!joins);
    LITH_TRY(lith_arena_format(sets->arena, &text, err, "what values mean: %s against %s",
                               lith_meaning_text(&first, part), lith_meaning_text(meaning, part)));
    conflict->text = text;
    conflict->left = sets->kinds[0].name;
    return LITH_OK;
}

static enum lith_code set_begin(struct trial *t, const struct lith_schema_file *file,
                                struct lith_schema_conflict *conflict, struct lith_err *err)
{
    struct lith_schema_sets *sets = t->sets;
    struct lith_mem *mem = sets->arena->mem;
    void *block = sets->sets;

    if (sets->count && !conflict->text)
        LITH_TRY(meaning_conflict(sets, file->meaning, conflict, err));
    conflict->right = sets->kinds[t->origin].name;
    LITH_TRY(lith_array_grow_in(sets->arena, &block, sets->count, sizeof(*sets->sets), err));
    sets->sets = block;
    t->set = &sets->sets[sets->count];
    *t->set = (struct lith_schema_set){.conflict = *conflict,
                                       .is_closed = sets->count >= LITH_UNION_SETS_MAX};
    t->set->meaning = *file->meaning;
    lith_growing_union_init(&t->set->by_id, mem);
    lith_growing_union_init(&t->set->ids_by_name, mem);
    lith_growing_union_init(&t->set->by_name, mem);
    lith_field_names_init(&t->set->names, sets->rules.allow.any_case, sets->hasher, mem);
    sets->count++;
    if (t->set->is_closed)
        return LITH_OK;
    enum lith_code code = set_try(t, err);
    LITH_ASSERT(code != LITH_OK || !t->conflict.text);
    enum lith_code settled = set_settle(t, code == LITH_OK, err);
    return code != LITH_OK ? code : settled;
}

/* Makes room for the kind, and says what it lacks. */
static enum lith_code kind_begin(struct trial *t, const char *name, struct lith_arena *scratch,
                                 struct lith_err *err)
{
    struct lith_schema_sets *sets = t->sets;
    struct lith_schema_kind kind = {0};
    void *block = sets->kinds;

    LITH_TRY(lith_array_grow_in(sets->arena, &block, t->origin, sizeof(*sets->kinds), err));
    sets->kinds = block;
    LITH_TRY(text_keep(sets, name, &kind.name, err));
    if (sets->rules.sort_by)
        LITH_TRY(lith_sort_keys_lacking(sets->rules.sort_by, t->schema, scratch, &kind.lacks, err));
    sets->kinds[t->origin] = kind;
    sets->kind_count++;
    return LITH_OK;
}

static enum lith_code kind_take(struct lith_schema_sets *sets, const struct lith_schema_file *file,
                                struct lith_hash128 id, uint32_t *ret_kind, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct trial t = {.sets = sets, .origin = sets->kind_count};
    struct lith_schema_conflict conflict = {0};
    struct lith_schema meant;
    enum lith_ids ids;
    uint32_t set;

    lith_arena_init(&scratch, sets->arena->mem);
    LITH_TRY(lith_schema_ids(file->schema, file->is_counted, sets->arena->mem, &ids, err));
    LITH_TRY(lith_schema_meant(file->schema, ids, &scratch, &meant, err));
    t.schema = &meant;
    t.has_ids = ids == LITH_IDS_ALL;

    if (sets->rules.match == LITH_MATCH_ID && !t.has_ids)
        return lith_fail(err, LITH_E_INVALID,
                         "match_columns is id, but not all of its fields have an id that means "
                         "something; auto or "
                         "name takes it");
    LITH_TRY(kind_begin(&t, file->name, &scratch, err));
    LITH_TRY(sets_try(&t, file->meaning, &set, &conflict, err));
    if (set == 0) {
        LITH_TRY(set_begin(&t, file, &conflict, err));
        set = (uint32_t)sets->count;
    }
    sets->kinds[t.origin].set = set;
    *ret_kind = t.origin + 1;
    return lith_hash_map_put(&sets->found, id, *ret_kind, err);
}

enum lith_code lith_schema_sets_find(struct lith_schema_sets *sets,
                                     const struct lith_schema_file *file, uint32_t *ret_kind,
                                     struct lith_err *err)
{
    struct lith_hash128 id =
        lith_kind_hash(sets->hasher, file->schema, file->meaning, file->is_counted);
    uint32_t kind = lith_hash_map_get(&sets->found, id);

    if (kind == 0)
        LITH_TRY(kind_take(sets, file, id, &kind, err));
    *ret_kind = kind;
    return LITH_OK;
}

enum lith_code lith_schema_sets_refusal(const struct lith_schema_sets *sets, uint32_t set,
                                        struct lith_arena *arena, const char **ret_text,
                                        struct lith_err *err)
{
    const struct lith_growing_union *u = union_of(&sets->sets[set - 1]);
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_sort_key *keys;
    uint32_t count;
    void *text;

    lith_arena_init(&scratch, arena->mem);
    *ret_text = NULL;
    if (!sets->rules.sort_by || !u->is_begun)
        return LITH_OK;
    enum lith_code code = lith_sort_keys_parse(sets->rules.sort_by, lith_growing_union_schema(u),
                                               &scratch, &keys, &count, err);
    if (code != LITH_E_INVALID && code != LITH_E_UNSUPPORTED)
        return code;
    LITH_TRY(lith_arena_copy(arena, err->text, strlen(err->text), &text, err));
    *ret_text = text;
    return LITH_OK;
}

const struct lith_schema_conflict *lith_schema_sets_conflict(const struct lith_schema_sets *sets,
                                                             uint32_t set)
{
    LITH_ASSERT(set > 0);
    LITH_ASSERT(set <= sets->count);
    const struct lith_schema_conflict *conflict = &sets->sets[set - 1].conflict;
    return conflict->text ? conflict : NULL;
}

enum lith_code lith_schema_conflict_text(const struct lith_schema_conflict *conflict,
                                         const char *left, const char *right,
                                         struct lith_arena *arena, const char **ret_text,
                                         struct lith_err *err)
{
    static const char against[] = " against ";
    const char *middle = strstr(conflict->text, against);
    /* A name may have the word in it, too: then it is not known where the sides meet. */
    bool is_one = middle && !strstr(middle + 1, against);
    char *text;

    if (strcmp(left, right) == 0)
        LITH_TRY(lith_arena_format(arena, &text, err, "%s (in %s)", conflict->text, left));
    else if (is_one)
        LITH_TRY(lith_arena_format(arena, &text, err, "%.*s (in %s)%s (in %s)",
                                   (int)(middle - conflict->text), conflict->text, left, middle,
                                   right));
    else
        LITH_TRY(lith_arena_format(arena, &text, err, "%s (%s against %s)", conflict->text, left,
                                   right));
    *ret_text = text;
    return LITH_OK;
}
