/*
 * The sum of a hash of every row.
 *
 * How much a column needs while it is open is only known when its pages were seen. So a group of
 * columns is taken by what the footer says, and where the budget refuses it, is begun again with
 * half as many. A column alone has the whole budget.
 */
#include "verify/row_sum.h"

#include <inttypes.h>

#include "base/checked.h"
#include "verify/row_column.h"

/* The states of a block fit the processor's second cache, beside a batch of a column. */
#define BLOCK_ROWS LITH_BATCH_POSITIONS
/* What an open column takes beside its pages: batches, levels, buffers of the decoder. */
#define COLUMN_BYTES ((size_t)160 << 10)
/* What a page or dictionary takes, about, in chunks of many pages: most writers aim at 1 MiB. */
#define PAGES_BYTES ((size_t)1 << 20)

/* One group of columns of a row group. */
struct group {
    struct lith_row_place place;
    uint64_t row_count;
    uint32_t leaf_begin;
    uint32_t leaf_end;
    struct lith_row_column *columns;
    bool is_last;
    struct lith_spool *from; /* the states before; first group: NULL */
    struct lith_spool *to;   /* the states after; last group: NULL, unless hashes are wanted */
    struct lith_hash128 sum; /* last group */
    struct lith_hash128 states[BLOCK_ROWS];
    struct lith_hash128 words[LITH_ROW_RUN + 1];
};

void lith_row_summer_init(struct lith_row_summer *summer, const struct lith_schema *target,
                          uint64_t seed, struct lith_codec_context *codecs,
                          const struct lith_work *work)
{
    *summer = (struct lith_row_summer){
        .target = target, .seed = seed, .codecs = codecs, .work = work, .columns_max = UINT32_MAX};
    for (size_t i = 0; i < 2; i++)
        lith_spool_init(&summer->spools[i], work->mem, work->scratch, lith_work_share(work) / 4);
}

void lith_row_summer_done(struct lith_row_summer *summer)
{
    lith_spool_done(&summer->spools[0]);
    lith_spool_done(&summer->spools[1]);
}

static enum lith_code block_add(struct group *group, uint64_t row, size_t count,
                                struct lith_err *err)
{
    size_t bytes = count * sizeof(group->states[0]);

    if (group->from)
        LITH_TRY(lith_source_read(&group->from->source, row * sizeof(group->states[0]),
                                  group->states, bytes, err));
    else
        lith_row_hash_begin(group->place.seed, group->states, count);
    for (uint32_t i = 0; i < group->leaf_end - group->leaf_begin; i++)
        LITH_TRY(lith_row_column_add(&group->columns[i], group->states, count, group->words, err));
    if (group->is_last)
        group->sum = lith_hash128_add(group->sum,
                                      lith_row_hash_sum(group->place.seed, group->states, count));
    return group->to ? lith_sink_write(&group->to->sink, group->states, bytes, err) : LITH_OK;
}

static enum lith_code columns_open(struct group *group, struct lith_err *err)
{
    for (uint32_t leaf = group->leaf_begin; leaf < group->leaf_end; leaf++)
        LITH_TRY(lith_row_column_open(&group->columns[leaf - group->leaf_begin], &group->place,
                                      leaf, err));
    return LITH_OK;
}

static enum lith_code rows_add(struct group *group, struct lith_err *err)
{
    LITH_TRY(columns_open(group, err));
    for (uint64_t row = 0; row < group->row_count;) {
        size_t count = (size_t)lith_min_u64(BLOCK_ROWS, group->row_count - row);
        LITH_TRY(block_add(group, row, count, err));
        row += count;
    }
    for (uint32_t i = 0; i < group->leaf_end - group->leaf_begin; i++)
        LITH_TRY(lith_row_column_end(&group->columns[i], err));
    return LITH_OK;
}

/* Takes all rows through the group's columns. */
static enum lith_code group_add(struct group *group, struct lith_err *err)
{
    uint32_t count = group->leaf_end - group->leaf_begin;
    void *block;

    if (group->to)
        lith_spool_clear(group->to);
    group->sum = (struct lith_hash128){0};
    LITH_TRY(lith_alloc_array(group->place.work->mem, count, sizeof(*group->columns), &block, err));
    group->columns = block;
    enum lith_code code = rows_add(group, err);
    for (uint32_t i = 0; i < count; i++)
        lith_row_column_close(&group->columns[i]);
    lith_free(group->columns);
    return code;
}

/* What a column takes while it is open, as far as the footer tells. */
static size_t bytes_of(const struct lith_row_place *place, uint32_t leaf)
{
    const struct lith_leaf_map *map = &place->file->maps[leaf];

    if (map->leaf == LITH_NO_INDEX)
        return COLUMN_BYTES;
    const struct lith_chunk_meta *meta =
        &place->file->footer->row_groups[place->row_group].chunks[map->leaf];
    uint64_t bytes = lith_min_u64((uint64_t)meta->total_uncompressed_size, PAGES_BYTES);
    return COLUMN_BYTES + 2 * (size_t)bytes; /* as stored, and decompressed */
}

/* The columns from `begin` on that half of the budget has room for, but one at least. */
static uint32_t group_end(const struct lith_row_summer *summer, const struct lith_row_place *place,
                          uint32_t begin)
{
    uint32_t leaf_count = summer->target->leaf_count;
    size_t room = lith_min_size(summer->work->mem->limit / 2, lith_mem_left(summer->work->mem));
    uint32_t end = begin;

    while (end < leaf_count && end - begin < summer->columns_max) {
        size_t bytes = bytes_of(place, end);
        if (bytes > room && end > begin)
            break;
        room -= lith_min_size(bytes, room);
        end++;
    }
    return end;
}

/* One group after the other; the last one has the sum. */
static enum lith_code groups_add(struct lith_row_summer *summer, struct group *group,
                                 struct lith_err *err)
{
    uint32_t leaf_count = summer->target->leaf_count;
    struct lith_spool *spare = &summer->spools[0];

    while (group->leaf_end < leaf_count) {
        struct lith_err failed;
        group->leaf_begin = group->leaf_end;
        group->leaf_end = group_end(summer, &group->place, group->leaf_begin);
        group->is_last = group->leaf_end == leaf_count;
        group->to = group->is_last && !summer->hashes ? NULL : spare;
        uint32_t count = group->leaf_end - group->leaf_begin;
        enum lith_code code = group_add(group, &failed);
        if (code == LITH_E_LIMIT && count > 1) {
            summer->columns_max = count / 2;
            group->leaf_end = group->leaf_begin;
            continue;
        }
        if (code != LITH_OK) {
            *err = failed;
            return code;
        }
        spare = group->from ? group->from : &summer->spools[1];
        group->from = group->to;
    }
    return LITH_OK;
}

/* The hash of each row, by the states that the last group of columns left. A group that was begun
 * again has written them once. */
static enum lith_code hashes_write(struct lith_row_summer *summer, struct group *group,
                                   struct lith_err *err)
{
    for (uint64_t row = 0; row < group->row_count;) {
        size_t count = (size_t)lith_min_u64(BLOCK_ROWS, group->row_count - row);
        size_t bytes = count * sizeof(group->states[0]);
        LITH_TRY(lith_source_read(&group->from->source, row * sizeof(group->states[0]),
                                  group->states, bytes, err));
        for (size_t i = 0; i < count; i++)
            group->states[i] = lith_row_hash_sum(summer->seed, &group->states[i], 1);
        LITH_TRY(lith_sink_write(summer->hashes, group->states, bytes, err));
        row += count;
    }
    return LITH_OK;
}

/* Rows without columns have one hash. */
static enum lith_code same_write(struct lith_row_summer *summer, uint64_t rows,
                                 struct lith_err *err)
{
    static const struct lith_hash128 same;

    for (uint64_t i = 0; summer->hashes && i < rows; i++)
        LITH_TRY(lith_sink_write(summer->hashes, &same, sizeof(same), err));
    return LITH_OK;
}

static enum lith_code row_group_add(struct lith_row_summer *summer,
                                    const struct lith_column_file *file, uint32_t row_group,
                                    uint64_t row_count, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(summer->work->mem, 1, sizeof(struct group), &block, err));
    struct group *group = block;
    group->row_count = row_count;
    group->place = (struct lith_row_place){
        .file = file,
        .row_group = row_group,
        .target = summer->target,
        .seed = summer->seed,
        .codecs = summer->codecs,
        .work = summer->work,
    };
    enum lith_code code = groups_add(summer, group, err);
    if (code == LITH_OK && summer->hashes)
        code = hashes_write(summer, group, err);
    if (code == LITH_OK)
        summer->sum.sum = lith_hash128_add(summer->sum.sum, group->sum);
    lith_free(group);
    return code;
}

enum lith_code lith_row_summer_add(void *ctx, const struct lith_column_file *file,
                                   uint32_t row_group, struct lith_err *err)
{
    struct lith_row_summer *summer = ctx;
    uint64_t rows = (uint64_t)file->footer->row_groups[row_group].num_rows;

    /* Rows without columns are all the same: their number says everything. */
    if (summer->target->leaf_count > 0)
        LITH_TRY(row_group_add(summer, file, row_group, rows, err));
    else
        LITH_TRY(same_write(summer, rows, err));
    if (!lith_add_u64(summer->sum.rows, rows, &summer->sum.rows))
        return lith_fail(err, LITH_E_CORRUPT, "the rows of the files pass 64 bits");
    return LITH_OK;
}
