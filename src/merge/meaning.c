/*
 * The meaning of values: read from key-values and the writer, joined part by part.
 */
#include "merge/meaning.h"

#include <stdio.h>

#include "base/hash.h"
#include "merge/geo.h"

/* Of files without dates whose keys say different things: such a file joins none with dates. */
#define SEVERAL "several calendars"
#define OF_PARQUET_MR "INT96 of parquet-mr"

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

/* Appends what Hive says of time zones: those of its keys that are there. */
static void zones_append(const struct lith_footer *footer, char text[LITH_MEANING_TEXT_BYTES])
{
    static const char *const keys[] = {
        "org.apache.spark.timeZone",
        "writer.time.zone",
        "writer.date.proleptic",
        "writer.zone.conversion.legacy",
    };
    size_t used = strlen(text);

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct lith_key_value *zone = lith_footer_key(footer, keys[i]);
        if (zone && zone->value.data && used < LITH_MEANING_TEXT_BYTES)
            used +=
                (size_t)snprintf(text + used, LITH_MEANING_TEXT_BYTES - used, ", %s=%.*s", keys[i],
                                 (int)(zone->value.bytes < 64 ? zone->value.bytes : 64),
                                 (const char *)zone->value.data);
    }
}

static void calendar_write(const struct lith_footer *footer, const char *what,
                           const char *legacy_key, unsigned first_proleptic,
                           char text[LITH_MEANING_TEXT_BYTES])
{
    (void)snprintf(text, LITH_MEANING_TEXT_BYTES, "%s %s", what,
                   spark_calendar(footer, legacy_key, first_proleptic));
    zones_append(footer, text);
}

static void columns_look(const struct lith_schema *schema, bool *ret_dates, bool *ret_int96)
{
    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        const struct lith_schema_node *node = lith_schema_leaf(schema, leaf);
        *ret_dates = *ret_dates || node->logical.kind == LITH_LOGICAL_DATE ||
                     node->logical.kind == LITH_LOGICAL_TIMESTAMP;
        *ret_int96 = *ret_int96 || node->type == LITH_TYPE_INT96;
    }
}

/* Reference systems that stand in keys of their own, as a hash; empty where none does. */
static void crs_meaning(const struct lith_footer *footer, char ret_text[LITH_MEANING_TEXT_BYTES])
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
        (void)snprintf(ret_text, LITH_MEANING_TEXT_BYTES, "reference systems %s", digits);
}

static bool is_of_parquet_mr(const struct lith_footer *footer)
{
    const struct lith_key_value *key = lith_footer_key(footer, LITH_INT96_KEY);

    return lith_slice_begins(footer->created_by, "parquet-mr") ||
           (key && key->value.data &&
            lith_slice_equal(key->value, lith_slice_text(LITH_INT96_PARQUET_MR)));
}

enum lith_code lith_meaning_of(const struct lith_footer *footer, struct lith_mem *mem,
                               struct lith_meaning *ret_meaning, struct lith_err *err)
{
    const struct lith_key_value *geo = lith_footer_key(footer, LITH_GEO_KEY);
    struct lith_meaning *m = ret_meaning;

    memset(m, 0, sizeof(*m));
    columns_look(&footer->schema, &m->matters[LITH_MEANING_DATES], &m->matters[LITH_MEANING_INT96]);
    calendar_write(footer, "calendar", "org.apache.spark.legacyDateTime", 3000,
                   m->texts[LITH_MEANING_DATES]);
    calendar_write(footer, "INT96", "org.apache.spark.legacyINT96", 3001,
                   m->texts[LITH_MEANING_INT96]);
    m->matters[LITH_MEANING_WRITER] = m->matters[LITH_MEANING_INT96];
    if (m->matters[LITH_MEANING_WRITER])
        (void)snprintf(m->texts[LITH_MEANING_WRITER], LITH_MEANING_TEXT_BYTES, "%s",
                       is_of_parquet_mr(footer) ? OF_PARQUET_MR : "INT96 of another writer");
    m->matters[LITH_MEANING_SYSTEMS] = true;
    m->matters[LITH_MEANING_GEOMETRIES] = true;
    crs_meaning(footer, m->texts[LITH_MEANING_SYSTEMS]);
    if (!geo)
        return LITH_OK;
    return lith_geo_meaning(geo->value, mem, m->texts[LITH_MEANING_GEOMETRIES],
                            LITH_MEANING_TEXT_BYTES, err);
}

/* Whether what two sides say of a part can stand in one footer. */
static bool part_joins(const struct lith_meaning *a, const struct lith_meaning *b, int part)
{
    if (strcmp(a->texts[part], b->texts[part]) == 0 || (!a->matters[part] && !b->matters[part]))
        return true;
    return part == LITH_MEANING_WRITER && !(a->matters[part] && b->matters[part]);
}

bool lith_meaning_join(struct lith_meaning *meaning, const struct lith_meaning *file, int *ret_part)
{
    for (int part = 0; part < LITH_MEANING_COUNT; part++) {
        *ret_part = part;
        if (!part_joins(meaning, file, part))
            return false;
    }
    for (int part = 0; part < LITH_MEANING_COUNT; part++) {
        char *text = meaning->texts[part];
        bool differs = strcmp(text, file->texts[part]) != 0;
        if (differs && part == LITH_MEANING_WRITER && file->matters[part])
            memcpy(text, file->texts[part], LITH_MEANING_TEXT_BYTES);
        else if (differs && part != LITH_MEANING_WRITER)
            (void)snprintf(text, LITH_MEANING_TEXT_BYTES, "%s", SEVERAL);
        meaning->matters[part] = meaning->matters[part] || file->matters[part];
    }
    return true;
}

bool lith_meaning_is_parquet_mr(const struct lith_meaning *meaning)
{
    return meaning->matters[LITH_MEANING_WRITER] &&
           strcmp(meaning->texts[LITH_MEANING_WRITER], OF_PARQUET_MR) == 0;
}

const char *lith_meaning_text(const struct lith_meaning *meaning, int part)
{
    return meaning->texts[part][0] ? meaning->texts[part] : "nothing";
}
