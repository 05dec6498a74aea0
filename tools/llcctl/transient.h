/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How is a cgroup made for one command, and how does it go again?
 *
 * libcgroup makes it and puts the process in; what it does not do is said in
 * transient.c.
 */
#ifndef LLCCTL_TRANSIENT_H
#define LLCCTL_TRANSIENT_H

#include <sys/types.h>

#include "cgroup.h"

/**
 * transient_place() - where can a cgroup with the cpu controller be made?
 * @sysroot: "" for the running machine
 * @parent: set to the nearest cgroup above this process, its own included,
 *	that passes the cpu controller on, or could, and in which this user may
 *	make a cgroup; the caller frees
 * @why: set after an error: one sentence
 *
 * Return: 0, -EACCES, or -ENOENT if there is no cpu controller.
 */
int transient_place(const struct cgroup_root *root, const char *sysroot,
		    char **parent, struct why *why);

/**
 * transient_make() - make it
 * @path: of the cgroup; its parent exists
 * @why: set after an error: one sentence
 *
 * Switches the cpu controller on in the parent if need be.
 *
 * Return: 0, or a negative errno.
 */
int transient_make(const struct cgroup_root *root, const char *path,
		   struct why *why);

/* Put a process in. Return: 0, or a negative errno and the reason in @why. */
int transient_attach(const struct cgroup_root *root, const char *path,
		     pid_t pid, struct why *why);

/**
 * transient_remove() - remove it, and empty cgroups below it
 *
 * Waits a moment for processes that are about to end.
 *
 * Return: 0, -EBUSY if there are processes left, another negative errno.
 */
int transient_remove(const struct cgroup_root *root, const char *path);

#endif
