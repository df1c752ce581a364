/*
 * Memory of actors: what one took while it lived is given back at once when it dies.
 *
 * An actor that crashes leaves its stack in the middle of a call, and nobody frees what it holds.
 * So malloc of this program is replaced (-Wl,--wrap): inside an actor it takes from the actor's own
 * region, front to back; free does nothing there. Outside of actors it is the C library's.
 */
#ifndef LITH_TESTS_SIM_HEAP_H
#define LITH_TESTS_SIM_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct sim_heap {
    uint8_t *data;
    size_t bytes; /* taken */
};

/* A region of its own; it stays with the process. */
void sim_heap_init(struct sim_heap *heap);

/* From now on memory comes from there; NULL: from the C library. Returns what it was before. */
struct sim_heap *sim_heap_use(struct sim_heap *heap);

/* Everything that came from it is gone. */
void sim_heap_reset(struct sim_heap *heap);

/* Cleared memory of the heap, whichever is in use. */
void *sim_heap_take(struct sim_heap *heap, size_t bytes);

/* jansson takes its memory from the same heaps. */
void sim_heap_begin(void);

#endif
