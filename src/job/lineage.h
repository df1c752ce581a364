/*
 * Lineage: which files of a partition hold the rows of which others, by what outputs say of
 * themselves.
 *
 * An output lists its inputs by name and size; so a kin is a name and a size, whether it is there
 * or only listed. What a manifest knows of an output that cannot be read, or is not there, stands
 * in the place of its list: what was retired by the commit that brought it in. Lists are claims;
 * the rows say whether they are true (struct lith_row_judge).
 */
#ifndef LITH_JOB_LINEAGE_H
#define LITH_JOB_LINEAGE_H

#include "job/format.h"
#include "lake/manifest.h"

#define LITH_NO_KIN SIZE_MAX

/* A data file that is there, that the manifest names live, or that an output lists. */
struct lith_kin {
    const char *name;
    uint64_t size;
    const struct lith_object *object; /* NULL: it is not there */
    const char *blocked;              /* why it cannot be read; NULL: it can, or is not there */
    uint64_t rows;
    bool has_rows;
    bool is_output; /* its inputs are known, by its footer or by the manifest */
    bool by_commit; /* by the manifest alone */
    const char *pid;
    const char *job;
    size_t *inputs; /* kins */
    size_t input_count;
};

struct lith_lineage {
    struct lith_kin *files; /* by name, then size; unique */
    size_t count;
    struct lith_arena *arena;
};

/*
 * Reads the footers of all data files of a listing that are no links. `manifest` (NULL: none) is
 * ours. Everything is borrowed from both, or in the arena. CONFLICT: a file vanished or changed.
 */
LITH_MUST_CHECK enum lith_code
lith_lineage_read(const struct lith_job *job, const struct lith_listing *listing,
                  const struct lith_manifest *manifest, struct lith_arena *arena,
                  struct lith_lineage *ret_lineage, struct lith_err *err);

/* The kin of that name and size, or LITH_NO_KIN. */
size_t lith_lineage_find(const struct lith_lineage *lineage, const char *name, uint64_t size);

/* Marks what a file is made of, itself included, as far down as lists are known: `marks` has one
 * for each kin, and keeps those it has. `stack` has room for all kins. */
void lith_lineage_mark(const struct lith_lineage *lineage, size_t kin, bool *marks, size_t *stack);

/* Who says whether the rows of some files are all among those of others, each as often. Kins that
 * are there. A file that cannot be read is CORRUPT or UNSUPPORTED. */
struct lith_row_judge {
    enum lith_code (*holds)(struct lith_row_judge *judge, const size_t *part, size_t part_count,
                            const size_t *whole, size_t whole_count, bool *ret_holds,
                            struct lith_err *err);
};

/* The judge that reads them. */
struct lith_row_reader {
    struct lith_row_judge base;
    const struct lith_job *job;
    const struct lith_lineage *lineage;
};
struct lith_row_reader lith_row_reader_of(const struct lith_job *job,
                                          const struct lith_lineage *lineage);

#endif
