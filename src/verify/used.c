/*
 * Used entries: a mark for each entry, and a list of those marked in this page, so that a page of
 * few values costs little under a dictionary of many. Where the dictionary is small, the list is
 * made of the marks when the page ends, and a value costs no more than a store.
 */
#include "verify/used.h"

#include "base/checked.h"

/* Looking through so many marks costs less than a page does otherwise. */
#define LISTS_LATE_MAX 4096u

void lith_used_done(struct lith_used *used)
{
    lith_free(used->in_page);
    lith_free(used->in_chunk);
    lith_free(used->ids);
    *used = (struct lith_used){0};
}

static enum lith_code begin(struct lith_used *used, struct lith_dictionary *dictionary,
                            struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(dictionary->mem, dictionary->count, 1, &block, err));
    used->in_page = block;
    LITH_TRY(lith_alloc_array(dictionary->mem, dictionary->count, 1, &block, err));
    used->in_chunk = block;
    /* One more than there can be: the place behind the last is written to. */
    LITH_TRY(lith_alloc_array(dictionary->mem, (size_t)dictionary->count + 1, sizeof(*used->ids),
                              &block, err));
    used->ids = block;
    used->dictionary = dictionary;
    used->lists_late = dictionary->count <= LISTS_LATE_MAX;
    return LITH_OK;
}

static void mark(uint8_t *in_page, const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        in_page[ids[i]] = 1;
}

/* Whether an entry is new to the page is anybody's guess, also the processor's: no branch. */
static size_t mark_and_list(uint8_t *in_page, const uint32_t *ids, size_t count, uint32_t *list,
                            size_t listed)
{
    for (size_t i = 0; i < count; i++) {
        list[listed] = ids[i];
        listed += !in_page[ids[i]];
        in_page[ids[i]] = 1;
    }
    return listed;
}

/* Lists what is marked, if it is not. */
static void list_late(struct lith_used *used)
{
    if (!used->lists_late || used->count > 0)
        return;
    for (uint32_t id = 0; id < used->dictionary->count; id++) {
        used->ids[used->count] = id;
        used->count += used->in_page[id];
    }
}

enum lith_code lith_used_add(struct lith_used *used, const struct lith_values *values,
                             struct lith_err *err)
{
    if (!used->dictionary)
        LITH_TRY(begin(used, values->dictionary, err));
    LITH_ASSERT(used->dictionary == values->dictionary);
    if (used->lists_late) {
        mark(used->in_page, values->ids, values->count);
        used->count = 0;
    } else {
        used->count =
            mark_and_list(used->in_page, values->ids, values->count, used->ids, used->count);
    }
    return LITH_OK;
}

/* Ids of the page from *position on, at most `most`; the number found. */
static size_t ids_take(const struct lith_used *used, size_t *position, bool new_only, size_t most,
                       uint32_t *ids)
{
    size_t taken = 0;

    for (; *position < used->count && taken < most; ++*position) {
        uint32_t id = used->ids[*position];
        if (!new_only || !used->in_chunk[id])
            ids[taken++] = id;
    }
    return taken;
}

static void fixed_gather(const uint8_t *from, const uint32_t *ids, size_t count, size_t width,
                         uint8_t *to)
{
    if (width == 8) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * 8, from + (size_t)ids[i] * 8, 8);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * width, from + ids[i] * width, width);
}

bool lith_used_next(struct lith_used *used, size_t *position, bool new_only,
                    struct lith_used_block *ret_block)
{
    struct lith_used_block *block = ret_block;
    const struct lith_dictionary *dictionary = used->dictionary;
    uint32_t ids[LITH_USED_BLOCK];

    list_late(used);
    if (used->count == 0)
        return false;
    size_t width = dictionary->width;
    size_t most = dictionary->slices ? LITH_USED_BLOCK : sizeof(block->room.fixed) / width;
    bool fits = most > 0; /* else a value is given where it stands */
    size_t count =
        ids_take(used, position, new_only, lith_min_size(fits ? most : 1, LITH_USED_BLOCK), ids);
    block->values = (struct lith_values){.type = dictionary->type, .width = width, .count = count};
    if (dictionary->slices) {
        for (size_t i = 0; i < count; i++)
            block->room.slices[i] = dictionary->slices[ids[i]];
        block->values.slices = block->room.slices;
    } else if (fits) {
        fixed_gather(dictionary->fixed, ids, count, width, block->room.fixed);
        block->values.fixed = block->room.fixed;
    } else if (count > 0) {
        block->values.fixed = dictionary->fixed + ids[0] * width;
    }
    return count > 0;
}

void lith_used_page_end(struct lith_used *used)
{
    list_late(used);
    for (size_t i = 0; i < used->count; i++) {
        used->in_page[used->ids[i]] = 0;
        used->in_chunk[used->ids[i]] = 1;
    }
    used->count = 0;
}
