/*
 * What keeps files from being merged: the rules of one file, and its meaning as text.
 */
#include "merge/gate.h"

#include <stdio.h>

#include "base/hash.h"
#include "codec/codec.h"
#include "merge/geo.h"

/* Room for the parts of a meaning; the last one may be cut, behind its hash. */
#define DATES_BYTES 448u
#define CRS_BYTES 64u
#define GEOMETRIES_BYTES 192u
static_assert(DATES_BYTES + CRS_BYTES + GEOMETRIES_BYTES <= LITH_MEANING_BYTES,
              "what parts are made of, their separators included");

enum lith_code lith_gate_file(const struct lith_footer *footer, struct lith_err *err)
{
    if (footer->schema.leaf_count == 0)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "the schema has no columns; there is nothing to merge");
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

/* How dates and timestamps are to be read; empty where the file has none. */
static void dates_meaning(const struct lith_footer *footer, char ret_text[DATES_BYTES])
{
    static const char *const zone_keys[] = {
        "org.apache.spark.timeZone",
        "writer.time.zone",
        "writer.date.proleptic",
        "writer.zone.conversion.legacy",
    };
    bool has_dates = false;
    bool has_int96 = false;

    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
        const struct lith_schema_node *node = lith_schema_leaf(&footer->schema, leaf);
        has_dates = has_dates || is_date_like(node);
        has_int96 = has_int96 || node->type == LITH_TYPE_INT96;
    }
    if (!has_dates && !has_int96)
        return;
    size_t used = (size_t)snprintf(
        ret_text, DATES_BYTES, "calendar %s%s%s%s",
        spark_calendar(footer, "org.apache.spark.legacyDateTime", 3000),
        has_int96 ? ", INT96 " : "",
        has_int96 ? spark_calendar(footer, "org.apache.spark.legacyINT96", 3001) : "",
        has_int96 && starts_with(footer->created_by, "parquet-mr") ? " of parquet-mr" : "");
    for (size_t i = 0; i < sizeof(zone_keys) / sizeof(zone_keys[0]); i++) {
        const struct lith_key_value *zone = lith_footer_key(footer, zone_keys[i]);
        if (zone && zone->value.data && used < DATES_BYTES)
            used += (size_t)snprintf(ret_text + used, DATES_BYTES - used, ", %s=%.*s", zone_keys[i],
                                     (int)(zone->value.bytes < 64 ? zone->value.bytes : 64),
                                     (const char *)zone->value.data);
    }
}

/* Reference systems that stand in keys of their own, as a hash; empty where none does. */
static void crs_meaning(const struct lith_footer *footer, char ret_text[CRS_BYTES])
{
    struct lith_hash128 sum = {0};
    struct lith_slice name;
    bool any = false;
    char digits[33];

    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
        if (!lith_geo_crs_key(lith_schema_leaf(&footer->schema, leaf), &name))
            continue;
        const struct lith_key_value *crs = lith_footer_key_slice(footer, name);
        if (crs && crs->value.data)
            sum = lith_hash128_add(sum, lith_hash128(crs->value.data, crs->value.bytes, leaf + 1));
        any = true;
    }
    lith_hash128_text(sum, digits);
    if (any)
        (void)snprintf(ret_text, CRS_BYTES, "reference systems %s", digits);
}

enum lith_code lith_gate_meaning(const struct lith_footer *footer, struct lith_mem *mem,
                                 char ret_meaning[LITH_MEANING_BYTES], struct lith_err *err)
{
    const struct lith_key_value *geo = lith_footer_key(footer, LITH_GEO_KEY);
    char dates[DATES_BYTES] = "";
    char crs[CRS_BYTES] = "";
    char geometries[GEOMETRIES_BYTES] = "";

    dates_meaning(footer, dates);
    crs_meaning(footer, crs);
    if (geo)
        LITH_TRY(lith_geo_meaning(geo->value, mem, geometries, sizeof(geometries), err));
    (void)snprintf(ret_meaning, LITH_MEANING_BYTES, "%s%s%s%s%s", dates, *dates && *crs ? "; " : "",
                   crs, (*dates || *crs) && *geometries ? "; " : "", geometries);
    return LITH_OK;
}
