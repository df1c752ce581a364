/*
 * Movers: the table and the choice.
 */
#include "merge/mover.h"

#include <assert.h>

static enum lith_code (*const movers[])(const struct lith_move *move, struct lith_err *err) = {
    [LITH_MOVER_RECODE] = lith_mover_recode,
};
static_assert(sizeof(movers) / sizeof(movers[0]) == LITH_MOVER_COUNT, "an entry per mover");

enum lith_mover lith_mover_choose(const struct lith_move *move)
{
    (void)move;
    return LITH_MOVER_RECODE;
}

enum lith_code lith_mover_run(enum lith_mover mover, const struct lith_move *move,
                              struct lith_err *err)
{
    LITH_ASSERT(mover < LITH_MOVER_COUNT);
    return movers[mover](move, err);
}
