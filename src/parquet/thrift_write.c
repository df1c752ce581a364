/*
 * Thrift compact protocol: writing. thrift-compact-protocol.md.
 */
#include "parquet/thrift.h"

#define DEPTH_MAX (sizeof(((struct lith_thrift_writer *)0)->last_id) / sizeof(int16_t))

/* A varint has at most 10 bytes. */
#define VARINT_BYTES_MAX 10u

static void put(struct lith_thrift_writer *w, const void *from, size_t bytes)
{
    if (w->code == LITH_OK)
        w->code = lith_buf_append(w->buf, from, bytes, w->err);
}

static void put_byte(struct lith_thrift_writer *w, uint8_t byte)
{
    put(w, &byte, 1);
}

static void put_varint(struct lith_thrift_writer *w, uint64_t value)
{
    uint8_t bytes[VARINT_BYTES_MAX];
    size_t count = 0;

    while (value >= 0x80) {
        bytes[count++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[count++] = (uint8_t)value;
    put(w, bytes, count);
}

static void put_zigzag(struct lith_thrift_writer *w, int64_t value)
{
    put_varint(w, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static void put_binary(struct lith_thrift_writer *w, struct lith_slice value)
{
    LITH_ASSERT(value.bytes <= INT32_MAX);
    put_varint(w, value.bytes);
    put(w, value.data, value.bytes);
}

static void put_field(struct lith_thrift_writer *w, int16_t id, uint8_t type)
{
    int16_t *last = &w->last_id[w->depth];
    int delta = id - *last;

    if (delta > 0 && delta < 16) {
        put_byte(w, (uint8_t)(delta << 4 | type));
    } else {
        put_byte(w, type);
        put_zigzag(w, id);
    }
    *last = id;
}

void lith_thrift_writer_init(struct lith_thrift_writer *w, struct lith_buf *buf,
                             struct lith_err *err)
{
    *w = (struct lith_thrift_writer){.buf = buf, .err = err, .code = LITH_OK};
}

void lith_thrift_write_i32(struct lith_thrift_writer *w, int16_t id, int32_t value)
{
    put_field(w, id, LITH_THRIFT_I32);
    put_zigzag(w, value);
}

void lith_thrift_write_i64(struct lith_thrift_writer *w, int16_t id, int64_t value)
{
    put_field(w, id, LITH_THRIFT_I64);
    put_zigzag(w, value);
}

void lith_thrift_write_i16(struct lith_thrift_writer *w, int16_t id, int16_t value)
{
    put_field(w, id, LITH_THRIFT_I16);
    put_zigzag(w, value);
}

void lith_thrift_write_i8(struct lith_thrift_writer *w, int16_t id, int8_t value)
{
    put_field(w, id, LITH_THRIFT_I8);
    put_byte(w, (uint8_t)value);
}

void lith_thrift_write_bool(struct lith_thrift_writer *w, int16_t id, bool value)
{
    put_field(w, id, value ? LITH_THRIFT_TRUE : LITH_THRIFT_FALSE);
}

void lith_thrift_write_binary(struct lith_thrift_writer *w, int16_t id, struct lith_slice value)
{
    put_field(w, id, LITH_THRIFT_BINARY);
    put_binary(w, value);
}

void lith_thrift_write_list(struct lith_thrift_writer *w, int16_t id, uint8_t element_type,
                            uint32_t count)
{
    put_field(w, id, LITH_THRIFT_LIST);
    if (count < 15) {
        put_byte(w, (uint8_t)(count << 4 | element_type));
    } else {
        put_byte(w, 0xf0 | element_type);
        put_varint(w, count);
    }
}

void lith_thrift_write_struct(struct lith_thrift_writer *w, int16_t id)
{
    if (id != 0)
        put_field(w, id, LITH_THRIFT_STRUCT);
    LITH_ASSERT(w->depth + 1 < DEPTH_MAX);
    w->last_id[++w->depth] = 0;
}

void lith_thrift_write_stop(struct lith_thrift_writer *w)
{
    put_byte(w, LITH_THRIFT_STOP);
    if (w->depth > 0)
        w->depth--;
    else
        w->last_id[0] = 0;
}

void lith_thrift_write_element_i32(struct lith_thrift_writer *w, int32_t value)
{
    put_zigzag(w, value);
}

void lith_thrift_write_element_i64(struct lith_thrift_writer *w, int64_t value)
{
    put_zigzag(w, value);
}

void lith_thrift_write_element_bool(struct lith_thrift_writer *w, bool value)
{
    put_byte(w, value ? LITH_THRIFT_TRUE : LITH_THRIFT_FALSE);
}

void lith_thrift_write_element_binary(struct lith_thrift_writer *w, struct lith_slice value)
{
    put_binary(w, value);
}

void lith_thrift_write_raw_struct(struct lith_thrift_writer *w, int16_t id, struct lith_slice raw)
{
    put_field(w, id, LITH_THRIFT_STRUCT);
    put(w, raw.data, raw.bytes);
}
