/*
 * The read-back of one output: what the merge witnessed, in verify's words.
 */
#include "job/check.h"

#include <inttypes.h>

static enum lith_code parts_make(const struct lith_merge_file *file, struct lith_arena *arena,
                                 struct lith_verify_part **ret_parts, struct lith_err *err)
{
    void *block;

    LITH_TRY(
        lith_arena_array(arena, file->unit_count, sizeof(struct lith_verify_part), &block, err));
    struct lith_verify_part *parts = block;
    for (size_t i = 0; i < file->unit_count; i++)
        parts[i] = (struct lith_verify_part){file->units[i].input, file->units[i].row_group};
    *ret_parts = parts;
    return LITH_OK;
}

static enum lith_code keys_make(const struct lith_merge_file *file, struct lith_arena *arena,
                                struct lith_verify_key **ret_keys, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, file->key_count, sizeof(struct lith_verify_key), &block, err));
    struct lith_verify_key *keys = block;
    for (size_t i = 0; i < file->key_count; i++)
        keys[i] = (struct lith_verify_key){file->keys[i].leaf, &file->keys[i].counts};
    *ret_keys = keys;
    return LITH_OK;
}

enum lith_code lith_check_output(const struct lith_check *check, struct lith_source *source,
                                 const struct lith_merge_file *file, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_verify_part *parts;
    struct lith_verify_key *keys;

    lith_arena_init(&arena, check->work->mem);
    LITH_TRY(parts_make(file, &arena, &parts, err));
    LITH_TRY(keys_make(file, &arena, &keys, err));
    if (source->size != file->bytes)
        return lith_fail(err, LITH_E_IO, "%" PRIu64 " bytes were written, %" PRIu64 " are there",
                         file->bytes, source->size);
    struct lith_verify_sources sources = {
        .files = *check->inputs,
        .parts = parts,
        .part_count = file->unit_count,
    };
    /* Rows that were sorted are compared with the inputs' all at once, by lith_check_rows. */
    bool is_content = check->level == LITH_VERIFY_DECODE && file->is_mingled;
    struct lith_verify_options options = {
        .level = is_content ? LITH_VERIFY_CONTENT : check->level,
        .witness = file->witness,
        .keys = keys,
        .key_count = file->key_count,
        .sources = &sources,
        .codecs = check->codecs,
        .work = check->work,
    };
    return lith_verify_file(source, &options, err);
}

enum lith_code lith_check_rows(const struct lith_check *check,
                               const struct lith_verify_files *outputs, struct lith_err *err)
{
    const struct lith_verify_rows_options options = {
        .a = check->inputs, .b = outputs, .codecs = check->codecs, .work = check->work};
    struct lith_rows_sum inputs_sum, outputs_sum;
    bool equal;

    if (check->level < LITH_VERIFY_CONTENT)
        return LITH_OK;
    LITH_TRY(lith_verify_rows(&options, &equal, &inputs_sum, &outputs_sum, err));
    if (equal)
        return LITH_OK;
    return lith_fail(err, LITH_E_CORRUPT,
                     "the outputs hold %" PRIu64 " rows, the inputs %" PRIu64 "%s",
                     outputs_sum.rows, inputs_sum.rows,
                     outputs_sum.rows == inputs_sum.rows ? ", but not the same ones" : "");
}

bool lith_check_refutes(const struct lith_err *err)
{
    return err->code == LITH_E_CORRUPT || err->code == LITH_E_UNSUPPORTED;
}

enum lith_code lith_check_failed(const char *name, struct lith_err *err)
{
    if (err->code == LITH_E_CORRUPT)
        return lith_err_prefix(err,
                               "the output %s does not hold what was read (it is dropped, no "
                               "input was touched)",
                               name);
    return lith_err_prefix(err, "reading back the output %s", name);
}
