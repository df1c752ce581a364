/*
 * The command line: forms of flags, the separator, and messages for what is unknown.
 */
#include "support.h"

#include "cli/cli.h"

static struct lith_err err;
static struct lith_mem mem;
static struct lith_config config;
static struct lith_args args;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, (size_t)1 << 20, NULL);
    lith_config_init(&config, &mem);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_config_done(&config);
    lith_mem_done(&mem);
    return 0;
}

/* Parses a line of words for the command that is its first one. */
static enum lith_code parse(const char *line)
{
    static char copy[512];
    static char *words[32];
    int count = 0;

    (void)snprintf(copy, sizeof(copy), "%s", line);
    for (char *at = copy, *word; (word = strsep(&at, " "));)
        words[count++] = word;
    const struct lith_command *command = lith_command_find(words[0]);
    assert_non_null(command);
    return lith_args_parse(command, count - 1, words + 1, &config, &args, &err);
}

static void flags_stand_anywhere(void **state)
{
    static const char *const lines[] = {
        "plan --grace 5m --json ROOT", "plan ROOT --grace 5m --json", "plan --grace=5m ROOT --json",
        "plan --json=true --grace=5m -- ROOT"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        MUST(parse(lines[i]));
        assert_int_equal(args.operand_count, 1);
        assert_string_equal(args.operands[0], "ROOT");
        assert_string_equal(lith_config_text(&config, LITH_OPTION_GRACE), "5m");
        assert_true(lith_config_switch(&config, LITH_OPTION_JSON));
        teardown(state);
        setup(state);
    }
}

static void letters_and_values(void **state)
{
    (void)state;
    MUST(parse("merge -o out.parquet a b --overwrite"));
    assert_string_equal(args.switches[LITH_SWITCH_OUTPUT], "out.parquet");
    assert_non_null(args.switches[LITH_SWITCH_OVERWRITE]);
    assert_int_equal(args.operand_count, 2);
    MUST(parse("merge a --output=out=2.parquet"));
    assert_string_equal(args.switches[LITH_SWITCH_OUTPUT], "out=2.parquet");
    MUST(parse("merge a --movers copy"));
    assert_string_equal(args.switches[LITH_SWITCH_MOVERS], "copy");
    MUST(parse("ls - --format duckdb --json=false"));
    assert_string_equal(args.operands[0], "-");
    assert_false(lith_config_switch(&config, LITH_OPTION_JSON));
    MUST(parse("merge -h"));
    assert_non_null(args.switches[LITH_SWITCH_HELP]);
}

static void the_separator(void **state)
{
    (void)state;
    MUST(parse("verify a b -- c --json"));
    assert_true(args.has_split);
    assert_int_equal(args.split, 2);
    assert_int_equal(args.operand_count, 4);
    assert_string_equal(args.operands[3], "--json");
    MUST(parse("verify a"));
    assert_false(args.has_split);
    assert_int_equal(args.split, 1);
}

static void what_is_refused(void **state)
{
    static const struct {
        const char *line;
        const char *says;
    } cases[] = {
        {"plan --graze 5m R", "there is no option --graze for lithify plan; did you mean --grace?"},
        {"plan --target_fle=1 R", "did you mean --target-file?"},
        {"merge --overwrit a", "did you mean --overwrite?"},
        {"ls --frmat x", "did you mean --format?"},
        {"plan --qqqqqqqq R", "lithify plan --help lists them"},
        {"plan -x R", "there is no option -x"},
        {"ls --target-file 1GiB R", "--target-file has no meaning for lithify ls"},
        {"plan R --grace", "--grace: a value must follow"},
        {"merge a -o", "-o: a value must follow"},
        {"merge --threads -o x a", "--threads: a value must follow, not -o"},
        {"plan -c --json R", "-c: a value must follow, not --json"},
        {"plan --grace 5 R", "--grace: duration \"5\""},
        {"plan --json=yes R", "--json: \"yes\": expected true or false"},
        {"merge --overwrite=1 a", "--overwrite takes no value"},
        {"plan --overwrite R", "there is no option --overwrite for lithify plan"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(cases[i].line), LITH_E_INVALID);
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].line, err.text, cases[i].says);
    }
}

static void every_option_belongs_to_a_command(void **state)
{
    (void)state;
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        size_t takers = 0;
        for (size_t i = 0; i < lith_command_count; i++)
            takers += lith_command_takes(&lith_commands[i], (enum lith_option_id)id);
        if (!takers)
            fail_msg("no command takes %s", lith_options_table[id].key);
    }
    assert_string_equal(lith_command_nearest("stauts"), "status");
    assert_null(lith_command_nearest("frobnicate"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flags_stand_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(letters_and_values, setup, teardown),
        cmocka_unit_test_setup_teardown(the_separator, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(every_option_belongs_to_a_command, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
