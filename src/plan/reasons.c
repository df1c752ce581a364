/*
 * Reasons as people read them, in plan and in the reports of a pass: a file's name, then its text;
 * a partition's path, then its text; ": " and the detail follow where there is one.
 */
#include "plan/plan.h"

#include <assert.h>

static const char *const file_texts[] = {
    "would be merged",
    "does not count",
    "is large enough already (target_file)",
    "has too little beside it to be worth a rewrite",
    "could be merged, but the partition is not due",
    "waits for the next pass (max_inputs)",
    "is set aside",
    "stays out",
    "is a symbolic link, which is not followed",
    "has other bytes than the manifest names",
    "has another schema than those merged in this pass",
    "cannot be merged with those of its kind",
    "has rows that do not belong to its path",
};
static_assert(sizeof(file_texts) / sizeof(file_texts[0]) == LITH_FILE_REASON_COUNT,
              "one text for each");

static const struct {
    const char *text;
    bool blocks;
    bool stops;
} part_texts[] = {
    {"is due", false, false},
    {"belongs to a table format or to another lake", true, true},
    {"has another program's manifest, which lithify adopt takes over", true, true},
    {"misses a live file, and waits for it", true, true},
    {"holds rows that do not belong to its path", true, false},
    {"its path does not fit the layout", false, false},
    {"not sealed yet", false, false},
    {"too few small files", false, false},
    {"fewer than two files to merge", false, false},
    {"too little to gain by a merge", false, false},
    {"compacted already, nothing worth a merge since", false, false},
    {"rolled back, and not done again until files or options change", false, false},
};
static_assert(sizeof(part_texts) / sizeof(part_texts[0]) == LITH_PART_REASON_COUNT,
              "one text for each");

const char *lith_file_reason_text(enum lith_file_reason reason)
{
    LITH_ASSERT(reason < LITH_FILE_REASON_COUNT);
    return file_texts[reason];
}

const char *lith_part_reason_text(enum lith_part_reason reason)
{
    LITH_ASSERT(reason < LITH_PART_REASON_COUNT);
    return part_texts[reason].text;
}

bool lith_part_reason_blocks(enum lith_part_reason reason)
{
    LITH_ASSERT(reason < LITH_PART_REASON_COUNT);
    return part_texts[reason].blocks;
}

bool lith_part_reason_stops(enum lith_part_reason reason)
{
    LITH_ASSERT(reason < LITH_PART_REASON_COUNT);
    return part_texts[reason].stops;
}

const char *lith_not_live_text(const struct lith_snapshot_file *file)
{
    switch (file->state) {
    case LITH_FILE_RETIRED:
        return "superseded or retired; gc deletes it after reader_grace";
    case LITH_FILE_GONE:
        return "sent again after it was merged and deleted";
    case LITH_FILE_ORPHAN:
        return "written by a merge that was not committed; gc deletes it after orphan_grace";
    case LITH_FILE_OUR_TMP:
    case LITH_FILE_GONE_TMP:
        return "left over from a run that was stopped; gc deletes it";
    case LITH_FILE_MANIFEST:
        return "the manifest";
    case LITH_FILE_LATE:
        return "not named by the manifest of another program";
    case LITH_FILE_OTHER:
        return "no data file by its name";
    case LITH_FILE_LIVE:
    case LITH_FILE_STATE_COUNT:
        break;
    }
    return NULL;
}
