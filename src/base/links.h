/*
 * Files and directories with names in several places: hard links, moves, the exchange of two
 * directories, and what a directory must look like to stand for another.
 *
 * As in base/file.h: names are relative to open descriptors, and errno stays here.
 */
#ifndef LITH_BASE_LINKS_H
#define LITH_BASE_LINKS_H

#include "base/file.h"

/*
 * Gives a file one more name (a symbolic link is not followed). CONFLICT: the name is taken. DENIED
 * also where the system lets only its owner, or who may write to it, link a file
 * (fs.protected_hardlinks). UNSUPPORTED: another file system, or one without hard links.
 */
LITH_MUST_CHECK enum lith_code lith_file_link(int from_fd, const char *from, int to_fd,
                                              const char *to, struct lith_err *err);
/* Would lith_file_link be denied? In doubt it is not. */
bool lith_file_may_link(int dir_fd, const char *name, const struct lith_file_info *info);

/* Renames between directories, never over what is there: CONFLICT. UNSUPPORTED: another file
 * system, or one that cannot do it. */
LITH_MUST_CHECK enum lith_code lith_file_move_new(int from_fd, const char *from, int to_fd,
                                                  const char *to, struct lith_err *err);

/* Lets two names change places in one step. UNSUPPORTED: another file system, or one that cannot
 * do it. */
LITH_MUST_CHECK enum lith_code lith_file_exchange(int a_fd, const char *a, int b_fd, const char *b,
                                                  struct lith_err *err);

/* Removes an empty directory. CONFLICT: it is not empty. */
LITH_MUST_CHECK enum lith_code lith_dir_remove(int dir_fd, const char *name, struct lith_err *err);

/* May this program make, rename and remove names in the directory? */
bool lith_dir_may_change(const char *path);
/* May it give a file of its own that owner and group? */
bool lith_may_give(uid_t uid, gid_t gid);

/*
 * Gives a directory owner, group, mode and extended attributes (ACLs are among them) of another,
 * and takes those away that the other has not. DENIED says what could not be given.
 */
LITH_MUST_CHECK enum lith_code lith_dir_look_like(int dir_fd, const char *name, int model_fd,
                                                  struct lith_mem *mem, struct lith_err *err);

#endif
