/*
 * A rate of bytes that is kept by waiting.
 *
 * The bucket is one moment: when all bytes that were let through will be paid for. Each taking
 * moves it on by its own share and waits for it; it never lies further back than one burst, so an
 * idle time is not saved up.
 */
#include "base/throttle.h"

#include "base/checked.h"
#include "base/pool.h"
#include "base/time.h"

#define BURST_NS (LITH_SECOND_NS / 10)
/* A wish to stop is heard after so long at most. */
#define SLEEP_NS_MAX (LITH_SECOND_NS / 10)

struct lith_throttle {
    struct lith_env *env;
    uint64_t bytes_per_second;
    const volatile sig_atomic_t *cancel;
    struct lith_lock *lock; /* of what follows */
    int64_t paid_ns;
};

enum lith_code lith_throttle_new(struct lith_mem *mem, struct lith_env *env,
                                 uint64_t bytes_per_second, const volatile sig_atomic_t *cancel,
                                 struct lith_throttle **ret_throttle, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;

    LITH_ASSERT(bytes_per_second > 0);
    LITH_TRY(lith_alloc(mem, sizeof(struct lith_throttle), &block, err));
    struct lith_throttle *throttle = block;
    *throttle = (struct lith_throttle){.env = env,
                                       .bytes_per_second = bytes_per_second,
                                       .cancel = cancel,
                                       .paid_ns = env->monotonic_ns(env)};
    LITH_TRY(lith_lock_new(mem, &throttle->lock, err));
    *ret_throttle = throttle;
    block = NULL;
    return LITH_OK;
}

void lith_throttle_free(struct lith_throttle *throttle)
{
    if (!throttle)
        return;
    lith_lock_free(throttle->lock);
    lith_free(throttle);
}

/* How long so many bytes take, at most half of all time. */
static int64_t time_of(const struct lith_throttle *throttle, uint64_t bytes)
{
    const uint64_t second = (uint64_t)LITH_SECOND_NS;
    uint64_t rate = throttle->bytes_per_second;
    uint64_t ns, part;

    if (!lith_mul_u64(bytes / rate, second, &ns))
        return INT64_MAX / 2;
    if (lith_mul_u64(bytes % rate, second, &part))
        part /= rate;
    else
        part = bytes % rate / (rate / second); /* more than 18 bytes in each of them */
    return lith_add_u64(ns, part, &ns) && ns < INT64_MAX / 2 ? (int64_t)ns : INT64_MAX / 2;
}

/* Moves the moment on by these bytes, and returns it. */
static int64_t pay(struct lith_throttle *throttle, uint64_t bytes)
{
    int64_t now = throttle->env->monotonic_ns(throttle->env);

    lith_lock_take(throttle->lock);
    if (throttle->paid_ns < now - BURST_NS)
        throttle->paid_ns = now - BURST_NS;
    if (!lith_add_i64(throttle->paid_ns, time_of(throttle, bytes), &throttle->paid_ns))
        throttle->paid_ns = INT64_MAX;
    int64_t paid = throttle->paid_ns;
    lith_lock_give(throttle->lock);
    return paid;
}

void lith_throttle_take(struct lith_throttle *throttle, uint64_t bytes)
{
    struct lith_env *env = throttle->env;
    int64_t paid = pay(throttle, bytes);

    for (;;) {
        int64_t now = env->monotonic_ns(env);
        if (now >= paid || (throttle->cancel && *throttle->cancel))
            return;
        env->sleep_ns(env, paid - now < SLEEP_NS_MAX ? paid - now : SLEEP_NS_MAX);
    }
}

struct throttled_source {
    struct lith_source base;
    struct lith_source *inner;
    struct lith_throttle *throttle;
};

static enum lith_code source_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                  struct lith_err *err)
{
    struct throttled_source *source = (struct throttled_source *)base;

    lith_throttle_take(source->throttle, bytes);
    return lith_source_read(source->inner, offset, to, bytes, err);
}

static void source_close(struct lith_source *base)
{
    struct throttled_source *source = (struct throttled_source *)base;

    lith_source_close(source->inner);
    lith_free(source);
}

enum lith_code lith_throttle_source(struct lith_throttle *throttle, struct lith_source *inner,
                                    struct lith_mem *mem, struct lith_source **ret_source,
                                    struct lith_err *err)
{
    static const struct lith_source_ops shared = {
        .read = source_read, .close = source_close, .is_shareable = true};
    static const struct lith_source_ops single = {.read = source_read, .close = source_close};
    void *block;

    enum lith_code code = lith_alloc(mem, sizeof(struct throttled_source), &block, err);
    if (code != LITH_OK) {
        lith_source_close(inner);
        return code;
    }
    struct throttled_source *source = block;
    *source = (struct throttled_source){
        .base = {.ops = inner->ops->is_shareable ? &shared : &single, .size = inner->size},
        .inner = inner,
        .throttle = throttle};
    *ret_source = &source->base;
    return LITH_OK;
}

static enum lith_code sink_write(struct lith_sink *base, const void *from, size_t bytes,
                                 struct lith_err *err)
{
    struct lith_throttled_sink *sink = (struct lith_throttled_sink *)base;

    lith_throttle_take(sink->throttle, bytes);
    return lith_sink_write(sink->inner, from, bytes, err);
}

void lith_throttled_sink_init(struct lith_throttled_sink *sink, struct lith_sink *inner,
                              struct lith_throttle *throttle)
{
    static const struct lith_sink_ops ops = {.write = sink_write};

    *sink = (struct lith_throttled_sink){
        .base = {.ops = &ops, .written = inner->written}, .inner = inner, .throttle = throttle};
}
