/*
 * Which form of an annotation the outputs bear.
 *
 * converted_type and logicalType say the same in most cases, but readers do not all take it so
 * (DuckDB shows TIMESTAMP_MICROS without the logical form as a timestamp without time zone). The
 * form of the inputs stays where they agree; where they differ, both are written.
 */
#ifndef LITH_MERGE_ANNOTATIONS_H
#define LITH_MERGE_ANNOTATIONS_H

#include "parquet/schema.h"

/* Takes from `normalised` the annotations of every node of `written` that `raw`, another input's
 * schema before normalising, has in another form. All three are of equal shape. */
void lith_annotations_join(struct lith_schema *written, const struct lith_schema *raw,
                           const struct lith_schema *normalised);

/* Whether two nodes that mean the same say so in the same way. */
bool lith_annotation_is_same_form(const struct lith_schema_node *a,
                                  const struct lith_schema_node *b);
/* Gives a node the annotations of another. Borrowed. */
void lith_annotation_form_take(struct lith_schema_node *to, const struct lith_schema_node *from);

#endif
