/*
 * The inputs of a merge: least recently used sources and footers are let go first.
 *
 * The search for a victim is linear: it happens once per opened file, beside system calls.
 */
#include "merge/input_set.h"

enum lith_code lith_input_set_init(struct lith_input_set *set,
                                   const struct lith_merge_input *inputs, size_t count,
                                   struct lith_opener *opener, const struct lith_work *work,
                                   struct lith_err *err)
{
    void *block;

    *set = (struct lith_input_set){.opener = opener, .work = work};
    LITH_TRY(lith_alloc_array(work->mem, count, sizeof(*set->inputs), &block, err));
    set->inputs = block;
    set->count = count;
    for (size_t i = 0; i < count; i++) {
        set->inputs[i].name = inputs[i].name;
        lith_arena_init(&set->inputs[i].arena, work->mem);
    }
    return LITH_OK;
}

static void source_drop(struct lith_input_set *set, struct lith_input *input)
{
    if (!input->source)
        return;
    lith_source_close(input->source);
    input->source = NULL;
    set->open_count--;
}

static void footer_drop(struct lith_input_set *set, struct lith_input *input)
{
    lith_arena_done(&input->arena);
    input->footer = NULL;
    set->footer_bytes -= input->footer_bytes;
    input->footer_bytes = 0;
}

void lith_input_set_done(struct lith_input_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        source_drop(set, &set->inputs[i]);
        footer_drop(set, &set->inputs[i]);
    }
    lith_free(set->inputs);
    set->inputs = NULL;
    set->count = 0;
}

/* The input used longest ago, other than `keep`, that has what is asked for; NULL if none has. */
static struct lith_input *oldest(struct lith_input_set *set, const struct lith_input *keep,
                                 bool with_source)
{
    struct lith_input *found = NULL;

    for (size_t i = 0; i < set->count; i++) {
        struct lith_input *input = &set->inputs[i];
        if (input == keep || (with_source ? !input->source : !input->footer))
            continue;
        if (!found || input->used_at < found->used_at)
            found = input;
    }
    return found;
}

static enum lith_code source_ready(struct lith_input_set *set, struct lith_input *input,
                                   size_t index, struct lith_err *err)
{
    if (input->source)
        return LITH_OK;
    if (set->open_count >= LITH_OPEN_FILES_MAX)
        source_drop(set, oldest(set, input, true));
    LITH_TRY(set->opener->open(set->opener, index, &input->source, err));
    set->open_count++;
    return LITH_OK;
}

static enum lith_code footer_parse(struct lith_input *input, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_alloc(&input->arena, sizeof(*input->footer), &block, err));
    struct lith_footer *footer = block;
    LITH_TRY(lith_footer_read(input->source, &input->arena, footer, err));
    LITH_TRY(lith_schema_normalise(&footer->schema, &input->arena, err));
    input->footer = footer;
    return LITH_OK;
}

static enum lith_code footer_ready(struct lith_input_set *set, struct lith_input *input,
                                   struct lith_err *err)
{
    if (input->footer)
        return LITH_OK;
    enum lith_code code = footer_parse(input, err);
    input->footer_bytes = lith_arena_bytes(&input->arena);
    set->footer_bytes += input->footer_bytes;
    if (code != LITH_OK) {
        footer_drop(set, input);
        return code;
    }
    while (set->footer_bytes > lith_work_share(set->work)) {
        struct lith_input *victim = oldest(set, input, false);
        if (!victim)
            break;
        footer_drop(set, victim);
    }
    return LITH_OK;
}

enum lith_code lith_input_set_get(struct lith_input_set *set, size_t index,
                                  const struct lith_input **ret_input, struct lith_err *err)
{
    LITH_ASSERT(index < set->count);
    struct lith_input *input = &set->inputs[index];
    input->used_at = ++set->clock;
    enum lith_code code = source_ready(set, input, index, err);
    if (code == LITH_OK)
        code = footer_ready(set, input, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "%s", input->name);
    *ret_input = input;
    return LITH_OK;
}
