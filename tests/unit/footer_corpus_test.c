/*
 * Every footer of the corpus of foreign files, against its MANIFEST.tsv.
 *
 * LITHIFY_CORPUS says where the corpus is. Good files must parse, with the counts that another
 * parser found; quirks parse with the same counts or are refused; of the bad files, those whose
 * footer gives them away are named here with the code they must be refused with.
 */
#include "support.h"

#include "base/file.h"
#include "parquet/footer.h"

#define BUDGET (64u << 20)
#define LINE_BYTES_MAX 4096u

/* Columns of MANIFEST.tsv. */
enum {
    COLUMN_FILE = 0,
    COLUMN_ROWS = 7,
    COLUMN_FOOTER_ROWS = 10,
    COLUMN_ROW_GROUPS = 11,
    COLUMN_LEAVES = 12,
    COLUMN_MAX_DEF = 13,
    COLUMN_MAX_REP = 14,
    COLUMN_COUNT = 15
};

struct expected {
    const char *file;
    enum lith_code code;
};

/* Files whose footer is refused: quirks whose metadata contradicts itself, and those bad files
 * that are not only bad in their pages or codec. */
static const struct expected refused[] = {
    {"bad/arrow-testing__fuzz-4550303804620800.parquet", LITH_E_CORRUPT},
    {"bad/arrow-testing__fuzz-5913005913407488.parquet", LITH_E_CORRUPT},
    {"bad/arrow-testing__fuzz-dictbitwidth-4680774947569664.parquet", LITH_E_CORRUPT},
    {"bad/duckdb__broken_bigint.parquet", LITH_E_CORRUPT},
    {"bad/duckdb__broken_structure.parquet", LITH_E_CORRUPT},
    {"bad/duckdb__missingmagicatend.parquet", LITH_E_CORRUPT},
    {"bad/duckdb__twomarkers.parquet", LITH_E_CORRUPT},
    {"bad/fastparquet___metadata.parquet", LITH_E_UNSUPPORTED},
    {"bad/impala__bad_dict_page_offset.parquet", LITH_E_CORRUPT},
    {"bad/impala__bad_metadata_len.parquet", LITH_E_CORRUPT},
    {"bad/impala__corrupt_footer_len_decr.parquet", LITH_E_CORRUPT},
    {"bad/impala__huge_num_rows.parquet", LITH_E_CORRUPT},
    {"bad/parquet-testing__ARROW-RS-GH-6229-DICTHEADER.parquet", LITH_E_CORRUPT},
    {"bad/parquet-testing__PARQUET-1481.parquet", LITH_E_CORRUPT},
    {"bad/parquet-testing__encrypt_columns_and_footer.encrypted.parquet", LITH_E_UNSUPPORTED},
    {"bad/parquet-testing__encrypt_columns_plaintext_footer.encrypted.parquet", LITH_E_UNSUPPORTED},
    {"quirks/arrow-testing__crash-649c71a618ae2fd80cec177a9676eb3e280fc1fa.parquet",
     LITH_E_CORRUPT},
    {"quirks/arrow-testing__fuzz-5068991573000192.parquet", LITH_E_CORRUPT},
    {"quirks/impala__bad_column_metadata.parquet", LITH_E_CORRUPT},
};

struct totals {
    unsigned parsed;
    unsigned refused;
    unsigned wrong;
};

static enum lith_code code_expected(const char *file)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (strcmp(refused[i].file, file) == 0)
            return refused[i].code;
    }
    return LITH_OK;
}

static void number_compare(const char *file, const char *what, const char *cell, int64_t found,
                           struct totals *totals)
{
    if (strcmp(cell, "-") == 0 || strtoll(cell, NULL, 10) == found)
        return;
    print_error("%s: %s is %lld, the manifest says %s\n", file, what, (long long)found, cell);
    totals->wrong++;
}

static void counts_compare(char *const *cells, const struct lith_footer *footer,
                           struct totals *totals)
{
    const char *rows = cells[COLUMN_FOOTER_ROWS];
    int max_def = 0;
    int max_rep = 0;

    for (uint32_t i = 0; i < footer->schema.leaf_count; i++) {
        const struct lith_schema_node *leaf = lith_schema_leaf(&footer->schema, i);
        max_def = leaf->max_def > max_def ? leaf->max_def : max_def;
        max_rep = leaf->max_rep > max_rep ? leaf->max_rep : max_rep;
    }
    /* A footer that says 0 leaves it to its row groups. */
    if (strcmp(rows, "0") == 0)
        rows = cells[COLUMN_ROWS];
    number_compare(cells[COLUMN_FILE], "rows", rows, footer->num_rows, totals);
    number_compare(cells[COLUMN_FILE], "row groups", cells[COLUMN_ROW_GROUPS],
                   footer->row_group_count, totals);
    /* The manifest counts a group without children as a leaf. */
    if (strcmp(cells[COLUMN_FILE], "quirks/duckdb__empty_group_test.parquet") == 0)
        return;
    number_compare(cells[COLUMN_FILE], "leaves", cells[COLUMN_LEAVES], footer->schema.leaf_count,
                   totals);
    number_compare(cells[COLUMN_FILE], "max_def", cells[COLUMN_MAX_DEF], max_def, totals);
    number_compare(cells[COLUMN_FILE], "max_rep", cells[COLUMN_MAX_REP], max_rep, totals);
}

static void file_check(int dir_fd, char *const *cells, struct totals *totals)
{
    const char *file = cells[COLUMN_FILE];
    struct lith_source *source;
    struct lith_footer footer;
    struct lith_arena arena;
    struct lith_mem mem;
    struct lith_err err;

    lith_mem_init(&mem, BUDGET, NULL);
    lith_arena_init(&arena, &mem);
    MUST(lith_file_source_open(dir_fd, file, &mem, &source, &err));
    enum lith_code code = lith_footer_read(source, &arena, &footer, &err);
    if (code == LITH_OK)
        totals->parsed++;
    else
        totals->refused++;
    if (code != code_expected(file)) {
        print_error("%s: %s %s\n", file, lith_code_name(code), code == LITH_OK ? "" : err.text);
        totals->wrong++;
    } else if (code == LITH_OK && strncmp(file, "bad/", 4) != 0) {
        counts_compare(cells, &footer, totals);
    } else if (code != LITH_OK) {
        print_message("refused: %s: %s\n", file, err.text);
    }
    lith_source_close(source);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
}

static void test_corpus(void **state)
{
    const char *corpus = *state;
    struct totals totals = {0};
    char line[LINE_BYTES_MAX];
    char path[1024];

    (void)snprintf(path, sizeof(path), "%s/MANIFEST.tsv", corpus);
    FILE *manifest = fopen(path, "re");
    assert_non_null(manifest);
    int dir_fd = open(corpus, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir_fd >= 0);
    assert_non_null(fgets(line, sizeof(line), manifest)); /* column names */
    while (fgets(line, sizeof(line), manifest)) {
        char *cells[COLUMN_COUNT];
        char *rest = line;
        for (int i = 0; i < COLUMN_COUNT; i++)
            assert_non_null(cells[i] = strsep(&rest, "\t"));
        file_check(dir_fd, cells, &totals);
    }
    (void)close(dir_fd);
    (void)fclose(manifest);
    print_message("%u footers parsed, %u refused\n", totals.parsed, totals.refused);
    assert_int_equal(totals.wrong, 0);
    assert_true(totals.parsed > 100);
}

/* Larger files are left out, and of each footer about this many lengths are tried. */
#define CUT_FILE_BYTES_MAX (32u << 10)
#define CUTS 200u

/* The file with its footer cut at various places must be refused as CORRUPT. */
static unsigned cuts_check(const char *name, uint8_t *data, size_t bytes, struct lith_mem *mem)
{
    size_t footer_bytes = lith_load_u32(data + bytes - 8);
    size_t offset = bytes - 8 - footer_bytes;
    size_t step = 1 + footer_bytes / CUTS;
    struct lith_footer footer;
    struct lith_err err;
    unsigned cuts = 0;

    for (size_t cut = footer_bytes - 1; cut > 0; cut -= step < cut ? step : cut, cuts++) {
        struct lith_memory_source source;
        struct lith_arena arena;
        lith_store_u32(data + offset + cut, (uint32_t)cut);
        memcpy(data + offset + cut + 4, "PAR1", 4);
        lith_arena_init(&arena, mem);
        lith_memory_source_init(&source, data, offset + cut + 8);
        enum lith_code code = lith_footer_read(&source.base, &arena, &footer, &err);
        lith_arena_done(&arena);
        if (code != LITH_E_CORRUPT)
            fail_msg("%s: %zu of %zu footer bytes: %s", name, cut, footer_bytes,
                     lith_code_name(code));
    }
    return cuts;
}

static void test_truncation(void **state)
{
    static uint8_t data[CUT_FILE_BYTES_MAX];
    struct dirent *entry;
    struct lith_mem mem;
    unsigned cuts = 0;
    char path[2048];

    lith_mem_init(&mem, BUDGET, NULL);
    (void)snprintf(path, sizeof(path), "%s/good", (const char *)*state);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        ssize_t bytes = read(fd, data, sizeof(data));
        if (bytes > 12 && (size_t)bytes < sizeof(data))
            cuts += cuts_check(entry->d_name, data, (size_t)bytes, &mem);
        (void)close(fd);
    }
    (void)closedir(folder);
    print_message("%u cut footers refused\n", cuts);
    assert_true(cuts > 1000);
    lith_mem_done(&mem);
}

int main(void)
{
    const char *corpus = test_corpus_folder();

    if (!corpus)
        return TEST_SKIP;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_corpus, (void *)(uintptr_t)corpus),
        cmocka_unit_test_prestate(test_truncation, (void *)(uintptr_t)corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
