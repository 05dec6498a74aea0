/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where is the cgroup2 tree, what is in it, and how is a file of it reached?
 *
 * Paths of cgroups are relative to the mount, without a leading slash; "" is
 * the root. Files are opened by openat2() below the mount: a path can leave it
 * neither by a symbolic link nor over another mount.
 */
#ifndef LLCCTL_CGROUP_H
#define LLCCTL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/**
 * struct cgroup_root - the cgroup2 mount
 * @fd: its directory
 * @path: where it is, without a trailing slash
 * @top: what of the hierarchy the mount shows: "/" for all of it, else the
 *	path of the cgroup that is the mount's top
 */
struct cgroup_root {
	int fd;
	char *path;
	char *top;
};

/**
 * cgroup_find_mount() - look the mount up
 * @mountinfo: "/proc/self/mountinfo"
 * @dir: look for this mount point, NULL for any
 * @top: set to the cgroup that is the mount's top; the caller frees
 *
 * With several, the one that shows the whole hierarchy is preferred to one
 * that shows a part of it.
 *
 * Return: its path, NULL if there is none; the caller frees.
 */
char *cgroup_find_mount(const char *mountinfo, const char *dir, char **top);

/**
 * cgroup_root_open() - open the mount
 * @dir: use this directory, NULL to look the mount up
 * @why: set after an error
 *
 * Return: 0, or a negative errno.
 */
int cgroup_root_open(const char *dir, struct cgroup_root *root,
		     struct why *why);
void cgroup_root_close(struct cgroup_root *root);

/**
 * cgroup_resolve() - the path of a cgroup from what a person wrote
 * @root_path: where the mount is
 * @name: a path relative to the mount, with or without a leading slash, or
 *	an absolute path under the mount
 * @path: set to the path, the caller frees
 * @why: set after an error
 *
 * Pure. Return: 0, -EINVAL if @name is empty or has a component "..".
 */
int cgroup_resolve(const char *root_path, const char *name, char **path,
		   struct why *why);

/* Open a file of a cgroup. Return: a file descriptor or a negative errno. */
int cgroup_open(const struct cgroup_root *root, const char *path,
		const char *file, int flags);

/* True if the cgroup is there. */
bool cgroup_exists(const struct cgroup_root *root, const char *path);

/**
 * cgroup_read() - read a file of a cgroup
 * @text: set to its text with white space cut off the end; the caller frees
 *
 * Return: 0, or the negative errno of openat2() or read().
 */
int cgroup_read(const struct cgroup_root *root, const char *path,
		const char *file, char **text);

/**
 * cgroup_write() - write a file of a cgroup with one write()
 * @opened: set to whether the failure came after the file was open
 *
 * Return: 0, or the negative errno of openat2() or write().
 */
int cgroup_write(const struct cgroup_root *root, const char *path,
		 const char *file, const char *text, bool *opened);

/* True if a file with words in it, e.g. cgroup.controllers, has @word. */
bool cgroup_has_word(const struct cgroup_root *root, const char *path,
		     const char *file, const char *word);

/* Number of tasks (threads) in the cgroup itself, -1 if that cannot be read. */
long cgroup_count_tasks(const struct cgroup_root *root, const char *path);

/**
 * struct cgroup_list - a cgroup and all below it
 * @nodes: parents before their children, siblings in order of name; the first
 *	is the cgroup asked for, and its own parent
 * @nr: how many there are
 */
struct cgroup_list {
	struct cgroup_node {
		char *path;
		size_t parent;		/* index into nodes */
	} *nodes;
	size_t nr;
};

/**
 * cgroup_walk() - collect a cgroup and all below it
 *
 * Cgroups that vanish meanwhile are left out.
 *
 * By fts, not by libcgroup: its cgroup_walk_tree_begin() starts at the first
 * mount with the cpu controller in /proc/mounts, so that it cannot walk
 * --cgroup-root or a recorded tree, and on a hybrid host walks cgroup v1. It
 * stats every file and sorts nothing: for 3,011 cgroups of 28 files each in the
 * emulated machine version 2.0.2 takes 2.0 to 2.4 s, fts 0.4 s, and all of
 * `llcctl status` 1.8 s.
 *
 * Return: 0, or a negative errno if the cgroup itself cannot be read.
 */
int cgroup_walk(const struct cgroup_root *root, const char *path,
		struct cgroup_list *list);
void cgroup_list_free(struct cgroup_list *list);

#endif
