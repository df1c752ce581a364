/*
 * How columns are merged, told: as a table, or as JSON (docs/json.md, docs/movers.md).
 */
#ifndef LITH_CLI_EXPLAIN_H
#define LITH_CLI_EXPLAIN_H

#include "base/json.h"

/* A table of sums, a line each, every line with so many spaces in front. */
void lith_explain_print(const struct lith_explanation *list, size_t count, unsigned indent);

/* Bytes by the way they go. */
struct lith_explain_shares {
    uint64_t spliced;
    uint64_t remapped;
    uint64_t regrouped;
    uint64_t recoded;
};

struct lith_explain_shares lith_explain_shares_of(const struct lith_explanation *list,
                                                  size_t count);
/* "spliced 99.8 %, remapped 0.2 %, recoded 0.0 % of 460 MiB of chunks": a plan counts whole chunks,
 * a merge that ran the data pages it moved. */
void lith_explain_shares_print(const struct lith_explain_shares *shares, const char *of,
                               unsigned indent);

/* One explanation as an object; NULL when out of memory. */
struct lith_json *lith_explain_json(const struct lith_explanation *explanation);

#endif
