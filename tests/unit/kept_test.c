/*
 * Dictionaries kept for the next walk: what is worth it, what there is room for, and who frees.
 */
#include "support.h"

#include "merge/kept.h"

#define BUDGET ((size_t)64 << 20)
/* Of BUDGET, for one thread: docs/movers.md. */
#define ROOM ((size_t)2 << 20)

static const struct lith_control control;
static struct lith_err err;

static struct lith_read_dictionary dictionary_of(struct lith_mem *mem, size_t bytes, uint32_t count)
{
    struct lith_read_dictionary made = {.count = count};

    lith_buf_init(&made.body, mem, SIZE_MAX);
    MUST(lith_buf_reserve(&made.body, bytes, &err));
    return made;
}

static void add(struct lith_kept *kept, struct lith_mem *mem, uint32_t unit, size_t bytes)
{
    struct lith_read_dictionary dictionary = dictionary_of(mem, bytes, unit * 10);

    assert_true(lith_kept_wants(kept, bytes));
    MUST(lith_kept_add(kept, unit, &dictionary, &err));
}

static void walks(void **state)
{
    struct lith_mem mem;
    const struct lith_work work = {.mem = &mem, .control = &control};
    struct lith_kept kept;

    (void)state;
    lith_mem_init(&mem, BUDGET, NULL);
    lith_kept_init(&kept, &work);
    for (int i = 0; i < 2; i++) {
        assert_null(lith_kept_take(&kept, 0));
        add(&kept, &mem, 3, 10000);
        add(&kept, &mem, 4, 10000);
        add(&kept, &mem, 9, 10000);
        assert_null(lith_kept_take(&kept, 2));
        assert_int_equal(lith_kept_take(&kept, 3)->count, 30);
        assert_int_equal(lith_kept_take(&kept, 3)->count, 30);
        assert_int_equal(kept.bytes, 30000);
        assert_null(lith_kept_take(&kept, 5)); /* 3 and 4 are behind it, and gone */
        assert_int_equal(kept.bytes, 10000);
        assert_int_equal(lith_kept_take(&kept, 9)->count, 90);
        assert_null(lith_kept_take(&kept, 10));
        assert_int_equal(kept.bytes, 0);
        lith_kept_clear(&kept);
    }
    add(&kept, &mem, 1, 10000);
    lith_kept_clear(&kept);
    assert_int_equal(mem.used, 0);
    lith_mem_done(&mem);
}

static void room(void **state)
{
    struct lith_mem mem;
    struct lith_work work = {.mem = &mem, .control = &control};
    struct lith_kept kept;

    (void)state;
    lith_mem_init(&mem, BUDGET, NULL);
    lith_kept_init(&kept, &work);
    assert_false(lith_kept_wants(&kept, 0));
    assert_false(lith_kept_wants(&kept, 1000));
    assert_false(lith_kept_wants(&kept, ROOM + 1));
    add(&kept, &mem, 0, ROOM / 2);
    assert_false(lith_kept_wants(&kept, ROOM / 2 + 1));
    add(&kept, &mem, 1, ROOM / 2);
    assert_false(lith_kept_wants(&kept, 10000));
    assert_non_null(lith_kept_take(&kept, 1));
    assert_true(lith_kept_wants(&kept, ROOM / 2));
    lith_kept_clear(&kept);

    work.threads = 4; /* each has its own */
    lith_kept_init(&kept, &work);
    assert_true(lith_kept_wants(&kept, ROOM / 4));
    assert_false(lith_kept_wants(&kept, ROOM / 4 + 1));
    lith_kept_clear(&kept);
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks),
        cmocka_unit_test(room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
