/*
 * The dictionary of a source chunk: its values by id.
 *
 * One that fits a share of the budget is held in memory; a larger one (pyarrow writes all of a
 * batch of large strings into one) stays in its body, with the place of each entry, and values
 * are read when asked for.
 */
#ifndef LITH_PARQUET_DICTIONARY_H
#define LITH_PARQUET_DICTIONARY_H

#include "base/work.h"
#include "parquet/values.h"
#include "parquet/window.h"

struct lith_dictionary {
    enum lith_type type;
    size_t width;
    uint32_t count;
    const uint8_t *fixed;      /* in memory, fixed width */
    struct lith_slice *slices; /* in memory, byte arrays */
    uint64_t *offsets;         /* not in memory: of each entry's bytes in the body */
    uint32_t *lengths;         /* not in memory: of each entry */
    struct lith_body body;     /* borrowed; outlives the dictionary */
    void *owned;               /* what `fixed` points to when it is not the body (BOOLEAN) */
    /* What users of ids keep by entry, for as long as the dictionary: NULL until they need it. */
    uint64_t *hashes; /* of the entries */
    uint32_t *map;    /* of the chunk that is written: entry's id there, LITH_NO_ID: not yet */
    struct lith_mem *mem;
};

/* Reads `count` PLAIN values of a dictionary page. The body must outlive the dictionary. CORRUPT
 * when the body is too short; trailing bytes are accepted (parquet-mr wrote them). LIMIT when
 * the places of the entries do not fit the budget. */
LITH_MUST_CHECK enum lith_code lith_dictionary_init(struct lith_dictionary *dictionary,
                                                    enum lith_type type, int32_t type_length,
                                                    uint32_t count, const struct lith_body *body,
                                                    const struct lith_work *work,
                                                    struct lith_err *err);
/* Appends the bytes of entry `id` (below count) as its type decodes; reads them when they are not
 * in memory. */
LITH_MUST_CHECK enum lith_code lith_dictionary_read(const struct lith_dictionary *dictionary,
                                                    uint32_t id, struct lith_buf *to,
                                                    struct lith_err *err);

#define LITH_NO_ID UINT32_MAX

/* Makes the map, all LITH_NO_ID, unless it is there; and forgets it, for the next use of ids.
 * NOMEM, LIMIT. */
LITH_MUST_CHECK enum lith_code lith_dictionary_map_make(struct lith_dictionary *dictionary,
                                                        struct lith_err *err);
void lith_dictionary_map_drop(struct lith_dictionary *dictionary);

/* True when entries are held in memory, so that ids may be handed out instead of values. */
static inline bool lith_dictionary_is_held(const struct lith_dictionary *dictionary)
{
    return dictionary->fixed || dictionary->slices;
}

/* An entry (below count) of a dictionary that is held. */
static inline struct lith_slice lith_dictionary_at(const struct lith_dictionary *dictionary,
                                                   uint32_t id)
{
    if (dictionary->slices)
        return dictionary->slices[id];
    return (struct lith_slice){dictionary->fixed + (size_t)id * dictionary->width,
                               dictionary->width};
}

/* A zeroed dictionary is a no-op. */
void lith_dictionary_done(struct lith_dictionary *dictionary);

#endif
