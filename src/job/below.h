/*
 * A file of a partition below, as an output of a roll-up lists it: "CHILD/NAME".
 */
#ifndef LITH_JOB_BELOW_H
#define LITH_JOB_BELOW_H

#include "job/job.h"

enum lith_below {
    LITH_BELOW_UNKNOWN, /* nothing there says of it, or the partition cannot be read */
    LITH_BELOW_LIVE,    /* it is there, with its rows */
    LITH_BELOW_MOVED,   /* a commit there put its rows elsewhere */
};

/* What the partition below says of the file of that name and size. A name that is not of that form
 * is unknown; so are all to a family, which knows its children alone. NOMEM, LIMIT, CANCELLED, and
 * failures of reading that may pass. */
LITH_MUST_CHECK enum lith_code lith_below_look(const struct lith_job *job, const char *name,
                                               uint64_t size, enum lith_below *ret_below,
                                               struct lith_err *err);

#endif
