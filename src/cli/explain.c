/*
 * How columns are merged, told. What is summed up comes with the most bytes first.
 */
#include "cli/explain.h"

#include <inttypes.h>
#include <string.h>

#include "cli/print.h"

/* Column names take so much room in a table at most; longer ones move what is behind them. */
#define NAME_COLUMNS_MAX 40

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static uint64_t bytes_of(const struct lith_explanation *list, size_t count, const char *mover)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += !mover || strcmp(list[i].mover, mover) == 0 ? list[i].bytes : 0;
    return bytes;
}

void lith_explain_print(const struct lith_explanation *list, size_t count, unsigned indent)
{
    uint64_t all = bytes_of(list, count, NULL);
    size_t columns = strlen("column");

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        size_t name = lith_print_columns(list[i].column);
        columns = name > columns ? name : columns;
    }
    columns = columns < NAME_COLUMNS_MAX ? columns : NAME_COLUMNS_MAX;
    (void)printf("%*s", (int)indent, "");
    lith_print_padded(stdout, "column", columns);
    (void)printf("  mover   sources      bytes    share  reason\n");
    for (size_t i = 0; i < count; i++) {
        (void)printf("%*s", (int)indent, "");
        lith_print_padded(stdout, list[i].column, columns);
        (void)printf("  %-6s  %7" PRIu64 "  %9s  %5.1f %%  %s\n", list[i].mover, list[i].sources,
                     lith_print_size(list[i].bytes), percent(list[i].bytes, all), list[i].reason);
    }
}

struct lith_explain_shares lith_explain_shares_of(const struct lith_explanation *list, size_t count)
{
    return (struct lith_explain_shares){
        .spliced = bytes_of(list, count, "splice"),
        .remapped = bytes_of(list, count, "remap"),
        .regrouped = bytes_of(list, count, "regroup"),
        .recoded = bytes_of(list, count, "recode"),
    };
}

void lith_explain_shares_print(const struct lith_explain_shares *shares, const char *of,
                               unsigned indent)
{
    uint64_t all = shares->spliced + shares->remapped + shares->regrouped + shares->recoded;

    (void)printf("%*sspliced %.1f %%, remapped %.1f %%, ", (int)indent, "",
                 percent(shares->spliced, all), percent(shares->remapped, all));
    if (shares->regrouped)
        (void)printf("regrouped %.1f %%, ", percent(shares->regrouped, all));
    (void)printf("recoded %.1f %% of %s of %s\n", percent(shares->recoded, all),
                 lith_print_size(all), of);
}

struct lith_json *lith_explain_json(const struct lith_explanation *explanation)
{
    struct lith_json *object = lith_json_object();
    bool ok = object && lith_json_set_path(object, "column", explanation->column);

    if (explanation->input)
        ok = ok && lith_json_set_path(object, "input", explanation->input) &&
             lith_json_set(object, "row_group", lith_json_u64(explanation->row_group));
    else
        ok = ok && lith_json_set(object, "sources", lith_json_u64(explanation->sources));
    ok = ok && lith_json_set(object, "bytes", lith_json_u64(explanation->bytes)) &&
         lith_json_set(object, "mover", lith_json_text(explanation->mover)) &&
         lith_json_set(object, "reason", lith_json_text(explanation->reason));
    if (ok)
        return object;
    lith_json_free(object);
    return NULL;
}
