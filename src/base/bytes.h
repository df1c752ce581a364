/*
 * Bytes as they stand in files: a borrowed run of them, and little-endian numbers.
 */
#ifndef LITH_BASE_BYTES_H
#define LITH_BASE_BYTES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A template: always inlined, so that what it is called with is constant in its loops. The compiler
 * alone makes one loop of variable width, several times as slow. */
#define LITH_TEMPLATE static inline __attribute__((always_inline))

/* Bytes owned by someone else. `data` may be NULL only when `bytes` is 0. */
struct lith_slice {
    const uint8_t *data;
    size_t bytes;
};

static inline bool lith_slice_equal(struct lith_slice a, struct lith_slice b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

/* True when the slice begins with the text. */
static inline bool lith_slice_begins(struct lith_slice slice, const char *text)
{
    size_t bytes = strlen(text);

    return slice.bytes >= bytes && memcmp(slice.data, text, bytes) == 0;
}

/* ASCII only: what more is a letter, and its other case, depends on the reader. */
static inline uint8_t lith_byte_lower(uint8_t byte)
{
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
}

/* The bytes of a zero-terminated string, without the zero. */
static inline struct lith_slice lith_slice_text(const char *text)
{
    return (struct lith_slice){(const uint8_t *)text, strlen(text)};
}

/* For "%.*s": LITH_SLICE_ARGS(s). Cut at 200 bytes, so that no message is all name. */
#define LITH_SLICE_ARGS(s) ((int)((s).bytes < 200 ? (s).bytes : 200)), ((const char *)(s).data)

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "loads below are plain copies");

static inline uint32_t lith_load_u32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline uint64_t lith_load_u64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline void lith_store_u32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof(value));
}

static inline void lith_store_u64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof(value));
}

/* Big-endian, as LZ4's Hadoop framing and decimals have it. */
static inline uint32_t lith_load_u32_be(const uint8_t *from)
{
    return __builtin_bswap32(lith_load_u32(from));
}

#endif
