/*
 * Files: what each wrapper answers for things that are there, absent, of another kind, too long.
 */
#include "support.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/limits.h"

static struct lith_err err;
static struct lith_mem mem;
static char folder[64];
static int dir_fd;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    test_folder_make(folder, &dir_fd);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    test_folder_remove(folder, dir_fd);
    lith_mem_done(&mem);
    return 0;
}

static void file_make(const char *name, const void *data, size_t bytes)
{
    int fd;

    MUST(lith_file_create(dir_fd, name, 0644, &fd, &err));
    MUST(lith_fd_write(fd, name, 0, data, bytes, &err));
    lith_fd_close(fd);
}

static enum lith_code entry_count(void *ctx, const char *entry, struct lith_err *each_err)
{
    if (strcmp(entry, "stop") == 0)
        return lith_fail(each_err, LITH_E_CANCELLED, "stopped");
    assert_true(entry[0] == 'f');
    ++*(size_t *)ctx;
    return LITH_OK;
}

static void open_tells_kinds_apart(void **state)
{
    int fd = -1;

    (void)state;
    assert_int_equal(lith_file_open(dir_fd, "none", &fd, &err), LITH_E_NOT_FOUND);
    assert_non_null(strstr(err.text, "none"));
    assert_int_equal(mkdirat(dir_fd, "folder", 0700), 0);
    assert_int_equal(lith_file_open(dir_fd, "folder", &fd, &err), LITH_E_UNSUPPORTED);
    assert_int_equal(mkfifoat(dir_fd, "fifo", 0600), 0);
    assert_int_equal(lith_file_open(dir_fd, "fifo", &fd, &err), LITH_E_UNSUPPORTED);
    file_make("file", "x", 1);
    assert_int_equal(lith_file_create(dir_fd, "file", 0644, &fd, &err), LITH_E_CONFLICT);
    assert_int_equal(lith_dir_open(dir_fd, "file", &fd, &err), LITH_E_NOT_FOUND);
    assert_int_equal(lith_file_unlink(dir_fd, "none", &err), LITH_E_NOT_FOUND);
    assert_int_equal(fd, -1);
    MUST(lith_dir_open(dir_fd, "folder", &fd, &err));
    lith_fd_close(fd);
    lith_fd_close(-1);
}

static void transfers_are_exact(void **state)
{
    char text[8] = {0};
    int fd;

    (void)state;
    file_make("file", "0123456789", 10);
    MUST(lith_file_open(dir_fd, "file", &fd, &err));
    MUST(lith_fd_read(fd, "file", 3, text, 4, &err));
    assert_string_equal(text, "3456");
    assert_int_equal(lith_fd_read(fd, "file", 8, text, 3, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "ends at 10"));
    assert_int_equal(lith_fd_read(fd, "file", UINT64_MAX, text, 3, &err), LITH_E_INVALID);
    assert_int_equal(lith_fd_read(fd, "file", INT64_MAX, text, 3, &err), LITH_E_INVALID);
    assert_int_equal(lith_fd_write(fd, "file", 0, text, 3, &err), LITH_E_IO); /* read-only */
    MUST(lith_fd_sync(fd, "file", &err));
    MUST(lith_fd_sync(dir_fd, "folder", &err));
    assert_int_equal(lith_fd_sync(-1, "gone", &err), LITH_E_IO);
    lith_fd_close(fd);
}

static void stat_rename_own_lock(void **state)
{
    struct lith_file_info info;
    int fd;

    (void)state;
    file_make("a", "12345", 5);
    assert_int_equal(symlinkat("a", dir_fd, "link"), 0);
    MUST(lith_file_stat(dir_fd, "link", true, &info, &err));
    assert_true(info.is_file && !info.is_symlink && info.size == 5);
    assert_true(info.mtime_ns > (int64_t)1500000000 * 1000000000);
    MUST(lith_file_stat(dir_fd, "link", false, &info, &err));
    assert_true(info.is_symlink && !info.is_file);
    assert_int_equal(lith_file_rename(dir_fd, "none", "b", &err), LITH_E_NOT_FOUND);
    MUST(lith_file_rename(dir_fd, "a", "b", &err));
    assert_int_equal(lith_file_stat(dir_fd, "a", true, &info, &err), LITH_E_NOT_FOUND);
    MUST(lith_file_open(dir_fd, "b", &fd, &err));
    MUST(lith_fd_own(fd, "b", getuid(), getgid(), 0640, &err));
    MUST(lith_fd_stat(fd, &info, &err));
    assert_int_equal(info.mode, 0640);
    lith_fd_close(fd);
    MUST(lith_fd_lock(dir_fd, "folder", 0, &err));
    assert_int_equal(lith_fd_lock(-1, "none", 0, &err), LITH_E_UNSUPPORTED);
}

static void names_are_given_once(void **state)
{
    uint8_t *data = NULL;
    size_t bytes = 0;

    (void)state;
    file_make("old", "old", 3);
    file_make("new", "new", 3);
    assert_int_equal(lith_file_rename_new(dir_fd, "new", "old", &err), LITH_E_CONFLICT);
    assert_int_equal(lith_file_rename_new(dir_fd, "none", "x", &err), LITH_E_NOT_FOUND);
    MUST(lith_file_rename_new(dir_fd, "new", "other", &err));
    MUST(lith_file_read_all(dir_fd, "old", 10, &mem, &data, &bytes, &err));
    assert_string_equal((char *)data, "old");
    lith_free(data);
    MUST(lith_file_rename(dir_fd, "other", "old", &err)); /* the plain one replaces */
    MUST(lith_file_read_all(dir_fd, "old", 10, &mem, &data, &bytes, &err));
    assert_string_equal((char *)data, "new");
    lith_free(data);
    MUST(lith_file_unlink(dir_fd, "old", &err));
}

/* Two descriptors of one directory stand for two programs. */
static void locks_exclude_each_other(void **state)
{
    int other;

    (void)state;
    MUST(lith_dir_open(AT_FDCWD, folder, &other, &err));
    MUST(lith_fd_lock(dir_fd, folder, 0, &err));
    assert_int_equal(lith_fd_lock_try(other, folder, &err), LITH_E_CONFLICT);
    /* A holder that hangs, or is stopped, holds up nobody for ever. */
    assert_int_equal(lith_fd_lock(other, folder, 30, &err), LITH_E_TRANSIENT);
    lith_fd_unlock(dir_fd);
    MUST(lith_fd_lock_try(other, folder, &err));
    assert_int_equal(lith_fd_lock_try(dir_fd, folder, &err), LITH_E_CONFLICT);
    lith_fd_close(other); /* gives the lock back */
    MUST(lith_fd_lock_try(dir_fd, folder, &err));
}

static void unnamed_files_have_no_name(void **state)
{
    char long_path[5000];
    char text[4] = {0};
    size_t count = 0;
    int fd = -1;

    (void)state;
    MUST(lith_file_create_unnamed(folder, &fd, &err));
    MUST(lith_fd_write(fd, "scratch", 0, "abc", 3, &err));
    MUST(lith_fd_read(fd, "scratch", 0, text, 3, &err));
    assert_string_equal(text, "abc");
    MUST(lith_dir_list(dir_fd, ".", entry_count, &count, &err));
    assert_int_equal(count, 0);
    lith_fd_close(fd);
    assert_int_equal(lith_file_create_unnamed("/nonexistent", &fd, &err), LITH_E_NOT_FOUND);
    assert_int_not_equal(lith_file_create_unnamed("/proc/self", &fd, &err), LITH_OK);
    memset(long_path, '/', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = 0;
    assert_int_not_equal(lith_file_create_unnamed(long_path, &fd, &err), LITH_OK);
}

static void read_all_has_a_limit(void **state)
{
    uint8_t *data = NULL;
    size_t bytes = 0;

    (void)state;
    file_make("file", "0123456789", 10);
    file_make("empty", "", 0);
    MUST(lith_file_read_all(dir_fd, "file", 10, &mem, &data, &bytes, &err));
    assert_string_equal((char *)data, "0123456789");
    assert_int_equal(bytes, 10);
    lith_free(data);
    MUST(lith_file_read_all(dir_fd, "empty", 0, &mem, &data, &bytes, &err));
    assert_string_equal((char *)data, "");
    lith_free(data);
    assert_int_equal(lith_file_read_all(dir_fd, "file", 9, &mem, &data, &bytes, &err),
                     LITH_E_LIMIT);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_file_read_all(dir_fd, "file", 10, &mem, &data, &bytes, &err),
                     LITH_E_NOMEM);
}

static void list_walks_all(void **state)
{
    size_t count = 0;

    (void)state;
    for (char name[] = "f0"; name[1] < '9'; name[1]++)
        file_make(name, "", 0);
    MUST(lith_dir_list(dir_fd, ".", entry_count, &count, &err));
    MUST(lith_dir_list(dir_fd, ".", entry_count, &count, &err));
    assert_int_equal(count, 18);
    file_make("stop", "", 0);
    assert_int_equal(lith_dir_list(dir_fd, ".", entry_count, &count, &err), LITH_E_CANCELLED);
    assert_int_equal(lith_dir_list(dir_fd, "none", entry_count, &count, &err), LITH_E_NOT_FOUND);
}

static void source_reads_ranges(void **state)
{
    struct lith_source *source = NULL;
    char text[4] = {0};

    (void)state;
    file_make("file", "0123456789", 10);
    MUST(lith_file_source_open(dir_fd, "file", &mem, &source, &err));
    assert_int_equal(source->size, 10);
    MUST(lith_source_read(source, 7, text, 3, &err));
    assert_string_equal(text, "789");
    assert_int_equal(lith_source_read(source, 8, text, 3, &err), LITH_E_CORRUPT);
    int fd = openat(dir_fd, "file", O_WRONLY | O_TRUNC);
    assert_int_equal(lith_source_read(source, 7, text, 3, &err), LITH_E_CORRUPT);
    assert_non_null(strstr(err.text, "became shorter"));
    lith_fd_close(fd);
    lith_source_close(source);
    assert_int_equal(lith_file_source_open(dir_fd, "none", &mem, &source, &err), LITH_E_NOT_FOUND);
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_file_source_open(dir_fd, "file", &mem, &source, &err), LITH_E_NOMEM);
}

/* Writes of sizes around the buffer's, read back whole, with their CRC. */
static void sink_writes_what_it_is_given(void **state)
{
    static const size_t sizes[] = {
        0,   1,      LITH_FILE_BUFFER_BYTES - 1, 1, 1, LITH_FILE_BUFFER_BYTES,
        100, 300000, LITH_FILE_BUFFER_BYTES + 1, 7,
    };
    uint64_t seed = test_seed();
    struct lith_file_sink sink;
    uint8_t *all = malloc(2000000);
    uint8_t *data = NULL;
    size_t bytes = 0;
    size_t total = 0;
    int fd;

    (void)state;
    assert_non_null(all);
    for (size_t i = 0; i < 2000000; i++)
        all[i] = (uint8_t)test_random(&seed);
    MUST(lith_file_create(dir_fd, "out", 0600, &fd, &err));
    MUST(lith_file_sink_init(&sink, fd, "out", &mem, &err));
    sink.wants_crc = true;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        MUST(lith_sink_write(&sink.base, all + total, sizes[i], &err));
        total += sizes[i];
        assert_int_equal(sink.base.written, total);
    }
    MUST(lith_file_sink_flush(&sink, &err));
    MUST(lith_file_sink_flush(&sink, &err));
    assert_int_equal(sink.crc, lith_crc32(0, all, total));
    lith_file_sink_done(&sink);
    lith_fd_close(fd);
    MUST(lith_file_read_all(dir_fd, "out", total, &mem, &data, &bytes, &err));
    assert_int_equal(bytes, total);
    assert_memory_equal(data, all, total);
    lith_free(data);
    free(all);
}

static void sink_tells_a_full_disk(void **state)
{
    struct lith_file_sink sink;
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    if (fd < 0)
        skip();
    atomic_store(&mem.fail_after, 0);
    assert_int_equal(lith_file_sink_init(&sink, fd, "out", &mem, &err), LITH_E_NOMEM);
    MUST(lith_file_sink_init(&sink, fd, "out", &mem, &err));
    MUST(lith_sink_write(&sink.base, "x", 1, &err));
    assert_int_equal(lith_file_sink_flush(&sink, &err), LITH_E_IO);
    assert_non_null(strstr(err.text, "free some space"));
    lith_file_sink_done(&sink);
    lith_fd_close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(open_tells_kinds_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(transfers_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(stat_rename_own_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_given_once, setup, teardown),
        cmocka_unit_test_setup_teardown(locks_exclude_each_other, setup, teardown),
        cmocka_unit_test_setup_teardown(unnamed_files_have_no_name, setup, teardown),
        cmocka_unit_test_setup_teardown(read_all_has_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(list_walks_all, setup, teardown),
        cmocka_unit_test_setup_teardown(source_reads_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(sink_writes_what_it_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(sink_tells_a_full_disk, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
