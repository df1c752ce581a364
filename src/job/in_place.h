/*
 * What is in place of a manifest, also where that is none: for those who put another one there.
 */
#ifndef LITH_JOB_IN_PLACE_H
#define LITH_JOB_IN_PLACE_H

#include "job/job.h"
#include "lake/commit.h"

struct lith_in_place {
    struct lith_view view; /* without a manifest that can be read: list and blob alone */
    const struct lith_manifest *manifest; /* ours; NULL: none, or one that cannot be read */
    const char *bad;                      /* the name of one that cannot be read, else NULL */
    struct lith_err why;                  /* why not */
};

/*
 * Reads the manifest, then lists. INVALID, with what to do, for what nobody may put another one
 * over: another program's manifest, a newer one, two of them.
 */
LITH_MUST_CHECK enum lith_code lith_in_place_take(const struct lith_job *job,
                                                  struct lith_in_place *ret_place,
                                                  struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_in_place_done(struct lith_in_place *place);

/*
 * Commits over it, as lith_job_commit does. A manifest that cannot be read is kept beside it, under
 * a name that neither readers nor passes take: _lithify_manifest_<16 hex digits>.bad.
 */
LITH_MUST_CHECK enum lith_code lith_in_place_commit(const struct lith_job *job,
                                                    const struct lith_in_place *place,
                                                    struct lith_manifest *next,
                                                    struct lith_err *err);

/* The highest epoch in the names of outputs of `pid` that are there, finished or not. */
uint64_t lith_in_place_epoch(const struct lith_in_place *place, const char *pid);

static inline void lith_in_place_auto(struct lith_in_place *place)
{
    lith_in_place_done(place);
}

#endif
