/*
 * Random inputs merged in many ways: neither the number of threads nor that of open files shows in
 * an output, nor scratch that is short, and with another budget it has the same rows in the same
 * order. LITHIFY_ROUNDS says how many are tried.
 */
#include "support.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/spool.h"
#include "merge/merge.h"
#include "parquet/chunk_reader.h"
#include "parquet/file_writer.h"
#include "sample_schema.h"

#define INPUTS_MAX 7u
#define ROWS_MAX 24000u
#define POSITIONS_MAX ((size_t)ROWS_MAX * 4)
#define LEAVES_MAX 16u
#define OUTPUTS_MAX 400u
#define FIXED_BYTES 100u
/* Byte arrays, and what those of an input take: all inputs and outputs are in memory. */
#define LONG_BYTES_MAX ((size_t)200000)
#define COLUMN_BYTES_MAX ((size_t)3 << 20)

static struct lith_err err;
static const struct lith_control control;
static struct lith_mem test_mem; /* the test's own */
static struct lith_scratch test_scratch;
static struct lith_work test_work = {
    .mem = &test_mem, .scratch = &test_scratch, .control = &control};
static uint64_t seed;

static size_t below(size_t end)
{
    return (size_t)(test_random(&seed) % end);
}

/* The columns, of which an input may lack the last one. */
static const struct sample_node nodes[] = {
    {"schema", 8, LITH_REQUIRED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"key", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
    {"name", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, -1, 0, 0, 0},
    {"fixed", 0, LITH_OPTIONAL, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, FIXED_BYTES, -1, 0, 0, 0},
    {"number", 0, LITH_OPTIONAL, LITH_TYPE_DOUBLE, 0, -1, 0, 0, 0},
    {"small", 0, LITH_REQUIRED, LITH_TYPE_INT32, 0, -1, 0, 0, 0},
    {"flag", 0, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"list", 1, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, LITH_CONVERTED_LIST, 0, 0, 0},
    {"list", 1, LITH_REPEATED, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"element", 2, LITH_OPTIONAL, LITH_TYPE_BOOLEAN, 0, -1, 0, 0, 0},
    {"a", 0, LITH_REQUIRED, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
    {"b", 0, LITH_OPTIONAL, LITH_TYPE_BYTE_ARRAY, 0, -1, 0, 0, 0},
    {"last", 0, LITH_OPTIONAL, LITH_TYPE_INT64, 0, -1, 0, 0, 0},
};
#define NODES ((uint32_t)(sizeof(nodes) / sizeof(nodes[0])))

/* How the values of a column of one input are. */
struct taste {
    unsigned nulls;  /* of 100 positions */
    size_t distinct; /* values */
    size_t first;    /* so many values come once, before any comes again */
    size_t bytes_max;
};

/* The positions of a leaf in one row group. */
static struct {
    uint16_t defs[POSITIONS_MAX];
    uint16_t reps[POSITIONS_MAX];
    uint8_t fixed[ROWS_MAX * FIXED_BYTES];
    struct lith_slice slices[POSITIONS_MAX];
    size_t positions;
    size_t values;
} data;

static uint8_t noise[1 << 20]; /* what byte arrays are cut from */
static size_t lists[ROWS_MAX]; /* of the rows of a row group: 0 null, 1 empty, else elements + 1 */

static void lists_make(size_t rows)
{
    size_t left = POSITIONS_MAX - rows;

    for (size_t i = 0; i < rows; i++) {
        size_t count = below(2000) == 0 ? below(6000) : below(5);
        lists[i] = count <= left ? count : 0;
        left -= lists[i];
    }
}

static void value_add(const struct lith_schema_node *leaf, const struct taste *taste,
                      uint64_t number)
{
    size_t width = lith_type_width(leaf->type, leaf->type_length);
    uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);

    if (leaf->type == LITH_TYPE_BYTE_ARRAY) {
        size_t count = (size_t)(hash >> 40) % (taste->bytes_max + 1);
        size_t at = (size_t)(hash % (sizeof(noise) - count));
        data.slices[data.values++] = (struct lith_slice){noise + at, count};
        return;
    }
    uint8_t *to = data.fixed + width * data.values++;
    for (size_t i = 0; i < width; i++)
        to[i] = (uint8_t)(number >> (8 * (i % 8)));
    if (leaf->type == LITH_TYPE_BOOLEAN)
        to[0] &= 1;
}

static void position_add(const struct lith_schema_node *leaf, const struct taste *taste,
                         uint16_t rep, uint16_t def, uint64_t number)
{
    data.reps[data.positions] = rep;
    data.defs[data.positions++] = def;
    if (def == leaf->max_def)
        value_add(leaf, taste, number);
}

static uint64_t number_of(const struct taste *taste, size_t row)
{
    return row < taste->first ? row : below(taste->distinct);
}

/* A row of a flat column. */
static void flat_add(const struct lith_schema_node *leaf, const struct taste *taste, size_t row)
{
    bool is_null = leaf->max_def && below(100) < taste->nulls;

    position_add(leaf, taste, 0, is_null ? 0 : leaf->max_def, number_of(taste, row));
}

/* A row of a leaf in the list; both leaves have the same elements. */
static void list_add(const struct lith_schema_node *leaf, const struct taste *taste, size_t row,
                     size_t at)
{
    size_t count = lists[at];

    if (count < 2)
        position_add(leaf, taste, 0, (uint16_t)count, 0);
    for (size_t i = 0; i + 1 < count; i++) {
        bool is_null = leaf->max_def == 4 && below(100) < taste->nulls;
        uint16_t def = (row + i) % 7 == 0 ? 2 : is_null ? 3 : leaf->max_def;
        position_add(leaf, taste, i > 0, def, number_of(taste, row));
    }
}

/* An input, and how its columns are. */
struct input {
    size_t first_row; /* for keys */
    size_t rows;
    size_t group_rows;
    unsigned stride; /* of keys; 0: they are random */
    bool lacks_last;
    enum lith_codec codec;
    size_t pages_memory; /* of its writer: little makes small pages and dictionaries */
    struct taste tastes[LEAVES_MAX];
    struct lith_chunk_plan plans[LEAVES_MAX];
};

static void plan_random(struct input *input, uint32_t leaf, enum lith_type type)
{
    static const enum lith_encoding of_bytes[] = {
        LITH_ENCODING_PLAIN, LITH_ENCODING_DELTA_BYTE_ARRAY, LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY};
    bool is_integer = type == LITH_TYPE_INT32 || type == LITH_TYPE_INT64;

    input->plans[leaf] = (struct lith_chunk_plan){
        .codec = input->codec,
        .fallback = type == LITH_TYPE_BYTE_ARRAY  ? of_bytes[below(3)]
                    : is_integer && below(3) == 0 ? LITH_ENCODING_DELTA_BINARY_PACKED
                                                  : LITH_ENCODING_PLAIN,
        .try_dictionary = below(3) > 0,
        .bloom = below(8) == 0,
    };
}

static void taste_random(struct taste *taste, size_t rows)
{
    static const unsigned nulls[] = {0, 0, 5, 50, 100};
    static const size_t distinct[] = {1, 5, 300, 7700, 1000000};
    size_t long_max = lith_min_size(LONG_BYTES_MAX, COLUMN_BYTES_MAX / rows);

    *taste = (struct taste){.nulls = nulls[below(5)], .distinct = distinct[below(5)]};
    taste->first = below(2) ? taste->distinct + below(100) : 0;
    taste->bytes_max = 1 + below(below(8) ? 60 : long_max);
}

/* Inputs that are like each other but for some things, as those of one lake are. */
static void input_random(struct input *input, const struct input *like,
                         const struct lith_schema *schema, unsigned number)
{
    static const enum lith_codec codecs[] = {LITH_CODEC_UNCOMPRESSED, LITH_CODEC_SNAPPY,
                                             LITH_CODEC_ZSTD, LITH_CODEC_SNAPPY};
    static const size_t sizes[] = {1, 200, 3000, ROWS_MAX};
    static const size_t memories[] = {1 << 20, 4 << 20, 64 << 20};

    if (like)
        *input = *like;
    if (!like || below(4) == 0) {
        input->rows = 1 + below(sizes[below(4)]);
        input->group_rows = 1 + below(2) * below(input->rows);
        if (input->rows / input->group_rows > 20)
            input->group_rows = input->rows;
        input->codec = codecs[below(4)];
        input->pages_memory = memories[below(3)];
        for (uint32_t i = 0; i < schema->leaf_count; i++) {
            taste_random(&input->tastes[i], input->rows);
            plan_random(input, i, lith_schema_leaf(schema, i)->type);
        }
    }
    if (!like)
        input->stride = (unsigned)below(3) * 3;
    input->lacks_last = like && below(5) == 0;
    input->first_row = input->stride ? number : number * ROWS_MAX;
}

static void key_add(const struct input *input, size_t row)
{
    uint64_t key = input->stride == 6   ? below(1 << 20)
                   : input->stride == 3 ? row * INPUTS_MAX + input->first_row
                                        : row + input->first_row;

    data.reps[data.positions] = data.defs[data.positions] = 0;
    data.positions++;
    lith_store_u64(data.fixed + 8 * data.values++, key);
}

static void leaf_write(struct lith_file_writer *writer, const struct lith_schema_node *leaf,
                       const struct lith_chunk_plan *plan)
{
    size_t width = lith_type_width(leaf->type, leaf->type_length);

    MUST(lith_file_writer_chunk(writer, plan, &err));
    for (size_t at = 0, value = 0; at < data.positions;) {
        size_t end = lith_min_size(at + LITH_BATCH_POSITIONS, data.positions), values = 0;
        for (size_t i = at; i < end; i++)
            values += data.defs[i] == leaf->max_def;
        struct lith_batch batch = {
            .position_count = end - at,
            .def_levels = leaf->max_def ? data.defs + at : NULL,
            .rep_levels = leaf->max_rep ? data.reps + at : NULL,
            .values = {.type = leaf->type,
                       .width = width,
                       .count = values,
                       .fixed = width ? data.fixed + value * width : NULL,
                       .slices = width ? NULL : data.slices + value},
        };
        MUST(lith_file_writer_add(writer, &batch, &err));
        value += values;
        at = end;
    }
    MUST(lith_file_writer_chunk_end(writer, &err));
}

static void group_write(struct lith_file_writer *writer, const struct lith_schema *schema,
                        const struct input *input, size_t begin, size_t end)
{
    MUST(lith_file_writer_row_group(writer, (int64_t)(end - begin), &err));
    lists_make(end - begin);
    for (uint32_t i = 0; i < schema->leaf_count; i++) {
        const struct lith_schema_node *leaf = lith_schema_leaf(schema, i);
        data.positions = data.values = 0;
        for (size_t row = begin; row < end; row++) {
            if (i == 0)
                key_add(input, row);
            else if (leaf->max_rep)
                list_add(leaf, &input->tastes[i], row, row - begin);
            else
                flat_add(leaf, &input->tastes[i], row);
        }
        leaf_write(writer, leaf, &input->plans[i]);
    }
    MUST(lith_file_writer_row_group_end(writer, &err));
}

static void input_write(struct lith_spool *to, const struct input *input)
{
    struct lith_work work = test_work;
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_codec_context *codecs;
    struct lith_file_writer *writer;
    struct lith_schema schema = {0};
    struct sample_node mine[NODES];
    struct lith_mem mem;

    lith_mem_init(&mem, input->pages_memory, NULL);
    work.mem = &mem;
    lith_arena_init(&arena, &test_mem);
    memcpy(mine, nodes, sizeof(nodes));
    mine[0].child_count -= input->lacks_last;
    MUST(sample_schema_build(mine, NODES - input->lacks_last, &arena, &schema, &err));
    MUST(lith_codec_context_new(&test_mem, &codecs, &err));
    MUST(lith_file_writer_new(&to->sink, &schema, codecs, &work, &writer, &err));
    for (size_t row = 0; row < input->rows; row += input->group_rows)
        group_write(writer, &schema, input, row,
                    lith_min_size(row + input->group_rows, input->rows));
    MUST(lith_file_writer_finish(writer, NULL, 0, &err));
    lith_file_writer_free(writer);
    lith_codec_context_free(codecs);
    lith_mem_done(&mem);
}

/* What is merged. */
static struct {
    struct lith_opener base;
    struct lith_merge_input inputs[INPUTS_MAX];
    char names[INPUTS_MAX][16];
    struct lith_spool files[INPUTS_MAX];
    struct lith_source sources[INPUTS_MAX];
    size_t count;
} lake;

static enum lith_code input_read(struct lith_source *source, uint64_t offset, void *to,
                                 size_t bytes, struct lith_err *e)
{
    return lith_source_read(&lake.files[source - lake.sources].source, offset, to, bytes, e);
}

static void input_close(struct lith_source *source)
{
    (void)source;
}

static enum lith_code input_open(struct lith_opener *opener, size_t index,
                                 struct lith_source **ret_source, struct lith_err *e)
{
    static const struct lith_source_ops ops = {.read = input_read, .close = input_close};

    (void)opener, (void)e;
    lake.sources[index] = (struct lith_source){.ops = &ops, .size = lake.files[index].source.size};
    *ret_source = &lake.sources[index];
    return LITH_OK;
}

static void lake_make(void)
{
    static struct input inputs[INPUTS_MAX];
    LITH_AUTO(arena) struct lith_arena arena;
    struct lith_schema schema = {0};

    lith_mem_init(&test_mem, (size_t)1 << 30, NULL);
    lith_scratch_init(&test_scratch, NULL, 0);
    lith_arena_init(&arena, &test_mem);
    MUST(sample_schema_build(nodes, NODES, &arena, &schema, &err));
    lake.base.open = input_open;
    lake.count = 2 + below(INPUTS_MAX - 1);
    for (unsigned i = 0; i < lake.count; i++) {
        input_random(&inputs[i], i ? &inputs[0] : NULL, &schema, i);
        (void)snprintf(lake.names[i], sizeof(lake.names[i]), "in-%u", i);
        lith_spool_init(&lake.files[i], &test_mem, &test_scratch, SIZE_MAX);
        input_write(&lake.files[i], &inputs[i]);
        lake.inputs[i] = (struct lith_merge_input){lake.names[i], lake.files[i].source.size};
    }
}

static void lake_done(void)
{
    for (size_t i = 0; i < lake.count; i++)
        lith_spool_done(&lake.files[i]);
    lith_mem_done(&test_mem);
}

struct outs {
    struct lith_merge_outputs base;
    struct lith_spool files[OUTPUTS_MAX];
    size_t count;
};

static enum lith_code out_begin(struct lith_merge_outputs *base, size_t index,
                                struct lith_sink **ret_sink, struct lith_err *e)
{
    struct outs *outs = (struct outs *)base;

    (void)e;
    assert_true(index < OUTPUTS_MAX);
    lith_spool_init(&outs->files[index], &test_mem, &test_scratch, SIZE_MAX);
    outs->count = index + 1;
    *ret_sink = &outs->files[index].sink;
    return LITH_OK;
}

static enum lith_code out_end(struct lith_merge_outputs *base, const struct lith_merge_file *file,
                              struct lith_err *e)
{
    (void)base, (void)file, (void)e;
    return LITH_OK;
}

static void outs_done(struct outs *outs)
{
    for (size_t i = 0; i < outs->count; i++)
        lith_spool_done(&outs->files[i]);
}

static bool row_goes(void *ctx, const struct lith_slice *values, size_t count)
{
    (void)ctx, (void)count;
    return values[0].data && lith_load_u32(values[0].data) % 3 == 0;
}

/* What of a way may show: nothing but the memory. */
struct way {
    size_t memory;
    uint32_t threads;
    size_t open_files_max;
    const char *scratch;
    uint64_t scratch_bytes;
};

static enum lith_code merge_run(const struct lith_merge_options *options, const struct way *way,
                                struct outs *outs)
{
    struct lith_merge *merge = NULL;
    struct lith_scratch scratch;
    struct lith_mem mem;

    *outs = (struct outs){.base = {.begin = out_begin, .end = out_end}};
    lith_mem_init(&mem, way->memory, NULL);
    lith_scratch_init(&scratch, way->scratch, way->scratch_bytes);
    struct lith_work work = {.mem = &mem,
                             .scratch = &scratch,
                             .control = &control,
                             .open_files_max = way->open_files_max,
                             .threads = way->threads};
    enum lith_code code =
        lith_merge_new(lake.inputs, lake.count, &lake.base, options, &work, &merge, &err);
    if (code == LITH_OK)
        code = lith_merge_run(merge, &outs->base, &err);
    lith_merge_free(merge);
    assert_int_equal(scratch.used, 0);
    lith_mem_done(&mem);
    return code;
}

/* A chunk's positions go into a hash of its column, however they are cut. */
static void chunk_hash(struct lith_source *file, const struct lith_footer *footer, uint32_t group,
                       uint32_t leaf, struct lith_codec_context *codecs, struct lith_hash128 *hash)
{
    struct lith_chunk_reader *reader;
    struct lith_batch batch;
    uint64_t state[2];

    MUST(lith_chunk_reader_open(file, footer, group, leaf, codecs, &test_work, &reader, &err));
    for (;;) {
        MUST(lith_chunk_reader_next(reader, &batch, &err));
        if (batch.position_count == 0)
            break;
        uint16_t max_def = lith_schema_leaf(&footer->schema, leaf)->max_def;
        for (size_t i = 0, value = 0; i < batch.position_count; i++) {
            uint16_t def = batch.def_levels ? batch.def_levels[i] : max_def;
            struct lith_slice bytes = {NULL, 0};
            if (def == max_def)
                bytes = lith_values_at(&batch.values, value++);
            state[0] =
                hash->low ^ def ^ (uint64_t)(batch.rep_levels ? batch.rep_levels[i] : 0) << 32;
            state[1] = lith_xxh64(bytes.data, bytes.bytes) + bytes.bytes;
            hash->low = lith_xxh64(state, sizeof(state));
        }
    }
    lith_chunk_reader_close(reader);
}

/* The rows of all outputs, column by column. */
static void rows_hash(struct outs *outs, struct lith_hash128 hashes[LEAVES_MAX])
{
    struct lith_codec_context *codecs;

    memset(hashes, 0, LEAVES_MAX * sizeof(*hashes));
    MUST(lith_codec_context_new(&test_mem, &codecs, &err));
    for (size_t i = 0; i < outs->count; i++) {
        LITH_AUTO(arena) struct lith_arena arena;
        struct lith_source *file = &outs->files[i].source;
        struct lith_footer footer;
        lith_arena_init(&arena, &test_mem);
        MUST(lith_footer_read(file, &arena, &footer, &err));
        for (uint32_t group = 0; group < footer.row_group_count; group++)
            for (uint32_t leaf = 0; leaf < footer.schema.leaf_count; leaf++)
                chunk_hash(file, &footer, group, leaf, codecs, &hashes[leaf]);
    }
    lith_codec_context_free(codecs);
}

static void options_random(struct lith_merge_options *options)
{
    static const char *const keys[] = {"key",           "name",       "fixed",    "small:desc,key",
                                       "name:desc,key", "number",     "flag,key", "key:desc",
                                       "last,name",     "small,fixed"};
    static const uint64_t group_bytes[] = {0, 64 << 10, 1 << 20, 32 << 20};
    uint64_t bytes = 0;

    for (size_t i = 0; i < lake.count; i++)
        bytes += lake.inputs[i].size;
    *options = (struct lith_merge_options){
        .row_group_bytes = group_bytes[below(4)],
        .row_group_rows = below(3) ? 0 : 1 + (int64_t)below(5000),
        .force = (enum lith_force)below(3),
        .target_file_bytes = below(4) ? 0 : 1 + bytes / (1 + below(20)),
    };
    if (below(8) == 0)
        options->erase = (struct lith_erase){.columns = "small", .row = row_goes};
    else if (below(3))
        options->sort_by = keys[below(sizeof(keys) / sizeof(keys[0]))];
}

static void same_check(const struct outs *outs, const struct outs *first, const struct way *way,
                       const char *what)
{
    bool same = outs->count == first->count;

    for (size_t i = 0; same && i < outs->count; i++)
        same = outs->files[i].source.size == first->files[i].source.size &&
               memcmp(lith_spool_memory(&outs->files[i]), lith_spool_memory(&first->files[i]),
                      (size_t)outs->files[i].source.size) == 0;
    if (!same)
        fail_msg("%zu MiB, %u threads, %zu open files, %s: not the same, %s", way->memory >> 20,
                 way->threads, way->open_files_max, way->scratch, what);
}

/* All ways with one budget; the rows are hashed. */
static void ways_try(const struct lith_merge_options *options, size_t memory, const char *what,
                     struct lith_hash128 hashes[LEAVES_MAX])
{
    const struct way ways[] = {
        {memory, 1, 0, NULL, 0},
        {memory, 2, 0, NULL, 0},
        {memory, 4, 0, NULL, 0},
        {memory, 1, 1, NULL, 0},
        {memory, 3, 2 + below(3), NULL, 0},
        {memory, 1 + (uint32_t)below(4), below(6), NULL, 4 << 20},
        {memory, 1 + (uint32_t)below(4), below(3), "/nonexistent/folder", 0},
    };
    static struct outs first, outs;

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        enum lith_code code = merge_run(options, &ways[i], &outs);
        bool may_fail = i >= 5 && (code == LITH_E_LIMIT || code == LITH_E_NOT_FOUND);
        /* Threads may need more than there is: then it is said, and one of them would do. */
        may_fail = may_fail || (ways[i].threads > 1 && code == LITH_E_LIMIT);
        if (code != LITH_OK && !may_fail)
            fail_msg("way %zu, %zu MiB: %s (%s)", i, memory >> 20, err.text, what);
        if (code == LITH_OK && i > 0)
            same_check(&outs, &first, &ways[i], what);
        if (i == 0)
            first = outs;
        else
            outs_done(&outs);
    }
    rows_hash(&first, hashes);
    outs_done(&first);
}

static void all_ways_are_one(void **state)
{
    static const size_t memories[] = {16u << 20, 64u << 20, 128u << 20, 256u << 20};
    const char *text = getenv("LITHIFY_ROUNDS");
    uint64_t start = test_seed();

    (void)state;
    for (int round = 0; round < (text ? atoi(text) : 12); round++) {
        struct lith_hash128 first[LEAVES_MAX], hashes[LEAVES_MAX];
        struct lith_merge_options options;
        char what[200];
        seed = start + (uint64_t)round;
        for (size_t i = 0; i < sizeof(noise); i += 8)
            lith_store_u64(noise + i, test_random(&seed));
        lake_make();
        options_random(&options);
        (void)snprintf(
            what, sizeof(what), "LITHIFY_SEED=%" PRIu64 " LITHIFY_ROUNDS=1, %zu inputs, %s",
            start + (uint64_t)round, lake.count, options.sort_by ? options.sort_by : "not sorted");
        for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++) {
            ways_try(&options, memories[i], what, hashes);
            if (i == 0)
                memcpy(first, hashes, sizeof(first));
            if (memcmp(first, hashes, sizeof(first)) != 0)
                fail_msg("%zu MiB: other rows than with less, %s", memories[i] >> 20, what);
        }
        lake_done();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_are_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
