/*
 * The dictionary of a leaf that is dealt as ids instead of values.
 *
 * Values that repeat (names of hosts, codes) come as ids of the dictionaries of their sources.
 * These are joined on the way: each source's id has one in the joined dictionary, so a value is
 * looked for once a source, two bytes of it are moved, and who gathers gives ids again, which
 * nobody needs to hash.
 */
#ifndef LITH_SORT_DEAL_DICTIONARY_H
#define LITH_SORT_DEAL_DICTIONARY_H

#include "base/work.h"
#include "parquet/dictionary_builder.h"
#include "parquet/schema.h"

#define LITH_DEAL_ID_BYTES 2u

struct lith_deal_dictionary {
    const struct lith_work *work;
    const struct lith_schema_node *leaf;
    struct lith_dictionary_builder builder;
    uint32_t count_max;
    uint64_t value_count;           /* that got an id */
    struct lith_dictionary entries; /* once it was ended */
};

/* Of a leaf that is not BOOLEAN and outlives it; takes at most `memory_bytes_max`, later. NOMEM,
 * LIMIT. */
LITH_MUST_CHECK enum lith_code lith_deal_dictionary_new(const struct lith_schema_node *leaf,
                                                        size_t memory_bytes_max,
                                                        const struct lith_work *work,
                                                        struct lith_deal_dictionary **ret_new,
                                                        struct lith_err *err);

/* NULL is a no-op. */
void lith_deal_dictionary_free(struct lith_deal_dictionary *dictionary);

/* The ids of at most LITH_BATCH_POSITIONS values, or ids of a source's dictionary, whose map it
 * uses. `room` is for as many numbers. *ret_full: they do not all have one; there is no more use
 * for this dictionary then. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_deal_dictionary_ids(struct lith_deal_dictionary *dictionary,
                                                        const struct lith_values *values,
                                                        uint16_t *ids, uint32_t *room,
                                                        bool *ret_full, struct lith_err *err);

/* Whether values repeat so seldom, as far as they came, that ids are not worth it. */
bool lith_deal_dictionary_is_idle(const struct lith_deal_dictionary *dictionary);

/* There are no more values: makes the entries. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_deal_dictionary_end(struct lith_deal_dictionary *dictionary,
                                                        struct lith_err *err);

/* What it holds once it was ended, with what users of ids add to it. */
size_t lith_deal_dictionary_bytes(const struct lith_deal_dictionary *dictionary);

#endif
