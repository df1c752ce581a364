/*
 * The table of commands, and which options each of them takes.
 */
#include <string.h>

#include "cli/cli.h"

static const enum lith_option_id lake_options[] = {
    LITH_OPTION_TENANT_KEY, LITH_OPTION_LAYOUT, LITH_OPTION_MANIFEST_NAME,
    LITH_OPTION_PARTITION,  LITH_OPTION_SHARD,
};
static const enum lith_option_id commit_options[] = {LITH_OPTION_READERS, LITH_OPTION_STAGING,
                                                     LITH_OPTION_SINGLE_WRITER};
static const enum lith_option_id plan_options[] = {
    LITH_OPTION_GRACE,      LITH_OPTION_QUIET_FOR,   LITH_OPTION_SETTLE,     LITH_OPTION_MIN_FILES,
    LITH_OPTION_MAX_INPUTS, LITH_OPTION_TARGET_FILE, LITH_OPTION_SMALL_FILE, LITH_OPTION_TIERS,
};
static const enum lith_option_id merge_options[] = {
    LITH_OPTION_ROW_GROUP,    LITH_OPTION_ROW_GROUP_ROWS, LITH_OPTION_MATCH_COLUMNS,
    LITH_OPTION_ALLOW,        LITH_OPTION_SORT_BY,        LITH_OPTION_CODEC,
    LITH_OPTION_UNKNOWN_KEYS, LITH_OPTION_VERIFY,
};
static const enum lith_option_id gc_options[] = {LITH_OPTION_READER_GRACE, LITH_OPTION_ORPHAN_GRACE,
                                                 LITH_OPTION_REPLAY_WINDOW,
                                                 LITH_OPTION_GC_BYTES_MAX};
static const enum lith_option_id run_options[] = {
    LITH_OPTION_JOBS,
    LITH_OPTION_MIN_FREE,
    LITH_OPTION_IO_RATE,
    LITH_OPTION_KEY_COLUMNS,
    LITH_OPTION_PATH_CHECK_SKIP,
    LITH_OPTION_TIME_COLUMN,
    LITH_OPTION_TIME_COLUMN_FALLBACK,
};
static const enum lith_option_id memory_options[] = {LITH_OPTION_MEMORY, LITH_OPTION_SCRATCH,
                                                     LITH_OPTION_SCRATCH_MAX};
static const enum lith_option_id split_options[] = {LITH_OPTION_TARGET_FILE};
static const enum lith_option_id output_options[] = {LITH_OPTION_JSON, LITH_OPTION_QUIET,
                                                     LITH_OPTION_NO_PROGRESS};
static const enum lith_option_id blocked_options[] = {LITH_OPTION_OK_BLOCKED};
static const enum lith_option_id audit_options[] = {LITH_OPTION_AUDIT};
static const enum lith_option_id thread_options[] = {LITH_OPTION_THREADS};

#define GROUP(title, list)                                                                         \
    {                                                                                              \
        title, list, sizeof(list) / sizeof((list)[0])                                              \
    }
const struct lith_option_group lith_option_groups[LITH_GROUP_COUNT] = {
    GROUP("which partitions", lake_options),   GROUP("commits", commit_options),
    GROUP("what is due", plan_options),        GROUP("what is written", merge_options),
    GROUP("how long things stay", gc_options), GROUP("jobs", run_options),
    GROUP("memory", memory_options),           GROUP("several outputs", split_options),
    GROUP("output", output_options),           GROUP("exit code", blocked_options),
    GROUP("threads", thread_options),          GROUP("audit events", audit_options),
};

#define LAKE_GROUPS                                                                                \
    (LITH_GROUP_LAKE | LITH_GROUP_COMMIT | LITH_GROUP_PLAN | LITH_GROUP_MERGE | LITH_GROUP_GC |    \
     LITH_GROUP_RUN | LITH_GROUP_THREADS | LITH_GROUP_MEMORY | LITH_GROUP_OUTPUT |                 \
     LITH_GROUP_BLOCKED | LITH_GROUP_AUDIT)
#define SWITCH(name) (1u << LITH_SWITCH_##name)

const struct lith_command lith_commands[] = {
    {
        .name = "compact",
        .synopsis = "[OPTION...] ROOT",
        .line = "merge what is due in a lake, once",
        .text = "Merges the small files of every partition that is sealed and has enough of them.\n"
                "A partition changes in one step; readers see its old files or its new ones, each\n"
                "row once. What was merged stays until gc, but with readers = glob. What is left\n"
                "alone has a reason: see plan.",
        .example = "  lithify compact --readers manifest /data/lake\n"
                   "      the first time; later the lake knows how it is read",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_compact,
    },
    {
        .name = "plan",
        .synopsis = "[OPTION...] ROOT",
        .line = "what compact would do, with a reason for each file; changes nothing",
        .text = "Shows each partition, whether it is due and why, and for each of its files the\n"
                "rule that decided. A + marks what would be merged. Of eight or more files in a\n"
                "row with one reason the first and the last are shown; --json has all of them.\n"
                "--explain also plans the merges, for which it reads footers and dictionaries.",
        .example = "  lithify plan --partition 'tenant_id=acme/*' /data/lake\n"
                   "      one tenant of the lake",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG) | SWITCH(EXPLAIN),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_plan,
    },
    {
        .name = "status",
        .synopsis = "[OPTION...] ROOT",
        .line = "sizes of files, small files and backlog per tenant",
        .text =
            "Shows how large the live files are, which share is small, which of the small ones\n"
            "could still be merged (the goal is less than 5 % of all files), and the backlog.",
        .example = "  lithify status /data/lake",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_status,
    },
    {
        .name = "merge",
        .synopsis = "[OPTION...] -o OUT|--explain IN...",
        .line = "merge the named files; no lake needed",
        .text =
            "Writes the rows of the inputs, in their order, into one file, or into several\n"
            "of about --target-file: OUT.parquet, OUT-1.parquet, OUT-2.parquet ... (the number\n"
            "stands before the extension). Inputs are never changed; the output is read back\n"
            "before it gets its name. --explain without -o writes nothing and tells what a\n"
            "merge would do; --json has it for every chunk of the inputs.",
        .example = "  lithify merge -o day.parquet hour-*.parquet\n"
                   "  find hours -name '*.parquet' | sort | lithify merge -o day.parquet "
                   "--inputs-from -\n"
                   "  lithify merge --explain hour-*.parquet\n"
                   "      which columns would be copied, and which encoded anew",
        .groups = LITH_GROUP_MERGE | LITH_GROUP_THREADS | LITH_GROUP_MEMORY | LITH_GROUP_SPLIT |
                  LITH_GROUP_OUTPUT,
        .switches = SWITCH(CONFIG) | SWITCH(OUTPUT) | SWITCH(OVERWRITE) | SWITCH(EXPLAIN) |
                    SWITCH(INPUTS_FROM) | SWITCH(NULL) | SWITCH(MOVERS),
        .operands_min = 0,
        .operands_max = SIZE_MAX,
        .run = lith_cmd_merge,
    },
    {
        .name = "ls",
        .synopsis = "[OPTION...] ROOT|PARTITION",
        .line = "the live files, one per line, or for DuckDB and others",
        .text = "Lists the files that together are the rows right now: each row once, late files\n"
                "included (--strict: only what manifests name).",
        .example = "  duckdb -c \"$(lithify ls --format duckdb /data/lake)\"\n"
                   "      read exactly one state of the lake",
        .groups = LITH_GROUP_LAKE | LITH_GROUP_MEMORY | LITH_GROUP_OUTPUT,
        .switches = SWITCH(CONFIG) | SWITCH(FORMAT) | SWITCH(STRICT),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_ls,
    },
    {
        .name = "log",
        .synopsis = "[OPTION...] ROOT",
        .line = "what was done to a lake: the audit events, by time",
        .text =
            "Shows an event for each commit: when, where, what it did, and to how many files and\n"
            "bytes. --json has all that is known, with the names of files.",
        .example = "  lithify log --since 2026-06-15T00:00:00Z --partition 'tenant_id=acme/*' "
                   "/data/lake",
        .groups = LITH_GROUP_LAKE | LITH_GROUP_AUDIT | LITH_GROUP_MEMORY | LITH_GROUP_OUTPUT,
        .switches = SWITCH(CONFIG) | SWITCH(TENANT) | SWITCH(SINCE) | SWITCH(UNTIL),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_log,
    },
    {
        .name = "inspect",
        .synopsis = "[OPTION...] FILE",
        .line = "what a Parquet file says of itself",
        .text = "Shows footer, schema, key-values, row groups and column chunks with encodings,\n"
                "sizes, statistics, indexes and bloom filters; --pages also every page header.",
        .example = "  lithify inspect --json --pages part-0.parquet",
        .groups = LITH_GROUP_MEMORY | LITH_GROUP_OUTPUT,
        .switches = SWITCH(CONFIG) | SWITCH(PAGES),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_inspect,
    },
    {
        .name = "verify",
        .synopsis = "[OPTION...] A... -- B...",
        .line = "do two sets of files hold the same rows?",
        .text = "Decodes both sides in full and compares them as multisets of rows: every value,\n"
                "null and shape, in any order. Exit 0: the same; 1: different, or not comparable\n"
                "(a file that cannot be read, other columns: stderr says it, and stdout stays\n"
                "empty).",
        .example = "  lithify verify hour-*.parquet -- day.parquet",
        .groups = LITH_GROUP_MEMORY | LITH_GROUP_OUTPUT,
        .switches = SWITCH(CONFIG),
        .operands_min = 0,
        .operands_max = SIZE_MAX,
        .run = lith_cmd_verify,
    },
    {
        .name = "gc",
        .synopsis = "[OPTION...] ROOT",
        .line = "delete superseded files whose grace is over",
        .text =
            "Deletes files that were replaced, or retired, once --reader-grace is over, outputs\n"
            "that were never committed once --orphan-grace is, and what killed programs left.\n"
            "Never anything else. Before that it says how much they hold, and until when.\n"
            "--dry-run says of each of them whether it would go now, or why it stays.",
        .example = "  lithify gc --reader-grace 1h /data/lake",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG) | SWITCH(DRY_RUN),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_gc,
    },
    {
        .name = "fsck",
        .synopsis =
            "[OPTION...] ROOT|PARTITION | --repair ROOT|PARTITION | --restore FILE PARTITION",
        .line = "hold manifests against files, and tell what is wrong",
        .text =
            "Tells of each partition what wants a hand (marked !), with what to do, and what time\n"
            "or the next pass takes care of. Changes nothing, takes no lock, needs no right to\n"
            "write. --deep also reads every live file to its end. Exit 0: nothing wants a hand;\n"
            "3: something does; 1: something could not be looked at.\n"
            "--repair mends what it can: files that are missing are written off, or what still "
            "has\n"
            "their rows comes back; a lost manifest is made anew. It shows what it would do, and\n"
            "asks; without a terminal it wants --yes (or --dry-run).\n"
            "--restore FILE puts an older manifest of one partition back, in a commit of its own:\n"
            "its live files are live again, and no row is lost or shown twice (--dry-run: what\n"
            "would come and go).",
        .example = "  lithify fsck --deep --partition 'tenant_id=acme/*' /data/lake\n"
                   "  lithify fsck --repair /data/lake\n"
                   "  lithify fsck --restore backup/manifest.json /data/lake/tenant_id=acme/day=15",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG) | SWITCH(DEEP) | SWITCH(RESTORE) | SWITCH(DRY_RUN) |
                    SWITCH(REPAIR) | SWITCH(YES),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_fsck,
    },
    {
        .name = "rollback",
        .synopsis = "[OPTION...] PARTITION | --partition GLOB ROOT",
        .line = "undo the last compaction of a partition",
        .text =
            "The inputs of the last compaction are live again, its outputs are superseded. It\n"
            "works until gc deletes the inputs (--reader-grace), and compact does not do it again\n"
            "before files or options change. Refused, with the reason, where it cannot be.",
        .example = "  lithify rollback --dry-run /data/lake/tenant_id=acme/year=2026/month=06\n"
                   "      which files would be live again",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG) | SWITCH(DRY_RUN),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_rollback,
    },
    {
        .name = "retire",
        .synopsis = "[OPTION...] PARTITION FILE...",
        .line = "take files, with their rows, out of a partition",
        .text =
            "For jobs that keep rows only so long: the files leave the live set in one step, all\n"
            "or none, and gc deletes them once --reader-grace is over. Files that no manifest\n"
            "names yet are named first. Rollback does not bring them back.",
        .example = "  lithify retire /data/lake/year=2023 part-0.parquet part-1.parquet",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG) | SWITCH(DRY_RUN),
        .operands_min = 2,
        .operands_max = SIZE_MAX,
        .run = lith_cmd_retire,
    },
    {
        .name = "adopt",
        .synopsis = "[OPTION...] ROOT",
        .line = "give every partition a manifest, rewriting nothing",
        .text =
            "Before readers that know only manifests are pointed at a lake: each partition gets\n"
            "one that names its files. compact does the same where it merges. A manifest of\n"
            "another program is taken over once --unlisted says what the other files are.",
        .example = "  lithify adopt --readers manifest /data/lake",
        .groups = LAKE_GROUPS,
        .switches = SWITCH(CONFIG) | SWITCH(UNLISTED),
        .operands_min = 1,
        .operands_max = 1,
        .run = lith_cmd_adopt,
    },
    {
        .name = "help",
        .synopsis = "[COMMAND|options]",
        .line = "this, a command, or every option",
        .text = "Explains a command, or lists every option (--markdown: as a table).",
        .example = "  lithify help compact",
        .switches = SWITCH(MARKDOWN),
        .operands_min = 0,
        .operands_max = 1,
        .run = lith_cmd_help,
    },
};
const size_t lith_command_count = sizeof(lith_commands) / sizeof(lith_commands[0]);

const struct lith_command *lith_command_find(const char *name)
{
    for (size_t i = 0; i < lith_command_count; i++) {
        if (strcmp(lith_commands[i].name, name) == 0)
            return &lith_commands[i];
    }
    return NULL;
}

const char *lith_command_nearest(const char *name)
{
    const char *nearest = NULL;
    unsigned least = 3; /* commands are short words */

    for (size_t i = 0; i < lith_command_count; i++) {
        unsigned changes = lith_word_distance(name, lith_commands[i].name);
        if (changes < least) {
            least = changes;
            nearest = lith_commands[i].name;
        }
    }
    return nearest;
}

bool lith_command_takes(const struct lith_command *command, enum lith_option_id option)
{
    for (unsigned bit = 0; bit < LITH_GROUP_COUNT; bit++) {
        const struct lith_option_group *group = &lith_option_groups[bit];
        for (size_t i = 0; (command->groups & (1u << bit)) && i < group->count; i++) {
            if (group->options[i] == option)
                return true;
        }
    }
    return false;
}
