/*
 * What a partition's path says: name=value parts as Hive writes them, or the fields of a layout.
 */
#include "lake/path_keys.h"

#include <string.h>

#include "base/limits.h"
#include "lake/path_layout.h"
#include "lake/path_period.h"

#define HIVE_NULL "__HIVE_DEFAULT_PARTITION__"

/* Keys of one path: every part has one, or a layout's few. */
#define KEYS_MAX (LITH_WALK_DEPTH_MAX * 2)

struct parse {
    struct lith_arena *arena;
    struct lith_path_key *keys;
    size_t count;
    struct lith_path_time time;
};

static enum lith_code key_add(struct parse *p, struct lith_slice name, struct lith_slice value,
                              struct lith_err *err)
{
    struct lith_path_key key = {0};

    LITH_TRY(lith_percent_decode((const char *)name.data, name.bytes, p->arena, &key.name, err));
    if (!lith_slice_equal(value, lith_slice_text(HIVE_NULL)))
        LITH_TRY(
            lith_percent_decode((const char *)value.data, value.bytes, p->arena, &key.value, err));
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->keys[i].name, key.name) == 0)
            return lith_fail(err, LITH_E_INVALID, "the path has the key %s twice", key.name);
    }
    if (p->count == KEYS_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a path with more than %u keys", KEYS_MAX);
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

    if (pattern.bytes)
        LITH_TRY(lith_path_layout_match(pattern, part, fields, &field_count, err));
    for (size_t i = 0; i < field_count; i++)
        LITH_TRY(key_add(p, fields[i].name, fields[i].value, err));
    const uint8_t *equals = part.bytes ? memchr(part.data, '=', part.bytes) : NULL;
    if (field_count || !equals || equals == part.data)
        return LITH_OK;
    size_t name_bytes = (size_t)(equals - part.data);
    return key_add(p, (struct lith_slice){part.data, name_bytes},
                   (struct lith_slice){equals + 1, part.bytes - name_bytes - 1}, err);
}

/* Takes the next part off a path or a layout; empty at its end. */
static struct lith_slice part_next(const char **at)
{
    size_t bytes = strcspn(*at, "/");
    struct lith_slice part = {(const uint8_t *)*at, bytes};

    *at += bytes;
    if (**at == '/')
        (*at)++;
    return part;
}

enum lith_code lith_path_keys_parse(const char *path, const struct lith_path_options *options,
                                    struct lith_arena *arena, struct lith_path_keys *ret_keys,
                                    struct lith_err *err)
{
    struct parse p = {.arena = arena};
    struct lith_path_keys keys = {0};
    const char *layout = options->layout ? options->layout : "";
    void *block = NULL;

    LITH_TRY(lith_arena_array(arena, KEYS_MAX, sizeof(*p.keys), &block, err));
    p.keys = block;
    while (*path) {
        struct lith_slice part = part_next(&path);
        LITH_TRY(part_parse(&p, part, part_next(&layout), err));
    }
    keys.keys = p.keys;
    keys.count = p.count;
    const struct lith_path_key *tenant =
        lith_path_keys_find(&keys, options->tenant_key ? options->tenant_key : "tenant_id");
    keys.tenant = !tenant ? "default" : tenant->value ? tenant->value : HIVE_NULL;
    keys.has_period = lith_path_time_period(&p.time, &keys.begin_ns, &keys.end_ns);
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
