/*
 * The configuration: flag over variable over file over default, each checked where it was given.
 *
 * Values are kept as texts that are known to parse; the getters turn them into numbers.
 */
#ifndef LITH_CONFIG_CONFIG_H
#define LITH_CONFIG_CONFIG_H

#include "base/arena.h"
#include "config/option.h"

struct lith_config {
    struct lith_arena arena;
    const char *values[LITH_OPTION_COUNT]; /* NULL: not given, and no default */
    int ranks[LITH_OPTION_COUNT];          /* where the value is from; a higher one wins */
};

/* Takes the defaults. */
void lith_config_init(struct lith_config *config, struct lith_mem *mem);
void lith_config_done(struct lith_config *config);

/* A flag: overrides all. INVALID names the flag, the value, and what is accepted. */
LITH_MUST_CHECK enum lith_code lith_config_flag(struct lith_config *config,
                                                enum lith_option_id option, const char *value,
                                                struct lith_err *err);

/* All LITHIFY_... variables; `variable` is getenv or a test's. INVALID names the variable. */
LITH_MUST_CHECK enum lith_code lith_config_variables(struct lith_config *config,
                                                     const char *(*variable)(const char *name),
                                                     struct lith_err *err);

/*
 * A YAML file: one mapping of keys to values (a list also as one). INVALID names the file,
 * the line, the key and, for an unknown one, the nearest known; NOT_FOUND, DENIED, IO.
 */
LITH_MUST_CHECK enum lith_code lith_config_file(struct lith_config *config, const char *path,
                                                struct lith_err *err);

/* True when a flag, a variable or a file gave the value: it is not the default. */
bool lith_config_given(const struct lith_config *config, enum lith_option_id option);

/* The value as what it is. Options without a default are NULL, 0 or false when not given. */
const char *lith_config_text(const struct lith_config *config, enum lith_option_id option);
bool lith_config_switch(const struct lith_config *config, enum lith_option_id option);
uint64_t lith_config_count(const struct lith_config *config, enum lith_option_id option);
uint64_t lith_config_size(const struct lith_config *config, enum lith_option_id option);
int64_t lith_config_duration(const struct lith_config *config, enum lith_option_id option);
enum lith_verify_level lith_config_level(const struct lith_config *config,
                                         enum lith_option_id option);
enum lith_unknown_keys lith_config_unknown_keys(const struct lith_config *config,
                                                enum lith_option_id option);
void lith_config_shard(const struct lith_config *config, enum lith_option_id option,
                       uint32_t *ret_index, uint32_t *ret_count);
uint32_t lith_config_percent(const struct lith_config *config, enum lith_option_id option);
/* Whether `name` is one of the parts of a text between commas. */
bool lith_config_has(const struct lith_config *config, enum lith_option_id option,
                     const char *name);
/* The parts of a text between commas, in the config's arena. */
LITH_MUST_CHECK enum lith_code lith_config_list(struct lith_config *config,
                                                enum lith_option_id option, const char ***ret_items,
                                                size_t *ret_count, struct lith_err *err);

#endif
