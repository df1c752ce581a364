/*
 * The ledger of a swap: what was in the old directory when the new one was made, and where it went.
 *
 * By it a file that somebody puts into the old directory later is told from one that was there, and
 * a directory that was swapped out from one that never came in. Private to this folder.
 */
#ifndef LITH_STORE_EXCHANGE_LEDGER_H
#define LITH_STORE_EXCHANGE_LEDGER_H

#include "base/arena.h"
#include "base/file.h"

/* What became of an entry. */
#define LITH_LEDGER_SHOWN 's'   /* it has the same name in the new directory */
#define LITH_LEDGER_HELD 'h'    /* it is held */
#define LITH_LEDGER_OWN 'o'     /* left behind: a manifest that was replaced, a leftover of ours */
#define LITH_LEDGER_CARRIED 'c' /* came later, and was carried over then */
/* Of the new directory alone: */
#define LITH_LEDGER_FROM_HELD 'f' /* was held before, is shown from now on */
#define LITH_LEDGER_NEW 'n'       /* made for it: the manifest; its inode is not noted */

struct lith_ledger_entry {
    const char *name;
    uint64_t inode;
    uint64_t size;
    int64_t mtime_ns;
    char kind;
};

/* In an arena. */
struct lith_ledger {
    uint64_t old_inode; /* of the directory that it is about: the one that readers saw before */
    struct lith_ledger_entry *entries; /* sorted by name, then inode */
    size_t count;
};

/* To be called once the entries are complete. */
void lith_ledger_sort(struct lith_ledger *ledger);

/* NULL where there is none. */
const struct lith_ledger_entry *lith_ledger_find(const struct lith_ledger *ledger, const char *name,
                                                 uint64_t inode);
/* Of that name and identity, whatever its inode: a directory that was copied has other ones. */
const struct lith_ledger_entry *lith_ledger_find_same(const struct lith_ledger *ledger,
                                                      const char *name,
                                                      const struct lith_file_info *info);
/* Of that inode under whatever name (O(n)). */
const struct lith_ledger_entry *lith_ledger_find_inode(const struct lith_ledger *ledger,
                                                       uint64_t inode);

/* Writes it durably, over an earlier one. Its directory is synced. */
LITH_MUST_CHECK enum lith_code lith_ledger_write(const struct lith_ledger *ledger, int dir_fd,
                                                 const char *name, struct lith_mem *mem,
                                                 struct lith_err *err);
/* NOT_FOUND; CORRUPT: not one, or not all of one. */
LITH_MUST_CHECK enum lith_code lith_ledger_read(int dir_fd, const char *name,
                                                struct lith_arena *arena,
                                                struct lith_ledger *ret_ledger,
                                                struct lith_err *err);

#endif
