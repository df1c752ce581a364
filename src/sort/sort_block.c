/*
 * A block in memory: radix sort by prefix, then a merge sort of those whose prefixes are equal.
 */
#include "sort/sort_block.h"

#include "base/checked.h"

void lith_sort_block_init(struct lith_sort_block *block, size_t width, size_t memory_bytes_max,
                          struct lith_mem *mem)
{
    bool is_short = lith_keys_are_short(width);
    /* Records are there twice while they are sorted; half goes to entries where there are any. */
    size_t record_bytes = memory_bytes_max / (is_short ? 2 : 4);

    *block = (struct lith_sort_block){.mem = mem, .width = width, .in_order = true};
    block->count_max = lith_min_size(record_bytes / sizeof(*block->records), UINT32_MAX);
    lith_buf_init(&block->entries, mem, is_short ? 0 : memory_bytes_max / 2);
}

void lith_sort_block_done(struct lith_sort_block *block)
{
    if (!block->mem)
        return;
    lith_buf_done(&block->entries);
    lith_free(block->records);
    lith_free(block->room);
    block->records = block->room = NULL;
    block->capacity = 0;
}

void lith_sort_block_clear(struct lith_sort_block *block)
{
    block->count = 0;
    block->in_order = true;
    lith_buf_clear(&block->entries);
}

/* Room for up to `more` records: *ret_count says how many. */
static enum lith_code records_reserve(struct lith_sort_block *block, size_t more, size_t *ret_count,
                                      struct lith_err *err)
{
    size_t want = lith_min_size(block->count + more, block->count_max);

    if (want > block->capacity) {
        size_t capacity = lith_min_size(block->capacity * 2, block->count_max);
        void *records = block->records;
        capacity = capacity < want ? want : capacity;
        LITH_TRY(lith_realloc(block->mem, &records, capacity * sizeof(*block->records), err));
        block->records = records;
        block->capacity = capacity;
    }
    *ret_count = want - block->count;
    return LITH_OK;
}

/* Makes records of short keys; returns whether they are in order behind `last`. */
LITH_TEMPLATE bool records_make(const uint8_t *key, size_t width, size_t count, uint64_t place,
                                const struct lith_sort_record *last, struct lith_sort_record *to)
{
    uint64_t prefix_before = last ? last->prefix : 0;
    uint64_t ninth_before = last ? last->ref >> LITH_PLACE_BITS : 0;
    bool wrong = false;

    for (size_t i = 0; i < count; i++, key += width) {
        uint64_t prefix = lith_key_prefix(key, width);
        uint64_t ninth = width == LITH_RECORD_KEY_BYTES ? key[8] : 0;
        wrong |= prefix < prefix_before || (prefix == prefix_before && ninth < ninth_before);
        to[i] = (struct lith_sort_record){prefix, ninth << LITH_PLACE_BITS | (place + i)};
        prefix_before = prefix;
        ninth_before = ninth;
    }
    return !wrong;
}

static enum lith_code add_short(struct lith_sort_block *block, const struct lith_key_batch *keys,
                                size_t begin, uint64_t place, size_t *ret_count,
                                struct lith_err *err)
{
    const uint8_t *key = keys->data + begin * keys->width;
    size_t count;
    bool follows;

    LITH_TRY(records_reserve(block, keys->count - begin, &count, err));
    *ret_count = count;
    if (count == 0)
        return LITH_OK;
    LITH_ASSERT(block->records);
    struct lith_sort_record *to = block->records + block->count;
    const struct lith_sort_record *last = block->count ? to - 1 : NULL;
    if (keys->width == 9) /* the widths of one column of numbers, nullable and not */
        follows = records_make(key, 9, count, place, last, to);
    else if (keys->width == 8)
        follows = records_make(key, 8, count, place, last, to);
    else if (keys->width == 5)
        follows = records_make(key, 5, count, place, last, to);
    else
        follows = records_make(key, keys->width, count, place, last, to);
    block->in_order = block->in_order && follows;
    block->count += count;
    return LITH_OK;
}

void lith_key_common_add(struct lith_key_common *common, struct lith_slice key)
{
    size_t bytes = lith_min_size(key.bytes, sizeof(common->data));

    if (!common->is_set) {
        *common = (struct lith_key_common){.is_set = true, .bytes = bytes};
        memcpy(common->data, key.data, bytes);
        return;
    }
    bytes = lith_min_size(bytes, common->bytes);
    if (memcmp(common->data, key.data, bytes) != 0) {
        for (bytes = 0; common->data[bytes] == key.data[bytes];)
            bytes++;
    }
    common->bytes = bytes;
}

static enum lith_code add_long(struct lith_sort_block *block, const struct lith_key_batch *keys,
                               size_t begin, uint64_t place, size_t *ret_count,
                               struct lith_err *err)
{
    size_t count, done;

    LITH_TRY(records_reserve(block, keys->count - begin, &count, err));
    for (done = 0; done < count; done++) {
        struct lith_slice key = lith_key_at(keys, begin + done);
        size_t at = block->entries.bytes;
        LITH_TRY(lith_entry_key_check(key, err));
        if (key.bytes + LITH_ENTRY_HEAD_BYTES > block->entries.limit - at)
            break;
        LITH_TRY(lith_buf_reserve(&block->entries, LITH_ENTRY_HEAD_BYTES + key.bytes, err));
        uint8_t *to = block->entries.data + at;
        lith_entry_head_store(to, place + done, key.bytes);
        memcpy(to + LITH_ENTRY_HEAD_BYTES, key.data, key.bytes);
        block->entries.bytes += LITH_ENTRY_HEAD_BYTES + key.bytes;
        lith_key_common_add(&block->common, key);
        if (block->count && block->in_order)
            block->in_order =
                lith_key_compare(lith_entry_key(block->entries.data + block->last_entry), key) <= 0;
        block->last_entry = at;
        block->records[block->count++].ref = at;
    }
    *ret_count = done;
    return LITH_OK;
}

enum lith_code lith_sort_block_add(struct lith_sort_block *block, const struct lith_key_batch *keys,
                                   size_t begin, uint64_t place, size_t *ret_count,
                                   struct lith_err *err)
{
    if (lith_keys_are_short(block->width))
        return add_short(block, keys, begin, place, ret_count, err);
    return add_long(block, keys, begin, place, ret_count, err);
}

/* Keys of the block, of which the first `equal` bytes are known to be the same. */
struct tie {
    const uint8_t *entries;
    size_t equal;
};

static bool tie_after(const struct tie *tie, const struct lith_sort_record *a,
                      const struct lith_sort_record *b)
{
    struct lith_slice x = lith_entry_key(tie->entries + a->ref);
    struct lith_slice y = lith_entry_key(tie->entries + b->ref);

    x = (struct lith_slice){x.data + tie->equal, x.bytes - tie->equal};
    y = (struct lith_slice){y.data + tie->equal, y.bytes - tie->equal};
    return lith_key_compare(x, y) > 0;
}

/* Merges [0, middle) and [middle, count), each in order, through `room`. */
static void halves_merge(const struct tie *tie, struct lith_sort_record *records, size_t middle,
                         size_t count, struct lith_sort_record *room)
{
    size_t left = 0, right = middle, to = 0;

    if (!tie_after(tie, &records[middle - 1], &records[middle]))
        return;
    memcpy(room, records, middle * sizeof(*records));
    while (left < middle && right < count) {
        if (tie_after(tie, &room[left], &records[right]))
            records[to++] = records[right++];
        else
            records[to++] = room[left++];
    }
    memcpy(records + to, room + left, (middle - left) * sizeof(*records));
}

/* Records by the rest of their keys, compared. */
static void ties_sort(const struct tie *tie, struct lith_sort_record *records, size_t count,
                      struct lith_sort_record *room)
{
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t at = 0; count - at > half; at += lith_min_size(2 * half, count - at))
            halves_merge(tie, records + at, half, lith_min_size(2 * half, count - at), room);
    }
}

/* Records by the next eight bytes of their keys. */
static void prefix_sort(const struct tie *tie, struct lith_sort_record *records, size_t count,
                        struct lith_sort_record *room)
{
    for (size_t i = 0; i < count; i++) {
        struct lith_slice key = lith_entry_key(tie->entries + records[i].ref);
        records[i].prefix = lith_key_prefix(key.data + tie->equal, key.bytes - tie->equal);
    }
    lith_records_sort(records, room, count);
}

static size_t same_prefix_end(const struct lith_sort_record *records, size_t begin, size_t end)
{
    size_t at = begin + 1;

    while (at < end && records[at].prefix == records[begin].prefix)
        at++;
    return at;
}

/* Fewer ties than this are compared; each eight bytes of a key that are sorted by cost a look at
 * every entry. */
#define TIES_FEW 24u
/* So many times eight bytes, behind what all keys have in common, are sorted by; then compared. */
#define LEVELS 5u

/*
 * Level by level: records of one prefix are sorted by the eight bytes behind it, down to those that
 * differ. ends[level] is where the records end that share all bytes before that level.
 */
static void long_sort(struct lith_sort_block *block)
{
    struct lith_sort_record *records = block->records;
    struct tie tie = {block->entries.data, block->common.bytes};
    size_t ends[LEVELS] = {block->count};
    uint32_t level = 0;

    prefix_sort(&tie, records, block->count, block->room);
    for (size_t at = 0; at < block->count;) {
        while (at == ends[level])
            level--;
        size_t end = same_prefix_end(records, at, ends[level]);
        tie.equal = block->common.bytes + 8 * (level + 1);
        /* No key is the beginning of another, so those that end here are all the same. */
        bool equal = lith_entry_key(tie.entries + records[at].ref).bytes <= tie.equal;
        if (end - at > 1 && !equal && (end - at < TIES_FEW || level + 1 == LEVELS)) {
            ties_sort(&tie, records + at, end - at, block->room);
        } else if (end - at > 1 && !equal) {
            prefix_sort(&tie, records + at, end - at, block->room);
            ends[++level] = end;
            continue;
        }
        at = end;
    }
}

/* The room stays until the block is done: fresh memory costs as much as a pass over it. */
static enum lith_code room_reserve(struct lith_sort_block *block, struct lith_err *err)
{
    void *room;

    if (block->room && block->room_capacity >= block->count)
        return LITH_OK;
    lith_free(block->room);
    block->room = NULL;
    LITH_TRY(lith_alloc(block->mem, block->capacity * sizeof(*block->room), &room, err));
    block->room = room;
    block->room_capacity = block->capacity;
    return LITH_OK;
}

enum lith_code lith_sort_block_sort(struct lith_sort_block *block, struct lith_err *err)
{
    if (block->in_order)
        return LITH_OK;
    LITH_TRY(room_reserve(block, err));
    if (lith_keys_are_short(block->width))
        lith_records_sort(block->records, block->room, block->count);
    else
        long_sort(block);
    block->in_order = true;
    return LITH_OK;
}
