/*
 * lithify status: how large the files of a lake are, and what could still be merged.
 */
#include <inttypes.h>

#include "cli/lake_open.h"
#include "cli/print.h"
#include "cli/report.h"

#define GOAL_PERCENT 5

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? (double)part * 100 / (double)whole : 0;
}

static bool histogram_fill(struct lith_json *array, const struct lith_tenant_status *status)
{
    for (unsigned i = 0; i < LITH_SIZE_BUCKETS; i++) {
        struct lith_json *bucket = lith_json_object();
        uint64_t end = lith_size_bucket_end(i);
        bool ok = bucket &&
                  lith_json_set(bucket, "below_bytes",
                                end == UINT64_MAX ? lith_json_null() : lith_json_u64(end)) &&
                  lith_json_set(bucket, "files", lith_json_u64(status->histogram_files[i])) &&
                  lith_json_set(bucket, "bytes", lith_json_u64(status->histogram_bytes[i]));
        if (!lith_json_push(array, bucket) || !ok)
            return false;
    }
    return true;
}

static bool tenant_fill(struct lith_json *object, const struct lith_tenant_status *status)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"partitions", status->partitions},
        {"files", status->files},
        {"bytes", status->bytes},
        {"small_files", status->small_files},
        {"mergeable_files", status->mergeable_files},
        {"due_partitions", status->due_partitions},
        {"due_files", status->due_files},
        {"due_bytes", status->due_bytes},
        {"blocked_partitions", status->blocked_partitions},
        {"apart_partitions", status->apart_partitions},
        {"held_bytes", status->held_bytes},
    };
    struct lith_json *histogram = lith_json_array();
    bool ok = !status->tenant || lith_json_set_path(object, "tenant", status->tenant);

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        ok &= lith_json_set(object, counts[i].name, lith_json_u64(counts[i].value));
    ok &= lith_json_set(object, "small_percent",
                        lith_json_real(percent(status->small_files, status->files)));
    ok &= lith_json_set(object, "mergeable_percent",
                        lith_json_real(percent(status->mergeable_files, status->files)));
    ok &= histogram && histogram_fill(histogram, status);
    return lith_json_set(object, "histogram", histogram) && ok;
}

static bool status_fill(struct lith_json *root, const struct lith_cli *cli,
                        const struct lith_status *status)
{
    struct lith_json *total = lith_json_object();
    struct lith_json *tenants = lith_json_array();
    bool ok = lith_json_set(root, "format", lith_json_int(1)) &&
              lith_json_set_path(root, "root", cli->args.operands[0]) &&
              lith_json_set(root, "small_file_bytes",
                            lith_json_u64(lith_config_size(&cli->config, LITH_OPTION_SMALL_FILE)));

    ok &= total && tenant_fill(total, &status->total);
    ok &= lith_json_set(root, "total", total);
    for (size_t i = 0; tenants && i < status->tenant_count; i++) {
        struct lith_json *tenant = lith_json_object();
        ok &= tenant && tenant_fill(tenant, &status->tenants[i]);
        ok &= lith_json_push(tenants, tenant);
    }
    return lith_json_set(root, "tenants", tenants) && ok;
}

static enum lith_code json_print(const struct lith_cli *cli, const struct lith_status *status,
                                 struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = lith_json_object();

    if (!root || !status_fill(root, cli, status))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    LITH_TRY(lith_print_json(root, 2, err));
    (void)putchar('\n');
    return LITH_OK;
}

/* A bar of `share` of the columns; in UTF-8 to an eighth of a column. */
static void bar_print(double share, unsigned columns, bool utf8)
{
    static const char *const eighths[] = {" ",      "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    unsigned parts = (unsigned)(share * columns * 8 + 0.5);

    parts = share > 0 && parts == 0 ? 1 : parts;
    for (unsigned i = 0; i < columns; i++) {
        unsigned here = parts > i * 8 ? parts - i * 8 : 0;
        if (!utf8)
            (void)putchar(here >= 4 || (i == 0 && here) ? '#' : ' ');
        else
            (void)fputs(here >= 8 ? "\u2588" : eighths[here], stdout);
    }
}

static void histogram_print(const struct lith_tenant_status *status)
{
    unsigned width = lith_print_width(stdout);
    unsigned columns = width > 100 ? 60 : width > 50 ? width - 40 : 10;
    bool utf8 = lith_print_is_utf8();
    uint64_t most = 1;

    for (unsigned i = 0; i < LITH_SIZE_BUCKETS; i++)
        most = status->histogram_files[i] > most ? status->histogram_files[i] : most;
    (void)printf("%-10s%*s%10s %10s\n", "size", (int)columns + 1, "", "files", "bytes");
    for (unsigned i = 0; i < LITH_SIZE_BUCKETS; i++) {
        uint64_t files = status->histogram_files[i];
        uint64_t end = lith_size_bucket_end(i);
        bool last = end == UINT64_MAX;
        (void)printf("%c %-7s ", last ? '>' : '<',
                     lith_print_size(last ? lith_size_bucket_end(i - 1) : end));
        bar_print((double)files / (double)most, columns, utf8);
        (void)printf(" %10" PRIu64 " %10s\n", files, lith_print_size(status->histogram_bytes[i]));
    }
}

static void totals_print(const struct lith_cli *cli, const struct lith_tenant_status *t)
{
    double mergeable = percent(t->mergeable_files, t->files);

    (void)printf("\nsmall      %" PRIu64 " of %" PRIu64 " files are below %s: %.1f %%\n",
                 t->small_files, t->files,
                 lith_print_size(lith_config_size(&cli->config, LITH_OPTION_SMALL_FILE)),
                 percent(t->small_files, t->files));
    (void)printf("mergeable  %" PRIu64 " of them could still be merged: %.1f %% of all (goal "
                 "< %d %%%s)\n",
                 t->mergeable_files, mergeable, GOAL_PERCENT,
                 mergeable < GOAL_PERCENT ? ", reached" : "");
    (void)printf(
        "backlog    %" PRIu64 " partition%s due, %" PRIu64 " files, %s%s\n", t->due_partitions,
        LITH_PLURAL(t->due_partitions), t->due_files, lith_print_size(t->due_bytes),
        t->mergeable_files && !t->due_partitions ? "; lithify plan says what the others wait for"
                                                 : "");
    (void)printf("blocked    %" PRIu64 " partition%s%s\n", t->blocked_partitions,
                 LITH_PLURAL(t->blocked_partitions),
                 t->blocked_partitions ? "; lithify plan says why" : "");
    if (t->apart_partitions)
        (void)printf("apart      %" PRIu64 " partition%s with files that do not join; lithify plan "
                     "says why\n",
                     t->apart_partitions, LITH_PLURAL(t->apart_partitions));
    (void)printf("held       %s of superseded files, until lithify gc\n",
                 lith_print_size(t->held_bytes));
}

static void tenants_print(const struct lith_status *status)
{
    size_t columns = 6;

    for (size_t i = 0; i < status->tenant_count; i++) {
        size_t name = lith_print_columns(status->tenants[i].tenant);
        columns = name > columns ? name : columns;
    }
    columns = columns < 40 ? columns : 40;
    (void)putchar('\n');
    lith_print_padded(stdout, "tenant", columns);
    (void)printf(" %10s %10s %10s %10s %10s %8s %8s\n", "partitions", "files", "bytes", "small",
                 "mergeable", "due", "blocked");
    for (size_t i = 0; i < status->tenant_count; i++) {
        const struct lith_tenant_status *t = &status->tenants[i];
        lith_print_padded(stdout, t->tenant, columns);
        (void)printf(" %10" PRIu64 " %10" PRIu64 " %10s %10" PRIu64 " %10" PRIu64 " %8" PRIu64
                     " %8" PRIu64 "\n",
                     t->partitions, t->files, lith_print_size(t->bytes), t->small_files,
                     t->mergeable_files, t->due_partitions, t->blocked_partitions);
    }
}

static void text_print(const struct lith_cli *cli, const struct lith_status *status)
{
    const struct lith_tenant_status *t = &status->total;

    lith_print_text(stdout, cli->args.operands[0]);
    (void)printf(": %" PRIu64 " partition%s, %" PRIu64 " file%s, %s\n\n", t->partitions,
                 LITH_PLURAL(t->partitions), t->files, LITH_PLURAL(t->files),
                 lith_print_size(t->bytes));
    if (t->partitions == 0) {
        lith_report_none(cli);
        return;
    }
    histogram_print(t);
    totals_print(cli, t);
    if (status->tenant_count)
        tenants_print(status);
}

int lith_cmd_status(struct lith_cli *cli)
{
    struct lith_status status = {0};
    struct lith_lake *lake = NULL;
    struct lith_err err;

    enum lith_code code = lith_cli_lake_open(cli, cli->args.operands[0], &lake, &err);
    if (code == LITH_OK)
        code = lith_lake_status(lake, &status, &err);
    lith_meter_wipe(&cli->meter);
    if (code == LITH_OK && cli->json)
        code = json_print(cli, &status, &err);
    else if (code == LITH_OK)
        text_print(cli, &status);
    uint64_t blocked = status.total.blocked_partitions;
    lith_status_done(&status);
    lith_lake_close(lake);
    if (code != LITH_OK)
        return lith_cli_fail(cli, &err);
    if (blocked && !lith_config_switch(&cli->config, LITH_OPTION_OK_BLOCKED))
        return LITH_EXIT_BLOCKED;
    return LITH_EXIT_DONE;
}
