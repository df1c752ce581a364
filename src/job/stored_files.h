/*
 * Objects of a folder, as verify opens them: by number, each of its identity.
 */
#ifndef LITH_JOB_STORED_FILES_H
#define LITH_JOB_STORED_FILES_H

#include "store/store.h"
#include "verify/verify.h"

struct lith_stored_files {
    struct lith_folder *folder;
    const struct lith_object *const *objects;
    size_t count;
};

/* Borrows `stored`. A file that changed meanwhile cannot be opened: CONFLICT. */
struct lith_verify_files lith_stored_verify_files(struct lith_stored_files *stored);

#endif
