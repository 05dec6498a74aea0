// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests of cpu.llc_prefer share; llc_prefer_util.h says what each
 * function does.
 */

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "cgroup_util.h"
#include "llc_prefer_util.h"

#define CPU_DIR		"/sys/devices/system/cpu"

/* A window of crowd_settle(): long against the turns that busy vCPUs take. */
#define WINDOW_MS	200

struct llc llcs[MAX_LLCS];
int nr_llcs;
int last_cpu;

/* Why the current test is skipped. */
static char skip_reason[256];

/* Leave the file alone: see llc_prefer_run(). */
static bool without_file;

static int llc_by_cpu[CPU_SETSIZE];

/*
 * Text and CPU lists
 */

int cpulist_read(const char *text, cpu_set_t *cpus)
{
	const char *p = text;
	long first, last;
	char *end;

	CPU_ZERO(cpus);
	while (*p && *p != '\n') {
		first = strtol(p, &end, 10);
		if (end == p || first < 0 || first >= CPU_SETSIZE)
			return -1;
		last = first;
		p = end;
		if (*p == '-') {
			last = strtol(p + 1, &end, 10);
			if (end == p + 1 || last < first || last >= CPU_SETSIZE)
				return -1;
			p = end;
		}
		while (first <= last)
			CPU_SET(first++, cpus);
		if (*p == ',')
			p++;
		else if (*p && *p != '\n')
			return -1;
	}
	return 0;
}

const char *cpulist(const cpu_set_t *cpus)
{
	static char texts[8][LIST_SIZE];
	static int turn;
	char *text = texts[turn++ % ARRAY_SIZE(texts)];
	size_t len = 0;
	int cpu, last;

	text[0] = '\0';
	for (cpu = 0; cpu < CPU_SETSIZE; cpu = last + 1) {
		last = cpu;
		if (!CPU_ISSET(cpu, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		len += snprintf(text + len, LIST_SIZE - len, "%s%d", len ? "," : "",
				cpu);
		if (last > cpu)
			len += snprintf(text + len, LIST_SIZE - len, "-%d", last);
	}
	return text;
}

const char *quoted(const char *text)
{
	static char texts[8][128];
	static int turn;
	char *to = texts[turn++ % ARRAY_SIZE(texts)], *p = to;

	*p++ = '"';
	for (; *text && p < to + sizeof(texts[0]) - 6; text++) {
		switch (*text) {
		case '\n':
			p = stpcpy(p, "\\n");
			break;
		case '\t':
			p = stpcpy(p, "\\t");
			break;
		default:
			*p++ = *text;
		}
	}
	stpcpy(p, *text ? "...\"" : "\"");
	return to;
}

int file_write(const char *path, const char *text)
{
	ssize_t len = strlen(text), ret;
	int fd, err = 0;

	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, len);
	if (ret != len)
		err = ret < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

int skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(skip_reason, sizeof(skip_reason), fmt, args);
	va_end(args);
	return KSFT_SKIP;
}

long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/*
 * The machine
 */

/*
 * The CPUs that share the last-level cache of @cpu. CPUs are told apart by
 * shared_cpu_list: the cache's id is missing or wrong on some machines.
 */
static int llc_siblings(int cpu, cpu_set_t *cpus)
{
	char path[128], text[LIST_SIZE];
	int index, level = -1;

	for (index = 0; index < 10; index++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/cache/index%d/type",
			 cpu, index);
		if (read_text(path, text, sizeof(text)) <= 0)
			break;
		if (!strncmp(text, "Instruction", 11))
			continue;
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/cache/index%d/level",
			 cpu, index);
		if (read_text(path, text, sizeof(text)) <= 0 || atoi(text) <= level)
			continue;
		level = atoi(text);
		snprintf(path, sizeof(path),
			 CPU_DIR "/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
		if (read_text(path, text, sizeof(text)) <= 0 ||
		    cpulist_read(text, cpus))
			return -1;
	}
	return level < 0 ? -1 : 0;
}

static int node_of(int cpu)
{
	char path[64];
	int node;

	for (node = 0; node < MAX_LLCS; node++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/node%d", cpu, node);
		if (!access(path, F_OK))
			return node;
	}
	return 0;
}

int llc_discover(void)
{
	char text[LIST_SIZE];
	cpu_set_t possible, online;
	struct llc *llc;
	int cpu, i;

	if (read_text(CPU_DIR "/possible", text, sizeof(text)) <= 0 ||
	    cpulist_read(text, &possible))
		return -1;
	if (read_text(CPU_DIR "/online", text, sizeof(text)) <= 0 ||
	    cpulist_read(text, &online))
		return -1;

	nr_llcs = 0;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		llc_by_cpu[cpu] = -1;
		if (CPU_ISSET(cpu, &possible))
			last_cpu = cpu;
	}
	for (cpu = 0; cpu <= last_cpu; cpu++) {
		if (!CPU_ISSET(cpu, &online) || llc_by_cpu[cpu] >= 0)
			continue;
		if (nr_llcs == MAX_LLCS)
			return -1;
		llc = &llcs[nr_llcs];
		if (llc_siblings(cpu, &llc->cpus))
			return -1;
		llc->first = cpu;
		llc->node = node_of(cpu);
		snprintf(llc->list, sizeof(llc->list), "%s", cpulist(&llc->cpus));
		for (i = cpu; i <= last_cpu; i++)
			if (CPU_ISSET(i, &llc->cpus))
				llc_by_cpu[i] = nr_llcs;
		nr_llcs++;
	}
	return nr_llcs ? 0 : -1;
}

int llc_of(int cpu)
{
	return cpu >= 0 && cpu < CPU_SETSIZE ? llc_by_cpu[cpu] : -1;
}

cpu_set_t llc_set_cpus(__u64 set)
{
	cpu_set_t cpus;
	int i;

	CPU_ZERO(&cpus);
	for (i = 0; i < nr_llcs; i++)
		if (set & (1ULL << i))
			CPU_OR(&cpus, &cpus, &llcs[i].cpus);
	return cpus;
}

const char *llc_set_list(__u64 set)
{
	cpu_set_t cpus = llc_set_cpus(set);

	return cpulist(&cpus);
}

int cpus_online(const cpu_set_t *cpus, bool on)
{
	char path[64];
	int cpu, ret, err = 0;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/online", cpu);
		ret = file_write(path, on ? "1" : "0");
		if (ret && !err)
			err = ret;
	}
	return err;
}

/*
 * The cgroup files
 */

static const char *llc_prefer_missing(const char *root)
{
	const char *reason = NULL;
	struct stat st;
	char *cgroup, *path;

	if (cg_read_strstr(root, "cgroup.controllers", "cpu"))
		return "the cpu controller is not on the cgroup2 hierarchy";
	if (cg_read_strstr(root, "cgroup.subtree_control", "cpu") &&
	    cg_write(root, "cgroup.subtree_control", "+cpu"))
		return "cannot switch the cpu controller on";

	cgroup = cgroup_make(root, "llc_prefer_probe", false);
	if (!cgroup)
		return "cannot make a cgroup";
	path = cg_control(cgroup, LLC_PREFER);
	if (!path || stat(path, &st))
		reason = "the kernel has no " LLC_PREFER
			 " (CONFIG_CGROUP_LLC_PREFER)";
	free(path);
	cgroup_drop(cgroup);
	return reason;
}

char *cgroup_make(const char *parent, const char *name, bool control)
{
	char *cgroup = cg_name(parent, name);

	if (!cgroup || cg_create(cgroup)) {
		ksft_print_msg("cannot make the cgroup %s/%s: %s\n", parent, name,
			       strerror(errno));
		free(cgroup);
		return NULL;
	}
	if (control && cg_write(cgroup, "cgroup.subtree_control", "+cpu")) {
		ksft_print_msg("%s: cannot switch the cpu controller on\n", cgroup);
		cgroup_drop(cgroup);
		return NULL;
	}
	return cgroup;
}

void cgroup_drop(char *cgroup)
{
	cg_destroy(cgroup);
	free(cgroup);
}

int prefer_bytes(const char *cgroup, const char *bytes, size_t len)
{
	ssize_t ret;
	int fd, err = 0;

	fd = cg_open(cgroup, LLC_PREFER, O_WRONLY);
	if (fd < 0)
		return -errno;
	ret = write(fd, bytes, len);
	if (ret != (ssize_t)len)
		err = ret < 0 ? -errno : -EIO;
	close(fd);
	return err;
}

int prefer(const char *cgroup, const char *value)
{
	int err;

	if (without_file)
		return 0;
	err = prefer_bytes(cgroup, value, strlen(value));
	if (err)
		ksft_print_msg("%s: writing %s failed: %s\n", cgroup,
			       quoted(value), strerror(-err));
	return err ? -1 : 0;
}

int prefers(const char *cgroup, const char *value)
{
	char text[LIST_SIZE + 16], want[LIST_SIZE + 16];
	int err;

	if (without_file)
		return 0;
	err = cg_read(cgroup, LLC_PREFER, text, sizeof(text));
	if (err) {
		ksft_print_msg("%s: reading " LLC_PREFER " failed: %s\n", cgroup,
			       strerror(-err));
		return -1;
	}
	snprintf(want, sizeof(want), "%s\n", value);
	if (!strcmp(text, want))
		return 0;
	ksft_print_msg("%s: " LLC_PREFER " reads %s, wanted %s\n", cgroup,
		       quoted(text), quoted(want));
	return -1;
}

static bool one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

/* Takes the line "@key VALUE" off @text. Returns the value, NULL if not there. */
static char *take_line(char **text, const char *key)
{
	char *line = *text, *end = strchr(line, '\n');
	size_t len = strlen(key);

	if (!end || strncmp(line, key, len))
		return NULL;
	if (line[len] != ' ' && line[len] != '\n')
		return NULL;
	*end = '\0';
	*text = end + 1;
	return line[len] ? line + len + 1 : line + len;
}

int effective_read(const char *cgroup, struct effective *eff)
{
	static const char *const modes[] = {
		"off", "process", "group", "list", NULL
	};
	static const char *const states[] = {
		"active", "single-llc", "disabled", "offline", "cpuset", "numa",
		"idle", "crowded", NULL
	};
	char text[LIST_SIZE + 64], whole[LIST_SIZE + 64], *rest = text;
	char *mode, *cpus, *state;
	int err;

	err = cg_read(cgroup, LLC_EFFECTIVE, text, sizeof(text));
	if (err) {
		ksft_print_msg("%s: reading " LLC_EFFECTIVE " failed: %s\n", cgroup,
			       strerror(-err));
		return -1;
	}
	memcpy(whole, text, sizeof(whole));
	mode = take_line(&rest, "mode");
	cpus = mode ? take_line(&rest, "cpus") : NULL;
	state = cpus ? take_line(&rest, "state") : NULL;
	if (!state || !one_of(mode, modes) || !one_of(state, states) ||
	    cpulist_read(cpus, &eff->cpus)) {
		ksft_print_msg("%s: " LLC_EFFECTIVE
			       " is not \"mode X\", \"cpus LIST\", \"state Y\":\n",
			       cgroup);
		for (rest = strtok(whole, "\n"); rest; rest = strtok(NULL, "\n"))
			ksft_print_msg("  %s\n", rest);
		return -1;
	}
	snprintf(eff->mode, sizeof(eff->mode), "%s", mode);
	snprintf(eff->list, sizeof(eff->list), "%s", cpus);
	snprintf(eff->state, sizeof(eff->state), "%s", state);
	return 0;
}

static bool effective_matches(const struct effective *eff, const char *mode,
			      const char *list, const char *state)
{
	return (!mode || !strcmp(eff->mode, mode)) &&
	       (!list || !strcmp(eff->list, list)) &&
	       (!state || !strcmp(eff->state, state));
}

int effective_becomes(const char *cgroup, const char *mode, const char *list,
		      const char *state, long ms)
{
	long end = now_ms() + ms;
	struct effective eff;

	if (without_file)
		return 0;
	do {
		if (effective_read(cgroup, &eff))
			return -1;
		if (effective_matches(&eff, mode, list, state))
			return 0;
		if (ms)
			sleep_ms(20);
	} while (now_ms() < end);

	ksft_print_msg("%s: saw mode %s, cpus \"%s\", state %s\n", cgroup, eff.mode,
		       eff.list, eff.state);
	ksft_print_msg("%s: wanted mode %s, cpus \"%s\", state %s\n", cgroup,
		       mode ?: "(any)", list ?: "(any)", state ?: "(any)");
	return -1;
}

int effective_is(const char *cgroup, const char *mode, const char *list,
		 const char *state)
{
	return effective_becomes(cgroup, mode, list, state, 0);
}

int stat_read(const char *cgroup, struct llc_stat *stat)
{
	static const char *const keys[] = {
		"usage_usec", "preferred_usec", "nr_wakeups",
		"nr_wakeups_steered", "nr_forks_steered", "nr_migrations_in",
		"nr_migrations_out", "nr_spills", "nr_moves", "nr_llcs",
	};
	__u64 *values[] = {
		&stat->usage_usec, &stat->preferred_usec, &stat->nr_wakeups,
		&stat->nr_wakeups_steered, &stat->nr_forks_steered,
		&stat->nr_migrations_in, &stat->nr_migrations_out,
		&stat->nr_spills, &stat->nr_moves, &stat->nr_llcs,
	};
	char text[1024], *rest = text, *value, *end;
	int err, i;

	memset(stat, 0, sizeof(*stat));
	if (without_file)
		return 0;
	err = cg_read(cgroup, LLC_STAT, text, sizeof(text));
	if (err) {
		ksft_print_msg("%s: reading " LLC_STAT " failed: %s\n", cgroup,
			       strerror(-err));
		return -1;
	}
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		value = take_line(&rest, keys[i]);
		if (!value || !isdigit(*value))
			break;
		*values[i] = strtoull(value, &end, 10);
		if (*end)
			break;
	}
	if (i == ARRAY_SIZE(keys) && !*rest)
		return 0;
	ksft_print_msg("%s: " LLC_STAT " has no \"%s NUMBER\" as its line %d\n",
		       cgroup, i < ARRAY_SIZE(keys) ? keys[i] : "(end)", i + 1);
	return -1;
}

/*
 * Crowds
 */

/* One per task: only the task itself writes it, once it runs. */
struct crowd_slot {
	pid_t tid;
	long run_us, sleep_us;	/* 0: never sleeps */
	__u64 hops;
	__u64 ns[MAX_LLCS];
};

struct crowd_page {
	struct crowd_slot slots[MAX_WORKERS];
};

static __u64 thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void sleep_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

/* Only the task itself adds to its counters; others read them meanwhile. */
static void counter_add(__u64 *counter, __u64 more)
{
	__atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/*
 * Spin in pieces well under a tick and book each on the LLC where it ended: a
 * migration misplaces one piece at most.
 */
static void *crowd_task(void *arg)
{
	struct crowd_slot *slot = arg;
	__u64 then, now, woke;
	int spin;
	int llc, last = -1;

	__atomic_store_n(&slot->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	then = thread_ns();
	woke = then;
	for (;;) {
		for (spin = 0; spin < 20000; spin++)
			asm volatile("" : : : "memory");
		llc = llc_of(sched_getcpu());
		now = thread_ns();
		if (llc >= 0) {
			counter_add(&slot->ns[llc], now - then);
			if (last >= 0 && llc != last)
				counter_add(&slot->hops, 1);
			last = llc;
		}
		then = now;
		if (slot->sleep_us && now - woke >= slot->run_us * 1000ULL) {
			sleep_us(slot->sleep_us);
			woke = now;
		}
	}
	return NULL;
}

static int crowd_child(const char *cgroup, void *arg)
{
	struct crowd *crowd = arg;
	pthread_t thread;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A process finds its slot in crowd->nr as it was at the fork. */
	if (crowd->kind == PROCESSES)
		crowd_task(&crowd->page->slots[crowd->nr]);

	for (i = 0; i < crowd->nr; i++)
		if (pthread_create(&thread, NULL, crowd_task,
				   &crowd->page->slots[i]))
			return 1;
	for (;;)
		pause();
}

static int crowd_init(struct crowd *crowd, const char *cgroup,
		      enum crowd_kind kind)
{
	memset(crowd, 0, sizeof(*crowd));
	crowd->kind = kind;
	crowd->cgroup = cgroup;
	crowd->page = mmap(NULL, sizeof(*crowd->page), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crowd->page == MAP_FAILED) {
		crowd->page = NULL;
		ksft_perror("mmap");
		return -1;
	}
	return 0;
}

/* The task of the next process, or, of threads, the process of all of them. */
static int crowd_fork(struct crowd *crowd, int i)
{
	crowd->pids[i] = cg_run_nowait(crowd->cgroup, crowd_child, crowd);
	if (crowd->pids[i] > 0)
		return 0;
	crowd->pids[i] = 0;
	ksft_print_msg("%s: cannot start a task\n", crowd->cgroup);
	return -1;
}

/* Until all tasks from @first on have run. */
static int crowd_wait(const struct crowd *crowd, int first)
{
	int i = first, waited = 0;

	while (i < crowd->nr) {
		if (crowd_tid(crowd, i)) {
			i++;
		} else if (waited++ < 1000) {
			sleep_ms(10);
		} else {
			ksft_print_msg("%s: task %d of %d never ran\n",
				       crowd->cgroup, i, crowd->nr);
			return -1;
		}
	}
	return 0;
}

static int crowd_add_periodic(struct crowd *crowd, int nr, long run_us,
			      long sleep_us)
{
	struct crowd_slot *slot;
	int first = crowd->nr;

	if (first + nr > MAX_WORKERS) {
		ksft_print_msg("a crowd has at most %d tasks\n", MAX_WORKERS);
		return -1;
	}
	while (nr--) {
		slot = &crowd->page->slots[crowd->nr];
		memset(slot, 0, sizeof(*slot));
		slot->run_us = run_us;
		slot->sleep_us = sleep_us;
		if (crowd_fork(crowd, crowd->nr))
			return -1;
		crowd->nr++;
	}
	return crowd_wait(crowd, first);
}

int crowd_add(struct crowd *crowd, int nr)
{
	return crowd_add_periodic(crowd, nr, 0, 0);
}

int crowd_start_periodic(struct crowd *crowd, const char *cgroup, int nr,
			 long run_us, long sleep_us)
{
	if (crowd_init(crowd, cgroup, PROCESSES))
		return -1;
	if (!crowd_add_periodic(crowd, nr, run_us, sleep_us))
		return 0;
	crowd_stop(crowd);
	return -1;
}

int crowd_start(struct crowd *crowd, const char *cgroup, enum crowd_kind kind,
		int nr)
{
	if (kind == PROCESSES)
		return crowd_start_periodic(crowd, cgroup, nr, 0, 0);

	if (crowd_init(crowd, cgroup, kind))
		return -1;
	crowd->nr = nr;
	if (!crowd_fork(crowd, 0) && !crowd_wait(crowd, 0))
		return 0;
	crowd_stop(crowd);
	return -1;
}

/* Ends the processes from @first on. */
static void crowd_end(struct crowd *crowd, int first)
{
	int i;

	for (i = first; i < MAX_WORKERS && crowd->pids[i] > 0; i++)
		kill(crowd->pids[i], SIGKILL);
	for (i = first; i < MAX_WORKERS && crowd->pids[i] > 0; i++) {
		waitpid(crowd->pids[i], NULL, 0);
		crowd->pids[i] = 0;
	}
}

void crowd_cut(struct crowd *crowd, int nr)
{
	crowd->nr -= nr;
	crowd_end(crowd, crowd->nr);
}

void crowd_stop(struct crowd *crowd)
{
	if (!crowd->page)
		return;
	crowd_end(crowd, 0);
	munmap(crowd->page, sizeof(*crowd->page));
	memset(crowd, 0, sizeof(*crowd));
}

void crowd_pause(const struct crowd *crowd, bool pause)
{
	int i;

	for (i = 0; i < MAX_WORKERS && crowd->pids[i] > 0; i++)
		kill(crowd->pids[i], pause ? SIGSTOP : SIGCONT);
}

int crowd_pin(const struct crowd *crowd, const cpu_set_t *cpus)
{
	int i;

	for (i = 0; i < crowd->nr; i++) {
		if (sched_setaffinity(crowd_tid(crowd, i), sizeof(*cpus), cpus)) {
			ksft_perror("sched_setaffinity");
			return -1;
		}
	}
	return 0;
}

pid_t crowd_tid(const struct crowd *crowd, int i)
{
	return __atomic_load_n(&crowd->page->slots[i].tid, __ATOMIC_ACQUIRE);
}

__u64 crowd_hops(const struct crowd *crowd)
{
	__u64 hops = 0;
	int i;

	for (i = 0; i < crowd->nr; i++)
		hops += __atomic_load_n(&crowd->page->slots[i].hops,
					__ATOMIC_RELAXED);
	return hops;
}

int crowd_waited(const struct crowd *crowd, __u64 *ran, __u64 *waited)
{
	unsigned long long run, wait;
	char path[64], text[128];
	int i;

	*ran = 0;
	*waited = 0;
	for (i = 0; i < crowd->nr; i++) {
		snprintf(path, sizeof(path), "/proc/%d/schedstat",
			 crowd_tid(crowd, i));
		if (read_text(path, text, sizeof(text)) <= 0 ||
		    sscanf(text, "%llu %llu", &run, &wait) != 2)
			return -1;
		*ran += run;
		*waited += wait;
	}
	return 0;
}

/* Adds what tasks @first to @last have run so far. */
static void residency_add(const struct crowd *crowd, int first, int last,
			  struct residency *res)
{
	__u64 ns;
	int i, llc;

	for (i = first; i <= last; i++) {
		for (llc = 0; llc < nr_llcs; llc++) {
			ns = __atomic_load_n(&crowd->page->slots[i].ns[llc],
					     __ATOMIC_RELAXED);
			res->ns[llc] += ns;
			res->total += ns;
		}
	}
}

void crowd_ran(const struct crowd *crowd, struct residency *res)
{
	memset(res, 0, sizeof(*res));
	residency_add(crowd, 0, crowd->nr - 1, res);
}

void residency_since(struct residency *res, const struct residency *before)
{
	int llc;

	for (llc = 0; llc < nr_llcs; llc++)
		res->ns[llc] -= before->ns[llc];
	res->total -= before->total;
}

static void watch(const struct crowd *crowd, int first, int last, long ms,
		  struct residency *res)
{
	struct residency before = {};

	memset(res, 0, sizeof(*res));
	residency_add(crowd, first, last, &before);
	sleep_ms(ms);
	residency_add(crowd, first, last, res);
	residency_since(res, &before);
}

void crowd_watch(const struct crowd *crowd, long ms, struct residency *res)
{
	watch(crowd, 0, crowd->nr - 1, ms, res);
}

void crowd_watch_one(const struct crowd *crowd, int i, long ms,
		     struct residency *res)
{
	watch(crowd, i, i, ms, res);
}

int residency_busiest(const struct residency *res)
{
	int i, busiest = -1;

	for (i = 0; i < nr_llcs; i++)
		if (res->ns[i] && (busiest < 0 || res->ns[i] > res->ns[busiest]))
			busiest = i;
	return busiest;
}

__u64 residency_span(const struct residency *res, double percent)
{
	struct residency rest = *res;
	__u64 set = 0;
	int llc;

	for (;;) {
		llc = residency_busiest(&rest);
		if (llc < 0)
			return set;
		set |= 1ULL << llc;
		rest.ns[llc] = 0;
		if (residency_on(res, set) >= percent)
			return set;
	}
}

const char *residency_text(const struct residency *res)
{
	static char text[MAX_LLCS * 5];
	size_t len = 0;
	int i;

	text[0] = '\0';
	for (i = 0; i < nr_llcs; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%.0f",
				i ? " " : "", residency_on(res, 1ULL << i));
	return text;
}

double residency_on(const struct residency *res, __u64 set)
{
	__u64 ns = 0;
	int i;

	if (!res->total)
		return 0;
	if (set == ANY_LLC && residency_busiest(res) >= 0)
		set = 1ULL << residency_busiest(res);
	for (i = 0; i < nr_llcs; i++)
		if (set & (1ULL << i))
			ns += res->ns[i];
	return 100.0 * ns / res->total;
}

long crowd_settle(const struct crowd *crowd, __u64 set, double percent,
		  long limit_ms, struct residency *res)
{
	long start = now_ms();

	do {
		crowd_watch(crowd, WINDOW_MS, res);
		if (residency_on(res, set) >= percent)
			return now_ms() - start;
	} while (now_ms() - start < limit_ms);
	return -1;
}

long crowd_scatter(const struct crowd *crowd, double percent, long limit_ms,
		   struct residency *res)
{
	long start = now_ms();

	do {
		crowd_watch(crowd, WINDOW_MS, res);
		if (res->total && residency_on(res, ANY_LLC) < percent)
			return now_ms() - start;
	} while (now_ms() - start < limit_ms);
	return -1;
}

long crowd_span(const struct crowd *crowd, int nr, double percent, long limit_ms,
		struct residency *res)
{
	long start = now_ms();

	do {
		crowd_watch(crowd, WINDOW_MS, res);
		if (__builtin_popcountll(residency_span(res, percent)) == nr)
			return now_ms() - start;
	} while (now_ms() - start < limit_ms);
	return -1;
}

/*
 * The program
 */

struct choice {
	int nr_names, nr_without;
	char **names;		/* the only tests wanted, if any */
	char *without[64];	/* and those that are not */
};

static bool wanted(const char *name, const struct choice *choice)
{
	int i;

	for (i = 0; i < choice->nr_without; i++)
		if (!strcmp(name, choice->without[i]))
			return false;
	for (i = 0; i < choice->nr_names; i++)
		if (!strcmp(name, choice->names[i]))
			return true;
	return !choice->nr_names;
}

static bool required(void)
{
	const char *env = getenv("LLC_PREFER_REQUIRED");

	return env && *env && strcmp(env, "0");
}

void llc_prefer_run(int argc, char **argv, const struct llc_prefer_test *tests,
		    int nr)
{
	struct choice choice = {};
	char root[PATH_MAX];
	const char *missing;
	int opt, i, plan = 0;

	while ((opt = getopt(argc, argv, "wx:")) != -1) {
		if (opt == 'w')
			without_file = true;
		else if (opt == 'x' && choice.nr_without < ARRAY_SIZE(choice.without))
			choice.without[choice.nr_without++] = optarg;
		else
			ksft_exit_fail_msg("usage: %s [-w] [-x TEST]... [TEST...]\n",
					   argv[0]);
	}
	choice.names = argv + optind;
	choice.nr_names = argc - optind;

	ksft_print_header();
	for (i = 0; i < nr; i++)
		plan += wanted(tests[i].name, &choice);
	if (plan < choice.nr_names || !plan)
		ksft_exit_fail_msg("%s: there is no test of such a name\n", argv[0]);

	if (cg_find_unified_root(root, sizeof(root), NULL))
		ksft_exit_skip("cgroup v2 isn't mounted\n");
	if (llc_discover())
		ksft_exit_skip("sysfs does not tell which CPUs share a cache\n");
	missing = llc_prefer_missing(root);
	if (missing && !without_file) {
		if (required())
			ksft_exit_fail_msg("%s\n", missing);
		ksft_exit_skip("%s\n", missing);
	}

	ksft_set_plan(plan);
	for (i = 0; i < nr; i++) {
		if (!wanted(tests[i].name, &choice))
			continue;
		switch (tests[i].fn(root)) {
		case KSFT_PASS:
			ksft_test_result_pass("%s\n", tests[i].name);
			break;
		case KSFT_SKIP:
			ksft_test_result_skip("%s: %s\n", tests[i].name,
					      skip_reason);
			break;
		default:
			ksft_test_result_fail("%s\n", tests[i].name);
			break;
		}
	}
	ksft_finished();
}
