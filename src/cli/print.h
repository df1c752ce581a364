/*
 * Printing: results to stdout, notes and errors to stderr.
 *
 * What comes from outside (paths, names) is escaped, so that a name with a newline or with bytes
 * that are no UTF-8 cannot break a line or a terminal.
 */
#ifndef LITH_CLI_PRINT_H
#define LITH_CLI_PRINT_H

#include <stdio.h>

#include "base/json.h"
#include "base/time.h"

/* Control characters and bytes that are no UTF-8 as \xNN, the rest as it is. */
void lith_print_text(FILE *to, const char *text);
/* The same of its first `bytes` bytes, which end where a character does. */
void lith_print_bytes(FILE *to, const char *text, size_t bytes);
/* The same in a field of `columns` characters, spaces behind it. */
void lith_print_padded(FILE *to, const char *text, size_t columns);
/* How many columns lith_print_text takes, a character for one. */
size_t lith_print_columns(const char *text);

/* Sizes for people. The text is in one of eight buffers of the thread, in turn. */
const char *lith_print_size(uint64_t bytes);
/* "2026-06-15T11:20:00Z"; in the same buffers. */
const char *lith_print_time(int64_t ns);

/* "1 file", "2 files". */
#define LITH_PLURAL(count) ((count) == 1 ? "" : "s")

/* "lithify: <text>" on stderr. */
void lith_print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether stdout, or stderr, is a terminal; how wide; whether it takes UTF-8. */
bool lith_print_is_terminal(FILE *stream);
unsigned lith_print_width(FILE *stream);
bool lith_print_is_utf8(void);

/* One value as text on stdout; indent 0: one line. No newline behind it. */
LITH_MUST_CHECK enum lith_code lith_print_json(const struct lith_json *json, unsigned indent,
                                               struct lith_err *err);
/* Bytes and counts; 2^63 and more do not exist. */
struct lith_json *lith_json_u64(uint64_t value);
/* Sets `key` to a path; where it is no UTF-8, also `key`_hex, its bytes. */
bool lith_json_set_path(struct lith_json *object, const char *key, const char *path);
/* Sets `code` and `text`. */
bool lith_json_set_error(struct lith_json *object, const struct lith_err *err);

/* Writes out what is buffered. False, with a message, when results could not be written; a reader
 * that went away (a closed pipe) is no failure. */
bool lith_print_end(void);

#endif
