/*
 * Ledgers as files: lines that end with a zero byte, since names may hold anything else.
 *
 * "lithify swap 1 <inode> <count>", then for each entry "<kind> <inode> <size> <mtime_ns> <name>",
 * then "end". One that was cut off has no end.
 */
#include "store/exchange_ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

#define HEAD_FORMAT "lithify swap 1 %" SCNu64 " %" SCNu64
#define LINE_FORMAT "%c %" SCNu64 " %" SCNu64 " %" SCNd64 "%n"
/* A line: numbers and a name of the file system. */
#define LINE_BYTES_MAX 400u
#define LEDGER_BYTES_MAX ((size_t)LITH_FOLDER_FILES_MAX * LINE_BYTES_MAX)

static int compare_entries(const void *a, const void *b)
{
    const struct lith_ledger_entry *left = a;
    const struct lith_ledger_entry *right = b;
    int order = strcmp(left->name, right->name);

    if (order != 0)
        return order;
    return left->inode < right->inode ? -1 : left->inode > right->inode;
}

void lith_ledger_sort(struct lith_ledger *ledger)
{
    if (ledger->count)
        qsort(ledger->entries, ledger->count, sizeof(*ledger->entries), compare_entries);
}

const struct lith_ledger_entry *lith_ledger_find(const struct lith_ledger *ledger, const char *name,
                                                 uint64_t inode)
{
    const struct lith_ledger_entry key = {.name = name, .inode = inode};

    return ledger->count
               ? bsearch(&key, ledger->entries, ledger->count, sizeof(key), compare_entries)
               : NULL;
}

const struct lith_ledger_entry *lith_ledger_find_same(const struct lith_ledger *ledger,
                                                      const char *name,
                                                      const struct lith_file_info *info)
{
    const struct lith_ledger_entry key = {.name = name};
    size_t low = 0;
    size_t high = ledger->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_entries(&ledger->entries[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < ledger->count && strcmp(ledger->entries[low].name, name) == 0; low++) {
        const struct lith_ledger_entry *entry = &ledger->entries[low];
        if (entry->kind != LITH_LEDGER_NEW && entry->size == info->size &&
            entry->mtime_ns == info->mtime_ns)
            return entry;
    }
    return NULL;
}

const struct lith_ledger_entry *lith_ledger_find_inode(const struct lith_ledger *ledger,
                                                       uint64_t inode)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (ledger->entries[i].inode == inode && ledger->entries[i].kind != LITH_LEDGER_NEW)
            return &ledger->entries[i];
    }
    return NULL;
}

static enum lith_code line_write(struct lith_sink *sink, const char *line, int length,
                                 struct lith_err *err)
{
    LITH_ASSERT(length > 0);
    LITH_ASSERT((size_t)length < LINE_BYTES_MAX);
    return lith_sink_write(sink, line, (size_t)length + 1, err);
}

static enum lith_code lines_write(const struct lith_ledger *ledger, struct lith_sink *sink,
                                  struct lith_err *err)
{
    char line[LINE_BYTES_MAX];

    int length = snprintf(line, sizeof(line), "lithify swap 1 %" PRIu64 " %zu", ledger->old_inode,
                          ledger->count);
    LITH_TRY(line_write(sink, line, length, err));
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lith_ledger_entry *entry = &ledger->entries[i];
        length = snprintf(line, sizeof(line), "%c %" PRIu64 " %" PRIu64 " %" PRId64 " %s",
                          entry->kind, entry->inode, entry->size, entry->mtime_ns, entry->name);
        LITH_TRY(line_write(sink, line, length, err));
    }
    return lith_sink_write(sink, "end", sizeof("end"), err);
}

static enum lith_code file_write(const struct lith_ledger *ledger, int fd, const char *name,
                                 struct lith_mem *mem, struct lith_err *err)
{
    struct lith_file_sink sink;

    LITH_TRY(lith_file_sink_init(&sink, fd, name, mem, err));
    enum lith_code code = lines_write(ledger, &sink.base, err);
    if (code == LITH_OK)
        code = lith_file_sink_flush(&sink, err);
    lith_file_sink_done(&sink);
    return code == LITH_OK ? lith_fd_sync(fd, name, err) : code;
}

enum lith_code lith_ledger_write(const struct lith_ledger *ledger, int dir_fd, const char *name,
                                 struct lith_mem *mem, struct lith_err *err)
{
    struct lith_err ignored;
    char tmp[64];
    int fd;

    int length = snprintf(tmp, sizeof(tmp), "%s.tmp", name);
    LITH_ASSERT(length > 0);
    LITH_ASSERT((size_t)length < sizeof(tmp));
    /* The lock of the folder is held: what is there was left by a program that was killed. */
    (void)!lith_file_unlink(dir_fd, tmp, &ignored);
    LITH_TRY(lith_file_create(dir_fd, tmp, 0600, &fd, err));
    enum lith_code code = file_write(ledger, fd, tmp, mem, err);
    lith_fd_close(fd);
    if (code == LITH_OK)
        code = lith_file_rename(dir_fd, tmp, name, err);
    if (code == LITH_OK)
        code = lith_fd_sync(dir_fd, name, err);
    if (code != LITH_OK)
        (void)!lith_file_unlink(dir_fd, tmp, &ignored);
    return code;
}

static enum lith_code not_whole(const char *name, struct lith_err *err)
{
    return lith_fail(err, LITH_E_CORRUPT,
                     "%s is not the whole ledger of a swap: what its directory holds is not known",
                     name);
}

/* The next line, which ends before `end`, or NULL. */
static const char *line_next(const char **at, const char *end)
{
    const char *line = *at;
    const char *zero = line < end ? memchr(line, '\0', (size_t)(end - line)) : NULL;

    if (!zero)
        return NULL;
    *at = zero + 1;
    return line;
}

static enum lith_code entry_parse(const char *line, struct lith_ledger_entry *entry,
                                  struct lith_err *err)
{
    int used = 0;

    if (!line || sscanf(line, LINE_FORMAT, &entry->kind, &entry->inode, &entry->size,
                        &entry->mtime_ns, &used) != 4)
        return not_whole("a line", err);
    if (line[used] != ' ' || line[used + 1] == '\0')
        return not_whole("a line without a name", err);
    entry->name = line + used + 1;
    return LITH_OK;
}

static enum lith_code ledger_parse(const char *text, size_t bytes, struct lith_arena *arena,
                                   struct lith_ledger *ret_ledger, struct lith_err *err)
{
    struct lith_ledger ledger = {0};
    const char *at = text;
    const char *end = text + bytes;
    const char *line = line_next(&at, end);
    uint64_t count;
    void *block;

    if (!line || sscanf(line, HEAD_FORMAT, &ledger.old_inode, &count) != 2 || count > bytes)
        return not_whole("its first line", err);
    LITH_TRY(lith_arena_array(arena, (size_t)count, sizeof(*ledger.entries), &block, err));
    ledger.entries = block;
    ledger.count = (size_t)count;
    for (size_t i = 0; i < ledger.count; i++)
        LITH_TRY(entry_parse(line_next(&at, end), &ledger.entries[i], err));
    line = line_next(&at, end);
    if (!line || strcmp(line, "end") != 0)
        return not_whole("its end", err);
    lith_ledger_sort(&ledger);
    *ret_ledger = ledger;
    return LITH_OK;
}

enum lith_code lith_ledger_read(int dir_fd, const char *name, struct lith_arena *arena,
                                struct lith_ledger *ret_ledger, struct lith_err *err)
{
    LITH_AUTO(block) void *block = NULL;
    uint8_t *data;
    size_t bytes;
    void *text;

    LITH_TRY(lith_file_read_all(dir_fd, name, LEDGER_BYTES_MAX, arena->mem, &data, &bytes, err));
    block = data;
    LITH_TRY(lith_arena_copy(arena, data, bytes, &text, err));
    if (ledger_parse(text, bytes, arena, ret_ledger, err) == LITH_OK)
        return LITH_OK;
    return err->code == LITH_E_CORRUPT ? not_whole(name, err) : err->code;
}
