/*
 * Column runs: the open batch, how it is laid down, how a run is read.
 *
 * The open batch holds entries (head, record, bytes) in the order of units; the entries of a leaf
 * are a chain through it. Laid down, a batch is in one spool a table of where each leaf's run ends,
 * then the records leaf by leaf; in the other the staged bytes in the same order.
 */
#include "merge/column_runs.h"

#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/checked.h"

/* In front of each entry of the open batch. Entries are not aligned: copied in and out. */
struct entry_head {
    uint32_t next; /* of the same leaf */
    uint32_t record_bytes;
    uint32_t staged_bytes;
};

#define NO_ENTRY UINT32_MAX
/* Ends of a leaf's run in both spools, from the batch's places on. */
#define TABLE_ENTRY_BYTES 16u
/* In front of each record in the spool: its bytes. */
#define RECORD_LENGTH_BYTES 4u

/* What one of the parts that runs consist of may take of the budget. */
static size_t budget_part(const struct lith_work *work, size_t bytes_max)
{
    return lith_min_size(work->mem->limit / LITH_RUNS_BUDGET_SHARES, bytes_max);
}

size_t lith_column_runs_file_bytes_max(const struct lith_work *work)
{
    return budget_part(work, LITH_RUNS_BATCH_BYTES_MAX) / 2;
}

void lith_column_runs_init(struct lith_column_runs *runs, const struct lith_work *work,
                           uint32_t leaf_count)
{
    size_t memory = budget_part(work, LITH_RUNS_MEMORY_BYTES_MAX);

    *runs = (struct lith_column_runs){
        .work = work,
        .leaf_count = leaf_count,
        .stages = true,
        .open_bytes_max = budget_part(work, LITH_RUNS_BATCH_BYTES_MAX),
    };
    lith_spool_init(&runs->records, work->mem, work->scratch, memory);
    lith_spool_init(&runs->staged, work->mem, work->scratch, memory);
    /* One unit of many columns may be longer than a batch should be. */
    lith_buf_init(&runs->open, work->mem, lith_min_size(lith_work_share(work), UINT32_MAX));
}

void lith_column_runs_done(struct lith_column_runs *runs)
{
    lith_spool_done(&runs->records);
    lith_spool_done(&runs->staged);
    lith_buf_done(&runs->open);
    lith_free(runs->batches);
    lith_free(runs->chains);
    *runs = (struct lith_column_runs){0};
}

static struct entry_head head_at(const struct lith_column_runs *runs, uint32_t at)
{
    struct entry_head head;

    memcpy(&head, runs->open.data + at, sizeof(head));
    return head;
}

static void head_put(struct lith_column_runs *runs, size_t at, const struct entry_head *head)
{
    memcpy(runs->open.data + at, head, sizeof(*head));
}

/* Appends the slices of a staged chunk, in the order of lith_source_chunk_place. */
static enum lith_code staged_append(struct lith_buf *open, const struct lith_source_chunk *chunk,
                                    struct lith_err *err)
{
    LITH_TRY(lith_buf_append(open, chunk->pages.data, chunk->pages.bytes, err));
    LITH_TRY(lith_buf_append(open, chunk->offset_index.data, chunk->offset_index.bytes, err));
    LITH_TRY(lith_buf_append(open, chunk->column_index.data, chunk->column_index.bytes, err));
    return lith_buf_append(open, chunk->bloom_filter.data, chunk->bloom_filter.bytes, err);
}

static enum lith_code entry_append(struct lith_column_runs *runs,
                                   const struct lith_source_chunk *chunk,
                                   const struct lith_schema_node *leaf, struct lith_err *err)
{
    struct lith_buf *open = &runs->open;
    size_t begin = open->bytes;
    struct entry_head head = {.next = NO_ENTRY};

    LITH_TRY(lith_buf_reserve(open, sizeof(head) + LITH_SOURCE_RECORD_BYTES_MAX, err));
    open->bytes += sizeof(head);
    head.record_bytes = (uint32_t)lith_source_chunk_write(chunk, leaf, open->data + open->bytes);
    open->bytes += head.record_bytes;
    head.staged_bytes = (uint32_t)lith_source_chunk_staged_bytes(chunk);
    LITH_TRY(staged_append(open, chunk, err));
    head_put(runs, begin, &head);
    return LITH_OK;
}

/* A unit that is being added. */
struct unit_source {
    const struct lith_footer *footer;
    uint32_t row_group;
    const struct lith_union_place *places; /* NULL: the leaves are those of the footer */
    struct lith_source *bytes;
};

/* The leaf of the footer whose chunk stands for `leaf`: itself, or its fellow; LITH_NO_INDEX: no
 * chunk does. */
static uint32_t source_leaf(const struct unit_source *unit, uint32_t leaf)
{
    const struct lith_union_place *place = unit->places ? &unit->places[leaf] : NULL;

    if (!place)
        return leaf;
    return place->leaf != LITH_NO_INDEX ? place->leaf : place->fellow;
}

static enum lith_code chunk_append(struct lith_column_runs *runs, const struct unit_source *unit,
                                   uint32_t leaf, struct lith_arena *arena, struct lith_err *err)
{
    const struct lith_footer *footer = unit->footer;
    uint32_t from = source_leaf(unit, leaf);
    struct lith_source_chunk chunk;

    if (from == LITH_NO_INDEX) {
        chunk = lith_source_chunk_absent(footer->row_groups[unit->row_group].num_rows);
        return entry_append(runs, &chunk, lith_schema_leaf(&footer->schema, 0), err);
    }
    LITH_TRY(
        lith_source_chunk_take(footer, unit->row_group, from, unit->bytes, arena, &chunk, err));
    if (unit->places) {
        chunk.is_absent = unit->places[leaf].leaf == LITH_NO_INDEX;
        chunk.is_void = unit->places[leaf].is_void;
        chunk.is_narrow = unit->places[leaf].is_narrow;
    }
    return entry_append(runs, &chunk, lith_schema_leaf(&footer->schema, from), err);
}

static enum lith_code entries_append(struct lith_column_runs *runs, const struct unit_source *unit,
                                     struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;

    lith_arena_init(&arena, runs->work->mem);
    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++)
        LITH_TRY(chunk_append(runs, unit, leaf, &arena, err));
    return LITH_OK;
}

/* Hangs the entries from `at` on, one per leaf, to the chains. */
static void entries_link(struct lith_column_runs *runs, size_t at)
{
    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++) {
        struct lith_run_chain *chain = &runs->chains[leaf];
        struct entry_head head = head_at(runs, (uint32_t)at);
        if (chain->first == NO_ENTRY) {
            chain->first = (uint32_t)at;
        } else {
            struct entry_head last = head_at(runs, chain->last);
            last.next = (uint32_t)at;
            head_put(runs, chain->last, &last);
        }
        chain->last = (uint32_t)at;
        chain->record_bytes += RECORD_LENGTH_BYTES + head.record_bytes;
        chain->staged_bytes += head.staged_bytes;
        at += sizeof(head) + head.record_bytes + head.staged_bytes;
    }
}

static void open_clear(struct lith_column_runs *runs)
{
    lith_buf_clear(&runs->open);
    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++)
        runs->chains[leaf] = (struct lith_run_chain){.first = NO_ENTRY, .last = NO_ENTRY};
    runs->open_begin = runs->unit_count;
}

/* Appends a unit; on failure the batch is what it was. */
static enum lith_code unit_append(struct lith_column_runs *runs, const struct unit_source *unit,
                                  struct lith_err *err)
{
    size_t begin = runs->open.bytes;
    enum lith_code code = entries_append(runs, unit, err);

    if (code != LITH_OK) {
        runs->open.bytes = begin;
        return code;
    }
    entries_link(runs, begin);
    runs->unit_count++;
    return LITH_OK;
}

/* What staging the unit adds to the batch, about. Sizes were checked with the footer. */
static uint64_t staged_estimate(const struct lith_column_runs *runs, const struct unit_source *unit)
{
    const struct lith_row_group *group = &unit->footer->row_groups[unit->row_group];
    uint64_t bytes = 0;

    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++) {
        uint32_t from = source_leaf(unit, leaf);
        if (from != LITH_NO_INDEX)
            bytes = lith_sum_u64(bytes, (uint64_t)group->chunks[from].total_compressed_size);
    }
    return bytes;
}

enum lith_code lith_column_runs_add(struct lith_column_runs *runs, const struct lith_footer *footer,
                                    uint32_t row_group, const struct lith_union_place *places,
                                    struct lith_source *bytes, struct lith_err *err)
{
    struct unit_source unit = {footer, row_group, places, bytes};
    void *block;

    if (!runs->chains) {
        LITH_TRY(lith_alloc_array(runs->work->mem, runs->leaf_count, sizeof(*runs->chains), &block,
                                  err));
        runs->chains = block;
        open_clear(runs);
    }
    uint64_t estimate = bytes ? staged_estimate(runs, &unit) : 0;
    if (!runs->stages || estimate > runs->open_bytes_max)
        unit.bytes = NULL;
    if (unit.bytes && runs->open.bytes + estimate > runs->open_bytes_max)
        LITH_TRY(lith_column_runs_cut(runs, err));
    enum lith_code code = unit_append(runs, &unit, err);
    if (code == LITH_E_LIMIT) { /* the budget is short: the batch gives way, and the bytes */
        LITH_TRY(lith_column_runs_cut(runs, err));
        lith_buf_done(&runs->open);
        unit.bytes = NULL;
        code = unit_append(runs, &unit, err);
    }
    LITH_TRY(code);
    return runs->open.bytes >= runs->open_bytes_max ? lith_column_runs_cut(runs, err) : LITH_OK;
}

/* Appends to a spool in pieces that are worth a write. */
struct spill {
    struct lith_spool *spool;
    struct lith_buf buffer;
};

static void spill_init(struct spill *spill, struct lith_spool *spool, struct lith_mem *mem)
{
    spill->spool = spool;
    lith_buf_init(&spill->buffer, mem, LITH_FILE_BUFFER_BYTES);
}

static void spill_auto(struct spill *spill)
{
    lith_buf_done(&spill->buffer);
}

static enum lith_code spill_flush(struct spill *spill, struct lith_err *err)
{
    LITH_TRY(lith_sink_write(&spill->spool->sink, spill->buffer.data, spill->buffer.bytes, err));
    lith_buf_clear(&spill->buffer);
    return LITH_OK;
}

static enum lith_code spill_put(struct spill *spill, const void *from, size_t bytes,
                                struct lith_err *err)
{
    if (bytes > spill->buffer.limit - spill->buffer.bytes)
        LITH_TRY(spill_flush(spill, err));
    if (bytes > spill->buffer.limit)
        return lith_sink_write(&spill->spool->sink, from, bytes, err);
    return lith_buf_append(&spill->buffer, from, bytes, err);
}

static enum lith_code table_put(struct lith_column_runs *runs, struct spill *spill,
                                struct lith_err *err)
{
    uint64_t record_end = (uint64_t)runs->leaf_count * TABLE_ENTRY_BYTES;
    uint64_t staged_end = 0;

    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++) {
        uint8_t entry[TABLE_ENTRY_BYTES];
        record_end += runs->chains[leaf].record_bytes;
        staged_end += runs->chains[leaf].staged_bytes;
        lith_store_u64(entry, record_end);
        lith_store_u64(entry + 8, staged_end);
        LITH_TRY(spill_put(spill, entry, sizeof(entry), err));
    }
    return LITH_OK;
}

static enum lith_code records_lay(struct lith_column_runs *runs, struct lith_err *err)
{
    __attribute__((cleanup(spill_auto))) struct spill spill;

    spill_init(&spill, &runs->records, runs->work->mem);
    LITH_TRY(table_put(runs, &spill, err));
    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++) {
        for (uint32_t at = runs->chains[leaf].first; at != NO_ENTRY;) {
            struct entry_head head = head_at(runs, at);
            uint8_t length[RECORD_LENGTH_BYTES];
            lith_store_u32(length, head.record_bytes);
            LITH_TRY(spill_put(&spill, length, sizeof(length), err));
            LITH_TRY(
                spill_put(&spill, runs->open.data + at + sizeof(head), head.record_bytes, err));
            at = head.next;
        }
    }
    return spill_flush(&spill, err);
}

static enum lith_code staged_lay(struct lith_column_runs *runs, struct lith_err *err)
{
    __attribute__((cleanup(spill_auto))) struct spill spill;

    spill_init(&spill, &runs->staged, runs->work->mem);
    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++) {
        for (uint32_t at = runs->chains[leaf].first; at != NO_ENTRY;) {
            struct entry_head head = head_at(runs, at);
            const uint8_t *bytes = runs->open.data + at + sizeof(head) + head.record_bytes;
            LITH_TRY(spill_put(&spill, bytes, head.staged_bytes, err));
            at = head.next;
        }
    }
    return spill_flush(&spill, err);
}

/* Half of scratch is left to pages that do not fit memory. */
static bool scratch_is_short(const struct lith_column_runs *runs, uint64_t more)
{
    uint64_t limit = runs->work->scratch->limit / 2;

    return more > limit || runs->staged.source.size > limit - more;
}

static uint64_t open_staged_bytes(const struct lith_column_runs *runs)
{
    uint64_t bytes = 0;

    for (uint32_t leaf = 0; leaf < runs->leaf_count; leaf++)
        bytes += runs->chains[leaf].staged_bytes;
    return bytes;
}

/* Whatever failed, the inputs are still there to be read again. */
static void staged_try(struct lith_column_runs *runs, struct lith_run_batch *batch)
{
    uint64_t bytes = open_staged_bytes(runs);
    struct lith_err ignored;

    if (!runs->stages || bytes == 0)
        return;
    batch->staged_offset = runs->staged.source.size;
    batch->has_staged = !scratch_is_short(runs, bytes) && staged_lay(runs, &ignored) == LITH_OK;
    runs->stages = batch->has_staged;
}

/* Records must have a place: where scratch has none left, the staged bytes give theirs back; where
 * there is no scratch at all, memory has to do. */
static enum lith_code records_put(struct lith_column_runs *runs, struct lith_run_batch *batch,
                                  struct lith_err *err)
{
    batch->records_offset = runs->records.source.size;
    enum lith_code code = records_lay(runs, err);
    if (code == LITH_OK || code == LITH_E_NOMEM)
        return code;
    lith_spool_clear(&runs->staged);
    runs->stages = false;
    batch->has_staged = false;
    for (size_t i = 0; i < runs->batch_count; i++)
        runs->batches[i].has_staged = false;
    lith_spool_allow(&runs->records, lith_work_share(runs->work));
    batch->records_offset = runs->records.source.size;
    return records_lay(runs, err);
}

enum lith_code lith_column_runs_cut(struct lith_column_runs *runs, struct lith_err *err)
{
    void *block = runs->batches;

    if (runs->open_begin == runs->unit_count)
        return LITH_OK;
    LITH_TRY(
        lith_array_grow(runs->work->mem, &block, runs->batch_count, sizeof(*runs->batches), err));
    runs->batches = block;
    struct lith_run_batch batch = {.unit_begin = runs->open_begin, .unit_end = runs->unit_count};
    staged_try(runs, &batch);
    LITH_TRY(records_put(runs, &batch, err));
    runs->batches[runs->batch_count++] = batch;
    open_clear(runs);
    return LITH_OK;
}

enum lith_code lith_column_runs_finish(struct lith_column_runs *runs, struct lith_err *err)
{
    LITH_TRY(lith_column_runs_cut(runs, err));
    lith_buf_done(&runs->open);
    lith_free(runs->chains);
    runs->chains = NULL;
    return LITH_OK;
}

static void part_init(struct lith_run_part *part, struct lith_spool *spool,
                      const struct lith_work *work)
{
    *part = (struct lith_run_part){.spool = spool};
    lith_read_ahead_init(&part->ahead, work->mem, LITH_READ_AHEAD_BYTES);
    lith_buf_init(&part->large, work->mem, lith_work_share(work));
}

static void part_done(struct lith_run_part *part)
{
    lith_read_ahead_done(&part->ahead);
    lith_buf_done(&part->large);
}

static void part_open(struct lith_run_part *part, uint64_t at, uint64_t end)
{
    part->at = at;
    part->end = end;
    lith_read_ahead_open(&part->ahead, &part->spool->source, at, end);
}

/* The next `bytes` bytes, until the next call: in the spool's memory, else in a buffer. */
static enum lith_code part_take(struct lith_run_part *part, size_t bytes, const uint8_t **ret_data,
                                struct lith_err *err)
{
    static const uint8_t nothing;

    if (bytes > part->end - part->at)
        return lith_fail(err, LITH_E_CORRUPT, "scratch space gives back other bytes than it got");
    const uint8_t *memory = lith_spool_memory(part->spool);
    const uint8_t *data =
        memory ? memory + part->at : lith_source_view(&part->ahead.base, part->at, bytes);
    if (bytes == 0) {
        data = &nothing;
    } else if (!data) {
        lith_buf_clear(&part->large);
        LITH_TRY(lith_buf_reserve(&part->large, bytes, err));
        LITH_TRY(lith_source_read(&part->ahead.base, part->at, part->large.data, bytes, err));
        data = part->large.data;
    }
    part->at += bytes;
    *ret_data = data;
    return LITH_OK;
}

void lith_run_cursor_init(struct lith_run_cursor *cursor, struct lith_column_runs *runs)
{
    *cursor = (struct lith_run_cursor){.runs = runs};
    part_init(&cursor->records, &runs->records, runs->work);
    part_init(&cursor->staged, &runs->staged, runs->work);
}

void lith_run_cursor_done(struct lith_run_cursor *cursor)
{
    part_done(&cursor->records);
    part_done(&cursor->staged);
    lith_free(cursor->histograms);
    *cursor = (struct lith_run_cursor){0};
}

/* The batch that begins with the unit. */
static size_t batch_find(const struct lith_column_runs *runs, size_t unit)
{
    size_t low = 0;
    size_t high = runs->batch_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->batches[middle].unit_begin < unit)
            low = middle + 1;
        else
            high = middle;
    }
    LITH_ASSERT(low < runs->batch_count);
    LITH_ASSERT(runs->batches[low].unit_begin == unit);
    return low;
}

void lith_run_cursor_open(struct lith_run_cursor *cursor, uint32_t leaf, size_t unit_begin,
                          size_t unit_end)
{
    LITH_ASSERT(leaf < cursor->runs->leaf_count);
    LITH_ASSERT(unit_end <= cursor->runs->unit_count);
    LITH_ASSERT(unit_begin <= unit_end);
    cursor->leaf = leaf;
    cursor->unit = (uint32_t)unit_begin;
    cursor->unit_end = (uint32_t)unit_end;
    if (unit_begin < unit_end)
        cursor->batch = batch_find(cursor->runs, unit_begin);
}

/* Finds the leaf's run in the cursor's batch. */
static enum lith_code run_open(struct lith_run_cursor *cursor, struct lith_err *err)
{
    struct lith_column_runs *runs = cursor->runs;
    const struct lith_run_batch *batch = &runs->batches[cursor->batch];
    uint8_t entries[2 * TABLE_ENTRY_BYTES];
    uint64_t at = batch->records_offset + (uint64_t)cursor->leaf * TABLE_ENTRY_BYTES;
    uint64_t records_begin = (uint64_t)runs->leaf_count * TABLE_ENTRY_BYTES;
    uint64_t staged_begin = 0;

    if (cursor->leaf > 0) {
        LITH_TRY(lith_source_read(&runs->records.source, at - TABLE_ENTRY_BYTES, entries,
                                  sizeof(entries), err));
        records_begin = lith_load_u64(entries);
        staged_begin = lith_load_u64(entries + 8);
    } else {
        LITH_TRY(lith_source_read(&runs->records.source, at, entries + TABLE_ENTRY_BYTES,
                                  TABLE_ENTRY_BYTES, err));
    }
    part_open(&cursor->records, batch->records_offset + records_begin,
              batch->records_offset + lith_load_u64(entries + TABLE_ENTRY_BYTES));
    part_open(&cursor->staged, batch->staged_offset + staged_begin,
              batch->staged_offset + lith_load_u64(entries + TABLE_ENTRY_BYTES + 8));
    return LITH_OK;
}

static enum lith_code record_take(struct lith_run_cursor *cursor,
                                  struct lith_source_chunk *ret_chunk, struct lith_err *err)
{
    const uint8_t *data;
    void *block;

    if (!cursor->histograms) {
        LITH_TRY(lith_alloc_array(cursor->runs->work->mem, 2 * LITH_HISTOGRAM_ENTRIES_MAX,
                                  sizeof(int64_t), &block, err));
        cursor->histograms = block;
    }
    LITH_TRY(part_take(&cursor->records, RECORD_LENGTH_BYTES, &data, err));
    size_t bytes = lith_load_u32(data);
    LITH_TRY(part_take(&cursor->records, bytes, &data, err));
    return lith_source_chunk_read((struct lith_slice){data, bytes}, cursor->histograms, ret_chunk,
                                  err);
}

enum lith_code lith_run_cursor_next(struct lith_run_cursor *cursor,
                                    struct lith_source_chunk *ret_chunk, bool *ret_end,
                                    struct lith_err *err)
{
    struct lith_source_chunk chunk;
    const uint8_t *data;

    *ret_end = cursor->unit == cursor->unit_end;
    if (*ret_end)
        return LITH_OK;
    const struct lith_run_batch *batch = &cursor->runs->batches[cursor->batch];
    if (cursor->unit == batch->unit_begin)
        LITH_TRY(run_open(cursor, err));
    LITH_TRY(record_take(cursor, &chunk, err));
    if (chunk.is_staged && batch->has_staged) {
        LITH_TRY(part_take(&cursor->staged, lith_source_chunk_staged_bytes(&chunk), &data, err));
        lith_source_chunk_place(&chunk, data);
    } else {
        lith_source_chunk_unstage(&chunk);
    }
    chunk.unit = cursor->unit++;
    if (cursor->unit == batch->unit_end)
        cursor->batch++;
    *ret_chunk = chunk;
    return LITH_OK;
}
