/*
 * The recode mover: decodes a source chunk and encodes it anew, batch by batch.
 *
 * Right for every input, and the slowest. The witness sees each batch before the writer does.
 */
#include "merge/mover.h"

static void chunk_reader_auto(struct lith_chunk_reader **reader)
{
    lith_chunk_reader_close(*reader);
}

enum lith_code lith_mover_recode(const struct lith_move *move, struct lith_err *err)
{
    __attribute__((cleanup(chunk_reader_auto))) struct lith_chunk_reader *reader = NULL;
    struct lith_batch batch;

    LITH_TRY(lith_chunk_reader_open_ref(move->source, &move->ref, move->codecs, move->work, &reader,
                                        err));
    for (;;) {
        LITH_TRY(lith_chunk_reader_next(reader, &batch, err));
        if (batch.position_count == 0)
            return LITH_OK;
        LITH_TRY(lith_witness_decoded(move->witness, &batch, err));
        if (move->counts)
            LITH_TRY(lith_key_counts_add(move->counts, &batch, err));
        LITH_TRY(lith_file_writer_add(move->writer, &batch, err));
    }
}
