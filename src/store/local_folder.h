/*
 * What the parts of the local store share. Private to this folder.
 */
#ifndef LITH_STORE_LOCAL_FOLDER_H
#define LITH_STORE_LOCAL_FOLDER_H

#include "base/file.h"
#include "base/throttle.h"
#include "store/local.h"
#include "store/steps.h"

struct lith_local_store {
    struct lith_store base;
    uint64_t io_bytes_per_second;
    const volatile sig_atomic_t *cancel;
};

struct lith_local_folder {
    struct lith_folder base;
    struct lith_throttle *throttle; /* of data files; NULL: none is held up */
    bool throttle_is_lent;          /* another folder's */
    int fd;                         /* the directory; every name is relative to it */
    const char *full;               /* its path for the system: root and path joined */
};

static inline struct lith_local_folder *lith_local_folder(struct lith_folder *folder)
{
    return (struct lith_local_folder *)folder;
}

static inline void lith_local_step(struct lith_folder *folder, const char *name)
{
    struct lith_env *env = folder->store->env;

    env->step(env, name);
}

/* "size:mtime_ns" */
#define LITH_LOCAL_ETAG_BYTES 48
void lith_local_etag(const struct lith_file_info *info, char ret_text[LITH_LOCAL_ETAG_BYTES]);

/* CONFLICT when the path no longer leads to the open directory. */
LITH_MUST_CHECK enum lith_code lith_local_folder_same(struct lith_local_folder *folder,
                                                      struct lith_err *err);

/* Opens the directory at `full` as a folder that goes with `front`: same path below the root for
 * texts, same throttle. `front` outlives it. */
LITH_MUST_CHECK enum lith_code lith_local_folder_beside(struct lith_local_folder *front,
                                                        const char *full,
                                                        struct lith_folder **ret_folder,
                                                        struct lith_err *err);

/* An output in `folder` that looks like files of `front`. */
LITH_MUST_CHECK enum lith_code lith_local_output_new_like(struct lith_folder *folder,
                                                          const struct lith_local_folder *front,
                                                          const struct lith_output_options *options,
                                                          struct lith_output **ret_output,
                                                          struct lith_err *err);

/* CONFLICT unless the object has the expected bytes (NULL: is not there); fills how it looks, or
 * how the directory does. */
LITH_MUST_CHECK enum lith_code lith_local_still_expected(struct lith_local_folder *folder,
                                                         const char *name,
                                                         const struct lith_blob *expected,
                                                         struct lith_file_info *ret_info,
                                                         struct lith_err *err);

/* Writes and syncs a new file in a directory that goes with `folder`; it looks like `like`. One
 * that could not be written is removed again. */
LITH_MUST_CHECK enum lith_code lith_local_file_write(struct lith_local_folder *folder, int dir_fd,
                                                     const char *name, struct lith_content *body,
                                                     const struct lith_file_info *like,
                                                     struct lith_err *err);

/* Syncs the directory that holds the one at `path`. `path` is as it was when it returns. */
LITH_MUST_CHECK enum lith_code lith_local_above_sync(char *path, struct lith_err *err);

/* As the verbs of the same names. */
enum lith_code lith_local_folder_make(struct lith_store *store, const char *path,
                                      struct lith_err *err);
enum lith_code lith_local_list(struct lith_folder *folder, struct lith_arena *arena,
                               struct lith_listing *ret_listing, struct lith_err *err);
enum lith_code lith_local_put_if(struct lith_folder *folder, const char *name,
                                 const struct lith_blob *expected, struct lith_content *body,
                                 struct lith_err *err);
enum lith_code lith_local_output_new(struct lith_folder *folder,
                                     const struct lith_output_options *options,
                                     struct lith_output **ret_output, struct lith_err *err);
enum lith_code lith_local_output_seal(struct lith_output *output, struct lith_err *err);
enum lith_code lith_local_output_publish(struct lith_output *output, struct lith_arena *arena,
                                         struct lith_object *ret_object, struct lith_err *err);
void lith_local_output_free(struct lith_output *output);
enum lith_code lith_local_delete_if(struct lith_folder *folder, const struct lith_object *object,
                                    struct lith_err *err);
enum lith_code lith_local_deletes_end(struct lith_folder *folder, struct lith_err *err);
enum lith_code lith_local_lock(struct lith_folder *folder, enum lith_lock_wait wait,
                               struct lith_err *err);
void lith_local_unlock(struct lith_folder *folder);
enum lith_code lith_local_probe(struct lith_store *store, struct lith_store_facts *ret_facts,
                                struct lith_err *err);

/* Fills an object from what stat says; strings go to the arena. */
LITH_MUST_CHECK enum lith_code
lith_local_object(const char *name, const struct lith_file_info *info, bool is_link,
                  struct lith_arena *arena, struct lith_object *ret_object, struct lith_err *err);

#endif
