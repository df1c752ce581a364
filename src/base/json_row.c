/*
 * Flat objects read in place, or from a tree.
 */
#include "base/json_row.h"

#include <string.h>

/* So many digits fit an int64_t, whatever they are. */
#define DIGITS_MAX 18u

bool lith_json_plain_text(struct lith_json_span value, struct lith_json_span *ret_text)
{
    if (value.bytes < 2 || value.text[0] != '"' || value.text[value.bytes - 1] != '"')
        return false;
    for (size_t i = 1; i < value.bytes - 1; i++) {
        char letter = value.text[i];
        if (letter < 0x20 || letter > 0x7e || letter == '"' || letter == '\\')
            return false;
    }
    *ret_text = (struct lith_json_span){value.text + 1, value.bytes - 2};
    return true;
}

/* A whole number as JSON has it: no plus, no leading zeros. */
static bool number_take(struct lith_json_span value, int64_t *ret_number)
{
    size_t sign = value.text[0] == '-';
    size_t digits = value.bytes - sign;
    int64_t number = 0;

    if (digits == 0 || digits > DIGITS_MAX || (digits > 1 && value.text[sign] == '0'))
        return false;
    for (size_t i = sign; i < value.bytes; i++) {
        if (value.text[i] < '0' || value.text[i] > '9')
            return false;
        number = number * 10 + (value.text[i] - '0');
    }
    *ret_number = sign ? -number : number;
    return true;
}

static bool span_is(struct lith_json_span span, const char *text)
{
    size_t bytes = strlen(text);

    return span.bytes == bytes && memcmp(span.text, text, bytes) == 0;
}

static bool value_take(struct lith_json_span value, struct lith_json_cell *cell)
{
    cell->kind = LITH_JSON_TEXT;
    if (value.text[0] == '"')
        return lith_json_plain_text(value, &cell->text);
    cell->kind = LITH_JSON_BOOL;
    cell->number = span_is(value, "true");
    if (cell->number || span_is(value, "false"))
        return true;
    cell->kind = LITH_JSON_INT;
    return number_take(value, &cell->number);
}

/* The cell of a key, or NULL. */
static struct lith_json_cell *cell_of(struct lith_json_row *row, struct lith_json_span key)
{
    for (size_t i = 0; row->known[i]; i++) {
        if (span_is(key, row->known[i]))
            return &row->cells[i];
    }
    return NULL;
}

static void row_init(struct lith_json_row *row, const char *const *known)
{
    size_t count = 0;

    while (known[count])
        row->cells[count++] = (struct lith_json_cell){0};
    LITH_ASSERT(count <= LITH_JSON_ROW_CELLS_MAX);
    row->known = known;
    row->has_unknown = false;
}

bool lith_json_row_read(struct lith_json_span object, const char *const *known,
                        struct lith_json_row *ret_row)
{
    struct lith_json_walk walk;
    struct lith_err ignored;
    bool more = true;

    row_init(ret_row, known);
    if (!lith_json_walk_begin(&walk, object, false))
        return false;
    for (;;) {
        struct lith_json_span key;
        struct lith_json_span value;
        if (lith_json_walk_next(&walk, &key, &value, &more, &ignored) != LITH_OK)
            return false;
        if (!more)
            return true;
        struct lith_json_cell *cell =
            lith_json_plain_text(key, &key) ? cell_of(ret_row, key) : NULL;
        /* An unknown key needs the tree anyway: it survives a rewrite. */
        if (!cell || cell->kind != LITH_JSON_ABSENT || !value_take(value, cell))
            return false;
    }
}

static struct lith_json_cell cell_from(const struct lith_json *value)
{
    struct lith_json_cell cell = {.kind = LITH_JSON_OTHER};

    if (!value) {
        cell.kind = LITH_JSON_ABSENT;
    } else if (lith_json_is_text(value)) {
        const char *text = lith_json_text_of(value);
        cell.kind = LITH_JSON_TEXT;
        cell.text = (struct lith_json_span){text, strlen(text)};
    } else if (lith_json_is_int(value)) {
        cell.kind = LITH_JSON_INT;
        cell.number = lith_json_int_of(value);
    } else if (lith_json_is_bool(value)) {
        cell.kind = LITH_JSON_BOOL;
        cell.number = lith_json_bool_of(value);
    }
    return cell;
}

void lith_json_row_of(const struct lith_json *object, const char *const *known,
                      struct lith_json_row *ret_row)
{
    size_t found = 0;

    row_init(ret_row, known);
    for (size_t i = 0; known[i]; i++) {
        ret_row->cells[i] = cell_from(lith_json_get(object, known[i]));
        found += ret_row->cells[i].kind != LITH_JSON_ABSENT;
    }
    ret_row->has_unknown = lith_json_is_object(object) && found != lith_json_count(object);
}

const struct lith_json_cell *lith_json_row_cell(const struct lith_json_row *row, const char *key)
{
    size_t i = 0;

    while (row->known[i] && strcmp(row->known[i], key) != 0)
        i++;
    LITH_ASSERT(row->known[i]);
    return &row->cells[i];
}

bool lith_json_cell_is(const struct lith_json_cell *cell, const char *text)
{
    return cell->kind == LITH_JSON_TEXT && span_is(cell->text, text);
}
