/*
 * Names of outputs: <uuidv7>_<pid>_e<epoch>.parquet, where pid is the partition's own id.
 */
#ifndef LITH_LAKE_OUTPUT_NAME_H
#define LITH_LAKE_OUTPUT_NAME_H

#include <stddef.h>

#include "base/uuid.h"

#define LITH_PID_TEXT_BYTES 9
/* uuid, "_", pid, "_e", 20 digits, ".parquet", zero */
#define LITH_OUTPUT_NAME_BYTES 76

struct lith_output_name {
    char pid[LITH_PID_TEXT_BYTES];
    uint64_t epoch;
};

void lith_output_name_make(struct lith_uuid_source *uuids, const char *pid, uint64_t epoch,
                           char ret_name[LITH_OUTPUT_NAME_BYTES]);

/* True when `name` is exactly of that form; an epoch with leading zeros or above 2^63-1 is not. */
bool lith_output_name_parse(const char *name, struct lith_output_name *ret_parts);

/* True when `name` is that of an output of the partition `pid`. */
bool lith_output_name_is_of(const char *name, const char *pid);

/* 8 random hex digits. */
void lith_pid_draw(struct lith_env *env, char ret_pid[LITH_PID_TEXT_BYTES]);

/* A data file's name: ends in ".parquet", begins with neither _ nor ., at least one character
 * before the suffix. Readers that glob count exactly these. */
bool lith_name_is_data(const char *name);

#endif
