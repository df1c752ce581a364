/*
 * Windows over the body of a page: the same decoder code for a page in memory and for one that is
 * too large for it.
 *
 * A body is the page's bytes after decompression: whole in memory, or a range of a source (a
 * spool, or the file itself). A window reads a part of a body forward. Over memory it points
 * straight at the bytes; over a source it holds a bounded buffer that it refills. Decoders ask
 * lith_window_need for a run of bytes and then use `next` like a plain pointer.
 */
#ifndef LITH_PARQUET_WINDOW_H
#define LITH_PARQUET_WINDOW_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/source.h"

struct lith_body {
    const uint8_t *data;        /* the whole body, or NULL */
    struct lith_source *source; /* used when data is NULL */
    uint64_t offset;            /* of the body in the source */
    uint64_t bytes;
};

struct lith_window {
    const uint8_t *next;
    const uint8_t *end;         /* readable without a refill: [next, end) */
    struct lith_source *source; /* NULL over memory */
    uint64_t offset;            /* in the source, of the byte behind `end` */
    uint64_t left;              /* bytes of the part behind `end` */
    struct lith_buf buffer;
    size_t buffer_bytes;  /* the usual size of a refill */
    struct lith_err *err; /* where a failed refill writes */
    enum lith_code code;  /* sticky */
};

/*
 * A window over body bytes [begin, end). CORRUPT when they do not lie in the body. Over a source
 * the buffer comes from `mem`, usually `buffer_bytes`, more (up to `buffer_max`) for a run that
 * needs it. `err` must outlive the window.
 */
LITH_MUST_CHECK enum lith_code lith_window_init(struct lith_window *w, const struct lith_body *body,
                                                uint64_t begin, uint64_t end, struct lith_mem *mem,
                                                size_t buffer_bytes, size_t buffer_max,
                                                struct lith_err *err);
void lith_window_done(struct lith_window *w);

/* Refills; use lith_window_need. */
bool lith_window_refill(struct lith_window *w, size_t bytes);

/* True when `bytes` bytes are readable at `next`. False, with `code` and err set, when fewer are
 * left (CORRUPT), the run is larger than buffer_max (LIMIT, with the numbers) or a read failed.
 * A refill moves the bytes: pointers taken before it are void. */
static inline bool lith_window_need(struct lith_window *w, size_t bytes)
{
    return (size_t)(w->end - w->next) >= bytes || lith_window_refill(w, bytes);
}

/* Bytes from `next` to the end of the part. */
static inline uint64_t lith_window_left(const struct lith_window *w)
{
    return (uint64_t)(w->end - w->next) + w->left;
}

/* Moves forward by `bytes`, which may be more than is readable now. */
bool lith_window_skip(struct lith_window *w, uint64_t bytes);

/* ULEB128 and zigzag at `next`; 0 with `code` set on failure. */
uint64_t lith_window_varint(struct lith_window *w);
int64_t lith_window_zigzag(struct lith_window *w);

#endif
