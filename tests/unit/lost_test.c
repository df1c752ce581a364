/*
 * An output beside what it was made of, and no manifest: who lists must hear of it, also where a
 * footer cannot be had.
 */
#include "job_support.h"

#include "job/lost.h"
#include "lake/output_name.h"

static struct lith_store_ops ops;
static enum lith_code source_code; /* of every file that is opened; OK: it is opened */

static enum lith_code source_fail(struct lith_folder *folder, const struct lith_object *object,
                                  struct lith_source **ret_source, struct lith_err *e)
{
    (void)folder;
    *ret_source = NULL;
    return lith_fail(e, source_code, "%s: injected", object->name);
}

/* What a reader is told; *ret_found: that a manifest was lost. */
static enum lith_code ask(bool *ret_found)
{
    struct lith_job_options options = test_job_options();
    struct lith_local_options local = {.root = path};
    LITH_AUTO(store) struct lith_store *store = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_work work = {.mem = &mem, .control = &test_control};
    const char *output;

    lith_arena_init(&arena, &mem);
    MUST(lith_local_open(&local, &env.base, &mem, &store, &err));
    ops = *store->ops;
    if (source_code != LITH_OK)
        ops.source_open = source_fail;
    store->ops = &ops;
    MUST(lith_folder_open(store, "", &folder, &err));
    MUST(lith_view_take(folder, LITH_SNAPSHOT_OPEN, &mem, &view, &err));
    struct lith_job job = {.folder = folder, .options = &options, .work = &work, .arena = &arena};
    enum lith_code code = lith_lost_find(&job, &view.snapshot, &output, &err);
    *ret_found = code == LITH_OK && output;
    return code;
}

static bool is_found(void)
{
    bool found = false;

    MUST(ask(&found));
    return found;
}

static void compacted_make(void)
{
    struct lith_job_options options = test_job_options();

    options.gc.reader_grace_ns = DAY_S * LITH_SECOND_NS;
    test_files(0, 6, 10);
    (void)test_must(TEST_COMPACT, &options);
}

static void an_output_beside_its_inputs(void **state)
{
    (void)state;
    source_code = LITH_OK;
    test_files(0, 6, 10);
    assert_false(is_found());
    compacted_make();
    assert_false(is_found()); /* there is a manifest */
    assert_int_equal(unlinkat(dir_fd, LITH_MANIFEST_NAME, 0), 0);
    assert_true(is_found());
    for (int i = 0; i < 6; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "f%04d.parquet", i);
        assert_int_equal(unlinkat(dir_fd, name, 0), 0);
    }
    assert_false(is_found()); /* nothing counts twice */
}

/* P9: unknown is not absent, but for a file that no reader could read either. */
static void a_footer_that_cannot_be_had(void **state)
{
    static const struct {
        enum lith_code code;
        bool is_told;
    } cases[] = {
        {LITH_E_NOT_FOUND, false}, {LITH_E_CORRUPT, false},  {LITH_E_UNSUPPORTED, false},
        {LITH_E_DENIED, true},     {LITH_E_TRANSIENT, true}, {LITH_E_IO, true},
    };
    bool found;

    (void)state;
    source_code = LITH_OK;
    compacted_make();
    assert_int_equal(unlinkat(dir_fd, LITH_MANIFEST_NAME, 0), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        source_code = cases[i].code;
        assert_int_equal(ask(&found), cases[i].is_told ? cases[i].code : LITH_OK);
        assert_false(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_output_beside_its_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_footer_that_cannot_be_had, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
