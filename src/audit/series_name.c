/*
 * Folders and names of the series.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "audit/series.h"
#include "base/guard.h"
#include "base/time.h"
#include "lake/path_keys.h"

/* Names have 255 bytes at most; "tenant_id=" and the hash go off. */
#define TENANT_BYTES_MAX 200u
#define TENANT_BYTES_CUT 160u

/* The encoded name, or its beginning and a hash of the whole. */
static enum lith_code tenant_part(const char *tenant, struct lith_arena *arena,
                                  const char **ret_part, struct lith_err *err)
{
    const char *encoded;
    char hash[33];
    char *part;
    int cut = (int)TENANT_BYTES_CUT;

    LITH_TRY(lith_percent_encode(tenant, arena, &encoded, err));
    *ret_part = encoded;
    if (strlen(encoded) <= TENANT_BYTES_MAX)
        return LITH_OK;
    for (int i = 1; i <= 2; i++) { /* no %XX is cut */
        if (encoded[cut - i] == '%') {
            cut -= i;
            break;
        }
    }
    lith_hash128_text(lith_hash128(tenant, strlen(tenant), 0), hash);
    LITH_TRY(lith_arena_format(arena, &part, err, "%.*s~%s", cut, encoded, hash));
    *ret_part = part;
    return LITH_OK;
}

enum lith_code lith_series_folder(const char *tenant, int64_t at_ns, struct lith_arena *arena,
                                  const char **ret_path, struct lith_err *err)
{
    struct lith_civil at = lith_civil_from_ns(at_ns);
    const char *part;
    char *path;

    LITH_TRY(tenant_part(tenant, arena, &part, err));
    LITH_TRY(lith_arena_format(arena, &path, err,
                               "tenant_id=%s/year=%04" PRId64 "/month=%02u/day=%02u", part, at.year,
                               at.month, at.day));
    *ret_path = path;
    return LITH_OK;
}

int64_t lith_series_grace_ns(const struct lith_store *store, int64_t reader_grace_ns,
                             int64_t replay_window_ns)
{
    bool is_short = store->is_lockless && replay_window_ns > reader_grace_ns;

    return is_short && !lith_guard_is_out(LITH_GUARD_AUDIT_GRACE) ? replay_window_ns
                                                                  : reader_grace_ns;
}

enum lith_code lith_event_name(const struct lith_event_id *id, struct lith_arena *arena,
                               const char **ret_name, struct lith_err *err)
{
    struct lith_civil at = lith_civil_from_ns(id->at_ns);
    int64_t fraction = id->at_ns % LITH_SECOND_NS;
    char *name;

    if (fraction < 0)
        fraction += LITH_SECOND_NS;
    LITH_TRY(lith_arena_format(arena, &name, err,
                               "%04" PRId64 "%02u%02uT%02u%02u%02u.%09" PRId64 "Z_%s_g%" PRIu64
                               "_%s.parquet",
                               at.year, at.month, at.day, at.hour, at.minute, at.second, fraction,
                               id->pid, id->generation, id->commit_id));
    *ret_name = name;
    return LITH_OK;
}
