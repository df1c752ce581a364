/*
 * Key-value metadata of an output: the inputs' keys, struck out one by one.
 *
 * The keys of a footer are looked up in a sorted list of them, so that many keys in many files cost
 * no more than reading them. Where a file has a key twice the last one counts, as for its readers.
 */
#include "merge/key_values.h"

#include <stdlib.h>

#include "base/array.h"

#define ORIGINAL_KEY "original.created.by"

/* What of a key is kept. */
enum rule {
    RULE_NEVER,   /* nothing: it is ours, and written anew, or speaks of one file's rows */
    RULE_MEANING, /* what the first input says, or leaves out: all mean the same by it (gate.h) */
    RULE_SCHEMA,  /* what all say alike, and only while the output's schema is that of all */
    RULE_PANDAS,  /* likewise, unless it counts the rows of one file */
    RULE_GEO,     /* what is true of the rows of all (geo.h) */
    RULE_UNKNOWN, /* what all say alike; the rest as the policy has it */
};

/* The first row that fits counts; a trailing * fits any ending. */
static const struct row {
    const char *pattern;
    enum rule rule;
} table[] = {
    {"lithify.*", RULE_NEVER},
    {ORIGINAL_KEY, RULE_NEVER},
    /* Hudi's range and filter of record keys, by which it skips files. */
    {"hoodie_*", RULE_NEVER},
    {"org.apache.hudi.*", RULE_NEVER},
    {"com.uber.hoodie.*", RULE_NEVER},
    /* How filters were hashed that are built anew. */
    {"duckdb.interval_bloom_filter", RULE_NEVER},
    /* The calendars and zones of Spark and Hive. */
    {"org.apache.spark.version", RULE_MEANING},
    {"org.apache.spark.timeZone", RULE_MEANING},
    {"org.apache.spark.legacyDateTime", RULE_MEANING},
    {"org.apache.spark.legacyINT96", RULE_MEANING},
    {"writer.time.zone", RULE_MEANING},
    {"writer.date.proleptic", RULE_MEANING},
    {"writer.zone.conversion.legacy", RULE_MEANING},
    /* Read instead of the file's own schema, or beside it: a stale one hides columns. */
    {"ARROW:schema", RULE_SCHEMA},
    {"org.apache.spark.sql.parquet.row.metadata", RULE_SCHEMA},
    {"parquet.avro.schema", RULE_SCHEMA},
    {"avro.schema", RULE_SCHEMA},
    {"parquet.proto.*", RULE_SCHEMA},
    {"thrift.*", RULE_SCHEMA},
    {"parquet.hive.schema", RULE_SCHEMA},
    {"iceberg.schema", RULE_SCHEMA},
    {"delta.*", RULE_SCHEMA},
    {"pandas", RULE_PANDAS},
    {LITH_GEO_KEY, RULE_GEO},
    {"*", RULE_UNKNOWN},
};

static bool matches(struct lith_slice key, const char *pattern)
{
    size_t bytes = strlen(pattern);

    if (pattern[bytes - 1] == '*')
        return key.bytes >= bytes - 1 && memcmp(key.data, pattern, bytes - 1) == 0;
    return lith_slice_equal(key, lith_slice_text(pattern));
}

/* A reference system that a column refers to is part of its meaning, whatever its key is called. */
static bool is_crs(const struct lith_schema *schema, struct lith_slice key)
{
    struct lith_slice crs;

    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        if (lith_geo_crs_key(lith_schema_leaf(schema, leaf), &crs) && lith_slice_equal(crs, key))
            return true;
    }
    return false;
}

static enum rule rule_of(const struct lith_schema *schema, struct lith_slice key)
{
    const struct row *row = table;

    while (!matches(key, row->pattern))
        row++;
    return row->rule == RULE_UNKNOWN && is_crs(schema, key) ? RULE_MEANING : row->rule;
}

/* The keys of a footer in order; of equal ones the first comes first. */
struct ranked {
    const struct lith_key_value *entry;
    bool met; /* the inputs before have it, or it was taken */
};

struct ranking {
    struct ranked *ranks;
    size_t count;
};

static int slice_order(struct lith_slice a, struct lith_slice b)
{
    size_t common = a.bytes < b.bytes ? a.bytes : b.bytes;
    int order = common ? memcmp(a.data, b.data, common) : 0;

    return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int by_key(const void *a, const void *b)
{
    const struct lith_key_value *left = ((const struct ranked *)a)->entry;
    const struct lith_key_value *right = ((const struct ranked *)b)->entry;
    int order = slice_order(left->key, right->key);

    return order ? order : (left > right) - (left < right);
}

static enum lith_code ranking_make(const struct lith_footer *footer, struct lith_arena *arena,
                                   struct ranking *ret_ranking, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_arena_array(arena, footer->key_value_count, sizeof(struct ranked), &block, err));
    struct ranked *ranks = block;
    for (uint32_t i = 0; i < footer->key_value_count; i++)
        ranks[i].entry = &footer->key_values[i];
    if (footer->key_value_count)
        qsort(ranks, footer->key_value_count, sizeof(*ranks), by_key);
    *ret_ranking = (struct ranking){ranks, footer->key_value_count};
    return LITH_OK;
}

/* One key of a footer: where it stands in the ranking, and how often. */
struct found {
    struct ranked *first; /* NULL: nowhere */
    const struct lith_key_value *last;
    bool is_alike; /* each time with the same value */
};

static bool same_value(const struct lith_key_value *a, const struct lith_key_value *b)
{
    /* No value is not the same as an empty one. */
    if (!a->value.data || !b->value.data)
        return !a->value.data && !b->value.data;
    return lith_slice_equal(a->value, b->value);
}

/* The place of the first of the key's entries, or where they would stand. */
static size_t place_of(const struct ranking *ranking, struct lith_slice key)
{
    size_t begin = 0;
    size_t end = ranking->count;

    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (slice_order(ranking->ranks[middle].entry->key, key) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static struct found find(const struct ranking *ranking, struct lith_slice key)
{
    struct found found = {.is_alike = true};

    for (size_t i = place_of(ranking, key); i < ranking->count; i++) {
        struct ranked *rank = &ranking->ranks[i];
        if (!lith_slice_equal(rank->entry->key, key))
            break;
        found.first = found.first ? found.first : rank;
        found.is_alike = found.is_alike && same_value(found.first->entry, rank->entry);
        found.last = rank->entry;
    }
    return found;
}

void lith_key_values_init(struct lith_key_values *kv, struct lith_mem *mem,
                          enum lith_unknown_keys unknown, const char *first_name)
{
    *kv = (struct lith_key_values){.unknown = unknown, .first_name = first_name};
    lith_arena_init(&kv->arena, mem);
}

void lith_key_values_done(struct lith_key_values *kv)
{
    lith_geo_done(&kv->geo);
    lith_arena_done(&kv->arena);
}

void lith_key_values_schema_changed(struct lith_key_values *kv)
{
    kv->schema_changed = true;
}

static enum lith_code slice_copy(struct lith_arena *arena, struct lith_slice from,
                                 struct lith_slice *ret_copy, struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(arena, from.data, from.bytes, &copy, err));
    *ret_copy = (struct lith_slice){copy, from.bytes};
    return LITH_OK;
}

/* An element of pandas' index_columns: a range has the count of one file's rows. */
static bool is_range(struct lith_json_span span, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *json = NULL;

    if (span.bytes == 0 || span.text[0] != '{')
        return false; /* a name */
    if (lith_json_parse(span.text, span.bytes, &json, err) != LITH_OK)
        return true;
    const char *kind = lith_json_text_of(lith_json_get(json, "kind"));
    return kind && strcmp(kind, "range") == 0;
}

static bool has_range(struct lith_json_span list, struct lith_err *err)
{
    struct lith_json_walk walk;
    struct lith_json_span item;
    bool more;

    if (!lith_json_walk_begin(&walk, list, true))
        return true;
    while (lith_json_walk_next(&walk, NULL, &item, &more, err) == LITH_OK) {
        if (!more)
            return false;
        if (is_range(item, err))
            return true;
    }
    return true;
}

/* True also for what cannot be read: nothing is known of it, and pandas does without. */
static bool counts_rows(struct lith_slice pandas)
{
    static const char wanted[] = "\"index_columns\"";
    struct lith_json_span whole, key, value;
    struct lith_json_walk walk;
    struct lith_err ignored;
    bool more;

    if (lith_json_span_of(pandas.data, pandas.bytes, &whole, &ignored) != LITH_OK ||
        !lith_json_walk_begin(&walk, whole, false))
        return true;
    while (lith_json_walk_next(&walk, &key, &value, &more, &ignored) == LITH_OK) {
        if (!more)
            return false;
        if (key.bytes == sizeof(wanted) - 1 && memcmp(key.text, wanted, key.bytes) == 0 &&
            has_range(value, &ignored))
            return true;
    }
    return true;
}

static enum lith_code fail_differs(const struct lith_key_values *kv, struct lith_slice key,
                                   const char *how, struct lith_err *err)
{
    return lith_fail(err, LITH_E_UNSUPPORTED,
                     "the key \"%.*s\" %s %s; --unknown-keys drop or first merges such files",
                     LITH_SLICE_ARGS(key), how, kv->first_name);
}

/* Takes a key that no input had before. */
static enum lith_code key_begin(struct lith_key_values *kv, const struct lith_footer *footer,
                                const struct found *found, struct lith_err *err)
{
    void *block = kv->keys;

    LITH_ASSERT(found->last);
    LITH_TRY(lith_array_grow_in(&kv->arena, &block, kv->count, sizeof(*kv->keys), err));
    kv->keys = block;
    struct lith_merged_key key = {.rule = (uint8_t)rule_of(&footer->schema, found->last->key)};
    LITH_TRY(slice_copy(&kv->arena, found->last->key, &key.entry.key, err));
    if (found->last->value.data)
        LITH_TRY(slice_copy(&kv->arena, found->last->value, &key.entry.value, err));
    switch ((enum rule)key.rule) {
    case RULE_NEVER:
        key.dropped = true;
        break;
    case RULE_MEANING:
    case RULE_GEO:
        break;
    case RULE_SCHEMA:
        key.dropped = !found->is_alike;
        break;
    case RULE_PANDAS:
        key.dropped = !found->is_alike || counts_rows(key.entry.value);
        break;
    case RULE_UNKNOWN:
        key.dropped = !found->is_alike && kv->unknown == LITH_UNKNOWN_KEYS_DROP;
        break;
    }
    kv->keys[kv->count++] = key;
    return LITH_OK;
}

/* Joins what another input says of coordinates. Both mean the same, so both can be read, or are
 * equal; else nothing is kept. */
static enum lith_code geo_meet(struct lith_key_values *kv, struct lith_merged_key *key,
                               const struct found *found, struct lith_err *err)
{
    struct lith_geo other;

    if (found->first && same_value(&key->entry, found->last))
        return LITH_OK;
    key->dropped = true;
    if (!found->first)
        return LITH_OK;
    if (!kv->geo.root)
        LITH_TRY(lith_geo_parse(key->entry.value, kv->arena.mem, &kv->geo, err));
    LITH_TRY(lith_geo_parse(found->last->value, kv->arena.mem, &other, err));
    enum lith_code code = LITH_OK;
    if (kv->geo.root && other.root) {
        code = lith_geo_join(&kv->geo, &other, err);
        key->dropped = false;
    }
    lith_geo_done(&other);
    return code;
}

/* Holds a key of the inputs before against what one more says. */
static enum lith_code key_meet(struct lith_key_values *kv, struct lith_merged_key *key,
                               const struct found *found, struct lith_err *err)
{
    bool agrees = found->first && found->is_alike && same_value(&key->entry, found->last);

    switch ((enum rule)key->rule) {
    case RULE_NEVER:
    case RULE_MEANING:
        return LITH_OK;
    case RULE_GEO:
        return geo_meet(kv, key, found, err);
    case RULE_SCHEMA:
    case RULE_PANDAS:
        key->dropped = !agrees;
        return LITH_OK;
    case RULE_UNKNOWN:
        break;
    }
    if (agrees || kv->unknown == LITH_UNKNOWN_KEYS_FIRST)
        return LITH_OK;
    if (kv->unknown == LITH_UNKNOWN_KEYS_ERROR)
        return fail_differs(kv, key->entry.key,
                            found->first ? "has another value than in" : "is missing, but not in",
                            err);
    key->dropped = true;
    return LITH_OK;
}

/* The keys of an input that those before it do not have. */
static enum lith_code new_keys_take(struct lith_key_values *kv, const struct lith_footer *footer,
                                    const struct ranking *ranking, struct lith_err *err)
{
    bool begins = !kv->started;

    for (uint32_t i = 0; i < footer->key_value_count; i++) {
        struct lith_slice key = footer->key_values[i].key;
        struct ranked *first = &ranking->ranks[place_of(ranking, key)];
        if (first->met)
            continue;
        first->met = true;
        struct found found = find(ranking, key);
        bool is_unknown = rule_of(&footer->schema, key) == RULE_UNKNOWN;
        if (is_unknown && kv->unknown == LITH_UNKNOWN_KEYS_ERROR && !begins)
            return fail_differs(kv, key, "is not in", err);
        if (is_unknown && kv->unknown == LITH_UNKNOWN_KEYS_ERROR && !found.is_alike)
            return fail_differs(kv, key, "has two values in", err);
        if (begins || (is_unknown && kv->unknown == LITH_UNKNOWN_KEYS_FIRST))
            LITH_TRY(key_begin(kv, footer, &found, err));
    }
    return LITH_OK;
}

static enum lith_code writer_add(struct lith_key_values *kv, struct lith_slice created_by,
                                 struct lith_err *err)
{
    void *block;

    if (created_by.bytes == 0 || created_by.bytes > LITH_WRITER_NAME_BYTES_MAX)
        return LITH_OK;
    for (uint32_t i = 0; i < kv->writer_count; i++) {
        if (lith_slice_equal(kv->writers[i], created_by))
            return LITH_OK;
    }
    if (kv->writer_count == LITH_WRITERS_MAX)
        return LITH_OK;
    if (!kv->writers) {
        LITH_TRY(lith_arena_array(&kv->arena, LITH_WRITERS_MAX, sizeof(*kv->writers), &block, err));
        kv->writers = block;
    }
    LITH_TRY(slice_copy(&kv->arena, created_by, &kv->writers[kv->writer_count], err));
    kv->writer_count++;
    return LITH_OK;
}

/* Our own outputs name their writers in a key; those are the originals, one a line. */
static enum lith_code writers_add(struct lith_key_values *kv, const struct lith_footer *footer,
                                  struct lith_err *err)
{
    const struct lith_key_value *original = lith_footer_key(footer, ORIGINAL_KEY);

    if (!original || !original->value.data)
        return writer_add(kv, footer->created_by, err);
    struct lith_slice rest = original->value;
    while (rest.bytes) {
        const uint8_t *newline = memchr(rest.data, '\n', rest.bytes);
        size_t bytes = newline ? (size_t)(newline - rest.data) : rest.bytes;
        LITH_TRY(writer_add(kv, (struct lith_slice){rest.data, bytes}, err));
        bytes += newline ? 1 : 0;
        rest = (struct lith_slice){rest.data + bytes, rest.bytes - bytes};
    }
    return LITH_OK;
}

enum lith_code lith_key_values_add(struct lith_key_values *kv, const struct lith_footer *footer,
                                   struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena scratch;
    struct ranking ranking;
    size_t known = kv->count;

    lith_arena_init(&scratch, kv->arena.mem);
    LITH_TRY(ranking_make(footer, &scratch, &ranking, err));
    for (size_t i = 0; i < known; i++) {
        struct found found = find(&ranking, kv->keys[i].entry.key);
        if (found.first)
            found.first->met = true;
        if (!kv->keys[i].dropped)
            LITH_TRY(key_meet(kv, &kv->keys[i], &found, err));
    }
    LITH_TRY(new_keys_take(kv, footer, &ranking, err));
    kv->started = true;
    return writers_add(kv, footer, err);
}

static enum lith_code writers_join(struct lith_key_values *kv, struct lith_slice *ret_text,
                                   struct lith_err *err)
{
    size_t bytes = 0;
    void *block;

    for (uint32_t i = 0; i < kv->writer_count; i++)
        bytes += kv->writers[i].bytes + 1;
    LITH_TRY(lith_arena_alloc(&kv->arena, bytes, &block, err));
    uint8_t *at = block;
    for (uint32_t i = 0; i < kv->writer_count; i++) {
        memcpy(at, kv->writers[i].data, kv->writers[i].bytes);
        at += kv->writers[i].bytes;
        *at++ = '\n';
    }
    *ret_text = (struct lith_slice){block, bytes - 1};
    return LITH_OK;
}

/* The key as all inputs together have it. */
static enum lith_code geo_write(struct lith_key_values *kv, struct lith_slice *ret_value,
                                struct lith_err *err)
{
    LITH_AUTO(buf) struct lith_buf text;

    lith_buf_init(&text, kv->arena.mem, LITH_GEO_TREE_BYTES_MAX);
    LITH_TRY(lith_json_write(kv->geo.root, 0, &text, err));
    return slice_copy(&kv->arena, (struct lith_slice){text.data, text.bytes}, ret_value, err);
}

static bool is_kept(const struct lith_key_values *kv, const struct lith_merged_key *key)
{
    bool is_of_schema = key->rule == RULE_SCHEMA || key->rule == RULE_PANDAS;

    return !key->dropped && !(is_of_schema && kv->schema_changed);
}

enum lith_code lith_key_values_finish(struct lith_key_values *kv, uint32_t extra,
                                      struct lith_key_value **ret_entries, uint32_t *ret_count,
                                      struct lith_err *err)
{
    uint32_t count = 0;
    void *block;

    LITH_TRY(
        lith_arena_array(&kv->arena, kv->count + 1 + extra, sizeof(**ret_entries), &block, err));
    struct lith_key_value *entries = block;
    for (size_t i = 0; i < kv->count; i++) {
        if (!is_kept(kv, &kv->keys[i]))
            continue;
        entries[count] = kv->keys[i].entry;
        if (kv->keys[i].rule == RULE_GEO && kv->geo.root)
            LITH_TRY(geo_write(kv, &entries[count].value, err));
        count++;
    }
    if (kv->writer_count) {
        entries[count].key = lith_slice_text(ORIGINAL_KEY);
        LITH_TRY(writers_join(kv, &entries[count].value, err));
        count++;
    }
    *ret_entries = entries;
    *ret_count = count;
    return LITH_OK;
}
