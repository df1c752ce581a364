/*
 * Bytes put in front of a compressed body without decompressing it.
 *
 * Every format but BROTLI can say "these bytes as they are" at its start, and refers to earlier
 * bytes by distance, so what follows stays as it is. Only the ends of the body are looked at:
 * bodies that do not fit memory are edited while they are copied. What is damaged inside the body
 * stays damaged. parquet-splice.md section 6.4.
 */
#ifndef LITH_CODEC_PREFIX_H
#define LITH_CODEC_PREFIX_H

#include "base/bytes.h"
#include "codec/codec.h"

/* The bytes at the end of a body that an edit may look at and replace (GZIP's trailer). */
#define LITH_BODY_TAIL_BYTES 8u

/* A compressed body by its ends. They may overlap; head is the whole body where that is at hand. */
struct lith_body_ends {
    struct lith_slice head; /* the first bytes, any number of them */
    struct lith_slice tail; /* the last LITH_BODY_TAIL_BYTES, or all where there are fewer */
    uint64_t bytes;         /* of the body */
    uint64_t plain_bytes;   /* what it decompresses to, by the page's header */
};

/* Of a body that is in memory. */
static inline struct lith_body_ends lith_body_ends(struct lith_slice body, uint64_t plain_bytes)
{
    size_t tail_bytes = body.bytes < LITH_BODY_TAIL_BYTES ? body.bytes : LITH_BODY_TAIL_BYTES;

    return (struct lith_body_ends){
        .head = body,
        .tail = {tail_bytes ? body.data + body.bytes - tail_bytes : NULL, tail_bytes},
        .bytes = body.bytes,
        .plain_bytes = plain_bytes,
    };
}

/*
 * How a body changes: first come the bytes of `front` (a buffer of the caller's), then
 * [skip, skip + keep) of the old body, then the trailer.
 */
struct lith_body_edit {
    uint64_t skip;
    uint64_t keep;
    uint8_t trailer[LITH_BODY_TAIL_BYTES];
    size_t trailer_bytes;
};

/*
 * Finds the edit after which the body decompresses to `prefix` and then what it was; appends to
 * `front`: the prefix, 1 % of it and 64 bytes at most, for GZIP the old header more, for LZ4_RAW
 * 1/255 of the body more. An empty prefix changes nothing.
 *
 * UNSUPPORTED where the body must be compressed again: BROTLI (its static dictionary and its
 * contexts count from the start of the stream), LZ4, GZIP of several members, ZSTD with a
 * checksum, a dictionary or another first frame. CORRUPT when the ends contradict the format or
 * `plain_bytes`. NOT_FOUND when the head is too short to tell: give more (a long file name in a
 * GZIP header, a long first literal of LZ4_RAW). LIMIT when the result is no page any more.
 * `front` is unchanged on failure.
 */
LITH_MUST_CHECK enum lith_code
lith_prefix_plan(enum lith_codec codec, struct lith_slice prefix, const struct lith_body_ends *ends,
                 struct lith_buf *front, struct lith_body_edit *ret_edit, struct lith_err *err);

/* Appends what of the edited body comes behind `front`, from the old body in memory. */
LITH_MUST_CHECK enum lith_code lith_body_edit_append(const struct lith_body_edit *edit,
                                                     struct lith_slice body, struct lith_buf *to,
                                                     struct lith_err *err);

/*
 * The same for a body in memory: appends the new body to `to`, which is unchanged on failure.
 * Never NOT_FOUND.
 */
LITH_MUST_CHECK enum lith_code lith_compressed_prefix(enum lith_codec codec,
                                                      struct lith_slice prefix,
                                                      struct lith_slice body, uint64_t plain_bytes,
                                                      struct lith_buf *to, struct lith_err *err);

#endif
