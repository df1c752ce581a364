/*
 * The reader rule: which files of a partition are its rows right now.
 *
 * lith_snapshot_resolve is the rule itself, a pure function of a listing and of the manifest
 * read after it; lith_view_take does the listing and the reading. DESIGN.md section 4.
 */
#ifndef LITH_LAKE_SNAPSHOT_H
#define LITH_LAKE_SNAPSHOT_H

#include "lake/manifest.h"
#include "store/store.h"

enum lith_snapshot_mode {
    LITH_SNAPSHOT_OPEN,   /* files, and late files at once */
    LITH_SNAPSHOT_STRICT, /* what the manifest names, alone */
};

/* What a file is to the partition. */
enum lith_file_state {
    LITH_FILE_LIVE,     /* named in `files` (listed or not: see `object`) */
    LITH_FILE_LATE,     /* data the manifest does not know: live under the open rule, and without
                           a manifest; never beside a foreign one */
    LITH_FILE_RETIRED,  /* named in `retired` */
    LITH_FILE_GONE,     /* same name and size as one in `gone`: a replay, not live */
    LITH_FILE_ORPHAN,   /* named like an output of this partition, not known to the manifest */
    LITH_FILE_OUR_TMP,  /* <output of this partition>.tmp */
    LITH_FILE_GONE_TMP, /* <data or our-tmp>.gone.tmp: a delete that was cut off */
    LITH_FILE_MANIFEST, /* the manifest, its temporary, or the note of owed events */
    LITH_FILE_OTHER,    /* not data: hidden names, other suffixes; held objects (store.h) that the
                           manifest does not know */
    LITH_FILE_STATE_COUNT
};

/* What a name can be that no table of a manifest with that pid holds ("": there is no manifest):
 * LATE, ORPHAN, OUR_TMP, GONE_TMP, MANIFEST or OTHER. */
enum lith_file_state lith_file_state_by_name(const char *name, const char *pid);

struct lith_snapshot_file {
    const char *name;
    enum lith_file_state state;
    bool live;                        /* its rows count, under the mode of the snapshot */
    const struct lith_object *object; /* NULL: named by the manifest, absent from the list */
    const struct lith_entry *entry;   /* live, retired, gone: the manifest's word; else NULL */
    bool differs;                     /* listed with another size or etag than the entry has */
    bool condemned;
    const struct lith_entry *lost; /* an orphan that was live once, vanished, and is back */
    const struct lith_quarantine *quarantine; /* live ones only; of this etag; else NULL */
};

/* Everything is borrowed from the listing, the manifest and the arena of the call. */
struct lith_snapshot {
    enum lith_snapshot_mode mode;
    const struct lith_manifest *manifest; /* NULL: there is none */
    struct lith_snapshot_file *files;     /* sorted by name, unique */
    size_t file_count;
    size_t state_count[LITH_FILE_STATE_COUNT];
    size_t live_count;
    uint64_t live_bytes;
    size_t missing_count; /* named in `files`, not listed */
    size_t differ_count;  /* named in `files`, listed with another identity */
    int64_t newest_ns;    /* mtime of the newest live file that is not an output; INT64_MIN: none */
};

/*
 * Classifies every listed and every named file. `manifest` is NULL when there was none at a read
 * after the listing. Foreign manifests resolve too (readers take `files` alone). NOMEM, LIMIT.
 */
LITH_MUST_CHECK enum lith_code
lith_snapshot_resolve(const struct lith_listing *listing, const struct lith_manifest *manifest,
                      enum lith_snapshot_mode mode, struct lith_arena *arena,
                      struct lith_snapshot *ret_snapshot, struct lith_err *err);

/* The file of that name, or NULL. */
const struct lith_snapshot_file *lith_snapshot_find(const struct lith_snapshot *snapshot,
                                                    const char *name);

/* Everything that one look at a partition found. Its arena holds all of it, but for a list that was
 * there before (lith_view_take_listed). */
struct lith_view {
    struct lith_arena arena;
    struct lith_listing listing;
    struct lith_blob blob; /* e0: what the manifest is known by; etag NULL: none; no data */
    struct lith_manifest manifest;
    struct lith_snapshot snapshot;
};

/*
 * Lists, then reads the manifest once, then resolves; the strict rule needs no other order, since
 * no manifest at a read after the list means that nothing was committed. CORRUPT: the manifest
 * cannot be read, or both names are present: the partition is blocked (P9).
 */
LITH_MUST_CHECK enum lith_code lith_view_take(struct lith_folder *folder,
                                              enum lith_snapshot_mode mode, struct lith_mem *mem,
                                              struct lith_view *ret_view, struct lith_err *err);

/* The same from a list of the folder that was taken just now; the view borrows it. NULL: it takes
 * one. */
LITH_MUST_CHECK enum lith_code
lith_view_take_listed(struct lith_folder *folder, const struct lith_listing *listing,
                      enum lith_snapshot_mode mode, struct lith_mem *mem,
                      struct lith_view *ret_view, struct lith_err *err);

/* As lith_view_take, but reads the manifest first and lists after it: what a conflict, a rollback
 * and op clean need. */
LITH_MUST_CHECK enum lith_code lith_view_take_list_last(struct lith_folder *folder,
                                                        struct lith_mem *mem,
                                                        struct lith_view *ret_view,
                                                        struct lith_err *err);
/* A zeroed view is a no-op. */
void lith_view_done(struct lith_view *view);

/* NULL when the view has no manifest. */
const struct lith_manifest *lith_view_manifest(const struct lith_view *view);

/* True when the listing shows the very file of an entry, or one that is being deleted under that
 * name. */
bool lith_listing_shows_entry(const struct lith_listing *listing, const struct lith_entry *entry);

/* True when the listing directly holds data files, a manifest, or the note of one that did not come
 * about: it is a partition. */
bool lith_listing_is_partition(const struct lith_listing *listing);

/* LITH_AUTO(view) struct lith_view v = {0}; */
static inline void lith_view_auto(struct lith_view *view)
{
    lith_view_done(view);
}

#endif
