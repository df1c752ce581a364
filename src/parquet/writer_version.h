/*
 * Who wrote a file, from created_by: "NAME version X.Y.Z ..." (or vX.Y.Z), and which of its claims
 * to distrust.
 *
 * A writer is known by its exact name: "parquet-cpp" and "parquet-cpp-arrow" are two.
 * parquet-splice.md sections 1.2 and 3.5.
 */
#ifndef LITH_PARQUET_WRITER_VERSION_H
#define LITH_PARQUET_WRITER_VERSION_H

#include "base/bytes.h"
#include "parquet/order.h"

struct lith_writer_version {
    struct lith_slice name; /* borrowed; empty when nothing is said */
    uint32_t major;         /* all 0 when there is no version that can be read */
    uint32_t minor;
    uint32_t patch;
    bool is_release; /* the numbers are all there is: no "-SNAPSHOT", "rc1" */
};

struct lith_writer_version lith_writer_version_of(struct lith_slice created_by);

/* Whether it is `name` before the release `major`.`minor`.`patch`: also when it is of no known
 * version, or of a version that leads to that release. */
bool lith_writer_is_before(const struct lith_writer_version *writer, const char *name,
                           uint32_t major, uint32_t minor, uint32_t patch);

/* Whether parquet-mr 1.x with x < minor, or one without a version, wrote the file. */
bool lith_is_old_parquet_mr(struct lith_slice created_by, uint8_t minor);

/* Whether a writer's min_value and max_value, and those of its column indexes, are bounds: it is
 * not known for wrong ones, or, of decimals stored as bytes, it is known for right ones. */
bool lith_writer_knows_bounds(struct lith_slice created_by, const struct lith_schema_node *leaf);

/* Whether a writer's null counts count nulls. */
bool lith_writer_knows_nulls(struct lith_slice created_by);

#endif
