/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On which LLC do the tasks of a cgroup run?
 *
 * The kernel counts run time by LLC for nobody: cpu.llc_prefer.stat tells the part
 * on the preferred ones, and only where something is stated. So it is sampled: what
 * a task ran since the last look is charged to the LLC of the CPU that it ran on
 * last. A task that changed its LLC between two looks is charged to one of them;
 * one that began and ended between them is not seen at all.
 */
#ifndef LLCCTL_LLCTIME_H
#define LLCCTL_LLCTIME_H

#include "cgroup.h"
#include "topology.h"

/**
 * struct llctime - the tasks of a cgroup, and what they did
 * @ran: their run time by LLC, in the order of the topology, in nsec; the last is
 *	for CPUs that are in none
 * @waited: how long they waited for a CPU while they could have run, in nsec
 * @moves: how often a task was seen on another LLC than before
 * @tasks: how many there were at the last look
 *
 * The rest is private.
 */
struct llctime {
	unsigned long long *ran;
	unsigned long long waited;
	unsigned long long moves;
	size_t tasks;

	const struct topology *topo;
	struct llctime_task *known;
	size_t nr_known, size;
	unsigned int look;
	const char *sysroot;
};

/**
 * llctime_start() - begin with nothing
 * @sysroot: where /proc is, "" for the running machine
 * @topo: the LLCs; must stay
 */
void llctime_start(struct llctime *time, const char *sysroot,
		   const struct topology *topo);
void llctime_end(struct llctime *time);

/**
 * llctime_look() - charge what the tasks did since the last look
 * @path: of the cgroup; the same each time
 * @below: the tasks of the cgroups below it as well
 *
 * The first look at a task only notes where it stands. Costs two small files of
 * /proc for each task.
 *
 * Return: 0; a negative errno if the cgroup cannot be read; -ENOSYS if the kernel
 * does not tell how long tasks run and wait (/proc/PID/schedstat).
 */
int llctime_look(struct llctime *time, const struct cgroup_root *root,
		 const char *path, bool below);

/* Forget what was charged, but not where the tasks stand. */
void llctime_zero(struct llctime *time);

/* The run time on all LLCs, in nsec. */
unsigned long long llctime_total(const struct llctime *time);

#endif
