/*
 * Taking values into a configuration: what flags, variables and files share.
 */
#ifndef LITH_CONFIG_VALUES_H
#define LITH_CONFIG_VALUES_H

#include "config/config.h"

enum lith_config_rank {
    LITH_RANK_DEFAULT,
    LITH_RANK_FILE,
    LITH_RANK_VARIABLE,
    LITH_RANK_FLAG,
};

/* Checks the text, and copies it unless a value of a higher rank is there. INVALID as
 * lith_option_check. */
LITH_MUST_CHECK enum lith_code lith_config_take(struct lith_config *config,
                                                enum lith_option_id option,
                                                enum lith_config_rank rank, const char *text,
                                                struct lith_err *err);

/* The text of a file; texts of errors do not name it yet. */
LITH_MUST_CHECK enum lith_code lith_config_yaml(struct lith_config *config, const uint8_t *text,
                                                size_t bytes, struct lith_err *err);

#endif
