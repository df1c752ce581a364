/*
 * Reading Thrift structs by a table of their fields.
 */
#include "parquet/thrift_struct.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct lith_metadata lith_metadata_at(const uint8_t *data, size_t bytes, uint64_t offset,
                                      struct lith_arena *arena)
{
    return (struct lith_metadata){
        .cursor = lith_cursor_at(data, bytes),
        .data = data,
        .offset = offset,
        .arena = arena,
    };
}

static bool type_fits(uint8_t type, uint8_t expected)
{
    return type == expected || (expected == LITH_THRIFT_TRUE && type == LITH_THRIFT_FALSE);
}

bool lith_struct_next(struct lith_metadata *m, struct lith_struct_at *at)
{
    const struct lith_struct_rule *rule = at->rule;

    while (lith_thrift_field_next(&m->cursor, &at->last_id, &at->field)) {
        int16_t id = at->field.id;
        m->struct_name = rule->name;
        if (id > 0 && id < rule->field_count && rule->fields[id].name) {
            m->field_name = rule->fields[id].name;
            if (type_fits(at->field.type, rule->fields[id].type)) {
                at->seen |= 1u << id;
                return true;
            }
        } else {
            m->field_name = "(a field of another version)";
        }
        lith_thrift_skip(&m->cursor, at->field.type);
    }
    return false;
}

enum lith_code lith_struct_end(struct lith_metadata *m, struct lith_struct_at *at,
                               struct lith_err *err)
{
    if (m->cursor.failed)
        return lith_metadata_bad(m, err);
    for (int16_t id = 1; id < at->rule->field_count; id++) {
        if (at->rule->fields[id].required && !(at->seen >> id & 1))
            return lith_metadata_fail(m, err, LITH_E_CORRUPT,
                                      "%s ends without its required field %s", at->rule->name,
                                      at->rule->fields[id].name);
    }
    return LITH_OK;
}

uint32_t lith_struct_list(struct lith_metadata *m, struct lith_struct_at *at, uint8_t element_type,
                          size_t element_bytes)
{
    struct lith_cursor start = m->cursor;
    uint8_t type;

    uint32_t count = lith_thrift_list(&m->cursor, at->field, &type);
    if (count > 0 && !type_fits(type, element_type)) {
        if (at->rule->fields[at->field.id].required)
            m->cursor.failed = true;
        m->cursor.next = start.next;
        lith_thrift_skip(&m->cursor, at->field.type);
        return 0;
    }
    if (count > lith_cursor_left(&m->cursor) / element_bytes)
        m->cursor.failed = true;
    return m->cursor.failed ? 0 : count;
}

enum lith_code lith_metadata_fail(const struct lith_metadata *m, struct lith_err *err,
                                  enum lith_code code, const char *format, ...)
{
    char text[LITH_ERR_TEXT_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return lith_fail(err, code, "byte %" PRIu64 ", %s.%s: %s",
                     m->offset + (uint64_t)(m->cursor.next - m->data),
                     m->struct_name ? m->struct_name : "metadata",
                     m->field_name ? m->field_name : "(start)", text);
}

enum lith_code lith_metadata_bad(const struct lith_metadata *m, struct lith_err *err)
{
    return lith_metadata_fail(m, err, LITH_E_CORRUPT, "malformed or cut short");
}
