/*
 * The inputs of a merge: opened on demand, a bounded number at a time.
 *
 * Column by column every input is asked for again, so sources and parsed footers are kept while
 * they fit: at most LITH_OPEN_FILES_MAX sources, footers up to a share of the budget. What does
 * not fit is read again: memory stays bounded, time pays.
 */
#ifndef LITH_MERGE_INPUT_SET_H
#define LITH_MERGE_INPUT_SET_H

#include "merge/merge.h"

/* One input while it is in use. */
struct lith_input {
    const char *name;
    struct lith_source *source; /* NULL: not open */
    struct lith_footer *footer; /* NULL: not held */
    struct lith_arena arena;    /* of the footer */
    size_t footer_bytes;
    uint64_t used_at; /* for the choice of what to let go */
};

struct lith_input_set {
    struct lith_input *inputs;
    size_t count;
    struct lith_opener *opener;
    const struct lith_work *work;
    size_t open_count;
    size_t footer_bytes;
    uint64_t clock;
};

LITH_MUST_CHECK enum lith_code
lith_input_set_init(struct lith_input_set *set, const struct lith_merge_input *inputs, size_t count,
                    struct lith_opener *opener, const struct lith_work *work, struct lith_err *err);
void lith_input_set_done(struct lith_input_set *set);

/*
 * Input `index` with source and footer ready. Both stay until the next call. Failures name the
 * file. The footer's schema is normalised.
 */
LITH_MUST_CHECK enum lith_code lith_input_set_get(struct lith_input_set *set, size_t index,
                                                  const struct lith_input **ret_input,
                                                  struct lith_err *err);

#endif
