/*
 * Printing.
 */
#include "cli/print.h"

#include <langinfo.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"

/* Bytes of the character at `text` that may stand as they are; 0 for what is escaped: C0, DEL,
 * C1 (U+0080 to U+009F steer terminals too), and what is no UTF-8. */
static size_t plain(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t bytes = lith_utf8_character(at, strnlen(text, 4));

    if (*at < 0x20 || *at == 0x7f)
        return 0;
    if (bytes == 2 && at[0] == 0xc2 && at[1] < 0xa0)
        return 0;
    return bytes;
}

void lith_print_bytes(FILE *to, const char *text, size_t bytes)
{
    const char *end = text + bytes;

    while (text < end) {
        size_t character = plain(text);
        if (character)
            (void)fwrite(text, 1, character, to);
        else
            (void)fprintf(to, "\\x%02x", (unsigned)(uint8_t)*text);
        text += character ? character : 1;
    }
}

void lith_print_text(FILE *to, const char *text)
{
    lith_print_bytes(to, text, strlen(text));
}

size_t lith_print_columns(const char *text)
{
    size_t columns = 0;

    while (*text) {
        size_t bytes = plain(text);
        columns += bytes ? 1 : 4;
        text += bytes ? bytes : 1;
    }
    return columns;
}

void lith_print_padded(FILE *to, const char *text, size_t columns)
{
    size_t used = lith_print_columns(text);

    lith_print_text(to, text);
    if (used < columns)
        (void)fprintf(to, "%*s", (int)(columns - used), "");
}

static char *buffer_next(void)
{
    /* Workers print, too: the meter is drawn by whoever made progress. */
    static _Thread_local char buffers[8][LITH_TIME_TEXT_BYTES];
    static _Thread_local unsigned turn;

    return buffers[turn++ % 8];
}

const char *lith_print_size(uint64_t bytes)
{
    char *text = buffer_next();

    lith_size_text(bytes, text);
    return text;
}

const char *lith_print_time(int64_t ns)
{
    char *text = buffer_next();

    lith_time_text(ns - ns % LITH_SECOND_NS, text);
    return text;
}

void lith_print_error(const char *format, ...)
{
    char text[LITH_ERR_TEXT_BYTES + 256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)fflush(stdout);
    (void)fputs("lithify: ", stderr);
    lith_print_text(stderr, text);
    (void)fputc('\n', stderr);
}

bool lith_print_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

unsigned lith_print_width(FILE *stream)
{
    struct winsize size = {0};

    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

bool lith_print_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

enum lith_code lith_print_json(const struct lith_json *json, unsigned indent, struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf text;

    lith_buf_init(&text, lith_mem_root(), SIZE_MAX / 2);
    LITH_TRY(lith_json_write(json, indent, &text, err));
    (void)fwrite(text.data, 1, text.bytes, stdout);
    return LITH_OK;
}

struct lith_json *lith_json_u64(uint64_t value)
{
    return lith_json_int(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static bool is_utf8(const char *text)
{
    while (*text) {
        size_t bytes = lith_utf8_character((const uint8_t *)text, strnlen(text, 4));
        if (!bytes)
            return false;
        text += bytes;
    }
    return true;
}

bool lith_json_set_error(struct lith_json *object, const struct lith_err *err)
{
    return lith_json_set(object, "code", lith_json_text(lith_code_name(err->code))) &&
           lith_json_set(object, "text", lith_json_text(err->text));
}

bool lith_json_set_path(struct lith_json *object, const char *key, const char *path)
{
    static const char digits[] = "0123456789abcdef";
    char hex_key[64];
    LITH_AUTO(buf) struct lith_buf hex;
    struct lith_err ignored;

    lith_buf_init(&hex, lith_mem_root(), SIZE_MAX / 2);
    if (!lith_json_set(object, key, lith_json_text(path)))
        return false;
    if (is_utf8(path))
        return true;
    for (; *path; path++) {
        uint8_t byte = (uint8_t)*path;
        if (lith_buf_append_byte(&hex, (uint8_t)digits[byte >> 4], &ignored) != LITH_OK ||
            lith_buf_append_byte(&hex, (uint8_t)digits[byte & 15], &ignored) != LITH_OK)
            return false;
    }
    (void)snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
    return lith_json_set(object, hex_key, lith_json_text_bytes(hex.data, hex.bytes));
}

bool lith_print_end(void)
{
    struct lith_err err;
    bool failed = lith_stream_flush(stdout, "standard output", &err) != LITH_OK;
    struct pollfd reader = {.fd = fileno(stdout), .events = POLLOUT};

    if (!failed || (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR)))
        return true;
    lith_print_error("the results could not be written: %s", err.text);
    return false;
}
