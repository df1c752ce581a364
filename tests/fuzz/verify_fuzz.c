/*
 * A whole file from memory given to verify: as an output with itself as its source, and as a set
 * of rows. Nothing may crash, hang or pass the budget of 16 MiB; a file is the same as itself.
 */
#include "verify/verify.h"

#define BUDGET ((size_t)16 << 20)
/* Rows are cheap to claim (a run of nulls), and each costs a hash here. */
#define VALUES_MAX 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct input {
    struct lith_memory_source source;
    const uint8_t *data;
    size_t bytes;
};

static enum lith_code input_open(void *ctx, size_t index, struct lith_source **ret_source,
                                 struct lith_err *err)
{
    struct input *input = ctx;

    (void)index;
    (void)err;
    lith_memory_source_init(&input->source, input->data, input->bytes);
    *ret_source = &input->source.base;
    return LITH_OK;
}

static const char *input_name(void *ctx, size_t index)
{
    (void)ctx;
    (void)index;
    return "input";
}

/* False when the footer cannot be read, or claims more than an input may cost. */
static bool is_small(struct input *input, struct lith_mem *mem)
{
    struct lith_memory_source source;
    struct lith_footer footer;
    struct lith_arena arena;
    struct lith_err err;
    int64_t values = 0;

    lith_memory_source_init(&source, input->data, input->bytes);
    lith_arena_init(&arena, mem);
    bool small = lith_footer_read(&source.base, &arena, &footer, &err) == LITH_OK;
    for (uint32_t i = 0; small && i < footer.row_group_count; i++) {
        for (uint32_t leaf = 0; small && leaf < footer.schema.leaf_count; leaf++) {
            values += footer.row_groups[i].chunks[leaf].num_values;
            small = values < VALUES_MAX;
        }
    }
    lith_arena_done(&arena);
    return small;
}

static void verify(struct input *input, struct lith_codec_context *codecs,
                   const struct lith_work *work)
{
    struct lith_verify_sources sources = {
        .files = {.count = 1, .open = input_open, .name = input_name, .ctx = input}};
    const struct lith_verify_options options = {
        .level = LITH_VERIFY_DECODE, .sources = &sources, .codecs = codecs, .work = work};
    const struct lith_verify_rows_options rows = {
        .a = &sources.files, .b = &sources.files, .codecs = codecs, .work = work};
    struct lith_memory_source source;
    struct lith_rows_sum a;
    struct lith_rows_sum b;
    struct lith_err err;
    bool equal;

    lith_memory_source_init(&source, input->data, input->bytes);
    enum lith_code code = lith_verify_file(&source.base, &options, &err);
    (void)code;
    if (lith_verify_rows(&rows, &equal, &a, &b, &err) == LITH_OK)
        LITH_ASSERT(equal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_mem mem;
    struct lith_scratch scratch;
    struct lith_control control = {0};
    struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
    struct input input = {.data = data, .bytes = bytes};
    struct lith_codec_context *codecs;
    struct lith_err err;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_scratch_init(&scratch, "/tmp", 64 * LITH_MIB);
    if (lith_codec_context_new(&mem, &codecs, &err) != LITH_OK)
        return 0;
    if (is_small(&input, &mem))
        verify(&input, codecs, &work);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
    return 0;
}
