/*
 * The sources decoded again, and compared with the output: the last level of verify.
 */
#ifndef LITH_VERIFY_DECODE_H
#define LITH_VERIFY_DECODE_H

#include "verify/input.h"

/* `output` has its schema normalised. CORRUPT names the column. */
LITH_MUST_CHECK enum lith_code lith_decode_check(struct lith_input *output,
                                                 const struct lith_verify_sources *sources,
                                                 struct lith_codec_context *codecs,
                                                 const struct lith_work *work,
                                                 struct lith_err *err);

#endif
