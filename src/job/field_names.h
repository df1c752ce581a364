/*
 * The names that fields have had in the files of a set that is matched by field id.
 *
 * A union knows a field's last name alone. A name that one file gives to one field and another file
 * to another would join as long as a file between them tells that the first was renamed, and no
 * more once that file is not among those that are merged.
 */
#ifndef LITH_JOB_FIELD_NAMES_H
#define LITH_JOB_FIELD_NAMES_H

#include "base/hash_map.h"
#include "parquet/schema.h"

/* Memory follows the names, not the files. */
struct lith_field_names {
    struct lith_hash_map known; /* names below a parent, and such names with the field's id */
    struct lith_hasher *hasher;
    bool any_case; /* names that differ by case alone are two */
};

/* `hasher` is borrowed; what it had is forgotten with each call. */
void lith_field_names_init(struct lith_field_names *names, bool any_case,
                           struct lith_hasher *hasher, struct lith_mem *mem);
/* A zeroed one is a no-op. */
void lith_field_names_done(struct lith_field_names *names);

/* Whether no name of the schema is that of a field of another id beside it, in a schema before. All
 * fields have ids. */
bool lith_field_names_agree(const struct lith_field_names *names, const struct lith_schema *schema);
LITH_MUST_CHECK enum lith_code lith_field_names_add(struct lith_field_names *names,
                                                    const struct lith_schema *schema,
                                                    struct lith_err *err);

#endif
