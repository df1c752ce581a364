/*
 * How schemas join, from the public struct to the rules of the merge; and as text, for the hash
 * that outcomes are bound to.
 */
#ifndef LITH_API_JOINS_H
#define LITH_API_JOINS_H

#include "merge/schema_union.h"

static inline struct lith_union_rules lith_joins_rules(const struct lith_joins *joins)
{
    return (struct lith_union_rules){
        .dates_widen = joins->dates_to_timestamps,
        .strings_widen = joins->bytes_to_strings,
        .any_case = joins->names_by_case,
    };
}

/* INVALID for a match that does not exist. */
LITH_MUST_CHECK enum lith_code lith_joins_check(const struct lith_joins *joins,
                                                struct lith_err *err);

#define LITH_JOINS_TEXT_BYTES 64

/* Empty for the default, so that outcomes from before there was a choice still hold. */
void lith_joins_text(const struct lith_joins *joins, char ret_text[LITH_JOINS_TEXT_BYTES]);

#endif
