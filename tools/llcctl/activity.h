/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do many cgroups do from one moment to the next?
 */
#ifndef LLCCTL_ACTIVITY_H
#define LLCCTL_ACTIVITY_H

#include <time.h>

#include "counters.h"
#include "llctime.h"
#include "view.h"

/**
 * struct doing - what a cgroup, and those below it, did in an interval
 * @shares: of run time by LLC, per cent, in the order of the topology; NAN if it
 *	was not seen running, or was not looked at
 * @cpus: run time by time
 * @home: share of run time on the preferred LLCs, per cent
 * @spills, @moves: tasks that left these as they were full, and moves onto and off
 *	them by load balancing, a second
 *
 * NAN is: not known.
 */
struct doing {
	double *shares;
	double cpus, home, spills, moves;
};

/**
 * struct activity - cgroups that are watched
 * @doing: what each did, in the order of the view that was taken last
 *
 * The rest is private.
 */
struct activity {
	struct doing *doing;

	const struct cgroup_root *root;
	const struct topology *topo;
	const char *sysroot;
	void *tree;			/* of struct watched, by path */
	struct watched **all;
	size_t nr, nr_doing;
	unsigned int generation;
	struct timespec at;
};

void activity_start(struct activity *a, const struct cgroup_root *root,
		    const char *sysroot, const struct topology *topo);
void activity_end(struct activity *a);

/**
 * activity_look() - see where tasks run
 * @view: the cgroups; those that are not shown, or that nobody decides for, are
 *	left out unless @all
 *
 * The more often in an interval, the better is known where a task ran that moves.
 * Costs a file of each cgroup and two of each task. Cgroups that vanished are
 * forgotten.
 */
void activity_look(struct activity *a, const struct view *view, bool all);

/**
 * activity_take() - end an interval, and begin the next
 * @view: as in the last activity_look()
 *
 * Fills in @doing, of which there are as many as cgroups in @view.
 *
 * Return: its length in seconds; 0 for the first, of which nothing is known.
 */
double activity_take(struct activity *a, const struct view *view);

#endif
