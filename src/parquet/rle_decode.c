/*
 * The hybrid, decoding: whole groups of eight straight from the window, single values from a
 * register of bits.
 *
 * Bytes are taken only when a value needs them, so the padding of a last group may be missing, as
 * some writers leave it. The register holds bits only inside a group.
 */
#include "parquet/rle.h"

#include <inttypes.h>

#include "base/checked.h"
#include "parquet/bitpack.h"

#define NARROW_COUNT 1024 /* values widened at a time on the way to 16 bits */

enum lith_code lith_rle_init(struct lith_rle_decoder *d, struct lith_window *window, unsigned width,
                             struct lith_err *err)
{
    if (width > 32)
        return lith_fail(err, LITH_E_CORRUPT, "a bit width of %u, at most 32 is legal", width);
    *d = (struct lith_rle_decoder){.window = window, .width = width};
    return LITH_OK;
}

enum lith_code lith_rle_init_bit_packed(struct lith_rle_decoder *d, struct lith_window *window,
                                        unsigned width, uint64_t count, bool msb_first,
                                        struct lith_err *err)
{
    LITH_TRY(lith_rle_init(d, window, width, err));
    d->one_run = true;
    d->msb_first = msb_first;
    if (width == 0)
        d->repeat_left = count;
    else
        d->packed_left = count;
    return LITH_OK;
}

static enum lith_code run_begin(struct lith_rle_decoder *d, struct lith_err *err)
{
    struct lith_window *w = d->window;

    if (d->one_run || lith_window_left(w) == 0)
        return lith_fail(err, LITH_E_CORRUPT, "the runs end before the values do");
    uint64_t header = lith_window_varint(w);
    if (w->code != LITH_OK)
        return w->code;
    if (!(header & 1)) {
        size_t bytes = (d->width + 7) / 8;
        if (!lith_window_need(w, bytes))
            return w->code;
        d->repeat_left = header >> 1;
        d->repeat_value = 0;
        for (size_t i = 0; i < bytes; i++)
            d->repeat_value |= (uint32_t)w->next[i] << (8 * i);
        w->next += bytes;
        return LITH_OK;
    }
    uint64_t count;
    if (!lith_mul_u64(header >> 1, 8, &count))
        return lith_fail(err, LITH_E_CORRUPT, "a bit-packed run of %" PRIu64 " groups",
                         header >> 1);
    d->repeat_value = 0;
    if (d->width == 0)
        d->repeat_left = count; /* no bits: the same as a run of zeros */
    else
        d->packed_left = count;
    return LITH_OK;
}

/* Unpacks whole groups; the number of values, 0 when there is no whole group to take. */
static size_t groups_take(struct lith_rle_decoder *d, uint32_t *to, size_t count)
{
    struct lith_window *w = d->window;
    size_t groups = (size_t)lith_min_u64(count, d->packed_left) / 8;

    if (groups == 0 || d->bit_count || d->msb_first || lith_window_left(w) < d->width)
        return 0;
    if (!lith_window_need(w, d->width))
        return 0;
    size_t readable = (size_t)(w->end - w->next);
    groups = lith_min_size(groups, readable / d->width);
    lith_unpack_u32(w->next, readable, groups, d->width, to);
    w->next += groups * d->width;
    d->packed_left -= groups * 8;
    return groups * 8;
}

static enum lith_code bits_take(struct lith_rle_decoder *d, uint32_t *ret_value)
{
    struct lith_window *w = d->window;
    uint64_t mask = ((uint64_t)1 << d->width) - 1;

    while (d->bit_count < d->width) {
        if (!lith_window_need(w, 1))
            return w->code;
        uint64_t byte = *w->next++;
        d->bits = d->msb_first ? d->bits << 8 | byte : d->bits | byte << d->bit_count;
        d->bit_count += 8;
    }
    d->bit_count -= d->width;
    if (d->msb_first) {
        *ret_value = (uint32_t)(d->bits >> d->bit_count & mask);
    } else {
        *ret_value = (uint32_t)(d->bits & mask);
        d->bits >>= d->width;
    }
    d->packed_left--;
    return LITH_OK;
}

enum lith_code lith_rle_next(struct lith_rle_decoder *d, uint32_t *to, size_t count,
                             struct lith_err *err)
{
    d->window->err = err;
    while (count) {
        size_t taken = 0;

        if (d->repeat_left) {
            taken = (size_t)lith_min_u64(count, d->repeat_left);
            for (size_t i = 0; i < taken; i++)
                to[i] = d->repeat_value;
            d->repeat_left -= taken;
        } else if (d->packed_left) {
            taken = groups_take(d, to, count);
            if (taken == 0) {
                LITH_TRY(bits_take(d, to));
                taken = 1;
            }
        } else {
            LITH_TRY(run_begin(d, err));
        }
        to += taken;
        count -= taken;
    }
    return LITH_OK;
}

enum lith_code lith_rle_peek(struct lith_rle_decoder *d, uint64_t *ret_count, uint32_t *ret_value,
                             struct lith_err *err)
{
    d->window->err = err;
    while (d->repeat_left == 0 && d->packed_left == 0)
        LITH_TRY(run_begin(d, err));
    *ret_count = d->repeat_left;
    *ret_value = d->repeat_value;
    return LITH_OK;
}

void lith_rle_skip(struct lith_rle_decoder *d, uint64_t count)
{
    LITH_ASSERT(count <= d->repeat_left);
    d->repeat_left -= count;
}

enum lith_code lith_rle_next_u16(struct lith_rle_decoder *d, uint16_t *to, size_t count,
                                 struct lith_err *err)
{
    uint32_t wide[NARROW_COUNT];

    LITH_ASSERT(d->width <= 16);
    while (count) {
        size_t taken = lith_min_size(count, NARROW_COUNT);
        LITH_TRY(lith_rle_next(d, wide, taken, err));
        for (size_t i = 0; i < taken; i++)
            to[i] = (uint16_t)wide[i];
        to += taken;
        count -= taken;
    }
    return LITH_OK;
}

uint64_t lith_rle_left(const struct lith_rle_decoder *d)
{
    uint64_t padding = ((d->packed_left % 8) * d->width - d->bit_count) / 8;
    uint64_t left = lith_window_left(d->window);

    if (d->one_run || d->packed_left % 8 == 0)
        return left;
    return left - lith_min_u64(left, padding);
}

unsigned lith_bit_width(uint32_t max)
{
    return max ? 32 - (unsigned)__builtin_clz(max) : 0;
}
