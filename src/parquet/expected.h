/*
 * What the values of a column are expected to be, and whether its statistics prove it.
 *
 * An expectation is a text, nulls, or the moments of a period. For a leaf column it becomes ranges
 * of the column's own values, so that bounds of statistics, dictionaries and single values are all
 * asked the same: do they lie in one? Pure; reads no file. docs/path-rows.md has the rules.
 */
#ifndef LITH_PARQUET_EXPECTED_H
#define LITH_PARQUET_EXPECTED_H

#include "parquet/facts.h"

enum lith_expectation_kind {
    LITH_EXPECT_TEXT,   /* each value is what `text` says; numbers by value */
    LITH_EXPECT_NULL,   /* each is null, or an empty text: Hive's writers take that for null */
    LITH_EXPECT_PERIOD, /* each is a moment in [begin_ns, end_ns), of whole minutes of UTC */
};
struct lith_expectation {
    enum lith_expectation_kind kind;
    const char *text;
    int64_t begin_ns;
    int64_t end_ns;
};

/* In seconds, milli-, micro- or nanoseconds: of a number that no annotation explains. A day as
 * texts has three. */
#define LITH_EXPECTED_RANGES_MAX 4u

struct lith_expected_range {
    struct lith_slice low; /* both included */
    struct lith_slice high;
};

/* The same for one leaf. Has pointers into itself and borrows the text: never copied. */
struct lith_expected {
    enum lith_order order; /* of the ranges */
    bool is_int96;         /* values are, and ranges are nanoseconds */
    bool zero_is_none;     /* of a moment: it is not known */
    bool is_raw;           /* bytes without annotation: only what is plain text is compared */
    size_t range_count;    /* 0: no value fits */
    struct lith_expected_range ranges[LITH_EXPECTED_RANGES_MAX];
    uint8_t room[2 * LITH_EXPECTED_RANGES_MAX][16];
};

/* False where values of the type cannot be compared with what is expected: nested or repeated
 * columns, JSON, a name against numbers ... `leaf` is of a normalised schema, and of its top. */
bool lith_expected_make(const struct lith_schema_node *leaf, const struct lith_expectation *said,
                        struct lith_expected *ret_expected);

enum lith_fit {
    LITH_FIT_YES,
    LITH_FIT_NO,
    LITH_FIT_NONE, /* it says nothing, as a null does: NaN, which is pandas' null; a zero moment */
};
/* Of one value, as the column's type decodes. */
enum lith_fit lith_expected_fit(const struct lith_expected *expected, struct lith_slice value);

/* What statistics say of a run of rows. */
enum lith_proof {
    LITH_PROOF_YES,     /* they prove that all of it fits */
    LITH_PROOF_OPEN,    /* they do not tell: it must be decoded */
    LITH_PROOF_SUSPECT, /* going by them something does not fit; only the value itself is proof */
};

/*
 * One column, or two: where the first has none (a null, or a value that says nothing) the second
 * counts. NULL: there is no such column, so that all of it is none; not both.
 */
struct lith_expected_columns {
    const struct lith_expected *first;
    const struct lith_expected *second;
    bool none_fits; /* and so does a row that has none at all */
};
/* The facts are those of the same rows, one row a position. */
enum lith_proof lith_expected_judge(const struct lith_expected_columns *columns,
                                    const struct lith_facts *first,
                                    const struct lith_facts *second);

#endif
