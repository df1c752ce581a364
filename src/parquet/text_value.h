/*
 * Texts as values: what a name in a path says, read as the types of columns have it.
 *
 * Each returns false for a text that it does not know for certain; nothing is rounded.
 */
#ifndef LITH_PARQUET_TEXT_VALUE_H
#define LITH_PARQUET_TEXT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#define LITH_DECIMAL_TEXT_BYTES 16u /* of an unscaled number: 38 digits and a sign */

/* "true" or "false", in any case. */
bool lith_text_boolean(const char *text, bool *ret_value);

/* Digits, with a minus in front or without; leading zeros say nothing. */
bool lith_text_integer(const char *text, bool *ret_negative, uint64_t *ret_magnitude);

/* "-1.50" at a scale (0 to 38), unscaled: two's complement, big-endian. False where digits other
 * than 0 lie beyond the scale. */
bool lith_text_decimal(const char *text, int32_t scale,
                       uint8_t ret_unscaled[LITH_DECIMAL_TEXT_BYTES]);

/* 32 hex digits, in five groups. */
bool lith_text_uuid(const char *text, uint8_t ret_bytes[16]);

/*
 * A date, or a date and a time of day: "2026-06-15", "20260615", "2026-06-15 10:00",
 * "2026-06-15T10:00:00.25+02:00". It stands for all that its digits leave open: a day, a minute, a
 * hundredth of a second.
 */
struct lith_text_moment {
    int64_t days;     /* of the date as written, since 1970-01-01 */
    int64_t begin_ns; /* [begin, end); as written where there is no zone, else UTC */
    int64_t end_ns;
    bool is_date; /* there is no time of day, and no zone */
    bool has_ns;  /* false: the year does not fit nanoseconds; begin and end are not set */
    bool has_zone;
    bool is_utc; /* the zone is that, or 0 hours away */
};
bool lith_text_moment(const char *text, struct lith_text_moment *ret_moment);

#endif
