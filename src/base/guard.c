/*
 * Which guards are out: none, unless a test build says so.
 */
#include "base/guard.h"

#ifdef LITH_GUARDS_OUT
unsigned lith_guards_out;
#endif
