/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which cgroup does a person mean?
 */
#ifndef LLCCTL_TARGET_H
#define LLCCTL_TARGET_H

#include "cgroup.h"
#include "llcctl.h"

/* The option by which every command that takes a cgroup takes a process. */
#define TARGET_LONGOPTS { "pid", required_argument, NULL, 'p' }
#define TARGET_SHORTOPTS "p:"
#define TARGET_HELP							\
	" -p, --pid <pid>          the cgroup of this process\n"

/* The last line of the --help of these commands. */
#define TARGET_NAMES							\
	"\nA cgroup is named by its path, a systemd unit, PID:<pid>, or the beginning of\n" \
	"a container's id.\n"

/**
 * struct target - a cgroup, found
 * @root: the mount
 * @path: of the cgroup below it; "" is the root
 */
struct target {
	struct cgroup_root root;
	char *path;
};

/**
 * target_open() - find the mount, and the cgroup
 * @set: has --pid, which goes before @name
 * @name: as in target_find(); NULL stands for the root
 *
 * Prints what went wrong. target_close() it in any case.
 *
 * Return: EXIT_DONE or EXIT_FAILED.
 */
int target_open(const struct settings *set, const char *name,
		struct target *t);
void target_close(struct target *t);

/**
 * target_find() - the path of a cgroup from what a person wrote
 * @sysroot: "" for the running machine
 * @name: in this order
 *	"a/b", "/a", "/sys/fs/cgroup/a/b"	a path below the mount
 *	"PID:1234"		the cgroup of this process
 *	"web"			a cgroup right below the mount, if there is one
 *	"nginx.service"		the one cgroup that systemd made for a unit
 *	"3f2a91"		the one cgroup of a container whose id starts so,
 *				at least 4 hexadecimal digits
 * @path: set to the path; the caller frees
 * @why: set after an error; lists the candidates if there are several
 *
 * A name that fits nothing is returned as a path: whoever opens a file of it
 * says what is wrong.
 *
 * Return: 0; -EINVAL if malformed; -ESRCH: no such process; -ENOENT: its cgroup
 * is not below the mount, or no cgroup is of that unit; -ENOTUNIQ: several are.
 */
int target_find(const struct cgroup_root *root, const char *sysroot,
		const char *name, char **path, struct why *why);

/* True if @name ends as the name of a systemd unit that has a cgroup. */
bool target_is_unit_name(const char *name);

/* How a cgroup is called in output: its path, "/" for the root. */
#define CGROUP_LABEL(path) (*(path) ? (path) : "/")

#endif
