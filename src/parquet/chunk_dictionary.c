/*
 * The choice of a dictionary: kept only if dictionary and indexes take less than plain values.
 *
 * It is looked at early, at the end, and when the dictionary is full. Pages wait as plain arrays,
 * not as encoded pages: so all of them get the same index width, and a dictionary that is given
 * up needs no decoder.
 */
#include "parquet/chunk_dictionary.h"

#include "base/checked.h"
#include "base/hash.h"
#include "parquet/bitpack.h"
#include "parquet/rle.h"

/* A first look is taken at so many values, of so many source pages: values of one page alone do not
 * show that the next one repeats them. */
#define LOOK_VALUES 2048u
#define LOOK_SOURCE_PAGES 4u

/* What stands before the levels and ids of a page in the spool. */
struct record_head {
    uint64_t position_count;
    uint64_t value_count;
    uint64_t row_count;
};

void lith_chunk_dictionary_begin(struct lith_chunk_writer *writer)
{
    lith_spool_clear(&writer->spool);
    lith_dictionary_builder_done(&writer->dictionary);
    lith_dictionary_builder_init(&writer->dictionary, writer->width, writer->work);
    writer->spooled_pages = 0;
    writer->spooled_values = 0;
    writer->spooled_plain_bytes = 0;
    writer->spooled_entries = 0;
    writer->spooled_entry_bytes = 0;
    writer->spooled_rows = 0;
    writer->source_pages = 0;
    writer->looked = false;
    writer->collecting = writer->plan.try_dictionary && writer->leaf->type != LITH_TYPE_BOOLEAN;
}

enum lith_code lith_chunk_dictionary_page(struct lith_chunk_writer *writer, bool whole,
                                          struct lith_err *err)
{
    const struct lith_page_levels *page = &writer->open;
    struct lith_sink *sink = &writer->spool.sink;
    struct record_head head = {page->position_count, page->value_count, page->row_count};

    if (page->position_count == 0)
        return LITH_OK;
    LITH_TRY(lith_sink_write(sink, &head, sizeof(head), err));
    LITH_TRY(lith_sink_write(sink, page->def_levels.data, page->def_levels.bytes, err));
    LITH_TRY(lith_sink_write(sink, page->rep_levels.data, page->rep_levels.bytes, err));
    LITH_TRY(lith_sink_write(sink, page->ids.data, page->ids.bytes, err));
    if (whole) {
        writer->spooled_pages++;
        writer->spooled_values += page->value_count;
        writer->spooled_rows += page->row_count;
        writer->spooled_plain_bytes += writer->page_plain_bytes;
        writer->spooled_entries = writer->dictionary.count;
        writer->spooled_entry_bytes = writer->dictionary.plain.bytes;
    }
    return LITH_OK;
}

static enum lith_code array_load(struct lith_spool *spool, uint64_t *offset, size_t bytes,
                                 struct lith_buf *to, struct lith_err *err)
{
    lith_buf_clear(to);
    LITH_TRY(lith_buf_reserve(to, bytes, err));
    LITH_TRY(lith_source_read(&spool->source, *offset, to->data, bytes, err));
    to->bytes = bytes;
    *offset += bytes;
    return LITH_OK;
}

/* Reads the page at *offset of the spool into `loaded`. */
static enum lith_code page_load(struct lith_chunk_writer *w, uint64_t *offset, struct lith_err *err)
{
    struct lith_page_levels *page = &w->loaded;
    struct record_head head;

    LITH_TRY(lith_source_read(&w->spool.source, *offset, &head, sizeof(head), err));
    *offset += sizeof(head);
    page->position_count = (size_t)head.position_count;
    page->value_count = (size_t)head.value_count;
    page->row_count = (size_t)head.row_count;
    size_t level_bytes = page->position_count * sizeof(uint16_t);
    bool has_nulls = page->value_count < page->position_count;
    LITH_TRY(array_load(&w->spool, offset, has_nulls ? level_bytes : 0, &page->def_levels, err));
    LITH_TRY(
        array_load(&w->spool, offset, w->leaf->max_rep ? level_bytes : 0, &page->rep_levels, err));
    return array_load(&w->spool, offset, page->value_count * sizeof(uint32_t), &page->ids, err);
}

static const uint16_t *levels_at(const struct lith_buf *levels, size_t at)
{
    return levels->bytes ? (const uint16_t *)(const void *)levels->data + at : NULL;
}

static const uint32_t *ids_at(const struct lith_page_levels *page, size_t at)
{
    return (const uint32_t *)(const void *)page->ids.data + at;
}

/* Values that are gathered from the dictionary at a time. */
static size_t block_max(const struct lith_chunk_writer *w)
{
    size_t fit = w->width ? LITH_PAGE_BYTES_TARGET / w->width : LITH_BATCH_POSITIONS;

    return fit == 0 ? 1 : lith_min_size(fit, LITH_BATCH_POSITIONS);
}

LITH_TEMPLATE void fixed_gather(const uint8_t *from, const uint32_t *ids, size_t count,
                                size_t width, uint8_t *to)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, from + ids[i] * width, width);
}

/* Room for `count` values in `gathered`. */
static enum lith_code gather_room(struct lith_chunk_writer *w, size_t count, struct lith_err *err)
{
    lith_buf_clear(&w->gathered);
    return lith_buf_reserve(&w->gathered, count * (w->width ? w->width : sizeof(struct lith_slice)),
                            err);
}

/* Entries of fixed width, side by side in `gathered`. */
static void fixed_take(struct lith_chunk_writer *w, const uint8_t *entries, const uint32_t *ids,
                       size_t count, struct lith_values *values)
{
    if (w->width == 8)
        fixed_gather(entries, ids, count, 8, w->gathered.data);
    else if (w->width == 4)
        fixed_gather(entries, ids, count, 4, w->gathered.data);
    else
        fixed_gather(entries, ids, count, w->width, w->gathered.data);
    values->fixed = w->gathered.data;
}

/* The values of `count` (at most block_max) ids. */
static enum lith_code values_gather(struct lith_chunk_writer *w,
                                    const struct lith_dictionary_builder *dictionary,
                                    const uint32_t *ids, size_t count,
                                    struct lith_values *ret_values, struct lith_err *err)
{
    struct lith_values values = {.type = w->leaf->type, .width = w->width, .count = count};

    LITH_TRY(gather_room(w, count, err));
    if (w->width) {
        fixed_take(w, dictionary->plain.data, ids, count, &values);
    } else {
        struct lith_slice *slices = (void *)w->gathered.data;
        for (size_t i = 0; i < count; i++)
            slices[i] = lith_dictionary_builder_at(dictionary, ids[i]);
        values.slices = slices;
    }
    *ret_values = values;
    return LITH_OK;
}

enum lith_code lith_chunk_dictionary_expand(struct lith_chunk_writer *writer,
                                            struct lith_values *values, struct lith_err *err)
{
    const struct lith_dictionary *dictionary = values->dictionary;
    struct lith_values expanded = {
        .type = values->type, .width = values->width, .count = values->count};

    LITH_TRY(gather_room(writer, values->count, err));
    if (writer->width) {
        fixed_take(writer, dictionary->fixed, values->ids, values->count, &expanded);
    } else {
        struct lith_slice *slices = (void *)writer->gathered.data;
        for (size_t i = 0; i < values->count; i++)
            slices[i] = dictionary->slices[values->ids[i]];
        expanded.slices = slices;
    }
    *values = expanded;
    return LITH_OK;
}

enum lith_code lith_chunk_dictionary_ids(struct lith_chunk_writer *writer,
                                         const struct lith_values *values, uint32_t *ids,
                                         size_t *ret_count, struct lith_err *err)
{
    struct lith_dictionary *source = values->dictionary;
    size_t i;

    if (!values->ids)
        return lith_dictionary_builder_add(&writer->dictionary, values, ids, ret_count, err);
    LITH_TRY(lith_dictionary_map_make(source, err));
    for (i = 0; i < values->count; i++) {
        uint32_t *mapped = &source->map[values->ids[i]];
        if (*mapped == LITH_NO_ID)
            LITH_TRY(lith_dictionary_builder_add_one(
                &writer->dictionary, lith_dictionary_at(source, values->ids[i]), mapped, err));
        if (*mapped == LITH_NO_ID)
            break;
        ids[i] = *mapped;
    }
    *ret_count = i;
    return LITH_OK;
}

enum lith_code lith_chunk_dictionary_map(struct lith_chunk_writer *writer,
                                         const struct lith_values *values, bool *ret_all,
                                         struct lith_err *err)
{
    const struct lith_dictionary_builder *given = writer->plan.dictionary;
    struct lith_dictionary *source = values->dictionary;

    *ret_all = false;
    lith_buf_clear(&writer->mapped);
    LITH_TRY(lith_buf_reserve(&writer->mapped, values->count * sizeof(uint32_t), err));
    if (values->ids)
        LITH_TRY(lith_dictionary_map_make(source, err));
    uint32_t *ids = (void *)writer->mapped.data;
    for (size_t i = 0; i < values->count; i++) {
        uint32_t *mapped = values->ids ? &source->map[values->ids[i]] : &ids[i];
        if (!values->ids)
            *mapped = lith_dictionary_builder_find(given, lith_values_at(values, i));
        else if (*mapped == LITH_NO_ID)
            *mapped =
                lith_dictionary_builder_find(given, lith_dictionary_at(source, values->ids[i]));
        if (*mapped == LITH_NO_ID)
            return LITH_OK;
        ids[i] = *mapped;
    }
    *ret_all = true;
    return LITH_OK;
}

/* Notes byte arrays by their entries: each one that occurs once for its bounds. */
static enum lith_code entries_note(struct lith_chunk_writer *w, const uint32_t *ids, size_t count,
                                   const struct lith_dictionary_builder *dictionary,
                                   struct lith_err *err)
{
    struct lith_values distinct = {.type = w->leaf->type};
    int64_t bytes = 0;

    LITH_TRY(gather_room(w, lith_min_size(count, LITH_BATCH_POSITIONS), err));
    struct lith_slice *slices = (void *)w->gathered.data;
    distinct.slices = slices;
    for (size_t i = 0; i < count; i++) {
        struct lith_slice entry = lith_dictionary_builder_at(dictionary, ids[i]);
        uint8_t bit = (uint8_t)(1u << (ids[i] % 8));
        bytes += (int64_t)entry.bytes;
        if (w->used.data[ids[i] / 8] & bit)
            continue;
        w->used.data[ids[i] / 8] |= bit;
        slices[distinct.count++] = entry;
        if (distinct.count == LITH_BATCH_POSITIONS) {
            LITH_TRY(lith_page_writer_note_distinct(&w->pages, &distinct, err));
            distinct.count = 0;
        }
    }
    LITH_TRY(lith_page_writer_note_distinct(&w->pages, &distinct, err));
    lith_page_writer_note_counts(&w->pages, (int64_t)count, bytes);
    return LITH_OK;
}

static enum lith_code ids_note(struct lith_chunk_writer *w, const struct lith_page_levels *page,
                               const struct lith_dictionary_builder *dictionary,
                               struct lith_err *err)
{
    size_t bitmap_bytes = (size_t)dictionary->count / 8 + 1;

    if (w->width == 0) {
        lith_buf_clear(&w->used);
        LITH_TRY(lith_buf_reserve(&w->used, bitmap_bytes, err));
        memset(w->used.data, 0, bitmap_bytes);
        return entries_note(w, ids_at(page, 0), page->value_count, dictionary, err);
    }
    for (size_t at = 0; at < page->value_count;) {
        struct lith_values values;
        size_t count = lith_min_size(page->value_count - at, block_max(w));
        LITH_TRY(values_gather(w, dictionary, ids_at(page, at), count, &values, err));
        LITH_TRY(lith_page_writer_note(&w->pages, &values, err));
        at += count;
    }
    return LITH_OK;
}

static bool has_id_pages(const struct lith_page_writer *pages)
{
    return pages->data_pages[0][LITH_ENCODING_RLE_DICTIONARY] ||
           pages->data_pages[1][LITH_ENCODING_RLE_DICTIONARY];
}

enum lith_code lith_chunk_dictionary_put(struct lith_chunk_writer *writer,
                                         const struct lith_page_levels *page,
                                         const struct lith_dictionary_builder *dictionary,
                                         uint32_t count, struct lith_err *err)
{
    struct lith_new_page new_page = {
        .def_levels = levels_at(&page->def_levels, 0),
        .rep_levels = levels_at(&page->rep_levels, 0),
        .position_count = page->position_count,
        .row_count = page->row_count,
        .encoding = LITH_ENCODING_RLE_DICTIONARY,
        .ids = ids_at(page, 0),
        .id_count = page->value_count,
        .dictionary_count = count,
        /* A given dictionary is in front already: without a page of ids it would have no use. */
        .keeps_encoding = dictionary == writer->plan.dictionary && !has_id_pages(&writer->pages),
    };

    LITH_TRY(ids_note(writer, page, dictionary, err));
    LITH_TRY(lith_page_writer_encode(&writer->pages, &new_page, err));
    return lith_page_writer_put(&writer->pages, err);
}

static bool dictionary_pays(const struct lith_chunk_writer *w)
{
    if (w->spooled_entries == 0)
        return false;
    /* Runs take less than this; it is what ids take that change from value to value. */
    uint64_t index_bits = w->spooled_values * lith_bit_width(w->spooled_entries - 1);
    return w->spooled_entry_bytes + (index_bits + 7) / 8 < w->spooled_plain_bytes;
}

/* Feeds the loaded page back as values. */
static enum lith_code loaded_feed(struct lith_chunk_writer *w, struct lith_err *err)
{
    const struct lith_page_levels *page = &w->loaded;
    size_t value_at = 0;

    for (size_t at = 0; at < page->position_count;) {
        size_t count = lith_min_size(page->position_count - at, block_max(w));
        struct lith_batch batch = {
            .position_count = count,
            .def_levels = levels_at(&page->def_levels, at),
            .rep_levels = levels_at(&page->rep_levels, at),
        };
        size_t value_count = count;
        for (size_t i = 0; batch.def_levels && i < count; i++)
            value_count -= batch.def_levels[i] != w->leaf->max_def;
        LITH_TRY(values_gather(w, &w->dictionary, ids_at(page, value_at), value_count,
                               &batch.values, err));
        LITH_TRY(lith_chunk_writer_feed(w, &batch, err));
        at += count;
        value_at += value_count;
    }
    return LITH_OK;
}

/* Adds the entries that are written; `whole_chunk`: there is nothing else to add. */
static enum lith_code dictionary_bloom(struct lith_chunk_writer *w, bool whole_chunk,
                                       struct lith_err *err)
{
    uint64_t distinct = whole_chunk ? w->spooled_entries : (uint64_t)w->num_rows;

    if (!w->plan.bloom)
        return LITH_OK;
    LITH_TRY(lith_chunk_writer_bloom(w, distinct, err));
    for (uint32_t id = 0; id < w->spooled_entries; id++) {
        struct lith_slice value = lith_dictionary_builder_at(&w->dictionary, id);
        lith_bloom_add_hash(&w->bloom, lith_xxh64(value.data, value.bytes));
    }
    return LITH_OK;
}

static enum lith_code pages_settle(struct lith_chunk_writer *w, bool keep, struct lith_err *err)
{
    uint64_t offset = 0;

    if (keep) {
        /* Ids count up, so entries that only a page fed back uses stand at the end: left out. */
        struct lith_slice plain = {w->dictionary.plain.data, w->spooled_entry_bytes};
        LITH_TRY(lith_page_writer_dictionary(&w->pages, plain, w->spooled_entries, err));
        for (uint32_t i = 0; i < w->spooled_pages; i++) {
            LITH_TRY(page_load(w, &offset, err));
            LITH_TRY(
                lith_chunk_dictionary_put(w, &w->loaded, &w->dictionary, w->spooled_entries, err));
        }
        bool whole_chunk = w->pages.rows == w->num_rows && offset == w->spool.source.size;
        LITH_TRY(dictionary_bloom(w, whole_chunk, err));
    }
    while (offset < w->spool.source.size) {
        LITH_TRY(page_load(w, &offset, err));
        LITH_TRY(loaded_feed(w, err));
    }
    return LITH_OK;
}

enum lith_code lith_chunk_dictionary_settle(struct lith_chunk_writer *writer, struct lith_err *err)
{
    bool keep = dictionary_pays(writer);

    writer->collecting = false;
    writer->page_has_ids = false;
    LITH_TRY(pages_settle(writer, keep, err));
    lith_spool_clear(&writer->spool);
    lith_dictionary_builder_done(&writer->dictionary);
    return LITH_OK;
}

/*
 * Whether the dictionary will not pay, as far as the values so far tell. Of n values drawn from D
 * that are equally likely, about n * n / (2 * D) repeat an earlier one, while n is small; N values
 * then have at least D * N / (D + N) distinct ones. Both err on the side of trying on.
 */
static bool is_hopeless(const struct lith_chunk_writer *w)
{
    double n = (double)(w->spooled_values + w->open.value_count);
    double repeated = n - (double)w->dictionary.count;
    double rows = (double)(w->spooled_rows + w->open.row_count);
    double plain_bytes = (double)(w->spooled_plain_bytes + w->page_plain_bytes);

    if (n == 0 || rows == 0)
        return false;
    double domain = n * n / (2 * (repeated > 0 ? repeated : 0.5));
    double all = n * ((double)w->num_rows / rows);
    double entries = domain * all / (domain + all);
    double entry_bytes = (double)w->dictionary.plain.bytes / (double)w->dictionary.count;
    double id_bits = lith_bit_width((uint32_t)(entries < INT32_MAX ? entries : INT32_MAX));
    return entries * entry_bytes + all * id_bits / 8 >= all * (plain_bytes / n);
}

enum lith_code lith_chunk_dictionary_look(struct lith_chunk_writer *writer, struct lith_err *err)
{
    if (!is_hopeless(writer))
        return LITH_OK;
    return lith_chunk_dictionary_settle(writer, err);
}

enum lith_code lith_chunk_dictionary_first_look(struct lith_chunk_writer *writer,
                                                struct lith_err *err)
{
    if (writer->looked || writer->source_pages < LOOK_SOURCE_PAGES ||
        writer->spooled_values + writer->open.value_count < LOOK_VALUES)
        return LITH_OK;
    writer->looked = true;
    if (!is_hopeless(writer))
        return LITH_OK;
    LITH_TRY(lith_chunk_dictionary_page(writer, false, err));
    lith_chunk_writer_page_clear(writer);
    return lith_chunk_dictionary_settle(writer, err);
}
