/*
 * Runs a fuzz target on files, and on all files of folders, without libFuzzer: any compiler builds
 * it, and what the fuzzer found once is run by every `meson test`.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* libFuzzer's inputs are at most a MiB; more of a file is not read. */
#define FILE_BYTES_MAX ((size_t)16 << 20)
#define PATH_BYTES_MAX 4096

/* The block grows with the file, so that a sanitizer sees a read past its end. */
static int file_run(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t bytes = 0;
    int byte;

    if (!file) {
        perror(path);
        return 1;
    }
    while (bytes < FILE_BYTES_MAX && (byte = getc(file)) != EOF) {
        if ((bytes & (bytes - 1)) == 0) {
            void *grown = realloc(data, bytes ? 2 * bytes : 1);
            if (!grown)
                break;
            data = grown;
        }
        data[bytes++] = (uint8_t)byte;
    }
    (void)fclose(file);
    void *exact = realloc(data, bytes ? bytes : 1);
    if (exact)
        (void)LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
    return exact ? 0 : 1;
}

static int folder_run(const char *path, DIR *folder)
{
    char name[PATH_BYTES_MAX];
    struct dirent *entry;
    int failed = 0;

    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        failed |= file_run(name);
    }
    (void)closedir(folder);
    return failed;
}

int main(int count, char **names)
{
    int failed = 0;

    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(names[i]);
        failed |= folder ? folder_run(names[i], folder) : file_run(names[i]);
    }
    return failed;
}
