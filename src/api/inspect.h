/*
 * What inspecting a file works with, and its parts.
 *
 * The text is written as the file is walked: an object is built through base/json.h, written, and
 * forgotten, so that only the text grows with the file.
 */
#ifndef LITH_API_INSPECT_H
#define LITH_API_INSPECT_H

#include "api/budget.h"
#include "base/json.h"
#include "parquet/footer.h"

struct lith_inspect {
    struct lith_source *source;
    struct lith_footer footer;
    struct lith_schema meaning; /* of the footer, normalised: how bounds are to be read */
    struct lith_arena *arena;   /* of the footer */
    struct lith_arena scratch;  /* of one chunk */
    const struct lith_work *work;
    struct lith_buf *text;
    bool pages;
};

/* Appends text of ours. */
LITH_MUST_CHECK enum lith_code lith_inspect_raw(struct lith_inspect *in, const char *text,
                                                struct lith_err *err);
/* Appends a value and frees it; NULL or !ok: NOMEM. `open` leaves the closing brace of an object
 * away, so that members can follow. */
LITH_MUST_CHECK enum lith_code lith_inspect_value(struct lith_inspect *in, struct lith_json *take,
                                                  bool ok, bool open, struct lith_err *err);

/* A name where the specification has one, else the number. */
struct lith_json *lith_inspect_name(const char *name, int64_t number);
/* Sets `key` to the text, `key`_hex where it is no UTF-8; cut, with `key`_bytes, where long. */
bool lith_inspect_set_bytes(struct lith_json *object, const char *key, struct lith_slice bytes,
                            size_t bytes_max);
/* Sets `key` to hex digits (at most `bytes_max` bytes of them). */
bool lith_inspect_set_hex(struct lith_json *object, const char *key, struct lith_slice bytes,
                          size_t bytes_max);
/* Sets `key` to the readable value (null where there is none) and `key`_hex. Nothing where the
 * bound is absent. */
LITH_MUST_CHECK enum lith_code lith_inspect_set_bound(struct lith_inspect *in,
                                                      struct lith_json *object, const char *key,
                                                      uint32_t leaf, struct lith_slice bound,
                                                      struct lith_err *err);
struct lith_json *lith_inspect_key_values(const struct lith_key_value *pairs, uint32_t count);
struct lith_json *lith_inspect_counts(const int64_t *counts, size_t count);
/* The path of a leaf column. */
void lith_inspect_path(const struct lith_inspect *in, uint32_t leaf, char path[512]);

LITH_MUST_CHECK enum lith_code
lith_inspect_schema(struct lith_inspect *in, struct lith_json **ret_nodes, struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_inspect_statistics(struct lith_inspect *in, uint32_t leaf,
                                                       const struct lith_statistics *statistics,
                                                       struct lith_json **ret_object,
                                                       struct lith_err *err);
/* One column chunk, with indexes and pages. */
LITH_MUST_CHECK enum lith_code lith_inspect_chunk(struct lith_inspect *in, uint32_t row_group,
                                                  uint32_t leaf, struct lith_err *err);
/* ,"offset_index":...,"column_index":...,"bloom_filter":... ; what cannot be read says why. */
LITH_MUST_CHECK enum lith_code lith_inspect_indexes(struct lith_inspect *in,
                                                    const struct lith_chunk_meta *meta,
                                                    uint32_t leaf, struct lith_err *err);
/* ,"pages":[...] */
LITH_MUST_CHECK enum lith_code lith_inspect_pages(struct lith_inspect *in,
                                                  const struct lith_chunk_meta *meta, uint32_t leaf,
                                                  struct lith_err *err);

#endif
