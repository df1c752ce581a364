/*
 * The dictionary of a chunk that is written: each distinct value once, with its id.
 *
 * Values are the same when their bytes are (-0 is not +0, NaN payloads stay apart). The entries
 * stand as the dictionary page has them (PLAIN), so that the page's body is there at any time.
 * It is full when it would pass what a new dictionary may have; the chunk then goes on without.
 */
#ifndef LITH_PARQUET_DICTIONARY_BUILDER_H
#define LITH_PARQUET_DICTIONARY_BUILDER_H

#include "base/work.h"
#include "parquet/dictionary.h"
#include "parquet/values.h"

struct lith_dictionary_builder {
    struct lith_mem *mem;
    size_t width;            /* of a value; 0 = byte arrays */
    uint32_t count;          /* entries */
    struct lith_buf plain;   /* the entries, PLAIN */
    struct lith_buf offsets; /* byte arrays: uint32_t each, of an entry's length in `plain` */
    uint64_t *slots;         /* hash table: high half of the hash, id + 1; 0 = empty */
    size_t slot_count;       /* a power of two, at least twice `count` */
    size_t value_bytes_max;  /* the longest entry */
    size_t usual_bytes;      /* `plain` passes this only for the sake of large values */
    size_t bytes_max;        /* `plain` never passes this */
    size_t memory_max;       /* nor all together this */
};

/* For the values of one chunk. Takes no memory yet. */
void lith_dictionary_builder_init(struct lith_dictionary_builder *builder, size_t width,
                                  const struct lith_work *work);
/* Also for one whose init was never called, when zeroed. */
void lith_dictionary_builder_done(struct lith_dictionary_builder *builder);

/* Writes the ids of the first *ret_count values to `ids`: all of them, or fewer when the
 * dictionary is full. NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_dictionary_builder_add(struct lith_dictionary_builder *builder,
                                                           const struct lith_values *values,
                                                           uint32_t *ids, size_t *ret_count,
                                                           struct lith_err *err);

/* One value; *ret_id is LITH_NO_ID when it is not there and there is no room for it. */
LITH_MUST_CHECK enum lith_code
lith_dictionary_builder_add_one(struct lith_dictionary_builder *builder, struct lith_slice value,
                                uint32_t *ret_id, struct lith_err *err);
/* The id of a value, or LITH_NO_ID. */
uint32_t lith_dictionary_builder_find(const struct lith_dictionary_builder *builder,
                                      struct lith_slice value);

/* No more values come: lets go of all but the entries in `plain`. */
void lith_dictionary_builder_seal(struct lith_dictionary_builder *builder);

/* An entry, borrowed until the next add. */
static inline struct lith_slice
lith_dictionary_builder_at(const struct lith_dictionary_builder *builder, uint32_t id)
{
    if (builder->width)
        return (struct lith_slice){builder->plain.data + id * builder->width, builder->width};
    const uint8_t *entry =
        builder->plain.data + lith_load_u32(builder->offsets.data + (size_t)id * 4);
    return (struct lith_slice){entry + 4, lith_load_u32(entry)};
}

#endif
