/*
 * What a manifest says of one of its commits, as an event.
 */
#ifndef LITH_JOB_EVENT_OF_H
#define LITH_JOB_EVENT_OF_H

#include "lake/manifest.h"

/*
 * Fills what `manifest` knows of the commit of `entry`, one of its log; names are borrowed. Of the
 * last commit it knows all: what it took out of the live set, and what it brought in. Of an earlier
 * one it is known only where rows say that nothing is missing; else lists are NULL. `base` is what
 * the commit was built on, for what is condemned; NULL: not at hand.
 */
LITH_MUST_CHECK enum lith_code lith_event_of(const struct lith_manifest *manifest,
                                             const struct lith_log_entry *entry,
                                             const struct lith_manifest *base,
                                             struct lith_arena *arena, struct lith_event *ret_event,
                                             struct lith_err *err);

/* The same text where it is UTF-8; else with %XX for each byte that belongs to no character. */
LITH_MUST_CHECK enum lith_code lith_text_as_utf8(const char *text, struct lith_arena *arena,
                                                 const char **ret_text, struct lith_err *err);

#endif
