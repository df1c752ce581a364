/*
 * The manifest as tables: its invariants, its look-ups, the hash of a live set.
 */
#include "base/limits.h"
#include "lake/manifest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lake/manifest_fields.h"
#include "lake/name_index.h"

static const char *const live_fields[] = {"name", "size",  "etag",      "rows", "crc32",
                                          "set",  "since", "commit_id", NULL};
static const char *const retired_fields[] = {"name",       "size", "etag",      "rows", "crc32",
                                             "generation", "at",   "commit_id", NULL};
static const char *const gone_fields[] = {"name",       "size", "rows", "crc32",
                                          "generation", "at",   NULL};

const struct lith_entry_kind lith_entry_live = {.table = "files",
                                                .known = live_fields,
                                                .generation_key = "since",
                                                .has_etag = true,
                                                .has_commit_id = true,
                                                .has_set = true};
const struct lith_entry_kind lith_entry_retired = {.table = "retired",
                                                   .known = retired_fields,
                                                   .generation_key = "generation",
                                                   .has_etag = true,
                                                   .has_commit_id = true,
                                                   .has_at = true};
const struct lith_entry_kind lith_entry_gone = {.table = "gone",
                                                .known = gone_fields,
                                                .generation_key = "generation",
                                                .generation_maybe = true,
                                                .has_at = true};

const struct lith_entry_kind lith_entry_lost = {.table = "lost",
                                                .known = retired_fields,
                                                .generation_key = "generation",
                                                .has_etag = true,
                                                .has_commit_id = true,
                                                .has_at = true};

static const char *const handed_fields[] = {"name", "size", "rows", "crc32", NULL};
const struct lith_entry_kind lith_entry_handed = {.table = "files", .known = handed_fields};

const char *const lith_root_fields[] = {"generation", "files", "lithify", NULL};
const char *const lith_ours_fields[] = {
    "format",    "pid",  "epoch",     "commit_id", "committed_at", "log",    "files",
    "retired",   "gone", "condemned", "outcome",   "quarantine",   "handed", "taken",
    "misplaced", "lost", NULL};
const char *const lith_log_fields[] = {"generation", "commit_id", "epoch",   "op",
                                       "at",         "event",     "journal", NULL};
const char *const lith_outcome_fields[] = {"live_hash",   "policy_hash", "writer",  "files_before",
                                           "files_after", "verdict",     "settled", "sets_hash",
                                           "conflicts",   "refusals",    NULL};
const char *const lith_quarantine_fields[] = {"name", "etag", "reason", "since", NULL};
const char *const lith_handed_fields[] = {"parent", "commit_id", "at", "files", NULL};
const char *const lith_taken_fields[] = {"commit_id", "at", NULL};
const char *const lith_misplaced_fields[] = {"name", "etag", "rules", "reason", "since", NULL};

static const char *const op_names[] = {"adopt",  "lease",    "compact", "fold",   "fence",
                                       "clean",  "rollback", "restore", "retire", "hand",
                                       "rollup", "moved",    "unhand",  "repair", "other"};
static_assert(sizeof(op_names) / sizeof(op_names[0]) == LITH_OP_COUNT, "one name for each");

const char *lith_op_name(enum lith_op op)
{
    LITH_ASSERT(op < LITH_OP_COUNT);
    return op_names[op];
}

#define ENTRY_NAME offsetof(struct lith_entry, name)

static enum lith_code log_check(const struct lith_manifest *m, struct lith_err *err)
{
    for (size_t i = 1; i < m->log_count; i++) {
        if (m->log[i].generation <= m->log[i - 1].generation ||
            m->log[i].epoch < m->log[i - 1].epoch)
            return lith_fail(err, LITH_E_CORRUPT,
                             "%s: log[%zu]: generation %" PRIu64 " of epoch %" PRIu64
                             " after generation %" PRIu64 " of epoch %" PRIu64,
                             m->name, i, m->log[i].generation, m->log[i].epoch,
                             m->log[i - 1].generation, m->log[i - 1].epoch);
    }
    const struct lith_log_entry *last = m->log_count ? &m->log[m->log_count - 1] : NULL;
    if (!last || last->generation != m->generation || last->epoch != m->epoch ||
        strcmp(last->commit_id, m->commit_id) != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "%s: the log does not end with commit %s of generation %" PRIu64, m->name,
                         m->commit_id, m->generation);
    return LITH_OK;
}

static enum lith_code tables_check(const struct lith_manifest *m, struct lith_arena *arena,
                                   struct lith_err *err)
{
    struct lith_name_index files;
    struct lith_name_index retired;
    struct lith_name_index condemned;
    size_t row = 0;

    LITH_TRY(lith_name_index_build(m->files, m->file_count, sizeof(*m->files), ENTRY_NAME, arena,
                                   &files, err));
    LITH_TRY(lith_name_index_build(m->retired, m->retired_count, sizeof(*m->retired), ENTRY_NAME,
                                   arena, &retired, err));
    LITH_TRY(lith_name_index_build(m->condemned, m->condemned_count, sizeof(*m->condemned), 0,
                                   arena, &condemned, err));
    const char *twice = lith_name_index_double(&files);
    if (twice)
        return lith_fail(err, LITH_E_CORRUPT, "%s: files names %s twice", m->name, twice);
    twice = lith_name_index_double(&retired);
    if (twice)
        return lith_fail(err, LITH_E_CORRUPT, "%s: retired names %s twice", m->name, twice);
    twice = lith_name_index_double(&condemned);
    if (twice)
        return lith_fail(err, LITH_E_CORRUPT, "%s: condemned names %s twice", m->name, twice);
    for (size_t i = 0; m->has_handed && i < m->handed.file_count; i++) {
        if (!lith_name_index_find(&files, m->handed.files[i].name, &row))
            return lith_fail(err, LITH_E_CORRUPT, "%s: %s is in handed and not in files", m->name,
                             m->handed.files[i].name);
    }
    for (size_t i = 0; i < m->file_count; i++) {
        const char *name = m->files[i].name;
        if (lith_name_index_find(&retired, name, &row))
            return lith_fail(err, LITH_E_CORRUPT, "%s: %s is in files and in retired", m->name,
                             name);
        if (lith_name_index_find(&condemned, name, &row))
            return lith_fail(err, LITH_E_CORRUPT, "%s: %s is in files and in condemned", m->name,
                             name);
    }
    return LITH_OK;
}

enum lith_code lith_manifest_check(const struct lith_manifest *m, struct lith_mem *mem,
                                   struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;

    lith_arena_init(&scratch, mem);
    LITH_TRY(tables_check(m, &scratch, err));
    if (m->foreign)
        return LITH_OK;
    if (m->generation == 0)
        return lith_fail(err, LITH_E_CORRUPT, "%s: generation 0; the first one is 1", m->name);
    return log_check(m, err);
}

static const struct lith_entry *find(const struct lith_entry *entries, size_t count,
                                     const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    }
    return NULL;
}

const struct lith_entry *lith_manifest_live(const struct lith_manifest *m, const char *name)
{
    return find(m->files, m->file_count, name);
}

const struct lith_entry *lith_manifest_retired(const struct lith_manifest *m, const char *name)
{
    return find(m->retired, m->retired_count, name);
}

const struct lith_entry *lith_manifest_lost(const struct lith_manifest *m, const char *name,
                                            uint64_t size)
{
    for (size_t i = 0; i < m->lost_count; i++) {
        if (m->lost[i].size == size && strcmp(m->lost[i].name, name) == 0)
            return &m->lost[i];
    }
    return NULL;
}

bool lith_entry_is_before(const struct lith_entry *gone, const struct lith_entry *lost)
{
    return gone->generation ? gone->generation <= lost->generation : gone->at_ns <= lost->at_ns;
}

bool lith_manifest_lost_since(const struct lith_manifest *m, const struct lith_entry *gone)
{
    for (size_t i = 0; i < m->lost_count; i++) {
        const struct lith_entry *lost = &m->lost[i];
        if (lith_entry_is_before(gone, lost) && lith_output_name_is_of(lost->name, m->pid))
            return true;
    }
    return false;
}

bool lith_manifest_has_gone(const struct lith_manifest *m, const char *name, uint64_t size)
{
    for (size_t i = 0; i < m->gone_count; i++) {
        if (m->gone[i].size == size && strcmp(m->gone[i].name, name) == 0)
            return true;
    }
    return false;
}

bool lith_manifest_condemned(const struct lith_manifest *m, const char *name)
{
    for (size_t i = 0; i < m->condemned_count; i++) {
        if (strcmp(m->condemned[i], name) == 0)
            return true;
    }
    return false;
}

bool lith_manifest_has_commit(const struct lith_manifest *m, const char *commit_id)
{
    for (size_t i = 0; i < m->log_count; i++) {
        if (strcmp(m->log[i].commit_id, commit_id) == 0)
            return true;
    }
    return false;
}

bool lith_manifest_has_taken(const struct lith_manifest *m, const char *commit_id)
{
    for (size_t i = 0; i < m->taken_count; i++) {
        if (strcmp(m->taken[i].commit_id, commit_id) == 0)
            return true;
    }
    return false;
}

bool lith_manifest_is_handed(const struct lith_manifest *m, const char *name)
{
    return m->has_handed && find(m->handed.files, m->handed.file_count, name);
}

void lith_manifest_mark_event(struct lith_manifest *m, const char *commit_id)
{
    for (size_t i = 0; i < m->log_count; i++) {
        if (strcmp(m->log[i].commit_id, commit_id) == 0)
            m->log[i].event = true;
    }
}

void lith_manifest_log_trim(struct lith_manifest *m)
{
    size_t first = 0;

    while (m->log_count - first > LITH_LOG_COUNT_MIN && m->log[first].event &&
           !m->log[first].journal)
        first++;
    m->log += first;
    m->log_count -= first;
}

enum lith_code lith_live_hash(const struct lith_entry *entries, size_t count, struct lith_mem *mem,
                              char ret_text[33], struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_name_index index;
    struct lith_hasher *hasher;
    char size[24];

    lith_arena_init(&scratch, mem);
    LITH_TRY(
        lith_name_index_build(entries, count, sizeof(*entries), ENTRY_NAME, &scratch, &index, err));
    LITH_TRY(lith_hasher_new(mem, 0, &hasher, err));
    for (size_t i = 0; i < count; i++) {
        const struct lith_entry *entry = &entries[index.refs[i].index];
        int bytes = snprintf(size, sizeof(size), "%" PRIu64 "\n", entry->size);
        lith_hasher_add(hasher, entry->name, strlen(entry->name) + 1);
        lith_hasher_add(hasher, size, (size_t)bytes);
    }
    lith_hash128_text(lith_hasher_end(hasher), ret_text);
    lith_hasher_free(hasher);
    return LITH_OK;
}
