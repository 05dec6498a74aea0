/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which tasks of a cgroup can a preference not reach?
 */
#ifndef LLCCTL_TASKS_H
#define LLCCTL_TASKS_H

#include "cgroup.h"
#include "cpumask.h"

/**
 * struct survey - the tasks of a cgroup and of those below it
 * @tasks: threads
 * @bound: of these, those whose affinity has no CPU of the LLCs asked about
 * @allowed: the CPUs that the first of these may use
 * @not_fair: real-time, deadline and other tasks that are not fair-class
 * @first_bound, @first_not_fair: a thread id of each, to look at
 */
struct survey {
	long tasks;
	long bound;
	long first_bound;
	struct cpumask allowed;
	long not_fair;
	long first_not_fair;
};

/**
 * tasks_survey() - look at every task
 * @sysroot: where /proc is, "" for the running machine
 * @cpus: the LLCs asked about
 *
 * Tasks that end meanwhile, or that this process may not see, only count.
 * Cgroups below that state something of their own are left out.
 */
void tasks_survey(const struct cgroup_root *root, const char *path,
		  const char *sysroot, const struct cpumask *cpus,
		  struct survey *s);

#endif
