#include "sim_audit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/event_file.h"
#include "base/hash.h"

#define COMMITS_MAX 2048u

/* A commit that landed, or an event that was written. One that lands once more, on an older
 * manifest that somebody has put back by hand, is another, of another generation. */
struct commit {
    struct lith_hash128 hash; /* of its id */
    const char *id;
    uint64_t generation;
    struct sim_dir *dir; /* whose it is; NULL: it has not landed */
    uint32_t row;        /* that stands for its event; UINT32_MAX: none was written */
    bool has_event;      /* it is to have one */
    struct lith_event event;
};

struct audit {
    struct commit commits[COMMITS_MAX];
    uint32_t count;
};

static struct sim_world *audit_world;

enum lith_code __real_lith_events_write(const struct lith_event *events, size_t count,
                                        struct lith_sink *sink, const struct lith_work *work,
                                        struct lith_err *err);
enum lith_code __real_lith_events_read(struct lith_source *source, const struct lith_work *work,
                                       struct lith_arena *arena, struct lith_event **ret_events,
                                       size_t *ret_count, struct lith_err *err);
enum lith_code __real_lith_events_read_ids(struct lith_source *source, const struct lith_work *work,
                                           struct lith_arena *arena, struct lith_event **ret_events,
                                           size_t *ret_count, struct lith_err *err);
enum lith_code __wrap_lith_events_write(const struct lith_event *events, size_t count,
                                        struct lith_sink *sink, const struct lith_work *work,
                                        struct lith_err *err);
enum lith_code __wrap_lith_events_read(struct lith_source *source, const struct lith_work *work,
                                       struct lith_arena *arena, struct lith_event **ret_events,
                                       size_t *ret_count, struct lith_err *err);
enum lith_code __wrap_lith_events_read_ids(struct lith_source *source, const struct lith_work *work,
                                           struct lith_arena *arena, struct lith_event **ret_events,
                                           size_t *ret_count, struct lith_err *err);

void sim_audit_begin(struct sim_world *world)
{
    audit_world = world;
    world->audit = sim_take(world, sizeof(struct audit));
}

static struct commit *commit_of(struct sim_world *world, const char *id, uint64_t generation)
{
    struct audit *audit = world->audit;
    struct lith_hash128 hash = lith_hash128(id, strlen(id), 0);

    for (uint32_t i = 0; i < audit->count; i++) {
        if (lith_hash128_equal(audit->commits[i].hash, hash) &&
            audit->commits[i].generation == generation)
            return &audit->commits[i];
    }
    if (audit->count == COMMITS_MAX)
        abort();
    struct commit *commit = &audit->commits[audit->count++];
    *commit = (struct commit){
        .hash = hash, .id = sim_text(world, id), .generation = generation, .row = UINT32_MAX};
    return commit;
}

uint32_t sim_audit_row(struct sim_world *world, const struct lith_event *event)
{
    struct commit *commit = commit_of(world, event->commit_id, event->generation);

    if (commit->row == UINT32_MAX)
        commit->row = sim_row_of_event(world);
    return commit->row;
}

void sim_audit_commit(struct sim_dir *dir, const struct sim_manifest *manifest)
{
    struct commit *commit = commit_of(dir->world, manifest->commit_id, manifest->generation);

    if (commit->dir)
        return; /* a manifest was put in place once more */
    commit->dir = dir;
    commit->has_event = manifest->owes_event;
}

void sim_audit_settled(struct sim_world *world)
{
    const struct audit *audit = world->audit;

    for (uint32_t i = 0; i < audit->count; i++) {
        const struct commit *commit = &audit->commits[i];
        uint32_t shown = commit->row == UINT32_MAX ? 0 : sim_oracle_shown(world, commit->row);
        uint32_t wanted = commit->dir && commit->has_event;
        /* An older manifest does not know of the commits behind it. */
        bool may_miss = shown < wanted && sim_oracle_is_loose(commit->dir);
        if (shown != wanted && !may_miss)
            sim_fail(world, "%s: at rest commit %s has %u events",
                     commit->dir ? commit->dir->path : "(it never landed)", commit->id, shown);
    }
}

/* Why it was written makes its size, as in files of Parquet. */
enum lith_code __wrap_lith_events_write(const struct lith_event *events, size_t count,
                                        struct lith_sink *sink, const struct lith_work *work,
                                        struct lith_err *err)
{
    char text[256];

    if (count != 1)
        abort();
    struct commit *commit = commit_of(audit_world, events->commit_id, events->generation);
    commit->row = sim_audit_row(audit_world, events);
    commit->event = *events;
    audit_world->things[SIM_EVENTS_WRITTEN]++;
    audit_world->things[SIM_EVENTS_REPAIRED] += events->reason != NULL;
    if (audit_world->is_real)
        return __real_lith_events_write(events, count, sink, work, err);
    int bytes = snprintf(text, sizeof(text), "sim\nrow %06" PRIu32 "\nwhy %.100s\n", commit->row,
                         events->reason ? events->reason : "");
    return lith_sink_write(sink, text, (size_t)bytes, err);
}

/* The rows of a file of the series, as the events that were written last. */
enum lith_code __wrap_lith_events_read(struct lith_source *source, const struct lith_work *work,
                                       struct lith_arena *arena, struct lith_event **ret_events,
                                       size_t *ret_count, struct lith_err *err)
{
    const struct audit *audit = audit_world->audit;
    size_t count = 0;
    void *text;
    void *block;

    if (audit_world->is_real)
        return __real_lith_events_read(source, work, arena, ret_events, ret_count, err);
    LITH_TRY(lith_arena_alloc(arena, (size_t)source->size + 1, &text, err));
    LITH_TRY(lith_source_read(source, 0, text, (size_t)source->size, err));
    LITH_TRY(
        lith_arena_array(arena, (size_t)source->size / 8 + 1, sizeof(**ret_events), &block, err));
    *ret_events = block;
    for (const char *at = text; (at = strstr(at, "\nrow ")) != NULL; at++) {
        unsigned long row = strtoul(at + 5, NULL, 10);
        for (uint32_t i = 0; i < audit->count; i++) {
            if (audit->commits[i].row == row) {
                (*ret_events)[count] = audit->commits[i].event;
                (*ret_events)[count++].commit_id = audit->commits[i].id;
            }
        }
    }
    *ret_count = count;
    return LITH_OK;
}

enum lith_code __wrap_lith_events_read_ids(struct lith_source *source, const struct lith_work *work,
                                           struct lith_arena *arena, struct lith_event **ret_events,
                                           size_t *ret_count, struct lith_err *err)
{
    if (audit_world->is_real)
        return __real_lith_events_read_ids(source, work, arena, ret_events, ret_count, err);
    return __wrap_lith_events_read(source, work, arena, ret_events, ret_count, err);
}

enum lith_code sim_audit_read(struct lith_source *source, const struct lith_work *work,
                              struct lith_arena *arena, struct lith_event **ret_events,
                              size_t *ret_count, struct lith_err *err)
{
    return __real_lith_events_read(source, work, arena, ret_events, ret_count, err);
}
