/*
 * What a roll-up has of the files of a partition whose manifest is made anew.
 */
#ifndef LITH_JOB_REPAIR_ABOVE_H
#define LITH_JOB_REPAIR_ABOVE_H

#include "job/repair_try.h"

/*
 * Behind the rebuild: what of its live files the partition above has goes to its `out`. *due
 * becomes true where there is such a file: a manifest was lost. *ret_why: what the partition above
 * has cannot be told, as a text in the try's arena.
 */
LITH_MUST_CHECK enum lith_code lith_repair_above_settle(struct lith_repair_try *t, bool *due,
                                                        const char **ret_why, struct lith_err *err);

#endif
