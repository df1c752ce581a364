/*
 * Which leaf of a file a target leaf comes from, and how its levels translate.
 *
 * Both schemas are walked down the target's path as long as the fields agree: by their ids where
 * all have one, else by their names; in lists and maps by their place, too. A definition level
 * of the file says how far down its path the value is defined; the same node counts differently
 * in the target where repetitions differ.
 */
#include "verify/column.h"

static bool is_same(const struct lith_schema_node *a, const struct lith_schema_node *b, bool by_id)
{
    if (by_id && a->has_field_id && b->has_field_id)
        return a->field_id == b->field_id;
    return lith_slice_equal(a->name, b->name);
}

static bool is_list_or_map(const struct lith_schema_node *node)
{
    return node->parent != LITH_NO_INDEX &&
           (node->logical.kind == LITH_LOGICAL_LIST || node->logical.kind == LITH_LOGICAL_MAP);
}

/* Whether what stands in a group may be named as the writer likes: in a list or map, and in the
 * repeated group that makes it one. */
static bool names_are_free(const struct lith_schema *schema, uint32_t group)
{
    const struct lith_schema_node *node = &schema->nodes[group];

    return node->parent != LITH_NO_INDEX &&
           (is_list_or_map(node) ||
            (node->repetition == LITH_REPEATED && is_list_or_map(&schema->nodes[node->parent])));
}

/* Whether every field has an id, but for those inside lists and maps, which are known by their
 * place, and those of variants, whose shape is theirs. */
static bool has_ids(const struct lith_schema *schema)
{
    uint32_t variant_end = 0;

    for (uint32_t i = 1; i < schema->node_count; i++) {
        const struct lith_schema_node *node = &schema->nodes[i];
        bool is_inside = i < variant_end;
        if (!node->has_field_id && !is_inside && !names_are_free(schema, node->parent))
            return false;
        if (is_inside || !node->is_group || node->logical.kind != LITH_LOGICAL_VARIANT)
            continue;
        for (variant_end = i + 1; variant_end < schema->node_count; variant_end++) {
            if (schema->nodes[variant_end].depth <= node->depth)
                break;
        }
    }
    return true;
}

/* The child of `parent` that is the first (0) or a later one. */
static uint32_t child_at(const struct lith_schema *schema, uint32_t parent, uint32_t place)
{
    for (uint32_t i = parent + 1; i < schema->node_count; i++) {
        if (schema->nodes[i].parent == parent && place-- == 0)
            return i;
    }
    return LITH_NO_INDEX;
}

static uint32_t place_of(const struct lith_schema *schema, uint32_t node)
{
    uint32_t place = 0;

    for (uint32_t i = schema->nodes[node].parent + 1; i < node; i++)
        place += schema->nodes[i].parent == schema->nodes[node].parent;
    return place;
}

/* The two schemas that are compared. */
struct pair {
    const struct lith_schema *target;
    const struct lith_schema *from;
    bool by_id;
};

/* The child of `parent` of the file that is `wanted` of the target. `wanted` itself is where it
 * usually is. */
static uint32_t child_find(const struct pair *pair, uint32_t parent, uint32_t wanted)
{
    const struct lith_schema_node *nodes = pair->from->nodes;
    const struct lith_schema_node *field = &pair->target->nodes[wanted];

    if (wanted < pair->from->node_count && nodes[wanted].parent == parent &&
        is_same(&nodes[wanted], field, pair->by_id))
        return wanted;
    for (uint32_t i = parent + 1; i < pair->from->node_count; i++) {
        if (nodes[i].depth <= nodes[parent].depth)
            break;
        if (nodes[i].parent == parent && is_same(&nodes[i], field, pair->by_id))
            return i;
    }
    if (names_are_free(pair->from, parent) &&
        nodes[parent].child_count == pair->target->nodes[field->parent].child_count)
        return child_at(pair->from, parent, place_of(pair->target, wanted));
    return LITH_NO_INDEX;
}

/* The common part of the path of a target leaf: nodes below the root, outermost first. */
struct path {
    uint32_t target[LITH_SCHEMA_DEPTH_MAX + 1];
    uint32_t from[LITH_SCHEMA_DEPTH_MAX + 1];
    uint32_t length; /* of the target's path */
    uint32_t common;
    uint32_t void_leaf; /* the file's, where it has nothing but nulls by its type */
};

/* Whether a leaf of type UNKNOWN, all null, stands for one of another type. */
static bool is_void(const struct lith_schema_node *found, const struct lith_schema_node *wanted)
{
    return !found->is_group && !wanted->is_group && found->logical.kind == LITH_LOGICAL_UNKNOWN &&
           (wanted->logical.kind != LITH_LOGICAL_UNKNOWN || found->type != wanted->type);
}

static void path_fill(struct path *path, const struct pair *pair, uint32_t leaf)
{
    const struct lith_schema *target = pair->target;
    const struct lith_schema *from = pair->from;
    uint32_t node = target->leaves[leaf];
    uint32_t parent = 0;

    path->void_leaf = LITH_NO_INDEX;
    path->length = target->nodes[node].depth;
    LITH_ASSERT(path->length > 0);
    LITH_ASSERT(path->length <= LITH_SCHEMA_DEPTH_MAX);
    for (uint32_t i = path->length; i > 0; i--) {
        path->target[i - 1] = node;
        node = target->nodes[node].parent;
    }
    for (path->common = 0; path->common < path->length; path->common++) {
        const struct lith_schema_node *wanted = &target->nodes[path->target[path->common]];
        uint32_t found = child_find(pair, parent, path->target[path->common]);
        if (found != LITH_NO_INDEX && is_void(&from->nodes[found], wanted)) {
            path->void_leaf = from->nodes[found].leaf_index;
            break;
        }
        if (found == LITH_NO_INDEX || from->nodes[found].is_group != wanted->is_group)
            break;
        path->from[path->common] = found;
        parent = found;
    }
}

/* The first leaf at or below a node; LITH_NO_INDEX: it has none. */
static uint32_t leaf_below(const struct lith_schema *schema, uint32_t node)
{
    for (uint32_t i = node; i < schema->node_count; i++) {
        if (i > node && schema->nodes[i].depth <= schema->nodes[node].depth)
            break;
        if (schema->nodes[i].leaf_index != LITH_NO_INDEX)
            return schema->nodes[i].leaf_index;
    }
    return LITH_NO_INDEX;
}

static bool is_annotated(const struct lith_schema_node *node, int kind)
{
    return node->logical.kind == kind;
}

static bool is_bare(const struct lith_schema_node *node)
{
    return node->logical.kind == LITH_LOGICAL_NONE && node->converted_type == LITH_CONVERTED_NONE;
}

static bool is_unsigned(const struct lith_schema_node *node)
{
    return is_annotated(node, LITH_LOGICAL_INTEGER) && !node->logical.is_signed;
}

/* 0: no integer. */
static int bits_of(const struct lith_schema_node *node)
{
    if (is_annotated(node, LITH_LOGICAL_INTEGER))
        return node->logical.bit_width;
    if (!is_bare(node))
        return 0;
    if (node->type == LITH_TYPE_INT32)
        return 32;
    return node->type == LITH_TYPE_INT64 ? 64 : 0;
}

/* Whether values of the file's leaf mean in the target what they mean there, once widened. */
static bool means_same(const struct lith_schema_node *from, const struct lith_schema_node *to)
{
    if (lith_schema_annotation_equal(from, to))
        return true;
    if (is_annotated(from, LITH_LOGICAL_DECIMAL) && is_annotated(to, LITH_LOGICAL_DECIMAL))
        return from->logical.scale == to->logical.scale &&
               from->logical.precision <= to->logical.precision;
    if (is_annotated(from, LITH_LOGICAL_DATE))
        return is_annotated(to, LITH_LOGICAL_TIMESTAMP) && !to->logical.utc;
    if (bits_of(from) > 0)
        return is_unsigned(from) == is_unsigned(to) && bits_of(from) <= bits_of(to);
    return is_bare(from) && is_annotated(to, LITH_LOGICAL_STRING);
}

/* Whether the target holds every value of the file's leaf, stored in more bytes. */
static bool widens(const struct lith_schema_node *from, const struct lith_schema_node *to)
{
    if (to->type == LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        return is_annotated(to, LITH_LOGICAL_DECIMAL) &&
               (from->type == LITH_TYPE_INT32 || from->type == LITH_TYPE_INT64 ||
                (from->type == to->type && from->type_length < to->type_length));
    return (from->type == LITH_TYPE_INT32 && to->type == LITH_TYPE_INT64) ||
           (from->type == LITH_TYPE_FLOAT && to->type == LITH_TYPE_DOUBLE);
}

static bool holds(const struct lith_schema_node *to, const struct lith_schema_node *from)
{
    bool is_same_type = from->type == to->type && from->type_length == to->type_length;

    return (is_same_type || widens(from, to)) && means_same(from, to);
}

static enum lith_code path_check(const struct path *path, const struct lith_schema *target,
                                 const struct lith_schema *from, struct lith_err *err)
{
    char name[256];
    const struct lith_schema_node *leaf = &target->nodes[path->target[path->length - 1]];
    bool present = path->common == path->length;

    lith_schema_path(target, path->target[path->length - 1], name, sizeof(name));
    for (uint32_t i = 0; i < path->common; i++) {
        const struct lith_schema_node *t = &target->nodes[path->target[i]];
        const struct lith_schema_node *f = &from->nodes[path->from[i]];
        if ((t->repetition == LITH_REPEATED) != (f->repetition == LITH_REPEATED) ||
            (t->repetition == LITH_REQUIRED && f->repetition == LITH_OPTIONAL))
            return lith_fail(err, LITH_E_INVALID, "column \"%s\": %s cannot hold %s", name,
                             lith_repetition_name((int)t->repetition),
                             lith_repetition_name((int)f->repetition));
    }
    if (!present) {
        uint16_t defined = path->common ? target->nodes[path->target[path->common - 1]].max_def : 0;
        if (leaf->max_def == defined)
            return lith_fail(err, LITH_E_INVALID,
                             "column \"%s\" is required, and a file does not have it", name);
        return LITH_OK;
    }
    const struct lith_schema_node *f = &from->nodes[path->from[path->length - 1]];
    if (holds(leaf, f))
        return LITH_OK;
    char wide[LITH_NODE_TEXT_BYTES], narrow[LITH_NODE_TEXT_BYTES];
    lith_schema_node_text(leaf, wide);
    lith_schema_node_text(f, narrow);
    return lith_fail(err, LITH_E_INVALID, "column \"%s\": %s cannot hold %s", name, wide, narrow);
}

/* The target's definition level where the file's is `def`: the target's levels of the nodes that
 * are defined. */
static uint16_t def_translate(const struct path *path, const struct lith_schema *target,
                              const struct lith_schema *from, uint16_t def)
{
    uint16_t level = 0;

    for (uint32_t i = 0; i < path->common; i++) {
        if (from->nodes[path->from[i]].max_def > def)
            break;
        level = target->nodes[path->target[i]].max_def;
    }
    return level;
}

static enum lith_code map_make(const struct pair *pair, uint32_t leaf, struct lith_arena *arena,
                               struct lith_leaf_map *map, struct lith_err *err)
{
    const struct lith_schema *target = pair->target;
    const struct lith_schema *from = pair->from;
    struct path path;
    void *block;

    path_fill(&path, pair, leaf);
    LITH_TRY(path_check(&path, target, from, err));
    *map = (struct lith_leaf_map){.leaf = path.void_leaf};
    map->is_void = path.void_leaf != LITH_NO_INDEX;
    /* A group without columns has no levels to go by. */
    while (!map->is_void && path.common > 0 &&
           leaf_below(from, path.from[path.common - 1]) == LITH_NO_INDEX)
        path.common--;
    if (path.common == 0 && !map->is_void)
        return LITH_OK;
    uint32_t last = path.common ? path.from[path.common - 1] : 0;
    map->present = path.common == path.length;
    map->rep_max = from->nodes[last].max_rep;
    if (!map->is_void)
        map->leaf = leaf_below(from, last);
    const struct lith_schema_node *node = lith_schema_leaf(from, map->leaf);
    const struct lith_schema_node *wanted = lith_schema_leaf(target, leaf);
    map->identity =
        map->present && node->type == wanted->type && node->type_length == wanted->type_length;
    LITH_TRY(lith_arena_array(arena, (size_t)node->max_def + 1, sizeof(uint16_t), &block, err));
    map->def_map = block;
    for (uint16_t def = 0; def <= node->max_def; def++) {
        map->def_map[def] = def_translate(&path, target, from, def);
        map->identity = map->identity && map->def_map[def] == def;
    }
    return LITH_OK;
}

/* A column of the file is one of the target: of one that stood for two another could go unseen. */
static enum lith_code twice_check(const struct pair *pair, const struct lith_leaf_map *maps,
                                  struct lith_arena *arena, struct lith_err *err)
{
    char name[256];
    void *block;

    LITH_TRY(lith_arena_array(arena, pair->from->leaf_count, sizeof(bool), &block, err));
    bool *taken = block;
    for (uint32_t i = 0; i < pair->target->leaf_count; i++) {
        uint32_t leaf = maps[i].leaf;
        if (!maps[i].present && !maps[i].is_void)
            continue;
        if (taken[leaf]) {
            lith_schema_path(pair->from, pair->from->leaves[leaf], name, sizeof(name));
            return lith_fail(err, LITH_E_INVALID,
                             "column \"%s\" of one would be two of the other: a name or an id "
                             "stands there twice",
                             name);
        }
        taken[leaf] = true;
    }
    return LITH_OK;
}

enum lith_code lith_leaf_maps_make(const struct lith_schema *target, const struct lith_schema *from,
                                   struct lith_arena *arena, struct lith_leaf_map **ret_maps,
                                   struct lith_err *err)
{
    const struct pair pair = {target, from, has_ids(target) && has_ids(from)};
    void *block;

    LITH_TRY(
        lith_arena_array(arena, target->leaf_count, sizeof(struct lith_leaf_map), &block, err));
    struct lith_leaf_map *maps = block;
    for (uint32_t leaf = 0; leaf < target->leaf_count; leaf++)
        LITH_TRY(map_make(&pair, leaf, arena, &maps[leaf], err));
    *ret_maps = maps;
    return twice_check(&pair, maps, arena, err);
}
