/*
 * Objects of a folder, as verify opens them: by number, each of its identity.
 */
#ifndef LITH_JOB_STORED_FILES_H
#define LITH_JOB_STORED_FILES_H

#include "job/job.h"
#include "verify/verify.h"

struct lith_stored_files {
    struct lith_folder *folder;
    const struct lith_object *const *objects;
    size_t count;
};

/* Borrows `stored`. A file that changed meanwhile cannot be opened: CONFLICT. */
struct lith_verify_files lith_stored_verify_files(struct lith_stored_files *stored);

/* Are all rows of `part` among those of `whole`, each as often? All of both is read; columns that
 * do not join make other rows. CORRUPT, UNSUPPORTED: a file cannot be read. */
LITH_MUST_CHECK enum lith_code lith_stored_hold(const struct lith_job *job,
                                                struct lith_stored_files *part,
                                                struct lith_stored_files *whole, bool *ret_holds,
                                                struct lith_err *err);

#endif
