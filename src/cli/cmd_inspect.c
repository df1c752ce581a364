/*
 * lithify inspect: what a Parquet file says of itself.
 *
 * The library gives JSON; the text for people is made from it, so that both say the same.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/lake_open.h"
#include "cli/print.h"

/* Key-values and bounds longer than this are cut in the text form. */
#define SHORT_BYTES 60

static const struct lith_json *get(const struct lith_json *object, const char *key)
{
    return lith_json_get(object, key);
}

static int64_t number(const struct lith_json *object, const char *key)
{
    return lith_json_int_of(get(object, key));
}

static const char *size(const struct lith_json *object, const char *key)
{
    int64_t bytes = number(object, key);

    return lith_print_size(bytes > 0 ? (uint64_t)bytes : 0);
}

/* A text, or the number that stands where there is no name. */
static void name_print(const struct lith_json *value)
{
    const char *text = lith_json_text_of(value);

    if (text)
        lith_print_text(stdout, text);
    else if (lith_json_is_int(value))
        (void)printf("%" PRId64, lith_json_int_of(value));
}

/* With a space in front, or nothing at all. */
static void further_name_print(const struct lith_json *value)
{
    if (lith_json_is_text(value) || lith_json_is_int(value))
        (void)putchar(' ');
    name_print(value);
}

static void short_print(const char *text)
{
    char cut[SHORT_BYTES + 1];
    size_t bytes = strlen(text);

    if (bytes <= SHORT_BYTES) {
        lith_print_text(stdout, text);
        return;
    }
    bytes = SHORT_BYTES;
    while (bytes && ((uint8_t)text[bytes] & 0xc0) == 0x80) /* not inside of a character */
        bytes--;
    memcpy(cut, text, bytes);
    cut[bytes] = '\0';
    lith_print_text(stdout, cut);
    (void)printf("...");
}

static void head_print(const struct lith_json *root)
{
    const char *writer = lith_json_text_of(get(root, "created_by"));

    (void)printf("%" PRId64 " rows in %" PRId64 " row group%s, %" PRId64 " column%s; %s, footer %s",
                 number(root, "rows"), number(root, "row_group_count"),
                 LITH_PLURAL(number(root, "row_group_count")), number(root, "column_count"),
                 LITH_PLURAL(number(root, "column_count")), size(root, "bytes"),
                 size(root, "footer_bytes"));
    (void)printf("\nwritten by ");
    lith_print_text(stdout, writer ? writer : "(does not say)");
    (void)printf(", format version %" PRId64 "\n", number(root, "version"));
}

static void schema_print(const struct lith_json *nodes)
{
    (void)printf("\nschema\n");
    for (size_t i = 0; i < lith_json_count(nodes); i++) {
        const struct lith_json *node = lith_json_at(nodes, i);
        const char *name = lith_json_text_of(get(node, "name"));
        (void)printf("%*s", (int)(2 + 2 * number(node, "depth")), "");
        lith_print_text(stdout, name ? name : "?");
        if (i) {
            (void)printf("  ");
            name_print(get(node, "repetition"));
        }
        further_name_print(get(node, "type"));
        if (get(node, "type_length"))
            (void)printf("[%" PRId64 "]", number(node, "type_length"));
        const struct lith_json *meaning = get(node, "logical");
        if (!lith_json_is_text(meaning))
            meaning = get(node, "converted");
        further_name_print(meaning);
        if (get(node, "field_id"))
            (void)printf(" id=%" PRId64, number(node, "field_id"));
        (void)putchar('\n');
    }
}

static void key_values_print(const struct lith_json *pairs)
{
    if (lith_json_count(pairs))
        (void)printf("\nkey-values\n");
    for (size_t i = 0; i < lith_json_count(pairs); i++) {
        const struct lith_json *pair = lith_json_at(pairs, i);
        const char *key = lith_json_text_of(get(pair, "key"));
        const char *value = lith_json_text_of(get(pair, "value"));
        (void)printf("  ");
        short_print(key ? key : "?");
        (void)printf(" = ");
        if (!value)
            value = lith_json_text_of(get(pair, "value_hex"));
        short_print(value ? value : "(none)");
        if (get(pair, "value_bytes"))
            (void)printf(" (%s)", size(pair, "value_bytes"));
        (void)putchar('\n');
    }
}

static void bound_print(const struct lith_json *statistics, const char *key, const char *hex)
{
    const char *text = lith_json_text_of(get(statistics, key));
    const char *bytes = lith_json_text_of(get(statistics, hex));

    if (text) {
        short_print(text);
    } else if (bytes) {
        (void)printf("0x");
        short_print(bytes);
    }
}

static void statistics_print(const struct lith_json *statistics)
{
    if (get(statistics, "min_hex") || get(statistics, "max_hex")) {
        (void)printf("  ");
        bound_print(statistics, "min", "min_hex");
        (void)printf(" .. ");
        bound_print(statistics, "max", "max_hex");
    } else if (get(statistics, "legacy_min_hex") || get(statistics, "legacy_max_hex")) {
        (void)printf("  legacy ");
        bound_print(statistics, "legacy_min", "legacy_min_hex");
        (void)printf(" .. ");
        bound_print(statistics, "legacy_max", "legacy_max_hex");
    }
    if (get(statistics, "null_count"))
        (void)printf("  nulls %" PRId64, number(statistics, "null_count"));
    if (get(statistics, "distinct_count"))
        (void)printf("  distinct %" PRId64, number(statistics, "distinct_count"));
    if (get(statistics, "nan_count"))
        (void)printf("  NaN %" PRId64, number(statistics, "nan_count"));
}

static void index_print(const struct lith_json *chunk, const char *key, const char *name)
{
    const struct lith_json *index = get(chunk, key);
    const char *problem = lith_json_text_of(get(index, "error"));

    if (!index)
        return;
    (void)printf("  %s", name);
    if (problem) {
        (void)printf(" unreadable (");
        lith_print_text(stdout, problem);
        (void)putchar(')');
    } else if (get(index, "bitset_bytes")) {
        (void)printf(" %s", size(index, "bitset_bytes"));
    } else {
        (void)printf(" %zu", lith_json_count(get(index, "pages")));
    }
}

static void page_print(const struct lith_json *page)
{
    (void)printf("      ");
    name_print(get(page, "type"));
    (void)printf(" at %" PRId64 "  %" PRId64 " values  ", number(page, "offset"),
                 number(page, "values"));
    name_print(get(page, "encoding"));
    (void)printf("  %s -> %s", size(page, "uncompressed_bytes"), size(page, "compressed_bytes"));
    statistics_print(get(page, "statistics"));
    (void)putchar('\n');
}

static void chunk_print(const struct lith_json *chunk, size_t columns)
{
    const char *path = lith_json_text_of(get(chunk, "path"));
    const struct lith_json *encodings = get(chunk, "encodings");
    const struct lith_json *pages = get(chunk, "pages");

    (void)printf("    ");
    lith_print_padded(stdout, path ? path : "?", columns);
    (void)printf(" %10" PRId64 " %9s %9s  ", number(chunk, "values"),
                 size(chunk, "uncompressed_bytes"), size(chunk, "compressed_bytes"));
    name_print(get(chunk, "codec"));
    (void)putchar(' ');
    for (size_t i = 0; i < lith_json_count(encodings); i++) {
        (void)printf("%s", i ? "," : " ");
        name_print(lith_json_at(encodings, i));
    }
    statistics_print(get(chunk, "statistics"));
    index_print(chunk, "offset_index", "pages");
    index_print(chunk, "column_index", "column index");
    index_print(chunk, "bloom_filter", "bloom");
    (void)putchar('\n');
    for (size_t i = 0; i < lith_json_count(pages); i++)
        page_print(lith_json_at(pages, i));
}

static void sorting_print(const struct lith_json *sorting)
{
    for (size_t i = 0; i < lith_json_count(sorting); i++) {
        const struct lith_json *column = lith_json_at(sorting, i);
        const char *path = lith_json_text_of(get(column, "path"));
        (void)printf("%s", i ? ", " : ", sorted by ");
        lith_print_text(stdout, path ? path : "?");
        if (lith_json_bool_of(get(column, "descending")))
            (void)printf(" descending");
    }
}

static void row_group_print(const struct lith_json *group)
{
    const struct lith_json *chunks = get(group, "columns");
    size_t columns = 6;

    for (size_t i = 0; i < lith_json_count(chunks); i++) {
        const char *path = lith_json_text_of(get(lith_json_at(chunks, i), "path"));
        size_t width = path ? lith_print_columns(path) : 0;
        columns = width > columns ? width : columns;
    }
    columns = columns < 40 ? columns : 40;
    (void)printf("\nrow group %" PRId64 ": %" PRId64 " rows, %s uncompressed",
                 number(group, "index"), number(group, "rows"), size(group, "uncompressed_bytes"));
    sorting_print(get(group, "sorting_columns"));
    (void)printf("\n    %-*s %10s %9s %9s  codec, encodings, bounds, indexes\n", (int)columns,
                 "column", "values", "plain", "stored");
    for (size_t i = 0; i < lith_json_count(chunks); i++)
        chunk_print(lith_json_at(chunks, i), columns);
}

static enum lith_code text_print(const char *path, const char *text, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = NULL;

    LITH_TRY(lith_json_parse(text, strlen(text), &root, err));
    lith_print_text(stdout, path);
    (void)printf(": ");
    head_print(root);
    schema_print(get(root, "schema"));
    key_values_print(get(root, "key_values"));
    const struct lith_json *groups = get(root, "row_groups");
    for (size_t i = 0; i < lith_json_count(groups); i++)
        row_group_print(lith_json_at(groups, i));
    return LITH_OK;
}

int lith_cmd_inspect(struct lith_cli *cli)
{
    const char *path = cli->args.operands[0];
    bool pages = cli->args.switches[LITH_SWITCH_PAGES] != NULL;
    struct lith_err err;
    char *text = NULL;

    enum lith_code code = lith_inspect_file(path, pages, &cli->control, &text, &err);
    if (code == LITH_OK && cli->json)
        (void)printf("%s\n", text);
    else if (code == LITH_OK)
        code = text_print(path, text, &err);
    lith_text_free(text);
    if (code == LITH_OK)
        return LITH_EXIT_DONE;
    int exit_code = lith_cli_fail(cli, &err);
    /* What is wrong is the file, not the command line. */
    return exit_code == LITH_EXIT_USAGE ? LITH_EXIT_FAILED : exit_code;
}
