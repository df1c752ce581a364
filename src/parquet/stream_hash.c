/*
 * Fingerprints of streams, as three: repetition levels, definition levels, values.
 *
 * Together they determine the stream, none depends on how it is cut, and each is added as whole
 * arrays. Values of fixed width are added as they are. Of a byte array its XXH3-64 is added, which
 * also tells where it ends: a changed value passes unseen with a chance of 2^-64, and two streams
 * of equal hashes with one of 2^-128. That is for mistakes and damage; XXH3 is no defence against
 * somebody who chooses values of equal hash, and who could as well change the sources.
 */
#include "parquet/stream_hash.h"

#include "base/checked.h"

/* Apart from each other, so that the parts cannot stand for one another. */
#define SEED_REP 1u
#define SEED_DEF 2u
#define SEED_VALUES 3u
#define SEED_ALL 4u
#define SEED_DICTIONARY 5u

/* Hashes and values that are gathered at a time: small on the stack, large for the hash. */
#define BLOCK_COUNT 256u
#define BLOCK_BYTES ((size_t)BLOCK_COUNT * 8)

struct state {
    struct lith_hasher *rep;
    struct lith_hasher *def;
    struct lith_hasher *values;
};

enum lith_code lith_stream_hash_new(struct lith_mem *mem, struct lith_stream_hash *ret_hash,
                                    struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(mem, 1, sizeof(struct state), &block, err));
    struct state *state = block;
    struct lith_stream_hash hash = {.state = state};
    enum lith_code code = lith_hasher_new(mem, SEED_REP, &state->rep, err);
    if (code == LITH_OK)
        code = lith_hasher_new(mem, SEED_DEF, &state->def, err);
    if (code == LITH_OK)
        code = lith_hasher_new(mem, SEED_VALUES, &state->values, err);
    if (code == LITH_OK)
        *ret_hash = hash;
    else
        lith_stream_hash_done(&hash);
    return code;
}

void lith_stream_hash_reset(struct lith_stream_hash *hash)
{
    struct state *state = hash->state;

    lith_hasher_reset(state->rep);
    lith_hasher_reset(state->def);
    lith_hasher_reset(state->values);
    hash->positions = 0;
    hash->values = 0;
    hash->rows = 0;
}

void lith_stream_hash_done(struct lith_stream_hash *hash)
{
    struct state *state = hash->state;

    if (!state)
        return;
    lith_hasher_free(state->rep);
    lith_hasher_free(state->def);
    lith_hasher_free(state->values);
    lith_free(state);
    hash->state = NULL;
}

static void add_slices(struct lith_hasher *hasher, const struct lith_slice *slices, size_t count)
{
    uint64_t block[BLOCK_COUNT];

    for (size_t at = 0; at < count; at += BLOCK_COUNT) {
        size_t some = lith_min_size(count - at, BLOCK_COUNT);
        lith_hash64_each(slices + at, some, block);
        lith_hasher_add(hasher, block, some * sizeof(*block));
    }
}

/* The hash of each entry, made once; NULL where the budget has no room for them. */
static enum lith_code entry_hashes(struct lith_dictionary *dictionary, struct lith_err *err)
{
    struct lith_err full;
    void *block;

    if (dictionary->hashes || !dictionary->slices)
        return LITH_OK;
    enum lith_code code =
        lith_alloc_array(dictionary->mem, dictionary->count, sizeof(uint64_t), &block, &full);
    if (code == LITH_E_LIMIT)
        return LITH_OK;
    if (code != LITH_OK) {
        *err = full;
        return code;
    }
    dictionary->hashes = block;
    lith_hash64_each(dictionary->slices, dictionary->count, dictionary->hashes);
    return LITH_OK;
}

static void gather_hashes(const struct lith_dictionary *dictionary, const uint32_t *ids,
                          size_t count, uint64_t *to)
{
    if (dictionary->hashes) {
        for (size_t i = 0; i < count; i++)
            to[i] = dictionary->hashes[ids[i]];
        return;
    }
    for (size_t i = 0; i < count; i++)
        lith_hash64_each(&dictionary->slices[ids[i]], 1, &to[i]);
}

static void gather_values(const struct lith_dictionary *dictionary, const uint32_t *ids,
                          size_t count, uint8_t *to)
{
    const uint8_t *from = dictionary->fixed;
    size_t width = dictionary->width;

    if (width == 8) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * 8, from + (size_t)ids[i] * 8, 8);
    } else if (width == 4) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * 4, from + (size_t)ids[i] * 4, 4);
    } else {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * width, from + ids[i] * width, width);
    }
}

static enum lith_code add_ids(struct lith_hasher *hasher, const struct lith_values *values,
                              struct lith_err *err)
{
    struct lith_dictionary *dictionary = values->dictionary;
    size_t width = dictionary->slices ? sizeof(uint64_t) : dictionary->width;
    size_t block_count = BLOCK_BYTES / width;
    uint64_t block[BLOCK_COUNT];

    LITH_TRY(entry_hashes(dictionary, err));
    if (block_count == 0) { /* fixed values too large to gather */
        for (size_t i = 0; i < values->count; i++)
            lith_hasher_add(hasher, dictionary->fixed + values->ids[i] * width, width);
        return LITH_OK;
    }
    for (size_t at = 0; at < values->count; at += block_count) {
        size_t some = lith_min_size(values->count - at, block_count);
        if (dictionary->slices)
            gather_hashes(dictionary, values->ids + at, some, block);
        else
            gather_values(dictionary, values->ids + at, some, (uint8_t *)block);
        lith_hasher_add(hasher, block, some * width);
    }
    return LITH_OK;
}

static uint64_t count_rows(const uint16_t *rep_levels, size_t count)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < count; i++)
        rows += rep_levels[i] == 0;
    return rows;
}

enum lith_code lith_stream_hash_add(struct lith_stream_hash *hash, const struct lith_batch *batch,
                                    struct lith_err *err)
{
    struct state *state = hash->state;
    const struct lith_values *values = &batch->values;
    size_t count = batch->position_count;

    if (values->ids)
        LITH_TRY(add_ids(state->values, values, err));
    else if (values->slices)
        add_slices(state->values, values->slices, values->count);
    else
        lith_hasher_add(state->values, values->fixed, values->count * values->width);
    if (batch->rep_levels)
        lith_hasher_add(state->rep, batch->rep_levels, count * sizeof(*batch->rep_levels));
    if (batch->def_levels)
        lith_hasher_add(state->def, batch->def_levels, count * sizeof(*batch->def_levels));
    hash->positions += count;
    hash->values += values->count;
    hash->rows += batch->rep_levels ? count_rows(batch->rep_levels, count) : count;
    return LITH_OK;
}

struct lith_hash128 lith_stream_hash_end(const struct lith_stream_hash *hash)
{
    const struct state *state = hash->state;
    const struct {
        struct lith_hash128 rep;
        struct lith_hash128 def;
        struct lith_hash128 values;
        uint64_t counts[2];
    } all = {
        .rep = lith_hasher_end(state->rep),
        .def = lith_hasher_end(state->def),
        .values = lith_hasher_end(state->values),
        .counts = {hash->positions, hash->values},
    };

    return lith_hash128(&all, sizeof(all), SEED_ALL);
}

/* Entries one by one, where they lie in a body or have no room for hashes. */
static enum lith_code entries_add(struct lith_dictionary *dictionary, uint32_t count,
                                  struct lith_hasher *hasher, struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf entry;

    lith_buf_init(&entry, dictionary->mem, SIZE_MAX);
    for (uint32_t i = 0; i < count; i++) {
        lith_buf_clear(&entry);
        LITH_TRY(lith_dictionary_read(dictionary, i, &entry, err));
        const struct lith_slice slice = {entry.data, entry.bytes};
        if (dictionary->width)
            lith_hasher_add(hasher, slice.data, slice.bytes);
        else
            add_slices(hasher, &slice, 1);
    }
    return LITH_OK;
}

enum lith_code lith_dictionary_fingerprint(struct lith_dictionary *dictionary, uint32_t count,
                                           struct lith_hash128 *ret_fingerprint,
                                           struct lith_err *err)
{
    struct lith_hasher *hasher;

    LITH_ASSERT(count <= dictionary->count);
    LITH_TRY(entry_hashes(dictionary, err));
    if (dictionary->hashes) {
        *ret_fingerprint =
            lith_hash128(dictionary->hashes, count * sizeof(*dictionary->hashes), SEED_DICTIONARY);
        return LITH_OK;
    }
    if (dictionary->fixed) {
        *ret_fingerprint =
            lith_hash128(dictionary->fixed, count * dictionary->width, SEED_DICTIONARY);
        return LITH_OK;
    }
    LITH_TRY(lith_hasher_new(dictionary->mem, SEED_DICTIONARY, &hasher, err));
    enum lith_code code = entries_add(dictionary, count, hasher, err);
    if (code == LITH_OK)
        *ret_fingerprint = lith_hasher_end(hasher);
    lith_hasher_free(hasher);
    return code;
}
