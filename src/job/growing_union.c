/*
 * A union that grows from one arena into the other and back.
 */
#include "job/growing_union.h"

void lith_growing_union_init(struct lith_growing_union *g, struct lith_mem *mem)
{
    *g = (struct lith_growing_union){0};
    lith_arena_init(&g->arenas[0], mem);
    lith_arena_init(&g->arenas[1], mem);
}

void lith_growing_union_done(struct lith_growing_union *g)
{
    lith_arena_done(&g->arenas[0]);
    lith_arena_done(&g->arenas[1]);
    g->is_begun = false;
    g->is_tried = false;
}

void lith_growing_union_drop(struct lith_growing_union *g)
{
    lith_arena_done(&g->arenas[!g->at]);
    g->is_tried = false;
}

void lith_growing_union_take(struct lith_growing_union *g)
{
    if (!g->is_tried)
        return;
    g->now = g->next;
    g->at = !g->at;
    g->is_begun = true;
    lith_growing_union_drop(g);
}

/* Adds to `base`, which stays as it is; the result goes to the spare arena. */
static enum lith_code add(struct lith_growing_union *g, const struct lith_union *base,
                          const struct lith_schema *schema, uint32_t origin,
                          struct lith_union_conflict *ret_conflict, struct lith_err *err)
{
    g->next = *base;
    LITH_TRY(lith_union_add(&g->next, schema, origin, &g->arenas[!g->at], ret_conflict, err));
    g->is_tried = !ret_conflict->text;
    return LITH_OK;
}

enum lith_code lith_growing_union_try(struct lith_growing_union *g,
                                      const struct lith_union_rules *rules,
                                      const struct lith_schema *schema, uint32_t origin,
                                      struct lith_union_conflict *ret_conflict,
                                      struct lith_err *err)
{
    lith_growing_union_drop(g);
    *ret_conflict = (struct lith_union_conflict){0};
    if (g->is_begun)
        return add(g, &g->now, schema, origin, ret_conflict, err);
    LITH_TRY(lith_union_begin(&g->next, rules, schema, origin, &g->arenas[!g->at], err));
    g->is_tried = true;
    return LITH_OK;
}

enum lith_code lith_growing_union_try_on(struct lith_growing_union *g,
                                         const struct lith_growing_union *base,
                                         const struct lith_schema *schema, uint32_t origin,
                                         struct lith_union_conflict *ret_conflict,
                                         struct lith_err *err)
{
    LITH_ASSERT(base->is_begun);
    lith_growing_union_drop(g);
    return add(g, base->is_tried ? &base->next : &base->now, schema, origin, ret_conflict, err);
}

const struct lith_schema *lith_growing_union_schema(const struct lith_growing_union *g)
{
    return g->is_tried ? &g->next.schema : &g->now.schema;
}
