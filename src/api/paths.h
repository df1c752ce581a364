/*
 * Files named by path: opened by number for a merge or a comparison.
 */
#ifndef LITH_API_PATHS_H
#define LITH_API_PATHS_H

#include "api/budget.h"
#include "merge/merge.h"
#include "verify/verify.h"

struct lith_paths {
    struct lith_opener opener; /* for a merge */
    const char *const *paths;
    size_t count;
    struct lith_mem *mem;
};

void lith_paths_init(struct lith_paths *paths, const char *const *list, size_t count,
                     struct lith_mem *mem);

/* The same files for verify; borrows `paths`. */
struct lith_verify_files lith_paths_verify_files(struct lith_paths *paths);

#endif
