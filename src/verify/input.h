/*
 * Files that verify opens: source, footer, and how the columns of a target schema come from it.
 */
#ifndef LITH_VERIFY_INPUT_H
#define LITH_VERIFY_INPUT_H

#include "verify/column.h"
#include "verify/verify.h"

struct lith_input {
    struct lith_source *source;
    bool owned; /* the source is closed with the input */
    struct lith_arena arena;
    struct lith_footer footer; /* its schema is normalised */
    struct lith_leaf_map *maps;
};

/* Reads the footer of a source that stays the caller's. */
LITH_MUST_CHECK enum lith_code lith_input_attach(struct lith_input *input,
                                                 struct lith_source *source, struct lith_mem *mem,
                                                 struct lith_err *err);
/* Opens a file of a set; errors name it. */
LITH_MUST_CHECK enum lith_code lith_input_open(struct lith_input *input,
                                               const struct lith_verify_files *files, size_t index,
                                               struct lith_mem *mem, struct lith_err *err);
/* Fills `maps` for a target that outlives the input. */
LITH_MUST_CHECK enum lith_code
lith_input_map(struct lith_input *input, const struct lith_schema *target, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_input_done(struct lith_input *input);

/* Calls `each` for every row group of the parts, in order, with the file open and mapped. */
LITH_MUST_CHECK enum lith_code
lith_sources_walk(const struct lith_verify_sources *sources, const struct lith_schema *target,
                  struct lith_mem *mem,
                  enum lith_code (*each)(void *ctx, const struct lith_column_file *file,
                                         uint32_t row_group, struct lith_err *err),
                  void *ctx, struct lith_err *err);

#endif
