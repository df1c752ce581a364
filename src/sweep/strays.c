/*
 * Journals of nobody are told of, in every pass, until somebody takes them away: unknown is not
 * absent, and nobody else looks into that folder.
 */
#include "sweep/strays.h"

#include <string.h>

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

static enum lith_code stray_tell(const struct lith_journal_file *file, const char *partition,
                                 lith_partition_fn each, void *ctx, struct lith_arena *arena,
                                 struct lith_err *err)
{
    const char *why = file->stem_bytes == 0 ? "it is not named as a journal: take it away"
                                            : "its partition is not there: restore it, or take the "
                                              "journal away where it was removed on purpose";
    struct lith_partition_report report = {.state = LITH_PARTITION_BLOCKED};
    char *path;
    char *reason;

    LITH_TRY(lith_arena_format(arena, &path, err, LITH_JOURNAL_FOLDER "/%s/%s", file->tier,
                               file->leftover ? file->leftover : file->name));
    LITH_TRY(lith_arena_format(arena, &reason, err, "journal %s: %s", path, why));
    report.path = partition ? partition : path;
    report.reason = reason;
    each(ctx, &report);
    return LITH_OK;
}

enum lith_code lith_sweep_journals_list(const struct lith_sweep *sweep, struct lith_arena *arena,
                                        struct lith_sweep_journals *ret_journals,
                                        struct lith_err *err)
{
    void *block;

    *ret_journals = (struct lith_sweep_journals){0};
    if (sweep->options->readers != LITH_READERS_GLOB)
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

enum lith_code lith_strays_tell(const struct lith_sweep *sweep,
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
        if (is_asked_for(sweep, partition))
            LITH_TRY(stray_tell(file, partition, each, ctx, &arena, err));
    }
    return LITH_OK;
}
