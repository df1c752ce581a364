/*
 * A table of hashes that is filled by one source and emptied by another.
 *
 * Equal rows take one slot, so that a million of them is no more than one. A table that is half
 * full is begun again for half of its hashes.
 */
#include "verify/row_subset.h"

#include "base/checked.h"

/* Hashes that are read at a time: 64 KiB. */
#define RUN_COUNT 4096u
#define SLOTS_MIN 256u
/* Half of the hashes, and half of these ...: with a table of a few MiB more rows than there are. */
#define BITS_MAX 40u

struct slot {
    struct lith_hash128 hash;
    uint64_t count; /* in the part; 0: the slot is free */
    uint64_t left;  /* of them: not crossed off */
};

/* The hashes of one pass: those that begin with the bits of `pass`. */
struct table {
    struct slot *slots;
    size_t slot_count; /* a power of two */
    size_t used;
    uint64_t left; /* of all slots */
    unsigned bits;
    uint64_t pass;
    struct lith_hash128 run[RUN_COUNT];
};

static bool is_of_pass(const struct table *t, struct lith_hash128 hash)
{
    return t->bits == 0 || hash.high >> (64 - t->bits) == t->pass;
}

/* Its slot, or the free one that is to be it. */
static struct slot *slot_of(const struct table *t, struct lith_hash128 hash)
{
    size_t at = (size_t)hash.low & (t->slot_count - 1);

    while (t->slots[at].count && !lith_hash128_equal(t->slots[at].hash, hash))
        at = (at + 1) & (t->slot_count - 1);
    return &t->slots[at];
}

/* False where the table is half full. */
static bool part_add(struct table *t, struct lith_hash128 hash)
{
    struct slot *slot = slot_of(t, hash);

    if (slot->count == 0) {
        if (t->used == t->slot_count / 2)
            return false;
        t->used++;
        slot->hash = hash;
    }
    slot->count++;
    slot->left++;
    t->left++;
    return true;
}

static bool whole_add(struct table *t, struct lith_hash128 hash)
{
    struct slot *slot = slot_of(t, hash);

    if (slot->left) {
        slot->left--;
        t->left--;
    }
    return true;
}

/* Every hash of this pass. *ret_fits is false where `add` had enough. */
static enum lith_code walk(struct table *t, struct lith_source *source,
                           bool (*add)(struct table *t, struct lith_hash128 hash), bool *ret_fits,
                           struct lith_err *err)
{
    uint64_t count = source->size / sizeof(t->run[0]);

    *ret_fits = true;
    for (uint64_t at = 0; at < count && *ret_fits;) {
        size_t run = (size_t)lith_min_u64(RUN_COUNT, count - at);
        LITH_TRY(
            lith_source_read(source, at * sizeof(t->run[0]), t->run, run * sizeof(t->run[0]), err));
        for (size_t i = 0; i < run && *ret_fits; i++) {
            if (is_of_pass(t, t->run[i]))
                *ret_fits = add(t, t->run[i]);
        }
        at += run;
    }
    return LITH_OK;
}

static void table_clear(struct table *t)
{
    for (size_t i = 0; i < t->slot_count; i++)
        t->slots[i] = (struct slot){0};
    t->used = 0;
    t->left = 0;
}

/* One pass; where it does not fit it becomes the first of two. */
static enum lith_code pass_run(struct table *t, struct lith_source *part, struct lith_source *whole,
                               struct lith_err *err)
{
    bool fits;

    table_clear(t);
    LITH_TRY(walk(t, part, part_add, &fits, err));
    if (!fits) {
        if (t->bits == BITS_MAX)
            return lith_fail(err, LITH_E_LIMIT, "%zu rows at once are too few to compare them",
                             t->slot_count / 2);
        t->bits++;
        t->pass *= 2;
        t->left = 0;
        return LITH_OK;
    }
    if (t->left)
        LITH_TRY(walk(t, whole, whole_add, &fits, err));
    t->pass++;
    return LITH_OK;
}

static enum lith_code passes_run(struct table *t, struct lith_source *part,
                                 struct lith_source *whole, bool *ret_is_subset,
                                 struct lith_err *err)
{
    while (t->pass < (uint64_t)1 << t->bits && t->left == 0)
        LITH_TRY(pass_run(t, part, whole, err));
    *ret_is_subset = t->left == 0;
    return LITH_OK;
}

enum lith_code lith_row_subset(struct lith_source *part, struct lith_source *whole,
                               size_t table_bytes, struct lith_mem *mem, bool *ret_is_subset,
                               struct lith_err *err)
{
    LITH_AUTO(block) void *table = NULL;
    LITH_AUTO(block) void *slots = NULL;
    size_t slot_count = SLOTS_MIN;

    /* Twice the rows of the part are enough. */
    while (slot_count <= table_bytes / sizeof(struct slot) / 2 &&
           slot_count / 2 < part->size / sizeof(struct lith_hash128) + 1)
        slot_count *= 2;
    LITH_TRY(lith_alloc_array(mem, 1, sizeof(struct table), &table, err));
    LITH_TRY(lith_alloc_array(mem, slot_count, sizeof(struct slot), &slots, err));
    struct table *t = table;
    t->slots = slots;
    t->slot_count = slot_count;
    return passes_run(t, part, whole, ret_is_subset, err);
}
