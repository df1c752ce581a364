/*
 * Reading Thrift structs by a table of their fields: private to the metadata readers.
 *
 * The table says which fields are known, of what wire type, and which must be there. Fields that
 * are unknown or of another wire type are skipped (old forks gave numbers that the format uses
 * today another meaning); a required one that is then missing is an error. So a parser is a
 * loop over lith_struct_next with a switch, and one lith_struct_end.
 */
#ifndef LITH_PARQUET_THRIFT_STRUCT_H
#define LITH_PARQUET_THRIFT_STRUCT_H

#include "base/arena.h"
#include "parquet/thrift.h"

/* Bytes being parsed, and what an error has to tell of them. */
struct lith_metadata {
    struct lith_cursor cursor;
    const uint8_t *data;      /* where the bytes begin */
    uint64_t offset;          /* where that is in the file */
    struct lith_arena *arena; /* for arrays; NULL where none are parsed */
    const char *struct_name;  /* of the field entered last */
    const char *field_name;
};

struct lith_field_rule {
    const char *name; /* NULL: a number without a meaning for us */
    uint8_t type;     /* enum lith_thrift_type; TRUE stands for bool */
    bool required;
};

/* fields[id]; ids from 1. */
struct lith_struct_rule {
    const char *name;
    const struct lith_field_rule *fields;
    int16_t field_count;
};

#define LITH_STRUCT_RULE(text, table)                                                              \
    {                                                                                              \
        .name = (text), .fields = (table),                                                         \
        .field_count = (int16_t)(sizeof(table) / sizeof((table)[0]))                               \
    }

/* A struct being read. Start with `.rule` set and the rest zero. */
struct lith_struct_at {
    const struct lith_struct_rule *rule;
    struct lith_thrift_field field; /* the one that is next in the cursor */
    uint32_t seen;                  /* bit n: field n was there */
    int16_t last_id;
};

struct lith_metadata lith_metadata_at(const uint8_t *data, size_t bytes, uint64_t offset,
                                      struct lith_arena *arena);

/* Goes to the next known field; its value must then be read. False at the end or on failure. */
bool lith_struct_next(struct lith_metadata *m, struct lith_struct_at *at);

/* After the loop: CORRUPT when the bytes were bad or a required field was not among them. */
LITH_MUST_CHECK enum lith_code lith_struct_end(struct lith_metadata *m, struct lith_struct_at *at,
                                               struct lith_err *err);

/*
 * The header of a list field whose elements have `element_type` and at least `element_bytes`
 * bytes each, so that the count is safe to allocate by. A list of other elements is skipped and
 * counts 0 when the field is optional, and fails the cursor when it is required.
 */
uint32_t lith_struct_list(struct lith_metadata *m, struct lith_struct_at *at, uint8_t element_type,
                          size_t element_bytes);

/* Fails with the byte offset in the file and the field entered last in front of the text. */
enum lith_code lith_metadata_fail(const struct lith_metadata *m, struct lith_err *err,
                                  enum lith_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold, warn_unused_result));

/* The cursor failed: CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_metadata_bad(const struct lith_metadata *m,
                                                 struct lith_err *err);

#endif
