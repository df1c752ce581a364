/*
 * SNAPPY blocks: far from both ends elements are copied in steps of 16 bytes, past what they have;
 * what is written too much is written again. Near the ends every byte is counted. Every element is
 * checked against what is left before it is used.
 */
#include "codec/snappy_expand.h"

#include <string.h>

#include "codec/internal.h"

#define STEP_BYTES ((size_t)16)
#define SHORT_BYTES ((size_t)8)
/* The longest copy, and the longest literal whose length is in its tag, fit four steps. */
#define STRIDE_BYTES (4 * STEP_BYTES)
/* Literals of more bytes have their length behind the tag. */
#define SHORT_LITERAL_MAX 60u
/* So far from an end both the tags of two elements and a stride behind each are there. */
#define MARGIN_BYTES (2 * (STRIDE_BYTES + 8))

struct expansion {
    const uint8_t *next;
    const uint8_t *end;
    uint8_t *begin;
    uint8_t *to;
    uint8_t *to_end;
};

static void step_copy(uint8_t *to, const uint8_t *from)
{
    uint8_t step[STEP_BYTES];

    memcpy(step, from, sizeof(step));
    memcpy(to, step, sizeof(step));
}

/* For copies of a few bytes: the less is read, the less of it is still on its way to memory. */
static void short_copy(uint8_t *to, const uint8_t *from)
{
    uint8_t bytes[SHORT_BYTES];

    memcpy(bytes, from, sizeof(bytes));
    memcpy(to, bytes, sizeof(bytes));
}

/* At most a stride. `from` is a step or more behind `to`, or elsewhere. */
static void stride_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
    step_copy(to, from);
    if (bytes > STEP_BYTES) {
        step_copy(to + STEP_BYTES, from + STEP_BYTES);
        step_copy(to + 2 * STEP_BYTES, from + 2 * STEP_BYTES);
        step_copy(to + 3 * STEP_BYTES, from + 3 * STEP_BYTES);
    }
}

/* Copies what may overlap, byte by byte, so that it repeats itself. */
static void repeat_copy(uint8_t *to, size_t distance, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = *(to + i - distance);
}

/* Elements of the usual kinds as long as no end is near. False when one is damaged. */
static bool expand_inside(struct expansion *e)
{
    const uint8_t *next = e->next;
    uint8_t *to = e->to;
    bool fits = true;

    while ((size_t)(e->end - next) >= MARGIN_BYTES && (size_t)(e->to_end - to) >= MARGIN_BYTES) {
        uint32_t head = lith_load_u32(next);
        if ((head & 3) == 0) {
            size_t literal = (head >> 2 & 0x3f) + 1;
            if (literal > SHORT_LITERAL_MAX)
                break;
            stride_copy(to, next + 1, literal);
            next += 1 + literal;
            to += literal;
            head = lith_load_u32(next); /* mostly of a copy */
        }
        size_t bytes;
        size_t distance;
        if ((head & 3) == 0) {
            continue;
        } else if ((head & 3) == 1) {
            bytes = 4 + (head >> 2 & 7);
            distance = (head & 0xe0) << 3 | (head >> 8 & 0xff);
            next += 2;
        } else if ((head & 3) == 2) {
            bytes = (head >> 2 & 0x3f) + 1;
            distance = head >> 8 & 0xffff;
            next += 3;
        } else {
            break;
        }
        fits = distance > 0 && distance <= (size_t)(to - e->begin);
        if (!fits)
            break;
        if (bytes <= SHORT_BYTES && distance >= SHORT_BYTES)
            short_copy(to, to - distance);
        else if (distance >= STEP_BYTES)
            stride_copy(to, to - distance, bytes);
        else
            repeat_copy(to, distance, bytes);
        to += bytes;
    }
    e->next = next;
    e->to = to;
    return fits;
}

/* A little-endian number of `bytes` bytes, at most 4; false when they are not there. */
static bool number_take(struct expansion *e, size_t bytes, uint64_t *ret_number)
{
    uint64_t number = 0;

    if ((size_t)(e->end - e->next) < bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        number |= (uint64_t)e->next[i] << (8 * i);
    e->next += bytes;
    *ret_number = number;
    return true;
}

static bool literal_expand(struct expansion *e, uint8_t tag)
{
    uint64_t last = tag >> 2; /* one less than its bytes */

    if (last >= SHORT_LITERAL_MAX && !number_take(e, last - SHORT_LITERAL_MAX + 1, &last))
        return false;
    if (last >= (size_t)(e->end - e->next) || last >= (size_t)(e->to_end - e->to))
        return false;
    memcpy(e->to, e->next, (size_t)last + 1);
    e->next += last + 1;
    e->to += last + 1;
    return true;
}

static bool copy_expand(struct expansion *e, uint8_t tag)
{
    unsigned kind = tag & 3;
    size_t bytes = kind == 1 ? 4 + (tag >> 2 & 7u) : (size_t)(tag >> 2) + 1;
    uint64_t distance;

    if (!number_take(e, kind == 3 ? 4 : kind, &distance))
        return false;
    if (kind == 1)
        distance |= (uint64_t)(tag >> 5) << 8;
    if (distance == 0 || distance > (size_t)(e->to - e->begin) ||
        bytes > (size_t)(e->to_end - e->to))
        return false;
    repeat_copy(e->to, (size_t)distance, bytes);
    e->to += bytes;
    return true;
}

static bool expand(struct expansion *e)
{
    for (;;) {
        if (!expand_inside(e))
            return false;
        if (e->next == e->end)
            return true;
        uint8_t tag = *e->next++;
        if ((tag & 3) == 0 ? !literal_expand(e, tag) : !copy_expand(e, tag))
            return false;
    }
}

/* The length in front, of at most 32 bits. */
static bool length_take(struct expansion *e, uint64_t *ret_length)
{
    uint64_t length = 0;

    for (unsigned shift = 0; shift < 35 && e->next < e->end; shift += 7) {
        uint8_t byte = *e->next++;
        length |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret_length = length;
            return length <= UINT32_MAX;
        }
    }
    return false;
}

enum lith_code lith_snappy_expand(struct lith_slice block, uint8_t *to, size_t to_bytes,
                                  struct lith_err *err)
{
    struct expansion e = {
        .next = block.data,
        .end = block.data + block.bytes,
        .begin = to,
        .to = to,
        .to_end = to + to_bytes,
    };
    uint64_t length;

    if (!length_take(&e, &length))
        return lith_codec_fail_data(err, "SNAPPY", "no length at the start", block.bytes, to_bytes);
    if (length != to_bytes)
        return lith_codec_fail_size(err, "SNAPPY", to_bytes, length);
    if (!expand(&e) || e.to != e.to_end)
        return lith_codec_fail_data(err, "SNAPPY", "damaged block", block.bytes, to_bytes);
    return LITH_OK;
}
