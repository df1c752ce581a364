/*
 * Checking one output file, level by level: structure and contents chunk by chunk, then keys,
 * then the sources.
 */
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "verify/content.h"
#include "verify/decode.h"
#include "verify/footer_extras.h"
#include "verify/sorted.h"

struct file {
    const struct lith_verify_options *options;
    struct lith_input input;
    struct lith_seen seen;
    struct lith_copied copied;
    struct lith_siblings siblings;
    struct lith_chunk_reader *reader; /* of one chunk after another */
    struct lith_key_counts *counts;   /* one per key */
};

static enum lith_code witness_check(const struct file *file, struct lith_err *err)
{
    const struct lith_witness *witness = file->options->witness;
    const struct lith_footer *footer = &file->input.footer;

    if (!witness)
        return LITH_OK;
    if (witness->leaf_count != footer->schema.leaf_count ||
        (witness->leaf_count > 0 && witness->row_group_count != footer->row_group_count))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%" PRIu32 " row groups of %" PRIu32 " columns, the witness has %" PRIu32
                         " of %" PRIu32,
                         footer->row_group_count, footer->schema.leaf_count,
                         witness->row_group_count, witness->leaf_count);
    if (witness->rows != (uint64_t)footer->num_rows)
        return lith_fail(err, LITH_E_CORRUPT, "%" PRId64 " rows, the witness has %" PRIu64,
                         footer->num_rows, witness->rows);
    return LITH_OK;
}

static enum lith_code content_check(struct file *file, const struct lith_chunk_ref *ref,
                                    struct lith_witness_place place,
                                    const struct lith_indexes *indexes, struct lith_err *err)
{
    const struct lith_verify_options *options = file->options;
    struct lith_content content = {
        .source = file->input.source,
        .ref = ref,
        .indexes = indexes,
        .witness = options->witness,
        .place = place,
        .decodes_copied = options->level >= LITH_VERIFY_DECODE,
        .siblings = &file->siblings,
        .reader = file->reader,
        .work = options->work,
    };

    for (size_t i = 0; i < options->key_count; i++) {
        if (options->keys[i].leaf == ref->leaf)
            content.key_counts = &file->counts[i];
    }
    if (options->witness && file->copied.decoded_pages == 0 && !content.key_counts &&
        !content.decodes_copied)
        return LITH_OK;
    return lith_content_check(&content, err);
}

/* What the footer says of the chunk's levels, where it does, against the columns beside it. */
static enum lith_code levels_check(struct file *file, const struct lith_chunk_ref *ref,
                                   struct lith_err *err)
{
    const struct lith_schema_node *leaf = lith_schema_leaf(ref->schema, ref->leaf);
    const struct lith_size_statistics *sizes = &ref->meta->size_statistics;
    const int64_t *rep = leaf->max_rep ? sizes->rep_histogram : &ref->meta->num_values;
    const int64_t *def = leaf->max_def ? sizes->def_histogram : &ref->meta->num_values;

    return rep && def ? lith_siblings_add(&file->siblings, ref->leaf, rep, def, err) : LITH_OK;
}

static enum lith_code chunk_check(struct file *file, uint32_t row_group, uint32_t leaf,
                                  struct lith_arena *arena, struct lith_err *err)
{
    const struct lith_footer *footer = &file->input.footer;
    bool contents = file->options->level >= LITH_VERIFY_CONTENT;
    struct lith_witness_place place = file->copied.segments.place;
    struct lith_chunk_ref ref = lith_chunk_ref_of(footer, row_group, leaf);
    struct lith_seen_walk walk = {
        .source = file->input.source,
        .ref = &ref,
        .check_bodies = !contents,
        .work = file->options->work,
    };
    struct lith_indexes indexes;

    if (contents && file->options->witness) {
        lith_copied_begin(&file->copied, file->input.source, &ref, file->reader);
        walk.copied = &file->copied;
    }
    LITH_TRY(lith_seen_walk(&file->seen, &walk, err));
    LITH_TRY(lith_structure_chunk(&file->seen, file->input.source, footer, row_group, leaf, arena,
                                  &indexes, err));
    if (contents)
        LITH_TRY(content_check(file, &ref, place, &indexes, err));
    return levels_check(file, &ref, err);
}

/* Who decoded the chunk has named it already, as far as the page. */
static enum lith_code place_prefix(uint32_t row_group, const char *path, struct lith_err *err)
{
    char place[320];
    int bytes =
        snprintf(place, sizeof(place), "row group %" PRIu32 ", column \"%s\"", row_group, path);

    if (bytes > 0 && strncmp(err->text, place, (size_t)bytes) == 0)
        return lith_err_prefix(err, "verify");
    return lith_err_prefix(err, "verify: %s", place);
}

static enum lith_code chunks_check(struct file *file, struct lith_err *err)
{
    const struct lith_footer *footer = &file->input.footer;
    char path[256];

    for (uint32_t row_group = 0; row_group < footer->row_group_count; row_group++) {
        lith_siblings_clear(&file->siblings);
        for (uint32_t leaf = 0; leaf < footer->schema.leaf_count; leaf++) {
            struct lith_arena arena;
            lith_arena_init(&arena, file->options->work->mem);
            enum lith_code code = chunk_check(file, row_group, leaf, &arena, err);
            lith_arena_done(&arena);
            if (code == LITH_OK)
                continue;
            lith_schema_path(&footer->schema, footer->schema.leaves[leaf], path, sizeof(path));
            return place_prefix(row_group, path, err);
        }
    }
    return LITH_OK;
}

static enum lith_code sorts_check(struct file *file, struct lith_err *err)
{
    const struct lith_footer *footer = &file->input.footer;

    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        enum lith_code code = lith_sorted_check(file->input.source, footer, i,
                                                file->options->codecs, file->options->work, err);
        if (code != LITH_OK)
            (void)lith_err_prefix(err, "verify: row group %" PRIu32, i);
        LITH_TRY(code);
    }
    return LITH_OK;
}

static enum lith_code keys_check(struct file *file, struct lith_err *err)
{
    const struct lith_schema *schema = &file->input.footer.schema;
    char path[256];

    for (size_t i = 0; i < file->options->key_count; i++) {
        const struct lith_verify_key *key = &file->options->keys[i];
        enum lith_code code = lith_key_counts_compare(key->expected, &file->counts[i], err);
        if (code == LITH_OK)
            continue;
        lith_schema_path(schema, schema->leaves[key->leaf], path, sizeof(path));
        (void)lith_err_prefix(err, "verify: key column \"%s\"", path);
        return code;
    }
    return LITH_OK;
}

static enum lith_code file_check(struct file *file, struct lith_err *err)
{
    const struct lith_verify_options *options = file->options;

    for (size_t i = 0; i < options->key_count; i++) {
        if (options->keys[i].leaf >= file->input.footer.schema.leaf_count)
            return lith_fail(err, LITH_E_INVALID, "key column %" PRIu32 " of %" PRIu32,
                             options->keys[i].leaf, file->input.footer.schema.leaf_count);
    }
    LITH_TRY(lith_structure_file(&file->input.footer, err));
    LITH_TRY(
        lith_footer_extras_check(file->input.source, &file->input.footer, options->work->mem, err));
    LITH_TRY(witness_check(file, err));
    LITH_TRY(chunks_check(file, err));
    if (options->level >= LITH_VERIFY_CONTENT) {
        LITH_TRY(sorts_check(file, err));
        LITH_TRY(keys_check(file, err));
    }
    if (options->level >= LITH_VERIFY_DECODE)
        LITH_TRY(
            lith_decode_check(&file->input, options->sources, options->codecs, options->work, err));
    return LITH_OK;
}

static enum lith_code counts_new(struct file *file, struct lith_err *err)
{
    const struct lith_verify_options *options = file->options;
    void *block;

    LITH_TRY(lith_alloc_array(options->work->mem, options->key_count,
                              sizeof(struct lith_key_counts), &block, err));
    file->counts = block;
    for (size_t i = 0; i < options->key_count; i++)
        lith_key_counts_init(&file->counts[i], options->work->mem);
    return LITH_OK;
}

static void counts_free(struct file *file)
{
    for (size_t i = 0; file->counts && i < file->options->key_count; i++)
        lith_key_counts_done(&file->counts[i]);
    lith_free(file->counts);
}

enum lith_code lith_verify_file(struct lith_source *source,
                                const struct lith_verify_options *options, struct lith_err *err)
{
    struct file file = {.options = options};

    if (options->level == LITH_VERIFY_OFF)
        return LITH_OK;
    if (options->level == LITH_VERIFY_DECODE && !options->sources)
        return lith_fail(err, LITH_E_INVALID, "level decode without sources");
    LITH_TRY(lith_input_attach(&file.input, source, options->work->mem, err));
    lith_seen_init(&file.seen, options->work);
    lith_copied_init(&file.copied, options->witness, options->work->mem);
    enum lith_code code = counts_new(&file, err);
    if (code == LITH_OK)
        code =
            lith_siblings_init(&file.siblings, &file.input.footer.schema, options->work->mem, err);
    if (code == LITH_OK)
        code = lith_chunk_reader_new(options->codecs, options->work, true, &file.reader, err);
    if (code == LITH_OK)
        code = file_check(&file, err);
    counts_free(&file);
    lith_siblings_done(&file.siblings);
    lith_chunk_reader_close(file.reader);
    lith_copied_done(&file.copied);
    lith_seen_done(&file.seen);
    lith_input_done(&file.input);
    return code;
}
