/*
 * The union of schemas: what the outputs of a merge have, and where each of their columns stands in
 * an input.
 *
 * Fields are the same where their path of names is (or their field ids). Each group of the union
 * has the fields of all schemas in the order of their first appearance; what some schema lacks is
 * OPTIONAL. Lists and maps join by their shape, whatever their inner names. What does not join is a
 * conflict, and names both sides. parquet-splice.md sections 6.1 to 6.5.
 */
#ifndef LITH_MERGE_SCHEMA_UNION_H
#define LITH_MERGE_SCHEMA_UNION_H

#include "merge/type_join.h"

struct lith_union {
    struct lith_union_rules rules;
    struct lith_schema schema; /* normalised */
    uint32_t *origins;         /* of each node: the schema whose type it has, as add was told */
    bool *lacks_id; /* of each node: some schema that has the field has no id for it. It is kept, by
                       rules.ids_agree, for those to come; the output should not bear it */
};

/* Begins with one schema, normalised, which is copied to `arena`. `origin` is the caller's number
 * of it. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_union_begin(struct lith_union *u,
                                                const struct lith_union_rules *rules,
                                                const struct lith_schema *schema, uint32_t origin,
                                                struct lith_arena *arena, struct lith_err *err);

/* Why a schema does not join. */
struct lith_union_conflict {
    const char *text; /* "column a.b: INT32 against BYTE_ARRAY STRING", the union's side first;
                         NULL: none */
    uint32_t origin;  /* the schema that the union's side comes from; the added one, where two of
                         its own fields clash */
};

/* Adds one more. On a conflict the union is what it was; one name twice in a group is one, even
 * where all schemas have it. By ids the names are those of the last schema that has the field. All
 * is allocated in `arena`. */
LITH_MUST_CHECK enum lith_code lith_union_add(struct lith_union *u,
                                              const struct lith_schema *schema, uint32_t origin,
                                              struct lith_arena *arena,
                                              struct lith_union_conflict *ret_conflict,
                                              struct lith_err *err);

/* Where a leaf of the union stands in one of the schemas. */
struct lith_union_place {
    uint32_t leaf;   /* of the schema; LITH_NO_INDEX: it lacks it */
    uint32_t group;  /* then: the deepest node of the schema above it that has leaves, and */
    uint32_t fellow; /* a leaf below that group, whose levels are those of the group; LITH_NO_INDEX:
                        every row has the group once, as it has the root */
    uint32_t union_group; /* that group in the union */
    bool is_void;   /* the fellow is the column itself, of a type that has nothing but nulls */
    bool is_narrow; /* `leaf` is stored otherwise than in the union: its values are to be widened */
};

/* The places of all leaves of the union in `schema`, which was added to it. */
LITH_MUST_CHECK enum lith_code lith_union_places(const struct lith_union *u,
                                                 const struct lith_schema *schema,
                                                 struct lith_arena *arena,
                                                 struct lith_union_place **ret_places,
                                                 struct lith_err *err);

/* Whether every field has an id, but for the root and what is known by its place: Iceberg gives
 * none to the repeated groups of lists and maps, nor to what is in a variant. */
bool lith_schema_has_ids(const struct lith_schema *schema);

#endif
