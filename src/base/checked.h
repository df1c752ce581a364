/*
 * Arithmetic on outside numbers that cannot wrap.
 *
 * Each helper returns false, and leaves *ret unspecified, when the true result does not fit.
 */
#ifndef LITH_BASE_CHECKED_H
#define LITH_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline __attribute__((warn_unused_result)) bool lith_add_u64(uint64_t a, uint64_t b,
                                                                    uint64_t *ret)
{
    return !__builtin_add_overflow(a, b, ret);
}

static inline __attribute__((warn_unused_result)) bool lith_mul_u64(uint64_t a, uint64_t b,
                                                                    uint64_t *ret)
{
    return !__builtin_mul_overflow(a, b, ret);
}

static inline __attribute__((warn_unused_result)) bool lith_add_i64(int64_t a, int64_t b,
                                                                    int64_t *ret)
{
    return !__builtin_add_overflow(a, b, ret);
}

static inline __attribute__((warn_unused_result)) bool lith_mul_i64(int64_t a, int64_t b,
                                                                    int64_t *ret)
{
    return !__builtin_mul_overflow(a, b, ret);
}

static inline __attribute__((warn_unused_result)) bool lith_add_size(size_t a, size_t b,
                                                                     size_t *ret)
{
    return !__builtin_add_overflow(a, b, ret);
}

static inline __attribute__((warn_unused_result)) bool lith_mul_size(size_t a, size_t b,
                                                                     size_t *ret)
{
    return !__builtin_mul_overflow(a, b, ret);
}

/* Sums and products for estimates: the largest number where they do not fit. */
static inline uint64_t lith_sum_u64(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return lith_add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

static inline uint64_t lith_product_u64(uint64_t a, uint64_t b)
{
    uint64_t product;

    return lith_mul_u64(a, b, &product) ? product : UINT64_MAX;
}

/* How many parts of `part` (not 0) the whole makes; the last one may be smaller. */
static inline uint64_t lith_parts_u64(uint64_t whole, uint64_t part)
{
    return whole / part + (whole % part != 0);
}

static inline size_t lith_max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline size_t lith_min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline uint64_t lith_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t lith_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
