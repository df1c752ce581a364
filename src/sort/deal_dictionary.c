/*
 * Joining dictionaries, as long as ids have two bytes and entries fit what they may take.
 */
#include "sort/deal_dictionary.h"

#include "base/checked.h"

#define ID_COUNT ((size_t)UINT16_MAX + 1)
/* An entry beside its bytes: two to four slots of a hash table and a place while it is joined; then
 * a slice, a hash and an id of the chunk that is written. */
#define ENTRY_BYTES 64u
/* Of the memory: the bytes of entries have half, what else they take the other. */
#define PLAIN_SHARES 2u
/* Values after which it can be told how often they repeat, and how often they should: what must be
 * looked for costs more than the bytes it saves. */
#define TELLING_VALUES 4096u
#define REPEATS_MIN 2u

enum lith_code lith_deal_dictionary_new(const struct lith_schema_node *leaf,
                                        size_t memory_bytes_max, const struct lith_work *work,
                                        struct lith_deal_dictionary **ret_new, struct lith_err *err)
{
    size_t half = memory_bytes_max / PLAIN_SHARES;
    void *block;

    LITH_ASSERT(leaf->type != LITH_TYPE_BOOLEAN);
    LITH_TRY(lith_alloc_array(work->mem, 1, sizeof(struct lith_deal_dictionary), &block, err));
    struct lith_deal_dictionary *dictionary = block;
    dictionary->work = work;
    dictionary->leaf = leaf;
    dictionary->count_max = (uint32_t)lith_min_size(half / ENTRY_BYTES, ID_COUNT);
    struct lith_dictionary_builder *builder = &dictionary->builder;
    lith_dictionary_builder_init(builder, lith_type_width(leaf->type, leaf->type_length), work);
    builder->bytes_max = lith_min_size(builder->bytes_max, half);
    builder->memory_max = lith_min_size(builder->memory_max, memory_bytes_max);
    *ret_new = dictionary;
    return LITH_OK;
}

void lith_deal_dictionary_free(struct lith_deal_dictionary *dictionary)
{
    if (!dictionary)
        return;
    lith_dictionary_done(&dictionary->entries);
    lith_dictionary_builder_done(&dictionary->builder);
    lith_free(dictionary);
}

/* Ids of a source's dictionary; *ret_count of them have one here. */
static enum lith_code ids_map(struct lith_deal_dictionary *dictionary,
                              const struct lith_values *values, uint16_t *ids, size_t *ret_count,
                              struct lith_err *err)
{
    struct lith_dictionary *source = values->dictionary;

    LITH_TRY(lith_dictionary_map_make(source, err));
    for (*ret_count = 0; *ret_count < values->count; ++*ret_count) {
        uint32_t from = values->ids[*ret_count];
        uint32_t *mapped = &source->map[from];
        if (*mapped == LITH_NO_ID)
            LITH_TRY(lith_dictionary_builder_add_one(
                &dictionary->builder, lith_dictionary_at(source, from), mapped, err));
        if (*mapped == LITH_NO_ID)
            return LITH_OK;
        ids[*ret_count] = (uint16_t)*mapped;
    }
    return LITH_OK;
}

enum lith_code lith_deal_dictionary_ids(struct lith_deal_dictionary *dictionary,
                                        const struct lith_values *values, uint16_t *ids,
                                        uint32_t *room, bool *ret_full, struct lith_err *err)
{
    size_t count;

    if (values->ids) {
        LITH_TRY(ids_map(dictionary, values, ids, &count, err));
    } else {
        LITH_TRY(lith_dictionary_builder_add(&dictionary->builder, values, room, &count, err));
        for (size_t i = 0; i < count; i++)
            ids[i] = (uint16_t)room[i];
    }
    dictionary->value_count += count;
    *ret_full = count < values->count || dictionary->builder.count > dictionary->count_max;
    return LITH_OK;
}

bool lith_deal_dictionary_is_idle(const struct lith_deal_dictionary *dictionary)
{
    return dictionary->value_count >= TELLING_VALUES &&
           dictionary->value_count / REPEATS_MIN < dictionary->builder.count;
}

enum lith_code lith_deal_dictionary_end(struct lith_deal_dictionary *dictionary,
                                        struct lith_err *err)
{
    struct lith_dictionary_builder *builder = &dictionary->builder;
    struct lith_body body = {.data = builder->plain.data, .bytes = builder->plain.bytes};
    uint32_t count = builder->count;

    LITH_TRY(lith_dictionary_init(&dictionary->entries, dictionary->leaf->type,
                                  dictionary->leaf->type_length, count, &body, dictionary->work,
                                  err));
    lith_dictionary_builder_seal(builder);
    return LITH_OK;
}

size_t lith_deal_dictionary_bytes(const struct lith_deal_dictionary *dictionary)
{
    return dictionary->builder.plain.capacity + (size_t)dictionary->entries.count * ENTRY_BYTES / 2;
}
