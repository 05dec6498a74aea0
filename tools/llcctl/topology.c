// SPDX-License-Identifier: GPL-2.0
/*
 * Which last-level caches does this machine have, and which CPUs share each?
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "topology.h"

#define CPU_DIR		"/sys/devices/system/cpu"
#define NODE_DIR	"/sys/devices/system/node"

/* What one cache leaf, cpuN/cache/indexM, says. */
struct leaf {
	struct cpumask cpus;
	unsigned int level;
	unsigned long long bytes;
	long id;			/* -1 if none */
};

/* The trimmed text of a file, NULL if it cannot be had; the caller frees. */
static char *read_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char *text = NULL, *s;

	if (fd < 0)
		return NULL;
	if (read_fd(fd, &text))
		text = NULL;
	close(fd);
	if (text) {
		s = trim(text);
		memmove(text, s, strlen(s) + 1);
	}
	return text;
}

static long read_number(int dir, const char *name)
{
	char *text = read_file(dir, name), *end;
	long n = -1;

	if (text && isdigit((unsigned char)*text)) {
		n = strtol(text, &end, 10);
		if (*end)
			n = -1;
	}
	free(text);
	return n;
}

/* "512K", "32M": sysfs writes K only, recorded machines may differ. */
static unsigned long long read_size(int dir, const char *name)
{
	char *text = read_file(dir, name), *end;
	unsigned long long n = 0;

	if (text && isdigit((unsigned char)*text)) {
		n = strtoull(text, &end, 10);
		if (*end == 'K')
			n <<= 10;
		else if (*end == 'M')
			n <<= 20;
		else if (*end == 'G')
			n <<= 30;
	}
	free(text);
	return n;
}

/* A set of CPUs from file @list, or from @map as old kernels have it. */
static int read_cpus(int dir, const char *list, const char *map,
		     struct cpumask *mask)
{
	char *text = read_file(dir, list);
	int ret;

	memset(mask, 0, sizeof(*mask));
	if (text) {
		ret = cpulist_parse(text, -1, mask, NULL);
	} else {
		text = map ? read_file(dir, map) : NULL;
		ret = text ? cpumap_parse(text, mask) : -ENOENT;
	}
	free(text);
	return ret;
}

static int open_dir(const char *sysroot, const char *path)
{
	char *full = xasprintf("%s%s", sysroot, path);
	int fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(full);
	return fd;
}

/* NODE if @name is @prefix followed by a number, else -1. */
static long numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long n;

	if (strncmp(name, prefix, len) || !isdigit((unsigned char)name[len]))
		return -1;
	n = strtol(name + len, &end, 10);
	return *end || n > CPUMASK_LAST ? -1 : n;
}

/* Without the file `online`, every cpuN that does not say it is offline. */
static void scan_online(int cpu_dir, struct cpumask *online)
{
	int fd = dup(cpu_dir);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;
	char name[64];

	if (!dir)
		return;
	rewinddir(dir);
	while ((de = readdir(dir))) {
		long cpu = numbered(de->d_name, "cpu");

		if (cpu < 0)
			continue;
		snprintf(name, sizeof(name), "cpu%ld/online", cpu);
		if (read_number(cpu_dir, name))
			cpumask_set(online, cpu);
	}
	closedir(dir);
}

static int last_cpu(int cpu_dir)
{
	struct cpumask possible;
	int cpu, last = -1;

	if (!read_cpus(cpu_dir, "possible", NULL, &possible))
		cpumask_for_each(cpu, &possible)
			last = cpu;
	return last;
}

/*
 * The data or unified cache of the highest level that @cpu has. False if it
 * has none, or if that one does not say who shares it: a lower level would
 * be the wrong answer then.
 */
static bool last_level(int cpu_dir, int cpu, struct leaf *best)
{
	char name[64];
	int cache, index, leaf_dir, best_dir = -1;
	bool found;

	snprintf(name, sizeof(name), "cpu%d/cache", cpu);
	cache = openat(cpu_dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cache < 0)
		return false;

	best->level = 0;
	for (index = 0;; index++) {
		char *type;
		long level;

		snprintf(name, sizeof(name), "index%d", index);
		leaf_dir = openat(cache, name,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (leaf_dir < 0)
			break;
		level = read_number(leaf_dir, "level");
		type = read_file(leaf_dir, "type");
		if (level > (long)best->level && type &&
		    (!strcmp(type, "Unified") || !strcmp(type, "Data"))) {
			best->level = level;
			if (best_dir >= 0)
				close(best_dir);
			best_dir = leaf_dir;
		} else {
			close(leaf_dir);
		}
		free(type);
	}
	close(cache);
	if (best_dir < 0)
		return false;

	found = !read_cpus(best_dir, "shared_cpu_list", "shared_cpu_map",
			   &best->cpus) && cpumask_test(&best->cpus, cpu);
	best->bytes = read_size(best_dir, "size");
	best->id = read_number(best_dir, "id");
	close(best_dir);
	return found;
}

static struct llc *find_llc(struct topology *topo, const struct leaf *leaf)
{
	size_t i;

	for (i = 0; i < topo->nr_llcs; i++)
		if (topo->llcs[i].level == leaf->level &&
		    cpumask_equal(&topo->llcs[i].cpus, &leaf->cpus))
			return &topo->llcs[i];
	return NULL;
}

static struct llc *add_llc(struct topology *topo, const struct leaf *leaf)
{
	struct llc *llc;

	topo->llcs = xrealloc(topo->llcs,
			      (topo->nr_llcs + 1) * sizeof(*topo->llcs));
	llc = &topo->llcs[topo->nr_llcs++];
	*llc = (struct llc){
		.cpus = leaf->cpus,
		.level = leaf->level,
		.bytes = leaf->bytes,
		.nr_cpus = cpumask_weight(&leaf->cpus),
		.nr_online = cpumask_weight_and(&leaf->cpus, &topo->online),
		.package = -1,
	};
	return llc;
}

bool llc_has_id(const struct llc *llc, unsigned int id)
{
	size_t i;

	for (i = 0; i < llc->nr_ids; i++)
		if (llc->ids[i] == id)
			return true;
	return false;
}

static void add_id(struct llc *llc, long id)
{
	if (id < 0 || llc_has_id(llc, id))
		return;
	llc->ids = xrealloc(llc->ids, (llc->nr_ids + 1) * sizeof(*llc->ids));
	llc->ids[llc->nr_ids++] = id;
}

static void load_nodes(const char *sysroot, struct topology *topo)
{
	int node_dir = open_dir(sysroot, NODE_DIR);
	DIR *dir = node_dir < 0 ? NULL : fdopendir(node_dir);
	struct dirent *de;

	if (!dir)
		return;
	while ((de = readdir(dir))) {
		long node = numbered(de->d_name, "node");
		struct cpumask cpus;
		char list[64], map[64];
		size_t i;

		if (node < 0)
			continue;
		snprintf(list, sizeof(list), "node%ld/cpulist", node);
		snprintf(map, sizeof(map), "node%ld/cpumap", node);
		if (read_cpus(node_dir, list, map, &cpus))
			continue;
		for (i = 0; i < topo->nr_llcs; i++)
			if (cpumask_intersects(&topo->llcs[i].cpus, &cpus))
				cpumask_set(&topo->llcs[i].nodes, node);
	}
	closedir(dir);
}

int topology_load(const char *sysroot, struct topology *topo, struct why *why)
{
	int cpu_dir = open_dir(sysroot, CPU_DIR);
	int cpu;

	*topo = (struct topology){ .sysroot = sysroot, .last_cpu = -1 };
	if (cpu_dir < 0)
		return why_set(why, -ENOENT, "cannot open %s%s: %s", sysroot,
			       CPU_DIR, strerror(errno));

	topo->last_cpu = last_cpu(cpu_dir);
	if (read_cpus(cpu_dir, "online", NULL, &topo->online))
		scan_online(cpu_dir, &topo->online);

	cpumask_for_each(cpu, &topo->online) {
		struct leaf leaf;
		struct llc *llc;

		if (!last_level(cpu_dir, cpu, &leaf)) {
			cpumask_set(&topo->unknown, cpu);
			continue;
		}
		llc = find_llc(topo, &leaf);
		if (!llc)
			llc = add_llc(topo, &leaf);
		add_id(llc, leaf.id);
	}
	close(cpu_dir);

	if (cpumask_empty(&topo->online))
		return why_set(why, -ENOENT, "no CPU is to be seen in %s%s",
			       sysroot, CPU_DIR);
	if (!topo->nr_llcs)
		return why_set(why, -ENODEV,
			       "no CPU says in %s%s/cpu*/cache which CPUs share its caches",
			       sysroot, CPU_DIR);
	load_nodes(sysroot, topo);
	return 0;
}

/* A core is counted at its lowest CPU that is online and on this LLC. */
static bool first_of_core(int cpu_dir, int cpu, const struct cpumask *online)
{
	char list[64], map[64];
	struct cpumask siblings;
	int other;

	snprintf(list, sizeof(list), "cpu%d/topology/thread_siblings_list", cpu);
	snprintf(map, sizeof(map), "cpu%d/topology/thread_siblings", cpu);
	if (read_cpus(cpu_dir, list, map, &siblings))
		return false;
	cpumask_for_each(other, &siblings)
		if (cpumask_test(online, other))
			return other == cpu;
	return false;
}

void topology_load_cores(const char *sysroot, struct topology *topo)
{
	int cpu_dir = open_dir(sysroot, CPU_DIR), cpu;
	char name[64];
	size_t i;

	if (cpu_dir < 0)
		return;
	for (i = 0; i < topo->nr_llcs; i++) {
		struct llc *llc = &topo->llcs[i];
		bool first = true;

		llc->nr_cores = 0;
		cpumask_for_each(cpu, &llc->cpus) {
			long package;

			if (!cpumask_test(&topo->online, cpu))
				continue;
			llc->nr_cores += first_of_core(cpu_dir, cpu,
						       &topo->online);
			snprintf(name, sizeof(name),
				 "cpu%d/topology/physical_package_id", cpu);
			package = read_number(cpu_dir, name);
			if (first)
				llc->package = package;
			else if (llc->package != package)
				llc->package = -1;
			first = false;
		}
	}
	close(cpu_dir);
}

/* What /proc/stat has of each CPU so far, in ticks. */
struct ticks {
	unsigned long long idle, all;
};

static bool read_ticks(const char *sysroot, struct ticks *ticks)
{
	char *path = xasprintf("%s/proc/stat", sysroot);
	FILE *file = fopen(path, "re");
	unsigned long long t[8];
	char line[512];
	unsigned int cpu;

	free(path);
	if (!file)
		return false;
	memset(ticks, 0, CPUMASK_BITS * sizeof(*ticks));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu",
			   &cpu, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6],
			   &t[7]) != 9 || cpu > CPUMASK_LAST)
			continue;
		/* user nice system idle iowait irq softirq steal */
		ticks[cpu].idle = t[3] + t[4];
		ticks[cpu].all = t[0] + t[1] + t[2] + t[3] + t[4] + t[5] + t[6] +
				 t[7];
	}
	fclose(file);
	return true;
}

void topology_load_idle(const char *sysroot, const struct topology *topo,
			double seconds, double *free_share)
{
	struct ticks *before = xcalloc(CPUMASK_BITS, sizeof(*before));
	struct ticks *after = xcalloc(CPUMASK_BITS, sizeof(*after));
	struct timespec ts = { seconds, (long)(seconds * 1e9) % 1000000000L };
	bool known = read_ticks(sysroot, before);
	unsigned long long idle, all;
	size_t i;
	int cpu;

	if (known) {
		nanosleep(&ts, NULL);
		known = read_ticks(sysroot, after);
	}
	for (i = 0; i < topo->nr_llcs; i++) {
		idle = all = 0;
		cpumask_for_each(cpu, &topo->llcs[i].cpus) {
			idle += after[cpu].idle - before[cpu].idle;
			all += after[cpu].all - before[cpu].all;
		}
		free_share[i] = known && all ? 100.0 * idle / all : NAN;
	}
	free(before);
	free(after);
}

void topology_free(struct topology *topo)
{
	size_t i;

	for (i = 0; i < topo->nr_llcs; i++)
		free(topo->llcs[i].ids);
	free(topo->llcs);
	memset(topo, 0, sizeof(*topo));
	topo->last_cpu = -1;
}

int topology_last_cpu(const char *sysroot)
{
	int cpu_dir = open_dir(sysroot, CPU_DIR);
	int last;

	if (cpu_dir < 0)
		return -1;
	last = last_cpu(cpu_dir);
	close(cpu_dir);
	return last;
}
