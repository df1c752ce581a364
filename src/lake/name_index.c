/*
 * Names in order: sorted references, found by halving.
 */
#include "lake/name_index.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const struct lith_name_ref *left = a;
    const struct lith_name_ref *right = b;
    int order = strcmp(left->name, right->name);

    if (order)
        return order;
    return left->index < right->index ? -1 : left->index > right->index;
}

enum lith_code lith_name_index_build(const void *rows, size_t count, size_t row_bytes,
                                     size_t offset, struct lith_arena *arena,
                                     struct lith_name_index *ret_index, struct lith_err *err)
{
    void *block = NULL;

    LITH_TRY(lith_arena_array(arena, count, sizeof(struct lith_name_ref), &block, err));
    struct lith_name_ref *refs = block;
    bool in_order = true; /* as tables of our own manifests are */
    for (size_t i = 0; i < count; i++) {
        memcpy(&refs[i].name, (const uint8_t *)rows + i * row_bytes + offset, sizeof(char *));
        refs[i].index = i;
        in_order = in_order && (i == 0 || compare(&refs[i - 1], &refs[i]) < 0);
    }
    if (!in_order)
        qsort(refs, count, sizeof(*refs), compare);
    *ret_index = (struct lith_name_index){.refs = refs, .count = count};
    return LITH_OK;
}

size_t lith_name_index_run(const struct lith_name_index *index, const char *name, size_t *ret_begin)
{
    size_t begin = 0;
    size_t end = index->count;

    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (strcmp(index->refs[middle].name, name) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    while (end < index->count && strcmp(index->refs[end].name, name) == 0)
        end++;
    *ret_begin = begin;
    return end - begin;
}

bool lith_name_index_find(const struct lith_name_index *index, const char *name, size_t *ret_row)
{
    size_t begin = 0;

    if (lith_name_index_run(index, name, &begin) == 0)
        return false;
    *ret_row = index->refs[begin].index;
    return true;
}

const char *lith_name_index_double(const struct lith_name_index *index)
{
    for (size_t i = 1; i < index->count; i++) {
        if (strcmp(index->refs[i - 1].name, index->refs[i].name) == 0)
            return index->refs[i].name;
    }
    return NULL;
}
