/*
 * The null mover: what a source has of a column that it lacks.
 *
 * Where every row has the group that lacks it once, one level says it all: pages of any number of
 * rows cost the same, and few rows are added to the page that is open. Inside lists the levels are
 * those of another leaf of the group, cut off at the group. parquet-splice.md section 6.3.
 */
#include "merge/mover.h"

#include <string.h>

#include "base/checked.h"
#include "parquet/level_prefix.h"
#include "parquet/null_page.h"
#include "parquet/page_writer.h"

static enum lith_code batch_add(const struct lith_move *move, const struct lith_batch *batch,
                                bool adds, struct lith_err *err)
{
    LITH_TRY(lith_work_check(move->tools->work, err));
    if (adds)
        return lith_move_deliver(move, batch, move->counts, err);
    LITH_TRY(lith_witness_decoded(move->witness, batch, err));
    return move->counts ? lith_key_counts_add(move->counts, batch, err) : LITH_OK;
}

/* Room for the levels of a batch. */
static enum lith_code rooms_make(const struct lith_move *move, uint16_t **ret_rep,
                                 uint16_t **ret_def, struct lith_err *err)
{
    struct lith_move_tools *tools = move->tools;
    size_t bytes = LITH_BATCH_POSITIONS * sizeof(uint16_t);

    lith_buf_clear(&tools->rep_levels);
    lith_buf_clear(&tools->def_levels);
    LITH_TRY(lith_buf_reserve(&tools->rep_levels, bytes, err));
    LITH_TRY(lith_buf_reserve(&tools->def_levels, bytes, err));
    *ret_rep = (void *)tools->rep_levels.data;
    *ret_def = (void *)tools->def_levels.data;
    return LITH_OK;
}

static struct lith_batch batch_of(const struct lith_move *move, const uint16_t *rep,
                                  const uint16_t *def)
{
    const struct lith_schema_node *leaf = move->leaf;

    return (struct lith_batch){
        .rep_levels = leaf->max_rep ? rep : NULL,
        .def_levels = def,
        .values = {.type = leaf->type, .width = lith_type_width(leaf->type, leaf->type_length)},
    };
}

/* All rows at `level`, a batch at a time: to the witness, and to the writer if it `adds`. */
static enum lith_code rows_add(const struct lith_move *move, uint16_t level, bool adds,
                               struct lith_err *err)
{
    uint64_t left = (uint64_t)move->ref.num_rows;
    uint16_t *rep, *def;

    LITH_TRY(rooms_make(move, &rep, &def, err));
    for (size_t i = 0; i < LITH_BATCH_POSITIONS; i++) {
        rep[i] = 0;
        def[i] = level;
    }
    struct lith_batch batch = batch_of(move, rep, def);
    for (batch.page_start = true; left > 0; batch.page_start = false) {
        batch.position_count = (size_t)lith_min_u64(left, LITH_BATCH_POSITIONS);
        LITH_TRY(batch_add(move, &batch, adds, err));
        left -= batch.position_count;
    }
    return LITH_OK;
}

/* What is known of `rows` rows of one null each; `room` has both histograms. */
static struct lith_facts facts_of(const struct lith_move *move, int64_t rows, uint16_t level,
                                  int64_t *room)
{
    const struct lith_schema_node *leaf = move->leaf;
    int64_t *def = room + leaf->max_rep + 1;
    struct lith_facts facts = lith_facts_unknown(leaf, rows);

    memset(room, 0, (leaf->max_rep + leaf->max_def + 2u) * sizeof(*room));
    room[0] = rows;
    def[level] = rows;
    facts.has_null_count = true;
    facts.null_count = rows;
    facts.is_all_null = true;
    facts.has_nan_count = lith_order_is_floating(lith_order_of(leaf));
    facts.unencoded_bytes = 0;
    facts.rep_histogram = leaf->max_rep ? room : NULL;
    facts.def_histogram = def;
    return facts;
}

static enum lith_code page_add(const struct lith_move *move, int64_t rows, uint16_t level,
                               int64_t *room, struct lith_err *err)
{
    struct lith_facts facts = facts_of(move, rows, level, room);
    struct lith_copied_page page = {.facts = &facts, .rows = rows};
    struct lith_buf *body = &move->tools->packed;

    lith_buf_clear(body);
    LITH_TRY(lith_buf_reserve(body, lith_compress_bound(move->codec, 2 * LITH_LEVEL_RUN_BYTES_MAX),
                              err));
    LITH_TRY(lith_null_page_run(move->tools->codecs, move->codec, move->leaf, (uint32_t)rows, level,
                                body, &page.header, err));
    LITH_TRY(lith_file_writer_copy(move->writer, &page, err));
    LITH_TRY(lith_file_writer_copy_bytes(move->writer, body->data, body->bytes, err));
    return lith_file_writer_copy_end(move->writer, err);
}

static enum lith_code pages_add(const struct lith_move *move, uint16_t level, int64_t *room,
                                struct lith_err *err)
{
    struct lith_facts facts = facts_of(move, move->ref.num_rows, level, room);

    LITH_TRY(lith_file_writer_source(move->writer, &facts, move->ref.num_rows, err));
    for (int64_t left = move->ref.num_rows; left > 0;) {
        int64_t rows = (int64_t)lith_min_u64((uint64_t)left, LITH_PAGE_ROWS_MAX);
        LITH_TRY(page_add(move, rows, level, room, err));
        left -= rows;
    }
    return lith_file_writer_source_end(move->writer, err);
}

static enum lith_code run_move(const struct lith_move *move, struct lith_err *err)
{
    uint16_t level = move->levels ? move->levels->to[0] : 0;
    bool has_pages = move->may_copy && move->ref.num_rows >= LITH_COPY_PAGE_VALUES_MIN;
    size_t room_count = (size_t)move->leaf->max_rep + move->leaf->max_def + 2;
    void *room;

    LITH_ASSERT(level < move->leaf->max_def);
    LITH_TRY(rows_add(move, level, !has_pages, err));
    if (!has_pages)
        return LITH_OK;
    LITH_TRY(lith_alloc_array(move->tools->work->mem, room_count, sizeof(int64_t), &room, err));
    enum lith_code code = pages_add(move, level, room, err);
    lith_free(room);
    return code;
}

/* The levels of another leaf below the group. */
static enum lith_code fellow_move(const struct lith_move *move, struct lith_err *err)
{
    struct lith_chunk_reader *reader = move->tools->reader;
    const struct lith_schema_node *group = move->group;
    struct lith_batch read;
    uint16_t *rep, *def;

    LITH_TRY(rooms_make(move, &rep, &def, err));
    struct lith_batch batch = batch_of(move, rep, def);
    LITH_TRY(lith_chunk_reader_begin(reader, move->pages, &move->ref, err));
    for (;;) {
        LITH_TRY(lith_chunk_reader_next(reader, &read, err));
        if (read.position_count == 0)
            return LITH_OK;
        if (move->is_void && read.values.count > 0)
            return lith_chunk_reader_fail(
                reader,
                lith_fail(err, LITH_E_CORRUPT,
                          "a column of type UNKNOWN, which has nothing but nulls, has values"),
                err);
        struct lith_levels levels = {read.rep_levels, read.def_levels, read.position_count};
        batch.position_count = lith_levels_clip(&levels, group->max_rep, group->max_def,
                                                move->leaf->max_rep ? rep : NULL, def);
        batch.page_start = read.page_start;
        if (batch.position_count == 0)
            continue;
        if (move->levels)
            lith_level_map_apply(move->levels, def, batch.position_count, def);
        LITH_TRY(batch_add(move, &batch, true, err));
    }
}

enum lith_code lith_mover_null(const struct lith_move *move, struct lith_err *err)
{
    if (!move->is_void && move->group->max_rep == 0 && move->group->max_def == 0)
        return run_move(move, err);
    return fellow_move(move, err);
}
