/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cache has it: private caches, one last-level cache (LLC) per group of
 * cores, and coherence between all of them, by physical line.
 *
 * A core has an L1 and an L2 data cache; L2 holds whatever L1 holds, and an LLC
 * whatever the private caches of its cores hold (real ones often do not, which
 * only moves some hits from the LLC to memory). Lines are replaced least
 * recently used first. Coherence is MESI: many may read a line, one core may
 * write it, and a directory knows which LLCs hold it. There are no prefetchers,
 * no instruction fetches, no page walks, and no contention.
 */
#ifndef TESTS_CACHESIM_MODEL_H
#define TESTS_CACHESIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_SHIFT	6
#define MAX_LLCS	64	/* the directory has a bit for each */
#define MAX_LLC_CORES	64	/* an LLC's line has a bit for each of its cores */

/* Where an access found what it wanted; a store also where others had it. */
enum where {
	HIT_L1,
	HIT_L2,
	HIT_LLC,	/* own LLC, no other core in the way */
	PEER,		/* own LLC, but another of its cores had to give it up */
	REMOTE_CLEAN,	/* another LLC has it, memory has the same */
	REMOTE_DIRTY,	/* another LLC has it newer than memory: a cache to cache transfer */
	REMOTE_UPGRADE,	/* a store to what this LLC has, and others too: they lose it */
	MEMORY,		/* no cache has it; memory of the core's own node */
	MEMORY_FAR,	/* the same of another node */
	WHERE_NR
};

extern const char * const where_names[WHERE_NR];

struct cache_geometry {
	unsigned int	sets;	/* a power of two */
	unsigned int	ways;
};

struct model_config {
	unsigned int		cpus;
	unsigned int		cpus_per_core;	/* hardware threads; numbered side by side */
	unsigned int		cpus_per_llc;
	unsigned int		nodes;		/* each has the same share of LLCs and of memory */
	uint64_t		memory;		/* bytes, from physical address 0 on */
	struct cache_geometry	l1, l2, llc;
};

struct model;

/*
 * Returns NULL, with a sentence in *error, if the machine is impossible or there
 * is no memory for it (8 bytes for a line of the guest's that is ever used).
 */
struct model *model_new(const struct model_config *config, const char **error);
void model_free(struct model *model);

/* One access within one line, by a CPU, at a physical address. */
enum where model_access(struct model *model, unsigned int cpu, uint64_t address, bool store);

/*
 * Checks what must always hold: every private line is in the LLC, which knows
 * who has it, the directory knows the LLC, and a writer is alone. Returns NULL,
 * or what does not hold. Slow; for tests.
 */
const char *model_check(const struct model *model);

#endif
