/*
 * The progress bar: one line on stderr, drawn over itself, only where stderr is a terminal.
 */
#ifndef LITH_CLI_METER_H
#define LITH_CLI_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

struct lith_meter {
    bool on;
    bool utf8;
    bool drawn;             /* there is a line to wipe */
    bool counts_partitions; /* a pass over a lake, whose total is not known */
    int64_t start_ns;
    int64_t last_ns;
    uint64_t partitions;
    uint64_t bytes_before; /* of partitions that are done */
    struct lith_progress now;
    struct lith_lock *lock; /* calls come from every worker */
};

/* `on`: as the user wishes; it stays off when stderr is no terminal. */
LITH_MUST_CHECK enum lith_code lith_meter_init(struct lith_meter *meter, bool on,
                                               struct lith_mem *mem, struct lith_err *err);
void lith_meter_done(struct lith_meter *meter); /* wipes the line */

/* For lith_control.progress; ctx is the meter. */
void lith_meter_progress(void *ctx, const struct lith_progress *progress);
/* A partition of so many input bytes is done. */
void lith_meter_partition(struct lith_meter *meter, uint64_t bytes);
/* Wipes the line, so that something else can be printed; it comes back with the next progress. */
void lith_meter_wipe(struct lith_meter *meter);

#endif
