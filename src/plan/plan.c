/*
 * The planner of one partition. DESIGN.md section 6, rules 1 to 3.
 *
 * The ladder: files in ascending order of size; the job takes a run from the smallest on whose last
 * file finds those before it together at least as large (after settle, once per input set: a
 * quarter as large), and whose outputs are each at least twice (1.25 times) the last file, or
 * final (target_file or more); of such runs the one that removes most files. So whatever is
 * rewritten ends in a file that is larger by that factor, or is never read again: a byte is
 * rewritten O(log n) times, and one tiny file cannot keep larger ones apart.
 */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/time.h"

uint64_t lith_plan_output_count(uint64_t bytes, uint64_t target_file_bytes)
{
    uint64_t whole = bytes / target_file_bytes;
    uint64_t rest = bytes % target_file_bytes;

    /* Halves round up; written so that nothing overflows. */
    return lith_max_u64(1, whole + (rest >= target_file_bytes - rest));
}

/* A file that may join, while the ladder is climbed. */
struct candidate {
    struct lith_plan_file *file;
    const char *name;
    uint64_t size;
    uint64_t schema_set;
    uint32_t lacks;
};

/* The run that a ladder found. */
struct run {
    size_t count; /* candidates from the smallest on; 0: none */
    uint64_t bytes;
    uint64_t outputs;
    uint64_t schema_set;
    bool cut;         /* more would join, but for max_inputs */
    bool is_refused;  /* there would be one, but for what all of its files lack */
    bool others_wait; /* other sets have a run, too */
};

struct planning {
    const struct lith_plan_request *request;
    struct lith_arena *arena;  /* of the plan */
    struct lith_arena scratch; /* of what follows; ends with the planning */
    struct lith_plan plan;
    const struct lith_plan_file *misplaced; /* the first one, or NULL */
    struct candidate *candidates;           /* ascending by size */
    size_t candidate_count;
    struct candidate **members; /* of the schema set being looked at */
    uint64_t *sets;             /* the schema sets of all candidates, ascending */
    /* Of the sets from 2 on: why they do not join, as far as it is known. */
    const char *const *conflicts;
    size_t conflict_count;
    const char *const *refusals; /* as in the request */
    size_t refusal_count;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *left = a;
    const struct candidate *right = b;

    if (left->size != right->size)
        return left->size < right->size ? -1 : 1;
    return strcmp(left->name, right->name);
}

static int compare_facts(const void *a, const void *b)
{
    return strcmp(((const struct lith_file_facts *)a)->name,
                  ((const struct lith_file_facts *)b)->name);
}

static const struct lith_file_facts *facts_find(const struct lith_plan_request *request,
                                                const char *name)
{
    const struct lith_file_facts key = {.name = name};

    return request->fact_count
               ? bsearch(&key, request->facts, request->fact_count, sizeof(key), compare_facts)
               : NULL;
}

/* Marks the files that the manifest says to have rows that do not belong, by the rules of today. */
static void misplaced_mark(struct planning *p)
{
    const struct lith_snapshot *snapshot = p->request->snapshot;
    const struct lith_manifest *m = snapshot->manifest;

    for (size_t i = 0; m && i < m->misplaced_count; i++) {
        const struct lith_misplaced *note = &m->misplaced[i];
        const struct lith_snapshot_file *file = lith_snapshot_find(snapshot, note->name);
        if (!file || !file->live || !file->object || strcmp(file->object->etag, note->etag) != 0 ||
            strcmp(note->rules, p->request->rules_hash) != 0)
            continue;
        p->plan.files[file - snapshot->files].detail = note->reason;
    }
}

/* The reason of one file by itself; MERGE when it may join. *detail: why it is misplaced, as the
 * manifest says, or NULL; then more words. */
static enum lith_file_reason file_judge(const struct lith_plan_request *request,
                                        const struct lith_snapshot_file *file,
                                        const struct lith_file_facts *facts, const char **detail)
{
    const char *misplaced = facts && facts->misplaced ? facts->misplaced : *detail;

    *detail = NULL;
    if (!file->live || !file->object) {
        *detail = lith_not_live_text(file);
        return LITH_WHY_NOT_LIVE;
    }
    if (file->object->is_link)
        return LITH_WHY_LINK;
    if (file->differs)
        return LITH_WHY_CHANGED;
    if (file->quarantine) {
        *detail = file->quarantine->reason;
        return LITH_WHY_QUARANTINE;
    }
    if (facts && facts->blocked) {
        *detail = facts->blocked;
        return LITH_WHY_BLOCKED;
    }
    if (file->object->size >= request->policy->target_file_bytes)
        return LITH_WHY_LARGE; /* it is not written again */
    *detail = misplaced;
    return misplaced ? LITH_WHY_MISPLACED : LITH_WHY_MERGE;
}

/* Was the outcome in the manifest come to by this policy and writer? */
static bool outcome_is_ours(const struct lith_plan_request *request)
{
    const struct lith_manifest *m = request->snapshot->manifest;

    return m && m->has_outcome && m->outcome.writer == LITH_WRITER_VERSION &&
           strcmp(m->outcome.policy_hash, request->policy_hash) == 0;
}

/* Does the manifest say of every candidate which set it is of, and do the facts not? */
static bool sets_are_noted(const struct planning *p)
{
    const struct lith_manifest *m = p->request->snapshot->manifest;
    bool are_known = true;

    if (!m || !m->has_outcome || m->outcome.writer != LITH_WRITER_VERSION ||
        strcmp(m->outcome.sets_hash, p->request->sets_hash) != 0)
        return false;
    size_t set_count = m->outcome.conflict_count + 1;
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct lith_snapshot_file *file = p->candidates[i].file->file;
        if (file->state != LITH_FILE_LIVE || file->entry->set == 0 || file->entry->set > set_count)
            return false;
        are_known = are_known && p->candidates[i].schema_set != 0;
    }
    return (set_count > 1 || m->outcome.refusal_count > 0) && !are_known;
}

static int compare_sets(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* Why no files of a set can be merged, or NULL. */
static const char *refusal_of(const struct planning *p, uint64_t set)
{
    return set >= 1 && set - 1 < p->refusal_count ? p->refusals[set - 1] : NULL;
}

/* Takes the word of the manifest where it is needed; then orders the sets. */
static enum lith_code sets_take(struct planning *p, struct lith_err *err)
{
    const struct lith_plan_request *request = p->request;
    bool noted = sets_are_noted(p);
    const struct lith_outcome *outcome = noted ? &request->snapshot->manifest->outcome : NULL;
    void *block;

    p->conflicts = noted ? outcome->conflicts : request->conflicts;
    p->conflict_count = noted ? outcome->conflict_count : request->conflict_count;
    p->refusals = noted ? outcome->refusals : request->refusals;
    p->refusal_count = noted ? outcome->refusal_count : request->refusal_count;
    LITH_TRY(lith_arena_array(&p->scratch, p->candidate_count, sizeof(*p->sets), &block, err));
    p->sets = block;
    for (size_t i = 0; i < p->candidate_count; i++) {
        struct candidate *candidate = &p->candidates[i];
        if (noted)
            candidate->schema_set = candidate->file->file->entry->set;
        if (refusal_of(p, candidate->schema_set))
            candidate->lacks = UINT32_MAX;
        p->sets[i] = candidate->schema_set;
    }
    if (p->candidate_count)
        qsort(p->sets, p->candidate_count, sizeof(*p->sets), compare_sets);
    return LITH_OK;
}

/* Why a set does not join an earlier one, or NULL. */
static const char *conflict_of(const struct planning *p, uint64_t set)
{
    return set >= 2 && set - 2 < p->conflict_count ? p->conflicts[set - 2] : NULL;
}

/* Lists why the candidates' sets do not join; those of the first set are what others do not join.
 */
static enum lith_code conflicts_list(struct planning *p, struct lith_err *err)
{
    size_t first = 0;
    void *block;

    while (first < p->candidate_count && p->sets[first] == 0)
        first++;
    LITH_TRY(lith_arena_array(p->arena, lith_min_size(p->conflict_count, p->candidate_count),
                              sizeof(char *), &block, err));
    p->plan.conflicts = block;
    for (size_t i = first + 1; i < p->candidate_count; i++) {
        const char *conflict = conflict_of(p, p->sets[i]);
        if (conflict && p->sets[i] != p->sets[i - 1])
            p->plan.conflicts[p->plan.conflict_count++] = conflict;
    }
    return LITH_OK;
}

static enum lith_code files_judge(struct planning *p, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = p->request->snapshot;
    void *blocks[3] = {0};

    LITH_TRY(
        lith_arena_array(p->arena, snapshot->file_count, sizeof(*p->plan.files), &blocks[0], err));
    LITH_TRY(lith_arena_array(&p->scratch, snapshot->file_count, sizeof(*p->candidates), &blocks[1],
                              err));
    LITH_TRY(
        lith_arena_array(&p->scratch, snapshot->file_count, sizeof(*p->members), &blocks[2], err));
    p->plan.files = blocks[0];
    p->plan.file_count = snapshot->file_count;
    p->candidates = blocks[1];
    p->members = blocks[2];
    for (size_t i = 0; i < snapshot->file_count; i++)
        p->plan.files[i].file = &snapshot->files[i];
    misplaced_mark(p);
    for (size_t i = 0; i < snapshot->file_count; i++) {
        struct lith_plan_file *file = &p->plan.files[i];
        const struct lith_file_facts *facts = facts_find(p->request, file->file->name);
        file->reason = file_judge(p->request, file->file, facts, &file->detail);
        if (file->reason == LITH_WHY_MISPLACED && !p->misplaced)
            p->misplaced = file;
        if (file->reason != LITH_WHY_MERGE)
            continue;
        p->candidates[p->candidate_count++] =
            (struct candidate){.file = file,
                               .name = file->file->name,
                               .size = file->file->object->size,
                               .schema_set = facts ? facts->schema_set : 0,
                               .lacks = facts ? facts->lacks : 0};
    }
    if (p->candidate_count)
        qsort(p->candidates, p->candidate_count, sizeof(*p->candidates), compare_candidates);
    LITH_TRY(sets_take(p, err));
    return conflicts_list(p, err);
}

/* Would a run that ends with a file of `last` bytes, after `before` bytes, be worth it? */
static bool run_pays(const struct lith_policy *policy, uint64_t before, uint64_t last,
                     uint64_t outputs, size_t count, bool quarter)
{
    uint64_t each = (before + last) / outputs;
    uint64_t share = quarter ? last / 4 : last; /* what must come to it */

    return count > outputs && before >= share &&
           (each >= policy->target_file_bytes || each >= last + share);
}

static uint64_t run_gain(const struct run *run)
{
    return run->count ? run->count - run->outputs : 0;
}

/* The run that removes most files among `count` members in ascending order, of equal ones the
 * shortest. What all files of a run lack nobody can give its outputs. */
static struct run ladder_climb(const struct lith_policy *policy, struct candidate *const *members,
                               size_t count, bool quarter)
{
    struct run best = {0};
    uint64_t before = 0;
    uint32_t lacks = UINT32_MAX;

    for (size_t i = 0; i < count; i++) {
        uint64_t last = members[i]->size;
        struct run run = {.count = i + 1};
        if (!lith_add_u64(before, last, &run.bytes))
            break;
        run.outputs = lith_plan_output_count(run.bytes, policy->target_file_bytes);
        bool pays = run_pays(policy, before, last, run.outputs, i + 1, quarter);
        before = run.bytes;
        lacks &= members[i]->lacks;
        if (!pays || run_gain(&run) <= run_gain(&best))
            continue;
        if (lacks)
            best.is_refused = true;
        else if (i >= policy->max_inputs)
            best.cut = best.count > 0;
        else
            best = run;
    }
    return best;
}

/* The candidates of one schema set unless it is refused, and those that join with any, in order. */
static size_t members_choose(struct planning *p, uint64_t schema_set)
{
    bool is_refused = refusal_of(p, schema_set) != NULL;
    size_t count = 0;

    for (size_t i = 0; i < p->candidate_count; i++) {
        uint64_t set = p->candidates[i].schema_set;
        if (set == 0 || (set == schema_set && !is_refused))
            p->members[count++] = &p->candidates[i];
    }
    return count;
}

/* The best run over all schema sets; ties go to the smaller number. */
static struct run run_choose(struct planning *p, bool quarter)
{
    const uint64_t *sets = p->sets;
    struct run best = {0};
    size_t run_count = 0;

    for (size_t i = 0; i < p->candidate_count; i++) {
        bool again = i > 0 && sets[i] == sets[i - 1];
        bool any = sets[i] == 0 && sets[p->candidate_count - 1] != 0;
        if (again || any)
            continue;
        size_t count = members_choose(p, sets[i]);
        struct run run = ladder_climb(p->request->policy, p->members, count, quarter);
        run.schema_set = sets[i];
        run_count += run.count > 0;
        if (!best.count || run_gain(&run) > run_gain(&best))
            best = run;
    }
    best.others_wait = run_count > 1;
    return best;
}

static int compare_inputs(const void *a, const void *b)
{
    return strcmp((*(const struct lith_snapshot_file *const *)a)->name,
                  (*(const struct lith_snapshot_file *const *)b)->name);
}

/* Of files that would be merged alone. */
static const char lacking_text[] =
    "a column of sort_by is in none of those that are small enough to be merged";

/* What keeps a candidate from those of other sets. */
static const char *schema_detail(const struct planning *p, uint64_t set)
{
    const char *conflict = conflict_of(p, set);

    return conflict ? conflict : p->plan.conflicts[0];
}

/* Writes the reasons of the candidates and, when due, the inputs. */
static enum lith_code run_apply(struct planning *p, const struct run *run, bool due,
                                struct lith_err *err)
{
    size_t count = members_choose(p, run->schema_set);
    void *block = NULL;

    for (size_t i = 0; i < p->candidate_count; i++) {
        struct candidate *candidate = &p->candidates[i];
        candidate->file->reason = run->count ? LITH_WHY_SCHEMA : LITH_WHY_LADDER;
        if (p->plan.conflict_count)
            candidate->file->detail = schema_detail(p, candidate->schema_set);
    }
    for (size_t i = 0; i < count; i++) {
        enum lith_file_reason joins = due ? LITH_WHY_MERGE : LITH_WHY_LEFT_ALONE;
        enum lith_file_reason waits = run->cut ? LITH_WHY_MAX_INPUTS : LITH_WHY_LADDER;
        p->members[i]->file->reason = i < run->count ? joins : waits;
        if (run->count)
            p->members[i]->file->detail = NULL; /* its set is the one of the plan */
    }
    if (!due)
        return LITH_OK;
    LITH_TRY(lith_arena_array(p->arena, run->count, sizeof(*p->plan.inputs), &block, err));
    p->plan.inputs = block;
    for (size_t i = 0; i < run->count; i++)
        p->plan.inputs[i] = p->members[i]->file->file;
    if (run->count)
        qsort(p->plan.inputs, run->count, sizeof(*p->plan.inputs), compare_inputs);
    p->plan.input_count = run->count;
    p->plan.input_bytes = run->bytes;
    p->plan.output_count = run->outputs;
    p->plan.gain = run_gain(run);
    return LITH_OK;
}

/* Gives those candidates of a set that lack something their reason, where they would be merged but
 * for that. */
static void set_refuse(struct planning *p, uint64_t set, bool quarter)
{
    const char *refusal = refusal_of(p, set);
    uint32_t lacks = 0;
    size_t count = 0;

    for (size_t i = 0; i < p->candidate_count; i++) {
        if (p->candidates[i].schema_set != set)
            continue;
        p->members[count++] = &p->candidates[i];
        lacks |= p->candidates[i].lacks;
    }
    if (!lacks)
        return;
    struct run run = ladder_climb(p->request->policy, p->members, count, quarter);
    for (size_t i = 0; !run.count && run.is_refused && i < count; i++) {
        if (!p->members[i]->lacks)
            continue;
        p->members[i]->file->reason = LITH_WHY_REFUSED;
        p->members[i]->file->detail = refusal ? refusal : lacking_text;
    }
}

/* All sets but the one whose files are in the run. */
static void sets_refuse(struct planning *p, const struct run *run, bool quarter)
{
    for (size_t i = 0; i < p->candidate_count; i++) {
        bool again = i > 0 && p->sets[i] == p->sets[i - 1];
        bool merged = run->count > 0 && p->sets[i] == run->schema_set && !refusal_of(p, p->sets[i]);
        if (p->sets[i] != 0 && !again && !merged)
            set_refuse(p, p->sets[i], quarter);
    }
}

/* From when on the partition counts as quiet: its newest file that is not an output; where there
 * are only outputs, the last commit that brought rows in. */
static int64_t quiet_since(const struct lith_snapshot *snapshot)
{
    const struct lith_manifest *m = snapshot->manifest;

    if (snapshot->newest_ns != INT64_MIN || !m)
        return snapshot->newest_ns;
    for (size_t i = m->log_count; i > 0; i--) {
        enum lith_op op = m->log[i - 1].op;
        if (op == LITH_OP_ADOPT || op == LITH_OP_FOLD || op == LITH_OP_COMPACT ||
            op == LITH_OP_ROLLBACK)
            return m->log[i - 1].at_ns;
    }
    return m->committed_at_ns;
}

static int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum = 0;

    return lith_add_i64(a, b, &sum) ? sum : INT64_MAX;
}

/* Is the outcome in the manifest that of the present live set, policy and writer? */
static enum lith_code outcome_matches(struct planning *p, bool *ret_matches, struct lith_err *err)
{
    const struct lith_snapshot *snapshot = p->request->snapshot;
    const struct lith_manifest *m = snapshot->manifest;
    LITH_AUTO(arena) struct lith_arena scratch;
    void *block = NULL;
    size_t count = 0;
    char hash[33];

    lith_arena_init(&scratch, p->arena->mem);
    *ret_matches = false;
    if (!outcome_is_ours(p->request))
        return LITH_OK;
    LITH_TRY(
        lith_arena_array(&scratch, snapshot->live_count, sizeof(struct lith_entry), &block, err));
    struct lith_entry *live = block;
    for (size_t i = 0; i < snapshot->file_count; i++) {
        const struct lith_snapshot_file *file = &snapshot->files[i];
        if (file->live && file->object)
            live[count++] = (struct lith_entry){.name = file->name, .size = file->object->size};
    }
    LITH_TRY(lith_live_hash(live, count, p->arena->mem, hash, err));
    *ret_matches = strcmp(hash, m->outcome.live_hash) == 0;
    return LITH_OK;
}

static enum lith_code misplaced_detail(struct planning *p, struct lith_err *err)
{
    char *detail;

    LITH_TRY(lith_arena_format(p->arena, &detail, err,
                               "%s: %s; move such rows to their path (path_check_skip leaves "
                               "the column of a key out)",
                               p->misplaced->file->name, p->misplaced->detail));
    p->plan.detail = detail;
    return LITH_OK;
}

/* Blocked by what it is, or by what is in it. */
static enum lith_code part_blocked(struct planning *p, bool *ret_blocked, struct lith_err *err)
{
    const struct lith_plan_request *request = p->request;
    const struct lith_snapshot *snapshot = request->snapshot;
    char *detail = NULL;

    *ret_blocked = true;
    if (request->table_format) {
        p->plan.reason = LITH_PART_TABLE_FORMAT;
        p->plan.detail = request->table_format;
        return LITH_OK;
    }
    if (snapshot->manifest && snapshot->manifest->foreign) {
        p->plan.reason = LITH_PART_FOREIGN;
        return LITH_OK;
    }
    for (size_t i = 0; snapshot->missing_count && i < snapshot->file_count; i++) {
        if (snapshot->files[i].state != LITH_FILE_LIVE || snapshot->files[i].object)
            continue;
        LITH_TRY(lith_arena_format(p->arena, &detail, err, "%s; %zu missing in all",
                                   snapshot->files[i].name, snapshot->missing_count));
        p->plan.reason = LITH_PART_MISSING;
        p->plan.detail = detail;
        return LITH_OK;
    }
    if (p->misplaced) {
        p->plan.reason = LITH_PART_MISPLACED;
        return misplaced_detail(p, err);
    }
    *ret_blocked = false;
    return LITH_OK;
}

/* Rounded up: fractions of a second tell nobody anything. */
static void whole_second_text(int64_t ns, char ret_text[LITH_TIME_TEXT_BYTES])
{
    int64_t rest = ns % LITH_SECOND_NS;

    lith_time_text(rest > 0 ? add_saturating(ns - rest, LITH_SECOND_NS) : ns - rest, ret_text);
}

/* Said where a partition is sealed, or not, without a period: a typo in a key looks the same. */
static const char no_time[] = "no time in its path: quiet_for alone decides";

static enum lith_code part_not_sealed(struct planning *p, enum lith_seal seal, struct lith_err *err)
{
    const struct lith_plan_request *request = p->request;
    int64_t due = INT64_MIN;
    char until[LITH_TIME_TEXT_BYTES];
    char *detail = NULL;

    if (request->keys->has_period)
        due = add_saturating(request->keys->end_ns, request->policy->grace_ns);
    if (request->snapshot->newest_ns != INT64_MIN) {
        int64_t quiet = add_saturating(request->snapshot->newest_ns, request->policy->quiet_for_ns);
        due = quiet > due ? quiet : due;
    }
    whole_second_text(due, until);
    const char *what = seal == LITH_SEAL_PERIOD ? "its period and grace are not over"
                                                : "its newest file is below quiet_for";
    LITH_TRY(lith_arena_format(p->arena, &detail, err, "%s, until %s%s%s", what, until,
                               request->keys->has_period ? "" : "; ",
                               request->keys->has_period ? "" : no_time));
    p->plan.reason = LITH_PART_NOT_SEALED;
    p->plan.detail = detail;
    p->plan.due_ns = due;
    return LITH_OK;
}

/* Its period is not known, though a layout was given that was to tell it. */
static void part_misfit(struct planning *p)
{
    p->plan.reason = LITH_PART_MISFIT;
    p->plan.detail = p->request->keys->misfit;
}

static enum lith_code part_too_few(struct planning *p, const struct run *run, int64_t quiet,
                                   struct lith_err *err)
{
    char until[LITH_TIME_TEXT_BYTES];
    char *detail = NULL;

    p->plan.due_ns = add_saturating(quiet, p->request->policy->settle_ns);
    whole_second_text(p->plan.due_ns, until);
    LITH_TRY(lith_arena_format(p->arena, &detail, err,
                               "%zu, min_files is %" PRIu64 "; from %s on (settle) two are enough",
                               run->count, p->request->policy->min_files, until));
    p->plan.reason = LITH_PART_TOO_FEW;
    p->plan.detail = detail;
    return LITH_OK;
}

/* What keeps files apart explains why there is nothing more to do. */
static enum lith_code part_rests(struct planning *p, enum lith_part_reason reason,
                                 struct lith_err *err)
{
    char *detail;

    p->plan.reason = reason;
    if (p->plan.conflict_count == 0)
        return LITH_OK;
    LITH_TRY(lith_arena_format(p->arena, &detail, err, "%zu kinds of files do not join",
                               p->plan.conflict_count + 1));
    p->plan.detail = detail;
    return LITH_OK;
}

static void part_due(struct planning *p)
{
    p->plan.reason = LITH_PART_DUE;
    if (!p->request->keys->has_period)
        p->plan.detail = no_time;
}

/* Sealed and not blocked: is there a job? */
static enum lith_code part_decide(struct planning *p, struct lith_err *err)
{
    const struct lith_plan_request *request = p->request;
    const struct lith_manifest *m = request->snapshot->manifest;
    int64_t quiet = quiet_since(request->snapshot);
    bool settled = request->now_ns >= add_saturating(quiet, request->policy->settle_ns);
    bool matches = false;

    LITH_TRY(outcome_matches(p, &matches, err));
    /* A quarter is enough once; what that pass came to stands in the outcome. */
    bool quarter = settled && !(matches && m->outcome.settled);
    struct run run = run_choose(p, quarter);
    bool enough = run.count >= request->policy->min_files || (settled && run.count >= 2);
    bool stopped = matches && strcmp(m->outcome.verdict, "reduced") != 0;
    LITH_TRY(run_apply(p, &run, enough && !stopped, err));
    sets_refuse(p, &run, quarter);
    /* Each set of files that join has its turn before that is said. */
    p->plan.settled = (quarter && !run.others_wait) || (matches && m->outcome.settled);
    if (run.count && !stopped && !enough)
        return part_too_few(p, &run, quiet, err);
    if (stopped && strcmp(m->outcome.verdict, "rolled_back") == 0)
        return part_rests(p, LITH_PART_ROLLED_BACK, err);
    if (stopped || (matches && !run.count))
        return part_rests(p, LITH_PART_CONVERGED, err);
    if (!run.count)
        return part_rests(p, p->candidate_count < 2 ? LITH_PART_NOTHING : LITH_PART_NO_GAIN, err);
    part_due(p);
    return LITH_OK;
}

static enum lith_code part_plan(struct planning *p, struct lith_err *err)
{
    const struct lith_plan_request *request = p->request;
    const struct lith_policy *policy = request->policy;
    bool blocked = false;

    LITH_TRY(files_judge(p, err));
    int64_t quiet = quiet_since(request->snapshot);
    int64_t waiting = 0;
    if (quiet != INT64_MIN && !__builtin_sub_overflow(request->now_ns, quiet, &waiting))
        p->plan.waiting_ns = waiting > 0 ? waiting : 0;
    LITH_TRY(part_blocked(p, &blocked, err));
    enum lith_seal seal =
        lith_path_keys_seal(request->keys, request->snapshot->newest_ns, request->now_ns,
                            policy->grace_ns, policy->quiet_for_ns);
    bool misfit = request->keys->misfit != NULL;
    if (!blocked && !misfit && seal == LITH_SEALED)
        return part_decide(p, err);
    struct run run = run_choose(p, false);
    LITH_TRY(run_apply(p, &run, false, err));
    if (blocked)
        return LITH_OK;
    if (!misfit)
        return part_not_sealed(p, seal, err);
    part_misfit(p);
    return LITH_OK;
}

enum lith_code lith_plan_partition(const struct lith_plan_request *request,
                                   struct lith_arena *arena, struct lith_plan *ret_plan,
                                   struct lith_err *err)
{
    struct planning p = {.request = request, .arena = arena};

    lith_arena_init(&p.scratch, arena->mem);
    enum lith_code code = part_plan(&p, err);
    lith_arena_done(&p.scratch);
    if (code == LITH_OK)
        *ret_plan = p.plan;
    return code;
}
