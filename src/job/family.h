/*
 * Several partitions below another one, as one folder: what a roll-up merges.
 *
 * Objects are named CHILD/NAME. Its list is what it was given; opening one goes to the child's
 * folder, new outputs and the clock to the folder of the partition above, and there is no manifest.
 * So a look, a plan and a merge work on it as on any partition. Nothing in it can be replaced or
 * deleted.
 */
#ifndef LITH_JOB_FAMILY_H
#define LITH_JOB_FAMILY_H

#include "store/store.h"

struct lith_family_child {
    const char *name; /* its last part of the path */
    struct lith_folder *folder;
};

struct lith_family {
    struct lith_folder base;
    struct lith_store store;
    struct lith_folder *parent;
    const struct lith_family_child *children; /* sorted by name */
    size_t child_count;
    struct lith_listing listing; /* sorted by name */
};

/* Borrows all of it. Needs no end. */
void lith_family_init(struct lith_family *family, struct lith_folder *parent,
                      const struct lith_family_child *children, size_t child_count);

/* The child that an object is of, and its bare name there; NULL for a name of no child. */
const struct lith_family_child *lith_family_child_of(const struct lith_family *family,
                                                     const char *name, const char **ret_bare);

#endif
