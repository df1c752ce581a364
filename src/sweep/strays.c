/*
 * Journals of nobody are told of, in every pass, until somebody takes them away: unknown is not
 * absent, and nobody else looks into that folder.
 */
#include "sweep/strays.h"

#include <string.h>

#include "job/findings.h"

/* Was the pass asked for all of the lake? */
static bool is_whole(const struct lith_sweep *sweep)
{
    return !sweep->partition_glob && sweep->shard_count < 2 && !sweep->change.partition;
}

static bool is_asked_for(const struct lith_sweep *sweep, const char *partition)
{
    if (!partition)
        return is_whole(sweep);
    if (sweep->change.partition && strcmp(sweep->change.partition, partition) != 0)
        return false;
    return lith_sweep_selects(sweep, partition);
}

/* A journal of nobody. */
struct stray {
    const char *path;      /* below the root */
    const char *partition; /* NULL: its name does not tell */
    const char *why;
    const char *todo;
};

static enum lith_code stray_make(const struct lith_journal_file *file, const char *partition,
                                 struct lith_arena *arena, struct stray *ret_stray,
                                 struct lith_err *err)
{
    bool is_named = file->stem_bytes > 0;
    char *path;

    LITH_TRY(lith_arena_format(arena, &path, err, LITH_JOURNAL_FOLDER "/%s/%s", file->tier,
                               file->leftover ? file->leftover : file->name));
    *ret_stray = (struct stray){
        .path = path,
        .partition = partition,
        .why = is_named ? "its partition is not there" : "it is not named as a journal",
        .todo = is_named ? "restore it, or take the journal away where it was removed on purpose"
                         : "take it away",
    };
    return LITH_OK;
}

static enum lith_code stray_report(const struct stray *stray, struct lith_arena *arena,
                                   struct lith_partition_report *report, struct lith_err *err)
{
    char *reason;

    LITH_TRY(lith_arena_format(arena, &reason, err, "journal %s: %s: %s", stray->path, stray->why,
                               stray->todo));
    report->path = stray->partition ? stray->partition : stray->path;
    report->reason = reason;
    report->state = LITH_PARTITION_BLOCKED;
    return LITH_OK;
}

static enum lith_code stray_find(const struct stray *stray, struct lith_arena *arena,
                                 struct lith_partition_report *report, struct lith_err *err)
{
    struct lith_findings findings = {.arena = arena};
    const struct lith_found found = {
        .kind = "journal", .file = stray->path, .wants_hand = true, .todo = stray->todo};

    report->path = "";
    LITH_TRY(lith_findings_add(&findings, &found, err, "%s%s%s", stray->why,
                               stray->partition ? ": " : "",
                               stray->partition ? stray->partition : ""));
    return lith_findings_report(&findings, report, err);
}

enum lith_code lith_sweep_journals_list(const struct lith_sweep *sweep, enum lith_pass kind,
                                        struct lith_arena *arena,
                                        struct lith_sweep_journals *ret_journals,
                                        struct lith_err *err)
{
    void *block;

    *ret_journals = (struct lith_sweep_journals){0};
    if (sweep->options->readers != LITH_READERS_GLOB && kind != LITH_PASS_FSCK)
        return LITH_OK;
    if (lith_journal_files_list(sweep->store, arena, &ret_journals->files, err) != LITH_OK)
        return lith_err_prefix(err, "journals of jobs that were cut off cannot be listed");
    LITH_TRY(lith_arena_array(arena, ret_journals->files.count, sizeof(bool), &block, err));
    ret_journals->met = block;
    return LITH_OK;
}

enum lith_code lith_sweep_journals_meet(const struct lith_sweep_journals *journals,
                                        const char *path, struct lith_mem *mem,
                                        struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    const char *stem;
    size_t begin = 0;

    lith_arena_init(&scratch, mem);
    if (journals->files.count == 0)
        return LITH_OK;
    LITH_TRY(lith_journal_stem(path, &scratch, &stem, err));
    size_t count = lith_journal_files_of(&journals->files, stem, &begin);
    for (size_t i = begin; i < begin + count; i++)
        journals->met[i] = true;
    return LITH_OK;
}

enum lith_code lith_strays_tell(const struct lith_sweep *sweep, enum lith_pass kind,
                                const struct lith_sweep_journals *journals, lith_partition_fn each,
                                void *ctx, struct lith_err *err)
{
    for (size_t i = 0; i < journals->files.count; i++) {
        LITH_AUTO(arena) struct lith_arena arena;
        const struct lith_journal_file *file = &journals->files.files[i];
        const char *partition;
        lith_arena_init(&arena, sweep->work->mem);
        if (journals->met[i])
            continue;
        LITH_TRY(lith_journal_name_partition(file->name, &arena, &partition, err));
        if (!is_asked_for(sweep, partition))
            continue;
        struct lith_partition_report report = {0};
        struct stray stray;
        LITH_TRY(stray_make(file, partition, &arena, &stray, err));
        LITH_TRY(kind == LITH_PASS_FSCK ? stray_find(&stray, &arena, &report, err)
                                        : stray_report(&stray, &arena, &report, err));
        each(ctx, &report);
    }
    return LITH_OK;
}
