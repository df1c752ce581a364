/*
 * Kinds of schemas: found by a hash, joined in turn.
 */
#include "merge/schema_kinds.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "merge/annotations.h"
#include "parquet/writer_version.h"

void lith_kinds_init(struct lith_kinds *kinds, struct lith_arena *arena)
{
    *kinds = (struct lith_kinds){.arena = arena};
}

/* Equal schemas have one hash. Annotations are left out: they may be equal in several forms. */
static uint64_t hash_of(const struct lith_schema *schema)
{
    uint64_t hash = schema->node_count;

    for (uint32_t i = 1; i < schema->node_count; i++) {
        const struct lith_schema_node *node = &schema->nodes[i];
        const uint64_t facts[] = {
            hash,
            lith_xxh64(node->name.data, node->name.bytes),
            node->is_group,
            node->is_group ? 0 : (uint64_t)node->type,
            node->is_group ? 0 : (uint64_t)node->type_length,
            (uint64_t)node->repetition,
            node->child_count,
            node->has_field_id ? (uint64_t)node->field_id + 1 : 0,
        };
        hash = lith_xxh64(facts, sizeof(facts));
    }
    return hash;
}

static enum lith_code is_kind(const struct lith_kind *kind, const struct lith_schema *schema,
                              struct lith_arena *scratch, bool *ret_equal, struct lith_err *err)
{
    const char *difference;

    return lith_schema_equal(&kind->schema, schema, scratch, ret_equal, &difference, err);
}

/* Whether ids of a file are worth as much as those of the kind, if it has any. */
static bool worth_is(const struct lith_kind *kind, bool is_counted)
{
    return kind->ids == LITH_IDS_SOME || kind->is_counted == is_counted;
}

enum lith_code lith_kinds_find(struct lith_kinds *kinds, const struct lith_footer *footer,
                               struct lith_arena *scratch, uint32_t *ret_kind, struct lith_err *err)
{
    const struct lith_schema *schema = &footer->schema;
    bool is_counted = lith_fields_are_counted(footer);
    bool equal = false;

    *ret_kind = LITH_NO_INDEX;
    if (kinds->count == 0)
        return LITH_OK;
    if (worth_is(&kinds->kinds[kinds->last], is_counted))
        LITH_TRY(is_kind(&kinds->kinds[kinds->last], schema, scratch, &equal, err));
    uint64_t hash = equal ? 0 : hash_of(schema);
    for (uint32_t i = 0; !equal && i < kinds->count; i++) {
        if (kinds->kinds[i].hash != hash || i == kinds->last ||
            !worth_is(&kinds->kinds[i], is_counted))
            continue;
        LITH_TRY(is_kind(&kinds->kinds[i], schema, scratch, &equal, err));
        if (equal)
            kinds->last = i;
    }
    if (equal)
        *ret_kind = kinds->last;
    return LITH_OK;
}

static int ids_compare(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left;
    const int32_t b = *(const int32_t *)right;

    return (a > b) - (a < b);
}

/* Whether no id is there twice. */
static enum lith_code ids_differ(const struct lith_schema *schema, struct lith_arena *arena,
                                 bool *ret_differ, struct lith_err *err)
{
    uint32_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(arena, schema->node_count, sizeof(int32_t), &block, err));
    int32_t *ids = block;
    for (uint32_t i = 1; i < schema->node_count; i++) {
        if (schema->nodes[i].has_field_id)
            ids[count++] = schema->nodes[i].field_id;
    }
    if (count)
        qsort(ids, count, sizeof(*ids), ids_compare);
    *ret_differ = true;
    for (uint32_t i = 1; i < count; i++)
        *ret_differ = *ret_differ && ids[i] != ids[i - 1];
    return LITH_OK;
}

bool lith_fields_are_counted(const struct lith_footer *footer)
{
    const struct lith_key_value *key = lith_footer_key(footer, LITH_IDS_KEY);
    struct lith_writer_version writer;

    if (key && key->value.data && lith_slice_equal(key->value, lith_slice_text(LITH_IDS_COUNTED)))
        return true;
    if (!lith_slice_begins(footer->created_by, "parquet-cpp"))
        return false;
    writer = lith_writer_version_of(footer->created_by);
    /* Arrow C++ before 6.0 (PARQUET-1798), and what it was before it was Arrow's. */
    return lith_slice_equal(writer.name, lith_slice_text("parquet-cpp")) ||
           lith_writer_is_before(&writer, "parquet-cpp-arrow", 6, 0, 0);
}

enum lith_code lith_schema_ids(const struct lith_schema *schema, bool is_counted,
                               struct lith_mem *mem, enum lith_ids *ret_ids, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    bool differ;

    lith_arena_init(&scratch, mem);
    *ret_ids = LITH_IDS_SOME;
    if (!lith_schema_has_ids(schema))
        return LITH_OK;
    LITH_TRY(ids_differ(schema, &scratch, &differ, err));
    *ret_ids = differ && !is_counted ? LITH_IDS_ALL : LITH_IDS_MADE;
    return LITH_OK;
}

enum lith_code lith_schema_meant(const struct lith_schema *schema, enum lith_ids ids,
                                 struct lith_arena *arena, struct lith_schema *ret_meant,
                                 struct lith_err *err)
{
    *ret_meant = *schema;
    if (ids != LITH_IDS_MADE)
        return LITH_OK;
    LITH_TRY(lith_schema_copy(schema, arena, ret_meant, err));
    for (uint32_t i = 0; i < ret_meant->node_count; i++)
        ret_meant->nodes[i].has_field_id = false;
    return LITH_OK;
}

enum lith_code lith_kinds_add(struct lith_kinds *kinds, const struct lith_footer *footer,
                              uint32_t input, struct lith_err *err)
{
    const struct lith_schema *schema = &footer->schema;
    bool is_counted = lith_fields_are_counted(footer);
    struct lith_kind kind = {.hash = hash_of(schema), .input = input};
    void *block = kinds->kinds;

    LITH_TRY(lith_schema_ids(schema, is_counted, kinds->arena->mem, &kind.ids, err));
    kind.is_counted = is_counted && kind.ids != LITH_IDS_SOME;
    LITH_TRY(lith_schema_copy(schema, kinds->arena, &kind.schema, err));
    LITH_TRY(lith_array_grow_in(kinds->arena, &block, kinds->count, sizeof(kind), err));
    kinds->kinds = block;
    kinds->last = kinds->count;
    kinds->kinds[kinds->count++] = kind;
    return LITH_OK;
}

/* The first kind whose fields do not all have ids that mean something; `count`: none. */
static uint32_t first_without_ids(const struct lith_kinds *kinds)
{
    uint32_t i = 0;

    while (i < kinds->count && kinds->kinds[i].ids == LITH_IDS_ALL)
        i++;
    return i;
}

static void match_decide(const struct lith_kinds *kinds, enum lith_match match,
                         struct lith_union_rules *rules)
{
    rules->by_id = match == LITH_MATCH_ID ||
                   (match == LITH_MATCH_AUTO && first_without_ids(kinds) == kinds->count);
    rules->ids_agree = match == LITH_MATCH_AUTO;
}

/* Folds all kinds; each union is made in the arena that does not hold the one before. */
static enum lith_code fold(struct lith_kinds *kinds, struct lith_arena arenas[2],
                           struct lith_union *u, struct lith_kinds_conflict *ret_conflict,
                           struct lith_err *err)
{
    const struct lith_union_rules rules = u->rules;
    struct lith_union_conflict conflict = {0};
    char *text;

    struct lith_schema meant;
    LITH_TRY(
        lith_schema_meant(&kinds->kinds[0].schema, kinds->kinds[0].ids, &arenas[0], &meant, err));
    LITH_TRY(lith_union_begin(u, &rules, &meant, 0, &arenas[0], err));
    /* The first is added to itself too: names that clash are found in every kind alike. */
    for (uint32_t i = 0; i < kinds->count; i++) {
        struct lith_arena *next = &arenas[(i + 1) % 2];
        LITH_TRY(
            lith_schema_meant(&kinds->kinds[i].schema, kinds->kinds[i].ids, next, &meant, err));
        LITH_TRY(lith_union_add(u, &meant, i, next, &conflict, err));
        if (conflict.text) {
            LITH_TRY(lith_arena_format(kinds->arena, &text, err, "%s", conflict.text));
            *ret_conflict = (struct lith_kinds_conflict){text, conflict.origin, i};
            return LITH_OK;
        }
        lith_arena_done(&arenas[i % 2]);
        lith_arena_init(&arenas[i % 2], kinds->arena->mem);
    }
    return LITH_OK;
}

static enum lith_code places_fill(struct lith_kinds *kinds, const struct lith_union *u,
                                  struct lith_err *err)
{
    for (uint32_t i = 0; i < kinds->count; i++) {
        struct lith_union_place *places;
        LITH_TRY(lith_union_places(u, &kinds->kinds[i].schema, kinds->arena, &places, err));
        kinds->kinds[i].places = places;
    }
    return LITH_OK;
}

static int ids_order(const void *left, const void *right)
{
    const struct lith_schema_node *a = *(const struct lith_schema_node *const *)left;
    const struct lith_schema_node *b = *(const struct lith_schema_node *const *)right;

    return (a->field_id > b->field_id) - (a->field_id < b->field_id);
}

/* Fields that were one by their names may end with an id that others have too: then it says nothing
 * of any of them. */
static enum lith_code doubled_ids_drop(struct lith_schema *schema, struct lith_arena *arena,
                                       struct lith_err *err)
{
    struct lith_schema_node **nodes;
    uint32_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(arena, schema->node_count, sizeof(struct lith_schema_node *), &block,
                              err));
    nodes = block;
    for (uint32_t i = 1; i < schema->node_count; i++) {
        if (schema->nodes[i].has_field_id)
            nodes[count++] = &schema->nodes[i];
    }
    if (count)
        qsort(nodes, count, sizeof(*nodes), ids_order);
    for (uint32_t i = 1; i < count; i++) {
        if (nodes[i]->field_id != nodes[i - 1]->field_id)
            continue;
        nodes[i]->has_field_id = false;
        nodes[i - 1]->has_field_id = false;
    }
    return LITH_OK;
}

static enum lith_code join(struct lith_kinds *kinds, struct lith_arena arenas[2],
                           struct lith_union *u, struct lith_schema *ret_schema,
                           struct lith_kinds_conflict *ret_conflict, struct lith_err *err)
{
    LITH_TRY(fold(kinds, arenas, u, ret_conflict, err));
    if (ret_conflict->text)
        return LITH_OK;
    LITH_TRY(lith_schema_copy(&u->schema, kinds->arena, ret_schema, err));
    for (uint32_t i = 0; i < ret_schema->node_count; i++)
        ret_schema->nodes[i].has_field_id = ret_schema->nodes[i].has_field_id && !u->lacks_id[i];
    if (!u->rules.by_id)
        LITH_TRY(doubled_ids_drop(ret_schema, kinds->arena, err));
    return places_fill(kinds, u, err);
}

enum lith_code lith_kinds_join(struct lith_kinds *kinds, const struct lith_union_rules *rules,
                               enum lith_match match, struct lith_schema *ret_schema,
                               struct lith_kinds_conflict *ret_conflict, struct lith_err *err)
{
    struct lith_union u = {.rules = *rules};
    struct lith_arena arenas[2];

    *ret_conflict = (struct lith_kinds_conflict){0};
    match_decide(kinds, match, &u.rules);
    uint32_t bare = first_without_ids(kinds);
    if (u.rules.by_id && bare < kinds->count) {
        *ret_conflict = (struct lith_kinds_conflict){
            "columns are to be matched by field id, but not all of its fields have one that means "
            "something; match_columns auto or name takes it",
            bare, bare};
        return LITH_OK;
    }
    lith_arena_init(&arenas[0], kinds->arena->mem);
    lith_arena_init(&arenas[1], kinds->arena->mem);
    enum lith_code code = join(kinds, arenas, &u, ret_schema, ret_conflict, err);
    lith_arena_done(&arenas[0]);
    lith_arena_done(&arenas[1]);
    return code;
}

/* The leaf of the union as all kinds that have it write it. */
static void leaf_form_join(const struct lith_kinds *kinds, uint32_t leaf,
                           const struct lith_schema_node *joined, struct lith_schema_node *written)
{
    const struct lith_schema_node *form = NULL;

    for (uint32_t i = 0; i < kinds->count; i++) {
        const struct lith_kind *kind = &kinds->kinds[i];
        const struct lith_union_place *place = &kind->places[leaf];
        if (place->leaf == LITH_NO_INDEX || kind->written.node_count == 0)
            continue;
        const struct lith_schema_node *node = lith_schema_leaf(&kind->written, place->leaf);
        /* A type that was joined from several has the form of none. */
        if (!lith_schema_annotation_equal(lith_schema_leaf(&kind->schema, place->leaf), joined) ||
            (form && !lith_annotation_is_same_form(form, node)))
            return;
        form = node;
    }
    if (form)
        lith_annotation_form_take(written, form);
}

enum lith_code lith_kinds_written(const struct lith_kinds *kinds, const struct lith_schema *joined,
                                  struct lith_arena *arena, struct lith_schema *ret_written,
                                  struct lith_err *err)
{
    if (!kinds->kinds[0].places) {
        *ret_written = kinds->kinds[0].written;
        return LITH_OK;
    }
    LITH_TRY(lith_schema_copy(joined, arena, ret_written, err));
    for (uint32_t leaf = 0; leaf < joined->leaf_count; leaf++)
        leaf_form_join(kinds, leaf, lith_schema_leaf(joined, leaf),
                       &ret_written->nodes[ret_written->leaves[leaf]]);
    return LITH_OK;
}
