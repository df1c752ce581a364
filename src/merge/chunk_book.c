/*
 * The source chunks of a merge: fixed records in a spool.
 */
#include "merge/chunk_book.h"

#include <assert.h>

struct record {
    int64_t num_values;
    int64_t total_uncompressed_size;
    int64_t total_compressed_size;
    int64_t data_page_offset;
    int64_t dictionary_page_offset;
    int64_t codec;
};
static_assert(sizeof(struct record) == 48, "no padding: records are copied as bytes");

void lith_chunk_book_init(struct lith_chunk_book *book, const struct lith_work *work,
                          uint32_t leaf_count)
{
    lith_spool_init(&book->records, work->mem, work->scratch, lith_work_share(work));
    book->leaf_count = leaf_count;
}

void lith_chunk_book_done(struct lith_chunk_book *book)
{
    lith_spool_done(&book->records);
}

enum lith_code lith_chunk_book_add(struct lith_chunk_book *book, const struct lith_row_group *group,
                                   struct lith_err *err)
{
    for (uint32_t leaf = 0; leaf < book->leaf_count; leaf++) {
        const struct lith_chunk_meta *meta = &group->chunks[leaf];
        struct record record = {
            .num_values = meta->num_values,
            .total_uncompressed_size = meta->total_uncompressed_size,
            .total_compressed_size = meta->total_compressed_size,
            .data_page_offset = meta->data_page_offset,
            .dictionary_page_offset = meta->dictionary_page_offset,
            .codec = meta->codec,
        };
        LITH_TRY(lith_sink_write(&book->records.sink, &record, sizeof(record), err));
    }
    return LITH_OK;
}

enum lith_code lith_chunk_book_get(struct lith_chunk_book *book, size_t unit, uint32_t leaf,
                                   struct lith_chunk_meta *ret_meta, struct lith_err *err)
{
    struct record record;
    uint64_t index = (uint64_t)unit * book->leaf_count + leaf;

    LITH_TRY(lith_source_read(&book->records.source, index * sizeof(record), &record,
                              sizeof(record), err));
    *ret_meta = (struct lith_chunk_meta){
        .num_values = record.num_values,
        .total_uncompressed_size = record.total_uncompressed_size,
        .total_compressed_size = record.total_compressed_size,
        .data_page_offset = record.data_page_offset,
        .dictionary_page_offset = record.dictionary_page_offset,
        .codec = (int)record.codec,
    };
    return LITH_OK;
}
