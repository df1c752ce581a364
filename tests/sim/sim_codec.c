#include "sim_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lake/manifest_fields.h"

#define PLACES 1024u /* a power of two; a schedule has some tens of manifests */
#define HEAD "sim manifest "
#define HEAD_BYTES (sizeof(HEAD) - 1)
#define TEXT_BYTES (HEAD_BYTES + 32)

struct place {
    struct lith_hash128 hash;
    const struct lith_manifest *manifest; /* NULL: free */
};

static struct sim_world *codec_world; /* NULL: manifests are JSON */
static const struct sim_world *any_world;
static struct place *places;
static uint32_t place_count;

enum lith_code __real_lith_manifest_parse_listed(const void *data, size_t bytes, const char *name,
                                                 const struct lith_listing *listing,
                                                 struct lith_arena *arena,
                                                 struct lith_manifest *ret_manifest,
                                                 struct lith_err *err);
enum lith_code __wrap_lith_manifest_parse_listed(const void *data, size_t bytes, const char *name,
                                                 const struct lith_listing *listing,
                                                 struct lith_arena *arena,
                                                 struct lith_manifest *ret_manifest,
                                                 struct lith_err *err);
enum lith_code __wrap_lith_manifest_parse(const void *data, size_t bytes, const char *name,
                                          struct lith_arena *arena,
                                          struct lith_manifest *ret_manifest, struct lith_err *err);
enum lith_code __real_lith_manifest_put(const struct lith_manifest *manifest,
                                        struct lith_sink *sink, struct lith_mem *mem,
                                        struct lith_err *err);
enum lith_code __wrap_lith_manifest_put(const struct lith_manifest *manifest,
                                        struct lith_sink *sink, struct lith_mem *mem,
                                        struct lith_err *err);

void __real_lith_manifest_log_trim(struct lith_manifest *manifest);
void __wrap_lith_manifest_log_trim(struct lith_manifest *manifest);

void sim_codec_begin(struct sim_world *world)
{
    codec_world = world->is_plain ? NULL : world;
    any_world = world;
    places = sim_take(world, PLACES * sizeof(*places));
    place_count = 0;
}

static struct place *place_of(struct lith_hash128 hash)
{
    uint64_t at = hash.low & (PLACES - 1);

    while (places[at].manifest && !lith_hash128_equal(places[at].hash, hash))
        at = (at + 1) & (PLACES - 1);
    return &places[at];
}

const struct lith_manifest *sim_codec_find(const void *data, size_t bytes)
{
    const char *text = data;
    struct lith_hash128 hash = {0};

    if (!codec_world || bytes != TEXT_BYTES || memcmp(text, HEAD, HEAD_BYTES) != 0)
        return NULL;
    for (size_t i = 0; i < 32; i++) {
        char digit = text[HEAD_BYTES + i];
        uint64_t value = (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        hash.high = hash.high << 4 | hash.low >> 60;
        hash.low = hash.low << 4 | value;
    }
    return place_of(hash)->manifest;
}

/* A copy that is being made, and the bytes that its hash is of. */
struct copying {
    struct lith_manifest made;
    size_t count;
};

#define NOTED_BYTES ((size_t)1 << 20)
static uint8_t noted[NOTED_BYTES];

static void *take(size_t bytes)
{
    return sim_take(codec_world, bytes);
}

static void note(struct copying *c, const void *from, size_t bytes)
{
    if (bytes > NOTED_BYTES - c->count)
        abort();
    memcpy(noted + c->count, from, bytes);
    c->count += bytes;
}

static void note_number(struct copying *c, uint64_t number)
{
    note(c, &number, sizeof(number));
}

static const char *text_copy(struct copying *c, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;

    note_number(c, bytes);
    if (!text)
        return NULL;
    note(c, text, bytes);
    return memcpy(take(bytes), text, bytes);
}

/* What the writer would write of an entry. */
static struct lith_entry entry_copy(struct copying *c, const struct lith_entry *from,
                                    const struct lith_entry_kind *kind)
{
    struct lith_entry entry = {.name = text_copy(c, from->name),
                               .size = from->size,
                               .has_rows = from->has_rows,
                               .has_crc = from->has_crc};

    if (kind->has_etag)
        entry.etag = text_copy(c, from->etag);
    if (kind->has_commit_id)
        entry.commit_id = text_copy(c, from->commit_id);
    entry.rows = from->has_rows ? from->rows : 0;
    entry.crc32 = from->has_crc ? from->crc32 : 0;
    entry.generation = kind->generation_key ? from->generation : 0;
    entry.at_ns = kind->has_at ? from->at_ns : 0;
    entry.set = kind->has_set ? from->set : 0;
    note_number(c, entry.size);
    note_number(c, entry.rows << 2 | (uint64_t)entry.has_rows << 1 | entry.has_crc);
    note_number(c, (uint64_t)entry.crc32 << 16 | entry.set);
    note_number(c, entry.generation);
    note_number(c, (uint64_t)entry.at_ns);
    return entry;
}

static struct lith_entry *entries_copy(struct copying *c, const struct lith_entry *from,
                                       size_t count, const struct lith_entry_kind *kind)
{
    struct lith_entry *entries = take((count + 1) * sizeof(*entries));

    note_number(c, count);
    for (size_t i = 0; i < count; i++)
        entries[i] = entry_copy(c, &from[i], kind);
    return entries;
}

static const char **names_copy(struct copying *c, const char *const *from, size_t count)
{
    const char **names = take((count + 1) * sizeof(*names));

    note_number(c, count);
    for (size_t i = 0; i < count; i++)
        names[i] = text_copy(c, from[i]);
    return names;
}

static void log_copy(struct copying *c, const struct lith_manifest *from)
{
    struct lith_log_entry *log = take((from->log_count + 1) * sizeof(*log));

    note_number(c, from->log_count);
    for (size_t i = 0; i < from->log_count; i++) {
        log[i] = from->log[i];
        log[i].commit_id = text_copy(c, from->log[i].commit_id);
        log[i].op_text = lith_op_name(from->log[i].op);
        note_number(c, log[i].generation);
        note_number(c, log[i].epoch << 1 | log[i].event);
        note_number(c, (uint64_t)log[i].at_ns);
        note_number(c, log[i].op);
    }
    c->made.log = log;
}

static void outcome_copy(struct copying *c, const struct lith_manifest *from)
{
    struct lith_outcome *outcome = &c->made.outcome;

    note_number(c, from->has_outcome);
    if (!from->has_outcome) {
        *outcome = (struct lith_outcome){0};
        return;
    }
    (void)text_copy(c, outcome->live_hash);
    (void)text_copy(c, outcome->policy_hash);
    (void)text_copy(c, outcome->sets_hash);
    outcome->verdict = text_copy(c, outcome->verdict);
    outcome->conflicts = names_copy(c, outcome->conflicts, outcome->conflict_count);
    outcome->refusals = names_copy(c, outcome->refusals, outcome->refusal_count);
    note_number(c, outcome->writer << 1 | outcome->settled);
    note_number(c, outcome->files_before);
    note_number(c, outcome->files_after);
}

static void quarantine_copy(struct copying *c, const struct lith_manifest *from)
{
    struct lith_quarantine *rows = take((from->quarantine_count + 1) * sizeof(*rows));

    note_number(c, from->quarantine_count);
    for (size_t i = 0; i < from->quarantine_count; i++) {
        rows[i] = from->quarantine[i];
        rows[i].name = text_copy(c, rows[i].name);
        rows[i].etag = text_copy(c, rows[i].etag);
        rows[i].reason = text_copy(c, rows[i].reason);
        note_number(c, (uint64_t)rows[i].since_ns);
    }
    c->made.quarantine = rows;
}

/* What a roll-up waits for, and what it has done. */
static void tiers_copy(struct copying *c, const struct lith_manifest *from)
{
    struct lith_taken *taken = take((from->taken_count + 1) * sizeof(*taken));
    struct lith_handed *handed = &c->made.handed;

    note_number(c, from->taken_count << 1 | from->has_handed);
    for (size_t i = 0; i < from->taken_count; i++) {
        taken[i] = from->taken[i];
        taken[i].commit_id = text_copy(c, taken[i].commit_id);
        note_number(c, (uint64_t)taken[i].at_ns);
    }
    c->made.taken = taken;
    if (!from->has_handed) {
        *handed = (struct lith_handed){0};
        return;
    }
    handed->parent = text_copy(c, handed->parent);
    handed->commit_id = text_copy(c, handed->commit_id);
    note_number(c, (uint64_t)handed->at_ns);
    handed->files = entries_copy(c, handed->files, handed->file_count, &lith_entry_handed);
}

/* The whole of it. Fields that the library does not know are not there: nobody writes any. */
static struct lith_hash128 manifest_copy(struct copying *c, const struct lith_manifest *from)
{
    c->count = 0;
    c->made = *from;
    c->made.name = text_copy(c, from->name);
    c->made.mtime_ns = 0;
    c->made.commit_id = text_copy(c, from->commit_id);
    (void)text_copy(c, from->pid);
    note_number(c, from->generation);
    note_number(c, from->epoch);
    note_number(c, (uint64_t)from->committed_at_ns);
    c->made.files = entries_copy(c, from->files, from->file_count, &lith_entry_live);
    c->made.retired = entries_copy(c, from->retired, from->retired_count, &lith_entry_retired);
    c->made.gone = entries_copy(c, from->gone, from->gone_count, &lith_entry_gone);
    c->made.condemned = names_copy(c, from->condemned, from->condemned_count);
    log_copy(c, from);
    outcome_copy(c, from);
    quarantine_copy(c, from);
    tiers_copy(c, from);
    return lith_hash128(noted, c->count, 0);
}

/* What a copy has all of: foreign manifests, unknown fields, what was lost and notes of misplaced
 * rows go by JSON.
 */
static bool is_plain_enough(const struct lith_manifest *m)
{
    return !m->foreign && !m->misplaced_count && !m->lost_count && !m->raw && !m->raw_ours;
}

enum lith_code __wrap_lith_manifest_put(const struct lith_manifest *manifest,
                                        struct lith_sink *sink, struct lith_mem *mem,
                                        struct lith_err *err)
{
    struct copying copying;
    char text[TEXT_BYTES + 1];
    char digits[33];

    if (!codec_world || !is_plain_enough(manifest) || place_count > PLACES / 2)
        return __real_lith_manifest_put(manifest, sink, mem, err);
    LITH_TRY(lith_manifest_check(manifest, mem, err));
    struct lith_hash128 hash = manifest_copy(&copying, manifest);
    struct place *place = place_of(hash);
    if (!place->manifest) {
        struct lith_manifest *kept = take(sizeof(*kept));
        *kept = copying.made;
        *place = (struct place){hash, kept};
        place_count++;
    }
    lith_hash128_text(hash, digits);
    int bytes = snprintf(text, sizeof(text), HEAD "%s", digits);
    return lith_sink_write(sink, text, (size_t)bytes, err);
}

static enum lith_code table_copy(struct lith_arena *arena, const void *from, size_t count,
                                 size_t row_bytes, void *ret_copy, struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(arena, from, count * row_bytes, &copy, err));
    memcpy(ret_copy, &copy, sizeof(copy));
    return LITH_OK;
}

/* Readers may change their tables: each has its own. Texts nobody changes. */
static enum lith_code tables_give(const struct lith_manifest *from, struct lith_arena *arena,
                                  struct lith_manifest *m, struct lith_err *err)
{
    *m = *from;
    LITH_TRY(table_copy(arena, m->files, m->file_count, sizeof(*m->files), &m->files, err));
    LITH_TRY(
        table_copy(arena, m->retired, m->retired_count, sizeof(*m->retired), &m->retired, err));
    LITH_TRY(table_copy(arena, m->gone, m->gone_count, sizeof(*m->gone), &m->gone, err));
    LITH_TRY(table_copy(arena, m->condemned, m->condemned_count, sizeof(*m->condemned),
                        &m->condemned, err));
    LITH_TRY(table_copy(arena, m->log, m->log_count, sizeof(*m->log), &m->log, err));
    return table_copy(arena, m->quarantine, m->quarantine_count, sizeof(*m->quarantine),
                      &m->quarantine, err);
}

enum lith_code __wrap_lith_manifest_parse_listed(const void *data, size_t bytes, const char *name,
                                                 const struct lith_listing *listing,
                                                 struct lith_arena *arena,
                                                 struct lith_manifest *ret_manifest,
                                                 struct lith_err *err)
{
    const struct lith_manifest *found = sim_codec_find(data, bytes);
    struct lith_manifest manifest;

    if (!found)
        return __real_lith_manifest_parse_listed(data, bytes, name, listing, arena, ret_manifest,
                                                 err);
    LITH_TRY(tables_give(found, arena, &manifest, err));
    manifest.name = name;
    manifest.mem = arena->mem;
    *ret_manifest = manifest;
    return LITH_OK;
}

enum lith_code __wrap_lith_manifest_parse(const void *data, size_t bytes, const char *name,
                                          struct lith_arena *arena,
                                          struct lith_manifest *ret_manifest, struct lith_err *err)
{
    return __wrap_lith_manifest_parse_listed(data, bytes, name, NULL, arena, ret_manifest, err);
}

/* The library's rule with another number, so that what is asked of a log is out of it at times. */
void __wrap_lith_manifest_log_trim(struct lith_manifest *m)
{
    size_t first = 0;

    __real_lith_manifest_log_trim(m);
    while (m->log_count - first > any_world->log_kept && m->log[first].event)
        first++;
    m->log += first;
    m->log_count -= first;
}
