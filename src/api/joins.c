/*
 * How schemas join: checked, and as text.
 */
#include "api/joins.h"

#include <stdio.h>

enum lith_code lith_joins_check(const struct lith_joins *joins, struct lith_err *err)
{
    if ((unsigned)joins->match > LITH_MATCH_ID)
        return lith_fail(err, LITH_E_INVALID, "match of columns %u does not exist",
                         (unsigned)joins->match);
    return LITH_OK;
}

void lith_joins_text(const struct lith_joins *joins, char ret_text[LITH_JOINS_TEXT_BYTES])
{
    unsigned allow = (unsigned)joins->dates_to_timestamps | (unsigned)joins->bytes_to_strings << 1 |
                     (unsigned)joins->names_by_case << 2;

    ret_text[0] = '\0';
    if (joins->match != LITH_MATCH_AUTO || allow)
        (void)snprintf(ret_text, LITH_JOINS_TEXT_BYTES, " match=%u allow=%u",
                       (unsigned)joins->match, allow);
}
