/*
 * Used entries: a mark for each entry, and a list of those marked in this page, so that a page of
 * few values costs little under a dictionary of many.
 */
#include "verify/used.h"

void lith_used_done(struct lith_used *used)
{
    lith_free(used->marks);
    lith_free(used->ids);
    *used = (struct lith_used){0};
}

static enum lith_code begin(struct lith_used *used, struct lith_dictionary *dictionary,
                            struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(dictionary->mem, dictionary->count, 1, &block, err));
    used->marks = block;
    LITH_TRY(lith_alloc_array(dictionary->mem, dictionary->count, sizeof(*used->ids), &block, err));
    used->ids = block;
    used->dictionary = dictionary;
    return LITH_OK;
}

enum lith_code lith_used_add(struct lith_used *used, const struct lith_values *values,
                             struct lith_err *err)
{
    if (!used->dictionary)
        LITH_TRY(begin(used, values->dictionary, err));
    LITH_ASSERT(used->dictionary == values->dictionary);
    for (size_t i = 0; i < values->count; i++) {
        uint32_t id = values->ids[i];
        if (used->marks[id] & LITH_USED_IN_PAGE)
            continue;
        used->marks[id] |= LITH_USED_IN_PAGE;
        used->ids[used->count++] = id;
    }
    return LITH_OK;
}

bool lith_used_next(struct lith_used *used, size_t *position, bool new_only,
                    struct lith_used_block *ret_block)
{
    struct lith_used_block *block = ret_block;
    const struct lith_dictionary *dictionary = used->dictionary;
    size_t taken = 0;

    if (used->count == 0)
        return false;
    size_t width = dictionary->width;
    /* A value too large for the room is given where it stands. */
    size_t most = dictionary->slices ? sizeof(block->room.slices) / sizeof(*block->room.slices)
                                     : sizeof(block->room.fixed) / width;
    block->values = (struct lith_values){.type = dictionary->type, .width = width};
    if (dictionary->slices)
        block->values.slices = block->room.slices;
    else
        block->values.fixed = block->room.fixed;
    for (; *position < used->count && taken < (most ? most : 1); ++*position) {
        uint32_t id = used->ids[*position];
        if (new_only && used->marks[id] & LITH_USED_IN_CHUNK)
            continue;
        if (dictionary->slices)
            block->room.slices[taken] = dictionary->slices[id];
        else if (most)
            memcpy(block->room.fixed + taken * width, dictionary->fixed + id * width, width);
        else
            block->values.fixed = dictionary->fixed + id * width;
        taken++;
    }
    block->values.count = taken;
    return taken > 0;
}

void lith_used_page_end(struct lith_used *used)
{
    for (size_t i = 0; i < used->count; i++)
        used->marks[used->ids[i]] = LITH_USED_IN_CHUNK;
    used->count = 0;
}
