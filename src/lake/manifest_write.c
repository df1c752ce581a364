/*
 * Writes a manifest as JSON, an entry a line, with memory for one entry at a time.
 *
 * Fields that this version does not know come behind the known ones of their object.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "base/utf8.h"
#include "lake/manifest_fields.h"

/* Rows gather in `to`, and go on to the sink in pieces where there is one. */
struct writer {
    struct lith_buf *to;
    struct lith_sink *sink; /* NULL: all stays in `to` */
    const struct lith_manifest *manifest;
    bool first; /* in the object that is being written: no comma yet */
    const char *const *known;
    enum lith_code code; /* of lith_json_each's callback */
    struct lith_err *err;
};

static enum lith_code put(struct writer *w, const char *text)
{
    return lith_buf_append(w->to, text, strlen(text), w->err);
}

/* Takes the value, also on failure. */
static enum lith_code put_value(struct writer *w, struct lith_json *value)
{
    LITH_AUTO(json) struct lith_json *owned = value;

    if (!owned)
        return lith_fail(w->err, LITH_E_NOMEM, "out of memory for the JSON of a manifest");
    return lith_json_write(owned, 0, w->to, w->err);
}

/* Comma, line, key and colon. */
static enum lith_code put_key(struct writer *w, const char *key)
{
    LITH_TRY(put(w, w->first ? "\n" : ",\n"));
    w->first = false;
    LITH_TRY(put_value(w, lith_json_text(key)));
    return put(w, ": ");
}

static bool is_known(const char *const *known, const char *key)
{
    for (size_t i = 0; known[i]; i++) {
        if (strcmp(known[i], key) == 0)
            return true;
    }
    return false;
}

static void put_unknown(void *ctx, const char *key, const struct lith_json *value)
{
    struct writer *w = ctx;

    if (w->code == LITH_OK && !is_known(w->known, key))
        w->code = put_key(w, key);
    else
        return;
    if (w->code == LITH_OK)
        w->code = lith_json_write(value, 0, w->to, w->err);
}

static enum lith_code put_unknowns(struct writer *w, const struct lith_json *raw,
                                   const char *const *known)
{
    w->code = LITH_OK;
    w->known = known;
    if (raw)
        lith_json_each(raw, put_unknown, w);
    return w->code;
}

struct adding {
    struct lith_json *to;
    const char *const *known;
    bool failed;
};

static void add_unknown(void *ctx, const char *key, const struct lith_json *value)
{
    struct adding *a = ctx;

    if (!is_known(a->known, key) && !lith_json_set(a->to, key, lith_json_clone(value)))
        a->failed = true;
}

/* Puts a small object, filled by the caller, with the unknown fields of `raw` added. */
static enum lith_code put_object(struct writer *w, struct lith_json *object, bool filled,
                                 const struct lith_json *raw, const char *const *known)
{
    struct adding a = {.to = object, .known = known};

    if (object && raw)
        lith_json_each(raw, add_unknown, &a);
    if (!filled || a.failed) {
        lith_json_free(object);
        object = NULL;
    }
    return put_value(w, object);
}

static struct lith_json *json_time(int64_t ns)
{
    char text[LITH_TIME_TEXT_BYTES];

    lith_time_text(ns, text);
    return lith_json_text(text);
}

static struct lith_json *json_number(uint64_t number)
{
    return number <= INT64_MAX ? lith_json_int((int64_t)number) : NULL;
}

/* JSON holds no other names, and a name that changes on its way loses a file. */
static enum lith_code name_check(struct writer *w, const char *name)
{
    const uint8_t *at = (const uint8_t *)name;
    size_t left = strlen(name);

    while (left) {
        size_t bytes = lith_utf8_character(at, left);
        if (bytes == 0)
            return lith_fail(w->err, LITH_E_UNSUPPORTED,
                             "the name %s is not UTF-8: a manifest cannot hold it; rename the file",
                             name);
        at += bytes;
        left -= bytes;
    }
    return LITH_OK;
}

static enum lith_code put_entry(struct writer *w, const struct lith_entry *entry,
                                const struct lith_entry_kind *kind)
{
    struct lith_json *object = lith_json_object();
    char crc[12];

    (void)snprintf(crc, sizeof(crc), "%08" PRIx32, entry->crc32);
    bool filled = object && lith_json_set(object, "name", lith_json_text(entry->name)) &&
                  lith_json_set(object, "size", json_number(entry->size));
    if (filled && kind->has_etag)
        filled = lith_json_set(object, "etag", lith_json_text(entry->etag));
    if (filled && entry->has_rows)
        filled = lith_json_set(object, "rows", json_number(entry->rows));
    if (filled && entry->has_crc)
        filled = lith_json_set(object, "crc32", lith_json_text(crc));
    if (filled && kind->generation_key && (!kind->generation_maybe || entry->generation))
        filled = lith_json_set(object, kind->generation_key, json_number(entry->generation));
    if (filled && kind->has_at)
        filled = lith_json_set(object, "at", json_time(entry->at_ns));
    if (filled && kind->has_commit_id)
        filled = lith_json_set(object, "commit_id", lith_json_text(entry->commit_id));
    if (filled && kind->has_set && entry->set)
        filled = lith_json_set(object, "set", json_number(entry->set));
    enum lith_code code = name_check(w, entry->name);
    if (code != LITH_OK) {
        lith_json_free(object);
        return code;
    }
    return put_object(w, object, filled, entry->raw, kind->known);
}

static enum lith_code too_large(const struct writer *w)
{
    const struct lith_manifest *m = w->manifest;
    size_t rows = m->file_count + m->retired_count + m->gone_count;

    return lith_fail(w->err, LITH_E_LIMIT,
                     "%s would name %zu files (%zu live, %zu replaced, %zu deleted) in more than "
                     "%" PRIu64 " MiB, which is the most that is written and read; gc makes room "
                     "once reader_grace is over, or let fewer files lie in one directory",
                     m->name, rows, m->file_count, m->retired_count, m->gone_count,
                     LITH_MANIFEST_BYTES_MAX / LITH_MIB);
}

/* Passes on what has gathered. */
static enum lith_code rows_pass(struct writer *w, size_t bytes_min)
{
    if (!w->sink || w->to->bytes < bytes_min)
        return LITH_OK;
    if (w->sink->written + w->to->bytes > LITH_MANIFEST_BYTES_MAX)
        return too_large(w);
    LITH_TRY(lith_sink_write(w->sink, w->to->data, w->to->bytes, w->err));
    lith_buf_clear(w->to);
    return LITH_OK;
}

/* Between the rows of a table. */
static enum lith_code put_row(struct writer *w, size_t index)
{
    LITH_TRY(rows_pass(w, LITH_FILE_BUFFER_BYTES));
    return put(w, index ? ",\n" : "\n");
}

static enum lith_code put_entries(struct writer *w, const struct lith_entry_kind *kind,
                                  const struct lith_entry *entries, size_t count)
{
    LITH_TRY(put_key(w, kind->table));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < count; i++) {
        LITH_TRY(put_row(w, i));
        LITH_TRY(put_entry(w, &entries[i], kind));
    }
    return put(w, "]");
}

static enum lith_code put_log(struct writer *w, const struct lith_manifest *m)
{
    LITH_TRY(put_key(w, "log"));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < m->log_count; i++) {
        const struct lith_log_entry *entry = &m->log[i];
        const char *op = entry->op == LITH_OP_OTHER ? entry->op_text : lith_op_name(entry->op);
        struct lith_json *object = lith_json_object();
        bool filled = object &&
                      lith_json_set(object, "generation", json_number(entry->generation)) &&
                      lith_json_set(object, "commit_id", lith_json_text(entry->commit_id)) &&
                      lith_json_set(object, "epoch", json_number(entry->epoch)) &&
                      lith_json_set(object, "op", lith_json_text(op)) &&
                      lith_json_set(object, "at", json_time(entry->at_ns)) &&
                      lith_json_set(object, "event", lith_json_bool(entry->event)) &&
                      (!entry->journal || lith_json_set(object, "journal", lith_json_bool(true)));
        enum lith_code code = put_row(w, i);
        if (code != LITH_OK) {
            lith_json_free(object);
            return code;
        }
        LITH_TRY(put_object(w, object, filled, entry->raw, lith_log_fields));
    }
    return put(w, "]");
}

static enum lith_code put_names(struct writer *w, const char *key, const void *rows, size_t count,
                                size_t row_bytes)
{
    LITH_TRY(put_key(w, key));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < count; i++) {
        const char *name = NULL;
        memcpy(&name, (const uint8_t *)rows + i * row_bytes, sizeof(name));
        LITH_TRY(put_row(w, i));
        LITH_TRY(name_check(w, name));
        LITH_TRY(put_value(w, lith_json_text(name)));
    }
    return put(w, "]");
}
static_assert(offsetof(struct lith_entry, name) == 0, "put_names reads a name at the front");

/* Only where there are some: most files join. NULL is written as an empty text. */
static bool texts_set(struct lith_json *object, const char *key, const char *const *from,
                      size_t count)
{
    if (count == 0)
        return true;
    struct lith_json *texts = lith_json_array();
    bool filled = texts != NULL;
    for (size_t i = 0; filled && i < count; i++)
        filled = lith_json_push(texts, lith_json_text(from[i] ? from[i] : ""));
    return lith_json_set(object, key, texts) && filled;
}

static enum lith_code put_outcome(struct writer *w, const struct lith_outcome *outcome)
{
    struct lith_json *object = lith_json_object();
    bool filled = object &&
                  lith_json_set(object, "live_hash", lith_json_text(outcome->live_hash)) &&
                  lith_json_set(object, "policy_hash", lith_json_text(outcome->policy_hash)) &&
                  lith_json_set(object, "writer", json_number(outcome->writer)) &&
                  lith_json_set(object, "files_before", json_number(outcome->files_before)) &&
                  lith_json_set(object, "files_after", json_number(outcome->files_after)) &&
                  lith_json_set(object, "verdict", lith_json_text(outcome->verdict)) &&
                  lith_json_set(object, "settled", lith_json_bool(outcome->settled)) &&
                  (!*outcome->sets_hash ||
                   lith_json_set(object, "sets_hash", lith_json_text(outcome->sets_hash))) &&
                  texts_set(object, "conflicts", outcome->conflicts, outcome->conflict_count) &&
                  texts_set(object, "refusals", outcome->refusals, outcome->refusal_count);
    enum lith_code code = put_key(w, "outcome");
    if (code != LITH_OK) {
        lith_json_free(object);
        return code;
    }
    return put_object(w, object, filled, outcome->raw, lith_outcome_fields);
}

static enum lith_code put_quarantine(struct writer *w, const struct lith_manifest *m)
{
    LITH_TRY(put_key(w, "quarantine"));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < m->quarantine_count; i++) {
        const struct lith_quarantine *entry = &m->quarantine[i];
        LITH_TRY(put_row(w, i));
        struct lith_json *object = lith_json_object();
        bool filled =
            object && lith_json_set(object, "name", lith_json_text(entry->name)) &&
            (!entry->etag || lith_json_set(object, "etag", lith_json_text(entry->etag))) &&
            lith_json_set(object, "reason", lith_json_text(entry->reason)) &&
            lith_json_set(object, "since", json_time(entry->since_ns));
        LITH_TRY(put_object(w, object, filled, entry->raw, lith_quarantine_fields));
    }
    return put(w, "]");
}

static enum lith_code put_handed(struct writer *w, const struct lith_handed *handed)
{
    LITH_TRY(put_key(w, "handed"));
    LITH_TRY(put(w, "{"));
    w->first = true;
    LITH_TRY(put_key(w, "parent"));
    LITH_TRY(put_value(w, lith_json_text(handed->parent)));
    LITH_TRY(put_key(w, "commit_id"));
    LITH_TRY(put_value(w, lith_json_text(handed->commit_id)));
    LITH_TRY(put_key(w, "at"));
    LITH_TRY(put_value(w, json_time(handed->at_ns)));
    LITH_TRY(put_entries(w, &lith_entry_handed, handed->files, handed->file_count));
    LITH_TRY(put_unknowns(w, handed->raw, lith_handed_fields));
    return put(w, "\n}");
}

static enum lith_code put_taken(struct writer *w, const struct lith_manifest *m)
{
    LITH_TRY(put_key(w, "taken"));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < m->taken_count; i++) {
        const struct lith_taken *taken = &m->taken[i];
        LITH_TRY(put_row(w, i));
        struct lith_json *object = lith_json_object();
        bool filled = object &&
                      lith_json_set(object, "commit_id", lith_json_text(taken->commit_id)) &&
                      lith_json_set(object, "at", json_time(taken->at_ns));
        LITH_TRY(put_object(w, object, filled, taken->raw, lith_taken_fields));
    }
    return put(w, "]");
}

/* Only where there are some: in most partitions all rows belong. */
static enum lith_code put_misplaced(struct writer *w, const struct lith_manifest *m)
{
    if (m->misplaced_count == 0)
        return LITH_OK;
    LITH_TRY(put_key(w, "misplaced"));
    LITH_TRY(put(w, "["));
    for (size_t i = 0; i < m->misplaced_count; i++) {
        const struct lith_misplaced *entry = &m->misplaced[i];
        LITH_TRY(put_row(w, i));
        struct lith_json *object = lith_json_object();
        bool filled = object && lith_json_set(object, "name", lith_json_text(entry->name)) &&
                      lith_json_set(object, "etag", lith_json_text(entry->etag)) &&
                      lith_json_set(object, "rules", lith_json_text(entry->rules)) &&
                      lith_json_set(object, "reason", lith_json_text(entry->reason)) &&
                      lith_json_set(object, "since", json_time(entry->since_ns));
        LITH_TRY(put_object(w, object, filled, entry->raw, lith_misplaced_fields));
    }
    return put(w, "]");
}

static enum lith_code put_head(struct writer *w, const struct lith_manifest *m)
{
    LITH_TRY(put_key(w, "format"));
    LITH_TRY(put(w, "1"));
    LITH_TRY(put_key(w, "pid"));
    LITH_TRY(put_value(w, lith_json_text(m->pid)));
    LITH_TRY(put_key(w, "epoch"));
    LITH_TRY(put_value(w, json_number(m->epoch)));
    LITH_TRY(put_key(w, "commit_id"));
    LITH_TRY(put_value(w, lith_json_text(m->commit_id)));
    LITH_TRY(put_key(w, "committed_at"));
    return put_value(w, json_time(m->committed_at_ns));
}

static enum lith_code put_ours(struct writer *w, const struct lith_manifest *m)
{
    LITH_TRY(put_head(w, m));
    LITH_TRY(put_log(w, m));
    LITH_TRY(put_entries(w, &lith_entry_live, m->files, m->file_count));
    LITH_TRY(put_entries(w, &lith_entry_retired, m->retired, m->retired_count));
    LITH_TRY(put_entries(w, &lith_entry_gone, m->gone, m->gone_count));
    LITH_TRY(put_names(w, "condemned", m->condemned, m->condemned_count, sizeof(char *)));
    if (m->has_outcome)
        LITH_TRY(put_outcome(w, &m->outcome));
    LITH_TRY(put_quarantine(w, m));
    if (m->has_handed)
        LITH_TRY(put_handed(w, &m->handed));
    if (m->taken_count)
        LITH_TRY(put_taken(w, m));
    LITH_TRY(put_misplaced(w, m));
    if (m->lost_count)
        LITH_TRY(put_entries(w, &lith_entry_lost, m->lost, m->lost_count));
    return put_unknowns(w, m->raw_ours, lith_ours_fields);
}

static enum lith_code put_all(struct writer *w, const struct lith_manifest *m)
{
    LITH_TRY(put(w, "{"));
    LITH_TRY(put_key(w, "generation"));
    LITH_TRY(put_value(w, json_number(m->generation)));
    LITH_TRY(put_names(w, "files", m->files, m->file_count, sizeof(*m->files)));
    LITH_TRY(put_unknowns(w, m->raw, lith_root_fields));
    if (!m->foreign) {
        LITH_TRY(put_key(w, "lithify"));
        LITH_TRY(put(w, "{"));
        w->first = true;
        LITH_TRY(put_ours(w, m));
        LITH_TRY(put(w, "\n}"));
    }
    return put(w, "\n}\n");
}

enum lith_code lith_manifest_write(const struct lith_manifest *m, struct lith_buf *to,
                                   struct lith_err *err)
{
    struct writer w = {.to = to, .first = true, .err = err, .manifest = m};

    LITH_TRY(lith_manifest_check(m, to->mem, err));
    return put_all(&w, m);
}

enum lith_code lith_manifest_put(const struct lith_manifest *m, struct lith_sink *sink,
                                 struct lith_mem *mem, struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf rows;
    struct writer w = {.to = &rows, .sink = sink, .first = true, .err = err, .manifest = m};

    lith_buf_init(&rows, mem, LITH_MANIFEST_BYTES_MAX);
    LITH_TRY(lith_manifest_check(m, mem, err));
    LITH_TRY(put_all(&w, m));
    return rows_pass(&w, 0);
}
