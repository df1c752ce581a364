/*
 * Writes a file with every type for other engines to read: write_sample PATH ROWS MEMORY.
 *
 * Not a test by itself: tests/py/writer_check.py computes the same values by the same formulas
 * and compares. Value i of column c comes from mix(i, c), the splitmix64 of i * 64 + c.
 */
#include "support.h"

#include "base/file.h"
#include "parquet/file_writer.h"
#include "sample_schema.h"

#define G(name, children, repetition, converted)                                                   \
    {                                                                                              \
        name, children, repetition, LITH_TYPE_BOOLEAN, 0, converted, 0, 0, 0                       \
    }
#define L(name, repetition, type, length, converted)                                               \
    {                                                                                              \
        name, 0, repetition, LITH_TYPE_##type, length, LITH_CONVERTED_##converted, 0, 0, 0         \
    }

static const struct sample_node nodes[] = {
    G("schema", 24, LITH_REQUIRED, -1),
    L("flag", LITH_REQUIRED, BOOLEAN, 0, NONE),
    L("i32", LITH_OPTIONAL, INT32, 0, NONE),
    L("i64", LITH_REQUIRED, INT64, 0, NONE),
    L("f32", LITH_OPTIONAL, FLOAT, 0, NONE),
    L("f64", LITH_REQUIRED, DOUBLE, 0, NONE),
    L("word", LITH_OPTIONAL, BYTE_ARRAY, 0, UTF8),
    L("unique", LITH_REQUIRED, BYTE_ARRAY, 0, UTF8),
    L("bytes", LITH_OPTIONAL, BYTE_ARRAY, 0, NONE),
    L("fixed", LITH_REQUIRED, FIXED_LEN_BYTE_ARRAY, 5, NONE),
    {"decimal", 0, LITH_OPTIONAL, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 9, LITH_CONVERTED_DECIMAL, 2, 20,
     0},
    L("u32", LITH_REQUIRED, INT32, 0, UINT_32),
    L("stamp", LITH_OPTIONAL, INT64, 0, TIMESTAMP_MICROS),
    L("date", LITH_REQUIRED, INT32, 0, DATE),
    {"half", 0, LITH_REQUIRED, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 2, -1, 0, 0, LITH_LOGICAL_FLOAT16},
    {"uuid", 0, LITH_REQUIRED, LITH_TYPE_FIXED_LEN_BYTE_ARRAY, 16, -1, 0, 0, LITH_LOGICAL_UUID},
    L("nothing", LITH_OPTIONAL, BYTE_ARRAY, 0, UTF8),
    L("key", LITH_REQUIRED, INT64, 0, NONE),
    L("mixed", LITH_REQUIRED, BYTE_ARRAY, 0, UTF8),
    L("int96", LITH_REQUIRED, INT96, 0, NONE),
    G("numbers", 1, LITH_OPTIONAL, LITH_CONVERTED_LIST),
    G("list", 1, LITH_REPEATED, -1),
    L("element", LITH_OPTIONAL, INT32, 0, NONE),
    G("words", 1, LITH_OPTIONAL, LITH_CONVERTED_LIST),
    G("list", 1, LITH_REPEATED, -1),
    G("element", 1, LITH_OPTIONAL, LITH_CONVERTED_LIST),
    G("list", 1, LITH_REPEATED, -1),
    L("element", LITH_OPTIONAL, BYTE_ARRAY, 0, UTF8),
    G("pair", 2, LITH_OPTIONAL, -1),
    L("a", LITH_OPTIONAL, INT64, 0, NONE),
    L("b", LITH_REQUIRED, DOUBLE, 0, NONE),
    G("map", 1, LITH_OPTIONAL, LITH_CONVERTED_MAP),
    G("key_value", 2, LITH_REPEATED, -1),
    L("key", LITH_REQUIRED, BYTE_ARRAY, 0, UTF8),
    L("value", LITH_OPTIONAL, INT32, 0, NONE),
    L("sorted", LITH_REQUIRED, BYTE_ARRAY, 0, UTF8),
};

static struct lith_err err;

/* The batch being made: at most BATCH rows' positions. */
#define BATCH 700u
#define POSITIONS_MAX (BATCH * 16)
static uint16_t defs[POSITIONS_MAX], reps[POSITIONS_MAX];
static uint8_t fixed[POSITIONS_MAX * 16];
static char text[POSITIONS_MAX][80];
static struct lith_slice slices[POSITIONS_MAX];
static size_t positions, values;

static uint64_t mix(uint64_t i, uint64_t column)
{
    uint64_t state = i * 64 + column;

    return test_random(&state);
}

static void must(enum lith_code code)
{
    if (code != LITH_OK) {
        (void)fprintf(stderr, "%s: %s\n", lith_code_name(code), err.text);
        exit(1);
    }
}

static void add(uint16_t rep, uint16_t def)
{
    reps[positions] = rep;
    defs[positions++] = def;
}

static void put(const void *value, size_t width)
{
    memcpy(fixed + values++ * width, value, width);
}

__attribute__((format(printf, 1, 2))) static void put_text(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int bytes = vsnprintf(text[values], sizeof(text[0]), format, args);
    va_end(args);
    slices[values] = (struct lith_slice){(const uint8_t *)text[values], (size_t)bytes};
    values++;
}

static void put_u32(uint32_t value)
{
    put(&value, sizeof(value));
}

static void put_u64(uint64_t value)
{
    put(&value, sizeof(value));
}

/* The flat columns: names say what they are; h is the row's mix. */
static void flat_row(const char *name, uint64_t i, uint64_t h, bool optional)
{
    bool null = optional && (strcmp(name, "nothing") == 0 || h % 7 == 0);

    add(0, null ? 0 : 1);
    if (null)
        return;
    if (strcmp(name, "flag") == 0) {
        uint8_t flag = h >> 8 & 1;
        put(&flag, 1);
    } else if (strcmp(name, "i32") == 0 || strcmp(name, "u32") == 0) {
        put_u32((uint32_t)(h >> 16));
    } else if (strcmp(name, "i64") == 0) {
        put_u64(i * 3);
    } else if (strcmp(name, "f32") == 0) {
        float value = h % 11 == 0 ? __builtin_nanf("") : (float)(int32_t)(h >> 40) / 8;
        put(&value, 4);
    } else if (strcmp(name, "f64") == 0) {
        double value = (double)(int32_t)(h >> 32) / 16;
        put(&value, 8);
    } else if (strcmp(name, "word") == 0) {
        put_text("value-%" PRIu64, h >> 8 & 63);
    } else if (strcmp(name, "unique") == 0) {
        put_text("row-%" PRIu64 "-unique", i);
    } else if (strcmp(name, "bytes") == 0) {
        put_text("%" PRIx64, h >> (h >> 58));
    } else if (strcmp(name, "fixed") == 0) {
        put(&h, 5);
    } else if (strcmp(name, "decimal") == 0) {
        uint64_t be = __builtin_bswap64(h >> 8);
        uint8_t bytes[9] = {(h & 1) ? 0xff : 0}; /* h >> 8, less 2^64 in every other row */
        memcpy(bytes + 1, &be, 8);
        put(bytes, 9);
    } else if (strcmp(name, "stamp") == 0) {
        put_u64(1700000000000000u + h % 1000000000000u);
    } else if (strcmp(name, "date") == 0) {
        put_u32((uint32_t)(h % 20000));
    } else if (strcmp(name, "half") == 0) {
        uint16_t half = (uint16_t)(0x3c00 + h % 1024); /* 1 to 2 */
        put(&half, 2);
    } else if (strcmp(name, "uuid") == 0) {
        uint64_t both[2] = {h, i};
        put(both, 16);
    } else if (strcmp(name, "key") == 0) {
        put_u64(h % 1000);
    } else if (strcmp(name, "mixed") == 0) {
        if (i % 60000 < 30000)
            put_text("low-%" PRIu64, h % 100);
        else
            put_text("%064" PRIu64, i);
    } else if (strcmp(name, "int96") == 0) {
        uint64_t nanos = h % 86400 * 1000000000u;
        uint32_t day = 2440588 + (uint32_t)(i % 10000);
        uint8_t bytes[12];
        memcpy(bytes, &nanos, 8);
        memcpy(bytes + 8, &day, 4);
        put(bytes, 12);
    } else {
        put_text("%08" PRIu64, i / 10); /* sorted */
    }
}

/* numbers: h % 5: null, empty, then 1 to 3 elements, every fourth null. */
static void numbers_row(uint64_t h)
{
    uint64_t count = h % 5;

    if (count < 2) {
        add(0, (uint16_t)count);
        return;
    }
    for (uint64_t k = 0; k + 1 < count; k++) {
        bool null = (h >> (8 + 2 * k) & 3) == 0;
        add(k > 0, null ? 2 : 3);
        if (!null)
            put_u32((uint32_t)(h >> 20) + (uint32_t)k);
    }
}

/* words: h % 4 inner lists less one (0: null, 1: empty); each inner has (h >> 4k) % 3 elements. */
static void words_row(uint64_t h)
{
    uint64_t outer = h % 4;

    if (outer < 2) {
        add(0, (uint16_t)outer);
        return;
    }
    for (uint64_t k = 0; k + 1 < outer; k++) {
        uint64_t inner = (h >> (4 * k + 8)) % 4; /* 0: null, 1: empty */
        if (inner < 2)
            add(k > 0, (uint16_t)(2 + inner));
        for (uint64_t m = 0; m + 1 < inner; m++) {
            add(m > 0 ? 2 : k > 0, 5);
            put_text("w%" PRIu64, (h >> 16 & 31) + k + m);
        }
    }
}

/* pair: null at h % 5 == 0; a is null at h % 3 == 0. */
static void pair_row(uint64_t h, bool is_a)
{
    bool null = h % 5 == 0;

    add(0, null ? 0 : is_a && h % 3 ? 2 : 1);
    if (is_a && !null && h % 3)
        put_u64(h >> 1);
    if (!is_a && !null) {
        double value = (double)(h >> 40);
        put(&value, 8);
    }
}

/* map: h % 3 entries (always a map); values null at every other. */
static void map_row(uint64_t h, bool is_key)
{
    uint64_t count = h % 3;

    if (count == 0)
        add(0, 1);
    for (uint64_t k = 0; k < count; k++) {
        bool null = !is_key && (h + k) % 2;
        add(k > 0, is_key || null ? 2 : 3);
        if (is_key)
            put_text("key-%" PRIu64, (h >> 8 & 255) + k);
        else if (!null)
            put_u32((uint32_t)(h >> 32));
    }
}

static void make_row(uint32_t leaf, const struct lith_schema *schema, uint64_t i)
{
    const struct lith_schema_node *node = lith_schema_leaf(schema, leaf);
    char name[32];

    (void)snprintf(name, sizeof(name), "%.*s", LITH_SLICE_ARGS(node->name));
    if (leaf == 19)
        numbers_row(mix(i, 19));
    else if (leaf == 20)
        words_row(mix(i, 20));
    else if (leaf == 21 || leaf == 22)
        pair_row(mix(i, 21), leaf == 21);
    else if (leaf == 23 || leaf == 24)
        map_row(mix(i, 23), leaf == 23);
    else
        flat_row(name, i, mix(i, leaf), node->max_def > 0);
}

static struct lith_chunk_plan plan_of(const struct lith_schema_node *node, uint32_t leaf)
{
    static const enum lith_codec codecs[] = {LITH_CODEC_ZSTD,   LITH_CODEC_SNAPPY,
                                             LITH_CODEC_GZIP,   LITH_CODEC_UNCOMPRESSED,
                                             LITH_CODEC_BROTLI, LITH_CODEC_LZ4_RAW};
    struct lith_chunk_plan plan = {.codec = codecs[leaf % 6], .fallback = LITH_ENCODING_PLAIN};

    plan.try_dictionary = leaf != 2 && leaf != 4 && leaf != 7 && leaf != 8;
    plan.bloom = leaf == 1 || leaf == 5 || leaf == 6 || leaf == 16 || leaf == 17 || leaf == 20;
    if (leaf == 2 || leaf == 12)
        plan.fallback = LITH_ENCODING_DELTA_BINARY_PACKED;
    if (leaf == 4)
        plan.fallback = LITH_ENCODING_BYTE_STREAM_SPLIT;
    if (leaf == 6 || leaf == 14)
        plan.fallback = LITH_ENCODING_DELTA_BYTE_ARRAY;
    if (leaf == 7 || leaf == 17)
        plan.fallback = LITH_ENCODING_DELTA_LENGTH_BYTE_ARRAY;
    if (node->type == LITH_TYPE_BOOLEAN)
        plan.fallback = LITH_ENCODING_RLE;
    return plan;
}

static void write_chunk(struct lith_file_writer *writer, const struct lith_schema *schema,
                        uint32_t leaf, uint64_t begin, uint64_t end)
{
    const struct lith_schema_node *node = lith_schema_leaf(schema, leaf);
    struct lith_chunk_plan plan = plan_of(node, leaf);
    bool is_text = node->type == LITH_TYPE_BYTE_ARRAY;

    must(lith_file_writer_chunk(writer, &plan, &err));
    for (uint64_t i = begin; i < end;) {
        positions = 0;
        values = 0;
        for (uint64_t stop = i + BATCH; i < end && i < stop; i++)
            make_row(leaf, schema, i);
        struct lith_batch batch = {
            .position_count = positions,
            .def_levels = node->max_def ? defs : NULL,
            .rep_levels = node->max_rep ? reps : NULL,
            .values = {.type = node->type,
                       .width = lith_type_width(node->type, node->type_length),
                       .count = values,
                       .fixed = is_text ? NULL : fixed,
                       .slices = is_text ? slices : NULL},
        };
        must(lith_file_writer_add(writer, &batch, &err));
    }
    must(lith_file_writer_chunk_end(writer, &err));
}

static void write_file(struct lith_sink *sink, const struct lith_work *work, uint64_t rows)
{
    struct lith_key_value key_values[] = {
        {lith_slice_text("empty"), lith_slice_text("")},
        {lith_slice_text("blob"), lith_slice_text("between row groups and indexes")},
    };
    struct lith_codec_context *codecs;
    struct lith_file_writer *writer;
    struct lith_arena arena;
    struct lith_schema schema;
    uint64_t offset;

    lith_arena_init(&arena, work->mem);
    must(sample_schema_build(nodes, sizeof(nodes) / sizeof(nodes[0]), &arena, &schema, &err));
    must(lith_codec_context_new(work->mem, &codecs, &err));
    must(lith_file_writer_new(sink, &schema, codecs, work, &writer, &err));
    for (uint64_t begin = 0; begin < rows; begin += 60000) {
        uint64_t end = begin + 60000 < rows ? begin + 60000 : rows;
        must(lith_file_writer_row_group(writer, (int64_t)(end - begin), &err));
        for (uint32_t leaf = 0; leaf < schema.leaf_count; leaf++)
            write_chunk(writer, &schema, leaf, begin, end);
        must(lith_file_writer_row_group_end(writer, &err));
    }
    must(lith_file_writer_blob(writer, "a blob", 6, &offset, &err));
    must(lith_file_writer_finish(writer, key_values, 2, &err));
    lith_file_writer_free(writer);
    lith_codec_context_free(codecs);
    lith_arena_done(&arena);
}

int main(int argc, char **argv)
{
    static const struct lith_control control;
    struct lith_scratch scratch;
    struct lith_mem mem;
    struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
    struct lith_file_sink sink;
    int fd;

    if (argc != 4) {
        (void)fprintf(stderr, "usage: write_sample PATH ROWS MEMORY\n");
        return 2;
    }
    lith_mem_init(&mem, (size_t)strtoull(argv[3], NULL, 10), NULL);
    lith_scratch_init(&scratch, NULL, 0);
    must(lith_file_create(AT_FDCWD, argv[1], 0644, &fd, &err));
    must(lith_file_sink_init(&sink, fd, argv[1], &mem, &err));
    write_file(&sink.base, &work, strtoull(argv[2], NULL, 10));
    must(lith_file_sink_flush(&sink, &err));
    lith_file_sink_done(&sink);
    lith_fd_close(fd);
    (void)printf("peak %zu\n", atomic_load(&mem.peak));
    lith_mem_done(&mem);
    return 0;
}
