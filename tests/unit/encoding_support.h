/*
 * What the tests of encodings share: a budget, bodies in memory and in a source, values made from
 * seeds, and decoding to the end.
 */
#ifndef LITH_TESTS_ENCODING_SUPPORT_H
#define LITH_TESTS_ENCODING_SUPPORT_H

#include "support.h"

#include "base/buf.h"
#include "base/work.h"
#include "parquet/decoder.h"
#include "parquet/encoder.h"
#include "parquet/rle.h"

/* Small, so that windows over a source hold 2 KiB and batches 32 KiB. */
#define SMALL_BUDGET ((size_t)512 * 1024)
#define LARGE_BUDGET ((size_t)256 * 1024 * 1024)

static struct lith_err err;
static struct lith_mem mem; /* of the test itself */

struct bench {
    struct lith_mem mem;
    struct lith_control control;
    struct lith_work work;
    struct lith_memory_source source;
};

static inline void bench_init(struct bench *b, size_t budget)
{
    memset(b, 0, sizeof(*b));
    lith_mem_init(&b->mem, budget, NULL);
    b->work = (struct lith_work){.mem = &b->mem, .control = &b->control};
}

/* The body over `bytes` bytes of `data`, which outlives it. */
static inline struct lith_body bench_body(struct bench *b, const uint8_t *data, size_t bytes,
                                          bool in_memory)
{
    if (in_memory)
        return (struct lith_body){.data = data, .bytes = bytes};
    lith_memory_source_init(&b->source, data, bytes);
    return (struct lith_body){.source = &b->source.base, .bytes = bytes};
}

/* Appends values; byte arrays behind their lengths. */
static inline void values_flatten(const struct lith_values *values, struct lith_buf *to)
{
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        uint8_t length[4];
        lith_store_u32(length, (uint32_t)value.bytes);
        if (values->slices)
            MUST(lith_buf_append(to, length, 4, &err));
        MUST(lith_buf_append(to, value.data, value.bytes, &err));
    }
}

/* Decodes all values with batches of at most `step`, flattened into `to`. */
static inline enum lith_code decode_all(const struct lith_decoder_options *options, size_t step,
                                        struct lith_buf *to, uint64_t *ret_left)
{
    struct lith_decoder *decoder = NULL;
    uint64_t done = 0;
    enum lith_code code = lith_decoder_open(options, &decoder, &err);

    while (code == LITH_OK && done < options->value_count) {
        struct lith_values values;
        code = lith_decoder_next(decoder, step, &values, &err);
        if (code != LITH_OK)
            break;
        assert_true(values.count >= 1);
        assert_true(values.count <= step);
        assert_true(values.count <= options->value_count - done);
        assert_int_equal(values.type, options->type);
        assert_true((values.fixed == NULL) != (values.slices == NULL));
        values_flatten(&values, to);
        done += values.count;
    }
    if (code == LITH_OK && ret_left)
        *ret_left = lith_decoder_left(decoder);
    lith_decoder_close(decoder);
    return code;
}

/* Values of one type made from a seed, with the memory they stand in. */
struct sample {
    struct lith_values values;
    int32_t type_length;
    struct lith_buf bytes;
    struct lith_slice *slices;
};

enum shape { SHAPE_EQUAL, SHAPE_RISING, SHAPE_RANDOM, SHAPE_EDGES, SHAPE_RUNS, SHAPE_COUNT };

static inline uint64_t sample_number(enum shape shape, size_t i, uint64_t *random)
{
    static const uint64_t edges[] = {
        0,
        1,
        UINT64_MAX,
        (uint64_t)INT64_MIN,
        INT64_MAX,
        (uint32_t)INT32_MIN,
        INT32_MAX,
        UINT32_MAX,
        0x8000000080000000u, /* -0 as FLOAT and as DOUBLE */
        0x7ff8dead7fc0beefu, /* NaN with a payload */
        0xfff0000000000001u,
        0xff800001ff800001u,
    };

    switch (shape) {
    case SHAPE_EQUAL:
        return 42;
    case SHAPE_RISING:
        return 1000000 + i * 3 + test_random(random) % 3;
    case SHAPE_EDGES:
        return edges[test_random(random) % (sizeof(edges) / sizeof(edges[0]))];
    case SHAPE_RUNS:
        return i / 19 % 5;
    case SHAPE_RANDOM:
    case SHAPE_COUNT:
        break;
    }
    return test_random(random);
}

/* A byte array: a prefix that many share, then some bytes; sometimes empty, sometimes long. */
static inline size_t sample_string(enum shape shape, size_t i, uint64_t *random, uint8_t to[3000])
{
    uint64_t number = sample_number(shape, i, random);
    size_t prefix = shape == SHAPE_EDGES ? test_random(random) % 300 : number % 3 * 20;
    size_t suffix = number % 9;

    if (shape == SHAPE_EDGES && test_random(random) % 50 == 0)
        suffix += 2600;
    memset(to, 'p', prefix);
    for (size_t k = 0; k < suffix; k++)
        to[prefix + k] = (uint8_t)(number >> (k % 8 * 8));
    return prefix + suffix;
}

static inline void sample_init(struct sample *s, enum lith_type type, int32_t type_length,
                               enum shape shape, size_t count, uint64_t seed)
{
    uint64_t random = seed;
    uint8_t value[3000];
    void *slices;

    memset(s, 0, sizeof(*s));
    s->type_length = type_length;
    s->values = (struct lith_values){
        .type = type, .width = lith_type_width(type, type_length), .count = count};
    lith_buf_init(&s->bytes, &mem, SIZE_MAX);
    MUST(lith_buf_reserve(&s->bytes, 1, &err));
    MUST(lith_alloc_array(&mem, count, sizeof(*s->slices), &slices, &err));
    s->slices = slices;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = s->values.width;
        if (type == LITH_TYPE_BYTE_ARRAY) {
            bytes = sample_string(shape, i, &random, value);
        } else if (type == LITH_TYPE_BOOLEAN) {
            value[0] = sample_number(shape, i, &random) & 1;
        } else {
            for (size_t k = 0; k < bytes; k += 8)
                lith_store_u64(value + k, sample_number(shape, i, &random));
        }
        s->slices[i].bytes = bytes;
        MUST(lith_buf_append(&s->bytes, value, bytes, &err));
    }
    const uint8_t *at = s->bytes.data;
    for (size_t i = 0; i < count; i++) {
        s->slices[i].data = at;
        at += s->slices[i].bytes;
    }
    if (type == LITH_TYPE_BYTE_ARRAY)
        s->values.slices = s->slices;
    else
        s->values.fixed = s->bytes.data;
}

static inline void sample_done(struct sample *s)
{
    lith_buf_done(&s->bytes);
    lith_free(s->slices);
}

static inline int encoding_setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, (size_t)1 << 30, NULL);
    return 0;
}

static inline int encoding_teardown(void **state)
{
    (void)state;
    assert_int_equal(mem.used, 0);
    return 0;
}

#endif
