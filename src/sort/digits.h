/*
 * Digits of eight bits, as both radix sorts count them.
 */
#ifndef LITH_SORT_DIGITS_H
#define LITH_SORT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#define LITH_DIGIT_BITS 8u
#define LITH_DIGITS (1u << LITH_DIGIT_BITS)

/* How often each digit is there becomes the place where its own begin. */
static inline void lith_digits_sum(uint32_t counts[LITH_DIGITS])
{
    uint32_t sum = 0;

    for (size_t i = 0; i < LITH_DIGITS; i++) {
        uint32_t here = counts[i];
        counts[i] = sum;
        sum += here;
    }
}

/* The lowest bit of the digit that has the highest bit of `varying`, which is not 0. */
static inline uint32_t lith_digit_highest(uint64_t varying)
{
    uint32_t high = 63 - (uint32_t)__builtin_clzll(varying);

    return high < LITH_DIGIT_BITS ? 0 : high - LITH_DIGIT_BITS + 1;
}

/* What is left of `varying` above the digit whose lowest bit is `shift`. */
static inline uint64_t lith_digits_above(uint64_t varying, uint32_t shift)
{
    return shift + LITH_DIGIT_BITS < 64 ? varying & UINT64_MAX << (shift + LITH_DIGIT_BITS) : 0;
}

#endif
