/*
 * The names of parquet.thrift's enumerations, and the width of a value.
 */
#include "parquet/types.h"

#include <assert.h>

#include "base/err.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Numbers come from files: anything outside the table, or in a hole of it, has no name. */
static const char *name_at(const char *const *names, size_t count, int number)
{
    return number >= 0 && (size_t)number < count ? names[number] : NULL;
}

const char *lith_type_name(int type)
{
    static const char *const names[] = {
        "BOOLEAN", "INT32",  "INT64",      "INT96",
        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
    };
    static_assert(COUNT(names) == LITH_TYPE_COUNT, "a name per type");

    return name_at(names, COUNT(names), type);
}

const char *lith_encoding_name(int encoding)
{
    static const char *const names[] = {
        [LITH_ENCODING_PLAIN] = "PLAIN",
        [LITH_ENCODING_PLAIN_DICTIONARY] = "PLAIN_DICTIONARY",
        [LITH_ENCODING_RLE] = "RLE",
        [LITH_ENCODING_BIT_PACKED] = "BIT_PACKED",
        [LITH_ENCODING_DELTA_BINARY_PACKED] = "DELTA_BINARY_PACKED",
        [LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY] = "DELTA_LENGTH_BYTE_ARRAY",
        [LITH_ENCODING_DELTA_BYTE_ARRAY] = "DELTA_BYTE_ARRAY",
        [LITH_ENCODING_RLE_DICTIONARY] = "RLE_DICTIONARY",
        [LITH_ENCODING_BYTE_STREAM_SPLIT] = "BYTE_STREAM_SPLIT",
    };
    static_assert(COUNT(names) == LITH_ENCODING_COUNT, "a name per encoding");

    return name_at(names, COUNT(names), encoding);
}

const char *lith_page_type_name(int page_type)
{
    static const char *const names[] = {
        [LITH_PAGE_DATA] = "DATA_PAGE",
        [LITH_PAGE_INDEX] = "INDEX_PAGE",
        [LITH_PAGE_DICTIONARY] = "DICTIONARY_PAGE",
        [LITH_PAGE_DATA_V2] = "DATA_PAGE_V2",
    };

    return name_at(names, COUNT(names), page_type);
}

const char *lith_repetition_name(int repetition)
{
    static const char *const names[] = {
        [LITH_REQUIRED] = "REQUIRED",
        [LITH_OPTIONAL] = "OPTIONAL",
        [LITH_REPEATED] = "REPEATED",
    };

    return name_at(names, COUNT(names), repetition);
}

const char *lith_converted_name(int converted_type)
{
    static const char *const names[] = {
        [LITH_CONVERTED_UTF8] = "UTF8",
        [LITH_CONVERTED_MAP] = "MAP",
        [LITH_CONVERTED_MAP_KEY_VALUE] = "MAP_KEY_VALUE",
        [LITH_CONVERTED_LIST] = "LIST",
        [LITH_CONVERTED_ENUM] = "ENUM",
        [LITH_CONVERTED_DECIMAL] = "DECIMAL",
        [LITH_CONVERTED_DATE] = "DATE",
        [LITH_CONVERTED_TIME_MILLIS] = "TIME_MILLIS",
        [LITH_CONVERTED_TIME_MICROS] = "TIME_MICROS",
        [LITH_CONVERTED_TIMESTAMP_MILLIS] = "TIMESTAMP_MILLIS",
        [LITH_CONVERTED_TIMESTAMP_MICROS] = "TIMESTAMP_MICROS",
        [LITH_CONVERTED_UINT_8] = "UINT_8",
        [LITH_CONVERTED_UINT_16] = "UINT_16",
        [LITH_CONVERTED_UINT_32] = "UINT_32",
        [LITH_CONVERTED_UINT_64] = "UINT_64",
        [LITH_CONVERTED_INT_8] = "INT_8",
        [LITH_CONVERTED_INT_16] = "INT_16",
        [LITH_CONVERTED_INT_32] = "INT_32",
        [LITH_CONVERTED_INT_64] = "INT_64",
        [LITH_CONVERTED_JSON] = "JSON",
        [LITH_CONVERTED_BSON] = "BSON",
        [LITH_CONVERTED_INTERVAL] = "INTERVAL",
    };

    return name_at(names, COUNT(names), converted_type);
}

const char *lith_logical_name(int logical_kind)
{
    static const char *const names[] = {
        [LITH_LOGICAL_STRING] = "STRING",       [LITH_LOGICAL_MAP] = "MAP",
        [LITH_LOGICAL_LIST] = "LIST",           [LITH_LOGICAL_ENUM] = "ENUM",
        [LITH_LOGICAL_DECIMAL] = "DECIMAL",     [LITH_LOGICAL_DATE] = "DATE",
        [LITH_LOGICAL_TIME] = "TIME",           [LITH_LOGICAL_TIMESTAMP] = "TIMESTAMP",
        [LITH_LOGICAL_INTEGER] = "INTEGER",     [LITH_LOGICAL_UNKNOWN] = "UNKNOWN",
        [LITH_LOGICAL_JSON] = "JSON",           [LITH_LOGICAL_BSON] = "BSON",
        [LITH_LOGICAL_UUID] = "UUID",           [LITH_LOGICAL_FLOAT16] = "FLOAT16",
        [LITH_LOGICAL_VARIANT] = "VARIANT",     [LITH_LOGICAL_GEOMETRY] = "GEOMETRY",
        [LITH_LOGICAL_GEOGRAPHY] = "GEOGRAPHY", [LITH_LOGICAL_FILE] = "FILE",
    };

    return name_at(names, COUNT(names), logical_kind);
}

size_t lith_type_width(enum lith_type type, int32_t type_length)
{
    static const uint8_t widths[] = {
        [LITH_TYPE_BOOLEAN] = 1,    [LITH_TYPE_INT32] = 4,
        [LITH_TYPE_INT64] = 8,      [LITH_TYPE_INT96] = 12,
        [LITH_TYPE_FLOAT] = 4,      [LITH_TYPE_DOUBLE] = 8,
        [LITH_TYPE_BYTE_ARRAY] = 0, [LITH_TYPE_FIXED_LEN_BYTE_ARRAY] = 0,
    };
    static_assert(COUNT(widths) == LITH_TYPE_COUNT, "a width per type");

    LITH_ASSERT((unsigned)type < LITH_TYPE_COUNT);
    if (type != LITH_TYPE_FIXED_LEN_BYTE_ARRAY)
        return widths[type];
    LITH_ASSERT(type_length > 0);
    return (size_t)type_length;
}
