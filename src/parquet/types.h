/*
 * The enumerations of parquet.thrift, with the numbers they have in files.
 */
#ifndef LITH_PARQUET_TYPES_H
#define LITH_PARQUET_TYPES_H

#include <stddef.h>
#include <stdint.h>

enum lith_type {
    LITH_TYPE_BOOLEAN = 0,
    LITH_TYPE_INT32 = 1,
    LITH_TYPE_INT64 = 2,
    LITH_TYPE_INT96 = 3,
    LITH_TYPE_FLOAT = 4,
    LITH_TYPE_DOUBLE = 5,
    LITH_TYPE_BYTE_ARRAY = 6,
    LITH_TYPE_FIXED_LEN_BYTE_ARRAY = 7,
    LITH_TYPE_COUNT
};

enum lith_repetition {
    LITH_REQUIRED = 0,
    LITH_OPTIONAL = 1,
    LITH_REPEATED = 2,
};

enum lith_encoding {
    LITH_ENCODING_PLAIN = 0,
    LITH_ENCODING_PLAIN_DICTIONARY = 2,
    LITH_ENCODING_RLE = 3,
    LITH_ENCODING_BIT_PACKED = 4, /* levels only, deprecated */
    LITH_ENCODING_DELTA_BINARY_PACKED = 5,
    LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6,
    LITH_ENCODING_DELTA_BYTE_ARRAY = 7,
    LITH_ENCODING_RLE_DICTIONARY = 8,
    LITH_ENCODING_BYTE_STREAM_SPLIT = 9,
    LITH_ENCODING_COUNT
};

enum lith_page_type {
    LITH_PAGE_DATA = 0,
    LITH_PAGE_INDEX = 1,
    LITH_PAGE_DICTIONARY = 2,
    LITH_PAGE_DATA_V2 = 3,
};

enum lith_converted_type {
    LITH_CONVERTED_NONE = -1,
    LITH_CONVERTED_UTF8 = 0,
    LITH_CONVERTED_MAP = 1,
    LITH_CONVERTED_MAP_KEY_VALUE = 2,
    LITH_CONVERTED_LIST = 3,
    LITH_CONVERTED_ENUM = 4,
    LITH_CONVERTED_DECIMAL = 5,
    LITH_CONVERTED_DATE = 6,
    LITH_CONVERTED_TIME_MILLIS = 7,
    LITH_CONVERTED_TIME_MICROS = 8,
    LITH_CONVERTED_TIMESTAMP_MILLIS = 9,
    LITH_CONVERTED_TIMESTAMP_MICROS = 10,
    LITH_CONVERTED_UINT_8 = 11,
    LITH_CONVERTED_UINT_16 = 12,
    LITH_CONVERTED_UINT_32 = 13,
    LITH_CONVERTED_UINT_64 = 14,
    LITH_CONVERTED_INT_8 = 15,
    LITH_CONVERTED_INT_16 = 16,
    LITH_CONVERTED_INT_32 = 17,
    LITH_CONVERTED_INT_64 = 18,
    LITH_CONVERTED_JSON = 19,
    LITH_CONVERTED_BSON = 20,
    LITH_CONVERTED_INTERVAL = 21,
};

/* Field numbers of the union LogicalType; 0 = no annotation. */
enum lith_logical_kind {
    LITH_LOGICAL_NONE = 0,
    LITH_LOGICAL_STRING = 1,
    LITH_LOGICAL_MAP = 2,
    LITH_LOGICAL_LIST = 3,
    LITH_LOGICAL_ENUM = 4,
    LITH_LOGICAL_DECIMAL = 5,
    LITH_LOGICAL_DATE = 6,
    LITH_LOGICAL_TIME = 7,
    LITH_LOGICAL_TIMESTAMP = 8,
    LITH_LOGICAL_INTEGER = 10,
    LITH_LOGICAL_UNKNOWN = 11, /* always null */
    LITH_LOGICAL_JSON = 12,
    LITH_LOGICAL_BSON = 13,
    LITH_LOGICAL_UUID = 14,
    LITH_LOGICAL_FLOAT16 = 15,
    LITH_LOGICAL_VARIANT = 16,
    LITH_LOGICAL_GEOMETRY = 17,
    LITH_LOGICAL_GEOGRAPHY = 18,
    LITH_LOGICAL_FILE = 19,
};

enum lith_time_unit {
    LITH_UNIT_MILLIS = 1,
    LITH_UNIT_MICROS = 2,
    LITH_UNIT_NANOS = 3,
};

/* Names as the specification spells them; "UNKNOWN(n)" is the caller's. NULL when not known. */
const char *lith_type_name(int type);
const char *lith_encoding_name(int encoding);
const char *lith_page_type_name(int page_type);
const char *lith_repetition_name(int repetition);
const char *lith_converted_name(int converted_type);
const char *lith_logical_name(int logical_kind);

/* Bytes of one decoded value: 1 (BOOLEAN), 4, 8, 12 (INT96), type_length (FLBA); 0 = BYTE_ARRAY. */
size_t lith_type_width(enum lith_type type, int32_t type_length);

#endif
