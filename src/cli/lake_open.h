/*
 * From the configuration to an open lake.
 */
#ifndef LITH_CLI_LAKE_OPEN_H
#define LITH_CLI_LAKE_OPEN_H

#include "cli/cli.h"

/* Opens the lake at `root` with the options of the configuration. INVALID, NOT_FOUND, DENIED. */
LITH_MUST_CHECK enum lith_code lith_cli_lake_open(struct lith_cli *cli, const char *root,
                                                  struct lith_lake **ret_lake,
                                                  struct lith_err *err);

/* How files of different schemas join. */
struct lith_joins lith_cli_joins(const struct lith_cli *cli);

/* Whether the directory holds _lithify.json: it is the root of a lake that was committed to. A
 * directory that is not there is none; what cannot be looked at fails. */
LITH_MUST_CHECK enum lith_code lith_cli_is_root(const char *directory, bool *ret_is_root,
                                                struct lith_err *err);

/*
 * The root of the lake that `path` is in, and the rest below it ("" when it is the root): walks up
 * to the directory that holds _lithify.json. Without one `path` is taken for a root. Both texts are
 * in the config's arena. `path` must be a directory: NOT_FOUND, INVALID, DENIED.
 */
LITH_MUST_CHECK enum lith_code lith_cli_root_find(struct lith_cli *cli, const char *path,
                                                  const char **ret_root, const char **ret_below,
                                                  struct lith_err *err);

/* The exit code for a call that failed, told on stderr. */
int lith_cli_fail(struct lith_cli *cli, const struct lith_err *err);

#endif
