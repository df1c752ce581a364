/*
 * What the files of the codec folder share: the context, the shape of a codec, the heap that
 * libraries with allocation hooks get, and the texts of common failures.
 */
#ifndef LITH_CODEC_INTERNAL_H
#define LITH_CODEC_INTERNAL_H

#include "base/bytes.h"
#include "codec/codec.h"

/* Members are NULL until the first use of their codec. */
struct lith_codec_context {
    struct lith_mem *mem;
    bool for_proofs;
    int levels[LITH_CODEC_COUNT];
    struct ZSTD_CCtx_s *zstd_compress;
    size_t zstd_compress_bytes; /* charged for it; likewise below */
    struct ZSTD_DCtx_s *zstd_decompress;
    size_t zstd_decompress_bytes;
    struct libdeflate_compressor *gzip_compress;
    struct libdeflate_decompressor *gzip_decompress;
    void *lz4_state; /* from lith_alloc */
};

typedef enum lith_code lith_decompress_whole_fn(struct lith_codec_context *context,
                                                struct lith_slice from, void *to, size_t to_bytes,
                                                struct lith_err *err);
typedef enum lith_code lith_decompress_stream_fn(struct lith_codec_context *context,
                                                 const struct lith_decompress_stream *stream,
                                                 struct lith_err *err);
/* `to` has room for the codec's bound, `*bytes` in; what was written out. */
typedef enum lith_code lith_compress_fn(struct lith_codec_context *context, struct lith_slice from,
                                        uint8_t *to, size_t *bytes, struct lith_err *err);

/* `to` is never NULL, `from` never empty: codec.c has seen to it. */
lith_decompress_whole_fn lith_snappy_decompress, lith_gzip_decompress, lith_brotli_decompress,
    lith_lz4_decompress, lith_lz4_raw_decompress, lith_zstd_decompress;
lith_decompress_stream_fn lith_snappy_stream, lith_gzip_stream, lith_brotli_stream, lith_lz4_stream,
    lith_lz4_raw_stream, lith_zstd_stream;
lith_compress_fn lith_snappy_compress, lith_gzip_compress, lith_brotli_compress,
    lith_lz4_raw_compress, lith_zstd_compress;
size_t lith_snappy_bound(size_t bytes);
size_t lith_gzip_bound(size_t bytes);
size_t lith_brotli_bound(size_t bytes);
size_t lith_lz4_raw_bound(size_t bytes);
size_t lith_zstd_bound(size_t bytes);

/* Give back what a library holds; nothing held is a no-op. */
void lith_zstd_context_done(struct lith_codec_context *context);
void lith_gzip_context_done(struct lith_codec_context *context);

/* CORRUPT: "<codec>: expected <n> bytes, found <n>". */
LITH_MUST_CHECK enum lith_code lith_codec_fail_size(struct lith_err *err, const char *codec,
                                                    uint64_t expected, uint64_t found);

/* CORRUPT: "<codec>: <what>; <n> bytes in, <n> bytes expected". */
LITH_MUST_CHECK enum lith_code lith_codec_fail_data(struct lith_err *err, const char *codec,
                                                    const char *what, uint64_t from_bytes,
                                                    uint64_t to_bytes);

/*
 * The heap for libraries that take allocation functions: counted like any other. `code` keeps the
 * first failure, whose text is in `err`, because the library only sees a NULL.
 */
struct lith_codec_heap {
    struct lith_mem *mem;
    struct lith_err *err;
    enum lith_code code;
};
void *lith_codec_heap_take(struct lith_codec_heap *heap, size_t bytes);

/* Makes *charged equal to `bytes`, charging or releasing the difference. */
LITH_MUST_CHECK enum lith_code lith_codec_charge(struct lith_mem *mem, size_t *charged,
                                                 size_t bytes, struct lith_err *err);

#endif
