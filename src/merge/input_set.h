/*
 * The inputs of a merge: opened on demand, a bounded number at a time.
 *
 * Column by column every input is asked for again, so sources are kept while there are at most
 * the work's open_files_max, and fewer where the system does not give so many; the one used longest
 * ago is let go first.
 */
#ifndef LITH_MERGE_INPUT_SET_H
#define LITH_MERGE_INPUT_SET_H

#include "merge/merge.h"

/* One input. Of 600,000 there are as many, so it is small. */
struct lith_input {
    struct lith_source *source;          /* NULL: not open */
    uint64_t footer_offset;              /* known once the footer was read, as is the writer */
    const struct lith_slice *created_by; /* shared by the inputs of one writer */
    uint32_t newer;                      /* neighbours in the order of use, while open */
    uint32_t older;                      /* LITH_NO_INDEX: none */
};

struct lith_input_set {
    struct lith_input *inputs;
    const struct lith_merge_input *names;
    size_t count;
    struct lith_opener *opener;
    size_t open_count;
    size_t open_max;
    uint32_t newest;
    uint32_t oldest;
};

/* `inputs` (for their names) is borrowed; `count` is below LITH_NO_INDEX. */
LITH_MUST_CHECK enum lith_code
lith_input_set_init(struct lith_input_set *set, const struct lith_merge_input *inputs, size_t count,
                    struct lith_opener *opener, const struct lith_work *work, struct lith_err *err);
/* A zeroed set is a no-op. */
void lith_input_set_done(struct lith_input_set *set);

/* Input `index` with its source open, until the next call. Failures name the file. */
LITH_MUST_CHECK enum lith_code lith_input_set_get(struct lith_input_set *set, size_t index,
                                                  struct lith_input **ret_input,
                                                  struct lith_err *err);

/* Closes an input that will not be read again, or not soon. */
void lith_input_set_close(struct lith_input_set *set, size_t index);

#endif
