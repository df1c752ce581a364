/*
 * Scratch that gives back one byte otherwise than it got it, from some reading of it on.
 */
#ifndef LITH_TESTS_SORT_DAMAGE_SUPPORT_H
#define LITH_TESTS_SORT_DAMAGE_SUPPORT_H

#include "support.h"

#include "base/source.h"

static struct sort_damage {
    const struct lith_source_ops *good;
    struct lith_source_ops bad;
    uint64_t at;       /* the byte */
    uint8_t flips;     /* bits of it that are wrong */
    unsigned good_for; /* so many readings of it are right */
} sort_damage;

static inline enum lith_code sort_damage_read(struct lith_source *source, uint64_t offset, void *to,
                                              size_t bytes, struct lith_err *err)
{
    struct sort_damage *damage = &sort_damage;

    LITH_TRY(damage->good->read(source, offset, to, bytes, err));
    if (damage->at < offset || damage->at - offset >= bytes)
        return LITH_OK;
    if (damage->good_for)
        damage->good_for--;
    else
        ((uint8_t *)to)[damage->at - offset] ^= damage->flips;
    return LITH_OK;
}

/* Damages what a source gives, one at a time; the source can be ended as it was. */
static inline void sort_damage_plant(struct lith_source *source, uint64_t at, uint8_t flips,
                                     unsigned good_for)
{
    sort_damage = (struct sort_damage){
        .good = source->ops, .bad = *source->ops, .at = at, .flips = flips, .good_for = good_for};
    sort_damage.bad.read = sort_damage_read;
    sort_damage.bad.view = NULL;
    source->ops = &sort_damage.bad;
}

/* What must have been found. */
static inline void sort_damage_check(enum lith_code code, const struct lith_err *err)
{
    assert_int_equal(code, LITH_E_IO);
    assert_non_null(strstr(err->text, "scratch space gave back other bytes"));
}

#endif
