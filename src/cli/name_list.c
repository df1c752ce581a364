/*
 * A list of names: read whole, cut where it stands.
 */
#include "cli/name_list.h"

#include <fcntl.h>
#include <string.h>

#include "base/file.h"
#include "base/limits.h"

static const char *path_text(const struct lith_name_list_request *request)
{
    return strcmp(request->path, "-") == 0 ? "the standard input" : request->path;
}

/* The end of the name that begins at `begin`: its newline or zero byte, else the end of the text.
 */
static size_t name_end(const struct lith_buf *text, size_t begin, bool by_zero)
{
    const uint8_t *end = memchr(text->data + begin, by_zero ? 0 : '\n', text->bytes - begin);

    return end ? (size_t)(end - text->data) : text->bytes;
}

/* One line: names the list and the number in what is wrong with it. */
static enum lith_code name_take(struct lith_name_list *list,
                                const struct lith_name_list_request *request, const char *name,
                                size_t bytes, size_t number, struct lith_err *err)
{
    struct lith_file_info info;
    const char *unit = request->by_zero ? "name" : "line";

    if (bytes == 0)
        return LITH_OK;
    if (strlen(name) != bytes)
        return lith_fail(err, LITH_E_INVALID,
                         "%s, line %zu: a zero byte; --null reads names that end with one",
                         path_text(request), number);
    if (lith_file_stat(AT_FDCWD, name, true, &info, err) != LITH_OK)
        return lith_err_prefix(err, "%s, %s %zu", path_text(request), unit, number);
    list->names[list->count++] = name;
    return LITH_OK;
}

static enum lith_code names_cut(struct lith_name_list *list,
                                const struct lith_name_list_request *request, struct lith_err *err)
{
    struct lith_buf *text = &list->text;
    size_t number = 0;

    for (size_t begin = 0; begin < text->bytes;) {
        size_t end = name_end(text, begin, request->by_zero);
        text->data[end] = 0; /* there is one more byte than there is text */
        LITH_TRY(
            name_take(list, request, (const char *)text->data + begin, end - begin, ++number, err));
        begin = end + 1;
    }
    return LITH_OK;
}

static void operands_add(struct lith_name_list *list, const char *const *operands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        list->names[list->count++] = operands[i];
}

static enum lith_code list_fill(struct lith_name_list *list,
                                const struct lith_name_list_request *request, struct lith_err *err)
{
    struct lith_buf *text = &list->text;
    size_t lines = 1;
    void *names;

    LITH_TRY(lith_stream_append(request->path, text, err));
    LITH_TRY(lith_buf_reserve(text, 1, err));
    for (size_t at = 0; at < text->bytes; lines++)
        at = name_end(text, at, request->by_zero) + 1;
    LITH_TRY(
        lith_alloc_array(list->mem, request->operand_count + lines, sizeof(char *), &names, err));
    list->names = names;
    operands_add(list, request->operands, request->list_at);
    LITH_TRY(names_cut(list, request, err));
    operands_add(list, request->operands + request->list_at,
                 request->operand_count - request->list_at);
    return LITH_OK;
}

enum lith_code lith_name_list_read(const struct lith_name_list_request *request,
                                   struct lith_mem *mem, struct lith_name_list *ret_list,
                                   struct lith_err *err)
{
    struct lith_name_list list = {.mem = mem};

    lith_buf_init(&list.text, mem, LITH_NAMES_BYTES_MAX);
    enum lith_code code = list_fill(&list, request, err);
    if (code == LITH_OK)
        *ret_list = list;
    else
        lith_name_list_done(&list);
    return code;
}

void lith_name_list_done(struct lith_name_list *list)
{
    lith_free(list->names);
    lith_buf_done(&list->text);
    list->names = NULL;
    list->count = 0;
}
