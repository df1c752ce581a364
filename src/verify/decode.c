/*
 * The sources decoded again, and compared with the output.
 *
 * In order: the stream of each column over all of its row groups has one fingerprint, on both
 * sides. Columns are taken in groups, as many as fingerprints fit a small share of the budget,
 * so that each source is opened once a group. Sorted outputs are compared as multisets of rows.
 */
#include "verify/decode.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/stream_hash.h"
#include "verify/row_sum.h"

/* What one running fingerprint takes, about: three XXH3 states. */
#define FINGERPRINT_BYTES 2048u

struct side {
    const struct lith_schema *target;
    struct lith_codec_context *codecs;
    const struct lith_work *work;
    uint32_t leaf_begin;
    uint32_t leaf_end;
    struct lith_stream_hash *hashes; /* of leaf_begin and on */
};

static enum lith_code hash_column(struct side *side, const struct lith_column_file *file,
                                  uint32_t row_group, uint32_t leaf, struct lith_err *err)
{
    struct lith_column column;
    struct lith_batch batch;
    enum lith_code code;

    LITH_TRY(lith_column_open(&column, file, row_group, side->target, leaf, side->codecs,
                              side->work, err));
    do {
        code = lith_column_next(&column, &batch, err);
        if (code == LITH_OK)
            code = lith_stream_hash_add(&side->hashes[leaf - side->leaf_begin], &batch, err);
    } while (code == LITH_OK && batch.position_count > 0);
    lith_column_close(&column);
    return code;
}

static enum lith_code hash_row_group(void *ctx, const struct lith_column_file *file,
                                     uint32_t row_group, struct lith_err *err)
{
    struct side *side = ctx;

    for (uint32_t leaf = side->leaf_begin; leaf < side->leaf_end; leaf++)
        LITH_TRY(hash_column(side, file, row_group, leaf, err));
    return LITH_OK;
}

static enum lith_code hash_output(struct side *side, struct lith_input *output,
                                  struct lith_err *err)
{
    const struct lith_column_file file = {
        .source = output->source, .footer = &output->footer, .maps = output->maps};

    for (uint32_t i = 0; i < output->footer.row_group_count; i++)
        LITH_TRY(hash_row_group(side, &file, i, err));
    return LITH_OK;
}

static enum lith_code compare(const struct side *found, const struct side *expected,
                              struct lith_err *err)
{
    char path[256];

    for (uint32_t leaf = found->leaf_begin; leaf < found->leaf_end; leaf++) {
        const struct lith_stream_hash *f = &found->hashes[leaf - found->leaf_begin];
        const struct lith_stream_hash *e = &expected->hashes[leaf - found->leaf_begin];
        if (lith_hash128_equal(lith_stream_hash_end(f), lith_stream_hash_end(e)) &&
            f->rows == e->rows)
            continue;
        lith_schema_path(found->target, found->target->leaves[leaf], path, sizeof(path));
        return lith_fail(err, LITH_E_CORRUPT,
                         "column \"%s\": %" PRIu64 " rows with %" PRIu64 " values; the sources "
                         "have %" PRIu64 " rows with %" PRIu64 " values%s",
                         path, f->rows, f->values, e->rows, e->values,
                         f->rows == e->rows && f->values == e->values ? ", but not the same" : "");
    }
    return LITH_OK;
}

static enum lith_code check_group(struct side *found, struct side *expected,
                                  struct lith_input *output,
                                  const struct lith_verify_sources *sources, struct lith_err *err)
{
    LITH_TRY(hash_output(found, output, err));
    LITH_TRY(lith_sources_walk(sources, expected->target, expected->work->mem, hash_row_group,
                               expected, err));
    return compare(found, expected, err);
}

/* Leaves [begin, end) of both sides. */
static enum lith_code check_leaves(struct lith_input *output,
                                   const struct lith_verify_sources *sources, const struct side *as,
                                   uint32_t begin, uint32_t end, struct lith_err *err)
{
    uint32_t count = end - begin;
    struct lith_stream_hash *hashes;
    void *block;

    LITH_TRY(lith_alloc_array(as->work->mem, (size_t)count * 2, sizeof(*hashes), &block, err));
    hashes = block;
    struct side found = *as;
    found.leaf_begin = begin;
    found.leaf_end = end;
    found.hashes = hashes;
    struct side expected = found;
    expected.hashes = hashes + count;
    enum lith_code code = LITH_OK;
    for (uint32_t i = 0; i < count * 2 && code == LITH_OK; i++)
        code = lith_stream_hash_new(as->work->mem, &hashes[i], err);
    if (code == LITH_OK)
        code = check_group(&found, &expected, output, sources, err);
    for (uint32_t i = 0; i < count * 2; i++)
        lith_stream_hash_done(&hashes[i]);
    lith_free(hashes);
    return code;
}

static enum lith_code check_ordered(struct lith_input *output,
                                    const struct lith_verify_sources *sources,
                                    const struct side *as, struct lith_err *err)
{
    uint32_t leaves = as->target->leaf_count;
    size_t group = lith_work_share(as->work) / 4 / (2 * FINGERPRINT_BYTES);

    if (group == 0)
        group = 1;
    for (uint32_t begin = 0; begin < leaves;) {
        uint32_t end = begin + (uint32_t)lith_min_size(group, leaves - begin);
        LITH_TRY(check_leaves(output, sources, as, begin, end, err));
        begin = end;
    }
    return LITH_OK;
}

static enum lith_code check_sorted(struct lith_input *output,
                                   const struct lith_verify_sources *sources, const struct side *as,
                                   struct lith_err *err)
{
    const struct lith_column_file file = {
        .source = output->source, .footer = &output->footer, .maps = output->maps};
    struct lith_row_summer found;
    struct lith_row_summer expected;
    enum lith_code code = LITH_OK;

    lith_row_summer_init(&found, as->target, 0, as->codecs, as->work);
    lith_row_summer_init(&expected, as->target, 0, as->codecs, as->work);
    for (uint32_t i = 0; i < output->footer.row_group_count && code == LITH_OK; i++)
        code = lith_row_summer_add(&found, &file, i, err);
    if (code == LITH_OK)
        code = lith_sources_walk(sources, as->target, as->work->mem, lith_row_summer_add, &expected,
                                 err);
    if (code == LITH_OK && (found.sum.rows != expected.sum.rows ||
                            !lith_hash128_equal(found.sum.sum, expected.sum.sum)))
        code = lith_fail(err, LITH_E_CORRUPT, "%" PRIu64 " rows, the sources have %" PRIu64 "%s",
                         found.sum.rows, expected.sum.rows,
                         found.sum.rows == expected.sum.rows ? ", but not the same ones" : "");
    lith_row_summer_done(&found);
    lith_row_summer_done(&expected);
    return code;
}

enum lith_code lith_decode_check(struct lith_input *output,
                                 const struct lith_verify_sources *sources,
                                 struct lith_codec_context *codecs, const struct lith_work *work,
                                 struct lith_err *err)
{
    const struct side as = {.target = &output->footer.schema, .codecs = codecs, .work = work};

    LITH_TRY(lith_input_map(output, as.target, err));
    return sources->sorted ? check_sorted(output, sources, &as, err)
                           : check_ordered(output, sources, &as, err);
}
