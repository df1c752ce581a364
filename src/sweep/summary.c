/*
 * A pass in numbers.
 */
#include "sweep/summary.h"

#include <assert.h>

static const char *const state_names[] = {
    [LITH_PARTITION_COMPACTED] = "compacted", [LITH_PARTITION_LEFT] = "left",
    [LITH_PARTITION_BLOCKED] = "blocked",     [LITH_PARTITION_BUSY] = "busy",
    [LITH_PARTITION_PENDING] = "pending",     [LITH_PARTITION_FAILED] = "failed",
    [LITH_PARTITION_CHANGED] = "changed",
};
static_assert(sizeof(state_names) / sizeof(state_names[0]) == LITH_PARTITION_STATE_COUNT,
              "a name per state");

const char *lith_partition_state_name(enum lith_partition_state state)
{
    return (unsigned)state < LITH_PARTITION_STATE_COUNT ? state_names[state] : "unknown";
}

/* A roll-up that was not made, for whatever reason but that there was nothing. */
static bool is_left(const struct lith_partition_report *report)
{
    return report->state != LITH_PARTITION_COMPACTED &&
           (report->state != LITH_PARTITION_LEFT || report->files_before);
}

/* Its files were counted where they lie. In a plan some of them are to be merged there first, too:
 * each roll-up has a file of its own afterwards, however often its inputs were subtracted. */
static void rollup_count(struct lith_summary *summary, const struct lith_partition_report *report)
{
    uint64_t others =
        summary->files_after > report->outputs ? summary->files_after - report->outputs : 0;

    if (report->files_after < report->files_before) {
        uint64_t fewer = report->files_before - report->files_after;
        summary->files_after -= fewer < others ? fewer : others;
    }
    summary->rollups += report->state == LITH_PARTITION_COMPACTED;
    summary->rollups_left += is_left(report);
}

void lith_summary_add(struct lith_summary *summary, const struct lith_partition_report *report)
{
    summary->by_state[report->state]++;
    if (report->is_rollup) {
        rollup_count(summary, report);
    } else {
        summary->partitions++;
        summary->files_before += report->files_before;
        summary->files_after += report->files_after;
    }
    summary->input_bytes += report->input_bytes;
    summary->output_bytes += report->output_bytes;
    summary->rows += report->rows;
    summary->folded += report->folded;
    summary->more_due += report->more_due;
    summary->blocked_files += report->blocked_files;
    summary->deleted += report->deleted;
    summary->deleted_bytes += report->deleted_bytes;
    summary->held_bytes += report->held_bytes;
    summary->lost += report->lost;
    summary->lost_rows += report->lost_rows;
    summary->carried += report->carried;
    summary->strays += report->stray ? 1 : 0;
    summary->events += report->events;
    summary->findings += report->finding_count;
    summary->hands += report->hands;
    summary->events_pending += report->events_pending;
    if (report->held_until_ns > summary->held_until_ns)
        summary->held_until_ns = report->held_until_ns;
}
