/*
 * What tests of commits begin with: stamps, and entries of files that were read to their end.
 */
#ifndef LITH_TESTS_COMMIT_SUPPORT_H
#define LITH_TESTS_COMMIT_SUPPORT_H

#include "arena_support.h"

#include "lake/commit.h"

#define PID "5f21c0de"
#define POLICY_HASH "0123456789abcdef0123456789abcdef"

static struct lith_stamp stamp_at(int64_t at_ns)
{
    struct lith_stamp stamp;

    lith_stamp_draw(lith_env_system(), at_ns, &stamp);
    return stamp;
}

static struct lith_entry entry(const char *name, uint64_t size, uint64_t rows)
{
    return (struct lith_entry){.name = name,
                               .etag = "e",
                               .size = size,
                               .rows = rows,
                               .crc32 = (uint32_t)size,
                               .has_rows = true,
                               .has_crc = true};
}

#endif
