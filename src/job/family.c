/*
 * Several partitions as one folder.
 */
#include "job/family.h"

#include <string.h>

static struct lith_family *family_of(struct lith_folder *folder)
{
    return (struct lith_family *)folder;
}

const struct lith_family_child *lith_family_child_of(const struct lith_family *family,
                                                     const char *name, const char **ret_bare)
{
    for (size_t i = 0; i < family->child_count; i++) {
        size_t bytes = strlen(family->children[i].name);
        if (strncmp(name, family->children[i].name, bytes) != 0 || name[bytes] != '/')
            continue;
        *ret_bare = name + bytes + 1;
        return &family->children[i];
    }
    return NULL;
}

static enum lith_code list(struct lith_folder *folder, struct lith_arena *arena,
                           struct lith_listing *ret_listing, struct lith_err *err)
{
    (void)arena;
    (void)err;
    *ret_listing = family_of(folder)->listing;
    return LITH_OK;
}

static enum lith_code get(struct lith_folder *folder, const char *name, size_t limit,
                          struct lith_arena *arena, struct lith_blob *ret_blob,
                          struct lith_err *err)
{
    (void)folder;
    (void)limit;
    (void)arena;
    (void)ret_blob;
    return lith_fail(err, LITH_E_NOT_FOUND, "%s", name);
}

/* What has no child in its name is an output, which is in the partition above. */
static enum lith_code source_open(struct lith_folder *folder, const struct lith_object *object,
                                  struct lith_source **ret_source, struct lith_err *err)
{
    const struct lith_family *family = family_of(folder);
    struct lith_object bare = *object;

    const struct lith_family_child *child = lith_family_child_of(family, object->name, &bare.name);
    return lith_folder_source_open(child ? child->folder : family->parent, &bare, ret_source, err);
}

/* Past the check of names: those of the inputs are paths, as seen from the partition above. */
static enum lith_code output_new(struct lith_folder *folder,
                                 const struct lith_output_options *options,
                                 struct lith_output **ret_output, struct lith_err *err)
{
    struct lith_folder *parent = family_of(folder)->parent;

    return parent->store->ops->output_new(parent, options, ret_output, err);
}

static enum lith_code now(struct lith_folder *folder, int64_t *ret_ns, struct lith_err *err)
{
    return lith_folder_now(family_of(folder)->parent, ret_ns, err);
}

static enum lith_code free_bytes(struct lith_folder *folder, struct lith_space *ret_space,
                                 struct lith_err *err)
{
    struct lith_folder *parent = family_of(folder)->parent;

    return parent->store->ops->free_bytes(parent, ret_space, err);
}

void lith_family_init(struct lith_family *family, struct lith_folder *parent,
                      const struct lith_family_child *children, size_t child_count)
{
    static const struct lith_store_ops limited = {
        .list = list, .get = get, .source_open = source_open, .output_new = output_new, .now = now};
    static const struct lith_store_ops ops = {.list = list,
                                              .get = get,
                                              .source_open = source_open,
                                              .output_new = output_new,
                                              .now = now,
                                              .free_bytes = free_bytes};

    *family = (struct lith_family){
        .store = *parent->store,
        .parent = parent,
        .children = children,
        .child_count = child_count,
    };
    family->store.ops = parent->store->ops->free_bytes ? &ops : &limited;
    family->store.takes_paths = true;
    family->base = (struct lith_folder){
        .store = &family->store, .path = parent->path, .locked = parent->locked};
}
