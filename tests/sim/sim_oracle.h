/*
 * What must be true after every effect, found out by other code than the one that is tried.
 *
 * The oracle knows which rows writers have stored, reads manifests with a parser of its own, and
 * applies the reader rule as DESIGN.md section 4 has it. A partition and those that are rolled up
 * into it are looked at together (docs/tiers.md).
 */
#ifndef LITH_TESTS_SIM_ORACLE_H
#define LITH_TESTS_SIM_ORACLE_H

#include "sim_file.h"

/* A row that a writer has stored. */
struct sim_row {
    struct sim_dir *dir;    /* where; NULL: of an event that was not stored yet */
    int64_t seen_ns;        /* when the open rule first showed it; INT64_MAX: not yet */
    int64_t removed_ns;     /* when an operator took its file away; INT64_MAX: not */
    int64_t overwritten_ns; /* when the last file was that had it under a name of a writer */
    bool is_back;           /* removed once, and restored since */
    bool is_pending;        /* under a name that was used before: shown once it is folded */
    bool is_strict;         /* the strict rule has shown it */
    bool is_loose;          /* an operator has put an older manifest in place: shown once, or not */
};

struct sim_oracle {
    struct sim_row rows[SIM_ROWS_MAX];
    uint32_t row_count;
};

/* A manifest as a reader sees it. */
struct sim_names {
    const char **names;
    uint32_t count;
};
struct sim_manifest {
    const struct sim_blob *blob; /* NULL: there is none */
    bool is_unreadable;
    char pid[16];
    const char *commit_id;
    const char *op;     /* of the last entry of the log */
    bool owes_event;    /* ... which has none yet */
    uint64_t log_first; /* the first generation that the log tells of */
    uint64_t generation;
    uint64_t epoch;
    struct sim_names files;
    struct sim_names retired;
    struct sim_names gone;
    const uint64_t *gone_sizes;
    struct sim_names condemned;
    const char *handed_to; /* a commit of the partition above; NULL: nothing is */
    struct sim_names handed;
    struct sim_names taken; /* commits that put files of partitions below here */
};

void sim_oracle_begin(struct sim_world *world);
struct sim_oracle *sim_oracle_of(struct sim_world *world);

/* Numbers for rows that are about to be stored there: *ret_first and the next ones. */
void sim_rows_new(struct sim_dir *dir, uint32_t count, bool is_pending, uint32_t *ret_first);

/* One for the event of a commit. */
uint32_t sim_row_of_event(struct sim_world *world);
/* How often a row is there now, by the open rule. */
uint32_t sim_oracle_shown(struct sim_world *world, uint32_t row);

/* A writer is about to write another file under the name of this one. */
void sim_rows_overwrite(struct sim_dir *dir, const char *name);

/* The bytes of a manifest, parsed; the manifest of a directory, one without a blob where there is
 * none. As long as the schedule. */
const struct sim_manifest *sim_manifest_read(struct sim_world *world, const struct sim_blob *blob);
const struct sim_manifest *sim_manifest_of(struct sim_dir *dir);

bool sim_names_have(const struct sim_names *names, const char *name);
/* Whether a listed object is live, by the open rule. */
bool sim_is_live(const struct sim_manifest *manifest, const char *name, uint64_t size);
bool sim_is_data(const char *name);
/* Whether the partition above, whose manifest that is (NULL: it has none), has it by now. */
bool sim_is_taken(const struct sim_manifest *manifest, const struct sim_manifest *above,
                  const char *name);

/* An operator is about to change files by hand: what readers are shown is the operator's doing from
 * now on, but nothing may be shown twice, and no row may go that is left. */
void sim_oracle_loosen(struct sim_dir *dir);
bool sim_oracle_is_loose(struct sim_dir *dir);

/* Whether all rows of a file are in another one too, which is not condemned. */
bool sim_oracle_has_twice(struct sim_dir *dir, const struct sim_blob *blob);

/* Nothing is going on any more: the strict rule shows all rows, and nothing is there that is not
 * live. */
void sim_oracle_settled(struct sim_dir *dir);

/* What a reader has read between two times. */
struct sim_reading {
    struct sim_dir *dir; /* its head: with all below it */
    bool is_part;        /* ... but for those: rows may be in the others */
    bool is_strict;
    int64_t begin_ns;
    int64_t end_ns;
    const uint8_t *counts; /* of each row */
};
void sim_oracle_read(const struct sim_reading *reading);

#endif
