/*
 * Decoders: the values of one data page, a batch at a time, for every encoding.
 *
 * One table of encodings by type. Memory is bounded by the batch: a decoder over a large body
 * works through windows. Encodings.md.
 */
#ifndef LITH_PARQUET_DECODER_H
#define LITH_PARQUET_DECODER_H

#include "parquet/dictionary.h"

struct lith_decoder;

struct lith_decoder_options {
    enum lith_encoding encoding;
    enum lith_type type;
    int32_t type_length;
    uint64_t value_count; /* values that are not null */
    const struct lith_body *body;
    uint64_t begin; /* the values' part of the body */
    uint64_t end;
    struct lith_dictionary *dictionary; /* for the dictionary encodings, else NULL */
    bool want_ids; /* give values as ids where the dictionary is held in memory */
    const struct lith_work *work;
};

/* Whether values of the type may have the encoding. */
bool lith_decoder_knows(enum lith_type type, int encoding);

/*
 * Starts decoding. UNSUPPORTED for an encoding that is not known, or not defined for the type;
 * CORRUPT for bad headers, or dictionary ids without a dictionary. An empty part is legal when
 * there are no values, for every encoding.
 */
LITH_MUST_CHECK enum lith_code lith_decoder_open(const struct lith_decoder_options *options,
                                                 struct lith_decoder **ret_decoder,
                                                 struct lith_err *err);

/*
 * Decodes 1 to `count_max` values (all `value_count` over the calls). `ret_values` points into
 * the decoder or the body and is valid until the next call. CORRUPT when the body ends before
 * the values do or an id is outside the dictionary; LIMIT when one value is larger than a share
 * of the budget.
 */
LITH_MUST_CHECK enum lith_code lith_decoder_next(struct lith_decoder *decoder, size_t count_max,
                                                 struct lith_values *ret_values,
                                                 struct lith_err *err);

/* Bytes of the values' part that were not used. Known once all values are decoded. */
uint64_t lith_decoder_left(const struct lith_decoder *decoder);

/* NULL is a no-op. */
void lith_decoder_close(struct lith_decoder *decoder);

/*
 * parquet-mr before 1.8.0 (PARQUET-246) let the first prefix of a DELTA_BYTE_ARRAY page refer to
 * the last value of the page before. Called before the first batch, gives the decoder that value
 * (the last one decoded from the chunk's page before, or empty); it is borrowed until the first
 * batch is there. Without it a first prefix is CORRUPT. Other decoders take no notice.
 */
void lith_decoder_continue(struct lith_decoder *decoder, struct lith_slice previous);

#endif
