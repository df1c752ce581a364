/*
 * Guards by their names (base/guard.h), taken out before anything else happens.
 */
#ifndef LITH_TESTS_SIM_GUARDS_H
#define LITH_TESTS_SIM_GUARDS_H

/* Takes out the guards of a list with commas, which it cuts up. Ends the program where a name is
 * none, or where this build keeps its guards. */
void sim_guards_take_out(char *names);

#endif
