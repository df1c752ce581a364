/*
 * Names of fields, each as two hashes: that it is there, and whose it is.
 */
#include "job/field_names.h"

/* Letters of a name that are hashed at once. */
#define LETTERS 64u

struct keys {
    struct lith_hash128 name;  /* below the group's field id */
    struct lith_hash128 field; /* likewise, with its own */
};

static void lower_add(struct lith_hasher *hasher, struct lith_slice name)
{
    uint8_t letters[LETTERS];

    for (size_t at = 0; at < name.bytes;) {
        size_t count = 0;
        while (count < LETTERS && at < name.bytes)
            letters[count++] = lith_byte_lower(name.data[at++]);
        lith_hasher_add(hasher, letters, count);
    }
}

static struct keys keys_of(const struct lith_field_names *names, const struct lith_schema *schema,
                           const struct lith_schema_node *node)
{
    struct lith_hasher *hasher = names->hasher;
    bool is_top = node->parent == 0; /* what the root's id would be means nothing */
    const int32_t group[] = {is_top, is_top ? 0 : schema->nodes[node->parent].field_id};
    struct keys keys;

    lith_hasher_reset(hasher);
    lith_hasher_add(hasher, group, sizeof(group));
    if (names->any_case && node->name.bytes)
        lith_hasher_add(hasher, node->name.data, node->name.bytes);
    else
        lower_add(hasher, node->name);
    keys.name = lith_hasher_end(hasher);
    const uint64_t field[] = {keys.name.low, keys.name.high, (uint32_t)node->field_id};
    keys.field = lith_hash128(field, sizeof(field), 0);
    return keys;
}

void lith_field_names_init(struct lith_field_names *names, bool any_case,
                           struct lith_hasher *hasher, struct lith_mem *mem)
{
    *names = (struct lith_field_names){.hasher = hasher, .any_case = any_case};
    lith_hash_map_init(&names->known, mem);
}

void lith_field_names_done(struct lith_field_names *names)
{
    lith_hash_map_done(&names->known);
}

bool lith_field_names_agree(const struct lith_field_names *names, const struct lith_schema *schema)
{
    for (uint32_t i = 1; i < schema->node_count; i++) {
        struct keys keys = keys_of(names, schema, &schema->nodes[i]);
        if (lith_hash_map_get(&names->known, keys.name) &&
            !lith_hash_map_get(&names->known, keys.field))
            return false;
    }
    return true;
}

enum lith_code lith_field_names_add(struct lith_field_names *names,
                                    const struct lith_schema *schema, struct lith_err *err)
{
    for (uint32_t i = 1; i < schema->node_count; i++) {
        struct keys keys = keys_of(names, schema, &schema->nodes[i]);
        LITH_TRY(lith_hash_map_put(&names->known, keys.name, 1, err));
        LITH_TRY(lith_hash_map_put(&names->known, keys.field, 1, err));
    }
    return LITH_OK;
}
