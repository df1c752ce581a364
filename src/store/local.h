/*
 * The local store: a directory of a POSIX file system.
 */
#ifndef LITH_STORE_LOCAL_H
#define LITH_STORE_LOCAL_H

#include <signal.h>

#include "store/store.h"

struct lith_local_options {
    const char *root; /* a directory */
    bool single_writer;
    bool may_be_absent; /* the root need not be there yet: lith_folder_make makes it */
    /* What each open folder reads and writes of data files together, a second; 0: as fast as it
     * goes. Needs lith_env.sleep_ns. */
    uint64_t io_bytes_per_second;
    const volatile sig_atomic_t *cancel; /* nobody waits any longer once it is set; may be NULL */
};

/* Opens the root. NOT_FOUND, DENIED, INVALID when it is not a directory. */
LITH_MUST_CHECK enum lith_code lith_local_open(const struct lith_local_options *options,
                                               struct lith_env *env, struct lith_mem *mem,
                                               struct lith_store **ret_store, struct lith_err *err);

#endif
