/*
 * Manifests without their JSON.
 *
 * Writing and parsing JSON would take nine tenths of a schedule's time, and the protocol does not
 * depend on it. So the library's writer and parser are replaced (-Wl,--wrap): a manifest is stored
 * as the hash of everything in it, and who reads that hash is given tables of his own with the same
 * contents. One schedule of SIM_PLAIN_SHARE has the JSON; `sim --same` shows that it makes no
 * difference: with and without, a seed is the same schedule, effect by effect.
 */
#ifndef LITH_TESTS_SIM_CODEC_H
#define LITH_TESTS_SIM_CODEC_H

#include "lake/manifest.h"
#include "sim_world.h"

#define SIM_PLAIN_SHARE 100u

/* A schedule begins; what was stored in another one is gone with its world. */
void sim_codec_begin(struct sim_world *world);

/* What such a text stands for; NULL: it is none. */
const struct lith_manifest *sim_codec_find(const void *data, size_t bytes);

#endif
