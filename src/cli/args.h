/*
 * The command line: options before or after operands, `--flag value` and `--flag=value`.
 *
 * Every option of the configuration is a flag; what is no configuration (where an output goes,
 * a form of printing) is a switch of the program.
 */
#ifndef LITH_CLI_ARGS_H
#define LITH_CLI_ARGS_H

#include "config/config.h"

enum lith_switch {
    LITH_SWITCH_HELP,
    LITH_SWITCH_CONFIG,
    LITH_SWITCH_OUTPUT,
    LITH_SWITCH_OVERWRITE,
    LITH_SWITCH_EXPLAIN,
    LITH_SWITCH_INPUTS_FROM,
    LITH_SWITCH_NULL,
    LITH_SWITCH_MOVERS,
    LITH_SWITCH_FORMAT,
    LITH_SWITCH_STRICT,
    LITH_SWITCH_PAGES,
    LITH_SWITCH_MARKDOWN,
    LITH_SWITCH_TENANT,
    LITH_SWITCH_SINCE,
    LITH_SWITCH_UNTIL,
    LITH_SWITCH_DRY_RUN,
    LITH_SWITCH_UNLISTED,
    LITH_SWITCH_DEEP,
    LITH_SWITCH_RESTORE,
    LITH_SWITCH_REPAIR,
    LITH_SWITCH_YES,
    LITH_SWITCH_COUNT
};

struct lith_switch_row {
    const char *name;  /* without its dashes */
    char letter;       /* 0: none */
    const char *value; /* how help calls it; NULL: it stands alone */
    const char *help;
};
extern const struct lith_switch_row lith_switches[LITH_SWITCH_COUNT];

struct lith_args {
    const char *switches[LITH_SWITCH_COUNT]; /* NULL: not given; "" for those without a value */
    const char **operands;                   /* in the config's arena */
    size_t operand_count;
    size_t inputs_at; /* operands in front of --inputs-from */
    size_t split;     /* operands in front of `--`; all when there was none */
    bool has_split;
};

struct lith_command;

/*
 * Reads the arguments behind the command's name. Options go into `config`. INVALID names the
 * argument and, for an unknown flag, the nearest known one.
 */
LITH_MUST_CHECK enum lith_code lith_args_parse(const struct lith_command *command, int count,
                                               char *const *arguments, struct lith_config *config,
                                               struct lith_args *ret_args, struct lith_err *err);

#endif
