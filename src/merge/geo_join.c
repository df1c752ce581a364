/*
 * GeoParquet's key for the rows of two files: made anew, field by field of the first.
 */
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "merge/geo.h"

/* What jansson takes for a type in a list, with room. */
#define TYPE_BYTES 160u

/* One object that is being made of two. */
struct joining {
    const struct lith_json *other;
    struct lith_json *to;
    bool ok; /* false: out of memory */
};

static void set(struct joining *joining, const char *name, struct lith_json *value)
{
    joining->ok = lith_json_set(joining->to, name, value) && joining->ok;
}

/* A list of kinds that says something: [] is "unknown". */
static bool is_types(const struct lith_json *types)
{
    size_t count = lith_json_count(types);

    if (!lith_json_is_array(types) || count == 0 || count > LITH_GEO_TYPES_MAX)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!lith_json_is_text(lith_json_at(types, i)))
            return false;
    }
    return true;
}

static bool has_type(const struct lith_json *types, const char *type)
{
    for (size_t i = 0; i < lith_json_count(types); i++) {
        if (strcmp(lith_json_text_of(lith_json_at(types, i)), type) == 0)
            return true;
    }
    return false;
}

/* NULL when there is no memory. */
static struct lith_json *types_join(const struct lith_json *a, const struct lith_json *b)
{
    if (!is_types(a) || !is_types(b))
        return lith_json_array();
    struct lith_json *both = lith_json_clone(a);
    for (size_t i = 0; both && i < lith_json_count(b); i++) {
        const char *type = lith_json_text_of(lith_json_at(b, i));
        if (has_type(both, type) || lith_json_push(both, lith_json_text(type)))
            continue;
        lith_json_free(both);
        return NULL;
    }
    if (both && lith_json_count(both) > LITH_GEO_TYPES_MAX) {
        lith_json_free(both);
        return lith_json_array();
    }
    return both;
}

/*
 * Minima, then maxima, of 2 or 3 axes. A box across the antimeridian has its western edge east of
 * its eastern one: what is around it and another is not found by minima and maxima.
 */
static bool is_box(const struct lith_json *box)
{
    size_t count = lith_json_count(box);

    if (!lith_json_is_array(box) || (count != 4 && count != 6))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct lith_json *edge = lith_json_at(box, i);
        if (!lith_json_is_number(edge) || !isfinite(lith_json_number_of(edge)))
            return false;
    }
    for (size_t i = 0; i < count / 2; i++) {
        if (lith_json_number_of(lith_json_at(box, i)) >
            lith_json_number_of(lith_json_at(box, i + count / 2)))
            return false;
    }
    return true;
}

static bool boxes_fit(const struct lith_json *a, const struct lith_json *b)
{
    return is_box(a) && is_box(b) && lith_json_count(a) == lith_json_count(b);
}

/* The box around two that fit; NULL when there is no memory. */
static struct lith_json *boxes_join(const struct lith_json *a, const struct lith_json *b)
{
    struct lith_json *both = lith_json_array();
    size_t count = lith_json_count(a);

    for (size_t i = 0; both && i < count; i++) {
        const struct lith_json *x = lith_json_at(a, i);
        const struct lith_json *y = lith_json_at(b, i);
        bool is_less = lith_json_number_of(x) < lith_json_number_of(y);
        bool is_minimum = i < count / 2;
        if (lith_json_push(both, lith_json_clone(is_less == is_minimum ? x : y)))
            continue;
        lith_json_free(both);
        return NULL;
    }
    return both;
}

static void same_join(struct joining *joining, const char *name, const struct lith_json *value)
{
    const struct lith_json *other = lith_json_get(joining->other, name);

    if (other && lith_json_equal(value, other))
        set(joining, name, lith_json_clone(value));
}

static void column_field_join(void *ctx, const char *name, const struct lith_json *value)
{
    struct joining *joining = ctx;
    const struct lith_json *other = lith_json_get(joining->other, name);

    if (strcmp(name, "geometry_types") == 0)
        set(joining, name, types_join(value, other));
    else if (strcmp(name, "bbox") != 0)
        same_join(joining, name, value);
    else if (boxes_fit(value, other))
        set(joining, name, boxes_join(value, other));
}

static void column_join(void *ctx, const char *name, const struct lith_json *value)
{
    struct joining *columns = ctx;
    struct joining column = {
        .other = lith_json_get(columns->other, name),
        .to = lith_json_object(),
        .ok = true,
    };

    if (column.to)
        lith_json_each(value, column_field_join, &column);
    /* Readers refuse a column without the list; an empty one is "unknown". */
    if (column.to && !lith_json_get(value, "geometry_types") &&
        lith_json_get(column.other, "geometry_types"))
        set(&column, "geometry_types", lith_json_array());
    columns->ok = columns->ok && column.ok;
    set(columns, name, column.to);
}

/* Of 1.M.P, which alone may differ: the one with more digits is the greater. */
static bool is_older(const char *a, const char *b)
{
    size_t a_bytes = strlen(a);
    size_t b_bytes = strlen(b);

    return a_bytes < b_bytes || (a_bytes == b_bytes && strcmp(a, b) < 0);
}

static void version_join(struct joining *joining, const struct lith_json *value)
{
    const struct lith_json *other = lith_json_get(joining->other, "version");
    bool older = is_older(lith_json_text_of(value), lith_json_text_of(other));

    set(joining, "version", lith_json_clone(older ? other : value));
}

static void field_join(void *ctx, const char *name, const struct lith_json *value)
{
    struct joining *joining = ctx;

    if (strcmp(name, "version") == 0) {
        version_join(joining, value);
    } else if (strcmp(name, "columns") == 0) {
        struct joining columns = {
            .other = lith_json_get(joining->other, name),
            .to = lith_json_object(),
            .ok = true,
        };
        if (columns.to)
            lith_json_each(value, column_join, &columns);
        joining->ok = joining->ok && columns.ok;
        set(joining, name, columns.to);
    } else {
        same_join(joining, name, value);
    }
}

/* Once for all joins: the lists of types may grow, nothing else does. */
static enum lith_code growth_charge(struct lith_geo *geo, struct lith_err *err)
{
    size_t columns = lith_json_count(lith_json_get(geo->root, "columns"));
    size_t bytes = columns * LITH_GEO_TYPES_MAX * TYPE_BYTES;

    if (geo->is_joined)
        return LITH_OK;
    LITH_TRY(lith_mem_charge(geo->mem, bytes, err));
    geo->charged += bytes;
    geo->is_joined = true;
    return LITH_OK;
}

enum lith_code lith_geo_join(struct lith_geo *geo, const struct lith_geo *other,
                             struct lith_err *err)
{
    struct joining joining = {.other = other->root, .ok = true};

    LITH_TRY(growth_charge(geo, err));
    /* Two trees stand side by side for a while. */
    LITH_TRY(lith_mem_charge(geo->mem, geo->charged, err));
    joining.to = lith_json_object();
    if (joining.to)
        lith_json_each(geo->root, field_join, &joining);
    lith_mem_release(geo->mem, geo->charged);
    if (!joining.to || !joining.ok) {
        lith_json_free(joining.to);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for joining the key " LITH_GEO_KEY);
    }
    lith_json_free(geo->root);
    geo->root = joining.to;
    return LITH_OK;
}
