/*
 * Names of outputs, made and taken apart.
 */
#include "lake/output_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUFFIX ".parquet"
#define UUID_CHARS 36u
#define PID_CHARS 8u
/* 2^63-1 has 19 digits */
#define EPOCH_DIGITS_MAX 19u

void lith_output_name_make(struct lith_uuid_source *uuids, const char *pid, uint64_t epoch,
                           char ret_name[LITH_OUTPUT_NAME_BYTES])
{
    char uuid[LITH_UUID_TEXT_BYTES];

    LITH_ASSERT(epoch <= INT64_MAX);
    lith_uuid7(uuids, uuid);
    (void)snprintf(ret_name, LITH_OUTPUT_NAME_BYTES, "%s_%.8s_e%" PRIu64 SUFFIX, uuid, pid, epoch);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* 8-4-4-4-12 lower-case digits of version 7. */
static bool uuid_matches(const char *text)
{
    for (size_t i = 0; i < UUID_CHARS; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !is_hex(text[i]))
            return false;
    }
    return text[14] == '7';
}

/* "<digits>.parquet", no leading zeros, at most 2^63-1. */
static bool epoch_parse(const char *text, uint64_t *ret_epoch)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t epoch = 0;

    if (digits == 0 || digits > EPOCH_DIGITS_MAX || (text[0] == '0' && digits > 1) ||
        strcmp(text + digits, SUFFIX) != 0)
        return false;
    for (size_t i = 0; i < digits; i++)
        epoch = epoch * 10 + (uint64_t)(text[i] - '0');
    *ret_epoch = epoch;
    return epoch <= INT64_MAX;
}

bool lith_output_name_parse(const char *name, struct lith_output_name *ret_parts)
{
    struct lith_output_name parts = {0};
    const char *pid = name + UUID_CHARS + 1;

    if (strlen(name) < UUID_CHARS + 1 + PID_CHARS + 2 || !uuid_matches(name) || pid[-1] != '_')
        return false;
    for (size_t i = 0; i < PID_CHARS; i++) {
        if (!is_hex(pid[i]))
            return false;
        parts.pid[i] = pid[i];
    }
    if (pid[PID_CHARS] != '_' || pid[PID_CHARS + 1] != 'e' ||
        !epoch_parse(pid + PID_CHARS + 2, &parts.epoch))
        return false;
    *ret_parts = parts;
    return true;
}

bool lith_output_name_is_of(const char *name, const char *pid)
{
    struct lith_output_name parts;

    return lith_output_name_parse(name, &parts) && strcmp(parts.pid, pid) == 0;
}

void lith_pid_draw(struct lith_env *env, char ret_pid[LITH_PID_TEXT_BYTES])
{
    uint32_t number = 0;

    env->random(env, &number, sizeof(number));
    (void)snprintf(ret_pid, LITH_PID_TEXT_BYTES, "%08" PRIx32, number);
}

bool lith_name_is_data(const char *name)
{
    size_t bytes = strlen(name);

    return bytes > strlen(SUFFIX) && name[0] != '_' && name[0] != '.' &&
           strcmp(name + bytes - strlen(SUFFIX), SUFFIX) == 0;
}
