/*
 * What lz4.c and lz4_stream.c share: which of the three dialects a page of the deprecated LZ4 is.
 */
#ifndef LITH_CODEC_LZ4_H
#define LITH_CODEC_LZ4_H

#include "base/bytes.h"
#include "codec/internal.h"

enum lith_lz4_dialect {
    LITH_LZ4_HADOOP, /* pairs of big-endian sizes and blocks */
    LITH_LZ4_FRAME,  /* the frame format of lz4 */
    LITH_LZ4_BLOCK,  /* a bare block */
    LITH_LZ4_HADOOP_OR_BLOCK
};

/*
 * Decides by the first bytes. A bare block that is not just a zero byte begins with a literal, so
 * its first byte is at least 0x10; read as Hadoop's size that is 256 MiB or more. So only pages of
 * that size can be either.
 */
enum lith_lz4_dialect lith_lz4_dialect(struct lith_slice from, uint64_t from_bytes,
                                       uint64_t to_bytes);

/* One frame of lz4's frame format, whole or as a stream. */
lith_decompress_whole_fn lith_lz4_frame_decompress;
lith_decompress_stream_fn lith_lz4_frame_stream;

#endif
