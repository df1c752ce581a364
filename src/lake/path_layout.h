/*
 * Layout patterns: paths without name=value, such as {db}/{yyyy}/{mm}/{dd}. Private to lake.
 */
#ifndef LITH_LAKE_PATH_LAYOUT_H
#define LITH_LAKE_PATH_LAYOUT_H

#include "base/bytes.h"
#include "base/err.h"

/* One {field} of a layout and what it stands for in a path; both borrowed. */
struct lith_path_field {
    struct lith_slice name;
    struct lith_slice value;
};

/* Fields in one part of a path: more have no use. */
#define LITH_PATH_FIELDS_MAX 8u

/*
 * Matches one part of a path against one part of a layout. Time fields ({yyyy}, {mm}, {dd}, {hh},
 * {min}) take exactly 4 or 2 digits; any other takes what stands before the literal behind it,
 * at least one byte. No match: 0 fields. INVALID: a layout that cannot be read.
 */
LITH_MUST_CHECK enum lith_code
lith_path_layout_match(struct lith_slice pattern, struct lith_slice part,
                       struct lith_path_field ret_fields[LITH_PATH_FIELDS_MAX], size_t *ret_count,
                       struct lith_err *err);

#endif
