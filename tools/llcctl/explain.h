/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why could a file of a cgroup not be read or written?
 */
#ifndef LLCCTL_EXPLAIN_H
#define LLCCTL_EXPLAIN_H

#include <stdbool.h>

#include "cgroup.h"

/**
 * struct attempt - what was tried and failed
 * @path: of the cgroup
 * @file: in it
 * @value: what was to be written, NULL if the file was to be read
 * @code: the negative errno
 * @opened: the file could be opened
 */
struct attempt {
	const char *path;
	const char *file;
	const char *value;
	int code;
	bool opened;
};

/**
 * explain_failure() - find the cause
 * @why: set to one sentence: what stood in the way, what would work. It does
 *	not name the cgroup.
 *
 * Looks at the tree again, since ENOENT alone has five causes.
 *
 * Return: the exit code, EXIT_FAILED or EXIT_NO_KERNEL.
 */
int explain_failure(const struct cgroup_root *root, const struct attempt *try,
		    struct why *why);

/* explain_failure() and print "llcctl: /PATH: SENTENCE" on stderr. */
int report_failure(const struct cgroup_root *root, const struct attempt *try);

/**
 * report_no_file() - no cgroup has cpu.llc_prefer: why?
 * @list: the cgroups
 * @first: the highest of them that could have it
 *
 * Prints whether it is the kernel, or the controller that is off.
 *
 * Return: EXIT_FAILED or EXIT_NO_KERNEL.
 */
int report_no_file(const struct cgroup_root *root,
		   const struct cgroup_list *list, const char *first);

/**
 * explain_no_controller() - the cpu controller is off for a cgroup
 * @why: set to one sentence with the line to write
 */
void explain_no_controller(const struct cgroup_root *root, const char *path,
			   struct why *why);

/* What to say where the kernel lacks the file. */
#define NO_KERNEL_TEXT							\
	"this kernel has no " FILE_PREFER				\
	" (it comes with the llc_prefer patches for Linux 7.3 and CONFIG_CGROUP_LLC_PREFER=y)"

#endif
