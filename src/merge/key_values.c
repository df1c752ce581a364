/*
 * Key-value metadata of an output: the first input's entries, struck out one by one.
 */
#include "merge/key_values.h"

#include "base/limits.h"

#define ORIGINAL_KEY "original.created.by"

/* Keys that never survive a merge, each with its reason; a trailing * matches a prefix. */
static const char *const never_kept[] = {
    "lithify.*",                     /* ours: written anew */
    ORIGINAL_KEY,                    /* written anew */
    "hoodie_min_record_key",         /* of one file's rows */
    "hoodie_max_record_key",         /* of one file's rows */
    "hoodie_bloom_filter_type_code", /* of one file's rows */
    "org.apache.hudi.bloomfilter",   /* of one file's rows */
    "com.uber.hoodie.bloomfilter",   /* of one file's rows */
    "duckdb.interval_bloom_filter",  /* says how filters were hashed that are built anew */
};

/* Keys whose differing values do not change how values are read once the meanings of the files
 * are known to be equal (gate.h): the first one's stands for all. */
static const char *const first_kept[] = {
    "org.apache.spark.version",
};

static bool matches(struct lith_slice key, const char *pattern)
{
    size_t bytes = strlen(pattern);

    if (bytes && pattern[bytes - 1] == '*')
        return key.bytes >= bytes - 1 && memcmp(key.data, pattern, bytes - 1) == 0;
    return key.bytes == bytes && memcmp(key.data, pattern, bytes) == 0;
}

static bool in_list(struct lith_slice key, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (matches(key, list[i]))
            return true;
    }
    return false;
}

#define IN_LIST(key, list) in_list(key, list, sizeof(list) / sizeof((list)[0]))

void lith_key_values_init(struct lith_key_values *kv, struct lith_mem *mem)
{
    *kv = (struct lith_key_values){0};
    lith_arena_init(&kv->arena, mem);
}

void lith_key_values_done(struct lith_key_values *kv)
{
    lith_arena_done(&kv->arena);
}

static enum lith_code slice_copy(struct lith_arena *arena, struct lith_slice from,
                                 struct lith_slice *ret_copy, struct lith_err *err)
{
    void *copy;

    LITH_TRY(lith_arena_copy(arena, from.data, from.bytes, &copy, err));
    *ret_copy = (struct lith_slice){copy, from.bytes};
    return LITH_OK;
}

/* pandas keeps the bounds of a RangeIndex there, which describe one file's rows. */
static bool is_range_index(const struct lith_key_value *entry)
{
    static const char range[] = "\"kind\": \"range\"";

    return matches(entry->key, "pandas") && entry->value.data &&
           memmem(entry->value.data, entry->value.bytes, range, sizeof(range) - 1);
}

static enum lith_code first_add(struct lith_key_values *kv, const struct lith_footer *footer,
                                struct lith_err *err)
{
    void *block;

    LITH_TRY(
        lith_arena_array(&kv->arena, footer->key_value_count, sizeof(*kv->entries), &block, err));
    kv->entries = block;
    LITH_TRY(
        lith_arena_array(&kv->arena, footer->key_value_count, sizeof(*kv->dropped), &block, err));
    kv->dropped = block;
    kv->count = footer->key_value_count;
    for (uint32_t i = 0; i < kv->count; i++) {
        const struct lith_key_value *from = &footer->key_values[i];
        LITH_TRY(slice_copy(&kv->arena, from->key, &kv->entries[i].key, err));
        if (from->value.data)
            LITH_TRY(slice_copy(&kv->arena, from->value, &kv->entries[i].value, err));
        kv->dropped[i] = IN_LIST(from->key, never_kept) || is_range_index(from);
    }
    return LITH_OK;
}

/* True when the footer has the entry: the same key as often, each with the same value. */
static bool agrees(const struct lith_footer *footer, const struct lith_key_value *entry)
{
    bool found = false;

    for (uint32_t i = 0; i < footer->key_value_count; i++) {
        const struct lith_key_value *other = &footer->key_values[i];
        if (!lith_slice_equal(other->key, entry->key))
            continue;
        bool same = entry->value.data
                        ? other->value.data && lith_slice_equal(other->value, entry->value)
                        : !other->value.data;
        if (!same)
            return false;
        found = true;
    }
    return found;
}

static void later_add(struct lith_key_values *kv, const struct lith_footer *footer)
{
    for (uint32_t i = 0; i < kv->count; i++) {
        if (kv->dropped[i] || IN_LIST(kv->entries[i].key, first_kept))
            continue;
        kv->dropped[i] = !agrees(footer, &kv->entries[i]);
    }
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
    if (kv->started)
        later_add(kv, footer);
    else
        LITH_TRY(first_add(kv, footer, err));
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

enum lith_code lith_key_values_finish(struct lith_key_values *kv, uint32_t extra,
                                      struct lith_key_value **ret_entries, uint32_t *ret_count,
                                      struct lith_err *err)
{
    uint32_t count = 0;
    void *block;

    LITH_TRY(lith_arena_array(&kv->arena, (size_t)kv->count + 1 + extra,
                              sizeof(struct lith_key_value), &block, err));
    struct lith_key_value *entries = block;
    for (uint32_t i = 0; i < kv->count; i++) {
        if (!kv->dropped[i])
            entries[count++] = kv->entries[i];
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
