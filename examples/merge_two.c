/*
 * Merges two Parquet files into one: merge_two OUT A B.
 */
#include <stdio.h>

#include <lithify.h>

static void show(void *ctx, const struct lith_progress *progress)
{
    (void)ctx;
    if (progress->bytes_total)
        fprintf(stderr, "\r%s %3.0f %%", progress->phase,
                100.0 * (double)progress->bytes_done / (double)progress->bytes_total);
}

int main(int argc, char **argv)
{
    struct lith_control control = {.progress = show, .memory_bytes_max = 64u << 20};
    struct lith_merge_request request;
    struct lith_merge_result result;
    struct lith_err err;

    if (argc != 4) {
        fprintf(stderr, "usage: merge_two OUT A B\n");
        return 2;
    }
    const char *inputs[] = {argv[2], argv[3]};
    lith_merge_request_default(&request);
    request.inputs = inputs;
    request.input_count = 2;
    request.output = argv[1];
    if (lith_merge_files(&request, &control, &result, &err) != LITH_OK) {
        fprintf(stderr, "\n%s: %s\n", lith_code_name(err.code), err.text);
        return 1;
    }
    fprintf(stderr, "\n");
    printf("%llu rows in %s\n", (unsigned long long)result.rows, argv[1]);
    return 0;
}
