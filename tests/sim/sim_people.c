/*
 * Writers and an operator: programs of other people, which know nothing of the rules.
 */
#include "sim_people.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 80u
#define FILE_ROWS_MAX 12u

/* Writers do not wait for answers that fail: a file lands, or they write it again. */
static void put(struct sim_dir *dir, const char *name, const struct sim_blob *blob)
{
    struct sim_op op = {.verb = SIM_PUT, .dir = dir, .name = name, .blob = blob};

    (void)sim_op_apply(sim_op_new(dir->world, &op));
}

static const struct sim_blob *rows_new(struct sim_dir *dir, bool is_pending, uint32_t count)
{
    uint32_t rows[FILE_ROWS_MAX];
    uint32_t first;

    sim_rows_new(dir, count, is_pending, &first);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = first + i;
    return sim_file_new(dir->world, rows, count);
}

void sim_file_put(struct sim_dir *dir, const char *name, uint32_t rows)
{
    put(dir, name, rows_new(dir, sim_dir_past(dir, name) != NULL, rows));
}

void sim_file_replay(struct sim_dir *dir, const char *name)
{
    put(dir, name, sim_dir_past(dir, name));
}

void sim_family_add(struct sim_world *world, bool has_month, uint32_t hours)
{
    static const char text[] = "{\"format\": 1, \"lake_id\": \"1\", \"readers\": \"manifest\", "
                               "\"manifest\": \"manifest.json\", \"policy_hash\": \"1\"}";
    struct sim_lake *lake = sim_lake_of(world);

    sim_dir_add_family(lake, world, has_month, hours);
    put(sim_dir_find(lake, ""), "_lithify.json", sim_blob_new(world, text, sizeof(text) - 1));
}

/* A name that nobody had before, anywhere in the order of names. */
static void name_new(struct sim_dir *dir, char first, char ret_name[NAME_BYTES])
{
    uint64_t number = ++sim_lake_of(dir->world)->names * 611953 % 1000003;

    (void)snprintf(ret_name, NAME_BYTES, "%c%06" PRIu64 ".parquet", first, number);
}

static void file_write(struct sim_dir *dir)
{
    char name[NAME_BYTES];

    dir->world->things[SIM_FILES]++;
    name_new(dir, 'w', name);
    put(dir, name, rows_new(dir, false, 1 + (uint32_t)sim_draw(dir->world, FILE_ROWS_MAX)));
}

/* A name that is known to the manifest, and not live any more; NULL: there is none. */
static const char *used_name(struct sim_dir *dir)
{
    const struct sim_manifest *manifest = sim_manifest_of(dir);
    uint32_t count = manifest->retired.count + manifest->gone.count;

    if (!manifest->blob || count == 0)
        return NULL;
    uint32_t pick = (uint32_t)sim_draw(dir->world, count);
    const char *name = pick < manifest->retired.count
                           ? manifest->retired.names[pick]
                           : manifest->gone.names[pick - manifest->retired.count];
    return name[0] == 'w' ? name : NULL; /* outputs are not written again */
}

/* A file under a name that was used before: the same bytes again, or other ones. */
static void used_write(struct sim_dir *dir, bool is_replay)
{
    const char *name = used_name(dir);
    const struct sim_blob *blob = name ? sim_dir_past(dir, name) : NULL;

    if (!blob || sim_names_have(&sim_manifest_of(dir)->files, name) ||
        (!is_replay && dir->rollbacks))
        return;
    if (!is_replay)
        sim_rows_overwrite(dir, name);
    dir->world->things[is_replay ? SIM_REPLAYS : SIM_REUSES]++;
    sim_tell(dir->world, "writes %s again: %s", name, is_replay ? "a replay" : "other rows");
    put(dir, name, is_replay ? blob : rows_new(dir, true, sim_file_rows(dir->world, blob).count));
}

static void odd_write(struct sim_dir *dir, bool with_reuses)
{
    char name[NAME_BYTES];

    switch (sim_draw(dir->world, 5)) {
    case 0:
        used_write(dir, true);
        break;
    case 1:
        if (with_reuses)
            used_write(dir, false);
        break;
    case 2: /* somebody moves the output of another partition here */
        (void)snprintf(name, sizeof(name), "019b0000-0000-7000-8000-%012llu_deadbeef_e1.parquet",
                       (unsigned long long)sim_draw(dir->world, 1000000));
        dir->world->things[SIM_MOVED_OUTPUTS]++;
        put(dir, name, rows_new(dir, false, 3));
        break;
    case 3: /* damaged */
        dir->world->things[SIM_DAMAGED_FILES]++;
        name_new(dir, 'x', name);
        put(dir, name, sim_blob_new(dir->world, "garbage", 7));
        break;
    default:
        dir->world->things[SIM_NOTES]++;
        (void)snprintf(name, sizeof(name), "note%llu.txt",
                       (unsigned long long)sim_draw(dir->world, 10));
        put(dir, name, sim_blob_new(dir->world, "note", 4));
        break;
    }
}

void sim_writer_run(struct sim_actor *actor)
{
    struct sim_cast *cast = actor->ctx;
    struct sim_world *world = actor->world;
    struct sim_lake *lake = sim_lake_of(world);

    while (!world->is_settling && cast->writes_left) {
        sim_wait(actor, (int64_t)sim_draw(world, sim_draw(world, 3) ? SIM_HOUR : SIM_MINUTE));
        struct sim_dir *dir = &lake->dirs[sim_draw(world, lake->partition_count)];
        cast->writes_left--;
        if (sim_chance(world, cast->odd_writes))
            odd_write(dir, !cast->is_clumsy); /* a copy of an older manifest knows them not */
        else
            file_write(dir);
    }
}

/* A live file that a writer made; NULL: there is none. */
static const char *live_name(struct sim_dir *dir)
{
    const struct sim_manifest *manifest = sim_manifest_of(dir);

    return manifest->files.count
               ? manifest->files.names[sim_draw(dir->world, manifest->files.count)]
               : NULL;
}

/* What gc has decided to delete by now nobody can know: an operator who changes files by hand sees
 * to it that nobody deletes any. */
static bool is_cleaned(const struct sim_dir *dir)
{
    bool is_cleaned = dir->late_deletes > 0;

    for (uint32_t i = 0; i < dir->world->actor_count; i++)
        is_cleaned = is_cleaned || dir->world->actors[i].dir == dir;
    return is_cleaned;
}

/* One of the last `most` manifests that have been there: there is one. */
static const struct sim_blob *older_manifest(struct sim_dir *dir, uint32_t most)
{
    const struct sim_blob *picked = NULL;
    uint32_t count = 0;

    for (uint32_t i = dir->past_count; i > 0 && count < most; i--) {
        if (strcmp(dir->past[i - 1].name, "manifest.json") == 0 &&
            sim_draw(dir->world, ++count) == 0)
            picked = dir->past[i - 1].blob;
    }
    return picked;
}

/* Puts an older manifest in place of the one that is there, as from a backup. */
static void hand_copy(struct sim_dir *dir)
{
    const struct sim_blob *older = older_manifest(dir, UINT32_MAX);

    sim_tell(dir->world, "copies an older manifest over");
    dir->world->things[SIM_HAND_COPIES]++;
    sim_oracle_loosen(dir);
    put(dir, "manifest.json", older);
}

/* What looks at files, and changes the live set: no writer may overwrite them meanwhile. */
static void undo(struct sim_actor *actor, const struct sim_cast *cast, struct sim_dir *dir)
{
    dir->rollbacks++;
    if (sim_draw(dir->world, 4))
        (void)sim_pass_run(actor, cast, SIM_ROLLBACK, dir, NULL);
    else
        (void)sim_restore_run(actor, cast, dir,
                              older_manifest(dir, sim_draw(dir->world, 3) ? 6 : UINT32_MAX));
    dir->rollbacks--;
}

/* Deletes a live file whose rows are in other files too: what was merged into it. */
static void hand_delete(struct sim_dir *dir)
{
    const struct sim_manifest *manifest = sim_manifest_of(dir);

    for (uint32_t i = 0; i < manifest->files.count; i++) {
        struct sim_op op = {.verb = SIM_DELETE, .dir = dir, .name = manifest->files.names[i]};
        const struct sim_object *object = sim_dir_get(dir, op.name);
        if (!object || !sim_oracle_has_twice(dir, object->blob))
            continue;
        sim_tell(dir->world, "deletes %s by hand", op.name);
        dir->world->things[SIM_HAND_DELETES]++;
        sim_oracle_loosen(dir);
        op.version = object->version;
        (void)sim_op_apply(sim_op_new(dir->world, &op));
        return;
    }
}

static void act(struct sim_actor *actor, const struct sim_cast *cast, struct sim_dir *dir)
{
    struct sim_world *world = actor->world;
    const char *name = live_name(dir);

    switch (sim_draw(world, cast->is_clumsy && !is_cleaned(dir) ? 7 : 4)) {
    case 0:
        if (name)
            (void)sim_pass_run(actor, cast, SIM_RETIRE, dir, name);
        break;
    case 4:
        hand_copy(dir);
        break;
    case 5:
        hand_delete(dir);
        break;
    case 6:
        (void)sim_pass_run(actor, cast, SIM_REPAIR, dir, NULL);
        break;
    default:
        undo(actor, cast, dir);
        break;
    }
}

/* An operator acts at any time, or at once when something was committed. */
static void moment_await(struct sim_actor *actor, struct sim_dir *dir)
{
    struct sim_world *world = actor->world;

    if (sim_draw(world, 2)) {
        sim_wait(actor, sim_draw_span(world, 10 * SIM_MINUTE, 5 * SIM_HOUR));
        return;
    }
    uint64_t generation = sim_manifest_of(dir)->generation;
    for (unsigned i = 0; i < 300 && sim_manifest_of(dir)->generation == generation; i++)
        sim_wait(actor, SIM_MINUTE);
}

void sim_operator_run(struct sim_actor *actor)
{
    struct sim_cast *cast = actor->ctx;
    struct sim_world *world = actor->world;
    struct sim_lake *lake = sim_lake_of(world);

    while (!world->is_settling && cast->acts_left) {
        struct sim_dir *dir = &lake->dirs[sim_draw(world, lake->partition_count)];
        moment_await(actor, dir);
        if (!sim_manifest_of(dir)->blob)
            continue; /* nothing to be undone yet */
        cast->acts_left--;
        act(actor, cast, dir);
    }
}
