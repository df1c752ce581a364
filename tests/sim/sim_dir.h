/*
 * The storage of a schedule: directories of objects, and what changes them.
 *
 * An operation takes effect at one instant; whether its caller hears of it is another matter
 * (sim_store.c). After each the oracle looks at the directory.
 */
#ifndef LITH_TESTS_SIM_DIR_H
#define LITH_TESTS_SIM_DIR_H

#include "base/hash.h"
#include "sim_world.h"

/* Bytes that never change. */
struct sim_blob {
    const uint8_t *data;
    size_t bytes;
    struct lith_hash128 hash;
    uint32_t crc;
    /* What it holds, where that was looked at: sim_file_rows, sim_manifest_read. */
    const void *manifest;
    const uint32_t *rows;
    uint32_t row_count;
    bool is_parsed;
};

struct sim_object {
    const char *name;
    const struct sim_blob *blob;
    uint64_t version; /* of files the number of the write, of objects a hash */
    const char *etag; /* the same as a text */
    int64_t mtime_ns;
};

struct sim_dir {
    struct sim_world *world;
    const char *path;
    bool is_series;             /* of the audit series, or its root */
    bool is_hollow;             /* no partition: the root of a lake, or on the way from there */
    struct sim_dir *above;      /* what its files may be rolled up into; NULL: nothing */
    struct sim_object *objects; /* by name */
    uint32_t count;
    uint32_t room;
    struct sim_object *past; /* all that was ever put, or renamed, in order */
    uint32_t past_count;
    uint32_t past_room;
    struct sim_actor *holder; /* of the lock, or NULL */
    uint32_t rollbacks; /* under way, or yet to land: what they look at no writer may overwrite */
    uint32_t late_deletes; /* sent, and yet to land */
    void *watch;           /* of the oracle */
};

#define SIM_DIRS_MAX 64u

/* All of the storage. */
struct sim_lake {
    struct sim_dir dirs[SIM_DIRS_MAX];
    uint32_t dir_count;
    uint32_t partition_count; /* the first ones; behind them come a root and the audit series */
    bool is_glob;             /* jobs keep journals, and delete what they merged at once */
    bool is_family;           /* the first partition is above the others; they are in order */
    uint64_t versions;
    uint64_t names;                    /* that writers have made */
    void (*look)(struct sim_dir *dir); /* after each effect; may be NULL */
};

enum sim_verb {
    SIM_PUT,     /* whatever is there */
    SIM_PUT_NEW, /* if nothing is there */
    SIM_PUT_IF,  /* if the bytes there are those, or nothing is */
    SIM_DELETE,  /* if the version there is that */
    SIM_RENAME,  /* to a name that nothing bears */
};

enum sim_result { SIM_DONE, SIM_REFUSED, SIM_ABSENT };

/* One operation; lives as long as the schedule. */
struct sim_op {
    struct sim_effect effect; /* where it is planned for later */
    enum sim_verb verb;
    struct sim_dir *dir;
    const char *name;
    const char *to;              /* SIM_RENAME */
    const struct sim_blob *blob; /* of puts */
    bool expects_bytes;          /* SIM_PUT_IF; else it expects nothing there */
    struct lith_hash128 hash;    /* the bytes that are expected: by backends that compare them */
    uint64_t version;     /* SIM_DELETE (0: any), and SIM_PUT_IF where versions are compared */
    uint64_t put_version; /* what a put gave */
    const char *who;      /* of the history */
    bool is_rollback;     /* sent while one was under way, and yet to land */
};

struct sim_dir *sim_dir_add(struct sim_lake *lake, struct sim_world *world, const char *path);
/* One of the audit series. */
struct sim_dir *sim_dir_add_series(struct sim_lake *lake, struct sim_world *world,
                                   const char *path);
/* The folders of journals (readers = glob), in a lake without a family. */
void sim_dir_add_journals(struct sim_lake *lake, struct sim_world *world);
/* A folder that is no partition. */
void sim_dir_add_hollow(struct sim_lake *lake, struct sim_world *world, const char *path);
/* A month, where it is wanted, a day of it, and some hours of that; and the folders above. */
void sim_dir_add_family(struct sim_lake *lake, struct sim_world *world, bool has_month,
                        uint32_t hours);
/* The partition that everything comes to in the end: itself, but in a family. */
struct sim_dir *sim_dir_head(struct sim_dir *dir);
/* May files come to that one from others, or from this one? */
bool sim_dir_takes(const struct sim_dir *dir);
bool sim_dir_leads_to(const struct sim_dir *dir, const struct sim_dir *above);
/* A folder directly below that one: the last part of its path. NULL: it is none. */
const char *sim_dir_below(const struct sim_dir *dir, const struct sim_dir *above);
/* NULL: there is none. */
struct sim_dir *sim_dir_find(struct sim_lake *lake, const char *path);
const struct sim_object *sim_dir_get(const struct sim_dir *dir, const char *name);

/* What was put under a name the last time, also where it is gone by now; NULL: nothing was. */
const struct sim_blob *sim_dir_past(const struct sim_dir *dir, const char *name);

/* A copy of the bytes. */
struct sim_blob *sim_blob_new(struct sim_world *world, const void *data, size_t bytes);

/* A copy that outlives its maker. */
struct sim_op *sim_op_new(struct sim_world *world, const struct sim_op *op);
/* It takes effect now. */
enum sim_result sim_op_apply(struct sim_op *op);
/* It takes effect later, if it may then. */
void sim_op_plan(struct sim_op *op, int64_t at_ns);

static inline struct sim_lake *sim_lake_of(const struct sim_world *world)
{
    return world->lake;
}

#endif
