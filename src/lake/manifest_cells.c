/*
 * The cells of a manifest's rows as values: every one checked, every failure with its place.
 */
#include "lake/manifest_cells.h"

#include <string.h>

#include "base/time.h"

#define PLACE_TEXT "%s: %s[%zu].%s: "
#define PLACE_ARGS(r, place, key) (r)->file, (place).table, (place).index, (key)

enum lith_code lith_cell_text_share(struct lith_manifest_reader *r, struct lith_place place,
                                    const struct lith_json_row *row, const char *key,
                                    const char *same, const char **ret_text, struct lith_err *err)
{
    const struct lith_json_cell *cell = lith_json_row_cell(row, key);
    void *copy = NULL;

    if (cell->kind != LITH_JSON_TEXT)
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "a text expected",
                         PLACE_ARGS(r, place, key));
    if (same && lith_json_cell_is(cell, same)) {
        *ret_text = same;
        return LITH_OK;
    }
    LITH_TRY(lith_arena_copy(r->arena, cell->text.text, cell->text.bytes, &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

enum lith_code lith_cell_text(struct lith_manifest_reader *r, struct lith_place place,
                              const struct lith_json_row *row, const char *key,
                              const char **ret_text, struct lith_err *err)
{
    return lith_cell_text_share(r, place, row, key, NULL, ret_text, err);
}

enum lith_code lith_cell_text_maybe(struct lith_manifest_reader *r, struct lith_place place,
                                    const struct lith_json_row *row, const char *key,
                                    const char **ret_text, struct lith_err *err)
{
    if (lith_row_has(row, key))
        return lith_cell_text(r, place, row, key, ret_text, err);
    *ret_text = NULL;
    return LITH_OK;
}

enum lith_code lith_cell_number(struct lith_manifest_reader *r, struct lith_place place,
                                const struct lith_json_row *row, const char *key,
                                uint64_t *ret_number, struct lith_err *err)
{
    const struct lith_json_cell *cell = lith_json_row_cell(row, key);

    if (cell->kind != LITH_JSON_INT || cell->number < 0)
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "an integer of at least 0 expected",
                         PLACE_ARGS(r, place, key));
    *ret_number = (uint64_t)cell->number;
    return LITH_OK;
}

bool lith_cell_fits(const struct lith_json_cell *cell, char *to, size_t room)
{
    if (cell->kind != LITH_JSON_TEXT || cell->text.bytes >= room)
        return false;
    memcpy(to, cell->text.text, cell->text.bytes);
    to[cell->text.bytes] = '\0';
    return true;
}

enum lith_code lith_cell_time(struct lith_manifest_reader *r, struct lith_place place,
                              const struct lith_json_row *row, const char *key, int64_t *ret_ns,
                              struct lith_err *err)
{
    char text[2 * LITH_TIME_TEXT_BYTES];
    struct lith_err why;

    if (!lith_cell_fits(lith_json_row_cell(row, key), text, sizeof(text)) ||
        lith_time_parse(text, ret_ns, &why) != LITH_OK)
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "an RFC 3339 time expected",
                         PLACE_ARGS(r, place, key));
    return LITH_OK;
}

static bool hex_is(const char *text, size_t digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

static enum lith_code hex_fail(struct lith_manifest_reader *r, struct lith_place place,
                               const char *key, size_t digits, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "%zu lower-case hex digits expected",
                     PLACE_ARGS(r, place, key), digits);
}

enum lith_code lith_cell_hex(struct lith_manifest_reader *r, struct lith_place place,
                             const struct lith_json_row *row, const char *key, size_t digits,
                             const char **ret_text, struct lith_err *err)
{
    const char *text = NULL;

    LITH_TRY(lith_cell_text(r, place, row, key, &text, err));
    if (!hex_is(text, digits))
        return hex_fail(r, place, key, digits, err);
    *ret_text = text;
    return LITH_OK;
}

enum lith_code lith_cell_crc32(struct lith_manifest_reader *r, struct lith_place place,
                               const struct lith_json_row *row, uint32_t *ret_crc,
                               struct lith_err *err)
{
    char text[8 + 1];
    uint32_t crc = 0;

    if (!lith_cell_fits(lith_json_row_cell(row, "crc32"), text, sizeof(text)) || !hex_is(text, 8))
        return hex_fail(r, place, "crc32", 8, err);
    for (size_t i = 0; i < 8; i++)
        crc = crc * 16 + (uint32_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    *ret_crc = crc;
    return LITH_OK;
}

enum lith_code lith_manifest_name_check(struct lith_manifest_reader *r, struct lith_place place,
                                        const char *name, struct lith_err *err)
{
    if (!lith_name_is_data(name) || strchr(name, '/'))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s: %s[%zu]: \"%s\" is not the bare name of a data file", r->file,
                         place.table, place.index, name);
    return LITH_OK;
}
