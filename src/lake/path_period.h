/*
 * Time keys of a path, collected one by one. Private to lake.
 */
#ifndef LITH_LAKE_PATH_PERIOD_H
#define LITH_LAKE_PATH_PERIOD_H

#include "lake/path_keys.h"

#define LITH_PATH_UNIT_COUNT 5

/* Starts zeroed. */
struct lith_path_time {
    bool has[LITH_PATH_UNIT_COUNT]; /* year, month, day, hour, minute */
    unsigned units[LITH_PATH_UNIT_COUNT];
    bool broken; /* a time key has a value that is no time */
};

/* Takes a key into account when it is a time key; NULL is a null. */
void lith_path_time_add(struct lith_path_time *time, const char *name, const char *value);

/* Was any time key taken, also one whose value is no time? */
bool lith_path_time_is_named(const struct lith_path_time *time);

/* False when the keys name no period. */
bool lith_path_time_period(const struct lith_path_time *time, int64_t *ret_begin_ns,
                           int64_t *ret_end_ns);

#endif
