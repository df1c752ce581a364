/*
 * The journals that a pass finds, and those whose partition it does not meet.
 */
#ifndef LITH_SWEEP_STRAYS_H
#define LITH_SWEEP_STRAYS_H

#include "lake/journal_files.h"
#include "sweep/sweep.h"

/* The journals of a lake, as they were when a pass over it began. */
struct lith_sweep_journals {
    struct lith_journal_files files;
    bool *met; /* by file: it is of a partition that the pass has met */
};

/* Lists them; none for other readers than glob, but fsck looks for them in any lake. Any doubt is a
 * failure: what they speak of must not be merged anew. */
LITH_MUST_CHECK enum lith_code lith_sweep_journals_list(const struct lith_sweep *sweep,
                                                        enum lith_pass kind,
                                                        struct lith_arena *arena,
                                                        struct lith_sweep_journals *ret_journals,
                                                        struct lith_err *err);

/* The pass has met that partition. */
LITH_MUST_CHECK enum lith_code lith_sweep_journals_meet(const struct lith_sweep_journals *journals,
                                                        const char *path, struct lith_mem *mem,
                                                        struct lith_err *err);

/* Tells of each journal that is of no partition that was met, as of a blocked one: its partition
 * was removed, or it is no journal. To fsck it is a finding. A pass over a part of the lake tells
 * of that part alone. */
LITH_MUST_CHECK enum lith_code lith_strays_tell(const struct lith_sweep *sweep, enum lith_pass kind,
                                                const struct lith_sweep_journals *journals,
                                                lith_partition_fn each, void *ctx,
                                                struct lith_err *err);

#endif
