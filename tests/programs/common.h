/* SPDX-License-Identifier: GPL-2.0 */
/* What the guest's programs share: LLCs, CPU lists, cgroup paths, time. */
#ifndef TESTS_PROGRAMS_COMMON_H
#define TESTS_PROGRAMS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_CPUS	1024
#define NSEC_PER_SEC	1000000000ULL
#define CGROUP_MOUNT	"/sys/fs/cgroup"

struct llc {
	char	list[256];	/* shared_cpu_list, as sysfs prints it */
	int	nr_cpus;
	int	node;
};

/* The last-level caches of the CPUs that are online. */
struct topology {
	int		nr_llcs;
	struct llc	llcs[MAX_CPUS];
	int		llc_of[MAX_CPUS];	/* by CPU; -1: offline */
};

void topology_read(struct topology *topo);

/* Sets set[cpu] for each CPU of a list such as 0-3,8; false if malformed. */
bool cpulist_parse(const char *list, bool set[MAX_CPUS]);

/* Absolute path of FILE in a cgroup named by its path below the mount. */
void cgroup_file(char *buf, size_t size, const char *cgroup, const char *file);

/* Moves the calling process into a cgroup; ends the program if it cannot. */
void cgroup_join(const char *cgroup);

uint64_t now_ns(void);		/* CLOCK_MONOTONIC */

/* A number of at least min; else ends the program with the option's name. */
double parse_number(const char *option, const char *text, double min);

/*
 * What shmwork writes and residency reads: nanoseconds that each worker ran on
 * each CPU. Each counter has one writer and is read at any time.
 */
#define WORK_MAGIC	0x6b726f776d6873ULL
#define WORK_MAX	256

struct work_stats {
	uint64_t	magic;
	uint64_t	nr_workers;
	struct {
		uint64_t	ns[MAX_CPUS];
	} worker[WORK_MAX] __attribute__((aligned(64)));
};

#endif
