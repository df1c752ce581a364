/*
 * The read-back of one output: verify's view of what a merge wrote.
 */
#ifndef LITH_JOB_CHECK_H
#define LITH_JOB_CHECK_H

#include "merge/merge.h"
#include "verify/verify.h"

struct lith_check {
    enum lith_verify_level level;
    const struct lith_verify_files *inputs; /* of the merge, by its numbers */
    struct lith_codec_context *codecs;
    const struct lith_work *work;
};

/* Checks a finished output, read back through `source`. CORRUPT says what is wrong and where. */
LITH_MUST_CHECK enum lith_code lith_check_output(const struct lith_check *check,
                                                 struct lith_source *source,
                                                 const struct lith_merge_file *file,
                                                 struct lith_err *err);

/*
 * For merges some of whose outputs have rows that were sorted (lith_merge_file.is_mingled), once
 * all are written: all rows of the outputs against those of the inputs, as multisets, where the
 * level asks for contents. CORRUPT where they are not the same.
 */
LITH_MUST_CHECK enum lith_code lith_check_rows(const struct lith_check *check,
                                               const struct lith_verify_files *outputs,
                                               struct lith_err *err);

/* Whether a check failed for what the output holds, and not for want of memory, or to read it. */
bool lith_check_refutes(const struct lith_err *err);

/* Names the output in the failure of its check, and returns the code: only damage says something of
 * what the output holds; a full disk, or the wish to stop, does not. */
enum lith_code lith_check_failed(const char *name, struct lith_err *err);

#endif
