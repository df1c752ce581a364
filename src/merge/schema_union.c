/*
 * Joining two schemas: a walk over both trees at once, which writes the joined one depth first.
 *
 * A frame is a group that is open in one or both; its children come in the order of the left side,
 * then those that only the right side has.
 */
#include "merge/schema_union.h"

#include <stdio.h>

#include "merge/annotations.h"
#include "merge/field_clash.h"

/* A group that is being joined. */
struct frame {
    uint32_t left;  /* LITH_NO_INDEX: the side lacks it */
    uint32_t right; /* likewise */
    uint32_t next_left, left_done;
    uint32_t next_right, right_done;
    uint32_t hint_left, hint_right; /* behind the child that was found last */
    uint32_t matched;               /* children that both have, or the right side alone */
    uint32_t out;                   /* the joined node */
};

struct joining {
    const struct lith_union_rules *rules;
    const struct lith_schema *left;
    const struct lith_schema *right;
    const uint32_t *left_origins;
    const bool *left_lacks_id;
    uint32_t right_origin;
    struct lith_arena *arena;
    struct lith_schema_node *nodes;
    uint32_t *origins;
    bool *lacks_id;
    bool *is_old; /* both sides have the field, under one name; or one side alone has the group */
    uint32_t node_count;
    struct frame frames[LITH_SCHEMA_DEPTH_MAX + 1u];
    uint32_t depth;
    struct lith_union_conflict conflict;
};

/* The node behind all that is below `node`. */
static uint32_t subtree_end(const struct lith_schema *schema, uint32_t node)
{
    uint32_t end = node + 1;

    while (end < schema->node_count && schema->nodes[end].depth > schema->nodes[node].depth)
        end++;
    return end;
}

/* What the root is annotated with means nothing. */
static bool is_kind(const struct lith_schema_node *node, int kind)
{
    return node->is_group && node->parent != LITH_NO_INDEX && node->logical.kind == kind;
}

/* Whether the repeated group of a list is its element, as old writers had it (LogicalTypes.md,
 * "Backward-compatibility rules"); `list` has one child. */
static bool is_two_level(const struct lith_schema *schema, uint32_t list)
{
    const struct lith_schema_node *outer = &schema->nodes[list];
    const struct lith_schema_node *repeated = &schema->nodes[list + 1];
    size_t name_bytes = outer->name.bytes;

    if (!repeated->is_group || repeated->child_count != 1)
        return true;
    if (schema->nodes[list + 2].repetition == LITH_REPEATED)
        return true;
    if (lith_slice_equal(repeated->name, lith_slice_text("array")))
        return true;
    return repeated->name.bytes == name_bytes + 6 &&
           memcmp(repeated->name.data, outer->name.data, name_bytes) == 0 &&
           memcmp(repeated->name.data + name_bytes, "_tuple", 6) == 0;
}

/* What makes a list or map of what is annotated so. */
static bool has_repeated_child(const struct lith_schema *schema, uint32_t node)
{
    return schema->nodes[node].child_count == 1 &&
           schema->nodes[node + 1].repetition == LITH_REPEATED;
}

static bool is_list(const struct lith_schema *schema, uint32_t node)
{
    return is_kind(&schema->nodes[node], LITH_LOGICAL_LIST) && has_repeated_child(schema, node);
}

static bool is_map(const struct lith_schema *schema, uint32_t node)
{
    return is_kind(&schema->nodes[node], LITH_LOGICAL_MAP) && has_repeated_child(schema, node);
}

static bool is_in_variant(const struct lith_schema *schema, uint32_t node)
{
    for (; node != LITH_NO_INDEX; node = schema->nodes[node].parent) {
        if (is_kind(&schema->nodes[node], LITH_LOGICAL_VARIANT))
            return true;
    }
    return false;
}

/* Whether the children of a group are known by their place, whatever their names and ids. Variants
 * only join where they have the same children. */
static bool is_positional(const struct lith_schema *schema, uint32_t group)
{
    uint32_t outer = schema->nodes[group].parent;

    if (outer == LITH_NO_INDEX)
        return false;
    if (is_list(schema, group) || is_map(schema, group) || is_in_variant(schema, group))
        return true;
    if (schema->nodes[group].repetition != LITH_REPEATED)
        return false;
    return is_map(schema, outer) || (is_list(schema, outer) && !is_two_level(schema, outer));
}

static bool is_same_field(const struct lith_union_rules *rules, const struct lith_schema_node *a,
                          const struct lith_schema_node *b)
{
    if (rules->by_id)
        return a->has_field_id && b->has_field_id && a->field_id == b->field_id;
    return lith_slice_equal(a->name, b->name);
}

/* The child of `group` that is the same field as `field`, of another schema, where it has the
 * place `place` among its siblings; LITH_NO_INDEX: there is none. `hint` is tried first: schemas
 * mostly have their fields in the same order. */
static uint32_t child_find(const struct lith_union_rules *rules, const struct lith_schema *schema,
                           uint32_t group, const struct lith_schema_node *field, uint32_t place,
                           uint32_t hint)
{
    bool by_place = is_positional(schema, group);
    uint32_t child = group + 1;

    if (!by_place && hint < schema->node_count && schema->nodes[hint].parent == group &&
        is_same_field(rules, &schema->nodes[hint], field))
        return hint;
    for (uint32_t i = 0; i < schema->nodes[group].child_count; i++) {
        if (by_place ? i == place : is_same_field(rules, &schema->nodes[child], field))
            return child;
        child = subtree_end(schema, child);
    }
    return LITH_NO_INDEX;
}

/* `node` of `schema` is the one that the path is of. */
static enum lith_code conflict_at(struct joining *j, const struct lith_schema *schema,
                                  uint32_t node, uint32_t origin, const char *words,
                                  struct lith_err *err)
{
    char path[256];
    char *text;

    lith_schema_path(schema, node, path, sizeof(path));
    LITH_TRY(lith_arena_format(j->arena, &text, err, "column %s: %s", path, words));
    j->conflict = (struct lith_union_conflict){.text = text, .origin = origin};
    return LITH_OK;
}

static enum lith_code conflict_set(struct joining *j, uint32_t left, const char *left_text,
                                   const char *right_text, struct lith_err *err)
{
    char words[2 * LITH_NODE_TEXT_BYTES + sizeof(" against ")];

    (void)snprintf(words, sizeof(words), "%s against %s", left_text, right_text);
    return conflict_at(j, j->left, left, j->left_origins[left], words, err);
}

static enum lith_code nodes_conflict(struct joining *j, uint32_t left, uint32_t right,
                                     struct lith_err *err)
{
    char left_text[LITH_NODE_TEXT_BYTES], right_text[LITH_NODE_TEXT_BYTES];

    lith_schema_node_text(&j->left->nodes[left], left_text);
    lith_schema_node_text(&j->right->nodes[right], right_text);
    bool is_same = strcmp(left_text, right_text) == 0;
    return conflict_set(j, left, left_text, is_same ? "one of other parameters" : right_text, err);
}

/* Whether all below two groups is the same. Variants are not to be looked into: a shredded field
 * that is null on both sides means "missing", so one that is added would change the rows. */
static bool is_same_subtree(const struct lith_schema *a, uint32_t a_node,
                            const struct lith_schema *b, uint32_t b_node)
{
    uint32_t count = subtree_end(a, a_node) - a_node;

    if (subtree_end(b, b_node) - b_node != count)
        return false;
    for (uint32_t i = 1; i < count; i++) {
        const struct lith_schema_node *x = &a->nodes[a_node + i];
        const struct lith_schema_node *y = &b->nodes[b_node + i];
        if (!lith_slice_equal(x->name, y->name) || x->is_group != y->is_group ||
            x->child_count != y->child_count || x->repetition != y->repetition ||
            (!x->is_group && (x->type != y->type || x->type_length != y->type_length)) ||
            !lith_schema_annotation_equal(x, y))
            return false;
    }
    return true;
}

/* What keeps two groups from joining by their shape; sets the conflict. */
static enum lith_code groups_check(struct joining *j, uint32_t left, uint32_t right,
                                   struct lith_err *err)
{
    const struct lith_schema_node *a = &j->left->nodes[left];
    const struct lith_schema_node *b = &j->right->nodes[right];

    if (!lith_schema_annotation_equal(a, b))
        return nodes_conflict(j, left, right, err);
    if (a->logical.kind == LITH_LOGICAL_VARIANT && !is_same_subtree(j->left, left, j->right, right))
        return conflict_set(j, left, "a VARIANT of one shape", "one that is shredded otherwise",
                            err);
    if (is_list(j->left, left) != is_list(j->right, right) ||
        is_map(j->left, left) != is_map(j->right, right))
        return nodes_conflict(j, left, right, err);
    if (is_list(j->left, left) && is_two_level(j->left, left) != is_two_level(j->right, right))
        return conflict_set(j, left,
                            is_two_level(j->left, left) ? "a list of two levels"
                                                        : "a list of three levels",
                            is_two_level(j->right, right) ? "one of two" : "one of three", err);
    if (is_positional(j->left, left) && a->child_count != b->child_count)
        return nodes_conflict(j, left, right, err);
    return LITH_OK;
}

/* Whether a leaf has nothing but nulls, of another type than the one it joined. */
static bool is_void(const struct lith_schema_node *leaf, const struct lith_schema_node *joined)
{
    return leaf->logical.kind == LITH_LOGICAL_UNKNOWN &&
           (joined->logical.kind != LITH_LOGICAL_UNKNOWN || leaf->type != joined->type ||
            leaf->type_length != joined->type_length);
}

/* Joins two leaves into `joined`, which is the left one; *ret_origin is whose type it has. */
static enum lith_code leaves_join(struct joining *j, uint32_t left, uint32_t right,
                                  struct lith_schema_node *joined, uint32_t *ret_origin,
                                  struct lith_err *err)
{
    const struct lith_schema_node *a = &j->left->nodes[left];
    const struct lith_schema_node *b = &j->right->nodes[right];
    enum lith_type_side annotation;
    enum lith_type_side side = lith_type_join(joined, b, j->rules, &annotation);

    if (side == LITH_SIDE_NONE)
        return nodes_conflict(j, left, right, err);
    if (side == LITH_SIDE_RIGHT) {
        joined->type = b->type;
        joined->type_length = b->type_length;
        *ret_origin = j->right_origin;
    }
    if (annotation == LITH_SIDE_RIGHT)
        lith_annotation_form_take(joined, b);
    if (joined->repetition == LITH_REQUIRED && (is_void(a, joined) || is_void(b, joined)))
        joined->repetition = LITH_OPTIONAL;
    return LITH_OK;
}

/* A child of `group` with that name. */
static bool has_child_named(const struct lith_schema *schema, uint32_t group,
                            struct lith_slice name)
{
    uint32_t child = group + 1;

    for (uint32_t i = 0; i < schema->nodes[group].child_count; i++) {
        if (lith_slice_equal(schema->nodes[child].name, name))
            return true;
        child = subtree_end(schema, child);
    }
    return false;
}

/* Sets the conflict where ids and names of two fields do not tell the same: one field under two
 * ids; or under another name, which a field beside it has as well. */
static enum lith_code ids_check(struct joining *j, uint32_t left, uint32_t right,
                                struct lith_err *err)
{
    const struct lith_schema_node *a = &j->left->nodes[left];
    const struct lith_schema_node *b = &j->right->nodes[right];
    char left_text[32], right_text[32];

    if (!j->rules->ids_agree || is_positional(j->left, a->parent))
        return LITH_OK;
    if (j->rules->by_id) {
        bool is_other =
            !lith_slice_equal(a->name, b->name) && (has_child_named(j->left, a->parent, b->name) ||
                                                    has_child_named(j->right, b->parent, a->name));
        return is_other ? conflict_set(j, left, "one field by its id", "another by its name", err)
                        : LITH_OK;
    }
    if (!a->has_field_id || !b->has_field_id || a->field_id == b->field_id)
        return LITH_OK;
    (void)snprintf(left_text, sizeof(left_text), "field id %d", a->field_id);
    (void)snprintf(right_text, sizeof(right_text), "field id %d", b->field_id);
    return conflict_set(j, left, left_text, right_text, err);
}

/* The id of a field that is one by its name. */
static void id_join(const struct joining *j, const struct lith_schema_node *a,
                    const struct lith_schema_node *b, struct lith_schema_node *joined)
{
    if (j->rules->ids_agree && !a->has_field_id) {
        joined->has_field_id = b->has_field_id;
        joined->field_id = b->field_id;
    } else if (!j->rules->ids_agree && (!b->has_field_id || b->field_id != a->field_id)) {
        joined->has_field_id = false;
    }
}

/* The node of two that are the same field. */
static enum lith_code both_join(struct joining *j, uint32_t left, uint32_t right,
                                struct lith_schema_node *ret_joined, uint32_t *ret_origin,
                                struct lith_err *err)
{
    const struct lith_schema_node *a = &j->left->nodes[left];
    const struct lith_schema_node *b = &j->right->nodes[right];

    *ret_joined = *a;
    *ret_origin = j->left_origins[left];
    if (a->is_group != b->is_group)
        return nodes_conflict(j, left, right, err);
    if ((a->repetition == LITH_REPEATED) != (b->repetition == LITH_REPEATED))
        return conflict_set(j, left, lith_repetition_name((int)a->repetition),
                            lith_repetition_name((int)b->repetition), err);
    LITH_TRY(ids_check(j, left, right, err));
    if (j->conflict.text)
        return LITH_OK;
    if (a->is_group)
        LITH_TRY(groups_check(j, left, right, err));
    else
        LITH_TRY(leaves_join(j, left, right, ret_joined, ret_origin, err));
    if (b->repetition == LITH_OPTIONAL)
        ret_joined->repetition = LITH_OPTIONAL;
    if (j->rules->by_id)
        ret_joined->name = b->name;
    else
        id_join(j, a, b, ret_joined);
    return LITH_OK;
}

/* Opens the group whose node is the next to be written. */
static void frame_open(struct joining *j, uint32_t left, uint32_t right)
{
    LITH_ASSERT(j->depth <= LITH_SCHEMA_DEPTH_MAX);
    j->frames[j->depth++] = (struct frame){.left = left,
                                           .right = right,
                                           .next_left = left + 1,
                                           .next_right = right + 1,
                                           .hint_left = left + 1,
                                           .hint_right = right + 1,
                                           .out = j->node_count};
}

/* Writes the node of a field, and opens it if it is a group. `is_lacking`: the group above is there
 * on a side that lacks it. */
static enum lith_code field_write(struct joining *j, uint32_t left, uint32_t right, bool is_lacking,
                                  struct lith_err *err)
{
    uint32_t parent = j->frames[j->depth - 1].out;
    bool is_old = !is_lacking;
    bool lacks_id = false;
    struct lith_schema_node node;
    uint32_t origin;

    if (left == LITH_NO_INDEX) {
        node = j->right->nodes[right];
        origin = j->right_origin;
    } else if (right == LITH_NO_INDEX) {
        node = j->left->nodes[left];
        origin = j->left_origins[left];
        lacks_id = j->left_lacks_id[left];
    } else {
        LITH_TRY(both_join(j, left, right, &node, &origin, err));
        if (j->conflict.text)
            return LITH_OK;
        is_old = lith_slice_equal(j->left->nodes[left].name, j->right->nodes[right].name);
        lacks_id = j->left_lacks_id[left] || !j->left->nodes[left].has_field_id ||
                   !j->right->nodes[right].has_field_id;
    }
    if (is_lacking && node.repetition == LITH_REQUIRED)
        node.repetition = LITH_OPTIONAL;
    node.child_count = 0;
    node.parent = parent;
    j->nodes[j->node_count] = node;
    j->origins[j->node_count] = origin;
    j->is_old[j->node_count] = is_old;
    j->lacks_id[j->node_count] = lacks_id;
    if (node.is_group)
        frame_open(j, left, right);
    j->node_count++;
    return LITH_OK;
}

static enum lith_code left_step(struct joining *j, struct frame *frame, struct lith_err *err)
{
    uint32_t left = frame->next_left;
    uint32_t right = LITH_NO_INDEX;

    if (frame->right != LITH_NO_INDEX)
        right = child_find(j->rules, j->right, frame->right, &j->left->nodes[left],
                           frame->left_done, frame->hint_right);
    if (right != LITH_NO_INDEX)
        frame->hint_right = subtree_end(j->right, right);
    frame->next_left = subtree_end(j->left, left);
    frame->left_done++;
    frame->matched += right != LITH_NO_INDEX;
    j->nodes[frame->out].child_count++;
    return field_write(j, left, right, frame->right != LITH_NO_INDEX && right == LITH_NO_INDEX,
                       err);
}

static enum lith_code right_step(struct joining *j, struct frame *frame, struct lith_err *err)
{
    uint32_t right = frame->next_right;
    const struct lith_schema_node *field = &j->right->nodes[right];
    uint32_t place = frame->right_done;
    uint32_t left = LITH_NO_INDEX;

    frame->next_right = subtree_end(j->right, right);
    frame->right_done++;
    if (frame->left != LITH_NO_INDEX) {
        left = child_find(j->rules, j->left, frame->left, field, place, frame->hint_left);
        if (left != LITH_NO_INDEX) {
            frame->hint_left = subtree_end(j->left, left);
            return LITH_OK;
        }
    }
    frame->matched++;
    j->nodes[frame->out].child_count++;
    return field_write(j, LITH_NO_INDEX, right, frame->left != LITH_NO_INDEX, err);
}

static enum lith_code siblings_check(struct joining *j, struct lith_field *siblings, uint32_t count,
                                     struct lith_err *err)
{
    static const char *const words[] = {
        [LITH_CLASH_NONE] = "",
        [LITH_CLASH_ID] = ", of the same id",
        [LITH_CLASH_NAME] = " of another field",
        [LITH_CLASH_CASE] = ", which differs by case alone",
    };
    const struct lith_schema written = {.nodes = j->nodes, .node_count = j->node_count};
    const struct lith_field *pair[2];
    enum lith_clash clash = lith_fields_clash(siblings, count, j->rules, pair);
    char *text;

    if (clash == LITH_CLASH_NONE)
        return LITH_OK;
    LITH_TRY(lith_arena_format(j->arena, &text, err, "this name against the name \"%.*s\"%s",
                               LITH_SLICE_ARGS(pair[1]->name), words[clash]));
    return conflict_at(j, &written, pair[0]->node, j->origins[pair[0]->node], text, err);
}

/* Two fields of the right side are the same one of the left. */
static enum lith_code doubled_conflict(struct joining *j, const struct frame *frame,
                                       struct lith_err *err)
{
    uint32_t child = frame->right + 1;

    for (uint32_t i = 1; i < j->right->nodes[frame->right].child_count; i++) {
        uint32_t first =
            child_find(j->rules, j->right, frame->right, &j->right->nodes[child], 0, LITH_NO_INDEX);
        if (first != child)
            break;
        child = subtree_end(j->right, child);
    }
    return conflict_at(j, j->right, child, j->left_origins[frame->left],
                       j->rules->by_id ? "one field against several of the same id"
                                       : "one field against several of this name",
                       err);
}

/* Fields that would be taken for one another, by this walk or by readers, are a conflict. */
static enum lith_code frame_end(struct joining *j, const struct frame *frame, struct lith_err *err)
{
    const struct lith_schema written = {.nodes = j->nodes, .node_count = j->node_count};
    bool has_left = frame->left != LITH_NO_INDEX;
    uint32_t count = j->nodes[frame->out].child_count;
    uint32_t child = frame->out + 1;
    void *block;

    if (is_positional(has_left ? j->left : j->right, has_left ? frame->left : frame->right))
        return LITH_OK;
    LITH_TRY(lith_arena_array(j->arena, count, sizeof(struct lith_field), &block, err));
    struct lith_field *siblings = block;
    for (uint32_t i = 0; i < count; i++) {
        const struct lith_schema_node *node = &j->nodes[child];
        siblings[i] = (struct lith_field){.name = node->name,
                                          .has_id = node->has_field_id,
                                          .id = node->field_id,
                                          .node = child,
                                          .is_old = j->is_old[child]};
        child = subtree_end(&written, child);
    }
    LITH_TRY(siblings_check(j, siblings, count, err));
    if (!j->conflict.text && has_left && frame->right != LITH_NO_INDEX &&
        frame->matched != j->right->nodes[frame->right].child_count)
        return doubled_conflict(j, frame, err);
    return LITH_OK;
}

static enum lith_code step(struct joining *j, struct lith_err *err)
{
    struct frame *frame = &j->frames[j->depth - 1];

    if (frame->left != LITH_NO_INDEX && frame->left_done < j->left->nodes[frame->left].child_count)
        return left_step(j, frame, err);
    if (frame->right != LITH_NO_INDEX &&
        frame->right_done < j->right->nodes[frame->right].child_count)
        return right_step(j, frame, err);
    j->depth--;
    return frame_end(j, frame, err);
}

enum lith_code lith_union_begin(struct lith_union *u, const struct lith_union_rules *rules,
                                const struct lith_schema *schema, uint32_t origin,
                                struct lith_arena *arena, struct lith_err *err)
{
    void *block;

    *u = (struct lith_union){.rules = *rules};
    LITH_TRY(lith_schema_copy(schema, arena, &u->schema, err));
    LITH_TRY(lith_arena_array(arena, schema->node_count, sizeof(*u->origins), &block, err));
    u->origins = block;
    LITH_TRY(lith_arena_array(arena, schema->node_count, sizeof(*u->lacks_id), &block, err));
    u->lacks_id = block;
    for (uint32_t i = 0; i < schema->node_count; i++)
        u->origins[i] = origin;
    return LITH_OK;
}

enum lith_code lith_union_add(struct lith_union *u, const struct lith_schema *schema,
                              uint32_t origin, struct lith_arena *arena,
                              struct lith_union_conflict *ret_conflict, struct lith_err *err)
{
    size_t node_count = (size_t)u->schema.node_count + schema->node_count;
    struct joining *j;
    struct lith_schema joined;
    void *block;

    LITH_TRY(lith_arena_alloc(arena, sizeof(*j), &block, err));
    j = block;
    *j = (struct joining){.rules = &u->rules,
                          .left = &u->schema,
                          .right = schema,
                          .left_origins = u->origins,
                          .left_lacks_id = u->lacks_id,
                          .right_origin = origin,
                          .arena = arena};
    LITH_TRY(lith_arena_array(arena, node_count, sizeof(*j->nodes), &block, err));
    j->nodes = block;
    LITH_TRY(lith_arena_array(arena, node_count, sizeof(*j->origins), &block, err));
    j->origins = block;
    LITH_TRY(lith_arena_array(arena, node_count, sizeof(*j->is_old), &block, err));
    j->is_old = block;
    LITH_TRY(lith_arena_array(arena, node_count, sizeof(*j->lacks_id), &block, err));
    j->lacks_id = block;
    /* The root's name, id and repetition mean nothing: every writer has its own. */
    j->nodes[0] = u->schema.nodes[0];
    j->nodes[0].child_count = 0;
    j->origins[0] = u->origins[0];
    frame_open(j, 0, 0);
    j->node_count = 1;
    enum lith_code code = LITH_OK;
    while (code == LITH_OK && j->depth > 0 && !j->conflict.text)
        code = step(j, err);
    LITH_TRY(code);
    *ret_conflict = j->conflict;
    if (j->conflict.text)
        return LITH_OK;
    joined = (struct lith_schema){.nodes = j->nodes, .node_count = j->node_count};
    LITH_TRY(lith_schema_copy(&joined, arena, &u->schema, err));
    u->origins = j->origins;
    u->lacks_id = j->lacks_id;
    return LITH_OK;
}

/* The place of `node`, a child of `group`, among its siblings. */
static uint32_t sibling_place(const struct lith_schema *schema, uint32_t group, uint32_t node)
{
    uint32_t place = 0;

    for (uint32_t child = group + 1; child != node; child = subtree_end(schema, child))
        place++;
    return place;
}

/* The leaf below `group` whose levels are fewest. */
static uint32_t fellow_find(const struct lith_schema *schema, uint32_t group)
{
    uint32_t end = subtree_end(schema, group);
    uint32_t fellow = LITH_NO_INDEX;

    for (uint32_t node = group + 1; node < end; node++) {
        uint32_t leaf = schema->nodes[node].leaf_index;
        if (leaf == LITH_NO_INDEX)
            continue;
        if (fellow == LITH_NO_INDEX ||
            schema->nodes[node].max_rep < lith_schema_leaf(schema, fellow)->max_rep)
            fellow = leaf;
    }
    return fellow;
}

/* The field that was found at the end of a leaf's path. */
static void place_end(struct lith_union_place *place, const struct lith_schema_node *found,
                      const struct lith_schema_node *leaf)
{
    if (is_void(found, leaf)) {
        place->fellow = found->leaf_index;
        place->is_void = true;
        return;
    }
    place->leaf = found->leaf_index;
    place->is_narrow = found->type != leaf->type || found->type_length != leaf->type_length;
}

static bool is_once_a_row(const struct lith_schema_node *group)
{
    return group->max_def == 0 && group->max_rep == 0;
}

/* Follows the path of a leaf of the union through `schema`. `hint` is the node behind the leaf that
 * was found last. */
static struct lith_union_place place_find(const struct lith_union *u, uint32_t leaf,
                                          const struct lith_schema *schema, uint32_t hint)
{
    uint32_t path[LITH_SCHEMA_DEPTH_MAX];
    uint32_t depth = lith_schema_ancestry(&u->schema, u->schema.leaves[leaf], path);
    struct lith_union_place place = {.leaf = LITH_NO_INDEX, .fellow = LITH_NO_INDEX};

    for (uint32_t i = 0; i < depth; i++) {
        const struct lith_schema_node *field = &u->schema.nodes[path[i]];
        bool by_place = is_positional(&u->schema, place.union_group);
        uint32_t at = by_place ? sibling_place(&u->schema, place.union_group, path[i]) : 0;
        uint32_t found = child_find(&u->rules, schema, place.group, field, at, hint);
        if (found == LITH_NO_INDEX)
            break;
        if (!schema->nodes[found].is_group) {
            place_end(&place, &schema->nodes[found], field);
            return place;
        }
        place.group = found;
        place.union_group = path[i];
    }
    while (!is_once_a_row(&schema->nodes[place.group])) {
        place.fellow = fellow_find(schema, place.group);
        if (place.fellow != LITH_NO_INDEX)
            break;
        place.group = schema->nodes[place.group].parent;
        place.union_group = u->schema.nodes[place.union_group].parent;
    }
    return place;
}

enum lith_code lith_union_places(const struct lith_union *u, const struct lith_schema *schema,
                                 struct lith_arena *arena, struct lith_union_place **ret_places,
                                 struct lith_err *err)
{
    struct lith_union_place *places;
    uint32_t hint = 1;
    void *block;

    LITH_TRY(lith_arena_array(arena, u->schema.leaf_count, sizeof(*places), &block, err));
    places = block;
    for (uint32_t leaf = 0; leaf < u->schema.leaf_count; leaf++) {
        places[leaf] = place_find(u, leaf, schema, hint);
        if (places[leaf].leaf != LITH_NO_INDEX)
            hint = schema->leaves[places[leaf].leaf] + 1;
    }
    *ret_places = places;
    return LITH_OK;
}

bool lith_schema_has_ids(const struct lith_schema *schema)
{
    for (uint32_t i = 1; i < schema->node_count; i++) {
        const struct lith_schema_node *node = &schema->nodes[i];
        if (!node->has_field_id && !is_positional(schema, node->parent))
            return false;
    }
    return schema->node_count > 1;
}
