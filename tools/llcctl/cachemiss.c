// SPDX-License-Identifier: GPL-2.0
/*
 * What do the caches do for the tasks of a cgroup, where the machine counts it?
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cachemiss.h"

#define READ_MISS(cache) ((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 |	\
			  PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
	const char *name;
	unsigned int type;
	unsigned long long config;
} events[CACHEMISS_NR] = {
	[CACHEMISS_INSTRUCTIONS] = { "instructions", PERF_TYPE_HARDWARE,
				     PERF_COUNT_HW_INSTRUCTIONS },
	[CACHEMISS_CYCLES]	 = { "cycles", PERF_TYPE_HARDWARE,
				     PERF_COUNT_HW_CPU_CYCLES },
	[CACHEMISS_LLC]		 = { "LLC misses", PERF_TYPE_HW_CACHE,
				     READ_MISS(PERF_COUNT_HW_CACHE_LL) },
	[CACHEMISS_NODE]	 = { "fetches from other nodes", PERF_TYPE_HW_CACHE,
				     READ_MISS(PERF_COUNT_HW_CACHE_NODE) },
};

/* As read() of such a file returns it. */
struct reading {
	unsigned long long value, enabled, running;
};

/* A file descriptor, or a negative errno. */
static int open_event(enum cachemiss_event event, int cgroup, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = events[event].type,
		.config = events[event].config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &attr, cgroup, cpu, -1,
			  PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* A file for each event and CPU may be more than a shell allows. */
static void allow_files(size_t nr)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= nr + 64)
		return;
	limit.rlim_cur = nr + 64 < limit.rlim_max ? nr + 64 : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Why an event cannot be counted. */
static void explain(struct why *why, int code, const char *what)
{
	switch (-code) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		why_set(why, code, "this machine does not count %s", what);
		break;
	case EACCES:
	case EPERM:
		why_set(why, code,
			"to count %s takes root, CAP_PERFMON or a lower kernel.perf_event_paranoid",
			what);
		break;
	case EINVAL:
	case ENOSYS:
		why_set(why, code, "this kernel does not count %s by cgroup", what);
		break;
	case EMFILE:
		why_set(why, code,
			"to count %s takes more open files than allowed (ulimit -n)",
			what);
		break;
	default:
		why_set(why, code, "%s cannot be counted: %s", what, strerror(-code));
		break;
	}
}

/* Open an event on every CPU, or on none. */
static int open_everywhere(struct cachemiss *c, enum cachemiss_event event,
			   int cgroup, const struct cpumask *online)
{
	size_t i = 0;
	int cpu, fd;

	cpumask_for_each(cpu, online) {
		fd = open_event(event, cgroup, cpu);
		if (fd < 0) {
			while (i-- > 0) {
				close(c->fds[i * CACHEMISS_NR + event]);
				c->fds[i * CACHEMISS_NR + event] = -1;
			}
			return fd;
		}
		c->fds[i++ * CACHEMISS_NR + event] = fd;
	}
	c->has[event] = true;
	return 0;
}

int cachemiss_open(struct cachemiss *c, const struct cgroup_root *root,
		   const char *path, const struct cpumask *online,
		   struct why *why)
{
	int cgroup = cgroup_open(root, path, ".", O_RDONLY | O_DIRECTORY);
	size_t event, i, nr = cpumask_weight(online);
	int code, first = 0, missing = 0;

	*c = (struct cachemiss){ .nr_cpus = nr };
	why->text[0] = '\0';
	if (cgroup < 0)
		return why_set(why, cgroup, "the cgroup's directory cannot be opened: %s",
			       strerror(-cgroup));
	c->fds = xcalloc(nr * CACHEMISS_NR + 1, sizeof(*c->fds));
	for (i = 0; i < nr * CACHEMISS_NR; i++)
		c->fds[i] = -1;
	allow_files(nr * CACHEMISS_NR);

	for (event = 0; event < CACHEMISS_NR; event++) {
		code = open_everywhere(c, event, cgroup, online);
		if (!event)
			first = code;
		/* Without that nothing can be related to the work done. */
		if (first)
			break;
		if (code && !missing++)
			explain(why, code, events[event].name);
	}
	close(cgroup);
	if (first)
		explain(why, first, "instructions and cache misses");
	return first;
}

void cachemiss_read(const struct cachemiss *c,
		    unsigned long long counts[CACHEMISS_NR])
{
	struct reading r;
	size_t i;

	memset(counts, 0, CACHEMISS_NR * sizeof(*counts));
	for (i = 0; i < c->nr_cpus * CACHEMISS_NR; i++) {
		if (c->fds[i] < 0 ||
		    read(c->fds[i], &r, sizeof(r)) != sizeof(r) || !r.running)
			continue;
		counts[i % CACHEMISS_NR] += r.value * ((double)r.enabled / r.running);
	}
}

void cachemiss_close(struct cachemiss *c)
{
	size_t i;

	for (i = 0; c->fds && i < c->nr_cpus * CACHEMISS_NR; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->fds);
	*c = (struct cachemiss){ 0 };
}
