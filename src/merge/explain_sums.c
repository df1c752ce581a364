/*
 * Summing up: the few sums of a column are a list, found by the column's number.
 */
#include "merge/explain_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct lith_explain_sum {
    struct lith_explanation said;
    enum lith_mover mover;
    enum lith_reason reason;
    uint32_t next; /* of the same column: 1 + index; 0: the last */
};

void lith_explain_sums_init(struct lith_explain_sums *sums, struct lith_arena *arena)
{
    *sums = (struct lith_explain_sums){.arena = arena};
}

void lith_explained_column(const struct lith_explained *explained, char to[LITH_COLUMN_PATH_BYTES])
{
    const struct lith_schema *schema = explained->schema;

    lith_schema_path(schema, schema->leaves[explained->leaf], to, LITH_COLUMN_PATH_BYTES);
}

static enum lith_code sum_new(struct lith_explain_sums *sums,
                              const struct lith_explained *explained, struct lith_err *err)
{
    char path[LITH_COLUMN_PATH_BYTES];
    void *block = sums->sums;
    void *column;

    lith_explained_column(explained, path);
    LITH_TRY(lith_array_grow_in(sums->arena, &block, sums->count, sizeof(*sums->sums), err));
    sums->sums = block;
    LITH_TRY(lith_arena_copy(sums->arena, path, strlen(path), &column, err));
    sums->sums[sums->count] = (struct lith_explain_sum){
        .said = {.column_index = explained->leaf,
                 .column = column,
                 .mover = lith_mover_name(explained->mover),
                 .reason = lith_reason_text(explained->reason)},
        .mover = explained->mover,
        .reason = explained->reason,
        .next = sums->first[explained->leaf],
    };
    sums->first[explained->leaf] = (uint32_t)++sums->count;
    return LITH_OK;
}

enum lith_code lith_explain_sums_add(void *ctx, const struct lith_explained *explained,
                                     struct lith_err *err)
{
    struct lith_explain_sums *sums = ctx;
    void *block;

    if (!sums->first) {
        LITH_TRY(lith_arena_array(sums->arena, explained->schema->leaf_count, sizeof(*sums->first),
                                  &block, err));
        sums->first = block;
    }
    uint32_t at = sums->first[explained->leaf];
    while (at && (sums->sums[at - 1].mover != explained->mover ||
                  sums->sums[at - 1].reason != explained->reason))
        at = sums->sums[at - 1].next;
    if (at == 0) {
        LITH_TRY(sum_new(sums, explained, err));
        at = sums->first[explained->leaf];
    }
    sums->sums[at - 1].said.sources++;
    sums->sums[at - 1].said.bytes += explained->bytes;
    sums->bytes[explained->mover] += explained->bytes;
    return LITH_OK;
}

/* Most bytes first, then by column; two of one column and as many bytes differ in their texts. */
static int explanation_compare(const void *a, const void *b)
{
    const struct lith_explanation *left = a;
    const struct lith_explanation *right = b;

    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    if (left->column_index != right->column_index)
        return left->column_index < right->column_index ? -1 : 1;
    int by_mover = strcmp(left->mover, right->mover);
    return by_mover ? by_mover : strcmp(left->reason, right->reason);
}

enum lith_code lith_explain_sums_list(const struct lith_explain_sums *sums,
                                      const struct lith_explanation **ret_list, size_t *ret_count,
                                      struct lith_err *err)
{
    void *block;

    LITH_TRY(
        lith_arena_array(sums->arena, sums->count, sizeof(struct lith_explanation), &block, err));
    struct lith_explanation *list = block;
    for (size_t i = 0; i < sums->count; i++)
        list[i] = sums->sums[i].said;
    if (sums->count)
        qsort(list, sums->count, sizeof(*list), explanation_compare);
    *ret_list = list;
    *ret_count = sums->count;
    return LITH_OK;
}
