/*
 * Compression codecs of Parquet as one table.
 *
 * Whole buffers for ordinary pages; streams for pages that do not fit a share of the budget. The
 * size of the output is known from the page header and must be met exactly. LZO is refused by
 * name. LZ4 (codec 5) is read in its three dialects (Hadoop framing, bare block, LZ4 frame) and
 * never written. Compression.md of the Parquet format.
 */
#ifndef LITH_CODEC_CODEC_H
#define LITH_CODEC_CODEC_H

#include "base/buf.h"
#include "base/codec_choice.h"
#include "base/source.h"

/* "ZSTD"; "UNKNOWN" outside the enumeration. Static storage. */
const char *lith_codec_name(int codec);

/* UNSUPPORTED for LZO ("... codec LZO ...") and numbers that are not in the enumeration. */
LITH_MUST_CHECK enum lith_code lith_codec_check(int codec, struct lith_err *err);

/* True for codecs that can be written: all but LZO and LZ4. */
bool lith_codec_writable(enum lith_codec codec);

/*
 * Contexts of the libraries, made on first use and reused. One per thread. What they take is
 * charged to `mem` with lith_mem_charge.
 */
struct lith_codec_context;
LITH_MUST_CHECK enum lith_code lith_codec_context_new(struct lith_mem *mem,
                                                      struct lith_codec_context **ret_context,
                                                      struct lith_err *err);
void lith_codec_context_free(struct lith_codec_context *context);
/* From now on the codec compresses at this level (lith_codec_levels); before it compresses first.
 */
void lith_codec_context_level(struct lith_codec_context *context, enum lith_codec codec, int level);
/*
 * From now on whole buffers are decompressed by code of our own where there is some that is faster
 * (SNAPPY): for reading what is only compared, never written.
 */
void lith_codec_context_for_proofs(struct lith_codec_context *context);

/*
 * Decompresses all of `from` into exactly `to_bytes` bytes. CORRUPT when the input is damaged,
 * gives more or fewer bytes, or has trailing bytes. GZIP may have several members, ZSTD several
 * frames. 0 bytes of output accept 0 bytes of input.
 */
LITH_MUST_CHECK enum lith_code lith_decompress(struct lith_codec_context *context,
                                               enum lith_codec codec, const void *from,
                                               size_t from_bytes, void *to, size_t to_bytes,
                                               struct lith_err *err);

/*
 * As lith_decompress, from a range of a source to a sink, in windows of a few 100 KiB: memory
 * stays bounded whatever the sizes. Decoders that look back (LZ4, SNAPPY) keep 64 KiB, and read
 * further back from `written`, the sink's own contents (a spool). LIMIT when a ZSTD or BROTLI
 * stream needs a history, or an LZ4 frame has blocks, of more than `history_bytes_max`.
 */
struct lith_decompress_stream {
    struct lith_source *from;
    uint64_t from_offset;
    uint64_t from_bytes;
    struct lith_sink *to;
    struct lith_source *written; /* what `to` has taken so far, from the start of this page */
    uint64_t to_bytes;
    size_t history_bytes_max;
};
LITH_MUST_CHECK enum lith_code lith_decompress_stream(struct lith_codec_context *context,
                                                      enum lith_codec codec,
                                                      const struct lith_decompress_stream *stream,
                                                      struct lith_err *err);

/* The most bytes a writable codec makes of `from_bytes`; the limit of a page's buffer. */
size_t lith_compress_bound(enum lith_codec codec, size_t from_bytes);

/*
 * Appends the compressed form of `from` to `to` (UNCOMPRESSED: a copy). One GZIP member, one ZSTD
 * frame with its content size. Levels are the usual ones unless the context has others.
 * UNSUPPORTED for codecs that are not writable. `to` must have room for lith_compress_bound.
 */
LITH_MUST_CHECK enum lith_code lith_compress(struct lith_codec_context *context,
                                             enum lith_codec codec, const void *from,
                                             size_t from_bytes, struct lith_buf *to,
                                             struct lith_err *err);

#endif
