/*
 * The hash of a row.
 *
 * A word goes to both halves of the state, so that what undoes a difference must hit both: about
 * 2^-128 for a seed that is not known. What is added up must not be near to linear in a column's
 * values, or rows that exchange them would have equal sums: hence four more steps at the end.
 */
#include "verify/row_hash.h"

#include "base/checked.h"

/* In the place of a column, for what no column has. */
#define PLACE_BEGIN (UINT64_MAX - 1)
#define PLACE_END UINT64_MAX

/* What is derived for a column: factors and the seed of values, then a word for each level. */
#define USE_FACTORS 0u
#define USE_SEED 1u
#define USE_REP ((uint64_t)1 << 32)
#define USE_DEF ((uint64_t)2 << 32)

static struct lith_hash128 derive(uint64_t seed, uint64_t place, uint64_t use)
{
    const uint64_t what[] = {place, use};

    return lith_hash128(what, sizeof(what), seed);
}

struct lith_row_key lith_row_key_make(uint64_t seed, uint32_t leaf, uint16_t max_rep,
                                      uint16_t max_def, struct lith_hash128 *room)
{
    struct lith_hash128 factors = derive(seed, leaf, USE_FACTORS);
    struct lith_hash128 *rep = room;
    struct lith_hash128 *def = room + max_rep + 1;

    for (uint64_t level = 0; level <= max_rep; level++)
        rep[level] = level ? derive(seed, leaf, USE_REP + level) : (struct lith_hash128){0};
    for (uint64_t level = 0; level <= max_def; level++)
        def[level] =
            level < max_def ? derive(seed, leaf, USE_DEF + level) : (struct lith_hash128){0};
    return (struct lith_row_key){
        .seed = derive(seed, leaf, USE_SEED).low,
        .factors = {factors.low | 1, factors.high | 1},
        .max_rep = max_rep,
        .max_def = max_def,
        .rep = rep,
        .def = def,
    };
}

/* Both halves of the product: the lower has little of the high bits of `a`, the upper of the low
 * ones. */
static inline uint64_t fold(uint64_t a, uint64_t factor)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * factor;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline struct lith_hash128 step(struct lith_hash128 state, struct lith_hash128 word,
                                       uint64_t first, uint64_t second)
{
    state.low ^= word.low;
    state.high ^= word.high;
    state.high += fold(state.low, first);
    state.low += fold(state.high, second);
    return state;
}

static inline struct lith_hash128 word_of(uint64_t value)
{
    return (struct lith_hash128){.low = value, .high = value << 32 | value >> 32};
}

LITH_TEMPLATE void words_of_fixed(const uint8_t *fixed, size_t width, size_t count,
                                  struct lith_hash128 *words)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, fixed + i * width, width);
        words[i] = word_of(value);
    }
}

LITH_TEMPLATE void words_of_ids(const uint8_t *fixed, const uint32_t *ids, size_t width,
                                size_t count, struct lith_hash128 *words)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, fixed + ids[i] * width, width);
        words[i] = word_of(value);
    }
}

void lith_row_words_hash(const struct lith_row_key *key, const struct lith_slice *values,
                         size_t count, struct lith_hash128 *ret_words)
{
    for (size_t i = 0; i < count; i++)
        ret_words[i] = lith_hash128(values[i].data, values[i].bytes, key->seed);
}

static void words_by_id(const struct lith_row_key *key, const struct lith_values *values,
                        size_t begin, size_t count, const struct lith_hash128 *entries,
                        struct lith_hash128 *words)
{
    const struct lith_dictionary *dictionary = values->dictionary;
    const uint32_t *ids = values->ids + begin;

    if (dictionary->fixed && dictionary->width <= LITH_ROW_WORD_BYTES) {
        if (dictionary->width == 8)
            words_of_ids(dictionary->fixed, ids, 8, count, words);
        else if (dictionary->width == 4)
            words_of_ids(dictionary->fixed, ids, 4, count, words);
        else
            words_of_ids(dictionary->fixed, ids, dictionary->width, count, words);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (entries) {
            words[i] = entries[ids[i]];
            continue;
        }
        const struct lith_slice entry = lith_dictionary_at(dictionary, ids[i]);
        lith_row_words_hash(key, &entry, 1, &words[i]);
    }
}

static void words_of_long(const struct lith_row_key *key, const uint8_t *fixed, size_t width,
                          size_t count, struct lith_hash128 *words)
{
    for (size_t i = 0; i < count; i++)
        words[i] = lith_hash128(fixed + i * width, width, key->seed);
}

void lith_row_words(const struct lith_row_key *key, const struct lith_values *values, size_t begin,
                    size_t count, const struct lith_hash128 *entries,
                    struct lith_hash128 *ret_words)
{
    size_t width = values->width;

    LITH_ASSERT(begin + count <= values->count);
    if (count == 0)
        return;
    if (values->ids)
        words_by_id(key, values, begin, count, entries, ret_words);
    else if (values->slices)
        lith_row_words_hash(key, values->slices + begin, count, ret_words);
    else if (width > LITH_ROW_WORD_BYTES)
        words_of_long(key, values->fixed + begin * width, width, count, ret_words);
    else if (width == 8)
        words_of_fixed(values->fixed + begin * 8, 8, count, ret_words);
    else if (width == 4)
        words_of_fixed(values->fixed + begin * 4, 4, count, ret_words);
    else
        words_of_fixed(values->fixed + begin * width, width, count, ret_words);
}

void lith_row_hash_begin(uint64_t seed, struct lith_hash128 *states, size_t count)
{
    struct lith_hash128 begin = derive(seed, PLACE_BEGIN, 0);

    for (size_t i = 0; i < count; i++)
        states[i] = begin;
}

static void add_values(const struct lith_row_key *key, const struct lith_hash128 *words,
                       size_t count, struct lith_hash128 *states)
{
    uint64_t first = key->factors[0];
    uint64_t second = key->factors[1];

    for (size_t i = 0; i < count; i++)
        states[i] = step(states[i], words[i], first, second);
}

/* The word of a position: that of its level, and where it has a value, that one's too. Without
 * branches, since nobody foresees nulls; hence the word behind the last one may be read. */
static inline struct lith_hash128 level_word(const struct lith_row_key *key, uint16_t def,
                                             const struct lith_hash128 *words, size_t *next)
{
    bool is_value = def == key->max_def;
    uint64_t mask = is_value ? UINT64_MAX : 0;
    struct lith_hash128 word = key->def[def];

    word.low ^= words[*next].low & mask;
    word.high ^= words[*next].high & mask;
    *next += is_value;
    return word;
}

static void add_flat(const struct lith_row_key *key, const struct lith_row_positions *positions,
                     struct lith_hash128 *states)
{
    size_t next = 0;

    for (size_t i = 0; i < positions->count; i++) {
        struct lith_hash128 word =
            level_word(key, positions->def_levels[i], positions->words, &next);
        states[i] = step(states[i], word, key->factors[0], key->factors[1]);
    }
}

static void add_lists(const struct lith_row_key *key, const struct lith_row_positions *positions,
                      struct lith_hash128 *states, size_t row_count)
{
    size_t next = 0;

    for (size_t i = 0; i < positions->count; i++) {
        uint16_t rep = positions->rep_levels[i];
        uint16_t def = positions->def_levels ? positions->def_levels[i] : key->max_def;
        struct lith_hash128 word = level_word(key, def, positions->words, &next);
        word.low ^= key->rep[rep].low;
        word.high ^= key->rep[rep].high;
        row_count += rep == 0;
        states[row_count - 1] = step(states[row_count - 1], word, key->factors[0], key->factors[1]);
    }
}

void lith_row_hash_add(const struct lith_row_key *key, const struct lith_row_positions *positions,
                       struct lith_hash128 *states, size_t row_count)
{
    if (positions->rep_levels)
        LITH_ASSERT(row_count > 0 || positions->rep_levels[0] == 0);
    if (positions->rep_levels)
        add_lists(key, positions, states, row_count);
    else if (positions->def_levels)
        add_flat(key, positions, states + row_count);
    else
        add_values(key, positions->words, positions->count, states + row_count);
}

struct lith_hash128 lith_row_hash_sum(uint64_t seed, const struct lith_hash128 *states,
                                      size_t count)
{
    struct lith_hash128 first = derive(seed, PLACE_END, 0);
    struct lith_hash128 second = derive(seed, PLACE_END, 1);
    struct lith_hash128 word = derive(seed, PLACE_END, 2);
    struct lith_hash128 sum = {0};

    for (size_t i = 0; i < count; i++) {
        struct lith_hash128 hash = step(states[i], word, first.low | 1, first.high | 1);
        hash = step(hash, word, second.low | 1, second.high | 1);
        sum = lith_hash128_add(sum, hash);
    }
    return sum;
}
