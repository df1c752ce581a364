/*
 * The sum of a hash of every row.
 *
 * A position changes its row's state to a hash of the old state, the levels and the value, so
 * nothing cancels out and columns cannot be exchanged; states are only added up when their row
 * is complete. A row begins where the repetition level is 0.
 */
#include "verify/row_sum.h"

#include <inttypes.h>

#include "base/checked.h"

#define BLOCK_STATES 256u
#define INLINE_BYTES 16u

/* One pass over a column: states come from `from` (NULL: zero at first) and go to `to`. */
struct pass {
    struct lith_spool *from;
    struct lith_spool *to;
    uint64_t seed;
    uint64_t rows;     /* begun */
    uint64_t rows_max; /* of the row group */
    size_t in_next;
    size_t in_count;
    size_t out_count;
    struct lith_hash128 in[BLOCK_STATES];
    struct lith_hash128 out[BLOCK_STATES]; /* the last one is the row at work */
};

static enum lith_code flush(struct pass *pass, struct lith_err *err)
{
    LITH_TRY(
        lith_sink_write(&pass->to->sink, pass->out, pass->out_count * sizeof(pass->out[0]), err));
    pass->out_count = 0;
    return LITH_OK;
}

static enum lith_code refill(struct pass *pass, struct lith_err *err)
{
    size_t count = (size_t)lith_min_u64(BLOCK_STATES, pass->rows_max - pass->rows);

    pass->in_next = 0;
    pass->in_count = count;
    if (!pass->from) {
        memset(pass->in, 0, sizeof(pass->in));
        return LITH_OK;
    }
    return lith_source_read(&pass->from->source, pass->rows * sizeof(pass->in[0]), pass->in,
                            count * sizeof(pass->in[0]), err);
}

static enum lith_code row_begin(struct pass *pass, struct lith_err *err)
{
    if (pass->rows == pass->rows_max)
        return lith_fail(err, LITH_E_CORRUPT, "more than the %" PRIu64 " rows of the row group",
                         pass->rows_max);
    if (pass->out_count == BLOCK_STATES)
        LITH_TRY(flush(pass, err));
    if (pass->in_next == pass->in_count)
        LITH_TRY(refill(pass, err));
    pass->out[pass->out_count++] = pass->in[pass->in_next++];
    pass->rows++;
    return LITH_OK;
}

static void mix(struct lith_hash128 *state, uint64_t seed, uint16_t rep, uint16_t def,
                const struct lith_slice *value)
{
    struct {
        struct lith_hash128 state;
        uint64_t head;
        uint64_t bytes;
        uint8_t value[INLINE_BYTES]; /* short values as they are, long ones hashed */
    } block = {.state = *state, .head = (uint64_t)rep << 16 | def};

    if (value) {
        block.head |= (uint64_t)1 << 32;
        block.bytes = value->bytes;
        if (value->bytes > INLINE_BYTES) {
            struct lith_hash128 hash = lith_hash128(value->data, value->bytes, seed);
            memcpy(block.value, &hash, sizeof(hash));
        } else if (value->bytes > 0) {
            memcpy(block.value, value->data, value->bytes);
        }
    }
    *state = lith_hash128(&block, sizeof(block), seed);
}

static enum lith_code pass_batch(struct pass *pass, const struct lith_batch *batch,
                                 uint16_t max_def, struct lith_err *err)
{
    size_t next_value = 0;

    for (size_t i = 0; i < batch->position_count; i++) {
        uint16_t rep = batch->rep_levels ? batch->rep_levels[i] : 0;
        uint16_t def = batch->def_levels ? batch->def_levels[i] : 0;
        struct lith_slice value;
        bool is_value = def == max_def;
        if (rep == 0)
            LITH_TRY(row_begin(pass, err));
        if (is_value)
            value = lith_values_at(&batch->values, next_value++);
        mix(&pass->out[pass->out_count - 1], pass->seed, rep, def, is_value ? &value : NULL);
    }
    return LITH_OK;
}

static enum lith_code pass_column(struct lith_row_summer *summer, struct pass *pass,
                                  const struct lith_column_file *file, uint32_t row_group,
                                  uint32_t leaf, struct lith_err *err)
{
    struct lith_column column;
    struct lith_batch batch;
    uint16_t max_def = lith_schema_leaf(summer->target, leaf)->max_def;

    LITH_TRY(lith_column_open(&column, file, row_group, summer->target, leaf, summer->codecs,
                              summer->work, err));
    enum lith_code code;
    do {
        code = lith_column_next(&column, &batch, err);
        if (code == LITH_OK)
            code = pass_batch(pass, &batch, max_def, err);
    } while (code == LITH_OK && batch.position_count > 0);
    lith_column_close(&column);
    LITH_TRY(code);
    return flush(pass, err);
}

static enum lith_code sum_states(struct lith_row_summer *summer, struct lith_spool *spool,
                                 uint64_t rows, struct lith_err *err)
{
    struct lith_hash128 states[BLOCK_STATES];

    for (uint64_t row = 0; row < rows;) {
        size_t count = (size_t)lith_min_u64(BLOCK_STATES, rows - row);
        LITH_TRY(lith_source_read(&spool->source, row * sizeof(states[0]), states,
                                  count * sizeof(states[0]), err));
        for (size_t i = 0; i < count; i++)
            summer->sum.sum = lith_hash128_add(summer->sum.sum, states[i]);
        row += count;
    }
    return LITH_OK;
}

void lith_row_summer_init(struct lith_row_summer *summer, const struct lith_schema *target,
                          uint64_t seed, struct lith_codec_context *codecs,
                          const struct lith_work *work)
{
    *summer =
        (struct lith_row_summer){.target = target, .seed = seed, .codecs = codecs, .work = work};
    for (size_t i = 0; i < 2; i++)
        lith_spool_init(&summer->spools[i], work->mem, work->scratch, lith_work_share(work) / 4);
}

void lith_row_summer_done(struct lith_row_summer *summer)
{
    lith_spool_done(&summer->spools[0]);
    lith_spool_done(&summer->spools[1]);
}

static enum lith_code add_columns(struct lith_row_summer *summer, struct pass *pass,
                                  const struct lith_column_file *file, uint32_t row_group,
                                  struct lith_err *err)
{
    uint64_t rows = (uint64_t)file->footer->row_groups[row_group].num_rows;

    for (uint32_t leaf = 0; leaf < summer->target->leaf_count; leaf++) {
        pass->from = leaf ? &summer->spools[leaf % 2] : NULL;
        pass->to = &summer->spools[(leaf + 1) % 2];
        pass->seed = summer->seed;
        pass->rows = 0;
        pass->rows_max = rows;
        pass->in_next = 0;
        pass->in_count = 0;
        pass->out_count = 0;
        lith_spool_clear(pass->to);
        LITH_TRY(pass_column(summer, pass, file, row_group, leaf, err));
        if (pass->rows != rows)
            return lith_fail(err, LITH_E_CORRUPT, "%" PRIu64 " rows of %" PRIu64, pass->rows, rows);
    }
    return sum_states(summer, pass->to, rows, err);
}

enum lith_code lith_row_summer_add(void *ctx, const struct lith_column_file *file,
                                   uint32_t row_group, struct lith_err *err)
{
    struct lith_row_summer *summer = ctx;
    uint64_t rows = (uint64_t)file->footer->row_groups[row_group].num_rows;
    void *block;

    /* Rows without columns are all the same: their number says everything. */
    if (summer->target->leaf_count > 0) {
        LITH_TRY(lith_alloc(summer->work->mem, sizeof(struct pass), &block, err));
        enum lith_code code = add_columns(summer, block, file, row_group, err);
        lith_free(block);
        LITH_TRY(code);
    }
    if (!lith_add_u64(summer->sum.rows, rows, &summer->sum.rows))
        return lith_fail(err, LITH_E_CORRUPT, "the rows of the files pass 64 bits");
    return LITH_OK;
}
