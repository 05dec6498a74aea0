/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do the caches do for the tasks of a cgroup, where the machine counts it?
 */
#ifndef LLCCTL_CACHEMISS_H
#define LLCCTL_CACHEMISS_H

#include <stdbool.h>

#include "cgroup.h"
#include "cpumask.h"

enum cachemiss_event {
	CACHEMISS_INSTRUCTIONS,
	CACHEMISS_CYCLES,
	CACHEMISS_LLC,		/* reads that missed the last-level cache */
	CACHEMISS_NODE,		/* reads that another node's memory served */
	CACHEMISS_NR,
};

/**
 * struct cachemiss - counters of perf events, a set on each CPU
 * @fds: CACHEMISS_NR for each CPU, -1 for an event that there is not
 * @nr_cpus: how many sets
 * @has: which events are counted
 */
struct cachemiss {
	int *fds;
	size_t nr_cpus;
	bool has[CACHEMISS_NR];
};

/**
 * cachemiss_open() - begin to count
 * @path: of the cgroup; what runs below it counts as well
 * @online: the CPUs to count on
 * @why: set to the reason if something is not counted, also where others are;
 *	empty if all are
 *
 * Return: 0 if instructions at least are counted, else a negative errno.
 */
int cachemiss_open(struct cachemiss *c, const struct cgroup_root *root,
		   const char *path, const struct cpumask *online,
		   struct why *why);

/**
 * cachemiss_read() - what was counted since cachemiss_open()
 * @counts: by event; those that shared a hardware counter in turns are scaled to
 *	the whole time
 */
void cachemiss_read(const struct cachemiss *c,
		    unsigned long long counts[CACHEMISS_NR]);
void cachemiss_close(struct cachemiss *c);

#endif
