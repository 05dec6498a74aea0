/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which last-level caches does this machine have, and which CPUs share each?
 */
#ifndef LLCCTL_TOPOLOGY_H
#define LLCCTL_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "cpumask.h"

/**
 * struct llc - one last-level cache
 * @cpus: the CPUs that share it, as shared_cpu_list has them
 * @nodes: the NUMA nodes of these CPUs, empty if there are none in sysfs
 * @level: 1 and up
 * @bytes: its size, 0 if sysfs does not say
 * @nr_cpus: CPUs in @cpus
 * @nr_online: how many of them are online
 * @ids: the distinct sysfs ids that its CPUs report, in the order of the CPUs.
 *	One on real machines, none where the firmware gives no ids, several
 *	with QEMU's EPYC.
 * @nr_ids: how many there are
 * @nr_cores: cores of the CPUs that are online; 0 before topology_load_cores(), or if
 *	sysfs does not say
 * @package: the socket, as sysfs numbers it; -1 as above, or if they are in several
 */
struct llc {
	struct cpumask cpus;
	struct cpumask nodes;
	unsigned int level;
	unsigned long long bytes;
	unsigned int nr_cpus;
	unsigned int nr_online;
	unsigned int *ids;
	size_t nr_ids;
	unsigned int nr_cores;
	int package;
};

/**
 * struct topology - the machine
 * @sysroot: where it was read, "" for the running machine; borrowed
 * @llcs: sorted by their lowest online CPU
 * @nr_llcs: how many there are
 * @online: CPUs online
 * @unknown: CPUs online whose cache sysfs does not describe
 * @last_cpu: the last possible CPU, -1 if not known
 */
struct topology {
	const char *sysroot;
	struct llc *llcs;
	size_t nr_llcs;
	struct cpumask online;
	struct cpumask unknown;
	int last_cpu;
};

/**
 * topology_load() - read sysfs
 * @sysroot: "" for the running machine; stays the caller's, for as long as @topo
 * @topo: filled in; topology_free() it even after an error
 * @why: set after an error
 *
 * The LLC of a CPU is its data or unified cache of the highest level, and
 * CPUs whose caches have the same shared_cpu_list share it. The id is not
 * used for that: it may be missing, and QEMU's EPYC has several in one L3.
 *
 * Return: 0, -ENOENT if there are no CPUs to be seen, -ENODEV if no CPU
 * describes its caches (@topo->online and @topo->last_cpu are valid then).
 */
int topology_load(const char *sysroot, struct topology *topo, struct why *why);

/* Count the cores of each LLC, and find its package: two files of each CPU. */
void topology_load_cores(const char *sysroot, struct topology *topo);

/**
 * topology_load_idle() - how much of the CPU time is free
 * @seconds: over how long to look
 * @free: by LLC, the share of the time that its online CPUs were idle, or waited for
 *	I/O, in per cent; NAN if /proc/stat does not say
 */
void topology_load_idle(const char *sysroot, const struct topology *topo,
			double seconds, double *free);

void topology_free(struct topology *topo);

/* True if a CPU of @llc reports this sysfs id. */
bool llc_has_id(const struct llc *llc, unsigned int id);

/**
 * topology_last_cpu() - the highest CPU number this machine can ever have
 *
 * Much cheaper than topology_load().
 *
 * Return: a CPU number, -1 if sysfs does not say.
 */
int topology_last_cpu(const char *sysroot);

#endif
