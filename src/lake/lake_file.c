/*
 * _lithify.json: read, or created once, before the first commit.
 */
#include "lake/lake_file.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "lake/manifest.h"

/* It is a few hundred bytes; unknown fields may come. */
#define LAKE_FILE_BYTES_MAX (64 * 1024u)

/* 2: files may be rolled up. */
#define FORMAT_TIERS 2

static const char *const readers_names[] = {"", "manifest", "exchange", "glob"};
static_assert(sizeof(readers_names) / sizeof(readers_names[0]) == LITH_READERS_COUNT,
              "one name for each");

const char *lith_readers_name(enum lith_readers readers)
{
    LITH_ASSERT(readers < LITH_READERS_COUNT);
    return readers_names[readers];
}

enum lith_code lith_readers_parse(const char *text, enum lith_readers *ret_readers,
                                  struct lith_err *err)
{
    for (unsigned i = LITH_READERS_MANIFEST; i < LITH_READERS_COUNT; i++) {
        if (strcmp(text, readers_names[i]) == 0) {
            *ret_readers = i;
            return LITH_OK;
        }
    }
    return lith_fail(err, LITH_E_INVALID,
                     "readers \"%s\": one of manifest, exchange, glob expected", text);
}

static enum lith_code text_copy(const struct lith_json *root, const char *key, char *to,
                                size_t bytes, struct lith_err *err)
{
    const char *text = lith_json_text_of(lith_json_get(root, key));

    if (!text || strlen(text) >= bytes)
        return lith_fail(err, LITH_E_CORRUPT, "%s: %s: a text of less than %zu bytes expected",
                         LITH_LAKE_FILE_NAME, key, bytes);
    memcpy(to, text, strlen(text) + 1);
    return LITH_OK;
}

/* Absent: the sibling of the root. */
static enum lith_code staging_parse(const struct lith_json *root, struct lith_arena *arena,
                                    const char **ret_staging, struct lith_err *err)
{
    const struct lith_json *field = lith_json_get(root, "staging");
    const char *text = lith_json_text_of(field);
    void *copy;

    *ret_staging = NULL;
    if (!field)
        return LITH_OK;
    if (!text || text[0] != '/')
        return lith_fail(err, LITH_E_CORRUPT, "%s: staging: an absolute path expected",
                         LITH_LAKE_FILE_NAME);
    LITH_TRY(lith_arena_copy(arena, text, strlen(text), &copy, err));
    *ret_staging = copy;
    return LITH_OK;
}

static enum lith_code file_parse(const struct lith_blob *blob, struct lith_arena *arena,
                                 struct lith_lake_file *ret_file, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    struct lith_lake_file file = {0};
    char readers[16];
    char name[32];

    enum lith_code code = lith_json_parse(blob->data, blob->bytes, &root, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "%s", LITH_LAKE_FILE_NAME);
    int64_t format = lith_json_int_of(lith_json_get(root, "format"));
    if (format > FORMAT_TIERS)
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s: format %lld; this version knows 1 and 2",
                         LITH_LAKE_FILE_NAME, (long long)format);
    if (format < 1)
        return lith_fail(err, LITH_E_CORRUPT, "%s: format: 1 or 2 expected", LITH_LAKE_FILE_NAME);
    file.has_tiers = format == FORMAT_TIERS;
    LITH_TRY(text_copy(root, "lake_id", file.lake_id, sizeof(file.lake_id), err));
    LITH_TRY(text_copy(root, "readers", readers, sizeof(readers), err));
    LITH_TRY(text_copy(root, "policy_hash", file.policy_hash, sizeof(file.policy_hash), err));
    LITH_TRY(text_copy(root, "manifest", name, sizeof(name), err));
    LITH_TRY(staging_parse(root, arena, &file.staging, err));
    if (lith_readers_parse(readers, &file.readers, err) != LITH_OK)
        return lith_fail(err, LITH_E_CORRUPT, "%s: readers: \"%s\" is not known",
                         LITH_LAKE_FILE_NAME, readers);
    if (strcmp(name, LITH_MANIFEST_NAME) == 0)
        file.manifest_name = LITH_MANIFEST_NAME;
    else if (strcmp(name, LITH_MANIFEST_NAME_HIDDEN) == 0)
        file.manifest_name = LITH_MANIFEST_NAME_HIDDEN;
    else
        return lith_fail(err, LITH_E_CORRUPT, "%s: manifest: \"%s\" is not known",
                         LITH_LAKE_FILE_NAME, name);
    *ret_file = file;
    return LITH_OK;
}

static enum lith_code file_read(struct lith_folder *folder, struct lith_arena *arena,
                                struct lith_lake_file *ret_file, struct lith_err *err)
{
    struct lith_blob blob;

    LITH_TRY(lith_folder_get(folder, LITH_LAKE_FILE_NAME, LAKE_FILE_BYTES_MAX, arena, &blob, err));
    return file_parse(&blob, arena, ret_file, err);
}

enum lith_code lith_lake_file_read(struct lith_store *store, struct lith_arena *arena,
                                   struct lith_lake_file *ret_file, struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;

    LITH_TRY(lith_folder_open(store, "", &root, err));
    return file_read(root, arena, ret_file, err);
}

static enum lith_code file_write(struct lith_folder *root, const struct lith_lake_file *file,
                                 const struct lith_blob *expected, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *json = lith_json_object();
    LITH_AUTO(buf) struct lith_buf text;

    lith_buf_init(&text, root->store->mem, LAKE_FILE_BYTES_MAX);
    if (!json || !lith_json_set(json, "format", lith_json_int(1)) ||
        !lith_json_set(json, "lake_id", lith_json_text(file->lake_id)) ||
        !lith_json_set(json, "readers", lith_json_text(lith_readers_name(file->readers))) ||
        !lith_json_set(json, "manifest", lith_json_text(file->manifest_name)) ||
        !lith_json_set(json, "policy_hash", lith_json_text(file->policy_hash)) ||
        (file->staging && !lith_json_set(json, "staging", lith_json_text(file->staging))))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for %s", LITH_LAKE_FILE_NAME);
    LITH_TRY(lith_json_write(json, 2, &text, err));
    return lith_folder_put_if(root, LITH_LAKE_FILE_NAME, expected, text.data, text.bytes, err);
}

enum lith_code lith_lake_file_mark_tiers(struct lith_store *store, struct lith_arena *arena,
                                         struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    LITH_AUTO(json) struct lith_json *json = NULL;
    LITH_AUTO(buf) struct lith_buf text;
    struct lith_lake_file file;
    struct lith_blob blob;

    lith_buf_init(&text, store->mem, LAKE_FILE_BYTES_MAX);
    LITH_TRY(lith_folder_open(store, "", &root, err));
    LITH_TRY(lith_folder_get(root, LITH_LAKE_FILE_NAME, LAKE_FILE_BYTES_MAX, arena, &blob, err));
    LITH_TRY(file_parse(&blob, arena, &file, err));
    if (file.has_tiers)
        return LITH_OK;
    LITH_TRY(lith_json_parse(blob.data, blob.bytes, &json, err));
    if (!lith_json_set(json, "format", lith_json_int(FORMAT_TIERS)))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for %s", LITH_LAKE_FILE_NAME);
    LITH_TRY(lith_json_write(json, 2, &text, err));
    return lith_folder_put_if(root, LITH_LAKE_FILE_NAME, &blob, text.data, text.bytes, err);
}

static enum lith_code file_create(struct lith_folder *root, const struct lith_lake_choice *choice,
                                  struct lith_arena *arena, struct lith_lake_file *ret_file,
                                  struct lith_err *err)
{
    struct lith_lake_file file = {.readers = choice->readers,
                                  .manifest_name =
                                      strcmp(choice->manifest_name, LITH_MANIFEST_NAME_HIDDEN)
                                          ? LITH_MANIFEST_NAME
                                          : LITH_MANIFEST_NAME_HIDDEN,
                                  .staging = choice->staging};
    struct lith_env *env = root->store->env;
    struct lith_hash128 id;

    if (choice->readers == LITH_READERS_NONE)
        return lith_fail(err, LITH_E_INVALID, "the lake has no readers mode yet; choose one");
    if (strlen(choice->policy_hash) >= sizeof(file.policy_hash))
        return lith_fail(err, LITH_E_INVALID, "policy hash \"%s\": 32 hex digits expected",
                         choice->policy_hash);
    memcpy(file.policy_hash, choice->policy_hash, strlen(choice->policy_hash) + 1);
    env->random(env, &id, sizeof(id));
    lith_hash128_text(id, file.lake_id);
    enum lith_code code = file_write(root, &file, NULL, err);
    /* Somebody else was first: theirs counts. */
    if (code == LITH_E_CONFLICT)
        return file_read(root, arena, ret_file, err);
    LITH_TRY(code);
    *ret_file = file;
    return LITH_OK;
}

enum lith_code lith_lake_file_ensure(struct lith_store *store,
                                     const struct lith_lake_choice *choice,
                                     struct lith_arena *arena, struct lith_lake_file *ret_file,
                                     struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    struct lith_lake_file file = {0};

    LITH_TRY(lith_folder_open(store, "", &root, err));
    enum lith_code code = file_read(root, arena, &file, err);
    if (code == LITH_E_NOT_FOUND)
        code = file_create(root, choice, arena, &file, err);
    LITH_TRY(code);
    if (choice->readers != LITH_READERS_NONE && choice->readers != file.readers)
        return lith_fail(err, LITH_E_INVALID,
                         "the lake was begun with readers = %s, not %s, which stays: leave the "
                         "choice out, or, where nothing was merged yet, delete its _lithify.json",
                         lith_readers_name(file.readers), lith_readers_name(choice->readers));
    *ret_file = file;
    return LITH_OK;
}

enum lith_code lith_lake_file_move_staging(struct lith_store *store, const char *staging,
                                           struct lith_err *err)
{
    LITH_AUTO(folder) struct lith_folder *root = NULL;
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_lake_file file;
    struct lith_blob blob;

    lith_arena_init(&scratch, store->mem);
    LITH_TRY(lith_folder_open(store, "", &root, err));
    LITH_TRY(lith_folder_get(root, LITH_LAKE_FILE_NAME, LAKE_FILE_BYTES_MAX, &scratch, &blob, err));
    LITH_TRY(file_parse(&blob, &scratch, &file, err));
    file.staging = staging;
    return file_write(root, &file, &blob, err);
}
