/*
 * Rows that go, asked for unit by unit.
 */
#include "merge/erasure.h"

#include "base/array.h"
#include "sort/scratch_damage.h"

/* What the recipe may keep in memory: a part of a share. */
#define RECIPE_SHARES 4u

void lith_erasure_init(struct lith_erasure *erasure, const struct lith_erase *erase,
                       struct lith_codec_context *codecs, const struct lith_work *work)
{
    *erasure = (struct lith_erasure){.codecs = codecs, .work = work};
    if (erase->columns)
        erasure->erase = erase;
    lith_arena_init(&erasure->arena, work->mem);
    lith_recipe_init(&erasure->recipe, work, lith_work_share(work) / RECIPE_SHARES);
}

void lith_erasure_done(struct lith_erasure *erasure)
{
    if (!erasure->work)
        return;
    lith_key_scan_done(&erasure->scan);
    lith_recipe_done(&erasure->recipe);
    lith_arena_done(&erasure->arena);
    lith_free(erasure->units);
    *erasure = (struct lith_erasure){0};
}

enum lith_code lith_erasure_begin(struct lith_erasure *erasure, const struct lith_schema *schema,
                                  struct lith_err *err)
{
    const struct lith_erase *erase = erasure->erase;
    struct lith_codec_context *codecs = erasure->codecs;
    const struct lith_work *work = erasure->work;

    lith_erasure_done(erasure);
    lith_erasure_init(erasure, erase, codecs, work);
    LITH_TRY(lith_sort_keys_parse(erase->columns, schema, &erasure->arena, &erasure->columns,
                                  &erasure->column_count, err));
    lith_key_layout_init(&erasure->layout, schema, erasure->columns, erasure->column_count);
    return lith_key_scan_init(&erasure->scan, schema, erasure->columns, &erasure->layout, codecs,
                              work, err);
}

/* Rows at hand, and where the next value of each column stands. */
struct walk {
    const struct lith_key_rows *rows;
    size_t next[LITH_SORT_KEYS_MAX];
};

static bool row_goes(const struct lith_erasure *erasure, struct walk *walk, size_t row)
{
    struct lith_slice values[LITH_SORT_KEYS_MAX];

    for (uint32_t i = 0; i < erasure->column_count; i++) {
        const struct lith_key_column *column = &walk->rows->columns[i];
        values[i] = (struct lith_slice){0};
        if (!lith_key_column_is_null(column, row))
            values[i] = lith_values_at(&column->values, walk->next[i]++);
        if (!lith_key_column_is_null(column, row) && !values[i].data)
            values[i].data = (const uint8_t *)""; /* no bytes are no null */
    }
    return erasure->erase->row(erasure->erase->ctx, values, erasure->column_count);
}

/* Adds the rows that stay; `first` is the number of the first in its unit. */
static enum lith_code rows_take(struct lith_erasure *erasure, const struct lith_key_rows *rows,
                                uint64_t first, struct lith_kept_rows *unit, struct lith_err *err)
{
    struct walk walk = {.rows = rows};
    uint32_t number = (uint32_t)erasure->unit_count;
    size_t run = 0;

    for (size_t row = 0; row < rows->row_count; row++) {
        if (!row_goes(erasure, &walk, row)) {
            run++;
            continue;
        }
        if (run)
            LITH_TRY(lith_recipe_add(&erasure->recipe, number, first + row - run, run, err));
        unit->count += run;
        unit->erased++;
        run = 0;
    }
    unit->count += run;
    return run ? lith_recipe_add(&erasure->recipe, number, first + rows->row_count - run, run, err)
               : LITH_OK;
}

enum lith_code lith_erasure_unit(struct lith_erasure *erasure, const struct lith_footer *footer,
                                 uint32_t row_group, const struct lith_union_place *places,
                                 struct lith_source *source, struct lith_err *err)
{
    struct lith_kept_rows unit = {.first = erasure->recipe.row_count};
    struct lith_key_rows rows;
    void *block = erasure->units;
    uint64_t first = 0;

    LITH_TRY(lith_array_grow(erasure->work->mem, &block, erasure->unit_count,
                             sizeof(*erasure->units), err));
    erasure->units = block;
    LITH_TRY(lith_key_scan_unit(&erasure->scan, footer, row_group, places, source, err));
    for (;;) {
        LITH_TRY(lith_key_reader_next(&erasure->scan.rows, &rows, err));
        if (rows.row_count == 0)
            break;
        LITH_TRY(rows_take(erasure, &rows, first, &unit, err));
        first += rows.row_count;
    }
    erasure->erased += unit.erased;
    erasure->units[erasure->unit_count++] = unit;
    return LITH_OK;
}

enum lith_code lith_erasure_settle(struct lith_erasure *erasure, struct lith_err *err)
{
    lith_key_scan_done(&erasure->scan);
    return lith_recipe_end(&erasure->recipe, err);
}

bool lith_erasure_touches(const struct lith_erasure *erasure, size_t begin, size_t end)
{
    for (size_t i = begin; erasure->erase && i < end; i++) {
        if (erasure->units[i].erased)
            return true;
    }
    return false;
}

enum lith_code lith_erasure_copy(struct lith_erasure *erasure, uint32_t unit, uint64_t row_count,
                                 struct lith_recipe *recipe, struct lith_err *err)
{
    const struct lith_kept_rows *kept = &erasure->units[unit];
    struct lith_recipe_reader reader;
    struct lith_recipe_run run = {0};
    enum lith_code code = LITH_OK;

    if (kept->erased == 0)
        return lith_recipe_add(recipe, unit, 0, row_count, err);
    if (kept->count == 0)
        return LITH_OK;
    LITH_TRY(lith_recipe_open_at(&erasure->recipe, kept->first, &reader, err));
    for (uint64_t left = kept->count; code == LITH_OK && left > 0; left -= run.row_count) {
        code = lith_recipe_next(&reader, left, &run, err);
        if (code == LITH_OK && (run.row_count == 0 || run.unit != unit))
            code = lith_scratch_damaged(err);
        if (code == LITH_OK)
            code = lith_recipe_add(recipe, unit, run.row, run.row_count, err);
    }
    lith_recipe_close(&reader);
    return code;
}
