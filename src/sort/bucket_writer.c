/*
 * Scattering, with the width of elements constant in the loops.
 */
#include "sort/bucket_writer.h"

#include "base/checked.h"
#include "sort/destinations.h"

/* Elements to one bucket from which on they are copied at once, and after how many that are not
 * such a run is looked for again. */
#define RUN_MIN 8u
#define SCATTER_COUNT 64u
/* Wider elements are copied one by one, whatever goes where. */
#define SCATTER_WIDTH_MAX 16u

enum lith_code lith_bucket_writer_init(struct lith_bucket_writer *writer,
                                       struct lith_bucket_store *store, uint32_t bucket_count,
                                       uint32_t part_count, size_t memory_bytes_max,
                                       struct lith_err *err)
{
    size_t buffer_count = (size_t)bucket_count * part_count;
    size_t each = lith_min_size(memory_bytes_max / buffer_count, LITH_DEAL_BUFFER_BYTES_MAX);
    void *streams, *memory;

    if (each < LITH_DEAL_BUFFER_BYTES_MIN)
        each = LITH_DEAL_BUFFER_BYTES_MIN;
    LITH_TRY(lith_alloc_array(store->mem, (size_t)bucket_count * LITH_PART_COUNT,
                              sizeof(*writer->streams), &streams, err));
    enum lith_code code = lith_alloc(store->mem, buffer_count * each, &memory, err);
    if (code != LITH_OK) {
        lith_free(streams);
        return code;
    }
    *writer = (struct lith_bucket_writer){
        .store = store,
        .bucket_count = bucket_count,
        .buffer_bytes = each,
        .memory = memory,
        .streams = streams,
    };
    return LITH_OK;
}

void lith_bucket_writer_part(struct lith_bucket_writer *writer, enum lith_bucket_part part,
                             uint32_t index)
{
    uint8_t *buffer =
        (uint8_t *)writer->memory + (size_t)index * writer->bucket_count * writer->buffer_bytes;

    for (uint32_t i = 0; i < writer->bucket_count; i++) {
        writer->streams[(size_t)part * writer->bucket_count + i] = (struct lith_bucket_stream){
            .begin = buffer, .next = buffer, .end = buffer + writer->buffer_bytes};
        buffer += writer->buffer_bytes;
    }
}

void lith_bucket_writer_done(struct lith_bucket_writer *writer)
{
    lith_free(writer->streams);
    lith_free(writer->memory);
    *writer = (struct lith_bucket_writer){0};
}

static struct lith_bucket_stream *stream_of(struct lith_bucket_writer *writer, uint32_t bucket,
                                            enum lith_bucket_part part)
{
    LITH_ASSERT(bucket < writer->bucket_count);
    return &writer->streams[(size_t)part * writer->bucket_count + bucket];
}

static enum lith_code stream_flush(struct lith_bucket_writer *writer, uint32_t bucket,
                                   enum lith_bucket_part part, struct lith_err *err)
{
    struct lith_bucket_stream *stream = stream_of(writer, bucket, part);
    size_t bytes = (size_t)(stream->next - stream->begin);

    LITH_TRY(lith_bucket_store_put(writer->store, bucket, part, stream->begin, bytes, err));
    stream->flushed += bytes;
    stream->next = stream->begin;
    return LITH_OK;
}

enum lith_code lith_bucket_writer_flush(struct lith_bucket_writer *writer, struct lith_err *err)
{
    for (int part = 0; part < LITH_PART_COUNT; part++)
        for (uint32_t bucket = 0; bucket < writer->bucket_count; bucket++)
            LITH_TRY(stream_flush(writer, bucket, (enum lith_bucket_part)part, err));
    return LITH_OK;
}

/* What is larger than a buffer goes past it. */
static enum lith_code put_large(struct lith_bucket_writer *writer, uint32_t bucket,
                                enum lith_bucket_part part, const void *from, size_t bytes,
                                struct lith_err *err)
{
    struct lith_bucket_stream *stream = stream_of(writer, bucket, part);

    LITH_TRY(stream_flush(writer, bucket, part, err));
    if (bytes <= writer->buffer_bytes) {
        memcpy(stream->next, from, bytes);
        stream->next += bytes;
        return LITH_OK;
    }
    LITH_TRY(lith_bucket_store_put(writer->store, bucket, part, from, bytes, err));
    stream->flushed += bytes;
    return LITH_OK;
}

enum lith_code lith_bucket_writer_put(struct lith_bucket_writer *writer, uint32_t bucket,
                                      enum lith_bucket_part part, const void *from, size_t bytes,
                                      struct lith_err *err)
{
    struct lith_bucket_stream *stream = stream_of(writer, bucket, part);

    if (bytes > (size_t)(stream->end - stream->next))
        return put_large(writer, bucket, part, from, bytes, err);
    if (bytes)
        memcpy(stream->next, from, bytes);
    stream->next += bytes;
    return LITH_OK;
}

enum lith_code lith_bucket_writer_fill(struct lith_bucket_writer *writer, uint32_t bucket,
                                       enum lith_bucket_part part, uint8_t byte, uint64_t count,
                                       struct lith_err *err)
{
    struct lith_bucket_stream *stream = stream_of(writer, bucket, part);

    while (count) {
        if (stream->next == stream->end)
            LITH_TRY(stream_flush(writer, bucket, part, err));
        size_t some = (size_t)lith_min_u64(count, (size_t)(stream->end - stream->next));
        memset(stream->next, byte, some);
        stream->next += some;
        count -= some;
    }
    return LITH_OK;
}

/* How many of the elements go where the first one goes. */
static size_t run_length(const uint8_t *buckets, size_t count)
{
    uint64_t same = buckets[0] * UINT64_C(0x0101010101010101);
    size_t length = 1;

    while (length + 8 <= count && lith_load_u64(buckets + length) == same)
        length += 8;
    while (length < count && buckets[length] == buckets[0])
        length++;
    return length;
}

/* One by one. */
LITH_TEMPLATE enum lith_code scatter_some(struct lith_bucket_writer *writer,
                                          enum lith_bucket_part part, const uint8_t *buckets,
                                          const uint8_t *from, size_t count, size_t width,
                                          struct lith_err *err)
{
    struct lith_bucket_stream *streams = stream_of(writer, 0, part);

    for (size_t i = 0; i < count; i++) {
        struct lith_bucket_stream *stream = &streams[buckets[i]];
        if (buckets[i] == LITH_NO_BUCKET)
            continue;
        if ((size_t)(stream->end - stream->next) < width)
            LITH_TRY(stream_flush(writer, buckets[i], part, err));
        memcpy(stream->next, from + i * width, width);
        stream->next += width;
    }
    return LITH_OK;
}

LITH_TEMPLATE enum lith_code scatter(struct lith_bucket_writer *writer, enum lith_bucket_part part,
                                     const uint8_t *buckets, const uint8_t *from, size_t count,
                                     size_t width, struct lith_err *err)
{
    for (size_t i = 0; i < count;) {
        size_t run = run_length(buckets + i, count - i);
        if (run >= RUN_MIN || width > SCATTER_WIDTH_MAX) {
            if (buckets[i] != LITH_NO_BUCKET)
                LITH_TRY(lith_bucket_writer_put(writer, buckets[i], part, from + i * width,
                                                run * width, err));
        } else {
            run = lith_min_size(SCATTER_COUNT, count - i);
            LITH_TRY(scatter_some(writer, part, buckets + i, from + i * width, run, width, err));
        }
        i += run;
    }
    return LITH_OK;
}

enum lith_code lith_bucket_writer_scatter(struct lith_bucket_writer *writer,
                                          enum lith_bucket_part part, const uint8_t *buckets,
                                          const uint8_t *from, size_t count, size_t width,
                                          struct lith_err *err)
{
    switch (width) {
    case 1:
        return scatter(writer, part, buckets, from, count, 1, err);
    case 2:
        return scatter(writer, part, buckets, from, count, 2, err);
    case 4:
        return scatter(writer, part, buckets, from, count, 4, err);
    case 8:
        return scatter(writer, part, buckets, from, count, 8, err);
    case 12:
        return scatter(writer, part, buckets, from, count, 12, err);
    case 16:
        return scatter(writer, part, buckets, from, count, 16, err);
    default:
        return scatter(writer, part, buckets, from, count, width, err);
    }
}

enum lith_code lith_bucket_writer_slices(struct lith_bucket_writer *writer, const uint8_t *buckets,
                                         const struct lith_slice *slices, size_t count,
                                         struct lith_err *err)
{
    struct lith_bucket_stream *streams = stream_of(writer, 0, LITH_PART_BYTES);

    for (size_t i = 0; i < count; i++) {
        struct lith_bucket_stream *stream = &streams[buckets[i]];
        if (buckets[i] == LITH_NO_BUCKET)
            continue;
        if (slices[i].bytes > (size_t)(stream->end - stream->next)) {
            LITH_TRY(put_large(writer, buckets[i], LITH_PART_BYTES, slices[i].data, slices[i].bytes,
                               err));
        } else if (slices[i].bytes) {
            memcpy(stream->next, slices[i].data, slices[i].bytes);
            stream->next += slices[i].bytes;
        }
    }
    return LITH_OK;
}
