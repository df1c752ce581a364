/*
 * The audit series: a lake of its own, with a folder for each tenant and day.
 *
 * tenant_id=<encoded>/year=/month=/day=/<time>_<pid>_g<generation>_<commit id>.parquet. The name of
 * an event is a function of its commit, and is given once: who writes one twice finds it there.
 */
#ifndef LITH_AUDIT_SERIES_H
#define LITH_AUDIT_SERIES_H

#include <stdatomic.h>

#include "base/work.h"
#include "lake/manifest.h"

/* Folders of the series that a process remembers to have made, or seen made, durably: tenants of a
 * day, as far as their hashes differ. */
#define LITH_SERIES_MADE_MAX 256u

/* Where a series is. Its store's root need not be there yet. Shared by jobs of several threads. */
struct lith_series {
    struct lith_store *store;
    _Atomic uint64_t made[LITH_SERIES_MADE_MAX]; /* hashes of paths; 0: none */
};

/* Does the directory say of itself that it is a series? An empty one, and none, do not (yet);
 * INVALID where there are other things: nothing is read from there, or written to it. */
LITH_MUST_CHECK enum lith_code lith_series_find(const struct lith_series *series,
                                                const struct lith_work *work, bool *ret_found,
                                                struct lith_err *err);

/*
 * How long files that a day was merged from stay. While one is there nobody can put its event again
 * under that name. With locks whoever puts an event is alone, and readers' grace will do; without,
 * an event may land as late as a replay, and in other bytes than another one wrote for it.
 */
int64_t lith_series_grace_ns(const struct lith_store *store, int64_t reader_grace_ns,
                             int64_t replay_window_ns);

/* What names an event. Borrowed. */
struct lith_event_id {
    const char *tenant;
    const char *pid;
    uint64_t generation;
    const char *commit_id;
    int64_t at_ns;
};

/* The folder of that tenant and day, below the series' root. Tenants whose name would be too long
 * for a folder are cut, with a hash behind. */
LITH_MUST_CHECK enum lith_code lith_series_folder(const char *tenant, int64_t at_ns,
                                                  struct lith_arena *arena, const char **ret_path,
                                                  struct lith_err *err);
LITH_MUST_CHECK enum lith_code lith_event_name(const struct lith_event_id *id,
                                               struct lith_arena *arena, const char **ret_name,
                                               struct lith_err *err);

/*
 * One folder of the series, for as long as a job needs it: what was found out of it is kept.
 * Single-thread; zeroed: none.
 */
struct lith_series_day {
    struct lith_series *series;
    struct lith_arena arena;
    const char *path;
    struct lith_folder *folder; /* NULL: it is not there yet */
    bool is_synced;             /* what was found is durable */
    bool is_read;               /* `names` and `ids` are filled */
    const char **names;         /* sorted: events that were merged into other files */
    size_t name_count;
    const char **ids; /* sorted: of the commits in files of several events */
    size_t id_count;
};

/* Goes to the folder of the event, if it is not the one at hand. Writes nothing. */
LITH_MUST_CHECK enum lith_code lith_series_day_go(struct lith_series_day *day,
                                                  struct lith_series *series,
                                                  const struct lith_event_id *id,
                                                  const struct lith_work *work,
                                                  struct lith_err *err);
void lith_series_day_done(struct lith_series_day *day);

/*
 * Is the event in the series? Asks for its name; where that is not there, looks into what the
 * folder's events were merged to. CORRUPT and others: it is not known.
 */
LITH_MUST_CHECK enum lith_code lith_series_day_has(struct lith_series_day *day,
                                                   const struct lith_event_id *id,
                                                   const struct lith_work *work, bool *ret_has,
                                                   struct lith_err *err);

/* What has_ found outlives a crash from then on, also where it was put by a program that was killed
 * before it came to that. */
LITH_MUST_CHECK enum lith_code lith_series_day_sync(struct lith_series_day *day,
                                                    struct lith_err *err);

/* Puts the event, durably; one that is there already stays as it is. INVALID: the root holds other
 * things, see lith_series_find. DENIED, IO, TRANSIENT: it may be there or not. */
LITH_MUST_CHECK enum lith_code lith_series_day_put(struct lith_series_day *day,
                                                   const struct lith_event_id *id,
                                                   const struct lith_event *event,
                                                   const struct lith_work *work,
                                                   struct lith_err *err);

#endif
