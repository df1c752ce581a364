/*
 * The program: command, configuration, run, exit code.
 */
#include "cli/cli.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/pool.h"
#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/stop.h"

static const char *variable(const char *name)
{
    return getenv(name);
}

/* Flags, variables and file, in any order: the ranks of the configuration sort them. */
static enum lith_code configure(struct lith_cli *cli, int count, char **arguments,
                                struct lith_err *err)
{
    LITH_TRY(lith_args_parse(cli->command, count, arguments, &cli->config, &cli->args, err));
    LITH_TRY(lith_config_variables(&cli->config, variable, err));
    const char *file = cli->args.switches[LITH_SWITCH_CONFIG];
    if (file && !*file)
        return lith_fail(err, LITH_E_INVALID, "--config: a file name must follow");
    if (!file)
        file = variable("LITHIFY_CONFIG");
    if (file && *file)
        LITH_TRY(lith_config_file(&cli->config, file, err));
    return LITH_OK;
}

static uint32_t threads_of(const struct lith_config *config)
{
    uint32_t threads = (uint32_t)lith_config_count(config, LITH_OPTION_THREADS);

    return threads ? threads : (uint32_t)lith_min_size(lith_pool_cores(), LITH_THREADS_MAX);
}

static enum lith_code control_make(struct lith_cli *cli, struct lith_err *err)
{
    const struct lith_config *config = &cli->config;

    cli->json = lith_config_switch(config, LITH_OPTION_JSON);
    cli->quiet = lith_config_switch(config, LITH_OPTION_QUIET);
    bool meter = !cli->quiet && !lith_config_switch(config, LITH_OPTION_NO_PROGRESS) &&
                 (!cli->json || lith_print_is_terminal(stdout));
    LITH_TRY(lith_meter_init(&cli->meter, meter, &cli->mem, err));
    cli->control = (struct lith_control){
        .cancel = &lith_stop_flag,
        .progress = cli->meter.on ? lith_meter_progress : NULL,
        .progress_ctx = &cli->meter,
        .memory_bytes_max = lith_config_size(config, LITH_OPTION_MEMORY),
        .scratch_bytes_max = lith_config_size(config, LITH_OPTION_SCRATCH_MAX),
        .scratch_dir = lith_config_text(config, LITH_OPTION_SCRATCH),
        .threads = threads_of(config),
    };
    return LITH_OK;
}

static int usage_fail(const struct lith_command *command, const char *what)
{
    lith_print_error("%s: %s; usage: lithify %s %s", command->name, what, command->name,
                     command->synopsis);
    return LITH_EXIT_USAGE;
}

static int command_run(struct lith_cli *cli)
{
    const struct lith_command *command = cli->command;
    struct lith_err err;

    if (cli->args.switches[LITH_SWITCH_HELP]) {
        lith_help_command(command);
        return LITH_EXIT_DONE;
    }
    if (cli->args.operand_count < command->operands_min)
        return usage_fail(command, "something is missing");
    if (cli->args.operand_count > command->operands_max)
        return usage_fail(command, "one argument too many");
    if (control_make(cli, &err) != LITH_OK)
        return lith_cli_fail(cli, &err);
    lith_stop_listen();
    int exit_code = command->run(cli);
    lith_meter_done(&cli->meter);
    return exit_code;
}

static int command_start(const struct lith_command *command, int count, char **arguments)
{
    struct lith_cli cli = {.command = command};
    struct lith_err err;

    lith_mem_init(&cli.mem, SIZE_MAX, NULL);
    lith_config_init(&cli.config, &cli.mem);
    int exit_code;
    enum lith_code code = configure(&cli, count, arguments, &err);
    if (code == LITH_OK) {
        exit_code = command_run(&cli);
    } else {
        lith_print_error("%s", err.text);
        exit_code = LITH_EXIT_USAGE;
    }
    lith_config_done(&cli.config);
    lith_mem_done(&cli.mem);
    return exit_code;
}

/* What stands in the place of the command's name. */
static int word_run(const char *word, int count, char **arguments)
{
    if (strcmp(word, "--version") == 0) {
        (void)printf("lithify %s\n", lith_version());
        return LITH_EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        lith_help_all();
        return LITH_EXIT_DONE;
    }
    const struct lith_command *command = lith_command_find(word);
    if (command)
        return command_start(command, count, arguments);
    if (word[0] == '-') {
        lith_print_error("%.100s: a command comes first; lithify help lists them", word);
        return LITH_EXIT_USAGE;
    }
    const char *nearest = lith_command_nearest(word);
    lith_print_error("there is no command %.100s%s%s%s; lithify help lists them", word,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return LITH_EXIT_USAGE;
}

int lith_cli_main(int argc, char **argv)
{
    int exit_code = LITH_EXIT_USAGE;

    (void)setlocale(LC_CTYPE, "");
    if (argc < 2)
        lith_help_all();
    else
        exit_code = word_run(argv[1], argc - 2, argv + 2);
    if (!lith_print_end() && exit_code == LITH_EXIT_DONE)
        exit_code = LITH_EXIT_FAILED;
    return exit_code;
}
