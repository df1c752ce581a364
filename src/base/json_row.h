/*
 * A flat JSON object, read in place: the known members as cells, without a tree and without heap.
 *
 * Tables that are read often consist of such rows. What is not as plain as that (escapes, bytes
 * beyond ASCII, values within values, numbers of many digits, a key twice) is left to
 * lith_json_parse, which also says what is wrong with it; its tree gives the same cells.
 */
#ifndef LITH_BASE_JSON_ROW_H
#define LITH_BASE_JSON_ROW_H

#include "base/json.h"

#define LITH_JSON_ROW_CELLS_MAX 16u

enum lith_json_kind {
    LITH_JSON_ABSENT,
    LITH_JSON_TEXT,
    LITH_JSON_INT,
    LITH_JSON_BOOL,
    LITH_JSON_OTHER, /* an object, an array, null, a number that is not whole */
};

/* One member. The text is not zero-terminated, has no zero byte, and is borrowed. */
struct lith_json_cell {
    enum lith_json_kind kind;
    struct lith_json_span text;
    int64_t number; /* 1 for true */
};

struct lith_json_row {
    const char *const *known; /* the keys, NULL at the end; cells stand in their order */
    struct lith_json_cell cells[LITH_JSON_ROW_CELLS_MAX];
    bool has_unknown; /* it has members besides */
};

/* The characters of a string that stands for itself: printable ASCII without escapes. */
bool lith_json_plain_text(struct lith_json_span value, struct lith_json_span *ret_text);

/* Reads an object of plain members; false: it may be good JSON, but not as plain as that. */
bool lith_json_row_read(struct lith_json_span object, const char *const *known,
                        struct lith_json_row *ret_row);
/* The same cells from a tree, whatever it holds; of one that is no object all are absent. */
void lith_json_row_of(const struct lith_json *object, const char *const *known,
                      struct lith_json_row *ret_row);

/* The cell of a key that is known. */
const struct lith_json_cell *lith_json_row_cell(const struct lith_json_row *row, const char *key);

/* Is the text of the cell this one? */
bool lith_json_cell_is(const struct lith_json_cell *cell, const char *text);

#endif
