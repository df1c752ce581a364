/*
 * A manifest's text by its outline, for its parser: what is short is parsed, the long tables are
 * noted and walked over. A JSON tree is about ten times its text, so a table's rows are read one at
 * a time, the plain ones (all that Lithify writes, but for odd names) in place. Private to lake.
 */
#ifndef LITH_LAKE_MANIFEST_OUTLINE_H
#define LITH_LAKE_MANIFEST_OUTLINE_H

#include "base/json_row.h"
#include "lake/manifest.h"

/* The tables that are walked over. */
enum lith_manifest_table {
    LITH_TABLE_NAMES, /* the plain field `files` */
    LITH_TABLE_LOG,
    LITH_TABLE_FILES,
    LITH_TABLE_RETIRED,
    LITH_TABLE_GONE,
    LITH_TABLE_CONDEMNED,
    LITH_TABLE_COUNT
};

struct lith_manifest_reader {
    const char *file;
    struct lith_arena *arena;
    const struct lith_listing *listing; /* whose texts may be borrowed */
    bool has_unknown;
    const char *last_id; /* commit ids come in runs: one copy for each */
    struct lith_json_span tables[LITH_TABLE_COUNT];
    struct lith_json *owned; /* an array: the trees that stay, or may */
    size_t charged;          /* for them */
};

/* Parses one value; its bytes are charged until lith_manifest_tree_drop or, kept, with the
 * manifest. */
LITH_MUST_CHECK enum lith_code lith_manifest_tree_parse(struct lith_manifest_reader *r,
                                                        struct lith_json_span span,
                                                        struct lith_json **ret_tree,
                                                        size_t *ret_cost, struct lith_err *err);
void lith_manifest_tree_drop(struct lith_manifest_reader *r, struct lith_json *tree, size_t cost);
/* Takes the tree, also on failure: it stays as long as the manifest. */
LITH_MUST_CHECK enum lith_code lith_manifest_tree_keep(struct lith_manifest_reader *r,
                                                       struct lith_json *tree, size_t cost,
                                                       struct lith_err *err);

/* The members of the root, or of its `lithify`, sorted out: tables are noted, `lithify` is noted
 * in `ours` (of_root), all else is parsed into the object `into`. */
struct lith_members {
    bool of_root;
    struct lith_json *into;
    struct lith_json_span ours;
};

/* Sorts out the members of `span`, an object; `what` names it in errors. `members->of_root` is set,
 * the rest is filled in. CORRUPT, also for a member that is there twice. */
LITH_MUST_CHECK enum lith_code lith_manifest_members(struct lith_manifest_reader *r,
                                                     struct lith_members *members,
                                                     struct lith_json_span span, const char *what,
                                                     struct lith_err *err);

/* The rows of a table that was noted, cleared (an absent one is empty); the walk stands before the
 * first. */
LITH_MUST_CHECK enum lith_code
lith_manifest_table_begin(struct lith_manifest_reader *r, enum lith_manifest_table table,
                          size_t row_bytes, struct lith_json_walk *ret_walk, void **ret_rows,
                          size_t *ret_count, struct lith_err *err);
/* A row of a table: an object's cells, or the text of a bare name. */
struct lith_manifest_row {
    struct lith_json_row cells;
    struct lith_json_span text; /* of a table of texts; NULL: it is none */
    struct lith_json *tree;     /* of one that is not plain; else NULL */
    size_t cost;
};

/* The next row of a table that was counted: an object with these keys, or (`known` NULL) a text.
 * To be ended. */
LITH_MUST_CHECK enum lith_code lith_manifest_row_next(struct lith_manifest_reader *r,
                                                      struct lith_json_walk *walk,
                                                      const char *const *known,
                                                      struct lith_manifest_row *ret_row,
                                                      struct lith_err *err);
/* With `keep` its tree stays as long as the manifest. Returns `code`, or what that came to. */
LITH_MUST_CHECK enum lith_code lith_manifest_row_end(struct lith_manifest_reader *r,
                                                     struct lith_manifest_row *row, bool keep,
                                                     enum lith_code code, struct lith_err *err);

#endif
