/*
 * Failures: formatting, prefixes, errno.
 *
 * A text is one line without control characters, whatever a file name holds, so that logs and
 * terminals stay whole.
 */
#include "base/err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const code_names[] = {
    [LITH_OK] = "OK",
    [LITH_E_NOMEM] = "NOMEM",
    [LITH_E_LIMIT] = "LIMIT",
    [LITH_E_INVALID] = "INVALID",
    [LITH_E_CORRUPT] = "CORRUPT",
    [LITH_E_UNSUPPORTED] = "UNSUPPORTED",
    [LITH_E_NOT_FOUND] = "NOT_FOUND",
    [LITH_E_CONFLICT] = "CONFLICT",
    [LITH_E_TRANSIENT] = "TRANSIENT",
    [LITH_E_IO] = "IO",
    [LITH_E_DENIED] = "DENIED",
    [LITH_E_CANCELLED] = "CANCELLED",
};
static_assert(sizeof(code_names) / sizeof(code_names[0]) == LITH_CODE_COUNT, "a name per code");

const char *lith_code_name(enum lith_code code)
{
    return (unsigned)code < LITH_CODE_COUNT ? code_names[code] : "UNKNOWN";
}

/* Copies `from` to `to` (both at most LITH_ERR_TEXT_BYTES), control characters as \xNN. */
static void copy_escaped(char *to, const char *from)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;

    for (; *from && used + 5 < LITH_ERR_TEXT_BYTES; from++) {
        unsigned char byte = (unsigned char)*from;
        if (byte >= 0x20 && byte != 0x7f) {
            to[used++] = (char)byte;
            continue;
        }
        to[used++] = '\\';
        to[used++] = 'x';
        to[used++] = digits[byte >> 4];
        to[used++] = digits[byte & 15];
    }
    to[used] = '\0';
}

void lith_fail_text(struct lith_err *err, enum lith_code code, const char *format, ...)
{
    char text[LITH_ERR_TEXT_BYTES];
    va_list args;

    LITH_ASSERT(code != LITH_OK);
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    err->code = code;
    copy_escaped(err->text, text);
}

enum lith_code lith_err_prefix(struct lith_err *err, const char *format, ...)
{
    char old[LITH_ERR_TEXT_BYTES];
    char text[LITH_ERR_TEXT_BYTES];
    va_list args;

    memcpy(old, err->text, sizeof(old));
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    copy_escaped(err->text, text);
    size_t used = strlen(err->text);
    (void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
    return err->code;
}

enum lith_code lith_fail_errno_text(struct lith_err *err, int error, const char *what,
                                    const char *name)
{
    static const struct {
        int error;
        enum lith_code code;
        const char *advice;
    } table[] = {
        {ENOENT, LITH_E_NOT_FOUND, ""},
        {ENOTDIR, LITH_E_NOT_FOUND, ""},
        {EACCES, LITH_E_DENIED, "; check owner and mode"},
        {EPERM, LITH_E_DENIED, "; check owner and mode"},
        {EROFS, LITH_E_DENIED, "; the file system is mounted read-only"},
        {ENOMEM, LITH_E_NOMEM, ""},
        {ENOSPC, LITH_E_IO, "; free some space and run again, nothing was lost"},
        {EDQUOT, LITH_E_IO, "; free some quota and run again, nothing was lost"},
        {EMFILE, LITH_E_LIMIT, "; raise the limit of open files (ulimit -n)"},
        {EEXIST, LITH_E_CONFLICT, ""},
        {ELOOP, LITH_E_UNSUPPORTED, "; a loop of symbolic links"},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].error == error)
            return lith_fail(err, table[i].code, "%s %s: %s%s", what, name, strerror(error),
                             table[i].advice);
    }
    return lith_fail(err, LITH_E_IO, "%s %s: %s", what, name, strerror(error));
}

void lith_assert_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "lithify: internal error: %s (%s:%d); please report this\n", condition,
                  file, line);
    abort();
}
