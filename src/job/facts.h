/*
 * Facts: what the footers of a partition's live files say, for the planner.
 *
 * A footer is read once per file identity and job; a file that cannot be read, or not merged, has
 * a reason of its own and stays out. Files are numbered into sets whose schemas and meanings join.
 */
#ifndef LITH_JOB_FACTS_H
#define LITH_JOB_FACTS_H

#include "codec/codec.h"
#include "job/job.h"
#include "plan/plan.h"

/* A set of files that may be merged with one another, by its first file. */
struct lith_fact_set {
    struct lith_schema *schema;
    const char *meaning;
};

/* What is known of one file, by its identity. */
struct lith_fact {
    struct lith_facts facts;
    const char *etag;
    uint64_t size;
};

struct lith_fact_book {
    struct lith_arena *arena; /* of everything below */
    struct lith_fact *known;  /* sorted by name */
    size_t known_count;
    size_t known_capacity;
    struct lith_facts *facts; /* the same for the planner, sorted by name */
    size_t count;
    size_t capacity;
    struct lith_fact_set *sets;
    size_t set_count;
    const char *lost_output; /* an output whose inputs are present: a manifest was lost; or NULL */
    struct lith_codec_context *codecs;
};

LITH_MUST_CHECK enum lith_code lith_fact_book_init(struct lith_fact_book *book,
                                                   struct lith_arena *arena, struct lith_mem *mem,
                                                   struct lith_err *err);
void lith_fact_book_done(struct lith_fact_book *book);

/* Which footers a look needs. */
enum lith_fact_scope {
    LITH_FACTS_LATE, /* of files that the manifest does not name as they are */
    LITH_FACTS_ALL,  /* of live files too */
};

/*
 * Reads the footers that are not known yet, by name, size and etag. A file that vanished or
 * changed meanwhile is CONFLICT; a failure of the machine (IO, NOMEM, LIMIT) is passed on; what
 * is wrong with a file itself becomes its reason.
 */
LITH_MUST_CHECK enum lith_code lith_fact_book_fill(struct lith_fact_book *book,
                                                   const struct lith_job *job,
                                                   const struct lith_snapshot *snapshot,
                                                   enum lith_fact_scope scope,
                                                   struct lith_err *err);

/* A present file whose name is retired, but which is another file (DESIGN.md section 5, "same
 * name, other bytes"). */
bool lith_fact_is_replaced(const struct lith_snapshot_file *file);

/* The facts of a file, or NULL. */
const struct lith_facts *lith_fact_book_find(const struct lith_fact_book *book, const char *name);

#endif
