/*
 * The source chunks of a merge, transposed: for each leaf column the chunks of all units in order.
 *
 * Inputs come one after another, and a merge asks for one column of all of them, then for the next.
 * So what is needed of each chunk, a compact record and the chunk's bytes where its file is
 * not to be opened again, is gathered in batches of a few MiB and laid down column by column in
 * spools: a column of a batch, its run, is then read forward. Batches end when they are full, and
 * where an output row group does. DESIGN.md section 7.
 */
#ifndef LITH_MERGE_COLUMN_RUNS_H
#define LITH_MERGE_COLUMN_RUNS_H

#include "base/read_ahead.h"
#include "base/work.h"
#include "merge/schema_union.h"
#include "merge/source_chunk.h"

/* Units [unit_begin, unit_end) of all leaves, in the spools. */
struct lith_run_batch {
    uint32_t unit_begin;
    uint32_t unit_end;
    uint64_t records_offset; /* of the table of runs, then the records */
    uint64_t staged_offset;
    bool has_staged; /* false: scratch did not take the chunks' bytes */
};

/* The entries of one leaf in the open batch. */
struct lith_run_chain {
    uint32_t first; /* offset in the batch */
    uint32_t last;
    uint64_t record_bytes;
    uint64_t staged_bytes;
};

struct lith_column_runs {
    const struct lith_work *work;
    uint32_t leaf_count;
    bool stages; /* false once scratch refused bytes, or half of it is taken: records go on */
    struct lith_spool records;
    struct lith_spool staged;
    struct lith_run_batch *batches;
    size_t batch_count;
    uint32_t unit_count;
    /* The open batch: units [open_begin, unit_count). */
    uint32_t open_begin;
    struct lith_buf open;
    size_t open_bytes_max;
    struct lith_run_chain *chains; /* one per leaf */
};

void lith_column_runs_init(struct lith_column_runs *runs, const struct lith_work *work,
                           uint32_t leaf_count);
/* A zeroed one is a no-op. */
void lith_column_runs_done(struct lith_column_runs *runs);

/* The largest file that is worth giving to lith_column_runs_add: half of a batch. */
size_t lith_column_runs_file_bytes_max(const struct lith_work *work);

/*
 * Appends the chunks of the next unit, one for each leaf. `places` says where in the footer's
 * schema they stand; NULL: leaf by leaf. `bytes` is a memory source over the input file,
 * or over the part of it that was read, at the file's offsets; NULL: its chunks are not staged.
 * Nothing is borrowed afterwards. That scratch is full or cannot be had is no failure as long as
 * there is room for the records.
 */
LITH_MUST_CHECK enum lith_code
lith_column_runs_add(struct lith_column_runs *runs, const struct lith_footer *footer,
                     uint32_t row_group, const struct lith_union_place *places,
                     struct lith_source *bytes, struct lith_err *err);

/* Ends the batch: the next unit begins a new output row group. */
LITH_MUST_CHECK enum lith_code lith_column_runs_cut(struct lith_column_runs *runs,
                                                    struct lith_err *err);

/* The last unit has come: ends the batch and gives back what only adding needs. From here on any
 * number of cursors may be open, also in different threads. */
LITH_MUST_CHECK enum lith_code lith_column_runs_finish(struct lith_column_runs *runs,
                                                       struct lith_err *err);

/* A run's part in one of the spools: read forward. */
struct lith_run_part {
    struct lith_spool *spool;
    uint64_t at;
    uint64_t end;
    struct lith_read_ahead ahead; /* over a spool in a file */
    struct lith_buf large;        /* what does not fit its buffer */
};

/* Walks one leaf over units. Single-thread. */
struct lith_run_cursor {
    struct lith_column_runs *runs;
    uint32_t leaf;
    uint32_t unit;
    uint32_t unit_end;
    size_t batch; /* of `unit` */
    struct lith_run_part records;
    struct lith_run_part staged;
    int64_t *histograms; /* of the last chunk */
};

/* Takes no memory yet; what a walk takes is kept for the next one. */
void lith_run_cursor_init(struct lith_run_cursor *cursor, struct lith_column_runs *runs);
/* A zeroed one is a no-op. */
void lith_run_cursor_done(struct lith_run_cursor *cursor);

/* Begins a walk over units [unit_begin, unit_end), which are whole batches, hence whole row
 * groups. */
void lith_run_cursor_open(struct lith_run_cursor *cursor, uint32_t leaf, size_t unit_begin,
                          size_t unit_end);

/* The next chunk; *ret_end at the end. Everything borrowed is valid until the next call. */
LITH_MUST_CHECK enum lith_code lith_run_cursor_next(struct lith_run_cursor *cursor,
                                                    struct lith_source_chunk *ret_chunk,
                                                    bool *ret_end, struct lith_err *err);

#endif
