/*
 * The outline of a YAML file, by the events of libyaml.
 *
 * The walk keeps no tree: it counts how deep it is and refuses depth, anchors and aliases where
 * they begin, so that a hostile file costs no more than its bytes.
 */
#include "config/outline.h"

#include <string.h>

#include <yaml.h>

#include "base/array.h"

struct walk {
    struct lith_arena *arena;
    struct lith_outline outline;
    unsigned depth; /* 0: outside, 1: in the mapping, 2: in a list */
    bool at_value;  /* in the mapping: a value is next */
    bool done;
    size_t documents;
};

static enum lith_code key_add(struct walk *walk, const yaml_event_t *event, struct lith_err *err)
{
    struct lith_outline *outline = &walk->outline;
    void *block = outline->keys;

    if (strlen((const char *)event->data.scalar.value) != event->data.scalar.length)
        return lith_fail(err, LITH_E_INVALID, "a key with a zero character");
    LITH_TRY(lith_array_grow_in(walk->arena, &block, outline->count, sizeof(*outline->keys), err));
    outline->keys = block;
    LITH_TRY(lith_arena_copy(walk->arena, event->data.scalar.value, event->data.scalar.length,
                             &block, err));
    outline->keys[outline->count++] =
        (struct lith_outline_key){.name = block, .line = event->start_mark.line + 1};
    return LITH_OK;
}

static bool has_extras(const yaml_event_t *event)
{
    switch ((int)event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    default:
        return event->type == YAML_ALIAS_EVENT;
    }
}

static enum lith_code scalar_take(struct walk *walk, const yaml_event_t *event,
                                  struct lith_err *err)
{
    if (walk->depth == 0)
        return lith_fail(err, LITH_E_INVALID, "expected lines of the form key: value");
    if (walk->depth == 2)
        return LITH_OK;
    walk->at_value = !walk->at_value;
    return walk->at_value ? key_add(walk, event, err) : LITH_OK;
}

static enum lith_code start_take(struct walk *walk, bool is_list, struct lith_err *err)
{
    if (walk->depth == 0 && is_list)
        return lith_fail(err, LITH_E_INVALID, "expected lines of the form key: value, not a list");
    if (walk->depth == 1 && !walk->at_value)
        return lith_fail(err, LITH_E_INVALID, "a key must be a word");
    if (walk->depth > 1 || (walk->depth == 1 && !is_list))
        return lith_fail(err, LITH_E_INVALID,
                         "nested too deep: expected a value or a list of them");
    if (is_list)
        walk->outline.keys[walk->outline.count - 1].is_list = true;
    walk->depth++;
    return LITH_OK;
}

static enum lith_code event_take(struct walk *walk, const yaml_event_t *event, struct lith_err *err)
{
    if (has_extras(event))
        return lith_fail(err, LITH_E_INVALID, "anchors, aliases and tags are not accepted");
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (walk->documents++)
            return lith_fail(err, LITH_E_INVALID, "a second document (---)");
        return LITH_OK;
    case YAML_SCALAR_EVENT:
        return scalar_take(walk, event, err);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return start_take(walk, event->type == YAML_SEQUENCE_START_EVENT, err);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        walk->depth--;
        walk->at_value = false;
        return LITH_OK;
    case YAML_STREAM_END_EVENT:
        walk->done = true;
        return LITH_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_ALIAS_EVENT:
        return LITH_OK;
    }
    return LITH_OK;
}

enum lith_code lith_outline_read(const uint8_t *text, size_t bytes, struct lith_arena *arena,
                                 struct lith_outline *ret_outline, struct lith_err *err)
{
    struct walk walk = {.arena = arena};
    enum lith_code code = LITH_OK;
    yaml_parser_t parser;
    yaml_event_t event;

    if (!yaml_parser_initialize(&parser))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for reading YAML");
    yaml_parser_set_input_string(&parser, text, bytes);
    while (code == LITH_OK && !walk.done) {
        if (!yaml_parser_parse(&parser, &event)) {
            code = lith_fail(err, parser.error == YAML_MEMORY_ERROR ? LITH_E_NOMEM : LITH_E_INVALID,
                             "line %zu: %s", parser.problem_mark.line + 1,
                             parser.problem ? parser.problem : "no YAML");
            break;
        }
        code = event_take(&walk, &event, err);
        if (code == LITH_E_INVALID)
            (void)lith_err_prefix(err, "line %zu", event.start_mark.line + 1);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    LITH_TRY(code);
    *ret_outline = walk.outline;
    return LITH_OK;
}
