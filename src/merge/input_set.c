/*
 * The inputs of a merge: a list in the order of use.
 */
#include "merge/input_set.h"

#include "base/limits.h"

enum lith_code lith_input_set_init(struct lith_input_set *set,
                                   const struct lith_merge_input *inputs, size_t count,
                                   struct lith_opener *opener, const struct lith_work *work,
                                   struct lith_err *err)
{
    void *block;

    LITH_ASSERT(count < LITH_NO_INDEX);
    *set = (struct lith_input_set){.names = inputs,
                                   .opener = opener,
                                   .open_max = lith_work_open_files(work),
                                   .newest = LITH_NO_INDEX,
                                   .oldest = LITH_NO_INDEX};
    LITH_TRY(lith_alloc_array(work->mem, count, sizeof(*set->inputs), &block, err));
    set->inputs = block;
    set->count = count;
    return LITH_OK;
}

void lith_input_set_done(struct lith_input_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        lith_source_close(set->inputs[i].source);
    lith_free(set->inputs);
    *set = (struct lith_input_set){0};
}

/* Takes an open input out of the order of use. */
static void unlink_input(struct lith_input_set *set, const struct lith_input *input)
{
    if (input->newer == LITH_NO_INDEX)
        set->newest = input->older;
    else
        set->inputs[input->newer].older = input->older;
    if (input->older == LITH_NO_INDEX)
        set->oldest = input->newer;
    else
        set->inputs[input->older].newer = input->newer;
}

/* Puts an open input in front. */
static void link_newest(struct lith_input_set *set, uint32_t index)
{
    struct lith_input *input = &set->inputs[index];

    input->newer = LITH_NO_INDEX;
    input->older = set->newest;
    if (set->newest == LITH_NO_INDEX)
        set->oldest = index;
    else
        set->inputs[set->newest].newer = index;
    set->newest = index;
}

void lith_input_set_close(struct lith_input_set *set, size_t index)
{
    struct lith_input *input = &set->inputs[index];

    if (!input->source)
        return;
    unlink_input(set, input);
    lith_source_close(input->source);
    input->source = NULL;
    set->open_count--;
}

/* When the system (or the memory) gives no more, half of the files are let go for good: the rest of
 * the program must open some as well. */
static enum lith_code open_input(struct lith_input_set *set, size_t index, struct lith_err *err)
{
    struct lith_input *input = &set->inputs[index];

    for (;;) {
        while (set->open_count >= set->open_max)
            lith_input_set_close(set, set->oldest);
        enum lith_code code = set->opener->open(set->opener, index, &input->source, err);
        if (code == LITH_OK)
            break;
        if (code != LITH_E_LIMIT || set->open_count == 0)
            return lith_err_prefix(err, "%s", set->names[index].name);
        set->open_max = set->open_count > 1 ? set->open_count / 2 : 1;
        lith_input_set_close(set, set->oldest);
    }
    set->open_count++;
    return LITH_OK;
}

enum lith_code lith_input_set_get(struct lith_input_set *set, size_t index,
                                  struct lith_input **ret_input, struct lith_err *err)
{
    LITH_ASSERT(index < set->count);
    struct lith_input *input = &set->inputs[index];
    if (input->source)
        unlink_input(set, input);
    else
        LITH_TRY(open_input(set, index, err));
    link_newest(set, (uint32_t)index);
    *ret_input = input;
    return LITH_OK;
}
