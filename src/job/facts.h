/*
 * Facts: what the footers of a partition's live files say, for the planner.
 *
 * A footer is read once per file identity and job; a file that cannot be read, or not merged, has
 * a reason of its own and stays out. Files are numbered into sets whose schemas join
 * (schema_sets.h). There may be hundreds of thousands of files, so a file is known by a hash of its
 * identity.
 */
#ifndef LITH_JOB_FACTS_H
#define LITH_JOB_FACTS_H

#include "codec/codec.h"
#include "job/above.h"
#include "job/job.h"
#include "job/path_rules.h"
#include "job/schema_sets.h"
#include "plan/plan.h"

/* Whether a file's rows belong to the partition's path, as far as it is known. */
enum lith_belonging {
    LITH_BELONGS,         /* proven, or the path says nothing of its columns */
    LITH_BELONGS_OPEN,    /* its statistics do not tell */
    LITH_BELONGS_SUSPECT, /* going by its statistics, not */
};

/* What is known of one file. */
struct lith_fact {
    struct lith_hash128 id; /* of its name, size and etag */
    uint64_t rows;
    const char *blocked;   /* as in lith_file_facts, as are the bools below; in the book's arena */
    const char *misplaced; /* likewise: rows that do not belong to the path */
    uint32_t kind;         /* of the book's sets; 0: blocked */
    enum lith_belonging belonging;
    bool has_rows;
    bool blocked_for_good;
    bool kept; /* by the lith_fact_book_keep that is going on */
};

struct lith_fact_book {
    struct lith_arena *arena; /* of texts and sets */
    struct lith_mem *mem;
    struct lith_fact *known; /* sorted by id */
    size_t known_count;
    size_t known_capacity;
    struct lith_schema_sets sets;
    struct lith_path_rules rules; /* that rows are held against */
    const char *uncompared;       /* a column that could not be, and why; NULL: none was seen */
    /* An output whose inputs are present, or one whose inputs are held out of sight: a manifest was
     * lost; or NULL. */
    const char *lost_output;
    const char *held_output;
    struct lith_above_doubt above; /* without a manifest: what the partition above has, or may */
    bool above_asked;
    struct lith_codec_context *codecs;
};

/* In the arena and the budget of the job. `keys` are those of its path. */
LITH_MUST_CHECK enum lith_code lith_fact_book_init(struct lith_fact_book *book,
                                                   const struct lith_job *job,
                                                   const struct lith_path_keys *keys,
                                                   struct lith_err *err);
void lith_fact_book_done(struct lith_fact_book *book);

/* Gives back what is known of files that are neither blocked or misplaced nor inputs of a plan. */
void lith_fact_book_keep(struct lith_fact_book *book,
                         const struct lith_snapshot_file *const *inputs, size_t input_count);

/* Gives back what is known; the sets stay. For the time of a merge, which has its plan. */
void lith_fact_book_forget(struct lith_fact_book *book);

/* Which footers a look needs. */
enum lith_fact_scope {
    LITH_FACTS_LATE, /* of files that the manifest does not name as they are */
    LITH_FACTS_ALL,  /* of live files too */
};

/*
 * Reads the footers that are not known yet, by name, size and etag: those of the scope, and those
 * of the `inputs` of a plan. A file that vanished or changed meanwhile is CONFLICT; a failure of
 * the machine (IO, NOMEM, LIMIT) is passed on; what is wrong with a file itself becomes its reason.
 * *ret_read: how many were read.
 */
struct lith_fact_request {
    const struct lith_snapshot *snapshot;
    enum lith_fact_scope scope;
    const struct lith_snapshot_file *const *inputs;
    size_t input_count;
};
LITH_MUST_CHECK enum lith_code lith_fact_book_fill(struct lith_fact_book *book,
                                                   const struct lith_job *job,
                                                   const struct lith_fact_request *request,
                                                   size_t *ret_read, struct lith_err *err);

/* What is known of the snapshot's files, as the planner wants it. */
LITH_MUST_CHECK enum lith_code lith_fact_book_list(const struct lith_fact_book *book,
                                                   const struct lith_snapshot *snapshot,
                                                   struct lith_arena *arena,
                                                   struct lith_file_facts **ret_facts,
                                                   size_t *ret_count, struct lith_err *err);

/* Why the sets from 2 on do not join earlier ones, as texts in `arena`. */
LITH_MUST_CHECK enum lith_code lith_fact_book_conflicts(const struct lith_fact_book *book,
                                                        struct lith_arena *arena,
                                                        const char *const **ret_conflicts,
                                                        size_t *ret_count, struct lith_err *err);

/* Why no files of a set can be merged, by set; NULL: they can. As texts in `arena`. */
LITH_MUST_CHECK enum lith_code lith_fact_book_refusals(const struct lith_fact_book *book,
                                                       struct lith_arena *arena,
                                                       const char *const **ret_refusals,
                                                       struct lith_err *err);

/* A present file under a name that was used before: live or retired as another file, gone, or
 * an output that was lost. It may be that one again, or new data (DESIGN.md section 5, "same name,
 * other bytes"). */
bool lith_fact_is_former(const struct lith_snapshot_file *file);

/* What is known of a present file, or NULL. */
const struct lith_fact *lith_fact_book_find(const struct lith_fact_book *book,
                                            const struct lith_object *object);
/* The same, to be written to: what was found out besides. */
struct lith_fact *lith_fact_book_edit(struct lith_fact_book *book,
                                      const struct lith_object *object);

/* The set of a present file; 0: it is not known. */
uint32_t lith_fact_book_set(const struct lith_fact_book *book, const struct lith_object *object);

#endif
