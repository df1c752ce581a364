/*
 * Pages of nulls: levels and no values.
 *
 * Body (V1): repetition levels where the leaf has any, definition levels, each behind its length.
 */
#include "parquet/null_page.h"

#include "base/hash.h"
#include "base/limits.h"
#include "parquet/level_prefix.h"
#include "parquet/types.h"

/* Branches would depend on the data: without lists below the group, only the level is cut. */
static size_t clip_all(const struct lith_levels *sibling, uint16_t group_def, uint16_t *ret_rep,
                       uint16_t *ret_def)
{
    for (size_t i = 0; i < sibling->count; i++) {
        uint16_t def = sibling->def_levels[i];
        ret_def[i] = def < group_def ? def : group_def;
    }
    if (ret_rep && ret_rep != sibling->rep_levels)
        memset(ret_rep, 0, sibling->count * sizeof(*ret_rep));
    return sibling->count;
}

size_t lith_levels_clip(const struct lith_levels *sibling, uint16_t group_rep, uint16_t group_def,
                        uint16_t *ret_rep, uint16_t *ret_def)
{
    size_t count = 0;

    if (!sibling->rep_levels)
        return clip_all(sibling, group_def, ret_rep, ret_def);
    for (size_t i = 0; i < sibling->count; i++) {
        uint16_t rep = sibling->rep_levels[i];
        uint16_t def = sibling->def_levels[i];
        if (rep > group_rep)
            continue;
        if (ret_rep)
            ret_rep[count] = rep;
        ret_def[count++] = def < group_def ? def : group_def;
    }
    return count;
}

/* Compresses the levels behind the contents of `to`, and describes them. */
static enum lith_code page_finish(struct lith_codec_context *codecs, enum lith_codec codec,
                                  struct lith_slice plain, uint32_t count, struct lith_buf *to,
                                  struct lith_page_header *ret_header, struct lith_err *err)
{
    size_t before = to->bytes;

    LITH_TRY(lith_compress(codecs, codec, plain.data, plain.bytes, to, err));
    *ret_header = (struct lith_page_header){
        .type = LITH_PAGE_DATA,
        .uncompressed_bytes = (int32_t)plain.bytes,
        .compressed_bytes = (int32_t)(to->bytes - before),
        .has_crc = true,
        .crc = lith_crc32(0, to->data + before, to->bytes - before),
        .num_values = count,
        .encoding = LITH_ENCODING_PLAIN,
        .def_encoding = LITH_ENCODING_RLE,
        .rep_encoding = LITH_ENCODING_RLE,
    };
    return LITH_OK;
}

enum lith_code lith_null_page_run(struct lith_codec_context *codecs, enum lith_codec codec,
                                  const struct lith_schema_node *leaf, uint32_t count,
                                  uint16_t level, struct lith_buf *to,
                                  struct lith_page_header *ret_header, struct lith_err *err)
{
    uint8_t body[2 * LITH_LEVEL_RUN_BYTES_MAX];
    size_t bytes = 0;

    LITH_ASSERT(count > 0);
    LITH_ASSERT(count <= LITH_PAGE_POSITIONS_MAX);
    LITH_ASSERT(level < leaf->max_def);
    if (leaf->max_rep) {
        struct lith_level_run rep = lith_level_run(count, 0, leaf->max_rep, true);
        memcpy(body, rep.data, rep.bytes);
        bytes = rep.bytes;
    }
    struct lith_level_run def = lith_level_run(count, level, leaf->max_def, true);
    memcpy(body + bytes, def.data, def.bytes);
    bytes += def.bytes;
    return page_finish(codecs, codec, (struct lith_slice){body, bytes}, count, to, ret_header, err);
}
