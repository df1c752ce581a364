/*
 * The cells of a manifest's rows as values, each checked: CORRUPT names file, table, row and key.
 * Private to lake.
 */
#ifndef LITH_LAKE_MANIFEST_CELLS_H
#define LITH_LAKE_MANIFEST_CELLS_H

#include "lake/manifest_outline.h"

/* Where a value stands, for errors. */
struct lith_place {
    const char *table;
    size_t index;
};

static inline bool lith_row_has(const struct lith_json_row *row, const char *key)
{
    return lith_json_row_cell(row, key)->kind != LITH_JSON_ABSENT;
}

static inline bool lith_row_is_true(const struct lith_json_row *row, const char *key)
{
    const struct lith_json_cell *cell = lith_json_row_cell(row, key);

    return cell->kind == LITH_JSON_BOOL && cell->number;
}

/* False where it is no text, or one that does not fit with a zero behind it. */
bool lith_cell_fits(const struct lith_json_cell *cell, char *to, size_t room);

/* A text, copied into the reader's arena. */
LITH_MUST_CHECK enum lith_code lith_cell_text(struct lith_manifest_reader *r,
                                              struct lith_place place,
                                              const struct lith_json_row *row, const char *key,
                                              const char **ret_text, struct lith_err *err);
/* The same, or `same` itself where it is equal to that; NULL: there is none. */
LITH_MUST_CHECK enum lith_code lith_cell_text_share(struct lith_manifest_reader *r,
                                                    struct lith_place place,
                                                    const struct lith_json_row *row,
                                                    const char *key, const char *same,
                                                    const char **ret_text, struct lith_err *err);
/* An absent text is NULL. */
LITH_MUST_CHECK enum lith_code lith_cell_text_maybe(struct lith_manifest_reader *r,
                                                    struct lith_place place,
                                                    const struct lith_json_row *row,
                                                    const char *key, const char **ret_text,
                                                    struct lith_err *err);
/* An integer of at least 0. */
LITH_MUST_CHECK enum lith_code lith_cell_number(struct lith_manifest_reader *r,
                                                struct lith_place place,
                                                const struct lith_json_row *row, const char *key,
                                                uint64_t *ret_number, struct lith_err *err);
/* A time of RFC 3339. */
LITH_MUST_CHECK enum lith_code lith_cell_time(struct lith_manifest_reader *r,
                                              struct lith_place place,
                                              const struct lith_json_row *row, const char *key,
                                              int64_t *ret_ns, struct lith_err *err);
/* A hash or an id: exactly `digits` lower-case hex digits. */
LITH_MUST_CHECK enum lith_code lith_cell_hex(struct lith_manifest_reader *r,
                                             struct lith_place place,
                                             const struct lith_json_row *row, const char *key,
                                             size_t digits, const char **ret_text,
                                             struct lith_err *err);
/* The number of "crc32". */
LITH_MUST_CHECK enum lith_code lith_cell_crc32(struct lith_manifest_reader *r,
                                               struct lith_place place,
                                               const struct lith_json_row *row, uint32_t *ret_crc,
                                               struct lith_err *err);
/* The bare name of a data file. */
LITH_MUST_CHECK enum lith_code lith_manifest_name_check(struct lith_manifest_reader *r,
                                                        struct lith_place place, const char *name,
                                                        struct lith_err *err);

#endif
