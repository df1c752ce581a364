/*
 * One column page by page, or two in step.
 */
#include "parquet/expected_scan.h"

#include "base/checked.h"
#include "base/read_ahead.h"
#include "parquet/dictionary.h"
#include "parquet/page_source.h"

/* A column of the row group, and the batch of it at hand. */
struct column {
    const struct lith_expected *expected;
    struct lith_read_ahead ahead;
    struct lith_chunk_reader *reader;
    struct lith_batch batch;
    size_t position; /* of the batch: the next one */
    size_t value;    /* that it would have */
};

static enum lith_code column_open(struct column *column, const struct lith_expected_scan *scan,
                                  uint32_t leaf, bool want_ids, struct lith_err *err)
{
    struct lith_chunk_ref ref = lith_chunk_ref_of(scan->footer, scan->row_group, leaf);

    lith_read_ahead_init(&column->ahead, scan->work->mem, LITH_READ_AHEAD_BYTES);
    lith_read_ahead_open(&column->ahead, scan->source, (uint64_t)lith_chunk_start(ref.meta),
                         lith_chunk_ref_end(&ref));
    LITH_TRY(lith_chunk_reader_new(scan->codecs, scan->work, want_ids, &column->reader, err));
    return lith_chunk_reader_begin(column->reader, &column->ahead.base, &ref, err);
}

static void column_done(struct column *column)
{
    lith_chunk_reader_close(column->reader);
    lith_read_ahead_done(&column->ahead);
}

static enum lith_code misfit_take(struct lith_slice value, bool is_of_second,
                                  struct lith_arena *arena, struct lith_misfit *misfit,
                                  struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(arena, value.data, value.bytes, &copy, err));
    *misfit = (struct lith_misfit){
        .found = true, .is_of_second = is_of_second, .value = {copy, value.bytes}};
    return LITH_OK;
}

/* One column: which of its values is it that counts? */
struct single {
    const struct lith_expected_scan *scan;
    const struct lith_expected *expected;
    struct column column;
    bool is_second;
    bool has_nulls;     /* they may be there, and would not fit */
    bool entries_known; /* `entries_fit` is */
    bool entries_fit;   /* all of the dictionary */
};

static bool value_fits(const struct single *s, struct lith_slice value)
{
    enum lith_fit fit = lith_expected_fit(s->expected, value);

    return fit == LITH_FIT_YES || (fit == LITH_FIT_NONE && s->scan->columns.none_fits);
}

static bool entries_fit(struct single *s, const struct lith_dictionary *dictionary)
{
    if (s->entries_known)
        return s->entries_fit;
    s->entries_known = true;
    s->entries_fit = lith_dictionary_is_held(dictionary);
    for (uint32_t i = 0; s->entries_fit && i < dictionary->count; i++)
        s->entries_fit = value_fits(s, lith_dictionary_at(dictionary, i));
    return s->entries_fit;
}

static enum lith_code batch_check(struct single *s, const struct lith_batch *batch,
                                  struct lith_arena *arena, struct lith_misfit *misfit,
                                  struct lith_err *err)
{
    const struct lith_values *values = &batch->values;

    if (values->count < batch->position_count && !s->scan->columns.none_fits) {
        *misfit =
            (struct lith_misfit){.found = true, .is_null = true, .is_of_second = s->is_second};
        return LITH_OK;
    }
    if (values->ids && entries_fit(s, values->dictionary))
        return LITH_OK;
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = values->ids
                                      ? lith_dictionary_at(values->dictionary, values->ids[i])
                                      : lith_values_at(values, i);
        if (!value_fits(s, value))
            return misfit_take(value, s->is_second, arena, misfit, err);
    }
    return LITH_OK;
}

/* True of a page that needs no decoding: whatever ids it has, they fit. */
static bool page_fits(struct single *s, const struct lith_page *page)
{
    const struct lith_dictionary *dictionary = lith_chunk_reader_dictionary(s->column.reader);
    bool is_ids = page->header.encoding == LITH_ENCODING_PLAIN_DICTIONARY ||
                  page->header.encoding == LITH_ENCODING_RLE_DICTIONARY;

    return is_ids && dictionary && !s->has_nulls && entries_fit(s, dictionary);
}

static enum lith_code pages_check(struct single *s, struct lith_arena *arena,
                                  struct lith_misfit *misfit, struct lith_err *err)
{
    struct lith_chunk_reader *reader = s->column.reader;
    const struct lith_page *page;
    struct lith_batch batch;

    for (;;) {
        LITH_TRY(lith_work_check(s->scan->work, err));
        LITH_TRY(lith_chunk_reader_page(reader, &page, err));
        if (!page)
            return LITH_OK;
        if (page_fits(s, page))
            continue;
        do {
            LITH_TRY(lith_chunk_reader_page_batch(reader, &batch, err));
            LITH_TRY(batch_check(s, &batch, arena, misfit, err));
            if (misfit->found)
                return LITH_OK;
        } while (batch.position_count > 0);
    }
}

static enum lith_code single_scan(const struct lith_expected_scan *scan, struct lith_arena *arena,
                                  struct lith_misfit *misfit, struct lith_err *err)
{
    bool is_second = !scan->columns.first;
    uint32_t leaf = is_second ? scan->second : scan->first;
    struct single s = {
        .scan = scan,
        .expected = is_second ? scan->columns.second : scan->columns.first,
        .is_second = is_second,
        .has_nulls = (is_second || scan->has_nulls) && !scan->columns.none_fits,
    };

    enum lith_code code = column_open(&s.column, scan, leaf, true, err);
    if (code == LITH_OK)
        code = pages_check(&s, arena, misfit, err);
    column_done(&s.column);
    return code;
}

/* The batch at hand, or the next one; *ret_count: positions that are left of it, 0 at the end. */
static enum lith_code column_fill(struct column *column, size_t *ret_count, struct lith_err *err)
{
    if (column->position == column->batch.position_count) {
        LITH_TRY(lith_chunk_reader_next(column->reader, &column->batch, err));
        column->position = 0;
        column->value = 0;
    }
    *ret_count = column->batch.position_count - column->position;
    return LITH_OK;
}

/* The value of the next position, and whether it fits; `value->data` is NULL for a null. */
static enum lith_fit column_next(struct column *column, struct lith_slice *value)
{
    size_t at = column->position++;
    const struct lith_batch *batch = &column->batch;

    *value = (struct lith_slice){0};
    if (batch->def_levels && batch->def_levels[at] == 0)
        return LITH_FIT_NONE;
    *value = lith_values_at(&batch->values, column->value++);
    return lith_expected_fit(column->expected, *value);
}

/* One row: the second column counts where the first says nothing. */
static enum lith_code row_check(struct column pair[2], bool none_fits, struct lith_arena *arena,
                                struct lith_misfit *misfit, struct lith_err *err)
{
    struct lith_slice values[2];
    enum lith_fit first = column_next(&pair[0], &values[0]);
    enum lith_fit second = column_next(&pair[1], &values[1]);
    bool is_second = first == LITH_FIT_NONE && second == LITH_FIT_NO;
    bool has_none = first == LITH_FIT_NONE && second == LITH_FIT_NONE && !none_fits;

    if (first == LITH_FIT_NO || is_second)
        return misfit_take(values[is_second], is_second, arena, misfit, err);
    if (!has_none)
        return LITH_OK;
    if (values[0].data)
        return misfit_take(values[0], false, arena, misfit, err);
    *misfit = (struct lith_misfit){.found = true, .is_null = true};
    return LITH_OK;
}

static enum lith_code rows_check(struct column pair[2], const struct lith_expected_scan *scan,
                                 struct lith_arena *arena, struct lith_misfit *misfit,
                                 struct lith_err *err)
{
    size_t counts[2];

    for (;;) {
        LITH_TRY(lith_work_check(scan->work, err));
        LITH_TRY(column_fill(&pair[0], &counts[0], err));
        LITH_TRY(column_fill(&pair[1], &counts[1], err));
        size_t count = lith_min_size(counts[0], counts[1]);
        if (count == 0) /* both have as many rows as the row group, or that was CORRUPT */
            return LITH_OK;
        for (size_t i = 0; i < count && !misfit->found; i++)
            LITH_TRY(row_check(pair, scan->columns.none_fits, arena, misfit, err));
        if (misfit->found)
            return LITH_OK;
    }
}

static enum lith_code pair_scan(const struct lith_expected_scan *scan, struct lith_arena *arena,
                                struct lith_misfit *misfit, struct lith_err *err)
{
    struct column pair[2] = {{.expected = scan->columns.first}, {.expected = scan->columns.second}};

    enum lith_code code = column_open(&pair[0], scan, scan->first, false, err);
    if (code == LITH_OK)
        code = column_open(&pair[1], scan, scan->second, false, err);
    if (code == LITH_OK)
        code = rows_check(pair, scan, arena, misfit, err);
    column_done(&pair[0]);
    column_done(&pair[1]);
    return code;
}

enum lith_code lith_expected_scan(const struct lith_expected_scan *scan, struct lith_arena *arena,
                                  struct lith_misfit *ret_misfit, struct lith_err *err)
{
    *ret_misfit = (struct lith_misfit){0};
    return scan->columns.first && scan->columns.second ? pair_scan(scan, arena, ret_misfit, err)
                                                       : single_scan(scan, arena, ret_misfit, err);
}
