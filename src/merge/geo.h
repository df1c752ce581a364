/*
 * What files say of coordinates: GeoParquet's key `geo`, and reference systems that stand in keys.
 *
 * Encoding, reference system, edges, orientation and epoch decide what the bytes of a column mean,
 * so files may share a footer only where these are equal; kinds of geometries and boxes speak of
 * one file's rows, and are joined. GeoParquet 1.1; parquet-splice.md section 7.2; Geospatial.md of
 * the Parquet format.
 */
#ifndef LITH_MERGE_GEO_H
#define LITH_MERGE_GEO_H

#include "base/json.h"
#include "parquet/footer.h"

#define LITH_GEO_KEY "geo"

/* The value of the key, parsed. */
struct lith_geo {
    struct lith_mem *mem; /* charged with what the tree takes */
    struct lith_json *root;
    size_t charged;
    bool is_joined;
};

/* root NULL: it is none that can be understood, nor joined with others. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_geo_parse(struct lith_slice value, struct lith_mem *mem,
                                              struct lith_geo *ret_geo, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_geo_done(struct lith_geo *geo);

/*
 * Makes of `geo` what is true of the rows of both, which mean the same: geometry_types united ([],
 * "unknown", where either does not say), bbox around both or removed, the greater version; of all
 * else what both say alike. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_geo_join(struct lith_geo *geo, const struct lith_geo *other,
                                             struct lith_err *err);

/*
 * What decides the meaning of coordinates, as a line of text: equal for files whose rows may be
 * joined. It begins with a hash of all of it, so that it may be cut at `room`, from 64 on.
 */
LITH_MUST_CHECK enum lith_code lith_geo_meaning(struct lith_slice value, struct lith_mem *mem,
                                                char *ret_text, size_t room, struct lith_err *err);

/* The key in which a GEOMETRY or GEOGRAPHY column's reference system stands ("projjson:KEY"); false
 * for any other column. */
bool lith_geo_crs_key(const struct lith_schema_node *leaf, struct lith_slice *ret_key);

#endif
