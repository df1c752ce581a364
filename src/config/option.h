/*
 * Every option of the program, in one table: file key, flag, variable, unit, default, help.
 *
 * The key names all three: `target_file` in the file is --target-file on the command line and
 * LITHIFY_TARGET_FILE in the environment. What the table does not have does not exist.
 */
#ifndef LITH_CONFIG_OPTION_H
#define LITH_CONFIG_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum lith_option_id {
    LITH_OPTION_READERS,
    LITH_OPTION_STAGING,
    LITH_OPTION_SINGLE_WRITER,
    LITH_OPTION_AUDIT,
    LITH_OPTION_TENANT_KEY,
    LITH_OPTION_LAYOUT,
    LITH_OPTION_TIERS,
    LITH_OPTION_MANIFEST_NAME,
    LITH_OPTION_PARTITION,
    LITH_OPTION_SHARD,
    LITH_OPTION_GRACE,
    LITH_OPTION_QUIET_FOR,
    LITH_OPTION_SETTLE,
    LITH_OPTION_MIN_FILES,
    LITH_OPTION_MAX_INPUTS,
    LITH_OPTION_SMALL_FILE,
    LITH_OPTION_TARGET_FILE,
    LITH_OPTION_ROW_GROUP,
    LITH_OPTION_ROW_GROUP_ROWS,
    LITH_OPTION_MATCH_COLUMNS,
    LITH_OPTION_ALLOW,
    LITH_OPTION_SORT_BY,
    LITH_OPTION_CODEC,
    LITH_OPTION_UNKNOWN_KEYS,
    LITH_OPTION_KEY_COLUMNS,
    LITH_OPTION_PATH_CHECK_SKIP,
    LITH_OPTION_TIME_COLUMN,
    LITH_OPTION_TIME_COLUMN_FALLBACK,
    LITH_OPTION_VERIFY,
    LITH_OPTION_READER_GRACE,
    LITH_OPTION_ORPHAN_GRACE,
    LITH_OPTION_REPLAY_WINDOW,
    LITH_OPTION_GC_BYTES_MAX,
    LITH_OPTION_MIN_FREE,
    LITH_OPTION_IO_RATE,
    LITH_OPTION_JOBS,
    LITH_OPTION_THREADS,
    LITH_OPTION_MEMORY,
    LITH_OPTION_SCRATCH,
    LITH_OPTION_SCRATCH_MAX,
    LITH_OPTION_JSON,
    LITH_OPTION_QUIET,
    LITH_OPTION_NO_PROGRESS,
    LITH_OPTION_OK_BLOCKED,
    LITH_OPTION_COUNT
};

enum lith_option_kind {
    LITH_KIND_TEXT,
    LITH_KIND_LIST,     /* names between commas; may be empty; in the file also a list; where
                           `value` has bars, of those words alone */
    LITH_KIND_SWITCH,   /* true or false; as a flag it stands alone */
    LITH_KIND_COUNT,    /* a whole number */
    LITH_KIND_SIZE,     /* bytes with a unit: 64MiB */
    LITH_KIND_DURATION, /* with a unit: 15m */
    LITH_KIND_CHOICE,   /* one of the words in `value`, between bars */
    LITH_KIND_SHARD,    /* I/N, from 1 */
    LITH_KIND_PERCENT,  /* N% */
};

struct lith_option {
    const char *key;
    enum lith_option_kind kind;
    const char *value;  /* how help calls it: "SIZE" */
    const char *preset; /* the default as text; NULL: none */
    const char *help;   /* one sentence */
};

extern const struct lith_option lith_options_table[LITH_OPTION_COUNT];

/* The option whose key, or flag without its dashes ('-' for '_'), is `name`; COUNT: none. */
enum lith_option_id lith_option_find(const char *name, size_t bytes);

/*
 * Does the option take `text`? INVALID says what was found, and what is accepted; who asked
 * puts in front where the text came from.
 */
LITH_MUST_CHECK enum lith_code lith_option_check(enum lith_option_id id, const char *text,
                                                 struct lith_err *err);

/* Digits alone; INVALID. */
LITH_MUST_CHECK enum lith_code lith_count_parse(const char *text, uint64_t *ret_count,
                                                struct lith_err *err);
/* "N%", a whole number from 0 to 100. INVALID. */
LITH_MUST_CHECK enum lith_code lith_percent_parse(const char *text, uint32_t *ret_percent,
                                                  struct lith_err *err);
/* "I/N" with I from 1 to N; *ret_index is from 0. INVALID. */
LITH_MUST_CHECK enum lith_code lith_shard_parse(const char *text, uint32_t *ret_index,
                                                uint32_t *ret_count, struct lith_err *err);

/* The choice's number, in the order of its words; only of a text that was checked. */
unsigned lith_option_choice(enum lith_option_id id, const char *text);

/* How many letters must change to make one of the other ('-' counts as '_'); words of more than 24
 * letters are simply far apart. */
unsigned lith_word_distance(const char *a, const char *b);

/* "LITHIFY_" and the longest key. */
#define LITH_OPTION_NAME_BYTES 64u
/* "target-file" and "LITHIFY_TARGET_FILE" for target_file. */
void lith_option_flag(const char *key, char to[LITH_OPTION_NAME_BYTES]);
void lith_option_variable(const char *key, char to[LITH_OPTION_NAME_BYTES]);

/* The known key that looks most like `name`, for errors; NULL when none does. */
const char *lith_option_nearest(const char *name);

#endif
