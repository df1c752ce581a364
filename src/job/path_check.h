/*
 * Row versus path: which inputs of a job hold rows that do not belong to their partition.
 *
 * Footers are judged when they are read. Here the inputs whose statistics do not prove it are
 * decoded, and what was found goes into the manifest, so that the next looks need neither.
 * DESIGN.md section 6.4, docs/path-rows.md.
 */
#ifndef LITH_JOB_PATH_CHECK_H
#define LITH_JOB_PATH_CHECK_H

#include "job/look.h"

/*
 * Decodes what is to be decoded of the inputs, each up to its first value that does not belong.
 * *ret_found: some were found, or are damaged; the plan must be made again with what the book now
 * says. CONFLICT: a file vanished or changed; failures of the machine are passed on.
 */
LITH_MUST_CHECK enum lith_code lith_path_check_inputs(struct lith_fact_book *book,
                                                      const struct lith_job *job,
                                                      const struct lith_plan *plan,
                                                      enum lith_path_check which, bool *ret_found,
                                                      struct lith_err *err);

/* True when the manifest does not know yet of a file that does not belong (or there is none). */
bool lith_path_check_is_news(const struct lith_look *look);

/* Notes such files in a fold, at most LITH_MISPLACED_MAX in the order of names. In `arena`. */
LITH_MUST_CHECK enum lith_code lith_path_check_note(const struct lith_look *look, int64_t now_ns,
                                                    struct lith_arena *arena,
                                                    struct lith_fold *fold, struct lith_err *err);

#endif
