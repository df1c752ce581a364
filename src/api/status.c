/*
 * The public state of a lake.
 */
#include "sweep/status.h"

#include "api/lake_state.h"

enum lith_code lith_lake_status(struct lith_lake *lake, struct lith_status *ret_status,
                                struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(lith_mem_root(), 1, sizeof(struct lith_arena), &block, err));
    struct lith_arena *arena = block;
    lith_arena_init(arena, lith_mem_root()); /* the result may outlive the lake */
    struct lith_status_book book = {.arena = arena};
    enum lith_code code = lith_sweep_status(&lake->sweep, &book, err);
    if (code != LITH_OK) {
        lith_arena_done(arena);
        lith_free(arena);
        return code;
    }
    *ret_status = (struct lith_status){
        .total = book.total,
        .tenants = book.tenants,
        .tenant_count = book.count,
        .inside = arena,
    };
    return LITH_OK;
}

void lith_status_done(struct lith_status *status)
{
    if (!status->inside)
        return;
    lith_arena_done(status->inside);
    lith_free(status->inside);
    *status = (struct lith_status){0};
}
