/*
 * Counted memory: a small header in front of each block says whom it was charged to.
 *
 * The header is 16 bytes, so blocks keep malloc's alignment; it is charged too.
 */
#include "base/mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

struct header {
    struct lith_mem *mem;
    size_t bytes; /* without the header */
};
static_assert(sizeof(struct header) == 16, "keeps the alignment of malloc");

void lith_mem_init(struct lith_mem *mem, size_t limit, struct lith_mem *parent)
{
    mem->limit = limit;
    mem->parent = parent;
    atomic_init(&mem->used, 0);
    atomic_init(&mem->peak, 0);
    atomic_init(&mem->refused, 0);
    atomic_init(&mem->fail_after, -1);
}

void lith_mem_done(struct lith_mem *mem)
{
    LITH_ASSERT(atomic_load(&mem->used) == 0);
}

struct lith_mem *lith_mem_root(void)
{
    static struct lith_mem root = {.limit = SIZE_MAX, .fail_after = -1};

    return &root;
}

size_t lith_mem_left(const struct lith_mem *mem)
{
    size_t left = SIZE_MAX;

    for (; mem; mem = mem->parent) {
        size_t used = atomic_load(&mem->used);
        left = lith_min_size(left, used < mem->limit ? mem->limit - used : 0);
    }
    return left;
}

static void raise_peak(struct lith_mem *mem, size_t used)
{
    size_t peak = atomic_load(&mem->peak);

    while (used > peak && !atomic_compare_exchange_weak(&mem->peak, &peak, used))
        ;
}

/* Charges one budget alone; false when it would pass its limit. */
static bool charge_one(struct lith_mem *mem, size_t bytes)
{
    size_t used = atomic_load(&mem->used);
    size_t sum;

    do {
        if (!lith_add_size(used, bytes, &sum) || sum > mem->limit)
            return false;
    } while (!atomic_compare_exchange_weak(&mem->used, &used, sum));
    raise_peak(mem, sum);
    return true;
}

static bool fault_due(struct lith_mem *mem)
{
    if (atomic_load(&mem->fail_after) < 0)
        return false;
    return atomic_fetch_sub(&mem->fail_after, 1) == 0;
}

enum lith_code lith_mem_charge(struct lith_mem *mem, size_t bytes, struct lith_err *err)
{
    if (fault_due(mem))
        return lith_fail(err, LITH_E_NOMEM, "out of memory (injected) for %zu bytes", bytes);
    for (struct lith_mem *at = mem; at; at = at->parent) {
        if (charge_one(at, bytes))
            continue;
        for (struct lith_mem *undo = mem; undo != at; undo = undo->parent)
            atomic_fetch_sub(&undo->used, bytes);
        atomic_fetch_add(&mem->refused, 1);
        return lith_fail(err, LITH_E_LIMIT,
                         "memory budget of %zu bytes: %zu in use, %zu more needed; "
                         "raise --memory",
                         at->limit, atomic_load(&at->used), bytes);
    }
    return LITH_OK;
}

void lith_mem_release(struct lith_mem *mem, size_t bytes)
{
    for (; mem; mem = mem->parent) {
        size_t before = atomic_fetch_sub(&mem->used, bytes);
        LITH_ASSERT(before >= bytes);
    }
}

static enum lith_code sum_with_header(size_t bytes, size_t *ret_sum, struct lith_err *err)
{
    if (!lith_add_size(bytes, sizeof(struct header), ret_sum))
        return lith_fail(err, LITH_E_LIMIT, "%zu bytes in one block", bytes);
    return LITH_OK;
}

enum lith_code lith_alloc(struct lith_mem *mem, size_t bytes, void **ret_block,
                          struct lith_err *err)
{
    size_t sum;

    LITH_TRY(sum_with_header(bytes, &sum, err));
    LITH_TRY(lith_mem_charge(mem, sum, err));
    struct header *header = malloc(sum);
    if (!header) {
        lith_mem_release(mem, sum);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for %zu bytes", bytes);
    }
    header->mem = mem;
    header->bytes = bytes;
    *ret_block = header + 1;
    return LITH_OK;
}

enum lith_code lith_alloc_array(struct lith_mem *mem, size_t count, size_t element_bytes,
                                void **ret_block, struct lith_err *err)
{
    size_t bytes;

    if (!lith_mul_size(count, element_bytes, &bytes))
        return lith_fail(err, LITH_E_LIMIT, "%zu elements of %zu bytes", count, element_bytes);
    LITH_TRY(lith_alloc(mem, bytes, ret_block, err));
    memset(*ret_block, 0, bytes);
    return LITH_OK;
}

enum lith_code lith_realloc(struct lith_mem *mem, void **block, size_t bytes, struct lith_err *err)
{
    size_t sum;

    if (!*block)
        return lith_alloc(mem, bytes, block, err);
    LITH_TRY(sum_with_header(bytes, &sum, err));
    struct header *header = (struct header *)*block - 1;
    LITH_ASSERT(header->mem == mem);
    size_t old = header->bytes;
    if (bytes > old)
        LITH_TRY(lith_mem_charge(mem, bytes - old, err));
    struct header *grown = realloc(header, sum);
    if (!grown) {
        if (bytes > old)
            lith_mem_release(mem, bytes - old);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for %zu bytes", bytes);
    }
    if (bytes < old)
        lith_mem_release(mem, old - bytes);
    grown->bytes = bytes;
    *block = grown + 1;
    return LITH_OK;
}

void lith_free(void *block)
{
    if (!block)
        return;
    struct header *header = (struct header *)block - 1;
    lith_mem_release(header->mem, header->bytes + sizeof(*header));
    free(header);
}

void lith_mem_tune(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 32 << 20);
    (void)mallopt(M_ARENA_MAX, 1); /* what a thread gave back another one can have */
}

void lith_mem_trim(void)
{
    (void)malloc_trim(0);
}
