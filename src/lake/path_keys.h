/*
 * What a partition's path says: its keys, its tenant, its period. Pure functions of the path.
 */
#ifndef LITH_LAKE_PATH_KEYS_H
#define LITH_LAKE_PATH_KEYS_H

#include "base/arena.h"

/* The value that stands for a null, as Hive writes it. */
#define LITH_PATH_NULL "__HIVE_DEFAULT_PARTITION__"

struct lith_path_key {
    const char *name;
    const char *value; /* percent-decoded; may be any bytes but zero; NULL for a null */
};

/* Either may be NULL: tenant_key is then "tenant_id", and the path is Hive-style alone. */
struct lith_path_options {
    const char *tenant_key;
    const char *layout; /* "{db}/{measurement}/{yyyy}/{mm}/{dd}/{hh}" */
};

struct lith_path_keys {
    const struct lith_path_key *keys; /* in path order; names are unique */
    size_t count;
    const char *tenant; /* decoded; "default" where there is none */
    bool has_period;
    int64_t begin_ns; /* UTC: [begin, end) */
    int64_t end_ns;
    const char *misfit; /* the layout that was given and that the path does not fit; else NULL */
};

/*
 * Parses a partition's path below the root. Keys are the name=value parts; with a layout the
 * fields that match it. Time keys: year, month, day, hour, minute, and date or dt as ISO dates; a
 * value that is no such time leaves the partition without a period. INVALID: a key twice, a
 * broken percent encoding, an encoded zero byte, a layout that cannot be read.
 */
LITH_MUST_CHECK enum lith_code lith_path_keys_parse(const char *path,
                                                    const struct lith_path_options *options,
                                                    struct lith_arena *arena,
                                                    struct lith_path_keys *ret_keys,
                                                    struct lith_err *err);

/* The key of that name, or NULL. */
const struct lith_path_key *lith_path_keys_find(const struct lith_path_keys *keys,
                                                const char *name);

/* RFC 3986: unreserved characters stay, all others become %XX with upper-case digits. */
LITH_MUST_CHECK enum lith_code lith_percent_encode(const char *text, struct lith_arena *arena,
                                                   const char **ret_text, struct lith_err *err);
/* A % without two hex digits behind it stands for itself, as in Hive and Spark. INVALID: %00. */
LITH_MUST_CHECK enum lith_code lith_percent_decode(const char *text, size_t bytes,
                                                   struct lith_arena *arena, const char **ret_text,
                                                   struct lith_err *err);

/* False for directories that are never partitions and never walked: names with _ or . first. */
bool lith_path_part_walks(const char *name);

enum lith_seal {
    LITH_SEALED,
    LITH_SEAL_PERIOD, /* its period has not ended longer than `grace` ago */
    LITH_SEAL_BUSY,   /* its newest file is younger than `quiet_for` */
};

/* Is the partition no longer written? `newest_ns` is the mtime of the newest file that is not an
 * output; INT64_MIN where there is none. */
enum lith_seal lith_path_keys_seal(const struct lith_path_keys *keys, int64_t newest_ns,
                                   int64_t now_ns, int64_t grace_ns, int64_t quiet_for_ns);

#endif
