/*
 * Markers of table formats, whose files only their own log may replace.
 */
#include "lake/table_format.h"

#include <string.h>

static const char *const folder_markers[] = {"_delta_log", ".hoodie", "_spark_metadata"};
static const char *const file_markers[] = {"_metadata", "_common_metadata"};

static bool has_suffix(const char *name, const char *suffix)
{
    size_t bytes = strlen(name);
    size_t suffix_bytes = strlen(suffix);

    return bytes >= suffix_bytes && strcmp(name + bytes - suffix_bytes, suffix) == 0;
}

static bool has_name(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

const char *lith_table_format_marker(const struct lith_listing *listing,
                                     const struct lith_listing *metadata)
{
    for (size_t i = 0; i < sizeof(folder_markers) / sizeof(folder_markers[0]); i++) {
        const char *marker = folder_markers[i];
        /* A link to a directory (among the others) and a plain file of that name count too. */
        if (has_name(listing->folders, listing->folder_count, marker) ||
            has_name(listing->others, listing->other_count, marker) ||
            lith_listing_find(listing, marker))
            return marker;
    }
    for (size_t i = 0; i < sizeof(file_markers) / sizeof(file_markers[0]); i++) {
        if (lith_listing_find(listing, file_markers[i]))
            return file_markers[i];
    }
    for (size_t i = 0; metadata && i < metadata->object_count; i++) {
        if (has_suffix(metadata->objects[i].name, ".metadata.json"))
            return "metadata/*.metadata.json";
    }
    return NULL;
}
