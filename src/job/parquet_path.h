/*
 * Path rules in Parquet files: what statistics prove, and what decoding finds.
 */
#ifndef LITH_JOB_PARQUET_PATH_H
#define LITH_JOB_PARQUET_PATH_H

#include "codec/codec.h"
#include "job/path_rules.h"
#include "parquet/footer.h"

/*
 * What the statistics of a footer (its schema normalised) say of all rules. *ret_uncompared: of a
 * column that cannot be compared, as a text in the arena; NULL: there is none. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code
lith_parquet_path_judge(const struct lith_path_rules *rules, const struct lith_footer *footer,
                        struct lith_arena *arena, enum lith_proof *ret_proof,
                        const char **ret_uncompared, struct lith_err *err);

/*
 * Decodes what they do not prove. *ret_misfit: the first value that does not belong, with column
 * and row group, as a text in the arena; NULL: all belong. Errors as lith_expected_scan.
 */
LITH_MUST_CHECK enum lith_code
lith_parquet_path_scan(const struct lith_path_rules *rules, struct lith_source *source,
                       struct lith_codec_context *codecs, const struct lith_work *work,
                       struct lith_arena *arena, const char **ret_misfit, struct lith_err *err);

#endif
