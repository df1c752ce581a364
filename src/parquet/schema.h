/*
 * The schema: a tree of groups and leaf columns, kept as the footer's depth-first list.
 *
 * Nodes refer to each other by index, so that nothing recurses. Levels follow the Dremel rule:
 * max_def counts the OPTIONAL and REPEATED nodes on the path, max_rep the REPEATED ones; the root
 * counts for neither. parquet.thrift, SchemaElement; Nested encoding in README.md.
 */
#ifndef LITH_PARQUET_SCHEMA_H
#define LITH_PARQUET_SCHEMA_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "parquet/types.h"

/* A logical annotation. `raw` is the whole LogicalType union as it stood in the footer (thrift
 * compact, ending with its stop byte), so that kinds we do not know survive. */
struct lith_logical {
    int kind; /* enum lith_logical_kind, or a number we do not know */
    struct lith_slice raw;
    bool utc;          /* TIME, TIMESTAMP: isAdjustedToUTC */
    int unit;          /* TIME, TIMESTAMP: enum lith_time_unit */
    int bit_width;     /* INTEGER */
    bool is_signed;    /* INTEGER */
    int32_t scale;     /* DECIMAL */
    int32_t precision; /* DECIMAL */
};

#define LITH_NO_INDEX UINT32_MAX

struct lith_schema_node {
    struct lith_slice name;
    bool is_group;
    enum lith_type type; /* leaves only */
    int32_t type_length; /* FIXED_LEN_BYTE_ARRAY only, > 0 */
    enum lith_repetition repetition;
    int converted_type; /* enum lith_converted_type; -1 = absent */
    bool has_scale;
    bool has_precision;
    bool has_field_id;
    int32_t scale;
    int32_t precision;
    int32_t field_id;
    struct lith_logical logical;
    uint32_t child_count;
    uint32_t parent;     /* LITH_NO_INDEX for the root */
    uint32_t leaf_index; /* LITH_NO_INDEX for groups */
    uint32_t depth;      /* root 0 */
    uint16_t max_def;
    uint16_t max_rep;
};

struct lith_schema {
    struct lith_schema_node *nodes; /* depth first; nodes[0] is the root */
    uint32_t node_count;
    uint32_t *leaves; /* node index of each leaf column, in order */
    uint32_t leaf_count;
};

/*
 * Completes a schema whose nodes were filled from a footer: parents, levels, leaves. CORRUPT
 * for child counts that do not sum up, a type on a group, a bad type_length; LIMIT for depth.
 * A group without children and a root marked REPEATED are accepted (files have them).
 */
LITH_MUST_CHECK enum lith_code lith_schema_link(struct lith_schema *schema,
                                                struct lith_arena *arena, struct lith_err *err);

static inline const struct lith_schema_node *lith_schema_leaf(const struct lith_schema *schema,
                                                              uint32_t leaf)
{
    return &schema->nodes[schema->leaves[leaf]];
}

/* Fills `path` with the nodes from the root's child down to `node`; returns how many they are. */
uint32_t lith_schema_ancestry(const struct lith_schema *schema, uint32_t node,
                              uint32_t path[LITH_SCHEMA_DEPTH_MAX]);

/*
 * Writes the path of a node for people: names joined by ".", names that hold a dot, are empty or
 * hold control characters quoted with `"`. Cut to fit; always terminated. Never used as a key.
 */
void lith_schema_path(const struct lith_schema *schema, uint32_t node, char *to, size_t to_bytes);

/*
 * Fills the missing one of converted_type and logical where the specification says they are
 * equal (LogicalTypes.md), so that two writers' forms compare equal and the output has both.
 * TIME and TIMESTAMP converted types mean UTC; INT_32 and INT_64 equal no annotation only in
 * lith_schema_equal. New raw bytes come from `arena`.
 */
LITH_MUST_CHECK enum lith_code
lith_schema_normalise(struct lith_schema *schema, struct lith_arena *arena, struct lith_err *err);

/* Whether the annotations of two normalised nodes say the same of their types. */
bool lith_schema_annotation_equal(const struct lith_schema_node *a,
                                  const struct lith_schema_node *b);
#define LITH_NODE_TEXT_BYTES 272u
/* Writes what a node is, for people: "INT32 DATE", "a group of 3, LIST". */
void lith_schema_node_text(const struct lith_schema_node *node, char text[LITH_NODE_TEXT_BYTES]);
/* INT32 or INT64 whose annotation, if it has one, says what the type says. */
bool lith_schema_is_plain_integer(const struct lith_schema_node *node);

/*
 * True when two normalised schemas mean the same: names, order, types, repetition, annotations,
 * field ids. Else *ret_difference says which node differs and how ("column a.b: INT32 against
 * INT64"), from `arena`.
 */
LITH_MUST_CHECK enum lith_code lith_schema_equal(const struct lith_schema *a,
                                                 const struct lith_schema *b,
                                                 struct lith_arena *arena, bool *ret_equal,
                                                 const char **ret_difference, struct lith_err *err);

/* A copy in `arena` that borrows nothing of `from`. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_schema_copy(const struct lith_schema *from,
                                                struct lith_arena *arena,
                                                struct lith_schema *ret_schema,
                                                struct lith_err *err);

#endif
