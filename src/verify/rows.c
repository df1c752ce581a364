/*
 * Comparing two sets of files as multisets of rows.
 */
#include "verify/row_subset.h"
#include "verify/row_sum.h"

/* The schema that all files are read by: that of one of them. */
struct common {
    const struct lith_verify_rows_options *options;
    struct lith_input first;
    const char *first_name;
};

/* Every column of the file must be one of the target's: none may go unseen. */
static enum lith_code narrower_check(struct common *common, const struct lith_verify_files *files,
                                     size_t index, const struct lith_input *input,
                                     struct lith_err *err)
{
    uint32_t found = 0;

    for (uint32_t leaf = 0; leaf < common->first.footer.schema.leaf_count; leaf++)
        found += input->maps[leaf].present || input->maps[leaf].is_void;
    if (found != input->footer.schema.leaf_count)
        return lith_fail(err, LITH_E_INVALID, "%s has %u columns that %s does not have",
                         files->name(files->ctx, index), input->footer.schema.leaf_count - found,
                         common->first_name);
    return LITH_OK;
}

/* Maps the file's columns; INVALID where the schema of all does not hold them. */
static enum lith_code file_map(struct common *common, const struct lith_verify_files *files,
                               size_t index, struct lith_input *input, struct lith_err *err)
{
    const char *difference;
    bool equal;

    LITH_TRY(lith_schema_equal(&common->first.footer.schema, &input->footer.schema, &input->arena,
                               &equal, &difference, err));
    enum lith_code code = lith_input_map(input, &common->first.footer.schema, err);
    if (code == LITH_OK && !equal)
        code = narrower_check(common, files, index, input, err);
    if (code == LITH_E_INVALID)
        return lith_fail(err, LITH_E_INVALID, "%s and %s have different schemas: %s",
                         common->first_name, files->name(files->ctx, index), difference);
    return code;
}

static enum lith_code sum_file(struct common *common, const struct lith_verify_files *files,
                               size_t index, struct lith_row_summer *summer,
                               struct lith_input *input, struct lith_err *err)
{
    LITH_TRY(file_map(common, files, index, input, err));
    const struct lith_column_file file = {
        .source = input->source, .footer = &input->footer, .maps = input->maps};
    for (uint32_t i = 0; i < input->footer.row_group_count; i++) {
        enum lith_code code = lith_row_summer_add(summer, &file, i, err);
        if (code != LITH_OK)
            (void)lith_err_prefix(err, "%s", files->name(files->ctx, index));
        LITH_TRY(code);
    }
    return LITH_OK;
}

static enum lith_code sum_files(struct common *common, const struct lith_verify_files *files,
                                struct lith_row_summer *summer, struct lith_err *err)
{
    for (size_t i = 0; i < files->count; i++) {
        struct lith_input input;
        LITH_TRY(lith_input_open(&input, files, i, summer->work->mem, err));
        enum lith_code code = sum_file(common, files, i, summer, &input, err);
        lith_input_done(&input);
        LITH_TRY(code);
    }
    return LITH_OK;
}

/* `hashes` is where the hash of each row goes, or NULL. */
static enum lith_code sum_set(struct common *common, const struct lith_verify_files *files,
                              struct lith_sink *hashes, struct lith_rows_sum *ret_sum,
                              struct lith_err *err)
{
    struct lith_row_summer summer;

    lith_row_summer_init(&summer, &common->first.footer.schema, common->options->seed,
                         common->options->codecs, common->options->work);
    summer.hashes = hashes;
    enum lith_code code = sum_files(common, files, &summer, err);
    *ret_sum = summer.sum;
    lith_row_summer_done(&summer);
    return code;
}

/* What both sets are read for. */
struct both {
    const struct lith_verify_rows_options *options;
    struct lith_spool *hashes_a; /* the hash of each row; NULL: the sums alone */
    struct lith_spool *hashes_b;
    struct lith_rows_sum a;
    struct lith_rows_sum b;
};

static struct lith_sink *sink_of(struct lith_spool *spool)
{
    if (!spool)
        return NULL;
    lith_spool_clear(spool);
    return &spool->sink;
}

/* Both sums, by the schema of the first file of `holder`. */
static enum lith_code sums_by(struct both *both, const struct lith_verify_files *holder,
                              struct lith_err *err)
{
    const struct lith_verify_rows_options *options = both->options;
    struct common common = {.options = options, .first_name = holder->name(holder->ctx, 0)};

    LITH_TRY(lith_input_open(&common.first, holder, 0, options->work->mem, err));
    enum lith_code code = sum_set(&common, options->a, sink_of(both->hashes_a), &both->a, err);
    if (code == LITH_OK)
        code = sum_set(&common, options->b, sink_of(both->hashes_b), &both->b, err);
    lith_input_done(&common.first);
    return code;
}

static enum lith_code both_read(struct both *both, struct lith_err *err)
{
    const struct lith_verify_files *holders[] = {both->options->b, both->options->a};
    enum lith_code code = LITH_OK;

    /* What was merged is usually on the right, and has the wider schema. */
    for (size_t i = 0; i < 2; i++) {
        if (holders[i]->count == 0)
            continue;
        code = sums_by(both, holders[i], err);
        if (code != LITH_E_INVALID)
            break;
    }
    return code;
}

enum lith_code lith_verify_rows(const struct lith_verify_rows_options *options, bool *ret_equal,
                                struct lith_rows_sum *ret_a, struct lith_rows_sum *ret_b,
                                struct lith_err *err)
{
    struct both both = {.options = options};

    LITH_TRY(both_read(&both, err));
    *ret_equal = both.a.rows == both.b.rows && lith_hash128_equal(both.a.sum, both.b.sum);
    *ret_a = both.a;
    *ret_b = both.b;
    return LITH_OK;
}

enum lith_code lith_verify_rows_hold(const struct lith_verify_rows_options *options,
                                     bool *ret_holds, struct lith_rows_sum *ret_a,
                                     struct lith_rows_sum *ret_b, struct lith_err *err)
{
    const struct lith_work *work = options->work;
    LITH_AUTO(spool) struct lith_spool a;
    LITH_AUTO(spool) struct lith_spool b;
    struct both both = {.options = options, .hashes_a = &a, .hashes_b = &b};
    size_t share = lith_work_share(work);

    lith_spool_init(&a, work->mem, work->scratch, share / 4);
    lith_spool_init(&b, work->mem, work->scratch, share / 4);
    LITH_TRY(both_read(&both, err));
    *ret_holds = false;
    if (both.a.rows <= both.b.rows)
        LITH_TRY(lith_row_subset(&a.source, &b.source, share, work->mem, ret_holds, err));
    *ret_a = both.a;
    *ret_b = both.b;
    return LITH_OK;
}
