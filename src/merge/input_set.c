/*
 * The inputs of a merge: a list in the order of use.
 */
#include "merge/input_set.h"

#include "base/limits.h"

enum lith_code lith_input_set_init(struct lith_input_set *set, size_t count,
                                   struct lith_opener *opener, const struct lith_work *work,
                                   struct lith_err *err)
{
    void *block;

    LITH_ASSERT(count < LITH_NO_INDEX);
    *set = (struct lith_input_set){.opener = opener,
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
    lith_free(set->users);
    lith_lock_free(set->lock);
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

static bool is_held(const struct lith_input_set *set, uint32_t index)
{
    for (uint32_t i = 0; i < set->user_count; i++) {
        if (set->users[i].held == index)
            return true;
    }
    return false;
}

/* Closes the input that was used longest ago and that nobody has; false: there is none. */
static bool oldest_close(struct lith_input_set *set)
{
    uint32_t index = set->oldest;

    while (index != LITH_NO_INDEX && is_held(set, index))
        index = set->inputs[index].newer;
    if (index == LITH_NO_INDEX)
        return false;
    lith_input_set_close(set, index);
    return true;
}

/* When the system (or the memory) gives no more, half of the files are let go for good: the rest of
 * the program must open some as well. */
static enum lith_code open_input(struct lith_input_set *set, size_t index, struct lith_err *err)
{
    struct lith_input *input = &set->inputs[index];

    for (;;) {
        while (set->open_count >= set->open_max && oldest_close(set))
            ;
        enum lith_code code = set->opener->open(set->opener, index, &input->source, err);
        if (code == LITH_OK)
            break;
        size_t open_max = set->open_count > 1 ? set->open_count / 2 : 1;
        if (code != LITH_E_LIMIT || !oldest_close(set))
            return code;
        set->open_max = open_max;
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

enum lith_code lith_input_set_share(struct lith_input_set *set, struct lith_mem *mem,
                                    uint32_t user_count, struct lith_err *err)
{
    void *block;

    LITH_ASSERT(!set->lock);
    LITH_TRY(lith_lock_new(mem, &set->lock, err));
    LITH_TRY(lith_alloc_array(mem, user_count, sizeof(*set->users), &block, err));
    set->users = block;
    set->user_count = user_count;
    for (uint32_t i = 0; i < user_count; i++)
        set->users[i] = (struct lith_input_user){.lock = set->lock, .held = LITH_NO_INDEX};
    return LITH_OK;
}

static enum lith_code guard_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                 struct lith_err *err)
{
    struct lith_input_user *user = (struct lith_input_user *)base;

    lith_lock_take(user->lock);
    enum lith_code code = lith_source_read(user->inner, offset, to, bytes, err);
    lith_lock_give(user->lock);
    return code;
}

static void guard_close(struct lith_source *base)
{
    (void)base; /* the set's */
}

enum lith_code lith_input_set_use(struct lith_input_set *set, uint32_t user, size_t index,
                                  struct lith_source **ret_source, struct lith_err *err)
{
    static const struct lith_source_ops guard_ops = {.read = guard_read, .close = guard_close};
    struct lith_input_user *users = set->users;
    struct lith_input *input;

    LITH_ASSERT(user < set->user_count);
    lith_lock_take(set->lock);
    users[user].held = LITH_NO_INDEX;
    enum lith_code code = lith_input_set_get(set, index, &input, err);
    if (code == LITH_OK) {
        users[user].held = (uint32_t)index;
        users[user].inner = input->source;
        users[user].guard = (struct lith_source){.ops = &guard_ops, .size = input->source->size};
        *ret_source = input->source->ops->is_shareable ? input->source : &users[user].guard;
    }
    lith_lock_give(set->lock);
    return code;
}
