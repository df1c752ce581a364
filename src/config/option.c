/*
 * The table of options.
 */
#include "config/option.h"

#include <string.h>

#include "base/checked.h"

const struct lith_option lith_options_table[LITH_OPTION_COUNT] = {
    [LITH_OPTION_READERS] = {"readers", LITH_KIND_CHOICE, "manifest|exchange|glob", NULL,
                             "How the lake is read (docs/readers.md). Chosen once, by the first "
                             "compact or adopt."},
    [LITH_OPTION_STAGING] =
        {"staging", LITH_KIND_TEXT, "DIR", NULL,
         "With readers = exchange: the directory that holds what readers do not "
         "see, outside ROOT and on its file system; by default ROOT.lithify."},
    [LITH_OPTION_SINGLE_WRITER] = {"single_writer", LITH_KIND_SWITCH, NULL, "false",
                                   "Commit even where the file system has no working locks; your "
                                   "word that nobody else commits to this lake."},
    [LITH_OPTION_AUDIT] =
        {"audit", LITH_KIND_TEXT, "DIR|none", NULL,
         "Where the audit events of commits go (docs/audit.md); by default audit/ "
         "beside data/ where ROOT has that, else ROOT.audit. none: no events."},
    [LITH_OPTION_TENANT_KEY] = {"tenant_key", LITH_KIND_TEXT, "NAME", "tenant_id",
                                "The path key that names the tenant."},
    [LITH_OPTION_LAYOUT] = {"layout", LITH_KIND_TEXT, "PATTERN", NULL,
                            "Paths without key names, as {db}/{measurement}/{yyyy}/{mm}/{dd}/{hh}; "
                            "without it paths are Hive-style (name=value)."},
    [LITH_OPTION_TIERS] =
        {"tiers", LITH_KIND_LIST, "day|month", NULL,
         "Rolls small files up: day, those of its hours into the day; month, "
         "those of its days into the month; separated by commas (docs/tiers.md)."},
    [LITH_OPTION_MANIFEST_NAME] = {"manifest_name", LITH_KIND_CHOICE,
                                   "manifest.json|_manifest.json", "manifest.json",
                                   "The name of manifests. Chosen once, by the first compact or "
                                   "adopt."},
    [LITH_OPTION_PARTITION] =
        {"partition", LITH_KIND_TEXT, "GLOB", NULL,
         "Only partitions whose whole path below ROOT matches; * takes / too."},
    [LITH_OPTION_SHARD] = {"shard", LITH_KIND_SHARD, "I/N", "1/1",
                           "Only the I-th of N shares of the partitions."},
    [LITH_OPTION_GRACE] = {"grace", LITH_KIND_DURATION, "TIME", "15m",
                           "How long after the end of its period (from the path) a partition may "
                           "still be written."},
    [LITH_OPTION_QUIET_FOR] = {"quiet_for", LITH_KIND_DURATION, "TIME", "15m",
                               "A partition is at rest when its newest file is older than this."},
    [LITH_OPTION_SETTLE] = {"settle", LITH_KIND_DURATION, "TIME", "6h",
                            "Once a partition was quiet for this long, two small files are enough "
                            "for a job."},
    [LITH_OPTION_MIN_FILES] = {"min_files", LITH_KIND_COUNT, "N", "4",
                               "Before that, a job needs so many inputs."},
    [LITH_OPTION_MAX_INPUTS] = {"max_inputs", LITH_KIND_COUNT, "N", "10000",
                                "A job takes at most so many inputs."},
    [LITH_OPTION_SMALL_FILE] = {"small_file", LITH_KIND_SIZE, "SIZE", "128MiB",
                                "What status counts as small."},
    [LITH_OPTION_TARGET_FILE] = {"target_file", LITH_KIND_SIZE, "SIZE", "512MiB",
                                 "The size an output should have, in bytes written; row groups of "
                                 "inputs are never cut."},
    [LITH_OPTION_ROW_GROUP] = {"row_group", LITH_KIND_SIZE, "SIZE", "128MiB",
                               "A row group closes at so many uncompressed bytes."},
    [LITH_OPTION_ROW_GROUP_ROWS] = {"row_group_rows", LITH_KIND_COUNT, "N", "1048576",
                                    "A row group closes at so many rows; those of inputs are "
                                    "never cut."},
    [LITH_OPTION_MATCH_COLUMNS] = {"match_columns", LITH_KIND_CHOICE, "auto|name|id", "auto",
                                   "Which columns of different files are one: auto is by field id "
                                   "where all files have ids on all fields, else by name."},
    [LITH_OPTION_ALLOW] = {"allow", LITH_KIND_LIST,
                           "dates-to-timestamps|bytes-to-strings|names-by-case", NULL,
                           "What joins files of different schemas besides what is always safe; "
                           "separated by commas."},
    [LITH_OPTION_SORT_BY] = {"sort_by", LITH_KIND_TEXT, "KEYS", NULL,
                             "Sorts the rows of outputs by column[:desc][:nulls-first],...; row "
                             "groups are smaller then, unless row_group is given "
                             "(docs/sorting.md)."},
    [LITH_OPTION_CODEC] = {"codec", LITH_KIND_TEXT, "CODEC[:LEVEL]", "keep",
                           "Codec of outputs: keep (for each column that of most of its inputs' "
                           "bytes), none, snappy, lz4_raw, zstd[:1-22], gzip[:1-12], "
                           "brotli[:0-11]."},
    [LITH_OPTION_UNKNOWN_KEYS] = {"unknown_keys", LITH_KIND_CHOICE, "drop|first|error", "drop",
                                  "Key-value metadata on which inputs differ, or that some lack, "
                                  "where only its writer understands it."},
    [LITH_OPTION_KEY_COLUMNS] = {"key_columns", LITH_KIND_LIST, "NAMES", "template_id",
                                 "Columns whose counts per value are checked before a commit, "
                                 "where present; separated by commas."},
    [LITH_OPTION_PATH_CHECK_SKIP] =
        {"path_check_skip", LITH_KIND_LIST, "NAMES", NULL,
         "Path keys whose columns mean something else: rows whose column of a key's name has "
         "another value than the path block their partition, but for these (docs/path-rows.md); "
         "separated by commas."},
    [LITH_OPTION_TIME_COLUMN] =
        {"time_column", LITH_KIND_TEXT, "NAME", NULL,
         "The column of each row's time: rows whose time does not lie in the period of their path "
         "block their partition."},
    [LITH_OPTION_TIME_COLUMN_FALLBACK] = {"time_column_fallback", LITH_KIND_TEXT, "NAME", NULL,
                                          "The column that counts where time_column is null or "
                                          "0."},
    [LITH_OPTION_VERIFY] = {"verify", LITH_KIND_CHOICE, "off|structure|content|decode", "content",
                            "How an output is checked before it counts."},
    [LITH_OPTION_READER_GRACE] = {"reader_grace", LITH_KIND_DURATION, "TIME", "24h",
                                  "Superseded files stay so long for readers that know them. None "
                                  "with readers = glob."},
    [LITH_OPTION_ORPHAN_GRACE] = {"orphan_grace", LITH_KIND_DURATION, "TIME", "24h",
                                  "Outputs that were never committed stay so long."},
    [LITH_OPTION_REPLAY_WINDOW] = {"replay_window", LITH_KIND_DURATION, "TIME", "7d",
                                   "A deleted file that a writer sends again within this time is "
                                   "not counted."},
    [LITH_OPTION_GC_BYTES_MAX] = {"gc_bytes_max", LITH_KIND_SIZE, "SIZE", "100GiB",
                                  "gc deletes at most this much in one pass over the lake."},
    [LITH_OPTION_MIN_FREE] = {"min_free", LITH_KIND_PERCENT, "N%", "5%",
                              "No job is begun whose outputs would leave less of the file system "
                              "free than this."},
    [LITH_OPTION_IO_RATE] = {"io_rate", LITH_KIND_SIZE, "SIZE", "0",
                             "Each job reads and writes at most so many bytes of data files a "
                             "second; 0: as many as it can."},
    [LITH_OPTION_JOBS] = {"jobs", LITH_KIND_COUNT, "N", "1",
                          "Partitions worked on at once; they share the memory."},
    [LITH_OPTION_THREADS] = {"threads", LITH_KIND_COUNT, "N", "1",
                             "Threads of one merge, which prepare its columns; 0: as many as there "
                             "are processors. The output is the same for any number."},
    [LITH_OPTION_MEMORY] = {"memory", LITH_KIND_SIZE, "SIZE", "256MiB",
                            "The heap of the whole program; 64MiB works."},
    [LITH_OPTION_SCRATCH] = {"scratch", LITH_KIND_TEXT, "DIR", NULL,
                             "Where unlinked temporary files go; $TMPDIR, else /tmp."},
    [LITH_OPTION_SCRATCH_MAX] = {"scratch_max", LITH_KIND_SIZE, "SIZE", "4GiB",
                                 "How large they may become together."},
    [LITH_OPTION_JSON] = {"json", LITH_KIND_SWITCH, NULL, "false",
                          "Results as JSON (docs/json.md)."},
    [LITH_OPTION_QUIET] = {"quiet", LITH_KIND_SWITCH, NULL, "false", "Errors alone on stderr."},
    [LITH_OPTION_NO_PROGRESS] = {"no_progress", LITH_KIND_SWITCH, NULL, "false",
                                 "No progress bar, also on a terminal."},
    [LITH_OPTION_OK_BLOCKED] = {"ok_blocked", LITH_KIND_SWITCH, NULL, "false",
                                "Exit 0 although some partitions or files are blocked."},
};

/* Flags have '-' where keys have '_'. */
static char key_letter(char letter)
{
    if (letter == '-')
        return '_';
    return letter;
}

/* Equal but for '-' against '_'. */
static bool is_key(const char *key, const char *name, size_t bytes)
{
    if (strlen(key) != bytes)
        return false;
    for (size_t i = 0; i < bytes; i++) {
        if (key[i] != key_letter(name[i]))
            return false;
    }
    return true;
}

enum lith_option_id lith_option_find(const char *name, size_t bytes)
{
    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        if (is_key(lith_options_table[id].key, name, bytes))
            return (enum lith_option_id)id;
    }
    return LITH_OPTION_COUNT;
}

/* Levenshtein, one row at a time. */
unsigned lith_word_distance(const char *a, const char *b)
{
    enum { LETTERS_MAX = 24 };
    unsigned row[LETTERS_MAX + 1];
    size_t a_bytes = strlen(a);
    size_t b_bytes = strlen(b);

    if (a_bytes > LETTERS_MAX || b_bytes > LETTERS_MAX)
        return LETTERS_MAX;
    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a_bytes; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_bytes; j++) {
            unsigned best = diagonal + (key_letter(a[i - 1]) == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[b_bytes];
}

const char *lith_option_nearest(const char *name)
{
    const char *nearest = NULL;
    /* Half of the letters changed, and it is another word. */
    unsigned least = (unsigned)lith_min_size(strlen(name) / 2 + 1, 4);

    for (int id = 0; id < LITH_OPTION_COUNT; id++) {
        unsigned changes = lith_word_distance(name, lith_options_table[id].key);
        if (changes < least) {
            least = changes;
            nearest = lith_options_table[id].key;
        }
    }
    return nearest;
}

void lith_option_flag(const char *key, char to[LITH_OPTION_NAME_BYTES])
{
    size_t i = 0;

    for (; key[i] && i + 1 < LITH_OPTION_NAME_BYTES; i++) {
        to[i] = key[i];
        if (key[i] == '_')
            to[i] = '-';
    }
    to[i] = '\0';
}

void lith_option_variable(const char *key, char to[LITH_OPTION_NAME_BYTES])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char prefix[] = "LITHIFY_";
    size_t used = sizeof(prefix) - 1;

    memcpy(to, prefix, used);
    for (; *key && used + 1 < LITH_OPTION_NAME_BYTES; key++) {
        to[used] = *key;
        if (*key >= 'a' && *key <= 'z')
            to[used] = letters[*key - 'a'];
        used++;
    }
    to[used] = '\0';
}
