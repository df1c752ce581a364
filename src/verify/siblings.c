/*
 * Sums of histograms: a position whose definition level is below a group's stands for one instance
 * that is not there, and one whose repetition level is not above the group's begins an instance,
 * whatever lists the column has further in.
 */
#include "verify/siblings.h"

#include <inttypes.h>

enum lith_code lith_siblings_init(struct lith_siblings *siblings, const struct lith_schema *schema,
                                  struct lith_mem *mem, struct lith_err *err)
{
    void *block;

    *siblings = (struct lith_siblings){.schema = schema};
    LITH_TRY(lith_alloc_array(mem, schema->node_count, sizeof(*siblings->groups), &block, err));
    siblings->groups = block;
    return LITH_OK;
}

void lith_siblings_done(struct lith_siblings *siblings)
{
    lith_free(siblings->groups);
    siblings->groups = NULL;
}

void lith_siblings_clear(struct lith_siblings *siblings)
{
    memset(siblings->groups, 0, siblings->schema->node_count * sizeof(*siblings->groups));
}

/* The first `count` entries together. */
static uint64_t sum(const int64_t *histogram, uint32_t count)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < count; i++)
        all += (uint64_t)histogram[i];
    return all;
}

static enum lith_code contradiction(const struct lith_siblings *siblings, uint32_t group,
                                    uint64_t places, uint64_t nulls, struct lith_err *err)
{
    const struct lith_sibling_group *known = &siblings->groups[group];
    const struct lith_schema *schema = siblings->schema;
    char path[128], other[128];

    lith_schema_path(schema, group, path, sizeof(path));
    lith_schema_path(schema, schema->leaves[known->leaf], other, sizeof(other));
    return lith_fail(err, LITH_E_CORRUPT,
                     "group \"%s\" is missing in %" PRIu64 " of %" PRIu64
                     " places, by column \"%s\" in %" PRIu64 " of %" PRIu64,
                     path, nulls, places, other, known->nulls, known->places);
}

enum lith_code lith_siblings_add(struct lith_siblings *siblings, uint32_t leaf,
                                 const int64_t *rep_histogram, const int64_t *def_histogram,
                                 struct lith_err *err)
{
    const struct lith_schema *schema = siblings->schema;
    uint32_t node = lith_schema_leaf(schema, leaf)->parent;

    for (; node != LITH_NO_INDEX; node = schema->nodes[node].parent) {
        const struct lith_schema_node *group = &schema->nodes[node];
        struct lith_sibling_group *known = &siblings->groups[node];
        uint64_t places = sum(rep_histogram, group->max_rep + 1u);
        uint64_t nulls = sum(def_histogram, group->max_def);
        if (!known->is_known)
            *known = (struct lith_sibling_group){true, leaf, places, nulls};
        else if (known->places != places || known->nulls != nulls)
            return contradiction(siblings, node, places, nulls, err);
    }
    return LITH_OK;
}
