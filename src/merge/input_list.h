/*
 * The list of inputs that an output carries: which files' rows it holds.
 *
 * One zstd blob between the last row group and the page indexes, found by the footer key
 * `lithify.inputs` ("offset=N bytes=N raw=N count=N hash=32HEX"). The raw form is
 * `name NUL size NEWLINE` per input, sorted by name; the hash is the XXH3-128 of it. Garbage
 * collection reads it before it deletes an orphan. DESIGN.md section 4.
 */
#ifndef LITH_MERGE_INPUT_LIST_H
#define LITH_MERGE_INPUT_LIST_H

#include "codec/codec.h"
#include "parquet/file_writer.h"
#include "merge/merge.h"

#define LITH_INPUT_LIST_KEY "lithify.inputs"
/* Beside it: whose output it is, and of which job. */
#define LITH_PID_KEY "lithify.pid"
#define LITH_JOB_KEY "lithify.job"

/* Writes the blob for inputs [first, last] and makes the key's value in `arena`. */
LITH_MUST_CHECK enum lith_code
lith_input_list_write(struct lith_file_writer *writer, const struct lith_merge_input *inputs,
                      size_t first, size_t last, struct lith_codec_context *codecs,
                      struct lith_arena *arena, struct lith_slice *ret_value, struct lith_err *err);

struct lith_listed_input {
    const char *name;
    uint64_t size;
};

/*
 * Reads the list back; everything lives in `arena`. NOT_FOUND when the footer has none, CORRUPT
 * when it does not parse or its hash differs.
 */
LITH_MUST_CHECK enum lith_code lith_input_list_read(struct lith_source *source,
                                                    const struct lith_footer *footer,
                                                    struct lith_codec_context *codecs,
                                                    struct lith_arena *arena,
                                                    struct lith_listed_input **ret_inputs,
                                                    size_t *ret_count, struct lith_err *err);

#endif
