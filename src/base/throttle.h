/*
 * A rate of bytes that is kept by waiting: a token bucket.
 *
 * What flows through a source or a sink is let through at the rate, with bursts of a tenth of a
 * second. Several threads may share one; each waits for its own bytes.
 */
#ifndef LITH_BASE_THROTTLE_H
#define LITH_BASE_THROTTLE_H

#include <signal.h>

#include "base/env.h"
#include "base/source.h"

struct lith_throttle;

/* `cancel` may be NULL; once it is set nobody waits any longer. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_throttle_new(struct lith_mem *mem, struct lith_env *env,
                                                 uint64_t bytes_per_second,
                                                 const volatile sig_atomic_t *cancel,
                                                 struct lith_throttle **ret_throttle,
                                                 struct lith_err *err);
/* NULL is a no-op. */
void lith_throttle_free(struct lith_throttle *throttle);

/* Returns when so many bytes more may flow. */
void lith_throttle_take(struct lith_throttle *throttle, uint64_t bytes);

/* A source over `inner`, which it ends with itself: also where this fails. */
LITH_MUST_CHECK enum lith_code lith_throttle_source(struct lith_throttle *throttle,
                                                    struct lith_source *inner, struct lith_mem *mem,
                                                    struct lith_source **ret_source,
                                                    struct lith_err *err);

/* A sink in front of `inner`, which stays its owner's. */
struct lith_throttled_sink {
    struct lith_sink base;
    struct lith_sink *inner;
    struct lith_throttle *throttle;
};
void lith_throttled_sink_init(struct lith_throttled_sink *sink, struct lith_sink *inner,
                              struct lith_throttle *throttle);

#endif
