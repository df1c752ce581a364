/*
 * A program of somebody else, valid as C and as C++: it needs lithify.h and the library alone.
 */
#include <lithify.h>

#include <string.h>

int main(void)
{
    struct lith_merge_request request;
    struct lith_merge_result result;
    struct lith_err err;

    lith_merge_request_default(&request);
    enum lith_code code = lith_merge_files(&request, NULL, &result, &err);
    return code != LITH_OK && strlen(lith_version()) > 0 && strlen(err.text) > 0 ? 0 : 1;
}
