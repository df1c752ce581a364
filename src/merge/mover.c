/*
 * The table of movers, and what they share.
 */
#include "merge/mover.h"

#include "base/checked.h"

#define LEVELS_BYTES (LITH_BATCH_POSITIONS * sizeof(uint16_t))

static const struct {
    const char *name;
    enum lith_code (*run)(const struct lith_move *move, struct lith_err *err);
} movers[LITH_MOVER_COUNT] = {
    [LITH_MOVER_SPLICE] = {"splice", lith_mover_copy},
    [LITH_MOVER_REMAP] = {"remap", lith_mover_copy},
    [LITH_MOVER_REGROUP] = {"regroup", lith_mover_recode},
    [LITH_MOVER_RECODE] = {"recode", lith_mover_recode},
    [LITH_MOVER_NULL] = {"null", lith_mover_null},
};

const char *lith_mover_name(enum lith_mover mover)
{
    return movers[mover].name;
}

enum lith_code lith_move_tools_init(struct lith_move_tools *tools,
                                    struct lith_codec_context *codecs, const struct lith_work *work,
                                    struct lith_err *err)
{
    *tools = (struct lith_move_tools){.codecs = codecs, .work = work};
    lith_buf_init(&tools->block, work->mem, LITH_COPY_BLOCK_BYTES);
    lith_buf_init(&tools->body, work->mem, lith_min_size(lith_work_share(work), INT32_MAX));
    lith_buf_init(&tools->packed, work->mem, lith_min_size(lith_work_share(work), INT32_MAX));
    lith_buf_init(&tools->def_levels, work->mem, LEVELS_BYTES);
    lith_buf_init(&tools->rep_levels, work->mem, LEVELS_BYTES);
    lith_buf_init(&tools->widened, work->mem, lith_min_size(lith_work_share(work), INT32_MAX));
    LITH_TRY(lith_chunk_reader_new(codecs, work, true, &tools->reader, err));
    return lith_chunk_reader_new(codecs, work, false, &tools->key_reader, err);
}

void lith_move_tools_done(struct lith_move_tools *tools)
{
    if (!tools->work)
        return;
    lith_chunk_reader_close(tools->reader);
    lith_chunk_reader_close(tools->key_reader);
    lith_buf_done(&tools->block);
    lith_buf_done(&tools->body);
    lith_buf_done(&tools->packed);
    lith_buf_done(&tools->def_levels);
    lith_buf_done(&tools->rep_levels);
    lith_buf_done(&tools->widened);
    *tools = (struct lith_move_tools){.work = NULL};
}

enum lith_code lith_move_levels(const struct lith_move *move, struct lith_batch *batch,
                                struct lith_err *err)
{
    const struct lith_level_map *map = move->levels;
    struct lith_buf *buf = &move->tools->def_levels;
    size_t count = batch->position_count;

    if (!map || map->is_same)
        return LITH_OK;
    lith_buf_clear(buf);
    LITH_TRY(lith_buf_reserve(buf, LEVELS_BYTES, err));
    uint16_t *levels = (void *)buf->data;
    if (batch->def_levels)
        lith_level_map_apply(map, batch->def_levels, count, levels);
    for (size_t i = 0; !batch->def_levels && i < count; i++)
        levels[i] = map->to[0];
    batch->def_levels = levels;
    return LITH_OK;
}

enum lith_code lith_move_deliver(const struct lith_move *move, const struct lith_batch *batch,
                                 struct lith_key_counts *counts, struct lith_err *err)
{
    if (move->deal)
        return lith_deal_add(move->deal, batch, err);
    LITH_TRY(lith_witness_decoded(move->witness, batch, err));
    if (counts)
        LITH_TRY(lith_key_counts_add(counts, batch, err));
    return lith_file_writer_add(move->writer, batch, err);
}

enum lith_code lith_move_values(const struct lith_move *move, struct lith_batch *batch,
                                struct lith_err *err)
{
    if (!move->widening)
        return LITH_OK;
    return lith_widen_into(move->widening, &batch->values, &move->tools->widened, err);
}

enum lith_code lith_mover_run(enum lith_mover mover, const struct lith_move *move,
                              struct lith_err *err)
{
    return movers[mover].run(move, err);
}
