/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cgroup decides for the tasks of another, and within which bounds?
 *
 * This goes up, from name to name. cgroup_walk() goes down, and says why
 * libcgroup does not do it.
 */
#ifndef LLCCTL_HIERARCHY_H
#define LLCCTL_HIERARCHY_H

#include "cgroup.h"

/**
 * hierarchy_parent() - cut the last name off a path
 * @path: edited; "a/b" becomes "a", "a" becomes ""
 *
 * Return: false if it was "" already.
 */
bool hierarchy_parent(char *path);

/**
 * struct statement - what a cgroup says
 * @path: of the cgroup, NULL if there is none
 * @value: the text of its cpu.llc_prefer
 */
struct statement {
	char *path;
	char *value;
};

/**
 * hierarchy_decider() - the nearest cgroup that states something
 * @path: where to begin: this cgroup, then up to the mount's top
 * @by: set to what was found; statement_free() it
 *
 * What lies above the mount's top, in a container, is not seen.
 *
 * Return: 0, also if nobody states anything; else the negative errno of
 * reading the file of the cgroup itself.
 */
int hierarchy_decider(const struct cgroup_root *root, const char *path,
		      struct statement *by);

/**
 * hierarchy_bound() - the nearest cgroup whose list confines another
 * @path: where to begin: above this cgroup
 * @by: set to what was found; statement_free() it
 *
 * A list, or a group with a list, confines the groups and lists below it.
 */
void hierarchy_bound(const struct cgroup_root *root, const char *path,
		     struct statement *by);

void statement_free(struct statement *s);

#endif
