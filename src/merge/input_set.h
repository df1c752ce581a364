/*
 * The inputs of a merge: opened on demand, a bounded number at a time.
 *
 * Column by column every input is asked for again, so sources are kept while there are at most
 * the work's open_files_max, and fewer where the system does not give so many; the one used longest
 * ago is let go first. Threads may share the set, and with it the open inputs: each has one at a
 * time, which is not let go meanwhile.
 */
#ifndef LITH_MERGE_INPUT_SET_H
#define LITH_MERGE_INPUT_SET_H

#include "base/pool.h"
#include "merge/merge.h"

/* One input. Of 600,000 there are as many, so it is small. */
struct lith_input {
    struct lith_source *source;          /* NULL: not open */
    uint64_t footer_offset;              /* known once the footer was read, as is the writer */
    const struct lith_slice *created_by; /* shared by the inputs of one writer */
    uint32_t kind;                       /* of its schema */
    uint32_t newer;                      /* neighbours in the order of use, while open */
    uint32_t older;                      /* LITH_NO_INDEX: none */
};

/* One thread's hold on the set: the input it got last, and that input's bytes. */
struct lith_input_user {
    struct lith_source guard; /* over `inner`, where reads must be one at a time */
    struct lith_source *inner;
    struct lith_lock *lock;
    uint32_t held; /* LITH_NO_INDEX: none */
};

struct lith_input_set {
    struct lith_input *inputs;
    size_t count;
    struct lith_opener *opener;
    size_t open_count;
    size_t open_max;
    uint32_t newest;
    uint32_t oldest;
    /* While the set is shared. The lock guards all above, and reads of what is not shareable. */
    struct lith_lock *lock;
    struct lith_input_user *users;
    uint32_t user_count;
};

/* `count` is below LITH_NO_INDEX. */
LITH_MUST_CHECK enum lith_code lith_input_set_init(struct lith_input_set *set, size_t count,
                                                   struct lith_opener *opener,
                                                   const struct lith_work *work,
                                                   struct lith_err *err);
/* A zeroed set is a no-op. */
void lith_input_set_done(struct lith_input_set *set);

/* Input `index` with its source open, until the next call. Failures do not name the file: who asks
 * does, since whatever it then does with the file may fail too. */
LITH_MUST_CHECK enum lith_code lith_input_set_get(struct lith_input_set *set, size_t index,
                                                  struct lith_input **ret_input,
                                                  struct lith_err *err);

/* Shares the set between `user_count` threads: from now on only lith_input_set_use opens inputs.
 * Ended with the set. */
LITH_MUST_CHECK enum lith_code lith_input_set_share(struct lith_input_set *set,
                                                    struct lith_mem *mem, uint32_t user_count,
                                                    struct lith_err *err);

/* The bytes of input `index` for thread `user` (from 0), until its next call. */
LITH_MUST_CHECK enum lith_code lith_input_set_use(struct lith_input_set *set, uint32_t user,
                                                  size_t index, struct lith_source **ret_source,
                                                  struct lith_err *err);

/* Closes an input that will not be read again, or not soon. */
void lith_input_set_close(struct lith_input_set *set, size_t index);

#endif
