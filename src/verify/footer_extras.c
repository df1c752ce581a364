/*
 * What the footer says beside what is read of it: a walk of its own over the Thrift bytes.
 *
 * Split planning goes by RowGroup.file_offset, and old readers by ordinals, so that wrong ones
 * lose or double rows elsewhere though everything reads well here.
 */
#include "verify/footer_extras.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/thrift.h"

/* Field numbers of parquet.thrift. */
#define FILE_ROW_GROUPS 4
#define FILE_CREATED_BY 6
#define FILE_COLUMN_ORDERS 7
#define GROUP_COLUMNS 1
#define GROUP_FILE_OFFSET 5
#define GROUP_COMPRESSED 6
#define GROUP_ORDINAL 7
#define CHUNK_FILE_OFFSET 2
#define CHUNK_META_DATA 3
#define CHUNK_LAST 9
#define META_INDEX_PAGE_OFFSET 10
#define META_STATISTICS 12
#define META_LAST 17
#define STATISTICS_NULL_COUNT 3

/* Bytes of a foreign created_by in an error. */
#define CREATED_BY_SHOWN 64u

/* The spec: "<application> version <version> (build <hash>)". */
static const char ours[] = "lithify version ";

struct group {
    bool has_offset;
    bool has_compressed;
    bool has_ordinal;
    int64_t offset;
    int64_t compressed;
    int32_t ordinal;
    int64_t chunk_offset; /* the first file_offset of a chunk that is not 0 */
    int16_t stray_field;  /* of a chunk, that an output must not have; 0: none */
    bool has_nulls_untold;
};

/* Arrow's Rust reader takes a null_count that is absent from Statistics for 0 and finds no nulls;
 * without Statistics it looks. */
static bool statistics_tell_nulls(struct lith_cursor *c)
{
    struct lith_thrift_field field;
    int16_t last_id = 0;
    bool tell = false;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        tell = tell || field.id == STATISTICS_NULL_COUNT;
        lith_thrift_skip(c, field.type);
    }
    return tell;
}

/* An index page is none of ours; what the spec has no number for may hold offsets of its own
 * (extensions have 32767) that meant another file. */
static void meta_parse(struct lith_cursor *c, struct group *group)
{
    struct lith_thrift_field field;
    int16_t last_id = 0;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        if (field.id == META_INDEX_PAGE_OFFSET || field.id > META_LAST)
            group->stray_field = field.id;
        if (field.id == META_STATISTICS && field.type == LITH_THRIFT_STRUCT)
            group->has_nulls_untold |= !statistics_tell_nulls(c);
        else
            lith_thrift_skip(c, field.type);
    }
}

static void chunk_parse(struct lith_cursor *c, struct group *group)
{
    struct lith_thrift_field field;
    int16_t last_id = 0;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        if (field.id == CHUNK_META_DATA) {
            meta_parse(c, group);
            continue;
        }
        if (field.id > CHUNK_LAST)
            group->stray_field = field.id;
        if (field.id != CHUNK_FILE_OFFSET) {
            lith_thrift_skip(c, field.type);
            continue;
        }
        int64_t offset = lith_thrift_i64(c, field);
        if (group->chunk_offset == 0)
            group->chunk_offset = offset;
    }
}

static void chunks_parse(struct lith_cursor *c, struct lith_thrift_field field, struct group *group)
{
    uint8_t type = 0;
    uint32_t count = lith_thrift_list(c, field, &type);

    for (uint32_t i = 0; i < count && !c->failed; i++)
        chunk_parse(c, group);
}

static struct group group_parse(struct lith_cursor *c)
{
    struct group group = {.has_offset = false};
    struct lith_thrift_field field;
    int16_t last_id = 0;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        if (field.id == GROUP_COLUMNS) {
            chunks_parse(c, field, &group);
        } else if (field.id == GROUP_FILE_OFFSET) {
            group.has_offset = true;
            group.offset = lith_thrift_i64(c, field);
        } else if (field.id == GROUP_COMPRESSED) {
            group.has_compressed = true;
            group.compressed = lith_thrift_i64(c, field);
        } else if (field.id == GROUP_ORDINAL) {
            group.has_ordinal = true;
            group.ordinal = lith_thrift_i32(c, field);
        } else {
            lith_thrift_skip(c, field.type);
        }
    }
    return group;
}

static enum lith_code group_check(const struct group *group, const struct lith_footer *footer,
                                  uint32_t index, struct lith_err *err)
{
    const struct lith_chunk_meta *chunks = footer->row_groups[index].chunks;
    int64_t compressed = 0;

    for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++)
        compressed += chunks[leaf].total_compressed_size; /* all lie in the file: no overflow */
    if (group->has_compressed && group->compressed != compressed)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 " says total_compressed_size %" PRId64
                         ", its chunks have %" PRId64,
                         index, group->compressed, compressed);
    if (group->has_ordinal && group->ordinal != (int32_t)index)
        return lith_fail(err, LITH_E_CORRUPT, "row group %" PRIu32 " says ordinal %" PRId32, index,
                         group->ordinal);
    if (group->chunk_offset != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 ": a chunk's file_offset is %" PRId64 ", not 0",
                         index, group->chunk_offset);
    if (group->stray_field == META_INDEX_PAGE_OFFSET)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 ": a chunk has an index_page_offset", index);
    if (group->stray_field != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 ": a chunk has the unknown field %" PRId16, index,
                         group->stray_field);
    if (group->has_nulls_untold)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 ": a chunk has statistics without a null_count",
                         index);
    if (!group->has_offset || footer->schema.leaf_count == 0)
        return LITH_OK;
    int64_t first = chunks[0].dictionary_page_offset > 0 ? chunks[0].dictionary_page_offset
                                                         : chunks[0].data_page_offset;
    if (group->offset != first)
        return lith_fail(err, LITH_E_CORRUPT,
                         "row group %" PRIu32 " says file_offset %" PRId64
                         ", its first page is at %" PRId64,
                         index, group->offset, first);
    return LITH_OK;
}

static enum lith_code groups_check(struct lith_cursor *c, struct lith_thrift_field field,
                                   const struct lith_footer *footer, struct lith_err *err)
{
    uint8_t type = 0;
    uint32_t count = lith_thrift_list(c, field, &type);
    uint32_t ordinals = 0;

    if (count != footer->row_group_count)
        c->failed = true;
    for (uint32_t i = 0; i < count && !c->failed; i++) {
        struct group group = group_parse(c);
        ordinals += group.has_ordinal;
        LITH_TRY(group_check(&group, footer, i, err));
    }
    if (ordinals != 0 && ordinals != count)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRIu32 " of %" PRIu32 " row groups have ordinals",
                         ordinals, count);
    return LITH_OK;
}

static enum lith_code footer_walk(struct lith_cursor *c, const struct lith_footer *footer,
                                  struct lith_err *err)
{
    uint32_t leaves = footer->schema.leaf_count;
    struct lith_thrift_field field;
    struct lith_slice created_by = {NULL, 0};
    int16_t last_id = 0;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        if (field.id == FILE_ROW_GROUPS) {
            LITH_TRY(groups_check(c, field, footer, err));
        } else if (field.id == FILE_COLUMN_ORDERS) {
            uint8_t type = 0;
            uint32_t count = lith_thrift_list(c, field, &type);
            if (count != leaves)
                return lith_fail(err, LITH_E_CORRUPT,
                                 "%" PRIu32 " column orders for %" PRIu32 " columns", count,
                                 leaves);
            for (uint32_t i = 0; i < count && !c->failed; i++)
                lith_thrift_skip(c, type);
        } else if (field.id == FILE_CREATED_BY) {
            created_by = lith_thrift_binary(c, field);
        } else {
            lith_thrift_skip(c, field.type);
        }
    }
    if (c->failed)
        return lith_fail(err, LITH_E_CORRUPT, "a footer of %" PRIu32 " bytes cannot be walked",
                         footer->footer_bytes);
    /* Readers switch their workarounds by it, and apply those of old writers where it is absent. */
    if (created_by.bytes == 0)
        return lith_fail(err, LITH_E_CORRUPT, "created_by is absent");
    if (created_by.bytes < sizeof(ours) - 1 || memcmp(created_by.data, ours, sizeof(ours) - 1) != 0)
        return lith_fail(err, LITH_E_CORRUPT, "created_by \"%.*s\" is another program",
                         (int)lith_min_size(created_by.bytes, CREATED_BY_SHOWN),
                         (const char *)created_by.data);
    return LITH_OK;
}

enum lith_code lith_footer_extras_check(struct lith_source *source,
                                        const struct lith_footer *footer, struct lith_mem *mem,
                                        struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc(mem, footer->footer_bytes, &block, err));
    enum lith_code code =
        lith_source_read(source, footer->footer_offset, block, footer->footer_bytes, err);
    if (code == LITH_OK) {
        struct lith_cursor c = lith_cursor_at(block, footer->footer_bytes);
        code = footer_walk(&c, footer, err);
    }
    lith_free(block);
    return code;
}
