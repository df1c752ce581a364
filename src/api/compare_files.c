/*
 * Are these the same rows?
 */
#include "api/paths.h"
#include "base/env.h"

enum lith_code lith_compare_files(const char *const *a, size_t a_count, const char *const *b,
                                  size_t b_count, const struct lith_control *control,
                                  struct lith_compare_result *ret_result, struct lith_err *err)
{
    struct lith_budget budget;
    struct lith_paths paths_a;
    struct lith_paths paths_b;
    struct lith_rows_sum sum_a;
    struct lith_rows_sum sum_b;
    struct lith_codec_context *codecs;
    uint64_t seed;
    bool equal;

    LITH_TRY(lith_budget_init(&budget, control, err));
    lith_paths_init(&paths_a, a, a_count, &budget.mem);
    lith_paths_init(&paths_b, b, b_count, &budget.mem);
    struct lith_verify_files files_a = lith_paths_verify_files(&paths_a);
    struct lith_verify_files files_b = lith_paths_verify_files(&paths_b);
    lith_env_system()->random(lith_env_system(), &seed, sizeof(seed));
    LITH_TRY(lith_codec_context_new(&budget.mem, &codecs, err));
    struct lith_verify_rows_options options = {
        .a = &files_a, .b = &files_b, .seed = seed, .codecs = codecs, .work = &budget.work};
    enum lith_code code = lith_verify_rows(&options, &equal, &sum_a, &sum_b, err);
    lith_codec_context_free(codecs);
    LITH_TRY(code);
    ret_result->equal = equal;
    ret_result->rows_a = sum_a.rows;
    ret_result->rows_b = sum_b.rows;
    lith_hash128_text(sum_a.sum, ret_result->sum_a);
    lith_hash128_text(sum_b.sum, ret_result->sum_b);
    return LITH_OK;
}
