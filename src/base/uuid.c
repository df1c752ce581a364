/*
 * UUID version 7: milliseconds, a 12-bit counter, 62 random bits (RFC 9562, 5.7 and 6.2 method 1).
 *
 * The counter starts at a random place in its lower half at each new millisecond and counts up
 * within it. Full, or with a clock that went back, it carries into the milliseconds: those may
 * run ahead of the clock, they never go back.
 */
#include "base/uuid.h"

#include <stdio.h>
#include <string.h>

#define COUNTER_MAX 0xfffu

/* The time and counter of the next one; `random` seeds the counter. */
static void source_advance(struct lith_uuid_source *source, uint16_t random)
{
    int64_t now_ns = source->env->now_ns(source->env);
    uint64_t now_ms = now_ns > 0 ? (uint64_t)now_ns / 1000000 : 0;

    if (now_ms <= source->last_ms && source->last_counter < COUNTER_MAX) {
        source->last_counter++;
        return;
    }
    source->last_ms = now_ms > source->last_ms ? now_ms : source->last_ms + 1;
    source->last_counter = random & (COUNTER_MAX / 2);
}

void lith_uuid7(struct lith_uuid_source *source, char ret_text[LITH_UUID_TEXT_BYTES])
{
    uint8_t random[10];
    uint16_t start;

    source->env->random(source->env, random, sizeof(random));
    memcpy(&start, random + 8, sizeof(start));
    source_advance(source, start);
    uint64_t ms = source->last_ms & 0xffffffffffffu;
    (void)snprintf(ret_text, LITH_UUID_TEXT_BYTES,
                   "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", (unsigned)(ms >> 16),
                   (unsigned)(ms & 0xffff), 0x7000u | source->last_counter,
                   0x80u | (random[0] & 0x3fu), random[1], random[2], random[3], random[4],
                   random[5], random[6], random[7]);
}
