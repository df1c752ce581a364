/*
 * lithify ls: the live files, by the reader rule, for people, scripts and engines.
 *
 * ROOT may lie inside of a lake: then the root is looked for above it, and paths are still shown
 * below the ROOT that was given.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/lake_open.h"
#include "cli/print.h"

enum form {
    FORM_PATHS,
    FORM_JSON,
    FORM_DUCKDB,
    FORM_SYMLINK,
};

struct listing {
    struct lith_cli *cli;
    struct lith_snapshot_files *files;
    const char *below; /* the given ROOT below that of the lake; "" when they are the same */
    const char *given;
    char absolute[PATH_MAX]; /* the given ROOT, resolved */
    bool strict;
    size_t count;
    uint64_t bytes;
};

/* The path below the given ROOT; NULL when the file lies elsewhere. */
static const char *path_at(const struct listing *list, size_t index)
{
    const char *path = lith_snapshot_files_path(list->files, index);
    size_t below = strlen(list->below);

    if (below == 0)
        return path;
    return strncmp(path, list->below, below) == 0 && path[below] == '/' ? path + below + 1 : NULL;
}

/* `front`/`path`, in the config's arena. */
static enum lith_code join(struct listing *list, const char *front, const char *path,
                           char **ret_path, struct lith_err *err)
{
    size_t bytes = strlen(front);

    while (bytes > 1 && front[bytes - 1] == '/')
        bytes--;
    return lith_arena_format(&list->cli->config.arena, ret_path, err, "%.*s%s%s", (int)bytes, front,
                             bytes == 1 && *front == '/' ? "" : "/", path);
}

static enum lith_code json_file_print(struct listing *list, const char *path, uint64_t bytes,
                                      struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *object = lith_json_object();

    if (!object || !lith_json_set_path(object, "path", path) ||
        !lith_json_set(object, "bytes", lith_json_u64(bytes)))
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    (void)fputs(list->count ? ",\n" : "\n", stdout);
    return lith_print_json(object, 0, err);
}

/*
 * A string of SQL: quotes doubled. DuckDB takes it for a pattern: what would match other files is
 * written as a class of one character. It has no way to name a file whose name is no UTF-8.
 */
static void sql_print(const char *path)
{
    (void)putchar('\'');
    for (; *path; path++) {
        if (*path == '\'')
            (void)putchar('\'');
        bool is_pattern = *path == '*' || *path == '?' || *path == '[';
        (void)printf(is_pattern ? "[%c]" : "%c", *path);
    }
    (void)putchar('\'');
}

/* A path of a line of its own: with the backslash escaped, too, it can be read back. */
static void path_print(const char *path)
{
    while (*path) {
        size_t bytes = strcspn(path, "\\");
        lith_print_bytes(stdout, path, bytes);
        path += bytes;
        if (*path == '\\')
            (void)fputs("\\x5c", stdout);
        path += *path == '\\';
    }
}

/* Before the first line: half of a list would look like one. */
static enum lith_code symlink_check(const struct listing *list, struct lith_err *err)
{
    for (size_t i = 0; i < lith_snapshot_files_count(list->files); i++) {
        const char *path = path_at(list, i);
        if (path && strpbrk(path, "\r\n"))
            return lith_fail(err, LITH_E_UNSUPPORTED,
                             "%s: a line for each file cannot hold this name; list it with --json, "
                             "or rename it",
                             path);
    }
    if (strpbrk(list->absolute, "\r\n"))
        return lith_fail(err, LITH_E_UNSUPPORTED, "%s: a line for each file cannot hold this name",
                         list->absolute);
    return LITH_OK;
}

static enum lith_code file_print(struct listing *list, enum form form, const char *below,
                                 uint64_t bytes, struct lith_err *err)
{
    char *path;

    LITH_TRY(join(list, form == FORM_SYMLINK ? list->absolute : list->given, below, &path, err));
    switch (form) {
    case FORM_PATHS:
        path_print(path);
        (void)putchar('\n');
        return LITH_OK;
    case FORM_JSON:
        return json_file_print(list, path, bytes, err);
    case FORM_DUCKDB:
        (void)fputs(list->count ? ", " : "SELECT * FROM read_parquet([", stdout);
        sql_print(path);
        return LITH_OK;
    case FORM_SYMLINK:
        (void)printf("file://%s\n", path);
        return LITH_OK;
    }
    return LITH_OK;
}

static enum lith_code begin(const struct listing *list, enum form form, struct lith_err *err)
{
    LITH_AUTO(json) struct lith_json *root = NULL;

    if (form == FORM_SYMLINK)
        return symlink_check(list, err);
    if (form != FORM_JSON)
        return LITH_OK;
    root = lith_json_text(list->given);
    if (!root)
        return lith_fail(err, LITH_E_NOMEM, "out of memory for JSON");
    (void)fputs("{\"format\":1,\"root\":", stdout);
    LITH_TRY(lith_print_json(root, 0, err));
    (void)printf(",\"strict\":%s,\"files\":[", list->strict ? "true" : "false");
    return LITH_OK;
}

static enum lith_code files_print(struct listing *list, enum form form, struct lith_err *err)
{
    size_t count = lith_snapshot_files_count(list->files);

    LITH_TRY(begin(list, form, err));
    for (size_t i = 0; i < count; i++) {
        const char *below = path_at(list, i);
        uint64_t bytes = lith_snapshot_files_bytes(list->files, i);
        if (!below)
            continue;
        LITH_TRY(file_print(list, form, below, bytes, err));
        list->count++;
        list->bytes += bytes;
    }
    if (form == FORM_JSON)
        (void)printf("\n],\"count\":%zu,\"bytes\":%llu}\n", list->count,
                     (unsigned long long)list->bytes);
    if (form != FORM_DUCKDB)
        return LITH_OK;
    if (list->count == 0)
        return lith_fail(err, LITH_E_NOT_FOUND, "%s: no live files, and DuckDB reads no empty list",
                         list->given);
    (void)fputs("], union_by_name=true)\n", stdout);
    return LITH_OK;
}

/* One partition when the path is one; a part of the lake otherwise. */
static enum lith_code snapshot_open(struct listing *list, struct lith_lake *lake,
                                    struct lith_err *err)
{
    struct lith_snapshot_files *files;

    if (*list->below) {
        LITH_TRY(lith_snapshot_files_open(lake, list->below, list->strict, &files, err));
        if (lith_snapshot_files_count(files)) {
            list->files = files;
            return LITH_OK;
        }
        lith_snapshot_files_close(files);
    }
    return lith_snapshot_files_open(lake, NULL, list->strict, &list->files, err);
}

static enum lith_code list_run(struct listing *list, enum form form, struct lith_err *err)
{
    struct lith_lake *lake;
    const char *root;

    LITH_TRY(lith_cli_root_find(list->cli, list->given, &root, &list->below, err));
    LITH_TRY(lith_path_real(list->given, list->absolute, err));
    LITH_TRY(lith_cli_lake_open(list->cli, root, &lake, err));
    enum lith_code code = snapshot_open(list, lake, err);
    if (code == LITH_OK)
        code = files_print(list, form, err);
    lith_snapshot_files_close(list->files);
    lith_lake_close(lake);
    return code;
}

static enum lith_code form_find(const struct lith_cli *cli, enum form *ret_form,
                                struct lith_err *err)
{
    const char *format = cli->args.switches[LITH_SWITCH_FORMAT];

    *ret_form = cli->json ? FORM_JSON : FORM_PATHS;
    if (!format)
        return LITH_OK;
    if (cli->json)
        return lith_fail(err, LITH_E_INVALID, "--format and --json: one of them");
    if (strcmp(format, "duckdb") != 0 && strcmp(format, "symlink") != 0)
        return lith_fail(err, LITH_E_INVALID,
                         "--format: \"%.100s\": expected one of duckdb|symlink", format);
    *ret_form = strcmp(format, "duckdb") == 0 ? FORM_DUCKDB : FORM_SYMLINK;
    return LITH_OK;
}

int lith_cmd_ls(struct lith_cli *cli)
{
    struct listing list = {.cli = cli,
                           .given = cli->args.operands[0],
                           .strict = cli->args.switches[LITH_SWITCH_STRICT] != NULL};
    struct lith_err err;
    enum form form;

    enum lith_code code = form_find(cli, &form, &err);
    if (code == LITH_OK)
        code = list_run(&list, form, &err);
    return code == LITH_OK ? LITH_EXIT_DONE : lith_cli_fail(cli, &err);
}
