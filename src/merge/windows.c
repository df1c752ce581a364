/*
 * Windows of one size for all inputs of a row group, chosen so that all together stay small.
 */
#include "merge/windows.h"

#include "base/checked.h"

/* A window is worth its memory when it holds so many chunks: so many times fewer reads. */
#define CHUNKS_MIN 4u

size_t lith_windows_bytes_max(const struct lith_work *work)
{
    return lith_min_size(LITH_WINDOWS_BYTES_MAX, lith_work_share(work) / 8);
}

void lith_windows_init(struct lith_windows *windows, const struct lith_work *work, size_t bytes_max)
{
    *windows = (struct lith_windows){.work = work, .bytes_max = bytes_max};
}

void lith_windows_done(struct lith_windows *windows)
{
    for (size_t i = 0; i < windows->count; i++)
        lith_read_ahead_done(&windows->windows[i]);
    lith_free(windows->windows);
    windows->windows = NULL;
    windows->count = 0;
}

void lith_windows_begin(struct lith_windows *windows, size_t count, uint64_t chunk_bytes)
{
    const struct lith_work *work = windows->work;
    size_t bytes = lith_min_size(windows->bytes_max / count, LITH_READ_AHEAD_BYTES);
    struct lith_err ignored;
    void *block;

    lith_windows_done(windows);
    if (bytes / CHUNKS_MIN < chunk_bytes ||
        lith_alloc_array(work->mem, count, sizeof(*windows->windows), &block, &ignored) != LITH_OK)
        return;
    windows->windows = block;
    windows->count = count;
    for (size_t i = 0; i < count; i++)
        lith_read_ahead_init(&windows->windows[i], work->mem, bytes);
}

struct lith_source *lith_windows_open(struct lith_windows *windows, size_t index,
                                      struct lith_source *inner, uint64_t begin, uint64_t end)
{
    if (index >= windows->count)
        return NULL;
    struct lith_read_ahead *window = &windows->windows[index];
    /* A file that was changed meanwhile, so that it has another size, is no reason to abort. */
    if (window->inner && window->base.size == inner->size)
        lith_read_ahead_again(window, inner);
    else
        lith_read_ahead_open(window, inner, begin, end);
    return &window->base;
}
