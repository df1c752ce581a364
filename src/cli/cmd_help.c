/*
 * lithify help: for all, for one command, and the table of options.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"

void lith_help_all(void)
{
    (void)fputs("lithify merges the many small Parquet files of a data lake into few large ones.\n"
                "\n"
                "usage: lithify COMMAND [OPTION...] ...\n"
                "\n",
                stdout);
    for (size_t i = 0; i < lith_command_count; i++)
        (void)printf("  %-8s  %s\n", lith_commands[i].name, lith_commands[i].line);
    (void)fputs("\n"
                "start here (nothing is changed):\n"
                "  lithify status ROOT            how many small files there are\n"
                "  lithify plan ROOT              what compact would do, and why\n"
                "then:\n"
                "  lithify compact --readers manifest ROOT\n"
                "\n"
                "lithify help COMMAND            a command, its options and an example\n"
                "lithify help options            every option: flag, variable, key, default\n"
                "lithify --version\n"
                "\n"
                "exit: 0 done, 1 failed, 2 usage or configuration, 3 some partitions are blocked, "
                "4 try again\n",
                stdout);
}

/* "--target-file SIZE" */
static void flag_text(enum lith_option_id id, char to[80])
{
    const struct lith_option *option = &lith_options_table[id];
    char flag[LITH_OPTION_NAME_BYTES];

    lith_option_flag(option->key, flag);
    (void)snprintf(to, 80, "--%s%s%s", flag, option->value ? " " : "",
                   option->value ? option->value : "");
}

/* A flag and its help, wrapped, in two columns. */
static void row_print(const char *flag, const char *help, const char *preset)
{
    size_t column = 30;
    size_t used = column;

    (void)printf("  %-26s", flag);
    if (strlen(flag) > 26)
        (void)printf("\n%28s", "");
    (void)printf("  ");
    while (*help) {
        size_t word = strcspn(help, " ");
        if (used + word > 98 && used > column) {
            (void)printf("\n%*s", (int)column, "");
            used = column;
        }
        (void)printf("%.*s", (int)word, help);
        used += word + 1;
        help += word;
        if (*help == ' ') {
            (void)putchar(' ');
            help++;
        }
    }
    if (preset && strcmp(preset, "false") != 0)
        (void)printf("%s[%s]",
                     used + strlen(preset) + 3 > 98 ? "\n                              " : " ",
                     preset);
    (void)putchar('\n');
}

static void switches_print(const struct lith_command *command)
{
    char flag[80];

    for (size_t i = 0; i < LITH_SWITCH_COUNT; i++) {
        const struct lith_switch_row *row = &lith_switches[i];
        if (i != LITH_SWITCH_HELP && !(command->switches & (1u << i)))
            continue;
        (void)snprintf(flag, sizeof(flag), "--%s%s%s", row->name, row->value ? " " : "",
                       row->value ? row->value : "");
        if (row->letter)
            (void)snprintf(flag, sizeof(flag), "-%c, --%s%s%s", row->letter, row->name,
                           row->value ? " " : "", row->value ? row->value : "");
        row_print(flag, row->help, NULL);
    }
}

void lith_help_command(const struct lith_command *command)
{
    char flag[80];

    (void)printf("usage: lithify %s %s\n\n%s\n\nexample:\n%s\n\noptions:\n", command->name,
                 command->synopsis, command->text, command->example);
    switches_print(command);
    for (unsigned bit = 0; bit < LITH_GROUP_COUNT; bit++) {
        const struct lith_option_group *group = &lith_option_groups[bit];
        if (!(command->groups & (1u << bit)))
            continue;
        (void)printf("%s:\n", group->title);
        for (size_t i = 0; i < group->count; i++) {
            flag_text(group->options[i], flag);
            row_print(flag, lith_options_table[group->options[i]].help,
                      lith_options_table[group->options[i]].preset);
        }
    }
}

static void options_print(void)
{
    char flag[80];

    (void)fputs("Every option is a flag, a variable (LITHIFY_TARGET_FILE) and a key of the YAML "
                "file (target_file);\nflag > variable > file > default [in brackets].\n\n",
                stdout);
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        flag_text((enum lith_option_id)id, flag);
        row_print(flag, lith_options_table[id].help, lith_options_table[id].preset);
    }
}

/* The table of docs/configuration.md. */
static void markdown_print(void)
{
    char flag[LITH_OPTION_NAME_BYTES];
    char variable[LITH_OPTION_NAME_BYTES];

    (void)fputs(
        "| key | flag | variable | value | default | meaning |\n|---|---|---|---|---|---|\n",
        stdout);
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        const struct lith_option *option = &lith_options_table[id];
        lith_option_flag(option->key, flag);
        lith_option_variable(option->key, variable);
        (void)printf("| `%s` | `--%s` | `%s` | ", option->key, flag, variable);
        for (const char *at = option->value ? option->value : "true|false"; *at; at++)
            (void)printf(*at == '|' ? ", " : "%c", *at);
        (void)printf(" | %s%s%s | %s |\n", option->preset ? "`" : "",
                     option->preset ? option->preset : "none", option->preset ? "`" : "",
                     option->help);
    }
}

int lith_cmd_help(struct lith_cli *cli)
{
    const char *topic = cli->args.operand_count ? cli->args.operands[0] : NULL;
    bool markdown = cli->args.switches[LITH_SWITCH_MARKDOWN] != NULL;

    if (!topic) {
        lith_help_all();
        return LITH_EXIT_DONE;
    }
    if (strcmp(topic, "options") == 0) {
        if (markdown)
            markdown_print();
        else
            options_print();
        return LITH_EXIT_DONE;
    }
    const struct lith_command *command = lith_command_find(topic);
    if (!command) {
        const char *nearest = lith_command_nearest(topic);
        lith_print_error("there is no command %.100s%s%s%s", topic,
                         nearest ? "; did you mean " : "", nearest ? nearest : "",
                         nearest ? "?" : "");
        return LITH_EXIT_USAGE;
    }
    lith_help_command(command);
    return LITH_EXIT_DONE;
}
