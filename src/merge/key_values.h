/*
 * Key-value metadata of an output: what is true of all its rows, key by key.
 *
 * A table says what each key that engines act on is worth in a merge: some speak of one file's
 * rows, some of a schema, some of what values mean. Of keys that nobody but their writers knows,
 * what all inputs say alike stays; about the rest there is a policy. parquet-splice.md section 7.
 */
#ifndef LITH_MERGE_KEY_VALUES_H
#define LITH_MERGE_KEY_VALUES_H

#include "base/arena.h"
#include "merge/geo.h"
#include "parquet/footer.h"

/* One key of the inputs so far. */
struct lith_merged_key {
    struct lith_key_value entry; /* of the first input that has it */
    uint8_t rule;                /* what of it is kept: see the table */
    bool dropped;
};

struct lith_key_values {
    struct lith_arena arena;
    enum lith_unknown_keys unknown;
    const char *first_name; /* of the first input, for errors */
    struct lith_merged_key *keys;
    size_t count;
    struct lith_geo geo;        /* of all inputs; root NULL while they say the same */
    struct lith_slice *writers; /* distinct created_by, in order of appearance */
    uint32_t writer_count;
    bool started;
    bool schema_changed;
};

/* `first_name` is borrowed. */
void lith_key_values_init(struct lith_key_values *kv, struct lith_mem *mem,
                          enum lith_unknown_keys unknown, const char *first_name);
void lith_key_values_done(struct lith_key_values *kv);

/*
 * Takes one more input into account; nothing is borrowed afterwards. What it says of the meaning of
 * values is that of the inputs before (lith_gate_meaning). UNSUPPORTED: it differs, and the policy
 * is LITH_UNKNOWN_KEYS_ERROR. NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_key_values_add(struct lith_key_values *kv,
                                                   const struct lith_footer *footer,
                                                   struct lith_err *err);

/* Says that the output's schema is not that of every input: keys that describe a schema go. */
void lith_key_values_schema_changed(struct lith_key_values *kv);

/*
 * The result, with room for `extra` entries behind it, in kv's arena: what stayed, each key once,
 * then original.created.by (distinct writers joined by newlines). NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code lith_key_values_finish(struct lith_key_values *kv, uint32_t extra,
                                                      struct lith_key_value **ret_entries,
                                                      uint32_t *ret_count, struct lith_err *err);

#endif
