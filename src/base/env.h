/*
 * The injected world: clock and randomness reach the library through here only.
 *
 * The real one asks the system; a simulated one makes a whole job a function of its seed.
 */
#ifndef LITH_BASE_ENV_H
#define LITH_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct lith_env {
    /* Nanoseconds since 1970-01-01T00:00:00Z. */
    int64_t (*now_ns)(struct lith_env *env);
    /* Nanoseconds of a clock that never goes back. */
    int64_t (*monotonic_ns)(struct lith_env *env);
    /* Sleeps, or comes back early. Only called where a rate is to be kept, and by jobs with readers
     * = glob. */
    void (*sleep_ns)(struct lith_env *env, int64_t ns);
    /* Fills `to` with unpredictable bytes. */
    void (*random)(struct lith_env *env, void *to, size_t bytes);
    /* Called at each named step of a job; test builds end the process at the step that
     * LITHIFY_CRASH_AT names. */
    void (*step)(struct lith_env *env, const char *name);
};

/* The system's clock and randomness. Static, shared, safe between threads. */
struct lith_env *lith_env_system(void);

/* Where scratch files go unless told otherwise: $TMPDIR, else /tmp. Borrowed. */
const char *lith_env_scratch_directory(void);

#endif
