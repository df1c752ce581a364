/*
 * Lithify: merges the many small Parquet files of a data lake into few large ones.
 *
 * The public interface. Plain C11; it compiles alone, and as C++.
 *
 * Conventions: a function that can fail returns enum lith_code, must be checked, and takes
 * `struct lith_err *err` last (never NULL). Outputs are named ret_x and set only on success.
 * A `const` pointer is borrowed for the call. Nothing here prints, exits or takes signals.
 */
#ifndef LITHIFY_H
#define LITHIFY_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LITH_API __attribute__((visibility("default")))
#define LITH_MUST_CHECK __attribute__((warn_unused_result))
#else
#define LITH_API
#define LITH_MUST_CHECK
#endif

/* What the caller can do about a failure. */
enum lith_code {
    LITH_OK = 0,
    LITH_E_NOMEM,       /* the machine is out of memory */
    LITH_E_LIMIT,       /* a configured limit would be passed: raise it, or give less */
    LITH_E_INVALID,     /* the call or the configuration is wrong */
    LITH_E_CORRUPT,     /* bytes from outside break their format: repair or remove the file */
    LITH_E_UNSUPPORTED, /* a legal thing that Lithify does not do */
    LITH_E_NOT_FOUND,   /* it is not there */
    LITH_E_CONFLICT,    /* somebody else changed it first: look again */
    LITH_E_TRANSIENT,   /* try again later */
    LITH_E_IO,          /* the storage failed */
    LITH_E_DENIED,      /* no permission */
    LITH_E_CANCELLED,   /* the caller asked to stop */
    LITH_CODE_COUNT
};

#define LITH_ERR_TEXT_BYTES 1024

/*
 * One failure, in the caller's memory. `text` is one line of UTF-8 without control characters:
 * the file, the place in it, what was expected and found, and what to do.
 */
struct lith_err {
    enum lith_code code;
    char text[LITH_ERR_TEXT_BYTES];
};

/* The name of a code, for example "CORRUPT"; static storage. */
LITH_API const char *lith_code_name(enum lith_code code);

/* How far a long call has come. Totals are 0 while unknown. */
struct lith_progress {
    uint64_t bytes_done;
    uint64_t bytes_total;
    const char *phase; /* a short word: "merge", "verify" */
};

/* What every long call takes. Zeroed means: no cancel flag, no progress, default limits. */
struct lith_control {
    const volatile sig_atomic_t *cancel; /* non-zero: stop at the next page; may be NULL */
    void (*progress)(void *ctx, const struct lith_progress *progress); /* may be NULL */
    void *progress_ctx;
    uint64_t memory_bytes_max;  /* heap budget; 0 = 256 MiB */
    uint64_t scratch_bytes_max; /* unlinked temporary files together; 0 = 4 GiB */
    const char *scratch_dir;    /* NULL = $TMPDIR, else /tmp */
    uint32_t threads;           /* of one merge, at most; 0 = 1. Outputs do not depend on it.
                                   `progress` is then called by any of them, one at a time */
};

/* The version of the library, for example "0.1.0"; static storage. */
LITH_API const char *lith_version(void);

/* Options. */

/* How an output is checked before it is committed. Each level includes those before it. */
enum lith_verify_level {
    LITH_VERIFY_OFF = 0,
    LITH_VERIFY_STRUCTURE, /* every invariant that needs no decoding, checksums included */
    LITH_VERIFY_CONTENT,   /* the output decoded and compared with what the merge read */
    LITH_VERIFY_DECODE,    /* the inputs decoded a second time and compared with the output */
};

/* Which columns of different files are one. */
enum lith_match {
    LITH_MATCH_AUTO = 0, /* by field id where all files have ids on all fields, else by name */
    LITH_MATCH_NAME,     /* by name, whatever the ids */
    LITH_MATCH_ID,       /* by field id; files without are refused */
};

/* How files of different schemas join, beyond what is always safe. Zeroed: the default. */
struct lith_joins {
    enum lith_match match;
    bool dates_to_timestamps; /* DATE joins local TIMESTAMP, as the midnight that begins it */
    bool bytes_to_strings;    /* BYTE_ARRAY without annotation joins STRING */
    bool names_by_case;       /* names of one group may differ by case alone */
};

/* What becomes of key-value metadata that nobody but its writers understands, where inputs differ
 * on it or some lack it. What all of them say alike is kept. */
enum lith_unknown_keys {
    LITH_UNKNOWN_KEYS_DROP = 0,
    LITH_UNKNOWN_KEYS_FIRST, /* what the first one says that has it */
    LITH_UNKNOWN_KEYS_ERROR, /* such files are not merged */
};

/*
 * Everything that can be chosen for a lake. Fill it with lith_options_default first, then change
 * what should differ: zero is a value like any other ("no grace"). Sizes are bytes, durations
 * nanoseconds. Texts are borrowed until the lake is closed; NULL means the default.
 */
struct lith_options {
    const char *readers;       /* "manifest", "exchange", "glob"; NULL: what the lake was committed
                                  with */
    const char *staging;       /* exchange: the directory, outside the lake and on its file system,
                                  that holds what readers do not see; NULL: what the lake was
                                  committed with, else ROOT.lithify */
    const char *tenant_key;    /* path key of the tenant; "tenant_id" */
    const char *layout;        /* "{db}/{yyyy}/{mm}/{dd}"; NULL: Hive keys (name=value) */
    bool tier_days;            /* files of hours are rolled up into their day ... */
    bool tier_months;          /* ... those of days into their month: docs/tiers.md */
    const char *manifest_name; /* "manifest.json" or "_manifest.json"; NULL: what the lake was
                                  committed with, else the first */
    bool single_writer;        /* the caller's word that no other program commits to this lake */
    const char *audit;         /* directory of the audit series; "none": none is kept; NULL: audit/
                                  beside data/ where the root has that, else ROOT.audit */

    int64_t grace_ns;           /* after the end of its period a partition may still be written */
    int64_t quiet_for_ns;       /* age of the newest file at which a partition is at rest */
    int64_t settle_ns;          /* age from which two small files are enough */
    uint64_t min_files;         /* inputs of a job before that */
    uint64_t max_inputs;        /* inputs of a job at most */
    uint64_t small_file_bytes;  /* what status calls small */
    uint64_t target_file_bytes; /* size of an output */
    uint64_t row_group_bytes;   /* uncompressed, of the source chunks */
    int64_t row_group_rows;
    struct lith_joins joins;
    const char *sort_by;    /* rows of outputs are sorted so: "column[:desc][:nulls-first],...", as
                               docs/sorting.md has it; NULL: they stay as they are */
    bool sorted_row_groups; /* with sort_by: row groups by the size of the inputs, an eighth of it
                               and 1 to 32 MiB, instead of row_group_bytes */

    int64_t reader_grace_ns;   /* how long a superseded input stays for readers that know it; with
                                  readers = glob 0, and the default counts as not given, but for: */
    bool reader_grace_given;   /* somebody asked for it, even where it is the default */
    int64_t orphan_grace_ns;   /* age of an output that was never committed */
    int64_t replay_window_ns;  /* how long a deleted input's name and size are remembered */
    uint64_t gc_bytes_max;     /* deleted in one pass over the lake at most */
    uint32_t min_free_percent; /* no job is begun that would leave less of its file system free;
                                  0: none is held back */
    uint64_t io_bytes_per_second; /* that one job reads and writes of data files together; 0: as
                                     fast as it goes */

    const char *codec; /* of outputs: "keep" (for each column that of most of its inputs' bytes),
                          "none", "snappy", "lz4_raw", "zstd", "gzip", "brotli", the last three
                          also with a level, as in "zstd:19"; NULL: "keep" */
    enum lith_unknown_keys unknown_keys;
    enum lith_verify_level verify;
    const char *const *key_columns; /* columns whose counts per value are checked; where one that
                                       is not the default is missing, the reason says so */
    size_t key_column_count;

    /*
     * A column that bears the name of a path key must hold its value, or the partition is blocked
     * (docs/path-rows.md): but for those of these names, where the column means something else.
     */
    const char *const *path_check_skip;
    size_t path_check_skip_count;
    const char *time_column; /* its moments must lie in the period of the path; NULL: nothing is
                                asked of one */
    const char *time_column_fallback; /* counts where time_column is null, 0 or absent; NULL: such
                                         a row belongs to no period */

    const char *partition_glob; /* only partitions whose path matches (fnmatch); NULL: all */
    uint32_t shard_index;       /* only partitions of this shard, from 0 ... */
    uint32_t shard_count;       /* ... of so many; 1: all */
    uint32_t jobs;              /* partitions worked on at once, 16 MiB of memory each at least */
    bool damaged; /* a lake whose _lithify.json cannot be read is opened all the same: for
                     lith_lake_fsck; others refuse it when they come to need it */
    bool explain; /* lith_lake_plan also says how the columns of due partitions would be merged,
                     for which it reads footers and dictionary pages; see lith_explanation */
};

LITH_API void lith_options_default(struct lith_options *options);

/* A lake. */

struct lith_lake;

/*
 * Opens the lake at a directory. Nothing is written. INVALID names the option that cannot work;
 * NOT_FOUND, DENIED. `control` is borrowed until lith_lake_close.
 */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_open(const char *root,
                                                       const struct lith_options *options,
                                                       const struct lith_control *control,
                                                       struct lith_lake **ret_lake,
                                                       struct lith_err *err);
/* NULL is a no-op. */
LITH_API void lith_lake_close(struct lith_lake *lake);

/*
 * Would readers "exchange" work here? Tries it out beside the lake and leaves nothing behind.
 * UNSUPPORTED, DENIED, INVALID say why not.
 */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_exchange_check(struct lith_lake *lake,
                                                                 struct lith_err *err);

/* How a partition came out of a pass. */
enum lith_partition_state {
    LITH_PARTITION_COMPACTED, /* its live set was replaced (plan: would be) */
    LITH_PARTITION_LEFT,      /* nothing was due; `reason` says why */
    LITH_PARTITION_BLOCKED,   /* it needs a hand; `reason` says which */
    LITH_PARTITION_BUSY,      /* another program holds it, or changed it first: try again */
    LITH_PARTITION_PENDING,   /* the outcome is not known yet, deletes are left, there is too little
                                 space, or somebody is writing: run again */
    LITH_PARTITION_FAILED,    /* `err` says why; nothing was lost */
    LITH_PARTITION_CHANGED,   /* rolled back, retired from, or adopted (dry run: would be) */
    LITH_PARTITION_STATE_COUNT
};
LITH_API const char *lith_partition_state_name(enum lith_partition_state state);

/* One file of a partition, with the rule that decided. */
struct lith_file_report {
    const char *name;
    uint64_t bytes;
    bool is_input;
    const char *reason; /* static text */
    const char *detail; /* more words, or NULL */
};

/* What fsck found. docs/fsck.md. */
struct lith_finding {
    const char *kind; /* a word that stays: "missing", "orphan" ...; docs/fsck.md lists them */
    const char *file; /* a bare name, or a path below the root; NULL: the partition as a whole */
    uint64_t bytes;   /* of the file; missing: that it had; 0: not known */
    bool wants_hand;  /* else it is only told: time, or the next pass, takes care of it */
    const char *text; /* what is wrong, for people */
    const char *todo; /* what to do; NULL: nothing */
};

/*
 * How column chunks get into an output, and why: those of one column that go the same way for the
 * same reason, summed up, or a single one of them. docs/movers.md. Borrowed for the call.
 */
struct lith_explanation {
    uint32_t column_index; /* of the leaf, in the order of the schema */
    const char *column;    /* its path, names joined by dots */
    const char *input;     /* single: its name, as it was given; summed: NULL */
    uint32_t row_group;    /* single: of the input, from 0 */
    uint64_t sources;      /* chunks: of one column in one row group of one input each */
    uint64_t bytes;        /* compressed, with page headers and dictionaries */
    const char *mover;     /* "splice", "remap", "recode", "null" */
    const char *reason;    /* a phrase */
};

/* What became of one partition. Everything is borrowed for the call. */
struct lith_partition_report {
    const char *path; /* below the root; "" is the root itself */
    const char *tenant;
    bool is_rollup; /* of the partitions below it, which are told of on their own, too */
    enum lith_partition_state state;
    const char *reason;    /* one line */
    uint64_t files_before; /* live files */
    uint64_t files_after;
    uint64_t inputs;
    uint64_t outputs; /* plan: predicted; CHANGED: inputs left the live set, outputs came in */
    uint64_t input_bytes;
    uint64_t output_bytes;  /* plan: 0 */
    uint64_t rows;          /* of the outputs; retire: that went out, as far as they are known */
    uint64_t folded;        /* late files that became named */
    uint64_t more_due;      /* inputs that the next pass has here; gc: past their grace, and
                               kept by gc_bytes_max */
    uint64_t blocked_files; /* kept out by a reason of their own: see `files` */
    uint64_t deleted;       /* gc, readers = glob: files (dry run: would be) */
    uint64_t deleted_bytes;
    uint64_t held_bytes;     /* of superseded files, until gc */
    int64_t held_until_ns;   /* when the last of them may go; 0: none held */
    uint64_t lost;           /* repair: live files that are not there, their rows nowhere else */
    uint64_t lost_rows;      /* of those whose rows are known */
    uint64_t carried;        /* exchange: files that came into a directory that had been replaced
                                meanwhile; from now on they are in the partition */
    const char *stray;       /* exchange: one that could not be carried over, and why; or NULL */
    uint64_t events;         /* audit events that were written */
    uint64_t events_pending; /* commits whose event could not be; a later pass writes them */
    const char *event_error; /* why; or why it is not known. NULL: all is well */
    /* Where files that could be merged are of several kinds that do not join: for each kind beyond
     * the first why, with both types and a file of each. Once merged they stay apart. */
    const char *const *conflicts;
    size_t conflict_count;
    const struct lith_file_report *files; /* plan: all; gc dry run: all that gc looks at; rollback,
                                             retire: those that come or go; else those with a reason
                                             to stay */
    size_t file_count;
    const struct lith_finding *findings; /* fsck */
    size_t finding_count;
    uint64_t hands;                 /* of them want somebody's hand */
    const struct lith_err *err;     /* FAILED, else NULL */
    const struct lith_err *refuted; /* COMPACTED with all pages decoded: what verification had found
                                       in the output whose pages were copied; else NULL */
    const struct lith_explanation *explanations; /* plan, COMPACTED, options.explain: summed up, */
    size_t explanation_count;                    /* most bytes first; else none */
};

/* Told of each partition as it is done, one call at a time, from whichever thread did it. */
typedef void (*lith_partition_fn)(void *ctx, const struct lith_partition_report *report);

/* A pass in numbers. */
struct lith_summary {
    uint64_t partitions;
    uint64_t by_state[LITH_PARTITION_STATE_COUNT];
    uint64_t files_before;
    uint64_t files_after;
    uint64_t input_bytes;
    uint64_t output_bytes;
    uint64_t rows;
    uint64_t folded;
    uint64_t more_due;
    uint64_t blocked_files;
    uint64_t deleted;
    uint64_t deleted_bytes;
    uint64_t held_bytes;
    int64_t held_until_ns; /* the latest */
    uint64_t lost;
    uint64_t lost_rows;
    uint64_t carried;
    uint64_t strays; /* partitions with one */
    uint64_t events;
    uint64_t events_pending;
    uint64_t findings;     /* fsck */
    uint64_t hands;        /* of them want somebody's hand */
    uint64_t rollups;      /* that were made; they are no partitions of their own */
    uint64_t rollups_left; /* that were not, though there are files to roll up; each was told of */
    /* Day partitions of the audit series, which passes compact and clean, too: not counted above.
     */
    uint64_t series_by_state[LITH_PARTITION_STATE_COUNT];
};

/* What compact would do now, with a reason for each file. Changes nothing. With options.explain a
 * due partition whose inputs turn out to be damaged, or vanish, is not COMPACTED. */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_plan(struct lith_lake *lake,
                                                       lith_partition_fn each, void *ctx,
                                                       struct lith_summary *ret_summary,
                                                       struct lith_err *err);

/*
 * Folds late files and compacts every due partition, once. A partition that fails does not stop
 * the others and is not a failure of the call: see by_state. INVALID when the lake has no readers
 * mode yet and options.readers is NULL. CANCELLED when asked to stop; what was committed stays.
 */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_compact(struct lith_lake *lake,
                                                          lith_partition_fn each, void *ctx,
                                                          struct lith_summary *ret_summary,
                                                          struct lith_err *err);

/* Deletes what is past its grace: superseded inputs and outputs that were never committed. */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_gc(struct lith_lake *lake, lith_partition_fn each,
                                                     void *ctx, struct lith_summary *ret_summary,
                                                     struct lith_err *err);

/* What gc would do now: `files` has a verdict for each file that it looks at. Changes nothing. */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_gc_plan(struct lith_lake *lake,
                                                          lith_partition_fn each, void *ctx,
                                                          struct lith_summary *ret_summary,
                                                          struct lith_err *err);

/* What a change by hand is asked for. */
struct lith_change {
    const char *partition;    /* path below the root; NULL: those that the options select */
    bool dry_run;             /* only told, with each file that would come or go */
    const char *const *files; /* retire: bare names */
    size_t file_count;
};

/*
 * Undoes the last compaction of partitions: its inputs are live again, its outputs superseded. It
 * is not done again until files or options change. A partition where it cannot be undone is FAILED,
 * with the reason. NOT_FOUND when `partition` is none.
 */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_rollback(struct lith_lake *lake, const struct lith_change *change, lith_partition_fn each,
                   void *ctx, struct lith_summary *ret_summary, struct lith_err *err);

/*
 * Takes files of one partition out of the live set; their rows are gone for readers at once, and
 * gc deletes them once reader_grace is over. Where one of them is not live nothing is changed.
 */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_retire(struct lith_lake *lake, const struct lith_change *change, lith_partition_fn each,
                 void *ctx, struct lith_summary *ret_summary, struct lith_err *err);

/*
 * Repairs what fsck tells of as missing, or as a lost manifest, where what is there says how. Live
 * files that vanished leave the live set: what holds their rows comes in for them, and where
 * nothing does they are lost, which the report, the audit event and the manifest say. CHANGED;
 * LEFT: nothing to repair; BLOCKED: nobody can tell what is right, with what to do.
 */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_repair(struct lith_lake *lake, const struct lith_change *change, lith_partition_fn each,
                 void *ctx, struct lith_summary *ret_summary, struct lith_err *err);

/* What the data files are that another program's manifest does not name. */
enum lith_unlisted {
    LITH_UNLISTED_ASK = 0, /* nobody said: such a partition is blocked */
    LITH_UNLISTED_LIVE,    /* rows like any others */
    LITH_UNLISTED_IGNORE,  /* no rows of the partition */
};

/* Gives every partition a manifest and rewrites nothing. Readers mode as for lith_lake_compact. */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_adopt(struct lith_lake *lake, enum lith_unlisted unlisted, lith_partition_fn each,
                void *ctx, struct lith_summary *ret_summary, struct lith_err *err);

/* What fsck is asked for. Zeroed: all partitions that the options select, looked at. */
struct lith_fsck {
    const char *partition; /* path below the root; NULL: those that the options select */
    bool deep;             /* live files are read whole, too */
    const char *restore;   /* path of an older manifest of `partition`, which comes back; NULL */
    bool dry_run;          /* restore: only told, with each file that would come or go */
};

/*
 * Holds manifests against files. Changes nothing and needs no right to write; a partition with a
 * finding that wants a hand is BLOCKED, one that cannot be looked at FAILED. Opens with
 * options.damaged a lake whose _lithify.json cannot be read, and tells of that, too: as of a
 * partition "" that is not counted. NOT_FOUND when `partition` is none.
 */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_fsck(struct lith_lake *lake, const struct lith_fsck *request, lith_partition_fn each,
               void *ctx, struct lith_summary *ret_summary, struct lith_err *err);

/*
 * Brings the live set of an older manifest of one partition back (request->restore): CHANGED. Live
 * files that it does not know stay, unless their rows are in what comes back, which is found out by
 * reading them. FAILED, with the reason, where it cannot be, as for a file that is no manifest.
 */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_restore(struct lith_lake *lake, const struct lith_fsck *request, lith_partition_fn each,
                  void *ctx, struct lith_summary *ret_summary, struct lith_err *err);

/* Status. */

/* Live files by size: below 64 KiB, 1 MiB, 16 MiB, 64 MiB, 128 MiB, 256 MiB, 512 MiB, 1 GiB,
 * 2 GiB, and above. */
#define LITH_SIZE_BUCKETS 10
LITH_API uint64_t lith_size_bucket_end(unsigned bucket); /* UINT64_MAX for the last */

struct lith_tenant_status {
    const char *tenant;
    uint64_t partitions;
    uint64_t files;
    uint64_t bytes;
    uint64_t small_files;     /* below small_file_bytes */
    uint64_t mergeable_files; /* small ones that a job could still merge, now or once sealed */
    uint64_t due_partitions;
    uint64_t due_files; /* inputs of jobs that are due now: the backlog */
    uint64_t due_bytes;
    uint64_t blocked_partitions;
    uint64_t apart_partitions; /* with files of several kinds that do not join: see plan */
    uint64_t held_bytes;
    uint64_t histogram_files[LITH_SIZE_BUCKETS];
    uint64_t histogram_bytes[LITH_SIZE_BUCKETS];
};

struct lith_status {
    struct lith_tenant_status total;    /* tenant NULL */
    struct lith_tenant_status *tenants; /* by name */
    size_t tenant_count;
    void *inside; /* owns what is borrowed above */
};

/* Looks at every partition; changes nothing. End with lith_status_done. */
LITH_API LITH_MUST_CHECK enum lith_code
lith_lake_status(struct lith_lake *lake, struct lith_status *ret_status, struct lith_err *err);
LITH_API void lith_status_done(struct lith_status *status);

/* The audit series: an event for each commit. docs/audit.md. */

/* Numbers and texts that are not known: `has_` is false, the pointer NULL. Borrowed for the call.
 */
struct lith_event {
    const char *tenant;
    int64_t time_ns; /* of the commit */
    uint64_t kind;   /* 3: compaction, as all of Lithify's are */
    const char *type;
    const char *reason;    /* more words, for people */
    const char *partition; /* path below the root */
    const char *const
        *input_files; /* what left the live set; op clean and fence: what is deleted */
    size_t input_file_count;
    const char *output_file;         /* op compact: the first one */
    const char *const *output_files; /* what came into the live set */
    size_t output_file_count;
    bool has_generation, has_rows, has_bytes_before, has_bytes_after, has_duration;
    uint64_t generation;   /* of the manifest that was committed */
    uint64_t rows;         /* of output_files */
    uint64_t bytes_before; /* of input_files */
    uint64_t bytes_after;  /* of output_files */
    uint64_t duration_ns;  /* since the job's commit before, or since it began */
    const char *op;        /* "compact" and so on */
    const char *verify;    /* op compact: how the outputs were checked */
    const char *commit_id; /* 32 hex digits */
};

/* Which events are asked for. Zeroed: all. */
struct lith_log_request {
    const char *tenant;         /* NULL: all */
    const char *partition_glob; /* as in lith_options; NULL: all */
    bool has_since, has_until;
    int64_t since_ns; /* [since, until) */
    int64_t until_ns;
};

typedef void (*lith_event_fn)(void *ctx, const struct lith_event *event);

/*
 * Reads the audit series, by time. Holds the events of one day in memory: LIMIT where there are too
 * many. INVALID where the lake keeps none. Nothing was committed yet: no events. Where files of it
 * cannot be read `each` is called for all events of the others, and the first error is the result.
 */
LITH_API LITH_MUST_CHECK enum lith_code lith_lake_log(struct lith_lake *lake,
                                                      const struct lith_log_request *request,
                                                      lith_event_fn each, void *ctx,
                                                      struct lith_err *err);

/* Snapshots. */

/* The live files of one partition, or of a lake, at one moment. */
struct lith_snapshot_files;

/*
 * Takes the reader rule: each partition is listed, then its manifest is read, once. `partition`
 * is a path below the root; NULL: all of the lake. `strict`: what manifests name, alone.
 * CORRUPT names a manifest that cannot be read, or a partition whose manifest was lost; nothing is
 * guessed. For the latter footers are read, of files that are named like outputs alone.
 */
LITH_API LITH_MUST_CHECK enum lith_code
lith_snapshot_files_open(struct lith_lake *lake, const char *partition, bool strict,
                         struct lith_snapshot_files **ret_files, struct lith_err *err);
LITH_API size_t lith_snapshot_files_count(const struct lith_snapshot_files *files);
/* Path below the root, and size. Sorted by partition, then name. */
LITH_API const char *lith_snapshot_files_path(const struct lith_snapshot_files *files,
                                              size_t index);
LITH_API uint64_t lith_snapshot_files_bytes(const struct lith_snapshot_files *files, size_t index);
LITH_API void lith_snapshot_files_close(struct lith_snapshot_files *files);

/* Files. */

/* Told of explanations, from the thread of the call. */
typedef void (*lith_explain_fn)(void *ctx, const struct lith_explanation *explanations,
                                size_t count);

/* How pages get from inputs to outputs: for tests and measurements. The rows are the same. */
enum lith_movers {
    LITH_MOVERS_AUTO = 0,
    LITH_MOVERS_COPY,   /* copied wherever they may be, however small they are */
    LITH_MOVERS_RECODE, /* decoded and encoded, all of them */
};

/* A value of a row, as PLAIN has it (little-endian numbers; bytes without a length; BOOLEAN is a
 * byte). */
struct lith_value {
    const void *data; /* NULL: null */
    size_t bytes;
};

struct lith_merge_request {
    const char *const *inputs; /* paths, in the order of the rows */
    size_t input_count;
    const char *output;         /* path; the first of several outputs, see lith_merge_output_path;
                                   NULL, with `explain`: nothing is written, only planned */
    uint64_t target_file_bytes; /* 0: one output */
    uint64_t row_group_bytes;
    int64_t row_group_rows;
    struct lith_joins joins;
    const char *sort_by; /* these as in struct lith_options; inputs then count by name */
    bool sorted_row_groups;
    /*
     * Rows to leave out, for requests of privacy; the only way in which a merge changes what there
     * is. `erase` is asked for each row, in order, with its values of the columns that `erase_by`
     * names (in the form of sort_by), and returns true where it is to go. A merge that begins anew,
     * for want of memory or since verification refuted it, asks again from the first row on: the
     * same values want the same answer. Not with sort_by. What was left out is counted: in the
     * result, and under the key lithify.erased of the outputs.
     */
    const char *erase_by; /* NULL: nothing is left out */
    bool (*erase)(void *ctx, const struct lith_value *values, size_t count);
    void *erase_ctx;
    const char *codec; /* as in struct lith_options */
    enum lith_unknown_keys unknown_keys;
    enum lith_verify_level verify;
    enum lith_movers movers;
    bool overwrite;          /* an existing output is replaced, atomically; else CONFLICT */
    lith_explain_fn explain; /* NULL: nobody is told */
    void *explain_ctx;
    bool explain_each; /* of every single chunk, as it is planned; else once of all sums, most bytes
                          first, at the end of a merge that succeeded */
};

/*
 * The path of the index-th output: `output` for the first one (0), and for the others the same with
 * -1, -2 ... in front of its extension. Cut at `bytes`, as snprintf does; returns the whole length.
 */
LITH_API size_t lith_merge_output_path(const char *output, uint64_t index, char *to, size_t bytes);

/* Request with the defaults of lith_options_default; fill in inputs and output. */
LITH_API void lith_merge_request_default(struct lith_merge_request *request);

struct lith_merge_result {
    uint64_t outputs;
    uint64_t rows;
    uint64_t rows_erased; /* left out */
    uint64_t input_bytes;
    uint64_t output_bytes;
    uint64_t row_groups;
    uint64_t memory_peak_bytes; /* heap */
    /* Compressed bytes of pages by the way they went; page headers and dictionaries are not
     * counted. Only planned: of chunks by the way that they would go, as explanations have them. */
    uint64_t spliced_bytes;
    uint64_t remapped_bytes;
    uint64_t regrouped_bytes; /* joined as they are compressed; planned as recoded */
    uint64_t recoded_bytes;
    /* Why all was decoded after all: verification refuted what had been copied, since a source says
     * what is not true. Code OK: it was not. */
    struct lith_err refuted;
};

/*
 * Merges files into one (or several, by target_file_bytes), durably and verified, under a
 * temporary name until then. Inputs are never changed. The error names the file and the place.
 */
LITH_API LITH_MUST_CHECK enum lith_code lith_merge_files(const struct lith_merge_request *request,
                                                         const struct lith_control *control,
                                                         struct lith_merge_result *ret_result,
                                                         struct lith_err *err);

struct lith_compare_result {
    bool equal;
    uint64_t rows_a;
    uint64_t rows_b;
    char sum_a[33]; /* order-free hash of the rows */
    char sum_b[33];
};

/* Are these the same rows, as multisets? Columns that a file lacks count as nulls, and narrower
 * ones as what they widen to, as a merge has it; INVALID when the schema of neither b's first file
 * nor a's holds all others. */
LITH_API LITH_MUST_CHECK enum lith_code lith_compare_files(const char *const *a, size_t a_count,
                                                           const char *const *b, size_t b_count,
                                                           const struct lith_control *control,
                                                           struct lith_compare_result *ret_result,
                                                           struct lith_err *err);

/*
 * Everything a file says of itself, as a JSON text: footer, schema, row groups, chunks, page
 * indexes; with `pages` also every page header. End with lith_text_free. docs/json.md.
 */
LITH_API LITH_MUST_CHECK enum lith_code lith_inspect_file(const char *path, bool pages,
                                                          const struct lith_control *control,
                                                          char **ret_json, struct lith_err *err);
LITH_API void lith_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
