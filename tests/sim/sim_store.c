/*
 * The verbs of a store, each with what may come between a caller and its answer.
 */
#include "sim_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/uuid.h"
#include "sim_audit.h"

#define NAME_BYTES 128u
#define LOCK_TRIES 5u

struct folder {
    struct lith_folder base;
    struct sim_actor *actor;
    struct sim_dir *dir;
};

struct output {
    struct lith_output base;
    struct folder *folder;
    struct lith_sink sink;
    struct lith_buf bytes;
    char name[NAME_BYTES];
    char tmp[NAME_BYTES];
    uint64_t tmp_version; /* 0: there is none */
};

struct source {
    struct lith_source base;
    const struct sim_object object; /* as it was opened */
    struct folder *folder;
};

static struct folder *folder_of(struct lith_folder *base)
{
    return (struct folder *)base;
}

static struct sim_view *view_of(struct lith_env *env)
{
    return (struct sim_view *)env;
}

static enum lith_code failed(const struct sim_actor *actor, struct lith_err *err)
{
    bool is_local = actor->world->backend == SIM_LOCAL;

    sim_tell(actor->world, "  is told that it failed");
    return lith_fail(err, is_local ? LITH_E_IO : LITH_E_TRANSIENT, "simulated: no answer");
}

/* Whether something of that chance happens now. */
static bool goes_wrong(struct sim_world *world, uint32_t chance)
{
    return !world->is_settling && sim_chance(world, chance);
}

static enum sim_kind kind_of(const struct sim_op *op)
{
    if (op->verb == SIM_DELETE)
        return SIM_KIND_DELETE;
    if (op->verb == SIM_PUT_NEW || op->verb == SIM_RENAME)
        return SIM_KIND_OUTPUT;
    return strcmp(op->name, "manifest.json") == 0 ? SIM_KIND_COMMIT : SIM_KIND_OTHER;
}

/* What becomes of a request. */
static enum sim_fate fate_of(struct sim_actor *actor, const struct sim_op *op)
{
    struct sim_world *world = actor->world;
    const struct sim_faults *mix = &world->mix.faults[kind_of(op)];
    bool is_remote = world->backend == SIM_OBJECTS;

    if (world->fate)
        return world->fate(actor, op);
    world->fate_ns = sim_draw_span(world, world->mix.landing_ns_min, 10 * SIM_HOUR);
    if (goes_wrong(world, mix->fails))
        return SIM_FATE_FAILS;
    if (is_remote && goes_wrong(world, mix->lands_late))
        return SIM_FATE_LATE;
    if (is_remote && goes_wrong(world, mix->lands_twice))
        return SIM_FATE_TWICE;
    return goes_wrong(world, mix->fails_after) ? SIM_FATE_FAILS_AFTER : SIM_FATE_DONE;
}

enum lith_code sim_send(struct sim_actor *actor, struct sim_op *op, enum sim_result *ret_result,
                        struct lith_err *err)
{
    struct sim_world *world = actor->world;

    sim_delay(actor);
    (void)sim_pause(actor, world->mix.faults[kind_of(op)].pauses);
    struct sim_op *sent = sim_op_new(world, op);
    enum sim_fate fate = fate_of(actor, op);
    if (fate != SIM_FATE_DONE)
        world->things[SIM_FAILED_BEFORE + (fate - SIM_FATE_FAILS)]++;
    if (fate == SIM_FATE_FAILS)
        return failed(actor, err);
    if (fate == SIM_FATE_LATE || fate == SIM_FATE_TWICE)
        sim_op_plan(sent, world->now_ns + world->fate_ns);
    if (fate == SIM_FATE_LATE) {
        sim_delay(actor);
        return failed(actor, err);
    }
    *ret_result = sim_op_apply(sent);
    op->put_version = sent->put_version;
    sim_delay(actor);
    return fate == SIM_FATE_FAILS_AFTER ? failed(actor, err) : LITH_OK;
}

/* A request that changes nothing. */
static enum lith_code actor_ask(struct sim_actor *actor, struct lith_err *err)
{
    sim_delay(actor);
    if (actor->world->asked)
        actor->world->asked(actor);
    if (!goes_wrong(actor->world, actor->world->mix.reads_fail))
        return LITH_OK;
    actor->world->things[SIM_ASKS_FAILED]++;
    return failed(actor, err);
}

static enum lith_code ask(struct lith_folder *folder, struct lith_err *err)
{
    return actor_ask(folder_of(folder)->actor, err);
}

static enum lith_code object_give(const struct sim_object *object, struct lith_arena *arena,
                                  struct lith_object *ret_object, struct lith_err *err)
{
    void *copies[2];

    LITH_TRY(lith_arena_copy(arena, object->name, strlen(object->name), &copies[0], err));
    LITH_TRY(lith_arena_copy(arena, object->etag, strlen(object->etag), &copies[1], err));
    *ret_object = (struct lith_object){.name = copies[0],
                                       .etag = copies[1],
                                       .size = object->blob->bytes,
                                       .mtime_ns = object->mtime_ns};
    return LITH_OK;
}

static void store_close(struct lith_store *store)
{
    (void)store;
}

static enum lith_code probe(struct lith_store *store, struct lith_store_facts *ret_facts,
                            struct lith_err *err)
{
    (void)store;
    (void)err;
    *ret_facts = (struct lith_store_facts){.locks = true, .conditions = true, .renames_sync = true};
    return LITH_OK;
}

static struct sim_dir *series_add(struct sim_world *world, const char *path)
{
    struct sim_heap *before = sim_heap_use(&world->heap);
    struct sim_dir *dir = sim_dir_add_series(sim_lake_of(world), world, path);

    (void)sim_heap_use(before);
    return dir;
}

/* Below the root of the store, where that is not the lake's. */
static struct sim_dir *dir_of(struct lith_store *store, const char *path, bool makes)
{
    struct sim_view *view = view_of(store->env);
    struct sim_world *world = view->actor->world;
    char whole[256];

    if (store == &view->store)
        return sim_dir_find(sim_lake_of(world), path);
    (void)snprintf(whole, sizeof(whole), "%s%s%s", SIM_SERIES_PATH, *path ? "/" : "", path);
    struct sim_dir *dir = sim_dir_find(sim_lake_of(world), whole);
    return dir || !makes ? dir : series_add(world, whole);
}

/* A store of objects knows no directories. */
static enum lith_code folder_open(struct lith_store *store, const char *path,
                                  struct lith_folder **ret_folder, struct lith_err *err)
{
    struct sim_view *view = view_of(store->env);
    struct sim_dir *dir = dir_of(store, path, view->actor->world->backend == SIM_OBJECTS);
    void *block;

    if (!dir)
        return lith_fail(err, LITH_E_NOT_FOUND, "%s is not there", path);
    LITH_TRY(lith_alloc(store->mem, sizeof(struct folder), &block, err));
    struct folder *folder = block;
    size_t above = store == &view->store || !*path ? 0 : sizeof(SIM_SERIES_PATH);
    *folder = (struct folder){
        .base = {.store = store, .path = dir->path + above}, .actor = view->actor, .dir = dir};
    *ret_folder = &folder->base;
    return LITH_OK;
}

static enum lith_code folder_make(struct lith_store *store, const char *path, struct lith_err *err)
{
    struct sim_view *view = view_of(store->env);

    if (view->actor->world->backend == SIM_OBJECTS)
        return LITH_OK;
    LITH_TRY(actor_ask(view->actor, err));
    (void)dir_of(store, path, true);
    sim_delay(view->actor);
    return LITH_OK;
}

static void folder_close(struct lith_folder *folder)
{
    lith_folder_unlock(folder);
    lith_free(folder);
}

/* Objects have no locks: whoever asks gets one, as after a lease that ran out. */
static enum lith_code lock(struct lith_folder *base, enum lith_lock_wait wait, struct lith_err *err)
{
    struct folder *folder = folder_of(base);
    struct sim_dir *dir = folder->dir;

    sim_delay(folder->actor);
    if (folder->actor->world->backend == SIM_OBJECTS)
        return LITH_OK;
    for (unsigned i = 0; dir->holder && wait == LITH_LOCK_WAIT && i < LOCK_TRIES; i++)
        sim_wait(folder->actor, SIM_SECOND);
    folder->actor->world->things[SIM_LOCKED_OUT] += dir->holder != NULL;
    if (dir->holder)
        return lith_fail(err, wait == LITH_LOCK_WAIT ? LITH_E_TRANSIENT : LITH_E_CONFLICT,
                         "%s has the lock", dir->holder->name);
    dir->holder = folder->actor;
    return LITH_OK;
}

static void unlock(struct lith_folder *base)
{
    struct folder *folder = folder_of(base);

    if (folder->dir->holder == folder->actor)
        folder->dir->holder = NULL;
}

void sim_locks_drop(struct sim_actor *actor)
{
    struct sim_lake *lake = sim_lake_of(actor->world);

    actor->dir = NULL;
    actor->series = NULL;
    for (uint32_t i = 0; i < lake->dir_count; i++) {
        if (lake->dirs[i].holder == actor)
            lake->dirs[i].holder = NULL;
    }
}

static enum lith_code now(struct lith_folder *folder, int64_t *ret_ns, struct lith_err *err)
{
    LITH_TRY(ask(folder, err));
    *ret_ns = folder_of(folder)->actor->world->now_ns;
    return LITH_OK;
}

/* The objects behind `after` (NULL: all), at most `count_max`, behind those that are listed. */
static enum lith_code page_read(const struct sim_dir *dir, const char *after, uint32_t count_max,
                                struct lith_arena *arena, struct lith_listing *listing,
                                struct lith_err *err)
{
    size_t count = listing->object_count;
    void *block;

    LITH_TRY(lith_arena_array(arena, count + dir->count, sizeof(struct lith_object), &block, err));
    if (count)
        memcpy(block, listing->objects, count * sizeof(struct lith_object));
    listing->objects = block;
    for (uint32_t i = 0; i < dir->count && count_max; i++) {
        if (after && strcmp(dir->objects[i].name, after) <= 0)
            continue;
        LITH_TRY(
            object_give(&dir->objects[i], arena, &listing->objects[listing->object_count++], err));
        count_max--;
    }
    return LITH_OK;
}

/* Of a store of objects a folder is what names have in common: it is there where there is one. */
static bool has_objects(struct sim_lake *lake, const struct sim_dir *dir)
{
    size_t bytes = strlen(dir->path);
    bool has = dir->world->backend == SIM_LOCAL;

    for (uint32_t i = 0; i < lake->dir_count; i++)
        has = has || (lake->dirs[i].count && strncmp(lake->dirs[i].path, dir->path, bytes) == 0);
    return has;
}

static enum lith_code folders_list(const struct sim_dir *dir, struct lith_arena *arena,
                                   struct lith_listing *listing, struct lith_err *err)
{
    struct sim_lake *lake = sim_lake_of(dir->world);
    void *block;

    LITH_TRY(lith_arena_array(arena, lake->dir_count, sizeof(char *), &block, err));
    listing->folders = block;
    for (uint32_t i = 0; i < lake->dir_count; i++) {
        const char *name = sim_dir_below(&lake->dirs[i], dir);
        if (name && has_objects(lake, &lake->dirs[i]))
            listing->folders[listing->folder_count++] = name;
    }
    return LITH_OK;
}

/* A list is read in pages, as directories and stores give them: each shows another moment. */
static enum lith_code list(struct lith_folder *base, struct lith_arena *arena,
                           struct lith_listing *ret_listing, struct lith_err *err)
{
    struct folder *folder = folder_of(base);
    struct sim_world *world = folder->actor->world;

    LITH_TRY(ask(base, err));
    *ret_listing = (struct lith_listing){0};
    uint32_t first =
        sim_draw(world, 2) ? UINT32_MAX : (uint32_t)sim_draw(world, 1 + folder->dir->count);
    LITH_TRY(page_read(folder->dir, NULL, first, arena, ret_listing, err));
    if (first != UINT32_MAX) {
        world->things[SIM_SPLIT_LISTS]++;
        LITH_TRY(ask(base, err));
        size_t count = ret_listing->object_count;
        LITH_TRY(page_read(folder->dir, count ? ret_listing->objects[count - 1].name : NULL,
                           UINT32_MAX, arena, ret_listing, err));
    }
    if (sim_lake_of(world)->is_family || sim_lake_of(world)->is_glob)
        LITH_TRY(folders_list(folder->dir, arena, ret_listing, err));
    sim_delay(folder->actor); /* the answer is on its way, and grows old */
    (void)sim_pause(folder->actor, world->mix.pauses_listed);
    return LITH_OK;
}

static enum lith_code absent(const char *name, struct lith_err *err)
{
    return lith_fail(err, LITH_E_NOT_FOUND, "%s is not there", name);
}

static enum lith_code head(struct lith_folder *folder, const char *name, struct lith_arena *arena,
                           struct lith_object *ret_object, struct lith_err *err)
{
    LITH_TRY(ask(folder, err));
    const struct sim_object *object = sim_dir_get(folder_of(folder)->dir, name);
    enum lith_code code = object ? object_give(object, arena, ret_object, err) : absent(name, err);
    sim_delay(folder_of(folder)->actor);
    return code;
}

static enum lith_code get(struct lith_folder *folder, const char *name, size_t limit,
                          struct lith_arena *arena, struct lith_blob *ret_blob,
                          struct lith_err *err)
{
    struct lith_object given;
    void *copy;

    LITH_TRY(ask(folder, err));
    const struct sim_object *object = sim_dir_get(folder_of(folder)->dir, name);
    if (!object)
        return absent(name, err);
    const struct sim_blob *blob = object->blob;
    if (blob->bytes > limit)
        return lith_fail(err, LITH_E_LIMIT, "%s has %zu bytes", name, blob->bytes);
    LITH_TRY(object_give(object, arena, &given, err));
    LITH_TRY(lith_arena_copy(arena, blob->data, blob->bytes, &copy, err));
    *ret_blob = (struct lith_blob){.data = copy,
                                   .bytes = blob->bytes,
                                   .hash = blob->hash,
                                   .etag = given.etag,
                                   .mtime_ns = given.mtime_ns};
    sim_delay(folder_of(folder)->actor); /* the answer is on its way */
    return LITH_OK;
}

/* A file that is open can be read to its end, whatever becomes of its name; an object not. */
static enum lith_code source_read(struct lith_source *base, uint64_t offset, void *to, size_t bytes,
                                  struct lith_err *err)
{
    const struct source *source = (const struct source *)base;

    if (source->folder->actor->world->backend == SIM_OBJECTS) {
        const struct sim_object *object = sim_dir_get(source->folder->dir, source->object.name);
        if (!object)
            return absent(source->object.name, err);
        if (object->version != source->object.version)
            return lith_fail(err, LITH_E_CONFLICT, "%s is another one by now", object->name);
    }
    if (bytes)
        memcpy(to, source->object.blob->data + offset, bytes);
    return LITH_OK;
}

static void source_close(struct lith_source *base)
{
    lith_free(base);
}

static enum lith_code source_open(struct lith_folder *base, const struct lith_object *object,
                                  struct lith_source **ret_source, struct lith_err *err)
{
    static const struct lith_source_ops ops = {.read = source_read, .close = source_close};
    struct folder *folder = folder_of(base);
    void *block;

    LITH_TRY(ask(base, err));
    const struct sim_object *found = sim_dir_get(folder->dir, object->name);
    if (!found)
        return absent(object->name, err);
    if (object->etag && strcmp(object->etag, found->etag) != 0)
        return lith_fail(err, LITH_E_CONFLICT, "%s was %s, is now %s", object->name, object->etag,
                         found->etag);
    struct source made = {
        .base = {.ops = &ops, .size = found->blob->bytes}, .object = *found, .folder = folder};
    LITH_TRY(lith_alloc(base->store->mem, sizeof(made), &block, err));
    memcpy(block, &made, sizeof(made));
    *ret_source = block;
    return LITH_OK;
}

/* What a sink has gathered. */
struct gathering {
    struct lith_sink sink;
    struct lith_buf bytes;
};

static enum lith_code gather(struct lith_sink *sink, const void *from, size_t bytes,
                             struct lith_err *err)
{
    return lith_buf_append(&((struct gathering *)sink)->bytes, from, bytes, err);
}

static const struct lith_sink_ops gather_ops = {.write = gather};

static enum lith_code put_send(struct folder *folder, const char *name,
                               const struct lith_blob *expected, const struct lith_buf *bytes,
                               struct lith_err *err)
{
    struct sim_op op = {.verb = SIM_PUT_IF,
                        .dir = folder->dir,
                        .name = name,
                        .blob = sim_blob_new(folder->actor->world, bytes->data, bytes->bytes)};
    enum sim_result result;

    if (expected) {
        op.expects_bytes = true;
        op.hash = expected->hash;
        (void)sscanf(expected->etag, "v%" SCNu64, &op.version);
    }
    LITH_TRY(sim_send(folder->actor, &op, &result, err));
    if (result != SIM_DONE)
        return lith_fail(err, LITH_E_CONFLICT, "%s is not what was expected", name);
    return LITH_OK;
}

static enum lith_code put_if(struct lith_folder *base, const char *name,
                             const struct lith_blob *expected, struct lith_content *body,
                             struct lith_err *err)
{
    struct gathering to = {.sink = {.ops = &gather_ops}};

    lith_buf_init(&to.bytes, base->store->mem, SIZE_MAX / 2);
    enum lith_code code = body->write(body, &to.sink, err);
    if (code == LITH_OK)
        code = put_send(folder_of(base), name, expected, &to.bytes, err);
    lith_buf_done(&to.bytes);
    return code;
}

static enum lith_code output_gather(struct lith_sink *sink, const void *from, size_t bytes,
                                    struct lith_err *err)
{
    struct output *output = (struct output *)((uint8_t *)sink - offsetof(struct output, sink));

    return lith_buf_append(&output->bytes, from, bytes, err);
}

static void output_free(struct lith_output *base);

/* A file is there from its creation on, under a name that no reader counts. */
static enum lith_code tmp_put(struct output *output, enum sim_verb verb, struct lith_err *err)
{
    struct folder *folder = output->folder;
    struct sim_op op = {
        .verb = verb,
        .dir = folder->dir,
        .name = output->tmp,
        .blob = sim_blob_new(folder->actor->world, output->bytes.data, output->bytes.bytes)};
    enum sim_result result;

    enum lith_code code = sim_send(folder->actor, &op, &result, err);
    output->tmp_version = op.put_version ? op.put_version : output->tmp_version;
    if (code == LITH_OK && result != SIM_DONE)
        return lith_fail(err, LITH_E_CONFLICT, "%s is there", output->tmp);
    return code;
}

static enum lith_code output_new(struct lith_folder *base,
                                 const struct lith_output_options *options,
                                 struct lith_output **ret_output, struct lith_err *err)
{
    static const struct lith_sink_ops ops = {.write = output_gather};
    struct folder *folder = folder_of(base);
    void *block;

    LITH_TRY(ask(base, err));
    if (sim_dir_get(folder->dir, options->name))
        return lith_fail(err, LITH_E_CONFLICT, "%s is there", options->name);
    LITH_TRY(lith_alloc(base->store->mem, sizeof(struct output), &block, err));
    struct output *output = block;
    *output = (struct output){.folder = folder, .sink = {.ops = &ops}};
    (void)snprintf(output->name, sizeof(output->name), "%s", options->name);
    (void)snprintf(output->tmp, sizeof(output->tmp), "%.100s.tmp", options->name);
    lith_buf_init(&output->bytes, base->store->mem, SIZE_MAX / 2);
    output->base =
        (struct lith_output){.folder = base, .sink = &output->sink, .name = output->name};
    enum lith_code code =
        folder->actor->world->backend == SIM_LOCAL ? tmp_put(output, SIM_PUT_NEW, err) : LITH_OK;
    if (code != LITH_OK) {
        output_free(&output->base);
        return code;
    }
    *ret_output = &output->base;
    return LITH_OK;
}

/* Another name for what may land under the first one yet. */
static void name_renew(struct output *output)
{
    struct lith_uuid_source uuids = {.env = output->folder->base.store->env};
    char uuid[LITH_UUID_TEXT_BYTES];

    lith_uuid7(&uuids, uuid);
    memcpy(output->name, uuid, LITH_UUID_TEXT_BYTES - 1);
}

/* An object: put where nothing is; after an answer that says nothing it is looked for. */
static enum lith_code object_seal(struct output *output, struct lith_err *err)
{
    struct folder *folder = output->folder;
    struct sim_op op = {
        .verb = SIM_PUT_NEW,
        .dir = folder->dir,
        .name = output->name,
        .blob = sim_blob_new(folder->actor->world, output->bytes.data, output->bytes.bytes)};
    enum lith_code code = LITH_E_TRANSIENT;
    enum sim_result result;

    for (unsigned tries = 0; code == LITH_E_TRANSIENT && tries < LOCK_TRIES; tries++) {
        code = sim_send(folder->actor, &op, &result, err);
        if (code == LITH_OK && result == SIM_DONE)
            return LITH_OK;
        code = ask(&folder->base, err);
        const struct sim_object *found = sim_dir_get(folder->dir, output->name);
        if (code == LITH_OK && found && found->blob->crc == op.blob->crc)
            return LITH_OK;
        name_renew(output);
        code = LITH_E_TRANSIENT;
    }
    return lith_fail(err, LITH_E_TRANSIENT, "%s could not be written", output->name);
}

static enum lith_code output_seal(struct lith_output *base, struct lith_err *err)
{
    struct output *output = (struct output *)base;
    bool is_local = output->folder->actor->world->backend == SIM_LOCAL;

    base->sink = NULL;
    base->size = output->bytes.bytes;
    base->crc = lith_crc32(0, output->bytes.data, output->bytes.bytes);
    LITH_TRY(is_local ? tmp_put(output, SIM_PUT, err) : object_seal(output, err));
    base->read_name = is_local ? output->tmp : output->name;
    return LITH_OK;
}

static enum lith_code tmp_rename(struct output *output, struct lith_err *err)
{
    struct sim_op op = {
        .verb = SIM_RENAME, .dir = output->folder->dir, .name = output->tmp, .to = output->name};
    enum sim_result result;

    LITH_TRY(sim_send(output->folder->actor, &op, &result, err));
    if (result == SIM_ABSENT)
        return absent(output->tmp, err);
    if (result == SIM_REFUSED)
        return lith_fail(err, LITH_E_CONFLICT, "%s is there", output->name);
    output->tmp_version = 0;
    return LITH_OK;
}

static enum lith_code output_publish(struct lith_output *base, struct lith_arena *arena,
                                     struct lith_object *ret_object, struct lith_err *err)
{
    struct output *output = (struct output *)base;

    if (output->folder->actor->world->backend == SIM_LOCAL)
        LITH_TRY(tmp_rename(output, err));
    return head(base->folder, output->name, arena, ret_object, err);
}

static void output_free(struct lith_output *base)
{
    struct output *output = (struct output *)base;
    struct sim_op op = {.verb = SIM_DELETE,
                        .dir = output->folder->dir,
                        .name = output->tmp,
                        .version = output->tmp_version};
    enum sim_result result;
    struct lith_err ignored;

    if (output->tmp_version)
        (void)sim_send(output->folder->actor, &op, &result, &ignored);
    lith_buf_done(&output->bytes);
    lith_free(output);
}

static enum lith_code delete_if(struct lith_folder *base, const struct lith_object *object,
                                struct lith_err *err)
{
    struct folder *folder = folder_of(base);
    struct sim_op op = {.verb = SIM_DELETE, .dir = folder->dir, .name = object->name};
    enum sim_result result;

    if (object->etag)
        (void)sscanf(object->etag, "v%" SCNu64, &op.version);
    LITH_TRY(sim_send(folder->actor, &op, &result, err));
    if (result == SIM_ABSENT)
        return absent(object->name, err);
    if (result == SIM_REFUSED)
        return lith_fail(err, LITH_E_CONFLICT, "%s is another one by now", object->name);
    return LITH_OK;
}

static enum lith_code deletes_end(struct lith_folder *folder, struct lith_err *err)
{
    return ask(folder, err);
}

static const struct lith_store_ops store_ops = {
    .close = store_close,
    .probe = probe,
    .folder_open = folder_open,
    .folder_make = folder_make,
    .folder_close = folder_close,
    .lock = lock,
    .unlock = unlock,
    .now = now,
    .list = list,
    .head = head,
    .get = get,
    .source_open = source_open,
    .put_if = put_if,
    .output_new = output_new,
    .output_seal = output_seal,
    .output_publish = output_publish,
    .output_free = output_free,
    .delete_if = delete_if,
    .deletes_end = deletes_end,
};

static int64_t env_now(struct lith_env *env)
{
    const struct sim_actor *actor = view_of(env)->actor;

    return actor->world->now_ns + actor->skew_ns;
}

static int64_t env_monotonic(struct lith_env *env)
{
    return view_of(env)->actor->world->now_ns;
}

static void env_random(struct lith_env *env, void *to, size_t bytes)
{
    uint8_t *at = to;

    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)sim_draw(view_of(env)->actor->world, 256);
}

static void env_step(struct lith_env *env, const char *name)
{
    (void)name;
    sim_peril(view_of(env)->actor);
}

void sim_view_init(struct sim_view *view, struct sim_actor *actor, struct lith_mem *mem)
{
    *view = (struct sim_view){.env = {.now_ns = env_now,
                                      .monotonic_ns = env_monotonic,
                                      .random = env_random,
                                      .step = env_step},
                              .actor = actor};
    view->store = (struct lith_store){.ops = &store_ops,
                                      .env = &view->env,
                                      .mem = mem,
                                      .root = "sim",
                                      .is_lockless = actor->world->backend == SIM_OBJECTS};
    view->series = view->store;
    view->series.root = SIM_SERIES_PATH;
}
