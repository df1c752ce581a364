/*
 * What the families of decoders share: the head of every decoder, their table entries, and the
 * stream of DELTA_BINARY_PACKED numbers that three encodings are made of. Private to decode*.c.
 */
#ifndef LITH_PARQUET_DECODE_H
#define LITH_PARQUET_DECODE_H

#include "parquet/decoder.h"
#include "parquet/rle.h"

struct lith_decoder_ops {
    size_t bytes; /* of the family's struct, whose first member is struct lith_decoder */
    /* Called once on the cleared struct, with value_count > 0 and a part inside the body. On
     * failure close is called. */
    enum lith_code (*open)(struct lith_decoder *decoder, struct lith_err *err);
    /* Decodes 1 to `count` values; `count` is at most LITH_BATCH_POSITIONS and values_left. */
    enum lith_code (*next)(struct lith_decoder *decoder, size_t count,
                           struct lith_values *ret_values, struct lith_err *err);
    uint64_t (*left)(const struct lith_decoder *decoder);
    void (*close)(struct lith_decoder *decoder);
};

struct lith_decoder {
    const struct lith_decoder_ops *ops;
    struct lith_decoder_options options;
    size_t width; /* lith_type_width */
    uint64_t values_left;
    size_t value_bytes_max; /* of one value that must be held in memory */
    size_t batch_bytes_max; /* of the values of a batch that are held in memory, if more than one */
    size_t window_bytes;
    struct lith_slice previous; /* lith_decoder_continue; borrowed until the first batch */
};

extern const struct lith_decoder_ops lith_decode_plain_fixed;
extern const struct lith_decoder_ops lith_decode_plain_bytes;
extern const struct lith_decoder_ops lith_decode_plain_boolean;
extern const struct lith_decoder_ops lith_decode_rle_boolean;
extern const struct lith_decoder_ops lith_decode_delta;
extern const struct lith_decoder_ops lith_decode_delta_length;
extern const struct lith_decoder_ops lith_decode_delta_bytes;
extern const struct lith_decoder_ops lith_decode_split;
extern const struct lith_decoder_ops lith_decode_ids;

/* A window over bytes [begin, end) of the decoder's body that holds any legal value. */
LITH_MUST_CHECK enum lith_code lith_decoder_window(const struct lith_decoder *decoder,
                                                   struct lith_window *window, uint64_t begin,
                                                   uint64_t end, struct lith_err *err);

/* Room for the elements of one batch. */
LITH_MUST_CHECK enum lith_code lith_decoder_batch(const struct lith_decoder *decoder,
                                                  size_t element_bytes, void **ret_block,
                                                  struct lith_err *err);

/* LIMIT, with both numbers, when a value of `bytes` bytes may not be held in memory. */
LITH_MUST_CHECK enum lith_code lith_decoder_allow(const struct lith_decoder *decoder,
                                                  uint64_t bytes, struct lith_err *err);

/*
 * A stream of DELTA_BINARY_PACKED numbers. Whole groups of eight are decoded into `ready`, from
 * where they are taken; so a batch may end anywhere.
 */
struct lith_delta {
    struct lith_window *window; /* borrowed */
    bool wide;                  /* 64-bit numbers, else 32-bit */
    bool first;                 /* the first value is not in `ready` yet */
    uint64_t left;              /* values that are not in `ready` yet */
    uint64_t miniblock_values;
    uint64_t miniblock_count; /* of a block */
    uint64_t miniblock;       /* index of the next one in the block */
    uint64_t groups_left;     /* of the current miniblock */
    unsigned width;           /* of the current miniblock */
    uint64_t min_delta;
    uint64_t last;
    struct lith_buf widths; /* of the block's miniblocks */
    uint32_t *ready_u32;    /* one of the two, by `wide` */
    uint64_t *ready_u64;
    size_t ready_begin;
    size_t ready_end;
};

/* Reads the header; CORRUPT when it does not announce `count` values. */
LITH_MUST_CHECK enum lith_code lith_delta_open(struct lith_delta *delta, struct lith_window *window,
                                               bool wide, uint64_t count, struct lith_mem *mem,
                                               struct lith_err *err);
void lith_delta_done(struct lith_delta *delta);

/* Moves the window behind the whole stream without decoding it. */
LITH_MUST_CHECK enum lith_code lith_delta_skip(struct lith_delta *delta, struct lith_err *err);

/* Makes at least one value ready: ready_u32 or ready_u64 [ready_begin, ready_end). There must be
 * one left. */
LITH_MUST_CHECK enum lith_code lith_delta_fill(struct lith_delta *delta, struct lith_err *err);

#endif
