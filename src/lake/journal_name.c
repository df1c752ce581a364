/*
 * Names of journals: <partition>_<job>.json.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "lake/journal.h"
#include "lake/path_keys.h"

#define SUFFIX ".json"
#define ID_CHARS (LITH_COMMIT_ID_BYTES - 1)
#define TAIL_CHARS (ID_CHARS + sizeof(SUFFIX) - 1)

enum lith_code lith_journal_stem(const char *partition, struct lith_arena *arena,
                                 const char **ret_stem, struct lith_err *err)
{
    const char *encoded;
    char hash[33];
    char *stem;

    LITH_TRY(lith_percent_encode(partition, arena, &encoded, err));
    if (strlen(encoded) <= LITH_JOURNAL_PATH_BYTES_MAX) {
        LITH_TRY(lith_arena_format(arena, &stem, err, "%s_", encoded));
    } else {
        lith_hash128_text(lith_hash128(partition, strlen(partition), 0), hash);
        LITH_TRY(lith_arena_format(arena, &stem, err, "@%s_", hash));
    }
    *ret_stem = stem;
    return LITH_OK;
}

enum lith_code lith_journal_name(const char *partition, const char *job_id,
                                 struct lith_arena *arena, const char **ret_name,
                                 struct lith_err *err)
{
    const char *stem;
    char *name;

    LITH_ASSERT(strlen(job_id) == ID_CHARS);
    LITH_TRY(lith_journal_stem(partition, arena, &stem, err));
    LITH_TRY(lith_arena_format(arena, &name, err, "%s%s" SUFFIX, stem, job_id));
    *ret_name = name;
    return LITH_OK;
}

bool lith_journal_name_parse(const char *name, size_t *ret_stem_bytes)
{
    size_t bytes = strlen(name);

    if (bytes < TAIL_CHARS + 1)
        return false;
    const char *tail = name + bytes - TAIL_CHARS;
    if (tail[-1] != '_' || strspn(tail, "0123456789abcdef") != ID_CHARS ||
        strcmp(tail + ID_CHARS, SUFFIX) != 0)
        return false;
    *ret_stem_bytes = bytes - TAIL_CHARS;
    return true;
}

enum lith_code lith_journal_name_partition(const char *name, struct lith_arena *arena,
                                           const char **ret_partition, struct lith_err *err)
{
    const char *partition;
    const char *stem;
    size_t bytes = 0;

    *ret_partition = NULL;
    if (!lith_journal_name_parse(name, &bytes))
        return LITH_OK;
    enum lith_code code = lith_percent_decode(name, bytes - 1, arena, &partition, err);
    if (code == LITH_E_INVALID)
        return LITH_OK;
    LITH_TRY(code);
    LITH_TRY(lith_journal_stem(partition, arena, &stem, err));
    if (strlen(stem) == bytes && memcmp(stem, name, bytes) == 0)
        *ret_partition = partition;
    return LITH_OK;
}
