/*
 * Fields of one group that would be taken for one another: they have one id, one name, or names
 * that differ by case alone, which Spark and Hive do not tell apart. parquet-splice.md section 6.1.
 */
#ifndef LITH_MERGE_FIELD_CLASH_H
#define LITH_MERGE_FIELD_CLASH_H

#include "merge/type_join.h"

struct lith_field {
    struct lith_slice name;
    bool has_id;
    int32_t id;
    uint32_t node;
    bool is_old; /* it is nothing new that the group has it, so its case is no news either */
};

enum lith_clash {
    LITH_CLASH_NONE,
    LITH_CLASH_ID, /* looked for where ids say something */
    LITH_CLASH_NAME,
    LITH_CLASH_CASE,
};

/* Finds two that clash, in the order of their nodes. Leaves the siblings in another order. */
enum lith_clash lith_fields_clash(struct lith_field *siblings, uint32_t count,
                                  const struct lith_union_rules *rules,
                                  const struct lith_field *ret_pair[2]);

#endif
