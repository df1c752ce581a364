/*
 * The meaning of coordinates: GeoParquet's key as one line, and keys that hold reference systems.
 *
 * Columns are hashed one by one and summed up, so their order does not count. Where the key cannot
 * be understood its bytes stand for its meaning: such files are joined with their like alone.
 */
#include "merge/geo.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/limits.h"
#include "parquet/thrift.h"

#define CRS_IN_KEY "projjson:"

static void is_object_check(void *ctx, const char *name, const struct lith_json *value)
{
    bool *all = ctx;

    (void)name;
    *all = *all && lith_json_is_object(value);
}

/* Has it the shape that the specification wants? */
static bool is_geo(const struct lith_json *root)
{
    const struct lith_json *columns = lith_json_get(root, "columns");
    bool all = lith_json_is_object(columns) && lith_json_is_text(lith_json_get(root, "version")) &&
               lith_json_is_text(lith_json_get(root, "primary_column"));

    if (all)
        lith_json_each(columns, is_object_check, &all);
    return all;
}

enum lith_code lith_geo_parse(struct lith_slice value, struct lith_mem *mem,
                              struct lith_geo *ret_geo, struct lith_err *err)
{
    struct lith_err ignored;
    size_t cost = lith_json_cost(value.data, value.bytes);
    struct lith_geo geo = {.mem = mem};

    *ret_geo = (struct lith_geo){0};
    if (value.bytes == 0 || cost > LITH_GEO_TREE_BYTES_MAX)
        return LITH_OK;
    LITH_TRY(lith_mem_charge(mem, cost, err));
    geo.charged = cost;
    enum lith_code code = lith_json_parse(value.data, value.bytes, &geo.root, &ignored);
    if (code == LITH_OK && is_geo(geo.root)) {
        *ret_geo = geo;
        return LITH_OK;
    }
    lith_geo_done(&geo);
    if (code == LITH_E_NOMEM)
        return lith_fail(err, code, "%s", ignored.text);
    return LITH_OK;
}

void lith_geo_done(struct lith_geo *geo)
{
    if (!geo->root && !geo->charged)
        return;
    lith_json_free(geo->root);
    lith_mem_release(geo->mem, geo->charged);
    *geo = (struct lith_geo){0};
}

/* Columns as they are walked. */
struct reading {
    struct lith_buf bytes; /* what is hashed of one */
    struct lith_hash128 sum;
    enum lith_code code;
    struct lith_err *err;
};

/* Appends the field as text, or that it is not there. Edges are straight where nothing is said. */
static enum lith_code field_add(struct reading *reading, const struct lith_json *column,
                                const char *name)
{
    const struct lith_json *value = lith_json_get(column, name);
    const char *text = lith_json_text_of(value);

    if (!value || (text && strcmp(name, "edges") == 0 && strcmp(text, "planar") == 0))
        return lith_buf_append_byte(&reading->bytes, 0, reading->err);
    LITH_TRY(lith_json_write(value, 0, &reading->bytes, reading->err));
    return lith_buf_append_byte(&reading->bytes, 1, reading->err);
}

/* What people call the reference system: "EPSG:3857". */
static void crs_name(const struct lith_json *crs, char to[64])
{
    const struct lith_json *id = lith_json_get(crs, "id");
    const struct lith_json *code = lith_json_get(id, "code");
    const char *authority = lith_json_text_of(lith_json_get(id, "authority"));

    if (!crs)
        (void)snprintf(to, 64, "OGC:CRS84");
    else if (authority && lith_json_is_int(code))
        (void)snprintf(to, 64, "%s:%lld", authority, (long long)lith_json_int_of(code));
    else if (authority && lith_json_is_text(code))
        (void)snprintf(to, 64, "%s:%s", authority, lith_json_text_of(code));
    else
        (void)snprintf(to, 64, lith_json_is_object(crs) ? "unnamed" : "undefined");
}

static void column_take(void *ctx, const char *name, const struct lith_json *column)
{
    static const char *const fields[] = {"encoding", "crs", "edges", "orientation", "epoch"};
    struct reading *reading = ctx;

    lith_buf_clear(&reading->bytes);
    if (reading->code == LITH_OK)
        reading->code = lith_buf_append(&reading->bytes, name, strlen(name) + 1, reading->err);
    for (size_t i = 0; reading->code == LITH_OK && i < sizeof(fields) / sizeof(fields[0]); i++)
        reading->code = field_add(reading, column, fields[i]);
    if (reading->code != LITH_OK)
        return;
    reading->sum =
        lith_hash128_add(reading->sum, lith_hash128(reading->bytes.data, reading->bytes.bytes, 0));
}

/* Versions from 1.0 on mean the same by the same fields; drafts may not. */
static const char *version_of(const struct lith_json *root)
{
    const char *version = lith_json_text_of(lith_json_get(root, "version"));
    bool is_released =
        strncmp(version, "1.", 2) == 0 && version[strspn(version, "0123456789.")] == '\0';

    return is_released ? "1" : version;
}

static enum lith_code hash_finish(struct reading *reading, const struct lith_json *root)
{
    const char *primary = lith_json_text_of(lith_json_get(root, "primary_column"));
    const char *version = version_of(root);
    struct lith_buf *bytes = &reading->bytes;

    lith_buf_clear(bytes);
    LITH_TRY(lith_buf_append(bytes, &reading->sum, sizeof(reading->sum), reading->err));
    LITH_TRY(lith_buf_append(bytes, version, strlen(version) + 1, reading->err));
    LITH_TRY(lith_buf_append(bytes, primary, strlen(primary), reading->err));
    reading->sum = lith_hash128(bytes->data, bytes->bytes, 0);
    return LITH_OK;
}

/* The hash of all, and of the primary column what people would look for: nothing that is not in the
 * hash, or texts would differ where meanings are the same. */
static void text_write(char *to, size_t room, struct lith_hash128 hash,
                       const struct lith_json *root)
{
    const char *primary = lith_json_text_of(lith_json_get(root, "primary_column"));
    const struct lith_json *column = lith_json_get(lith_json_get(root, "columns"), primary);
    const char *encoding = lith_json_text_of(lith_json_get(column, "encoding"));
    char digits[33];
    char crs[64];

    lith_hash128_text(hash, digits);
    crs_name(lith_json_get(column, "crs"), crs);
    (void)snprintf(to, room, "geometries %s, %s %s %s", digits, primary,
                   encoding ? encoding : "of no encoding", crs);
}

static void bytes_write(char *to, size_t room, struct lith_slice value)
{
    char digits[33];

    lith_hash128_text(lith_hash128(value.data, value.bytes, 0), digits);
    (void)snprintf(to, room, "geometries %s, not understood", digits);
}

enum lith_code lith_geo_meaning(struct lith_slice value, struct lith_mem *mem, char *ret_text,
                                size_t room, struct lith_err *err)
{
    struct reading reading = {.code = LITH_OK, .err = err};
    struct lith_geo geo;

    LITH_TRY(lith_geo_parse(value, mem, &geo, err));
    if (!geo.root) {
        bytes_write(ret_text, room, value);
        return LITH_OK;
    }
    /* Written anew, numbers may take more room than they had, but not as much as in the tree. */
    lith_buf_init(&reading.bytes, mem, LITH_GEO_TREE_BYTES_MAX);
    lith_json_each(lith_json_get(geo.root, "columns"), column_take, &reading);
    if (reading.code == LITH_OK)
        reading.code = hash_finish(&reading, geo.root);
    if (reading.code == LITH_OK)
        text_write(ret_text, room, reading.sum, geo.root);
    lith_buf_done(&reading.bytes);
    lith_geo_done(&geo);
    return reading.code;
}

bool lith_geo_crs_key(const struct lith_schema_node *leaf, struct lith_slice *ret_key)
{
    struct lith_slice raw = leaf->logical.raw;
    struct lith_thrift_field field;
    struct lith_cursor c = lith_cursor_at(raw.data, raw.bytes);
    int16_t outer = 0;
    int16_t inner = 0;

    if (leaf->logical.kind != LITH_LOGICAL_GEOMETRY && leaf->logical.kind != LITH_LOGICAL_GEOGRAPHY)
        return false;
    if (!lith_thrift_field_next(&c, &outer, &field) || !lith_thrift_struct(&c, field) ||
        !lith_thrift_field_next(&c, &inner, &field) || field.id != 1)
        return false; /* field 1 is the reference system; without it there is a default */
    struct lith_slice crs = lith_thrift_binary(&c, field);
    size_t prefix = strlen(CRS_IN_KEY);
    if (c.failed || !lith_slice_begins(crs, CRS_IN_KEY))
        return false;
    *ret_key = (struct lith_slice){crs.data + prefix, crs.bytes - prefix};
    return true;
}
