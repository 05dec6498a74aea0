/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was seen of a cgroup in some stretches of time, and how do two values of its
 * preference compare?
 */
#ifndef LLCCTL_EVIDENCE_H
#define LLCCTL_EVIDENCE_H

#include <stdbool.h>

#include "cachemiss.h"
#include "cgroup.h"
#include "llctime.h"
#include "stats.h"
#include "topology.h"

enum metric {
	METRIC_BUSIEST,		/* share of run time on the LLC with most of it, % */
	METRIC_PREFERRED,	/* the same on the preferred LLCs, as the kernel counts */
	METRIC_LLCS,		/* LLCs with at least a hundredth of it */
	METRIC_CPUS,		/* run time by time: CPUs used */
	METRIC_WAITED,		/* time that tasks waited for a CPU, by run time, % */
	METRIC_MOVES,		/* tasks seen on another LLC, a second */
	METRIC_BALANCED,	/* moves on and off the preferred LLCs, a second */
	METRIC_SPILLS,		/* tasks that left them as they were full, a second */
	METRIC_IPC,		/* instructions a cycle */
	METRIC_MISSES,		/* LLC misses by 1000 instructions */
	METRIC_REMOTE,		/* fetches from other nodes by 1000 instructions */
	METRIC_NR,
};

extern const struct metric_text {
	const char *name;
	const char *unit;
} metric_text[METRIC_NR];

/* The most windows of one value; two values make STATS_MAX. */
#define WINDOWS_MAX	(STATS_MAX / 2)
/* With fewer no difference can be told from noise. */
#define WINDOWS_MIN	5
/* Below this p value a difference is more than noise. */
#define EVIDENCE_P	0.01

/**
 * struct evidence - what was seen with one value
 * @nr: windows
 * @values: by metric and window; NAN where it is not known
 * @shares: the share of run time by LLC, in all windows together, per cent
 * @tasks: the most that were seen
 * @usage, @sampled: run time in all, as the kernel counts it and as it was sampled,
 *	in nsec; their quotient tells how much of it the samples explain
 */
struct evidence {
	size_t nr;
	double values[METRIC_NR][WINDOWS_MAX];
	double *shares;
	size_t tasks;
	double usage, sampled;
};

/**
 * struct watch - how a cgroup is watched
 * @root, @path: the cgroup
 * @time: where its tasks run
 * @misses: what is counted of caches
 * @interrupted: set by a signal handler: stop, whatever it is
 */
struct watch {
	const struct cgroup_root *root;
	const char *path;
	struct llctime time;
	struct cachemiss misses;
	const volatile int *interrupted;
};

/**
 * evidence_watch() - watch the cgroup for one window
 * @seconds: how long
 * @e: the window is added; of zeroes at first. evidence_free() it.
 *
 * Return: 0; -EINTR if interrupted, and then nothing is added; another negative
 * errno if the cgroup cannot be read, or as llctime_look() does.
 */
int evidence_watch(struct watch *w, double seconds, struct evidence *e);
void evidence_free(struct evidence *e);

/**
 * struct comparison - one metric with two values
 * @old, @new: the medians; NAN where it is not known
 * @old_min, @old_max, @new_min, @new_max: the ranges
 * @p: as stats_rank_test() has it; NAN if one of the two is not known
 * @more, @less: it is higher or lower with the new value, beyond noise
 */
struct comparison {
	double old, new, p;
	double old_min, old_max, new_min, new_max;
	bool more, less;
};

/* @new may have no windows. */
void evidence_compare(const struct evidence *old, const struct evidence *new,
		      enum metric metric, struct comparison *c);

#endif
