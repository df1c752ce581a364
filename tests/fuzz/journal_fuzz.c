/*
 * A journal from anywhere, under any name (the first line): refused, or read, written, and read
 * back the same; and then it names files of its own partition alone.
 */
#include <string.h>

#include "lake/journal.h"

#define BUDGET ((size_t)64 << 20)
#define NAME_BYTES_MAX 300u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void names_check(const struct lith_journal *journal)
{
    for (size_t i = 0; i < journal->input_count; i++)
        LITH_ASSERT(lith_name_is_data(journal->inputs[i].name) &&
                    !strchr(journal->inputs[i].name, '/'));
    for (size_t i = 0; i < journal->output_count; i++) {
        struct lith_output_name parts;
        LITH_ASSERT(lith_output_name_parse(journal->outputs[i].name, &parts));
    }
}

static void journal_try(const uint8_t *data, size_t bytes, const char *name, struct lith_mem *mem,
                        struct lith_arena *arena)
{
    LITH_AUTO(buf) struct lith_buf once;
    LITH_AUTO(buf) struct lith_buf twice;
    struct lith_journal journal;
    struct lith_journal back;
    const char *partition;
    struct lith_err err;

    lith_buf_init(&once, mem, BUDGET);
    lith_buf_init(&twice, mem, BUDGET);
    enum lith_code code = lith_journal_name_partition(name, arena, &partition, &err);
    LITH_ASSERT(code == LITH_OK);
    if (lith_journal_parse(data, bytes, LITH_JOURNAL_TIER, name, arena, &journal, &err) != LITH_OK)
        return;
    names_check(&journal);
    LITH_ASSERT(!partition || strcmp(partition, journal.partition) == 0);
    code = lith_journal_write(&journal, &once, &err);
    LITH_ASSERT(code == LITH_OK);
    code = lith_journal_parse(once.data, once.bytes, LITH_JOURNAL_TIER, name, arena, &back, &err);
    LITH_ASSERT(code == LITH_OK);
    code = lith_journal_write(&back, &twice, &err);
    LITH_ASSERT(code == LITH_OK);
    LITH_ASSERT(once.bytes == twice.bytes);
    LITH_ASSERT(memcmp(once.data, twice.data, once.bytes) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const uint8_t *line = bytes ? memchr(data, '\n', bytes) : NULL;
    char name[NAME_BYTES_MAX];
    struct lith_mem mem;
    struct lith_arena arena;

    if (!line || (size_t)(line - data) >= sizeof(name) || memchr(data, 0, (size_t)(line - data)))
        return 0;
    memcpy(name, data, (size_t)(line - data));
    name[line - data] = 0;
    lith_mem_init(&mem, BUDGET, NULL);
    lith_arena_init(&arena, &mem);
    journal_try(line + 1, bytes - (size_t)(line - data) - 1, name, &mem, &arena);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}
