/*
 * The system's clock and randomness; steps that do nothing, or end the process in crash builds.
 */
#include "support.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/env.h"

static void clocks_go_forward(void **state)
{
    struct lith_env *env = lith_env_system();
    int64_t before = env->monotonic_ns(env);
    int64_t now = env->now_ns(env);

    (void)state;
    assert_true(env->monotonic_ns(env) >= before);
    assert_true(llabs(now / 1000000000 - (int64_t)time(NULL)) <= 2);
}

static void random_fills_all_bytes(void **state)
{
    struct lith_env *env = lith_env_system();
    uint8_t seen[1000] = {0};
    uint8_t bytes[1000];

    (void)state;
    for (int round = 0; round < 16; round++) {
        env->random(env, bytes, sizeof(bytes));
        for (size_t i = 0; i < sizeof(bytes); i++)
            seen[i] |= bytes[i];
    }
    for (size_t i = 0; i < sizeof(seen); i++)
        assert_true(seen[i]); /* 16 zeros in a row: 1 in 10^38 */
    env->random(env, bytes, 0);
}

static void scratch_directory_follows_tmpdir(void **state)
{
    (void)state;
    assert_int_equal(setenv("TMPDIR", "/some/where", 1), 0);
    assert_string_equal(lith_env_scratch_directory(), "/some/where");
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    assert_string_equal(lith_env_scratch_directory(), "/tmp");
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(lith_env_scratch_directory(), "/tmp");
}

/* Arrivals at "commit.rename" that a child survives (of 5), with LITHIFY_CRASH_AT=`at`. */
static int arrivals_survived(const char *at)
{
    int status = 0;
    int ends[2];
    char byte;
    int survived = 0;

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)setenv("LITHIFY_CRASH_AT", at, 1);
        struct lith_env *env = lith_env_system();
        for (int i = 0; i < 5; i++) {
            env->step(env, "commit");
            env->step(env, "commit.rename");
            if (write(ends[1], "x", 1) != 1)
                break;
        }
        _exit(0);
    }
    (void)close(ends[1]);
    while (read(ends[0], &byte, 1) == 1)
        survived++;
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(survived < 5, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return survived;
}

static void steps_kill_only_crash_builds(void **state)
{
    static const struct {
        const char *at;
        int survived;
    } cases[] = {
        {"commit.rename", 0},
        {"commit.rename:1", 0},
        {"commit.rename:4", 3},
        {"commit:2", 1},
        {"commit.rename:99", 5},
        {"commit.renam", 5},
        {"", 5},
        {"commit.rename:x", 5},
        {"commit.renamed", 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
#ifdef LITH_CRASH_STEPS
        assert_int_equal(arrivals_survived(cases[i].at), cases[i].survived);
#else
        assert_int_equal(arrivals_survived(cases[i].at), 5);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_go_forward),
        cmocka_unit_test(random_fills_all_bytes),
        cmocka_unit_test(scratch_directory_follows_tmpdir),
        cmocka_unit_test(steps_kill_only_crash_builds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
