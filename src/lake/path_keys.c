/*
 * What a partition's path says: name=value parts as Hive writes them, or the fields of a layout.
 */
#include "lake/path_keys.h"

#include <string.h>

#include "base/path_layout.h"
#include "lake/path_period.h"

struct parse {
    struct lith_arena *arena;
    struct lith_path_key *keys;
    size_t count;
    struct lith_path_time time;
    bool misfits; /* a part is neither as its layout says nor name=value */
};

static enum lith_code key_add(struct parse *p, struct lith_slice name, struct lith_slice value,
                              struct lith_err *err)
{
    struct lith_path_key key = {0};

    LITH_TRY(lith_percent_decode((const char *)name.data, name.bytes, p->arena, &key.name, err));
    if (!lith_slice_equal(value, lith_slice_text(LITH_PATH_NULL)))
        LITH_TRY(
            lith_percent_decode((const char *)value.data, value.bytes, p->arena, &key.value, err));
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->keys[i].name, key.name) == 0)
            return lith_fail(err, LITH_E_INVALID, "the path has the key %s twice", key.name);
    }
    if (p->count == LITH_PATH_KEYS_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a path with more than %u keys", LITH_PATH_KEYS_MAX);
    p->keys[p->count++] = key;
    lith_path_time_add(&p->time, key.name, key.value);
    return LITH_OK;
}

/* One part of the path, with the part of the layout that stands at its place (may be empty). */
static enum lith_code part_parse(struct parse *p, struct lith_slice part, struct lith_slice pattern,
                                 struct lith_err *err)
{
    struct lith_path_field fields[LITH_PATH_FIELDS_MAX];
    size_t field_count = 0;
    bool fits = true;

    if (pattern.bytes)
        LITH_TRY(lith_path_layout_match(pattern, part, fields, &field_count, &fits, err));
    for (size_t i = 0; i < field_count; i++)
        LITH_TRY(key_add(p, fields[i].name, fields[i].value, err));
    const uint8_t *equals = part.bytes ? memchr(part.data, '=', part.bytes) : NULL;
    bool is_hive = equals && equals != part.data;
    p->misfits |= !fits && !is_hive;
    if (field_count || !is_hive)
        return LITH_OK;
    size_t name_bytes = (size_t)(equals - part.data);
    return key_add(p, (struct lith_slice){part.data, name_bytes},
                   (struct lith_slice){equals + 1, part.bytes - name_bytes - 1}, err);
}

/* A layout says where the time stands. A path that ends before it, or has no time there, is another
 * one; one that ends early and names a longer period all the same is not. */
static bool is_misfit(const struct parse *p, const char *layout_left, bool has_period)
{
    return p->misfits || (!has_period && (*layout_left || lith_path_time_is_named(&p->time)));
}

enum lith_code lith_path_keys_parse(const char *path, const struct lith_path_options *options,
                                    struct lith_arena *arena, struct lith_path_keys *ret_keys,
                                    struct lith_err *err)
{
    struct parse p = {.arena = arena};
    struct lith_path_keys keys = {0};
    const char *layout = options->layout ? options->layout : "";
    void *block = NULL;

    LITH_TRY(lith_arena_array(arena, LITH_PATH_KEYS_MAX, sizeof(*p.keys), &block, err));
    p.keys = block;
    while (*path) {
        struct lith_slice part = lith_path_part_next(&path);
        LITH_TRY(part_parse(&p, part, lith_path_part_next(&layout), err));
    }
    keys.keys = p.keys;
    keys.count = p.count;
    const struct lith_path_key *tenant =
        lith_path_keys_find(&keys, options->tenant_key ? options->tenant_key : "tenant_id");
    keys.tenant = !tenant ? "default" : tenant->value ? tenant->value : LITH_PATH_NULL;
    keys.has_period = lith_path_time_period(&p.time, &keys.begin_ns, &keys.end_ns);
    if (options->layout && is_misfit(&p, layout, keys.has_period))
        keys.misfit = options->layout;
    *ret_keys = keys;
    return LITH_OK;
}

const struct lith_path_key *lith_path_keys_find(const struct lith_path_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(keys->keys[i].name, name) == 0)
            return &keys->keys[i];
    }
    return NULL;
}

bool lith_path_part_walks(const char *name)
{
    return name[0] != '_' && name[0] != '.';
}
