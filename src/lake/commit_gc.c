/*
 * Commits around deletions: fence before, clean after.
 */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/guard.h"
#include "lake/commit_build.h"

/* Only what is retired, or an output that nothing names, may be condemned. */
static enum lith_code fence_check(const struct lith_commit_build *b, const char *name,
                                  struct lith_err *err)
{
    size_t row = 0;

    if (lith_name_index_find(&b->files, name, &row))
        return lith_fail(err, LITH_E_INVALID, "fence: %s is live", name);
    if (!lith_name_index_find(&b->retired, name, &row) &&
        !lith_output_name_is_of(name, b->base->pid))
        return lith_fail(err, LITH_E_INVALID, "fence: %s is neither retired nor an output of %s",
                         name, b->base->pid);
    return LITH_OK;
}

enum lith_code lith_commit_fence(const struct lith_manifest *base, const char *const *names,
                                 size_t count, const struct lith_stamp *stamp,
                                 struct lith_arena *arena, struct lith_manifest *ret_next,
                                 struct lith_err *err)
{
    struct lith_commit_build b;
    void *block = NULL;

    bool raises = !lith_guard_is_out(LITH_GUARD_FENCE_EPOCH);
    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_FENCE, raises, 0, stamp, arena, err));
    LITH_TRY(lith_arena_array(arena, base->condemned_count + count, sizeof(char *), &block, err));
    const char **condemned = block;
    size_t kept = lith_guard_is_out(LITH_GUARD_CONDEMNED_GROWS) ? 0 : base->condemned_count;
    if (kept)
        memcpy(condemned, base->condemned, kept * sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        void *copy = NULL;
        LITH_TRY(fence_check(&b, names[i], err));
        if (lith_commit_build_is_condemned(&b, names[i]))
            continue;
        LITH_TRY(lith_arena_copy(arena, names[i], strlen(names[i]), &copy, err));
        condemned[kept++] = copy;
    }
    b.next.condemned = condemned;
    b.next.condemned_count = kept;
    return lith_commit_build_end(&b, ret_next, err);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_kept(const struct lith_clean *clean, const char *name)
{
    return clean->kept_count &&
           bsearch(&name, clean->kept, clean->kept_count, sizeof(name), compare_texts);
}

static enum lith_code gone_add(struct lith_commit_build *b, const struct lith_entry *entry,
                               struct lith_err *err)
{
    if (lith_guard_is_out(LITH_GUARD_GONE))
        return LITH_OK;
    return lith_commit_build_add_gone(b, entry, err);
}

static enum lith_code retired_clean(struct lith_commit_build *b, const struct lith_clean *clean,
                                    struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    size_t kept = 0;

    for (size_t i = 0; i < next->retired_count; i++) {
        const struct lith_entry *entry = &next->retired[i];
        if (clean->keep_all || lith_listing_shows_entry(clean->listing, entry) ||
            is_kept(clean, entry->name))
            next->retired[kept++] = *entry;
        else
            LITH_TRY(gone_add(b, entry, err));
    }
    next->retired_count = kept;
    return LITH_OK;
}

/* Forgotten after the window; not while such a file is there, since it would come alive, nor while
 * a listed orphan has it as an input. */
static void gone_clean(struct lith_commit_build *b, const struct lith_clean *clean)
{
    struct lith_manifest *next = &b->next;
    size_t kept = 0;
    size_t row = 0;

    for (size_t i = 0; i < next->gone_count; i++) {
        const struct lith_entry *entry = &next->gone[i];
        const struct lith_object *object = lith_listing_find(clean->listing, entry->name);
        int64_t until = 0;
        bool runs =
            !lith_add_i64(entry->at_ns, clean->replay_window_ns, &until) || b->stamp->at_ns < until;
        bool would_live = object && object->size == entry->size &&
                          !lith_name_index_find(&b->files, entry->name, &row);
        if (runs || would_live || is_kept(clean, entry->name))
            next->gone[kept++] = *entry;
    }
    next->gone_count = kept;
}

/* What was condemned and is gone. The name of what was retired is free once that has left
 * `retired`, whatever bears it now; it stays condemned while it is retired (kept for an orphan). */
static enum lith_code condemned_clean(struct lith_commit_build *b, const struct lith_clean *clean,
                                      struct lith_err *err)
{
    struct lith_manifest *next = &b->next;
    struct lith_name_index retired;
    void *block = NULL;
    size_t kept = 0;
    size_t row = 0;

    LITH_TRY(lith_commit_build_index(next->retired, next->retired_count, b->arena, &retired, err));
    LITH_TRY(lith_arena_array(b->arena, next->condemned_count, sizeof(char *), &block, err));
    const char **condemned = block;
    for (size_t i = 0; i < next->condemned_count; i++) {
        const char *name = next->condemned[i];
        bool was_retired = lith_name_index_find(&b->retired, name, &row);
        bool is_there = !was_retired && lith_listing_shows(clean->listing, name);
        if (is_there || lith_name_index_find(&retired, name, &row))
            condemned[kept++] = name;
    }
    next->condemned = condemned;
    next->condemned_count = kept;
    return LITH_OK;
}

enum lith_code lith_commit_clean(const struct lith_manifest *base, const struct lith_clean *clean,
                                 const struct lith_stamp *stamp, struct lith_arena *arena,
                                 bool *ret_changed, struct lith_manifest *ret_next,
                                 struct lith_err *err)
{
    struct lith_commit_build b;

    LITH_TRY(lith_commit_build_begin(&b, base, LITH_OP_CLEAN, false, base->retired_count, stamp,
                                     arena, err));
    LITH_TRY(retired_clean(&b, clean, err));
    gone_clean(&b, clean);
    LITH_TRY(condemned_clean(&b, clean, err));
    bool changed = b.next.retired_count != base->retired_count ||
                   b.next.gone_count != base->gone_count ||
                   b.next.condemned_count != base->condemned_count;
    LITH_TRY(lith_commit_build_end(&b, ret_next, err));
    *ret_changed = changed;
    return LITH_OK;
}
