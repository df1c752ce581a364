/*
 * What the parts of the exchange store share. Private to this folder.
 *
 * Names below STAGING/PATH, which no folder of a lake has: they begin with "_".
 *
 *     _held                objects that readers do not see
 *     _swap-<16 hex>       a directory: on its way in, or swapped out (its ledger tells)
 *     _swap-<16 hex>.list  its ledger, there before it and gone after it
 */
#ifndef LITH_STORE_EXCHANGE_FOLDER_H
#define LITH_STORE_EXCHANGE_FOLDER_H

#include "base/links.h"
#include "store/exchange.h"
#include "store/exchange_ledger.h"
#include "store/local_folder.h"

#define LITH_HELD_NAME "_held"
#define LITH_SWAP_PREFIX "_swap-"
#define LITH_LEDGER_SUFFIX ".list"
/* Of a swap's directory, and of its ledger. */
#define LITH_SWAP_NAME_BYTES 32u

struct lith_exchange_store {
    struct lith_store base;
    struct lith_store *local; /* over the same root */
    const char *staging;
};

struct lith_exchange_folder {
    struct lith_folder base;
    struct lith_folder *front; /* local: what readers list */
    struct lith_folder *held;  /* local: what they do not; NULL: not open, or not there */
    int stage_fd;              /* STAGING/PATH; -1: not open, or not there */
    const char *stage;         /* its path */
    const char *held_path;
};

static inline struct lith_exchange_folder *lith_exchange_folder(struct lith_folder *folder)
{
    return (struct lith_exchange_folder *)folder;
}

static inline struct lith_exchange_store *lith_exchange_store(struct lith_folder *folder)
{
    return (struct lith_exchange_store *)folder->store;
}

static inline int lith_exchange_front_fd(const struct lith_exchange_folder *folder)
{
    return lith_local_folder(folder->front)->fd;
}

/* exchange_stage.c */

/* Makes one directory that looks as its model does; one that is there stays as it is. */
LITH_MUST_CHECK enum lith_code lith_exchange_like_make(const char *path, const char *model,
                                                       struct lith_env *env, struct lith_mem *mem,
                                                       struct lith_err *err);
/* Opens what there is for the folder in staging; nothing is no failure. Without the lock it is
 * opened anew each time. */
LITH_MUST_CHECK enum lith_code lith_exchange_stage_open(struct lith_exchange_folder *folder,
                                                        struct lith_err *err);
/* The same, and makes what is not there, as the folders of the lake look. Under the lock. */
LITH_MUST_CHECK enum lith_code lith_exchange_stage_make(struct lith_exchange_folder *folder,
                                                        struct lith_err *err);
/* Closes both; under the lock also removes them where they are empty. */
void lith_exchange_stage_close(struct lith_exchange_folder *folder);
/* Removes STAGING/PATH and those above it, as far as they are empty. */
void lith_exchange_stage_trim(const char *staging, const char *path, struct lith_mem *mem);

/* exchange_scan.c */

struct lith_scan_entry {
    const char *name;
    uint64_t inode;
    uint64_t size;
    int64_t mtime_ns;
    enum lith_fate fate;
    bool is_held;
};

/* What there is, and what is to become of it. In an arena. */
struct lith_scan {
    struct lith_scan_entry *entries; /* of the front: all; of those held: the shown ones */
    size_t count;
    bool changes;             /* something comes, or goes */
    struct lith_err obstacle; /* why the directory cannot be replaced; code OK: nothing */
};
LITH_MUST_CHECK enum lith_code lith_exchange_scan(struct lith_exchange_folder *folder,
                                                  struct lith_showing *showing,
                                                  struct lith_arena *arena,
                                                  struct lith_scan *ret_scan, struct lith_err *err);
enum lith_code lith_exchange_show_check(struct lith_folder *folder, struct lith_showing *showing,
                                        struct lith_err *err);

/* exchange_swap.c */

enum lith_code lith_exchange_put_shown(struct lith_folder *folder, const char *name,
                                       const struct lith_blob *expected, struct lith_content *body,
                                       struct lith_showing *showing, struct lith_err *err);

/* exchange_carry.c: directories that were swapped out */

/*
 * Carries over what is in the old directory and not in its ledger, which it adds to. `showing`
 * NULL: the swap has just been made. Then all is carried over, since who has begun a file goes on
 * by its path; and what vanished from the old directory since its ledger was made goes from the new
 * one.
 */
LITH_MUST_CHECK enum lith_code
lith_exchange_carry(struct lith_exchange_folder *folder, int old_fd, const char *list_name,
                    struct lith_showing *showing, struct lith_arena *arena,
                    struct lith_settled *settled, struct lith_err *err);
enum lith_code lith_exchange_settle(struct lith_folder *folder, struct lith_showing *showing,
                                    struct lith_arena *arena, struct lith_settled *ret_settled,
                                    struct lith_err *err);

/* exchange_tidy.c */

/* The names of the directories of swaps below `stage_fd`, ledgers without a directory included; in
 * the arena, sorted. */
LITH_MUST_CHECK enum lith_code lith_exchange_swaps(int stage_fd, struct lith_arena *arena,
                                                   const char *const **ret_names, size_t *ret_count,
                                                   struct lith_err *err);
/* The name of a swap's ledger. */
void lith_exchange_list_name(const char *swap, char ret_name[LITH_SWAP_NAME_BYTES]);
/* Removes a directory that never came in, with its ledger: the links that it was made of. CONFLICT:
 * there is something else in it, and nothing was removed. */
LITH_MUST_CHECK enum lith_code lith_exchange_new_drop(int stage_fd, const char *swap,
                                                      const struct lith_ledger *ledger,
                                                      struct lith_env *env, struct lith_err *err);
/* Removes those that were swapped out, or have had their last find, so long ago. *ret_stray: a file
 * that keeps one of them, in the arena. */
LITH_MUST_CHECK enum lith_code
lith_exchange_swaps_drop(int stage_fd, const struct lith_tidy *tidy, struct lith_env *env,
                         struct lith_arena *arena, const char **ret_stray, struct lith_err *err);
enum lith_code lith_exchange_tidy(struct lith_folder *folder, const struct lith_tidy *tidy,
                                  struct lith_showing *showing, struct lith_arena *arena,
                                  const char **ret_stray, struct lith_err *err);

/* exchange_held.c */

/* Takes away what is held under a name that the front has, too, where that is only a link to it. */
LITH_MUST_CHECK enum lith_code lith_exchange_links_drop(struct lith_exchange_folder *folder,
                                                        struct lith_err *err);
enum lith_code lith_exchange_held_each(struct lith_store *store, lith_held_fn each, void *ctx,
                                       struct lith_err *err);
enum lith_code lith_exchange_held_drop(struct lith_store *store, const char *path,
                                       const struct lith_tidy *tidy, struct lith_err *err);

#endif
