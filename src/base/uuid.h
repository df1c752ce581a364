/*
 * UUID version 7 (RFC 9562 section 5.7): 48 bits of milliseconds, then randomness.
 *
 * Two made one after the other in one process sort in that order.
 */
#ifndef LITH_BASE_UUID_H
#define LITH_BASE_UUID_H

#include "base/env.h"

#define LITH_UUID_TEXT_BYTES 37

struct lith_uuid_source {
    struct lith_env *env;
    uint64_t last_ms;
    uint16_t last_counter; /* 12 bits behind the time */
};

/* "0198f0c2-7c1e-7000-8000-0123456789ab", lower case, zero-terminated. */
void lith_uuid7(struct lith_uuid_source *source, char ret_text[LITH_UUID_TEXT_BYTES]);

#endif
