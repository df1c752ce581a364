/*
 * Rewriting dictionary ids. The padding of a last group is not looked at: it may be anything.
 */
#include "parquet/remap.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/mem.h"
#include "parquet/rle.h"

/* Packed ids that are handled at a time: a multiple of eight. */
#define BLOCK_IDS 504u

struct remap {
    const uint32_t *map; /* NULL: check only */
    uint32_t dictionary_count;
    unsigned width;
    struct lith_buf *to;
};

static enum lith_code id_check(const struct remap *remap, uint32_t id, struct lith_err *err)
{
    if (id < remap->dictionary_count)
        return LITH_OK;
    return lith_fail(err, LITH_E_CORRUPT, "id %" PRIu32 " in a dictionary of %" PRIu32 " entries",
                     id, remap->dictionary_count);
}

static enum lith_code repeat_remap(const struct remap *remap, uint32_t id, size_t count,
                                   struct lith_err *err)
{
    LITH_TRY(id_check(remap, id, err));
    if (!remap->map)
        return LITH_OK;
    return lith_rle_put_repeat(remap->map[id], count, remap->width, remap->to, err);
}

static enum lith_code packed_remap(const struct remap *remap, uint32_t *ids, size_t count,
                                   struct lith_err *err)
{
    uint32_t largest = 0;

    for (size_t i = 0; i < count; i++)
        largest = ids[i] > largest ? ids[i] : largest;
    LITH_TRY(id_check(remap, largest, err));
    if (!remap->map)
        return LITH_OK;
    for (size_t i = 0; i < count; i++)
        ids[i] = remap->map[ids[i]];
    return lith_rle_put_packed(ids, count, remap->width, remap->to, err);
}

static enum lith_code runs_remap(const struct remap *remap, struct lith_rle_decoder *rle,
                                 uint64_t count, struct lith_err *err)
{
    uint32_t ids[BLOCK_IDS];

    while (count > 0) {
        uint64_t equal;
        uint32_t id;
        LITH_TRY(lith_rle_peek(rle, &equal, &id, err));
        if (equal) {
            size_t run = (size_t)lith_min_u64(count, lith_min_u64(equal, INT32_MAX));
            LITH_TRY(repeat_remap(remap, id, run, err));
            lith_rle_skip(rle, run);
            count -= run;
            continue;
        }
        size_t some = (size_t)lith_min_u64(count, lith_min_u64(rle->packed_left, BLOCK_IDS));
        LITH_TRY(lith_rle_next(rle, ids, some, err));
        LITH_TRY(packed_remap(remap, ids, some, err));
        count -= some;
    }
    return LITH_OK;
}

static enum lith_code ids_walk(const struct remap *remap, struct lith_slice ids, uint64_t count,
                               struct lith_err *err)
{
    struct lith_body body = {.data = ids.data, .bytes = ids.bytes};
    struct lith_window window;
    struct lith_rle_decoder rle;

    if (count == 0)
        return LITH_OK;
    if (ids.bytes == 0)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu64 " ids in no bytes", count);
    LITH_TRY(lith_window_init(&window, &body, 1, ids.bytes, NULL, 1, 1, err));
    enum lith_code code = lith_rle_init(&rle, &window, ids.data[0], err);
    if (code == LITH_OK)
        code = runs_remap(remap, &rle, count, err);
    lith_window_done(&window);
    return code;
}

enum lith_code lith_remap_ids(struct lith_slice ids, uint64_t count, const uint32_t *map,
                              uint32_t dictionary_count, uint32_t new_count, struct lith_buf *to,
                              struct lith_err *err)
{
    unsigned bits = lith_bit_width(new_count ? new_count - 1 : 0);
    /* Width 0 is legal, but readers have failed on it (ARROW-GH-43605). */
    uint8_t width = (uint8_t)(bits ? bits : 1);
    struct remap remap = {
        .map = map, .dictionary_count = dictionary_count, .width = width, .to = to};

    LITH_TRY(lith_buf_append(to, &width, 1, err));
    return ids_walk(&remap, ids, count, err);
}

enum lith_code lith_ids_check(struct lith_slice ids, uint64_t count, uint32_t dictionary_count,
                              struct lith_err *err)
{
    struct remap remap = {.dictionary_count = dictionary_count};

    return ids_walk(&remap, ids, count, err);
}
