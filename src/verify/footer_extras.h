/*
 * What the footer says beside what is read of it: fields that no reader here uses, and others
 * do. parquet-splice.md sections 1.4, 1.5 and 11.4, 5 and 13.
 */
#ifndef LITH_VERIFY_FOOTER_EXTRAS_H
#define LITH_VERIFY_FOOTER_EXTRAS_H

#include "base/work.h"
#include "parquet/footer.h"

/* file_offset, total_compressed_size and ordinal of row groups; of chunks file_offset, null_count
 * and fields of others; the number of column orders; created_by. CORRUPT. */
LITH_MUST_CHECK enum lith_code lith_footer_extras_check(struct lith_source *source,
                                                        const struct lith_footer *footer,
                                                        struct lith_mem *mem, struct lith_err *err);

#endif
