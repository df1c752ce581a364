/*
 * The floor of a merge: the bytes of the inputs, one after another, in one new file, plus fsync.
 *
 *     floor OUTPUT INPUT...
 *
 * No tool that reads every byte once and writes it once can be much faster than this loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

static uint8_t block[BLOCK_BYTES];

static int failure(const char *path)
{
    (void)fprintf(stderr, "floor: %s: %s\n", path, strerror(errno));
    return 1;
}

static int block_write(int output, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t now = write(output, block + done, bytes - done);
        if (now < 0)
            return -1;
        done += (size_t)now;
    }
    return 0;
}

static int file_append(int output, const char *path)
{
    int input = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = -1;

    if (input < 0)
        return -1;
    while ((bytes = read(input, block, sizeof(block))) > 0) {
        if (block_write(output, (size_t)bytes))
            bytes = -1;
        if (bytes < 0)
            break;
    }
    (void)close(input);
    return bytes < 0 ? -1 : 0;
}

int main(int count, char **arguments)
{
    if (count < 3) {
        (void)fputs("usage: floor OUTPUT INPUT...\n", stderr);
        return 2;
    }
    int output = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output < 0)
        return failure(arguments[1]);
    for (int i = 2; i < count; i++) {
        if (file_append(output, arguments[i]))
            return failure(arguments[i]);
    }
    if (fsync(output) || close(output))
        return failure(arguments[1]);
    return 0;
}
