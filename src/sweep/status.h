/*
 * The state of a lake in numbers: files by size and by what could still be merged, per tenant.
 */
#ifndef LITH_SWEEP_STATUS_H
#define LITH_SWEEP_STATUS_H

#include "sweep/sweep.h"

/* Tenants collected so far, sorted by name. */
struct lith_status_book {
    struct lith_arena *arena; /* of everything */
    struct lith_tenant_status total;
    struct lith_tenant_status *tenants;
    size_t count;
};

/* Looks at every selected partition by its listing alone. A partition that cannot be read, or
 * whose journal cannot be gone by, counts as blocked. Changes nothing. */
LITH_MUST_CHECK enum lith_code lith_sweep_status(const struct lith_sweep *sweep,
                                                 struct lith_status_book *book,
                                                 struct lith_err *err);

#endif
