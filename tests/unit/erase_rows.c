/*
 * Files merged without some of their rows, by the public interface: erase_rows OUT COLUMNS VALUE
 * IN...
 *
 * Not a test by itself: tests/py/test_erase.py writes the inputs and compares. Rows go whose first
 * column's value is VALUE, a text; or, with the VALUE "null", is null; or whose values' lengths add
 * up to VALUE, a number. Prints what the result counts, and the row group that was asked for.
 */
#include <lithify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asked {
    const char *value;
    unsigned long rows;
    size_t columns;
};

static bool goes(void *ctx, const struct lith_value *values, size_t count)
{
    struct asked *asked = ctx;
    size_t bytes = 0;

    asked->rows++;
    asked->columns = count;
    if (strcmp(asked->value, "null") == 0)
        return values[0].data == NULL;
    if (values[0].data && values[0].bytes == strlen(asked->value) &&
        memcmp(values[0].data, asked->value, values[0].bytes) == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        bytes += values[i].bytes;
    return count > 1 && bytes == (size_t)strtoul(asked->value, NULL, 10);
}

/* What the environment says, else the default. */
static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    struct lith_merge_request request;
    struct lith_merge_result result;
    struct lith_err err;

    if (argc < 5)
        return 2;
    struct asked asked = {.value = argv[3]};
    lith_merge_request_default(&request);
    request.output = argv[1];
    request.inputs = (const char *const *)(void *)(argv + 4);
    request.input_count = (size_t)argc - 4;
    request.erase_by = argv[2];
    request.erase = goes;
    request.erase_ctx = &asked;
    request.sort_by = getenv("ERASE_SORT_BY");
    request.row_group_bytes = number_of("ERASE_ROW_GROUP", request.row_group_bytes);
    request.row_group_rows = (int64_t)number_of("ERASE_ROWS", (uint64_t)request.row_group_rows);
    request.target_file_bytes = number_of("ERASE_TARGET", request.target_file_bytes);
    if (lith_merge_files(&request, NULL, &result, &err) != LITH_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    (void)printf("%lu asked, %zu columns, %llu rows, %llu erased, %llu spliced\n", asked.rows,
                 asked.columns, (unsigned long long)result.rows,
                 (unsigned long long)result.rows_erased, (unsigned long long)result.spliced_bytes);
    return 0;
}
