/*
 * The program: what every command is given, and the table of commands.
 */
#ifndef LITH_CLI_CLI_H
#define LITH_CLI_CLI_H

#include "cli/args.h"
#include "cli/meter.h"

/* DESIGN.md section 9. */
enum lith_exit {
    LITH_EXIT_DONE = 0,    /* also when nothing was due */
    LITH_EXIT_FAILED = 1,  /* verify: the rows differ */
    LITH_EXIT_USAGE = 2,   /* usage or configuration */
    LITH_EXIT_BLOCKED = 3, /* done, but some partitions or files are blocked */
    LITH_EXIT_AGAIN = 4,   /* transient, busy or pending: try again */
};

struct lith_cli {
    const struct lith_command *command;
    struct lith_mem mem;
    struct lith_config config;
    struct lith_args args;
    struct lith_control control; /* cancel flag, meter, limits: for every long call */
    struct lith_meter meter;
    bool json;
    bool quiet;
};

/* Groups of options, as help shows them. */
enum lith_group {
    LITH_GROUP_LAKE = 1,    /* which partitions, how paths are read */
    LITH_GROUP_COMMIT = 2,  /* how the lake is committed to */
    LITH_GROUP_PLAN = 4,    /* what is due */
    LITH_GROUP_MERGE = 8,   /* what outputs are like */
    LITH_GROUP_GC = 16,     /* how long things stay */
    LITH_GROUP_RUN = 32,    /* how much of the machine is used */
    LITH_GROUP_MEMORY = 64, /* the same, where there are no partitions */
    LITH_GROUP_SPLIT = 128, /* target_file of a merge of named files */
    LITH_GROUP_OUTPUT = 256,
    LITH_GROUP_BLOCKED = 512,
    LITH_GROUP_THREADS = 1024, /* of a merge */
    LITH_GROUP_AUDIT = 2048,
};
#define LITH_GROUP_COUNT 12

struct lith_command {
    const char *name;
    const char *synopsis; /* behind the name */
    const char *line;     /* one line */
    const char *text;     /* more, for its own page */
    const char *example;  /* a command line and what it does */
    unsigned groups;      /* enum lith_group */
    unsigned switches;    /* bits 1 << enum lith_switch */
    size_t operands_min;
    size_t operands_max;
    int (*run)(struct lith_cli *cli);
};

extern const struct lith_command lith_commands[];
extern const size_t lith_command_count;

/* NULL when there is none of that name. */
const struct lith_command *lith_command_find(const char *name);
/* The name that looks most like `name`; NULL when none does. */
const char *lith_command_nearest(const char *name);

struct lith_option_group {
    const char *title;
    const enum lith_option_id *options;
    size_t count;
};
/* By bit number of enum lith_group. */
extern const struct lith_option_group lith_option_groups[LITH_GROUP_COUNT];
bool lith_command_takes(const struct lith_command *command, enum lith_option_id option);

int lith_cmd_compact(struct lith_cli *cli);
int lith_cmd_plan(struct lith_cli *cli);
int lith_cmd_gc(struct lith_cli *cli);
int lith_cmd_rollback(struct lith_cli *cli);
int lith_cmd_retire(struct lith_cli *cli);
int lith_cmd_adopt(struct lith_cli *cli);
int lith_cmd_fsck(struct lith_cli *cli);
int lith_cmd_status(struct lith_cli *cli);
int lith_cmd_ls(struct lith_cli *cli);
int lith_cmd_log(struct lith_cli *cli);
int lith_cmd_merge(struct lith_cli *cli);
int lith_cmd_inspect(struct lith_cli *cli);
int lith_cmd_verify(struct lith_cli *cli);
int lith_cmd_help(struct lith_cli *cli);

/* Help for all, or for one command, on stdout. */
void lith_help_all(void);
void lith_help_command(const struct lith_command *command);

/* Runs the program; returns its exit code. */
int lith_cli_main(int argc, char **argv);

#endif
