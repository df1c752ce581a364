/*
 * The hash of a row: what must not matter does not, all that must matter does, and small
 * differences of values leave no pattern in sums.
 */
#include "support.h"

#include "verify/row_hash.h"

#define SEED 77u

static const struct lith_hash128 nothing;

/* A row of lists or flat values, as it stands in one column. */
struct row {
    size_t count;
    uint16_t rep[6];
    uint16_t def[6];
    size_t value_count;
    int64_t values[6];
};

static struct lith_row_key key_of(uint32_t leaf, struct lith_hash128 *room)
{
    return lith_row_key_make(SEED, leaf, 2, 3, room);
}

static struct lith_hash128 sum_of(struct lith_hash128 state)
{
    return lith_row_hash_sum(SEED, &state, 1);
}

/* The hash of one row whose columns these are; the positions in pieces of `step`. */
static struct lith_hash128 hash_of(const struct row *columns, uint32_t column_count, size_t step)
{
    struct lith_hash128 room[7];
    struct lith_hash128 state;

    lith_row_hash_begin(SEED, &state, 1);
    for (uint32_t leaf = 0; leaf < column_count; leaf++) {
        const struct row *row = &columns[leaf];
        const struct lith_row_key key = key_of(leaf, room);
        const struct lith_values values = {.type = LITH_TYPE_INT64,
                                           .width = 8,
                                           .count = row->value_count,
                                           .fixed = (const uint8_t *)row->values};
        size_t value = 0;
        for (size_t at = 0; at < row->count; at += step) {
            size_t count = row->count - at < step ? row->count - at : step;
            struct lith_hash128 words[7];
            size_t some = 0;
            for (size_t i = at; i < at + count; i++)
                some += row->def[i] == 3;
            memset(words, 0xee, sizeof(words)); /* the one behind the last says nothing */
            lith_row_words(&key, &values, value, some, NULL, words);
            const struct lith_row_positions positions = {.count = count,
                                                         .rep_levels = row->rep + at,
                                                         .def_levels = row->def + at,
                                                         .words = words};
            lith_row_hash_add(&key, &positions, &state, at > 0);
            value += some;
        }
    }
    return sum_of(state);
}

/* Rows of two columns of lists of lists, no two the same; among them the same values and levels,
 * cut differently into rows' lists and columns. */
static const struct row rows[][2] = {
    {{1, {0}, {3}, 1, {1}}, {1, {0}, {3}, 1, {2}}},
    {{1, {0}, {3}, 1, {2}}, {1, {0}, {3}, 1, {1}}},
    {{1, {0}, {0}, 0, {0}}, {1, {0}, {3}, 1, {2}}},
    {{1, {0}, {1}, 0, {0}}, {1, {0}, {3}, 1, {2}}},
    {{1, {0}, {2}, 0, {0}}, {1, {0}, {3}, 1, {2}}},
    {{1, {0}, {3}, 1, {0}}, {1, {0}, {3}, 1, {2}}},
    {{1, {0}, {3}, 1, {1}}, {1, {0}, {2}, 0, {0}}},
    {{2, {0, 1}, {3, 3}, 2, {1, 2}}, {1, {0}, {3}, 1, {3}}},
    {{2, {0, 2}, {3, 3}, 2, {1, 2}}, {1, {0}, {3}, 1, {3}}},
    {{2, {0, 1}, {3, 3}, 2, {2, 1}}, {1, {0}, {3}, 1, {3}}},
    {{1, {0}, {3}, 1, {1}}, {2, {0, 1}, {3, 3}, 2, {2, 3}}},
    {{2, {0, 1}, {3, 2}, 1, {1}}, {1, {0}, {3}, 1, {3}}},
    {{2, {0, 1}, {2, 3}, 1, {1}}, {1, {0}, {3}, 1, {3}}},
    {{3, {0, 1, 1}, {3, 3, 3}, 3, {1, 2, 2}}, {1, {0}, {3}, 1, {3}}},
    {{3, {0, 1, 2}, {3, 3, 3}, 3, {1, 2, 2}}, {1, {0}, {3}, 1, {3}}},
    {{3, {0, 2, 1}, {3, 3, 3}, 3, {1, 2, 2}}, {1, {0}, {3}, 1, {3}}},
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static void every_row_has_its_hash(void **state)
{
    struct lith_hash128 hashes[ROW_COUNT];

    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        hashes[i] = hash_of(rows[i], 2, 6);
        for (size_t k = 0; k < i; k++)
            assert_false(lith_hash128_equal(hashes[i], hashes[k]));
        for (size_t step = 1; step < 6; step++) /* cuts do not matter */
            assert_true(lith_hash128_equal(hashes[i], hash_of(rows[i], 2, step)));
    }
}

/* REQUIRED and OPTIONAL without nulls, flat or as lists of one: the same words and levels. */
static void levels_that_say_nothing_do_not_matter(void **state)
{
    static const uint16_t rep[4] = {0};
    static const uint16_t def[4] = {3, 3, 3, 3};
    const struct lith_hash128 words[5] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    struct lith_hash128 room[7];
    struct lith_hash128 states[3][4];
    const struct lith_row_key key = key_of(0, room);
    struct lith_row_positions positions = {.count = 4, .words = words};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        lith_row_hash_begin(SEED, states[i], 4);
    lith_row_hash_add(&key, &positions, states[0], 0);
    positions.def_levels = def;
    lith_row_hash_add(&key, &positions, states[1], 0);
    positions.rep_levels = rep;
    lith_row_hash_add(&key, &positions, states[2], 0);
    assert_memory_equal(states[0], states[1], sizeof(states[0]));
    assert_memory_equal(states[0], states[2], sizeof(states[0]));
}

/* Words of values as they are, and as ids, with and without the words of entries. */
static void ids_are_their_values(void **state)
{
    static const struct {
        enum lith_type type;
        size_t width;
    } cases[] = {
        {LITH_TYPE_BOOLEAN, 1},
        {LITH_TYPE_INT32, 4},
        {LITH_TYPE_INT64, 8},
        {LITH_TYPE_INT96, 12},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 3},
        {LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16},
        {LITH_TYPE_BYTE_ARRAY, 0},
    };
    static const uint32_t ids[] = {3, 0, 2, 2, 1};
    uint8_t bytes[64];
    struct lith_hash128 room[7];
    const struct lith_row_key key = key_of(0, room);

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37);
    struct lith_slice slices[4] = {{bytes, 20}, {bytes, 0}, {bytes, 1}, {bytes + 1, 20}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        size_t width = cases[c].width;
        struct lith_dictionary dictionary = {.type = cases[c].type, .width = width, .count = 4};
        struct lith_values plain = {.type = cases[c].type, .width = width, .count = 4};
        struct lith_values by_id = {.type = cases[c].type,
                                    .width = width,
                                    .count = 5,
                                    .ids = ids,
                                    .dictionary = &dictionary};
        struct lith_hash128 entries[4];
        struct lith_hash128 words[5];
        if (width) {
            dictionary.fixed = bytes;
            plain.fixed = bytes;
        } else {
            dictionary.slices = slices;
            plain.slices = slices;
        }
        lith_row_words(&key, &plain, 0, 4, NULL, entries);
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < i; k++)
                assert_false(lith_hash128_equal(entries[i], entries[k]));
        for (size_t with_entries = 0; with_entries < 2; with_entries++) {
            memset(words, 0, sizeof(words));
            lith_row_words(&key, &by_id, 1, 4, with_entries ? entries : NULL, words);
            for (size_t i = 0; i < 4; i++)
                assert_true(lith_hash128_equal(words[i], entries[ids[1 + i]]));
        }
    }
}

static struct lith_hash128 pair_hash(const struct lith_row_key *keys, uint64_t a, uint64_t b)
{
    const uint64_t values[] = {a, b};
    struct lith_hash128 state;

    lith_row_hash_begin(SEED, &state, 1);
    for (size_t i = 0; i < 2; i++) {
        const struct lith_values value = {
            .type = LITH_TYPE_INT64, .width = 8, .count = 1, .fixed = (const uint8_t *)&values[i]};
        struct lith_hash128 word;
        lith_row_words(&keys[i], &value, 0, 1, NULL, &word);
        const struct lith_row_positions positions = {.count = 1, .words = &word};
        lith_row_hash_add(&keys[i], &positions, &state, 0);
    }
    return sum_of(state);
}

static struct lith_hash128 minus(struct lith_hash128 a, struct lith_hash128 b)
{
    return (struct lith_hash128){.low = a.low - b.low, .high = a.high - b.high - (a.low < b.low)};
}

/* Two rows (a, b) and (c, d) against (a, d) and (c, b), of small numbers and of single bits: what
 * the sums differ by must look random in every 16 bits of it. */
static void exchanged_values_leave_no_pattern(void **state)
{
    enum { TRIES = 1 << 17, WINDOWS = 8 };
    struct lith_hash128 room[2][7];
    const struct lith_row_key keys[] = {key_of(0, room[0]), key_of(1, room[1])};
    uint64_t seed = test_seed();
    uint32_t zeros[WINDOWS] = {0};
    uint64_t ones = 0;

    (void)state;
    for (size_t i = 0; i < TRIES; i++) {
        uint64_t random = test_random(&seed);
        uint64_t a = i % 2 ? random & 0xff : (uint64_t)1 << (random & 63);
        uint64_t b = random >> 8 & 0xff;
        uint64_t c = a ^ (uint64_t)1 << (random >> 16 & 63);
        uint64_t d = i % 3 ? b ^ (uint64_t)1 << (random >> 24 & 63) : b + 1;
        struct lith_hash128 sum = lith_hash128_add(pair_hash(keys, a, b), pair_hash(keys, c, d));
        struct lith_hash128 other = lith_hash128_add(pair_hash(keys, a, d), pair_hash(keys, c, b));
        struct lith_hash128 difference = minus(sum, other);
        assert_false(lith_hash128_equal(difference, nothing));
        for (size_t w = 0; w < WINDOWS; w++)
            zeros[w] += ((w < 4 ? difference.low : difference.high) >> w % 4 * 16 & 0xffff) == 0;
        ones += (uint64_t)__builtin_popcountll(difference.low) +
                (uint64_t)__builtin_popcountll(difference.high);
    }
    for (size_t w = 0; w < WINDOWS; w++) /* 2 are expected */
        assert_in_range(zeros[w], 0, 20);
    assert_in_range(ones / TRIES, 63, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_hash),
        cmocka_unit_test(levels_that_say_nothing_do_not_matter),
        cmocka_unit_test(ids_are_their_values),
        cmocka_unit_test(exchanged_values_leave_no_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
