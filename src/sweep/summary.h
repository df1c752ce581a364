/*
 * A pass in numbers: reports added up.
 */
#ifndef LITH_SWEEP_SUMMARY_H
#define LITH_SWEEP_SUMMARY_H

#include "lithify.h"

void lith_summary_add(struct lith_summary *summary, const struct lith_partition_report *report);

#endif
