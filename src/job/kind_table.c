/*
 * Kinds of files in a table that is probed from where the hash says.
 */
#include "job/kind_table.h"

#include <string.h>

#define ROOM_MIN 16u

enum lith_code lith_kind_table_init(struct lith_kind_table *kinds, struct lith_mem *mem,
                                    struct lith_err *err)
{
    *kinds = (struct lith_kind_table){.mem = mem};
    return lith_hasher_new(mem, 0, &kinds->hasher, err);
}

void lith_kind_table_done(struct lith_kind_table *kinds)
{
    lith_hasher_free(kinds->hasher);
    lith_free(kinds->slots);
    *kinds = (struct lith_kind_table){0};
}

/* Lengths stand in front of what they are of, so that no two schemas give the same bytes. */
static void node_add(struct lith_hasher *hasher, const struct lith_schema_node *node)
{
    bool is_decimal = node->converted_type == LITH_CONVERTED_DECIMAL;
    const int64_t numbers[] = {
        node->is_group,
        node->is_group ? 0 : (int64_t)node->type,
        node->is_group ? 0 : node->type_length,
        (int64_t)node->repetition,
        node->child_count,
        node->has_field_id,
        node->has_field_id ? node->field_id : 0,
        node->converted_type,
        is_decimal ? node->scale : 0,
        is_decimal ? node->precision : 0,
        node->logical.kind,
        (int64_t)node->logical.raw.bytes,
        (int64_t)node->name.bytes,
    };

    lith_hasher_add(hasher, numbers, sizeof(numbers));
    if (node->logical.raw.bytes)
        lith_hasher_add(hasher, node->logical.raw.data, node->logical.raw.bytes);
    if (node->name.bytes)
        lith_hasher_add(hasher, node->name.data, node->name.bytes);
}

struct lith_hash128 lith_kind_table_id(const struct lith_kind_table *kinds,
                                       const struct lith_schema *schema,
                                       const struct lith_meaning *meaning, bool numbers_fields)
{
    lith_hasher_reset(kinds->hasher);
    lith_hasher_add(kinds->hasher, &numbers_fields, sizeof(numbers_fields));
    for (int part = 0; part < LITH_MEANING_COUNT; part++) {
        const char *text = meaning->texts[part];
        lith_hasher_add(kinds->hasher, text, strlen(text) + 1);
        lith_hasher_add(kinds->hasher, &meaning->matters[part], sizeof(meaning->matters[part]));
    }
    for (uint32_t i = 1; i < schema->node_count; i++)
        node_add(kinds->hasher, &schema->nodes[i]);
    return lith_hasher_end(kinds->hasher);
}

/* The slot of a kind, or the empty one where it would stand. */
static struct lith_kind_slot *slot_of(struct lith_kind_slot *slots, size_t room,
                                      struct lith_hash128 id)
{
    size_t at = (size_t)id.low & (room - 1);

    while (slots[at].set && !lith_hash128_equal(slots[at].id, id))
        at = (at + 1) & (room - 1);
    return &slots[at];
}

uint32_t lith_kind_table_set(const struct lith_kind_table *kinds, struct lith_hash128 id)
{
    return kinds->room ? slot_of(kinds->slots, kinds->room, id)->set : 0;
}

static enum lith_code grow(struct lith_kind_table *kinds, struct lith_err *err)
{
    size_t room = kinds->room ? kinds->room * 2 : ROOM_MIN;
    void *block;

    LITH_TRY(lith_alloc_array(kinds->mem, room, sizeof(*kinds->slots), &block, err));
    struct lith_kind_slot *slots = block;
    for (size_t i = 0; i < kinds->room; i++) {
        if (kinds->slots[i].set)
            *slot_of(slots, room, kinds->slots[i].id) = kinds->slots[i];
    }
    lith_free(kinds->slots);
    kinds->slots = slots;
    kinds->room = room;
    return LITH_OK;
}

enum lith_code lith_kind_table_add(struct lith_kind_table *kinds, struct lith_hash128 id,
                                   uint32_t set, struct lith_err *err)
{
    LITH_ASSERT(set > 0);
    if (kinds->count * 2 >= kinds->room)
        LITH_TRY(grow(kinds, err));
    struct lith_kind_slot *slot = slot_of(kinds->slots, kinds->room, id);
    LITH_ASSERT(slot->set == 0);
    *slot = (struct lith_kind_slot){.id = id, .set = set};
    kinds->count++;
    return LITH_OK;
}
