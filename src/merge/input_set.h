/*
 * The inputs of a merge: opened on demand, a bounded number at a time.
 *
 * Column by column every input is asked for again, so sources are kept while there are at most
 * LITH_OPEN_FILES_MAX, and fewer where the system does not give so many; the one used longest ago
 * is let go first.
 */
#ifndef LITH_MERGE_INPUT_SET_H
#define LITH_MERGE_INPUT_SET_H

#include "merge/merge.h"

/* One input. */
struct lith_input {
    const char *name;
    struct lith_source *source; /* NULL: not open */
    uint64_t footer_offset;     /* known once the footer was read, as is the writer */
    struct lith_slice created_by;
    size_t newer; /* neighbours in the order of use, while open; SIZE_MAX: none */
    size_t older;
};

struct lith_input_set {
    struct lith_input *inputs;
    size_t count;
    struct lith_opener *opener;
    struct lith_mem *mem;
    size_t open_count;
    size_t open_max;
    size_t newest;
    size_t oldest;
};

LITH_MUST_CHECK enum lith_code lith_input_set_init(struct lith_input_set *set,
                                                   const struct lith_merge_input *inputs,
                                                   size_t count, struct lith_opener *opener,
                                                   struct lith_mem *mem, struct lith_err *err);
/* A zeroed set is a no-op. */
void lith_input_set_done(struct lith_input_set *set);

/* Input `index` with its source open, until the next call. Failures name the file. */
LITH_MUST_CHECK enum lith_code lith_input_set_get(struct lith_input_set *set, size_t index,
                                                  struct lith_input **ret_input,
                                                  struct lith_err *err);

#endif
