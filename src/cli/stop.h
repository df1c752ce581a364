/*
 * The wish to stop: SIGINT and SIGTERM set a flag that long calls look at.
 */
#ifndef LITH_CLI_STOP_H
#define LITH_CLI_STOP_H

#include <signal.h>

/* Takes the signals: the first asks to stop cleanly, a second one kills as usual. SIGPIPE is
 * ignored: a reader of results that goes away must not stop a commit. */
void lith_stop_listen(void);

/* Non-zero once a signal came; for lith_control.cancel. */
extern volatile sig_atomic_t lith_stop_flag;

#endif
