/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_SCHED_LLC_PREFER_POLICY_H
#define _KERNEL_SCHED_LLC_PREFER_POLICY_H

#include <linux/sched/llc_prefer.h>
#include <linux/types.h>

/**
 * struct llc_load - what a group knows of one LLC
 * @capacity: CPUs there that its members may use
 * @own: CPUs' worth of recent run time of the group there
 * @others: CPUs that somebody else runs on, or that were promised to a group that
 *	 chose the LLC a moment ago
 * @nid: its node
 * @stamp: the last scan that looked at each of its CPUs
 * @usage: run time of the group there as of that scan, in nsec
 * @recent: recent run time, in nsec, of which @own is made
 *
 * The first three in %SCHED_CAPACITY_SCALE, which stands for one CPU. The policy
 * ignores the last three.
 */
struct llc_load {
	unsigned long	capacity;
	unsigned long	own;
	unsigned long	others;
	int		nid;
	unsigned int	stamp;
	u64		usage;
	u64		recent;
};

/**
 * struct llc_demand - what a group asks for, in %SCHED_CAPACITY_SCALE a CPU
 * @running: members that run at a time
 * @waiting: members that wait, on its LLCs, for other members
 * @excess: members that run at a time beyond what its LLCs would hold without the
 *	 smallest of them
 *
 * All are averages. A group whose tasks sleep now and then has some of the last two
 * even if @running would fit.
 */
struct llc_demand {
	unsigned long	running;
	unsigned long	waiting;
	unsigned long	excess;
};

unsigned long llc_prefer_average(unsigned long avg, unsigned long sample);
unsigned int llc_prefer_patience(enum llc_prefer_reason reason);
enum llc_prefer_reason llc_prefer_lean(const struct llc_load *load, unsigned int nr,
				       const unsigned long *cur,
				       const struct llc_demand *demand,
				       unsigned long total);
enum llc_prefer_reason llc_prefer_pick(const struct llc_load *load, unsigned int nr,
				       const unsigned long *allowed,
				       const unsigned long *cur,
				       const struct llc_demand *demand,
				       enum llc_prefer_reason lean, unsigned long *next);

#endif /* _KERNEL_SCHED_LLC_PREFER_POLICY_H */
