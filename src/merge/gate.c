/*
 * What keeps files from being merged: the rules of one file, and its meaning as text.
 */
#include "merge/gate.h"

#include <stdio.h>

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

static bool starts_with(struct lith_slice text, const char *prefix)
{
    size_t bytes = strlen(prefix);

    return text.bytes >= bytes && memcmp(text.data, prefix, bytes) == 0;
}

static bool is_date_like(const struct lith_schema_node *leaf)
{
    return leaf->logical.kind == LITH_LOGICAL_DATE || leaf->logical.kind == LITH_LOGICAL_TIMESTAMP;
}

/* Reads "3.1" of "3.1.2" as 3001; 0 when the text is no version. */
static unsigned version_of(struct lith_slice text)
{
    unsigned parts[2] = {0, 0};
    size_t at = 0;

    for (int part = 0; part < 2; part++) {
        for (; at < text.bytes && text.data[at] >= '0' && text.data[at] <= '9'; at++) {
            if (parts[part] < 1000)
                parts[part] = parts[part] * 10 + (unsigned)(text.data[at] - '0');
        }
        if (part == 0 && (at == text.bytes || text.data[at++] != '.'))
            return 0;
    }
    return parts[0] * 1000 + (parts[1] < 1000 ? parts[1] : 999);
}

/* "legacy" or "proleptic" as Spark decides by its version key; "session" without one. */
static const char *spark_calendar(const struct lith_footer *footer, const char *legacy_key,
                                  unsigned first_proleptic)
{
    const struct lith_key_value *version = lith_footer_key(footer, "org.apache.spark.version");

    if (!version || !version->value.data)
        return "session";
    if (lith_footer_key(footer, legacy_key) || version_of(version->value) < first_proleptic)
        return "legacy";
    return "proleptic";
}

void lith_gate_meaning(const struct lith_footer *footer, char ret_meaning[LITH_MEANING_BYTES])
{
    static const char *const zone_keys[] = {
        "org.apache.spark.timeZone",
        "writer.time.zone",
        "writer.date.proleptic",
    };
    static const char plain[] = "calendar session";
    bool has_dates = false;
    bool has_int96 = false;

    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
        const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, leaf);
        has_dates = has_dates || is_date_like(node);
        has_int96 = has_int96 || node->type == LITH_TYPE_INT96;
    }
    ret_meaning[0] = '\0';
    if (!has_dates && !has_int96)
        return;
    size_t used = (size_t)snprintf(
        ret_meaning, LITH_MEANING_BYTES, "calendar %s%s%s%s",
        spark_calendar(footer, "org.apache.spark.legacyDateTime", 3000),
        has_int96 ? ", INT96 " : "",
        has_int96 ? spark_calendar(footer, "org.apache.spark.legacyINT96", 3001) : "",
        has_int96 && starts_with(footer->created_by, "parquet-mr") ? " of parquet-mr" : "");
    for (size_t i = 0; i < sizeof(zone_keys) / sizeof(zone_keys[0]); i++) {
        const struct lith_key_value *zone = lith_footer_key(footer, zone_keys[i]);
        if (zone && zone->value.data && used < LITH_MEANING_BYTES)
            used += (size_t)snprintf(ret_meaning + used, LITH_MEANING_BYTES - used, ", %s=%.*s",
                                     zone_keys[i],
                                     (int)(zone->value.bytes < 64 ? zone->value.bytes : 64),
                                     (const char *)zone->value.data);
    }
    /* Nothing is said of them: the same as of files that have none, so that a column of dates can
     * be added. */
    if (strcmp(ret_meaning, plain) == 0)
        ret_meaning[0] = '\0';
}
