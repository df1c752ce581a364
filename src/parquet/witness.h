/*
 * The witness: what a merge must leave as proof, taken from the source bytes as read.
 *
 * An output chunk is a list of segments in the order of its rows. What is decoded, or whose ids
 * are rewritten, leaves a fingerprint of its stream; pages that are copied leave a hash of what
 * their headers mean and of their bytes. The merge calls these functions as it reads the sources,
 * before a writer gets anything; verify makes the same from the output as read back and compares.
 * DESIGN.md section 8.
 *
 * Functions that take a witness and may be told nothing accept NULL: then nothing is witnessed.
 */
#ifndef LITH_PARQUET_WITNESS_H
#define LITH_PARQUET_WITNESS_H

#include "base/spool.h"
#include "parquet/page_header.h"
#include "parquet/stream_hash.h"

enum lith_segment_kind {
    LITH_SEGMENT_END,     /* of the chunk */
    LITH_SEGMENT_DECODED, /* positions that went through decode and encode */
    LITH_SEGMENT_COPIED,  /* pages byte for byte */
};

struct lith_segment {
    enum lith_segment_kind kind;
    bool has_ids;                   /* COPIED: some page has ids; what they mean belongs to it */
    uint32_t dictionary_count;      /* ids are below it */
    struct lith_hash128 dictionary; /* lith_dictionary_fingerprint of so many entries */
    uint64_t positions;
    uint64_t values; /* DECODED: not null */
    uint64_t rows;   /* DECODED: positions that begin one; END: of the chunk */
    uint64_t pages;  /* COPIED */
    struct lith_hash128 fingerprint;
};

/* The hash of copied pages, one after another. */
struct lith_pages_hash {
    struct lith_hasher *hasher;
    uint64_t body_left; /* bytes of the last page's body still to come */
};

LITH_MUST_CHECK enum lith_code
lith_pages_hash_new(struct lith_mem *mem, struct lith_pages_hash *ret_hash, struct lith_err *err);
/* A zeroed one is a no-op. */
void lith_pages_hash_done(struct lith_pages_hash *hash);
void lith_pages_hash_reset(struct lith_pages_hash *hash);
/*
 * Begins a page of `leaf`: what its header says and means (type, encodings, counts, sizes; not
 * checksum or statistics). `codec` is what the body is compressed with: LITH_CODEC_UNCOMPRESSED
 * where it is not, although the chunk has a codec.
 */
void lith_pages_hash_page(struct lith_pages_hash *hash, const struct lith_page_header *header,
                          enum lith_codec codec, const struct lith_schema_node *leaf);
/* The page's stored body, in any number of pieces. */
void lith_pages_hash_bytes(struct lith_pages_hash *hash, const void *data, size_t bytes);
struct lith_hash128 lith_pages_hash_end(const struct lith_pages_hash *hash);

/* What the body of a data page in a chunk of `codec` is compressed with, by its header. */
enum lith_codec lith_page_codec(const struct lith_page_header *header, enum lith_codec codec);

static inline bool lith_page_has_ids(const struct lith_page_header *header)
{
    return header->encoding == LITH_ENCODING_PLAIN_DICTIONARY ||
           header->encoding == LITH_ENCODING_RLE_DICTIONARY;
}

/* One output file: chunks in row-group, then leaf order, spooled as they come. */
struct lith_witness {
    struct lith_spool segments; /* struct lith_segment each; a chunk ends with LITH_SEGMENT_END */
    struct lith_mem *mem;
    uint64_t chunk_count;
    uint64_t rows;
    uint32_t leaf_count;
    uint32_t row_group_count;

    /* The open chunk. */
    const struct lith_schema_node *leaf;
    struct lith_segment open; /* LITH_SEGMENT_END: none */
    struct lith_stream_hash stream;
    struct lith_pages_hash pages;
    bool has_dictionary;
    uint32_t dictionary_count;
    struct lith_hash128 dictionary;
};

/* Takes no memory yet. */
void lith_witness_init(struct lith_witness *witness, const struct lith_work *work,
                       uint32_t leaf_count);
/* A zeroed one is a no-op. */
void lith_witness_done(struct lith_witness *witness);

/* Begins the next chunk. `leaf`, of the output, outlives it. */
void lith_witness_chunk_begin(struct lith_witness *witness, const struct lith_schema_node *leaf);

/* A batch as decoded from a source that will be encoded, or whose ids will be rewritten. */
LITH_MUST_CHECK enum lith_code lith_witness_decoded(struct lith_witness *witness,
                                                    const struct lith_batch *batch,
                                                    struct lith_err *err);

/*
 * What ids of the pages copied from now on mean: the first `count` entries of the source's
 * dictionary, and their lith_dictionary_fingerprint. That ids are below `count` is for the mover
 * to check.
 */
void lith_witness_dictionary(struct lith_witness *witness, uint32_t count,
                             struct lith_hash128 fingerprint);

/*
 * A page that will be copied: its header as the source has it, `codec` as for
 * lith_pages_hash_page (lith_page_codec says it, unless the header is known to lie); then its body
 * as stored, in any number of pieces. One of ids needs lith_witness_dictionary before.
 */
LITH_MUST_CHECK enum lith_code lith_witness_copied_page(struct lith_witness *witness,
                                                        const struct lith_page_header *header,
                                                        enum lith_codec codec,
                                                        struct lith_err *err);
void lith_witness_copied_bytes(struct lith_witness *witness, const void *data, size_t bytes);

/* Ends the chunk: it has `rows` rows by the sources' footers. */
LITH_MUST_CHECK enum lith_code lith_witness_chunk_end(struct lith_witness *witness, uint64_t rows,
                                                      struct lith_err *err);

/*
 * A part: chunks of a row group that are witnessed apart, in another thread, and put where they
 * belong later. Begun like a witness of its own; lith_witness_put appends its chunks, which come
 * next in `witness`, and empties it.
 */
LITH_MUST_CHECK enum lith_code lith_witness_put(struct lith_witness *witness,
                                                struct lith_witness *part, struct lith_err *err);

/* Forgets what was witnessed, also of an open chunk; what it works with stays. */
void lith_witness_clear(struct lith_witness *witness);

/* Where a reader of the witness is. Zeroed: at the first segment of the first chunk. */
struct lith_witness_place {
    uint64_t offset;
};

/* The next segment, or end of a chunk. CORRUPT behind the last. */
LITH_MUST_CHECK enum lith_code lith_witness_read(struct lith_witness *witness,
                                                 struct lith_witness_place *place,
                                                 struct lith_segment *ret_segment,
                                                 struct lith_err *err);

#endif
