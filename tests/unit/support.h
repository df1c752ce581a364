/*
 * What unit tests share: cmocka, a folder of their own, seeded random numbers.
 */
#ifndef LITH_TESTS_SUPPORT_H
#define LITH_TESTS_SUPPORT_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* A call that must succeed; its error is shown otherwise. */
#define MUST(expr)                                                                                 \
    do {                                                                                           \
        if ((expr) != LITH_OK)                                                                     \
            fail_msg("%s: %s: %s", #expr, lith_code_name(err.code), err.text);                     \
    } while (0)

/* An empty folder in the scratch space of the machine; *ret_fd is open on it. */
static inline void test_folder_make(char path[64], int *ret_fd)
{
    (void)snprintf(path, 64, "/tmp/lithify-test-XXXXXX");
    assert_non_null(mkdtemp(path));
    *ret_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(*ret_fd >= 0);
}

/* Removes the folder, its files and empty folders. */
static inline void test_folder_remove(const char *path, int fd)
{
    DIR *dir = fdopendir(fd);
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (unlinkat(fd, entry->d_name, 0) != 0)
            (void)unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    (void)closedir(dir);
    assert_int_equal(rmdir(path), 0);
}

/* Exit status that meson counts as skipped. */
#define TEST_SKIP 77

/* The corpus of foreign Parquet files: LITHIFY_CORPUS, else beside the repository. NULL when there
 * is none, which it says. */
static inline const char *test_corpus_folder(void)
{
    const char *folder = getenv("LITHIFY_CORPUS");

    folder = folder ? folder : LITH_CORPUS_DEFAULT;
    if (access(folder, R_OK) == 0)
        return folder;
    print_message("SKIP: no corpus of Parquet files at %s (set LITHIFY_CORPUS)\n", folder);
    return NULL;
}

/* The seed of this run: LITHIFY_SEED, else the time; printed so that a failure can be repeated. */
static inline uint64_t test_seed(void)
{
    const char *text = getenv("LITHIFY_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

    print_message("LITHIFY_SEED=%" PRIu64 "\n", seed);
    return seed;
}

/* splitmix64: the next number of a sequence. */
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
