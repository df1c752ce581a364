/*
 * Rules from keys, the period and the options.
 */
#include "job/path_rules.h"

#include <string.h>

#include "base/hash.h"
#include "base/time.h"

/* Raised when the same rules would take, or refuse, other values: notes of before do not count. */
#define RULES_VERSION 1u

static bool is_skipped(const struct lith_job_options *options, const char *column)
{
    for (size_t i = 0; i < options->path_check_skip_count; i++) {
        if (strcmp(options->path_check_skip[i], column) == 0)
            return true;
    }
    return false;
}

static enum lith_code key_rule(const struct lith_path_key *key, struct lith_arena *arena,
                               struct lith_path_rule *rule, struct lith_err *err)
{
    char *text;

    LITH_TRY(lith_arena_format(arena, &text, err, "%s=%s", key->name,
                               key->value ? key->value : LITH_PATH_NULL));
    *rule = (struct lith_path_rule){
        .column = key->name,
        .said = {.kind = key->value ? LITH_EXPECT_TEXT : LITH_EXPECT_NULL, .text = key->value},
        .text = text,
    };
    return LITH_OK;
}

static enum lith_code period_rule(const struct lith_path_keys *keys,
                                  const struct lith_job_options *options, struct lith_arena *arena,
                                  struct lith_path_rule *rule, struct lith_err *err)
{
    char begin[LITH_TIME_TEXT_BYTES];
    char end[LITH_TIME_TEXT_BYTES];
    char *text;

    lith_time_text(keys->begin_ns, begin);
    lith_time_text(keys->end_ns, end);
    LITH_TRY(lith_arena_format(arena, &text, err, "times from %s until %s", begin, end));
    *rule = (struct lith_path_rule){
        .column = options->time_column,
        .fallback = options->time_column_fallback,
        .said = {.kind = LITH_EXPECT_PERIOD, .begin_ns = keys->begin_ns, .end_ns = keys->end_ns},
        .text = text,
    };
    return LITH_OK;
}

/* Texts are told apart from each other by their zeros. */
static enum lith_code rules_hash(struct lith_path_rules *rules, struct lith_mem *mem,
                                 struct lith_err *err)
{
    struct lith_hasher *hasher;

    LITH_TRY(lith_hasher_new(mem, RULES_VERSION, &hasher, err));
    for (size_t i = 0; i < rules->count; i++) {
        const struct lith_path_rule *rule = &rules->rules[i];
        const char *const texts[] = {rule->column, rule->fallback ? rule->fallback : "",
                                     rule->text};
        uint8_t kind = (uint8_t)rule->said.kind;
        lith_hasher_add(hasher, &kind, sizeof(kind));
        for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
            lith_hasher_add(hasher, texts[j], strlen(texts[j]) + 1);
    }
    lith_hash128_text(lith_hasher_end(hasher), rules->hash);
    lith_hasher_free(hasher);
    return LITH_OK;
}

enum lith_code lith_path_rules_make(const struct lith_path_keys *keys,
                                    const struct lith_job_options *options,
                                    struct lith_arena *arena, struct lith_path_rules *ret_rules,
                                    struct lith_err *err)
{
    struct lith_path_rules made = {0};
    void *block;

    LITH_TRY(lith_arena_array(arena, keys->count + 1, sizeof(*made.rules), &block, err));
    struct lith_path_rule *rules = block;
    for (size_t i = 0; i < keys->count; i++) {
        if (!is_skipped(options, keys->keys[i].name))
            LITH_TRY(key_rule(&keys->keys[i], arena, &rules[made.count++], err));
    }
    if (options->time_column && keys->has_period)
        LITH_TRY(period_rule(keys, options, arena, &rules[made.count++], err));
    made.rules = rules;
    LITH_TRY(rules_hash(&made, arena->mem, err));
    *ret_rules = made;
    return LITH_OK;
}
