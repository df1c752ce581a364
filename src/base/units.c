/*
 * Durations and sizes as people write them: a whole number and one unit.
 *
 * A number without a unit is refused for durations (seconds? minutes?) and means bytes for sizes.
 */
#include "base/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"

struct unit {
    const char *name;
    uint64_t value;
};

/* Largest first: a text takes the first that fits. */
static const struct unit duration_units[] = {
    {"d", 86400000000000}, {"h", 3600000000000}, {"m", 60000000000}, {"s", 1000000000},
    {"ms", 1000000},       {"us", 1000},         {"ns", 1},
};

static const struct unit size_units[] = {
    {"EiB", (uint64_t)1 << 60},
    {"PiB", (uint64_t)1 << 50},
    {"TiB", (uint64_t)1 << 40},
    {"GiB", (uint64_t)1 << 30},
    {"MiB", (uint64_t)1 << 20},
    {"KiB", (uint64_t)1 << 10},
    {"B", 1},
};

/* Only read: nothing is ever shown in them. */
static const struct unit size_units_decimal[] = {
    {"TB", 1000000000000}, {"GB", 1000000000}, {"MB", 1000000}, {"kB", 1000}, {"KB", 1000}, {"", 1},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct unit *unit_find(const struct unit *units, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

/* The digits at the front of `text`; false for none, or for more than 64 bits. */
static bool number_read(const char *text, uint64_t *ret_value, const char **ret_rest)
{
    uint64_t value = 0;
    const char *at = text;

    for (; *at >= '0' && *at <= '9'; at++) {
        if (!lith_mul_u64(value, 10, &value) || !lith_add_u64(value, (uint64_t)(*at - '0'), &value))
            return false;
    }
    *ret_value = value;
    *ret_rest = at;
    return at != text;
}

enum lith_code lith_duration_parse(const char *text, int64_t *ret_ns, struct lith_err *err)
{
    uint64_t number, ns;
    const char *rest;

    if (strcmp(text, "0") == 0) {
        *ret_ns = 0;
        return LITH_OK;
    }
    bool is_number = number_read(text, &number, &rest);
    const struct unit *unit =
        is_number ? unit_find(duration_units, COUNT(duration_units), rest) : NULL;
    if (!unit)
        return lith_fail(err, LITH_E_INVALID,
                         "duration \"%s\": expected a whole number and one of "
                         "d, h, m, s, ms, us, ns, as in 15m",
                         text);
    if (!lith_mul_u64(number, unit->value, &ns) || ns > INT64_MAX)
        return lith_fail(err, LITH_E_INVALID, "duration \"%s\": more than 292 years", text);
    *ret_ns = (int64_t)ns;
    return LITH_OK;
}

void lith_duration_text(int64_t ns, char ret_text[LITH_TIME_TEXT_BYTES])
{
    uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    const struct unit *unit = duration_units;

    if (ns == 0) {
        (void)snprintf(ret_text, LITH_TIME_TEXT_BYTES, "0");
        return;
    }
    while (magnitude % unit->value != 0)
        unit++;
    (void)snprintf(ret_text, LITH_TIME_TEXT_BYTES, "%s%" PRIu64 "%s", ns < 0 ? "-" : "",
                   magnitude / unit->value, unit->name);
}

enum lith_code lith_size_parse(const char *text, uint64_t *ret_bytes, struct lith_err *err)
{
    uint64_t number, bytes;
    const char *rest;
    const struct unit *unit = NULL;

    if (number_read(text, &number, &rest)) {
        unit = unit_find(size_units, COUNT(size_units), rest);
        if (!unit)
            unit = unit_find(size_units_decimal, COUNT(size_units_decimal), rest);
    }
    if (!unit)
        return lith_fail(err, LITH_E_INVALID,
                         "size \"%s\": expected a whole number and one of B, KiB, MiB, GiB, TiB, "
                         "PiB, EiB, kB, MB, GB, TB, as in 64MiB",
                         text);
    if (!lith_mul_u64(number, unit->value, &bytes))
        return lith_fail(err, LITH_E_INVALID, "size \"%s\": more than 64 bits of bytes", text);
    *ret_bytes = bytes;
    return LITH_OK;
}

void lith_size_text(uint64_t bytes, char ret_text[LITH_TIME_TEXT_BYTES])
{
    const struct unit *unit = size_units;

    while (unit->value > 1 && bytes < unit->value)
        unit++;
    uint64_t whole = bytes / unit->value;
    uint64_t rest = bytes % unit->value;
    if (rest == 0) {
        (void)snprintf(ret_text, LITH_TIME_TEXT_BYTES, "%" PRIu64 "%s", whole, unit->name);
        return;
    }
    uint64_t tenths = (rest * 10 + unit->value / 2) / unit->value;
    whole += tenths / 10;
    tenths %= 10;
    if (whole == 1024 && unit > size_units) { /* 1023.96 MiB is shown as 1.0 GiB */
        whole = 1;
        unit--;
    }
    (void)snprintf(ret_text, LITH_TIME_TEXT_BYTES, "%" PRIu64 ".%" PRIu64 "%s", whole, tenths,
                   unit->name);
}
