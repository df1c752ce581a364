/*
 * Byte sources and sinks: where files are read from and written to, as tables of functions.
 *
 * The format code knows nothing of paths, descriptors or object stores; it reads ranges and
 * appends bytes. A concrete source embeds `struct lith_source` as its first member.
 */
#ifndef LITH_BASE_SOURCE_H
#define LITH_BASE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"

struct lith_source;

struct lith_source_ops {
    /* Reads exactly `bytes` at `offset`; the range lies inside the size. IO, TRANSIENT; CORRUPT
     * where the file has become shorter. */
    enum lith_code (*read)(struct lith_source *source, uint64_t offset, void *to, size_t bytes,
                           struct lith_err *err);
    /* Ends and frees the source. */
    void (*close)(struct lith_source *source);
    /* Optional: see lith_source_view. The range lies inside the size and is not empty. */
    const uint8_t *(*view)(struct lith_source *source, uint64_t offset, size_t bytes);
    /* Reads keep no state: several threads may read at once. */
    bool is_shareable;
};

/* Random access to bytes that do not change. Single-thread, unless ops->is_shareable. */
struct lith_source {
    const struct lith_source_ops *ops;
    uint64_t size; /* bytes */
};

/* Reads exactly `bytes` at `offset`. CORRUPT when the range passes the end. */
LITH_MUST_CHECK enum lith_code lith_source_read(struct lith_source *source, uint64_t offset,
                                                void *to, size_t bytes, struct lith_err *err);

/*
 * The bytes where they stand in memory, valid until the next call on the source; NULL when they are
 * not at hand, or pass the end: then lith_source_read gives them, or says why not.
 */
const uint8_t *lith_source_view(struct lith_source *source, uint64_t offset, size_t bytes);

/* The same bytes one way or the other: where they stand, else read into `room`, whose contents are
 * lost. Valid until the next call on the source, or on the room. */
LITH_MUST_CHECK enum lith_code lith_source_get(struct lith_source *source, uint64_t offset,
                                               size_t bytes, struct lith_buf *room,
                                               const uint8_t **ret_data, struct lith_err *err);

/* CRC-32 of all its bytes, read from end to end. The buffer is charged to `mem` meanwhile. */
LITH_MUST_CHECK enum lith_code lith_source_crc32(struct lith_source *source, struct lith_mem *mem,
                                                 uint32_t *ret_crc, struct lith_err *err);

/* NULL is a no-op. */
void lith_source_close(struct lith_source *source);

struct lith_sink;

struct lith_sink_ops {
    enum lith_code (*write)(struct lith_sink *sink, const void *from, size_t bytes,
                            struct lith_err *err);
};

/* An append-only destination. Ending it (fsync, close, rename) is its owner's. Single-thread. */
struct lith_sink {
    const struct lith_sink_ops *ops;
    uint64_t written; /* bytes so far: the position of the next byte */
};

/* Appends and counts. IO, DENIED, NOMEM. */
LITH_MUST_CHECK enum lith_code lith_sink_write(struct lith_sink *sink, const void *from,
                                               size_t bytes, struct lith_err *err);

/* A source over memory that outlives it, as do its views; nothing to close. */
struct lith_memory_source {
    struct lith_source base;
    const uint8_t *data;
    uint64_t begin; /* the offset of the first byte */
};
void lith_memory_source_init(struct lith_memory_source *source, const void *data, size_t bytes);

/* The same over a part of a file: the first byte stands at offset `begin`, and what is in front of
 * it or behind the last one cannot be read (CORRUPT). begin + bytes fits 64 bits. */
void lith_memory_source_init_at(struct lith_memory_source *source, uint64_t begin, const void *data,
                                size_t bytes);

/* LITH_AUTO(source) struct lith_source *s = NULL; */
static inline void lith_source_auto(struct lith_source **source)
{
    lith_source_close(*source);
}

#endif
