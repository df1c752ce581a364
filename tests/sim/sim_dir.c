#include "sim_dir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lake/journal.h"

#define OBJECTS_FIRST 32u

struct sim_dir *sim_dir_add_series(struct sim_lake *lake, struct sim_world *world, const char *path)
{
    if (lake->dir_count == SIM_DIRS_MAX)
        abort();
    struct sim_dir *dir = &lake->dirs[lake->dir_count++];

    *dir = (struct sim_dir){.world = world, .path = sim_text(world, path), .is_series = true};
    return dir;
}

struct sim_dir *sim_dir_add(struct sim_lake *lake, struct sim_world *world, const char *path)
{
    struct sim_dir *dir = sim_dir_add_series(lake, world, path);

    dir->is_series = false;
    lake->partition_count++;
    return dir;
}

void sim_dir_add_hollow(struct sim_lake *lake, struct sim_world *world, const char *path)
{
    struct sim_dir *dir = sim_dir_add_series(lake, world, path);

    dir->is_series = false;
    dir->is_hollow = true;
}

void sim_dir_add_family(struct sim_lake *lake, struct sim_world *world, bool has_month,
                        uint32_t hours)
{
    struct sim_dir *month = has_month ? sim_dir_add(lake, world, "year=2025/month=06") : NULL;
    struct sim_dir *day = sim_dir_add(lake, world, "year=2025/month=06/day=15");
    char path[64];

    lake->is_family = true;
    day->above = month;
    for (uint32_t i = 0; i < hours; i++) {
        (void)snprintf(path, sizeof(path), "%s/hour=%02" PRIu32, day->path, 7 + i);
        sim_dir_add(lake, world, path)->above = day;
    }
    sim_dir_add_hollow(lake, world, "");
    sim_dir_add_hollow(lake, world, "year=2025");
    if (!month)
        sim_dir_add_hollow(lake, world, "year=2025/month=06");
}

void sim_dir_add_journals(struct sim_lake *lake, struct sim_world *world)
{
    lake->is_glob = true;
    sim_dir_add_hollow(lake, world, LITH_JOURNAL_FOLDER);
    sim_dir_add_hollow(lake, world, LITH_JOURNAL_FOLDER "/" LITH_JOURNAL_TIER);
}

struct sim_dir *sim_dir_head(struct sim_dir *dir)
{
    while (dir->above)
        dir = dir->above;
    return dir;
}

bool sim_dir_takes(const struct sim_dir *dir)
{
    const struct sim_lake *lake = sim_lake_of(dir->world);

    for (uint32_t i = 0; i < lake->partition_count; i++) {
        if (lake->dirs[i].above == dir)
            return true;
    }
    return false;
}

bool sim_dir_leads_to(const struct sim_dir *dir, const struct sim_dir *above)
{
    while (dir && dir != above)
        dir = dir->above;
    return dir != NULL;
}

const char *sim_dir_below(const struct sim_dir *dir, const struct sim_dir *above)
{
    size_t bytes = strlen(above->path);

    if (dir == above || dir->is_series || !*dir->path ||
        strncmp(dir->path, above->path, bytes) != 0 || (bytes && dir->path[bytes] != '/'))
        return NULL;
    const char *rest = dir->path + bytes + (bytes > 0);
    return strchr(rest, '/') ? NULL : rest;
}

struct sim_dir *sim_dir_find(struct sim_lake *lake, const char *path)
{
    for (uint32_t i = 0; i < lake->dir_count; i++) {
        if (strcmp(lake->dirs[i].path, path) == 0)
            return &lake->dirs[i];
    }
    return NULL;
}

/* Where an object of that name stands, or would. */
static uint32_t place_of(const struct sim_dir *dir, const char *name, bool *ret_found)
{
    uint32_t low = 0, high = dir->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(dir->objects[middle].name, name);
        if (order == 0) {
            *ret_found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_found = false;
    return low;
}

const struct sim_object *sim_dir_get(const struct sim_dir *dir, const char *name)
{
    bool found;
    uint32_t place = place_of(dir, name, &found);

    return found ? &dir->objects[place] : NULL;
}

struct sim_blob *sim_blob_new(struct sim_world *world, const void *data, size_t bytes)
{
    struct sim_blob *blob = sim_take(world, sizeof(*blob));
    uint8_t *copy = sim_take(world, bytes + 1);

    if (bytes)
        memcpy(copy, data, bytes);
    *blob = (struct sim_blob){.data = copy,
                              .bytes = bytes,
                              .hash = lith_hash128(copy, bytes, 0),
                              .crc = lith_crc32(0, copy, bytes)};
    return blob;
}

/* Makes room for one more; what was there is copied. */
static struct sim_object *room_make(struct sim_world *world, struct sim_object *objects,
                                    uint32_t count, uint32_t *room)
{
    if (objects && count < *room)
        return objects;
    *room = *room ? 2 * *room : OBJECTS_FIRST;
    struct sim_object *grown = sim_take(world, *room * sizeof(*grown));
    if (count)
        memcpy(grown, objects, count * sizeof(*grown));
    return grown;
}

static struct sim_object *object_insert(struct sim_dir *dir, uint32_t place, const char *name)
{
    dir->objects = room_make(dir->world, dir->objects, dir->count, &dir->room);
    struct sim_object *object = &dir->objects[place];
    memmove(object + 1, object, (dir->count - place) * sizeof(*object));
    dir->count++;
    *object = (struct sim_object){.name = name};
    return object;
}

static void object_remove(struct sim_dir *dir, uint32_t place)
{
    dir->count--;
    memmove(&dir->objects[place], &dir->objects[place + 1],
            (dir->count - place) * sizeof(*dir->objects));
}

static void past_note(struct sim_dir *dir, const struct sim_object *object)
{
    dir->past = room_make(dir->world, dir->past, dir->past_count, &dir->past_room);
    dir->past[dir->past_count++] = *object;
}

static void object_put(struct sim_op *op, uint32_t place, bool found)
{
    struct sim_dir *dir = op->dir;
    struct sim_object *object = found ? &dir->objects[place] : object_insert(dir, place, op->name);
    char etag[24];

    object->blob = op->blob;
    object->version = dir->world->backend == SIM_OBJECTS
                          ? op->blob->hash.low | 1 /* as S3 has it: of the same bytes the same */
                          : ++sim_lake_of(dir->world)->versions;
    (void)snprintf(etag, sizeof(etag), "v%" PRIu64, object->version);
    object->etag = sim_text(dir->world, etag);
    object->mtime_ns = dir->world->now_ns;
    op->put_version = object->version;
    past_note(dir, object);
}

const struct sim_blob *sim_dir_past(const struct sim_dir *dir, const char *name)
{
    for (uint32_t i = dir->past_count; i > 0; i--) {
        if (strcmp(dir->past[i - 1].name, name) == 0)
            return dir->past[i - 1].blob;
    }
    return NULL;
}

static bool is_expected(const struct sim_op *op, const struct sim_object *object)
{
    if (!op->expects_bytes || !object)
        return !op->expects_bytes && !object;
    return op->dir->world->backend == SIM_LOCAL ? lith_hash128_equal(object->blob->hash, op->hash)
                                                : object->version == op->version;
}

static enum sim_result rename_apply(struct sim_op *op, uint32_t place)
{
    struct sim_dir *dir = op->dir;
    struct sim_object moved = dir->objects[place];
    bool taken;

    (void)place_of(dir, op->to, &taken);
    if (taken)
        return SIM_REFUSED;
    object_remove(dir, place);
    place = place_of(dir, op->to, &taken);
    struct sim_object *object = object_insert(dir, place, op->to);
    moved.name = object->name;
    *object = moved;
    past_note(dir, object);
    return SIM_DONE;
}

static enum sim_result apply(struct sim_op *op)
{
    struct sim_dir *dir = op->dir;
    bool found;
    uint32_t place = place_of(dir, op->name, &found);
    const struct sim_object *object = found ? &dir->objects[place] : NULL;

    switch (op->verb) {
    case SIM_PUT_NEW:
        if (found)
            return SIM_REFUSED;
        break;
    case SIM_PUT_IF:
        if (!is_expected(op, object))
            return SIM_REFUSED;
        break;
    case SIM_DELETE:
        if (!found)
            return SIM_ABSENT;
        if (op->version && object->version != op->version)
            return SIM_REFUSED;
        object_remove(dir, place);
        dir->world->things[SIM_DELETES]++;
        return SIM_DONE;
    case SIM_RENAME:
        return found ? rename_apply(op, place) : SIM_ABSENT;
    case SIM_PUT:
        break;
    }
    object_put(op, place, found);
    return SIM_DONE;
}

/* The schedule up to here, as a number: two runs of a seed must have the same. */
static void digest_add(struct sim_world *world, const struct sim_op *op, enum sim_result result)
{
    uint64_t all[] = {
        (uint64_t)world->now_ns,
        world->running ? (uint64_t)(world->running - world->actors) : SIM_ACTORS_MAX,
        (uint64_t)(op->dir - sim_lake_of(world)->dirs),
        (uint64_t)op->verb * 4 + result,
        lith_hash128(op->name, strlen(op->name), 0).low,
        world->digest,
    };

    world->digest = lith_hash128(all, sizeof(all), 0).low;
}

enum sim_result sim_op_apply(struct sim_op *op)
{
    static const char *const verbs[] = {"put", "put new", "put if", "delete", "rename"};
    static const char *const results[] = {"", ": refused", ": not there"};
    struct sim_world *world = op->dir->world;
    struct sim_heap *before = sim_heap_use(&world->heap);

    enum sim_result result = apply(op);
    digest_add(world, op, result);
    sim_tell(world, "%s %s/%s%s%s%s", verbs[op->verb], op->dir->path, op->name,
             op->to ? " to " : "", op->to ? op->to : "", results[result]);
    if (result == SIM_REFUSED && op->verb == SIM_PUT_IF) {
        world->things[SIM_LOST_COMMITS]++;
        if (world->running)
            world->running->has_lost = true;
    }
    if (result == SIM_DONE) {
        world->effect_count++;
        if (sim_lake_of(world)->look)
            sim_lake_of(world)->look(op->dir);
    }
    (void)sim_heap_use(before);
    return result;
}

static void effect_apply(struct sim_effect *effect, struct sim_world *world)
{
    struct sim_op *op = (struct sim_op *)effect;

    sim_tell(world, "  what %s sent before lands now:", op->who);
    op->dir->late_deletes -= op->verb == SIM_DELETE;
    (void)sim_op_apply(op);
    op->dir->rollbacks -= op->is_rollback;
}

struct sim_op *sim_op_new(struct sim_world *world, const struct sim_op *op)
{
    struct sim_op *copy = sim_take(world, sizeof(*copy));

    *copy = *op;
    copy->name = sim_text(world, op->name);
    copy->to = op->to ? sim_text(world, op->to) : NULL;
    copy->effect.apply = effect_apply;
    copy->who = world->running ? world->running->name : "somebody";
    return copy;
}

void sim_op_plan(struct sim_op *op, int64_t at_ns)
{
    struct sim_op *again = sim_take(op->dir->world, sizeof(*again));

    *again = *op;
    again->is_rollback = op->verb == SIM_PUT_IF && op->dir->rollbacks > 0;
    op->dir->rollbacks += again->is_rollback;
    op->dir->late_deletes += op->verb == SIM_DELETE;
    sim_effect_plan(op->dir->world, at_ns, &again->effect);
}
