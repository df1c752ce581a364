/*
 * Reads a manifest: JSON into tables, every field checked, nothing guessed (P9).
 *
 * What is known is copied into the arena. A row's tree goes again at once (manifest_outline.h)
 * unless it has fields that this version does not know: those must survive a rewrite.
 */
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "lake/manifest_fields.h"
#include "lake/manifest_outline.h"

/* Where a value stands, for errors. */
struct place {
    const char *table;
    size_t index;
};

#define PLACE_TEXT "%s: %s[%zu].%s: "
#define PLACE_ARGS(r, place, key) (r)->file, (place).table, (place).index, (key)

/* A text, `same` itself where it is equal to that, else a copy. */
static enum lith_code text_share(struct lith_manifest_reader *r, struct place place,
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

static enum lith_code text_read(struct lith_manifest_reader *r, struct place place,
                                const struct lith_json *object, const char *key,
                                const char **ret_text, struct lith_err *err)
{
    return text_share(r, place, object, key, NULL, ret_text, err);
}

/* An absent text is NULL. */
static enum lith_code text_maybe(struct lith_manifest_reader *r, struct place place,
                                 const struct lith_json *object, const char *key,
                                 const char **ret_text, struct lith_err *err)
{
    if (lith_json_get(object, key))
        return text_read(r, place, object, key, ret_text, err);
    *ret_text = NULL;
    return LITH_OK;
}

static enum lith_code number_read(struct lith_manifest_reader *r, struct place place,
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

static enum lith_code time_read(struct lith_manifest_reader *r, struct place place,
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
static enum lith_code hex_read(struct lith_manifest_reader *r, struct place place,
                               const struct lith_json *object, const char *key, size_t digits,
                               const char **ret_text, struct lith_err *err)
{
    const char *text = NULL;

    LITH_TRY(text_read(r, place, object, key, &text, err));
    if (!hex_is(text, digits))
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "%zu lower-case hex digits expected",
                         PLACE_ARGS(r, place, key), digits);
    *ret_text = text;
    return LITH_OK;
}

static enum lith_code crc_read(struct lith_manifest_reader *r, struct place place,
                               const struct lith_json *object, uint32_t *ret_crc,
                               struct lith_err *err)
{
    const char *text = NULL;
    uint32_t crc = 0;

    LITH_TRY(hex_read(r, place, object, "crc32", 8, &text, err));
    for (size_t i = 0; i < 8; i++)
        crc = crc * 16 + (uint32_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    *ret_crc = crc;
    return LITH_OK;
}

static enum lith_code name_check(struct lith_manifest_reader *r, struct place place,
                                 const char *name, struct lith_err *err)
{
    if (!lith_name_is_data(name) || strchr(name, '/'))
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s: %s[%zu]: \"%s\" is not the bare name of a data file", r->file,
                         place.table, place.index, name);
    return LITH_OK;
}

/* The object itself when it has members beyond the known ones, else NULL. */
static const struct lith_json *unknown_of(struct lith_manifest_reader *r,
                                          const struct lith_json *object, const char *const *known)
{
    size_t found = 0;

    for (size_t i = 0; known[i]; i++)
        found += lith_json_get(object, known[i]) != NULL;
    if (found == lith_json_count(object))
        return NULL;
    r->has_unknown = true;
    return object;
}

static enum lith_code object_check(struct lith_manifest_reader *r, struct place place,
                                   const struct lith_json *object, struct lith_err *err)
{
    if (!lith_json_is_object(object))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s[%zu]: an object expected", r->file,
                         place.table, place.index);
    return LITH_OK;
}

/* The table's rows, cleared; an absent table is empty. */
static enum lith_code rows_make(struct lith_manifest_reader *r, const struct lith_json *parent,
                                const char *key, size_t row_bytes, void **ret_rows,
                                size_t *ret_count, struct lith_err *err)
{
    const struct lith_json *table = lith_json_get(parent, key);

    if (table && !lith_json_is_array(table))
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s: an array expected", r->file, key);
    size_t count = table ? lith_json_count(table) : 0;
    LITH_TRY(lith_arena_array(r->arena, count, row_bytes, ret_rows, err));
    *ret_count = count;
    return LITH_OK;
}

/* The next row of a table of bare names; the name lives as long as *ret_tree. */
static enum lith_code name_parse(struct lith_manifest_reader *r, struct lith_json_walk *walk,
                                 struct place place, struct lith_json **ret_tree, size_t *ret_cost,
                                 struct lith_err *err)
{
    LITH_TRY(lith_manifest_row_parse(r, walk, ret_tree, ret_cost, err));
    const char *text = lith_json_text_of(*ret_tree);
    enum lith_code code = name_check(r, place, text ? text : "", err);
    if (code != LITH_OK)
        lith_manifest_tree_drop(r, *ret_tree, *ret_cost);
    return code;
}

static enum lith_code name_copy(struct lith_manifest_reader *r, struct lith_json_walk *walk,
                                struct place place, const char **ret_name, struct lith_err *err)
{
    struct lith_json *tree;
    size_t cost = 0;
    void *copy = NULL;

    LITH_TRY(name_parse(r, walk, place, &tree, &cost, err));
    const char *text = lith_json_text_of(tree);
    enum lith_code code = lith_arena_copy(r->arena, text, strlen(text), &copy, err);
    lith_manifest_tree_drop(r, tree, cost);
    *ret_name = copy;
    return code;
}

/* The plain field `files` has the same names in the same order. */
static enum lith_code name_compare(struct lith_manifest_reader *r, struct lith_json_walk *walk,
                                   struct place place, const char *name, struct lith_err *err)
{
    enum lith_code code = LITH_OK;
    struct lith_json *tree;
    size_t cost = 0;

    LITH_TRY(name_parse(r, walk, place, &tree, &cost, err));
    if (strcmp(lith_json_text_of(tree), name) != 0)
        code = lith_fail(err, LITH_E_CORRUPT, "%s: files[%zu] is %s, lithify.files[%zu] is %s",
                         r->file, place.index, lith_json_text_of(tree), place.index, name);
    lith_manifest_tree_drop(r, tree, cost);
    return code;
}

/* Commits bring in many files each; one copy of their id is enough. */
static enum lith_code id_read(struct lith_manifest_reader *r, struct place place,
                              const struct lith_json *object, const char **ret_id,
                              struct lith_err *err)
{
    const char *text = lith_json_text_of(lith_json_get(object, "commit_id"));

    if (!text || !r->last_id || strcmp(text, r->last_id) != 0)
        LITH_TRY(text_read(r, place, object, "commit_id", &r->last_id, err));
    *ret_id = r->last_id;
    return LITH_OK;
}

static enum lith_code set_read(struct lith_manifest_reader *r, struct place place,
                               const struct lith_json *object, uint16_t *ret_set,
                               struct lith_err *err)
{
    uint64_t set = 0;

    if (lith_json_get(object, "set"))
        LITH_TRY(number_read(r, place, object, "set", &set, err));
    if (set > UINT16_MAX)
        return lith_fail(err, LITH_E_CORRUPT, PLACE_TEXT "at most %u expected",
                         PLACE_ARGS(r, place, "set"), (unsigned)UINT16_MAX);
    *ret_set = (uint16_t)set;
    return LITH_OK;
}

/* The listed object that an entry names, or NULL. */
static const struct lith_object *listed_as(const struct lith_manifest_reader *r,
                                           const struct lith_json *entry)
{
    const char *name = lith_json_text_of(lith_json_get(entry, "name"));

    return name && r->listing ? lith_listing_find(r->listing, name) : NULL;
}

static enum lith_code entry_read(struct lith_manifest_reader *r, struct place place,
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
    if (kind->has_set)
        LITH_TRY(set_read(r, place, object, &entry->set, err));
    entry->raw = unknown_of(r, object, kind->known);
    return LITH_OK;
}

/* One row of a table, whose tree stays where it has fields unknown to us. */
static enum lith_code entry_take(struct lith_manifest_reader *r, struct place place,
                                 struct lith_json_walk *walk, const struct lith_entry_kind *kind,
                                 struct lith_entry *entry, struct lith_err *err)
{
    struct lith_json *tree;
    size_t cost = 0;

    LITH_TRY(lith_manifest_row_parse(r, walk, &tree, &cost, err));
    enum lith_code code = entry_read(r, place, tree, kind, entry, err);
    if (code == LITH_OK && entry->raw)
        return lith_manifest_tree_keep(r, tree, cost, err);
    lith_manifest_tree_drop(r, tree, cost);
    return code;
}

static enum lith_code entries_read(struct lith_manifest_reader *r, enum lith_manifest_table table,
                                   const struct lith_entry_kind *kind,
                                   struct lith_entry **ret_entries, size_t *ret_count,
                                   struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;
    size_t count = 0;

    LITH_TRY(
        lith_manifest_table_begin(r, table, sizeof(struct lith_entry), &walk, &rows, &count, err));
    struct lith_entry *entries = rows;
    for (size_t i = 0; i < count; i++)
        LITH_TRY(entry_take(r, (struct place){kind->table, i}, &walk, kind, &entries[i], err));
    *ret_entries = entries;
    *ret_count = count;
    return LITH_OK;
}

static enum lith_code log_read(struct lith_manifest_reader *r, const struct lith_json *ours,
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

static enum lith_code condemned_read(struct lith_manifest_reader *r, struct lith_manifest *m,
                                     struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;

    LITH_TRY(lith_manifest_table_begin(r, LITH_TABLE_CONDEMNED, sizeof(*m->condemned), &walk, &rows,
                                       &m->condemned_count, err));
    m->condemned = rows;
    for (size_t i = 0; i < m->condemned_count; i++)
        LITH_TRY(name_copy(r, &walk, (struct place){"condemned", i}, &m->condemned[i], err));
    return LITH_OK;
}

/* Absent: none. Empty texts become NULL. */
static enum lith_code texts_read(struct lith_manifest_reader *r, const struct lith_json *outcome,
                                 const char *key, const char *const **ret_texts, size_t *ret_count,
                                 struct lith_err *err)
{
    const struct lith_json *from = lith_json_get(outcome, key);
    const char **texts;
    void *block;

    LITH_TRY(rows_make(r, outcome, key, sizeof(*texts), &block, ret_count, err));
    texts = block;
    for (size_t i = 0; i < *ret_count; i++) {
        const char *text = lith_json_text_of(lith_json_at(from, i));
        if (!text)
            return lith_fail(err, LITH_E_CORRUPT, "%s: outcome: %s[%zu]: a text expected", r->file,
                             key, i);
        if (!*text)
            continue;
        LITH_TRY(lith_arena_copy(r->arena, text, strlen(text), &block, err));
        texts[i] = block;
    }
    *ret_texts = texts;
    return LITH_OK;
}

static enum lith_code outcome_read(struct lith_manifest_reader *r, const struct lith_json *ours,
                                   struct lith_manifest *m, struct lith_err *err)
{
    const struct lith_json *object = lith_json_get(ours, "outcome");
    struct lith_outcome *outcome = &m->outcome;
    struct place place = {"outcome", 0};
    const char *live = NULL;
    const char *policy = NULL;
    const char *sets = "";

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
    if (lith_json_get(object, "sets_hash"))
        LITH_TRY(hex_read(r, place, object, "sets_hash", 32, &sets, err));
    memcpy(outcome->sets_hash, sets, strlen(sets) + 1);
    LITH_TRY(
        texts_read(r, object, "conflicts", &outcome->conflicts, &outcome->conflict_count, err));
    LITH_TRY(texts_read(r, object, "refusals", &outcome->refusals, &outcome->refusal_count, err));
    outcome->raw = unknown_of(r, object, lith_outcome_fields);
    m->has_outcome = true;
    return LITH_OK;
}

static enum lith_code quarantine_read(struct lith_manifest_reader *r, const struct lith_json *ours,
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
static enum lith_code names_read(struct lith_manifest_reader *r, struct lith_manifest *m,
                                 struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;

    LITH_TRY(lith_manifest_table_begin(r, LITH_TABLE_NAMES, sizeof(*m->files), &walk, &rows,
                                       &m->file_count, err));
    m->files = rows;
    for (size_t i = 0; i < m->file_count; i++)
        LITH_TRY(name_copy(r, &walk, (struct place){"files", i}, &m->files[i].name, err));
    return LITH_OK;
}

static enum lith_code files_read(struct lith_manifest_reader *r, struct lith_manifest *m,
                                 struct lith_err *err)
{
    struct lith_json_walk walk;
    size_t name_count;
    void *rows;

    LITH_TRY(entries_read(r, LITH_TABLE_FILES, &lith_entry_live, &m->files, &m->file_count, err));
    LITH_TRY(lith_manifest_table_begin(r, LITH_TABLE_NAMES, 0, &walk, &rows, &name_count, err));
    if (m->file_count != name_count)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files has %zu names, lithify.files has %zu",
                         r->file, name_count, m->file_count);
    for (size_t i = 0; i < name_count; i++)
        LITH_TRY(name_compare(r, &walk, (struct place){"files", i}, m->files[i].name, err));
    return LITH_OK;
}

static enum lith_code ours_read(struct lith_manifest_reader *r, const struct lith_json *ours,
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
    LITH_TRY(entries_read(r, LITH_TABLE_RETIRED, &lith_entry_retired, &m->retired,
                          &m->retired_count, err));
    LITH_TRY(entries_read(r, LITH_TABLE_GONE, &lith_entry_gone, &m->gone, &m->gone_count, err));
    LITH_TRY(condemned_read(r, m, err));
    LITH_TRY(outcome_read(r, ours, m, err));
    LITH_TRY(quarantine_read(r, ours, m, err));
    m->raw_ours = unknown_of(r, ours, lith_ours_fields);
    return LITH_OK;
}

static enum lith_code root_read(struct lith_manifest_reader *r, const struct lith_json *root,
                                const struct lith_json *ours, struct lith_manifest *m,
                                struct lith_err *err)
{
    struct place place = {"manifest", 0};

    m->foreign = !ours;
    if (ours || lith_json_get(root, "generation"))
        LITH_TRY(number_read(r, place, root, "generation", &m->generation, err));
    if (!r->tables[LITH_TABLE_NAMES].text)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files: an array expected", r->file);
    if (ours)
        LITH_TRY(ours_read(r, ours, m, err));
    else
        LITH_TRY(names_read(r, m, err));
    m->raw = unknown_of(r, root, lith_root_fields);
    return LITH_OK;
}

static enum lith_code text_parse(struct lith_manifest_reader *r, const void *data, size_t bytes,
                                 struct lith_manifest *m, struct lith_err *err)
{
    struct lith_members root = {.of_root = true};
    struct lith_members ours = {0};
    struct lith_json_span span;

    if (lith_json_span_of(data, bytes, &span, err) != LITH_OK)
        return lith_err_prefix(err, "%s", r->file);
    LITH_TRY(lith_manifest_members(r, &root, span, "manifest", err));
    if (root.ours.text)
        LITH_TRY(lith_manifest_members(r, &ours, root.ours, "lithify", err));
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
    struct lith_manifest_reader r = {
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
