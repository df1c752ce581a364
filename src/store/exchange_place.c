/*
 * The staging directory of a lake: where it may be, whose it is, and whether it serves.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "store/exchange_folder.h"

#define DEFAULT_SUFFIX ".lithify"
#define MARK_BYTES_MAX 4096u

/* The path without links of what is there, or could be made there. */
static enum lith_code real_path(const char *path, struct lith_arena *arena, const char **ret_real,
                                struct lith_err *err)
{
    char room[PATH_MAX];
    char *copy;

    if (realpath(path, room)) {
        LITH_TRY(lith_arena_format(arena, &copy, err, "%s", room));
        *ret_real = copy;
        return LITH_OK;
    }
    LITH_TRY(lith_arena_format(arena, &copy, err, "%s", path));
    while (copy[0] && copy[1] && copy[strlen(copy) - 1] == '/')
        copy[strlen(copy) - 1] = '\0';
    char *slash = strrchr(copy, '/');
    const char *name = slash ? slash + 1 : copy;
    if (slash)
        *slash = '\0';
    if (!*name || !realpath(!slash ? "." : *copy ? copy : "/", room))
        return lith_fail(err, LITH_E_INVALID,
                         "staging: %s cannot be made: there is no directory that would hold it",
                         path);
    LITH_TRY(lith_arena_format(arena, &copy, err, "%s/%s", strcmp(room, "/") ? room : "", name));
    *ret_real = copy;
    return LITH_OK;
}

/* Is `inner` the directory `outer`, or below it? Both are real paths. */
static bool is_inside(const char *inner, const char *outer)
{
    size_t bytes = strcmp(outer, "/") ? strlen(outer) : 0;

    return strncmp(inner, outer, bytes) == 0 && (!inner[bytes] || inner[bytes] == '/');
}

/* Neither may hold the other. */
static enum lith_code apart_check(const char *staging, const char *other, const char *what,
                                  struct lith_err *err)
{
    if (!is_inside(staging, other) && !is_inside(other, staging))
        return LITH_OK;
    return lith_fail(err, LITH_E_INVALID,
                     "staging: of %s and %s %s one holds the other, and readers would find there "
                     "what they must not see; give a directory of its own on the same file system "
                     "(--staging DIR)",
                     staging, what, other);
}

enum lith_code lith_exchange_place(const char *root, const char *given, const char *audit,
                                   struct lith_arena *arena, const char **ret_place,
                                   struct lith_err *err)
{
    const char *real_root;
    const char *real_audit;
    const char *real;
    char *sibling;

    LITH_TRY(real_path(root, arena, &real_root, err));
    LITH_TRY(lith_arena_format(arena, &sibling, err, "%s" DEFAULT_SUFFIX, real_root));
    LITH_TRY(real_path(given ? given : sibling, arena, &real, err));
    LITH_TRY(apart_check(real, real_root, "the lake", err));
    if (audit) {
        LITH_TRY(real_path(audit, arena, &real_audit, err));
        LITH_TRY(apart_check(real, real_audit, "the audit series", err));
    }
    *ret_place = real;
    return LITH_OK;
}

/* The directories of a probe: one on each side, and a file in that of the root. */
#define PROBE_PREFIX ".lithify-exchange-"
#define PROBE_AGE_NS (3600 * LITH_SECOND_NS)

static void probe_remove(int dir_fd, const char *name)
{
    static const char *const files[] = {"file", "link"};
    struct lith_err ignored;
    int fd;

    if (lith_dir_open(dir_fd, name, &fd, &ignored) != LITH_OK)
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        (void)!lith_file_unlink(fd, files[i], &ignored);
    lith_fd_close(fd);
    (void)!lith_dir_remove(dir_fd, name, &ignored);
}

struct leftovers {
    int dir_fd;
    int64_t before_ns;
};

/* Probes that were killed leave an hour later nobody's directories. */
static enum lith_code leftover_remove(void *ctx, const char *name, struct lith_err *err)
{
    const struct leftovers *leftovers = ctx;
    struct lith_file_info info;
    struct lith_err ignored;

    (void)err;
    if (strncmp(name, PROBE_PREFIX, strlen(PROBE_PREFIX)) != 0 ||
        strspn(name + strlen(PROBE_PREFIX), "0123456789abcdef") != 16)
        return LITH_OK;
    if (lith_file_stat(leftovers->dir_fd, name, false, &info, &ignored) == LITH_OK &&
        info.is_directory && info.mtime_ns < leftovers->before_ns)
        probe_remove(leftovers->dir_fd, name);
    return LITH_OK;
}

/* The file is our own, and just made: a file system without links answers that it is not permitted.
 */
static enum lith_code probe_link(const int fds[2], struct lith_err *err)
{
    enum lith_code code = lith_file_link(fds[0], "file", fds[1], "link", err);

    if (code == LITH_E_DENIED)
        return lith_fail(err, LITH_E_UNSUPPORTED, "there are no hard links here");
    return code;
}

static enum lith_code probe_try(int root_fd, int staging_fd, const char *name, struct lith_err *err)
{
    struct lith_file_info before;
    struct lith_file_info after;
    int fds[2] = {-1, -1};
    int file_fd = -1;

    enum lith_code code = lith_dir_open(root_fd, name, &fds[0], err);
    if (code == LITH_OK)
        code = lith_dir_open(staging_fd, name, &fds[1], err);
    if (code == LITH_OK)
        code = lith_file_create(fds[0], "file", 0600, &file_fd, err);
    if (code == LITH_OK)
        code = probe_link(fds, err);
    if (code == LITH_OK)
        code = lith_fd_stat(fds[0], &before, err);
    if (code == LITH_OK)
        code = lith_file_exchange(root_fd, name, staging_fd, name, err);
    if (code == LITH_OK)
        code = lith_file_stat(staging_fd, name, false, &after, err);
    if (code == LITH_OK && before.inode != after.inode)
        code = lith_fail(err, LITH_E_UNSUPPORTED, "exchange %s: nothing changed places", name);
    lith_fd_close(file_fd);
    lith_fd_close(fds[0]);
    lith_fd_close(fds[1]);
    return code;
}

static enum lith_code probe_run(int root_fd, int staging_fd, struct lith_env *env,
                                struct lith_err *err)
{
    struct leftovers leftovers = {.before_ns = env->now_ns(env) - PROBE_AGE_NS};
    struct lith_err ignored;
    uint64_t number;
    char name[48];

    env->random(env, &number, sizeof(number));
    (void)snprintf(name, sizeof(name), PROBE_PREFIX "%016llx", (unsigned long long)number);
    LITH_TRY(lith_dir_make(root_fd, name, 0700, err));
    enum lith_code code = lith_dir_make(staging_fd, name, 0700, err);
    if (code == LITH_OK) {
        code = probe_try(root_fd, staging_fd, name, err);
        probe_remove(staging_fd, name);
    }
    probe_remove(root_fd, name);
    for (int i = 0; i < 2; i++) {
        leftovers.dir_fd = i ? staging_fd : root_fd;
        (void)!lith_dir_list(leftovers.dir_fd, ".", leftover_remove, &leftovers, &ignored);
    }
    return code;
}

enum lith_code lith_exchange_probe(const char *root, const char *staging, struct lith_env *env,
                                   struct lith_err *err)
{
    int root_fd = -1;
    int staging_fd = -1;

    enum lith_code code = lith_dir_open(AT_FDCWD, root, &root_fd, err);
    if (code == LITH_OK)
        code = lith_dir_open(AT_FDCWD, staging, &staging_fd, err);
    if (code == LITH_OK)
        code = probe_run(root_fd, staging_fd, env, err);
    lith_fd_close(root_fd);
    lith_fd_close(staging_fd);
    if (code == LITH_E_UNSUPPORTED)
        return lith_err_prefix(err,
                               "readers = exchange needs hard links and renameat2(RENAME_EXCHANGE) "
                               "between %s and %s (--staging names another directory)",
                               root, staging);
    return code;
}

enum lith_code lith_exchange_prepare(struct lith_store *base, bool is_new, struct lith_err *err)
{
    struct lith_exchange_store *store = (struct lith_exchange_store *)base;
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_file_info info;
    struct lith_err why;
    char *path;

    lith_arena_init(&scratch, base->mem);
    enum lith_code code = lith_file_stat(AT_FDCWD, store->staging, true, &info, &why);
    if (code == LITH_E_NOT_FOUND && !is_new)
        return lith_fail(err, LITH_E_NOT_FOUND,
                         "staging: %s is not there: it holds what readers of the lake do not see. "
                         "If the lake was moved, move it along; an empty directory there begins "
                         "anew, without what was held",
                         store->staging);
    if (code == LITH_E_NOT_FOUND) {
        LITH_TRY(lith_exchange_like_make(store->staging, base->root, base->env, base->mem, err));
        LITH_TRY(lith_arena_format(&scratch, &path, err, "%s", store->staging));
        LITH_TRY(lith_local_above_sync(path, err));
    } else if (code != LITH_OK) {
        *err = why;
        return code;
    }
    return lith_exchange_probe(base->root, store->staging, base->env, err);
}

/* A folder over the staging directory itself. */
static enum lith_code staging_open(const char *staging, struct lith_env *env, struct lith_mem *mem,
                                   struct lith_store **ret_store, struct lith_folder **ret_folder,
                                   struct lith_err *err)
{
    struct lith_local_options options = {.root = staging};

    LITH_TRY(lith_local_open(&options, env, mem, ret_store, err));
    return lith_folder_open(*ret_store, "", ret_folder, err);
}

static enum lith_code mark_text(const char *lake_id, struct lith_arena *arena, char **ret_text,
                                struct lith_err *err)
{
    return lith_arena_format(arena, ret_text, err, "{\"format\": 1, \"lake_id\": \"%s\"}\n",
                             lake_id);
}

static enum lith_code mark_read(struct lith_folder *folder, const char *lake_id, bool takes_over,
                                struct lith_arena *arena, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = NULL;
    struct lith_blob blob;
    char *text;

    LITH_TRY(lith_folder_get(folder, LITH_STAGING_MARK_NAME, MARK_BYTES_MAX, arena, &blob, err));
    enum lith_code code = lith_json_parse(blob.data, blob.bytes, &root, err);
    if (code != LITH_OK)
        return lith_err_prefix(err, "%s/" LITH_STAGING_MARK_NAME, folder->store->root);
    const char *id = lith_json_text_of(lith_json_get(root, "lake_id"));
    if (id && strcmp(id, lake_id) == 0)
        return LITH_OK;
    if (takes_over) {
        LITH_TRY(mark_text(lake_id, arena, &text, err));
        return lith_folder_put_if(folder, LITH_STAGING_MARK_NAME, &blob, text, strlen(text), err);
    }
    return lith_fail(err, LITH_E_INVALID,
                     "staging: %s is the staging directory of another lake (lake_id %s, this one's "
                     "is %s); give another (--staging DIR)",
                     folder->store->root, id ? id : "unknown", lake_id);
}

/* What a program that was killed while it began here has left does not count. */
static bool is_ours(const char *name)
{
    return strcmp(name, LITH_STAGING_MARK_NAME ".tmp") == 0 ||
           strncmp(name, PROBE_PREFIX, strlen(PROBE_PREFIX)) == 0;
}

static bool holds_others(const struct lith_listing *listing)
{
    bool found = listing->other_count > 0;

    for (size_t i = 0; i < listing->object_count; i++)
        found = found || !is_ours(listing->objects[i].name);
    for (size_t i = 0; i < listing->folder_count; i++)
        found = found || !is_ours(listing->folders[i]);
    return found;
}

static enum lith_code mark_write(struct lith_folder *folder, const char *lake_id,
                                 struct lith_arena *arena, struct lith_err *err)
{
    struct lith_listing listing;
    char *text;

    LITH_TRY(lith_folder_list(folder, arena, &listing, err));
    if (holds_others(&listing))
        return lith_fail(
            err, LITH_E_INVALID,
            "staging: %s is not empty, and no staging directory (no " LITH_STAGING_MARK_NAME
            " in it); give another (--staging DIR)",
            folder->store->root);
    LITH_TRY(mark_text(lake_id, arena, &text, err));
    return lith_folder_put_if(folder, LITH_STAGING_MARK_NAME, NULL, text, strlen(text), err);
}

enum lith_code lith_exchange_claim(struct lith_store *base, const char *lake_id, bool takes_over,
                                   struct lith_err *err)
{
    struct lith_exchange_store *store = (struct lith_exchange_store *)base;
    LITH_AUTO(store) struct lith_store *staging = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_err why;

    lith_arena_init(&scratch, base->mem);
    LITH_TRY(staging_open(store->staging, base->env, base->mem, &staging, &folder, err));
    enum lith_code code = mark_read(folder, lake_id, takes_over, &scratch, &why);
    if (code == LITH_E_NOT_FOUND)
        code = mark_write(folder, lake_id, &scratch, &why);
    if (code == LITH_E_CONFLICT) /* another program was first */
        code = mark_read(folder, lake_id, false, &scratch, &why);
    if (code != LITH_OK)
        *err = why;
    return code;
}

/* Its last file, the mark, is taken away first: from then on nobody puts anything there. */
static enum lith_code empty_remove(struct lith_folder *folder, const struct lith_listing *listing,
                                   struct lith_arena *arena, struct lith_err *err)
{
    const struct lith_object *mark = lith_listing_find(listing, LITH_STAGING_MARK_NAME);
    struct lith_blob blob = {0};
    struct lith_err ignored;

    if (mark) {
        LITH_TRY(lith_folder_get(folder, mark->name, MARK_BYTES_MAX, arena, &blob, err));
        LITH_TRY(lith_folder_delete_if(folder, mark, err));
    }
    enum lith_code code = lith_dir_remove(AT_FDCWD, folder->store->root, err);
    if (code != LITH_OK && mark)
        (void)!lith_folder_put_if(folder, mark->name, NULL, blob.data, blob.bytes, &ignored);
    return code;
}

enum lith_code lith_exchange_leave(const char *staging, struct lith_env *env, struct lith_mem *mem,
                                   struct lith_err *err)
{
    LITH_AUTO(store) struct lith_store *store = NULL;
    LITH_AUTO(folder) struct lith_folder *folder = NULL;
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_listing listing;
    struct lith_err why;

    lith_arena_init(&scratch, mem);
    enum lith_code code = staging_open(staging, env, mem, &store, &folder, &why);
    if (code == LITH_OK)
        code = lith_folder_list(folder, &scratch, &listing, &why);
    if (code == LITH_E_NOT_FOUND)
        return LITH_OK;
    if (code == LITH_OK && !listing.folder_count && !listing.other_count &&
        listing.object_count <= 1)
        code = empty_remove(folder, &listing, &scratch, &why);
    else if (code == LITH_OK)
        code = LITH_E_CONFLICT;
    if (code == LITH_E_CONFLICT)
        return lith_fail(err, LITH_E_INVALID,
                         "staging: files are held in %s until gc: it can be left only once it is "
                         "empty (lithify gc --reader-grace 0 --orphan-grace 0 empties it at once)",
                         staging);
    if (code != LITH_OK)
        *err = why;
    return code;
}
