/*
 * The commit that gives a partition its manifest.
 */
#ifndef LITH_JOB_ADOPTION_H
#define LITH_JOB_ADOPTION_H

#include "job/look.h"

/*
 * Names what the look's list shows, under a new id. Beside another program's manifest the data
 * files that it does not name become live, or are noted as gone. INVALID when that one names a file
 * that is not there. The look is stale afterwards.
 */
LITH_MUST_CHECK enum lith_code lith_adoption_commit(const struct lith_job *job,
                                                    const struct lith_look *look,
                                                    bool unlisted_live, struct lith_err *err);

#endif
