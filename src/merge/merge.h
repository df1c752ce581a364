/*
 * Merging: many Parquet files into few, column by column.
 *
 * An output row group is the concatenation of whole input row groups. For each leaf column the
 * movers append every source's values to the output chunk, so memory holds about one page and
 * the dictionaries of one column, whatever the number of files. DESIGN.md section 7.
 *
 * The caller opens inputs and gives sinks; names, durability and verification are its own.
 */
#ifndef LITH_MERGE_MERGE_H
#define LITH_MERGE_MERGE_H

#include "base/codec_choice.h"
#include "base/work.h"
#include "merge/erasure.h"
#include "merge/explain.h"
#include "merge/layout.h"
#include "merge/schema_kinds.h"
#include "parquet/footer.h"
#include "parquet/key_counts.h"
#include "parquet/witness.h"

/* Opens inputs by index. The merge closes what it opened; it may open an input several times. */
struct lith_opener {
    enum lith_code (*open)(struct lith_opener *opener, size_t index,
                           struct lith_source **ret_source, struct lith_err *err);
};

struct lith_merge_input {
    const char *name; /* for errors and the list of inputs; borrowed */
    uint64_t size;
};

struct lith_merge_options {
    uint64_t target_file_bytes; /* 0: one output */
    uint64_t row_group_bytes;   /* uncompressed, of the source chunks; 0: no bound */
    bool row_group_by_size;     /* with sort_by: smaller ones, by the size of the inputs, instead */
    int64_t row_group_rows;     /* 0: no bound */
    const char *pid;            /* outputs for a lake: written to the footer; else NULL */
    const char *job;
    struct lith_union_rules allow; /* by_id is decided by `match` and the inputs */
    enum lith_match match;
    struct lith_codec_choice codec;
    enum lith_unknown_keys unknown_keys;
    /* Rows are sorted so (sort/sort_key.h); equal ones stand by the names of their inputs, then as
     * they stand there. NULL: they stay in the order of the inputs. */
    const char *sort_by;
    struct lith_erase erase; /* rows to leave out; not with sort_by */
    enum lith_force force;
    bool check_damage; /* pages to be copied that have no checksum are decompressed, to see whether
                          they can be: for those who will delete the inputs */
    lith_explain explain; /* told of every source chunk as it is planned; NULL: nobody is */
    void *explain_ctx;
    const char *const *key_columns; /* leaf columns whose counts per value are witnessed */
    size_t key_column_count;
    bool skip_witness; /* the witness knows of rows only, and keys are not counted: for those who
                          will not compare contents (verify refuses to, with such a witness) */
};

/* The counts per value of one key column, over the rows of one output file. */
struct lith_merge_key {
    uint32_t leaf;
    struct lith_key_counts counts;
};

/* One finished output file, as the merge knows it. Borrowed for the call of `end`. */
struct lith_merge_file {
    size_t index;
    uint64_t bytes;
    int64_t rows;
    size_t first_input; /* the inputs whose rows it holds: [first_input, last_input] */
    size_t last_input;
    const struct lith_unit *units; /* the source row groups that it is made of, in order */
    size_t unit_count;
    bool is_mingled; /* not so: it has rows of these and others, which were sorted */
    struct lith_witness *witness;
    const struct lith_merge_key *keys; /* one for each key column that the schema has */
    size_t key_count;
};

/* Where outputs go. `begin` gives the sink of output `index`; `end` is told when its last byte was
 * written. On a failure of the merge `end` is not called for the open output. */
struct lith_merge_outputs {
    enum lith_code (*begin)(struct lith_merge_outputs *outputs, size_t index,
                            struct lith_sink **ret_sink, struct lith_err *err);
    enum lith_code (*end)(struct lith_merge_outputs *outputs, const struct lith_merge_file *file,
                          struct lith_err *err);
    /* Called after each row group; may be NULL. */
    void (*row_group)(struct lith_merge_outputs *outputs);
};

/* A merge whose inputs' footers have been read and fit together. */
struct lith_merge;

/*
 * Reads every footer once; twice where not all schemas are one, whose union the outputs then have.
 * CORRUPT, UNSUPPORTED (also schemas that do not join, or meanings that differ) name the file.
 * Everything borrowed outlives the merge.
 */
LITH_MUST_CHECK enum lith_code lith_merge_new(const struct lith_merge_input *inputs,
                                              size_t input_count, struct lith_opener *opener,
                                              const struct lith_merge_options *options,
                                              const struct lith_work *work,
                                              struct lith_merge **ret_merge, struct lith_err *err);

/* Writes the outputs. At most once per merge. */
LITH_MUST_CHECK enum lith_code
lith_merge_run(struct lith_merge *merge, struct lith_merge_outputs *outputs, struct lith_err *err);

/* Plans all chunks as lith_merge_run would, for options.explain, and writes nothing: footers have
 * been read, dictionary pages are. Instead of lith_merge_run. */
LITH_MUST_CHECK enum lith_code lith_merge_explain(struct lith_merge *merge, struct lith_err *err);

/* Compressed bytes of source pages that were moved so far, by mover. */
uint64_t lith_merge_moved(const struct lith_merge *merge, enum lith_mover mover);

/* Rows of all inputs, by their footers, without those that are erased. */
int64_t lith_merge_rows(const struct lith_merge *merge);
/* Rows that are left out. */
uint64_t lith_merge_erased(const struct lith_merge *merge);
/* The first of the key columns that is no top-level column of the inputs; NULL when all are. */
const char *lith_merge_missing_key(const struct lith_merge *merge);
/* Adds the rows of each input to its entry of `rows` (one per input); once lith_merge_run has
 * succeeded, these were all read. */
void lith_merge_rows_by_input(const struct lith_merge *merge, int64_t *rows);
/* After a failed lith_merge_run: the input whose reading failed, or SIZE_MAX when none did. */
size_t lith_merge_bad_input(const struct lith_merge *merge);
/* NULL is a no-op. */
void lith_merge_free(struct lith_merge *merge);

#endif
