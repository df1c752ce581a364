/*
 * What tests of stores and lakes share: a world that counts steps and ends the process at one of
 * them, and a local store in a folder of its own.
 */
#ifndef LITH_TESTS_STORE_SUPPORT_H
#define LITH_TESTS_STORE_SUPPORT_H

#include "support.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/env.h"
#include "store/local.h"
#include "store/steps.h"

#define TEST_CRASHED 77

struct test_env {
    struct lith_env base;
    uint64_t seed;
    uint64_t steps;
    uint64_t crash_at; /* the step at which the process ends; 0: never */
    const char *last_step;
};

static inline int64_t test_env_now(struct lith_env *env)
{
    return lith_env_system()->now_ns(env);
}

static inline void test_env_sleep(struct lith_env *env, int64_t ns)
{
    lith_env_system()->sleep_ns(env, ns);
}

static inline void test_env_random(struct lith_env *env, void *to, size_t bytes)
{
    struct test_env *e = (struct test_env *)env;

    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = (uint8_t)test_random(&e->seed);
}

static inline void test_env_step(struct lith_env *env, const char *name)
{
    struct test_env *e = (struct test_env *)env;

    e->last_step = name;
    if (++e->steps == e->crash_at)
        _exit(TEST_CRASHED);
}

static inline void test_env_init(struct test_env *env, uint64_t seed)
{
    *env = (struct test_env){.base = {.now_ns = test_env_now,
                                      .monotonic_ns = test_env_now,
                                      .sleep_ns = test_env_sleep,
                                      .random = test_env_random,
                                      .step = test_env_step},
                             .seed = seed};
}

static inline void test_file_write(int dir_fd, const char *name, const char *text)
{
    int fd = openat(dir_fd, name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
}

static inline int test_remove_one(const char *name, const struct stat *st, int kind,
                                  struct FTW *place)
{
    (void)st;
    (void)kind;
    (void)place;
    return remove(name);
}

static inline bool test_file_exists(int dir_fd, const char *name)
{
    return faccessat(dir_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

#endif
