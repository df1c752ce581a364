/*
 * What tests of unions of schemas share: rules as bits, and joining where nothing fails.
 */
#ifndef LITH_TESTS_UNION_SUPPORT_H
#define LITH_TESTS_UNION_SUPPORT_H

#include "schema_text.h"

#include "merge/schema_union.h"

#define BY_ID 1u
#define DATES 2u
#define STRINGS 4u
#define ANY_CASE 8u

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static inline struct lith_union_rules rules_of(unsigned rules)
{
    return (struct lith_union_rules){.by_id = rules & BY_ID,
                                     .dates_widen = rules & DATES,
                                     .strings_widen = rules & STRINGS,
                                     .any_case = rules & ANY_CASE};
}

static inline struct lith_union union_begin(unsigned rules, const struct lith_schema *schema)
{
    struct lith_union_rules words = rules_of(rules);
    struct lith_union u;

    MUST(lith_union_begin(&u, &words, schema, 0, &arena, &err));
    return u;
}

static inline struct lith_union_conflict
union_add(struct lith_union *u, const struct lith_schema *schema, uint32_t origin)
{
    struct lith_union_conflict conflict;

    MUST(lith_union_add(u, schema, origin, &arena, &conflict, &err));
    return conflict;
}

#endif
