/*
 * Runs a program and writes what it cost: start, wall, user and system time in nanoseconds, peak
 * memory in KiB, and the exit code (128 + a signal).
 *
 *     measure RESULT PROGRAM ARGUMENT...
 *
 * It is this small because a child is charged with the memory of the process that started it, up
 * to the moment it becomes another program.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t span_ns(struct timeval span)
{
    return (int64_t)span.tv_sec * 1000000000 + (int64_t)span.tv_usec * 1000;
}

static int result_write(const char *path, int64_t start_ns, int status, const struct rusage *usage)
{
    int64_t wall_ns = now_ns() - start_ns;
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    FILE *file = fopen(path, "we");

    if (!file)
        return -1;
    int printed = fprintf(file, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d\n",
                          start_ns, wall_ns, span_ns(usage->ru_utime), span_ns(usage->ru_stime),
                          (int64_t)usage->ru_maxrss, code);
    int closed = fclose(file);
    return printed < 0 ? printed : closed;
}

int main(int count, char **arguments)
{
    struct rusage usage;
    int status;

    if (count < 3) {
        (void)fputs("usage: measure RESULT PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    int64_t start_ns = now_ns();
    pid_t child = fork();
    if (child == 0) {
        (void)execv(arguments[2], arguments + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child ||
        result_write(arguments[1], start_ns, status, &usage)) {
        perror("measure");
        return 1;
    }
    return 0;
}
