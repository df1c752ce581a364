/*
 * Split-block bloom filters: BloomFilter.md of the Parquet format.
 *
 * Sizes are powers of two (Arrow C++ refuses others). Hash: XXH64 of the PLAIN bytes without the
 * length prefix.
 */
#ifndef LITH_PARQUET_BLOOM_H
#define LITH_PARQUET_BLOOM_H

#include "base/buf.h"
#include "base/source.h"
#include "parquet/values.h"

struct lith_bloom {
    uint8_t *bits;
    uint32_t bytes; /* a power of two, 32 bytes to 128 MiB */
    struct lith_mem *mem;
};

/* Bytes for `distinct` values at a false-positive rate of 1 in `one_in` (100: 1 %). */
uint32_t lith_bloom_bytes(uint64_t distinct, uint32_t one_in);

LITH_MUST_CHECK enum lith_code lith_bloom_init(struct lith_bloom *bloom, struct lith_mem *mem,
                                               uint32_t bytes, struct lith_err *err);
void lith_bloom_done(struct lith_bloom *bloom);

void lith_bloom_add_hash(struct lith_bloom *bloom, uint64_t hash);
bool lith_bloom_has_hash(const struct lith_bloom *bloom, uint64_t hash);
void lith_bloom_add(struct lith_bloom *bloom, const struct lith_values *values);

/* Halves the filter until it is as small as it may be for `one_in` with what it holds. */
void lith_bloom_fold(struct lith_bloom *bloom, uint32_t one_in);
/* The estimated false-positive rate from the share of bits that are set. */
double lith_bloom_rate(const struct lith_bloom *bloom);

/*
 * Adds all values of `from` to `into`, exactly: the larger filter is folded to the size of the
 * smaller, which `into` has then. False, and nothing changed, where no integer lies between their
 * sizes: the union can only be dropped then. It holds more values for its size than each did: ask
 * lith_bloom_is_useful.
 */
bool lith_bloom_or(struct lith_bloom *into, const struct lith_bloom *from);
/* Whether a filter can be written: of a size that readers take, and wrong for at most one value in
 * `one_in`. */
bool lith_bloom_is_useful(const struct lith_bloom *bloom, uint32_t one_in);

/* Appends header and bitset. */
LITH_MUST_CHECK enum lith_code lith_bloom_write(const struct lith_bloom *bloom, struct lith_buf *to,
                                                struct lith_err *err);
/* The bytes of header and bitset at `offset`, as the header says, for writers that do not state
 * them; 0 where it cannot be read. */
uint32_t lith_bloom_length(struct lith_source *source, uint64_t offset);
/* Reads header and bitset at `offset` (`length` 0 = not known). CORRUPT, UNSUPPORTED (another
 * hash, algorithm or compression), LIMIT. Sizes that are no power of two are accepted. */
LITH_MUST_CHECK enum lith_code lith_bloom_read(struct lith_source *source, uint64_t offset,
                                               uint32_t length, struct lith_mem *mem,
                                               struct lith_bloom *ret_bloom, struct lith_err *err);

#endif
