/*
 * The keys of a sort, as an operator writes them: `tenant,ts:desc:nulls-first`.
 *
 * Keys are separated by commas; behind a column, each after a colon, may stand `asc` or `desc` and
 * `nulls-first` or `nulls-last`. Ascending and nulls last is what is not said, whatever the
 * direction. A column is its path, names joined by dots. A name that holds `:`, `,` or `"`, and one
 * whose dots could be taken for joints, is written in quotes as messages and `inspect` show it:
 * "a:b".c, with \" and \\ and \x1f inside. Where any name of a path is quoted each part is one
 * whole name; without quotes all columns whose path reads the same are meant, and there must be but
 * one.
 */
#ifndef LITH_SORT_SORT_KEY_H
#define LITH_SORT_SORT_KEY_H

#include "parquet/schema.h"

struct lith_sort_key {
    uint32_t leaf; /* of the schema it was found in */
    bool descending;
    bool nulls_first;
};

/*
 * Finds the keys of `text` in a schema; *ret_keys is the arena's. INVALID for a text that is not as
 * above, a column that is not there (near names are told), stands twice or is one of several;
 * UNSUPPORTED for one that has no order of rows: below a list or map, INT96 (the format leaves its
 * order undefined, so no reader would believe ours), INTERVAL, parts of a VARIANT, geometry. LIMIT
 * beyond LITH_SORT_KEYS_MAX.
 */
LITH_MUST_CHECK enum lith_code
lith_sort_keys_parse(const char *text, const struct lith_schema *schema, struct lith_arena *arena,
                     struct lith_sort_key **ret_keys, uint32_t *ret_count, struct lith_err *err);

/*
 * Which keys of `text` have no column in a schema, or one that lith_sort_keys_parse refuses: bit n
 * for key n. INVALID and LIMIT are of the text itself.
 */
LITH_MUST_CHECK enum lith_code lith_sort_keys_lacking(const char *text,
                                                      const struct lith_schema *schema,
                                                      struct lith_arena *arena, uint32_t *ret_lacks,
                                                      struct lith_err *err);

/* Whether `text` can be read, whatever the columns are. INVALID, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_sort_text_check(const char *text, struct lith_arena *arena,
                                                    struct lith_err *err);

#endif
