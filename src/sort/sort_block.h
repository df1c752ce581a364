/*
 * Rows that are sorted in memory.
 *
 * Short keys are all in their records. Long ones stand behind each other in `entries`, as they will
 * in a run: place, length, key. Records are made for them when the block is sorted.
 */
#ifndef LITH_SORT_SORT_BLOCK_H
#define LITH_SORT_SORT_BLOCK_H

#include "base/buf.h"
#include "sort/key_builder.h"
#include "sort/sort_record.h"

#define LITH_ENTRY_HEAD_BYTES 12u /* in front of a long key: its place, its length */

static inline bool lith_keys_are_short(size_t width)
{
    return width > 0 && width <= LITH_RECORD_KEY_BYTES;
}

/* What all keys of a sort begin with, as far as it is known: a prefix is taken behind it. */
struct lith_key_common {
    bool is_set;
    size_t bytes;
    uint8_t data[LITH_SORT_BOUND_BYTES_MAX];
};

struct lith_sort_block {
    struct lith_mem *mem;
    size_t width; /* of keys; 0: they vary */
    struct lith_sort_record *records;
    size_t count;
    size_t capacity;
    size_t count_max;
    struct lith_buf entries;
    bool in_order; /* as added; true after it was sorted */
    size_t last_entry;
    struct lith_key_common common;
    struct lith_sort_record *room; /* as large as the records, once they were sorted */
    size_t room_capacity;
};

/* Takes no memory yet, and never more than `memory_bytes_max`. */
void lith_sort_block_init(struct lith_sort_block *block, size_t width, size_t memory_bytes_max,
                          struct lith_mem *mem);

/* Gives everything back; a zeroed block is a no-op. */
void lith_sort_block_done(struct lith_sort_block *block);

/*
 * Adds the rows of `keys` from index `begin` on, the first at `place`, as far as they fit:
 * *ret_count may be 0. Places grow from row to row. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_sort_block_add(struct lith_sort_block *block,
                                                   const struct lith_key_batch *keys, size_t begin,
                                                   uint64_t place, size_t *ret_count,
                                                   struct lith_err *err);

/* Sorts the rows by key, then place. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_sort_block_sort(struct lith_sort_block *block,
                                                    struct lith_err *err);

/* Forgets the rows, keeps the memory. */
void lith_sort_block_clear(struct lith_sort_block *block);

/* Takes a key into what all begin with. */
void lith_key_common_add(struct lith_key_common *common, struct lith_slice key);

/* The entry of a long key. */
static inline const uint8_t *lith_sort_block_entry(const struct lith_sort_block *block,
                                                   size_t index)
{
    return block->entries.data + block->records[index].ref;
}

static inline uint64_t lith_entry_place(const uint8_t *entry)
{
    return lith_load_u64(entry);
}

static inline struct lith_slice lith_entry_key(const uint8_t *entry)
{
    return (struct lith_slice){entry + LITH_ENTRY_HEAD_BYTES, lith_load_u32(entry + 8)};
}

/* The key of a row, borrowed: `room` holds a short one. */
static inline struct lith_slice lith_sort_block_key(const struct lith_sort_block *block,
                                                    size_t index,
                                                    uint8_t room[LITH_RECORD_KEY_BYTES])
{
    const struct lith_sort_record *record = &block->records[index];

    if (!lith_keys_are_short(block->width))
        return lith_entry_key(lith_sort_block_entry(block, index));
    lith_record_key(record->prefix, record->ref, room);
    return (struct lith_slice){room, block->width};
}

/* Whether an entry's head has room for the length of a key. LIMIT. */
static inline enum lith_code lith_entry_key_check(struct lith_slice key, struct lith_err *err)
{
    if (key.bytes > UINT32_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a sort key of %zu bytes; at most %u", key.bytes,
                         UINT32_MAX);
    return LITH_OK;
}

static inline void lith_entry_head_store(uint8_t *to, uint64_t place, size_t key_bytes)
{
    lith_store_u64(to, place);
    lith_store_u32(to + 8, (uint32_t)key_bytes);
}

#endif
