#include "sim_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "lake/journal.h"
#include "sim_audit.h"
#include "sim_codec.h"

/* What the oracle keeps of a directory. */
struct watch {
    const struct sim_manifest *manifest; /* that was looked at last */
    uint64_t generation_most;
    uint64_t epoch_most;
    bool is_loose; /* an operator has changed files by hand */
    /* Of a head (sim_dir_head): that were stored here, or below. */
    uint32_t *rows;
    uint32_t row_count;
    uint32_t row_room;
};

/* The oracle lies behind the lake. */
struct state {
    struct sim_lake lake;
    struct sim_oracle oracle;
};

struct sim_oracle *sim_oracle_of(struct sim_world *world)
{
    return &((struct state *)world->lake)->oracle;
}

bool sim_is_data(const char *name)
{
    size_t bytes = strlen(name);

    return name[0] != '_' && name[0] != '.' && bytes > 8 &&
           strcmp(name + bytes - 8, ".parquet") == 0;
}

bool sim_names_have(const struct sim_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (strcmp(names->names[i], name) == 0)
            return true;
    }
    return false;
}

/* <uuid>_<pid>_e<digits>.parquet */
static bool is_output_of(const char *name, const char *pid)
{
    size_t bytes = strlen(name);

    return pid[0] && bytes > 36 + 1 + 8 + 2 && name[36] == '_' && strncmp(name + 37, pid, 8) == 0 &&
           strncmp(name + 45, "_e", 2) == 0;
}

bool sim_is_live(const struct sim_manifest *manifest, const char *name, uint64_t size)
{
    if (!sim_is_data(name))
        return false;
    if (!manifest || !manifest->blob || sim_names_have(&manifest->files, name))
        return true;
    if (sim_names_have(&manifest->retired, name) || is_output_of(name, manifest->pid))
        return false;
    for (uint32_t i = 0; i < manifest->gone.count; i++) {
        if (manifest->gone_sizes[i] == size && strcmp(manifest->gone.names[i], name) == 0)
            return false;
    }
    return true;
}

bool sim_is_taken(const struct sim_manifest *manifest, const struct sim_manifest *above,
                  const char *name)
{
    return manifest && above && manifest->handed_to &&
           sim_names_have(&above->taken, manifest->handed_to) &&
           sim_names_have(&manifest->handed, name);
}

/* `key`: of objects, the field that is the name; NULL: they are texts. */
static struct sim_names names_of(struct sim_world *world, const json_t *array, const char *key)
{
    struct sim_names names = {.count = (uint32_t)json_array_size(array)};

    names.names = sim_take(world, (names.count + 1) * sizeof(char *));
    for (uint32_t i = 0; i < names.count; i++) {
        const json_t *item = json_array_get(array, i);
        const char *text = json_string_value(key ? json_object_get(item, key) : item);
        names.names[i] = sim_text(world, text ? text : "");
    }
    return names;
}

static void sizes_of(struct sim_world *world, const json_t *array, struct sim_manifest *manifest)
{
    uint64_t *sizes = sim_take(world, (manifest->gone.count + 1) * sizeof(*sizes));

    for (uint32_t i = 0; i < manifest->gone.count; i++)
        sizes[i] = (uint64_t)json_integer_value(json_object_get(json_array_get(array, i), "size"));
    manifest->gone_sizes = sizes;
}

static struct sim_names entry_names(struct sim_world *world, const struct lith_entry *entries,
                                    size_t count)
{
    struct sim_names names = {.count = (uint32_t)count};

    names.names = sim_take(world, (count + 1) * sizeof(char *));
    for (size_t i = 0; i < count; i++)
        names.names[i] = entries[i].name;
    return names;
}

static struct sim_names taken_names(struct sim_world *world, const struct lith_manifest *m)
{
    struct sim_names names = {.count = (uint32_t)m->taken_count};

    names.names = sim_take(world, (m->taken_count + 1) * sizeof(char *));
    for (size_t i = 0; i < m->taken_count; i++)
        names.names[i] = m->taken[i].commit_id;
    return names;
}

/* A manifest that is stored without JSON. */
static struct sim_manifest given(struct sim_world *world, const struct sim_blob *blob,
                                 const struct lith_manifest *m)
{
    uint64_t *sizes = sim_take(world, (m->gone_count + 1) * sizeof(*sizes));

    for (size_t i = 0; i < m->gone_count; i++)
        sizes[i] = m->gone[i].size;
    struct sim_manifest manifest = {
        .blob = blob,
        .commit_id = m->commit_id,
        .op = lith_op_name(m->log[m->log_count - 1].op),
        .owes_event = !m->log[m->log_count - 1].event,
        .log_first = m->log[0].generation,
        .generation = m->generation,
        .epoch = m->epoch,
        .files = entry_names(world, m->files, m->file_count),
        .retired = entry_names(world, m->retired, m->retired_count),
        .gone = entry_names(world, m->gone, m->gone_count),
        .gone_sizes = sizes,
        .condemned = {m->condemned, (uint32_t)m->condemned_count},
        .handed_to = m->has_handed ? m->handed.commit_id : NULL,
        .taken = taken_names(world, m),
    };
    if (m->has_handed)
        manifest.handed = entry_names(world, m->handed.files, m->handed.file_count);
    memcpy(manifest.pid, m->pid, sizeof(m->pid));
    return manifest;
}

static struct sim_manifest parse(struct sim_world *world, const struct sim_blob *blob)
{
    struct sim_manifest manifest = {.blob = blob};
    const struct lith_manifest *found = sim_codec_find(blob->data, blob->bytes);
    if (found)
        return given(world, blob, found);
    json_t *root = json_loadb((const char *)blob->data, blob->bytes, 0, NULL);
    const json_t *ours = json_object_get(root, "lithify");

    manifest.is_unreadable = !ours;
    if (!ours)
        return manifest;
    const json_t *log = json_object_get(ours, "log");
    const json_t *last = json_array_get(log, json_array_size(log) - 1);
    manifest.generation = (uint64_t)json_integer_value(json_object_get(root, "generation"));
    manifest.epoch = (uint64_t)json_integer_value(json_object_get(ours, "epoch"));
    strncpy(manifest.pid, json_string_value(json_object_get(ours, "pid")),
            sizeof(manifest.pid) - 1);
    manifest.commit_id = sim_text(world, json_string_value(json_object_get(ours, "commit_id")));
    manifest.log_first =
        (uint64_t)json_integer_value(json_object_get(json_array_get(log, 0), "generation"));
    manifest.op = sim_text(world, json_string_value(json_object_get(last, "op")));
    manifest.owes_event = !json_is_true(json_object_get(last, "event"));
    manifest.files = names_of(world, json_object_get(root, "files"), NULL);
    manifest.retired = names_of(world, json_object_get(ours, "retired"), "name");
    manifest.gone = names_of(world, json_object_get(ours, "gone"), "name");
    sizes_of(world, json_object_get(ours, "gone"), &manifest);
    manifest.condemned = names_of(world, json_object_get(ours, "condemned"), NULL);
    manifest.taken = names_of(world, json_object_get(ours, "taken"), "commit_id");
    const json_t *handed = json_object_get(ours, "handed");
    if (handed) {
        manifest.handed_to =
            sim_text(world, json_string_value(json_object_get(handed, "commit_id")));
        manifest.handed = names_of(world, json_object_get(handed, "files"), "name");
    }
    json_decref(root);
    return manifest;
}

static struct watch *watch_of(struct sim_dir *dir)
{
    if (!dir->watch)
        dir->watch = sim_take(dir->world, sizeof(struct watch));
    return dir->watch;
}

const struct sim_manifest *sim_manifest_read(struct sim_world *world, const struct sim_blob *blob)
{
    struct sim_blob *known = (struct sim_blob *)(uintptr_t)blob; /* what is noted changes nothing */

    if (!blob->manifest) {
        struct sim_manifest *manifest = sim_take(world, sizeof(*manifest));
        *manifest = parse(world, blob);
        known->manifest = manifest;
    }
    return blob->manifest;
}

const struct sim_manifest *sim_manifest_of(struct sim_dir *dir)
{
    static const struct sim_manifest nothing;
    const struct sim_object *object = sim_dir_get(dir, "manifest.json");

    return object ? sim_manifest_read(dir->world, object->blob) : &nothing;
}

static void row_place(struct sim_dir *dir, uint32_t row)
{
    struct watch *watch = watch_of(sim_dir_head(dir));

    if (watch->row_count == watch->row_room) {
        watch->row_room = watch->row_room ? 2 * watch->row_room : 64;
        uint32_t *rows = sim_take(dir->world, watch->row_room * sizeof(*rows));
        memcpy(rows, watch->rows, watch->row_count * sizeof(*rows));
        watch->rows = rows;
    }
    watch->rows[watch->row_count++] = row;
    sim_oracle_of(dir->world)->rows[row].dir = dir;
}

static uint32_t row_new(struct sim_world *world, bool is_pending)
{
    struct sim_oracle *oracle = sim_oracle_of(world);

    if (oracle->row_count == SIM_ROWS_MAX)
        abort();
    oracle->rows[oracle->row_count] =
        (struct sim_row){.seen_ns = INT64_MAX, .removed_ns = INT64_MAX, .is_pending = is_pending};
    return oracle->row_count++;
}

void sim_rows_new(struct sim_dir *dir, uint32_t count, bool is_pending, uint32_t *ret_first)
{
    *ret_first = sim_oracle_of(dir->world)->row_count;
    for (uint32_t i = 0; i < count; i++)
        row_place(dir, row_new(dir->world, is_pending));
}

uint32_t sim_row_of_event(struct sim_world *world)
{
    return row_new(world, false);
}

bool sim_oracle_is_loose(struct sim_dir *dir)
{
    return watch_of(dir)->is_loose;
}

void sim_oracle_loosen(struct sim_dir *dir)
{
    watch_of(dir)->is_loose = true;
}

/* How often each row is there: by the open rule, by the strict one, in any file at all. */
struct counts {
    uint8_t open[SIM_ROWS_MAX];
    uint8_t strict[SIM_ROWS_MAX];
    uint8_t named[SIM_ROWS_MAX]; /* ... where that is more than a list */
    uint8_t stored[SIM_ROWS_MAX];
    uint8_t staying[SIM_ROWS_MAX]; /* ... that is not condemned */
};

/* Files stay in their partition, or go to the one above. */
static void home_look(struct sim_dir *dir, const struct sim_object *object, uint32_t number)
{
    struct sim_row *row = &sim_oracle_of(dir->world)->rows[number];

    if (!row->dir)
        row_place(dir, number);
    if (!sim_dir_leads_to(row->dir, dir))
        sim_fail(dir->world, "%s: %s has row %u, which is of %s", dir->path, object->name, number,
                 row->dir->path);
}

static void dir_count(struct sim_dir *dir, struct counts *counts)
{
    const struct sim_manifest *manifest = sim_manifest_of(dir);
    const struct sim_manifest *above = dir->above ? sim_manifest_of(dir->above) : NULL;

    for (uint32_t i = 0; i < dir->count; i++) {
        const struct sim_object *object = &dir->objects[i];
        if (!sim_is_data(object->name))
            continue;
        bool taken = sim_is_taken(manifest, above, object->name);
        bool live = sim_is_live(manifest, object->name, object->blob->bytes) && !taken;
        bool named = manifest->blob && sim_names_have(&manifest->files, object->name) && !taken;
        bool strict = named || (live && !manifest->blob);
        bool stays = !sim_names_have(&manifest->condemned, object->name);
        struct sim_rows rows = sim_file_rows(dir->world, object->blob);
        for (uint32_t k = 0; k < rows.count; k++) {
            uint32_t row = rows.rows[k];
            home_look(dir, object, row);
            counts->staying[row] += stays;
            counts->open[row] += live;
            counts->strict[row] += strict;
            counts->named[row] += named;
            counts->stored[row]++;
        }
    }
}

/* The rows of a partition, and of those that are looked at together with it. */
static void count(struct sim_dir *dir, struct counts *counts)
{
    const struct sim_oracle *oracle = sim_oracle_of(dir->world);
    struct sim_lake *lake = sim_lake_of(dir->world);
    struct sim_dir *head = sim_dir_head(dir);

    memset(counts->open, 0, oracle->row_count);
    memset(counts->strict, 0, oracle->row_count);
    memset(counts->named, 0, oracle->row_count);
    memset(counts->stored, 0, oracle->row_count);
    memset(counts->staying, 0, oracle->row_count);
    dir_count(head, counts);
    for (uint32_t i = 0; lake->is_family && !dir->is_series && i < lake->partition_count; i++) {
        if (&lake->dirs[i] != head)
            dir_count(&lake->dirs[i], counts);
    }
}

uint32_t sim_oracle_shown(struct sim_world *world, uint32_t row)
{
    static struct counts counts;
    struct sim_dir *dir = sim_oracle_of(world)->rows[row].dir;

    if (!dir)
        return 0;
    count(dir, &counts);
    return counts.open[row];
}

bool sim_oracle_has_twice(struct sim_dir *dir, const struct sim_blob *blob)
{
    static struct counts counts;
    struct sim_rows rows = sim_file_rows(dir->world, blob);
    bool twice = rows.count > 0;

    count(dir, &counts);
    for (uint32_t i = 0; i < rows.count; i++)
        twice = twice && counts.staying[rows.rows[i]] > 1;
    return twice;
}

void sim_rows_overwrite(struct sim_dir *dir, const char *name)
{
    const struct sim_object *object = sim_dir_get(dir, name);
    struct sim_rows rows = sim_file_rows(dir->world, sim_dir_past(dir, name));

    /* Also where it is gone by now: a reader that is slower than its grace may open the name yet.
     */
    for (uint32_t i = 0; i < rows.count; i++) {
        struct sim_row *row = &sim_oracle_of(dir->world)->rows[rows.rows[i]];
        row->overwritten_ns = dir->world->now_ns;
        if (object && row->is_pending)
            row->removed_ns = dir->world->now_ns;
    }
}

/* The rows of a file that is there, and that the other manifest does not name. */
static struct sim_rows rows_unless_named(struct sim_dir *dir, const char *name,
                                         const struct sim_manifest *other)
{
    const struct sim_object *object = sim_dir_get(dir, name);

    return object && !sim_names_have(&other->files, name) ? sim_file_rows(dir->world, object->blob)
                                                          : (struct sim_rows){0};
}

/* An operator has taken files out of the live set: their rows are removed. */
static void removals_note(struct sim_dir *dir, const struct sim_manifest *before,
                          const struct sim_manifest *now)
{
    struct sim_oracle *oracle = sim_oracle_of(dir->world);

    for (uint32_t i = 0; i < before->files.count; i++) {
        struct sim_rows rows = rows_unless_named(dir, before->files.names[i], now);
        for (uint32_t k = 0; k < rows.count; k++)
            oracle->rows[rows.rows[k]].removed_ns = dir->world->now_ns;
    }
}

/* ... or has brought some back: rows that were removed are there once more. */
static void returns_note(struct sim_dir *dir, const struct sim_manifest *before,
                         const struct sim_manifest *now)
{
    struct sim_oracle *oracle = sim_oracle_of(dir->world);

    for (uint32_t i = 0; i < now->files.count; i++) {
        struct sim_rows rows = rows_unless_named(dir, now->files.names[i], before);
        for (uint32_t k = 0; k < rows.count; k++) {
            struct sim_row *row = &oracle->rows[rows.rows[k]];
            if (row->removed_ns == INT64_MAX)
                continue;
            row->is_back = true;
            row->removed_ns = INT64_MAX;
            row->seen_ns = INT64_MAX;
            row->is_strict = false;
        }
    }
}

/* Rows of files that vanished, and that are shown by no other one, are written off: what still has
 * them is kept for as long as replays are remembered, and told of. */
static void losses_note(struct sim_dir *dir, const struct sim_manifest *before,
                        const struct sim_manifest *now)
{
    struct sim_oracle *oracle = sim_oracle_of(dir->world);

    for (uint32_t i = 0; i < before->files.count; i++) {
        const char *name = before->files.names[i];
        if (sim_dir_get(dir, name) || sim_names_have(&now->files, name))
            continue;
        struct sim_rows rows = sim_file_rows(dir->world, sim_dir_past(dir, name));
        for (uint32_t k = 0; k < rows.count; k++) {
            if (sim_oracle_shown(dir->world, rows.rows[k]) == 0)
                oracle->rows[rows.rows[k]].removed_ns = dir->world->now_ns;
        }
    }
}

static void commit_count(struct sim_world *world, const char *op)
{
    static const char *const ops[] = {"adopt",  "lease",    "compact", "fold",    "fence",
                                      "clean",  "rollback", "retire",  "restore", "hand",
                                      "rollup", "moved",    "unhand",  "repair"};

    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        world->things[SIM_ADOPTS + i] += strcmp(op, ops[i]) == 0;
    if (world->running && world->running->has_lost && strcmp(op, "compact") == 0)
        world->things[SIM_RETRIED_COMMITS]++;
}

/* What is handed is named here; what was taken once is never forgotten. */
static void tiers_look(struct sim_dir *dir, const struct sim_manifest *before,
                       const struct sim_manifest *now)
{
    for (uint32_t i = 0; i < now->handed.count; i++) {
        if (!sim_names_have(&now->files, now->handed.names[i]))
            sim_fail(dir->world, "%s: %s is handed, and not live", dir->path, now->handed.names[i]);
    }
    for (uint32_t i = 0; before && i < before->taken.count; i++) {
        if (!sim_names_have(&now->taken, before->taken.names[i]))
            sim_fail(dir->world, "%s: it does not know any more that it has taken %s", dir->path,
                     before->taken.names[i]);
    }
}

/* Whoever lists counts rows twice from the outputs of a merge until its inputs are deleted: all the
 * while there is a journal, for whoever comes next. */
static void journal_look(struct sim_dir *dir, const struct sim_manifest *now)
{
    struct sim_lake *lake = sim_lake_of(dir->world);
    const struct sim_dir *journals = sim_dir_find(lake, LITH_JOURNAL_FOLDER "/" LITH_JOURNAL_TIER);
    bool has = false;

    if (!lake->is_glob || watch_of(dir)->is_loose || strcmp(now->op, "compact") != 0)
        return;
    for (uint32_t i = 0; i < journals->count; i++)
        has = has || strstr(journals->objects[i].name, now->commit_id);
    if (!has)
        sim_fail(dir->world, "%s: a merge is committed without a journal", dir->path);
}

static void commit_look(struct sim_dir *dir, const struct sim_manifest *before,
                        const struct sim_manifest *now)
{
    struct watch *watch = watch_of(dir);

    if (now->is_unreadable) {
        sim_fail(dir->world, "%s: the manifest cannot be read", dir->path);
        return;
    }
    sim_tell(dir->world, "  generation %llu: %s, epoch %llu, %u files, %u retired",
             (unsigned long long)now->generation, now->op, (unsigned long long)now->epoch,
             now->files.count, now->retired.count);
    if (!watch->is_loose && now->generation != watch->generation_most + 1)
        sim_fail(dir->world, "%s: generation %llu after %llu", dir->path,
                 (unsigned long long)now->generation, (unsigned long long)watch->generation_most);
    if (!watch->is_loose && now->epoch < watch->epoch_most)
        sim_fail(dir->world, "%s: epoch %llu after %llu", dir->path, (unsigned long long)now->epoch,
                 (unsigned long long)watch->epoch_most);
    watch->generation_most = now->generation;
    watch->epoch_most = now->epoch;
    if (dir->is_series) {
        dir->world->things[SIM_EVENTS_MERGED] += strcmp(now->op, "compact") == 0;
    } else {
        commit_count(dir->world, now->op);
        journal_look(dir, now);
        sim_audit_commit(dir, now);
    }
    if (before && strcmp(now->op, "retire") == 0)
        removals_note(dir, before, now);
    if (before && strcmp(now->op, "restore") == 0)
        returns_note(dir, before, now);
    if (before && strcmp(now->op, "repair") == 0)
        losses_note(dir, before, now);
    tiers_look(dir, before, now);
}

/* The files that the manifest names are there. */
static void files_look(struct sim_dir *dir, const struct sim_manifest *manifest)
{
    for (uint32_t i = 0; !watch_of(dir)->is_loose && i < manifest->files.count; i++) {
        if (!sim_dir_get(dir, manifest->files.names[i]))
            sim_fail(dir->world, "%s: the live file %s is not there", dir->path,
                     manifest->files.names[i]);
    }
}

static void row_look(struct sim_dir *dir, uint32_t number, const struct counts *counts)
{
    struct sim_world *world = dir->world;
    struct sim_row *row = &sim_oracle_of(world)->rows[number];
    bool is_removed = row->removed_ns != INT64_MAX;

    row->is_loose = watch_of(dir)->is_loose;
    if (counts->open[number] > 1 || counts->strict[number] > 1)
        sim_fail(world, "%s: row %u is there %u times, to the strict rule %u times", dir->path,
                 number, counts->open[number], counts->strict[number]);
    /* An older manifest may say that gc has to delete what has been restored since. */
    if (row->is_loose && !is_removed && !row->is_back && !counts->stored[number])
        sim_fail(world, "%s: row %u is in no file any more", dir->path, number);
    if (row->is_loose)
        return;
    if (is_removed) {
        if (counts->open[number] || counts->strict[number])
            sim_fail(world, "%s: row %u was removed and is there", dir->path, number);
        return;
    }
    if (!counts->stored[number])
        sim_fail(world, "%s: row %u is in no file any more", dir->path, number);
    if (counts->open[number]) {
        row->is_pending = false;
        row->seen_ns = row->seen_ns == INT64_MAX ? world->now_ns : row->seen_ns;
    } else if (!row->is_pending) {
        sim_fail(world, "%s: row %u is lost to readers", dir->path, number);
    }
    /* Without a manifest the strict rule is a list: what lands while that is adopted comes later.
     */
    if (counts->named[number])
        row->is_strict = true;
    else if (row->is_strict && !counts->strict[number])
        sim_fail(world, "%s: row %u is lost to the strict rule", dir->path, number);
}

static void look(struct sim_dir *dir)
{
    static struct counts counts;
    const struct watch *head = watch_of(sim_dir_head(dir));
    const struct sim_manifest *before = watch_of(dir)->manifest;
    const struct sim_manifest *now = sim_manifest_of(dir);

    if (before && before->blob && !now->blob)
        sim_fail(dir->world, "%s: the manifest was deleted", dir->path);
    if (now->blob && now != before)
        commit_look(dir, before, now);
    watch_of(dir)->manifest = now;
    if (dir->world->is_failed)
        return;
    files_look(dir, now);
    count(dir, &counts);
    for (uint32_t i = 0; i < head->row_count && !dir->world->is_failed; i++)
        row_look(dir, head->rows[i], &counts);
}

void sim_oracle_begin(struct sim_world *world)
{
    struct state *state = sim_take(world, sizeof(*state));

    world->lake = &state->lake;
    state->lake.look = look;
    sim_audit_begin(world);
}

static bool sized_have(const struct sim_names *names, const uint64_t *sizes, const char *name,
                       uint64_t size)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (sizes[i] == size && strcmp(names->names[i], name) == 0)
            return true;
    }
    return false;
}

/* Does the partition know of a file of that name and size? */
static bool is_remembered(struct sim_dir *dir, const char *name, uint64_t size)
{
    const struct sim_manifest *manifest = sim_manifest_of(dir);

    return sim_names_have(&manifest->files, name) || sim_names_have(&manifest->retired, name) ||
           sized_have(&manifest->gone, manifest->gone_sizes, name, size);
}

/* The same of an input, which may lie in a partition below: "CHILD/NAME". */
static bool is_input_remembered(struct sim_dir *dir, const char *name, uint64_t size)
{
    const char *slash = strchr(name, '/');
    char path[128];

    if (!slash)
        return is_remembered(dir, name, size);
    (void)snprintf(path, sizeof(path), "%s/%.*s", dir->path, (int)(slash - name), name);
    struct sim_dir *below = sim_dir_find(sim_lake_of(dir->world), path);
    return below && is_remembered(below, slash + 1, size);
}

/* An orphan one of whose inputs nobody remembers: its job stood still for longer than replays are
 * remembered. It stays, and fsck tells of it. */
static bool is_stuck(struct sim_dir *dir, const struct sim_object *object)
{
    struct sim_inputs inputs = sim_file_inputs(dir->world, object->blob);
    bool all = is_output_of(object->name, sim_manifest_of(dir)->pid);

    for (uint32_t i = 0; all && i < inputs.count; i++) {
        if (!is_input_remembered(dir, inputs.names[i], inputs.sizes[i]))
            return true;
    }
    return false;
}

static void rows_settled(struct sim_dir *head)
{
    static struct counts counts;
    const struct sim_oracle *oracle = sim_oracle_of(head->world);

    count(head, &counts);
    for (uint32_t k = 0; k < watch_of(head)->row_count; k++) {
        uint32_t i = watch_of(head)->rows[k];
        const struct sim_row *row = &oracle->rows[i];
        bool wanted = row->removed_ns == INT64_MAX;
        if (row->is_loose)
            continue;
        if (counts.open[i] != wanted || counts.strict[i] != wanted)
            sim_fail(head->world, "%s: at rest row %u is there %u times, to the strict rule %u",
                     head->path, i, counts.open[i], counts.strict[i]);
    }
}

/* Nobody's business but their writer's. */
static void notes_settled(struct sim_dir *dir)
{
    for (uint32_t i = 0; i < dir->past_count; i++) {
        if (strncmp(dir->past[i].name, "note", 4) == 0 && !sim_dir_get(dir, dir->past[i].name))
            sim_fail(dir->world, "%s: %s was deleted", dir->path, dir->past[i].name);
    }
}

/* All is done that a journal spoke of, unless somebody has to mend its partition first. */
static void journals_settled(struct sim_dir *dir)
{
    struct sim_lake *lake = sim_lake_of(dir->world);
    bool is_loose = false;

    for (uint32_t i = 0; i < lake->partition_count; i++)
        is_loose = is_loose || watch_of(&lake->dirs[i])->is_loose;
    if (lake->is_glob && *dir->path && dir->count && !is_loose)
        sim_fail(dir->world, "%s: at rest %s is left over", dir->path, dir->objects[0].name);
}

void sim_oracle_settled(struct sim_dir *dir)
{
    const struct sim_manifest *manifest = sim_manifest_of(dir);

    if (watch_of(dir)->is_loose)
        return; /* it may wait for somebody to mend it */
    if (dir->is_hollow) {
        journals_settled(dir);
        return;
    }
    if (sim_dir_head(dir) == dir)
        rows_settled(dir);
    notes_settled(dir);
    if (manifest->handed_to)
        sim_fail(dir->world, "%s: at rest files are handed to %s", dir->path, manifest->handed_to);
    for (uint32_t i = 0; i < dir->count; i++) {
        const char *name = dir->objects[i].name;
        bool is_others = name[0] == 'x' || strncmp(name, "note", 4) == 0;
        bool is_ours = strcmp(name, "manifest.json") == 0 || sim_names_have(&manifest->files, name);
        bool is_left = manifest->blob && !is_others && !is_ours;
        bool stays = is_left && is_stuck(dir, &dir->objects[i]);
        if (stays)
            sim_tell(dir->world, "%s: nobody knows where the rows of %s are", dir->path, name);
        dir->world->things[SIM_STUCK_ORPHANS] += stays;
        if (is_left && !stays)
            sim_fail(dir->world, "%s: at rest %s is left over", dir->path, name);
    }
}

void sim_oracle_read(const struct sim_reading *reading)
{
    struct sim_world *world = reading->dir->world;
    const struct sim_oracle *oracle = sim_oracle_of(world);

    const struct watch *watch = watch_of(sim_dir_head(reading->dir));

    for (uint32_t k = 0; k < watch->row_count; k++) {
        uint32_t i = watch->rows[k];
        const struct sim_row *row = &oracle->rows[i];
        if (reading->counts[i] > 1)
            sim_fail(world, "a reader saw row %u %u times", i, reading->counts[i]);
        if (row->is_loose)
            continue;
        bool is_others = !sim_dir_leads_to(row->dir, reading->dir);
        if (is_others && reading->is_part && reading->counts[i])
            sim_fail(world, "a reader of %s saw row %u, which is of %s", reading->dir->path, i,
                     row->dir->path);
        /* Who opens a name that a writer uses again meanwhile reads the other file. */
        bool was_there = row->seen_ns < reading->begin_ns && row->removed_ns > reading->end_ns &&
                         row->overwritten_ns < reading->begin_ns && !reading->is_part;
        bool was_not = row->removed_ns < reading->begin_ns;
        if (was_there && !reading->is_strict && !reading->counts[i])
            sim_fail(world, "a reader did not see row %u", i);
        if (was_not && reading->counts[i])
            sim_fail(world, "a reader saw row %u, which was removed", i);
    }
}
