/*
 * Objects of a folder, as verify opens them.
 */
#include "job/stored_files.h"

static enum lith_code stored_open(void *ctx, size_t index, struct lith_source **ret_source,
                                  struct lith_err *err)
{
    const struct lith_stored_files *stored = ctx;
    const struct lith_object *object = stored->objects[index];
    enum lith_code code = lith_folder_source_open(stored->folder, object, ret_source, err);

    if (code == LITH_E_NOT_FOUND)
        return lith_fail(err, LITH_E_CONFLICT, "%s vanished while it was read", object->name);
    return code;
}

static const char *stored_name(void *ctx, size_t index)
{
    const struct lith_stored_files *stored = ctx;

    return stored->objects[index]->name;
}

struct lith_verify_files lith_stored_verify_files(struct lith_stored_files *stored)
{
    return (struct lith_verify_files){
        .count = stored->count, .open = stored_open, .name = stored_name, .ctx = stored};
}
