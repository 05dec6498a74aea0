/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do people call an LLC, and which CPUs does a name stand for?
 *
 * Pure: nothing here reads a file or prints.
 */
#ifndef LLCCTL_LLCNAME_H
#define LLCCTL_LLCNAME_H

#include <stdbool.h>
#include <stddef.h>

#include "topology.h"

/**
 * llc_is_name() - is this a name, not a CPU list?
 * @item: not NUL-terminated
 * @len: its length
 */
bool llc_is_name(const char *item, size_t len);

/**
 * llc_find() - the CPUs that a name stands for
 * @name: not NUL-terminated; one of
 *	"llc:2"		the LLC with this sysfs id, see llc_id()
 *	"cpu:17"	the LLC of this CPU
 *	"node:1"	every LLC with a CPU on this NUMA node
 *	"size:max"	the LLCs larger than which none is
 * @len: its length
 * @mask: the CPUs are added; untouched after an error
 * @why: set after an error; lists what there is
 *
 * A CPU whose LLC is not known (it is offline) stands for itself: the kernel
 * may know more.
 *
 * Return: 0; -EINVAL if @name is malformed; -ENOENT if nothing has that name;
 * -ENOTUNIQ if several LLCs have that id; -ERANGE if no such CPU is possible;
 * -ENODEV if @topo has no LLCs.
 */
int llc_find(const struct topology *topo, const char *name, size_t len,
	     struct cpumask *mask, struct why *why);

/**
 * llc_id() - the number by which llc:ID names an LLC
 *
 * Return: its first sysfs id; -1 if it has none, or one that another LLC has
 * too (ids count per cache level).
 */
long llc_id(const struct topology *topo, const struct llc *llc);

/**
 * llc_names() - the names of the LLCs that some CPUs belong to
 * @mask: the CPUs
 *
 * Return: "llc:0,llc:1", NULL if there is no LLC or one without a name among
 * them; the caller frees.
 */
char *llc_names(const struct topology *topo, const struct cpumask *mask);

/**
 * llc_describe() - the same for a person
 * @mask: the CPUs
 *
 * Return: "llc:1, 32 MiB, node 0", "llc:0 to llc:3, 4 x 32 MiB, nodes 0-1",
 * "2 LLCs" where they have no names; what is not known is left out. NULL if no
 * LLC has one of the CPUs. The caller frees.
 */
char *llc_describe(const struct topology *topo, const struct cpumask *mask);

/* 33554432 as "32 MiB": the largest whole unit. The caller frees. */
char *format_bytes(unsigned long long bytes);

#endif
