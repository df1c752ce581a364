/*
 * Decoders: whatever the bytes, a body in memory and one read through small windows end the same
 * way, with the same values, and success means every value. The first bytes choose encoding, type,
 * type length, counts and the size of a dictionary taken from the front of the rest.
 */
#include <stdlib.h>

#include "parquet/decoder.h"

/* Small, so that windows hold 2 KiB and limits are met. */
#define BUDGET ((size_t)512 * 1024)
#define HEAD_BYTES 7

struct outcome {
    enum lith_code code;
    uint64_t values;
    uint64_t bytes;
    uint64_t digest; /* of all values, whatever the batches */
};

static void digest_values(struct outcome *o, const struct lith_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        for (size_t k = 0; k < value.bytes; k++)
            o->digest = (o->digest ^ value.data[k]) * 0x100000001b3u;
        o->digest = (o->digest ^ value.bytes) * 0x100000001b3u;
        o->bytes += value.bytes;
    }
    o->values += values->count;
}

static struct outcome decode(struct lith_decoder_options *options, size_t step)
{
    struct outcome o = {.code = LITH_OK};
    struct lith_decoder *decoder = NULL;
    struct lith_err err;

    o.code = lith_decoder_open(options, &decoder, &err);
    /* a few bytes can stand for very many values: see some of them */
    while (o.code == LITH_OK && o.values < options->value_count && o.bytes < (1u << 22)) {
        struct lith_values values;
        o.code = lith_decoder_next(decoder, step, &values, &err);
        if (o.code == LITH_OK)
            digest_values(&o, &values);
    }
    if (o.code == LITH_OK && lith_decoder_left(decoder) > options->end)
        abort();
    lith_decoder_close(decoder);
    return o;
}

/* Decodes with the dictionary and the values in memory or both in sources. */
static struct outcome run(const uint8_t *data, size_t size, bool in_memory)
{
    struct lith_mem mem;
    struct lith_control control = {0};
    struct lith_work work = {.mem = &mem, .control = &control};
    struct lith_memory_source source;
    struct lith_dictionary dictionary = {0};
    struct lith_err err;
    enum lith_type type = (enum lith_type)(data[1] % LITH_TYPE_COUNT);
    int32_t type_length = data[2] % 40;
    size_t front = data[6] < size - HEAD_BYTES ? data[6] : size - HEAD_BYTES;
    size_t step = in_memory ? 4096 : (size_t)data[2] + 1;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_memory_source_init(&source, data, size);
    struct lith_body body = {
        .data = in_memory ? data : NULL, .source = &source.base, .bytes = size};
    struct lith_body entries = {.data = in_memory ? data + HEAD_BYTES : NULL,
                                .source = &source.base,
                                .offset = HEAD_BYTES,
                                .bytes = front};
    bool known = lith_dictionary_init(&dictionary, type, type_length, data[5], &entries, &work,
                                      &err) == LITH_OK;
    struct lith_decoder_options options = {
        .encoding = (enum lith_encoding)(data[0] % (LITH_ENCODING_COUNT + 1)),
        .type = type,
        .type_length = type_length,
        .value_count = (uint64_t)data[3] | (uint64_t)data[4] << 8,
        .body = &body,
        .begin = HEAD_BYTES + front,
        .end = size,
        .dictionary = known ? &dictionary : NULL,
        .work = &work,
    };
    struct outcome o = decode(&options, step);
    lith_dictionary_done(&dictionary);
    lith_mem_done(&mem);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    struct outcome memory = run(data, size, true);
    struct outcome source = run(data, size, false);
    bool limited = memory.code == LITH_E_LIMIT || source.code == LITH_E_LIMIT;
    bool cut = memory.bytes >= (1u << 22) || source.bytes >= (1u << 22);

    if (limited || cut)
        return 0;
    if (memory.code != source.code)
        abort();
    if (memory.code == LITH_OK &&
        (memory.values != source.values || memory.digest != source.digest))
        abort();
    return 0;
}
