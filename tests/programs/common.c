// SPDX-License-Identifier: GPL-2.0
/* What the guest's programs share: LLCs, CPU lists, cgroup paths, time. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define SYS_CPU	"/sys/devices/system/cpu"

static bool read_line(const char *path, char *buf, size_t size)
{
	ssize_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	len = read(fd, buf, size - 1);
	close(fd);
	if (len <= 0)
		return false;
	buf[len] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

bool cpulist_parse(const char *list, bool set[MAX_CPUS])
{
	const char *s = list;

	do {
		unsigned long first, last;
		char *end;

		if (*s < '0' || *s > '9')
			return false;
		first = strtoul(s, &end, 10);
		last = first;
		s = end;
		if (*s == '-') {
			s++;
			if (*s < '0' || *s > '9')
				return false;
			last = strtoul(s, &end, 10);
			s = end;
		}
		if (first > last || last >= MAX_CPUS)
			return false;
		while (first <= last)
			set[first++] = true;
	} while (*s++ == ',');

	return s[-1] == '\0';
}

static int node_of(int cpu)
{
	char path[64];
	struct dirent *de;
	int node = 0;
	DIR *dir;

	snprintf(path, sizeof(path), SYS_CPU "/cpu%d", cpu);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((de = readdir(dir)))
		if (sscanf(de->d_name, "node%d", &node) == 1)
			break;
	closedir(dir);
	return node;
}

/* The list of CPUs that share the cache of the highest level with @cpu. */
static void last_level(int cpu, char *list, size_t size)
{
	int highest = 0;

	snprintf(list, size, "%d", cpu);
	for (int i = 0; ; i++) {
		char path[96], value[256];
		int level;

		snprintf(path, sizeof(path), SYS_CPU "/cpu%d/cache/index%d/level", cpu, i);
		if (!read_line(path, value, sizeof(value)))
			return;
		level = atoi(value);
		if (level < highest)
			continue;
		snprintf(path, sizeof(path), SYS_CPU "/cpu%d/cache/index%d/shared_cpu_list",
			 cpu, i);
		if (!read_line(path, value, sizeof(value)))
			continue;
		highest = level;
		snprintf(list, size, "%s", value);
	}
}

void topology_read(struct topology *topo)
{
	bool online[MAX_CPUS] = { false };
	char list[4096];

	if (!read_line(SYS_CPU "/online", list, sizeof(list)) || !cpulist_parse(list, online))
		errx(2, "cannot read which CPUs are online from " SYS_CPU "/online");

	topo->nr_llcs = 0;
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		topo->llc_of[cpu] = -1;

	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		struct llc *llc = &topo->llcs[topo->nr_llcs];
		bool shared[MAX_CPUS] = { false };

		if (!online[cpu] || topo->llc_of[cpu] >= 0)
			continue;
		last_level(cpu, llc->list, sizeof(llc->list));
		if (!cpulist_parse(llc->list, shared))
			errx(2, "CPU %d: cannot parse its shared_cpu_list \"%s\"", cpu, llc->list);
		llc->nr_cpus = 0;
		llc->node = node_of(cpu);
		for (int c = 0; c < MAX_CPUS; c++) {
			if (shared[c]) {
				topo->llc_of[c] = topo->nr_llcs;
				llc->nr_cpus++;
			}
		}
		topo->nr_llcs++;
	}
}

void cgroup_file(char *buf, size_t size, const char *cgroup, const char *file)
{
	size_t mount = strlen(CGROUP_MOUNT);

	/* Both /sys/fs/cgroup/a and a, or /a, name the cgroup a. */
	if (!strncmp(cgroup, CGROUP_MOUNT, mount) && (cgroup[mount] == '/' || !cgroup[mount]))
		cgroup += mount;
	cgroup += strspn(cgroup, "/");
	if (snprintf(buf, size, CGROUP_MOUNT "/%s%s%s",
		     cgroup, *cgroup ? "/" : "", file) >= (int)size)
		errx(2, "the path of cgroup %s is too long", cgroup);
}

void cgroup_join(const char *cgroup)
{
	char path[4096];
	int fd;

	cgroup_file(path, sizeof(path), cgroup, "cgroup.procs");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		err(2, "cannot join the cgroup: %s", path);
	close(fd);
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

double parse_number(const char *option, const char *text, double min)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value < min)
		errx(2, "%s: \"%s\" is not a number of at least %g", option, text, min);
	return value;
}
