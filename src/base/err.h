/*
 * Failures: written once, where they happen, with numbers; passed on with LITH_TRY.
 *
 * The types are public (lithify.h); this header has what the inside needs to fill them.
 */
#ifndef LITH_BASE_ERR_H
#define LITH_BASE_ERR_H

#include "lithify.h"

/* Returns from the calling function when `expr` is not LITH_OK. */
#define LITH_TRY(expr)                                                                             \
    do {                                                                                           \
        enum lith_code lith_try_code_ = (expr);                                                    \
        if (lith_try_code_ != LITH_OK)                                                             \
            return lith_try_code_;                                                                 \
    } while (0)

/*
 * Fills `err` and returns `code`, so that a failure is one statement. Control characters of the
 * arguments (a file name may hold a newline) are written as \xNN. Too long a text is cut.
 */
#define lith_fail(err, code, ...) (lith_fail_text(err, code, __VA_ARGS__), (code))

/* The code stands in the macro, so that compilers and analysers see without following a call
 * that outputs are set wherever LITH_OK was returned. */
void lith_fail_text(struct lith_err *err, enum lith_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Tells them the same of a code that a function found: a failure is never LITH_OK. */
LITH_MUST_CHECK static inline enum lith_code lith_failed(enum lith_code code)
{
    if (code == LITH_OK)
        __builtin_unreachable();
    return code;
}

/*
 * Puts context in front of the text: "<format>: <text>". Used at three levels only: chunk
 * ("row group 2, column a.b"), file ("in.parquet") and job. Returns err->code for chaining.
 */
enum lith_code lith_err_prefix(struct lith_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/*
 * The failure of a system call as a code and a text: "<what> <name>: <strerror>". ENOENT is
 * NOT_FOUND, EACCES and EPERM are DENIED, ENOMEM is NOMEM, ENOSPC and EDQUOT are IO with advice.
 * Only the wrappers of base/file.c see errno.
 */
#define lith_fail_errno(err, error, what, name)                                                    \
    lith_failed(lith_fail_errno_text(err, error, what, name))

enum lith_code lith_fail_errno_text(struct lith_err *err, int error, const char *what,
                                    const char *name) __attribute__((cold, warn_unused_result));

/* Stops the program: a mistake of ours. Stays on in release builds. */
_Noreturn void lith_assert_failed(const char *condition, const char *file, int line)
    __attribute__((cold));

/* Checks for our own mistakes only; bytes from outside are never asserted. One condition each. */
#define LITH_ASSERT(condition)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            lith_assert_failed(#condition, __FILE__, __LINE__);                                    \
    } while (0)

/* LITH_AUTO(kind) struct lith_kind *x: runs lith_kind_auto_done(&x) when x leaves its scope. */
#define LITH_AUTO(kind) __attribute__((cleanup(lith_##kind##_auto)))

#endif
