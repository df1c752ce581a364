/*
 * Buffers in front of the parts of all buckets, while one leaf is dealt.
 *
 * Elements of one width are scattered: each goes to the bucket that its destination says. Where
 * many in a row go to one bucket they are copied at once.
 */
#ifndef LITH_SORT_BUCKET_WRITER_H
#define LITH_SORT_BUCKET_WRITER_H

#include "sort/bucket_store.h"

struct lith_bucket_stream {
    uint8_t *begin;
    uint8_t *next;
    uint8_t *end;
    uint64_t flushed; /* bytes that are in the store */
};

struct lith_bucket_writer {
    struct lith_bucket_store *store;
    uint32_t bucket_count;
    size_t buffer_bytes;
    void *memory;                       /* of all buffers */
    struct lith_bucket_stream *streams; /* part by part, LITH_PART_COUNT of them */
};

/* Begins with `part_count` parts in use, whose buffers take at most `memory_bytes_max` unless they
 * are as small as may be. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_bucket_writer_init(struct lith_bucket_writer *writer,
                                                       struct lith_bucket_store *store,
                                                       uint32_t bucket_count, uint32_t part_count,
                                                       size_t memory_bytes_max,
                                                       struct lith_err *err);

/* Gives the buffers to a part; once for each of part_count parts. */
void lith_bucket_writer_part(struct lith_bucket_writer *writer, enum lith_bucket_part part,
                             uint32_t index);

/* Puts what is in the buffers into the store. */
LITH_MUST_CHECK enum lith_code lith_bucket_writer_flush(struct lith_bucket_writer *writer,
                                                        struct lith_err *err);

/* A zeroed one is a no-op. */
void lith_bucket_writer_done(struct lith_bucket_writer *writer);

/* Bytes put into a part so far. */
static inline uint64_t lith_bucket_writer_bytes(const struct lith_bucket_writer *writer,
                                                uint32_t bucket, enum lith_bucket_part part)
{
    const struct lith_bucket_stream *stream =
        &writer->streams[(size_t)part * writer->bucket_count + bucket];

    return stream->flushed + (size_t)(stream->next - stream->begin);
}

LITH_MUST_CHECK enum lith_code lith_bucket_writer_put(struct lith_bucket_writer *writer,
                                                      uint32_t bucket, enum lith_bucket_part part,
                                                      const void *from, size_t bytes,
                                                      struct lith_err *err);

/* The byte so many times. */
LITH_MUST_CHECK enum lith_code lith_bucket_writer_fill(struct lith_bucket_writer *writer,
                                                       uint32_t bucket, enum lith_bucket_part part,
                                                       uint8_t byte, uint64_t count,
                                                       struct lith_err *err);

/* `count` elements of `width` bytes side by side: element i goes to bucket buckets[i], or nowhere
 * where that is LITH_NO_BUCKET. */
LITH_MUST_CHECK enum lith_code lith_bucket_writer_scatter(struct lith_bucket_writer *writer,
                                                          enum lith_bucket_part part,
                                                          const uint8_t *buckets,
                                                          const uint8_t *from, size_t count,
                                                          size_t width, struct lith_err *err);

/* The bytes of byte arrays; their lengths are scattered. */
LITH_MUST_CHECK enum lith_code lith_bucket_writer_slices(struct lith_bucket_writer *writer,
                                                         const uint8_t *buckets,
                                                         const struct lith_slice *slices,
                                                         size_t count, struct lith_err *err);

#endif
