/*
 * Writing sorted runs: what is small is gathered in a buffer, what is large goes past it.
 */
#include "sort/sort_runs.h"

#include "base/array.h"
#include "base/checked.h"

void lith_sort_runs_init(struct lith_sort_runs *runs, size_t width, size_t buffer_bytes,
                         const struct lith_work *work)
{
    *runs = (struct lith_sort_runs){.width = width};
    lith_spool_init(&runs->spool, work->mem, work->scratch, 0);
    lith_buf_init(&runs->buffer, work->mem, buffer_bytes);
}

void lith_sort_runs_done(struct lith_sort_runs *runs)
{
    if (!runs->buffer.mem)
        return;
    lith_spool_done(&runs->spool);
    lith_buf_done(&runs->buffer);
    lith_free(runs->runs);
    *runs = (struct lith_sort_runs){0};
}

enum lith_code lith_sort_runs_begin(struct lith_sort_runs *runs, struct lith_err *err)
{
    void *array = runs->runs;

    LITH_TRY(lith_array_grow(runs->buffer.mem, &array, runs->count, sizeof(*runs->runs), err));
    runs->runs = array;
    runs->runs[runs->count++] = (struct lith_sort_run){runs->bytes, runs->bytes};
    return LITH_OK;
}

enum lith_code lith_sort_runs_flush(struct lith_sort_runs *runs, struct lith_err *err)
{
    if (runs->buffer.bytes)
        LITH_TRY(lith_sink_write(&runs->spool.sink, runs->buffer.data, runs->buffer.bytes, err));
    lith_buf_clear(&runs->buffer);
    return LITH_OK;
}

enum lith_code lith_sort_runs_put(struct lith_sort_runs *runs, const uint8_t *from, size_t bytes,
                                  struct lith_err *err)
{
    struct lith_buf *buffer = &runs->buffer;

    if (bytes > buffer->limit - buffer->bytes)
        LITH_TRY(lith_sort_runs_flush(runs, err));
    if (bytes > buffer->limit)
        LITH_TRY(lith_sink_write(&runs->spool.sink, from, bytes, err));
    else
        LITH_TRY(lith_buf_append(buffer, from, bytes, err));
    runs->bytes += bytes;
    runs->runs[runs->count - 1].end = runs->bytes;
    return LITH_OK;
}

/* Whether a key sorts behind the last run, surely. */
static bool key_follows(const struct lith_sort_runs *runs, struct lith_slice key)
{
    struct lith_slice last = {runs->last_key, runs->last_bytes};

    if (!runs->last_is_cut)
        return lith_key_compare(last, key) <= 0;
    key.bytes = lith_min_size(key.bytes, last.bytes);
    return lith_key_compare(last, key) < 0;
}

static bool record_follows(const struct lith_sort_runs *runs, const struct lith_sort_record *next)
{
    const struct lith_sort_record *last = &runs->last_record;

    return last->prefix < next->prefix || (last->prefix == next->prefix && last->ref < next->ref);
}

static void last_key_set(struct lith_sort_runs *runs, struct lith_slice key)
{
    runs->last_bytes = lith_min_size(key.bytes, sizeof(runs->last_key));
    runs->last_is_cut = runs->last_bytes < key.bytes;
    memcpy(runs->last_key, key.data, runs->last_bytes);
}

static enum lith_code add_records(struct lith_sort_runs *runs, const struct lith_sort_block *block,
                                  struct lith_err *err)
{
    void *records = block->records;

    if (runs->count == 0 || !record_follows(runs, &block->records[0]))
        LITH_TRY(lith_sort_runs_begin(runs, err));
    runs->last_record = block->records[block->count - 1];
    return lith_sort_runs_put(runs, records, block->count * sizeof(*block->records), err);
}

static enum lith_code add_entries(struct lith_sort_runs *runs, const struct lith_sort_block *block,
                                  struct lith_err *err)
{
    struct lith_slice key = lith_entry_key(lith_sort_block_entry(block, 0));

    if (runs->count == 0 || !key_follows(runs, key))
        LITH_TRY(lith_sort_runs_begin(runs, err));
    for (size_t i = 0; i < block->count; i++) {
        const uint8_t *entry = lith_sort_block_entry(block, i);
        key = lith_entry_key(entry);
        LITH_TRY(lith_sort_runs_put(runs, entry, LITH_ENTRY_HEAD_BYTES + key.bytes, err));
    }
    last_key_set(runs, key);
    return LITH_OK;
}

enum lith_code lith_sort_runs_add_block(struct lith_sort_runs *runs,
                                        const struct lith_sort_block *block, struct lith_err *err)
{
    LITH_ASSERT(block->count > 0);
    return lith_keys_are_short(runs->width) ? add_records(runs, block, err)
                                            : add_entries(runs, block, err);
}

enum lith_code lith_sort_runs_add_key(struct lith_sort_runs *runs, struct lith_slice key,
                                      uint64_t place, struct lith_err *err)
{
    uint8_t head[LITH_ENTRY_HEAD_BYTES];

    LITH_TRY(lith_entry_key_check(key, err));
    if (runs->count == 0 || !key_follows(runs, key))
        LITH_TRY(lith_sort_runs_begin(runs, err));
    lith_entry_head_store(head, place, key.bytes);
    LITH_TRY(lith_sort_runs_put(runs, head, sizeof(head), err));
    LITH_TRY(lith_sort_runs_put(runs, key.data, key.bytes, err));
    last_key_set(runs, key);
    return LITH_OK;
}
