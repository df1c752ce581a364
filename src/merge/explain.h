/*
 * What a merge decides for each source chunk, and why: for people, and for tests that force it.
 */
#ifndef LITH_MERGE_EXPLAIN_H
#define LITH_MERGE_EXPLAIN_H

#include "base/err.h"
#include "parquet/schema.h"

enum lith_mover {
    LITH_MOVER_SPLICE,  /* pages copied; ids mean the same in the merged dictionary */
    LITH_MOVER_REMAP,   /* pages copied, ids rewritten for the merged dictionary */
    LITH_MOVER_REGROUP, /* small pages joined to larger ones as they are compressed; planned as
                           recode, which it is a shorter way of */
    LITH_MOVER_RECODE,  /* decoded and encoded */
    LITH_MOVER_NULL,    /* the source lacks the column: nulls are made */
    LITH_MOVER_COUNT
};

/* "splice"; static storage. */
const char *lith_mover_name(enum lith_mover mover);

/* What tests and measurements may force. */
enum lith_force {
    LITH_FORCE_NONE,
    LITH_FORCE_COPY,   /* copy whatever may be copied, however small its pages */
    LITH_FORCE_RECODE, /* copy nothing */
};

/* Why a source chunk takes its mover. */
enum lith_reason {
    LITH_REASON_VALUES,        /* pages of values, large enough, of the output's codec */
    LITH_REASON_IDS_SAME,      /* its ids mean the same in the merged dictionary */
    LITH_REASON_IDS,           /* its entries are in the merged dictionary, under other ids */
    LITH_REASON_SMALL_PAGES,   /* joined to larger pages */
    LITH_REASON_CODEC,         /* compressed otherwise than the output */
    LITH_REASON_ENCODING,      /* an encoding that cannot be copied safely */
    LITH_REASON_WRITER,        /* its writer's pages need its own footer to be understood */
    LITH_REASON_NO_DICTIONARY, /* a merged dictionary does not pay, or is full */
    LITH_REASON_MIXED,         /* likewise, but some of its pages have values, and are copied */
    LITH_REASON_TYPE,          /* its values are to be widened */
    LITH_REASON_SORTED,        /* its rows are to be sorted, with those of others or alone */
    LITH_REASON_FORCED,
    LITH_REASON_ABSENT, /* the source does not have the column */
    LITH_REASON_COUNT
};

/* A sentence; static storage. */
const char *lith_reason_text(enum lith_reason reason);

/* The plan for one source chunk. Everything is borrowed. */
struct lith_explained {
    const struct lith_schema *schema;
    uint32_t leaf;
    size_t input;
    const char *input_name;
    uint32_t row_group;
    uint64_t bytes; /* compressed */
    enum lith_mover mover;
    enum lith_reason reason;
};

typedef enum lith_code (*lith_explain)(void *ctx, const struct lith_explained *explained,
                                       struct lith_err *err);

#endif
