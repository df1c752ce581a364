/*
 * Sets of files that join: the schemas of a set have one union, and its files one meaning.
 *
 * A file goes to the first set that takes it, in the order of file names, else begins a new one. So
 * sets depend on that order, but only where a file would fit several of them: a file that joins all
 * that its set has changes nothing for the others, and one that leaves takes along only what it
 * alone held together. Each kind of file is joined once, whatever the number of files.
 * parquet-splice.md sections 6.1, 6.2 and 7.4.
 *
 * Columns are matched by name, or, where all files of a set have ids on all fields, by id. A set
 * may have files of both sorts as long as ids and names say the same: then any part of the set
 * merges to the same columns, by ids or by names.
 */
#ifndef LITH_JOB_SCHEMA_SETS_H
#define LITH_JOB_SCHEMA_SETS_H

#include "job/field_names.h"
#include "job/growing_union.h"
#include "merge/meaning.h"
#include "merge/schema_kinds.h"

/* Why a set does not take the files of a later one. Everything is in the arena of the sets. */
struct lith_schema_conflict {
    const char *text;  /* "column a: INT32 against INT64", the earlier set's side first */
    const char *left;  /* the file whose type that is */
    const char *right; /* the first file of the later set */
};

/*
 * One set. With match auto its unions are: of the kinds with ids on all fields, by id and by name
 * (the latter as long as it agrees with the former), and, once there is a kind without, of all
 * kinds by name. Else there is one.
 */
struct lith_schema_set {
    struct lith_meaning meaning;
    struct lith_growing_union by_id;
    struct lith_growing_union ids_by_name;
    struct lith_growing_union by_name;
    struct lith_field_names names;        /* of the kinds with ids */
    bool is_closed;                       /* beyond LITH_UNION_SETS_MAX: takes equal kinds alone */
    bool disagrees;                       /* ids and names do; ids_by_name is not kept any more */
    struct lith_schema_conflict conflict; /* with an earlier set; text NULL: it is the first one */
};

/* Files that are the same to a set. */
struct lith_schema_kind {
    const char *name; /* of its first file */
    uint32_t set;     /* from 1 */
    uint32_t lacks;   /* bit n: key n of sort_by; in a merge another file must have it */
};

/* What decides which files are merged with which. */
struct lith_schema_rules {
    struct lith_union_rules allow; /* by_id is not looked at */
    enum lith_match match;
    const char *sort_by; /* NULL: nothing is sorted; outlives the sets */
};

struct lith_schema_sets {
    struct lith_arena *arena;
    struct lith_schema_rules rules;
    struct lith_hasher *hasher;
    struct lith_hash_map found; /* kind_hash.h; the number of the kind, from 1 */
    struct lith_schema_kind *kinds;
    uint32_t kind_count;
    struct lith_schema_set *sets;
    size_t count;
};

/* Texts and sets are in `arena`; unions and kinds are charged to its budget. */
LITH_MUST_CHECK enum lith_code lith_schema_sets_init(struct lith_schema_sets *sets,
                                                     const struct lith_schema_rules *rules,
                                                     struct lith_arena *arena,
                                                     struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_schema_sets_done(struct lith_schema_sets *sets);

struct lith_schema_file {
    const char *name;
    const struct lith_schema *schema; /* normalised */
    bool is_counted;                  /* lith_fields_are_counted */
    const struct lith_meaning *meaning;
};

/* The number of the file's kind, from 1. INVALID: match is id, and it has no ids. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_schema_sets_find(struct lith_schema_sets *sets,
                                                     const struct lith_schema_file *file,
                                                     uint32_t *ret_kind, struct lith_err *err);

/* Why the set does not join an earlier one; NULL for the first. */
const struct lith_schema_conflict *lith_schema_sets_conflict(const struct lith_schema_sets *sets,
                                                             uint32_t set);

/* Why no files of the set can be merged: what they join to lacks a key of sort_by, say. A text in
 * `arena`, or NULL: they can, or only `lacks` tells. Another kind may change it. */
LITH_MUST_CHECK enum lith_code lith_schema_sets_refusal(const struct lith_schema_sets *sets,
                                                        uint32_t set, struct lith_arena *arena,
                                                        const char **ret_text,
                                                        struct lith_err *err);

/* "column a: INT32 (in x.parquet) against INT64 (in y.parquet)", from `arena`. */
LITH_MUST_CHECK enum lith_code
lith_schema_conflict_text(const struct lith_schema_conflict *conflict, const char *left,
                          const char *right, struct lith_arena *arena, const char **ret_text,
                          struct lith_err *err);

#endif
