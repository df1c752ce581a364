/*
 * Files that verify opens. One is open at a time; parts of the same file that follow each other
 * share it.
 */
#include "verify/input.h"

enum lith_code lith_input_attach(struct lith_input *input, struct lith_source *source,
                                 struct lith_mem *mem, struct lith_err *err)
{
    *input = (struct lith_input){.source = source};
    lith_arena_init(&input->arena, mem);
    enum lith_code code = lith_footer_read(source, &input->arena, &input->footer, err);
    if (code == LITH_OK)
        code = lith_schema_normalise(&input->footer.schema, &input->arena, err);
    if (code != LITH_OK)
        lith_input_done(input);
    return code;
}

enum lith_code lith_input_open(struct lith_input *input, const struct lith_verify_files *files,
                               size_t index, struct lith_mem *mem, struct lith_err *err)
{
    struct lith_source *source;

    LITH_TRY(files->open(files->ctx, index, &source, err));
    enum lith_code code = lith_input_attach(input, source, mem, err);
    if (code != LITH_OK) {
        lith_source_close(source);
        (void)lith_err_prefix(err, "%s", files->name(files->ctx, index));
        return code;
    }
    input->owned = true;
    return LITH_OK;
}

enum lith_code lith_input_map(struct lith_input *input, const struct lith_schema *target,
                              struct lith_err *err)
{
    return lith_leaf_maps_make(target, &input->footer.schema, &input->arena, &input->maps, err);
}

void lith_input_done(struct lith_input *input)
{
    if (input->owned)
        lith_source_close(input->source);
    lith_arena_done(&input->arena);
    *input = (struct lith_input){0};
}

struct walk {
    const struct lith_verify_sources *sources;
    const struct lith_schema *target;
    struct lith_mem *mem;
    enum lith_code (*each)(void *ctx, const struct lith_column_file *file, uint32_t row_group,
                           struct lith_err *err);
    void *ctx;
    struct lith_input input; /* the file that is open */
    bool is_open;
    size_t file;
};

static enum lith_code walk_open(struct walk *walk, size_t file, struct lith_err *err)
{
    if (walk->is_open && walk->file == file)
        return LITH_OK;
    lith_input_done(&walk->input);
    walk->is_open = false;
    LITH_TRY(lith_input_open(&walk->input, &walk->sources->files, file, walk->mem, err));
    walk->is_open = true;
    walk->file = file;
    return lith_input_map(&walk->input, walk->target, err);
}

static enum lith_code walk_part(struct walk *walk, struct lith_verify_part part,
                                struct lith_err *err)
{
    LITH_TRY(walk_open(walk, part.file, err));
    const struct lith_column_file file = {
        .source = walk->input.source, .footer = &walk->input.footer, .maps = walk->input.maps};
    uint32_t begin = part.row_group == LITH_NO_INDEX ? 0 : part.row_group;
    uint32_t end = part.row_group == LITH_NO_INDEX ? file.footer->row_group_count : begin + 1;

    if (end > file.footer->row_group_count)
        return lith_fail(err, LITH_E_CORRUPT, "row group %u is not there any more", begin);
    for (uint32_t i = begin; i < end; i++)
        LITH_TRY(walk->each(walk->ctx, &file, i, err));
    return LITH_OK;
}

static enum lith_code walk_parts(struct walk *walk, struct lith_err *err)
{
    const struct lith_verify_sources *sources = walk->sources;
    size_t count = sources->parts ? sources->part_count : sources->files.count;

    for (size_t i = 0; i < count; i++) {
        struct lith_verify_part part = {.file = i, .row_group = LITH_NO_INDEX};
        if (sources->parts)
            part = sources->parts[i];
        enum lith_code code = walk_part(walk, part, err);
        if (code != LITH_OK && walk->is_open)
            (void)lith_err_prefix(err, "%s", sources->files.name(sources->files.ctx, part.file));
        LITH_TRY(code);
    }
    return LITH_OK;
}

enum lith_code lith_sources_walk(const struct lith_verify_sources *sources,
                                 const struct lith_schema *target, struct lith_mem *mem,
                                 enum lith_code (*each)(void *ctx,
                                                        const struct lith_column_file *file,
                                                        uint32_t row_group, struct lith_err *err),
                                 void *ctx, struct lith_err *err)
{
    struct walk walk = {.sources = sources, .target = target, .mem = mem, .each = each, .ctx = ctx};

    enum lith_code code = walk_parts(&walk, err);
    lith_input_done(&walk.input);
    return code;
}
