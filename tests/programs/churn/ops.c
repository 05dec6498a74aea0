// SPDX-License-Identifier: GPL-2.0
/*
 * What is done? One function an operation, and a table that says how often each
 * is, and which errors it may meet. An operation undoes what would get in the way
 * of the others: a cgroup is throttled, frozen or made a partition for a moment.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "churn.h"

const char *const value_name[NR_VALUES] = {
	[VALUE_DEFAULT]		= "default",
	[VALUE_GROUP]		= "group",
	[VALUE_GROUP_LIST]	= "group CPULIST",
	[VALUE_LIST]		= "CPULIST",
	[VALUE_PROCESS]		= "process",
	[VALUE_OFF]		= "off",
};

static void nap(struct worker *w, unsigned int max_usec)
{
	task_nap(rng_below(&w->rng, max_usec));
}

static void random_list(struct worker *w, char *buf, size_t size)
{
	int first = rng_below(&w->rng, nr_cpus);
	int last = first + rng_below(&w->rng, nr_cpus - first);

	switch (rng_below(&w->rng, 4)) {
	case 0:
		snprintf(buf, size, "%d", first);
		break;
	case 1:
		snprintf(buf, size, "%d-%d", first, last);
		break;
	case 2:
		snprintf(buf, size, "%d,%d", last, first);
		break;
	default:	/* two CPUs of each four */
		snprintf(buf, size, "%d-%d:2/4", first, last);
	}
}

/* --- cpu.llc_prefer -------------------------------------------------------- */

static int write_value(struct worker *w, enum value value)
{
	static const char *const space[] = { "", "\n", " \n", "\t" };
	int level = 1 + rng_below(&w->rng, NR_LEVELS);
	struct place place = place_pick(w, PLACE_ANY, level);
	char list[64] = "", text[128];
	const char *word = value == VALUE_LIST ? "" : value_name[value];
	int ret;

	if (value == VALUE_LIST || value == VALUE_GROUP_LIST)
		random_list(w, list, sizeof(list));
	if (value == VALUE_GROUP_LIST)
		word = rng_below(&w->rng, 2) ? "group " : "group\t ";
	snprintf(text, sizeof(text), "%s%s%s%s", rng_below(&w->rng, 8) ? "" : " ", word, list,
		 space[rng_below(&w->rng, 4)]);
	ret = cgroup_put(w, &place, "cpu.llc_prefer", text);
	if (!ret)
		__atomic_add_fetch(&shared->written[value][level - 1], 1, __ATOMIC_RELAXED);
	return ret;
}

static int write_default(struct worker *w) { return write_value(w, VALUE_DEFAULT); }
static int write_group(struct worker *w) { return write_value(w, VALUE_GROUP); }
static int write_group_list(struct worker *w) { return write_value(w, VALUE_GROUP_LIST); }
static int write_list(struct worker *w) { return write_value(w, VALUE_LIST); }
static int write_process(struct worker *w) { return write_value(w, VALUE_PROCESS); }
static int write_off(struct worker *w) { return write_value(w, VALUE_OFF); }

static int write_invalid(struct worker *w)
{
	static const struct {
		const char	*text;
		int		error;
	} bad[] = {
		{ "banana", EINVAL },		{ "Group", EINVAL },
		{ "groups", EINVAL },		{ "group,0", EINVAL },
		{ "group banana", EINVAL },	{ "group 0 off", EINVAL },
		{ "off 0", EINVAL },		{ "default process", EINVAL },
		{ "\n", EINVAL },		{ " ", EINVAL },
		{ "3-1", EINVAL },		{ "-1", EINVAL },
		{ "0-", EINVAL },		{ "0,x", EINVAL },
		{ "0\n1", EINVAL },		{ "group\n0", EINVAL },
		{ "99999", ERANGE },		{ "group 0-99999", ERANGE },
		{ NULL, E2BIG },
	};
	unsigned int nr = rng_below(&w->rng, sizeof(bad) / sizeof(bad[0]));
	struct place place = place_pick(w, PLACE_ANY, 1 + rng_below(&w->rng, NR_LEVELS));
	char longest[8192];
	int ret;

	memset(longest, '0', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ret = cgroup_put(w, &place, "cpu.llc_prefer", bad[nr].text ?: longest);
	if (ret == bad[nr].error)
		return 0;
	return ret ?: EEXIST;	/* EEXIST: it was taken */
}

/* Write back what is read: mostly the value that is there already. */
static int write_same(struct worker *w)
{
	struct place place = place_pick(w, PLACE_ANY, 0);
	char value[4096];
	int ret = cgroup_get(w, &place, "cpu.llc_prefer", value, sizeof(value));

	return ret ?: cgroup_put(w, &place, "cpu.llc_prefer", value);
}

static int read_effective(struct worker *w)
{
	struct place place = place_pick(w, PLACE_ANY, 0);
	char text[4096];
	int ret = cgroup_get(w, &place, "cpu.llc_prefer.effective", text, sizeof(text));

	if (!ret && !effective_parses(text))
		ret = EBADMSG;
	return ret;
}

static int read_stat(struct worker *w)
{
	struct place place = place_pick(w, PLACE_ANY, 0);
	char text[4096];
	unsigned long long number[NR_STATS];
	int ret = cgroup_get(w, &place, "cpu.llc_prefer.stat", text, sizeof(text));

	if (ret)
		return ret;
	if (!stat_parses(text, number))
		return EBADMSG;
	for (int i = 0; i < NR_STATS; i++)
		__atomic_add_fetch(&shared->counted[i], number[i] > 0, __ATOMIC_RELAXED);
	return 0;
}

/* The counters of every CPU, whose domains may be rebuilt at that moment. */
static int read_counters(struct worker *w)
{
	static char text[1 << 20];

	return file_get(w, SCHED_DEBUG "/debug", text, sizeof(text));
}

/* --- tasks ----------------------------------------------------------------- */

static int exec_one(struct worker *w) { return member_exec(w, 0); }
static int exec_threads(struct worker *w) { return member_exec(w, 3); }
static int clone_vm(struct worker *w) { return child_clone_vm(w, false); }
static int clone_vm_exec(struct worker *w) { return child_clone_vm(w, true); }

static int move_process(struct worker *w)
{
	struct place place = place_pick(w, PLACE_PROCS, 0);
	struct place root = { .path = ".." };
	char id[16];
	pid_t pid;
	int ret = member_pick(w, &pid);

	if (ret)
		return ret;
	snprintf(id, sizeof(id), "%d", pid);
	return cgroup_put(w, rng_below(&w->rng, 8) ? &place : &root, "cgroup.procs", id);
}

static int move_thread(struct worker *w)
{
	struct place place = place_pick(w, PLACE_THREADS, 0);
	char id[16];
	pid_t tid;
	int ret = thread_pick(w, &tid);

	if (ret)
		return ret;
	snprintf(id, sizeof(id), "%d", tid);
	return cgroup_put(w, &place, "cgroup.threads", id);
}

/* All threads of a process, which may lie in several cgroups, into one. */
static int move_threads(struct worker *w)
{
	struct place place = place_pick(w, PLACE_THREADS, 0);
	char id[16];
	pid_t tid;
	int ret = thread_pick(w, &tid);

	if (ret)
		return ret;
	snprintf(id, sizeof(id), "%d", w->host.pid);
	return cgroup_put(w, &place, "cgroup.procs", id);
}

static int end_threads(struct worker *w)
{
	pid_t tid;
	int ret = thread_pick(w, &tid);

	return ret ?: host_end(w);
}

#define STORM	5

/* Many that do nothing but be born and end, in one cgroup. */
static int storm(struct worker *w)
{
	struct place place = place_pick(w, PLACE_PROCS, 0);
	pid_t pid;

	snprintf(w->what, WHAT_SIZE, "%s <- %d that fork and exit", place.path,
		 STORM);
	w->transient |= place.transient;
	pid = fork();
	if (!pid) {
		pid_t child[STORM];
		int ret = cgroup_enter(&place);

		for (int i = 0; i < STORM; i++) {
			child[i] = fork();
			if (!child[i])
				_exit(0);
			if (child[i] < 0)
				ret = errno;
		}
		for (int i = 0; i < STORM; i++)
			if (child[i] > 0)
				child_wait(child[i]);
		_exit(ret);
	}
	return pid < 0 ? errno : child_wait(pid);
}

/* Autogroup moves the tasks of a session that ends. */
static int session(struct worker *w)
{
	pid_t pid;

	snprintf(w->what, WHAT_SIZE, "a session of its own");
	pid = fork();
	if (!pid) {
		int ret = setsid() < 0 ? errno : 0;

		pid = fork();
		if (!pid) {
			task_burn(100);
			_exit(0);
		}
		_exit(pid < 0 ? errno : ret ?: child_wait(pid));
	}
	return pid < 0 ? errno : child_wait(pid);
}

static int set_affinity(struct worker *w)
{
	int first = rng_below(&w->rng, nr_cpus);
	int nr = 1 + rng_below(&w->rng, nr_cpus);
	cpu_set_t cpus;
	pid_t id;
	int ret = rng_below(&w->rng, 3) ? member_pick(w, &id) : thread_pick(w, &id);

	if (ret)
		return ret;
	CPU_ZERO(&cpus);
	for (int i = 0; i < nr; i++)
		CPU_SET((first + i) % nr_cpus, &cpus);
	snprintf(w->what, WHAT_SIZE, "task %d: %d CPUs from %d on", id, nr, first);
	return sched_setaffinity(id, sizeof(cpus), &cpus) ? errno : 0;
}

static int stop_and_go(struct worker *w)
{
	pid_t pid;
	int ret = member_pick(w, &pid);

	if (ret)
		return ret;
	snprintf(w->what, WHAT_SIZE, "process %d: stop, continue", pid);
	if (kill(pid, SIGSTOP))
		return errno;
	nap(w, 10000);
	return kill(pid, SIGCONT) ? errno : 0;
}

static int set_nice(struct worker *w)
{
	int nice = (int)rng_below(&w->rng, 21) - 10;
	pid_t id;
	int ret = rng_below(&w->rng, 3) ? member_pick(w, &id) : thread_pick(w, &id);

	if (ret)
		return ret;
	snprintf(w->what, WHAT_SIZE, "task %d: nice %d", id, nice);
	return setpriority(PRIO_PROCESS, id, nice) ? errno : 0;
}

static int set_policy(struct worker *w)
{
	static const int policies[] = { SCHED_OTHER, SCHED_BATCH, SCHED_IDLE };
	int policy = policies[rng_below(&w->rng, 3)];
	pid_t id;
	int ret = rng_below(&w->rng, 3) ? member_pick(w, &id) : thread_pick(w, &id);

	if (ret)
		return ret;
	snprintf(w->what, WHAT_SIZE, "task %d: policy %d", id, policy);
	return sched_setscheduler(id, policy, &(struct sched_param){ }) ? errno : 0;
}

/* Out of the fair class for a moment. */
static int real_time(struct worker *w)
{
	pid_t id;
	int ret = rng_below(&w->rng, 3) ? member_pick(w, &id) : thread_pick(w, &id);

	if (ret)
		return ret;
	snprintf(w->what, WHAT_SIZE, "task %d: real-time, back", id);
	if (sched_setscheduler(id, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 }))
		return errno;
	nap(w, 3000);
	return sched_setscheduler(id, SCHED_OTHER, &(struct sched_param){ }) ? errno : 0;
}

/* --- cgroups --------------------------------------------------------------- */

static int make_cgroup(struct worker *w)
{
	int first = rng_below(&w->rng, NR_SLOTS), ret;

	for (int i = 0; i < NR_SLOTS; i++) {
		int slot = (first + i) % NR_SLOTS;

		if (!shared->worker[w->id].present[slot])
			return slot_make(w, slot);
	}
	ret = slot_remove(w, first);
	return ret ?: slot_make(w, first);
}

static int remove_cgroup(struct worker *w)
{
	int first = rng_below(&w->rng, NR_SLOTS), ret;

	for (int i = 0; i < NR_SLOTS; i++) {
		int slot = (first + i) % NR_SLOTS;

		if (shared->worker[w->id].present[slot])
			return slot_remove(w, slot);
	}
	ret = slot_make(w, first);
	return ret ?: slot_remove(w, first);
}

/* A cgroup that nobody else knows of. */
static struct place own_place(struct worker *w)
{
	static const char *const parents[] = { "a", "a/c", "a/d", "b" };
	struct place place = { };
	unsigned int nr = rng_below(&w->rng, 4);

	snprintf(place.path, sizeof(place.path), "%s/o%d", parents[nr], w->id);
	return place;
}

/* Remove it as soon as it can be: its last task may be on its way out. */
static int remove_soon(struct worker *w, const struct place *place)
{
	int ret;

	while ((ret = place_remove(w, place)) == EBUSY)
		task_nap(200);
	return ret;
}

static int come_and_go(struct worker *w)
{
	static const char *const values[] = { "group", "0", "off", "process" };
	struct place place = own_place(w);
	pid_t pid = 0;
	int ret = place_make(w, &place), gone;

	if (ret)
		return ret;
	ret = cgroup_put(w, &place, "cpu.llc_prefer", values[rng_below(&w->rng, 4)]);
	if (!ret)
		ret = child_start_into(w, &place, 1, &pid);
	gone = remove_soon(w, &place);
	if (pid > 0)
		child_wait(pid);
	return ret ?: gone;
}

static int kill_cgroup(struct worker *w)
{
	struct place place = own_place(w);
	pid_t pid[3] = { };
	int ret = place_make(w, &place), gone;

	if (ret)
		return ret;
	ret = cgroup_put(w, &place, "cpu.llc_prefer", "group");
	for (int i = 0; !ret && i < 3; i++)
		ret = child_start_into(w, &place, 0, &pid[i]);
	nap(w, 5000);
	if (!ret)
		ret = cgroup_put(w, &place, "cgroup.kill", "1");
	for (int i = 0; i < 3; i++) {
		if (pid[i] <= 0)
			continue;
		kill(pid[i], SIGKILL);
		child_wait(pid[i]);
	}
	gone = remove_soon(w, &place);
	return ret ?: gone;
}

/* A file that is open while its cgroup goes. */
static int use_removed(struct worker *w)
{
	struct place place = own_place(w);
	char path[128], buf[64];
	int ret = place_make(w, &place), fd;

	if (ret)
		return ret;
	snprintf(path, sizeof(path), TREE "/%s/cpu.llc_prefer", place.path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		ret = errno;
	else if (write(fd, "group", 5) < 0)
		ret = errno;
	if (!ret)
		ret = remove_soon(w, &place);
	else
		remove_soon(w, &place);
	if (!ret) {
		snprintf(w->what, WHAT_SIZE,
			 "%s: read and written when it is gone", path);
		if (write(fd, "off", 3) >= 0 || errno != ENODEV ||
		    pread(fd, buf, sizeof(buf), 0) >= 0 || errno != ENODEV)
			ret = EBADFD;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Let allocation @nth of a write fail, 1 being the next. Returns what the write does. */
static int write_without(int fd, const char *value, unsigned int nth)
{
	int fail = open(FAIL_NTH, O_WRONLY | O_CLOEXEC), ret = 0;
	char text[16];

	if (fail < 0)
		return errno;
	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(fail, text, strlen(text), 0) < 0 || write(fd, value, strlen(value)) < 0)
		ret = errno;
	if (pwrite(fail, "0", 1, 0) != 1)
		ret = EBADFD;	/* what follows would fail too */
	close(fail);
	return ret;
}

#define NR_WITHOUT	4

/*
 * Several writes, each without one of the allocations that it makes. After an error
 * the old value stands. NO_EFFECT: all of them did without.
 */
static int write_without_memory(struct worker *w)
{
	static const char *const values[] = { "group", "0-1", "group 0" };
	unsigned int now = rng_below(&w->rng, 3);
	struct place place = own_place(w);
	char path[128], text[4096];
	int ret = place_make(w, &place), fd = -1, failures = 0, gone;

	if (ret)
		return ret;
	ret = cgroup_put(w, &place, "cpu.llc_prefer", values[now]);
	snprintf(path, sizeof(path), TREE "/%s/cpu.llc_prefer", place.path);
	if (!ret)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (!ret && fd < 0)
		ret = errno;
	for (int i = 0; !ret && i < NR_WITHOUT; i++) {
		unsigned int next = (now + 1 + rng_below(&w->rng, 2)) % 3;
		int failed = write_without(fd, values[next], 1 + rng_below(&w->rng, 16));

		if (!failed)
			now = next;
		else if (failed == ENOMEM)
			failures++;
		else
			ret = failed;
		if (!ret)
			ret = cgroup_get(w, &place, "cpu.llc_prefer", text, sizeof(text));
		text[strcspn(text, "\n")] = '\0';
		if (!ret && strcmp(text, values[now]))
			ret = EBADMSG;
	}
	if (fd >= 0)
		close(fd);
	if (!ret && !failures)
		ret = NO_EFFECT;
	gone = remove_soon(w, &place);
	return ret ?: gone;
}

/* The cpu controller, and with it what is stated, goes from a cgroup's children. */
static int flip_controller(struct worker *w)
{
	struct place place = place_pick(w, PLACE_FLIPS, 0);
	int ret = cgroup_put(w, &place, "cgroup.subtree_control", "-cpu"), back;

	nap(w, 5000);
	back = cgroup_put(w, &place, "cgroup.subtree_control", "+cpu");
	return ret ?: back;
}

/* @file is @value for at most @usec, then @back. */
static int for_a_moment(struct worker *w, int kinds, const char *file, const char *value,
			unsigned int usec, const char *back)
{
	struct place place = place_pick(w, kinds, 0);
	int ret = cgroup_put(w, &place, file, value);

	if (ret)
		return ret;
	nap(w, usec);
	return cgroup_put(w, &place, file, back);
}

static int throttle(struct worker *w)
{
	char value[32];
	unsigned int period = 5000 << rng_below(&w->rng, 3);

	snprintf(value, sizeof(value), "%u %u", 1000 + rng_below(&w->rng, 2000), period);
	return for_a_moment(w, PLACE_ANY, "cpu.max", value, 40000, "max");
}

static int freeze(struct worker *w)
{
	return for_a_moment(w, PLACE_PROCS | PLACE_THREADS, "cgroup.freeze", "1", 10000, "0");
}

static int set_idle(struct worker *w)
{
	return for_a_moment(w, PLACE_ANY, "cpu.idle", "1", 10000, "0");
}

static int set_weight(struct worker *w)
{
	struct place place = place_pick(w, PLACE_ANY, 0);
	char value[16];

	/* Not the extremes: a task that starves is slow to obey, and to end. */
	snprintf(value, sizeof(value), "%u", 20 + rng_below(&w->rng, 500));
	return cgroup_put(w, &place, "cpu.weight", value);
}

/* For a moment any CPUs; for longer most of them, so that nobody starves. */
static int set_cpuset(struct worker *w)
{
	struct place place = place_pick(w, PLACE_ANY, 0);
	char list[64];

	if (rng_below(&w->rng, 2)) {
		random_list(w, list, sizeof(list));
		return for_a_moment(w, PLACE_ANY, "cpuset.cpus", list, 40000, "\n");
	}
	snprintf(list, sizeof(list), "%u-%d", rng_below(&w->rng, nr_cpus / 2), nr_cpus - 1);
	return cgroup_put(w, &place, "cpuset.cpus", list);
}

/* --- the machine ----------------------------------------------------------- */

static int make_partition(struct worker *w, const struct place *place, int first, int last,
			  const char *kind)
{
	char text[256];
	int ret;

	snprintf(text, sizeof(text), "%d-%d", first, last);
	ret = cgroup_put(w, place, "cpuset.cpus", text);
	if (!ret)
		ret = cgroup_put(w, place, "cpuset.cpus.partition", kind);
	if (!ret)
		ret = cgroup_get(w, place, "cpuset.cpus.partition", text, sizeof(text));
	if (!ret && strncmp(text + strlen(kind), "\n", 1))
		ret = NO_EFFECT;
	return ret;
}

/* The whole tree as a partition, and now and then one inside of it. */
static int partition(struct worker *w)
{
	static const struct place top = { ".", 1, false }, inner = { "a", 2, false };
	int first = 1 + rng_below(&w->rng, nr_cpus - 2);
	int last = first + 1 + rng_below(&w->rng, nr_cpus - first - 1);
	bool nested = rng_below(&w->rng, 3) == 0;
	char saved[WHAT_SIZE];
	int ret, back;

	ret = make_partition(w, &top, first, last, rng_below(&w->rng, 4) ? "root" : "isolated");
	if (!ret && nested)
		ret = make_partition(w, &inner, first, first, "root");
	if (!ret)
		nap(w, 50000);
	memcpy(saved, w->what, sizeof(saved));
	back = nested ? cgroup_put(w, &inner, "cpuset.cpus.partition", "member") ?:
			cgroup_put(w, &inner, "cpuset.cpus", "\n") : 0;
	back = back ?: cgroup_put(w, &top, "cpuset.cpus.partition", "member");
	back = back ?: cgroup_put(w, &top, "cpuset.cpus", "\n");
	if (!back)
		memcpy(w->what, saved, sizeof(saved));
	return back ?: ret;
}

static int hotplug(struct worker *w)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 1 + rng_below(&w->rng, nr_cpus - 1));
	ret = file_put(w, path, "0");
	if (ret)
		return ret;
	nap(w, 30000);
	ret = file_put(w, path, "1");
	/* What keeps a CPU from going is no reason why it could not come. */
	return ret == EBUSY ? ENODEV : ret;
}

/* Cache aware scheduling off and on. */
static int flip_switch(struct worker *w)
{
	int ret = file_put(w, SWITCH, "0"), back;

	nap(w, 20000);
	back = file_put(w, SWITCH, "1");
	return ret ?: back;
}

/*
 * ENOSPC: no CPU is left for the cgroup, since a partition below took them all.
 * Where a cgroup or its controller may vanish, ENOENT and ENODEV are expected too.
 */
const struct op ops[] = {
	{ "write default",		write_default,		.weight = 80 },
	{ "write group",		write_group,		.weight = 110 },
	{ "write group CPULIST",	write_group_list,	.weight = 100 },
	{ "write CPULIST",		write_list,		.weight = 110 },
	{ "write process",		write_process,		.weight = 70 },
	{ "write off",			write_off,		.weight = 70 },
	{ "write what is no value",	write_invalid,		.weight = 60 },
	{ "write what is read",		write_same,		.weight = 60 },
	{ "write without memory",	write_without_memory,	.weight = 6, .may = { NO_EFFECT },
	  .needs = &have_faults },
	{ "read effective",		read_effective,		.weight = 110 },
	{ "read stat",			read_stat,		.weight = 110, .needs = &have_stat },
	{ "read the counters",		read_counters,		.weight = 4 },
	{ "fork",			member_fork,		.weight = 28, .may = { ENOSPC } },
	{ "clone into a cgroup",	member_clone_into,	.weight = 18, .may = { ENOSPC } },
	{ "exit",			member_end,		.weight = 40, .may = { ENOSPC } },
	{ "exec",			exec_one,		.weight = 12, .may = { ENOSPC } },
	{ "exec with threads",		exec_threads,		.weight = 8, .may = { ENOSPC } },
	{ "vfork and exec",		member_vfork,		.weight = 12, .may = { ENOSPC } },
	{ "clone with its memory",	clone_vm,		.weight = 12, .may = { ENOSPC } },
	{ "the same and exec",		clone_vm_exec,		.weight = 8, .may = { ENOSPC } },
	{ "fork and exit storm",	storm,			.weight = 5, .may = { ENOSPC } },
	{ "session",			session,		.weight = 5 },
	{ "thread starts",		thread_start,		.weight = 45, .may = { ENOSPC } },
	{ "thread ends",		thread_end,		.weight = 40, .may = { ENOSPC } },
	{ "exit with threads",		end_threads,		.weight = 6, .may = { ENOSPC } },
	{ "move a process",		move_process,		.weight = 75, .may = { ENOSPC } },
	{ "move a thread",		move_thread,		.weight = 75, .may = { ENOSPC } },
	{ "move all threads",		move_threads,		.weight = 20, .may = { ENOSPC } },
	{ "affinity",			set_affinity,		.weight = 80, .may = { ENOSPC, EINVAL } },
	{ "stop and continue",		stop_and_go,		.weight = 25, .may = { ENOSPC } },
	{ "nice",			set_nice,		.weight = 40, .may = { ENOSPC } },
	{ "policy",			set_policy,		.weight = 50, .may = { ENOSPC } },
	{ "real-time for a moment",	real_time,		.weight = 20, .may = { ENOSPC } },
	{ "mkdir",			make_cgroup,		.weight = 24, .may = { EBUSY } },
	{ "rmdir",			remove_cgroup,		.weight = 20, .may = { EBUSY } },
	{ "mkdir, task, rmdir",		come_and_go,		.weight = 9, .may = { ENOSPC } },
	{ "mkdir, kill, rmdir",		kill_cgroup,		.weight = 4, .may = { ENOSPC } },
	{ "use when removed",		use_removed,		.weight = 8 },
	{ "controller off and on",	flip_controller,	.weight = 4 },
	{ "throttle",			throttle,		.weight = 20 },
	{ "freeze",			freeze,			.weight = 10 },
	{ "idle",			set_idle,		.weight = 15, .may = { EINVAL } },
	{ "weight",			set_weight,		.weight = 20, .may = { EINVAL } },
	{ "cpuset",			set_cpuset,		.weight = 36, .may = { EINVAL } },
	{ "partition",			partition,		.weight = 3, .may = { EINVAL, NO_EFFECT },
	  .alone = ALONE_PARTITION },
	{ "hot-plug",			hotplug,		.weight = 3, .may = { EBUSY },
	  .alone = ALONE_HOTPLUG },
	{ "cache aware off and on",	flip_switch,		.weight = 5, .alone = ALONE_SWITCH },
};

const int nr_ops = sizeof(ops) / sizeof(ops[0]);
