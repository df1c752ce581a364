/*
 * How often each value of a key column occurs: an open-addressing table by the value's hash.
 *
 * Two values of one 128-bit hash are taken for one. The sum is kept from the start, so giving up
 * the table loses nothing that the comparison needs.
 */
#include "parquet/key_counts.h"

#include <inttypes.h>
#include <stdio.h>

#include "parquet/dictionary.h"

#define SEED 0x6b657973u
#define CAPACITY_MIN 64u
/* Entries of a dictionary whose ids are counted on the stack. */
#define SMALL_DICTIONARY 256u

static_assert(LITH_KEY_VALUES_MAX >= CAPACITY_MIN, "a table may grow");

void lith_key_counts_init(struct lith_key_counts *counts, struct lith_mem *mem)
{
    *counts = (struct lith_key_counts){.mem = mem};
}

void lith_key_counts_done(struct lith_key_counts *counts)
{
    lith_free(counts->table);
    *counts = (struct lith_key_counts){0};
}

/* The entry of a hash, or the empty place where it belongs. The table is never full. */
static struct lith_key_count *find(struct lith_key_count *table, size_t capacity,
                                   struct lith_hash128 hash)
{
    size_t at = (size_t)hash.low & (capacity - 1);

    while (table[at].count != 0 && !lith_hash128_equal(table[at].hash, hash))
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static void fold(struct lith_key_counts *counts)
{
    lith_free(counts->table);
    counts->table = NULL;
    counts->capacity = 0;
    counts->distinct = 0;
    counts->folded = true;
}

/* Makes room for one more distinct value: at most half of the places are taken. */
static enum lith_code grow(struct lith_key_counts *counts, struct lith_err *err)
{
    void *block;

    if (counts->distinct * 2 < counts->capacity)
        return LITH_OK;
    if (counts->distinct >= LITH_KEY_VALUES_MAX) {
        fold(counts);
        return LITH_OK;
    }
    size_t capacity = counts->capacity ? counts->capacity * 2 : CAPACITY_MIN;
    enum lith_code code =
        lith_alloc_array(counts->mem, capacity, sizeof(struct lith_key_count), &block, err);
    if (code == LITH_E_LIMIT) {
        fold(counts);
        return LITH_OK;
    }
    LITH_TRY(code);
    struct lith_key_count *table = block;
    for (size_t i = 0; i < counts->capacity; i++) {
        if (counts->table[i].count != 0)
            *find(table, capacity, counts->table[i].hash) = counts->table[i];
    }
    lith_free(counts->table);
    counts->table = table;
    counts->capacity = capacity;
    return LITH_OK;
}

/* `times` times the hash, modulo 2^128. */
static struct lith_hash128 times_of(struct lith_hash128 hash, uint64_t times)
{
    struct lith_hash128 sum = {0, 0};

    for (; times; times >>= 1) {
        if (times & 1)
            sum = lith_hash128_add(sum, hash);
        hash = lith_hash128_add(hash, hash);
    }
    return sum;
}

/* A value that occurs `times` (more than 0) times. */
static enum lith_code add(struct lith_key_counts *counts, struct lith_slice value, uint64_t times,
                          struct lith_err *err)
{
    struct lith_hash128 hash = lith_hash128(value.data, value.bytes, SEED);

    counts->values += times;
    counts->sum = lith_hash128_add(counts->sum, times_of(hash, times));
    if (!counts->folded)
        LITH_TRY(grow(counts, err));
    if (counts->folded)
        return LITH_OK;
    struct lith_key_count *entry = find(counts->table, counts->capacity, hash);
    bool is_new = entry->count == 0;
    entry->count += times;
    if (!is_new)
        return LITH_OK;
    entry->hash = hash;
    entry->sample_bytes =
        (uint8_t)(value.bytes < LITH_KEY_SAMPLE_BYTES ? value.bytes : LITH_KEY_SAMPLE_BYTES);
    if (entry->sample_bytes)
        memcpy(entry->sample, value.data, entry->sample_bytes);
    counts->distinct++;
    return LITH_OK;
}

static struct lith_slice value_at(const struct lith_values *values, size_t i)
{
    return values->ids ? lith_dictionary_at(values->dictionary, values->ids[i])
                       : lith_values_at(values, i);
}

/* Ids of a small dictionary are counted first, and each entry that occurs is added once. */
static enum lith_code add_ids(struct lith_key_counts *counts, const struct lith_values *values,
                              struct lith_err *err)
{
    uint32_t times[SMALL_DICTIONARY] = {0};

    for (size_t i = 0; i < values->count; i++)
        times[values->ids[i]]++;
    for (uint32_t id = 0; id < values->dictionary->count; id++) {
        if (times[id])
            LITH_TRY(add(counts, lith_dictionary_at(values->dictionary, id), times[id], err));
    }
    return LITH_OK;
}

/* Runs of one value, which key columns often have. */
static enum lith_code add_values(struct lith_key_counts *counts, const struct lith_values *values,
                                 struct lith_err *err)
{
    for (size_t i = 0; i < values->count;) {
        struct lith_slice value = value_at(values, i);
        size_t end = i + 1;
        while (end < values->count && lith_slice_equal(value_at(values, end), value))
            end++;
        LITH_TRY(add(counts, value, end - i, err));
        i = end;
    }
    return LITH_OK;
}

enum lith_code lith_key_counts_add(struct lith_key_counts *counts, const struct lith_batch *batch,
                                   struct lith_err *err)
{
    const struct lith_values *values = &batch->values;

    counts->nulls += batch->position_count - values->count;
    if (values->ids && values->dictionary->count <= SMALL_DICTIONARY)
        return add_ids(counts, values, err);
    return add_values(counts, values, err);
}

uint64_t lith_key_counts_of(const struct lith_key_counts *counts, struct lith_slice value)
{
    if (!counts->table)
        return 0;
    return find(counts->table, counts->capacity, lith_hash128(value.data, value.bytes, SEED))
        ->count;
}

/* The value's first bytes: as text where they are, else as hex digits. */
static void sample_text(const struct lith_key_count *entry, char *to, size_t to_bytes)
{
    bool is_text = entry->sample_bytes > 0;
    size_t used = 0;

    for (size_t i = 0; i < entry->sample_bytes; i++)
        is_text = is_text && entry->sample[i] >= 0x20 && entry->sample[i] < 0x7f;
    to[0] = '\0';
    for (size_t i = 0; i < entry->sample_bytes && used + 3 < to_bytes; i++)
        used +=
            (size_t)snprintf(to + used, to_bytes - used, is_text ? "%c" : "%02x", entry->sample[i]);
}

/* Fails with the first value of `a` that `b` has another number of. */
static enum lith_code compare_tables(const struct lith_key_counts *a,
                                     const struct lith_key_counts *b, bool a_is_expected,
                                     struct lith_err *err)
{
    char text[2 * LITH_KEY_SAMPLE_BYTES + 4];

    for (size_t i = 0; i < a->capacity; i++) {
        const struct lith_key_count *entry = &a->table[i];
        if (entry->count == 0)
            continue;
        uint64_t other = b->table ? find(b->table, b->capacity, entry->hash)->count : 0;
        if (other == entry->count)
            continue;
        sample_text(entry, text, sizeof(text));
        return lith_fail(
            err, LITH_E_CORRUPT, "value %s occurs %" PRIu64 " times, it must be %" PRIu64, text,
            a_is_expected ? other : entry->count, a_is_expected ? entry->count : other);
    }
    return LITH_OK;
}

enum lith_code lith_key_counts_compare(const struct lith_key_counts *expected,
                                       const struct lith_key_counts *found, struct lith_err *err)
{
    if (!expected->folded && !found->folded) {
        LITH_TRY(compare_tables(expected, found, true, err));
        LITH_TRY(compare_tables(found, expected, false, err));
    }
    if (expected->nulls != found->nulls || expected->values != found->values)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " nulls and %" PRIu64 " values, it must be %" PRIu64
                         " and %" PRIu64,
                         found->nulls, found->values, expected->nulls, expected->values);
    if (!lith_hash128_equal(expected->sum, found->sum))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu64 " values as expected, but not the same ones", found->values);
    return LITH_OK;
}
