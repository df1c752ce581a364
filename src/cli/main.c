/*
 * lithify, the program.
 */
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return lith_cli_main(argc, argv);
}
