/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cgroups does a person want to see?
 */
#ifndef LLCCTL_VIEW_H
#define LLCCTL_VIEW_H

#include <stdbool.h>

#include "cgroup.h"

/**
 * struct view_row - a cgroup of a view
 * @prefer: what it states, NULL if it cannot be read
 * @tasks: threads in it and below
 * @decided: it, or a cgroup above, states something
 * @shown: it is decided, or one below it is, or all are shown
 */
struct view_row {
	char *prefer;
	long tasks;
	bool decided;
	bool shown;
};

/**
 * struct view - one cgroup that was asked for, and all below it
 * @list: the cgroups
 * @rows: one for each
 * @nr_files: how many have cpu.llc_prefer
 * @nr_stated: how many state something in it
 */
struct view {
	struct cgroup_list list;
	struct view_row *rows;
	size_t nr_files;
	size_t nr_stated;
};

/**
 * view_load() - read a cgroup and all below it
 * @all: show all of them
 * @v: view_free() it, even after an error
 *
 * Prints what went wrong.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_NO_KERNEL.
 */
int view_load(const struct cgroup_root *root, const char *path, bool all,
	      struct view *v);
void view_free(struct view *v);

#endif
