/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do all cgroups state, and how is one of them written to, and no other
 * that has come in its place?
 */
#ifndef LLCCTL_STATED_H
#define LLCCTL_STATED_H

#include "cgroup.h"
#include "plan.h"

/**
 * struct stated_list - a cgroup and all below it
 * @list: parents before their children
 * @all: what each of them states
 * @nr_files: how many have cpu.llc_prefer
 */
struct stated_list {
	struct cgroup_list list;
	struct stated *all;
	size_t nr_files;
};

/**
 * stated_load() - read what a cgroup and all below it state
 * @path: of the cgroup
 * @l: stated_free() it in any case
 *
 * Prints what went wrong; that no cgroup has the file is an error, unless the
 * root is the only one.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_NO_KERNEL.
 */
int stated_load(const struct cgroup_root *root, const char *path,
		struct stated_list *l);
void stated_free(struct stated_list *l);

/**
 * stated_open() - open a cgroup itself
 * @here: set to it, as if it were a mount; its path is that of @root, do not
 *	free. Close @here->fd.
 * @id: set to the inode number of its directory, which on a 64-bit machine is
 *	the id of the cgroup, and not given twice between two starts
 *
 * Return: 0, or a negative errno.
 */
int stated_open(const struct cgroup_root *root, const char *path,
		struct cgroup_root *here, uint64_t *id);

/**
 * stated_ops() - how a plan reaches the cgroups of a mount
 * @root: must outlive the plan's use
 *
 * Its write() and check() return what llcctl exits with, EXIT_FAILED or
 * EXIT_NO_KERNEL, besides what struct plan_ops says. stop() is NULL.
 */
struct plan_ops stated_ops(const struct cgroup_root *root);

#endif
