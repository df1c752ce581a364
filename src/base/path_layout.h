/*
 * Layout patterns: paths without name=value, such as {db}/{yyyy}/{mm}/{dd}. The options check
 * them, the lake matches paths against them.
 */
#ifndef LITH_BASE_PATH_LAYOUT_H
#define LITH_BASE_PATH_LAYOUT_H

#include "base/bytes.h"
#include "base/err.h"
#include "base/limits.h"

/* One {field} of a layout and what it stands for in a path; both borrowed. */
struct lith_path_field {
    struct lith_slice name;
    struct lith_slice value;
};

/* Fields in one part of a path: more have no use. */
#define LITH_PATH_FIELDS_MAX 8u
/* Keys of one path: every part has one, or a layout's few. */
#define LITH_PATH_KEYS_MAX (LITH_WALK_DEPTH_MAX * 2)

/*
 * Matches one part of a path against one part of a layout. Time fields ({yyyy}, {mm}, {dd}, {hh},
 * {min}) take exactly 4 or 2 digits; any other takes what stands before the literal behind it,
 * at least one byte. *ret_fits is false, and there are 0 fields, where the part is another one.
 * INVALID: a layout that cannot be read.
 */
LITH_MUST_CHECK enum lith_code
lith_path_layout_match(struct lith_slice pattern, struct lith_slice part,
                       struct lith_path_field ret_fields[LITH_PATH_FIELDS_MAX], size_t *ret_count,
                       bool *ret_fits, struct lith_err *err);

/* INVALID, with what is accepted: a layout that no path could be matched against, and one that
 * names nothing. */
LITH_MUST_CHECK enum lith_code lith_path_layout_check(const char *layout, struct lith_err *err);

/* Takes the next part off a path or a layout; empty at its end. */
struct lith_slice lith_path_part_next(const char **at);

#endif
