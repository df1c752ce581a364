/*
 * Puts a manifest, settles what an ambiguous answer means, and judges what a loser may do.
 */
#include <string.h>

#include "base/guard.h"
#include "base/limits.h"
#include "base/time.h"
#include "lake/commit.h"
#include "lake/showing.h"
#include "store/steps.h"

/* Past this an answer that stays ambiguous is unknown (DESIGN.md section 5). */
#define COMMIT_DEADLINE_NS (120 * LITH_SECOND_NS)

static const char *const op_steps[LITH_OP_COUNT] = {
    [LITH_OP_ADOPT] = LITH_STEP_ADOPTED,        [LITH_OP_LEASE] = LITH_STEP_LEASED,
    [LITH_OP_COMPACT] = LITH_STEP_COMMITTED,    [LITH_OP_FOLD] = LITH_STEP_FOLDED,
    [LITH_OP_FENCE] = LITH_STEP_FENCED,         [LITH_OP_CLEAN] = LITH_STEP_CLEANED,
    [LITH_OP_ROLLBACK] = LITH_STEP_ROLLED_BACK, [LITH_OP_RESTORE] = LITH_STEP_RESTORED,
    [LITH_OP_RETIRE] = LITH_STEP_RETIRED,       [LITH_OP_HAND] = LITH_STEP_HANDED,
    [LITH_OP_ROLLUP] = LITH_STEP_ROLLED_UP,     [LITH_OP_MOVED] = LITH_STEP_MOVED,
    [LITH_OP_UNHAND] = LITH_STEP_UNHANDED,      [LITH_OP_REPAIR] = LITH_STEP_REPAIRED,
    [LITH_OP_OTHER] = LITH_STEP_COMMITTED,
};

/* What the stored manifest says of our commit. */
enum stored {
    STORED_OURS,
    STORED_EXPECTED, /* still what we wanted to replace */
    STORED_OTHER,
};

static enum lith_code stored_look(struct lith_folder *folder, const struct lith_blob *expected,
                                  const struct lith_manifest *next, struct lith_mem *mem,
                                  enum stored *ret_stored, struct lith_err *err)
{
    LITH_AUTO(arena) struct lith_arena arena;
    LITH_AUTO(manifest) struct lith_manifest manifest = {0};
    struct lith_blob blob;

    lith_arena_init(&arena, mem);
    enum lith_code code =
        lith_folder_get(folder, next->name, LITH_MANIFEST_BYTES_MAX, &arena, &blob, err);
    if (code == LITH_E_NOT_FOUND) {
        *ret_stored = expected ? STORED_OTHER : STORED_EXPECTED;
        return LITH_OK;
    }
    LITH_TRY(code);
    if (expected && blob.bytes == expected->bytes &&
        lith_hash128_equal(blob.hash, expected->hash)) {
        *ret_stored = STORED_EXPECTED;
        return LITH_OK;
    }
    LITH_TRY(lith_manifest_parse(blob.data, blob.bytes, next->name, &arena, &manifest, err));
    *ret_stored = lith_manifest_has_commit(&manifest, next->commit_id) ? STORED_OURS : STORED_OTHER;
    return LITH_OK;
}

/* Whether something may be stored although the answer was no. A disk that turned read-only between
 * the rename and its fsync is DENIED. */
static bool is_ambiguous(enum lith_code answer)
{
    return answer == LITH_E_CONFLICT || answer == LITH_E_TRANSIENT || answer == LITH_E_IO ||
           answer == LITH_E_DENIED || answer == LITH_E_UNSUPPORTED;
}

/* One answer, settled; a failure is the one that the answer came with. *ret_again: nothing is known
 * against sending the same bytes once more. */
static enum lith_code settle(struct lith_folder *folder, const struct lith_blob *expected,
                             const struct lith_manifest *next, enum lith_code answer,
                             struct lith_mem *mem, enum lith_put *ret_put, bool *ret_again)
{
    enum stored stored = STORED_OTHER;
    bool is_of_disk = answer != LITH_E_CONFLICT && answer != LITH_E_TRANSIENT;
    struct lith_err why;

    *ret_again = false;
    if (answer != LITH_OK && !is_ambiguous(answer))
        return answer;
    *ret_put = LITH_PUT_COMMITTED;
    if (answer == LITH_OK)
        return LITH_OK;
    *ret_put = LITH_PUT_UNKNOWN;
    if (stored_look(folder, expected, next, mem, &stored, &why) != LITH_OK)
        return LITH_OK; /* cannot be read: unknown */
    if (stored == STORED_OTHER)
        *ret_put = LITH_PUT_LOST;
    if (stored == STORED_OURS && !is_of_disk)
        *ret_put = LITH_PUT_COMMITTED; /* else it is there, but not known to be durable */
    if (stored == STORED_EXPECTED && is_of_disk)
        return answer;
    /* Refused although it looks as expected: the directory was swapped. */
    if (stored == STORED_EXPECTED && answer == LITH_E_CONFLICT)
        *ret_put = LITH_PUT_LOST;
    *ret_again = stored == STORED_EXPECTED && answer == LITH_E_TRANSIENT;
    return LITH_OK;
}

struct manifest_body {
    struct lith_content base;
    const struct lith_manifest *manifest;
    struct lith_mem *mem;
};

static enum lith_code manifest_write(struct lith_content *base, struct lith_sink *sink,
                                     struct lith_err *err)
{
    const struct manifest_body *body = (const struct manifest_body *)base;

    return lith_manifest_put(body->manifest, sink, body->mem, err);
}

/* No commit leaves the log without its event. */
static enum lith_code log_check(const struct lith_manifest *next, struct lith_err *err)
{
    if (next->log_count <= LITH_LOG_COUNT_MAX)
        return LITH_OK;
    return lith_fail(err, LITH_E_LIMIT,
                     "%u commits wait for their audit events, which cannot be written: mend the "
                     "audit folder, or say that none are kept (audit: none)",
                     LITH_LOG_COUNT_MAX);
}

/* Which operations change what readers see; the others are made even where that cannot be. */
static bool op_shows(enum lith_op op)
{
    return op == LITH_OP_COMPACT || op == LITH_OP_ROLLBACK || op == LITH_OP_RESTORE ||
           op == LITH_OP_RETIRE || op == LITH_OP_REPAIR;
}

/* One try to store `next`. */
static enum lith_code put_once(struct lith_folder *folder, const struct lith_blob *expected,
                               const struct lith_manifest *next, struct lith_mem *mem,
                               struct lith_err *err)
{
    struct manifest_body body = {.base = {.write = manifest_write}, .manifest = next, .mem = mem};
    LITH_AUTO(arena) struct lith_arena scratch;
    struct lith_manifest_showing showing;

    lith_arena_init(&scratch, mem);
    if (!lith_folder_shows(folder))
        return lith_folder_put_content_if(folder, next->name, expected, &body.base, err);
    LITH_TRY(lith_manifest_showing_init(&showing, next, &scratch, err));
    showing.base.must = op_shows(next->log[next->log_count - 1].op);
    return lith_folder_put_shown(folder, next->name, expected, &body.base, &showing.base, err);
}

enum lith_code lith_commit_put(struct lith_folder *folder, const struct lith_blob *expected,
                               const struct lith_manifest *next, struct lith_mem *mem,
                               enum lith_put *ret_put, struct lith_err *err)
{
    struct lith_env *env = folder->store->env;
    enum lith_put put = LITH_PUT_UNKNOWN;
    int64_t begin = env->monotonic_ns(env);
    bool again = true;

    LITH_TRY(log_check(next, err));
    if (expected && !expected->etag)
        expected = NULL;
    for (unsigned tries = 0; again && tries < LITH_LOOK_AGAIN_MAX; tries++) {
        enum lith_code answer = put_once(folder, expected, next, mem, err);
        if (answer == LITH_E_TRANSIENT && lith_folder_shows(folder))
            return answer; /* of such a store it is no riddle: somebody writes here */
        LITH_TRY(settle(folder, expected, next, answer, mem, &put, &again));
        again = again && env->monotonic_ns(env) - begin < COMMIT_DEADLINE_NS;
    }
    if (put == LITH_PUT_COMMITTED)
        env->step(env, op_steps[next->log[next->log_count - 1].op]);
    *ret_put = put;
    return LITH_OK;
}

static bool object_is(const struct lith_object *object, const struct lith_entry *entry)
{
    return object && object->size == entry->size && strcmp(object->etag, entry->etag) == 0;
}

static bool entry_is(const struct lith_entry *a, const struct lith_entry *b)
{
    return a->size == b->size && a->etag && strcmp(a->etag, b->etag) == 0;
}

enum lith_retry lith_commit_judge(const struct lith_view *view, const struct lith_attempt *attempt,
                                  const char **ret_why)
{
    const struct lith_manifest *m = lith_view_manifest(view);
    const struct lith_listing *listing = &view->listing;

    *ret_why = "the manifest is gone, or another program's";
    if (!m || m->foreign)
        return LITH_RETRY_DROP;
    *ret_why = "";
    if (lith_manifest_has_commit(m, attempt->commit_id))
        return LITH_RETRY_DONE;
    for (size_t i = 0; i < attempt->output_count; i++) {
        const char *name = attempt->outputs[i].name;
        if (lith_manifest_live(m, name) || lith_manifest_retired(m, name))
            return LITH_RETRY_DONE;
    }
    *ret_why = "the epoch was raised: another job or a gc came between";
    if (!LITH_GUARD(EPOCH, m->epoch == attempt->epoch))
        return LITH_RETRY_DROP;
    *ret_why = "an input is no longer live, or no longer the file that was read";
    for (size_t i = 0; i < attempt->input_count; i++) {
        const struct lith_entry *input = &attempt->inputs[i];
        const struct lith_entry *named = lith_manifest_live(m, input->name);
        bool listed = object_is(lith_listing_find(listing, input->name), input);
        bool live = named ? entry_is(named, input) &&
                                LITH_GUARD(HANDED_STAYS, !lith_manifest_is_handed(m, input->name))
                          : !lith_manifest_retired(m, input->name);
        if (!LITH_GUARD(INPUTS, listed && live))
            return LITH_RETRY_DROP;
    }
    *ret_why = "an output is not there, or condemned";
    for (size_t i = 0; i < attempt->output_count; i++) {
        const struct lith_entry *output = &attempt->outputs[i];
        bool listed = object_is(lith_listing_find(listing, output->name), output);
        if (!LITH_GUARD(OUTPUTS, listed && !lith_manifest_condemned(m, output->name)))
            return LITH_RETRY_DROP;
    }
    *ret_why = "";
    return LITH_RETRY_AGAIN;
}
