/*
 * The dictionary of a chunk that is written: an open hash table over PLAIN entries.
 *
 * A slot holds the upper half of the hash beside the id, so that most probes end without looking
 * at a value, and growing never hashes again.
 */
#include "parquet/dictionary_builder.h"

#include "base/checked.h"
#include "base/hash.h"

#define SLOT_COUNT_MIN 1024u
/* Values that are looked for side by side, and blocks of them that are begun before. */
#define BLOCK_VALUES 32u
#define BLOCKS_AHEAD 2u
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

void lith_dictionary_builder_seal(struct lith_dictionary_builder *builder)
{
    lith_buf_done(&builder->offsets);
    lith_free(builder->slots);
    builder->slots = NULL;
    builder->slot_count = 0;
}

/* Puts what is not there yet into the first free slot that its tag leads to. */
static void slot_set(uint64_t *slots, size_t slot_count, uint64_t slot)
{
    size_t at = (size_t)(slot >> 32) & (slot_count - 1);

    while (slots[at])
        at = (at + 1) & (slot_count - 1);
    slots[at] = slot;
}

static enum lith_code slots_grow(struct lith_dictionary_builder *b, struct lith_err *err)
{
    size_t slot_count = b->slot_count ? b->slot_count * 2 : SLOT_COUNT_MIN;
    void *block;

    LITH_TRY(lith_alloc_array(b->mem, slot_count, sizeof(uint64_t), &block, err));
    uint64_t *slots = block;
    for (size_t i = 0; i < b->slot_count; i++) {
        if (b->slots[i])
            slot_set(slots, slot_count, b->slots[i]);
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

/* The functions that follow are made for each width of numbers, and once for all else. */
#define WIDTH_ANY 0u

/* The upper half of a value's hash. Numbers are mixed as MurmurHash3 ends: all that a table of
 * values needs that nobody chose to collide, or that bounds what such values cost. */
LITH_TEMPLATE uint64_t tag_of(struct lith_slice value, size_t width)
{
    uint64_t hash;

    if (width == WIDTH_ANY)
        return lith_xxh64(value.data, value.bytes) >> 32;
    hash = width == 8 ? lith_load_u64(value.data) : lith_load_u32(value.data);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash >> 32;
}

LITH_TEMPLATE bool entry_is(const struct lith_dictionary_builder *b, uint32_t id,
                            struct lith_slice value, size_t width)
{
    if (width == WIDTH_ANY)
        return lith_slice_equal(lith_dictionary_builder_at(b, id), value);
    return memcmp(b->plain.data + id * width, value.data, width) == 0;
}

/* The slot that holds `value`, whose hash's upper half is `tag`, or the free one it belongs to. */
LITH_TEMPLATE uint64_t *slot_find(const struct lith_dictionary_builder *b, struct lith_slice value,
                                  uint64_t tag, size_t width)
{
    size_t mask = b->slot_count - 1;
    size_t at = (size_t)tag & mask;
    uint64_t slot;

    while ((slot = b->slots[at]) != 0) {
        if (slot >> 32 == tag && entry_is(b, (uint32_t)slot - 1, value, width))
            break;
        at = (at + 1) & mask;
    }
    return &b->slots[at];
}

/* A value that is not there yet; *ret_id is LITH_NO_ID when there is no room for it. */
static enum lith_code new_add(struct lith_dictionary_builder *b, struct lith_slice value,
                              uint64_t tag, uint32_t *ret_id, struct lith_err *err)
{
    *ret_id = LITH_NO_ID;
    if (is_full(b, value.bytes))
        return LITH_OK;
    if (((size_t)b->count + 1) * 2 > b->slot_count)
        LITH_TRY(slots_grow(b, err));
    LITH_TRY(entry_add(b, value, err));
    slot_set(b->slots, b->slot_count, tag << 32 | b->count);
    *ret_id = b->count - 1;
    return LITH_OK;
}

/* As lith_dictionary_builder_add_one for a value whose tag is known. */
LITH_TEMPLATE enum lith_code tagged_add(struct lith_dictionary_builder *b, struct lith_slice value,
                                        uint64_t tag, size_t width, uint32_t *ret_id,
                                        struct lith_err *err)
{
    uint64_t slot = *slot_find(b, value, tag, width);

    if (slot == 0)
        return new_add(b, value, tag, ret_id, err);
    *ret_id = (uint32_t)slot - 1;
    return LITH_OK;
}

/*
 * A large dictionary does not fit the processor's caches, and one value would wait for its slot
 * and its entry after the other. So values are taken in blocks, and what finding them will look at
 * is asked for in time: the slots of a block two blocks ahead, the entries one block ahead.
 */
struct block {
    size_t begin;
    size_t count;
    uint64_t tags[BLOCK_VALUES];
};

LITH_TEMPLATE struct lith_slice value_at(const struct lith_values *values, size_t index,
                                         size_t width)
{
    if (width == WIDTH_ANY)
        return lith_values_at(values, index);
    return (struct lith_slice){values->fixed + index * width, width};
}

LITH_TEMPLATE void block_tag(const struct lith_dictionary_builder *b,
                             const struct lith_values *values, size_t begin, size_t width,
                             struct block *block)
{
    size_t mask = b->slot_count - 1;

    block->begin = begin;
    block->count = begin < values->count ? lith_min_size(values->count - begin, BLOCK_VALUES) : 0;
    for (size_t i = 0; i < block->count; i++) {
        block->tags[i] = tag_of(value_at(values, begin + i, width), width);
        __builtin_prefetch(&b->slots[block->tags[i] & mask]);
    }
}

static void block_prefetch(const struct lith_dictionary_builder *b, const struct block *block)
{
    size_t mask = b->slot_count - 1;

    for (size_t i = 0; b->width && i < block->count; i++) {
        uint64_t slot = b->slots[block->tags[i] & mask];
        if (slot)
            __builtin_prefetch(b->plain.data + ((uint32_t)slot - 1) * b->width);
    }
}

LITH_TEMPLATE enum lith_code values_add(struct lith_dictionary_builder *b,
                                        const struct lith_values *values, size_t width,
                                        uint32_t *ids, size_t *ret_count, struct lith_err *err)
{
    struct block blocks[BLOCKS_AHEAD + 1];

    for (size_t k = 0; k < BLOCKS_AHEAD; k++)
        block_tag(b, values, k * BLOCK_VALUES, width, &blocks[k]);
    block_prefetch(b, &blocks[0]);
    for (size_t k = 0;; k++) {
        const struct block *block = &blocks[k % (BLOCKS_AHEAD + 1)];
        block_prefetch(b, &blocks[(k + 1) % (BLOCKS_AHEAD + 1)]);
        block_tag(b, values, (k + BLOCKS_AHEAD) * BLOCK_VALUES, width,
                  &blocks[(k + BLOCKS_AHEAD) % (BLOCKS_AHEAD + 1)]);
        for (size_t i = 0; i < block->count; i++) {
            size_t at = block->begin + i;
            LITH_TRY(
                tagged_add(b, value_at(values, at, width), block->tags[i], width, &ids[at], err));
            if (ids[at] == LITH_NO_ID)
                return LITH_OK;
            ++*ret_count;
        }
        if (block->count < BLOCK_VALUES)
            return LITH_OK;
    }
}

enum lith_code lith_dictionary_builder_add(struct lith_dictionary_builder *builder,
                                           const struct lith_values *values, uint32_t *ids,
                                           size_t *ret_count, struct lith_err *err)
{
    LITH_ASSERT(values->width == builder->width);
    *ret_count = 0;
    if (builder->slot_count == 0)
        LITH_TRY(slots_grow(builder, err));
    if (builder->width == 8)
        return values_add(builder, values, 8, ids, ret_count, err);
    if (builder->width == 4)
        return values_add(builder, values, 4, ids, ret_count, err);
    return values_add(builder, values, WIDTH_ANY, ids, ret_count, err);
}

enum lith_code lith_dictionary_builder_add_one(struct lith_dictionary_builder *builder,
                                               struct lith_slice value, uint32_t *ret_id,
                                               struct lith_err *err)
{
    if (builder->slot_count == 0)
        LITH_TRY(slots_grow(builder, err));
    if (builder->width == 8)
        return tagged_add(builder, value, tag_of(value, 8), 8, ret_id, err);
    if (builder->width == 4)
        return tagged_add(builder, value, tag_of(value, 4), 4, ret_id, err);
    return tagged_add(builder, value, tag_of(value, WIDTH_ANY), WIDTH_ANY, ret_id, err);
}

uint32_t lith_dictionary_builder_find(const struct lith_dictionary_builder *builder,
                                      struct lith_slice value)
{
    uint64_t slot;

    if (builder->slot_count == 0)
        return LITH_NO_ID;
    if (builder->width == 8)
        slot = *slot_find(builder, value, tag_of(value, 8), 8);
    else if (builder->width == 4)
        slot = *slot_find(builder, value, tag_of(value, 4), 4);
    else
        slot = *slot_find(builder, value, tag_of(value, WIDTH_ANY), WIDTH_ANY);
    return slot ? (uint32_t)slot - 1 : LITH_NO_ID;
}
