/*
 * Thrift compact protocol: reading.
 *
 * A value that breaks the protocol fails the cursor and moves its end to where it stands. So
 * whoever reads a prefix of a structure (page_header.c) can tell bytes that are wrong from bytes
 * that are merely not there yet. thrift-compact-protocol.md.
 */
#include "parquet/thrift.h"

#include "base/limits.h"

static void malformed(struct lith_cursor *c)
{
    if (!c->failed)
        c->end = c->next;
    c->failed = true;
}

bool lith_thrift_field_next(struct lith_cursor *c, int16_t *last_id,
                            struct lith_thrift_field *ret_field)
{
    uint8_t head = lith_cursor_byte(c);
    if (c->failed || head == LITH_THRIFT_STOP)
        return false;
    uint8_t type = head & 0x0f;
    int64_t id = head >> 4 ? (int64_t)*last_id + (head >> 4) : lith_cursor_zigzag(c);
    if (c->failed)
        return false;
    if (type == LITH_THRIFT_STOP || type > LITH_THRIFT_STRUCT || id < INT16_MIN || id > INT16_MAX) {
        malformed(c);
        return false;
    }
    *last_id = (int16_t)id;
    *ret_field = (struct lith_thrift_field){.id = (int16_t)id, .type = type};
    return true;
}

/* A zigzag number between `min` and `max`. */
static int64_t ranged(struct lith_cursor *c, int64_t min, int64_t max)
{
    int64_t value = lith_cursor_zigzag(c);

    if (value >= min && value <= max)
        return value;
    malformed(c);
    return 0;
}

int32_t lith_thrift_i32(struct lith_cursor *c, struct lith_thrift_field field)
{
    if (field.type == LITH_THRIFT_I32)
        return (int32_t)ranged(c, INT32_MIN, INT32_MAX);
    if (field.type == LITH_THRIFT_I16)
        return (int32_t)ranged(c, INT16_MIN, INT16_MAX);
    if (field.type == LITH_THRIFT_I8)
        return (int8_t)lith_cursor_byte(c);
    malformed(c);
    return 0;
}

int64_t lith_thrift_i64(struct lith_cursor *c, struct lith_thrift_field field)
{
    if (field.type == LITH_THRIFT_I64)
        return lith_cursor_zigzag(c);
    malformed(c);
    return 0;
}

bool lith_thrift_bool(struct lith_cursor *c, struct lith_thrift_field field)
{
    if (field.type != LITH_THRIFT_TRUE && field.type != LITH_THRIFT_FALSE)
        malformed(c);
    return field.type == LITH_THRIFT_TRUE;
}

struct lith_slice lith_thrift_binary(struct lith_cursor *c, struct lith_thrift_field field)
{
    if (field.type != LITH_THRIFT_BINARY)
        malformed(c);
    uint64_t bytes = lith_cursor_varint(c);
    if (bytes > INT32_MAX) {
        malformed(c);
        return (struct lith_slice){NULL, 0};
    }
    const uint8_t *data = lith_cursor_take(c, (size_t)bytes);
    return (struct lith_slice){data, data ? (size_t)bytes : 0};
}

uint32_t lith_thrift_list(struct lith_cursor *c, struct lith_thrift_field field,
                          uint8_t *ret_element_type)
{
    *ret_element_type = LITH_THRIFT_STOP;
    if (field.type != LITH_THRIFT_LIST && field.type != LITH_THRIFT_SET)
        malformed(c);
    uint8_t head = lith_cursor_byte(c);
    uint64_t count = head >> 4 == 15 ? lith_cursor_varint(c) : head >> 4;
    uint8_t type = head & 0x0f;

    /* fastparquet writes an empty list with element type 0. */
    if (count > INT32_MAX || type > LITH_THRIFT_STRUCT || (type == LITH_THRIFT_STOP && count > 0))
        malformed(c);
    if (count > lith_cursor_left(c))
        c->failed = true; /* an element has at least one byte */
    if (c->failed)
        return 0;
    *ret_element_type = type;
    return (uint32_t)count;
}

bool lith_thrift_struct(struct lith_cursor *c, struct lith_thrift_field field)
{
    if (field.type != LITH_THRIFT_STRUCT)
        malformed(c);
    return !c->failed;
}

/* A container being skipped. A map counts keys and values: types[left & 1] is the next one's. */
struct skip_frame {
    bool is_struct;
    int16_t last_id;
    uint8_t types[2];
    uint64_t left;
};

struct skip_stack {
    struct skip_frame frames[LITH_THRIFT_DEPTH_MAX];
    unsigned depth;
};

static void skip_map(struct lith_cursor *c, struct skip_frame *frame)
{
    uint64_t count = lith_cursor_varint(c);
    if (count == 0)
        return;
    uint8_t types = lith_cursor_byte(c);
    if (count > lith_cursor_left(c)) {
        c->failed = true;
        return;
    }
    *frame = (struct skip_frame){.types = {types >> 4, types & 0x0f}, .left = 2 * count};
}

static void skip_open(struct lith_cursor *c, uint8_t type, struct skip_stack *stack)
{
    if (stack->depth == LITH_THRIFT_DEPTH_MAX) {
        malformed(c);
        return;
    }
    struct skip_frame *frame = &stack->frames[stack->depth++];
    *frame = (struct skip_frame){.is_struct = type == LITH_THRIFT_STRUCT};
    if (type == LITH_THRIFT_MAP)
        skip_map(c, frame);
    if (type == LITH_THRIFT_LIST || type == LITH_THRIFT_SET) {
        struct lith_thrift_field field = {.type = type};
        frame->left = lith_thrift_list(c, field, &frame->types[0]);
        frame->types[1] = frame->types[0];
    }
}

/* Skips a scalar or opens a container. A bool has a byte of its own only inside a container. */
static void skip_value(struct lith_cursor *c, uint8_t type, bool is_element,
                       struct skip_stack *stack)
{
    switch ((enum lith_thrift_type)type) {
    case LITH_THRIFT_TRUE:
    case LITH_THRIFT_FALSE:
        (void)lith_cursor_take(c, is_element ? 1 : 0);
        return;
    case LITH_THRIFT_I8:
        (void)lith_cursor_byte(c);
        return;
    case LITH_THRIFT_I16:
    case LITH_THRIFT_I32:
    case LITH_THRIFT_I64:
        (void)lith_cursor_varint(c);
        return;
    case LITH_THRIFT_DOUBLE:
        (void)lith_cursor_take(c, 8);
        return;
    case LITH_THRIFT_BINARY:
        (void)lith_thrift_binary(c, (struct lith_thrift_field){.type = type});
        return;
    case LITH_THRIFT_LIST:
    case LITH_THRIFT_SET:
    case LITH_THRIFT_MAP:
    case LITH_THRIFT_STRUCT:
        skip_open(c, type, stack);
        return;
    case LITH_THRIFT_STOP:
        break;
    }
    malformed(c);
}

void lith_thrift_skip(struct lith_cursor *c, uint8_t type)
{
    struct skip_stack stack;
    struct lith_thrift_field field;

    stack.depth = 0;
    skip_value(c, type, false, &stack);
    while (stack.depth > 0 && !c->failed) {
        struct skip_frame *frame = &stack.frames[stack.depth - 1];
        if (frame->is_struct ? !lith_thrift_field_next(c, &frame->last_id, &field)
                             : frame->left == 0) {
            stack.depth--;
            continue;
        }
        if (frame->is_struct) {
            skip_value(c, field.type, false, &stack);
            continue;
        }
        uint8_t element = frame->types[frame->left-- & 1];
        skip_value(c, element, true, &stack);
    }
}
