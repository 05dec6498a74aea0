/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How is a plan, or what came of it, shown to a person and to a program?
 */
#ifndef LLCCTL_CHANGES_H
#define LLCCTL_CHANGES_H

#include "cgroup.h"
#include "plan.h"
#include "topology.h"

/**
 * changes_diff() - what would be changed, as a diff by cgroup
 * @to: what it would become: the name of a rules file
 */
void changes_diff(const struct plan *plan, const char *to,
		  const struct topology *topo);

/* Lines for the steps that were written: what is stated, in force, and was. */
void changes_done(const struct plan *plan, const struct cgroup_root *root,
		  const struct topology *topo);

/**
 * changes_json() - all steps as JSON
 * @name: of the array
 * @plans, @nr: one after the other; of the second and later ones only
 *	the steps that are STEP_GONE or STEP_OTHER
 */
void changes_json(const char *name, const struct plan *const *plans,
		  size_t nr);

#endif
