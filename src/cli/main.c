/*
 * lithify, the program.
 */
#include "base/mem.h"
#include "cli/cli.h"

int main(int argc, char **argv)
{
    lith_mem_tune();
    return lith_cli_main(argc, argv);
}
