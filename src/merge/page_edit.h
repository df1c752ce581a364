/*
 * Bodies of pages that are copied but for their ids, or but for levels that they lack.
 *
 * No value is decoded: ids are rewritten run by run, levels are put in front.
 * parquet-splice.md sections 1.3 and 5.
 */
#ifndef LITH_MERGE_PAGE_EDIT_H
#define LITH_MERGE_PAGE_EDIT_H

#include "merge/mover.h"
#include "parquet/page_source.h"

struct lith_page_edit {
    const struct lith_move *move;
    struct lith_chunk_reader *reader;
    const struct lith_page *page; /* the one at hand */
    const uint32_t *map;          /* of the source's ids */
    bool defines; /* the page has no levels and gets some: all at the leaf's highest */
};

/*
 * The stored body to be written is then in move->tools->packed, and *header, which is the page's
 * as it is to stand in the output, fits it. *ret_done is false, and nothing done, where the page
 * must be recoded: too large to be held, as it is or as it becomes, or its codec lets nothing be
 * put in front. CORRUPT names the page.
 */
LITH_MUST_CHECK enum lith_code lith_page_edit_ids(const struct lith_page_edit *edit,
                                                  struct lith_page_header *header, bool *ret_done,
                                                  struct lith_err *err);
/* Only levels are put in front. */
LITH_MUST_CHECK enum lith_code lith_page_edit_levels(const struct lith_page_edit *edit,
                                                     struct lith_page_header *header,
                                                     bool *ret_done, struct lith_err *err);

#endif
