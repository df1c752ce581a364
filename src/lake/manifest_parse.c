/*
 * Reads a manifest: JSON into tables, every field checked, nothing guessed (P9).
 *
 * What is known is copied into the arena. Rows are read in place, or from a tree that goes again at
 * once (manifest_outline.h), unless it has fields that this version does not know: those must
 * survive a rewrite.
 */
#include <string.h>

#include "base/limits.h"
#include "lake/manifest_cells.h"
#include "lake/manifest_fields.h"

/* The row's tree when it has members beyond the known ones, else NULL. */
static const struct lith_json *unknown_of(struct lith_manifest_reader *r,
                                          const struct lith_json_row *row,
                                          const struct lith_json *tree)
{
    if (!row->has_unknown)
        return NULL;
    r->has_unknown = true;
    return tree;
}

static enum lith_code object_check(struct lith_manifest_reader *r, struct lith_place place,
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

/* The next name of a table, checked, in the arena; or `same` itself, where it is equal to that. */
static enum lith_code name_next(struct lith_manifest_reader *r, struct lith_json_walk *walk,
                                struct lith_place place, const char *same, const char **ret_name,
                                struct lith_err *err)
{
    struct lith_manifest_row row;
    void *copy = NULL;

    LITH_TRY(lith_manifest_row_next(r, walk, NULL, &row, err));
    size_t bytes = row.text.text ? row.text.bytes : 0;
    bool is_same = same && bytes == strlen(same) && memcmp(row.text.text, same, bytes) == 0;
    enum lith_code code = LITH_OK;
    if (!is_same)
        code = lith_arena_copy(r->arena, bytes ? row.text.text : "", bytes, &copy, err);
    if (copy)
        code = lith_manifest_name_check(r, place, copy, err);
    *ret_name = is_same ? same : copy;
    return lith_manifest_row_end(r, &row, false, code, err);
}

/* The plain field `files` has the same names in the same order. */
static enum lith_code name_compare(struct lith_manifest_reader *r, struct lith_json_walk *walk,
                                   struct lith_place place, const char *name, struct lith_err *err)
{
    const char *found = NULL;

    LITH_TRY(name_next(r, walk, place, name, &found, err));
    if (found != name)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files[%zu] is %s, lithify.files[%zu] is %s",
                         r->file, place.index, found, place.index, name);
    return LITH_OK;
}

/* Commits bring in many files each; one copy of their id is enough. */
static enum lith_code id_read(struct lith_manifest_reader *r, struct lith_place place,
                              const struct lith_json_row *row, const char **ret_id,
                              struct lith_err *err)
{
    LITH_TRY(lith_cell_text_share(r, place, row, "commit_id", r->last_id, &r->last_id, err));
    *ret_id = r->last_id;
    return LITH_OK;
}

static enum lith_code set_read(struct lith_manifest_reader *r, struct lith_place place,
                               const struct lith_json_row *row, uint16_t *ret_set,
                               struct lith_err *err)
{
    uint64_t set = 0;

    if (lith_row_has(row, "set"))
        LITH_TRY(lith_cell_number(r, place, row, "set", &set, err));
    if (set > UINT16_MAX)
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s[%zu].set: at most %u expected", r->file,
                         place.table, place.index, (unsigned)UINT16_MAX);
    *ret_set = (uint16_t)set;
    return LITH_OK;
}

/* Longer names are no shorter for being shared. */
#define LISTED_NAME_BYTES 256u

/* The listed object that an entry names, or NULL. */
static const struct lith_object *listed_as(const struct lith_manifest_reader *r,
                                           const struct lith_json_row *row)
{
    char name[LISTED_NAME_BYTES];

    if (!r->listing || !lith_cell_fits(lith_json_row_cell(row, "name"), name, sizeof(name)))
        return NULL;
    return lith_listing_find(r->listing, name);
}

static enum lith_code entry_read(struct lith_manifest_reader *r, struct lith_place place,
                                 const struct lith_json_row *row,
                                 const struct lith_entry_kind *kind, struct lith_entry *entry,
                                 struct lith_err *err)
{
    const struct lith_object *listed = listed_as(r, row);

    LITH_TRY(lith_cell_text_share(r, place, row, "name", listed ? listed->name : NULL, &entry->name,
                                  err));
    LITH_TRY(lith_manifest_name_check(r, place, entry->name, err));
    LITH_TRY(lith_cell_number(r, place, row, "size", &entry->size, err));
    entry->has_rows = lith_row_has(row, "rows");
    if (entry->has_rows)
        LITH_TRY(lith_cell_number(r, place, row, "rows", &entry->rows, err));
    entry->has_crc = lith_row_has(row, "crc32");
    if (entry->has_crc)
        LITH_TRY(lith_cell_crc32(r, place, row, &entry->crc32, err));
    if (kind->has_etag)
        LITH_TRY(lith_cell_text_share(r, place, row, "etag", listed ? listed->etag : NULL,
                                      &entry->etag, err));
    if (kind->generation_key &&
        (!kind->generation_maybe || lith_row_has(row, kind->generation_key)))
        LITH_TRY(lith_cell_number(r, place, row, kind->generation_key, &entry->generation, err));
    if (kind->has_commit_id)
        LITH_TRY(id_read(r, place, row, &entry->commit_id, err));
    if (kind->has_at)
        LITH_TRY(lith_cell_time(r, place, row, "at", &entry->at_ns, err));
    if (kind->has_set)
        LITH_TRY(set_read(r, place, row, &entry->set, err));
    return LITH_OK;
}

/* Only a row that is not plain has a tree, and only such a one may be something else. */
static enum lith_code row_check(struct lith_manifest_reader *r, struct lith_place place,
                                const struct lith_manifest_row *row, struct lith_err *err)
{
    return row->tree ? object_check(r, place, row->tree, err) : LITH_OK;
}

/* One row of a table, whose tree stays where it has fields unknown to us. */
static enum lith_code entry_take(struct lith_manifest_reader *r, struct lith_place place,
                                 struct lith_json_walk *walk, const struct lith_entry_kind *kind,
                                 struct lith_entry *entry, struct lith_err *err)
{
    struct lith_manifest_row row;

    LITH_TRY(lith_manifest_row_next(r, walk, kind->known, &row, err));
    enum lith_code code = row_check(r, place, &row, err);
    if (code == LITH_OK)
        code = entry_read(r, place, &row.cells, kind, entry, err);
    if (code == LITH_OK)
        entry->raw = unknown_of(r, &row.cells, row.tree);
    return lith_manifest_row_end(r, &row, entry->raw != NULL, code, err);
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
        LITH_TRY(entry_take(r, (struct lith_place){kind->table, i}, &walk, kind, &entries[i], err));
    *ret_entries = entries;
    *ret_count = count;
    return LITH_OK;
}

static enum lith_code log_entry_read(struct lith_manifest_reader *r, struct lith_place place,
                                     const struct lith_json_row *row, struct lith_log_entry *entry,
                                     struct lith_err *err)
{
    const struct lith_json_cell *op = lith_json_row_cell(row, "op");

    LITH_TRY(lith_cell_number(r, place, row, "generation", &entry->generation, err));
    LITH_TRY(lith_cell_hex(r, place, row, "commit_id", 32, &entry->commit_id, err));
    LITH_TRY(lith_cell_number(r, place, row, "epoch", &entry->epoch, err));
    LITH_TRY(lith_cell_time(r, place, row, "at", &entry->at_ns, err));
    entry->event = lith_row_is_true(row, "event");
    entry->journal = lith_row_is_true(row, "journal");
    entry->op = LITH_OP_ADOPT;
    while (entry->op < LITH_OP_OTHER && !lith_json_cell_is(op, lith_op_name(entry->op)))
        entry->op++;
    const char *known = entry->op < LITH_OP_OTHER ? lith_op_name(entry->op) : NULL;
    return lith_cell_text_share(r, place, row, "op", known, &entry->op_text, err);
}

static enum lith_code log_entry_take(struct lith_manifest_reader *r, struct lith_place place,
                                     struct lith_json_walk *walk, struct lith_log_entry *entry,
                                     struct lith_err *err)
{
    struct lith_manifest_row row;

    LITH_TRY(lith_manifest_row_next(r, walk, lith_log_fields, &row, err));
    enum lith_code code = row_check(r, place, &row, err);
    if (code == LITH_OK)
        code = log_entry_read(r, place, &row.cells, entry, err);
    if (code == LITH_OK)
        entry->raw = unknown_of(r, &row.cells, row.tree);
    return lith_manifest_row_end(r, &row, entry->raw != NULL, code, err);
}

static enum lith_code log_read(struct lith_manifest_reader *r, struct lith_manifest *m,
                               struct lith_err *err)
{
    struct lith_json_walk walk;
    void *rows = NULL;

    LITH_TRY(lith_manifest_table_begin(r, LITH_TABLE_LOG, sizeof(*m->log), &walk, &rows,
                                       &m->log_count, err));
    m->log = rows;
    for (size_t i = 0; i < m->log_count; i++)
        LITH_TRY(log_entry_take(r, (struct lith_place){"log", i}, &walk, &m->log[i], err));
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
        LITH_TRY(
            name_next(r, &walk, (struct lith_place){"condemned", i}, NULL, &m->condemned[i], err));
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
    struct lith_place place = {"outcome", 0};
    const char *live = NULL;
    const char *policy = NULL;
    const char *sets = "";
    struct lith_json_row row;

    if (!object)
        return LITH_OK;
    LITH_TRY(object_check(r, place, object, err));
    lith_json_row_of(object, lith_outcome_fields, &row);
    LITH_TRY(lith_cell_hex(r, place, &row, "live_hash", 32, &live, err));
    LITH_TRY(lith_cell_hex(r, place, &row, "policy_hash", 32, &policy, err));
    LITH_TRY(lith_cell_number(r, place, &row, "writer", &outcome->writer, err));
    LITH_TRY(lith_cell_number(r, place, &row, "files_before", &outcome->files_before, err));
    LITH_TRY(lith_cell_number(r, place, &row, "files_after", &outcome->files_after, err));
    LITH_TRY(lith_cell_text(r, place, &row, "verdict", &outcome->verdict, err));
    outcome->settled = lith_row_is_true(&row, "settled");
    memcpy(outcome->live_hash, live, sizeof(outcome->live_hash));
    memcpy(outcome->policy_hash, policy, sizeof(outcome->policy_hash));
    if (lith_row_has(&row, "sets_hash"))
        LITH_TRY(lith_cell_hex(r, place, &row, "sets_hash", 32, &sets, err));
    memcpy(outcome->sets_hash, sets, strlen(sets) + 1);
    LITH_TRY(
        texts_read(r, object, "conflicts", &outcome->conflicts, &outcome->conflict_count, err));
    LITH_TRY(texts_read(r, object, "refusals", &outcome->refusals, &outcome->refusal_count, err));
    outcome->raw = unknown_of(r, &row, object);
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
        struct lith_place place = {"quarantine", i};
        struct lith_json_row row;
        LITH_TRY(object_check(r, place, object, err));
        lith_json_row_of(object, lith_quarantine_fields, &row);
        LITH_TRY(lith_cell_text(r, place, &row, "name", &entry->name, err));
        LITH_TRY(lith_manifest_name_check(r, place, entry->name, err));
        LITH_TRY(lith_cell_text_maybe(r, place, &row, "etag", &entry->etag, err));
        LITH_TRY(lith_cell_text(r, place, &row, "reason", &entry->reason, err));
        LITH_TRY(lith_cell_time(r, place, &row, "since", &entry->since_ns, err));
        entry->raw = unknown_of(r, &row, object);
    }
    return LITH_OK;
}

static enum lith_code handed_read(struct lith_manifest_reader *r, const struct lith_json *ours,
                                  struct lith_manifest *m, struct lith_err *err)
{
    const struct lith_json *object = lith_json_get(ours, "handed");
    struct lith_handed *handed = &m->handed;
    struct lith_place place = {"handed", 0};
    struct lith_json_row row;
    void *block;

    if (!object)
        return LITH_OK;
    LITH_TRY(object_check(r, place, object, err));
    lith_json_row_of(object, lith_handed_fields, &row);
    LITH_TRY(lith_cell_text(r, place, &row, "parent", &handed->parent, err));
    LITH_TRY(lith_cell_hex(r, place, &row, "commit_id", 32, &handed->commit_id, err));
    LITH_TRY(lith_cell_time(r, place, &row, "at", &handed->at_ns, err));
    handed->raw = unknown_of(r, &row, object);
    LITH_TRY(
        rows_make(r, object, "files", sizeof(*handed->files), &block, &handed->file_count, err));
    struct lith_entry *files = block;
    for (size_t i = 0; i < handed->file_count; i++) {
        const struct lith_json *file = lith_json_at(lith_json_get(object, "files"), i);
        place = (struct lith_place){"handed.files", i};
        LITH_TRY(object_check(r, place, file, err));
        lith_json_row_of(file, lith_entry_handed.known, &row);
        LITH_TRY(entry_read(r, place, &row, &lith_entry_handed, &files[i], err));
        files[i].raw = unknown_of(r, &row, file);
    }
    handed->files = files;
    m->has_handed = true;
    return LITH_OK;
}

static enum lith_code taken_read(struct lith_manifest_reader *r, const struct lith_json *ours,
                                 struct lith_manifest *m, struct lith_err *err)
{
    void *rows = NULL;

    LITH_TRY(rows_make(r, ours, "taken", sizeof(*m->taken), &rows, &m->taken_count, err));
    struct lith_taken *taken = rows;
    for (size_t i = 0; i < m->taken_count; i++) {
        const struct lith_json *object = lith_json_at(lith_json_get(ours, "taken"), i);
        struct lith_place place = {"taken", i};
        struct lith_json_row row;
        LITH_TRY(object_check(r, place, object, err));
        lith_json_row_of(object, lith_taken_fields, &row);
        LITH_TRY(lith_cell_hex(r, place, &row, "commit_id", 32, &taken[i].commit_id, err));
        LITH_TRY(lith_cell_time(r, place, &row, "at", &taken[i].at_ns, err));
        taken[i].raw = unknown_of(r, &row, object);
    }
    m->taken = taken;
    return LITH_OK;
}

static enum lith_code misplaced_read(struct lith_manifest_reader *r, const struct lith_json *ours,
                                     struct lith_manifest *m, struct lith_err *err)
{
    void *rows = NULL;

    LITH_TRY(
        rows_make(r, ours, "misplaced", sizeof(*m->misplaced), &rows, &m->misplaced_count, err));
    m->misplaced = rows;
    for (size_t i = 0; i < m->misplaced_count; i++) {
        const struct lith_json *object = lith_json_at(lith_json_get(ours, "misplaced"), i);
        struct lith_misplaced *entry = &m->misplaced[i];
        struct lith_place place = {"misplaced", i};
        struct lith_json_row row;
        LITH_TRY(object_check(r, place, object, err));
        lith_json_row_of(object, lith_misplaced_fields, &row);
        LITH_TRY(lith_cell_text(r, place, &row, "name", &entry->name, err));
        LITH_TRY(lith_manifest_name_check(r, place, entry->name, err));
        LITH_TRY(lith_cell_text(r, place, &row, "etag", &entry->etag, err));
        LITH_TRY(lith_cell_hex(r, place, &row, "rules", 32, &entry->rules, err));
        LITH_TRY(lith_cell_text(r, place, &row, "reason", &entry->reason, err));
        LITH_TRY(lith_cell_time(r, place, &row, "since", &entry->since_ns, err));
        entry->raw = unknown_of(r, &row, object);
    }
    return LITH_OK;
}

static enum lith_code lost_read(struct lith_manifest_reader *r, const struct lith_json *ours,
                                struct lith_manifest *m, struct lith_err *err)
{
    void *rows = NULL;

    LITH_TRY(rows_make(r, ours, "lost", sizeof(*m->lost), &rows, &m->lost_count, err));
    m->lost = rows;
    for (size_t i = 0; i < m->lost_count; i++) {
        const struct lith_json *object = lith_json_at(lith_json_get(ours, "lost"), i);
        struct lith_place place = {"lost", i};
        struct lith_json_row row;
        LITH_TRY(object_check(r, place, object, err));
        lith_json_row_of(object, lith_entry_lost.known, &row);
        LITH_TRY(entry_read(r, place, &row, &lith_entry_lost, &m->lost[i], err));
        m->lost[i].raw = unknown_of(r, &row, object);
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
        LITH_TRY(
            name_next(r, &walk, (struct lith_place){"files", i}, NULL, &m->files[i].name, err));
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
        LITH_TRY(name_compare(r, &walk, (struct lith_place){"files", i}, m->files[i].name, err));
    return LITH_OK;
}

static enum lith_code ours_read(struct lith_manifest_reader *r, const struct lith_json *ours,
                                struct lith_manifest *m, struct lith_err *err)
{
    struct lith_place place = {"lithify", 0};
    uint64_t format = 0;
    const char *pid = NULL;
    struct lith_json_row row;

    lith_json_row_of(ours, lith_ours_fields, &row);
    LITH_TRY(lith_cell_number(r, place, &row, "format", &format, err));
    if (format != 1)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "%s: format %llu; this version knows 1: use a newer Lithify", r->file,
                         (unsigned long long)format);
    LITH_TRY(lith_cell_hex(r, place, &row, "pid", 8, &pid, err));
    memcpy(m->pid, pid, sizeof(m->pid));
    LITH_TRY(lith_cell_number(r, place, &row, "epoch", &m->epoch, err));
    LITH_TRY(lith_cell_hex(r, place, &row, "commit_id", 32, &m->commit_id, err));
    LITH_TRY(lith_cell_time(r, place, &row, "committed_at", &m->committed_at_ns, err));
    LITH_TRY(files_read(r, m, err));
    LITH_TRY(log_read(r, m, err));
    LITH_TRY(entries_read(r, LITH_TABLE_RETIRED, &lith_entry_retired, &m->retired,
                          &m->retired_count, err));
    LITH_TRY(entries_read(r, LITH_TABLE_GONE, &lith_entry_gone, &m->gone, &m->gone_count, err));
    LITH_TRY(condemned_read(r, m, err));
    LITH_TRY(outcome_read(r, ours, m, err));
    LITH_TRY(quarantine_read(r, ours, m, err));
    LITH_TRY(handed_read(r, ours, m, err));
    LITH_TRY(taken_read(r, ours, m, err));
    LITH_TRY(misplaced_read(r, ours, m, err));
    LITH_TRY(lost_read(r, ours, m, err));
    m->raw_ours = unknown_of(r, &row, ours);
    return LITH_OK;
}

static enum lith_code root_read(struct lith_manifest_reader *r, const struct lith_json *root,
                                const struct lith_json *ours, struct lith_manifest *m,
                                struct lith_err *err)
{
    struct lith_place place = {"manifest", 0};
    struct lith_json_row row;

    m->foreign = !ours;
    lith_json_row_of(root, lith_root_fields, &row);
    if (ours || lith_row_has(&row, "generation"))
        LITH_TRY(lith_cell_number(r, place, &row, "generation", &m->generation, err));
    if (!r->tables[LITH_TABLE_NAMES].text)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files: an array expected", r->file);
    if (ours)
        LITH_TRY(ours_read(r, ours, m, err));
    else
        LITH_TRY(names_read(r, m, err));
    m->raw = unknown_of(r, &row, root);
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
