/*
 * Entries in use: each once a page, those new to the chunk once a chunk, for every width.
 */
#include "support.h"

#include "verify/used.h"

#define ENTRIES 5000u

static struct lith_err err;
static struct lith_mem mem;

static uint8_t body[ENTRIES * 2000];
static struct lith_slice slices[ENTRIES];
static uint32_t times[ENTRIES];

/* Counts the entries that come; entry i begins with the bytes of i. */
static size_t take_all(struct lith_used *used, bool new_only)
{
    struct lith_used_block block;
    size_t all = 0;

    memset(times, 0, sizeof(times));
    for (size_t at = 0; lith_used_next(used, &at, new_only, &block);) {
        for (size_t i = 0; i < block.values.count; i++) {
            uint32_t id = lith_load_u32(lith_values_at(&block.values, i).data);
            assert_true(id < ENTRIES);
            times[id]++;
        }
        all += block.values.count;
    }
    return all;
}

static void dictionary_fill(struct lith_dictionary *dictionary, size_t width)
{
    size_t bytes = width ? width : 8;

    *dictionary = (struct lith_dictionary){.width = width, .count = ENTRIES, .mem = &mem};
    for (uint32_t i = 0; i < ENTRIES; i++) {
        lith_store_u32(body + i * bytes, i);
        slices[i] = (struct lith_slice){body + i * bytes, bytes};
    }
    if (width)
        dictionary->fixed = body;
    else
        dictionary->slices = slices;
}

/* In a dictionary of `entries`, of which 900 are used first, then all. */
static void check_use(struct lith_dictionary *dictionary, uint32_t entries)
{
    static uint32_t ids[3 * ENTRIES];
    struct lith_used used = {.count = 0};

    dictionary->count = entries;
    for (uint32_t i = 0; i < 3 * entries; i++)
        ids[i] = i % entries;
    struct lith_values values = {.count = 900, .ids = ids, .dictionary = dictionary};
    assert_int_equal(take_all(&used, false), 0);
    MUST(lith_used_add(&used, &values, &err));
    MUST(lith_used_add(&used, &values, &err));
    assert_int_equal(take_all(&used, false), 900);
    assert_int_equal(take_all(&used, true), 900);
    lith_used_page_end(&used);
    assert_int_equal(take_all(&used, false), 0);
    values.count = 3 * entries; /* all of them, again and again */
    MUST(lith_used_add(&used, &values, &err));
    assert_int_equal(take_all(&used, true), entries - 900);
    assert_int_equal(times[899], 0);
    assert_int_equal(times[900], 1);
    assert_int_equal(take_all(&used, false), entries);
    assert_int_equal(times[0], 1);
    lith_used_page_end(&used);
    values.count = 1; /* nobody asks for the list before the page ends */
    MUST(lith_used_add(&used, &values, &err));
    lith_used_page_end(&used);
    assert_int_equal(take_all(&used, false), 0);
    lith_used_done(&used);
}

static void entries_come_once(void **state)
{
    static const size_t widths[] = {0, 4, 8, 16, 1024, 2000};

    (void)state;
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        struct lith_dictionary dictionary;
        dictionary_fill(&dictionary, widths[w]);
        check_use(&dictionary, 1000);
        check_use(&dictionary, ENTRIES);
    }
    lith_mem_done(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_once),
    };

    lith_mem_init(&mem, (size_t)1 << 20, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
