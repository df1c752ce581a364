/*
 * Tries schedules, seed by seed, in as many processes as there are processors.
 *
 * sim [--seeds N] [--first SEED] [--jobs N] [--failures N] [--real | --same]
 *     [--without GUARD[,GUARD...]]
 * sim --tell SEED [--real] [--without GUARD[,GUARD...]]
 * sim --cases [--without GUARD[,GUARD...]]
 *
 * --tell runs one seed and prints its history. --real has files of Parquet in each. --same runs
 * each seed with manifests of JSON and without, and fails where that makes a difference. --without
 * takes guards out (base/guard.h), in builds that can: then a failure is what is wanted.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim_case.h"
#include "sim_guards.h"
#include "sim_schedule.h"

/* A process takes so many seeds at a time, and ends: what libraries kept of the dead goes too. */
#define BATCH_SEEDS 2000u
/* After so many it says how far it is. */
#define TOLD_SEEDS 50000u
#define JOBS_MAX 64u

struct options {
    uint64_t seeds;
    uint64_t first;
    uint32_t jobs;
    uint64_t failures; /* after so many it ends */
    bool tells;
    bool cases;
    bool same;
    bool real;
};

/* What the processes share. */
struct board {
    _Atomic uint64_t next; /* seed, counted from the first */
    _Atomic uint64_t failed;
    struct sim_tally tallies[JOBS_MAX];
};

/* All of it must be digits: a typo would try nothing, and find nothing. */
static uint64_t number_take(const char *text)
{
    char *end;

    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno) {
        (void)fprintf(stderr, "sim: \"%s\" is no number\n", text);
        exit(2);
    }
    return number;
}

static struct options options_take(int argc, char **argv)
{
    static const struct option names[] = {
        {"seeds", required_argument, NULL, 's'},    {"first", required_argument, NULL, 'f'},
        {"jobs", required_argument, NULL, 'j'},     {"tell", required_argument, NULL, 't'},
        {"failures", required_argument, NULL, 'x'}, {"cases", no_argument, NULL, 'c'},
        {"without", required_argument, NULL, 'w'},  {"same", no_argument, NULL, 'e'},
        {"real", no_argument, NULL, 'r'},           {NULL, 0, NULL, 0}};
    struct options options = {.seeds = 1000, .first = 1, .jobs = 2, .failures = 10};
    int name;

    while ((name = getopt_long(argc, argv, "", names, NULL)) != -1) {
        uint64_t number = optarg && name != 'w' ? number_take(optarg) : 0;
        if (name == 's')
            options.seeds = number;
        else if (name == 'f')
            options.first = number;
        else if (name == 'j' && number > 0 && number <= JOBS_MAX)
            options.jobs = (uint32_t)number;
        else if (name == 'w')
            sim_guards_take_out(optarg);
        else if (name == 't')
            options = (struct options){.seeds = 1,
                                       .first = number,
                                       .jobs = 1,
                                       .failures = 1,
                                       .tells = true,
                                       .real = options.real};
        else if (name == 'r')
            options.real = true;
        else if (name == 'e')
            options.same = true;
        else if (name == 'c')
            options.cases = true;
        else if (name == 'x')
            options.failures = number;
        else
            exit(2);
    }
    if (options.seeds == 0 || optind < argc) {
        (void)fprintf(stderr, "sim: nothing to try, or words that are no options\n");
        exit(2);
    }
    return options;
}

/* One seed with manifests of JSON, and without: the same effects at the same times. */
static bool same_run(struct sim_world *world, uint64_t seed, struct sim_tally *tally)
{
    struct sim_tally ignored = {0};

    world->plain = SIM_PLAIN_ALL;
    bool is_good = sim_schedule_run(world, seed, &ignored);
    uint64_t digest = world->digest;
    world->plain = SIM_PLAIN_NONE;
    if (!is_good || !sim_schedule_run(world, seed, tally))
        return false;
    if (world->digest != digest)
        (void)snprintf(world->failure, sizeof(world->failure),
                       "another schedule with manifests of JSON than without");
    return world->digest == digest;
}

static int batch_run(const struct options *options, struct board *board, struct sim_tally *tally)
{
    static struct sim_world world;
    uint64_t begin = atomic_fetch_add(&board->next, BATCH_SEEDS);

    if (begin && begin % TOLD_SEEDS == 0)
        (void)fprintf(stderr, "%" PRIu64 " seeds, %" PRIu64 " failed\n", begin,
                      atomic_load(&board->failed));
    sim_heap_begin();
    sim_world_init(&world);
    world.is_told = options->tells;
    world.all_real = options->real;
    for (uint64_t i = begin; i < begin + BATCH_SEEDS && i < options->seeds &&
                             atomic_load(&board->failed) < options->failures;
         i++) {
        uint64_t seed = options->first + i;
        bool is_good =
            options->same ? same_run(&world, seed, tally) : sim_schedule_run(&world, seed, tally);
        if (is_good)
            continue;
        (void)printf("seed %" PRIu64 ": %s\n", seed, world.failure);
        (void)fflush(stdout);
        if (atomic_fetch_add(&board->failed, 1) + 1 >= options->failures)
            return 1;
    }
    return 0;
}

/* One process after another, each with a batch. */
static void job_run(const struct options *options, struct board *board, struct sim_tally *tally)
{
    while (atomic_load(&board->next) < options->seeds &&
           atomic_load(&board->failed) < options->failures) {
        pid_t pid = fork();
        int status = 0;
        if (pid == 0) {
            status = batch_run(options, board, tally);
            (void)fflush(stdout); /* what the schedules have told */
            _exit(status);
        }
        if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status)) {
            atomic_fetch_add(&board->failed, 1);
            (void)printf("a batch before seed %" PRIu64 " ended with status %d\n",
                         options->first + atomic_load(&board->next), status);
        }
    }
    (void)fflush(stdout);
}

static double seconds_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int cases_run(void)
{
    static struct sim_world world;

    sim_heap_begin();
    sim_world_init(&world);
    return sim_cases_run(&world) ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct options options = options_take(argc, argv);
    struct board *board =
        mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct sim_tally sum = {0};
    double begin = seconds_now();

    if (board == MAP_FAILED)
        return 1;
    if (options.cases)
        return cases_run();
    for (uint32_t i = 0; i < options.jobs; i++) {
        if (fork() == 0) {
            job_run(&options, board, &board->tallies[i]);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    for (uint32_t i = 0; i < options.jobs; i++)
        sim_tally_add(&sum, &board->tallies[i]);
    sim_tally_print(&sum);
    uint64_t failed = atomic_load(&board->failed);
    (void)printf("%" PRIu64 " schedules, seeds from %" PRIu64 " on, %" PRIu64
                 " effects, %.1f s: %" PRIu64 " failed\n",
                 sum.schedules, options.first, sum.effects, seconds_now() - begin, failed);
    /* A process that was killed leaves schedules out. */
    bool is_whole = failed || sum.schedules == options.seeds;
    if (!is_whole)
        (void)printf("of %" PRIu64 " that were asked for\n", options.seeds);
    (void)printf("%s 1 - schedules (P2, P3, P6, P8, P10, RFC0009.3, RFC0009.4)\n",
                 failed || !is_whole ? "not ok" : "ok");
    return failed || !is_whole ? 1 : 0;
}
