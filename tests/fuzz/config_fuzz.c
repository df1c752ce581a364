/*
 * Configuration files from any bytes: what is accepted reads as numbers, and nothing leaks.
 */
#include <stdint.h>

#include "base/limits.h"
#include "config/values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* The getters assert that what was taken parses. */
static void read_all(struct lith_config *config)
{
    struct lith_err err;
    const char **items;
    size_t count;
    uint32_t index, shards;

    for (int n = 0; n < LITH_OPTION_COUNT; n++) {
        enum lith_option_id id = (enum lith_option_id)n;
        switch (lith_options_table[id].kind) {
        case LITH_KIND_SWITCH:
            (void)lith_config_switch(config, id);
            break;
        case LITH_KIND_COUNT:
            (void)lith_config_count(config, id);
            break;
        case LITH_KIND_SIZE:
            (void)lith_config_size(config, id);
            break;
        case LITH_KIND_DURATION:
            (void)lith_config_duration(config, id);
            break;
        case LITH_KIND_SHARD:
            lith_config_shard(config, id, &index, &shards);
            LITH_ASSERT(index < shards);
            break;
        case LITH_KIND_PERCENT:
            LITH_ASSERT(lith_config_percent(config, id) <= 100);
            break;
        case LITH_KIND_CHOICE:
            if (lith_config_text(config, id))
                (void)lith_option_choice(id, lith_config_text(config, id));
            break;
        case LITH_KIND_LIST:
            LITH_ASSERT(lith_config_list(config, id, &items, &count, &err) == LITH_OK);
            break;
        case LITH_KIND_TEXT:
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct lith_config config;
    struct lith_mem mem;
    struct lith_err err;

    if (bytes > LITH_CONFIG_BYTES_MAX)
        return 0;
    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_config_init(&config, &mem);
    if (lith_config_yaml(&config, data, bytes, &err) == LITH_OK)
        read_all(&config);
    lith_config_done(&config);
    lith_mem_done(&mem);
    return 0;
}
