/*
 * What a job has to know of the contents of files, as a table: the facts of one, whether its rows
 * belong to the path, the inputs that an output lists, the merge of many, and the check of what
 * that wrote.
 *
 * lith_parquet_format is the one there is. The simulator has files of its own, so that a job can be
 * tried in millions of schedules; nothing else of a job knows the difference.
 */
#ifndef LITH_JOB_FORMAT_H
#define LITH_JOB_FORMAT_H

#include "job/check.h"
#include "job/facts.h"
#include "merge/input_list.h"

/* One merge: what it takes, and what it came to. */
struct lith_format_merge {
    const struct lith_job *job;
    const struct lith_merge_input *inputs;
    size_t input_count;
    struct lith_opener *opener; /* of the inputs */
    const char *pid;
    const char *hash; /* of the job, for the footers of outputs */
    enum lith_force force;
    struct lith_merge_outputs *outputs;
    /* Results; the first one also after a failure. */
    size_t bad_input;        /* whose reading failed; SIZE_MAX: none */
    const char *missing_key; /* a key column that none of the inputs has at its top, or NULL */
    int64_t row_count;       /* of all inputs */
    int64_t *rows;           /* of each one; the caller's, zeroed */
};

/* What a file says of its making. In the arena of the call. */
struct lith_origin {
    uint64_t rows;
    bool is_output;  /* it lists inputs; the rest is only then there */
    const char *pid; /* the partition's; "" where it does not say */
    const char *job; /* the same for all outputs of one job, and for every repeat of it; or "" */
    struct lith_listed_input *inputs; /* whose rows it holds, or some of whose */
    size_t input_count;
};

/* Files whose rows are asked for, and what the reading may use. */
struct lith_rows_question {
    const struct lith_verify_files *part;
    const struct lith_verify_files *whole;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    uint64_t seed; /* of the hashes of rows: random */
};

struct lith_format {
    /*
     * Reads what a file says of itself, into `fact`: rows and has_rows first, then its set of those
     * that join, and what it proves by the book's rules of the path. *ret_lists_inputs:
     * lith_format.inputs has something to read. CORRUPT, UNSUPPORTED, INVALID: the file's own
     * reason to stay out.
     */
    enum lith_code (*look)(struct lith_fact_book *book, const struct lith_job *job,
                           struct lith_source *source, const char *name, struct lith_fact *fact,
                           bool *ret_lists_inputs, struct lith_err *err);
    /*
     * Reads what `look` did not find proven. *ret_misfit: which value does not belong to the path,
     * as a text in the job's arena; NULL: all do. Errors as of look. May be NULL where look finds
     * all proven.
     */
    enum lith_code (*belongs)(const struct lith_fact_book *book, const struct lith_job *job,
                              struct lith_source *source, const char **ret_misfit,
                              struct lith_err *err);
    /* The inputs whose rows an output holds, in the arena. CORRUPT where it does not say. */
    enum lith_code (*inputs)(struct lith_source *source, struct lith_codec_context *codecs,
                             struct lith_arena *arena, struct lith_listed_input **ret_inputs,
                             size_t *ret_count, struct lith_err *err);
    /* What a file says of its making. INVALID: it is an output, and does not say of what; CORRUPT,
     * UNSUPPORTED: it cannot be read. NULL: this format knows no origins. */
    enum lith_code (*origin)(struct lith_source *source, struct lith_codec_context *codecs,
                             struct lith_arena *arena, struct lith_origin *ret_origin,
                             struct lith_err *err);
    /* Are all rows of the part among those of the whole, as often? All of both is read. */
    enum lith_code (*holds)(const struct lith_rows_question *question, bool *ret_holds,
                            struct lith_err *err);
    /* Which of `names` is no top-level column of the file: the first one, by number; `count`: each
     * is one. Failures as those of look. */
    enum lith_code (*columns)(const struct lith_job *job, struct lith_source *source,
                              const char *const *names, size_t count, size_t *ret_missing,
                              struct lith_err *err);
    /* Writes the outputs. As lith_merge_new and lith_merge_run. */
    enum lith_code (*merge)(struct lith_format_merge *merge, struct lith_err *err);
    /* As lith_check_output. */
    enum lith_code (*check)(const struct lith_check *check, struct lith_source *source,
                            const struct lith_merge_file *file, struct lith_err *err);
};

/* Static storage. */
const struct lith_format *lith_parquet_format(void);

#endif
