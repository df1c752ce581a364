/*
 * Is a text a value of an option? By the kind of the option, then by its range.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <fcntl.h>

#include "base/checked.h"
#include "base/codec_choice.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path_layout.h"
#include "base/time.h"
#include "config/option.h"

/* Ranges of counts and sizes that are narrower than the type; what is not here takes all. */
static const struct range {
    enum lith_option_id id;
    uint64_t min;
    uint64_t max;
} ranges[] = {
    {LITH_OPTION_MIN_FILES, 2, UINT64_MAX},
    {LITH_OPTION_MAX_INPUTS, 2, UINT64_MAX},
    {LITH_OPTION_TARGET_FILE, 1, UINT64_MAX},
    {LITH_OPTION_ROW_GROUP, 1, UINT64_MAX},
    {LITH_OPTION_ROW_GROUP_ROWS, 1, INT64_MAX},
    {LITH_OPTION_JOBS, 1, LITH_THREADS_MAX},
    {LITH_OPTION_THREADS, 0, LITH_THREADS_MAX},
    {LITH_OPTION_MEMORY, LITH_MEMORY_BYTES_MIN, SIZE_MAX},
};

/* Digits alone; false for anything else, also for what does not fit. */
static bool count_read(const char *text, uint64_t *ret_count)
{
    uint64_t count = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || !lith_mul_u64(count, 10, &count) ||
            !lith_add_u64(count, (uint64_t)(*text - '0'), &count))
            return false;
    }
    *ret_count = count;
    return true;
}

enum lith_code lith_count_parse(const char *text, uint64_t *ret_count, struct lith_err *err)
{
    if (!count_read(text, ret_count))
        return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected a whole number", text);
    return LITH_OK;
}

enum lith_code lith_shard_parse(const char *text, uint32_t *ret_index, uint32_t *ret_count,
                                struct lith_err *err)
{
    const char *slash = strchr(text, '/');
    char first[11] = "";
    uint64_t index;
    uint64_t count;

    if (slash && (size_t)(slash - text) < sizeof(first))
        memcpy(first, text, (size_t)(slash - text));
    if (!slash || !count_read(first, &index) || !count_read(slash + 1, &count) || index == 0 ||
        index > count || count > UINT32_MAX)
        return lith_fail(err, LITH_E_INVALID,
                         "\"%.100s\": expected I/N with I from 1 to N, as in 2/8", text);
    *ret_index = (uint32_t)(index - 1);
    *ret_count = (uint32_t)count;
    return LITH_OK;
}

enum lith_code lith_percent_parse(const char *text, uint32_t *ret_percent, struct lith_err *err)
{
    size_t digits = strspn(text, "0123456789");
    uint32_t percent = 0;

    for (size_t i = 0; i < digits && percent <= 100; i++)
        percent = percent * 10 + (uint32_t)(text[i] - '0');
    if (digits == 0 || percent > 100 || strcmp(text + digits, "%") != 0)
        return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected a share from 0%% to 100%%",
                         text);
    *ret_percent = percent;
    return LITH_OK;
}

/* The place of a text among words between bars; false when it is none of them. */
static bool choice_find(const char *words, const char *text, size_t bytes, unsigned *ret_index)
{
    for (unsigned index = 0;; index++) {
        size_t word = strcspn(words, "|");
        if (word == bytes && memcmp(words, text, bytes) == 0) {
            *ret_index = index;
            return true;
        }
        if (!words[word])
            return false;
        words += word + 1;
    }
}

unsigned lith_option_choice(enum lith_option_id id, const char *text)
{
    unsigned index = 0;
    bool found = choice_find(lith_options_table[id].value, text, strlen(text), &index);

    LITH_ASSERT(found);
    return index;
}

static enum lith_code range_check(enum lith_option_id id, const char *text, uint64_t value,
                                  struct lith_err *err)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (ranges[i].id != id || (value >= ranges[i].min && value <= ranges[i].max))
            continue;
        if (lith_options_table[id].kind == LITH_KIND_SIZE) {
            char least[LITH_TIME_TEXT_BYTES];
            lith_size_text(ranges[i].min, least);
            return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected at least %s", text, least);
        }
        if (value < ranges[i].min)
            return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected at least %" PRIu64, text,
                             ranges[i].min);
        return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected at most %" PRIu64, text,
                         ranges[i].max);
    }
    return LITH_OK;
}

static uint64_t count_max(enum lith_option_id id)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (ranges[i].id == id)
            return ranges[i].max;
    }
    return UINT64_MAX;
}

static enum lith_code count_check(enum lith_option_id id, const char *text, struct lith_err *err)
{
    uint64_t number;

    if (lith_count_parse(text, &number, err) == LITH_OK)
        return range_check(id, text, number, err);
    if (*text && text[strspn(text, "0123456789")] == '\0')
        return lith_fail(err, LITH_E_INVALID, "\"%.100s\": too large, expected at most %" PRIu64,
                         text, count_max(id));
    return LITH_E_INVALID;
}

/* Found out here, it is told where it was given, and not in the middle of a merge. */
static enum lith_code directory_check(const char *text, struct lith_err *err)
{
    struct lith_err why;
    int fd;

    if (lith_dir_open(AT_FDCWD, text, &fd, &why) != LITH_OK)
        return lith_fail(err, LITH_E_INVALID, "%s; expected a directory", why.text);
    lith_fd_close(fd);
    return LITH_OK;
}

static enum lith_code text_check(enum lith_option_id id, const char *text, struct lith_err *err)
{
    struct lith_codec_choice codec;

    if (!*text)
        return lith_fail(err, LITH_E_INVALID, "\"\": expected a text");
    if (id == LITH_OPTION_LAYOUT)
        return lith_path_layout_check(text, err);
    if (id == LITH_OPTION_CODEC)
        return lith_codec_choice_parse(text, &codec, err);
    return id == LITH_OPTION_SCRATCH ? directory_check(text, err) : LITH_OK;
}

/* Names between commas, of `words` where these are given; no text at all is no names. */
static enum lith_code list_check(const char *words, const char *text, struct lith_err *err)
{
    unsigned choice;

    if (!*text)
        return LITH_OK;
    for (const char *at = text;; at++) {
        size_t bytes = strcspn(at, ",");
        if (bytes == 0)
            return lith_fail(err, LITH_E_INVALID,
                             "\"%.100s\": expected names with commas between them", text);
        if (words && !choice_find(words, at, bytes, &choice))
            return lith_fail(err, LITH_E_INVALID, "\"%.*s\": expected some of %s, with commas",
                             (int)lith_min_size(bytes, 100), at, words);
        at += bytes;
        if (!*at)
            return LITH_OK;
    }
}

enum lith_code lith_option_check(enum lith_option_id id, const char *text, struct lith_err *err)
{
    const struct lith_option *option = &lith_options_table[id];
    uint64_t number;
    int64_t ns;
    uint32_t index, count;
    unsigned choice;

    switch (option->kind) {
    case LITH_KIND_TEXT:
        return text_check(id, text, err);
    case LITH_KIND_LIST:
        return list_check(strchr(option->value, '|') ? option->value : NULL, text, err);
    case LITH_KIND_SWITCH:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected true or false", text);
        return LITH_OK;
    case LITH_KIND_COUNT:
        return count_check(id, text, err);
    case LITH_KIND_SIZE:
        LITH_TRY(lith_size_parse(text, &number, err));
        return range_check(id, text, number, err);
    case LITH_KIND_DURATION:
        return lith_duration_parse(text, &ns, err);
    case LITH_KIND_CHOICE:
        if (!choice_find(option->value, text, strlen(text), &choice))
            return lith_fail(err, LITH_E_INVALID, "\"%.100s\": expected one of %s", text,
                             option->value);
        return LITH_OK;
    case LITH_KIND_SHARD:
        return lith_shard_parse(text, &index, &count, err);
    case LITH_KIND_PERCENT:
        return lith_percent_parse(text, &index, err);
    }
    LITH_ASSERT(false);
    return LITH_OK;
}
