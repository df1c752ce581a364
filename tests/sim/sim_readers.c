/*
 * Readers: people who know the rules of section 4 and of docs/tiers.md, and the library.
 */
#include <stdio.h>
#include <string.h>

#include "api/lake_state.h"
#include "sim_people.h"

#define READ_TRIES 6u

/* A file that is to be read. */
struct name {
    struct sim_dir *dir;
    const char *name;
    int64_t known_ns; /* when it was live, at the latest before it is opened */
};

/* What a reader has of a partition. */
struct part {
    struct sim_dir *dir;
    struct sim_object *listed;
    int64_t list_ns; /* when they were: a file that the manifest knows not is live from then on */
    uint32_t count;
    const struct sim_manifest *manifest; /* NULL: there was none */
    int64_t manifest_ns;                 /* when it was read */
};

/* A reader's look at a partition, or at all that are rolled up into one, and at that. */
struct reading {
    struct sim_actor *actor;
    struct sim_dir *dir;
    bool is_family;
    bool is_strict;
    int64_t pace_ns; /* the longest that it works at a file before it opens the next one */
    struct part parts[SIM_DIRS_MAX]; /* from below to above */
    uint32_t part_count;
    struct name *names;
    uint32_t count;
    uint8_t rows[SIM_ROWS_MAX];
};

static void name_add(struct reading *r, struct name from)
{
    size_t bytes = strlen(from.name) + 1;

    from.name = memcpy(sim_heap_take(&r->actor->heap, bytes), from.name, bytes);
    r->names[r->count++] = from;
}

static void part_add(struct reading *r, struct sim_dir *dir)
{
    r->parts[r->part_count++] = (struct part){.dir = dir};
}

static void parts_find(struct reading *r)
{
    struct sim_lake *lake = sim_lake_of(r->actor->world);

    r->part_count = 0;
    for (uint32_t i = lake->partition_count; r->is_family && i > 1; i--)
        part_add(r, &lake->dirs[i - 1]);
    part_add(r, r->dir);
}

static const struct sim_manifest *manifest_read(struct sim_dir *dir)
{
    const struct sim_object *object = sim_dir_get(dir, "manifest.json");

    return object ? sim_manifest_read(dir->world, object->blob) : NULL;
}

static void part_read(struct reading *r, struct part *part)
{
    part->manifest = manifest_read(part->dir);
    part->manifest_ns = r->actor->world->now_ns;
    sim_delay(r->actor);
}

static void part_list(struct reading *r, struct part *part)
{
    part->count = part->dir->count;
    part->list_ns = r->actor->world->now_ns;
    part->listed = sim_heap_take(&r->actor->heap, (part->count + 1) * sizeof(*part->listed));
    memcpy(part->listed, part->dir->objects, part->count * sizeof(*part->listed));
    sim_delay(r->actor);
}

/* List, then the manifests, once. */
static void open_look(struct reading *r)
{
    for (uint32_t i = 0; i < r->part_count; i++)
        part_list(r, &r->parts[i]);
    for (uint32_t i = 0; i < r->part_count; i++)
        part_read(r, &r->parts[i]);
}

/* The list only where there is no manifest, and then the manifest again. */
static void strict_look(struct reading *r)
{
    for (uint32_t i = 0; i < r->part_count; i++) {
        part_read(r, &r->parts[i]);
        if (r->parts[i].manifest)
            continue;
        part_list(r, &r->parts[i]);
        part_read(r, &r->parts[i]);
    }
}

/* The part above one, which is read behind it; NULL: it is not. */
static const struct part *part_above(const struct reading *r, const struct part *part)
{
    for (uint32_t i = 0; part->dir->above && i < r->part_count; i++) {
        if (r->parts[i].dir == part->dir->above)
            return &r->parts[i];
    }
    return NULL;
}

/* The manifest above a part, as it was read after it. */
static const struct sim_manifest *above_read(struct reading *r, const struct part *part)
{
    const struct part *above = part_above(r, part);

    if (above || !part->dir->above || !part->manifest || !part->manifest->handed_to)
        return above ? above->manifest : NULL;
    sim_delay(r->actor);
    return manifest_read(part->dir->above);
}

/* Where files were ever rolled up, none may have been on its way meanwhile. */
static bool parts_stay(struct reading *r)
{
    for (uint32_t i = 0; i < r->part_count; i++) {
        const struct part *above = part_above(r, &r->parts[i]);
        if (!above || !above->manifest || !above->manifest->taken.count)
            continue;
        sim_delay(r->actor);
        if (manifest_read(r->parts[i].dir) != r->parts[i].manifest)
            return false;
    }
    return true;
}

static void part_names(struct reading *r, const struct part *part)
{
    const struct sim_manifest *m = part->manifest;
    const struct sim_manifest *above = above_read(r, part);

    for (uint32_t i = 0; m && i < m->files.count; i++) {
        if (!sim_is_taken(m, above, m->files.names[i]))
            name_add(r, (struct name){part->dir, m->files.names[i], part->manifest_ns});
    }
    for (uint32_t i = 0; (!r->is_strict || !m) && i < part->count; i++) {
        const struct sim_object *object = &part->listed[i];
        bool is_named = m && sim_names_have(&m->files, object->name);
        if (!is_named && sim_is_live(m, object->name, object->blob->bytes))
            name_add(r, (struct name){part->dir, object->name, part->list_ns});
    }
}

/* False where it has to start over. */
static bool names_find(struct reading *r)
{
    uint32_t room = 0;

    parts_find(r);
    if (r->is_strict)
        strict_look(r);
    else
        open_look(r);
    if (r->is_family && !parts_stay(r)) {
        r->actor->world->things[SIM_STARTS_OVER]++;
        return false;
    }
    for (uint32_t i = 0; i < r->part_count; i++)
        room += r->parts[i].count + (r->parts[i].manifest ? r->parts[i].manifest->files.count : 0);
    r->count = 0;
    r->names = sim_heap_take(&r->actor->heap, (room + 1) * sizeof(*r->names));
    for (uint32_t i = 0; i < r->part_count; i++)
        part_names(r, &r->parts[i]);
    return true;
}

/* Where people who list read as well, nobody has any. */
static bool has_grace(const struct reading *r)
{
    return !sim_oracle_is_loose(r->dir) &&
           (!sim_lake_of(r->actor->world)->is_glob || r->dir->is_series);
}

/* False where a file is not there any more: it starts over. */
static bool files_read(struct reading *r)
{
    struct sim_world *world = r->actor->world;

    memset(r->rows, 0, sizeof(r->rows));
    for (uint32_t i = 0; i < r->count; i++) {
        const struct name *name = &r->names[i];
        sim_delay(r->actor);
        if (r->pace_ns)
            sim_wait(r->actor, (int64_t)sim_draw(world, (uint64_t)r->pace_ns));
        const struct sim_object *object = sim_dir_get(name->dir, name->name);
        if (!object) {
            sim_tell(world, "does not find %s", name->name);
            world->things[SIM_STARTS_OVER]++;
            if (world->now_ns - name->known_ns < SIM_READER_GRACE && has_grace(r))
                sim_fail(world, "%s is gone within the grace of a reader", name->name);
            return false;
        }
        struct sim_rows rows = sim_file_rows(world, object->blob);
        for (uint32_t k = 0; k < rows.count; k++)
            r->rows[rows.rows[k]]++;
    }
    return true;
}

static bool is_part(const struct reading *r)
{
    return sim_lake_of(r->actor->world)->is_family && !r->is_family && !r->dir->is_series;
}

/* Reads what is live, again and again until all of it was there. */
static bool read_all(struct reading *r, bool (*find)(struct reading *r))
{
    struct sim_world *world = r->actor->world;

    for (unsigned tries = 0; tries < READ_TRIES; tries++) {
        sim_heap_reset(&r->actor->heap);
        int64_t begin_ns = world->now_ns;
        if (!find(r) || !files_read(r))
            continue;
        struct sim_reading reading = {.dir = r->dir,
                                      .is_part = is_part(r),
                                      .is_strict = r->is_strict,
                                      .begin_ns = begin_ns,
                                      .end_ns = world->now_ns,
                                      .counts = r->rows};
        sim_oracle_read(&reading);
        sim_tell(world, "has read %u files of %s", r->count, r->dir->path);
        world->things[r->is_strict ? SIM_STRICT_READINGS : SIM_OPEN_READINGS]++;
        world->things[SIM_FAMILY_READINGS] += r->is_family;
        return true;
    }
    return false;
}

/* Most who read partitions that are rolled up read all of them. */
static void dir_choose(struct reading *r)
{
    struct sim_world *world = r->actor->world;
    struct sim_lake *lake = sim_lake_of(world);

    r->dir = &lake->dirs[sim_draw(world, lake->dir_count)];
    if (!lake->is_family && r->dir->is_hollow)
        r->dir = &lake->dirs[0];
    if (!lake->is_family || r->dir->is_series)
        return;
    r->is_family = r->dir->is_hollow || sim_draw(world, 4) != 0;
    if (r->is_family)
        r->dir = &lake->dirs[0];
}

static void reads_run(struct sim_actor *actor, bool (*find)(struct reading *r))
{
    struct sim_world *world = actor->world;
    struct reading *r = sim_take(world, sizeof(*r));

    while (!world->is_settling) {
        sim_wait(actor, (int64_t)sim_draw(world, 3 * SIM_HOUR));
        *r = (struct reading){.actor = actor};
        dir_choose(r);
        r->is_strict = sim_draw(world, 2) == 0;
        r->pace_ns = sim_draw(world, 2) ? 20 * SIM_MINUTE : 0;
        (void)read_all(r, find);
    }
}

void sim_reader_run(struct sim_actor *actor)
{
    reads_run(actor, names_find);
}

/* A partition as the library has it. */
static enum lith_code view_ask(struct reading *r, struct sim_tools *tools, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(view) struct lith_view view = {0};
    int64_t known_ns = r->actor->world->now_ns; /* at the earliest */

    LITH_TRY(lith_folder_open(&tools->view.store, r->dir->path, &folder, err));
    LITH_TRY(lith_view_take(folder, r->is_strict ? LITH_SNAPSHOT_STRICT : LITH_SNAPSHOT_OPEN,
                            &tools->mem, &view, err));
    r->names = sim_heap_take(&r->actor->heap, view.snapshot.file_count * sizeof(*r->names));
    for (size_t i = 0; i < view.snapshot.file_count; i++) {
        if (view.snapshot.files[i].live)
            name_add(r, (struct name){r->dir, view.snapshot.files[i].name, known_ns});
    }
    return LITH_OK;
}

/* The file at a path below the root. */
static struct name name_at(struct reading *r, const char *path, int64_t known_ns)
{
    const char *slash = strrchr(path, '/');
    char folder[128];

    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
    return (struct name){sim_dir_find(sim_lake_of(r->actor->world), folder), slash + 1, known_ns};
}

/* A lake with roll-ups, or a partition of it, as the library has it. */
static enum lith_code files_ask(struct reading *r, struct sim_tools *tools, struct lith_err *err)
{
    int64_t known_ns = r->actor->world->now_ns;
    struct lith_lake *lake = sim_heap_take(&r->actor->heap, sizeof(*lake));
    struct lith_snapshot_files *files;

    lake->store = lake->front = &tools->view.store;
    lake->job.format = sim_format();
    lith_arena_init(&lake->arena, &tools->mem);
    LITH_TRY(lith_snapshot_files_open(lake, r->is_family ? NULL : r->dir->path, r->is_strict,
                                      &files, err));
    size_t count = lith_snapshot_files_count(files);
    r->names = sim_heap_take(&r->actor->heap, count * sizeof(*r->names));
    for (size_t i = 0; i < count; i++)
        name_add(r, name_at(r, lith_snapshot_files_path(files, i), known_ns));
    lith_snapshot_files_close(files);
    return LITH_OK;
}

/* The same by the library. Its answers may fail; then it is asked again. */
static bool names_ask(struct reading *r)
{
    bool is_tier = sim_lake_of(r->actor->world)->is_family && !r->dir->is_series;
    struct sim_tools tools;
    struct lith_err err;

    sim_tools_init(&tools, r->actor);
    r->count = 0;
    enum lith_code code = is_tier ? files_ask(r, &tools, &err) : view_ask(r, &tools, &err);
    sim_tools_done(&tools);
    if (code == LITH_E_CORRUPT && !sim_oracle_is_loose(r->dir))
        sim_fail(r->actor->world, "a reader of %s is told: %s", r->dir->path, err.text);
    return code == LITH_OK;
}

bool sim_read_once(struct sim_actor *actor, struct sim_dir *dir, bool is_strict)
{
    struct reading *r = sim_take(actor->world, sizeof(*r));

    *r = (struct reading){.actor = actor,
                          .dir = dir,
                          .is_family = sim_lake_of(actor->world)->is_family && !dir->above,
                          .is_strict = is_strict};
    return read_all(r, names_ask);
}

void sim_library_reader_run(struct sim_actor *actor)
{
    reads_run(actor, names_ask);
}
