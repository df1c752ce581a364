/*
 * The inputs of a merge when the system gives fewer open files than LITH_OPEN_FILES_MAX.
 */
#include "support.h"

#include "base/limits.h"
#include "merge/input_set.h"

#define INPUTS 1500

static struct lith_err err;
static struct lith_mem mem;
static struct lith_work work = {.mem = &mem};

/* Gives sources up to a number that are open at a time. */
static struct {
    struct lith_opener base;
    struct lith_source sources[INPUTS];
    bool open[INPUTS];
    size_t count;
    size_t count_max;
    size_t limit;
} files;

static void one_close(struct lith_source *source)
{
    files.open[source - files.sources] = false;
    files.count--;
}

static const struct lith_source_ops ops = {.close = one_close};

static enum lith_code one_open(struct lith_opener *opener, size_t index,
                               struct lith_source **ret_source, struct lith_err *e)
{
    (void)opener;
    assert_false(files.open[index]);
    if (files.count == files.limit)
        return lith_fail(e, LITH_E_LIMIT, "too many open files");
    files.sources[index].ops = &ops;
    files.open[index] = true;
    files.count++;
    if (files.count > files.count_max)
        files.count_max = files.count;
    *ret_source = &files.sources[index];
    return LITH_OK;
}

static void set_of(struct lith_input_set *set, size_t limit)
{
    memset(&files, 0, sizeof(files));
    files.base.open = one_open;
    files.limit = limit;
    lith_mem_init(&mem, 1 << 20, NULL);
    MUST(lith_input_set_init(set, INPUTS, &files.base, &work, &err));
}

static void few_open_files_are_enough(void **state)
{
    static const size_t limits[] = {1, 2, 7, LITH_OPEN_FILES_MAX - 1, LITH_OPEN_FILES_MAX, 1400};
    struct lith_input_set set;
    struct lith_input *input;

    (void)state;
    for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
        set_of(&set, limits[k]);
        for (size_t i = 0; i < 3 * INPUTS; i++) {
            size_t index = i * 7 % INPUTS;
            MUST(lith_input_set_get(&set, index, &input, &err));
            assert_ptr_equal(input->source, &files.sources[index]);
            assert_true(files.open[index]);
        }
        assert_true(files.count_max <= LITH_OPEN_FILES_MAX);
        /* Who met the limit leaves room for the files that others must open. */
        if (limits[k] > 1 && limits[k] < LITH_OPEN_FILES_MAX)
            assert_true(files.count < limits[k]);
        lith_input_set_done(&set);
        assert_int_equal(files.count, 0);
        lith_mem_done(&mem);
    }
}

/* A job that shares the process keeps fewer; what is closed on request makes room at once. */
static void a_share_of_the_open_files(void **state)
{
    struct lith_input_set set;
    struct lith_input *input;

    (void)state;
    work.open_files_max = 10;
    set_of(&set, 1000);
    for (size_t i = 0; i < INPUTS; i++) {
        MUST(lith_input_set_get(&set, i, &input, &err));
        if (i % 2)
            lith_input_set_close(&set, i);
        assert_int_equal(files.open[i], i % 2 == 0);
    }
    lith_input_set_close(&set, 1); /* not open: a no-op */
    assert_int_equal(files.count_max, 10);
    assert_int_equal(set.open_count, files.count);
    MUST(lith_input_set_get(&set, 1, &input, &err));
    lith_input_set_done(&set);
    assert_int_equal(files.count, 0);
    lith_mem_done(&mem);
    work.open_files_max = 0;
}

/* What a thread has stays open, whatever the others open; the system's limit may be below that. */
static void threads_keep_what_they_have(void **state)
{
    static const size_t limits[] = {3, 4, 7, 1000};
    struct lith_source *sources[3];
    struct lith_input_set set;

    (void)state;
    work.open_files_max = 4;
    for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++) {
        size_t held[3];
        set_of(&set, limits[k]);
        MUST(lith_input_set_share(&set, &mem, 3, &err));
        for (size_t i = 0; i < INPUTS; i++) {
            uint32_t user = (uint32_t)(i * i % 7 % 3);
            held[user] = i % 5 ? i * 11 % INPUTS : 0; /* some inputs are had by several */
            MUST(lith_input_set_use(&set, user, held[user], &sources[user], &err));
            for (size_t u = 0; i > 100 && u < 3; u++)
                assert_true(files.open[held[u]]);
        }
        assert_true(files.count_max <= 4);
        lith_input_set_done(&set);
        assert_int_equal(files.count, 0);
        lith_mem_done(&mem);
    }
    /* As many as there are threads, and no file more: the one who asks is told. */
    set_of(&set, 2);
    MUST(lith_input_set_share(&set, &mem, 3, &err));
    MUST(lith_input_set_use(&set, 0, 5, &sources[0], &err));
    MUST(lith_input_set_use(&set, 1, 6, &sources[1], &err));
    assert_int_equal(lith_input_set_use(&set, 2, 7, &sources[2], &err), LITH_E_LIMIT);
    MUST(lith_input_set_use(&set, 2, 6, &sources[2], &err));
    lith_input_set_done(&set);
    lith_mem_done(&mem);
    work.open_files_max = 0;
}

/* Sources that cannot be read by several threads at once are read through a guard. */
static void guards_where_they_are_needed(void **state)
{
    static const struct lith_source_ops shareable = {.close = one_close, .is_shareable = true};
    struct lith_source *first, *second;
    struct lith_input_set set;

    (void)state;
    set_of(&set, 10);
    MUST(lith_input_set_share(&set, &mem, 2, &err));
    MUST(lith_input_set_use(&set, 0, 5, &first, &err));
    MUST(lith_input_set_use(&set, 1, 5, &second, &err));
    assert_ptr_not_equal(first, second);
    assert_ptr_not_equal(first, &files.sources[5]);
    files.sources[5].ops = &shareable;
    MUST(lith_input_set_use(&set, 0, 5, &first, &err));
    MUST(lith_input_set_use(&set, 1, 5, &second, &err));
    assert_ptr_equal(first, &files.sources[5]);
    assert_ptr_equal(second, &files.sources[5]);
    lith_input_set_done(&set);
    lith_mem_done(&mem);
}

static void none_is_too_few(void **state)
{
    struct lith_input_set set;
    struct lith_input *input;

    (void)state;
    set_of(&set, 0);
    assert_int_equal(lith_input_set_get(&set, 3, &input, &err), LITH_E_LIMIT);
    assert_non_null(strstr(err.text, "too many open files"));
    lith_input_set_done(&set);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_open_files_are_enough),
        cmocka_unit_test(a_share_of_the_open_files),
        cmocka_unit_test(threads_keep_what_they_have),
        cmocka_unit_test(guards_where_they_are_needed),
        cmocka_unit_test(none_is_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
