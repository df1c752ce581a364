/*
 * The progress bar.
 *
 * Of named files the bytes to come are known: bar, share, rate and time left. A pass over a lake
 * finds its work as it goes: it shows how many partitions and bytes are done, and the rate.
 */
#include "cli/meter.h"

#include <inttypes.h>

#include "base/env.h"
#include "cli/print.h"

/* Ten times a second is smooth, and costs nothing. */
#define REDRAW_NS (LITH_SECOND_NS / 10)
#define BAR_COLUMNS 24u

enum lith_code lith_meter_init(struct lith_meter *meter, bool on, struct lith_mem *mem,
                               struct lith_err *err)
{
    *meter = (struct lith_meter){.on = on && lith_print_is_terminal(stderr),
                                 .utf8 = lith_print_is_utf8()};
    meter->start_ns = lith_env_system()->monotonic_ns(lith_env_system());
    return meter->on ? lith_lock_new(mem, &meter->lock, err) : LITH_OK;
}

static void wipe(struct lith_meter *meter)
{
    if (meter->drawn)
        (void)fputs("\r\x1b[2K", stderr);
    (void)fflush(stderr);
    meter->drawn = false;
}

void lith_meter_done(struct lith_meter *meter)
{
    wipe(meter);
    if (meter->lock)
        lith_lock_free(meter->lock);
    *meter = (struct lith_meter){0};
}

static void draw_bar(const struct lith_meter *meter, uint64_t done, uint64_t total)
{
    unsigned full = (unsigned)((double)done / (double)total * BAR_COLUMNS);

    (void)fputc(meter->utf8 ? ' ' : '[', stderr);
    for (unsigned i = 0; i < BAR_COLUMNS; i++) {
        bool is_full = i < full;
        if (meter->utf8)
            (void)fputs(is_full ? "\u2588" : "\u2591", stderr);
        else
            (void)fputc(is_full ? '#' : '.', stderr);
    }
    (void)fputc(meter->utf8 ? ' ' : ']', stderr);
}

static void draw(struct lith_meter *meter, int64_t now_ns)
{
    double seconds = (double)(now_ns - meter->start_ns) / (double)LITH_SECOND_NS;
    uint64_t done = meter->now.bytes_done;
    uint64_t total = meter->now.bytes_total;
    const char *phase = meter->now.phase ? meter->now.phase : "look";

    if (meter->counts_partitions)
        done += meter->bytes_before;
    double rate = seconds > 0 ? (double)done / seconds : 0;
    wipe(meter);
    meter->drawn = true;
    if (meter->counts_partitions) {
        (void)fprintf(stderr, "%s  %" PRIu64 " partition%s done  %s  %s/s", phase,
                      meter->partitions, LITH_PLURAL(meter->partitions), lith_print_size(done),
                      lith_print_size((uint64_t)rate));
    } else {
        (void)fprintf(stderr, "%s ", phase);
        if (total) {
            done = done < total ? done : total;
            draw_bar(meter, done, total);
            (void)fprintf(stderr, " %3u %%  %s of %s",
                          (unsigned)((double)done * 100 / (double)total), lith_print_size(done),
                          lith_print_size(total));
        } else {
            (void)fprintf(stderr, " %s", lith_print_size(done));
        }
        (void)fprintf(stderr, "  %s/s", lith_print_size((uint64_t)rate));
        if (total && rate > 0)
            (void)fprintf(stderr, "  %.0f s left", (double)(total - done) / rate);
    }
    (void)fflush(stderr);
}

/* Under the lock: the buffers of lith_print_size are shared. */
static void redraw(struct lith_meter *meter)
{
    int64_t now_ns = lith_env_system()->monotonic_ns(lith_env_system());

    if (meter->drawn && now_ns - meter->last_ns < REDRAW_NS)
        return;
    meter->last_ns = now_ns;
    draw(meter, now_ns);
}

void lith_meter_progress(void *ctx, const struct lith_progress *progress)
{
    struct lith_meter *meter = ctx;

    if (!meter->on)
        return;
    lith_lock_take(meter->lock);
    meter->now = *progress;
    redraw(meter);
    lith_lock_give(meter->lock);
}

void lith_meter_partition(struct lith_meter *meter, uint64_t bytes)
{
    if (!meter->on)
        return;
    lith_lock_take(meter->lock);
    meter->partitions++;
    meter->bytes_before += bytes;
    meter->now = (struct lith_progress){.phase = meter->now.phase};
    redraw(meter);
    lith_lock_give(meter->lock);
}

void lith_meter_wipe(struct lith_meter *meter)
{
    if (!meter->on)
        return;
    lith_lock_take(meter->lock);
    wipe(meter);
    lith_lock_give(meter->lock);
}
