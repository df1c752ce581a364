/*
 * lithify help: for all, for one command, and the table of options.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"

/* Columns of a terminal that help uses, and where its second column begins. */
#define HELP_WIDTH 98
#define HELP_COLUMN 30

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
                "  lithify compact ROOT           asks who reads it, then merges what is due\n"
                "\n"
                "lithify help COMMAND            a command, its options and an example\n"
                "lithify help options            every option: flag, variable, key, default\n"
                "lithify --version\n"
                "\n"
                "exit: 0 done, 1 failed, 2 usage or configuration, 3 some partitions or files are "
                "blocked,\n"
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

/* A word behind others, on a new line where it would pass the width. */
static void word_print(const char *word, size_t bytes, size_t *column)
{
    if (*column + 1 + bytes > HELP_WIDTH) {
        (void)printf("\n%*s", HELP_COLUMN, "");
        *column = HELP_COLUMN;
    } else if (*column > HELP_COLUMN) {
        (void)putchar(' ');
        (*column)++;
    }
    (void)printf("%.*s", (int)bytes, word);
    *column += bytes;
}

/* A flag, its help and its default, wrapped, in two columns. */
static void row_print(const char *flag, const char *help, const char *preset)
{
    size_t column = HELP_COLUMN;
    char text[80];

    (void)printf("  %-*s", HELP_COLUMN - 2, flag);
    if (strlen(flag) > HELP_COLUMN - 4)
        (void)printf("\n%*s", HELP_COLUMN, "");
    while (*help) {
        size_t bytes = strcspn(help, " ");
        word_print(help, bytes, &column);
        help += bytes + (help[bytes] == ' ');
    }
    if (preset && strcmp(preset, "false") != 0) {
        int bytes = snprintf(text, sizeof(text), "[%s]", preset);
        word_print(text, (size_t)bytes, &column);
    }
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
                     option->preset ? option->preset : "–", option->preset ? "`" : "",
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
        lith_print_error("there is no command %.100s%s%s%s; lithify help lists them", topic,
                         nearest ? "; did you mean " : "", nearest ? nearest : "",
                         nearest ? "?" : "");
        return LITH_EXIT_USAGE;
    }
    lith_help_command(command);
    return LITH_EXIT_DONE;
}
