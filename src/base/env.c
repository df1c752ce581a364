/*
 * The system's clock and randomness, and the few environment variables the library knows.
 *
 * In builds with -Dcrash_steps=true, LITHIFY_CRASH_AT=NAME or NAME:N kills the process with
 * SIGKILL at the N-th arrival at that step, so that a test can cut a job off at each of them.
 * In all others a step does nothing. LITHIFY_GUARDS_OUT takes guards out (guard.h), where there are
 * such.
 */
#include "base/env.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <signal.h>
#include <sys/random.h>

#include "base/guard.h"
#include "base/time.h"

static int64_t clock_ns(clockid_t id)
{
    struct timespec now;
    int failed = clock_gettime(id, &now);

    LITH_ASSERT(!failed);
    return (int64_t)now.tv_sec * LITH_SECOND_NS + now.tv_nsec;
}

static int64_t system_now_ns(struct lith_env *env)
{
    (void)env;
    return clock_ns(CLOCK_REALTIME);
}

static int64_t system_monotonic_ns(struct lith_env *env)
{
    (void)env;
    return clock_ns(CLOCK_MONOTONIC);
}

/* A signal may end it early. */
static void system_sleep_ns(struct lith_env *env, int64_t ns)
{
    struct timespec time = {.tv_sec = ns / LITH_SECOND_NS, .tv_nsec = ns % LITH_SECOND_NS};

    (void)env;
    (void)nanosleep(&time, NULL);
}

static void system_random(struct lith_env *env, void *to, size_t bytes)
{
    uint8_t *at = to;

    (void)env;
    while (bytes) {
        ssize_t got = getrandom(at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        /* No Linux since 3.17 refuses; names that are not unique would lose rows. */
        LITH_ASSERT(got > 0);
        at += got;
        bytes -= (size_t)got;
    }
}

#ifdef LITH_CRASH_STEPS
#include <stdatomic.h>

static _Atomic(const char *) crash_at;
static _Atomic uint64_t crash_arrivals;

static void system_step(struct lith_env *env, const char *name)
{
    const char *wanted = atomic_load(&crash_at);
    size_t name_bytes = strlen(name);
    uint64_t arrival_due = 1;

    (void)env;
    if (!wanted || strncmp(wanted, name, name_bytes) != 0)
        return;
    if (wanted[name_bytes] == ':')
        arrival_due = strtoull(wanted + name_bytes + 1, NULL, 10);
    else if (wanted[name_bytes])
        return;
    if (atomic_fetch_add(&crash_arrivals, 1) + 1 == arrival_due)
        (void)raise(SIGKILL);
}

static void crash_read(void)
{
    atomic_store(&crash_at, getenv("LITHIFY_CRASH_AT"));
}
#else
static void system_step(struct lith_env *env, const char *name)
{
    (void)env;
    (void)name;
}

static void crash_read(void)
{
}
#endif

#ifdef LITH_GUARDS_OUT
static void guards_read(void)
{
    const char *bits = getenv("LITHIFY_GUARDS_OUT");

    if (bits)
        lith_guards_out = (unsigned)strtoul(bits, NULL, 10);
}
#else
static void guards_read(void)
{
}
#endif

struct lith_env *lith_env_system(void)
{
    static struct lith_env env = {
        .now_ns = system_now_ns,
        .monotonic_ns = system_monotonic_ns,
        .sleep_ns = system_sleep_ns,
        .random = system_random,
        .step = system_step,
    };

    crash_read();
    guards_read();
    return &env;
}

const char *lith_env_scratch_directory(void)
{
    const char *directory = getenv("TMPDIR");

    return directory && *directory ? directory : "/tmp";
}
