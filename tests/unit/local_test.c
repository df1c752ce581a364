/*
 * The local store on a real directory: conditions, locks, outputs, deletes, links, crashes.
 */
#include "store_support.h"

static struct lith_err err;
static struct lith_mem mem;
static struct test_env env;
static struct lith_arena arena;
static struct lith_store *store;
static struct lith_folder *folder;
static char path[64];
static int dir_fd;

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    test_env_init(&env, 1);
    test_folder_make(path, &dir_fd);
    struct lith_local_options options = {.root = path};
    MUST(lith_local_open(&options, &env.base, &mem, &store, &err));
    MUST(lith_folder_open(store, "", &folder, &err));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lith_folder_close(folder);
    lith_store_close(store);
    test_folder_remove(path, dir_fd);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}

static void put(const char *name, const char *text)
{
    MUST(lith_folder_put_if(folder, name, NULL, text, strlen(text), &err));
}

static struct lith_object head(const char *name)
{
    struct lith_object object = {0};

    MUST(lith_folder_head(folder, name, &arena, &object, &err));
    return object;
}

static void paths_stay_below_the_root(void **state)
{
    static const char *const bad[] = {"/", "a/", "/a", "a//b", ".", "..", "a/../b", "a/./b"};
    struct lith_folder *other = NULL;
    struct lith_object object;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(lith_folder_open(store, bad[i], &other, &err), LITH_E_INVALID);
    assert_int_equal(lith_folder_open(store, "none", &other, &err), LITH_E_NOT_FOUND);
    assert_int_equal(lith_folder_head(folder, "../x", &arena, &object, &err), LITH_E_INVALID);
    assert_int_equal(lith_folder_head(folder, "..", &arena, &object, &err), LITH_E_INVALID);
    assert_int_equal(mkdirat(dir_fd, "a", 0755), 0);
    assert_int_equal(mkdirat(dir_fd, "a/b c", 0755), 0);
    MUST(lith_folder_open(store, "a/b c", &other, &err));
    lith_folder_close(other);
    assert_int_equal(unlinkat(dir_fd, "a/b c", AT_REMOVEDIR), 0);
}

static void a_list_tells_kinds_apart(void **state)
{
    struct lith_listing listing;

    (void)state;
    test_file_write(dir_fd, "b.parquet", "bb");
    test_file_write(dir_fd, "a.parquet", "a");
    assert_int_equal(mkdirat(dir_fd, "x.parquet", 0755), 0);
    assert_int_equal(symlinkat("a.parquet", dir_fd, "link.parquet"), 0);
    assert_int_equal(symlinkat("nothing", dir_fd, "dangling.parquet"), 0);
    assert_int_equal(symlinkat(".", dir_fd, "loop"), 0);
    assert_int_equal(symlinkat("self", dir_fd, "self"), 0);
    assert_int_equal(mkfifoat(dir_fd, "fifo.parquet", 0600), 0);
    MUST(lith_folder_list(folder, &arena, &listing, &err));
    assert_int_equal(listing.object_count, 3);
    assert_string_equal(listing.objects[0].name, "a.parquet");
    assert_string_equal(listing.objects[1].name, "b.parquet");
    assert_string_equal(listing.objects[2].name, "link.parquet");
    assert_false(listing.objects[0].is_link);
    assert_true(listing.objects[2].is_link);
    assert_int_equal(listing.objects[1].size, 2);
    assert_int_equal(listing.folder_count, 1);
    assert_string_equal(listing.folders[0], "x.parquet");
    assert_int_equal(listing.other_count, 4);
    assert_ptr_equal(lith_listing_find(&listing, "b.parquet"), &listing.objects[1]);
    assert_null(lith_listing_find(&listing, "c.parquet"));
    assert_non_null(strstr(listing.objects[1].etag, "2:"));
}

static void put_keeps_its_condition(void **state)
{
    struct lith_blob old;
    struct lith_blob now;
    struct stat st;

    (void)state;
    put("manifest.json", "one");
    assert_int_equal(fstatat(dir_fd, "manifest.json", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0600); /* the folder's own readers: mkdtemp is 0700 */
    assert_int_equal(fchmodat(dir_fd, "manifest.json", 0664, 0), 0);
    assert_int_equal(lith_folder_put_if(folder, "manifest.json", NULL, "x", 1, &err),
                     LITH_E_CONFLICT);
    MUST(lith_folder_get(folder, "manifest.json", 100, &arena, &old, &err));
    assert_string_equal((const char *)old.data, "one");
    MUST(lith_folder_put_if(folder, "manifest.json", &old, "two", 3, &err));
    assert_int_equal(fstatat(dir_fd, "manifest.json", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0664);
    assert_int_equal(lith_folder_put_if(folder, "manifest.json", &old, "six", 3, &err),
                     LITH_E_CONFLICT);
    MUST(lith_folder_get(folder, "manifest.json", 100, &arena, &now, &err));
    assert_string_equal((const char *)now.data, "two");
    assert_int_equal(lith_folder_get(folder, "manifest.json", 2, &arena, &now, &err), LITH_E_LIMIT);
    assert_int_equal(unlinkat(dir_fd, "manifest.json", 0), 0);
    assert_int_equal(lith_folder_put_if(folder, "manifest.json", &now, "six", 3, &err),
                     LITH_E_CONFLICT);
    assert_false(test_file_exists(dir_fd, "manifest.json.tmp"));
    assert_int_equal(symlinkat("elsewhere", dir_fd, "manifest.json"), 0);
    assert_int_equal(lith_folder_get(folder, "manifest.json", 9, &arena, &now, &err),
                     LITH_E_UNSUPPORTED);
    assert_int_equal(unlinkat(dir_fd, "manifest.json", 0), 0);
    assert_int_equal(mkdirat(dir_fd, "manifest.json", 0755), 0);
    assert_int_equal(lith_folder_get(folder, "manifest.json", 9, &arena, &now, &err),
                     LITH_E_UNSUPPORTED);
}

/* A child of its own store, since a lock is bound to an open file. Ends with 0 when it won. */
static pid_t committer(const char *text, const struct lith_blob *expected, const int go[2])
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    struct lith_local_options options = {.root = path};
    char byte;
    (void)close(go[1]);
    if (lith_local_open(&options, &env.base, &mem, &store, &err) != LITH_OK ||
        lith_folder_open(store, "", &folder, &err) != LITH_OK || read(go[0], &byte, 1) != 0)
        _exit(9);
    enum lith_code code =
        lith_folder_put_if(folder, "manifest.json", expected, text, strlen(text), &err);
    _exit(code == LITH_OK ? 0 : code == LITH_E_CONFLICT ? 1 : 8);
}

static void of_many_committers_one_wins(void **state)
{
    enum { COMMITTERS = 8 };
    struct lith_blob blob;
    struct lith_blob *expected = NULL;

    (void)state;
    for (int round = 0; round < 5; round++) {
        pid_t pids[COMMITTERS];
        int go[2];
        int winners = 0;
        int winner = -1;
        char text[16];
        assert_int_equal(pipe(go), 0);
        for (int i = 0; i < COMMITTERS; i++) {
            /* Bytes never repeat, as in manifests: else the condition would hold twice. */
            (void)snprintf(text, sizeof(text), "%d by %d", round, i);
            pids[i] = committer(text, expected, go);
        }
        /* All of them wait for the end of the pipe. */
        (void)close(go[0]);
        (void)close(go[1]);
        for (int i = 0; i < COMMITTERS; i++) {
            int status = 0;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_true(WIFEXITED(status));
            assert_true(WEXITSTATUS(status) < 2);
            winners += WEXITSTATUS(status) == 0;
            winner = WEXITSTATUS(status) == 0 ? i : winner;
        }
        assert_int_equal(winners, 1);
        MUST(lith_folder_get(folder, "manifest.json", 100, &arena, &blob, &err));
        (void)snprintf(text, sizeof(text), "%d by %d", round, winner);
        assert_string_equal((const char *)blob.data, text);
        expected = &blob;
    }
}

static void the_lock_has_one_holder(void **state)
{
    struct lith_folder *other = NULL;

    (void)state;
    MUST(lith_folder_open(store, "", &other, &err));
    MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
    assert_int_equal(lith_folder_lock(other, LITH_LOCK_TRY, &err), LITH_E_CONFLICT);
    put("manifest.json", "under the lock that is held");
    lith_folder_unlock(folder);
    MUST(lith_folder_lock(other, LITH_LOCK_TRY, &err));
    lith_folder_close(other);
    MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
}

static void a_swapped_directory_is_noticed(void **state)
{
    struct lith_folder *part = NULL;
    struct lith_blob blob;
    struct lith_object object = {.name = "a.parquet", .size = 1};

    (void)state;
    assert_int_equal(mkdirat(dir_fd, "p", 0755), 0);
    MUST(lith_folder_open(store, "p", &part, &err));
    MUST(lith_folder_lock(part, LITH_LOCK_WAIT, &err));
    assert_int_equal(renameat(dir_fd, "p", dir_fd, "old"), 0);
    assert_int_equal(mkdirat(dir_fd, "p", 0755), 0);
    assert_int_equal(lith_folder_put_if(part, "manifest.json", NULL, "x", 1, &err),
                     LITH_E_CONFLICT);
    assert_int_equal(lith_folder_delete_if(part, &object, &err), LITH_E_CONFLICT);
    assert_false(test_file_exists(dir_fd, "old/manifest.json"));
    assert_false(test_file_exists(dir_fd, "p/manifest.json"));
    /* A lock taken anew is on the directory that is there now. */
    lith_folder_unlock(part);
    MUST(lith_folder_lock(part, LITH_LOCK_WAIT, &err));
    MUST(lith_folder_put_if(part, "manifest.json", NULL, "x", 1, &err));
    assert_true(test_file_exists(dir_fd, "p/manifest.json"));
    MUST(lith_folder_get(part, "manifest.json", 9, &arena, &blob, &err));
    lith_folder_close(part);
    assert_int_equal(unlinkat(dir_fd, "p/manifest.json", 0), 0);
}

static void an_output_looks_like_its_inputs(void **state)
{
    static const char *const like[] = {"a.parquet", "b.parquet"};
    struct lith_output_options options = {.name = "o.parquet", .like_names = like, .like_count = 2};
    LITH_AUTO(output) struct lith_output *output = NULL;
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_object object;
    struct stat st;
    char back[5] = {0};

    (void)state;
    test_file_write(dir_fd, "a.parquet", "a");
    test_file_write(dir_fd, "b.parquet", "b");
    assert_int_equal(fchmodat(dir_fd, "a.parquet", 0640, 0), 0);
    assert_int_equal(fchmodat(dir_fd, "b.parquet", 0604, 0), 0);
    assert_int_equal(fchownat(dir_fd, "a.parquet", 1234, 77, 0), 0);
    assert_int_equal(fchownat(dir_fd, "b.parquet", 1234, 77, 0), 0);
    MUST(lith_output_new(folder, &options, &output, &err));
    MUST(lith_sink_write(output->sink, "rows", 4, &err));
    assert_false(test_file_exists(dir_fd, "o.parquet"));
    MUST(lith_output_seal(output, &err));
    struct lith_object readable = {.name = output->read_name};
    MUST(lith_folder_source_open(folder, &readable, &source, &err));
    MUST(lith_source_read(source, 0, back, 4, &err));
    assert_string_equal(back, "rows");
    MUST(lith_output_publish(output, &arena, &object, &err));
    assert_string_equal(object.name, "o.parquet");
    assert_int_equal(object.size, 4);
    assert_string_equal(object.etag, head("o.parquet").etag);
    assert_int_equal(fstatat(dir_fd, "o.parquet", &st, 0), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    assert_int_equal(st.st_uid, 1234);
    assert_int_equal(st.st_gid, 77);
    assert_int_equal(lith_output_new(folder, &options, &output, &err), LITH_E_CONFLICT);
    assert_int_equal(fchownat(dir_fd, "b.parquet", 1234, 78, 0), 0);
    options.name = "o2.parquet";
    struct lith_output *none = NULL;
    assert_int_equal(lith_output_new(folder, &options, &none, &err), LITH_E_DENIED);
    assert_false(test_file_exists(dir_fd, "o2.parquet.tmp"));
}

/* Which owners may share a file: those whom its group, or everybody, lets read anyway. */
static void owners_share_what_each_may_read(void **state)
{
    static const struct {
        mode_t modes[2];
        uid_t uids[2];
        enum lith_code code;
    } cases[] = {
        {{0600, 0600}, {1234, 1235}, LITH_E_DENIED}, {{0600, 0640}, {1234, 1235}, LITH_E_DENIED},
        {{0640, 0600}, {1234, 1235}, LITH_E_DENIED}, {{0600, 0600}, {1234, 1234}, LITH_OK},
        {{0640, 0640}, {1234, 1235}, LITH_OK},       {{0644, 0644}, {1234, 1235}, LITH_OK},
    };
    static const char *const like[] = {"a.parquet", "b.parquet"};
    struct lith_output_options options = {.name = "o.parquet", .like_names = like, .like_count = 2};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        LITH_AUTO(output) struct lith_output *output = NULL;
        for (size_t j = 0; j < 2; j++) {
            test_file_write(dir_fd, like[j], "a");
            assert_int_equal(fchownat(dir_fd, like[j], cases[i].uids[j], 77, 0), 0);
            assert_int_equal(fchmodat(dir_fd, like[j], cases[i].modes[j], 0), 0);
        }
        assert_int_equal(lith_output_new(folder, &options, &output, &err), cases[i].code);
        if (cases[i].code == LITH_OK)
            MUST(lith_output_seal(output, &err));
    }
}

static void an_unpublished_output_leaves_nothing(void **state)
{
    struct lith_output_options options = {.name = "o.parquet"};
    struct lith_output *output = NULL;
    struct lith_object object;

    (void)state;
    MUST(lith_output_new(folder, &options, &output, &err));
    assert_true(test_file_exists(dir_fd, "o.parquet.tmp"));
    lith_output_free(output);
    assert_false(test_file_exists(dir_fd, "o.parquet.tmp"));
    /* A name that somebody took meanwhile is never replaced. */
    MUST(lith_output_new(folder, &options, &output, &err));
    MUST(lith_output_seal(output, &err));
    test_file_write(dir_fd, "o.parquet", "theirs");
    assert_int_equal(lith_output_publish(output, &arena, &object, &err), LITH_E_CONFLICT);
    lith_output_free(output);
    assert_int_equal(head("o.parquet").size, 6);
}

/* What was read back is what gets the name: not even a byte written over, or a file put there. */
static void an_output_that_was_touched_is_not_published(void **state)
{
    struct lith_output_options options = {.name = "o.parquet"};
    struct lith_object object;
    struct timespec past[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

    (void)state;
    for (unsigned is_swap = 0; is_swap < 2; is_swap++) {
        struct lith_output *output = NULL;
        MUST(lith_output_new(folder, &options, &output, &err));
        MUST(lith_sink_write(output->sink, "rows", 4, &err));
        MUST(lith_output_seal(output, &err));
        if (is_swap)
            assert_int_equal(unlinkat(dir_fd, "o.parquet.tmp", 0), 0);
        test_file_write(dir_fd, "o.parquet.tmp", "rovs");
        if (!is_swap)
            assert_int_equal(utimensat(dir_fd, "o.parquet.tmp", past, 0), 0);
        assert_int_equal(lith_output_publish(output, &arena, &object, &err), LITH_E_CORRUPT);
        lith_output_free(output);
        assert_false(test_file_exists(dir_fd, "o.parquet"));
    }
}

/* As long as the file system takes: there is no room for a suffix. */
static void a_file_with_a_long_name_is_deleted(void **state)
{
    char name[NAME_MAX + 1];
    size_t count = 0;

    (void)state;
    memset(name, 'a', NAME_MAX);
    memcpy(name + NAME_MAX - strlen(".parquet"), ".parquet", sizeof(".parquet"));
    test_file_write(dir_fd, name, "a");
    struct lith_object object = head(name);
    test_file_write(dir_fd, name, "other");
    assert_int_equal(lith_folder_delete_if(folder, &object, &err), LITH_E_CONFLICT);
    object = head(name);
    MUST(lith_folder_delete_if(folder, &object, &err));
    MUST(lith_folder_deletes_end(folder, &err));
    assert_false(test_file_exists(dir_fd, name));
    struct lith_listing listing;
    MUST(lith_folder_list(folder, &arena, &listing, &err));
    for (size_t i = 0; i < listing.object_count; i++)
        count += strstr(listing.objects[i].name, ".gone.tmp") != NULL;
    assert_int_equal(count, 0);
}

static void a_delete_takes_only_the_recorded_file(void **state)
{
    (void)state;
    test_file_write(dir_fd, "a.parquet", "a");
    struct lith_object object = head("a.parquet");
    test_file_write(dir_fd, "a.parquet", "other");
    assert_int_equal(lith_folder_delete_if(folder, &object, &err), LITH_E_CONFLICT);
    assert_true(test_file_exists(dir_fd, "a.parquet"));
    object = head("a.parquet");
    assert_int_equal(symlinkat("a.parquet", dir_fd, "link.parquet"), 0);
    struct lith_object link = head("link.parquet");
    assert_int_equal(lith_folder_delete_if(folder, &link, &err), LITH_E_CONFLICT);
    MUST(lith_folder_delete_if(folder, &object, &err));
    MUST(lith_folder_deletes_end(folder, &err));
    assert_false(test_file_exists(dir_fd, "a.parquet"));
    assert_false(test_file_exists(dir_fd, "a.parquet.gone.tmp"));
    assert_int_equal(lith_folder_delete_if(folder, &object, &err), LITH_E_NOT_FOUND);
}

/* A delete that was cut off after its rename, in all ways in which it may be found. */
static void a_delete_cut_off_is_finished(void **state)
{
    (void)state;
    test_file_write(dir_fd, "a.parquet", "a");
    struct lith_object object = head("a.parquet");
    assert_int_equal(renameat(dir_fd, "a.parquet", dir_fd, "a.parquet.gone.tmp"), 0);
    MUST(lith_folder_delete_if(folder, &object, &err));
    assert_false(test_file_exists(dir_fd, "a.parquet.gone.tmp"));
    /* It was another file: it gets its name back. */
    test_file_write(dir_fd, "a.parquet.gone.tmp", "other");
    assert_int_equal(lith_folder_delete_if(folder, &object, &err), LITH_E_CONFLICT);
    assert_int_equal(head("a.parquet").size, 5);
    /* Both are there and neither is the recorded one: both stay. */
    test_file_write(dir_fd, "a.parquet.gone.tmp", "third!");
    assert_int_equal(lith_folder_delete_if(folder, &object, &err), LITH_E_CONFLICT);
    assert_int_equal(head("a.parquet").size, 5);
    assert_int_equal(head("a.parquet.gone.tmp").size, 6);
}

static void a_source_is_bound_to_its_identity(void **state)
{
    LITH_AUTO(source) struct lith_source *source = NULL;
    LITH_AUTO(source) struct lith_source *none = NULL;
    char back[2] = {0};

    (void)state;
    test_file_write(dir_fd, "a.parquet", "a");
    struct lith_object object = head("a.parquet");
    MUST(lith_folder_source_open(folder, &object, &source, &err));
    test_file_write(dir_fd, "new", "other");
    assert_int_equal(renameat(dir_fd, "new", dir_fd, "a.parquet"), 0);
    MUST(lith_source_read(source, 0, back, 1, &err));
    assert_string_equal(back, "a");
    assert_int_equal(lith_folder_source_open(folder, &object, &none, &err), LITH_E_CONFLICT);
}

static void the_clock_leaves_nothing(void **state)
{
    struct lith_listing listing;
    struct lith_store_facts facts;
    int64_t before = env.base.now_ns(&env.base);
    int64_t now = 0;

    (void)state;
    MUST(lith_folder_now(folder, &now, &err));
    assert_true(now > before - 60000000000 && now < before + 60000000000);
    MUST(lith_store_probe(store, &facts, &err));
    assert_true(facts.locks && facts.conditions && facts.renames_sync);
    MUST(lith_folder_list(folder, &arena, &listing, &err));
    assert_int_equal(listing.object_count + listing.folder_count + listing.other_count, 0);
}

/* What a killed probe left goes with a later one; what only looks alike, or is young, stays. */
static void probes_that_were_killed_are_tidied_up(void **state)
{
    static const struct {
        const char *name;
        bool old;
        bool stays;
    } files[] = {
        {".lithify-probe-0123456789abcdef", true, false},
        {".lithify-probe-0123456789abcdef.tmp", true, false},
        {".lithify-probe-1123456789abcdef", false, true},
        {".lithify-probe-012345678", true, true},
        {".lithify-probe-0123456789abcdef.parquet", true, true},
    };
    struct timespec past[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    struct lith_store_facts facts;

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        test_file_write(dir_fd, files[i].name, "probe");
        if (files[i].old)
            assert_int_equal(utimensat(dir_fd, files[i].name, past, 0), 0);
    }
    MUST(lith_store_probe(store, &facts, &err));
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (test_file_exists(dir_fd, files[i].name) != files[i].stays)
            fail_msg("%s", files[i].name);
    }
}

/* As another user, in a child: root may write anywhere. */
static void a_read_only_directory_is_denied(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(path, 0555), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct lith_output_options options = {.name = "o.parquet"};
        struct lith_output *output = NULL;
        struct lith_store_facts facts;
        int64_t now;
        bool denied = setresuid(65534, 65534, 65534) == 0;
        denied = denied && lith_folder_put_if(folder, "m", NULL, "x", 1, &err) == LITH_E_DENIED;
        denied = denied && lith_output_new(folder, &options, &output, &err) == LITH_E_DENIED;
        denied = denied && lith_folder_now(folder, &now, &err) == LITH_E_DENIED;
        denied = denied && lith_store_probe(store, &facts, &err) == LITH_E_DENIED;
        _exit(denied ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(path, 0755), 0);
}

/* Killed at each step, a put leaves the old bytes or the new ones, and the next one works. */
static void a_put_killed_anywhere_is_whole(void **state)
{
    struct lith_blob blob;
    int crashes = 0;

    (void)state;
    put("manifest.json", "old");
    for (uint64_t at = 1;; at++) {
        MUST(lith_folder_get(folder, "manifest.json", 9, &arena, &blob, &err));
        pid_t pid = fork();
        if (pid == 0) {
            env.steps = 0;
            env.crash_at = at;
            enum lith_code code =
                lith_folder_put_if(folder, "manifest.json", &blob, "new", 3, &err);
            _exit(code == LITH_OK ? 0 : 1);
        }
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        MUST(lith_folder_get(folder, "manifest.json", 9, &arena, &blob, &err));
        assert_true(strcmp((const char *)blob.data, "old") == 0 ||
                    strcmp((const char *)blob.data, "new") == 0);
        if (WEXITSTATUS(status) == 0)
            break;
        assert_int_equal(WEXITSTATUS(status), TEST_CRASHED);
        crashes++;
        MUST(lith_folder_put_if(folder, "manifest.json", &blob, "old", 3, &err));
    }
    assert_int_equal(crashes, 5);
}

/* Every allocation fails once; nothing leaks and nothing half done stays. */
static void no_memory_is_reported(void **state)
{
    (void)state;
    test_file_write(dir_fd, "a.parquet", "a");
    for (int64_t n = 0;; n++) {
        struct lith_arena phase;
        struct lith_listing listing;
        struct lith_output *output = NULL;
        struct lith_output_options options = {.name = "o.parquet"};
        lith_arena_init(&phase, &mem);
        atomic_store(&mem.fail_after, n);
        enum lith_code code = lith_folder_list(folder, &phase, &listing, &err);
        if (code == LITH_OK)
            code = lith_output_new(folder, &options, &output, &err);
        bool reached = atomic_load(&mem.fail_after) < 0;
        atomic_store(&mem.fail_after, -1);
        lith_output_free(output);
        lith_arena_done(&phase);
        assert_false(test_file_exists(dir_fd, "o.parquet.tmp"));
        if (code == LITH_OK)
            break;
        assert_true(reached);
        assert_int_equal(code, LITH_E_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_stay_below_the_root, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_tells_kinds_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(put_keeps_its_condition, setup, teardown),
        cmocka_unit_test_setup_teardown(of_many_committers_one_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(the_lock_has_one_holder, setup, teardown),
        cmocka_unit_test_setup_teardown(a_swapped_directory_is_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(an_output_looks_like_its_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(owners_share_what_each_may_read, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unpublished_output_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(an_output_that_was_touched_is_not_published, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_file_with_a_long_name_is_deleted, setup, teardown),
        cmocka_unit_test_setup_teardown(a_delete_takes_only_the_recorded_file, setup, teardown),
        cmocka_unit_test_setup_teardown(a_delete_cut_off_is_finished, setup, teardown),
        cmocka_unit_test_setup_teardown(a_source_is_bound_to_its_identity, setup, teardown),
        cmocka_unit_test_setup_teardown(the_clock_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(probes_that_were_killed_are_tidied_up, setup, teardown),
        cmocka_unit_test_setup_teardown(a_read_only_directory_is_denied, setup, teardown),
        cmocka_unit_test_setup_teardown(a_put_killed_anywhere_is_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(no_memory_is_reported, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
