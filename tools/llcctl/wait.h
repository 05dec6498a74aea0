/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Has a preference been reached, and if not, why?
 */
#ifndef LLCCTL_WAIT_H
#define LLCCTL_WAIT_H

#include "cgroup.h"
#include "topology.h"

/* Reached: this share of the run time, per cent, over WAIT_WINDOW_MS. */
#define WAIT_RESIDENCY	90
#define WAIT_WINDOW_MS	500

/**
 * struct waited - what came of waiting
 * @residency: of the last window, per cent; negative if nothing ran
 * @ms: how long it took
 */
struct waited {
	double residency;
	long ms;
};

/**
 * wait_residency() - wait until the tasks run where they should
 * @path: of the cgroup, which has cpu.llc_prefer.stat
 * @seconds: how long at most
 * @topo: the LLCs, to name them
 * @w: what was seen
 *
 * Ends at once where a reason holds that will not pass by itself. Prints why
 * it was not reached.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int wait_residency(const struct cgroup_root *root, const char *path,
		   double seconds, const struct topology *topo,
		   struct waited *w);

/* Milliseconds of a clock that only goes forward. */
long now_ms(void);

/* Sleep for so long, signals or not. */
void sleep_ms(long ms);

/**
 * parse_seconds() - a number of seconds, as "10", "0.5", "2s" or "100ms"
 *
 * Return: false if it is none, or not above 0.
 */
bool parse_seconds(const char *text, double *seconds);

#endif
