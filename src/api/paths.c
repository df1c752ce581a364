/*
 * Files named by path.
 */
#include "api/paths.h"

#include <fcntl.h>

#include "base/file.h"

static enum lith_code path_open(struct lith_opener *opener, size_t index,
                                struct lith_source **ret_source, struct lith_err *err)
{
    struct lith_paths *paths = (struct lith_paths *)opener;

    LITH_ASSERT(index < paths->count);
    return lith_file_source_open(AT_FDCWD, paths->paths[index], paths->mem, ret_source, err);
}

void lith_paths_init(struct lith_paths *paths, const char *const *list, size_t count,
                     struct lith_mem *mem)
{
    *paths = (struct lith_paths){
        .opener = {.open = path_open}, .paths = list, .count = count, .mem = mem};
}

static enum lith_code verify_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *err)
{
    struct lith_paths *paths = ctx;

    return path_open(&paths->opener, index, ret_source, err);
}

static const char *verify_name(void *ctx, size_t index)
{
    struct lith_paths *paths = ctx;

    return paths->paths[index];
}

struct lith_verify_files lith_paths_verify_files(struct lith_paths *paths)
{
    return (struct lith_verify_files){
        .count = paths->count, .open = verify_open, .name = verify_name, .ctx = paths};
}
