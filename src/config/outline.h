/*
 * The outline of a YAML file: the keys of its one mapping, the lines they stand on, and whether a
 * list follows. What errors need and a loader does not keep.
 */
#ifndef LITH_CONFIG_OUTLINE_H
#define LITH_CONFIG_OUTLINE_H

#include "base/arena.h"

struct lith_outline_key {
    const char *name;
    size_t line; /* from 1 */
    bool is_list;
};

struct lith_outline {
    struct lith_outline_key *keys;
    size_t count;
};

/*
 * Walks the events of the text. INVALID, with the line: no YAML; a top that is no mapping; a
 * second document; anchors, aliases and tags (a configuration needs none); keys that are no words;
 * lists in lists and mappings in mappings.
 */
LITH_MUST_CHECK enum lith_code lith_outline_read(const uint8_t *text, size_t bytes,
                                                 struct lith_arena *arena,
                                                 struct lith_outline *ret_outline,
                                                 struct lith_err *err);

#endif
