/*
 * The outline of a manifest's text: members sorted out, tables walked over row by row.
 */
#include "lake/manifest_outline.h"

#include <string.h>

/* The member that each table is, of the root or of its `lithify`. */
static const struct {
    const char *key;
    bool of_root;
} tables_known[LITH_TABLE_COUNT] = {
    [LITH_TABLE_NAMES] = {"files", true},  [LITH_TABLE_LOG] = {"log", false},
    [LITH_TABLE_FILES] = {"files", false}, [LITH_TABLE_RETIRED] = {"retired", false},
    [LITH_TABLE_GONE] = {"gone", false},   [LITH_TABLE_CONDEMNED] = {"condemned", false},
};

enum lith_code lith_manifest_tree_parse(struct lith_manifest_reader *r, struct lith_json_span span,
                                        struct lith_json **ret_tree, size_t *ret_cost,
                                        struct lith_err *err)
{
    size_t cost = lith_json_cost(span.text, span.bytes);

    LITH_TRY(lith_mem_charge(r->arena->mem, cost, err));
    enum lith_code code = lith_json_parse(span.text, span.bytes, ret_tree, err);
    if (code != LITH_OK) {
        lith_mem_release(r->arena->mem, cost);
        return lith_err_prefix(err, "%s", r->file);
    }
    *ret_cost = cost;
    return LITH_OK;
}

void lith_manifest_tree_drop(struct lith_manifest_reader *r, struct lith_json *tree, size_t cost)
{
    lith_json_free(tree);
    lith_mem_release(r->arena->mem, cost);
}

enum lith_code lith_manifest_tree_keep(struct lith_manifest_reader *r, struct lith_json *tree,
                                       size_t cost, struct lith_err *err)
{
    if (!lith_json_push(r->owned, tree)) {
        lith_mem_release(r->arena->mem, cost);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", r->file);
    }
    r->charged += cost;
    return LITH_OK;
}

enum lith_code lith_manifest_table_begin(struct lith_manifest_reader *r,
                                         enum lith_manifest_table table, size_t row_bytes,
                                         struct lith_json_walk *ret_walk, void **ret_rows,
                                         size_t *ret_count, struct lith_err *err)
{
    struct lith_json_span span = r->tables[table];
    struct lith_json_walk walk;
    struct lith_json_span ignored;
    size_t count = 0;
    bool more = span.text != NULL;

    if (more && !lith_json_walk_begin(&walk, span, true))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s: an array expected", r->file,
                         tables_known[table].key);
    while (more) {
        if (lith_json_walk_next(&walk, NULL, &ignored, &more, err) != LITH_OK)
            return lith_err_prefix(err, "%s: %s[%zu]", r->file, tables_known[table].key, count);
        count += more;
    }
    LITH_TRY(lith_arena_array(r->arena, count, row_bytes, ret_rows, err));
    (void)lith_json_walk_begin(ret_walk, span, true);
    *ret_count = count;
    return LITH_OK;
}

static enum lith_code row_parse(struct lith_manifest_reader *r, struct lith_json_span span,
                                const char *const *known, struct lith_manifest_row *row,
                                struct lith_err *err)
{
    LITH_TRY(lith_manifest_tree_parse(r, span, &row->tree, &row->cost, err));
    if (known)
        lith_json_row_of(row->tree, known, &row->cells);
    else if (lith_json_is_text(row->tree))
        row->text = (struct lith_json_span){lith_json_text_of(row->tree),
                                            strlen(lith_json_text_of(row->tree))};
    return LITH_OK;
}

enum lith_code lith_manifest_row_next(struct lith_manifest_reader *r, struct lith_json_walk *walk,
                                      const char *const *known, struct lith_manifest_row *ret_row,
                                      struct lith_err *err)
{
    struct lith_json_span span;
    bool more = false;

    ret_row->text = (struct lith_json_span){0};
    ret_row->tree = NULL;
    ret_row->cost = 0;
    LITH_TRY(lith_json_walk_next(walk, NULL, &span, &more, err));
    LITH_ASSERT(more);
    bool plain = known ? lith_json_row_read(span, known, &ret_row->cells)
                       : lith_json_plain_text(span, &ret_row->text);
    return plain ? LITH_OK : row_parse(r, span, known, ret_row, err);
}

enum lith_code lith_manifest_row_end(struct lith_manifest_reader *r, struct lith_manifest_row *row,
                                     bool keep, enum lith_code code, struct lith_err *err)
{
    if (!row->tree)
        return code;
    if (code == LITH_OK && keep)
        return lith_manifest_tree_keep(r, row->tree, row->cost, err);
    lith_manifest_tree_drop(r, row->tree, row->cost);
    return code;
}

/* Which table a member is, or LITH_TABLE_COUNT. */
static enum lith_manifest_table table_of(const char *key, bool of_root)
{
    enum lith_manifest_table table = 0;

    while (table < LITH_TABLE_COUNT &&
           (tables_known[table].of_root != of_root || strcmp(tables_known[table].key, key) != 0))
        table++;
    return table;
}

static enum lith_code member_take(struct lith_manifest_reader *r, struct lith_members *sorting,
                                  const char *key, struct lith_json_span value,
                                  struct lith_err *err)
{
    enum lith_manifest_table table = table_of(key, sorting->of_root);
    struct lith_json_span *span = table < LITH_TABLE_COUNT ? &r->tables[table] : NULL;
    struct lith_json *tree;
    size_t cost = 0;

    if (sorting->of_root && strcmp(key, "lithify") == 0)
        span = &sorting->ours;
    if ((span && span->text) || lith_json_get(sorting->into, key))
        return lith_fail(err, LITH_E_CORRUPT, "%s: \"%s\" twice", r->file, key);
    if (span) {
        *span = value;
        return LITH_OK;
    }
    LITH_TRY(lith_manifest_tree_parse(r, value, &tree, &cost, err));
    if (!lith_json_set(sorting->into, key, tree)) {
        lith_mem_release(r->arena->mem, cost);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", r->file);
    }
    r->charged += cost;
    return LITH_OK;
}

/* No known key is as long. */
#define PLAIN_KEY_BYTES 32u

static enum lith_code member_next(struct lith_manifest_reader *r, struct lith_members *sorting,
                                  struct lith_json_walk *walk, bool *ret_more, struct lith_err *err)
{
    char plain[PLAIN_KEY_BYTES + 1] = "";
    struct lith_json_span key;
    struct lith_json_span text_span;
    struct lith_json_span value;
    struct lith_json *name;
    size_t cost = 0;

    if (lith_json_walk_next(walk, &key, &value, ret_more, err) != LITH_OK)
        return lith_err_prefix(err, "%s", r->file);
    if (!*ret_more)
        return LITH_OK;
    if (lith_json_plain_text(key, &text_span) && text_span.bytes <= PLAIN_KEY_BYTES) {
        memcpy(plain, text_span.text, text_span.bytes);
        return member_take(r, sorting, plain, value, err);
    }
    LITH_TRY(lith_manifest_tree_parse(r, key, &name, &cost, err));
    const char *text = lith_json_text_of(name);
    enum lith_code code = LITH_OK;
    if (text)
        code = member_take(r, sorting, text, value, err);
    else
        code = lith_fail(err, LITH_E_CORRUPT, "%s: a key is no text", r->file);
    lith_manifest_tree_drop(r, name, cost);
    return code;
}

enum lith_code lith_manifest_members(struct lith_manifest_reader *r, struct lith_members *sorting,
                                     struct lith_json_span span, const char *what,
                                     struct lith_err *err)
{
    struct lith_json_walk walk;
    bool more = true;

    sorting->into = lith_json_object();
    if (!sorting->into)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", r->file);
    LITH_TRY(lith_manifest_tree_keep(r, sorting->into, 0, err));
    if (!lith_json_walk_begin(&walk, span, false))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s: an object expected", r->file, what);
    while (more)
        LITH_TRY(member_next(r, sorting, &walk, &more, err));
    return LITH_OK;
}
