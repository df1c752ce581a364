/*
 * lithify log: the audit events of a lake, by time.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/lake_open.h"
#include "cli/print.h"

/* The log while it is told. */
struct log {
    struct lith_cli *cli;
    uint64_t count;
    struct lith_err first; /* a failure to print; code OK: none */
};

static struct lith_json *text_or_null(const char *text)
{
    return text ? lith_json_text(text) : lith_json_null();
}

static struct lith_json *count_or_null(bool has, uint64_t value)
{
    return has ? lith_json_u64(value) : lith_json_null();
}

static struct lith_json *names_or_null(const char *const *names, size_t count)
{
    if (!names)
        return lith_json_null();
    struct lith_json *array = lith_json_array();
    for (size_t i = 0; array && i < count; i++) {
        if (!lith_json_push(array, lith_json_text(names[i]))) {
            lith_json_free(array);
            return NULL;
        }
    }
    return array;
}

static bool event_fill(struct lith_json *object, const struct lith_event *e)
{
    char time[LITH_TIME_TEXT_BYTES];

    lith_time_text(e->time_ns, time);
    return lith_json_set(object, "time", lith_json_text(time)) &&
           lith_json_set(object, "tenant", lith_json_text(e->tenant)) &&
           lith_json_set(object, "kind", lith_json_u64(e->kind)) &&
           lith_json_set(object, "type", lith_json_text(e->type)) &&
           lith_json_set(object, "op", text_or_null(e->op)) &&
           lith_json_set(object, "partition", text_or_null(e->partition)) &&
           lith_json_set(object, "generation", count_or_null(e->has_generation, e->generation)) &&
           lith_json_set(object, "commit_id", text_or_null(e->commit_id)) &&
           lith_json_set(object, "reason", text_or_null(e->reason)) &&
           lith_json_set(object, "rows", count_or_null(e->has_rows, e->rows)) &&
           lith_json_set(object, "bytes_before",
                         count_or_null(e->has_bytes_before, e->bytes_before)) &&
           lith_json_set(object, "bytes_after",
                         count_or_null(e->has_bytes_after, e->bytes_after)) &&
           lith_json_set(object, "duration_ns", count_or_null(e->has_duration, e->duration_ns)) &&
           lith_json_set(object, "verify", text_or_null(e->verify)) &&
           lith_json_set(object, "input_files",
                         names_or_null(e->input_files, e->input_file_count)) &&
           lith_json_set(object, "output_file", text_or_null(e->output_file)) &&
           lith_json_set(object, "output_files",
                         names_or_null(e->output_files, e->output_file_count));
}

static void json_print(struct log *log, const struct lith_event *event)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();
    struct lith_err err;
    enum lith_code code;

    if (log->first.code != LITH_OK)
        return;
    (void)fputs(log->count ? ",\n" : "\n", stdout);
    if (object && event_fill(object, event))
        code = lith_print_json(object, 0, &err);
    else
        code = lith_fail(&err, LITH_E_NOMEM, "out of memory for JSON");
    if (code != LITH_OK)
        log->first = err;
}

/* "5 files, 12.2KiB"; what is not known is left out. */
static void files_print(const char *const *names, size_t count, bool has_bytes, uint64_t bytes)
{
    if (names)
        (void)printf("%zu file%s", count, LITH_PLURAL(count));
    if (has_bytes)
        (void)printf("%s%s", names ? ", " : "", lith_print_size(bytes));
}

static void counts_print(const struct lith_event *e)
{
    bool has_in = e->input_file_count || (e->has_bytes_before && e->bytes_before);
    bool has_out = e->output_file_count || (e->has_bytes_after && e->bytes_after);

    if (has_in || has_out)
        (void)printf("  ");
    if (has_in)
        files_print(e->input_files, e->input_file_count, e->has_bytes_before, e->bytes_before);
    if (has_out) {
        (void)printf(has_in ? " -> " : "+ ");
        files_print(e->output_files, e->output_file_count, e->has_bytes_after, e->bytes_after);
    }
    if (e->has_rows)
        (void)printf("; %" PRIu64 " rows", e->rows);
}

static void text_print(const struct lith_event *e)
{
    lith_print_padded(stdout, lith_print_time(e->time_ns), 20);
    (void)printf("  ");
    lith_print_padded(stdout, e->op ? e->op : e->type, 8);
    (void)printf("  ");
    lith_print_text(stdout, e->partition && *e->partition ? e->partition : ".");
    if (e->has_generation)
        (void)printf("  g%" PRIu64, e->generation);
    counts_print(e);
    if (e->reason) {
        (void)printf("  (");
        lith_print_text(stdout, e->reason);
        (void)putchar(')');
    }
    (void)putchar('\n');
}

static void event_print(void *ctx, const struct lith_event *event)
{
    struct log *log = ctx;

    if (log->cli->json)
        json_print(log, event);
    else
        text_print(event);
    log->count++;
}

static enum lith_code time_take(const struct lith_cli *cli, enum lith_switch which, bool *ret_has,
                                int64_t *ret_ns, struct lith_err *err)
{
    const char *text = cli->args.switches[which];

    *ret_has = text != NULL;
    if (text && lith_time_parse(text, ret_ns, err) != LITH_OK)
        return lith_err_prefix(err, "--%s", which == LITH_SWITCH_SINCE ? "since" : "until");
    return LITH_OK;
}

static enum lith_code request_make(const struct lith_cli *cli, struct lith_log_request *request,
                                   struct lith_err *err)
{
    *request = (struct lith_log_request){
        .tenant = cli->args.switches[LITH_SWITCH_TENANT],
        .partition_glob = lith_config_text(&cli->config, LITH_OPTION_PARTITION),
    };
    LITH_TRY(time_take(cli, LITH_SWITCH_SINCE, &request->has_since, &request->since_ns, err));
    return time_take(cli, LITH_SWITCH_UNTIL, &request->has_until, &request->until_ns, err);
}

/* Opened before anything is printed: half of a document would look like one. */
static enum lith_code begin(const struct lith_cli *cli, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = lith_json_text(cli->args.operands[0]);

    if (!cli->json)
        return LITH_OK;
    if (!root)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    (void)fputs("{\"format\":1,\"root\":", stdout);
    LITH_TRY(lith_print_json(root, 0, err));
    (void)fputs(",\"events\":[", stdout);
    return LITH_OK;
}

static enum lith_code end(const struct log *log, const struct lith_err *failed,
                          struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();

    if (!log->cli->json)
        return LITH_OK;
    if (!failed) {
        (void)printf("\n],\"count\":%" PRIu64 "}\n", log->count);
        return LITH_OK;
    }
    if (!object || !lith_json_set_error(object, failed))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    (void)fputs("\n],\"error\":", stdout);
    LITH_TRY(lith_print_json(object, 0, err));
    (void)fputs("}\n", stdout);
    return LITH_OK;
}

static enum lith_code log_run(struct log *log, struct lith_lake *lake,
                              const struct lith_log_request *request, struct lith_err *err)
{
    struct lith_err ignored;

    LITH_TRY(begin(log->cli, err));
    enum lith_code code = lith_lake_log(lake, request, event_print, log, err);
    if (code == LITH_OK && log->first.code != LITH_OK) {
        *err = log->first;
        code = err->code;
    }
    if (code != LITH_OK) {
        (void)!end(log, err, &ignored);
        return code;
    }
    if (!log->cli->json && log->count == 0)
        (void)printf("no events\n");
    return end(log, NULL, err);
}

int lith_cmd_log(struct lith_cli *cli)
{
    struct log log = {.cli = cli};
    struct lith_log_request request;
    struct lith_lake *lake = NULL;
    struct lith_err err;

    enum lith_code code = request_make(cli, &request, &err);
    if (code == LITH_OK)
        code = lith_cli_lake_open(cli, cli->args.operands[0], &lake, &err);
    if (code == LITH_OK)
        code = log_run(&log, lake, &request, &err);
    lith_lake_close(lake);
    return code == LITH_OK ? LITH_EXIT_DONE : lith_cli_fail(cli, &err);
}
