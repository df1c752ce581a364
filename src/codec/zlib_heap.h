/*
 * zlib over the counted heap: what its streams are given, and how they end.
 */
#ifndef LITH_CODEC_ZLIB_HEAP_H
#define LITH_CODEC_ZLIB_HEAP_H

#define ZLIB_CONST /* its input is not written to */
#include <zlib.h>

#include "codec/internal.h"

/* zalloc and zfree of a z_stream whose `opaque` is a struct lith_codec_heap. */
static inline voidpf lith_zlib_take(voidpf heap, uInt items, uInt size)
{
    return lith_codec_heap_take(heap, (size_t)items * size);
}

static inline void lith_zlib_give(voidpf heap, voidpf block)
{
    (void)heap;
    lith_free(block);
}

/* For __attribute__((cleanup)) of a pointer to a stream that inflateInit2 made. */
static inline void lith_inflate_auto(z_stream **z)
{
    (void)inflateEnd(*z);
}

#endif
