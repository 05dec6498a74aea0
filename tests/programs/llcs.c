// SPDX-License-Identifier: GPL-2.0
/*
 * llcs: list the last-level caches of this machine, for shell scripts.
 *
 * One line per LLC: its number in order of its first CPU, its CPUs as sysfs
 * lists them, how many these are, its NUMA node. LLCs are told apart by
 * shared_cpu_list, because the sysfs id is wrong on some (emulated) machines.
 */
#include <stdio.h>

#include "common.h"

int main(void)
{
	static struct topology topo;

	topology_read(&topo);
	for (int i = 0; i < topo.nr_llcs; i++)
		printf("%d %s %d %d\n", i, topo.llcs[i].list, topo.llcs[i].nr_cpus, topo.llcs[i].node);
	return 0;
}
