/*
 * UTF-8: where well-formed sequences end (Unicode 15, table 3-7).
 */
#ifndef LITH_BASE_UTF8_H
#define LITH_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes (1 to 4) of the well-formed character at `at`, of which `left` > 0 bytes may be read;
 * 0 where none begins: overlong forms, surrogates and what lies above U+10FFFF included. */
size_t lith_utf8_character(const uint8_t *at, size_t left);

#endif
