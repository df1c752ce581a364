/*
 * Writing one column chunk: where pages begin and end, and what they are made of.
 *
 * The dictionary's part of it is in chunk_dictionary.c. A row that alone passes half a share of
 * the budget is cut inside; the chunk then has no page index, as the format demands.
 */
#include "parquet/chunk_writer.h"

#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/chunk_dictionary.h"

/* Filters that the budget kept too small, so that they miss more than this, are not written. */
#define BLOOM_WORST_ONE_IN 20u
/* A list's values are this many times its rows, as a guess for the size of a filter. */
#define BLOOM_LIST_VALUES 4u
/* Buffers that one large value has stretched further than this are given back. */
#define KEEP_BYTES_MAX ((size_t)(2 * LITH_PAGE_BYTES_TARGET))

static void levels_init(struct lith_page_levels *levels, struct lith_mem *mem)
{
    lith_buf_init(&levels->def_levels, mem, INT32_MAX);
    lith_buf_init(&levels->rep_levels, mem, INT32_MAX);
    lith_buf_init(&levels->ids, mem, INT32_MAX);
}

static void levels_done(struct lith_page_levels *levels)
{
    lith_buf_done(&levels->def_levels);
    lith_buf_done(&levels->rep_levels);
    lith_buf_done(&levels->ids);
}

void lith_chunk_writer_init(struct lith_chunk_writer *writer, struct lith_sink *sink,
                            struct lith_codec_context *codecs, const struct lith_work *work)
{
    *writer = (struct lith_chunk_writer){.work = work};
    lith_page_writer_init(&writer->pages, sink, codecs, work);
    levels_init(&writer->open, work->mem);
    levels_init(&writer->loaded, work->mem);
    lith_buf_init(&writer->data, work->mem, INT32_MAX);
    lith_buf_init(&writer->slices, work->mem, SIZE_MAX);
    lith_buf_init(&writer->gathered, work->mem, SIZE_MAX);
    lith_buf_init(&writer->mapped, work->mem, SIZE_MAX);
    lith_buf_init(&writer->used, work->mem, SIZE_MAX);
    lith_spool_init(&writer->spool, work->mem, work->scratch, lith_work_share(work) / 4);
}

/* Gives back what a chunk needed: a wide column's buffers are not kept for the next ones. */
static void buffers_done(struct lith_chunk_writer *w)
{
    levels_done(&w->open);
    levels_done(&w->loaded);
    lith_buf_done(&w->data);
    lith_buf_done(&w->slices);
    lith_buf_done(&w->gathered);
    lith_buf_done(&w->mapped);
    lith_buf_done(&w->used);
    lith_dictionary_builder_done(&w->dictionary);
    lith_spool_done(&w->spool);
    lith_bloom_done(&w->bloom);
}

void lith_chunk_writer_done(struct lith_chunk_writer *writer)
{
    lith_page_writer_done(&writer->pages);
    buffers_done(writer);
}

/* The largest value: a share, and what a page's 32-bit size leaves beside levels and header. */
static size_t value_bytes_max(const struct lith_chunk_writer *writer)
{
    return lith_min_size(lith_work_share(writer->work), INT32_MAX - (size_t)LITH_MIB * 64);
}

static enum lith_code value_check(const struct lith_chunk_writer *writer, size_t bytes,
                                  struct lith_err *err)
{
    if (bytes <= value_bytes_max(writer))
        return LITH_OK;
    return lith_fail(err, LITH_E_LIMIT,
                     "a value of %zu bytes, at most %zu fit the memory budget of %zu; raise "
                     "--memory",
                     bytes, value_bytes_max(writer), writer->work->mem->limit);
}

void lith_chunk_writer_page_clear(struct lith_chunk_writer *w)
{
    lith_buf_clear(&w->open.def_levels);
    lith_buf_clear(&w->open.rep_levels);
    lith_buf_clear(&w->open.ids);
    lith_buf_clear(&w->data);
    lith_buf_clear(&w->slices);
    if (w->data.capacity > KEEP_BYTES_MAX)
        lith_buf_done(&w->data);
    w->open.position_count = 0;
    w->open.value_count = 0;
    w->open.row_count = 0;
    w->page_bytes = 0;
    w->page_memory = 0;
    w->page_plain_bytes = 0;
    w->page_is_joined = false;
}

enum lith_code lith_chunk_writer_begin(struct lith_chunk_writer *writer,
                                       const struct lith_schema_node *leaf,
                                       const struct lith_chunk_plan *plan, int64_t num_rows,
                                       struct lith_err *err)
{
    writer->leaf = leaf;
    writer->plan = *plan;
    writer->num_rows = num_rows;
    writer->width = lith_type_width(leaf->type, leaf->type_length);
    LITH_TRY(value_check(writer, writer->width, err));
    lith_chunk_writer_page_clear(writer);
    lith_chunk_dictionary_begin(writer);
    writer->page_has_ids = writer->collecting;
    LITH_TRY(lith_page_writer_begin(&writer->pages, leaf, plan->codec, err));
    if (!plan->dictionary)
        return LITH_OK;
    LITH_ASSERT(!writer->collecting);
    LITH_ASSERT(plan->dictionary->count > 0);
    struct lith_slice plain = {plan->dictionary->plain.data, plan->dictionary->plain.bytes};
    return lith_page_writer_dictionary(&writer->pages, plain, plan->dictionary->count, err);
}

/* The positions of a batch that go into the open page, from one on. */
struct part {
    size_t positions;
    size_t values;
    size_t rows;
    size_t bytes;
    size_t memory;
    bool full; /* the page must close behind them */
};

/* What a page may have. */
struct page_limits {
    size_t bytes;
    size_t positions;
    size_t memory;
    size_t position_memory; /* that each position takes beside its value */
};

static struct page_limits page_limits(const struct lith_chunk_writer *w)
{
    size_t share = lith_work_share(w->work);
    bool has_slices = !w->width && !w->page_has_ids;

    return (struct page_limits){
        .bytes = lith_min_size(LITH_PAGE_BYTES_TARGET, share / 4),
        .positions = lith_min_size(LITH_PAGE_POSITIONS_MAX, share / 64),
        .memory = share / 2,
        .position_memory = 2 * sizeof(uint16_t) + (has_slices ? sizeof(struct lith_slice) : 0),
    };
}

/* As many of `count` as fit `left` at `each`. */
static size_t fitting(size_t count, size_t left, size_t each)
{
    return lith_min_size(count, left / each);
}

/* A part of rows that are one value each, all of `size` bytes: by division. */
static struct part part_of_values(const struct lith_chunk_writer *w, size_t count, size_t size)
{
    struct page_limits limits = page_limits(w);
    size_t each = size + limits.position_memory;
    size_t fit = lith_min_size(count, LITH_PAGE_ROWS_MAX - w->open.row_count);

    fit = lith_min_size(fit,
                        limits.positions - lith_min_size(limits.positions, w->open.position_count));
    fit = fitting(fit, limits.bytes - lith_min_size(limits.bytes, w->page_bytes), size);
    fit = fitting(fit, limits.memory - lith_min_size(limits.memory, w->page_memory), each);
    if (fit == 0 && w->open.position_count == 0)
        fit = 1; /* a page has at least one */
    return (struct part){
        .positions = fit,
        .values = fit,
        .rows = fit,
        .bytes = fit * size,
        .memory = fit * each,
        .full = fit < count,
    };
}

static struct part part_take(const struct lith_chunk_writer *w, const struct lith_batch *batch,
                             size_t at, size_t value_at)
{
    struct page_limits limits = page_limits(w);
    size_t fixed = w->page_has_ids ? sizeof(uint32_t) : w->width;
    const uint16_t *defs = batch->def_levels, *reps = batch->rep_levels;
    struct part part = {.positions = 0};

    if (fixed && !reps && batch->values.count == batch->position_count)
        return part_of_values(w, batch->position_count - at, fixed);
    for (size_t i = at; i < batch->position_count; i++) {
        bool is_value = !defs || defs[i] == w->leaf->max_def;
        bool row_start = !reps || reps[i] == 0;
        size_t size = 0;
        if (is_value && fixed) {
            size = fixed;
        } else if (is_value) {
            LITH_ASSERT(batch->values.slices);
            size = batch->values.slices[value_at + part.values].bytes + 4;
        }
        bool full = w->page_memory + part.memory + size + limits.position_memory > limits.memory;
        if (row_start)
            full = full || w->open.row_count + part.rows >= LITH_PAGE_ROWS_MAX ||
                   w->open.position_count + part.positions >= limits.positions ||
                   w->page_bytes + part.bytes + size > limits.bytes;
        if (full && w->open.position_count + part.positions > 0) {
            part.full = true;
            break;
        }
        part.positions++;
        part.values += is_value;
        part.rows += row_start;
        part.bytes += size;
        part.memory += size + limits.position_memory;
    }
    return part;
}

static enum lith_code values_append(struct lith_chunk_writer *w, const struct lith_values *values,
                                    size_t begin, const struct part *part, struct lith_err *err)
{
    if (w->width)
        return lith_buf_append(&w->data, values->fixed + begin * w->width, part->values * w->width,
                               err);
    LITH_TRY(lith_buf_reserve(&w->data, part->bytes, err));
    LITH_TRY(lith_buf_reserve(&w->slices, part->values * sizeof(struct lith_slice), err));
    for (size_t i = begin; i < begin + part->values; i++) {
        struct lith_slice slice = {NULL, values->slices[i].bytes};
        if (slice.bytes)
            memcpy(w->data.data + w->data.bytes, values->slices[i].data, slice.bytes);
        w->data.bytes += slice.bytes;
        memcpy(w->slices.data + w->slices.bytes, &slice, sizeof(slice));
        w->slices.bytes += sizeof(slice);
    }
    return LITH_OK;
}

/* Definition levels are kept from the first null on; until then all are the highest. */
static enum lith_code defs_append(struct lith_chunk_writer *w, const uint16_t *defs,
                                  const struct part *part, struct lith_err *err)
{
    struct lith_buf *buf = &w->open.def_levels;

    if (buf->bytes == 0 && part->values == part->positions)
        return LITH_OK;
    size_t before = w->open.position_count - buf->bytes / sizeof(uint16_t);
    LITH_TRY(lith_buf_reserve(buf, (before + part->positions) * sizeof(uint16_t), err));
    uint16_t *levels = (void *)(buf->data + buf->bytes);
    for (size_t i = 0; i < before; i++)
        levels[i] = w->leaf->max_def;
    for (size_t i = 0; i < part->positions; i++)
        levels[before + i] = defs ? defs[i] : w->leaf->max_def;
    buf->bytes += (before + part->positions) * sizeof(uint16_t);
    return LITH_OK;
}

static enum lith_code levels_append(struct lith_chunk_writer *w, const struct lith_batch *batch,
                                    size_t at, const struct part *part, struct lith_err *err)
{
    size_t bytes = part->positions * sizeof(uint16_t);

    if (w->leaf->max_def)
        LITH_TRY(defs_append(w, batch->def_levels ? batch->def_levels + at : NULL, part, err));
    if (w->leaf->max_rep)
        LITH_TRY(lith_buf_append(&w->open.rep_levels, batch->rep_levels + at, bytes, err));
    w->open.position_count += part->positions;
    w->open.value_count += part->values;
    w->open.row_count += part->rows;
    w->page_bytes += part->bytes;
    w->page_memory += part->memory;
    return LITH_OK;
}

/* The values of the open page; the slices get their pointers now that data moves no more. */
static struct lith_values page_values(struct lith_chunk_writer *w)
{
    struct lith_values values = {
        .type = w->leaf->type, .width = w->width, .count = w->open.value_count};

    if (w->width) {
        values.fixed = w->data.data;
        return values;
    }
    struct lith_slice *slices = (void *)w->slices.data;
    const uint8_t *next = w->data.data;
    for (size_t i = 0; i < w->open.value_count; i++) {
        slices[i].data = next;
        next = next ? next + slices[i].bytes : next;
    }
    values.slices = slices;
    return values;
}

static enum lith_code bloom_note(struct lith_chunk_writer *w, const struct lith_values *values,
                                 struct lith_err *err)
{
    if (!w->plan.bloom || w->leaf->type == LITH_TYPE_BOOLEAN || values->count == 0)
        return LITH_OK;
    LITH_TRY(lith_chunk_writer_bloom(
        w, (uint64_t)w->num_rows * (w->leaf->max_rep ? BLOOM_LIST_VALUES : 1), err));
    lith_bloom_add(&w->bloom, values);
    return LITH_OK;
}

enum lith_code lith_chunk_writer_bloom(struct lith_chunk_writer *writer, uint64_t distinct,
                                       struct lith_err *err)
{
    uint32_t bytes = lith_bloom_bytes(distinct, LITH_BLOOM_ONE_IN);

    if (writer->bloom.bits)
        return LITH_OK;
    while (bytes > LITH_BLOOM_BYTES_MIN && bytes > lith_work_share(writer->work) / 4)
        bytes /= 2;
    return lith_bloom_init(&writer->bloom, writer->work->mem, bytes, err);
}

static enum lith_code joined_write(struct lith_chunk_writer *w, struct lith_err *err)
{
    struct lith_joined_page page = {
        .count = w->open.value_count,
        .plain_bytes = w->page_bytes,
        .values = {w->data.data, w->data.bytes},
    };

    LITH_TRY(lith_page_writer_put_joined(&w->pages, &page, err));
    lith_chunk_writer_page_clear(w);
    return LITH_OK;
}

static enum lith_code page_write(struct lith_chunk_writer *w, struct lith_err *err)
{
    if (w->page_is_joined)
        return joined_write(w, err);
    struct lith_new_page page = {
        .def_levels = w->open.def_levels.bytes ? (const void *)w->open.def_levels.data : NULL,
        .rep_levels = w->leaf->max_rep ? (const void *)w->open.rep_levels.data : NULL,
        .position_count = w->open.position_count,
        .row_count = w->open.row_count,
        .encoding = w->plan.fallback,
        .values = page_values(w),
    };

    LITH_TRY(lith_page_writer_note(&w->pages, &page.values, err));
    LITH_TRY(bloom_note(w, &page.values, err));
    LITH_TRY(lith_page_writer_encode(&w->pages, &page, err));
    lith_chunk_writer_page_clear(w);
    return lith_page_writer_put(&w->pages, err);
}

static enum lith_code page_close(struct lith_chunk_writer *w, struct lith_err *err)
{
    if (w->collecting) {
        LITH_TRY(lith_chunk_dictionary_page(w, true, err));
        lith_chunk_writer_page_clear(w);
        return lith_chunk_dictionary_look(w, err);
    }
    if (!w->page_has_ids)
        return page_write(w, err);
    const struct lith_dictionary_builder *given = w->plan.dictionary;
    LITH_ASSERT(given);
    LITH_TRY(lith_chunk_dictionary_put(w, &w->open, given, given->count, err));
    lith_chunk_writer_page_clear(w);
    return LITH_OK;
}

static enum lith_code page_flush(struct lith_chunk_writer *w, struct lith_err *err)
{
    return w->open.position_count ? page_close(w, err) : LITH_OK;
}

bool lith_chunk_writer_joins(const struct lith_chunk_writer *writer)
{
    return !writer->collecting && !writer->plan.dictionary && !writer->plan.bloom &&
           writer->plan.codec == LITH_CODEC_SNAPPY &&
           writer->plan.fallback == LITH_ENCODING_PLAIN && writer->leaf->max_rep == 0 &&
           writer->width > 0 && writer->leaf->type != LITH_TYPE_BOOLEAN;
}

enum lith_code lith_chunk_writer_join(struct lith_chunk_writer *writer,
                                      const struct lith_facts *facts, struct lith_slice elements,
                                      struct lith_err *err)
{
    size_t count = (size_t)facts->positions;
    size_t bytes = count * writer->width;
    size_t bytes_max = lith_min_size(LITH_PAGE_BYTES_TARGET, lith_work_share(writer->work) / 4);

    LITH_ASSERT(lith_chunk_writer_joins(writer));
    if (!writer->page_is_joined || writer->open.row_count + count > LITH_PAGE_ROWS_MAX ||
        writer->page_bytes + bytes > bytes_max)
        LITH_TRY(page_flush(writer, err));
    writer->page_is_joined = true;
    LITH_TRY(lith_page_writer_note_facts(&writer->pages, facts, err));
    LITH_TRY(lith_buf_append(&writer->data, elements.data, elements.bytes, err));
    writer->open.position_count += count;
    writer->open.value_count += count;
    writer->open.row_count += count;
    writer->page_bytes += bytes;
    return LITH_OK;
}

/* `count` of the values, from `begin` on. */
static struct lith_values values_part(const struct lith_values *values, size_t begin, size_t count)
{
    struct lith_values part = *values;

    part.count = count;
    if (part.ids)
        part.ids += begin;
    else if (part.slices)
        part.slices += begin;
    else if (part.fixed)
        part.fixed += begin * part.width;
    return part;
}

static size_t plain_bytes_of(const struct lith_chunk_writer *w, const struct lith_values *values)
{
    size_t bytes = values->count * 4;

    if (w->width)
        return values->count * w->width;
    LITH_ASSERT(values->ids || values->slices || values->count == 0);
    for (size_t i = 0; i < values->count; i++)
        bytes += values->ids ? values->dictionary->slices[values->ids[i]].bytes
                             : values->slices[i].bytes;
    return bytes;
}

/* Adds the part's values as ids; *ret_full when the dictionary has no room for them all, and
 * nothing was added. */
static enum lith_code ids_append(struct lith_chunk_writer *w, const struct lith_values *values,
                                 bool *ret_full, struct lith_err *err)
{
    struct lith_buf *ids = &w->open.ids;
    size_t count;

    LITH_TRY(lith_buf_reserve(ids, values->count * sizeof(uint32_t), err));
    LITH_TRY(lith_chunk_dictionary_ids(w, values, (void *)(ids->data + ids->bytes), &count, err));
    *ret_full = count < values->count;
    if (*ret_full)
        return LITH_OK;
    ids->bytes += values->count * sizeof(uint32_t);
    w->page_plain_bytes += plain_bytes_of(w, values);
    return LITH_OK;
}

/* Ends the trial of a dictionary that is full; the open page's positions are fed back first. */
static enum lith_code full_settle(struct lith_chunk_writer *w, struct lith_err *err)
{
    LITH_TRY(lith_chunk_dictionary_page(w, false, err));
    lith_chunk_writer_page_clear(w);
    return lith_chunk_dictionary_settle(w, err);
}

static enum lith_code batch_add(struct lith_chunk_writer *w, const struct lith_batch *batch,
                                struct lith_err *err)
{
    const uint32_t *mapped = w->page_has_ids && !w->collecting ? (void *)w->mapped.data : NULL;
    struct lith_values values = batch->values;
    size_t at = 0, value_at = 0;

    while (at < batch->position_count) {
        if (values.ids && !w->page_has_ids)
            LITH_TRY(lith_chunk_dictionary_expand(w, &values, err));
        struct lith_batch rest = *batch;
        rest.values = values;
        struct part part = part_take(w, &rest, at, value_at);
        struct lith_values some = values_part(&values, value_at, part.values);
        if (part.values && w->collecting) {
            bool full;
            LITH_TRY(ids_append(w, &some, &full, err));
            if (full) {
                LITH_TRY(full_settle(w, err));
                continue; /* the same positions, now as values */
            }
        } else if (part.values && mapped) {
            LITH_TRY(lith_buf_append(&w->open.ids, mapped + value_at, part.values * sizeof(*mapped),
                                     err));
        } else if (part.values) {
            LITH_TRY(values_append(w, &values, value_at, &part, err));
        }
        LITH_TRY(levels_append(w, batch, at, &part, err));
        at += part.positions;
        value_at += part.values;
        if (part.full)
            LITH_TRY(page_close(w, err));
    }
    LITH_ASSERT(value_at == batch->values.count);
    return LITH_OK;
}

/* Whether the batch goes into a page of ids of the given dictionary; the open page ends where it
 * is of the other kind. */
static enum lith_code given_choose(struct lith_chunk_writer *w, const struct lith_values *values,
                                   struct lith_err *err)
{
    bool as_ids;

    LITH_TRY(lith_chunk_dictionary_map(w, values, &as_ids, err));
    if (as_ids != w->page_has_ids)
        LITH_TRY(page_flush(w, err));
    w->page_has_ids = as_ids;
    return LITH_OK;
}

enum lith_code lith_chunk_writer_feed(struct lith_chunk_writer *writer,
                                      const struct lith_batch *batch, struct lith_err *err)
{
    LITH_ASSERT(!writer->collecting);
    return batch_add(writer, batch, err);
}

enum lith_code lith_chunk_writer_add(struct lith_chunk_writer *writer,
                                     const struct lith_batch *batch, struct lith_err *err)
{
    const struct lith_values *values = &batch->values;

    /* A dictionary whose ids are given is held in memory, so its entries are short enough. */
    for (size_t i = 0; values->slices && i < values->count; i++)
        LITH_TRY(value_check(writer, values->slices[i].bytes, err));
    if (writer->plan.dictionary)
        LITH_TRY(given_choose(writer, &batch->values, err));
    if (writer->page_is_joined)
        LITH_TRY(page_flush(writer, err));
    /* Between source pages, not batches: how many positions come at a time must not show. */
    if (writer->collecting && batch->page_start)
        LITH_TRY(lith_chunk_dictionary_first_look(writer, err));
    writer->source_pages += batch->page_start;
    return batch_add(writer, batch, err);
}

enum lith_code lith_chunk_writer_source(struct lith_chunk_writer *writer,
                                        const struct lith_facts *facts, int64_t rows,
                                        struct lith_err *err)
{
    LITH_ASSERT(!writer->collecting);
    LITH_TRY(page_flush(writer, err));
    return lith_page_writer_source(&writer->pages, facts, rows, err);
}

enum lith_code lith_chunk_writer_source_end(struct lith_chunk_writer *writer, struct lith_err *err)
{
    LITH_TRY(page_flush(writer, err));
    lith_page_writer_source_end(&writer->pages);
    return LITH_OK;
}

enum lith_code lith_chunk_writer_copy(struct lith_chunk_writer *writer,
                                      const struct lith_copied_page *page, struct lith_err *err)
{
    LITH_TRY(page_flush(writer, err));
    return lith_page_writer_copy(&writer->pages, page, err);
}

void lith_chunk_writer_bloom_or(struct lith_chunk_writer *writer, struct lith_bloom *bloom)
{
    if (!writer->plan.bloom)
        return;
    if (bloom && !writer->bloom.bits) {
        writer->bloom = *bloom;
        *bloom = (struct lith_bloom){.bits = NULL};
    } else if (!bloom || !lith_bloom_or(&writer->bloom, bloom)) {
        writer->plan.bloom = false;
    }
}

/* Puts the values of the given dictionary into the filter: more than occur, perhaps, which is
 * safe. */
static enum lith_code given_bloom(struct lith_chunk_writer *w, struct lith_err *err)
{
    const struct lith_dictionary_builder *given = w->plan.dictionary;

    if (!given || !w->plan.bloom)
        return LITH_OK;
    LITH_TRY(lith_chunk_writer_bloom(w, given->count, err));
    for (uint32_t id = 0; id < given->count; id++) {
        struct lith_slice value = lith_dictionary_builder_at(given, id);
        lith_bloom_add_hash(&w->bloom, lith_xxh64(value.data, value.bytes));
    }
    return LITH_OK;
}

static enum lith_code bloom_finish(struct lith_chunk_writer *w, struct lith_buf *to,
                                   struct lith_err *err)
{
    LITH_TRY(given_bloom(w, err));
    if (!w->bloom.bits || !w->plan.bloom)
        return LITH_OK;
    lith_bloom_fold(&w->bloom, LITH_BLOOM_ONE_IN);
    if (!lith_bloom_is_useful(&w->bloom, BLOOM_WORST_ONE_IN))
        return LITH_OK;
    return lith_bloom_write(&w->bloom, to, err);
}

enum lith_code lith_chunk_writer_end(struct lith_chunk_writer *writer,
                                     struct lith_buf *column_index, struct lith_buf *offset_index,
                                     struct lith_buf *bloom, struct lith_chunk_meta *ret_meta,
                                     struct lith_err *err)
{
    if (writer->collecting) {
        if (writer->open.position_count)
            LITH_TRY(lith_chunk_dictionary_page(writer, true, err));
        lith_chunk_writer_page_clear(writer);
        LITH_TRY(lith_chunk_dictionary_settle(writer, err));
    }
    LITH_TRY(page_flush(writer, err));
    LITH_ASSERT(writer->pages.rows == writer->num_rows);
    LITH_TRY(bloom_finish(writer, bloom, err));
    buffers_done(writer);
    return lith_page_writer_end(&writer->pages, column_index, offset_index, ret_meta, err);
}
