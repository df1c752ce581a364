/*
 * The version of the library.
 */
#include "lithify.h"

const char *lith_version(void)
{
    return LITH_VERSION;
}
