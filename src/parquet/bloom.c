/*
 * Split-block bloom filters: 32-byte blocks of eight words; a value sets one bit in each word of
 * one block. BloomFilter.md; parquet-splice.md section 4.
 */
#include "parquet/bloom.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/hash.h"
#include "base/limits.h"
#include "parquet/thrift.h"

#define BLOCK_BYTES 32u
#define BLOCK_WORDS 8u
/* The header has four small fields; longer ones hold fields we do not know. */
#define HEADER_BYTES_MAX 256u

static const uint32_t salts[BLOCK_WORDS] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                            0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};

uint32_t lith_bloom_bytes(uint64_t distinct, uint32_t one_in)
{
    /* BloomFilter.md: bits = -8 n / ln(1 - p^(1/8)). */
    double bits =
        -8.0 * (double)distinct / log(1.0 - pow(1.0 / (double)one_in, 1.0 / (double)BLOCK_WORDS));
    uint32_t bytes = LITH_BLOOM_BYTES_MIN;

    while (bytes < LITH_BLOOM_BYTES_MAX && (double)bytes * 8.0 < bits)
        bytes *= 2;
    return bytes;
}

enum lith_code lith_bloom_init(struct lith_bloom *bloom, struct lith_mem *mem, uint32_t bytes,
                               struct lith_err *err)
{
    void *bits;

    LITH_ASSERT(bytes >= LITH_BLOOM_BYTES_MIN);
    LITH_ASSERT(bytes % BLOCK_BYTES == 0);
    LITH_TRY(lith_alloc_array(mem, bytes, 1, &bits, err));
    *bloom = (struct lith_bloom){.bits = bits, .bytes = bytes, .mem = mem};
    return LITH_OK;
}

void lith_bloom_done(struct lith_bloom *bloom)
{
    lith_free(bloom->bits);
    *bloom = (struct lith_bloom){.bits = NULL};
}

static uint8_t *hash_block(const struct lith_bloom *bloom, uint64_t hash)
{
    uint64_t block = ((hash >> 32) * (bloom->bytes / BLOCK_BYTES)) >> 32;

    return bloom->bits + block * BLOCK_BYTES;
}

void lith_bloom_add_hash(struct lith_bloom *bloom, uint64_t hash)
{
    uint8_t *block = hash_block(bloom, hash);

    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        uint32_t bit = ((uint32_t)hash * salts[i]) >> 27;
        lith_store_u32(block + 4 * i, lith_load_u32(block + 4 * i) | 1u << bit);
    }
}

bool lith_bloom_has_hash(const struct lith_bloom *bloom, uint64_t hash)
{
    const uint8_t *block = hash_block(bloom, hash);
    uint32_t missing = 0;

    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        uint32_t bit = ((uint32_t)hash * salts[i]) >> 27;
        missing |= ~lith_load_u32(block + 4 * i) & 1u << bit;
    }
    return missing == 0;
}

void lith_bloom_add(struct lith_bloom *bloom, const struct lith_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        struct lith_slice value = lith_values_at(values, i);
        lith_bloom_add_hash(bloom, lith_xxh64(value.data, value.bytes));
    }
}

/* The chance that a value not added finds its bits set in the union of two blocks. */
static double block_rate(const uint8_t *a, const uint8_t *b)
{
    double rate = 1;

    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        uint32_t word = lith_load_u32(a + 4 * i) | lith_load_u32(b + 4 * i);
        rate *= (double)__builtin_popcount(word) / 32.0;
    }
    return rate;
}

/* The rate once every `step` neighbouring blocks (1 or 2) are one. */
static double folded_rate(const struct lith_bloom *bloom, uint32_t step)
{
    uint32_t count = bloom->bytes / BLOCK_BYTES / step;
    double sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *first = bloom->bits + (size_t)i * step * BLOCK_BYTES;
        sum += block_rate(first, first + (size_t)(step - 1) * BLOCK_BYTES);
    }
    return sum / (double)count;
}

double lith_bloom_rate(const struct lith_bloom *bloom)
{
    return folded_rate(bloom, 1);
}

/* ORs each `step` neighbouring blocks of `from`, which may be `to` itself, into one block of
 * `to`; what was in `to` goes where `adds` is false. */
static void blocks_join(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t step, bool adds)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t joined[BLOCK_BYTES] = {0};
        uint8_t *block = to + (size_t)i * BLOCK_BYTES;
        const uint8_t *first = from + (size_t)i * step * BLOCK_BYTES;
        for (size_t j = 0; j < (size_t)step * BLOCK_BYTES; j++)
            joined[j % BLOCK_BYTES] |= first[j];
        for (size_t j = 0; j < BLOCK_BYTES; j++)
            block[j] = adds ? block[j] | joined[j] : joined[j];
    }
}

/* The block of a hash is floor(h * blocks / 2^32), so in a k-th of the blocks it is at a k-th of
 * the index: neighbours join, and every value added is still found. */
static void fold_by(struct lith_bloom *bloom, uint32_t step)
{
    if (step == 1)
        return;
    bloom->bytes /= step;
    blocks_join(bloom->bits, bloom->bits, bloom->bytes / BLOCK_BYTES, step, false);
}

void lith_bloom_fold(struct lith_bloom *bloom, uint32_t one_in)
{
    while (bloom->bytes / BLOCK_BYTES % 2 == 0 && folded_rate(bloom, 2) <= 1.0 / (double)one_in)
        fold_by(bloom, 2);
}

bool lith_bloom_or(struct lith_bloom *into, const struct lith_bloom *from)
{
    if (into->bytes % from->bytes == 0)
        fold_by(into, into->bytes / from->bytes);
    else if (from->bytes % into->bytes != 0)
        return false;
    blocks_join(into->bits, from->bits, into->bytes / BLOCK_BYTES, from->bytes / into->bytes, true);
    return true;
}

bool lith_bloom_is_useful(const struct lith_bloom *bloom, uint32_t one_in)
{
    return __builtin_popcount(bloom->bytes) == 1 && lith_bloom_rate(bloom) <= 1.0 / (double)one_in;
}

enum lith_code lith_bloom_write(const struct lith_bloom *bloom, struct lith_buf *to,
                                struct lith_err *err)
{
    struct lith_thrift_writer w;

    lith_thrift_writer_init(&w, to, err);
    lith_thrift_write_i32(&w, 1, (int32_t)bloom->bytes);
    for (int16_t id = 2; id <= 4; id++) { /* unions, member 1: BLOCK, XXHASH, UNCOMPRESSED */
        lith_thrift_write_struct(&w, id);
        lith_thrift_write_struct(&w, 1);
        lith_thrift_write_stop(&w);
        lith_thrift_write_stop(&w);
    }
    lith_thrift_write_stop(&w);
    LITH_TRY(w.code);
    return lith_buf_append(to, bloom->bits, bloom->bytes, err);
}

/* The member that a union has; 0 when it has none. */
static int16_t union_member(struct lith_cursor *c, struct lith_thrift_field field)
{
    struct lith_thrift_field member;
    int16_t last_id = 0, id = 0;

    if (!lith_thrift_struct(c, field))
        return 0;
    while (lith_thrift_field_next(c, &last_id, &member)) {
        id = member.id;
        lith_thrift_skip(c, member.type);
    }
    return id;
}

static enum lith_code header_parse(struct lith_cursor *c, uint32_t *ret_bytes, struct lith_err *err)
{
    struct lith_thrift_field field;
    int16_t last_id = 0;
    int16_t members[5] = {0};
    int32_t bytes = -1;

    while (lith_thrift_field_next(c, &last_id, &field)) {
        if (field.id == 1)
            bytes = lith_thrift_i32(c, field);
        else if (field.id >= 2 && field.id <= 4)
            members[field.id] = union_member(c, field);
        else
            lith_thrift_skip(c, field.type);
    }
    if (c->failed)
        return lith_fail(err, LITH_E_CORRUPT, "the header of a bloom filter cannot be read");
    if (members[2] != 1 || members[3] != 1 || members[4] != 1)
        return lith_fail(err, LITH_E_UNSUPPORTED,
                         "a bloom filter of algorithm %d, hash %d, compression %d; only 1, 1, 1 "
                         "(block, xxHash, uncompressed) is known",
                         members[2], members[3], members[4]);
    if (bytes <= 0 || (uint32_t)bytes % BLOCK_BYTES != 0)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a bloom filter of %d bytes, expected a multiple of %u", bytes,
                         BLOCK_BYTES);
    if ((uint32_t)bytes > LITH_BLOOM_BYTES_MAX)
        return lith_fail(err, LITH_E_LIMIT, "a bloom filter of %d bytes, at most %u are read",
                         bytes, LITH_BLOOM_BYTES_MAX);
    *ret_bytes = (uint32_t)bytes;
    return LITH_OK;
}

/* Reads the header of a filter that lies inside the source: its length, and that of the bits. */
static enum lith_code header_read(struct lith_source *source, uint64_t offset, uint32_t length,
                                  uint32_t *ret_header_bytes, uint32_t *ret_bytes,
                                  struct lith_err *err)
{
    uint8_t header[HEADER_BYTES_MAX];
    uint32_t bytes = 0;

    if (offset > source->size)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a bloom filter at offset %llu, behind the end of the file at %llu",
                         (unsigned long long)offset, (unsigned long long)source->size);
    size_t guess = (size_t)lith_min_u64(HEADER_BYTES_MAX, source->size - offset);
    if (length)
        guess = lith_min_size(guess, length);
    LITH_TRY(lith_source_read(source, offset, header, guess, err));
    struct lith_cursor c = lith_cursor_at(header, guess);
    LITH_TRY(header_parse(&c, &bytes, err));
    uint64_t header_bytes = (uint64_t)(c.next - header);
    if (length && header_bytes + bytes != length)
        return lith_fail(err, LITH_E_CORRUPT,
                         "a bloom filter of %llu bytes, its length is said to be %u",
                         (unsigned long long)(header_bytes + bytes), length);
    if (bytes > source->size - offset - header_bytes)
        return lith_fail(err, LITH_E_CORRUPT, "a bloom filter of %u bytes passes the end", bytes);
    *ret_header_bytes = (uint32_t)header_bytes;
    *ret_bytes = bytes;
    return LITH_OK;
}

uint32_t lith_bloom_length(struct lith_source *source, uint64_t offset)
{
    uint32_t header_bytes, bytes;
    struct lith_err ignored;

    if (header_read(source, offset, 0, &header_bytes, &bytes, &ignored) != LITH_OK)
        return 0;
    return header_bytes + bytes; /* a header and at most LITH_BLOOM_BYTES_MAX */
}

enum lith_code lith_bloom_read(struct lith_source *source, uint64_t offset, uint32_t length,
                               struct lith_mem *mem, struct lith_bloom *ret_bloom,
                               struct lith_err *err)
{
    uint32_t header_bytes, bytes;
    struct lith_bloom bloom;

    LITH_TRY(header_read(source, offset, length, &header_bytes, &bytes, err));
    LITH_TRY(lith_bloom_init(&bloom, mem, bytes, err));
    enum lith_code code = lith_source_read(source, offset + header_bytes, bloom.bits, bytes, err);
    if (code != LITH_OK) {
        lith_bloom_done(&bloom);
        return code;
    }
    *ret_bloom = bloom;
    return LITH_OK;
}
