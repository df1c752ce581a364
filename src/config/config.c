/*
 * The configuration: flag over variable over file over default.
 *
 * Values are kept as checked texts, so that what is shown is what was written; each origin has a
 * rank, and a value only gives way to one of its rank or higher. Files are in file.c.
 */
#include "config/config.h"

#include <string.h>

#include "base/time.h"
#include "config/values.h"

void lith_config_init(struct lith_config *config, struct lith_mem *mem)
{
    *config = (struct lith_config){0};
    lith_arena_init(&config->arena, mem);
    for (int id = 0; id < LITH_OPTION_COUNT; id++)
        config->values[id] = lith_options_table[id].preset;
}

void lith_config_done(struct lith_config *config)
{
    lith_arena_done(&config->arena);
}

enum lith_code lith_config_take(struct lith_config *config, enum lith_option_id option,
                                enum lith_config_rank rank, const char *text, struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_option_check(option, text, err));
    if ((int)rank < config->ranks[option])
        return LITH_OK;
    LITH_TRY(lith_arena_copy(&config->arena, text, strlen(text), &copy, err));
    config->values[option] = copy;
    config->ranks[option] = (int)rank;
    return LITH_OK;
}

enum lith_code lith_config_flag(struct lith_config *config, enum lith_option_id option,
                                const char *value, struct lith_err *err)
{
    char name[LITH_OPTION_NAME_BYTES];
    enum lith_code code = lith_config_take(config, option, LITH_RANK_FLAG, value, err);

    if (code != LITH_E_INVALID)
        return code;
    lith_option_flag(lith_options_table[option].key, name);
    return lith_err_prefix(err, "--%s", name);
}

enum lith_code lith_config_variables(struct lith_config *config,
                                     const char *(*variable)(const char *name),
                                     struct lith_err *err)
{
    char name[LITH_OPTION_NAME_BYTES];

    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        lith_option_variable(lith_options_table[id].key, name);
        const char *value = variable(name);
        if (!value)
            continue;
        enum lith_code code =
            lith_config_take(config, (enum lith_option_id)id, LITH_RANK_VARIABLE, value, err);
        if (code == LITH_E_INVALID)
            return lith_err_prefix(err, "environment variable %s", name);
        LITH_TRY(code);
    }
    return LITH_OK;
}

bool lith_config_given(const struct lith_config *config, enum lith_option_id option)
{
    return config->ranks[option] > LITH_RANK_DEFAULT;
}

const char *lith_config_text(const struct lith_config *config, enum lith_option_id option)
{
    return config->values[option];
}

/*
 * The getters below read texts that were checked when they were taken, or presets of the table
 * (which the tests check): a failure would be ours.
 */

bool lith_config_switch(const struct lith_config *config, enum lith_option_id option)
{
    const char *text = config->values[option];

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_SWITCH);
    return text && strcmp(text, "true") == 0;
}

uint64_t lith_config_count(const struct lith_config *config, enum lith_option_id option)
{
    struct lith_err err;
    uint64_t count = 0;

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_COUNT);
    if (config->values[option])
        LITH_ASSERT(lith_count_parse(config->values[option], &count, &err) == LITH_OK);
    return count;
}

uint64_t lith_config_size(const struct lith_config *config, enum lith_option_id option)
{
    struct lith_err err;
    uint64_t bytes = 0;

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_SIZE);
    if (config->values[option])
        LITH_ASSERT(lith_size_parse(config->values[option], &bytes, &err) == LITH_OK);
    return bytes;
}

int64_t lith_config_duration(const struct lith_config *config, enum lith_option_id option)
{
    struct lith_err err;
    int64_t ns = 0;

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_DURATION);
    if (config->values[option])
        LITH_ASSERT(lith_duration_parse(config->values[option], &ns, &err) == LITH_OK);
    return ns;
}

enum lith_verify_level lith_config_level(const struct lith_config *config,
                                         enum lith_option_id option)
{
    static const enum lith_verify_level levels[] = {LITH_VERIFY_OFF, LITH_VERIFY_STRUCTURE,
                                                    LITH_VERIFY_CONTENT, LITH_VERIFY_DECODE};

    LITH_ASSERT(option == LITH_OPTION_VERIFY);
    return levels[lith_option_choice(option, config->values[option])];
}

enum lith_unknown_keys lith_config_unknown_keys(const struct lith_config *config,
                                                enum lith_option_id option)
{
    static const enum lith_unknown_keys choices[] = {
        LITH_UNKNOWN_KEYS_DROP, LITH_UNKNOWN_KEYS_FIRST, LITH_UNKNOWN_KEYS_ERROR};

    LITH_ASSERT(option == LITH_OPTION_UNKNOWN_KEYS);
    return choices[lith_option_choice(option, config->values[option])];
}

void lith_config_shard(const struct lith_config *config, enum lith_option_id option,
                       uint32_t *ret_index, uint32_t *ret_count)
{
    struct lith_err err;

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_SHARD);
    LITH_ASSERT(lith_shard_parse(config->values[option], ret_index, ret_count, &err) == LITH_OK);
}

uint32_t lith_config_percent(const struct lith_config *config, enum lith_option_id option)
{
    struct lith_err err;
    uint32_t percent = 0;

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_PERCENT);
    LITH_ASSERT(lith_percent_parse(config->values[option], &percent, &err) == LITH_OK);
    return percent;
}

bool lith_config_has(const struct lith_config *config, enum lith_option_id option, const char *name)
{
    const char *at = config->values[option];
    size_t bytes = strlen(name);

    LITH_ASSERT(lith_options_table[option].kind == LITH_KIND_LIST);
    while (at && *at) {
        size_t part = strcspn(at, ",");
        if (part == bytes && memcmp(at, name, bytes) == 0)
            return true;
        at += part + (at[part] == ',');
    }
    return false;
}

enum lith_code lith_config_list(struct lith_config *config, enum lith_option_id option,
                                const char ***ret_items, size_t *ret_count, struct lith_err *err)
{
    const char *text = config->values[option];
    size_t count = 0;
    void *block;

    if (!text)
        text = "";
    size_t commas = 0;
    for (const char *at = text; *at; at++)
        commas += *at == ',';
    LITH_TRY(lith_arena_array(&config->arena, commas + 1, sizeof(char *), &block, err));
    const char **items = block;
    for (const char *at = text;;) {
        size_t part = strcspn(at, ",");
        if (part) {
            LITH_TRY(lith_arena_copy(&config->arena, at, part, &block, err));
            items[count++] = block;
        }
        if (!at[part])
            break;
        at += part + 1;
    }
    *ret_items = items;
    *ret_count = count;
    return LITH_OK;
}
