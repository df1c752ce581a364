/*
 * What keeps a file from being merged with any other.
 */
#include "merge/gate.h"

#include "codec/codec.h"

/* A FILE may stand for bytes of its own Parquet file, by offset and size: in another file these
 * would be other bytes. Whether one does is only known row by row. */
static enum lith_code file_annotation_check(const struct lith_schema *schema, struct lith_err *err)
{
    char path[128];

    for (uint32_t i = 1; i < schema->node_count; i++) {
        if (schema->nodes[i].logical.kind != LITH_LOGICAL_FILE)
            continue;
        lith_schema_path(schema, i, path, sizeof(path));
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "column %s is annotated FILE: its values may point to bytes of this very "
                         "file, which a merge would move; leave such files as they are",
                         path);
    }
    return LITH_OK;
}

enum lith_code lith_gate_file(const struct lith_footer *footer, struct lith_err *err)
{
    if (footer->schema.leaf_count == 0)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "the schema has no columns; there is nothing to merge");
    LITH_TRY(file_annotation_check(&footer->schema, err));
    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
            enum lith_code code = lith_codec_check(footer->row_groups[i].chunks[leaf].codec, err);
            if (code == LITH_OK)
                continue;
            char path[128];
            lith_schema_path(&footer->schema, footer->schema.leaves[leaf], path, sizeof(path));
            return lith_err_prefix(err, "row group %u, column %s", i, path);
        }
    }
    return LITH_OK;
}
