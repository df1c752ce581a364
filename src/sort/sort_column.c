/*
 * The column that a sort key names: found by its path, refused where its rows have no order.
 *
 * A path without quotes is held against every column, each of its dots a joint or part of a name.
 * parquet-splice.md section 3.1 has the orders.
 */
#include "sort/sort_column.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/err.h"
#include "parquet/order.h"

#define PATH_TEXT_BYTES 160u
#define NEAR_COUNT 3u
#define NEAR_NAME_BYTES 64u

static bool name_matches(const struct lith_schema *schema, const uint32_t *path, uint32_t depth,
                         const struct lith_column_name *name)
{
    if (name->parts) {
        for (uint32_t i = 0; i < depth; i++) {
            if (i == name->part_count ||
                !lith_slice_equal(schema->nodes[path[i]].name, name->parts[i]))
                return false;
        }
        return depth == name->part_count;
    }
    struct lith_slice left = name->text;
    for (uint32_t i = 0; i < depth; i++) {
        struct lith_slice part = schema->nodes[path[i]].name;
        bool last = i + 1 == depth;
        if (left.bytes < part.bytes ||
            (part.bytes && memcmp(left.data, part.data, part.bytes) != 0))
            return false;
        left = (struct lith_slice){left.data + part.bytes, left.bytes - part.bytes};
        if (last)
            return left.bytes == 0;
        if (left.bytes == 0 || left.data[0] != '.')
            return false;
        left = (struct lith_slice){left.data + 1, left.bytes - 1};
    }
    return false;
}

/* What keeps the rows of a leaf from having an order; NULL when they have one. */
static const char *refusal(const struct lith_schema *schema, const struct lith_schema_node *leaf)
{
    if (leaf->max_rep > 0)
        return "stands below a list or map, so a row has many values of it";
    for (uint32_t i = leaf->parent; i != 0; i = schema->nodes[i].parent) {
        if (schema->nodes[i].logical.kind == LITH_LOGICAL_VARIANT)
            return "is a part of a VARIANT, whose order the format does not define";
        if (schema->nodes[i].logical.kind != LITH_LOGICAL_NONE)
            return "stands below a group whose annotation says nothing of an order";
    }
    if (lith_order_of(leaf) != LITH_ORDER_NONE)
        return NULL;
    if (leaf->type == LITH_TYPE_INT96)
        return "is INT96, whose order the format does not define; write it as TIMESTAMP to sort "
               "by it";
    if (leaf->converted_type == LITH_CONVERTED_INTERVAL)
        return "is an INTERVAL, whose order the format does not define";
    if (leaf->logical.kind == LITH_LOGICAL_GEOMETRY || leaf->logical.kind == LITH_LOGICAL_GEOGRAPHY)
        return "is a geometry, which has no order";
    if (leaf->logical.kind == LITH_LOGICAL_UNKNOWN)
        return "has nothing but nulls";
    return "has an annotation without a known order";
}

/* Single-byte edits between two names, of which at most NEAR_NAME_BYTES are looked at. */
static size_t edit_distance(struct lith_slice a, struct lith_slice b)
{
    size_t row[NEAR_NAME_BYTES + 1];
    size_t a_bytes = lith_min_size(a.bytes, NEAR_NAME_BYTES);
    size_t b_bytes = lith_min_size(b.bytes, NEAR_NAME_BYTES);

    for (size_t k = 0; k <= b_bytes; k++)
        row[k] = k;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b_bytes; k++) {
            bool same = (a.data[i - 1] | 0x20) == (b.data[k - 1] | 0x20); /* case is a slip too */
            size_t replaced = diagonal + !same;
            diagonal = row[k];
            row[k] = lith_min_size(replaced, lith_min_size(row[k], row[k - 1]) + 1);
        }
    }
    return row[b_bytes];
}

struct near {
    size_t distance;
    uint32_t node;
};

/* The nearest columns, best first; those of the same distance in the order of the schema. */
static size_t near_find(const struct lith_schema *schema, struct lith_slice name,
                        struct near near[NEAR_COUNT])
{
    size_t count = 0;

    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        char text[PATH_TEXT_BYTES];
        lith_schema_path(schema, schema->leaves[leaf], text, sizeof(text));
        struct near found = {edit_distance(name, lith_slice_text(text)), schema->leaves[leaf]};
        for (size_t i = 0; i < NEAR_COUNT; i++) {
            if (i == count) {
                near[count++] = found;
                break;
            }
            if (found.distance < near[i].distance) {
                struct near moved = near[i];
                near[i] = found;
                found = moved;
            }
        }
    }
    return count;
}

static enum lith_code not_found(const struct lith_schema *schema,
                                const struct lith_column_name *name, struct lith_err *err)
{
    struct near near[NEAR_COUNT];
    size_t count = near_find(schema, name->text, near);
    char list[NEAR_COUNT * (PATH_TEXT_BYTES + 2) + 1] = "none";
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            list[used++] = ',';
            list[used++] = ' ';
        }
        lith_schema_path(schema, near[i].node, list + used, PATH_TEXT_BYTES);
        used += strlen(list + used);
    }
    return lith_fail(err, LITH_E_INVALID,
                     "there is no column \"%.*s\"; of %" PRIu32 " columns the nearest are: %s",
                     LITH_SLICE_ARGS(name->text), schema->leaf_count, list);
}

static enum lith_code group_named(const struct lith_schema *schema, uint32_t group,
                                  struct lith_err *err)
{
    char text[PATH_TEXT_BYTES];

    lith_schema_path(schema, group, text, sizeof(text));
    return lith_fail(err, LITH_E_INVALID,
                     "%s is a group of %" PRIu32 "; a sort key is one column, such as %s.NAME",
                     text, schema->nodes[group].child_count, text);
}

static enum lith_code ambiguous(const struct lith_schema *schema, uint32_t a, uint32_t b,
                                struct lith_err *err)
{
    char a_text[PATH_TEXT_BYTES], b_text[PATH_TEXT_BYTES];

    lith_schema_path(schema, a, a_text, sizeof(a_text));
    lith_schema_path(schema, b, b_text, sizeof(b_text));
    return lith_fail(err, LITH_E_INVALID,
                     "two columns read the same, %s and %s; put a name of the path in quotes, so "
                     "that dots outside of quotes are joints",
                     a_text, b_text);
}

enum lith_code lith_sort_column_find(const struct lith_schema *schema,
                                     const struct lith_column_name *name, uint32_t *ret_leaf,
                                     struct lith_err *err)
{
    uint32_t path[LITH_SCHEMA_DEPTH_MAX];
    uint32_t found = LITH_NO_INDEX, group = LITH_NO_INDEX;

    for (uint32_t i = 1; i < schema->node_count; i++) {
        uint32_t depth = lith_schema_ancestry(schema, i, path);
        if (!name_matches(schema, path, depth, name))
            continue;
        if (schema->nodes[i].is_group) {
            group = i;
            continue;
        }
        if (found != LITH_NO_INDEX)
            return ambiguous(schema, found, i, err);
        found = i;
    }
    if (found == LITH_NO_INDEX && group != LITH_NO_INDEX)
        return group_named(schema, group, err);
    if (found == LITH_NO_INDEX)
        return not_found(schema, name, err);
    const struct lith_schema_node *leaf = &schema->nodes[found];
    const char *why = refusal(schema, leaf);
    if (why)
        return lith_fail(err, LITH_E_UNSUPPORTED, "column %.*s %s", LITH_SLICE_ARGS(name->text),
                         why);
    *ret_leaf = leaf->leaf_index;
    return LITH_OK;
}
