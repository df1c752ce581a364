/*
 * What may be deleted, and why; pure functions of a view, of footers read before, and of "now".
 *
 * Bookkeeping around them: lith_commit_fence before the deletes, lith_commit_clean after.
 * DESIGN.md section 5, GC.
 */
#ifndef LITH_LAKE_GC_H
#define LITH_LAKE_GC_H

#include "lake/snapshot.h"

/* A file that somebody names to be taken at once. */
struct lith_gc_named {
    const char *name;
    const char *etag; /* a superseded file: with this identity alone; NULL: an orphan */
    uint64_t size;
};

struct lith_gc_policy {
    int64_t reader_grace_ns;
    int64_t orphan_grace_ns;
    uint64_t bytes_max; /* the brake: most to delete in this pass */
    bool only_named;    /* nothing but these is looked at, and they have no grace */
    const struct lith_gc_named *named;
    size_t named_count;
    /* So long after an output was lost nothing goes that was superseded before: it may be all that
     * is left of the lost rows. */
    int64_t loss_grace_ns;
};

/* What an orphan's own footer says it holds; from the caller, who reads it. */
struct lith_orphan_inputs {
    const char *name;   /* outlives the list it was found in */
    bool known;         /* false: the footer cannot be read, or does not say */
    const char *unread; /* why it is not known where another try may help; NULL: it would not */
    const char *const *inputs;
    const uint64_t *sizes; /* of the inputs, bytes */
    const bool *is_below;  /* of a partition below, which has its rows or has put them elsewhere */
    size_t input_count;
};

enum lith_gc_verdict {
    LITH_GC_DELETE,
    LITH_GC_KEEP_YOUNG,   /* its grace is not over */
    LITH_GC_KEEP_BRAKE,   /* the pass has deleted its share */
    LITH_GC_KEEP_UNKNOWN, /* an orphan whose inputs are not known */
    LITH_GC_KEEP_NEEDED,  /* an orphan some of whose rows are nowhere else: fsck reports it */
    LITH_GC_KEEP_DIFFERS, /* bears a retired name, is another file */
    LITH_GC_KEEP_LINK,    /* a symbolic link: not ours */
    LITH_GC_KEEP_LOST,    /* superseded before a file was lost; or the lost one, which is back */
    LITH_GC_VERDICT_COUNT
};

/* For a person; static storage. */
const char *lith_gc_verdict_text(enum lith_gc_verdict verdict);

struct lith_gc_item {
    const struct lith_snapshot_file *file;
    struct lith_object target; /* what to give to lith_folder_delete_if: the recorded identity */
    enum lith_gc_verdict verdict;
    bool condemned;     /* by an earlier fence */
    const char *needed; /* KEEP_NEEDED: an input that is nowhere, in the memory of `orphans`;
                           KEEP_LOST: the file that was lost */
};

struct lith_gc_plan {
    struct lith_gc_item *items; /* orphans and temporaries first, then retired; each by name */
    size_t item_count;
    size_t delete_count;
    uint64_t delete_bytes;
    bool fence_wanted;        /* an earlier fence has not condemned all that is to be deleted */
    const char **fence_names; /* what the fence condemns: data names of the deletes */
    size_t fence_count;
    const char **kept; /* sorted: inputs of listed orphans, for lith_commit_clean */
    size_t kept_count;
    bool keep_all;                            /* an orphan's inputs are unknown */
    const struct lith_orphan_inputs *orphans; /* as they were given */
    size_t orphan_count;
    bool clean_wanted; /* named in condemned or retired, absent from the list */
};

/* What an orphan said before the plan was made; NULL: it was not there. */
const struct lith_orphan_inputs *lith_gc_orphan_find(const struct lith_gc_plan *plan,
                                                     const char *name);

/* Does the snapshot show an orphan that came after the plan was made? Nobody knows what it needs.
 */
bool lith_gc_is_orphan_new(const struct lith_gc_plan *plan, const struct lith_snapshot *snapshot);

/* Was an output lost not longer ago than the grace for that? */
bool lith_gc_is_loss_fresh(const struct lith_manifest *manifest,
                           const struct lith_gc_policy *policy, int64_t now_ns);

/*
 * Plans one pass. `view` is open, with a manifest read after its list (lith_view_take). `orphans`
 * stand in the order of their names, and outlive the plan. INVALID with the reason when nothing may
 * be deleted here at all: no manifest or a foreign one, a live file absent or of another identity.
 */
LITH_MUST_CHECK enum lith_code
lith_gc_plan(const struct lith_view *view, const struct lith_orphan_inputs *orphans,
             size_t orphan_count, const struct lith_gc_policy *policy, int64_t now_ns,
             struct lith_arena *arena, struct lith_gc_plan *ret_plan, struct lith_err *err);

#endif
