/*
 * Reading page headers.
 *
 * A header that ends before its stop byte and one that is wrong are told apart, since the reader
 * of a chunk does not know how long a header is before it has parsed it.
 */
#include "parquet/page_header.h"

#include <inttypes.h>

#include "base/limits.h"
#include "parquet/footer_parse.h"

/* A count or size that is an i32 in the file and must not be negative. */
static uint32_t count_read(struct lith_metadata *m, const struct lith_struct_at *at, bool *negative)
{
    int32_t value = lith_thrift_i32(&m->cursor, at->field);

    *negative |= value < 0;
    return (uint32_t)value;
}

static enum lith_code struct_end(struct lith_metadata *m, struct lith_struct_at *at, bool negative,
                                 struct lith_err *err)
{
    if (negative && !m->cursor.failed)
        return lith_metadata_fail(m, err, LITH_E_CORRUPT, "%s has a negative count or length",
                                  at->rule->name);
    return lith_struct_end(m, at, err);
}

static enum lith_code data_page_parse(struct lith_metadata *m, struct lith_page_header *header,
                                      struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"num_values", LITH_THRIFT_I32, true},
        [2] = {"encoding", LITH_THRIFT_I32, true},
        [3] = {"definition_level_encoding", LITH_THRIFT_I32, true},
        [4] = {"repetition_level_encoding", LITH_THRIFT_I32, true},
        [5] = {"statistics", LITH_THRIFT_STRUCT, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("DataPageHeader", fields);
    struct lith_struct_at at = {.rule = &rule};
    bool negative = false;

    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            header->num_values = count_read(m, &at, &negative);
            break;
        case 2:
            header->encoding = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 3:
            header->def_encoding = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 4:
            header->rep_encoding = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 5:
            LITH_TRY(lith_statistics_parse(m, &header->statistics, err));
            break;
        }
    }
    return struct_end(m, &at, negative, err);
}

static enum lith_code dictionary_page_parse(struct lith_metadata *m,
                                            struct lith_page_header *header, struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"num_values", LITH_THRIFT_I32, true},
        [2] = {"encoding", LITH_THRIFT_I32, true},
        [3] = {"is_sorted", LITH_THRIFT_TRUE, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("DictionaryPageHeader", fields);
    struct lith_struct_at at = {.rule = &rule};
    bool negative = false;

    while (lith_struct_next(m, &at)) {
        if (at.field.id == 1)
            header->num_values = count_read(m, &at, &negative);
        else if (at.field.id == 2)
            header->encoding = lith_thrift_i32(&m->cursor, at.field);
        else
            header->is_sorted = lith_thrift_bool(&m->cursor, at.field);
    }
    return struct_end(m, &at, negative, err);
}

static enum lith_code data_page_v2_parse(struct lith_metadata *m, struct lith_page_header *header,
                                         struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"num_values", LITH_THRIFT_I32, true},
        [2] = {"num_nulls", LITH_THRIFT_I32, true},
        [3] = {"num_rows", LITH_THRIFT_I32, true},
        [4] = {"encoding", LITH_THRIFT_I32, true},
        [5] = {"definition_levels_byte_length", LITH_THRIFT_I32, true},
        [6] = {"repetition_levels_byte_length", LITH_THRIFT_I32, true},
        [7] = {"is_compressed", LITH_THRIFT_TRUE, false},
        [8] = {"statistics", LITH_THRIFT_STRUCT, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("DataPageHeaderV2", fields);
    struct lith_struct_at at = {.rule = &rule};
    bool negative = false;

    header->is_compressed = true;
    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            header->num_values = count_read(m, &at, &negative);
            break;
        case 2:
            header->num_nulls = count_read(m, &at, &negative);
            break;
        case 3:
            header->num_rows = count_read(m, &at, &negative);
            break;
        case 4:
            header->encoding = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 5:
            header->def_bytes = count_read(m, &at, &negative);
            break;
        case 6:
            header->rep_bytes = count_read(m, &at, &negative);
            break;
        case 7:
            header->is_compressed = lith_thrift_bool(&m->cursor, at.field);
            break;
        case 8:
            LITH_TRY(lith_statistics_parse(m, &header->statistics, err));
            break;
        }
    }
    header->def_encoding = LITH_ENCODING_RLE;
    header->rep_encoding = LITH_ENCODING_RLE;
    return struct_end(m, &at, negative, err);
}

/* Only the struct of the page's own type counts; others (fuzzed or odd) are skipped. */
static enum lith_code part_parse(struct lith_metadata *m, const struct lith_struct_at *at,
                                 struct lith_page_header *header, struct lith_err *err)
{
    bool typed = at->seen >> 1 & 1;

    if (typed && at->field.id == 5 && header->type == LITH_PAGE_DATA)
        return data_page_parse(m, header, err);
    if (typed && at->field.id == 7 && header->type == LITH_PAGE_DICTIONARY)
        return dictionary_page_parse(m, header, err);
    if (typed && at->field.id == 8 && header->type == LITH_PAGE_DATA_V2)
        return data_page_v2_parse(m, header, err);
    lith_thrift_skip(&m->cursor, at->field.type);
    return LITH_OK;
}

static enum lith_code header_parse(struct lith_metadata *m, struct lith_page_header *header,
                                   uint32_t *ret_seen, struct lith_err *err)
{
    static const struct lith_field_rule fields[] = {
        [1] = {"type", LITH_THRIFT_I32, true},
        [2] = {"uncompressed_page_size", LITH_THRIFT_I32, true},
        [3] = {"compressed_page_size", LITH_THRIFT_I32, true},
        [4] = {"crc", LITH_THRIFT_I32, false},
        [5] = {"data_page_header", LITH_THRIFT_STRUCT, false},
        [7] = {"dictionary_page_header", LITH_THRIFT_STRUCT, false},
        [8] = {"data_page_header_v2", LITH_THRIFT_STRUCT, false},
    };
    static const struct lith_struct_rule rule = LITH_STRUCT_RULE("PageHeader", fields);
    struct lith_struct_at at = {.rule = &rule};
    bool negative = false;

    while (lith_struct_next(m, &at)) {
        switch (at.field.id) {
        case 1:
            header->type = lith_thrift_i32(&m->cursor, at.field);
            break;
        case 2:
            header->uncompressed_bytes = (int32_t)count_read(m, &at, &negative);
            break;
        case 3:
            header->compressed_bytes = (int32_t)count_read(m, &at, &negative);
            break;
        case 4:
            header->crc = (uint32_t)lith_thrift_i32(&m->cursor, at.field);
            header->has_crc = true;
            break;
        default:
            LITH_TRY(part_parse(m, &at, header, err));
            break;
        }
    }
    *ret_seen = at.seen;
    return struct_end(m, &at, negative, err);
}

static enum lith_code header_check(const struct lith_page_header *header, uint32_t seen,
                                   struct lith_err *err)
{
    static const struct {
        int32_t type;
        unsigned field;
    } parts[] = {{LITH_PAGE_DATA, 5}, {LITH_PAGE_DICTIONARY, 7}, {LITH_PAGE_DATA_V2, 8}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (header->type == parts[i].type && !(seen >> parts[i].field & 1))
            return lith_fail(err, LITH_E_CORRUPT, "a %s without its own header",
                             lith_page_type_name(header->type));
    }
    if (header->type != LITH_PAGE_DATA_V2)
        return LITH_OK;
    uint64_t level_bytes = (uint64_t)header->def_bytes + header->rep_bytes;
    if (level_bytes > (uint64_t)header->compressed_bytes ||
        level_bytes > (uint64_t)header->uncompressed_bytes)
        return lith_fail(err, LITH_E_CORRUPT,
                         "levels of %u and %u bytes in a page of %d bytes (%d "
                         "uncompressed)",
                         header->def_bytes, header->rep_bytes, header->compressed_bytes,
                         header->uncompressed_bytes);
    if (header->num_nulls > header->num_values || header->num_rows > header->num_values)
        return lith_fail(err, LITH_E_CORRUPT, "%u nulls and %u rows in %u values",
                         header->num_nulls, header->num_rows, header->num_values);
    return LITH_OK;
}

enum lith_code lith_page_header_parse(const uint8_t *data, size_t bytes,
                                      struct lith_page_header *ret_header, size_t *ret_bytes,
                                      struct lith_err *err)
{
    struct lith_metadata m = lith_metadata_at(data, bytes, 0, NULL);
    struct lith_page_header header = {0};
    uint32_t seen = 0;

    enum lith_code code = header_parse(&m, &header, &seen, err);
    /* The cursor keeps its end when it merely ran out of bytes (thrift_read.c). */
    if (code != LITH_OK && m.cursor.failed && m.cursor.end == data + bytes &&
        bytes < LITH_PAGE_HEADER_BYTES_MAX)
        return lith_fail(err, LITH_E_NOT_FOUND, "the page header goes on behind %zu bytes", bytes);
    if (code == LITH_OK)
        code = header_check(&header, seen, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "page header");
    *ret_header = header;
    *ret_bytes = (size_t)(m.cursor.next - data);
    return LITH_OK;
}

enum lith_code lith_page_crc_check(const struct lith_page_header *header, uint32_t crc,
                                   struct lith_err *err)
{
    if (header->has_crc && crc != header->crc)
        return lith_fail(err, LITH_E_CORRUPT,
                         "the page's CRC is %08" PRIx32 ", its header says %08" PRIx32
                         ": the bytes were changed after writing",
                         crc, header->crc);
    return LITH_OK;
}
