/*
 * Inputs that are written to while they are merged, in their place: from some read on, for some
 * reads or for good, an input has other bytes. The merge may fail, and must where it sees it; it
 * never takes what it read before for a promise of what it reads now, which would end the process.
 */
#include "support.h"

#include <limits.h>

#include "base/spool.h"
#include "merge/merge.h"
#include "parquet/file_writer.h"
#include "sample_schema.h"

#define INPUTS 3u
#define CHANGING 1u
#define CHANGING_NAME "in-1.parquet"
#define ROWS_MAX 900u

enum key { KEY_NUMBER, KEY_SMALL, KEY_TEXT, KEY_OPTIONAL, KEY_ABSENT };

/* What a file is. */
struct version {
    const char *name;
    enum key key;
    unsigned rows;
    unsigned groups;
    unsigned words; /* different ones */
    uint64_t first; /* added to each key */
    bool descends;
    bool has_extra; /* a column in front of all others */
    bool is_flat;   /* numbers where others have lists */
    bool is_short;  /* not as long as the others */
    bool is_noise;  /* no Parquet file at all */
    bool is_gone;
};

static const struct version versions[] = {
    {.name = "numbers", .rows = 600, .groups = 3, .words = 9},
    {.name = "texts", .key = KEY_TEXT, .rows = 600, .groups = 3, .words = 9},
    {.name = "no key", .key = KEY_ABSENT, .rows = 600, .groups = 3, .words = 9},
    {.name = "nulls", .key = KEY_OPTIONAL, .rows = 600, .groups = 3, .words = 9},
    {.name = "small numbers", .key = KEY_SMALL, .rows = 600, .groups = 3, .words = 9},
    {.name = "more rows", .rows = ROWS_MAX, .groups = 3, .words = 9},
    {.name = "fewer row groups", .rows = 600, .groups = 1, .words = 9},
    {.name = "rows of row groups", .rows = 600, .groups = 4, .words = 9},
    {.name = "another order", .rows = 600, .groups = 3, .words = 9, .descends = true},
    {.name = "larger numbers", .rows = 600, .groups = 3, .words = 9, .first = UINT64_C(1) << 40},
    {.name = "more words", .rows = 600, .groups = 3, .words = 200},
    {.name = "one more column", .rows = 600, .groups = 3, .words = 9, .has_extra = true},
    {.name = "no lists", .rows = 600, .groups = 3, .words = 9, .is_flat = true},
    {.name = "short", .rows = 600, .groups = 3, .words = 9, .is_short = true},
    {.name = "noise", .is_noise = true},
    {.name = "gone", .is_noise = true, .is_gone = true},
};
#define VERSIONS ((unsigned)(sizeof(versions) / sizeof(versions[0])))

static struct lith_err err;
static const struct lith_control control;
static struct lith_mem test_mem; /* the test's own */
static struct lith_scratch test_scratch;
static struct lith_work test_work = {
    .mem = &test_mem, .scratch = &test_scratch, .control = &control};

/* The positions of a leaf. */
static struct {
    uint16_t defs[2 * ROWS_MAX];
    uint16_t reps[2 * ROWS_MAX];
    uint64_t numbers[2 * ROWS_MAX];
    char texts[ROWS_MAX][16];
    struct lith_slice slices[2 * ROWS_MAX];
    size_t positions;
    size_t values;
} data;

static void add_null(uint16_t rep, uint16_t def)
{
    data.reps[data.positions] = rep;
    data.defs[data.positions++] = def;
}

/* A value, whose bytes in `numbers` are packed where it has four. */
static void add_value(uint16_t rep, uint16_t def, size_t width, uint64_t number)
{
    size_t at = data.values++;

    add_null(rep, def);
    if (width == 8) {
        data.numbers[at] = number;
    } else if (width == 4) {
        lith_store_u32((uint8_t *)data.numbers + 4 * at, (uint32_t)number);
    } else {
        int bytes = snprintf(data.texts[at], sizeof(data.texts[at]), "%014" PRIu64, number);
        data.slices[at] = (struct lith_slice){(const uint8_t *)data.texts[at], (size_t)bytes};
    }
}

static void leaf_write(struct lith_file_writer *writer, const struct lith_schema_node *leaf)
{
    struct lith_chunk_plan plan = {
        .codec = LITH_CODEC_SNAPPY, .fallback = LITH_ENCODING_PLAIN, .try_dictionary = true};
    size_t width = lith_type_width(leaf->type, 0);
    struct lith_batch batch = {
        .position_count = data.positions,
        .def_levels = leaf->max_def ? data.defs : NULL,
        .rep_levels = leaf->max_rep ? data.reps : NULL,
        .values = {.type = leaf->type,
                   .width = width,
                   .count = data.values,
                   .fixed = width ? (const uint8_t *)data.numbers : NULL,
                   .slices = width ? NULL : data.slices},
    };

    MUST(lith_file_writer_chunk(writer, &plan, &err));
    MUST(lith_file_writer_add(writer, &batch, &err));
    MUST(lith_file_writer_chunk_end(writer, &err));
}

/* The key of a row: row groups of the files overlap, or come in turn. */
static uint64_t key_of(const struct version *v, unsigned file, unsigned row, bool in_turn)
{
    unsigned rows = v->rows / v->groups, at = row % rows;

    if (v->descends)
        at = rows - 1 - at;
    if (in_turn)
        return v->first + (row / rows * INPUTS + file) * ROWS_MAX + at;
    return v->first + (row / rows * rows + at) * INPUTS + file;
}

static void row_add(const struct version *v, const struct lith_schema_node *leaf, unsigned row,
                    uint64_t key)
{
    size_t width = lith_type_width(leaf->type, 0);

    if (lith_slice_equal(leaf->name, lith_slice_text("k")) && leaf->max_def && row % 4 == 0)
        add_null(0, 0);
    else if (lith_slice_equal(leaf->name, lith_slice_text("k")))
        add_value(0, leaf->max_def, width, key);
    else if (lith_slice_equal(leaf->name, lith_slice_text("w")))
        add_value(0, 0, width, row * 7 % v->words);
    else if (leaf->max_rep && row % 5 == 0)
        add_null(0, 1);
    else
        add_value(0, leaf->max_def, width, row);
    if (leaf->max_rep && row % 5 == 1)
        add_value(1, leaf->max_def, width, row);
}

static void schema_make(const struct version *v, struct lith_arena *arena,
                        struct lith_schema *ret_schema)
{
    static const enum lith_type types[] = {LITH_TYPE_INT64, LITH_TYPE_INT32, LITH_TYPE_BYTE_ARRAY,
                                           LITH_TYPE_INT64};
    struct sample_node nodes[8] = {{"schema", 0, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0}};
    uint32_t count = 1;

    if (v->has_extra)
        nodes[count++] =
            (struct sample_node){"extra", 0, LITH_REQUIRED, LITH_TYPE_DOUBLE, 0, -1, 0, 0, 0};
    if (v->key != KEY_ABSENT)
        nodes[count++] = (struct sample_node){
            "k", 0, v->key == KEY_OPTIONAL ? LITH_OPTIONAL : LITH_REQUIRED, types[v->key], 0, -1, 0,
            0,   0};
    nodes[count++] =
        (struct sample_node){"w", 0, LITH_REQUIRED, LITH_TYPE_BYTE_ARRAY, 0, -1, 0, 0, 0};
    nodes[0].child_count = count;
    if (v->is_flat) {
        nodes[count++] =
            (struct sample_node){"l", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, -1, 0, 0, 0};
    } else {
        nodes[count++] = (struct sample_node){
            "l", 1, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, LITH_CONVERTED_LIST, 0, 0, 0};
        nodes[count++] =
            (struct sample_node){"list", 1, LITH_REPEATED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0};
        nodes[count++] =
            (struct sample_node){"element", 0, LITH_OPTIONAL, LITH_TYPE_INT64, 0, -1, 0, 0, 0};
    }
    MUST(sample_schema_build(nodes, count, arena, ret_schema, &err));
}

static void group_write(struct lith_file_writer *writer, const struct version *v,
                        const struct lith_schema *schema, unsigned file, unsigned group,
                        bool in_turn)
{
    unsigned rows = v->rows / v->groups;

    MUST(lith_file_writer_row_group(writer, rows, &err));
    for (uint32_t leaf = 0; leaf < schema->leaf_count; leaf++) {
        data.positions = data.values = 0;
        for (unsigned row = group * rows; row < (group + 1) * rows; row++)
            row_add(v, lith_schema_leaf(schema, leaf), row, key_of(v, file, row, in_turn));
        leaf_write(writer, lith_schema_leaf(schema, leaf));
    }
    MUST(lith_file_writer_row_group_end(writer, &err));
}

/* Writes a file, `padding` bytes longer than it must be. */
static void file_write(struct lith_spool *to, const struct version *v, unsigned file, bool in_turn,
                       size_t padding)
{
    static const uint8_t zeros[1 << 16];
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_codec_context *codecs;
    struct lith_file_writer *writer;
    struct lith_schema schema;
    uint64_t offset;

    lith_spool_clear(to);
    lith_arena_init(&arena, &test_mem);
    schema_make(v, &arena, &schema);
    MUST(lith_codec_context_new(&test_mem, &codecs, &err));
    MUST(lith_file_writer_new(&to->sink, &schema, codecs, &test_work, &writer, &err));
    for (unsigned group = 0; group < v->groups; group++)
        group_write(writer, v, &schema, file, group, in_turn);
    assert_true(padding < sizeof(zeros));
    MUST(lith_file_writer_blob(writer, zeros, padding, &offset, &err));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
    lith_codec_context_free(codecs);
}

#define FILE_BYTES 30000u

/* The same, of FILE_BYTES if it is not to be short. Offsets in the footer may be longer with more
 * padding. */
static void version_write(struct lith_spool *to, const struct version *v, unsigned file,
                          bool in_turn)
{
    size_t padding = 0;

    if (v->is_noise) {
        static const uint8_t bytes[FILE_BYTES] = {1};
        MUST(lith_sink_write(&to->sink, bytes, sizeof(bytes), &err));
        return;
    }
    file_write(to, v, file, in_turn, 0);
    for (unsigned i = 0; !v->is_short && to->source.size != FILE_BYTES; i++) {
        assert_true(i < 10);
        padding = padding + FILE_BYTES - (size_t)to->source.size;
        file_write(to, v, file, in_turn, padding);
    }
}

/* The inputs: each is what it is, but for the one that changes. */
static struct {
    struct lith_opener base;
    struct lith_merge_input inputs[INPUTS];
    struct lith_spool files[INPUTS];
    struct lith_spool versions[VERSIONS]; /* of the input that changes */
    struct lith_source sources[INPUTS];
    unsigned before; /* version until the change */
    unsigned after;
    unsigned reads;
    unsigned change_begin; /* reads [begin, end) have the other version */
    unsigned change_end;
} lake;

/* The version of the input that changes, now. */
static unsigned version_now(void)
{
    bool is_changed = lake.reads >= lake.change_begin && lake.reads < lake.change_end;

    return is_changed ? lake.after : lake.before;
}

static struct lith_source *bytes_of(size_t index)
{
    return index == CHANGING ? &lake.versions[version_now()].source : &lake.files[index].source;
}

static enum lith_code input_read(struct lith_source *source, uint64_t offset, void *to,
                                 size_t bytes, struct lith_err *e)
{
    struct lith_source *from = bytes_of((size_t)(source - lake.sources));

    lake.reads++;
    return lith_source_read(from, offset, to, bytes, e);
}

static void input_close(struct lith_source *source)
{
    (void)source;
}

static enum lith_code input_open(struct lith_opener *opener, size_t index,
                                 struct lith_source **ret_source, struct lith_err *e)
{
    static const struct lith_source_ops ops = {.read = input_read, .close = input_close};

    (void)opener;
    if (index == CHANGING && versions[version_now()].is_gone)
        return lith_fail(e, LITH_E_NOT_FOUND, "it is gone");
    lake.sources[index] = (struct lith_source){.ops = &ops, .size = bytes_of(index)->size};
    *ret_source = &lake.sources[index];
    return LITH_OK;
}

static void lake_make(bool in_turn)
{
    static const char *const names[INPUTS] = {"in-0.parquet", CHANGING_NAME, "in-2.parquet"};

    lith_mem_init(&test_mem, (size_t)1 << 28, NULL);
    lith_scratch_init(&test_scratch, NULL, 0);
    memset(&lake, 0, sizeof(lake));
    lake.base.open = input_open;
    for (unsigned i = 0; i < INPUTS; i++) {
        lith_spool_init(&lake.files[i], &test_mem, &test_scratch, 1 << 20);
        version_write(&lake.files[i], &versions[0], i, in_turn);
        lake.inputs[i] = (struct lith_merge_input){names[i], lake.files[i].source.size};
    }
    for (unsigned i = 0; i < VERSIONS; i++) {
        lith_spool_init(&lake.versions[i], &test_mem, &test_scratch, 1 << 20);
        version_write(&lake.versions[i], &versions[i], CHANGING, in_turn);
    }
}

static void lake_done(void)
{
    for (unsigned i = 0; i < INPUTS; i++)
        lith_spool_done(&lake.files[i]);
    for (unsigned i = 0; i < VERSIONS; i++)
        lith_spool_done(&lake.versions[i]);
    lith_mem_done(&test_mem);
}

/* How they are merged. */
struct way {
    size_t memory;
    size_t open_files_max;
    uint32_t threads;
    const char *sort_by;
    bool erases;
    enum lith_force force;
};

static const struct way ways[] = {
    {64u << 20, 0, 1, NULL, false, LITH_FORCE_NONE},
    {64u << 20, 1, 1, NULL, false, LITH_FORCE_COPY},
    {64u << 20, 1, 1, NULL, false, LITH_FORCE_RECODE},
    {256u << 20, 3, 2, NULL, false, LITH_FORCE_NONE},
    {64u << 20, 0, 1, "k", false, LITH_FORCE_NONE},
    {16u << 20, 1, 1, "k:desc,w", false, LITH_FORCE_NONE},
    {256u << 20, 3, 2, "w,k", false, LITH_FORCE_NONE},
    {64u << 20, 1, 1, NULL, true, LITH_FORCE_NONE},
};

struct outs {
    struct lith_merge_outputs base;
    struct lith_spool file;
};

static enum lith_code out_begin(struct lith_merge_outputs *base, size_t index,
                                struct lith_sink **ret_sink, struct lith_err *e)
{
    (void)index, (void)e;
    *ret_sink = &((struct outs *)base)->file.sink;
    return LITH_OK;
}

static enum lith_code out_end(struct lith_merge_outputs *base, const struct lith_merge_file *file,
                              struct lith_err *e)
{
    (void)base, (void)file, (void)e;
    return LITH_OK;
}

static bool row_goes(void *ctx, const struct lith_slice *values, size_t count)
{
    unsigned *rows = ctx;

    (void)values, (void)count;
    return ++*rows % 3 == 0;
}

static enum lith_code merge_run(const struct way *way)
{
    unsigned rows = 0;
    struct lith_merge_options options = {
        .row_group_rows = 400,
        .force = way->force,
        .sort_by = way->sort_by,
        .erase = {.columns = way->erases ? "w" : NULL, .row = row_goes, .ctx = &rows},
    };
    struct outs outs = {.base = {.begin = out_begin, .end = out_end}};
    struct lith_merge *merge = NULL;
    struct lith_scratch scratch;
    struct lith_mem mem;

    lith_mem_init(&mem, way->memory, NULL);
    lith_scratch_init(&scratch, NULL, 0);
    lith_spool_init(&outs.file, &test_mem, &test_scratch, 1 << 20);
    struct lith_work work = {.mem = &mem,
                             .scratch = &scratch,
                             .control = &control,
                             .open_files_max = way->open_files_max,
                             .threads = way->threads};
    lake.reads = 0;
    enum lith_code code =
        lith_merge_new(lake.inputs, INPUTS, &lake.base, &options, &work, &merge, &err);
    if (code == LITH_OK)
        code = lith_merge_run(merge, &outs.base, &err);
    lith_merge_free(merge);
    assert_int_equal(scratch.used, 0);
    assert_int_equal(atomic_load(&mem.used), 0);
    lith_spool_done(&outs.file);
    lith_mem_done(&mem);
    return code;
}

/* A failure names the input that changed once at most: another may be told of, or none. */
static void error_check(const struct way *way)
{
    const char *name = strstr(err.text, CHANGING_NAME);

    if (name && strstr(name + 1, CHANGING_NAME))
        fail_msg("%s to %s, read %u, way %zu: %s", versions[lake.before].name,
                 versions[lake.after].name, lake.change_begin, (size_t)(way - ways), err.text);
}

/* The change at every read of the merge, for good and for some reads. */
static unsigned change_everywhere(const struct way *way)
{
    unsigned failures = 0, reads;

    lake.change_begin = lake.change_end = 0;
    if (merge_run(way) != LITH_OK)
        return 0; /* what it was does not merge so */
    reads = lake.reads;
    for (unsigned n = 0; n < reads; n += 1 + n / 4) {
        lake.change_begin = n;
        lake.change_end = n % 2 ? n + 2 : UINT_MAX;
        if (merge_run(way) == LITH_OK)
            continue;
        failures++;
        error_check(way);
    }
    return failures;
}

/* From one version to each other, and from each to the first. */
static void changes_try(bool in_turn)
{
    unsigned failures = 0;

    lake_make(in_turn);
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        for (unsigned v = 1; v < 2 * VERSIONS; v++) {
            lake.before = v < VERSIONS ? 0 : v - VERSIONS;
            lake.after = v < VERSIONS ? v : 0;
            failures += change_everywhere(&ways[w]);
        }
    }
    assert_true(failures > 500);
    lake_done();
}

static void row_groups_that_overlap(void **state)
{
    (void)state;
    changes_try(false);
}

/* The order of keys is that of row groups: inputs are visited in turn. */
static void row_groups_in_turn(void **state)
{
    (void)state;
    changes_try(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_groups_that_overlap),
        cmocka_unit_test(row_groups_in_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
