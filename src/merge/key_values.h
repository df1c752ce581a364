/*
 * Key-value metadata of an output: what all inputs agree on.
 *
 * A key stays when every input has it with the same bytes, and its kind allows it: keys that
 * speak of one file's rows, or of another layer's bookkeeping, go. What was dropped is not an
 * error: readers derive it again or do without. parquet-splice.md section 7.
 */
#ifndef LITH_MERGE_KEY_VALUES_H
#define LITH_MERGE_KEY_VALUES_H

#include "base/arena.h"
#include "parquet/footer.h"

struct lith_key_values {
    struct lith_arena arena;
    struct lith_key_value *entries; /* of the first input; value.data NULL and dropped = gone */
    bool *dropped;
    uint32_t count;
    struct lith_slice *writers; /* distinct created_by, in order of appearance */
    uint32_t writer_count;
    bool started;
};

void lith_key_values_init(struct lith_key_values *kv, struct lith_mem *mem);
void lith_key_values_done(struct lith_key_values *kv);

/* Takes one more input into account; nothing is borrowed afterwards. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_key_values_add(struct lith_key_values *kv,
                                                   const struct lith_footer *footer,
                                                   struct lith_err *err);

/*
 * The result, with room for `extra` entries behind it, in kv's arena: what stayed, then
 * original.created.by (distinct writers joined by newlines).
 */
LITH_MUST_CHECK enum lith_code lith_key_values_finish(struct lith_key_values *kv, uint32_t extra,
                                                      struct lith_key_value **ret_entries,
                                                      uint32_t *ret_count, struct lith_err *err);

#endif
