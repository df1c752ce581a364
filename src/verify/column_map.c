/*
 * Which leaf of a file a target leaf comes from, and how its levels translate.
 *
 * Both schemas are walked down the target's path as long as the names agree. A definition level
 * of the file says how far down its path the value is defined; the same node counts differently
 * in the target where repetitions differ.
 */
#include "verify/column.h"

static bool same_name(const struct lith_schema_node *a, const struct lith_schema_node *b)
{
    return lith_slice_equal(a->name, b->name);
}

/* The child of `parent` with the name of `wanted`. `guess` is where it usually is. */
static uint32_t child_find(const struct lith_schema *schema, uint32_t parent,
                           const struct lith_schema_node *wanted, uint32_t guess)
{
    const struct lith_schema_node *nodes = schema->nodes;

    if (guess < schema->node_count && nodes[guess].parent == parent &&
        same_name(&nodes[guess], wanted))
        return guess;
    for (uint32_t i = parent + 1; i < schema->node_count; i++) {
        if (nodes[i].depth <= nodes[parent].depth)
            break;
        if (nodes[i].parent == parent && same_name(&nodes[i], wanted))
            return i;
    }
    return LITH_NO_INDEX;
}

/* The common part of the path of a target leaf: nodes below the root, outermost first. */
struct path {
    uint32_t target[LITH_SCHEMA_DEPTH_MAX + 1];
    uint32_t from[LITH_SCHEMA_DEPTH_MAX + 1];
    uint32_t length; /* of the target's path */
    uint32_t common;
};

static void path_fill(struct path *path, const struct lith_schema *target,
                      const struct lith_schema *from, uint32_t leaf)
{
    uint32_t node = target->leaves[leaf];
    uint32_t parent = 0;

    path->length = target->nodes[node].depth;
    LITH_ASSERT(path->length > 0);
    LITH_ASSERT(path->length <= LITH_SCHEMA_DEPTH_MAX);
    for (uint32_t i = path->length; i > 0; i--) {
        path->target[i - 1] = node;
        node = target->nodes[node].parent;
    }
    for (path->common = 0; path->common < path->length; path->common++) {
        const struct lith_schema_node *wanted = &target->nodes[path->target[path->common]];
        uint32_t found = child_find(from, parent, wanted, path->target[path->common]);
        if (found == LITH_NO_INDEX || from->nodes[found].is_group != wanted->is_group)
            break;
        path->from[path->common] = found;
        parent = found;
    }
}

/* The first leaf at or below a node. */
static uint32_t leaf_below(const struct lith_schema *schema, uint32_t node)
{
    for (uint32_t i = node; i < schema->node_count; i++) {
        if (schema->nodes[i].leaf_index != LITH_NO_INDEX)
            return schema->nodes[i].leaf_index;
    }
    return LITH_NO_INDEX;
}

static bool promotes(enum lith_type from, enum lith_type to)
{
    return (from == LITH_TYPE_INT32 && to == LITH_TYPE_INT64) ||
           (from == LITH_TYPE_FLOAT && to == LITH_TYPE_DOUBLE);
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
    if ((f->type != leaf->type && !promotes(f->type, leaf->type)) ||
        f->type_length != leaf->type_length)
        return lith_fail(err, LITH_E_INVALID, "column \"%s\": %s cannot hold %s", name,
                         lith_type_name((int)leaf->type), lith_type_name((int)f->type));
    return LITH_OK;
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

static enum lith_code map_make(const struct lith_schema *target, const struct lith_schema *from,
                               uint32_t leaf, struct lith_arena *arena, struct lith_leaf_map *map,
                               struct lith_err *err)
{
    struct path path;
    void *block;

    path_fill(&path, target, from, leaf);
    LITH_TRY(path_check(&path, target, from, err));
    *map = (struct lith_leaf_map){.leaf = LITH_NO_INDEX};
    if (path.common == 0)
        return LITH_OK;
    uint32_t last = path.from[path.common - 1];
    map->present = path.common == path.length;
    map->rep_max = from->nodes[last].max_rep;
    map->leaf = leaf_below(from, last);
    if (map->leaf == LITH_NO_INDEX)
        return lith_fail(err, LITH_E_UNSUPPORTED, "a group without columns in the schema");
    const struct lith_schema_node *node = lith_schema_leaf(from, map->leaf);
    const struct lith_schema_node *wanted = lith_schema_leaf(target, leaf);
    map->identity = map->present && node->type == wanted->type;
    LITH_TRY(lith_arena_array(arena, (size_t)node->max_def + 1, sizeof(uint16_t), &block, err));
    map->def_map = block;
    for (uint16_t def = 0; def <= node->max_def; def++) {
        map->def_map[def] = def_translate(&path, target, from, def);
        map->identity = map->identity && map->def_map[def] == def;
    }
    return LITH_OK;
}

enum lith_code lith_leaf_maps_make(const struct lith_schema *target, const struct lith_schema *from,
                                   struct lith_arena *arena, struct lith_leaf_map **ret_maps,
                                   struct lith_err *err)
{
    void *block;

    LITH_TRY(
        lith_arena_array(arena, target->leaf_count, sizeof(struct lith_leaf_map), &block, err));
    struct lith_leaf_map *maps = block;
    for (uint32_t leaf = 0; leaf < target->leaf_count; leaf++)
        LITH_TRY(map_make(target, from, leaf, arena, &maps[leaf], err));
    *ret_maps = maps;
    return LITH_OK;
}
