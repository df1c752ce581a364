/*
 * Failures: one line of text whatever the arguments hold, prefixes, errno to codes.
 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static struct lith_err err;

static void texts_are_one_line(void **state)
{
    (void)state;
    assert_int_equal(lith_fail(&err, LITH_E_CORRUPT, "file %s: %d", "a\nb\x1b[31m\x7f", 7),
                     LITH_E_CORRUPT);
    assert_int_equal(err.code, LITH_E_CORRUPT);
    assert_string_equal(err.text, "file a\\x0ab\\x1b[31m\\x7f: 7");
}

static void long_texts_are_cut(void **state)
{
    char name[3000];

    (void)state;
    memset(name, '\n', sizeof(name));
    name[sizeof(name) - 1] = 0;
    (void)!lith_fail(&err, LITH_E_IO, "%s", name);
    assert_true(strlen(err.text) < LITH_ERR_TEXT_BYTES);
    memset(name, 'x', sizeof(name) - 1);
    (void)!lith_fail(&err, LITH_E_IO, "%s", name);
    assert_int_equal(lith_err_prefix(&err, "%s", name), LITH_E_IO);
    assert_true(strlen(err.text) < LITH_ERR_TEXT_BYTES);
}

static void prefixes_stand_in_front(void **state)
{
    (void)state;
    (void)!lith_fail(&err, LITH_E_LIMIT, "page of %d bytes", 5);
    assert_int_equal(lith_err_prefix(&err, "row group %d", 2), LITH_E_LIMIT);
    assert_int_equal(lith_err_prefix(&err, "%s", "in\n.parquet"), LITH_E_LIMIT);
    assert_string_equal(err.text, "in\\x0a.parquet: row group 2: page of 5 bytes");
}

static void errno_has_codes(void **state)
{
    static const struct {
        int error;
        enum lith_code code;
    } cases[] = {
        {ENOENT, LITH_E_NOT_FOUND}, {ENOTDIR, LITH_E_NOT_FOUND},
        {EACCES, LITH_E_DENIED},    {EPERM, LITH_E_DENIED},
        {EROFS, LITH_E_DENIED},     {ENOMEM, LITH_E_NOMEM},
        {ENOSPC, LITH_E_IO},        {EDQUOT, LITH_E_IO},
        {EMFILE, LITH_E_LIMIT},     {EEXIST, LITH_E_CONFLICT},
        {EIO, LITH_E_IO},           {0, LITH_E_IO},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(lith_fail_errno(&err, cases[i].error, "open", "name"), cases[i].code);
        assert_int_equal(strncmp(err.text, "open name: ", 11), 0);
    }
}

static void every_code_has_a_name(void **state)
{
    (void)state;
    for (int code = 0; code < LITH_CODE_COUNT; code++)
        assert_true(strlen(lith_code_name((enum lith_code)code)) >= 2);
    assert_string_equal(lith_code_name(LITH_E_NOT_FOUND), "NOT_FOUND");
    assert_string_equal(lith_code_name((enum lith_code)99), "UNKNOWN");
}

static void failed_assertions_end_the_process(void **state)
{
    int status = 0;

    (void)state;
    pid_t child = fork();
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        LITH_ASSERT(child != 0);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_one_line),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(prefixes_stand_in_front),
        cmocka_unit_test(errno_has_codes),
        cmocka_unit_test(every_code_has_a_name),
        cmocka_unit_test(failed_assertions_end_the_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
