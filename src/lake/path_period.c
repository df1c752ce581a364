/*
 * The period that time keys name, and when it is over.
 *
 * All in UTC. The finest unit without a gap above it counts: year and hour without month and day
 * are a year.
 */
#include <string.h>

#include "base/checked.h"
#include "base/time.h"
#include "lake/path_period.h"

/* What fits nanoseconds in 64 bits with room to spare. */
#define YEAR_MIN 1678
#define YEAR_MAX 2261
#define DAY_NS (86400 * LITH_SECOND_NS)

/* Key names in the order of struct lith_path_time.units; the second name is that of layouts. */
static const char *const unit_names[LITH_PATH_UNIT_COUNT][2] = {
    {"year", "yyyy"}, {"month", "mm"}, {"day", "dd"}, {"hour", "hh"}, {"minute", "min"},
};

/* 1 to 4 digits and nothing else. */
static bool number_parse(const char *text, size_t bytes, unsigned *ret_number)
{
    unsigned number = 0;

    if (bytes == 0 || bytes > 4)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        number = number * 10 + (unsigned)(text[i] - '0');
    }
    *ret_number = number;
    return true;
}

/* "2026-06-15" or "20260615". */
static bool date_parse(const char *text, unsigned units[3])
{
    size_t bytes = strlen(text);

    if (bytes == 10 && text[4] == '-' && text[7] == '-')
        return number_parse(text, 4, &units[0]) && number_parse(text + 5, 2, &units[1]) &&
               number_parse(text + 8, 2, &units[2]);
    return bytes == 8 && number_parse(text, 4, &units[0]) && number_parse(text + 4, 2, &units[1]) &&
           number_parse(text + 6, 2, &units[2]);
}

void lith_path_time_add(struct lith_path_time *time, const char *name, const char *value)
{
    if (strcmp(name, "date") == 0 || strcmp(name, "dt") == 0) {
        if (!value || !date_parse(value, time->units))
            time->broken = true;
        else
            time->has[0] = time->has[1] = time->has[2] = true;
        return;
    }
    for (size_t i = 0; i < LITH_PATH_UNIT_COUNT; i++) {
        if (strcmp(name, unit_names[i][0]) != 0 && strcmp(name, unit_names[i][1]) != 0)
            continue;
        unsigned number = 0;
        if (!value || !number_parse(value, strlen(value), &number))
            time->broken = true;
        else if (!time->has[i])
            time->units[i] = number;
        time->has[i] = true;
    }
}

bool lith_path_time_is_named(const struct lith_path_time *time)
{
    for (size_t i = 0; i < LITH_PATH_UNIT_COUNT; i++) {
        if (time->has[i])
            return true;
    }
    return time->broken;
}

bool lith_path_time_period(const struct lith_path_time *time, int64_t *ret_begin_ns,
                           int64_t *ret_end_ns)
{
    int64_t year = time->units[0];
    unsigned month = time->has[1] ? time->units[1] : 1;
    unsigned day = time->has[1] && time->has[2] ? time->units[2] : 1;
    bool hours = time->has[1] && time->has[2] && time->has[3];
    bool minutes = hours && time->has[4];
    int64_t first = 0;
    int64_t next = 0;

    if (time->broken || !time->has[0] || year < YEAR_MIN || year > YEAR_MAX)
        return false;
    if ((hours && time->units[3] > 23) || (minutes && time->units[4] > 59))
        return false;
    if (!lith_civil_days(year, month, day, &first))
        return false;
    int64_t begin = first * DAY_NS + (hours ? time->units[3] * 3600 * LITH_SECOND_NS : 0) +
                    (minutes ? time->units[4] * 60 * LITH_SECOND_NS : 0);
    *ret_begin_ns = begin;
    if (hours) {
        *ret_end_ns = begin + (minutes ? 60 : 3600) * LITH_SECOND_NS;
        return true;
    }
    bool found = true;
    if (time->has[1] && time->has[2])
        next = first + 1;
    else if (time->has[1])
        found = lith_civil_days(month == 12 ? year + 1 : year, month % 12 + 1, 1, &next);
    else
        found = lith_civil_days(year + 1, 1, 1, &next);
    *ret_end_ns = next * DAY_NS;
    return found;
}

/* Is `now` less than `wait` after `from`? A sum that does not fit lies in the future. */
static bool is_before(int64_t now, int64_t from, int64_t wait)
{
    int64_t until = 0;

    return !lith_add_i64(from, wait, &until) || now < until;
}

enum lith_seal lith_path_keys_seal(const struct lith_path_keys *keys, int64_t newest_ns,
                                   int64_t now_ns, int64_t grace_ns, int64_t quiet_for_ns)
{
    if (keys->has_period && is_before(now_ns, keys->end_ns, grace_ns))
        return LITH_SEAL_PERIOD;
    if (newest_ns != INT64_MIN && is_before(now_ns, newest_ns, quiet_for_ns))
        return LITH_SEAL_BUSY;
    return LITH_SEALED;
}
