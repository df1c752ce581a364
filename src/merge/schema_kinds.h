/*
 * The kinds of schemas that a merge's inputs have, and what they join to.
 *
 * Of very many inputs there are few kinds. Each is kept once, in the order of first appearance;
 * the union is made from them, and says where each of its columns stands in each kind.
 */
#ifndef LITH_MERGE_SCHEMA_KINDS_H
#define LITH_MERGE_SCHEMA_KINDS_H

#include "merge/schema_union.h"
#include "parquet/footer.h"

/* What the field ids of a schema are worth. */
enum lith_ids {
    LITH_IDS_SOME, /* not all fields have one */
    LITH_IDS_MADE, /* all have, but they say nothing: a program numbered fields as they came, or
                      gave one id several times */
    LITH_IDS_ALL,
};

/* An output whose field ids somebody counted says so under this key: LITH_IDS_COUNTED. */
#define LITH_IDS_KEY "lithify.field_ids"
#define LITH_IDS_COUNTED "counted"

/* Whether the fields of a file were numbered as they came, by its writer or that of the files it
 * was made from: one id is then any column. */
bool lith_fields_are_counted(const struct lith_footer *footer);

LITH_MUST_CHECK enum lith_code lith_schema_ids(const struct lith_schema *schema, bool is_counted,
                                               struct lith_mem *mem, enum lith_ids *ret_ids,
                                               struct lith_err *err);

/* The schema as it joins others: without its ids where they are made, copied to `arena`. */
LITH_MUST_CHECK enum lith_code lith_schema_meant(const struct lith_schema *schema,
                                                 enum lith_ids ids, struct lith_arena *arena,
                                                 struct lith_schema *ret_meant,
                                                 struct lith_err *err);

struct lith_kind {
    struct lith_schema schema;  /* normalised */
    struct lith_schema written; /* the same with annotations in the form that its inputs have, where
                                   they agree; the caller's (annotations.h) */
    uint64_t hash;
    bool is_counted; /* lith_fields_are_counted; never where not all fields have ids */
    uint32_t input;  /* the first that has it */
    enum lith_ids ids;
    /* Of each leaf of the union. NULL: the union is this schema, leaf by leaf. */
    const struct lith_union_place *places;
};

struct lith_kinds {
    struct lith_arena *arena; /* everything is in it */
    struct lith_kind *kinds;
    uint32_t count;
    uint32_t last; /* the one that was found last */
};

void lith_kinds_init(struct lith_kinds *kinds, struct lith_arena *arena);

/* The kind of a footer, whose schema is normalised: what it says, and what its ids are worth.
 * LITH_NO_INDEX: it is a new one. `scratch` is for a while. */
LITH_MUST_CHECK enum lith_code lith_kinds_find(struct lith_kinds *kinds,
                                               const struct lith_footer *footer,
                                               struct lith_arena *scratch, uint32_t *ret_kind,
                                               struct lith_err *err);

/* Adds a kind, copied; `input` is the first that has it. */
LITH_MUST_CHECK enum lith_code lith_kinds_add(struct lith_kinds *kinds,
                                              const struct lith_footer *footer, uint32_t input,
                                              struct lith_err *err);

/* Why the kinds do not join. */
struct lith_kinds_conflict {
    const char *text; /* as of lith_union_conflict; NULL: none */
    uint32_t left;    /* kinds */
    uint32_t right;
};

/*
 * Joins all kinds to *ret_schema, and fills their places. `rules` are what the operator allows;
 * which fields are the same is decided by `match`.
 */
LITH_MUST_CHECK enum lith_code
lith_kinds_join(struct lith_kinds *kinds, const struct lith_union_rules *rules,
                enum lith_match match, struct lith_schema *ret_schema,
                struct lith_kinds_conflict *ret_conflict, struct lith_err *err);

/* The union as an output bears it: the annotations of each leaf in the form that all kinds have,
 * where they agree; else in both. */
LITH_MUST_CHECK enum lith_code
lith_kinds_written(const struct lith_kinds *kinds, const struct lith_schema *joined,
                   struct lith_arena *arena, struct lith_schema *ret_written, struct lith_err *err);

#endif
