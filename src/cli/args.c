/*
 * The command line: one pass over the arguments.
 */
#include "cli/args.h"

#include <string.h>

#include "cli/cli.h"

const struct lith_switch_row lith_switches[LITH_SWITCH_COUNT] = {
    [LITH_SWITCH_HELP] = {"help", 'h', NULL, "This text."},
    [LITH_SWITCH_CONFIG] = {"config", 'c', "FILE",
                            "Options from a YAML file; without it, from $LITHIFY_CONFIG."},
    [LITH_SWITCH_OUTPUT] = {"output", 'o', "FILE", "The file to write."},
    [LITH_SWITCH_OVERWRITE] = {"overwrite", 0, NULL, "Replace outputs that exist."},
    [LITH_SWITCH_EXPLAIN] = {"explain", 0, NULL,
                             "How each column is merged: copied or encoded anew, and why."},
    [LITH_SWITCH_INPUTS_FROM] = {"inputs-from", 0, "FILE",
                                 "More inputs, a name a line, in the place of this option; - is "
                                 "the standard input."},
    [LITH_SWITCH_NULL] = {"null", '0', NULL,
                          "Names of --inputs-from end with a zero byte (find -print0)."},
    [LITH_SWITCH_MOVERS] = {"movers", 0, "auto|copy|recode",
                            "For tests and measurements: copy pages of any size, or none."},
    [LITH_SWITCH_FORMAT] = {"format", 0, "duckdb|symlink",
                            "A query for duckdb -c, or a list of file:// URIs."},
    [LITH_SWITCH_STRICT] = {"strict", 0, NULL, "Only what manifests name: no late files."},
    [LITH_SWITCH_PAGES] = {"pages", 0, NULL, "Every page header too."},
    [LITH_SWITCH_TENANT] = {"tenant", 0, "NAME",
                            "Only events of this tenant, as it is, not encoded."},
    [LITH_SWITCH_SINCE] = {"since", 0, "TIME",
                           "Only events from this time on, as "
                           "2026-06-15T11:20:00Z."},
    [LITH_SWITCH_UNTIL] = {"until", 0, "TIME", "Only events before this time."},
    [LITH_SWITCH_MARKDOWN] = {"markdown", 0, NULL, "The options as a table in Markdown."},
    [LITH_SWITCH_DRY_RUN] = {"dry-run", 'n', NULL, "Only say what would be done; change nothing."},
    [LITH_SWITCH_UNLISTED] = {"unlisted", 0, "live|ignore",
                              "Where another program's manifest names some of the data files: do "
                              "the others hold rows of the partition, or none?"},
    [LITH_SWITCH_DEEP] = {"deep", 0, NULL, "Read live files whole, too."},
    [LITH_SWITCH_RESTORE] = {"restore", 0, "FILE",
                             "Bring the live set of an older manifest of the partition back."},
    [LITH_SWITCH_REPAIR] = {"repair", 0, NULL,
                            "Repair live sets with missing files, and lost manifests."},
    [LITH_SWITCH_YES] = {"yes", 'y', NULL, "Repair without asking."},
};

struct parse {
    const struct lith_command *command;
    char *const *arguments;
    int count;
    int next;
    struct lith_config *config;
    struct lith_args *args;
    struct lith_err *err;
};

/* The value of a flag: behind its `=`, else the next argument, which is none where it looks like a
 * flag: what was to be there was forgotten. */
static enum lith_code value_take(struct parse *parse, const char *flag, const char *equals,
                                 const char **ret_value)
{
    if (equals) {
        *ret_value = equals + 1;
        return LITH_OK;
    }
    if (parse->next == parse->count)
        return lith_fail(parse->err, LITH_E_INVALID, "%.100s: a value must follow", flag);
    const char *next = parse->arguments[parse->next];
    if (next[0] == '-' && next[1])
        return lith_fail(parse->err, LITH_E_INVALID, "%.100s: a value must follow, not %.100s",
                         flag, next);
    *ret_value = parse->arguments[parse->next++];
    return LITH_OK;
}

static bool takes_switch(const struct parse *parse, size_t index)
{
    return index == LITH_SWITCH_HELP || (parse->command->switches & (1u << index));
}

static enum lith_code switch_take(struct parse *parse, size_t index, const char *flag,
                                  const char *equals)
{
    const char **to = &parse->args->switches[index];

    if (index == LITH_SWITCH_INPUTS_FROM) {
        if (*to)
            return lith_fail(parse->err, LITH_E_INVALID, "--inputs-from is given twice");
        parse->args->inputs_at = parse->args->operand_count;
    }
    if (lith_switches[index].value)
        return value_take(parse, flag, equals, to);
    if (equals)
        return lith_fail(parse->err, LITH_E_INVALID, "--%s takes no value",
                         lith_switches[index].name);
    *to = "";
    return LITH_OK;
}

/* Switches of the configuration stand alone, or say =true or =false. */
static enum lith_code option_take(struct parse *parse, enum lith_option_id id, const char *flag,
                                  const char *equals)
{
    const char *value = "true";

    if (!lith_command_takes(parse->command, id))
        return lith_fail(parse->err, LITH_E_INVALID, "%.100s has no meaning for lithify %s", flag,
                         parse->command->name);
    if (lith_options_table[id].kind != LITH_KIND_SWITCH || equals)
        LITH_TRY(value_take(parse, flag, equals, &value));
    return lith_config_flag(parse->config, id, value, parse->err);
}

/* The flag of this command that looks most like `name`. */
static const char *nearest(const struct parse *parse, const char *name)
{
    size_t half = strlen(name) / 2 + 1;
    size_t least = half < 4 ? half : 4;
    const char *best = NULL;

    for (size_t i = 0; i < LITH_SWITCH_COUNT; i++) {
        unsigned changes = lith_word_distance(name, lith_switches[i].name);
        if (takes_switch(parse, i) && changes < least) {
            best = lith_switches[i].name;
            least = changes;
        }
    }
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        unsigned changes = lith_word_distance(name, lith_options_table[id].key);
        if (lith_command_takes(parse->command, (enum lith_option_id)id) && changes < least) {
            best = lith_options_table[id].key;
            least = changes;
        }
    }
    return best;
}

static enum lith_code unknown(struct parse *parse, const char *flag)
{
    char name[LITH_OPTION_NAME_BYTES] = "";
    const char *best = nearest(parse, flag + strspn(flag, "-"));

    if (best)
        lith_option_flag(best, name);
    return lith_fail(parse->err, LITH_E_INVALID,
                     "there is no option %.100s for lithify %s%s%s%s; lithify %s --help lists them",
                     flag, parse->command->name, best ? "; did you mean --" : "", name,
                     best ? "?" : "", parse->command->name);
}

static enum lith_code flag_take(struct parse *parse, const char *flag)
{
    const char *name = flag + 2;
    const char *equals = strchr(name, '=');
    size_t bytes = equals ? (size_t)(equals - name) : strlen(name);

    for (size_t i = 0; i < LITH_SWITCH_COUNT; i++) {
        if (takes_switch(parse, i) && strlen(lith_switches[i].name) == bytes &&
            memcmp(lith_switches[i].name, name, bytes) == 0)
            return switch_take(parse, i, flag, equals);
    }
    enum lith_option_id id = lith_option_find(name, bytes);
    return id == LITH_OPTION_COUNT ? unknown(parse, flag) : option_take(parse, id, flag, equals);
}

/* -o FILE; letters are not joined. */
static enum lith_code letter_take(struct parse *parse, const char *flag)
{
    for (size_t i = 0; i < LITH_SWITCH_COUNT; i++) {
        if (takes_switch(parse, i) && lith_switches[i].letter &&
            lith_switches[i].letter == flag[1] && flag[2] == '\0')
            return switch_take(parse, i, flag, NULL);
    }
    return unknown(parse, flag);
}

enum lith_code lith_args_parse(const struct lith_command *command, int count,
                               char *const *arguments, struct lith_config *config,
                               struct lith_args *ret_args, struct lith_err *err)
{
    struct lith_args args = {0};
    struct parse parse = {.command = command,
                          .arguments = arguments,
                          .count = count,
                          .config = config,
                          .args = &args,
                          .err = err};
    void *block;

    LITH_TRY(lith_arena_array(&config->arena, (size_t)count + 1, sizeof(char *), &block, err));
    args.operands = block;
    while (parse.next < count) {
        const char *argument = arguments[parse.next++];
        if (args.has_split || argument[0] != '-' || argument[1] == '\0') {
            args.operands[args.operand_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            args.has_split = true;
            args.split = args.operand_count;
        } else if (argument[1] == '-') {
            LITH_TRY(flag_take(&parse, argument));
        } else {
            LITH_TRY(letter_take(&parse, argument));
        }
    }
    if (!args.has_split)
        args.split = args.operand_count;
    *ret_args = args;
    return LITH_OK;
}
