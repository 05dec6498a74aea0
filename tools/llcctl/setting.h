/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How does a cgroup come to state a preference, and how is it told?
 */
#ifndef LLCCTL_SETTING_H
#define LLCCTL_SETTING_H

#include "cgroup.h"
#include "effective.h"
#include "prefer.h"
#include "topology.h"

/**
 * setting_parse() - understand a value with the names of this machine
 * @sysroot: "" for the running machine
 * @text: as in prefer_parse()
 * @topo: filled in as far as sysfs tells; topology_free() it even after an
 *	error
 * @want: the value
 * @why: set after an error
 *
 * Return: 0, or as prefer_parse() does.
 */
int setting_parse(const char *sysroot, const char *text, struct topology *topo,
		  struct prefer *want, struct why *why);

/**
 * setting_check() - could the value be written?
 * @value: for the message
 *
 * Changes nothing. Prints the reason if not.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_NO_KERNEL.
 */
int setting_check(const struct cgroup_root *root, const char *path,
		  const char *value);

/**
 * setting_try() - write a value once, read it back and compare
 * @value: as prefer_format() makes it
 * @why: set after an error: one sentence, without the cgroup's name
 * @code: set to 0, the negative errno of the write, or -EBADMSG if something
 *	else was read back
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_NO_KERNEL.
 */
int setting_try(const struct cgroup_root *root, const char *path,
		const char *value, int *code, struct why *why);

/**
 * setting_write() - write a value once, read it back and compare
 *
 * A container tool once reported success for a write that never happened.
 * Prints what went wrong.
 *
 * Return: EXIT_DONE, EXIT_FAILED or EXIT_NO_KERNEL.
 */
int setting_write(const struct cgroup_root *root, const char *path,
		  const struct prefer *want);

/* The word for a mode, as the file and cpu.llc_prefer.effective have it. */
const char *setting_mode(enum prefer_mode mode);

/**
 * setting_describe() - a value with what its CPUs are
 *
 * Return: "list 16-31 (llc:1, 32 MiB, node 0)", "group"; the caller frees.
 */
char *setting_describe(const struct prefer *p, const struct topology *topo);

/* "16-31 (llc:1, 32 MiB, node 0)"; the caller frees. */
char *setting_cpus(const struct cpumask *cpus, const struct topology *topo);

/**
 * setting_in_force() - what became of a value
 * @want: the value, so that nothing is said twice
 *
 * Return: "active", "active on 32-47 (llc:2, 32 MiB, node 0)", "state cpuset",
 * "mode process, state active", keys that are not known here at the end; the
 * caller frees.
 */
char *setting_in_force(const struct prefer *want, const struct effective *eff,
		       const struct topology *topo);

#endif
