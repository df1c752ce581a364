/*
 * Codecs by number and by name, and the choice of one for all outputs.
 *
 * Here because the options check the text and the merge obeys it; what codecs do is in codec/.
 */
#ifndef LITH_BASE_CODEC_CHOICE_H
#define LITH_BASE_CODEC_CHOICE_H

#include <stdbool.h>

#include "base/err.h"

/* Numbers of CompressionCodec in parquet.thrift. */
enum lith_codec {
    LITH_CODEC_UNCOMPRESSED = 0,
    LITH_CODEC_SNAPPY = 1,
    LITH_CODEC_GZIP = 2,
    LITH_CODEC_LZO = 3,
    LITH_CODEC_BROTLI = 4,
    LITH_CODEC_LZ4 = 5,
    LITH_CODEC_ZSTD = 6,
    LITH_CODEC_LZ4_RAW = 7,
    LITH_CODEC_COUNT
};

/* How hard a codec tries; readers do not see it. All 0: it has one way. */
struct lith_codec_levels {
    int least;
    int most;
    int usual; /* docs/codec-levels.md says why */
};
struct lith_codec_levels lith_codec_levels(enum lith_codec codec);

/* Zeroed: for each column the codec of most of its inputs' bytes. */
struct lith_codec_choice {
    bool is_given;
    enum lith_codec codec;
    int level;
};

/*
 * Reads keep, none, snappy, lz4_raw, zstd, gzip or brotli, the last three with :LEVEL behind them
 * where it is not the usual one. INVALID says what is accepted.
 */
LITH_MUST_CHECK enum lith_code lith_codec_choice_parse(const char *text,
                                                       struct lith_codec_choice *ret_choice,
                                                       struct lith_err *err);

#endif
