/*
 * Reading a source chunk's page index, and dealing it out page by page.
 *
 * All that can be checked without the pages is checked at once, so that an index that contradicts
 * itself is never used in part; the rest is checked where a page comes by.
 */
#include "parquet/carried_index.h"

#include "base/checked.h"

static bool offsets_are_sound(const struct lith_carried_index *index)
{
    const struct lith_offset_index *offsets = &index->offsets;

    for (uint32_t i = 0; i < offsets->page_count; i++) {
        int64_t row = offsets->pages[i].first_row;
        if (i == 0 ? row != 0 : row <= offsets->pages[i - 1].first_row)
            return false;
        if (row >= index->num_rows)
            return false;
    }
    return offsets->page_count > 0;
}

static enum lith_code offsets_read(struct lith_carried_index *index, struct lith_slice bytes,
                                   struct lith_arena *arena, struct lith_err *err)
{
    if (bytes.bytes == 0)
        return LITH_OK;
    enum lith_code code =
        lith_offset_index_parse(bytes.data, bytes.bytes, arena, &index->offsets, err);
    if (code == LITH_E_CORRUPT)
        return LITH_OK;
    LITH_TRY(code);
    index->has_offsets = offsets_are_sound(index);
    return LITH_OK;
}

/* The sum of counts, or -1 where one is negative or they are too many. */
static int64_t counts_sum(const int64_t *counts, uint32_t count)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        if (counts[i] < 0 || !lith_add_i64(sum, counts[i], &sum))
            return -1;
    return sum;
}

/* A pair of a page agrees with the chunk's: values of fixed width are not truncated. */
static bool pair_is_inside(const struct lith_facts *page, const struct lith_facts *chunk,
                           enum lith_order order)
{
    if (!chunk->has_bounds || !chunk->is_fixed)
        return true;
    return lith_order_compare(order, page->min, chunk->min) >= 0 &&
           lith_order_compare(order, page->max, chunk->max) <= 0;
}

/* What the column index says of a page, but for its histograms. */
static struct lith_claims entry_claims(const struct lith_column_index *columns, uint32_t page)
{
    struct lith_statistics statistics = {
        .has_null_count = columns->null_counts != NULL,
        .null_count = columns->null_counts ? columns->null_counts[page] : 0,
        .has_nan_count = columns->nan_counts != NULL,
        .nan_count = columns->nan_counts ? columns->nan_counts[page] : 0,
    };

    if (!columns->null_pages[page]) {
        statistics.min_value = columns->min_values[page];
        statistics.max_value = columns->max_values[page];
    }
    return (struct lith_claims){.statistics = statistics};
}

/* The rules for an entry: a null page has no bounds and says that all is null, any other has a pair
 * that can be bounds. `positions` is what the page has, or at most has. */
static bool entry_judge(const struct lith_carried_index *index, uint32_t page,
                        const struct lith_claims *claims, int64_t positions,
                        struct lith_facts *ret_facts)
{
    const struct lith_column_index *columns = &index->columns;

    if (!lith_facts_of_claims(claims, index->leaf, index->trust, positions, ret_facts))
        return false;
    if (!columns->null_pages[page])
        return ret_facts->has_bounds;
    return columns->null_counts && columns->min_values[page].bytes == 0 &&
           columns->max_values[page].bytes == 0;
}

/* The null counts are the chunk's; of lists they may lack empty ones. */
static bool nulls_are_sound(const struct lith_carried_index *index, const struct lith_facts *chunk)
{
    const struct lith_column_index *columns = &index->columns;

    if (!columns->null_counts)
        return true;
    int64_t nulls = counts_sum(columns->null_counts, columns->page_count);
    if (nulls < 0 || !chunk->has_null_count || nulls == chunk->null_count)
        return nulls >= 0;
    return index->leaf->max_rep && nulls < chunk->null_count;
}

static bool columns_are_sound(const struct lith_carried_index *index,
                              const struct lith_facts *chunk)
{
    const struct lith_column_index *columns = &index->columns;
    enum lith_order order = lith_order_of(index->leaf);

    if (columns->page_count != index->offsets.page_count || !nulls_are_sound(index, chunk))
        return false;
    for (uint32_t i = 0; i < columns->page_count; i++) {
        struct lith_claims claims = entry_claims(columns, i);
        struct lith_facts facts;
        /* How many positions the page has is not known here. */
        if (!entry_judge(index, i, &claims, INT64_MAX, &facts))
            return false;
        if (facts.has_bounds && !pair_is_inside(&facts, chunk, order))
            return false;
    }
    return true;
}

/* Lists that cannot be of these pages are left out. */
static void histograms_fit(struct lith_carried_index *index)
{
    struct lith_column_index *columns = &index->columns;
    size_t rep = (size_t)columns->page_count * (index->leaf->max_rep + 1u);
    size_t def = (size_t)columns->page_count * (index->leaf->max_def + 1u);

    if (columns->rep_histogram_count != rep)
        columns->rep_histograms = NULL;
    if (columns->def_histogram_count != def)
        columns->def_histograms = NULL;
}

static enum lith_code columns_read(struct lith_carried_index *index, struct lith_slice bytes,
                                   const struct lith_facts *chunk, struct lith_arena *arena,
                                   struct lith_err *err)
{
    if (bytes.bytes == 0)
        return LITH_OK;
    enum lith_code code =
        lith_column_index_parse(bytes.data, bytes.bytes, arena, &index->columns, err);
    if (code == LITH_E_CORRUPT)
        return LITH_OK;
    LITH_TRY(code);
    histograms_fit(index);
    index->has_columns = columns_are_sound(index, chunk);
    return LITH_OK;
}

enum lith_code lith_carried_index_read(const struct lith_carried_claims *claims,
                                       struct lith_arena *arena,
                                       struct lith_carried_index *ret_index, struct lith_err *err)
{
    struct lith_carried_index index = {
        .leaf = claims->leaf,
        .trust = claims->trust,
        .positions = claims->chunk->positions,
        .num_rows = claims->num_rows,
    };
    void *room;

    LITH_TRY(lith_arena_array(arena, index.leaf->max_def + 1u, sizeof(int64_t), &room, err));
    index.room = room;
    enum lith_code code = offsets_read(&index, claims->offset_index, arena, err);
    if (code == LITH_OK && index.has_offsets && index.trust.bounds)
        code = columns_read(&index, claims->column_index, claims->chunk, arena, err);
    if (code != LITH_E_LIMIT)
        LITH_TRY(code);
    *ret_index = index;
    return LITH_OK;
}

/* The rows that the offset index gives to a page. */
static int64_t entry_rows(const struct lith_carried_index *index, uint32_t page)
{
    const struct lith_offset_index *offsets = &index->offsets;
    bool is_last = page + 1 == offsets->page_count;
    int64_t end = is_last ? index->num_rows : offsets->pages[page + 1].first_row;

    return end - offsets->pages[page].first_row;
}

/* `index` has counted the page's positions already, not its rows. */
static bool offsets_agree(const struct lith_carried_index *index, uint32_t entry,
                          const struct lith_walked_page *page)
{
    const struct lith_offset_index *offsets = &index->offsets;

    if (entry >= offsets->page_count)
        return false;
    const struct lith_page_location *at = &offsets->pages[entry];
    bool is_last = entry + 1 == offsets->page_count;
    int64_t rows = entry_rows(index, entry);
    const int64_t *rep = index->has_columns ? index->columns.rep_histograms : NULL;
    if ((uint64_t)at->offset != page->offset || (uint32_t)at->bytes != page->bytes)
        return false;
    if (is_last != (index->positions_done == index->positions))
        return false;
    /* Rows begin at repetition level 0. */
    if (rep && rep[entry * (index->leaf->max_rep + 1u)] != rows)
        return false;
    /* From the first page on, which begins at row 0, these sum up. */
    if (index->leaf->max_rep == 0)
        return rows == page->num_values;
    return rows <= page->num_values && (page->rows < 0 || page->rows == rows);
}

/* The facts that the column index has of the page; false where the two contradict each other. */
static bool columns_agree(const struct lith_carried_index *index, uint32_t entry,
                          const struct lith_walked_page *page, struct lith_facts *facts)
{
    const struct lith_column_index *columns = &index->columns;
    struct lith_claims claims = entry_claims(columns, entry);

    if (columns->rep_histograms)
        claims.rep_histogram = columns->rep_histograms + entry * (index->leaf->max_rep + 1u);
    if (columns->def_histograms)
        claims.def_histogram = columns->def_histograms + entry * (index->leaf->max_def + 1u);
    return entry_judge(index, entry, &claims, page->num_values, facts) &&
           facts->is_all_null == columns->null_pages[entry];
}

/* The rows that a page itself tells, as far as they are possible; else -1. */
static int64_t page_rows(const struct lith_carried_index *index,
                         const struct lith_walked_page *page)
{
    int64_t left = index->rows_done < 0 ? index->num_rows : index->num_rows - index->rows_done;
    bool is_last = index->positions_done == index->positions;

    if (index->leaf->max_rep == 0)
        return page->num_values;
    if (page->rows <= 0 || page->rows > page->num_values || page->rows > left ||
        (is_last && index->rows_done >= 0 && page->rows != left))
        return -1;
    return page->rows;
}

void lith_carried_index_page(struct lith_carried_index *index, const struct lith_walked_page *page,
                             struct lith_facts *ret_facts, int64_t *ret_rows)
{
    struct lith_facts facts = lith_facts_unknown(index->leaf, page->num_values);
    uint32_t entry = index->next_page++;

    index->positions_done += page->num_values;
    index->has_offsets = index->has_offsets && offsets_agree(index, entry, page);
    index->has_columns = index->has_columns && index->has_offsets;
    if (index->has_columns && !columns_agree(index, entry, page, &facts)) {
        index->has_columns = false;
        facts = lith_facts_unknown(index->leaf, page->num_values);
    }
    int64_t rows = index->has_offsets ? entry_rows(index, entry) : page_rows(index, page);
    index->rows_done = index->rows_done < 0 || rows < 0 ? -1 : index->rows_done + rows;
    if (index->has_offsets && index->offsets.unencoded_bytes)
        lith_facts_take_unencoded(&facts, index->leaf, index->offsets.unencoded_bytes[entry]);
    lith_facts_synthesise(&facts, index->leaf, index->room);
    *ret_facts = facts;
    *ret_rows = rows;
}
