/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What does cpu.llc_prefer.stat count?
 */
#ifndef LLCCTL_COUNTERS_H
#define LLCCTL_COUNTERS_H

#include "cgroup.h"

/**
 * struct counters - the file, since the preference that decides was written
 * @usage_usec: CPU time of the tasks
 * @preferred_usec: the part of it on a preferred LLC
 * @nr_wakeups: of these tasks
 * @nr_wakeups_steered: sent to a preferred LLC
 * @nr_forks_steered: forks and execs placed on a preferred LLC
 * @nr_migrations_in, @nr_migrations_out: moves by the load balancer onto and
 *	off the preferred LLCs
 * @nr_spills: a task left the preferred LLCs because they were full
 * @nr_moves: changes of a group's choice; the first choice is one
 * @nr_llcs: LLCs in the set now
 *
 * They belong to the cgroup that decides, and read the same in all cgroups
 * below it that state nothing. All are 0 where nobody decides.
 */
struct counters {
	unsigned long long usage_usec;
	unsigned long long preferred_usec;
	unsigned long long nr_wakeups;
	unsigned long long nr_wakeups_steered;
	unsigned long long nr_forks_steered;
	unsigned long long nr_migrations_in;
	unsigned long long nr_migrations_out;
	unsigned long long nr_spills;
	unsigned long long nr_moves;
	unsigned long long nr_llcs;
};

/* Take the text of the file apart. Keys that are not known are skipped. */
void counters_parse(const char *text, struct counters *c);

/* Read the file. Return: 0, or a negative errno; -ENOENT: an older kernel. */
int counters_read(const struct cgroup_root *root, const char *path,
		  struct counters *c);

/**
 * counters_since() - what has happened since an earlier look
 * @now: turned into the difference; nr_llcs stays
 * @then: the earlier look
 *
 * A preference written meanwhile starts at 0; then @now is left as it is.
 */
void counters_since(struct counters *now, const struct counters *then);

/**
 * counters_residency() - the share of run time on the preferred LLCs
 *
 * Return: per cent; negative if the tasks have not run.
 */
double counters_residency(const struct counters *c);

/* What to say where the kernel lacks the file. */
#define NO_COUNTERS_TEXT						\
	"this kernel has no " FILE_STAT ", so residency, spills and moves are not known"

#endif
