/*
 * Destinations: made window by window over the bytes they take, since the recipe names rows in the
 * order of the output, and all that is not in the window at hand is passed over. Where one window
 * holds them all it is kept.
 */
#include "sort/destinations.h"

#include "base/bytes.h"
#include "base/checked.h"

/* Of the span's memory: what is kept; a window, and as much for the first bytes of the spool. */
#define KEPT_SHARES 4u
#define WINDOW_SHARES 8u
#define END_BYTES sizeof(uint32_t)
#define NO_END UINT32_MAX /* 0xff in all bytes, as LITH_NO_BUCKET is in one */

/* The part of the bytes that is being made. */
struct window {
    uint8_t *data;
    uint64_t begin;
    size_t bytes;
    bool counts; /* rows were not counted before */
};

static size_t window_bytes(const struct lith_deal_span *span)
{
    size_t bytes = span->memory_bytes_max / WINDOW_SHARES;

    return bytes - bytes % END_BYTES; /* no end lies across two windows */
}

static enum lith_code rows_count(struct lith_destinations *d, struct lith_err *err)
{
    LITH_AUTO(deal_scan) struct lith_deal_scan scan = {0};
    size_t count;

    LITH_TRY(lith_deal_scan_open(d->span, 0, d->span->bucket_count, &scan, err));
    do {
        LITH_TRY(lith_deal_scan_next(&scan, &count, err));
        for (size_t i = 0; i < count; i++)
            d->units[scan.runs[i].unit].row_count += (uint32_t)scan.runs[i].row_count;
    } while (count);
    return LITH_OK;
}

/* Gives each unit its place: those with rows in the span, once these were counted; before, all. */
static void offsets_set(struct lith_destinations *d, bool are_counted)
{
    d->bytes = 0;
    for (uint32_t i = 0; i < d->span->unit_count; i++) {
        const struct lith_deal_unit *unit = &d->span->units[i];
        uint32_t row_count = are_counted ? d->units[i].row_count : unit->row_count;
        d->units[i].offset = d->bytes;
        if (row_count == 0)
            continue;
        if (unit->in_order)
            d->bytes += (d->span->bucket_count + 1) * END_BYTES;
        else
            d->bytes += ((uint64_t)unit->row_count + END_BYTES - 1) / END_BYTES * END_BYTES;
    }
}

/* Notes the end of a unit's rows in a bucket; in the slot before the first one, where the span's
 * rows begin. */
static void end_note(const struct window *window, uint64_t offset, uint32_t bucket,
                     const struct lith_recipe_run *run)
{
    uint64_t first = offset - window->begin; /* wraps where it lies in front of the window */
    uint64_t slot = first + (bucket + 1) * END_BYTES;

    if (first < window->bytes && lith_load_u32(window->data + first) == NO_END)
        lith_store_u32(window->data + first, (uint32_t)run->row);
    if (slot < window->bytes)
        lith_store_u32(window->data + slot, (uint32_t)(run->row + run->row_count));
}

static void rows_note(const struct window *window, uint64_t offset, uint32_t bucket,
                      const struct lith_recipe_run *run)
{
    uint64_t begin = lith_max_u64(offset + run->row, window->begin);
    uint64_t end = lith_min_u64(offset + run->row + run->row_count, window->begin + window->bytes);

    if (begin + 1 == end)
        window->data[begin - window->begin] = (uint8_t)bucket; /* nearly always, in many sorts */
    else if (begin < end)
        memset(window->data + (begin - window->begin), (int)bucket, (size_t)(end - begin));
}

static void run_note(struct lith_destinations *d, const struct window *window, uint32_t bucket,
                     const struct lith_recipe_run *run)
{
    struct lith_unit_destinations *unit = &d->units[run->unit];

    if (window->counts)
        unit->row_count += (uint32_t)run->row_count;
    if (d->span->units[run->unit].in_order)
        end_note(window, unit->offset, bucket, run);
    else
        rows_note(window, unit->offset, bucket, run);
}

static enum lith_code window_fill(struct lith_destinations *d, const struct window *window,
                                  struct lith_err *err)
{
    LITH_AUTO(deal_scan) struct lith_deal_scan scan = {0};
    size_t count;

    memset(window->data, LITH_NO_BUCKET, window->bytes);
    LITH_TRY(lith_deal_scan_open(d->span, 0, d->span->bucket_count, &scan, err));
    do {
        LITH_TRY(lith_deal_scan_next(&scan, &count, err));
        for (size_t i = 0; i < count; i++)
            run_note(d, window, scan.bucket, &scan.runs[i]);
    } while (count);
    return LITH_OK;
}

static enum lith_code kept_make(struct lith_destinations *d, bool counts, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc(d->span->work->mem, (size_t)d->bytes, &block, err));
    d->kept = block;
    struct window window = {.data = block, .bytes = (size_t)d->bytes, .counts = counts};
    return window_fill(d, &window, err);
}

static enum lith_code windows_make(struct lith_destinations *d, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;
    size_t bytes_max = window_bytes(d->span);

    LITH_TRY(lith_alloc(d->span->work->mem, bytes_max, &block, err));
    struct window window = {.data = block};
    for (; window.begin < d->bytes; window.begin += window.bytes) {
        window.bytes = (size_t)lith_min_u64(d->bytes - window.begin, bytes_max);
        LITH_TRY(window_fill(d, &window, err));
        LITH_TRY(lith_sink_write(&d->spool.sink, window.data, window.bytes, err));
    }
    return LITH_OK;
}

static enum lith_code counts_check(const struct lith_destinations *d, struct lith_err *err)
{
    for (uint32_t i = 0; i < d->span->unit_count; i++)
        if (d->units[i].row_count > d->span->units[i].row_count)
            return lith_scratch_damaged(err); /* some stand there twice */
    return LITH_OK;
}

/* Where all units can be kept they are made and rows are counted in one reading. Else rows are
 * counted first, since the units of a span may be few. */
static enum lith_code destinations_make(struct lith_destinations *d, struct lith_err *err)
{
    size_t kept_max = d->span->memory_bytes_max / KEPT_SHARES;

    offsets_set(d, false);
    bool counts = d->bytes <= kept_max;
    if (!counts) {
        LITH_TRY(rows_count(d, err));
        offsets_set(d, true);
    }
    LITH_TRY(d->bytes <= kept_max ? kept_make(d, counts, err) : windows_make(d, err));
    return counts_check(d, err);
}

enum lith_code lith_destinations_init(struct lith_destinations *destinations,
                                      const struct lith_deal_span *span, struct lith_err *err)
{
    struct lith_destinations *d = destinations;
    void *block;

    LITH_ASSERT(span->bucket_count > 0);
    LITH_ASSERT(span->bucket_count <= LITH_DEAL_BUCKETS_MAX);
    LITH_TRY(lith_alloc_array(span->work->mem, span->unit_count, sizeof(*d->units), &block, err));
    *d = (struct lith_destinations){.span = span, .units = block};
    lith_spool_init(&d->spool, span->work->mem, span->work->scratch, window_bytes(span));
    enum lith_code code = destinations_make(d, err);
    if (code != LITH_OK)
        lith_destinations_done(d);
    return code;
}

void lith_destinations_done(struct lith_destinations *destinations)
{
    lith_spool_done(&destinations->spool);
    lith_free(destinations->units);
    lith_free(destinations->kept);
    destinations->units = NULL;
    destinations->kept = NULL;
    destinations->span = NULL;
}

size_t lith_destinations_bytes(const struct lith_destinations *destinations)
{
    return destinations->kept ? (size_t)destinations->bytes : window_bytes(destinations->span);
}

/* Bytes of the unit at hand. */
static enum lith_code bytes_read(struct lith_destinations_cursor *c, uint64_t at, void *to,
                                 size_t bytes, struct lith_err *err)
{
    uint64_t offset = c->of->units[c->unit].offset + at;

    if (!c->of->kept)
        return lith_source_read(&c->of->spool.source, offset, to, bytes, err);
    memcpy(to, c->of->kept + offset, bytes);
    return LITH_OK;
}

/* A bucket without rows of the unit ends where the one before it does. */
static enum lith_code ends_read(struct lith_destinations_cursor *c, struct lith_err *err)
{
    const struct lith_unit_destinations *unit = &c->of->units[c->unit];
    uint32_t bucket_count = c->of->span->bucket_count;

    LITH_TRY(bytes_read(c, 0, c->ends, (bucket_count + 1) * END_BYTES, err));
    for (uint32_t i = 1; i <= bucket_count; i++) {
        if (c->ends[i] == NO_END)
            c->ends[i] = c->ends[i - 1];
        if (c->ends[i] < c->ends[i - 1])
            return lith_scratch_damaged(err);
    }
    if (c->ends[bucket_count] - c->ends[0] != unit->row_count ||
        c->ends[bucket_count] > c->of->span->units[c->unit].row_count)
        return lith_scratch_damaged(err);
    c->end = 0;
    return LITH_OK;
}

enum lith_code lith_destinations_unit(struct lith_destinations_cursor *cursor, uint32_t unit,
                                      struct lith_err *err)
{
    LITH_ASSERT(cursor->of->units[unit].row_count > 0);
    cursor->unit = unit;
    cursor->row = 0;
    return cursor->of->span->units[unit].in_order ? ends_read(cursor, err) : LITH_OK;
}

/* Passes the ends that are behind us; how many rows the next one is away. */
static uint64_t rows_to_end(struct lith_destinations_cursor *c, uint64_t row)
{
    while (c->end <= c->of->span->bucket_count && c->ends[c->end] <= row)
        c->end++;
    if (c->end > c->of->span->bucket_count)
        return c->of->span->units[c->unit].row_count - row;
    return c->ends[c->end] - row;
}

static bool is_outside(const struct lith_destinations_cursor *c)
{
    return c->end == 0 || c->end > c->of->span->bucket_count;
}

static void buckets_of_ends(struct lith_destinations_cursor *c, size_t row_count)
{
    for (size_t done = 0; done < row_count;) {
        uint64_t left = rows_to_end(c, c->row + done);
        size_t some = (size_t)lith_min_u64(left, row_count - done);
        memset(c->buckets + done, is_outside(c) ? (int)LITH_NO_BUCKET : (int)c->end - 1, some);
        done += some;
    }
}

/* What comes from scratch is an index of buckets only if it is small enough. */
static enum lith_code buckets_check(const struct lith_destinations_cursor *c, size_t row_count,
                                    struct lith_err *err)
{
    uint32_t bucket_count = c->of->span->bucket_count;
    bool is_good = true;

    for (size_t i = 0; i < row_count; i++)
        is_good &= c->buckets[i] < bucket_count || c->buckets[i] == LITH_NO_BUCKET;
    return is_good ? LITH_OK : lith_scratch_damaged(err);
}

/* The buckets of rows that are not in order. */
static enum lith_code buckets_read(struct lith_destinations_cursor *c, size_t row_count,
                                   const uint8_t **ret_buckets, struct lith_err *err)
{
    if (c->of->kept) {
        *ret_buckets = c->of->kept + c->of->units[c->unit].offset + c->row;
        return LITH_OK;
    }
    *ret_buckets = c->buckets;
    LITH_TRY(bytes_read(c, c->row, c->buckets, row_count, err));
    return buckets_check(c, row_count, err);
}

enum lith_code lith_destinations_next(struct lith_destinations_cursor *cursor, size_t row_count,
                                      const uint8_t **ret_buckets, struct lith_err *err)
{
    struct lith_destinations_cursor *c = cursor;
    const struct lith_deal_unit *unit = &c->of->span->units[c->unit];

    LITH_ASSERT(row_count <= LITH_BATCH_POSITIONS);
    LITH_ASSERT(row_count <= unit->row_count - c->row);
    if (unit->in_order) {
        buckets_of_ends(c, row_count);
        *ret_buckets = c->buckets;
    } else {
        LITH_TRY(buckets_read(c, row_count, ret_buckets, err));
    }
    c->row += row_count;
    return LITH_OK;
}

uint64_t lith_destinations_idle(struct lith_destinations_cursor *cursor)
{
    struct lith_destinations_cursor *c = cursor;

    if (!c->of->span->units[c->unit].in_order)
        return 0;
    uint64_t left = rows_to_end(c, c->row);
    return is_outside(c) ? left : 0;
}

void lith_destinations_skip(struct lith_destinations_cursor *cursor, uint64_t row_count)
{
    LITH_ASSERT(row_count <= lith_destinations_idle(cursor));
    cursor->row += row_count;
}
