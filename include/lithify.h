/*
 * Lithify: merges the many small Parquet files of a data lake into few large ones.
 *
 * The public interface. Plain C11; it compiles alone, and as C++.
 *
 * Conventions: a function that can fail returns enum lith_code, must be checked, and takes
 * `struct lith_err *err` last (never NULL). Outputs are named ret_x and set only on success.
 * A `const` pointer is borrowed for the call. Nothing here prints, exits or takes signals.
 */
#ifndef LITHIFY_H
#define LITHIFY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LITH_API __attribute__((visibility("default")))
#define LITH_MUST_CHECK __attribute__((warn_unused_result))
#else
#define LITH_API
#define LITH_MUST_CHECK
#endif

/* What the caller can do about a failure. */
enum lith_code {
    LITH_OK = 0,
    LITH_E_NOMEM,       /* the machine is out of memory */
    LITH_E_LIMIT,       /* a configured limit would be passed: raise it, or give less */
    LITH_E_INVALID,     /* the call or the configuration is wrong */
    LITH_E_CORRUPT,     /* bytes from outside break their format: repair or remove the file */
    LITH_E_UNSUPPORTED, /* a legal thing that Lithify does not do */
    LITH_E_NOT_FOUND,   /* it is not there */
    LITH_E_CONFLICT,    /* somebody else changed it first: look again */
    LITH_E_TRANSIENT,   /* try again later */
    LITH_E_IO,          /* the storage failed */
    LITH_E_DENIED,      /* no permission */
    LITH_E_CANCELLED,   /* the caller asked to stop */
    LITH_CODE_COUNT
};

#define LITH_ERR_TEXT_BYTES 1024

/*
 * One failure, in the caller's memory. `text` is one line of UTF-8 without control characters:
 * the file, the place in it, what was expected and found, and what to do.
 */
struct lith_err {
    enum lith_code code;
    char text[LITH_ERR_TEXT_BYTES];
};

/* The name of a code, for example "CORRUPT"; static storage. */
LITH_API const char *lith_code_name(enum lith_code code);

/* How far a long call has come. Totals are 0 while unknown. */
struct lith_progress {
    uint64_t bytes_done;
    uint64_t bytes_total;
    const char *phase; /* a short word: "merge", "verify" */
};

/* What every long call takes. Zeroed means: no cancel flag, no progress, default limits. */
struct lith_control {
    const volatile sig_atomic_t *cancel; /* non-zero: stop at the next page; may be NULL */
    void (*progress)(void *ctx, const struct lith_progress *progress); /* may be NULL */
    void *progress_ctx;
    uint64_t memory_bytes_max;  /* heap budget; 0 = 256 MiB */
    uint64_t scratch_bytes_max; /* unlinked temporary files together; 0 = 4 GiB */
    const char *scratch_dir;    /* NULL = $TMPDIR, else /tmp */
};

/* The version of the library, for example "0.1.0"; static storage. */
LITH_API const char *lith_version(void);

#ifdef __cplusplus
}
#endif

#endif
