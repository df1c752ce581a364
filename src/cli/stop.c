/*
 * The wish to stop.
 */
#include "cli/stop.h"

#include <stddef.h>

volatile sig_atomic_t lith_stop_flag;

static void stop_ask(int number)
{
    (void)number;
    lith_stop_flag = 1;
}

void lith_stop_listen(void)
{
    struct sigaction ask = {.sa_handler = stop_ask, .sa_flags = (int)SA_RESETHAND};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction hangup;

    (void)sigaction(SIGINT, &ask, NULL);
    (void)sigaction(SIGTERM, &ask, NULL);
    /* A terminal that goes away asks to stop too, unless nohup said otherwise. */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        (void)sigaction(SIGHUP, &ask, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
}
