/*
 * The manifest: the one object whose atomic replacement changes a partition's live set.
 *
 * Parsed into plain tables; the JSON it came from stays beside them, so that fields this version
 * does not know survive a rewrite. All strings live in the arena of the parse or of the commit
 * that built it. DESIGN.md section 4.
 */
#ifndef LITH_LAKE_MANIFEST_H
#define LITH_LAKE_MANIFEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/source.h"
#include "lake/output_name.h"
#include "store/store.h"

#define LITH_MANIFEST_NAME "manifest.json"
#define LITH_MANIFEST_NAME_HIDDEN "_manifest.json"
/* Beside the manifest while commits may be without their audit events. */
#define LITH_EVENTS_NOTE_NAME "_lithify_events"
#define LITH_COMMIT_ID_BYTES 33 /* 32 hex digits and a zero */

/* Raised when a newer program would merge the same files into fewer or better ones. */
#define LITH_WRITER_VERSION 2u /* 2: files of differing schemas join */

/* What a commit did. */
enum lith_op {
    LITH_OP_ADOPT,
    LITH_OP_LEASE,
    LITH_OP_COMPACT,
    LITH_OP_FOLD,
    LITH_OP_FENCE,
    LITH_OP_CLEAN,
    LITH_OP_ROLLBACK,
    LITH_OP_RESTORE,
    LITH_OP_RETIRE,
    LITH_OP_HAND,   /* a roll-up's: live files are handed to the parent's next commit */
    LITH_OP_ROLLUP, /* ... the parent's commit, which makes them its own */
    LITH_OP_MOVED,  /* ... and they leave the live set here */
    LITH_OP_UNHAND, /* a roll-up was given up: they stay */
    LITH_OP_REPAIR, /* live files that vanished leave; or a lost manifest is made anew */
    LITH_OP_OTHER,  /* of a newer version; its text is kept */
    LITH_OP_COUNT
};

/* "adopt" and so on; static storage. */
const char *lith_op_name(enum lith_op op);

/* One file of the live set, or one that was of it. Absent texts are NULL. */
struct lith_entry {
    const char *name;
    const char *etag;
    uint64_t size;
    uint64_t rows;
    uint32_t crc32;
    bool has_rows;               /* the footer was read */
    bool has_crc;                /* the file was read in full, or is an output */
    uint16_t set;                /* live: of the outcome's sets, from 1; 0: not known */
    uint64_t generation;         /* live: since which; retired, gone, lost: by which; 0: unknown */
    const char *commit_id;       /* the commit that brought it in (live) or retired it */
    int64_t at_ns;               /* retired, gone: when */
    const struct lith_json *raw; /* as read where it has fields unknown to us, else NULL */
};

struct lith_log_entry {
    uint64_t generation;
    const char *commit_id;
    uint64_t epoch;
    enum lith_op op;
    const char *op_text; /* as read; what OTHER is written as */
    int64_t at_ns;
    bool event;   /* its audit event exists, or none is kept */
    bool journal; /* a journal speaks of it, or did (readers = glob) */
    const struct lith_json *raw;
};

struct lith_outcome {
    char live_hash[33];
    char policy_hash[33];
    uint64_t writer; /* LITH_WRITER_VERSION of the program that came to it */
    uint64_t files_before;
    uint64_t files_after;
    const char *verdict; /* "reduced", "unchanged", "rolled_back" or a newer word */
    bool settled;        /* planned after `settle`, with the rule of a quarter */
    /* What decided the sets of entries (lith_file_sets.hash), which hold under it and this writer;
     * empty: there are none. It is another question than the policy's, which may change alone. */
    char sets_hash[33];
    /* Where live files are of several sets that do not join: why each set beyond the first does not
     * join an earlier one. */
    const char *const *conflicts;
    size_t conflict_count;
    /* By set, from 1: why no files of it can be merged; NULL: they can. None where all can. */
    const char *const *refusals;
    size_t refusal_count;
    const struct lith_json *raw;
};

struct lith_quarantine {
    const char *name;
    const char *etag;
    const char *reason;
    int64_t since_ns;
    const struct lith_json *raw;
};

/* A live file with rows that do not belong to the partition's path. */
struct lith_misplaced {
    const char *name;
    const char *etag;
    const char *rules; /* by which: 32 hex digits; under other ones nothing is said */
    const char *reason;
    int64_t since_ns;
    const struct lith_json *raw;
};

/*
 * Live files that a roll-up takes into the partition above (DESIGN.md section 6.6). They are live
 * here until the manifest there has the commit in `taken`, and nothing but that roll-up moves them.
 */
struct lith_handed {
    const char *parent;    /* the partition above, below the root */
    const char *commit_id; /* of its commit */
    int64_t at_ns;
    const struct lith_entry *files; /* name, size, rows, crc32: as they were read to the end */
    size_t file_count;
    const struct lith_json *raw;
};

/* A roll-up that was committed here. Never forgotten: a partition below may still have to hear. */
struct lith_taken {
    const char *commit_id;
    int64_t at_ns;
    const struct lith_json *raw;
};

/*
 * Invariants after a parse and after every commit: names are bare data names; unique within
 * `files` and within `retired`, which are disjoint; nothing of `files` is condemned; what is handed
 * is in `files`; generation and epoch never fall; the last entry of the log is this generation's.
 */
struct lith_manifest {
    const char *name; /* which of the two it is stored under */
    uint64_t generation;
    bool foreign; /* without `lithify`: another program's; only `files` (names) is set */
    char pid[LITH_PID_TEXT_BYTES];
    uint64_t epoch;
    const char *commit_id;
    int64_t committed_at_ns;
    int64_t mtime_ns; /* of the object, by the store's clock; set by the reader */
    struct lith_entry *files;
    size_t file_count;
    struct lith_entry *retired;
    size_t retired_count;
    struct lith_entry *gone;
    size_t gone_count;
    const char **condemned;
    size_t condemned_count;
    struct lith_log_entry *log; /* oldest first */
    size_t log_count;
    bool has_outcome;
    struct lith_outcome outcome;
    struct lith_quarantine *quarantine;
    size_t quarantine_count;
    bool has_handed;
    struct lith_handed handed;
    const struct lith_taken *taken;
    size_t taken_count;
    struct lith_misplaced *misplaced;
    size_t misplaced_count;
    /* Live files that vanished, and whose rows were nowhere else: as they were in `files`, but for
     * the generation and the time, which are those of the commit that says so. */
    struct lith_entry *lost;
    size_t lost_count;
    const struct lith_json *raw; /* unknown fields: the whole text, and its `lithify` */
    const struct lith_json *raw_ours;
    /* Set where the JSON is owned: by a parsed manifest, never by one that a commit built. */
    struct lith_json *owned;
    struct lith_mem *mem;
    size_t charged; /* bytes of the tree, by estimate */
};

/*
 * Parses. CORRUPT names the field and what it broke; UNSUPPORTED for a newer format; LIMIT for a
 * size above LITH_MANIFEST_BYTES_MAX. Either blocks the partition. The arena must outlive the
 * manifest; lith_manifest_done gives back the JSON.
 */
LITH_MUST_CHECK enum lith_code lith_manifest_parse(const void *data, size_t bytes, const char *name,
                                                   struct lith_arena *arena,
                                                   struct lith_manifest *ret_manifest,
                                                   struct lith_err *err);
/* The same; names and etags that the listing has too are borrowed from it, not copied. */
LITH_MUST_CHECK enum lith_code
lith_manifest_parse_listed(const void *data, size_t bytes, const char *name,
                           const struct lith_listing *listing, struct lith_arena *arena,
                           struct lith_manifest *ret_manifest, struct lith_err *err);
void lith_manifest_done(struct lith_manifest *manifest);

/*
 * Appends the JSON text, an entry a line; fields unknown to us come behind the known ones. Checks
 * the invariants first (CORRUPT); UNSUPPORTED for a name that is not UTF-8; LIMIT by the buffer.
 */
LITH_MUST_CHECK enum lith_code lith_manifest_write(const struct lith_manifest *manifest,
                                                   struct lith_buf *to, struct lith_err *err);

/* The same to a sink, with memory for a few rows. LIMIT above LITH_MANIFEST_BYTES_MAX, with what to
 * do. */
LITH_MUST_CHECK enum lith_code lith_manifest_put(const struct lith_manifest *manifest,
                                                 struct lith_sink *sink, struct lith_mem *mem,
                                                 struct lith_err *err);

/* CORRUPT when the tables break an invariant. Parse and write call it. */
LITH_MUST_CHECK enum lith_code lith_manifest_check(const struct lith_manifest *manifest,
                                                   struct lith_mem *mem, struct lith_err *err);

/* The entry of that name, or NULL. Linear; name_index.h serves loops. */
const struct lith_entry *lith_manifest_live(const struct lith_manifest *manifest, const char *name);
const struct lith_entry *lith_manifest_retired(const struct lith_manifest *manifest,
                                               const char *name);
/* The entry of `lost` with that name and size, or NULL. */
const struct lith_entry *lith_manifest_lost(const struct lith_manifest *manifest, const char *name,
                                            uint64_t size);
/* Was a file of `retired` or `gone` superseded before one of `lost` vanished? */
bool lith_entry_is_before(const struct lith_entry *gone, const struct lith_entry *lost);
/* Is it so of an output that was lost? Its rows may have been in that one. */
bool lith_manifest_lost_since(const struct lith_manifest *manifest, const struct lith_entry *gone);
/* Was a file of that name and size deleted after a commit had put its rows elsewhere? */
bool lith_manifest_has_gone(const struct lith_manifest *manifest, const char *name, uint64_t size);
bool lith_manifest_condemned(const struct lith_manifest *manifest, const char *name);
/* True when the log has a commit of that id. */
bool lith_manifest_has_commit(const struct lith_manifest *manifest, const char *commit_id);

/* True when a roll-up of that id was committed here. */
bool lith_manifest_has_taken(const struct lith_manifest *manifest, const char *commit_id);
/* True when that file waits for a roll-up: nothing else may move it. */
bool lith_manifest_is_handed(const struct lith_manifest *manifest, const char *name);

/* Marks log entries as having their audit event: of a manifest that is about to be put. */
void lith_manifest_mark_event(struct lith_manifest *manifest, const char *commit_id);
/* Lets the oldest log entries go: the last LITH_LOG_COUNT_MIN stay, older ones as long as an event
 * is missing or a journal may be there. Builders of commits call it, and whoever marks one. */
void lith_manifest_log_trim(struct lith_manifest *manifest);

/* XXH3-128 over the sorted "name\0size\n" of the entries, as 32 hex digits. */
LITH_MUST_CHECK enum lith_code lith_live_hash(const struct lith_entry *entries, size_t count,
                                              struct lith_mem *mem, char ret_text[33],
                                              struct lith_err *err);

/* LITH_AUTO(manifest) struct lith_manifest m = {0}; */
static inline void lith_manifest_auto(struct lith_manifest *manifest)
{
    lith_manifest_done(manifest);
}

#endif
