/*
 * Journals of readers = glob: what a job is about to put in place of what.
 *
 * One object per job below the root of the lake, there before the job's outputs can be seen and
 * until its deletes are done: _compaction_state/<tier>/<partition>_<job>.json, where the partition
 * is its path, percent-encoded. A journal says what to look at; what to do about it says the
 * manifest (job/journal.h). DESIGN.md section 5, readers = glob; docs/readers.md has the fields.
 */
#ifndef LITH_LAKE_JOURNAL_H
#define LITH_LAKE_JOURNAL_H

#include "base/buf.h"
#include "lake/manifest.h"

#define LITH_JOURNAL_FOLDER "_compaction_state"
/* The only tier there is: files as their writers left them, in their own partition. */
#define LITH_JOURNAL_TIER "base"

/* Bare names, in the journal's partition. */
struct lith_journal_input {
    const char *name;
    const char *etag;
    uint64_t size;
};

struct lith_journal_output {
    const char *name;      /* of an output of the partition */
    const char *upload_id; /* of an upload that may be unfinished; NULL: none */
    uint64_t size;
    uint32_t crc32;
    bool is_sealed; /* size and crc32 are known */
};

/*
 * Invariants after a parse: at least one output, all of one pid and one epoch, at least one input;
 * no name twice.
 */
struct lith_journal {
    const char *partition; /* its path below the root */
    const char *job_id;    /* the id of the commit that it is about, 32 hex digits */
    int64_t created_at_ns;
    struct lith_journal_output *outputs;
    size_t output_count;
    struct lith_journal_input *inputs;
    size_t input_count;
};

/* What the names of a partition's journals begin with, "_" included; in the arena. A path whose
 * encoding is too long for a name is there as "@" and its hash. */
LITH_MUST_CHECK enum lith_code lith_journal_stem(const char *partition, struct lith_arena *arena,
                                                 const char **ret_stem, struct lith_err *err);

/* The whole name. */
LITH_MUST_CHECK enum lith_code lith_journal_name(const char *partition, const char *job_id,
                                                 struct lith_arena *arena, const char **ret_name,
                                                 struct lith_err *err);

/* True when `name` is that of a journal of whatever partition; the length of its stem. */
bool lith_journal_name_parse(const char *name, size_t *ret_stem_bytes);

/* The partition that such a name speaks of; NULL where it has a hash in place of the path, or is
 * not encoded as lith_journal_stem does it. */
LITH_MUST_CHECK enum lith_code lith_journal_name_partition(const char *name,
                                                           struct lith_arena *arena,
                                                           const char **ret_partition,
                                                           struct lith_err *err);

/* The JSON text. UNSUPPORTED for a path or name that is not UTF-8; LIMIT by the buffer. */
LITH_MUST_CHECK enum lith_code lith_journal_write(const struct lith_journal *journal,
                                                  struct lith_buf *to, struct lith_err *err);

/*
 * Parses what was read under `name` in the folder of `tier`; texts go to the arena. CORRUPT names
 * the field and what it broke: also where the text is not about the partition and the job of the
 * name. UNSUPPORTED: a newer format.
 */
LITH_MUST_CHECK enum lith_code lith_journal_parse(const void *data, size_t bytes, const char *tier,
                                                  const char *name, struct lith_arena *arena,
                                                  struct lith_journal *ret_journal,
                                                  struct lith_err *err);

#endif
