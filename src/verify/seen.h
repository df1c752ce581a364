/*
 * What stands in a chunk, seen by walking its pages: verify's own walk, against which metadata
 * and indexes are held. parquet-splice.md section 11.4, 3 to 6 and 10.
 */
#ifndef LITH_VERIFY_SEEN_H
#define LITH_VERIFY_SEEN_H

#include "verify/copied.h"

/* One data page. */
struct lith_seen_page {
    uint64_t offset;
    uint32_t bytes; /* header and body */
    uint32_t num_values;
    int64_t rows; /* -1: only its levels would tell */
};

#define LITH_SEEN_TYPES 4
#define LITH_SEEN_ENCODINGS 10

struct lith_seen {
    struct lith_buf pages; /* struct lith_seen_page each */
    size_t page_count;
    bool has_dictionary;
    uint64_t begin;
    uint64_t data_begin;
    uint64_t end;
    uint64_t num_values;
    uint64_t uncompressed_bytes;
    uint32_t counts[LITH_SEEN_TYPES][LITH_SEEN_ENCODINGS]; /* by page type and encoding */
};

void lith_seen_init(struct lith_seen *seen, const struct lith_work *work);
void lith_seen_done(struct lith_seen *seen);

/* One walk. */
struct lith_seen_walk {
    struct lith_source *source;
    const struct lith_chunk_ref *ref;
    /* Begun for the chunk: told of its pages, and of the bodies of those that were copied. NULL:
     * nothing is known of copies. */
    struct lith_copied *copied;
    bool check_bodies; /* the checksums of all bodies; else of the dictionary's and copied ones: who
                          decodes the others checks theirs */
    const struct lith_work *work;
};

/* Walks all pages of a chunk. CORRUPT. */
LITH_MUST_CHECK enum lith_code
lith_seen_walk(struct lith_seen *seen, const struct lith_seen_walk *options, struct lith_err *err);

static inline const struct lith_seen_page *lith_seen_pages(const struct lith_seen *seen)
{
    return (const struct lith_seen_page *)(const void *)seen->pages.data;
}

#endif
