/*
 * The recode mover: decodes a source chunk and encodes it anew, batch by batch.
 *
 * Right for every input, and the slowest. The witness sees each batch before the writer does.
 */
#include "merge/mover.h"

#include "parquet/page_source.h"

enum lith_code lith_move_recode_page(const struct lith_move *move, struct lith_chunk_reader *reader,
                                     struct lith_key_counts *counts, struct lith_err *err)
{
    struct lith_batch batch;

    for (;;) {
        LITH_TRY(lith_chunk_reader_page_batch(reader, &batch, err));
        if (batch.position_count == 0)
            return LITH_OK;
        LITH_TRY(lith_move_levels(move, &batch, err));
        LITH_TRY(lith_chunk_reader_fail(reader, lith_move_values(move, &batch, err), err));
        LITH_TRY(lith_move_deliver(move, &batch, counts, err));
    }
}

enum lith_code lith_mover_recode(const struct lith_move *move, struct lith_err *err)
{
    struct lith_move_tools *tools = move->tools;
    /* Counting wants values, as do widening and most dealing. */
    bool wants_values =
        move->counts || move->widening || (move->deal && !lith_deal_takes_ids(move->deal));
    struct lith_chunk_reader *reader = wants_values ? tools->key_reader : tools->reader;
    const struct lith_page *page;

    LITH_TRY(lith_chunk_reader_begin(reader, move->pages, &move->ref, err));
    for (;;) {
        LITH_TRY(lith_chunk_reader_page(reader, &page, err));
        if (!page)
            return LITH_OK;
        bool done = false;
        if (!move->deal)
            LITH_TRY(lith_move_join_page(move, reader, page, &done, err));
        if (done)
            continue;
        tools->bytes[LITH_MOVER_RECODE] += (uint64_t)page->header.compressed_bytes;
        LITH_TRY(lith_move_recode_page(move, reader, move->counts, err));
    }
}
