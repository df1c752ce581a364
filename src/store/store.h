/*
 * Storage as a table of verbs: what a lake needs of a file system or of an object store.
 *
 * Names: a folder is named by its path below the root, '/' between parts and none at the ends
 * ("" is the root itself); objects in it by bare names. A folder is opened first, and all verbs
 * work on the open folder: locally everything is then relative to one directory descriptor.
 * A store may be shared between threads; an open folder is single-thread.
 */
#ifndef LITH_STORE_STORE_H
#define LITH_STORE_STORE_H

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/source.h"

/* What the store knows of an object. Name, size and etag together are its identity. */
struct lith_object {
    const char *name; /* in the arena of the call, as is etag */
    const char *etag; /* local: "size:mtime_ns" */
    uint64_t size;
    int64_t mtime_ns; /* by the store's clock */
    bool is_link;     /* a symbolic link to a regular file: read, never merged, never deleted */
    bool is_held;     /* kept for the folder where nobody sees it who lists it otherwise */
};

/* One reading of a folder. */
struct lith_listing {
    struct lith_object *objects; /* sorted by name (bytes), unique */
    size_t object_count;
    const char **folders; /* sorted; links to directories are not among them */
    size_t folder_count;
    const char **others; /* sorted: links to directories or to nothing, sockets, devices */
    size_t other_count;
    bool is_unsettled; /* lith_folder_settle, or lith_folder_tidy, may find something to do */
};

/* A whole object, and what it is known by as the condition of its replacement: its bytes, by their
 * number and XXH3-128. In an arena. */
struct lith_blob {
    const uint8_t *data; /* a zero byte follows; may be NULL in a condition */
    size_t bytes;
    struct lith_hash128 hash;
    const char *etag;
    int64_t mtime_ns;
};

/* What a new object is to hold: written in pieces, the same at each call. */
struct lith_content {
    enum lith_code (*write)(struct lith_content *body, struct lith_sink *sink,
                            struct lith_err *err);
};

struct lith_store;
struct lith_folder;
struct lith_output;

/* A new file under work: create, append, seal, read back, publish. */
struct lith_output {
    struct lith_folder *folder;
    struct lith_sink *sink; /* append through this until it is sealed */
    const char *name;       /* its final name; may change in _seal where a store demands it */
    const char *read_name;  /* under which it can be read back once sealed */
    uint32_t crc;           /* of all bytes; valid once sealed */
    uint64_t size;          /* valid once sealed */
};

/* How a new output should look. */
struct lith_output_options {
    const char *name; /* final name, never used before: lith_output_name_make */
    /* The inputs, whose owner, group and mode it takes; never narrower than any of them. */
    const char *const *like_names;
    size_t like_count;
};

/* What lith_store_probe found out. */
struct lith_store_facts {
    bool locks;        /* the partition lock works: commits by several programs are safe */
    bool conditions;   /* put-if is enforced */
    bool renames_sync; /* rename and fsync of a directory work */
    char detail[512];  /* one line for people */
};

/* What a folder's file system has room for. */
struct lith_space {
    uint64_t free_bytes; /* that new files may take */
    uint64_t total_bytes;
};

/* What becomes of an object when those who list a folder are shown another set of files. */
enum lith_fate {
    LITH_FATE_SHOWN,   /* they see it */
    LITH_FATE_HELD,    /* they do not; it stays in the listing, as held */
    LITH_FATE_OWN,     /* a leftover of ours, or what is replaced: nobody needs it */
    LITH_FATE_DEAD,    /* held, and nothing knows of it any more: may go once it is old enough */
    LITH_FATE_FOREIGN, /* another program is at it: no change now */
};

/* What a folder is to show. Asked once for each object, between `begin` and `complete`. */
struct lith_showing {
    void (*begin)(struct lith_showing *showing);
    enum lith_fate (*fate)(struct lith_showing *showing, const struct lith_object *object);
    /* CORRUPT: what must be shown was not among the objects. */
    enum lith_code (*complete)(struct lith_showing *showing, struct lith_err *err);
    bool must; /* the put makes no sense without the change; else it is made all the same */
};

/* What lith_folder_settle found. */
struct lith_settled {
    uint64_t
        carried; /* what others had put into a directory that was swapped out: it is shown now */
    const char *stray; /* in the arena: what could not be carried, and why; NULL: nothing */
};

/* Which leftovers may go: those that have been so for `grace_ns`. */
struct lith_tidy {
    int64_t now_ns; /* by the store's clock */
    int64_t grace_ns;
};

enum lith_lock_wait {
    LITH_LOCK_TRY,  /* CONFLICT where another program has it */
    LITH_LOCK_WAIT, /* until it is free; TRANSIENT where it is not after a few seconds */
};

/* Told of the path of a folder. */
typedef enum lith_code (*lith_held_fn)(void *ctx, const char *path, struct lith_err *err);

struct lith_store_ops {
    void (*close)(struct lith_store *store);
    enum lith_code (*probe)(struct lith_store *store, struct lith_store_facts *ret_facts,
                            struct lith_err *err);
    enum lith_code (*folder_open)(struct lith_store *store, const char *path,
                                  struct lith_folder **ret_folder, struct lith_err *err);
    /* NULL where folders need not be made. */
    enum lith_code (*folder_make)(struct lith_store *store, const char *path, struct lith_err *err);
    void (*folder_close)(struct lith_folder *folder);
    enum lith_code (*lock)(struct lith_folder *folder, enum lith_lock_wait wait,
                           struct lith_err *err);
    void (*unlock)(struct lith_folder *folder);
    enum lith_code (*now)(struct lith_folder *folder, int64_t *ret_ns, struct lith_err *err);
    enum lith_code (*list)(struct lith_folder *folder, struct lith_arena *arena,
                           struct lith_listing *ret_listing, struct lith_err *err);
    enum lith_code (*head)(struct lith_folder *folder, const char *name, struct lith_arena *arena,
                           struct lith_object *ret_object, struct lith_err *err);
    enum lith_code (*get)(struct lith_folder *folder, const char *name, size_t limit,
                          struct lith_arena *arena, struct lith_blob *ret_blob,
                          struct lith_err *err);
    enum lith_code (*source_open)(struct lith_folder *folder, const struct lith_object *object,
                                  struct lith_source **ret_source, struct lith_err *err);
    enum lith_code (*put_if)(struct lith_folder *folder, const char *name,
                             const struct lith_blob *expected, struct lith_content *body,
                             struct lith_err *err);
    enum lith_code (*output_new)(struct lith_folder *folder,
                                 const struct lith_output_options *options,
                                 struct lith_output **ret_output, struct lith_err *err);
    enum lith_code (*output_seal)(struct lith_output *output, struct lith_err *err);
    enum lith_code (*output_publish)(struct lith_output *output, struct lith_arena *arena,
                                     struct lith_object *ret_object, struct lith_err *err);
    void (*output_free)(struct lith_output *output);
    enum lith_code (*delete_if)(struct lith_folder *folder, const struct lith_object *object,
                                struct lith_err *err);
    enum lith_code (*deletes_end)(struct lith_folder *folder, struct lith_err *err);
    /* NULL where a name that can be seen outlives a crash anyway. */
    enum lith_code (*sync)(struct lith_folder *folder, struct lith_err *err);
    /* Optional: see lith_folder_free_bytes. */
    enum lith_code (*free_bytes)(struct lith_folder *folder, struct lith_space *ret_space,
                                 struct lith_err *err);
    /* Of stores that show a folder's new files in one step, else NULL: see lith_folder_put_shown
     * and those behind it. */
    enum lith_code (*put_shown)(struct lith_folder *folder, const char *name,
                                const struct lith_blob *expected, struct lith_content *body,
                                struct lith_showing *showing, struct lith_err *err);
    enum lith_code (*show_check)(struct lith_folder *folder, struct lith_showing *showing,
                                 struct lith_err *err);
    enum lith_code (*settle)(struct lith_folder *folder, struct lith_showing *showing,
                             struct lith_arena *arena, struct lith_settled *ret_settled,
                             struct lith_err *err);
    enum lith_code (*tidy)(struct lith_folder *folder, const struct lith_tidy *tidy,
                           struct lith_showing *showing, struct lith_arena *arena,
                           const char **ret_stray, struct lith_err *err);
    enum lith_code (*held_each)(struct lith_store *store, lith_held_fn each, void *ctx,
                                struct lith_err *err);
    enum lith_code (*held_drop)(struct lith_store *store, const char *path,
                                const struct lith_tidy *tidy, struct lith_err *err);
};

/* A concrete store and a concrete folder embed these as their first member. */
struct lith_store {
    const struct lith_store_ops *ops;
    struct lith_env *env;
    struct lith_mem *mem;
    const char *root;   /* as given, for texts */
    bool single_writer; /* the user's word that no other program commits here */
    bool is_lockless;   /* a lock keeps nobody out, as after leases that ran out */
    bool takes_paths;   /* names of its objects have several parts, with '/' (job/family.h) */
    bool seal_shows;    /* an output has its final name once it is sealed, and is listed */
};

struct lith_folder {
    struct lith_store *store;
    const char *path; /* below the root */
    bool locked;
};

/* NULL is a no-op. Folders must be closed before. */
void lith_store_close(struct lith_store *store);

/* Tries out, in the root, what commits rely on, and leaves nothing behind. DENIED where it may
 * not write; a guarantee that is missing is a fact, not a failure. */
LITH_MUST_CHECK enum lith_code lith_store_probe(struct lith_store *store,
                                                struct lith_store_facts *ret_facts,
                                                struct lith_err *err);

/* NOT_FOUND, DENIED; INVALID for a path with empty, "." or ".." parts. */
LITH_MUST_CHECK enum lith_code lith_folder_open(struct lith_store *store, const char *path,
                                                struct lith_folder **ret_folder,
                                                struct lith_err *err);
/*
 * Makes a folder and those above it, the root included, where they are not there; from then on they
 * outlive a crash. A no-op for stores without directories. DENIED; NOT_FOUND: the root has nothing
 * to stand in; INVALID as above.
 */
LITH_MUST_CHECK enum lith_code lith_folder_make(struct lith_store *store, const char *path,
                                                struct lith_err *err);
/* Gives the lock back too. NULL is a no-op. */
void lith_folder_close(struct lith_folder *folder);

/*
 * The partition lock (the lease, where the store has real locks): one holder at a time. A job
 * holds it from its first to its last commit; whoever does not get it leaves the partition alone.
 * Safety never rests on it alone: put_if checks its condition under the same lock. Where a lock
 * is refused: UNSUPPORTED, unless the store is `single_writer` (then it is taken as given).
 */
LITH_MUST_CHECK enum lith_code lith_folder_lock(struct lith_folder *folder,
                                                enum lith_lock_wait wait, struct lith_err *err);
void lith_folder_unlock(struct lith_folder *folder);

/* "Now" by the store's clock, which ages are judged by. Writes where it must: DENIED. */
LITH_MUST_CHECK enum lith_code lith_folder_now(struct lith_folder *folder, int64_t *ret_ns,
                                               struct lith_err *err);

/* Reads the folder once, whole. Any doubt is a failure: half a list is never returned. */
LITH_MUST_CHECK enum lith_code lith_folder_list(struct lith_folder *folder,
                                                struct lith_arena *arena,
                                                struct lith_listing *ret_listing,
                                                struct lith_err *err);

/* One object, or NOT_FOUND. */
LITH_MUST_CHECK enum lith_code lith_folder_head(struct lith_folder *folder, const char *name,
                                                struct lith_arena *arena,
                                                struct lith_object *ret_object,
                                                struct lith_err *err);

/* A whole object of at most `limit` bytes, or NOT_FOUND; LIMIT when it is larger. */
LITH_MUST_CHECK enum lith_code lith_folder_get(struct lith_folder *folder, const char *name,
                                               size_t limit, struct lith_arena *arena,
                                               struct lith_blob *ret_blob, struct lith_err *err);

/*
 * Random access to an object of that identity (etag NULL: any). CONFLICT when it is another one.
 * The source reads that very object even if its name is given to another one meanwhile.
 */
LITH_MUST_CHECK enum lith_code lith_folder_source_open(struct lith_folder *folder,
                                                       const struct lith_object *object,
                                                       struct lith_source **ret_source,
                                                       struct lith_err *err);

/*
 * Replaces `name` on condition that it still is `expected` (NULL: that it does not exist), and
 * makes that durable. CONFLICT: the condition failed and nothing was written. LIMIT, NOMEM,
 * DENIED, UNSUPPORTED, CORRUPT (of the body): nothing was written. Any other code: unknown, read
 * the object to see.
 */
LITH_MUST_CHECK enum lith_code lith_folder_put_content_if(struct lith_folder *folder,
                                                          const char *name,
                                                          const struct lith_blob *expected,
                                                          struct lith_content *body,
                                                          struct lith_err *err);
/* The same with bytes that are there. */
LITH_MUST_CHECK enum lith_code lith_folder_put_if(struct lith_folder *folder, const char *name,
                                                  const struct lith_blob *expected,
                                                  const void *data, size_t bytes,
                                                  struct lith_err *err);

/*
 * As lith_folder_put_content_if, and in the same moment the folder comes to show those who list it
 * exactly the files that `showing` says, where the store can do that; elsewhere this is the same as
 * the other. TRANSIENT: somebody is writing here, nothing was changed.
 */
LITH_MUST_CHECK enum lith_code lith_folder_put_shown(struct lith_folder *folder, const char *name,
                                                     const struct lith_blob *expected,
                                                     struct lith_content *body,
                                                     struct lith_showing *showing,
                                                     struct lith_err *err);
/* True where that changes what is shown. */
bool lith_folder_shows(const struct lith_folder *folder);
/* Would it be refused now? TRANSIENT: it may pass; UNSUPPORTED, DENIED: somebody must do something.
 * Writes nothing. */
LITH_MUST_CHECK enum lith_code lith_folder_show_check(struct lith_folder *folder,
                                                      struct lith_showing *showing,
                                                      struct lith_err *err);
/*
 * Under the lock: ends what a put that was cut off has left, and shows what others have put into
 * directories that are no longer the folder's, but for what they seem to be at still (`showing`
 * tells). Texts go to the arena.
 */
LITH_MUST_CHECK enum lith_code lith_folder_settle(struct lith_folder *folder,
                                                  struct lith_showing *showing,
                                                  struct lith_arena *arena,
                                                  struct lith_settled *ret_settled,
                                                  struct lith_err *err);
/* Under the lock: takes away what nobody needs any more of what is held for the folder. `showing`
 * says what the held objects are by now. *ret_stray: as of lith_settled. */
LITH_MUST_CHECK enum lith_code lith_folder_tidy(struct lith_folder *folder,
                                                const struct lith_tidy *tidy,
                                                struct lith_showing *showing,
                                                struct lith_arena *arena, const char **ret_stray,
                                                struct lith_err *err);

/* Calls `each` for every folder for which something is held, also for those that are gone. A
 * failure of `each` ends it and is returned. */
LITH_MUST_CHECK enum lith_code lith_store_held_each(struct lith_store *store, lith_held_fn each,
                                                    void *ctx, struct lith_err *err);
/* Takes away what is held for a folder that is gone, or has begun anew. */
LITH_MUST_CHECK enum lith_code lith_store_held_drop(struct lith_store *store, const char *path,
                                                    const struct lith_tidy *tidy,
                                                    struct lith_err *err);

/* Begins a new file under a name that no reader counts. CONFLICT when the name exists. */
LITH_MUST_CHECK enum lith_code lith_output_new(struct lith_folder *folder,
                                               const struct lith_output_options *options,
                                               struct lith_output **ret_output,
                                               struct lith_err *err);
/* Ends the appending and makes the bytes durable; from here it can be read under read_name. */
LITH_MUST_CHECK enum lith_code lith_output_seal(struct lith_output *output, struct lith_err *err);
/* Gives a sealed (and verified) output its final name, durably. */
LITH_MUST_CHECK enum lith_code lith_output_publish(struct lith_output *output,
                                                   struct lith_arena *arena,
                                                   struct lith_object *ret_object,
                                                   struct lith_err *err);
/* Ends it; one that was not published is dropped where that is certain to be ours. */
void lith_output_free(struct lith_output *output);

/* Behind the name of a file while it is deleted. */
#define LITH_GONE_SUFFIX ".gone.tmp"

/*
 * Deletes exactly this object. CONFLICT: the name bears another one now, which stays. NOT_FOUND
 * when it is not there. An earlier attempt that was cut off is finished first.
 */
LITH_MUST_CHECK enum lith_code lith_folder_delete_if(struct lith_folder *folder,
                                                     const struct lith_object *object,
                                                     struct lith_err *err);
/* After the last delete of a pass: makes them durable. */
LITH_MUST_CHECK enum lith_code lith_folder_deletes_end(struct lith_folder *folder,
                                                       struct lith_err *err);

/*
 * Makes last what names can be seen now, whoever gave them: a program that was killed, or had its
 * machine cut off, may not have come to that. Before anything is said, or deleted, that rests on
 * them.
 */
LITH_MUST_CHECK enum lith_code lith_folder_sync(struct lith_folder *folder, struct lith_err *err);

/* The room that there is now; *ret_known is false where the store has no such end. */
LITH_MUST_CHECK enum lith_code lith_folder_free_bytes(struct lith_folder *folder, bool *ret_known,
                                                      struct lith_space *ret_space,
                                                      struct lith_err *err);

/* The listed object of that name, or NULL. */
const struct lith_object *lith_listing_find(const struct lith_listing *listing, const char *name);

/* Is there what a delete of that name left that was cut off? In doubt there is. */
bool lith_listing_shows_gone(const struct lith_listing *listing, const char *name);

/* That, or the name itself. */
bool lith_listing_shows(const struct lith_listing *listing, const char *name);

/* LITH_AUTO(store) struct lith_store *s = NULL; and so on. */
static inline void lith_store_auto(struct lith_store **store)
{
    lith_store_close(*store);
}
static inline void lith_folder_auto(struct lith_folder **folder)
{
    lith_folder_close(*folder);
}
static inline void lith_output_auto(struct lith_output **output)
{
    lith_output_free(*output);
}

#endif
