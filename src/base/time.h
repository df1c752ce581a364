/*
 * Times as text: RFC 3339 in UTC, civil dates, and durations with units.
 */
#ifndef LITH_BASE_TIME_H
#define LITH_BASE_TIME_H

#include "base/err.h"

#define LITH_SECOND_NS ((int64_t)1000000000)
#define LITH_TIME_TEXT_BYTES 40

/* A date and time of day in UTC, proleptic Gregorian. */
struct lith_civil {
    int64_t year;
    unsigned month; /* 1 to 12 */
    unsigned day;   /* 1 to 31 */
    unsigned hour;
    unsigned minute;
    unsigned second;
};

/* Days since 1970-01-01; false when the date does not exist. */
LITH_MUST_CHECK bool lith_civil_days(int64_t year, unsigned month, unsigned day, int64_t *ret_days);

struct lith_civil lith_civil_from_ns(int64_t ns);

/* "2026-06-15T11:20:00Z"; with fractional digits only when they are not zero. */
void lith_time_text(int64_t ns, char ret_text[LITH_TIME_TEXT_BYTES]);

/* Reads RFC 3339 with Z or an offset. INVALID. */
LITH_MUST_CHECK enum lith_code lith_time_parse(const char *text, int64_t *ret_ns,
                                               struct lith_err *err);

/* Reads "15m", "6h", "7d", "30s", "250ms", "0"; INVALID for a number without a unit. */
LITH_MUST_CHECK enum lith_code lith_duration_parse(const char *text, int64_t *ret_ns,
                                                   struct lith_err *err);
/* The shortest exact form with one unit: "15m", "90s". */
void lith_duration_text(int64_t ns, char ret_text[LITH_TIME_TEXT_BYTES]);

/* Reads "64MiB", "1GiB", "512KiB", "100B", "10MB" (powers of 1000), "4096"; INVALID. */
LITH_MUST_CHECK enum lith_code lith_size_parse(const char *text, uint64_t *ret_bytes,
                                               struct lith_err *err);
/* The exact form where there is one ("64MiB"), else one decimal ("1.5GiB"), for people. */
void lith_size_text(uint64_t bytes, char ret_text[LITH_TIME_TEXT_BYTES]);

#endif
