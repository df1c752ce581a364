/*
 * A queue: filled in the order of units by one walk over the sources, emptied by the next.
 */
#include "merge/kept.h"

/* Of a share of the budget, for all threads together. */
#define KEPT_SHARES 8u
/* Decompressing less costs no more than keeping it. */
#define KEPT_BYTES_MIN ((size_t)8 << 10)

struct kept {
    uint32_t unit;
    struct lith_read_dictionary dictionary;
};

static struct kept *entry_at(const struct lith_kept *kept, size_t index)
{
    return (struct kept *)(void *)kept->entries.data + index;
}

static size_t entry_count(const struct lith_kept *kept)
{
    return kept->entries.bytes / sizeof(struct kept);
}

void lith_kept_init(struct lith_kept *kept, const struct lith_work *work)
{
    size_t threads = work->threads ? work->threads : 1;

    *kept = (struct lith_kept){.bytes_max = lith_work_share(work) / KEPT_SHARES / threads};
    lith_buf_init(&kept->entries, work->mem, kept->bytes_max);
}

/* Lets all entries before `end` go. */
static void entries_pass(struct lith_kept *kept, size_t end)
{
    for (; kept->next < end; kept->next++) {
        struct lith_buf *body = &entry_at(kept, kept->next)->dictionary.body;
        kept->bytes -= body->capacity;
        lith_buf_done(body);
    }
}

void lith_kept_clear(struct lith_kept *kept)
{
    entries_pass(kept, entry_count(kept));
    lith_buf_done(&kept->entries);
    kept->next = 0;
}

bool lith_kept_wants(const struct lith_kept *kept, size_t bytes)
{
    return bytes >= KEPT_BYTES_MIN && bytes <= kept->bytes_max - kept->bytes;
}

enum lith_code lith_kept_add(struct lith_kept *kept, uint32_t unit,
                             const struct lith_read_dictionary *dictionary, struct lith_err *err)
{
    const struct kept added = {.unit = unit, .dictionary = *dictionary};

    LITH_ASSERT(lith_kept_wants(kept, dictionary->body.capacity));
    LITH_ASSERT(entry_count(kept) == 0 || entry_at(kept, entry_count(kept) - 1)->unit < unit);
    LITH_TRY(lith_buf_append(&kept->entries, &added, sizeof(added), err));
    kept->bytes += dictionary->body.capacity;
    return LITH_OK;
}

const struct lith_read_dictionary *lith_kept_take(struct lith_kept *kept, uint32_t unit)
{
    size_t at = kept->next;

    while (at < entry_count(kept) && entry_at(kept, at)->unit < unit)
        at++;
    entries_pass(kept, at);
    if (at == entry_count(kept) || entry_at(kept, at)->unit != unit)
        return NULL;
    return &entry_at(kept, at)->dictionary;
}
