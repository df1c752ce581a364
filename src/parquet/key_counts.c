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

static enum lith_code add(struct lith_key_counts *counts, struct lith_slice value,
                          struct lith_err *err)
{
    struct lith_hash128 hash = lith_hash128(value.data, value.bytes, SEED);

    counts->values++;
    counts->sum = lith_hash128_add(counts->sum, hash);
    if (!counts->folded)
        LITH_TRY(grow(counts, err));
    if (counts->folded)
        return LITH_OK;
    struct lith_key_count *entry = find(counts->table, counts->capacity, hash);
    if (entry->count++ > 0)
        return LITH_OK;
    entry->hash = hash;
    entry->sample_bytes =
        (uint8_t)(value.bytes < LITH_KEY_SAMPLE_BYTES ? value.bytes : LITH_KEY_SAMPLE_BYTES);
    if (entry->sample_bytes)
        memcpy(entry->sample, value.data, entry->sample_bytes);
    counts->distinct++;
    return LITH_OK;
}

enum lith_code lith_key_counts_add(struct lith_key_counts *counts, const struct lith_batch *batch,
                                   struct lith_err *err)
{
    const struct lith_values *values = &batch->values;

    for (size_t i = 0; i < values->count; i++)
        LITH_TRY(add(counts,
                     values->ids ? lith_dictionary_at(values->dictionary, values->ids[i])
                                 : lith_values_at(values, i),
                     err));
    counts->nulls += batch->position_count - batch->values.count;
    return LITH_OK;
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
