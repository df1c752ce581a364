/*
 * Tallies: mostly a batch has one level, which a comparison with itself, one further, shows; else
 * levels are counted level by level, since few levels and many positions are the rule.
 */
#include "verify/tally.h"

#include "parquet/dictionary.h"

/* With more levels than this a pass for each costs more than a histogram. */
#define PASSES_MAX 8u

enum lith_code lith_tally_init(struct lith_tally *tally, const struct lith_schema_node *leaf,
                               struct lith_mem *mem, struct lith_err *err)
{
    void *block;

    LITH_TRY(lith_alloc_array(mem, (size_t)leaf->max_rep + leaf->max_def + 2, sizeof(int64_t),
                              &block, err));
    *tally = (struct lith_tally){.rep_histogram = block};
    tally->def_histogram = tally->rep_histogram + leaf->max_rep + 1;
    return LITH_OK;
}

void lith_tally_done(struct lith_tally *tally)
{
    lith_free(tally->rep_histogram);
    *tally = (struct lith_tally){0};
}

void lith_tally_clear(struct lith_tally *tally, const struct lith_schema_node *leaf)
{
    memset(tally->rep_histogram, 0,
           ((size_t)leaf->max_rep + leaf->max_def + 2) * sizeof(*tally->rep_histogram));
    *tally = (struct lith_tally){.rep_histogram = tally->rep_histogram,
                                 .def_histogram = tally->def_histogram};
}

void lith_tally_add(struct lith_tally *into, const struct lith_tally *from,
                    const struct lith_schema_node *leaf)
{
    into->positions += from->positions;
    into->values += from->values;
    into->nans += from->nans;
    into->rows += from->rows;
    into->value_bytes += from->value_bytes;
    for (size_t i = 0; i < (size_t)leaf->max_rep + leaf->max_def + 2; i++)
        into->rep_histogram[i] += from->rep_histogram[i];
}

/* At most LITH_BATCH_POSITIONS, so the count fits as many bits as the levels have. */
static uint16_t count_equal(const uint16_t *levels, size_t count, uint16_t level)
{
    uint16_t equal = 0;

    for (size_t i = 0; i < count; i++)
        equal = (uint16_t)(equal + (levels[i] == level));
    return equal;
}

/* `levels` NULL: all are `max`. */
static void histogram_add(int64_t *histogram, const uint16_t *levels, size_t count, uint16_t max)
{
    int64_t left = (int64_t)count;

    if (levels && count > 0 && memcmp(levels, levels + 1, (count - 1) * sizeof(*levels)) == 0) {
        histogram[levels[0]] += left;
        return;
    }
    if (levels && max >= PASSES_MAX) {
        for (size_t i = 0; i < count; i++)
            histogram[levels[i]]++;
        return;
    }
    for (uint16_t level = 0; levels && level < max && left > 0; level++) {
        int64_t equal = count_equal(levels, count, level);
        histogram[level] += equal;
        left -= equal;
    }
    histogram[max] += left;
}

static uint64_t bytes_of(const struct lith_values *values)
{
    const struct lith_slice *slices = values->ids ? values->dictionary->slices : values->slices;
    uint64_t bytes = 0;

    for (size_t i = 0; slices && i < values->count; i++)
        bytes += slices[values->ids ? values->ids[i] : i].bytes;
    return bytes;
}

void lith_tally_batch(struct lith_tally *tally, const struct lith_batch *batch,
                      const struct lith_schema_node *leaf)
{
    int64_t rows = tally->rep_histogram[0];

    LITH_ASSERT(batch->position_count <= LITH_BATCH_POSITIONS);
    histogram_add(tally->rep_histogram, batch->rep_levels, batch->position_count, leaf->max_rep);
    histogram_add(tally->def_histogram, batch->def_levels, batch->position_count, leaf->max_def);
    tally->positions += batch->position_count;
    tally->values += batch->values.count;
    tally->rows += (uint64_t)(tally->rep_histogram[0] - rows);
    tally->value_bytes += bytes_of(&batch->values);
}
