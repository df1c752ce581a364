/*
 * The exchange store on real directories: what is shown and what is held, who waits for the lock of
 * a directory that goes, what others do in the moment of a swap, crashes, and memory that runs out.
 */
#include "store_support.h"

#include "store/exchange.h"
#include "store/exchange_ledger.h"

#include <sys/wait.h>

/* What a name is to be: by a table, "shown" where it is not in it. */
struct wish {
    const char *name;
    enum lith_fate fate;
};
struct wishes {
    struct lith_showing base;
    struct wish table[8];
    bool misses; /* something that must be shown is not there */
};

static void wishes_begin(struct lith_showing *base)
{
    (void)base;
}

static enum lith_fate wishes_fate(struct lith_showing *base, const struct lith_object *object)
{
    const struct wishes *w = (const struct wishes *)base;
    size_t bytes = strlen(object->name);

    for (size_t i = 0; w->table[i].name; i++) {
        if (strcmp(w->table[i].name, object->name) == 0)
            return w->table[i].fate;
    }
    if (strcmp(object->name, "manifest.json") == 0)
        return LITH_FATE_OWN;
    if (bytes > 4 && strcmp(object->name + bytes - 4, ".tmp") == 0)
        return LITH_FATE_FOREIGN;
    return object->is_held ? LITH_FATE_HELD : LITH_FATE_SHOWN;
}

static enum lith_code wishes_complete(struct lith_showing *base, struct lith_err *e)
{
    return ((struct wishes *)base)->misses ? lith_fail(e, LITH_E_CORRUPT, "one is missing")
                                           : LITH_OK;
}

/* Superseded: a and b. */
static const struct wishes plain = {
    .base = {.begin = wishes_begin, .fate = wishes_fate, .complete = wishes_complete, .must = true},
    .table = {{"a.parquet", LITH_FATE_HELD}, {"b.parquet", LITH_FATE_HELD}}};

static struct lith_err err;
static struct lith_mem mem;
static struct lith_arena arena;
static struct lith_store *store;
static struct lith_folder *folder;
static char base_path[64];
static char root[80];
static char staging[80];
static int base_fd;
static int part_fd; /* of the directory that was the partition's at first */

/* A world that lets somebody act at a step. */
static struct test_env env;
static const char *act_at;
static void (*act)(void);

static void env_step(struct lith_env *e, const char *name)
{
    if (act_at && strcmp(act_at, name) == 0) {
        act_at = NULL;
        act();
    }
    test_env_step(e, name);
}

struct memory_body {
    struct lith_content base;
    const char *text;
};

static enum lith_code body_write(struct lith_content *base, struct lith_sink *sink,
                                 struct lith_err *e)
{
    const char *text = ((struct memory_body *)base)->text;

    return lith_sink_write(sink, text, strlen(text), e);
}

static enum lith_code put(const char *before, const char *after, struct wishes *wishes)
{
    struct memory_body body = {.base = {.write = body_write}, .text = after};
    struct lith_blob expected = {.data = (const uint8_t *)before};

    if (before) {
        expected.bytes = strlen(before);
        expected.hash = lith_hash128(before, expected.bytes, 0);
    }
    return lith_folder_put_shown(folder, "manifest.json", before ? &expected : NULL, &body.base,
                                 &wishes->base, &err);
}

static void store_open(void)
{
    struct lith_local_options options = {.root = root};
    struct lith_store *local;

    MUST(lith_local_open(&options, &env.base, &mem, &local, &err));
    MUST(lith_exchange_open(local, staging, &store, &err));
}

static int setup(void **state)
{
    (void)state;
    lith_mem_init(&mem, SIZE_MAX, NULL);
    lith_arena_init(&arena, &mem);
    test_env_init(&env, 1);
    env.base.step = env_step;
    act_at = NULL;
    test_folder_make(base_path, &base_fd);
    (void)snprintf(root, sizeof(root), "%s/lake", base_path);
    (void)snprintf(staging, sizeof(staging), "%s/stage", base_path);
    assert_int_equal(mkdirat(base_fd, "lake", 0755), 0);
    assert_int_equal(mkdirat(base_fd, "lake/p", 0750), 0);
    part_fd = openat(base_fd, "lake/p", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    test_file_write(part_fd, "a.parquet", "a");
    test_file_write(part_fd, "b.parquet", "bb");
    test_file_write(part_fd, "c.parquet", "ccc");
    test_file_write(part_fd, "manifest.json", "one");
    store_open();
    MUST(lith_exchange_prepare(store, true, &err));
    MUST(lith_exchange_claim(store, "0123", false, &err));
    MUST(lith_folder_open(store, "p", &folder, &err));
    return 0;
}

static void remove_all(const char *path)
{
    char command[160];

    (void)snprintf(command, sizeof(command), "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static int teardown(void **state)
{
    (void)state;
    lith_folder_close(folder);
    lith_store_close(store);
    (void)close(part_fd);
    (void)close(base_fd);
    remove_all(base_path);
    lith_arena_done(&arena);
    lith_mem_done(&mem);
    return 0;
}

/* The names in a directory below the base, sorted, with a space behind each. */
static const char *names(const char *path)
{
    static char text[1024];
    const char *found[64];
    size_t count = 0;
    char full[160];
    struct dirent *entry;

    (void)snprintf(full, sizeof(full), "%s/%s", base_path, path);
    DIR *dir = opendir(full);
    text[0] = '\0';
    if (!dir)
        return "(none)";
    while ((entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        size_t at = count++;
        for (; at > 0 && strcmp(found[at - 1], entry->d_name) > 0; at--)
            found[at] = found[at - 1];
        found[at] = entry->d_name;
    }
    for (size_t i = 0; i < count; i++) {
        (void)strncat(text, found[i], sizeof(text) - strlen(text) - 1);
        (void)strncat(text, " ", sizeof(text) - strlen(text) - 1);
    }
    (void)closedir(dir);
    return text;
}

/* One output that waits to be committed. */
static void output_make(const char *name)
{
    static const char *const like[] = {"a.parquet"};
    struct lith_output_options options = {.name = name, .like_names = like, .like_count = 1};
    LITH_AUTO(output) struct lith_output *output = NULL;
    struct lith_object object;

    MUST(lith_output_new(folder, &options, &output, &err));
    MUST(lith_sink_write(output->sink, "rows", 4, &err));
    MUST(lith_output_seal(output, &err));
    MUST(lith_output_publish(output, &arena, &object, &err));
}

static struct wishes with_output(void)
{
    struct wishes wishes = plain;

    wishes.table[2] = (struct wish){"o.parquet", LITH_FATE_SHOWN};
    return wishes;
}

/* What the listing says of a name: '-' not there, 's' shown, 'h' held. */
static char place_of(const char *name)
{
    struct lith_listing listing;

    MUST(lith_folder_list(folder, &arena, &listing, &err));
    const struct lith_object *object = lith_listing_find(&listing, name);
    return !object ? '-' : object->is_held ? 'h' : 's';
}

static void settle_and_tidy(void)
{
    struct wishes wishes = plain;
    struct lith_settled settled;
    struct lith_tidy tidy = {.grace_ns = 0};
    const char *stray;

    MUST(lith_folder_settle(folder, &wishes.base, &arena, &settled, &err));
    assert_null(settled.stray);
    MUST(lith_folder_now(folder, &tidy.now_ns, &err));
    tidy.now_ns += 1000000000;
    MUST(lith_folder_tidy(folder, &tidy, &wishes.base, &arena, &stray, &err));
    assert_null(stray);
}

static void what_changes_nothing_is_put_in_place(void **state)
{
    struct wishes wishes = plain;
    struct stat before;
    struct stat after;

    (void)state;
    wishes.table[0].name = NULL;
    assert_int_equal(fstat(part_fd, &before), 0);
    MUST(put("one", "two", &wishes));
    assert_int_equal(fstatat(base_fd, "lake/p", &after, 0), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_string_equal(names("stage"), "_lithify_staging.json ");
}

static void a_swap_shows_and_hides(void **state)
{
    struct wishes wishes = with_output();
    LITH_AUTO(source) struct lith_source *source = NULL;
    struct lith_object object;
    char back[5] = {0};
    struct stat st;

    (void)state;
    MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
    output_make("o.parquet");
    assert_string_equal(names("lake/p"), "a.parquet b.parquet c.parquet manifest.json ");
    assert_int_equal(place_of("o.parquet"), 'h');
    MUST(put("one", "two", &wishes));
    assert_string_equal(names("lake/p"), "c.parquet manifest.json o.parquet ");
    assert_string_equal(names("stage/p/_held"), "a.parquet b.parquet ");
    assert_int_equal(place_of("a.parquet"), 'h');
    assert_int_equal(place_of("o.parquet"), 's');
    assert_int_equal(fstatat(base_fd, "lake/p", &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    /* What is held is an object like any other. */
    MUST(lith_folder_head(folder, "b.parquet", &arena, &object, &err));
    assert_true(object.is_held);
    MUST(lith_folder_source_open(folder, &object, &source, &err));
    MUST(lith_source_read(source, 0, back, 2, &err));
    assert_string_equal(back, "bb");
    MUST(lith_folder_delete_if(folder, &object, &err));
    MUST(lith_folder_deletes_end(folder, &err));
    assert_int_equal(place_of("b.parquet"), '-');
    /* And comes back. */
    wishes.table[0].fate = LITH_FATE_SHOWN;
    wishes.table[2].fate = LITH_FATE_HELD;
    MUST(put("two", "three", &wishes));
    assert_string_equal(names("lake/p"), "a.parquet c.parquet manifest.json ");
    assert_string_equal(names("stage/p/_held"), "o.parquet ");
}

/* Case ix: who waits for the lock of the directory that goes gets the one that came; what a writer
 * in the old one stores meanwhile is carried over, through two swaps. */
static void who_waits_for_the_old_lock_gets_the_new_directory(void **state)
{
    struct wishes wishes = with_output();
    struct lith_folder *other = NULL;
    struct lith_folder *mine = folder;
    struct lith_settled settled;
    int told[2];
    char byte = 'x';
    int status;

    (void)state;
    MUST(lith_folder_open(store, "p", &other, &err));
    MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
    output_make("o.parquet");
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) { /* has the old directory open, and waits */
        (void)write(told[1], &byte, 1);
        bool right = lith_folder_lock(other, LITH_LOCK_WAIT, &err) == LITH_OK;
        folder = other;
        right = right && place_of("o.parquet") == 's' && place_of("a.parquet") == 'h' &&
                put("one", "wrong", &wishes) == LITH_E_CONFLICT &&
                put("two", "three", &wishes) == LITH_OK;
        _exit(right ? 0 : 1);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    (void)usleep(50000);
    MUST(put("one", "two", &wishes));
    test_file_write(part_fd, "late.parquet", "late");
    assert_int_equal(lith_folder_lock(other, LITH_LOCK_TRY, &err), LITH_E_CONFLICT);
    lith_folder_unlock(folder);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    folder = mine;
    MUST(lith_folder_lock(other, LITH_LOCK_TRY, &err));
    test_file_write(part_fd, "later.parquet", "later");
    MUST(lith_folder_settle(other, &wishes.base, &arena, &settled, &err));
    assert_null(settled.stray);
    assert_non_null(strstr(names("lake/p"), "late.parquet later.parquet "));
    lith_folder_close(other);
    (void)close(told[0]);
    (void)close(told[1]);
}

static enum lith_code locked_out;

static void lock_try(void)
{
    struct lith_folder *other = NULL;

    MUST(lith_folder_open(store, "p", &other, &err));
    locked_out = lith_folder_lock(other, LITH_LOCK_TRY, &err);
    lith_folder_close(other);
}

/* From the moment on in which it is there, the new directory is locked. */
static void the_lock_goes_over(void **state)
{
    struct wishes wishes = plain;

    (void)state;
    act_at = "swap-exchanged";
    act = lock_try;
    locked_out = LITH_OK;
    MUST(put("one", "two", &wishes));
    assert_int_equal(locked_out, LITH_E_CONFLICT);
    lock_try();
    assert_int_equal(locked_out, LITH_OK);
}

/* A program that has the old directory open goes on there: files come, get other names, go. */
static void what_comes_into_the_old_directory_is_carried_over(void **state)
{
    struct wishes wishes = plain;
    struct lith_settled settled;

    (void)state;
    MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
    MUST(put("one", "two", &wishes));
    test_file_write(part_fd, "d.parquet", "dddd");
    test_file_write(part_fd, "f.parquet.tmp", "f");
    assert_int_equal(renameat(part_fd, "c.parquet", part_fd, "e.parquet"), 0);
    MUST(lith_folder_settle(folder, &wishes.base, &arena, &settled, &err));
    assert_int_equal(settled.carried, 2);
    assert_null(settled.stray);
    assert_string_equal(names("lake/p"), "d.parquet e.parquet manifest.json ");
    MUST(lith_folder_settle(folder, &wishes.base, &arena, &settled, &err));
    assert_int_equal(settled.carried, 0);
    assert_int_equal(renameat(part_fd, "f.parquet.tmp", part_fd, "f.parquet"), 0);
    /* What was superseded, or deleted, does not come back, whatever it is called by now. */
    assert_int_equal(renameat(part_fd, "a.parquet", part_fd, "z.parquet"), 0);
    assert_int_equal(unlinkat(base_fd, "lake/p/d.parquet", 0), 0);
    MUST(lith_folder_settle(folder, &wishes.base, &arena, &settled, &err));
    assert_int_equal(settled.carried, 1);
    assert_string_equal(names("lake/p"), "e.parquet f.parquet manifest.json ");
    /* Two files of one name: both stay where they are. */
    test_file_write(base_fd, "lake/p/g.parquet", "theirs");
    test_file_write(part_fd, "g.parquet", "gg");
    MUST(lith_folder_settle(folder, &wishes.base, &arena, &settled, &err));
    assert_non_null(strstr(settled.stray, "g.parquet"));
    assert_int_equal(unlinkat(part_fd, "g.parquet", 0), 0);
    settle_and_tidy();
    assert_string_equal(names("stage/p"), "_held ");
}

static void another_manifest_is_a_conflict(void **state)
{
    struct wishes wishes = plain;

    (void)state;
    assert_int_equal(put("other", "two", &wishes), LITH_E_CONFLICT);
    assert_int_equal(put(NULL, "two", &wishes), LITH_E_CONFLICT);
    assert_string_equal(names("lake/p"), "a.parquet b.parquet c.parquet manifest.json ");
    assert_string_equal(names("stage"), "_lithify_staging.json ");
}

/* Somebody's manifest comes while the new directory is made. */
static void manifest_replace(void)
{
    test_file_write(part_fd, "manifest.json", "ONE");
}

static void file_add(void)
{
    test_file_write(part_fd, "d.parquet", "dddd");
}

static void file_remove(void)
{
    assert_int_equal(unlinkat(part_fd, "c.parquet", 0), 0);
}

static void file_rename(void)
{
    assert_int_equal(renameat(part_fd, "c.parquet", part_fd, "e.parquet"), 0);
}

static void retired_replace(void)
{
    assert_int_equal(unlinkat(part_fd, "a.parquet", 0), 0);
    test_file_write(part_fd, "a.parquet", "a new one");
}

static void folder_add(void)
{
    assert_int_equal(mkdirat(part_fd, "sub", 0755), 0);
    test_file_write(part_fd, "sub/x.parquet", "x");
}

static void tmp_add(void)
{
    test_file_write(part_fd, "d.parquet.tmp", "dd");
}

/* Begun before the swap by its path, and finished by it. */
static void tmp_finish(void)
{
    test_file_write(part_fd, "d.parquet.tmp", "dd");
}

/* What others do in the very moment, and what is there then. */
static void what_others_do_meanwhile_counts(void **state)
{
    static const struct {
        const char *step;
        void (*act)(void);
        enum lith_code code;
        const char *shown;
        const char *held;
    } cases[] = {
        {"swap-built", file_add, LITH_OK, "c.parquet d.parquet manifest.json ",
         "a.parquet b.parquet "},
        {"swap-synced", file_add, LITH_OK, "c.parquet d.parquet manifest.json ",
         "a.parquet b.parquet "},
        {"swap-exchanged", file_add, LITH_OK, "c.parquet d.parquet manifest.json ",
         "a.parquet b.parquet "},
        {"swap-synced", file_remove, LITH_OK, "manifest.json ", "a.parquet b.parquet "},
        {"swap-exchanged", file_remove, LITH_OK, "manifest.json ", "a.parquet b.parquet "},
        {"swap-exchanged", file_rename, LITH_OK, "e.parquet manifest.json ",
         "a.parquet b.parquet "},
        {"swap-exchanged", retired_replace, LITH_OK, "a.parquet c.parquet manifest.json ",
         "a.parquet b.parquet "},
        {"swap-exchanged", folder_add, LITH_OK, "c.parquet manifest.json sub ",
         "a.parquet b.parquet "},
        {"swap-exchanged", tmp_finish, LITH_OK, "c.parquet d.parquet.tmp manifest.json ",
         "a.parquet b.parquet "},
        {"swap-synced", manifest_replace, LITH_E_CONFLICT,
         "a.parquet b.parquet c.parquet manifest.json ", "(none)"},
        {"swap-synced", folder_add, LITH_E_UNSUPPORTED,
         "a.parquet b.parquet c.parquet manifest.json sub ", "(none)"},
        {"swap-synced", tmp_add, LITH_E_TRANSIENT,
         "a.parquet b.parquet c.parquet d.parquet.tmp manifest.json ", "(none)"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wishes wishes = plain;
        if (i > 0)
            assert_int_equal(setup(state), 0);
        act_at = cases[i].step;
        act = cases[i].act;
        enum lith_code code = put("one", "two", &wishes);
        print_message("case %zu: %s\n", i, lith_code_name(code));
        assert_null(act_at);
        assert_int_equal(code, cases[i].code);
        assert_string_equal(names("lake/p"), cases[i].shown);
        assert_string_equal(names("stage/p/_held"), cases[i].held);
        if (code != LITH_OK)
            assert_string_equal(names("stage"), "_lithify_staging.json ");
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            assert_int_equal(teardown(state), 0);
    }
}

/* Files are replaced while the new directory is made: it is made again, with what is there then. */
static void a_file_that_is_replaced_meanwhile_is_looked_at_again(void **state)
{
    struct wishes wishes = plain;

    (void)state;
    wishes.table[0].name = "b.parquet"; /* a is shown */
    wishes.table[1].name = NULL;
    act_at = "swap-synced";
    act = retired_replace;
    MUST(put("one", "two", &wishes));
    assert_string_equal(names("lake/p"), "a.parquet c.parquet manifest.json ");
    struct lith_object object;
    MUST(lith_folder_head(folder, "a.parquet", &arena, &object, &err));
    assert_int_equal(object.size, strlen("a new one"));
}

static void another_directory_put(void)
{
    assert_int_equal(renameat(base_fd, "lake/p", base_fd, "lake/q"), 0);
    assert_int_equal(mkdirat(base_fd, "lake/p", 0755), 0);
    test_file_write(base_fd, "lake/p/theirs.parquet", "t");
}

static void a_directory_that_was_replaced_is_left_alone(void **state)
{
    struct wishes wishes = plain;

    (void)state;
    act_at = "swap-synced";
    act = another_directory_put;
    assert_int_equal(put("one", "two", &wishes), LITH_E_CONFLICT);
    assert_string_equal(names("lake/p"), "theirs.parquet ");
    assert_string_equal(names("lake/q"), "a.parquet b.parquet c.parquet manifest.json ");
}

static void what_must_be_shown_is_there_or_nothing_happens(void **state)
{
    struct wishes wishes = plain;

    (void)state;
    wishes.misses = true;
    assert_int_equal(put("one", "two", &wishes), LITH_E_CORRUPT);
    assert_int_equal(lith_folder_show_check(folder, &wishes.base, &err), LITH_E_CORRUPT);
    wishes.base.must = false; /* then in place */
    MUST(put("one", "two", &wishes));
    assert_string_equal(names("lake/p"), "a.parquet b.parquet c.parquet manifest.json ");
}

/* Ends the process at each step in turn; what is left is the one state or the other. */
static void a_crash_at_any_step(void **state)
{
    bool committed = false;
    bool went_on = true;

    for (uint64_t step = 1; went_on; step++) {
        struct wishes wishes = with_output();
        int status;
        if (step > 1)
            assert_int_equal(setup(state), 0);
        pid_t child = fork();
        if (child == 0) {
            env.crash_at = env.steps + step;
            if (lith_folder_lock(folder, LITH_LOCK_TRY, &err) != LITH_OK)
                _exit(1);
            output_make("o.parquet");
            _exit(put("one", "two", &wishes) == LITH_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        went_on = WEXITSTATUS(status) == TEST_CRASHED;
        assert_true(went_on || WEXITSTATUS(status) == 0);
        bool is_new = strcmp(names("lake/p"), "c.parquet manifest.json o.parquet ") == 0;
        if (!is_new)
            assert_string_equal(names("lake/p"), "a.parquet b.parquet c.parquet manifest.json ");
        assert_true(is_new || !committed); /* and never back */
        committed = is_new;
        MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
        settle_and_tidy();
        if (is_new)
            assert_string_equal(names("stage/p"), "_held ");
        assert_string_equal(is_new ? names("stage/p/_held") : "a.parquet b.parquet ",
                            "a.parquet b.parquet ");
        /* The other one is where it was, whatever has been held for a while. */
        assert_int_equal(place_of("a.parquet"), is_new ? 'h' : 's');
        assert_int_equal(teardown(state), 0);
    }
    assert_true(committed);
    assert_int_equal(setup(state), 0);
}

/* Each allocation fails once: nothing is lost, and nothing stays that a settling does not end. */
static void memory_that_runs_out(void **state)
{
    bool failed = true;

    for (int64_t left = 0; failed; left++) {
        struct wishes wishes = plain;
        if (left > 0)
            assert_int_equal(setup(state), 0);
        MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
        mem.fail_after = left;
        enum lith_code code = put("one", "two", &wishes);
        failed = mem.fail_after < 0 && code != LITH_OK;
        mem.fail_after = -1;
        bool is_new = strcmp(names("lake/p"), "c.parquet manifest.json ") == 0;
        if (!is_new)
            assert_string_equal(names("lake/p"), "a.parquet b.parquet c.parquet manifest.json ");
        assert_true(is_new == (code == LITH_OK));
        settle_and_tidy();
        lith_folder_unlock(folder);
        if (!is_new)
            assert_string_equal(names("stage"), "_lithify_staging.json ");
        assert_int_equal(teardown(state), 0);
        assert_true(left < 10000);
    }
    assert_int_equal(setup(state), 0);
}

static void ledgers_come_back_whole_or_not_at_all(void **state)
{
    struct lith_ledger_entry entries[] = {
        {" b\n.parquet", 12, 3, -4, LITH_LEDGER_SHOWN},
        {"a.parquet", 7, UINT64_MAX, INT64_MAX, LITH_LEDGER_HELD},
        {"a.parquet", 6, 1, 2, LITH_LEDGER_CARRIED},
        {"manifest.json", 0, 0, 0, LITH_LEDGER_NEW},
    };
    struct lith_ledger ledger = {.old_inode = 99, .entries = entries, .count = 4};
    struct lith_ledger back;
    struct stat st;

    (void)state;
    lith_ledger_sort(&ledger);
    MUST(lith_ledger_write(&ledger, base_fd, "ledger", &mem, &err));
    MUST(lith_ledger_read(base_fd, "ledger", &arena, &back, &err));
    assert_int_equal(back.old_inode, 99);
    assert_int_equal(back.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(back.entries[i].name, ledger.entries[i].name);
        assert_int_equal(back.entries[i].inode, ledger.entries[i].inode);
        assert_int_equal(back.entries[i].size, ledger.entries[i].size);
        assert_int_equal(back.entries[i].mtime_ns, ledger.entries[i].mtime_ns);
        assert_int_equal(back.entries[i].kind, ledger.entries[i].kind);
    }
    assert_int_equal(lith_ledger_find(&back, "a.parquet", 6)->kind, LITH_LEDGER_CARRIED);
    assert_null(lith_ledger_find(&back, "a.parquet", 8));
    assert_int_equal(lith_ledger_find_inode(&back, 7)->kind, LITH_LEDGER_HELD);
    struct lith_file_info same = {.size = 1, .mtime_ns = 2, .inode = 1000};
    assert_int_equal(lith_ledger_find_same(&back, "a.parquet", &same)->inode, 6);
    same.size = 5;
    assert_null(lith_ledger_find_same(&back, "a.parquet", &same));
    /* Cut off anywhere it is none. */
    assert_int_equal(fstatat(base_fd, "ledger", &st, 0), 0);
    for (off_t bytes = st.st_size - 1; bytes >= 0; bytes--) {
        int fd = openat(base_fd, "ledger", O_RDWR | O_CLOEXEC);
        assert_int_equal(ftruncate(fd, bytes), 0);
        (void)close(fd);
        assert_int_equal(lith_ledger_read(base_fd, "ledger", &arena, &back, &err), LITH_E_CORRUPT);
    }
    test_file_write(base_fd, "ledger", "lithify swap 1 1 99999999999");
    assert_int_equal(lith_ledger_read(base_fd, "ledger", &arena, &back, &err), LITH_E_CORRUPT);
    assert_int_equal(lith_ledger_read(base_fd, "no", &arena, &back, &err), LITH_E_NOT_FOUND);
}

static void staging_lies_outside(void **state)
{
    char inside[160];
    const char *place;

    (void)state;
    MUST(lith_exchange_place(root, NULL, NULL, &arena, &place, &err));
    assert_non_null(strstr(place, "/lake.lithify"));
    MUST(lith_exchange_place(root, staging, NULL, &arena, &place, &err));
    assert_string_equal(place, staging);
    (void)snprintf(inside, sizeof(inside), "%s/../lake/x", staging);
    assert_int_equal(lith_exchange_place(root, inside, NULL, &arena, &place, &err), LITH_E_INVALID);
    assert_int_equal(lith_exchange_place(root, base_path, NULL, &arena, &place, &err),
                     LITH_E_INVALID);
    assert_int_equal(lith_exchange_place(root, "/", NULL, &arena, &place, &err), LITH_E_INVALID);
    assert_int_equal(lith_exchange_place(root, staging, staging, &arena, &place, &err),
                     LITH_E_INVALID);
    assert_int_equal(lith_exchange_place(root, "/none/there", NULL, &arena, &place, &err),
                     LITH_E_INVALID);
    /* A sibling whose name begins likewise is another directory. */
    (void)snprintf(inside, sizeof(inside), "%s2", root);
    MUST(lith_exchange_place(root, inside, NULL, &arena, &place, &err));
}

static void a_staging_directory_has_one_lake(void **state)
{
    struct lith_err why;

    (void)state;
    MUST(lith_exchange_claim(store, "0123", false, &err));
    assert_int_equal(lith_exchange_claim(store, "4567", false, &err), LITH_E_INVALID);
    MUST(lith_exchange_claim(store, "4567", true, &err));
    assert_int_equal(lith_exchange_claim(store, "0123", false, &err), LITH_E_INVALID);
    assert_int_equal(unlinkat(base_fd, "stage/_lithify_staging.json", 0), 0);
    test_file_write(base_fd, "stage/theirs", "x");
    assert_int_equal(lith_exchange_claim(store, "0123", true, &err), LITH_E_INVALID);
    assert_int_equal(lith_exchange_leave(staging, &env.base, &mem, &err), LITH_E_INVALID);
    assert_int_equal(unlinkat(base_fd, "stage/theirs", 0), 0);
    /* Without its mark nothing is held there any more. */
    MUST(lith_folder_lock(folder, LITH_LOCK_TRY, &err));
    struct wishes wishes = plain;
    assert_int_equal(put("one", "two", &wishes), LITH_E_DENIED);
    MUST(lith_exchange_leave(staging, &env.base, &mem, &err));
    MUST(lith_exchange_leave(staging, &env.base, &mem, &err));
    assert_int_equal(lith_exchange_prepare(store, false, &why), LITH_E_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_changes_nothing_is_put_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(a_swap_shows_and_hides, setup, teardown),
        cmocka_unit_test_setup_teardown(who_waits_for_the_old_lock_gets_the_new_directory, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_lock_goes_over, setup, teardown),
        cmocka_unit_test_setup_teardown(what_comes_into_the_old_directory_is_carried_over, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(another_manifest_is_a_conflict, setup, teardown),
        cmocka_unit_test_setup_teardown(what_others_do_meanwhile_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_replaced_meanwhile_is_looked_at_again, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_directory_that_was_replaced_is_left_alone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_must_be_shown_is_there_or_nothing_happens, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_crash_at_any_step, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_that_runs_out, setup, teardown),
        cmocka_unit_test_setup_teardown(ledgers_come_back_whole_or_not_at_all, setup, teardown),
        cmocka_unit_test_setup_teardown(staging_lies_outside, setup, teardown),
        cmocka_unit_test_setup_teardown(a_staging_directory_has_one_lake, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
