/*
 * A partition in a few words, for tests of plans: files with rows of their own, lists that say what
 * they were made from, and a judge that knows the rows.
 */
#ifndef LITH_TEST_KIN_WORLD_H
#define LITH_TEST_KIN_WORLD_H

#include "job/lineage.h"
#include "lake/snapshot.h"

#include "arena_support.h"

#define PID "5f21c0de"
#define OUT(n) "0198f0c2-7c1e-7000-8000-00000000000" n "_" PID "_e1.parquet"
#define FILES_MAX 8
#define INPUTS_MAX 4

/* A file of a case: its rows are the bits of `rows`. */
struct file {
    const char *name;
    /* Of: live, retired, absent (only listed), missing (live, and not there); own: the older
     * manifest's; said: the manifest alone knows its inputs; other: by another commit; bad: cannot
     * be read; joint: of the job of all those. */
    const char *state;
    uint64_t rows;
    const char *inputs[INPUTS_MAX];
};

struct judge {
    struct lith_row_judge base;
    const struct file *const *files; /* by kin */
};

static enum lith_code judge_holds(struct lith_row_judge *base, const size_t *part,
                                  size_t part_count, const size_t *whole, size_t whole_count,
                                  bool *ret_holds, struct lith_err *ret_err)
{
    const struct judge *judge = (const struct judge *)base;
    uint64_t rows = 0;

    (void)ret_err;
    for (size_t i = 0; i < whole_count; i++)
        rows |= judge->files[whole[i]]->rows;
    *ret_holds = true;
    for (size_t i = 0; i < part_count; i++)
        *ret_holds = *ret_holds && (judge->files[part[i]]->rows & ~rows) == 0;
    return LITH_OK;
}

struct world {
    const struct file *files; /* sorted by name */
    size_t count;
    bool has_base;
    struct lith_object objects[FILES_MAX];
    struct lith_kin kins[FILES_MAX];
    size_t inputs[FILES_MAX][INPUTS_MAX];
    const struct file *by_kin[FILES_MAX];
    struct lith_entry live[FILES_MAX], retired[FILES_MAX], gone[FILES_MAX], own[FILES_MAX];
    struct lith_manifest base, file;
    struct lith_listing listing;
    struct lith_snapshot snapshot;
    struct lith_lineage lineage;
    struct judge judge;
};
static struct world w;

static bool has(const struct file *file, const char *word)
{
    return strstr(file->state, word) != NULL;
}

static void file_put(size_t i)
{
    const struct file *file = &w.files[i];
    struct lith_kin *kin = &w.kins[i];
    bool is_there = !has(file, "absent") && !has(file, "missing");
    struct lith_entry entry = {.name = file->name, .etag = "e", .size = 1};

    entry.rows = (uint64_t)__builtin_popcountll(file->rows);
    entry.has_rows = entry.has_crc = true;
    entry.commit_id = has(file, "other") ? "o" : "c";
    *kin = (struct lith_kin){.name = file->name, .size = 1, .rows = entry.rows, .has_rows = true};
    w.by_kin[i] = file;
    kin->pid = PID;
    kin->job = has(file, "joint") ? "joint" : file->name;
    kin->by_commit = has(file, "said");
    kin->blocked = has(file, "bad") ? "garbage" : NULL;
    if (is_there) {
        w.objects[w.listing.object_count] =
            (struct lith_object){.name = file->name, .etag = "e", .size = 1};
        kin->object = &w.objects[w.listing.object_count++];
    }
    if (has(file, "live") || has(file, "missing"))
        w.live[w.base.file_count++] = entry;
    if (has(file, "retired"))
        w.retired[w.base.retired_count++] = entry;
    if (has(file, "gone"))
        w.gone[w.base.gone_count++] = entry;
    if (has(file, "own"))
        w.own[w.file.file_count++] = entry;
    for (size_t k = 0; k < INPUTS_MAX && file->inputs[k]; k++) {
        kin->is_output = true;
        kin->inputs = w.inputs[i];
        for (size_t n = 0; n < w.count; n++) {
            if (strcmp(w.files[n].name, file->inputs[k]) == 0)
                kin->inputs[kin->input_count++] = n;
        }
    }
}

/* The files, and all that is known of them. */
static void world_fill(const struct file *files, size_t count, bool has_base)
{
    w = (struct world){.files = files, .count = count, .has_base = has_base};
    w.listing.objects = w.objects;
    w.base = (struct lith_manifest){
        .files = w.live, .retired = w.retired, .gone = w.gone, .pid = PID, .epoch = 1};
    w.file = (struct lith_manifest){.files = w.own, .pid = PID};
    for (size_t i = 0; i < count; i++)
        file_put(i);
    w.lineage = (struct lith_lineage){.files = w.kins, .count = count, .arena = &arena};
    w.judge = (struct judge){.base = {.holds = judge_holds}, .files = w.by_kin};
    MUST(lith_snapshot_resolve(&w.listing, has_base ? &w.base : &w.file, LITH_SNAPSHOT_OPEN, &arena,
                               &w.snapshot, &err));
}

/* The chosen ones are exactly these, in order. */
static void assert_list(const size_t *list, size_t count, const char *expected)
{
    char found[400] = "";

    for (size_t i = 0; i < count; i++) {
        (void)strncat(found, i ? " " : "", sizeof(found) - strlen(found) - 1);
        (void)strncat(found, w.files[list[i]].name, sizeof(found) - strlen(found) - 1);
    }
    assert_string_equal(found, expected);
}

#endif
