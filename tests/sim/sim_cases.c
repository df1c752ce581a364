/*
 * The traps of the protocol: (i) to (viii), and some more.
 */
#include <stdio.h>
#include <string.h>

#include "sim_case.h"

/* (i) A job is paused before its commit while another one compacts the same files, and gc deletes
 * and cleans what that retired; then it tries again. */
static void first_job(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    enum lith_code code = sim_case_pass(actor, SIM_COMPACT);
    sim_must(actor, actor->world->stage == 2, "the first job waits for the second");
    sim_must(actor, code == LITH_E_CONFLICT, "the first job gives up");
}

static void second_job_and_gc(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "the second job compacts");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(sim_case_dir(actor->world), "a.parquet"), "gc deletes the inputs");
    sim_stage_set(actor->world, 2);
    sim_wait(actor, 10 * SIM_HOUR);
    ((struct sim_cast *)actor->ctx)->options.gc.orphan_grace_ns = SIM_ORPHAN_GRACE;
}

static enum sim_fate first_is_paused(struct sim_actor *actor, const void *op)
{
    if (sim_is_named(actor, "first") && sim_is_commit(actor, op, "compact") &&
        actor->world->stage == 0) {
        sim_stage_set(actor->world, 1);
        sim_stage_await(actor, 2);
    }
    return SIM_FATE_DONE;
}

static void case_paused(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    cast->options.gc.orphan_grace_ns = 1000 * SIM_HOUR; /* the output of the first one stays */
    (void)sim_cast_add(world, cast, "first", first_job);
    (void)sim_cast_add(world, cast, "second", second_job_and_gc);
}

/* The same with files that came late, into a partition that was compacted before. */
static void first_job_of_late_files(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    sim_stage_set(actor->world, 2); /* this one does not wait */
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_files_write(sim_case_dir(actor->world), "efgh");
    sim_stage_set(actor->world, 0);
    first_job(actor);
}

static void second_job_of_late_files(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    while (actor->world->stage != 1)
        sim_wait(actor, SIM_MINUTE);
    second_job_and_gc(actor);
    sim_must(actor, !sim_dir_get(sim_case_dir(actor->world), "h.parquet"),
             "gc deletes the late files");
}

static void case_paused_late(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    cast->options.gc.orphan_grace_ns = 1000 * SIM_HOUR; /* the output of the first one stays */
    (void)sim_cast_add(world, cast, "first", first_job_of_late_files);
    (void)sim_cast_add(world, cast, "second", second_job_of_late_files);
}

/* (ii) An output lands twice, the second time after gc has condemned, deleted and forgotten it; the
 * delete lands twice too, the second time last of all, after the job has tried its commit again. */
static void job_of_a_resent_output(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    (void)sim_case_pass(actor, SIM_COMPACT);
    sim_must(actor, actor->world->stage == 2, "the job waits for gc");
    sim_stage_set(actor->world, 3);
}

static void job_of_a_put_without_answer(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_E_CONFLICT, "the job gives up");
    sim_must(actor, actor->world->stage == 2, "the job waits for gc");
    sim_wait(actor, 20 * SIM_HOUR); /* the first delete lands */
}

static void gc_of_a_resent_output(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, sim_manifest_of(sim_case_dir(actor->world))->condemned.count == 0,
             "gc has cleaned up");
    sim_wait(actor, 4 * SIM_HOUR); /* the output lands once more */
    sim_stage_set(actor->world, 2);
}

static enum sim_fate output_is_resent(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;

    if (op->verb == SIM_PUT_NEW) {
        actor->world->fate_ns = 4 * SIM_HOUR;
        return SIM_FATE_TWICE;
    }
    if (op->verb == SIM_DELETE) {
        actor->world->fate_ns = 20 * SIM_HOUR;
        return SIM_FATE_TWICE;
    }
    if (sim_is_named(actor, "job") && sim_is_commit(actor, op, "compact") &&
        actor->world->stage == 0) {
        sim_stage_set(actor->world, 1);
        sim_stage_await(actor, 2);
    }
    return SIM_FATE_DONE;
}

static void case_resent(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "job", job_of_a_resent_output);
    (void)sim_cast_add(world, cast, "gc", gc_of_a_resent_output);
}

/* The same where the answer of the put is lost, so that the job sends it again; gc has condemned,
 * deleted and cleaned by then, with two deletes, of which the first one lands last. */
static void gc_of_a_lost_answer(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);

    sim_stage_await(actor, 1);
    sim_graces_pass(actor);
    (void)sim_case_pass(actor, SIM_GC); /* its delete has no answer */
    sim_must(actor, sim_manifest_of(dir)->condemned.count == 1, "the output is condemned");
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc again");
    sim_must(actor, sim_manifest_of(dir)->condemned.count == 0, "gc has cleaned up");
    sim_stage_set(actor->world, 2);
}

static enum sim_fate answer_of_a_put_is_lost(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;
    uint32_t stage = actor->world->stage;

    if (op->verb == SIM_PUT_NEW && stage == 0) {
        sim_must(actor, sim_op_apply(sim_op_new(actor->world, op)) == SIM_DONE, "it lands");
        sim_stage_set(actor->world, 1);
        sim_stage_await(actor, 2);
        sim_must(actor, !sim_dir_get(op->dir, op->name), "it was deleted meanwhile");
        return SIM_FATE_DONE; /* sent again, it lands */
    }
    if (op->verb == SIM_DELETE && stage == 1 && !op->dir->late_deletes) {
        actor->world->fate_ns = 20 * SIM_HOUR;
        return SIM_FATE_LATE;
    }
    return SIM_FATE_DONE;
}

static void case_put_without_answer(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "job", job_of_a_put_without_answer);
    (void)sim_cast_add(world, cast, "gc", gc_of_a_lost_answer);
}

/* (iii) A commit lands and its answer is lost; it is rolled back, and other commits push it out of
 * the log before the job looks whether it landed. */
static void job_of_a_lost_answer(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    (void)sim_case_pass(actor, SIM_COMPACT);
    sim_must(actor, actor->world->stage == 2, "the job waits for the rollback");
}

static void operator_of_a_lost_answer(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);
    char name[32];

    sim_stage_await(actor, 1);
    uint64_t lost = sim_manifest_of(dir)->generation;
    sim_must(actor, sim_case_pass(actor, SIM_ROLLBACK) == LITH_OK, "the rollback");
    for (unsigned i = 0; i < 80; i++) { /* commits, each a fold */
        (void)snprintf(name, sizeof(name), "late%02u.parquet", i);
        sim_file_put(dir, name, 1);
        sim_wait(actor, 2 * SIM_QUIET);
        (void)sim_case_pass(actor, SIM_COMPACT);
    }
    sim_must(actor, sim_manifest_of(dir)->log_first > lost, "the log does not tell of it any more");
    sim_stage_set(actor->world, 2);
}

static enum sim_fate answer_is_lost(struct sim_actor *actor, const void *op)
{
    if (sim_is_named(actor, "job") && sim_is_commit(actor, op, "compact") &&
        actor->world->stage == 0) {
        struct sim_op *sent = sim_op_new(actor->world, op);
        sim_must(actor, sim_op_apply(sent) == SIM_DONE, "the commit lands");
        sim_stage_set(actor->world, 1);
        sim_stage_await(actor, 2);
        return SIM_FATE_FAILS;
    }
    return SIM_FATE_DONE;
}

static void case_lost_answer(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    cast->options.policy.min_files = 4;
    (void)sim_cast_add(world, cast, "job", job_of_a_lost_answer);
    (void)sim_cast_add(world, cast, "operator", operator_of_a_lost_answer);
}

/* (iv) A rollback comes between a fence and its deletes. */
static void gc_between(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, actor->world->stage == 2, "gc waits for the rollback");
}

static void rollback_between(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_must(actor, sim_case_pass(actor, SIM_ROLLBACK) == LITH_E_INVALID,
             "the rollback is refused");
    sim_stage_set(actor->world, 2);
}

static enum sim_fate first_delete_waits(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;

    if (op->verb == SIM_DELETE && actor->world->stage == 0) {
        sim_stage_set(actor->world, 1);
        sim_stage_await(actor, 2);
    }
    return SIM_FATE_DONE;
}

static void case_rollback_between(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "gc", gc_between);
    (void)sim_cast_add(world, cast, "operator", rollback_between);
}

/* (v) Two gcs with different condemned sets: the second fence must not free what the first one is
 * about to delete, or a rollback wants it back. */
static void first_gc(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "the first gc");
    sim_must(actor, actor->world->stage == 2, "it waits for the others");
}

static void second_gc(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);
    struct sim_op orphan = {.verb = SIM_PUT, .dir = dir};
    char name[80];

    sim_stage_await(actor, 1);
    /* An orphan that gives the second gc something to condemn. */
    const struct sim_manifest *manifest = sim_manifest_of(dir);
    (void)snprintf(name, sizeof(name), "019b0000-0000-7000-8000-000000000001_%s_e1.parquet",
                   manifest->pid);
    orphan.name = name;
    orphan.blob = sim_dir_get(dir, manifest->files.names[0])->blob;
    (void)sim_op_apply(sim_op_new(actor->world, &orphan));
    sim_graces_pass(actor);
    ((struct sim_cast *)actor->ctx)->options.gc.reader_grace_ns = 1000 * SIM_HOUR;
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "the second gc");
    sim_must(actor, !sim_dir_get(dir, name), "the second gc deletes its orphan");
    ((struct sim_cast *)actor->ctx)->options.gc.reader_grace_ns = SIM_READER_GRACE;
    sim_must(actor, sim_case_pass(actor, SIM_ROLLBACK) == LITH_E_INVALID,
             "the rollback is refused");
    sim_stage_set(actor->world, 2);
}

static enum sim_fate first_gc_waits(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;

    if (op->verb == SIM_DELETE && sim_is_named(actor, "first") && actor->world->stage == 0) {
        sim_stage_set(actor->world, 1);
        sim_stage_await(actor, 2);
    }
    return SIM_FATE_DONE;
}

static void case_two_gcs(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "first", first_gc);
    (void)sim_cast_add(world, cast, "second", second_gc);
}

/* (vi) Strict readers across an adoption and the compaction behind it, at moments that are drawn.
 */
static void readers_across(struct sim_actor *actor)
{
    sim_library_reader_run(actor);
}

static void adopter(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_wait(actor, 6 * SIM_HOUR);
    sim_must(actor, actor->world->things[SIM_STRICT_READINGS] > 0, "somebody reads");
    actor->world->is_settling = true;
}

static void case_strict(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    for (unsigned i = 0; i < 6; i++)
        (void)sim_cast_add(world, cast, "reader", readers_across);
    (void)sim_cast_add(world, cast, "adopter", adopter);
}

/* (viii) A writer that sends retired and deleted files again, and one that uses their names. */
static void job_of_used_names(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);

    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_file_replay(dir, "a.parquet"); /* retired, and there */
    sim_rows_overwrite(dir, "b.parquet");
    sim_file_put(dir, "b.parquet", 4); /* as large as before */
    /* And an output of another partition is moved here. */
    sim_file_put(dir, "019b0000-0000-7000-8000-000000000009_deadbeef_e1.parquet", 3);
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a fold");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(dir, "c.parquet"), "gc deletes");
    sim_file_replay(dir, "c.parquet"); /* gone */
    sim_file_put(dir, "d.parquet", 4);
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "another fold");
}

static void case_used_names(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "job", job_of_used_names);
}

/* (vii) A manifest is restored as a commit: what was merged gives way to its inputs, what came
 * later stays. A gc that stood between its fence and its deletes meanwhile wants what comes back.
 */
static void restorer(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);
    const struct sim_blob *before = NULL;

    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    for (uint32_t i = 0; i < dir->past_count; i++) {
        const struct sim_object *past = &dir->past[i];
        if (strcmp(past->name, "manifest.json") == 0 &&
            sim_names_have(&sim_manifest_read(actor->world, past->blob)->files, "a.parquet"))
            before = past->blob;
    }
    sim_file_put(dir, "e.parquet", 4);
    sim_wait(actor, 2 * SIM_QUIET);
    sim_must(actor, sim_restore_run(actor, actor->ctx, dir, before) == LITH_OK, "a restore");
    sim_must(actor, sim_names_have(&sim_manifest_of(dir)->files, "a.parquet"), "inputs come back");
    sim_must(actor, strcmp(sim_manifest_of(dir)->op, "restore") == 0, "it is a commit");
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "another compaction");
    sim_graces_pass(actor);
    sim_stage_set(actor->world, 1);
    sim_stage_await(actor, 2);
    sim_must(actor, sim_restore_run(actor, actor->ctx, dir, before) == LITH_E_INVALID,
             "what is being deleted does not come back");
    sim_stage_set(actor->world, 3);
}

static void gc_of_a_restore(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(sim_case_dir(actor->world), "a.parquet"), "gc deletes");
}

static enum sim_fate delete_waits_for_a_restore(struct sim_actor *actor, const void *request)
{
    const struct sim_op *op = request;

    if (op->verb == SIM_DELETE && actor->world->stage == 1) {
        sim_stage_set(actor->world, 2);
        sim_stage_await(actor, 3);
    }
    return SIM_FATE_DONE;
}

static void case_restore(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "operator", restorer);
    (void)sim_cast_add(world, cast, "gc", gc_of_a_restore);
}

/* (vii) A manifest copied over by hand: nothing is deleted that it does not know to be elsewhere.
 */
static void hand_copier(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);

    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    struct sim_op copy = {
        .verb = SIM_PUT, .dir = dir, .name = "manifest.json", .blob = sim_manifest_of(dir)->blob};
    sim_files_write(dir, "efgh");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "another compaction");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(dir, "e.parquet"), "gc deletes");
    uint64_t deletes = actor->world->things[SIM_DELETES];
    sim_oracle_loosen(dir);
    (void)sim_op_apply(sim_op_new(actor->world, &copy));
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc under the older manifest");
    sim_must(actor, actor->world->things[SIM_DELETES] == deletes, "nothing is deleted");
}

static void case_hand_copy(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "operator", hand_copier);
}

/* The same where what was merged since is in an output that the older manifest does not know: its
 * rows are nowhere else. */
static void hand_copier_of_rows(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);

    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    struct sim_op copy = {
        .verb = SIM_PUT, .dir = dir, .name = "manifest.json", .blob = sim_manifest_of(dir)->blob};
    uint64_t epoch = sim_manifest_of(dir)->epoch + 1;
    sim_file_put(dir, "e.parquet", 1);
    sim_file_put(dir, "f.parquet", 1);
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "another compaction");
    sim_must(actor, sim_manifest_of(dir)->files.count == 2, "the large output stays");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, !sim_dir_get(dir, "e.parquet"), "gc deletes");
    sim_oracle_loosen(dir);
    (void)sim_op_apply(sim_op_new(actor->world, &copy));
    /* Commits until the older manifest has reached the epoch of that output. */
    for (char name[] = "g.parquet"; name[0] <= 'l'; name[0]++) {
        sim_file_put(dir, name, 1);
        sim_wait(actor, 2 * SIM_SETTLE);
        sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "compactions go on");
    }
    sim_must(actor, sim_manifest_of(dir)->epoch > epoch, "the epoch is reached");
    sim_graces_pass(actor);
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc under the older manifest");
}

static void case_hand_copy_of_rows(struct sim_world *world, struct sim_cast *cast)
{
    for (char name[] = "a.parquet"; name[0] <= 'd'; name[0]++)
        sim_file_put(sim_case_dir(world), name, 12);
    (void)sim_cast_add(world, cast, "operator", hand_copier_of_rows);
}

/* A live output is deleted by hand: what was merged into it stays. */
static void hand_deleter(struct sim_actor *actor)
{
    struct sim_dir *dir = sim_case_dir(actor->world);

    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    struct sim_op op = {
        .verb = SIM_DELETE, .dir = dir, .name = sim_manifest_of(dir)->files.names[0]};
    op.version = sim_dir_get(dir, op.name)->version;
    sim_oracle_loosen(dir);
    (void)sim_op_apply(sim_op_new(actor->world, &op));
    sim_graces_pass(actor);
    (void)sim_case_pass(actor, SIM_GC);
    sim_must(actor, sim_dir_get(dir, "a.parquet") != NULL, "nothing is deleted");
}

static void case_hand_delete(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    (void)sim_cast_add(world, cast, "operator", hand_deleter);
}

/* Longer than a pass may take. */
#define LONG_GRACE (10 * SIM_HOUR)

/* A commit lands long after it was stamped: its inputs have their grace from then on. */
static void late_committer(struct sim_actor *actor)
{
    sim_wait(actor, 10 * SIM_MINUTE);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_must(actor, sim_case_pass(actor, SIM_GC) == LITH_OK, "gc");
    sim_must(actor, sim_dir_get(sim_case_dir(actor->world), "a.parquet") != NULL,
             "inputs have their grace");
}

static enum sim_fate commit_is_late(struct sim_actor *actor, const void *op)
{
    if (sim_is_commit(actor, op, "compact"))
        sim_wait(actor, 2 * LONG_GRACE);
    return SIM_FATE_DONE;
}

static void case_late_commit(struct sim_world *world, struct sim_cast *cast)
{
    sim_files_write(sim_case_dir(world), "abcd");
    cast->options.gc.reader_grace_ns = LONG_GRACE;
    (void)sim_cast_add(world, cast, "job", late_committer);
}

/* A reader that waits between its list and its manifest while the partition is adopted and
 * compacted. */
static void slow_open_reader(struct sim_actor *actor)
{
    sim_must(actor, sim_read_once(actor, sim_case_dir(actor->world), false), "the reader reads");
}

static void slow_strict_reader(struct sim_actor *actor)
{
    sim_must(actor, sim_read_once(actor, sim_case_dir(actor->world), true), "the reader reads");
}

static void job_of_a_slow_reader(struct sim_actor *actor)
{
    sim_stage_await(actor, 1);
    sim_must(actor, sim_case_pass(actor, SIM_COMPACT) == LITH_OK, "a compaction");
    sim_stage_set(actor->world, 2);
}

/* Before each request but the first: of the two orders one has it between list and manifest. */
static void second_request_waits(struct sim_actor *actor)
{
    if (!sim_is_named(actor, "reader") || actor->world->fate_ns++ < 2 || actor->world->stage >= 2)
        return;
    if (actor->world->stage == 0)
        sim_stage_set(actor->world, 1);
    sim_stage_await(actor, 2);
}

static void slow_reader_add(struct sim_world *world, struct sim_cast *cast,
                            void (*reader)(struct sim_actor *actor))
{
    sim_files_write(sim_case_dir(world), "abcd");
    world->now_ns += SIM_HOUR;
    world->fate_ns = 0;
    (void)sim_cast_add(world, cast, "reader", reader);
    (void)sim_cast_add(world, cast, "job", job_of_a_slow_reader);
}

static void case_slow_open_reader(struct sim_world *world, struct sim_cast *cast)
{
    slow_reader_add(world, cast, slow_open_reader);
}

static void case_slow_strict_reader(struct sim_world *world, struct sim_cast *cast)
{
    slow_reader_add(world, cast, slow_strict_reader);
}

const struct sim_case sim_cases_protocol[] = {
    {"i: a job is paused while another one merges and gc deletes (P2, P3)", SIM_OBJECTS,
     case_paused, first_is_paused, NULL},
    {"i: the same with files that came late (P2, P3)", SIM_OBJECTS, case_paused_late,
     first_is_paused, NULL},
    {"ii: an output is sent again, and its delete lands last (P2)", SIM_OBJECTS, case_resent,
     output_is_resent, NULL},
    {"ii: the answer of its put is lost, and two deletes land in the wrong order (P2)", SIM_OBJECTS,
     case_put_without_answer, answer_of_a_put_is_lost, NULL},
    {"iii: the answer of a commit is lost, and it is rolled back (P2, P3)", SIM_OBJECTS,
     case_lost_answer, answer_is_lost, NULL},
    {"iv: a rollback between a fence and its deletes (P10)", SIM_OBJECTS, case_rollback_between,
     first_delete_waits, NULL},
    {"v: two gcs that condemn different files (P10)", SIM_OBJECTS, case_two_gcs, first_gc_waits,
     NULL},
    {"vi: strict readers across an adoption (P2)", SIM_OBJECTS, case_strict, sim_all_done, NULL},
    {"vi: an open reader across an adoption (P2)", SIM_LOCAL, case_slow_open_reader, sim_all_done,
     second_request_waits},
    {"vi: a strict reader across an adoption (P2)", SIM_LOCAL, case_slow_strict_reader,
     sim_all_done, second_request_waits},
    {"vii: a manifest is restored as a commit (P1, P2, P10)", SIM_OBJECTS, case_restore,
     delete_waits_for_a_restore, NULL},
    {"vii: a manifest is copied over by hand (P9, P10)", SIM_LOCAL, case_hand_copy, sim_all_done,
     NULL},
    {"vii: the same, with rows that are nowhere else (P10)", SIM_LOCAL, case_hand_copy_of_rows,
     sim_all_done, NULL},
    {"vii: a live file is deleted by hand (P9)", SIM_LOCAL, case_hand_delete, sim_all_done, NULL},
    {"viii: names that were used before (P2)", SIM_LOCAL, case_used_names, sim_all_done, NULL},
    {"viii: names that were used before, in a store of objects (P2)", SIM_OBJECTS, case_used_names,
     sim_all_done, NULL},
    {"a commit that lands late (P2)", SIM_LOCAL, case_late_commit, commit_is_late, NULL},
    {0},
};
