/*
 * The witness: fingerprints of streams, and the list of what each output chunk must be.
 *
 * A stream is hashed as three: repetition levels, definition levels, values (byte arrays with
 * their length in front). Together they determine it, none depends on how it is cut into
 * batches, and each is added as whole arrays.
 */
#include "parquet/witness.h"

#include "base/checked.h"

/* Apart from each other, so that the parts cannot stand for one another. */
#define SEED_REP 1u
#define SEED_DEF 2u
#define SEED_VALUES 3u
#define SEED_ALL 4u

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

/* Short values are gathered, so that the hash gets runs. */
static void add_slices(struct lith_hasher *hasher, const struct lith_slice *slices, size_t count)
{
    uint8_t block[2048];
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        size_t bytes = slices[i].bytes;
        if (used + 8 + bytes > sizeof(block)) {
            lith_hasher_add(hasher, block, used);
            used = 0;
        }
        lith_store_u64(block + used, bytes);
        used += 8;
        if (used + bytes <= sizeof(block)) {
            if (bytes)
                memcpy(block + used, slices[i].data, bytes);
            used += bytes;
            continue;
        }
        lith_hasher_add(hasher, block, used);
        lith_hasher_add(hasher, slices[i].data, bytes);
        used = 0;
    }
    lith_hasher_add(hasher, block, used);
}

void lith_stream_hash_add(struct lith_stream_hash *hash, const struct lith_batch *batch)
{
    struct state *state = hash->state;
    const struct lith_values *values = &batch->values;
    size_t count = batch->position_count;
    uint64_t rows = count;

    if (batch->rep_levels) {
        rows = 0;
        for (size_t i = 0; i < count; i++)
            rows += batch->rep_levels[i] == 0;
        lith_hasher_add(state->rep, batch->rep_levels, count * sizeof(*batch->rep_levels));
    }
    if (batch->def_levels)
        lith_hasher_add(state->def, batch->def_levels, count * sizeof(*batch->def_levels));
    if (values->slices)
        add_slices(state->values, values->slices, values->count);
    else if (values->count)
        lith_hasher_add(state->values, values->fixed, values->count * values->width);
    hash->positions += count;
    hash->values += values->count;
    hash->rows += rows;
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

void lith_witness_init(struct lith_witness *witness, const struct lith_work *work,
                       uint32_t leaf_count)
{
    *witness = (struct lith_witness){.leaf_count = leaf_count};
    lith_spool_init(&witness->chunks, work->mem, work->scratch,
                    (size_t)lith_min_u64(LITH_WITNESS_MEMORY_BYTES, lith_work_share(work) / 4));
}

void lith_witness_done(struct lith_witness *witness)
{
    lith_spool_done(&witness->chunks);
    *witness = (struct lith_witness){0};
}

enum lith_code lith_witness_add(struct lith_witness *witness,
                                const struct lith_witness_chunk *chunk, struct lith_err *err)
{
    LITH_ASSERT(witness->leaf_count > 0);
    LITH_TRY(lith_sink_write(&witness->chunks.sink, chunk, sizeof(*chunk), err));
    if (witness->chunk_count % witness->leaf_count == 0) {
        witness->row_group_count++;
        witness->rows += chunk->rows;
    }
    witness->chunk_count++;
    return LITH_OK;
}

enum lith_code lith_witness_at(struct lith_witness *witness, uint64_t index,
                               struct lith_witness_chunk *ret_chunk, struct lith_err *err)
{
    struct lith_witness_chunk chunk;

    LITH_ASSERT(index < witness->chunk_count);
    LITH_TRY(lith_source_read(&witness->chunks.source, index * sizeof(chunk), &chunk, sizeof(chunk),
                              err));
    *ret_chunk = chunk;
    return LITH_OK;
}
