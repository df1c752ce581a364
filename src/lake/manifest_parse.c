/*
 * Reads a manifest: JSON into tables, every field checked, nothing guessed (P9).
 *
 * What is known is copied into the arena. A JSON tree is about ten times its text, so the long
 * tables are walked over and their rows parsed one at a time. A row's tree goes again at once
 * unless it has fields that this version does not know: those must survive a rewrite.
 */
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "lake/manifest.h"
#include "lake/manifest_fields.h"

/* The tables that are walked over. */
enum table {
    TABLE_NAMES, /* the plain field `files` */
    TABLE_FILES,
    TABLE_RETIRED,
    TABLE_GONE,
    TABLE_CONDEMNED,
    TABLE_COUNT
};

struct reader {
    const char *file;
    struct lith_arena *arena;
    const struct lith_listing *listing; /* whose texts may be borrowed */
    bool has_unknown;
    const char *last_id; /* commit ids come in runs: one copy for each */
    struct lith_json_span tables[TABLE_COUNT];
    struct lith_json *owned; /* an array: the trees that stay, or may */
    size_t charged;          /* for them */
};

/* The member that each table is, of the root or of its `lithify`. */
static const struct {
    const char *key;
    bool of_root;
} tables_known[TABLE_COUNT] = {
    [TABLE_NAMES] = {"files", true},          [TABLE_FILES] = {"files", false},
    [TABLE_RETIRED] = {"retired", false},     [TABLE_GONE] = {"gone", false},
    [TABLE_CONDEMNED] = {"condemned", false},
};

/* Parses one value; its bytes are charged until tree_drop or, kept, with the manifest. */
static enum lith_code tree_parse(struct reader *r, struct lith_json_span span,
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

static void tree_drop(struct reader *r, struct lith_json *tree, size_t cost)
{
    lith_json_free(tree);
    lith_mem_release(r->arena->mem, cost);
}

/* Takes the tree, also on failure: it stays as long as the manifest. */
static enum lith_code tree_keep(struct reader *r, struct lith_json *tree, size_t cost,
                                struct lith_err *err)
{
    if (!lith_json_push(r->owned, tree)) {
        lith_mem_release(r->arena->mem, cost);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", r->file);
    }
    r->charged += cost;
    return LITH_OK;
}

/* Where a value stands, for errors. */
struct place {
    const char *table;
    size_t index;
};

#define PLACE_TEXT "%s: %s[%zu].%s: "
#define PLACE_ARGS(r, place, key) (r)->file, (place).table, (place).index, (key)

/* A text, `same` itself where it is equal to that, else a copy. */
static enum lith_code text_share(struct reader *r, struct place place,
                                 const struct lith_json *object, const char *key, const char *same,
                                 const char **ret_text, struct lith_err *err)
{
    const struct lith_json *value = lith_json_get(object, key);
    void *copy = NULL;

    if (!lith_json_is_text(value))
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "a text expected",
                         PLACE_ARGS(r, place, key));
    const char *text = lith_json_text_of(value);
    if (same && strcmp(text, same) == 0) {
        *ret_text = same;
        return LITH_OK;
    }
    LITH_TRY(lith_arena_copy(r->arena, text, strlen(text), &copy, err));
    *ret_text = copy;
    return LITH_OK;
}

static enum lith_code text_read(struct reader *r, struct place place,
                                const struct lith_json *object, const char *key,
                                const char **ret_text, struct lith_err *err)
{
    return text_share(r, place, object, key, NULL, ret_text, err);
}

/* An absent text is NULL. */
static enum lith_code text_maybe(struct reader *r, struct place place,
                                 const struct lith_json *object, const char *key,
                                 const char **ret_text, struct lith_err *err)
{
    if (lith_json_get(object, key))
        return text_read(r, place, object, key, ret_text, err);
    *ret_text = NULL;
    return LITH_OK;
}

static enum lith_code number_read(struct reader *r, struct place place,
                                  const struct lith_json *object, const char *key,
                                  uint64_t *ret_number, struct lith_err *err)
{
    const struct lith_json *value = lith_json_get(object, key);

    if (!lith_json_is_int(value) || lith_json_int_of(value) < 0)
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "an integer of at least 0 expected",
                         PLACE_ARGS(r, place, key));
    *ret_number = (uint64_t)lith_json_int_of(value);
    return LITH_OK;
}

static enum lith_code time_read(struct reader *r, struct place place,
                                const struct lith_json *object, const char *key, int64_t *ret_ns,
                                struct lith_err *err)
{
    const struct lith_json *value = lith_json_get(object, key);
    struct lith_err why;

    if (!lith_json_is_text(value) || lith_time_parse(lith_json_text_of(value), ret_ns, &why))
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "an RFC 3339 time expected",
                         PLACE_ARGS(r, place, key));
    return LITH_OK;
}

static bool hex_is(const char *text, size_t digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

/* A hash or an id: exactly `digits` lower-case hex digits. */
static enum lith_code hex_read(struct reader *r, struct place place, const struct lith_json *object,
                               const char *key, size_t digits, const char **ret_text,
                               struct lith_err *err)
{
    const char *text = NULL;

    LITH_TRY(text_read(r, place, object, key, &text, err));
    if (!hex_is(text, digits))
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "%zu lower-case hex digits expected",
                         PLACE_ARGS(r, place, key), digits);
    *ret_text = text;
    return LITH_OK;
}

static enum lith_code crc_read(struct reader *r, struct place place, const struct lith_json *object,
                               uint32_t *ret_crc, struct lith_err *err)
{
    const char *text = NULL;
    uint32_t crc = 0;

    LITH_TRY(hex_read(r, place, object, "crc32", 8, &text, err));
    for (size_t i = 0; i < 8; i++)
        crc = crc * 16 + (uint32_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    *ret_crc = crc;
    return LITH_OK;
}

static enum lith_code name_check(struct reader *r, struct place place, const char *name,
                                 struct lith_err *err)
{
    if (!lith_name_is_data(name) || strchr(name, '/'))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s: %s[%zu]: \"%s\" is not the bare name of a data file", r->file,
                         place.table, place.index, name);
    return LITH_OK;
}

/* The object itself when it has members beyond the known ones, else NULL. */
static const struct lith_json *unknown_of(struct reader *r, const struct lith_json *object,
                                          const char *const *known)
{
    size_t found = 0;

    for (size_t i = 0; known[i]; i++)
        found += lith_json_get(object, known[i]) != NULL;
    if (found == lith_json_count(object))
        return NULL;
    r->has_unknown = true;
    return object;
}

static enum lith_code object_check(struct reader *r, struct place place,
                                   const struct lith_json *object, struct lith_err *err)
{
    if (!lith_json_is_object(object))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s[%zu]: an object expected", r->file,
                         place.table, place.index);
    return LITH_OK;
}

/* The table's rows, cleared; an absent table is empty. */
static enum lith_code rows_make(struct reader *r, const struct lith_json *parent, const char *key,
                                size_t row_bytes, void **ret_rows, size_t *ret_count,
                                struct lith_err *err)
{
    const struct lith_json *table = lith_json_get(parent, key);

    if (table && !lith_json_is_array(table))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s: an array expected", r->file, key);
    size_t count = table ? lith_json_count(table) : 0;
    LITH_TRY(lith_arena_array(r->arena, count, row_bytes, ret_rows, err));
    *ret_count = count;
    return LITH_OK;
}

/* The same of a table that is walked over; the walk stands before its first row. */
static enum lith_code table_begin(struct reader *r, enum table table, size_t row_bytes,
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

/* The next row of a table that was counted. */
static enum lith_code row_parse(struct reader *r, struct lith_json_walk *walk,
                                struct lith_json **ret_tree, size_t *ret_cost, struct lith_err *err)
{
    struct lith_json_span span;
    bool more = false;

    LITH_TRY(lith_json_walk_next(walk, NULL, &span, &more, err));
    LITH_ASSERT(more);
    return tree_parse(r, span, ret_tree, ret_cost, err);
}

/* The next row of a table of bare names; the name lives as long as *ret_tree. */
static enum lith_code name_parse(struct reader *r, struct lith_json_walk *walk, struct place place,
                                 struct lith_json **ret_tree, size_t *ret_cost,
                                 struct lith_err *err)
{
    LITH_TRY(row_parse(r, walk, ret_tree, ret_cost, err));
    const char *text = lith_json_text_of(*ret_tree);
    enum lith_code code = name_check(r, place, text ? text : "", err);
    if (code != LITH_OK)
        tree_drop(r, *ret_tree, *ret_cost);
    return code;
}

static enum lith_code name_copy(struct reader *r, struct lith_json_walk *walk, struct place place,
                                const char **ret_name, struct lith_err *err)
{
    struct lith_json *tree;
    size_t cost = 0;
    void *copy = NULL;

    LITH_TRY(name_parse(r, walk, place, &tree, &cost, err));
    const char *text = lith_json_text_of(tree);
    enum lith_code code = lith_arena_copy(r->arena, text, strlen(text), &copy, err);
    tree_drop(r, tree, cost);
    *ret_name = copy;
    return code;
}

/* The plain field `files` has the same names in the same order. */
static enum lith_code name_compare(struct reader *r, struct lith_json_walk *walk,
                                   struct place place, const char *name, struct lith_err *err)
{
    enum lith_code code = LITH_OK;
    struct lith_json *tree;
    size_t cost = 0;

    LITH_TRY(name_parse(r, walk, place, &tree, &cost, err));
    if (strcmp(lith_json_text_of(tree), name) != 0)
        code = lith_fail(err, LITH_E_CORRUPT, "%s: files[%zu] is %s, lithify.files[%zu] is %s",
                         r->file, place.index, lith_json_text_of(tree), place.index, name);
    tree_drop(r, tree, cost);
    return code;
}

/* Commits bring in many files each; one copy of their id is enough. */
static enum lith_code id_read(struct reader *r, struct place place, const struct lith_json *object,
                              const char **ret_id, struct lith_err *err)
{
    const char *text = lith_json_text_of(lith_json_get(object, "commit_id"));

    if (!text || !r->last_id || strcmp(text, r->last_id) != 0)
        LITH_TRY(text_read(r, place, object, "commit_id", &r->last_id, err));
    *ret_id = r->last_id;
    return LITH_OK;
}

/* The listed object that an entry names, or NULL. */
static const struct lith_object *listed_as(const struct reader *r, const struct lith_json *entry)
{
    const char *name = lith_json_text_of(lith_json_get(entry, "name"));

    return name && r->listing ? lith_listing_find(r->listing, name) : NULL;
}

static enum lith_code entry_read(struct reader *r, struct place place,
                                 const struct lith_json *object, const struct lith_entry_kind *kind,
                                 struct lith_entry *entry, struct lith_err *err)
{
    LITH_TRY(object_check(r, place, object, err));
    const struct lith_object *listed = listed_as(r, object);
    LITH_TRY(text_share(r, place, object, "name", listed ? listed->name : NULL, &entry->name, err));
    LITH_TRY(name_check(r, place, entry->name, err));
    LITH_TRY(number_read(r, place, object, "size", &entry->size, err));
    entry->has_rows = lith_json_get(object, "rows") != NULL;
    if (entry->has_rows)
        LITH_TRY(number_read(r, place, object, "rows", &entry->rows, err));
    entry->has_crc = lith_json_get(object, "crc32") != NULL;
    if (entry->has_crc)
        LITH_TRY(crc_read(r, place, object, &entry->crc32, err));
    if (kind->has_etag)
        LITH_TRY(
            text_share(r, place, object, "etag", listed ? listed->etag : NULL, &entry->etag, err));
    if (kind->generation_key)
        LITH_TRY(number_read(r, place, object, kind->generation_key, &entry->generation, err));
    if (kind->has_commit_id)
        LITH_TRY(id_read(r, place, object, &entry->commit_id, err));
    if (kind->has_at)
        LITH_TRY(time_read(r, place, object, "at", &entry->at_ns, err));
    entry->raw = unknown_of(r, object, kind->known);
    return LITH_OK;
}

/* One row of a table, whose tree stays where it has fields unknown to us. */
static enum lith_code entry_take(struct reader *r, struct place place, struct lith_json_walk *walk,
                                 const struct lith_entry_kind *kind, struct lith_entry *entry,
                                 struct lith_err *err)
{
    struct lith_json *tree;
    size_t cost = 0;

    LITH_TRY(row_parse(r, walk, &tree, &cost, err));
    enum lith_code code = entry_read(r, place, tree, kind, entry, err);
    if (code == LITH_OK && entry->raw)
        return tree_keep(r, tree, cost, err);
    tree_drop(r, tree, cost);
    return code;
}

static enum lith_code entries_read(struct reader *r, enum table table,
                                   const struct lith_entry_kind *kind,
                                   struct lith_entry **ret_entries, size_t *ret_count,
                                   struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;
    size_t count = 0;

    LITH_TRY(table_begin(r, table, sizeof(struct lith_entry), &walk, &rows, &count, err));
    struct lith_entry *entries = rows;
    for (size_t i = 0; i < count; i++)
        LITH_TRY(entry_take(r, (struct place){kind->table, i}, &walk, kind, &entries[i], err));
    *ret_entries = entries;
    *ret_count = count;
    return LITH_OK;
}

static enum lith_code log_read(struct reader *r, const struct lith_json *ours,
                               struct lith_manifest *m, struct lith_err *err)
{
    void *rows = NULL;

    LITH_TRY(rows_make(r, ours, "log", sizeof(*m->log), &rows, &m->log_count, err));
    m->log = rows;
    for (size_t i = 0; i < m->log_count; i++) {
        const struct lith_json *object = lith_json_at(lith_json_get(ours, "log"), i);
        struct lith_log_entry *entry = &m->log[i];
        struct place place = {"log", i};
        const char *op = NULL;
        LITH_TRY(object_check(r, place, object, err));
        LITH_TRY(number_read(r, place, object, "generation", &entry->generation, err));
        LITH_TRY(hex_read(r, place, object, "commit_id", 32, &entry->commit_id, err));
        LITH_TRY(number_read(r, place, object, "epoch", &entry->epoch, err));
        LITH_TRY(text_read(r, place, object, "op", &op, err));
        LITH_TRY(time_read(r, place, object, "at", &entry->at_ns, err));
        entry->event = lith_json_bool_of(lith_json_get(object, "event"));
        entry->op_text = op;
        entry->op = LITH_OP_ADOPT;
        while (entry->op < LITH_OP_OTHER && strcmp(op, lith_op_name(entry->op)) != 0)
            entry->op++;
        entry->raw = unknown_of(r, object, lith_log_fields);
    }
    return LITH_OK;
}

static enum lith_code condemned_read(struct reader *r, struct lith_manifest *m,
                                     struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;

    LITH_TRY(table_begin(r, TABLE_CONDEMNED, sizeof(*m->condemned), &walk, &rows,
                         &m->condemned_count, err));
    m->condemned = rows;
    for (size_t i = 0; i < m->condemned_count; i++)
        LITH_TRY(name_copy(r, &walk, (struct place){"condemned", i}, &m->condemned[i], err));
    return LITH_OK;
}

static enum lith_code outcome_read(struct reader *r, const struct lith_json *ours,
                                   struct lith_manifest *m, struct lith_err *err)
{
    const struct lith_json *object = lith_json_get(ours, "outcome");
    struct lith_outcome *outcome = &m->outcome;
    struct place place = {"outcome", 0};
    const char *live = NULL;
    const char *policy = NULL;

    if (!object)
        return LITH_OK;
    LITH_TRY(object_check(r, place, object, err));
    LITH_TRY(hex_read(r, place, object, "live_hash", 32, &live, err));
    LITH_TRY(hex_read(r, place, object, "policy_hash", 32, &policy, err));
    LITH_TRY(number_read(r, place, object, "writer", &outcome->writer, err));
    LITH_TRY(number_read(r, place, object, "files_before", &outcome->files_before, err));
    LITH_TRY(number_read(r, place, object, "files_after", &outcome->files_after, err));
    LITH_TRY(text_read(r, place, object, "verdict", &outcome->verdict, err));
    outcome->settled = lith_json_bool_of(lith_json_get(object, "settled"));
    memcpy(outcome->live_hash, live, sizeof(outcome->live_hash));
    memcpy(outcome->policy_hash, policy, sizeof(outcome->policy_hash));
    outcome->raw = unknown_of(r, object, lith_outcome_fields);
    m->has_outcome = true;
    return LITH_OK;
}

static enum lith_code quarantine_read(struct reader *r, const struct lith_json *ours,
                                      struct lith_manifest *m, struct lith_err *err)
{
    void *rows = NULL;

    LITH_TRY(
        rows_make(r, ours, "quarantine", sizeof(*m->quarantine), &rows, &m->quarantine_count, err));
    m->quarantine = rows;
    for (size_t i = 0; i < m->quarantine_count; i++) {
        const struct lith_json *object = lith_json_at(lith_json_get(ours, "quarantine"), i);
        struct lith_quarantine *entry = &m->quarantine[i];
        struct place place = {"quarantine", i};
        LITH_TRY(object_check(r, place, object, err));
        LITH_TRY(text_read(r, place, object, "name", &entry->name, err));
        LITH_TRY(name_check(r, place, entry->name, err));
        LITH_TRY(text_maybe(r, place, object, "etag", &entry->etag, err));
        LITH_TRY(text_read(r, place, object, "reason", &entry->reason, err));
        LITH_TRY(time_read(r, place, object, "since", &entry->since_ns, err));
        entry->raw = unknown_of(r, object, lith_quarantine_fields);
    }
    return LITH_OK;
}

/* A foreign manifest has the names of the plain field `files`, and nothing else. */
static enum lith_code names_read(struct reader *r, struct lith_manifest *m, struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;

    LITH_TRY(table_begin(r, TABLE_NAMES, sizeof(*m->files), &walk, &rows, &m->file_count, err));
    m->files = rows;
    for (size_t i = 0; i < m->file_count; i++)
        LITH_TRY(name_copy(r, &walk, (struct place){"files", i}, &m->files[i].name, err));
    return LITH_OK;
}

static enum lith_code files_read(struct reader *r, struct lith_manifest *m, struct lith_err *err)
{
    struct lith_json_walk walk;
    size_t name_count;
    void *rows;

    LITH_TRY(entries_read(r, TABLE_FILES, &lith_entry_live, &m->files, &m->file_count, err));
    LITH_TRY(table_begin(r, TABLE_NAMES, 0, &walk, &rows, &name_count, err));
    if (m->file_count != name_count)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files has %zu names, lithify.files has %zu",
                         r->file, name_count, m->file_count);
    for (size_t i = 0; i < name_count; i++)
        LITH_TRY(name_compare(r, &walk, (struct place){"files", i}, m->files[i].name, err));
    return LITH_OK;
}

static enum lith_code ours_read(struct reader *r, const struct lith_json *ours,
                                struct lith_manifest *m, struct lith_err *err)
{
    struct place place = {"lithify", 0};
    uint64_t format = 0;
    const char *pid = NULL;

    LITH_TRY(object_check(r, place, ours, err));
    LITH_TRY(number_read(r, place, ours, "format", &format, err));
    if (format != 1)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "%s: format %llu; this version knows 1: use a newer Lithify", r->file,
                         (unsigned long long)format);
    LITH_TRY(hex_read(r, place, ours, "pid", 8, &pid, err));
    memcpy(m->pid, pid, sizeof(m->pid));
    LITH_TRY(number_read(r, place, ours, "epoch", &m->epoch, err));
    LITH_TRY(hex_read(r, place, ours, "commit_id", 32, &m->commit_id, err));
    LITH_TRY(time_read(r, place, ours, "committed_at", &m->committed_at_ns, err));
    LITH_TRY(files_read(r, m, err));
    LITH_TRY(log_read(r, ours, m, err));
    LITH_TRY(
        entries_read(r, TABLE_RETIRED, &lith_entry_retired, &m->retired, &m->retired_count, err));
    LITH_TRY(entries_read(r, TABLE_GONE, &lith_entry_gone, &m->gone, &m->gone_count, err));
    LITH_TRY(condemned_read(r, m, err));
    LITH_TRY(outcome_read(r, ours, m, err));
    LITH_TRY(quarantine_read(r, ours, m, err));
    m->raw_ours = unknown_of(r, ours, lith_ours_fields);
    return LITH_OK;
}

static enum lith_code root_read(struct reader *r, const struct lith_json *root,
                                const struct lith_json *ours, struct lith_manifest *m,
                                struct lith_err *err)
{
    struct place place = {"manifest", 0};

    m->foreign = !ours;
    if (ours || lith_json_get(root, "generation"))
        LITH_TRY(number_read(r, place, root, "generation", &m->generation, err));
    if (!r->tables[TABLE_NAMES].text)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files: an array expected", r->file);
    if (ours)
        LITH_TRY(ours_read(r, ours, m, err));
    else
        LITH_TRY(names_read(r, m, err));
    m->raw = unknown_of(r, root, lith_root_fields);
    return LITH_OK;
}

/* Which table a member is, or TABLE_COUNT. */
static enum table table_of(const char *key, bool of_root)
{
    enum table table = 0;

    while (table < TABLE_COUNT &&
           (tables_known[table].of_root != of_root || strcmp(tables_known[table].key, key) != 0))
        table++;
    return table;
}

/* The members of the root, or of its `lithify`, sorted out: tables are noted, `lithify` goes to
 * *ret_ours (of_root), all else is parsed into the object `into`. */
struct sorting {
    bool of_root;
    struct lith_json *into;
    struct lith_json_span ours;
};

static enum lith_code member_take(struct reader *r, struct sorting *sorting, const char *key,
                                  struct lith_json_span value, struct lith_err *err)
{
    enum table table = table_of(key, sorting->of_root);
    struct lith_json_span *span = table < TABLE_COUNT ? &r->tables[table] : NULL;
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
    LITH_TRY(tree_parse(r, value, &tree, &cost, err));
    if (!lith_json_set(sorting->into, key, tree)) {
        lith_mem_release(r->arena->mem, cost);
        return lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", r->file);
    }
    r->charged += cost;
    return LITH_OK;
}

static enum lith_code member_next(struct reader *r, struct sorting *sorting,
                                  struct lith_json_walk *walk, bool *ret_more, struct lith_err *err)
{
    struct lith_json_span key;
    struct lith_json_span value;
    struct lith_json *name;
    size_t cost = 0;

    if (lith_json_walk_next(walk, &key, &value, ret_more, err) != LITH_OK)
        return lith_err_prefix(err, "%s", r->file);
    if (!*ret_more)
        return LITH_OK;
    LITH_TRY(tree_parse(r, key, &name, &cost, err));
    const char *text = lith_json_text_of(name);
    enum lith_code code = LITH_OK;
    if (text)
        code = member_take(r, sorting, text, value, err);
    else
        code = lith_fail(err, LITH_E_CORRUPT, "%s: a key is no text", r->file);
    tree_drop(r, name, cost);
    return code;
}

static enum lith_code members_sort(struct reader *r, struct sorting *sorting,
                                   struct lith_json_span span, const char *what,
                                   struct lith_err *err)
{
    struct lith_json_walk walk;
    bool more = true;

    sorting->into = lith_json_object();
    if (!sorting->into)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", r->file);
    LITH_TRY(tree_keep(r, sorting->into, 0, err));
    if (!lith_json_walk_begin(&walk, span, false))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s: an object expected", r->file, what);
    while (more)
        LITH_TRY(member_next(r, sorting, &walk, &more, err));
    return LITH_OK;
}

static enum lith_code text_parse(struct reader *r, const void *data, size_t bytes,
                                 struct lith_manifest *m, struct lith_err *err)
{
    struct sorting root = {.of_root = true};
    struct sorting ours = {0};
    struct lith_json_span span;

    if (lith_json_span_of(data, bytes, &span, err) != LITH_OK)
        return lith_err_prefix(err, "%s", r->file);
    LITH_TRY(members_sort(r, &root, span, "manifest", err));
    if (root.ours.text)
        LITH_TRY(members_sort(r, &ours, root.ours, "lithify", err));
    LITH_TRY(root_read(r, root.into, ours.into, m, err));
    return lith_manifest_check(m, r->arena->mem, err);
}

enum lith_code lith_manifest_parse(const void *data, size_t bytes, const char *name,
                                   struct lith_arena *arena, struct lith_manifest *ret_manifest,
                                   struct lith_err *err)
{
    return lith_manifest_parse_listed(data, bytes, name, NULL, arena, ret_manifest, err);
}

enum lith_code lith_manifest_parse_listed(const void *data, size_t bytes, const char *name,
                                          const struct lith_listing *listing,
                                          struct lith_arena *arena,
                                          struct lith_manifest *ret_manifest, struct lith_err *err)
{
    struct reader r = {
        .file = name, .arena = arena, .listing = listing, .owned = lith_json_array()};
    struct lith_manifest m = {.name = name, .mem = arena->mem};

    if (bytes > LITH_MANIFEST_BYTES_MAX) {
        lith_json_free(r.owned);
        return lith_fail(err, LITH_E_LIMIT, "%s has %zu bytes, at most %llu are read", name, bytes,
                         (unsigned long long)LITH_MANIFEST_BYTES_MAX);
    }
    enum lith_code code = LITH_OK;
    if (r.owned)
        code = text_parse(&r, data, bytes, &m, err);
    else
        code = lith_fail(err, LITH_E_NOMEM, "out of memory for the JSON of %s", name);
    if (code == LITH_OK && r.has_unknown) {
        m.owned = r.owned;
        m.charged = r.charged;
    } else {
        lith_json_free(r.owned);
        lith_mem_release(arena->mem, r.charged);
    }
    if (code == LITH_OK)
        *ret_manifest = m;
    return code;
}

void lith_manifest_done(struct lith_manifest *m)
{
    if (m->owned) {
        lith_json_free(m->owned);
        lith_mem_release(m->mem, m->charged);
    }
    m->owned = NULL;
    m->charged = 0;
}
