// SPDX-License-Identifier: GPL-2.0
/*
 * Does cpu.llc_prefer live through what happens to a machine and its cgroups:
 * hot-plug, cpusets that change, tasks that exec, exit, move and are throttled,
 * and the switch of cache aware scheduling? Each test ends with the scheduler's
 * counters of tasks that prefer an LLC, which must be zero once the tasks are
 * gone: a task that was counted in and not out shows there.
 *
 * llc_prefer_run() in llc_prefer_util.h says how to call it.
 */

#define _GNU_SOURCE
#include <linux/limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "cgroup_util.h"
#include "llc_prefer_load.h"
#include "llc_prefer_util.h"
#include "llc_prefer_watch.h"

#define CPU_DIR		"/sys/devices/system/cpu"
#define LLC_ENABLED	"/sys/kernel/debug/sched/llc_balancing/enabled"
#define SCHED_DEBUG	"/sys/kernel/debug/sched/debug"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define AUTOGROUP	"/proc/sys/kernel/sched_autogroup_enabled"

#define NR_TASKS	2	/* an LLC of four holds them with a CPU off */
#define NOTICE_MS	5000	/* a change of the machine has come through */
#define COUNTERS_MS	5000	/* dead tasks have left the runqueues */

/*
 * The scheduler's counters
 */

struct counters {
	long running;	/* nr_pref_llc_running of all CPUs */
	long counts;	/* llc_counts of all CPUs */
	int nr;		/* lines of either */
};

/* Returns 0, or -1 after a message. */
static int counters_read(struct counters *counters)
{
	FILE *debug = fopen(SCHED_DEBUG, "r");
	char line[256];
	long value;

	memset(counters, 0, sizeof(*counters));
	if (!debug) {
		ksft_print_msg("cannot read " SCHED_DEBUG "\n");
		return -1;
	}
	while (fgets(line, sizeof(line), debug)) {
		/* What is added up is how far they are off: no -1 hides a 1. */
		if (sscanf(line, " .nr_pref_llc_running : %ld", &value) == 1)
			counters->running += labs(value);
		else if (sscanf(line, " .llc_counts : %ld", &value) == 1)
			counters->counts += labs(value);
		else
			continue;
		counters->nr++;
	}
	fclose(debug);
	if (counters->nr)
		return 0;
	ksft_print_msg(SCHED_DEBUG " has no counters of preferences\n");
	return -1;
}

/* They are @wanted within COUNTERS_MS; 0, or -1 after a message. */
static int counters_are(long wanted)
{
	struct counters counters;
	long start = now_ms();
	bool match;

	do {
		if (counters_read(&counters))
			return -1;
		match = counters.running == wanted && counters.counts == wanted;
		if (!match)
			sleep_ms(50);
	} while (!match && now_ms() - start < COUNTERS_MS);
	ksft_print_msg("nr_pref_llc_running %ld and llc_counts %ld after %ld ms, wanted %ld\n",
		       counters.running, counters.counts, now_ms() - start, wanted);
	return match ? 0 : -1;
}

/* Tasks that prefer an LLC are gone, and no CPU counts any. */
static int counters_are_zero(void)
{
	return counters_are(0);
}

/* The end of every test, when its tasks are gone. */
static int finish(int ret)
{
	if (ret != KSFT_PASS)
		return ret;
	return counters_are_zero() ? KSFT_FAIL : KSFT_PASS;
}

/* Zero says something only of counters that count. */
static int test_llc_prefer_counters_count(const char *root)
{
	struct stage stage = {};
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_counted", llcs[1].list, PROCESSES, NR_TASKS) ||
	    gathers(&stage.crowd, 2, &settles, "list") || counters_are(NR_TASKS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return finish(ret);
}

/*
 * Hot-plug
 */

/* Can all CPUs of the LLC go offline? On x86 the first of the machine cannot. */
static bool pluggable(const cpu_set_t *cpus)
{
	char path[64];
	int cpu;

	for (cpu = 0; cpu <= last_cpu; cpu++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/online", cpu);
		if (CPU_ISSET(cpu, cpus) && access(path, W_OK))
			return false;
	}
	return true;
}

/* Switches CPUs; 0, or -1 after a message. */
static int plug(const cpu_set_t *cpus, bool on)
{
	int err = cpus_online(cpus, on);

	if (err)
		ksft_print_msg("CPUs %s do not go %s: %s\n", cpulist(cpus),
			       on ? "online" : "offline", strerror(-err));
	return err ? -1 : 0;
}

/*
 * Some CPUs of an LLC go and come back, and never the last one: a group on that
 * LLC stays, on what is left.
 */
static int group_outlives_cpus(struct stage *stage, int llc, const cpu_set_t *gone)
{
	cpu_set_t left = llcs[llc].cpus;
	int cpu;

	for (cpu = 0; cpu <= last_cpu; cpu++)
		if (CPU_ISSET(cpu, gone))
			CPU_CLR(cpu, &left);
	if (plug(gone, false))
		return -1;
	if (effective_becomes(stage->cgroup, "group", cpulist(&left), "active",
			      NOTICE_MS) ||
	    gathers(&stage->crowd, 1ULL << llc, &returns, "with CPUs offline"))
		return -1;
	if (plug(gone, true))
		return -1;
	if (effective_becomes(stage->cgroup, "group", llcs[llc].list, "active",
			      NOTICE_MS) ||
	    gathers(&stage->crowd, 1ULL << llc, &returns, "all online again"))
		return -1;
	return 0;
}

/* A group that gathered on the last LLC, which CPU 0 is no part of. */
static int group_on_last_llc(struct stage *stage, const char *root, const char *name)
{
	int llc = nr_llcs - 1;

	if (stage_set(stage, root, name, llcs[llc].list, PROCESSES, NR_TASKS))
		return -1;
	if (gathers(&stage->crowd, 1ULL << llc, &settles, "list"))
		return -1;
	if (prefer(stage->cgroup, "group"))
		return -1;
	return effective_becomes(stage->cgroup, "group", llcs[llc].list, "active",
				 SETTLE_MS);
}

static int test_llc_prefer_group_outlives_a_cpu(const char *root)
{
	struct stage stage = {};
	int ret = KSFT_FAIL;
	cpu_set_t gone;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	CPU_ZERO(&gone);
	CPU_SET(llcs[nr_llcs - 1].first, &gone);
	if (!pluggable(&gone))
		return skip("CPU %s does not go offline", cpulist(&gone));
	if (group_on_last_llc(&stage, root, "llc_cpu") ||
	    group_outlives_cpus(&stage, nr_llcs - 1, &gone))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cpus_online(&gone, true);
	stage_clear(&stage);
	return finish(ret);
}

/* All CPUs of an LLC but one of each core. */
static cpu_set_t second_threads(int llc)
{
	char path[96], text[LIST_SIZE];
	cpu_set_t second, siblings;
	int cpu, first;

	CPU_ZERO(&second);
	for (cpu = 0; cpu <= last_cpu; cpu++) {
		snprintf(path, sizeof(path),
			 CPU_DIR "/cpu%d/topology/thread_siblings_list", cpu);
		if (!CPU_ISSET(cpu, &llcs[llc].cpus) ||
		    read_text(path, text, sizeof(text)) <= 0 ||
		    cpulist_read(text, &siblings))
			continue;
		for (first = 0; !CPU_ISSET(first, &siblings); first++)
			;
		if (cpu != first)
			CPU_SET(cpu, &second);
	}
	return second;
}

/* One sibling of one core goes, then one of each core. */
static int test_llc_prefer_group_outlives_smt_siblings(const char *root)
{
	int ret = KSFT_FAIL, llc = nr_llcs - 1, cpu;
	struct stage stage = {};
	cpu_set_t second, one;

	second = second_threads(llc);
	if (!CPU_COUNT(&second))
		return skip("needs cores of two hardware threads");
	if (!fits(2, NR_TASKS + CPU_COUNT(&second)))
		return KSFT_SKIP;
	if (!pluggable(&second))
		return skip("CPUs %s do not go offline", cpulist(&second));
	for (cpu = 0; !CPU_ISSET(cpu, &second); cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (group_on_last_llc(&stage, root, "llc_smt") ||
	    group_outlives_cpus(&stage, llc, &one) ||
	    group_outlives_cpus(&stage, llc, &second))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cpus_online(&second, true);
	stage_clear(&stage);
	return finish(ret);
}

/* The LLC of a group goes: the group has another one, and keeps one after that. */
static int test_llc_prefer_group_outlives_its_llc(const char *root)
{
	const struct llc *gone = &llcs[nr_llcs - 1];
	struct stage stage = {};
	int ret = KSFT_FAIL, llc;

	if (!fits(3, NR_TASKS + 1))
		return KSFT_SKIP;
	if (!pluggable(&gone->cpus))
		return skip("CPUs %s do not go offline", gone->list);
	if (group_on_last_llc(&stage, root, "llc_gone"))
		goto cleanup;
	if (plug(&gone->cpus, false) ||
	    gathers(&stage.crowd, ANY_LLC, &returns, "its LLC offline"))
		goto cleanup;
	llc = chosen_llc(stage.cgroup);
	if (llc < 0 || gathered(&stage.crowd, 1ULL << llc, "effective") ||
	    effective_is(stage.cgroup, "group", llcs[llc].list, "active"))
		goto cleanup;
	if (plug(&gone->cpus, true) ||
	    gathers(&stage.crowd, ANY_LLC, &returns, "online again") ||
	    effective_becomes(stage.cgroup, "group", NULL, "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cpus_online(&gone->cpus, true);
	stage_clear(&stage);
	return finish(ret);
}

/* A list names an LLC that is there, or one that is not. */
static int names_its_llc(const struct stage *stage, int llc, bool there)
{
	struct residency res;
	char what[64];

	if (effective_becomes(stage->cgroup, "list", there ? llcs[llc].list : "",
			      there ? "active" : "offline", NOTICE_MS))
		return -1;
	snprintf(what, sizeof(what), "list of LLC %d", llc);
	if (there)
		return gathers(&stage->crowd, 1ULL << llc, &returns, what);

	/* Nobody waits for it. */
	crowd_watch(&stage->crowd, WATCH_MS, &res);
	ksft_print_msg("%s, offline: ran %llu ms, wanted more than 0, %.1f %% there, wanted 0\n",
		       what, res.total / 1000000, residency_on(&res, 1ULL << llc));
	return res.total && residency_on(&res, 1ULL << llc) == 0 ? 0 : -1;
}

static int test_llc_prefer_list_outlives_its_llc(const char *root)
{
	const struct llc *gone = &llcs[nr_llcs - 1];
	struct stage stage = {};
	int ret = KSFT_FAIL;

	if (!fits(3, NR_TASKS + 1))
		return KSFT_SKIP;
	if (!pluggable(&gone->cpus))
		return skip("CPUs %s do not go offline", gone->list);
	if (stage_set(&stage, root, "llc_gone", gone->list, PROCESSES, NR_TASKS))
		goto cleanup;
	if (names_its_llc(&stage, nr_llcs - 1, true) ||
	    plug(&gone->cpus, false) ||
	    names_its_llc(&stage, nr_llcs - 1, false) ||
	    plug(&gone->cpus, true) ||
	    names_its_llc(&stage, nr_llcs - 1, true))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cpus_online(&gone->cpus, true);
	stage_clear(&stage);
	return finish(ret);
}

/*
 * The kernel numbers LLCs anew as they come and go, and an LLC that comes back
 * takes the number of another one. That must not show.
 */
static int test_llc_prefer_lists_outlive_llc_ids(const char *root)
{
	int on[2] = { nr_llcs - 2, nr_llcs - 1 }, ret = KSFT_FAIL, i, step;
	static const struct {
		int which;
		bool on;
	} steps[] = {
		{ 0, false }, { 1, false }, { 1, true }, { 0, true },
		{ 1, false }, { 0, false }, { 1, true }, { 0, true },
	};
	struct stage stages[2] = {};
	bool there[2] = { true, true };

	if (!fits(4, NR_TASKS + 1))
		return KSFT_SKIP;
	for (i = 0; i < 2; i++)
		if (!pluggable(&llcs[on[i]].cpus))
			return skip("CPUs %s do not go offline", llcs[on[i]].list);
	if (stage_set(&stages[0], root, "llc_a", llcs[on[0]].list, PROCESSES, NR_TASKS) ||
	    stage_set(&stages[1], root, "llc_b", llcs[on[1]].list, PROCESSES, NR_TASKS))
		goto cleanup;
	for (step = 0; step < ARRAY_SIZE(steps); step++) {
		i = steps[step].which;
		there[i] = steps[step].on;
		if (plug(&llcs[on[i]].cpus, there[i]))
			goto cleanup;
		for (i = 0; i < 2; i++)
			if (names_its_llc(&stages[i], on[i], there[i]))
				goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	for (i = 0; i < 2; i++)
		cpus_online(&llcs[on[i]].cpus, true);
	for (i = 0; i < 2; i++)
		stage_clear(&stages[i]);
	return finish(ret);
}

/*
 * Cpusets
 */

static bool have_cpuset(const char *root)
{
	return !cg_read_strstr(root, "cgroup.subtree_control", "cpuset") ||
	       !cg_write(root, "cgroup.subtree_control", "+cpuset");
}

static int cpuset_write(const char *cgroup, const char *file, const char *text)
{
	if (!cg_write(cgroup, file, (char *)text))
		return 0;
	ksft_print_msg("%s: cannot write %s to %s\n", cgroup, quoted(text), file);
	return -1;
}

/* The wanted LLC may be used, and may not, and so on. */
static int test_llc_prefer_cpuset_flips(const char *root)
{
	int ret = KSFT_FAIL, llc = nr_llcs - 1, i;
	__u64 others = (1ULL << llc) - 1;
	struct stage stage = {};

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (!have_cpuset(root))
		return skip("no cpuset controller");
	if (stage_set(&stage, root, "llc_flips", llcs[llc].list, PROCESSES, NR_TASKS))
		goto cleanup;
	for (i = 0; i < 3; i++) {
		if (effective_becomes(stage.cgroup, "list", NULL, "active", NOTICE_MS) ||
		    gathers(&stage.crowd, 1ULL << llc, &returns, "in the cpuset"))
			goto cleanup;
		if (cpuset_write(stage.cgroup, "cpuset.cpus", llc_set_list(others)) ||
		    effective_becomes(stage.cgroup, "list", NULL, "cpuset", NOTICE_MS) ||
		    gathers(&stage.crowd, others, &settles, "not in the cpuset"))
			goto cleanup;
		if (cpuset_write(stage.cgroup, "cpuset.cpus", "\n"))
			goto cleanup;
	}
	for (i = 0; i < 40; i++) {
		if (cpuset_write(stage.cgroup, "cpuset.cpus",
				 i % 2 ? "\n" : llc_set_list(others)))
			goto cleanup;
		sleep_ms(20 + i);
	}
	if (effective_becomes(stage.cgroup, "list", NULL, "active", NOTICE_MS) ||
	    gathers(&stage.crowd, 1ULL << llc, &returns, "after many changes"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return finish(ret);
}

/* The last CPUs of the LLC: half of them. */
static cpu_set_t half(int llc)
{
	int nr = CPU_COUNT(&llcs[llc].cpus) / 2, cpu;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (cpu = last_cpu; cpu >= 0 && nr; cpu--) {
		if (CPU_ISSET(cpu, &llcs[llc].cpus)) {
			CPU_SET(cpu, &cpus);
			nr--;
		}
	}
	return cpus;
}

/*
 * A partition takes half of each of two LLCs: the half of an LLC that is in it is
 * what its tasks prefer, the other half what those outside do.
 */
static int partition_splits(const char *root, const char *type)
{
	int ret = KSFT_FAIL, llc = nr_llcs - 1;
	struct stage in = {}, out = {};
	cpu_set_t cpus, other;
	char seen[128] = "";
	struct effective eff;

	if (!fits(2, 4))
		return KSFT_SKIP;
	if (!have_cpuset(root))
		return skip("no cpuset controller");
	cpus = half(llc);
	other = half(llc - 1);
	CPU_OR(&cpus, &cpus, &other);

	/* One task each, so that all may move when half the LLC is gone. */
	if (stage_set(&in, root, "llc_in", llcs[llc].list, PROCESSES, 1) ||
	    stage_set(&out, root, "llc_out", llcs[llc].list, PROCESSES, 1) ||
	    gathers(&in.crowd, 1ULL << llc, &settles, "in it, before") ||
	    gathers(&out.crowd, 1ULL << llc, &settles, "outside, before"))
		goto cleanup;
	if (cpuset_write(in.cgroup, "cpuset.cpus", cpulist(&cpus)))
		goto cleanup;
	if (cg_write(in.cgroup, "cpuset.cpus.partition", (char *)type) ||
	    cg_read(in.cgroup, "cpuset.cpus.partition", seen, sizeof(seen)) ||
	    strncmp(seen, type, strlen(type)) || strstr(seen, "invalid")) {
		ret = skip("no cpuset partition: %s is %s", type, quoted(seen));
		goto cleanup;
	}
	if (gathers(&out.crowd, 1ULL << llc, &returns, "outside") ||
	    effective_becomes(out.cgroup, "list", NULL, "active", NOTICE_MS))
		goto cleanup;
	/* Nothing is balanced in an isolated one: its tasks stay where they are. */
	if (!strcmp(type, "root")) {
		if (gathers(&in.crowd, 1ULL << llc, &returns, "in it") ||
		    effective_becomes(in.cgroup, "list", NULL, "active", NOTICE_MS))
			goto cleanup;
	} else if (effective_read(in.cgroup, &eff) ||
		   gathers(&in.crowd, 3ULL << (llc - 1), &settles, "in it")) {
		goto cleanup;
	}
	if (prefer(in.cgroup, "group") || prefer(in.cgroup, llcs[llc].list))
		goto cleanup;

	if (cpuset_write(in.cgroup, "cpuset.cpus.partition", "member") ||
	    cpuset_write(in.cgroup, "cpuset.cpus", "\n"))
		goto cleanup;
	if (effective_becomes(in.cgroup, "list", llcs[llc].list, "active", NOTICE_MS) ||
	    effective_becomes(out.cgroup, "list", llcs[llc].list, "active", NOTICE_MS) ||
	    gathers(&in.crowd, 1ULL << llc, &returns, "in it, after") ||
	    gathers(&out.crowd, 1ULL << llc, &returns, "outside, after"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&out);
	stage_clear(&in);
	return finish(ret);
}

static int test_llc_prefer_root_partition_splits_llcs(const char *root)
{
	return partition_splits(root, "root");
}

static int test_llc_prefer_isolated_partition_splits_llcs(const char *root)
{
	return partition_splits(root, "isolated");
}

/*
 * Tasks that come and go
 */

/* Debug kernels tell what nobody refers to any more; 0, or -1 and what leaked. */
static int nothing_leaked(void)
{
	char line[256], first[256] = "";
	int nr = 0;
	FILE *leaks;

	if (access(KMEMLEAK, R_OK | W_OK)) {
		ksft_print_msg("no " KMEMLEAK ": leaks are not looked for\n");
		return 0;
	}
	/* Only what is five seconds old and was not found twice is reported. */
	sleep_ms(6000);
	if (file_write(KMEMLEAK, "scan") || file_write(KMEMLEAK, "scan"))
		return -1;
	leaks = fopen(KMEMLEAK, "r");
	if (!leaks)
		return -1;
	while (fgets(line, sizeof(line), leaks)) {
		if (!strstr(line, "llc_prefer") && !strstr(line, "sched_cache") &&
		    !strstr(line, "autogroup"))
			continue;
		if (!nr++)
			snprintf(first, sizeof(first), "%s", line);
	}
	fclose(leaks);
	if (nr)
		ksft_print_msg("%d leaks, wanted none; in %s", nr, first);
	return nr ? -1 : 0;
}

/* A child with a session, hence an autogroup, of its own enters @cgroup and ends. */
static int session_in(const char *cgroup)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (setsid() < 0 || cg_enter_current(cgroup))
			_exit(1);
		pid = fork();
		if (!pid)
			_exit(0);
		_exit(pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		ksft_print_msg("%s: cannot start a session\n", cgroup);
		return -1;
	}
	return 0;
}

/* The kernel moves every task that exits from its autogroup. */
static int test_llc_prefer_autogroups_exit(const char *root)
{
	struct stage stage = {};
	int ret = KSFT_FAIL, i;
	char before[16] = "";

	if (!fits(2, NR_TASKS + 2))
		return KSFT_SKIP;
	if (read_text(AUTOGROUP, before, sizeof(before)) <= 0)
		return skip("no " AUTOGROUP);
	if (file_write(AUTOGROUP, "1"))
		goto cleanup;
	if (stage_set(&stage, root, "llc_autogroup", "group", PROCESSES, NR_TASKS))
		goto cleanup;
	for (i = 0; i < 300; i++)
		if (session_in(stage.cgroup))
			goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &settles, "group, 300 sessions later") ||
	    effective_is(stage.cgroup, "group", NULL, "active"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	file_write(AUTOGROUP, before);
	stage_clear(&stage);
	if (ret == KSFT_PASS && nothing_leaked())
		ret = KSFT_FAIL;
	return finish(ret);
}

/*
 * Children that run on their parent's memory until they exec. What a group
 * occupies of its LLC changes with the memory, and is nowhere to be seen; what can
 * be is that they start where they should, and leave nothing in the counters.
 */
static int test_llc_prefer_exec_from_shared_memory(const char *root)
{
	struct load_account account;
	struct load load = {};
	int ret = KSFT_FAIL, turns = 20;
	__u64 births = 0;
	char *cgroup;

	if (!fits(2, 2))
		return KSFT_SKIP;
	cgroup = cgroup_make(root, "llc_spawn", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (prefer(cgroup, "group") || storm_start(&load, cgroup, SPAWNS, 2))
		goto cleanup;
	/* A kernel that checks everything it does takes its time. */
	while (births < 50 && turns--) {
		load_watch(&load, 3000, &account);
		births += account.births.total;
	}
	ksft_print_msg("%llu children, %.1f %% of the last %llu on CPUs %s, wanted at least 50\n",
		       births, residency_on(&account.births, ANY_LLC), account.births.total,
		       llc_set_list(busiest_set(&account.births)));
	if (births < 50)
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	load_stop(&load);
	cgroup_drop(cgroup);
	return finish(ret);
}

static int move_all(const struct crowd *crowd, const char *cgroup)
{
	int i;

	for (i = 0; i < crowd->nr; i++) {
		if (cg_enter(cgroup, crowd_tid(crowd, i))) {
			ksft_print_msg("cannot move a task into %s\n", cgroup);
			return -1;
		}
	}
	return 0;
}

/* Running tasks go from one preference to the next. */
static int test_llc_prefer_tasks_move_between_preferences(const char *root)
{
	static const char *const words[] = { "group", "off", "process", "default", "0" };
	char *cgroups[ARRAY_SIZE(words)] = {};
	struct crowd crowd = {};
	int ret = KSFT_FAIL, i;
	char name[32];

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(name, sizeof(name), "llc_move_%d", i);
		cgroups[i] = cgroup_make(root, name, false);
		if (!cgroups[i] || prefer(cgroups[i], words[i]))
			goto cleanup;
	}
	if (crowd_start(&crowd, cgroups[0], PROCESSES, NR_TASKS))
		goto cleanup;
	for (i = 0; i < 200; i++) {
		if (move_all(&crowd, cgroups[i % ARRAY_SIZE(words)]))
			goto cleanup;
		sleep_ms(i % 17);
	}
	if (move_all(&crowd, cgroups[0]) ||
	    gathers(&crowd, ANY_LLC, &settles, "in a group at last"))
		goto cleanup;
	if (move_all(&crowd, cgroups[ARRAY_SIZE(words) - 1]) ||
	    gathers(&crowd, 1, &settles, "with a list at last"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	crowd_stop(&crowd);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		cgroup_drop(cgroups[i]);
	return finish(ret);
}

/* Cgroups go as soon as what was in them is killed. */
static int test_llc_prefer_rmdir_after_kill(const char *root)
{
	static const char *const words[] = { "group", "0", "group 0", "off" };
	struct stage stage = {};
	int ret = KSFT_FAIL, i;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	for (i = 0; i < 40; i++) {
		if (stage_set(&stage, root, "llc_killed", words[i % ARRAY_SIZE(words)],
			      PROCESSES, NR_TASKS))
			goto cleanup;
		sleep_ms(2 * i);
		if (cg_killall(stage.cgroup)) {
			ksft_print_msg("%s: cannot kill what is in it\n", stage.cgroup);
			goto cleanup;
		}
		crowd_stop(&stage.crowd);
		if (rmdir(stage.cgroup)) {
			ksft_perror("rmdir");
			goto cleanup;
		}
		free(stage.cgroup);
		stage.cgroup = NULL;
	}
	ksft_print_msg("killed and removed %d cgroups\n", i);
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return finish(ret);
}

/*
 * Switches
 */

/* Preferences change while all tasks of the cgroup are kept from running. */
static int test_llc_prefer_throttled_tasks_change_theirs(const char *root)
{
	static const char *const words[] = { "group", "0", "off", "default" };
	int ret = KSFT_FAIL, llc = nr_llcs - 1, i;
	struct stage stage = {};
	long throttled;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_throttled", llcs[llc].list, PROCESSES,
		      NR_TASKS))
		goto cleanup;
	if (cg_write(stage.cgroup, "cpu.max", "2000 20000")) {
		ret = skip("no cpu.max");
		goto cleanup;
	}
	for (i = 0; i < 100; i++) {
		if (prefer(stage.cgroup, words[i % ARRAY_SIZE(words)]))
			goto cleanup;
		sleep_ms(7 + i % 10);
	}
	throttled = cg_read_key_long(stage.cgroup, "cpu.stat", "nr_throttled ");
	ksft_print_msg("throttled %ld times, wanted at least 10\n", throttled);
	if (throttled < 10)
		goto cleanup;
	if (cg_write(stage.cgroup, "cpu.max", "max") ||
	    prefer(stage.cgroup, llcs[llc].list) ||
	    gathers(&stage.crowd, 1ULL << llc, &returns, "let go"))
		goto cleanup;

	/* And they end throttled. */
	if (cg_write(stage.cgroup, "cpu.max", "1000 100000") ||
	    prefer(stage.cgroup, "group"))
		goto cleanup;
	sleep_ms(300);
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return finish(ret);
}

/* Cache aware scheduling is switched off and on under groups and lists. */
static int test_llc_prefer_switch_flips(const char *root)
{
	int ret = KSFT_FAIL, llc = nr_llcs - 1, i;
	struct stage group = {}, list = {};

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (access(LLC_ENABLED, W_OK))
		return skip("no " LLC_ENABLED);
	if (stage_set(&group, root, "llc_group", "group", PROCESSES, NR_TASKS) ||
	    stage_set(&list, root, "llc_list", llcs[llc].list, PROCESSES, NR_TASKS))
		goto cleanup;
	for (i = 0; i < 41; i++) {
		if (file_write(LLC_ENABLED, i % 2 ? "1" : "0"))
			goto cleanup;
		sleep_ms(10 + 2 * i);
	}
	if (effective_becomes(list.cgroup, "list", NULL, "disabled", NOTICE_MS))
		goto cleanup;
	if (file_write(LLC_ENABLED, "1") ||
	    effective_becomes(list.cgroup, "list", llcs[llc].list, "active", NOTICE_MS) ||
	    gathers(&list.crowd, 1ULL << llc, &returns, "list") ||
	    gathers(&group.crowd, ANY_LLC, &returns, "group") ||
	    effective_is(group.cgroup, "group", NULL, "active"))
		goto cleanup;

	/* Tasks that are counted while it is on may also end while it is off. */
	if (file_write(LLC_ENABLED, "0"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&list);
	stage_clear(&group);
	ret = finish(ret);
	file_write(LLC_ENABLED, "1");
	return ret;
}

/*
 * Many groups
 */

#define MANY		100	/* LLC_PREFER_GROUPS: less, for a kernel that is slow */
#define MANY_MS		5000
#define MANY_HOME	90.0	/* of their run time on their own LLC, in percent */
/* Of four LLCs of four CPUs, all together keep some six CPUs busy. */
#define MANY_RUN_US	2000
#define MANY_SLEEP_US	30000

/*
 * A hundred groups of one task that mostly sleeps: each finds an LLC and runs
 * there, all LLCs are used, and no task is left behind.
 */
static int test_llc_prefer_a_hundred_groups(const char *root)
{
	const char *env = getenv("LLC_PREFER_GROUPS");
	int many = env ? atoi(env) : MANY;
	struct stage *stages = calloc(many, sizeof(*stages));
	struct residency *before = calloc(many, sizeof(*before)), now;
	__u64 used = 0, all = ~0ULL >> (64 - nr_llcs);
	__u64 least = ~0ULL, sum = 0, home = 0;
	int ret = KSFT_FAIL, i, llc, idle = 0;
	struct stage *stage;
	char name[32];

	if (!fits(2, 2)) {
		ret = KSFT_SKIP;
		goto cleanup;
	}
	if (!stages || !before)
		goto cleanup;
	for (i = 0; i < many; i++) {
		stage = &stages[i];
		snprintf(name, sizeof(name), "llc_many_%d", i);
		stage->cgroup = cgroup_make(root, name, false);
		if (!stage->cgroup || prefer(stage->cgroup, "group") ||
		    crowd_start_periodic(&stage->crowd, stage->cgroup, 1, MANY_RUN_US,
					 MANY_SLEEP_US))
			goto cleanup;
	}
	sleep_ms(SETTLE_MS);
	for (i = 0; i < many; i++)
		crowd_ran(&stages[i].crowd, &before[i]);
	sleep_ms(MANY_MS);
	for (i = 0; i < many; i++) {
		crowd_ran(&stages[i].crowd, &now);
		residency_since(&now, &before[i]);
		sum += now.total;
		least = now.total < least ? now.total : least;
		llc = chosen_llc(stages[i].cgroup);
		if (llc < 0) {
			idle++;
			continue;
		}
		used |= 1ULL << llc;
		home += now.ns[llc];
	}
	ksft_print_msg("%d of %d groups have no LLC, wanted none\n", idle, many);
	ksft_print_msg("the others have CPUs %s, wanted %s\n", llc_set_list(used),
		       llc_set_list(all));
	ksft_print_msg("%.1f %% of all run time was on a group's LLC, wanted at least %.0f %%\n",
		       sum ? 100.0 * home / sum : 0, MANY_HOME);
	ksft_print_msg("the task that ran least ran %llu ms, wanted at least %llu\n",
		       least / 1000000, sum / many / 4 / 1000000);
	if (idle || used != all || !sum || 100.0 * home / sum < MANY_HOME ||
	    least < sum / many / 4)
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	/* At once: one by one, each would wait for a CPU that the rest keep busy. */
	for (i = 0; stages && i < many; i++)
		if (stages[i].crowd.page)
			kill(stages[i].crowd.pids[0], SIGKILL);
	for (i = 0; stages && i < many; i++)
		stage_clear(&stages[i]);
	free(before);
	free(stages);
	return finish(ret);
}

/*
 * Ten thousand below
 */

#define BELOW		10000	/* LLC_PREFER_CGROUPS: less, for a kernel that is slow */
#define IN_EACH		100

/* Make, or remove, the cgroups below @top: IN_EACH for each child, itself included. */
static int below(const char *top, int nr, bool make)
{
	char path[PATH_MAX];
	int i, j, ret = 0;

	for (i = 0; i < nr / IN_EACH && !ret; i++) {
		snprintf(path, sizeof(path), "%s/%d", top, i);
		if (make && (mkdir(path, 0755) ||
			     cg_write(path, "cgroup.subtree_control", "+cpu")))
			ret = -1;
		for (j = 0; j < IN_EACH - 1 && !ret; j++) {
			snprintf(path, sizeof(path), "%s/%d/%d", top, i, j);
			if (make)
				ret = mkdir(path, 0755);
			else
				rmdir(path);
		}
		snprintf(path, sizeof(path), "%s/%d", top, i);
		if (!make)
			rmdir(path);
	}
	if (ret)
		ksft_perror(path);
	return ret;
}

/* How many of the cgroups below @top are in @mode? */
static int in_mode(const char *top, int nr, const char *mode)
{
	struct effective eff;
	char path[PATH_MAX];
	int i, j, seen = 0;

	for (i = 0; i < nr / IN_EACH; i++) {
		for (j = -1; j < IN_EACH - 1; j++) {
			if (j < 0)
				snprintf(path, sizeof(path), "%s/%d", top, i);
			else
				snprintf(path, sizeof(path), "%s/%d/%d", top, i, j);
			seen += !effective_read(path, &eff) && !strcmp(eff.mode, mode);
		}
	}
	return seen;
}

/* A write reaches every cgroup below, and each that comes later. */
static int test_llc_prefer_ten_thousand_below(const char *root)
{
	const char *env = getenv("LLC_PREFER_CGROUPS");
	static const char *const words[] = { "group", "off", "default" };
	int nr = env ? atoi(env) : BELOW, ret = KSFT_FAIL, i, seen;
	const char *mode;
	char *top;
	long start;

	if (!fits(2, 2))
		return KSFT_SKIP;
	top = cgroup_make(root, "llc_ancestor", true);
	if (!top)
		return KSFT_FAIL;
	if (below(top, nr, true))
		goto cleanup;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		start = now_ms();
		if (prefer(top, words[i]))
			goto cleanup;
		ksft_print_msg("\"%s\" above %d cgroups took %ld ms, for information\n",
			       words[i], nr, now_ms() - start);
		mode = i < 2 ? words[i] : "process";
		seen = in_mode(top, nr, mode);
		ksft_print_msg("%d of %d are in mode %s, wanted all\n", seen, nr, mode);
		if (seen != nr)
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	below(top, nr, false);
	cgroup_drop(top);
	return finish(ret);
}

#define T(x) { x, #x }
static const struct llc_prefer_test tests[] = {
	T(test_llc_prefer_counters_count),
	T(test_llc_prefer_group_outlives_a_cpu),
	T(test_llc_prefer_group_outlives_smt_siblings),
	T(test_llc_prefer_group_outlives_its_llc),
	T(test_llc_prefer_list_outlives_its_llc),
	T(test_llc_prefer_lists_outlive_llc_ids),
	T(test_llc_prefer_cpuset_flips),
	T(test_llc_prefer_root_partition_splits_llcs),
	T(test_llc_prefer_isolated_partition_splits_llcs),
	T(test_llc_prefer_autogroups_exit),
	T(test_llc_prefer_exec_from_shared_memory),
	T(test_llc_prefer_tasks_move_between_preferences),
	T(test_llc_prefer_rmdir_after_kill),
	T(test_llc_prefer_throttled_tasks_change_theirs),
	T(test_llc_prefer_switch_flips),
	T(test_llc_prefer_a_hundred_groups),
	T(test_llc_prefer_ten_thousand_below),
};

#undef T

int main(int argc, char **argv)
{
	load_born_again(argc, argv);
	llc_prefer_run(argc, argv, tests, ARRAY_SIZE(tests));
}
