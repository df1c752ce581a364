#include "sim_heap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <jansson.h>

#define REGION_BYTES ((size_t)64 << 20)
#define REGIONS_MAX 32u
#define KEPT_BYTES ((size_t)1 << 20) /* pages that stay after a reset */
#define ALIGNMENT 16u

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

static uint8_t *regions; /* all of them, one behind the other */
static size_t region_count;
static struct sim_heap *current;

static void out_of_room(void)
{
    (void)fputs("sim: an actor took more memory than a region has\n", stderr);
    abort();
}

void sim_heap_init(struct sim_heap *heap)
{
    if (!regions) {
        regions = mmap(NULL, REGIONS_MAX * REGION_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (regions == MAP_FAILED)
            out_of_room();
    }
    if (region_count == REGIONS_MAX)
        out_of_room();
    *heap = (struct sim_heap){.data = regions + region_count++ * REGION_BYTES};
}

struct sim_heap *sim_heap_use(struct sim_heap *heap)
{
    struct sim_heap *before = current;

    current = heap;
    return before;
}

void sim_heap_reset(struct sim_heap *heap)
{
    if (heap->bytes > KEPT_BYTES)
        (void)madvise(heap->data + KEPT_BYTES, REGION_BYTES - KEPT_BYTES, MADV_DONTNEED);
    heap->bytes = 0;
}

/* In front of a block stands its size, for realloc. */
static void *block_take(struct sim_heap *heap, size_t bytes)
{
    size_t whole = (bytes + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

    if (bytes > REGION_BYTES || whole > REGION_BYTES - heap->bytes)
        out_of_room();
    uint8_t *block = heap->data + heap->bytes + ALIGNMENT;
    heap->bytes += whole;
    memcpy(block - ALIGNMENT, &bytes, sizeof(bytes));
    return block;
}

void *sim_heap_take(struct sim_heap *heap, size_t bytes)
{
    return memset(block_take(heap, bytes), 0, bytes);
}

static bool is_ours(const void *block)
{
    const uint8_t *at = block;

    return regions && at >= regions && at < regions + REGIONS_MAX * REGION_BYTES;
}

void *__wrap_malloc(size_t bytes)
{
    return current ? block_take(current, bytes) : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return current ? sim_heap_take(current, count * bytes) : __real_calloc(count, bytes);
}

/* The last block grows where it is. */
void *__wrap_realloc(void *block, size_t bytes)
{
    size_t before;

    if (!block)
        return __wrap_malloc(bytes);
    if (!is_ours(block))
        return __real_realloc(block, bytes);
    memcpy(&before, (uint8_t *)block - ALIGNMENT, sizeof(before));
    if (bytes <= before)
        return block;
    return memcpy(__wrap_malloc(bytes), block, before);
}

void __wrap_free(void *block)
{
    if (!is_ours(block))
        __real_free(block);
}

void sim_heap_begin(void)
{
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
}
