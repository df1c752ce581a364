/*
 * A manifest from anywhere: refused, or read, resolved, written, and read back the same. Paths are
 * taken from the same bytes.
 */
#include <string.h>

#include "lake/path_keys.h"
#include "lake/snapshot.h"

#define BUDGET ((size_t)64 << 20)
#define PATH_BYTES_MAX 1000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void manifest_try(const uint8_t *data, size_t bytes, struct lith_mem *mem,
                         struct lith_arena *arena)
{
    LITH_AUTO(manifest) struct lith_manifest m = {0};
    LITH_AUTO(manifest) struct lith_manifest back = {0};
    LITH_AUTO(buf) struct lith_buf once;
    LITH_AUTO(buf) struct lith_buf twice;
    struct lith_listing listing = {0};
    struct lith_snapshot snapshot;
    struct lith_err err;

    lith_buf_init(&once, mem, BUDGET);
    lith_buf_init(&twice, mem, BUDGET);
    if (lith_manifest_parse(data, bytes, "m", arena, &m, &err) != LITH_OK)
        return;
    enum lith_code code =
        lith_snapshot_resolve(&listing, &m, LITH_SNAPSHOT_OPEN, arena, &snapshot, &err);
    LITH_ASSERT(code == LITH_OK);
    LITH_ASSERT(snapshot.missing_count == m.file_count);
    code = lith_manifest_write(&m, &once, &err);
    LITH_ASSERT(code == LITH_OK);
    code = lith_manifest_parse(once.data, once.bytes, "m", arena, &back, &err);
    LITH_ASSERT(code == LITH_OK);
    code = lith_manifest_write(&back, &twice, &err);
    LITH_ASSERT(code == LITH_OK);
    LITH_ASSERT(once.bytes == twice.bytes);
    LITH_ASSERT(memcmp(once.data, twice.data, once.bytes) == 0);
}

static void path_try(const uint8_t *data, size_t bytes, struct lith_arena *arena)
{
    struct lith_path_options options = {.layout = "{db}-{yyyy}/{mm}{dd}/x{tenant_id}"};
    struct lith_path_keys keys;
    char path[PATH_BYTES_MAX + 1];
    struct lith_err err;

    bytes = bytes < PATH_BYTES_MAX ? bytes : PATH_BYTES_MAX;
    memcpy(path, data, bytes);
    path[bytes] = 0;
    if (lith_path_keys_parse(path, &options, arena, &keys, &err) == LITH_OK && keys.has_period)
        LITH_ASSERT(keys.begin_ns < keys.end_ns);
    options.layout = path;
    (void)!lith_path_keys_parse("a-2026/0615/xt", &options, arena, &keys, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_mem mem;
    struct lith_arena arena;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_arena_init(&arena, &mem);
    if (bytes) {
        manifest_try(data, bytes, &mem, &arena);
        path_try(data, bytes, &arena);
    }
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
