/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why has a preference no effect, or not its full one, and what would help?
 */
#ifndef LLCCTL_DIAGNOSE_H
#define LLCCTL_DIAGNOSE_H

#include <stdbool.h>

#include "cgroup.h"
#include "counters.h"
#include "effective.h"
#include "prefer.h"
#include "topology.h"

/**
 * struct diagnosis - the first reason that holds
 * @reason: the end of a sentence; NULL if there is none
 * @help: what would change it, as the end of a sentence; NULL if nothing is
 *	known
 * @lasting: it will not pass by itself
 */
struct diagnosis {
	char *reason;
	char *help;
	bool lasting;
};

/**
 * diagnose() - look for the reason
 * @path: of the cgroup
 * @eff: its cpu.llc_prefer.effective
 * @recent: what was counted of late, NULL if that is not known
 * @topo: the LLCs
 * @d: diagnosis_free() it
 *
 * The state that the kernel tells comes first; where that is "active", tasks
 * that cannot follow, then LLCs that are too small.
 */
void diagnose(const struct cgroup_root *root, const char *path,
	      const struct effective *eff, const struct counters *recent,
	      const struct topology *topo, struct diagnosis *d);
void diagnosis_free(struct diagnosis *d);

/**
 * report_state() - say on stderr why a value just written has no effect
 * @want: the value; `default` and `off` want nothing that a state could
 *	prevent
 *
 * A group that has just been written is idle, and nothing is said.
 */
void report_state(const struct cgroup_root *root, const char *path,
		  const struct prefer *want, const struct effective *eff,
		  const struct topology *topo);

#endif
