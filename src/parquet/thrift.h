/*
 * Thrift compact protocol, as much of it as Parquet needs.
 *
 * The reader works on a cursor: failure is sticky, containers are bounded by the bytes left,
 * nesting by a depth. The writer appends to a buffer. thrift-compact-protocol.md.
 */
#ifndef LITH_PARQUET_THRIFT_H
#define LITH_PARQUET_THRIFT_H

#include "base/buf.h"
#include "base/cursor.h"

enum lith_thrift_type {
    LITH_THRIFT_STOP = 0,
    LITH_THRIFT_TRUE = 1,
    LITH_THRIFT_FALSE = 2,
    LITH_THRIFT_I8 = 3,
    LITH_THRIFT_I16 = 4,
    LITH_THRIFT_I32 = 5,
    LITH_THRIFT_I64 = 6,
    LITH_THRIFT_DOUBLE = 7,
    LITH_THRIFT_BINARY = 8,
    LITH_THRIFT_LIST = 9,
    LITH_THRIFT_SET = 10,
    LITH_THRIFT_MAP = 11,
    LITH_THRIFT_STRUCT = 12,
};

/* A field header: its number and wire type. A bool's value is its type. */
struct lith_thrift_field {
    int16_t id;
    uint8_t type;
};

/* Reads the next field header of a struct; false at its stop byte or on failure. `*last_id` is
 * the caller's, 0 at the start of each struct. */
bool lith_thrift_field_next(struct lith_cursor *c, int16_t *last_id,
                            struct lith_thrift_field *ret_field);

/* Values. A value outside the range of the type, or of another wire type, fails the cursor. */
int32_t lith_thrift_i32(struct lith_cursor *c, struct lith_thrift_field field);
int64_t lith_thrift_i64(struct lith_cursor *c, struct lith_thrift_field field);
bool lith_thrift_bool(struct lith_cursor *c, struct lith_thrift_field field);
struct lith_slice lith_thrift_binary(struct lith_cursor *c, struct lith_thrift_field field);

/* The header of a list: element count, which is at most the bytes left. */
uint32_t lith_thrift_list(struct lith_cursor *c, struct lith_thrift_field field,
                          uint8_t *ret_element_type);
/* True when the field is a struct; else fails the cursor. */
bool lith_thrift_struct(struct lith_cursor *c, struct lith_thrift_field field);

/* Skips a value of any type, without recursion on the call stack beyond a fixed depth. */
void lith_thrift_skip(struct lith_cursor *c, uint8_t type);

/* Writer: appends to `buf`; failure is sticky in `code`, checked once at the end. */
struct lith_thrift_writer {
    struct lith_buf *buf;
    struct lith_err *err;
    enum lith_code code;
    int16_t last_id[16]; /* one per open struct */
    unsigned depth;
};

/* The outermost struct is open: its fields come first, then its stop, then another may begin. */
void lith_thrift_writer_init(struct lith_thrift_writer *w, struct lith_buf *buf,
                             struct lith_err *err);
void lith_thrift_write_i32(struct lith_thrift_writer *w, int16_t id, int32_t value);
void lith_thrift_write_i64(struct lith_thrift_writer *w, int16_t id, int64_t value);
void lith_thrift_write_i16(struct lith_thrift_writer *w, int16_t id, int16_t value);
void lith_thrift_write_i8(struct lith_thrift_writer *w, int16_t id, int8_t value);
void lith_thrift_write_bool(struct lith_thrift_writer *w, int16_t id, bool value);
void lith_thrift_write_binary(struct lith_thrift_writer *w, int16_t id, struct lith_slice value);
void lith_thrift_write_list(struct lith_thrift_writer *w, int16_t id, uint8_t element_type,
                            uint32_t count);
/* Begins a struct as field `id`, or as a list element (id 0). */
void lith_thrift_write_struct(struct lith_thrift_writer *w, int16_t id);
void lith_thrift_write_stop(struct lith_thrift_writer *w);
/* List elements. */
void lith_thrift_write_element_i32(struct lith_thrift_writer *w, int32_t value);
void lith_thrift_write_element_i64(struct lith_thrift_writer *w, int64_t value);
void lith_thrift_write_element_bool(struct lith_thrift_writer *w, bool value);
void lith_thrift_write_element_binary(struct lith_thrift_writer *w, struct lith_slice value);
/* A struct that is already encoded, stop byte included, as field `id`. */
void lith_thrift_write_raw_struct(struct lith_thrift_writer *w, int16_t id, struct lith_slice raw);

#endif
