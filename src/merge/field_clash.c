/*
 * What clashes is a neighbour once siblings are sorted: by id, then by name.
 */
#include "merge/field_clash.h"

#include <stdlib.h>

static int letters_compare(struct lith_slice a, struct lith_slice b)
{
    size_t bytes = a.bytes < b.bytes ? a.bytes : b.bytes;

    for (size_t i = 0; i < bytes; i++) {
        uint8_t x = lith_byte_lower(a.data[i]), y = lith_byte_lower(b.data[i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int nodes_compare(const struct lith_field *a, const struct lith_field *b)
{
    return (a->node > b->node) - (a->node < b->node);
}

/* Equal names are neighbours among those that differ by case alone, and these among all. */
static int names_compare(const void *left, const void *right)
{
    const struct lith_field *a = left;
    const struct lith_field *b = right;
    int order = letters_compare(a->name, b->name);

    if (order == 0 && a->name.bytes > 0)
        order = memcmp(a->name.data, b->name.data, a->name.bytes);
    return order ? order : nodes_compare(a, b);
}

/* Those without an id come first. */
static int ids_compare(const void *left, const void *right)
{
    const struct lith_field *a = left;
    const struct lith_field *b = right;

    if (a->has_id != b->has_id)
        return a->has_id ? 1 : -1;
    if (a->has_id && a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return nodes_compare(a, b);
}

typedef enum lith_clash neighbours_clash(const struct lith_field *a, const struct lith_field *b,
                                         const struct lith_union_rules *rules);

static enum lith_clash ids_clash(const struct lith_field *a, const struct lith_field *b,
                                 const struct lith_union_rules *rules)
{
    (void)rules;
    return a->has_id && b->has_id && a->id == b->id ? LITH_CLASH_ID : LITH_CLASH_NONE;
}

static enum lith_clash names_clash(const struct lith_field *a, const struct lith_field *b,
                                   const struct lith_union_rules *rules)
{
    if (lith_slice_equal(a->name, b->name))
        return LITH_CLASH_NAME;
    if (rules->any_case || (a->is_old && b->is_old))
        return LITH_CLASH_NONE;
    return letters_compare(a->name, b->name) == 0 ? LITH_CLASH_CASE : LITH_CLASH_NONE;
}

static enum lith_clash clash_find(const struct lith_field *siblings, uint32_t count,
                                  neighbours_clash *clash_of, const struct lith_union_rules *rules,
                                  const struct lith_field *ret_pair[2])
{
    for (uint32_t i = 1; i < count; i++) {
        const struct lith_field *a = &siblings[i - 1];
        const struct lith_field *b = &siblings[i];
        enum lith_clash clash = clash_of(a, b, rules);
        if (clash == LITH_CLASH_NONE)
            continue;
        ret_pair[0] = a->node < b->node ? a : b;
        ret_pair[1] = a->node < b->node ? b : a;
        return clash;
    }
    return LITH_CLASH_NONE;
}

enum lith_clash lith_fields_clash(struct lith_field *siblings, uint32_t count,
                                  const struct lith_union_rules *rules,
                                  const struct lith_field *ret_pair[2])
{
    enum lith_clash clash = LITH_CLASH_NONE;

    if (count < 2)
        return clash;
    if (rules->by_id || rules->ids_agree) {
        qsort(siblings, count, sizeof(*siblings), ids_compare);
        clash = clash_find(siblings, count, ids_clash, rules, ret_pair);
    }
    if (clash == LITH_CLASH_NONE) {
        qsort(siblings, count, sizeof(*siblings), names_compare);
        clash = clash_find(siblings, count, names_clash, rules, ret_pair);
    }
    return clash;
}
