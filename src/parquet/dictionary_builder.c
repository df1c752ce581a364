/*
 * The dictionary of a chunk that is written: an open hash table over PLAIN entries.
 *
 * A slot holds the upper half of the hash beside the id, so that most probes end without looking
 * at a value, and growing never hashes again.
 */
#include "parquet/dictionary_builder.h"

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/bitpack.h"

#define SLOT_COUNT_MIN 1024u
/* Values that are looked for side by side. */
#define BLOCK_VALUES 32u
/* Large values: room for at least this many of them, where the budget has it. */
#define LARGE_VALUES_MIN 4u

void lith_dictionary_builder_init(struct lith_dictionary_builder *builder, size_t width,
                                  const struct lith_work *work)
{
    size_t share = lith_work_share(work);

    *builder = (struct lith_dictionary_builder){
        .mem = work->mem,
        .width = width,
        .usual_bytes = LITH_DICTIONARY_BYTES_MAX,
        .bytes_max = lith_min_size(share / 4, INT32_MAX),
        .memory_max = share / 2,
    };
    lith_buf_init(&builder->plain, work->mem, builder->bytes_max);
    lith_buf_init(&builder->offsets, work->mem, builder->memory_max);
}

void lith_dictionary_builder_done(struct lith_dictionary_builder *builder)
{
    lith_buf_done(&builder->plain);
    lith_buf_done(&builder->offsets);
    lith_free(builder->slots);
    builder->slots = NULL;
    builder->slot_count = 0;
    builder->count = 0;
    builder->value_bytes_max = 0;
}

static enum lith_code slots_grow(struct lith_dictionary_builder *b, struct lith_err *err)
{
    size_t slot_count = b->slot_count ? b->slot_count * 2 : SLOT_COUNT_MIN;
    void *block;

    LITH_TRY(lith_alloc_array(b->mem, slot_count, sizeof(uint64_t), &block, err));
    uint64_t *slots = block;
    for (size_t i = 0; i < b->slot_count; i++) {
        if (b->slots[i] == 0)
            continue;
        size_t at = (size_t)(b->slots[i] >> 32) & (slot_count - 1);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = b->slots[i];
    }
    lith_free(b->slots);
    b->slots = slots;
    b->slot_count = slot_count;
    return LITH_OK;
}

/* True when one more entry of `bytes` passes what the dictionary may have. */
static bool is_full(const struct lith_dictionary_builder *b, size_t bytes)
{
    size_t usual = b->usual_bytes;
    size_t longest = bytes > b->value_bytes_max ? bytes : b->value_bytes_max;
    size_t bytes_max = longest > usual / LARGE_VALUES_MIN ? longest * LARGE_VALUES_MIN : usual;
    size_t entry_bytes = b->width ? bytes : bytes + 4;
    size_t slot_count = ((size_t)b->count + 1) * 2 > b->slot_count ? b->slot_count * 2 : 0;
    size_t plain_bytes = b->plain.bytes + entry_bytes;

    return plain_bytes > lith_min_size(bytes_max, b->bytes_max) || b->count >= INT32_MAX ||
           plain_bytes + b->offsets.bytes + (b->slot_count + slot_count) * sizeof(uint64_t) >
               b->memory_max;
}

static enum lith_code entry_add(struct lith_dictionary_builder *b, struct lith_slice value,
                                struct lith_err *err)
{
    uint8_t number[4];

    if (b->width && b->plain.capacity - b->plain.bytes >= b->width) {
        memcpy(b->plain.data + b->plain.bytes, value.data, b->width);
        b->plain.bytes += b->width;
        b->value_bytes_max = b->width;
        b->count++;
        return LITH_OK;
    }
    if (b->width == 0) {
        lith_store_u32(number, (uint32_t)b->plain.bytes);
        LITH_TRY(lith_buf_append(&b->offsets, number, sizeof(number), err));
        lith_store_u32(number, (uint32_t)value.bytes);
        LITH_TRY(lith_buf_append(&b->plain, number, sizeof(number), err));
    }
    LITH_TRY(lith_buf_append(&b->plain, value.data, value.bytes, err));
    if (value.bytes > b->value_bytes_max)
        b->value_bytes_max = value.bytes;
    b->count++;
    return LITH_OK;
}

/* The upper half of a value's hash. Numbers are mixed as MurmurHash3 ends: all that a table of
 * values needs that nobody chose to collide, or that bounds what such values cost. */
static uint64_t tag_of(const struct lith_dictionary_builder *b, struct lith_slice value)
{
    uint64_t hash;

    if (b->width != 4 && b->width != 8)
        return lith_xxh64(value.data, value.bytes) >> 32;
    hash = b->width == 8 ? lith_load_u64(value.data) : lith_load_u32(value.data);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash >> 32;
}

LITH_TEMPLATE uint64_t *fixed_find(const struct lith_dictionary_builder *b, const uint8_t *value,
                                   uint64_t tag, size_t width)
{
    size_t mask = b->slot_count - 1;
    size_t at = (size_t)tag & mask;
    uint64_t slot;

    while ((slot = b->slots[at]) != 0) {
        if (slot >> 32 == tag &&
            memcmp(b->plain.data + ((uint32_t)slot - 1) * width, value, width) == 0)
            break;
        at = (at + 1) & mask;
    }
    return &b->slots[at];
}

/* The slot that holds `value`, whose hash's upper half is `tag`, or the free one it belongs to. */
static uint64_t *slot_find(const struct lith_dictionary_builder *b, struct lith_slice value,
                           uint64_t tag)
{
    size_t mask = b->slot_count - 1;
    size_t at = (size_t)tag & mask;
    uint64_t slot;

    if (b->width == 8)
        return fixed_find(b, value.data, tag, 8);
    if (b->width == 4)
        return fixed_find(b, value.data, tag, 4);
    while ((slot = b->slots[at]) != 0) {
        if (slot >> 32 == tag &&
            lith_slice_equal(lith_dictionary_builder_at(b, (uint32_t)slot - 1), value))
            break;
        at = (at + 1) & mask;
    }
    return &b->slots[at];
}

/* As lith_dictionary_builder_add_one for a value whose tag is known. */
static enum lith_code tagged_add(struct lith_dictionary_builder *b, struct lith_slice value,
                                 uint64_t tag, uint32_t *ret_id, struct lith_err *err)
{
    uint64_t *slot = slot_find(b, value, tag);

    if (*slot == 0) {
        if (is_full(b, value.bytes)) {
            *ret_id = LITH_NO_ID;
            return LITH_OK;
        }
        if (((size_t)b->count + 1) * 2 > b->slot_count) {
            LITH_TRY(slots_grow(b, err));
            slot = slot_find(b, value, tag);
        }
        LITH_TRY(entry_add(b, value, err));
        *slot = tag << 32 | b->count;
    }
    *ret_id = (uint32_t)*slot - 1;
    return LITH_OK;
}

enum lith_code lith_dictionary_builder_add_one(struct lith_dictionary_builder *builder,
                                               struct lith_slice value, uint32_t *ret_id,
                                               struct lith_err *err)
{
    if (builder->slot_count == 0)
        LITH_TRY(slots_grow(builder, err));
    return tagged_add(builder, value, tag_of(builder, value), ret_id, err);
}

/* Asks for the memory that finding these tags will look at: a large dictionary does not fit the
 * processor's caches, and one value would wait for its slot after the other. */
static void slots_prefetch(const struct lith_dictionary_builder *b, const uint64_t *tags,
                           size_t count)
{
    size_t mask = b->slot_count - 1;

    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(&b->slots[tags[i] & mask]);
    for (size_t i = 0; b->width && i < count; i++) {
        uint64_t slot = b->slots[tags[i] & mask];
        if (slot)
            __builtin_prefetch(b->plain.data + ((uint32_t)slot - 1) * b->width);
    }
}

enum lith_code lith_dictionary_builder_add(struct lith_dictionary_builder *builder,
                                           const struct lith_values *values, uint32_t *ids,
                                           size_t *ret_count, struct lith_err *err)
{
    uint64_t tags[BLOCK_VALUES];

    *ret_count = 0;
    if (builder->slot_count == 0)
        LITH_TRY(slots_grow(builder, err));
    for (size_t at = 0; at < values->count; at += BLOCK_VALUES) {
        size_t count = values->count - at < BLOCK_VALUES ? values->count - at : BLOCK_VALUES;
        for (size_t i = 0; i < count; i++)
            tags[i] = tag_of(builder, lith_values_at(values, at + i));
        slots_prefetch(builder, tags, count);
        for (size_t i = 0; i < count; i++) {
            LITH_TRY(
                tagged_add(builder, lith_values_at(values, at + i), tags[i], &ids[at + i], err));
            if (ids[at + i] == LITH_NO_ID)
                return LITH_OK;
            ++*ret_count;
        }
    }
    return LITH_OK;
}

uint32_t lith_dictionary_builder_find(const struct lith_dictionary_builder *builder,
                                      struct lith_slice value)
{
    if (builder->slot_count == 0)
        return LITH_NO_ID;
    uint64_t slot = *slot_find(builder, value, tag_of(builder, value));
    return slot ? (uint32_t)slot - 1 : LITH_NO_ID;
}
