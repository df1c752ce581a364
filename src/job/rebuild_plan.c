/*
 * Planning a manifest anew from what outputs say of themselves.
 *
 * Lists of inputs are claims, and rows decide: what is taken for replaced is read, and found in
 * what replaced it. Where two readings of what is there are possible nothing is done, and both are
 * named.
 */
#include "job/rebuild_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lake/output_name.h"

struct rebuilding {
    const struct lith_lineage *lineage;
    struct lith_row_judge *judge;
    struct lith_arena *arena;
    bool *ours;    /* outputs of this partition, that are there */
    bool *settled; /* of them */
    bool *out;     /* replaced: the rows are in what is live */
    bool *marks;   /* scratch, as are those below */
    bool *others;
    size_t *listers; /* how many other files that are there list it, but for settled outputs */
    size_t *stack;
    size_t *part;
    size_t *whole;
    struct lith_rebuild_plan plan;
};

static const struct lith_kin *kin_of(const struct rebuilding *r, size_t i)
{
    return &r->lineage->files[i];
}

static enum lith_code refuse(struct rebuilding *r, struct lith_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum lith_code refuse(struct rebuilding *r, struct lith_err *err, const char *format, ...)
{
    char *text;
    va_list list;

    va_start(list, format);
    enum lith_code code = lith_arena_format_list(r->arena, &text, err, format, list);
    va_end(list);
    if (code == LITH_OK)
        r->plan.refusal = text;
    return code;
}

/* Takes part in r->listers, or no longer: what a file that is there lists. */
static void listers_count(struct rebuilding *r, size_t i, bool settled)
{
    const struct lith_kin *kin = kin_of(r, i);

    for (size_t n = 0; kin->object && n < kin->input_count; n++) {
        if (kin->inputs[n] == i)
            continue;
        if (settled)
            r->listers[kin->inputs[n]]--;
        else
            r->listers[kin->inputs[n]]++;
    }
}

/* An output under the name that it was given: elsewhere, or under another name, it is data. */
static bool is_named_output(const struct lith_kin *kin, struct lith_output_name *parts)
{
    return kin->object && kin->is_output && lith_output_name_parse(kin->name, parts) &&
           strcmp(parts->pid, kin->pid) == 0;
}

/* Does it list something that is there, or that another file lists, too? Or files of partitions
 * below, of which nobody here knows? */
static bool is_entangled(const struct rebuilding *r, size_t i)
{
    const struct lith_kin *kin = kin_of(r, i);

    for (size_t n = 0; n < kin->input_count; n++) {
        size_t input = kin->inputs[n];
        if (input != i && (kin_of(r, input)->object || r->listers[input] > 1 ||
                           strchr(kin_of(r, input)->name, '/')))
            return true;
    }
    return false;
}

/* The partition's id is that of the outputs that say something of other files here. */
static enum lith_code pid_find(struct rebuilding *r, struct lith_err *err)
{
    struct lith_output_name parts;
    size_t first = LITH_NO_KIN;

    for (size_t i = 0; i < r->lineage->count; i++) {
        const struct lith_kin *kin = kin_of(r, i);
        if (!kin->object || !kin->is_output || !is_entangled(r, i))
            continue;
        if (!is_named_output(kin, &parts))
            return refuse(r, err,
                          "%s says that it is an output of Lithify, and bears another name; files "
                          "that it was made of, or other outputs of them, are here too",
                          kin->name);
        if (first != LITH_NO_KIN && strcmp(kin_of(r, first)->pid, kin->pid) != 0)
            return refuse(r, err, "%s and %s are outputs of two partitions", kin_of(r, first)->name,
                          kin->name);
        if (first == LITH_NO_KIN)
            first = i;
    }
    r->plan.pid = first == LITH_NO_KIN ? NULL : kin_of(r, first)->pid;
    return LITH_OK;
}

/* What is there must say all that it has to say. */
static enum lith_code readable_check(struct rebuilding *r, struct lith_err *err)
{
    struct lith_output_name parts;

    for (size_t i = 0; i < r->lineage->count && !r->plan.refusal; i++) {
        const struct lith_kin *kin = kin_of(r, i);
        if (kin->blocked && (r->listers[i] || lith_output_name_parse(kin->name, &parts)))
            LITH_TRY(refuse(r, err, "which rows %s holds cannot be read: %.400s", kin->name,
                            kin->blocked));
    }
    return LITH_OK;
}

/* What was rolled up waits for the manifest that was lost, or does not. */
static enum lith_code below_check(struct rebuilding *r, struct lith_err *err)
{
    for (size_t i = 0; i < r->lineage->count; i++) {
        const struct lith_kin *kin = kin_of(r, i);
        for (size_t n = 0; kin->object && n < kin->input_count; n++) {
            if (strchr(kin_of(r, kin->inputs[n])->name, '/'))
                return refuse(r, err,
                              "%s was rolled up from partitions below, and nobody knows which of "
                              "them still wait for that",
                              kin->name);
        }
    }
    return LITH_OK;
}

/* Marks what one file was made of, and itself. */
static void mark_alone(struct rebuilding *r, size_t i, bool *marks)
{
    for (size_t k = 0; k < r->lineage->count; k++)
        marks[k] = false;
    lith_lineage_mark(r->lineage, i, marks, r->stack);
}

/* Each output of a job lists what it has rows of; the job's id is that of every repeat, too. */
static bool is_of_same_job(const struct rebuilding *r, size_t a, size_t b)
{
    return *kin_of(r, a)->job && strcmp(kin_of(r, a)->job, kin_of(r, b)->job) == 0;
}

/* The outputs of the job of output `i`, in r->whole. *ret_out: how many were replaced. */
static size_t job_list(struct rebuilding *r, size_t i, size_t *ret_out)
{
    size_t count = 0;

    *ret_out = 0;
    for (size_t k = 0; k < r->lineage->count; k++) {
        if (!r->ours[k] || (k != i && !is_of_same_job(r, i, k)))
            continue;
        r->whole[count++] = k;
        *ret_out += r->out[k];
    }
    return count;
}

/* The inputs of the outputs in r->whole that are there, in r->part; *ret_all: they all are. */
static size_t inputs_list(struct rebuilding *r, size_t job_count, bool *ret_all)
{
    size_t count = 0;

    *ret_all = true;
    for (size_t k = 0; k < r->lineage->count; k++)
        r->marks[k] = false;
    for (size_t i = 0; i < job_count; i++) {
        const struct lith_kin *kin = kin_of(r, r->whole[i]);
        for (size_t n = 0; n < kin->input_count; n++) {
            size_t input = kin->inputs[n];
            *ret_all = *ret_all && kin_of(r, input)->object;
            if (kin_of(r, input)->object && !r->marks[input])
                r->part[count++] = input;
            r->marks[input] = true;
        }
    }
    return count;
}

static uint64_t rows_sum(const struct rebuilding *r, const size_t *kins, size_t count)
{
    uint64_t rows = 0; /* modulo 2^64: a claim */

    for (size_t i = 0; i < count; i++)
        rows += kin_of(r, kins[i])->rows;
    return rows;
}

/* Names an input whose rows are not all in the outputs that list it. */
static enum lith_code input_refuse(struct rebuilding *r, size_t job_count, size_t input_count,
                                   struct lith_err *err)
{
    size_t culprit = r->part[0];

    for (size_t n = 0; n < input_count; n++) {
        bool holds = false;
        LITH_TRY(r->judge->holds(r->judge, &r->part[n], 1, r->whole, job_count, &holds, err));
        if (holds)
            continue;
        culprit = r->part[n];
        break;
    }
    return refuse(r, err, "the rows of %s are not all in %s%s, made of it",
                  kin_of(r, culprit)->name, kin_of(r, r->whole[0])->name,
                  job_count > 1 ? " and others" : "");
}

/* All that a job read is there, and not all of it in its outputs: it was cut off, or made twice.
 * Each output is among its inputs, and goes. */
static enum lith_code outputs_give_way(struct rebuilding *r, size_t job_count, size_t input_count,
                                       struct lith_err *err)
{
    for (size_t n = 0; n < job_count; n++) {
        bool holds = false;
        LITH_TRY(r->judge->holds(r->judge, &r->whole[n], 1, r->part, input_count, &holds, err));
        if (!holds)
            return input_refuse(r, job_count, input_count, err);
    }
    for (size_t n = 0; n < job_count; n++)
        r->out[r->whole[n]] = true;
    return LITH_OK;
}

/* Several outputs of one job, not all of whose inputs are there: parts of it, or the same twice? */
static enum lith_code parts_check(struct rebuilding *r, size_t job_count, struct lith_err *err)
{
    for (size_t a = 0; a < job_count; a++) {
        for (size_t b = 0; b < job_count; b++) {
            bool holds = false;
            if (a == b)
                continue;
            LITH_TRY(r->judge->holds(r->judge, &r->whole[a], 1, &r->whole[b], 1, &holds, err));
            if (holds)
                return refuse(r, err,
                              "%s and %s were made of the same files, and may be one output made "
                              "twice",
                              kin_of(r, r->whole[a])->name, kin_of(r, r->whole[b])->name);
        }
    }
    return LITH_OK;
}

/* The outputs of one job, and what is there of what they were made of. */
static enum lith_code job_settle(struct rebuilding *r, size_t i, struct lith_err *err)
{
    bool has_all = false;
    bool holds = true;
    size_t out_count = 0;
    size_t job_count = job_list(r, i, &out_count);
    size_t input_count = inputs_list(r, job_count, &has_all);

    for (size_t n = 0; n < job_count; n++) {
        r->settled[r->whole[n]] = true;
        listers_count(r, r->whole[n], true);
    }
    if (input_count)
        LITH_TRY(r->judge->holds(r->judge, r->part, input_count, r->whole, job_count, &holds, err));
    bool adds_up = rows_sum(r, r->part, input_count) == rows_sum(r, r->whole, job_count);
    if (has_all && input_count && out_count == 0 && !(holds && adds_up))
        return outputs_give_way(r, job_count, input_count, err);
    if (job_count > 1 && !(has_all && adds_up))
        LITH_TRY(parts_check(r, job_count, err));
    if (r->plan.refusal)
        return LITH_OK;
    if (!holds)
        return input_refuse(r, job_count, input_count, err);
    for (size_t n = 0; n < input_count; n++)
        r->out[r->part[n]] = true;
    return LITH_OK;
}

/* May its job be settled: are all those that list an output of it? */
static bool is_next(const struct rebuilding *r, size_t i)
{
    for (size_t k = 0; k < r->lineage->count; k++) {
        bool is_of_job = r->ours[k] && (k == i || is_of_same_job(r, i, k));
        if (is_of_job && r->listers[k])
            return false;
    }
    return true;
}

/* From the last outputs down to what the first ones were made of. */
static enum lith_code jobs_settle(struct rebuilding *r, struct lith_err *err)
{
    bool changed = true;
    const char *left = NULL;

    while (changed && !r->plan.refusal) {
        changed = false;
        left = NULL;
        for (size_t i = 0; i < r->lineage->count && !r->plan.refusal; i++) {
            if (!r->ours[i] || r->settled[i])
                continue;
            left = kin_of(r, i)->name;
            if (!is_next(r, i))
                continue;
            LITH_TRY(job_settle(r, i, err));
            changed = true;
        }
    }
    if (left && !r->plan.refusal)
        return refuse(r, err, "%s says that it was made of itself", left);
    return LITH_OK;
}

static bool is_live(const struct rebuilding *r, size_t i)
{
    return kin_of(r, i)->object && !r->out[i];
}

/* Of two live files that were made of the same, one must have all that the other has. r->marks are
 * those of `a`, an output of ours. */
static enum lith_code pair_settle(struct rebuilding *r, size_t a, size_t b, struct lith_err *err)
{
    bool shares = false;
    bool first_in = true;
    bool second_in = true;
    bool holds = false;

    mark_alone(r, b, r->others);
    for (size_t k = 0; k < r->lineage->count; k++) {
        shares = shares || (r->marks[k] && r->others[k]);
        first_in = first_in && (!r->marks[k] || r->others[k] || k == a);
        second_in = second_in && (!r->others[k] || r->marks[k] || k == b);
    }
    if (!shares)
        return LITH_OK;
    if (first_in)
        LITH_TRY(r->judge->holds(r->judge, &a, 1, &b, 1, &holds, err));
    r->out[a] = holds;
    if (!holds && second_in) {
        LITH_TRY(r->judge->holds(r->judge, &b, 1, &a, 1, &holds, err));
        r->out[b] = holds;
    }
    return holds ? LITH_OK
                 : refuse(r, err, "%s and %s hold rows of the same files, and neither holds all",
                          kin_of(r, a)->name, kin_of(r, b)->name);
}

static enum lith_code pairs_settle(struct rebuilding *r, struct lith_err *err)
{
    for (size_t a = 0; a < r->lineage->count; a++) {
        if (!r->ours[a] || !is_live(r, a))
            continue;
        mark_alone(r, a, r->marks);
        for (size_t b = 0; b < r->lineage->count && is_live(r, a); b++) {
            bool is_pair = b != a && is_live(r, b) && (kin_of(r, b)->is_output || r->marks[b]);
            if (!is_pair || (r->ours[b] && is_of_same_job(r, a, b)))
                continue;
            LITH_TRY(pair_settle(r, a, b, err));
            if (r->plan.refusal)
                return LITH_OK;
        }
    }
    return LITH_OK;
}

/* Was it made of an output that is not there? Then nobody knows all that it was made of. */
static bool is_broken(const struct rebuilding *r, size_t i)
{
    const struct lith_kin *kin = kin_of(r, i);
    struct lith_output_name parts;

    for (size_t n = 0; n < kin->input_count; n++) {
        const struct lith_kin *input = kin_of(r, kin->inputs[n]);
        if (!input->object && lith_output_name_parse(input->name, &parts))
            return true;
    }
    return false;
}

/* What would be live must not be in an output through one that nobody can ask. */
static enum lith_code broken_check(struct rebuilding *r, struct lith_err *err)
{
    for (size_t i = 0; i < r->lineage->count; i++) {
        if (!r->ours[i] || !is_broken(r, i))
            continue;
        for (size_t k = 0; k < r->lineage->count; k++) {
            const struct lith_kin *kin = kin_of(r, k);
            bool holds = false;
            if (k == i || !is_live(r, k) || kin->blocked || kin->rows == 0 ||
                (r->ours[k] && is_of_same_job(r, i, k)))
                continue;
            LITH_TRY(r->judge->holds(r->judge, &k, 1, &i, 1, &holds, err));
            if (holds)
                return refuse(r, err,
                              "the rows of %s are in %s, too, not all of whose making is known",
                              kin->name, kin_of(r, i)->name);
        }
    }
    return LITH_OK;
}

static enum lith_code rebuilding_init(struct rebuilding *r, struct lith_err *err)
{
    bool **bools[] = {&r->ours, &r->settled, &r->out, &r->marks, &r->others};
    size_t **lists_of[] = {&r->listers, &r->stack,     &r->part,
                           &r->whole,   &r->plan.live, &r->plan.out};
    void *block;

    for (size_t i = 0; i < sizeof(bools) / sizeof(bools[0]); i++) {
        LITH_TRY(lith_arena_array(r->arena, r->lineage->count, sizeof(bool), &block, err));
        *bools[i] = block;
    }
    for (size_t i = 0; i < sizeof(lists_of) / sizeof(lists_of[0]); i++) {
        LITH_TRY(lith_arena_array(r->arena, r->lineage->count, sizeof(size_t), &block, err));
        *lists_of[i] = block;
    }
    for (size_t i = 0; i < r->lineage->count; i++)
        listers_count(r, i, false);
    return LITH_OK;
}

static enum lith_code settle(struct rebuilding *r, struct lith_err *err)
{
    struct lith_output_name parts;

    LITH_TRY(below_check(r, err));
    for (size_t i = 0; i < r->lineage->count; i++)
        r->ours[i] =
            is_named_output(kin_of(r, i), &parts) && strcmp(kin_of(r, i)->pid, r->plan.pid) == 0;
    if (!r->plan.refusal)
        LITH_TRY(jobs_settle(r, err));
    if (!r->plan.refusal)
        LITH_TRY(pairs_settle(r, err));
    return r->plan.refusal ? LITH_OK : broken_check(r, err);
}

enum lith_code lith_rebuild_plan_make(const struct lith_lineage *lineage,
                                      struct lith_row_judge *judge, struct lith_arena *arena,
                                      struct lith_rebuild_plan *ret_plan, struct lith_err *err)
{
    struct rebuilding r = {.lineage = lineage, .judge = judge, .arena = arena};

    LITH_TRY(rebuilding_init(&r, err));
    LITH_TRY(readable_check(&r, err));
    if (!r.plan.refusal)
        LITH_TRY(pid_find(&r, err));
    if (r.plan.pid && !r.plan.refusal)
        LITH_TRY(settle(&r, err));
    for (size_t i = 0; i < lineage->count; i++) {
        if (r.out[i])
            r.plan.out[r.plan.out_count++] = i;
        else if (lineage->files[i].object)
            r.plan.live[r.plan.live_count++] = i;
    }
    *ret_plan = r.plan;
    return LITH_OK;
}
