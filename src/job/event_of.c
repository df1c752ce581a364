/*
 * What a manifest says of one of its commits.
 *
 * Rows of its tables bear the commit that moved them, until a later one moves them again; so of any
 * commit but the last, a list may have lost rows to others, and is left out unless rows add up.
 */
#include "job/event_of.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "lake/name_index.h"

/* Files of one list. */
struct gathered {
    const char **names;
    size_t count;
    uint64_t bytes;
    uint64_t rows;
    bool has_bytes;
    bool has_rows;
};

static enum lith_code begin(struct gathered *g, size_t room, struct lith_arena *arena,
                            struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, room + 1, sizeof(char *), &block, err));
    *g = (struct gathered){.names = block, .has_bytes = true, .has_rows = true};
    return LITH_OK;
}

static void add(struct gathered *g, const struct lith_entry *entry)
{
    g->names[g->count++] = entry->name;
    g->bytes += entry->size;
    g->rows += entry->rows;
    g->has_rows = g->has_rows && entry->has_rows;
}

/* The rows of a table that bear the commit. */
static enum lith_code of_commit(const struct lith_entry *entries, size_t count, const char *id,
                                struct lith_arena *arena, struct gathered *g, struct lith_err *err)
{
    size_t room = 0;

    for (size_t i = 0; i < count; i++)
        room += entries[i].commit_id && strcmp(entries[i].commit_id, id) == 0;
    LITH_TRY(begin(g, room, arena, err));
    for (size_t i = 0; i < count; i++) {
        if (entries[i].commit_id && strcmp(entries[i].commit_id, id) == 0)
            add(g, &entries[i]);
    }
    return LITH_OK;
}

/* What the commit wrote down as gone: of its time, which those before it do not have. */
static enum lith_code of_clean(const struct lith_manifest *m, const struct lith_log_entry *entry,
                               struct lith_arena *arena, struct gathered *g, struct lith_err *err)
{
    LITH_TRY(begin(g, m->gone_count, arena, err));
    for (size_t i = 0; i < m->gone_count; i++) {
        if (m->gone[i].at_ns == entry->at_ns)
            add(g, &m->gone[i]);
    }
    return LITH_OK;
}

/* What became condemned; sizes are those that the base knows. */
static enum lith_code of_fence(const struct lith_manifest *m, const struct lith_manifest *base,
                               struct lith_arena *arena, struct gathered *g, struct lith_err *err)
{
    struct lith_name_index before, retired;
    size_t row;

    LITH_TRY(begin(g, m->condemned_count, arena, err));
    LITH_TRY(lith_name_index_build(base->condemned, base->condemned_count, sizeof(char *), 0, arena,
                                   &before, err));
    LITH_TRY(lith_name_index_build(base->retired, base->retired_count, sizeof(*base->retired),
                                   offsetof(struct lith_entry, name), arena, &retired, err));
    for (size_t i = 0; i < m->condemned_count; i++) {
        const char *name = m->condemned[i];
        if (lith_name_index_find(&before, name, &row))
            continue;
        g->names[g->count++] = name;
        if (lith_name_index_find(&retired, name, &row))
            g->bytes += base->retired[row].size;
        else
            g->has_bytes = false; /* an output that was never committed */
    }
    return LITH_OK;
}

static enum lith_code left_out(struct lith_event *event, size_t count, struct lith_arena *arena,
                               struct lith_err *err)
{
    char *reason;

    LITH_TRY(lith_arena_format(arena, &reason, err, "the names of %zu files are left out", count));
    event->reason = reason;
    return LITH_OK;
}

static enum lith_code inputs_set(struct lith_event *event, const struct gathered *g,
                                 struct lith_arena *arena, struct lith_err *err)
{
    event->bytes_before = g->bytes;
    event->has_bytes_before = g->has_bytes;
    if (g->count > LITH_EVENT_NAMES_MAX)
        return left_out(event, g->count, arena, err);
    event->input_files = g->names;
    event->input_file_count = g->count;
    return LITH_OK;
}

static enum lith_code outputs_set(struct lith_event *event, const struct gathered *g,
                                  struct lith_arena *arena, struct lith_err *err)
{
    event->bytes_after = g->bytes;
    event->has_bytes_after = true;
    event->rows = g->rows;
    event->has_rows = g->has_rows && g->count > 0;
    if (g->count > LITH_EVENT_NAMES_MAX)
        return left_out(event, g->count, arena, err);
    event->output_files = g->names;
    event->output_file_count = g->count;
    return LITH_OK;
}

/* What moved files between tables. */
static enum lith_code moves_set(const struct lith_manifest *m, const struct lith_log_entry *entry,
                                bool is_last, struct lith_arena *arena, struct lith_event *event,
                                struct lith_err *err)
{
    struct gathered in, out;

    LITH_TRY(of_commit(m->retired, m->retired_count, entry->commit_id, arena, &in, err));
    LITH_TRY(of_commit(m->files, m->file_count, entry->commit_id, arena, &out, err));
    bool is_whole = entry->op == LITH_OP_COMPACT && in.count && out.count && in.has_rows &&
                    out.has_rows && in.rows == out.rows;
    if (!is_last && !is_whole)
        return LITH_OK;
    LITH_TRY(inputs_set(event, &in, arena, err));
    LITH_TRY(outputs_set(event, &out, arena, err));
    if (entry->op == LITH_OP_COMPACT && out.count)
        event->output_file = out.names[0];
    return LITH_OK;
}

/* So many names of lost files are told. */
#define TOLD_MAX 20

/* What a repair gave up: it stands in its own table until it is back. */
static enum lith_code losses_set(const struct lith_manifest *m, const struct lith_log_entry *entry,
                                 struct lith_arena *arena, struct lith_event *event,
                                 struct lith_err *err)
{
    struct gathered lost;
    char *names = NULL;
    char *reason;

    LITH_TRY(begin(&lost, m->lost_count, arena, err));
    for (size_t i = 0; i < m->lost_count; i++) {
        if (m->lost[i].generation == entry->generation)
            add(&lost, &m->lost[i]);
    }
    if (lost.count == 0)
        return LITH_OK;
    for (size_t i = 0; i < lost.count && i < TOLD_MAX; i++)
        LITH_TRY(lith_arena_format(arena, &names, err, "%s%s%s", names ? names : "",
                                   names ? ", " : "", lost.names[i]));
    const char *others = lost.count > TOLD_MAX ? " and others" : "";
    if (lost.rows == 0 && !lost.has_rows)
        LITH_TRY(lith_arena_format(arena, &reason, err,
                                   "lost, with rows that were never counted: %s%s", names, others));
    else
        LITH_TRY(lith_arena_format(
            arena, &reason, err, "lost, with %" PRIu64 " rows%s: %s%s", lost.rows,
            lost.has_rows ? "" : ", and others that were never counted", names, others));
    event->reason = reason;
    if (event->input_file_count)
        return LITH_OK;
    return inputs_set(event, &lost, arena, err);
}

enum lith_code lith_event_of(const struct lith_manifest *m, const struct lith_log_entry *entry,
                             const struct lith_manifest *base, struct lith_arena *arena,
                             struct lith_event *ret_event, struct lith_err *err)
{
    bool is_last = entry == &m->log[m->log_count - 1];
    struct gathered deleted;

    *ret_event = (struct lith_event){
        .time_ns = entry->at_ns,
        .kind = 3,
        .type = "compaction",
        .generation = entry->generation,
        .has_generation = true,
        .op = entry->op == LITH_OP_OTHER ? entry->op_text : lith_op_name(entry->op),
        .commit_id = entry->commit_id,
    };
    switch (entry->op) {
    case LITH_OP_ADOPT:
    case LITH_OP_COMPACT:
    case LITH_OP_FOLD:
    case LITH_OP_ROLLBACK:
    case LITH_OP_RESTORE:
    case LITH_OP_RETIRE:
    case LITH_OP_ROLLUP:
    case LITH_OP_MOVED:
        return moves_set(m, entry, is_last, arena, ret_event, err);
    case LITH_OP_REPAIR:
        LITH_TRY(moves_set(m, entry, is_last, arena, ret_event, err));
        return losses_set(m, entry, arena, ret_event, err);
    case LITH_OP_FENCE:
        if (!is_last || !base)
            return LITH_OK;
        LITH_TRY(of_fence(m, base, arena, &deleted, err));
        return inputs_set(ret_event, &deleted, arena, err);
    case LITH_OP_CLEAN:
        if (!is_last)
            return LITH_OK;
        LITH_TRY(of_clean(m, entry, arena, &deleted, err));
        return inputs_set(ret_event, &deleted, arena, err);
    case LITH_OP_LEASE:
    case LITH_OP_HAND:
    case LITH_OP_UNHAND:
    case LITH_OP_OTHER:
    case LITH_OP_COUNT:
        break;
    }
    return LITH_OK;
}

enum lith_code lith_text_as_utf8(const char *text, struct lith_arena *arena, const char **ret_text,
                                 struct lith_err *err)
{
    static const char digits[] = "0123456789ABCDEF";
    const uint8_t *from = (const uint8_t *)text;
    size_t left = strlen(text);
    void *block;

    LITH_TRY(lith_arena_array(arena, left + 1, 3, &block, err));
    char *to = block;
    while (left) {
        size_t bytes = lith_utf8_character(from, left);
        if (bytes) {
            memcpy(to, from, bytes);
            to += bytes;
        } else {
            bytes = 1;
            *to++ = '%';
            *to++ = digits[*from >> 4];
            *to++ = digits[*from & 15u];
        }
        from += bytes;
        left -= bytes;
    }
    *to = '\0';
    *ret_text = block;
    return LITH_OK;
}
