/*
 * Names of files from a file or a pipe, where there are too many for a command line.
 */
#ifndef LITH_CLI_NAME_LIST_H
#define LITH_CLI_NAME_LIST_H

#include "base/buf.h"

/* The names point into the text. */
struct lith_name_list {
    struct lith_mem *mem;
    struct lith_buf text;
    const char **names;
    size_t count;
};

struct lith_name_list_request {
    const char *path; /* `-`: the standard input */
    bool by_zero;     /* names end with a zero byte, not with a line */
    const char *const *operands;
    size_t operand_count;
    size_t list_at; /* operands in front of the list's names */
};

/*
 * The operands with the list's names among them. Empty ones are skipped. Every listed file is
 * looked at: NOT_FOUND and so on name its line. INVALID for a zero byte in a list of lines.
 */
LITH_MUST_CHECK enum lith_code lith_name_list_read(const struct lith_name_list_request *request,
                                                   struct lith_mem *mem,
                                                   struct lith_name_list *ret_list,
                                                   struct lith_err *err);
/* A zeroed list is a no-op. */
void lith_name_list_done(struct lith_name_list *list);

#endif
