/*
 * Finding the order by sorting: rows are counted by unit, so that each unit's arrivals have their
 * place; of a unit in order the next row is the next arrival, the rows of others are sorted.
 */
#include "sort/bucket_order.h"
#include "sort/number_sort.h"

/* A unit in the bucket. */
struct unit_place {
    uint32_t next;   /* arrival, or key: of the next row that comes */
    uint32_t end;    /* of its arrivals, or keys; before that is known, how many there are */
    uint32_t row_at; /* in order: a row before this one never comes */
};

struct finder {
    const struct lith_deal_span *span;
    uint32_t bucket;
    struct unit_place *units;
    uint32_t *arrivals;
    size_t row_count;
    uint64_t *keys; /* of rows of units that are not in order: row above, output row below */
    size_t key_count;
    uint64_t *room; /* for the keys of one unit */
};

/* Counts the rows of each unit into `end`. */
static enum lith_code rows_count(struct finder *f, struct lith_err *err)
{
    LITH_AUTO(deal_scan) struct lith_deal_scan scan = {0};
    size_t count;

    LITH_TRY(lith_deal_scan_open(f->span, f->bucket, f->bucket + 1, &scan, err));
    do {
        LITH_TRY(lith_deal_scan_next(&scan, &count, err));
        for (size_t i = 0; i < count; i++)
            f->units[scan.runs[i].unit].end += (uint32_t)scan.runs[i].row_count;
    } while (count);
    return LITH_OK;
}

static bool is_scattered(const struct finder *f, uint32_t unit)
{
    return !f->span->units[unit].in_order;
}

/* Takes room for the keys of units that are not in order. */
static enum lith_code keys_make(struct finder *f, struct lith_err *err)
{
    size_t largest = 0;
    void *block;

    for (uint32_t i = 0; i < f->span->unit_count; i++) {
        size_t rows = f->units[i].end;
        if (!is_scattered(f, i))
            continue;
        f->key_count += rows;
        largest = rows > largest ? rows : largest;
    }
    LITH_TRY(lith_alloc(f->span->work->mem, f->key_count * sizeof(*f->keys), &block, err));
    f->keys = block;
    LITH_TRY(lith_alloc(f->span->work->mem, largest * sizeof(*f->room), &block, err));
    f->room = block;
    return LITH_OK;
}

/* Counts become places: of arrivals, or of keys. */
static void places_set(struct finder *f)
{
    uint32_t arrival = 0, key = 0;

    for (uint32_t i = 0; i < f->span->unit_count; i++) {
        uint32_t rows = f->units[i].end;
        f->units[i].next = is_scattered(f, i) ? key : arrival;
        f->units[i].end = f->units[i].next + rows;
        arrival += rows;
        key += is_scattered(f, i) ? rows : 0;
    }
    LITH_ASSERT(arrival == f->row_count);
}

static enum lith_code run_place(struct finder *f, const struct lith_recipe_run *run, size_t at,
                                struct lith_err *err)
{
    struct unit_place *unit = &f->units[run->unit];

    if (run->row_count > unit->end - unit->next)
        return lith_scratch_damaged(err); /* it had fewer rows before */
    if (is_scattered(f, run->unit)) {
        for (uint32_t i = 0; i < run->row_count; i++)
            f->keys[unit->next++] = (run->row + i) << 32 | (at + i);
        return LITH_OK;
    }
    if (run->row < unit->row_at)
        return lith_scratch_damaged(err);
    unit->row_at = (uint32_t)(run->row + run->row_count);
    uint32_t arrival = unit->next;
    for (uint32_t i = 0; i < run->row_count; i++)
        f->arrivals[at + i] = arrival + i;
    unit->next = arrival + (uint32_t)run->row_count;
    return LITH_OK;
}

/* The second reading. No unit has more rows than it had in the first, and all rows together are as
 * many as then: so none has fewer, and each arrival has its output row. */
static enum lith_code rows_place(struct finder *f, struct lith_err *err)
{
    LITH_AUTO(deal_scan) struct lith_deal_scan scan = {0};
    size_t count, at = 0;

    LITH_TRY(lith_deal_scan_open(f->span, f->bucket, f->bucket + 1, &scan, err));
    while (at < f->row_count) {
        LITH_TRY(lith_deal_scan_next(&scan, &count, err));
        for (size_t i = 0; i < count; i++) {
            LITH_TRY(run_place(f, &scan.runs[i], at, err));
            at += scan.runs[i].row_count;
        }
    }
    return LITH_OK;
}

/* Sorts the keys of each unit; the rank of a row among them is its arrival among the unit's. */
static void keys_place(struct finder *f)
{
    uint32_t arrival = 0, key = 0;

    for (uint32_t i = 0; i < f->span->unit_count; i++) {
        if (!is_scattered(f, i)) {
            arrival = f->units[i].end;
            continue;
        }
        uint32_t count = f->units[i].end - key;
        lith_numbers_sort_upper(f->keys + key, f->room, count);
        for (uint32_t k = 0; k < count; k++)
            f->arrivals[(uint32_t)f->keys[key + k]] = arrival++;
        key += count;
    }
}

static enum lith_code order_find(struct finder *f, struct lith_err *err)
{
    struct lith_mem *mem = f->span->work->mem;
    void *block;

    LITH_TRY(lith_alloc_array(mem, f->span->unit_count, sizeof(*f->units), &block, err));
    f->units = block;
    LITH_TRY(rows_count(f, err));
    LITH_TRY(keys_make(f, err));
    LITH_TRY(lith_alloc(mem, f->row_count * sizeof(*f->arrivals), &block, err));
    f->arrivals = block;
    places_set(f);
    LITH_TRY(rows_place(f, err));
    keys_place(f);
    return LITH_OK;
}

enum lith_code lith_bucket_order_sort(const struct lith_deal_span *span, uint32_t bucket,
                                      struct lith_bucket_order *ret_order, struct lith_err *err)
{
    struct finder finder = {
        .span = span, .bucket = bucket, .row_count = lith_deal_bucket_rows(span, bucket)};

    enum lith_code code = order_find(&finder, err);
    lith_free(finder.units);
    lith_free(finder.keys);
    lith_free(finder.room);
    if (code != LITH_OK) {
        lith_free(finder.arrivals);
        return code;
    }
    *ret_order = (struct lith_bucket_order){bucket, finder.arrivals, finder.row_count};
    return LITH_OK;
}
