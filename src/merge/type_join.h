/*
 * The type that holds the values of two leaf columns of one name.
 *
 * Types that mean the same join for nothing; a few widen: integers to more bits, of the same sign,
 * FLOAT to DOUBLE, decimals of one scale to more digits, a column of nothing but nulls to any. All
 * else would change what a value means, and is refused. parquet-splice.md section 6.2.
 */
#ifndef LITH_MERGE_TYPE_JOIN_H
#define LITH_MERGE_TYPE_JOIN_H

#include "parquet/schema.h"

/* What is left to the operator. */
struct lith_union_rules {
    bool by_id;         /* columns are the same where their field ids are, else where their names */
    bool ids_agree;     /* ids and names, where both are there, must not tell different things */
    bool dates_widen;   /* DATE joins local TIMESTAMP, as the midnight that begins it */
    bool strings_widen; /* BYTE_ARRAY without annotation joins STRING */
    bool any_case;      /* names of one group may differ by case alone */
};

enum lith_type_side {
    LITH_SIDE_NONE, /* no type holds both */
    LITH_SIDE_LEFT,
    LITH_SIDE_RIGHT,
};

/* Which of two normalised leaves has the type that holds both; the annotation may be the other's:
 * *ret_annotation. */
enum lith_type_side lith_type_join(const struct lith_schema_node *left,
                                   const struct lith_schema_node *right,
                                   const struct lith_union_rules *rules,
                                   enum lith_type_side *ret_annotation);

#endif
