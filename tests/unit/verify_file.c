/*
 * Asks verify about one file: verify_file LEVEL PATH, LEVEL structure or content.
 *
 * Not a test by itself: tests/py/test_traps.py plants lies into outputs and wants them found and
 * named. Exit 0: nothing is wrong; 1: what is, on stdout; 2: used wrongly.
 */
#include "support.h"

#include "base/file.h"
#include "verify/verify.h"

static struct lith_err err;

static enum lith_code verify(const char *path, struct lith_verify_options *options)
{
    struct lith_codec_context *codecs;
    struct lith_source *source;

    LITH_TRY(lith_codec_context_new(options->work->mem, &codecs, &err));
    enum lith_code code = lith_file_source_open(AT_FDCWD, path, options->work->mem, &source, &err);
    if (code == LITH_OK) {
        options->codecs = codecs;
        code = lith_verify_file(source, options, &err);
        lith_source_close(source);
    }
    lith_codec_context_free(codecs);
    return code;
}

int main(int argc, char **argv)
{
    static const struct lith_control control;
    struct lith_scratch scratch;
    struct lith_mem mem;
    struct lith_work work = {.mem = &mem, .scratch = &scratch, .control = &control};
    struct lith_verify_options options = {.work = &work};

    if (argc != 3 || (strcmp(argv[1], "structure") != 0 && strcmp(argv[1], "content") != 0)) {
        (void)fprintf(stderr, "usage: verify_file structure|content PATH\n");
        return 2;
    }
    options.level = argv[1][0] == 's' ? LITH_VERIFY_STRUCTURE : LITH_VERIFY_CONTENT;
    lith_mem_init(&mem, (size_t)64 << 20, NULL);
    lith_scratch_init(&scratch, NULL, 0);
    enum lith_code code = verify(argv[2], &options);
    if (code != LITH_OK)
        (void)printf("%s: %s\n", lith_code_name(code), err.text);
    lith_mem_done(&mem);
    return code == LITH_OK ? 0 : 1;
}
