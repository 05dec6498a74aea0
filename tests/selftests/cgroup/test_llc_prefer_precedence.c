// SPDX-License-Identifier: GPL-2.0
/*
 * What comes before cpu.llc_prefer: affinity and cpuset bound it, it yields to
 * NUMA balancing, and it is nothing to utilisation clamps.
 *
 * CPU capacity and asymmetric packing come before it as well. No test: QEMU gives
 * an x86 machine neither CPUs of different capacity nor priorities among them,
 * and nothing else in the kernel makes them on one that has not got them.
 *
 * llc_prefer_run() in llc_prefer_util.h says how to call it.
 */

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "cgroup_util.h"
#include "llc_prefer_load.h"
#include "llc_prefer_util.h"
#include "llc_prefer_watch.h"

#define NR_TASKS	3
#define NOTICE_MS	5000	/* a change of the machine has come through */

/*
 * Affinity and cpuset
 */

/* A CPU is in use if a task was on it in this share of the looks, in percent. */
#define IN_USE		80.0
#define LOOKS		100
#define LOOK_MS		15

/* As many tasks as CPUs: a kernel thread makes one of them leave for a moment. */
static const struct promise fills = { 10000, 90.0, 90.0 };

static int have_cpuset(const char *root)
{
	return !cg_read_strstr(root, "cgroup.subtree_control", "cpuset") ||
	       !cg_write(root, "cgroup.subtree_control", "+cpuset");
}

static int allow(const char *cgroup, const cpu_set_t *cpus)
{
	if (!cg_write(cgroup, "cpuset.cpus", (char *)cpulist(cpus)))
		return 0;
	ksft_print_msg("%s: cannot set cpuset.cpus to %s\n", cgroup, cpulist(cpus));
	return -1;
}

/* The CPU on which a task is, or was last; -1 if it is gone. */
static int cpu_of(pid_t tid)
{
	char text[1024], *field;
	int nr;

	if (proc_read_text(tid, false, "stat", text, sizeof(text)) <= 0)
		return -1;
	field = strrchr(text, ')');	/* ends the second field */
	for (nr = 2; field && nr < 39; nr++)
		field = strchr(field + 1, ' ');
	return field ? atoi(field) : -1;
}

/* The crowd, of as many tasks as there are @cpus, has a task on each of them. */
static int uses_all(const struct crowd *crowd, const cpu_set_t *cpus,
		    const char *what)
{
	int seen[CPU_SETSIZE] = {}, look, i, cpu, least = -1;
	double share;
	cpu_set_t now;

	for (look = 0; look < LOOKS; look++) {
		CPU_ZERO(&now);
		for (i = 0; i < crowd->nr; i++) {
			cpu = cpu_of(crowd_tid(crowd, i));
			if (cpu >= 0 && cpu < CPU_SETSIZE)
				CPU_SET(cpu, &now);
		}
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			seen[cpu] += CPU_ISSET(cpu, &now);
		sleep_ms(LOOK_MS);
	}
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && (least < 0 || seen[cpu] < seen[least]))
			least = cpu;
	if (least < 0)
		return -1;
	share = 100.0 * seen[least] / LOOKS;
	ksft_print_msg("%s: of CPUs %s, CPU %d was used least, %.0f %% of the time, ",
		       what, cpulist(cpus), least, share);
	printf("wanted at least %.0f %%\n", IN_USE);
	return share >= IN_USE ? 0 : -1;
}

/* The last @nr CPUs of an LLC. */
static cpu_set_t tail(int llc, int nr)
{
	cpu_set_t cpus;
	int cpu;

	CPU_ZERO(&cpus);
	for (cpu = last_cpu; cpu >= 0 && nr; cpu--) {
		if (CPU_ISSET(cpu, &llcs[llc].cpus)) {
			CPU_SET(cpu, &cpus);
			nr--;
		}
	}
	return cpus;
}

/* A list of LLCs, what of them may be used, and what else. */
struct overlap {
	__u64 set;
	cpu_set_t cpus;
	cpu_set_t allowed;
};

/* Half of the last LLC, with the LLC before it. */
static struct overlap half_an_llc(void)
{
	int last = nr_llcs - 1;
	struct overlap overlap = {
		.set = 1ULL << last,
		.cpus = tail(last, CPU_COUNT(&llcs[last].cpus) / 2),
	};

	CPU_OR(&overlap.allowed, &overlap.cpus, &llcs[last - 1].cpus);
	return overlap;
}

/* One CPU of an LLC and all but one of the next, with the one after that. */
static struct overlap parts_of_two_llcs(void)
{
	struct overlap overlap = { .set = 3 };
	cpu_set_t one = tail(0, 1);

	overlap.cpus = tail(1, CPU_COUNT(&llcs[1].cpus) - 1);
	CPU_OR(&overlap.cpus, &overlap.cpus, &one);
	CPU_OR(&overlap.allowed, &overlap.cpus, &llcs[2].cpus);
	return overlap;
}

/* By cpuset, or by sched_setaffinity(): all CPUs of both, and no other, are used. */
static int overlap_is_used(const char *root, const struct overlap *overlap,
			   bool by_cpuset)
{
	struct stage stage = {};
	int ret = KSFT_FAIL;

	if (by_cpuset && !have_cpuset(root))
		return skip("no cpuset controller");
	if (stage_set(&stage, root, "llc_overlap", llc_set_list(overlap->set),
		      PROCESSES, CPU_COUNT(&overlap->cpus)))
		goto cleanup;
	if (by_cpuset ? allow(stage.cgroup, &overlap->allowed) :
			crowd_pin(&stage.crowd, &overlap->allowed))
		goto cleanup;
	if (gathers(&stage.crowd, overlap->set, &fills, "overlap") ||
	    uses_all(&stage.crowd, &overlap->cpus, "overlap"))
		goto cleanup;
	if (effective_becomes(stage.cgroup, "list", llc_set_list(overlap->set),
			      "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

static int test_llc_prefer_overlap_with_cpuset_is_used(const char *root)
{
	struct overlap overlap;

	if (!fits(2, 2))
		return KSFT_SKIP;
	overlap = half_an_llc();
	return overlap_is_used(root, &overlap, true);
}

static int test_llc_prefer_overlap_with_affinity_is_used(const char *root)
{
	struct overlap overlap;

	if (!fits(2, 2))
		return KSFT_SKIP;
	overlap = half_an_llc();
	return overlap_is_used(root, &overlap, false);
}

static int test_llc_prefer_overlap_of_two_llcs_with_cpuset_is_used(const char *root)
{
	struct overlap overlap;

	if (!fits(3, 2))
		return KSFT_SKIP;
	overlap = parts_of_two_llcs();
	return overlap_is_used(root, &overlap, true);
}

static int test_llc_prefer_overlap_of_two_llcs_with_affinity_is_used(const char *root)
{
	struct overlap overlap;

	if (!fits(3, 2))
		return KSFT_SKIP;
	overlap = parts_of_two_llcs();
	return overlap_is_used(root, &overlap, false);
}

/* More tasks than the overlap has CPUs: who finds no room there runs elsewhere. */
static int test_llc_prefer_overlap_that_is_full_is_left(const char *root)
{
	__u64 ran, waited, ran_before, waited_before;
	struct stage stage = {};
	struct overlap overlap;
	int ret = KSFT_FAIL;
	double share;
	long start;

	if (!fits(2, 2))
		return KSFT_SKIP;
	if (!have_cpuset(root))
		return skip("no cpuset controller");
	overlap = half_an_llc();
	if (stage_set(&stage, root, "llc_overlap", llc_set_list(overlap.set), PROCESSES,
		      CPU_COUNT(&overlap.cpus) + 1) ||
	    allow(stage.cgroup, &overlap.allowed))
		goto cleanup;
	if (crowd_waited(&stage.crowd, &ran, &waited)) {
		ret = skip("no /proc/PID/schedstat");
		goto cleanup;
	}
	start = now_ms();
	while (uses_all(&stage.crowd, &overlap.cpus, "one more than the overlap holds"))
		if (now_ms() - start > NOTICE_MS)
			goto cleanup;
	crowd_waited(&stage.crowd, &ran_before, &waited_before);
	sleep_ms(WATCH_MS);
	crowd_waited(&stage.crowd, &ran, &waited);
	ran -= ran_before;
	waited -= waited_before;
	share = 100.0 * waited / (ran + waited);
	ksft_print_msg("waited %.1f %% of the time, wanted at most 10 %%\n", share);
	if (share > 10)
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* A preference for CPUs that may not be used is none. */
static int test_llc_prefer_outside_cpuset_is_inert(const char *root)
{
	static const char *const formats[] = { "%s", "group %s" };
	struct stage stage = {};
	char value[LIST_SIZE + 16];
	int ret = KSFT_FAIL, i;
	cpu_set_t allowed;
	__u64 set;

	if (!fits(3, NR_TASKS + 1))
		return KSFT_SKIP;
	if (!have_cpuset(root))
		return skip("no cpuset controller");
	/* Two that may be on one node: few tasks on one of two nodes may well stay. */
	set = 3ULL << (nr_llcs - 2);
	allowed = llc_set_cpus(set);
	if (stage_set(&stage, root, "llc_outside", NULL, PROCESSES, NR_TASKS) ||
	    allow(stage.cgroup, &allowed))
		goto cleanup;
	if (scatters(&stage.crowd, SCATTER_MS, "default"))
		goto cleanup;
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		snprintf(value, sizeof(value), formats[i], llcs[0].list);
		if (prefer(stage.cgroup, value) ||
		    effective_becomes(stage.cgroup, i ? "group" : "list", NULL,
				      "cpuset", NOTICE_MS))
			goto cleanup;
		if (gathers(&stage.crowd, set, &settles, value) ||
		    scatters(&stage.crowd, SCATTER_MS, value))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/*
 * NUMA balancing
 */

#define NUMA_SYSCTL	"/proc/sys/kernel/numa_balancing"
#define NUMA_DEBUG	"/sys/kernel/debug/sched/numa_balancing/"

#define HOARDERS	2
#define HOARD_MB	16
#define ENGAGE_MS	20000	/* NUMA balancing knows where the memory is */
#define NEAR		90.0	/* of the run time on the memory's node, percent */

/* A load balancer that tries the other node is corrected, in a moment: most of it. */
#define MOST		60.0

static const struct promise yields = { 10000, NEAR, MOST };

/* Settings to have NUMA balancing look at memory as often as it can. */
static struct {
	const char *path;
	const char *fast;
	char before[32];
} numa_settings[] = {
	{ NUMA_DEBUG "scan_delay_ms", "100" },
	{ NUMA_DEBUG "scan_period_min_ms", "100" },
	{ NUMA_DEBUG "scan_period_max_ms", "200" },
	{ NUMA_SYSCTL, "1" },
};

static pid_t numa_owner;

static void numa_restore(void)
{
	int i;

	/* A child that exits runs this as well. */
	if (getpid() != numa_owner)
		return;
	for (i = 0; i < ARRAY_SIZE(numa_settings); i++)
		if (numa_settings[i].before[0])
			file_write(numa_settings[i].path, numa_settings[i].before);
}

/* Off, but for its own test: it moves the tasks of the others as well. */
static void numa_off(void)
{
	file_write(NUMA_SYSCTL, "0");
}

static void numa_begin(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(numa_settings); i++)
		read_text(numa_settings[i].path, numa_settings[i].before,
			  sizeof(numa_settings[i].before));
	numa_owner = getpid();
	atexit(numa_restore);
	numa_off();
}

/* Returns 0, or -1 if the kernel has not got it. */
static int numa_hurry(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(numa_settings); i++)
		if (file_write(numa_settings[i].path, numa_settings[i].fast))
			return -1;
	return 0;
}

/* The node on which NUMA balancing wants a task, -1 if none. */
static int numa_preferred(pid_t pid)
{
	char text[16384], *line;

	if (proc_read_text(pid, false, "sched", text, sizeof(text)) <= 0)
		return -1;
	line = strstr(text, "numa_preferred_nid");
	line = line ? strchr(line, ':') : NULL;
	return line ? atoi(line + 1) : -1;
}

/* Says where NUMA balancing wants the tasks: without it a failure means nothing. */
static void numa_tell(const struct load *load)
{
	int i;

	for (i = 0; i < load->nr; i++)
		ksft_print_msg("NUMA balancing wants task %d on node %d\n", i,
			       numa_preferred(load->pids[i]));
}

/* Returns how long it took until all tasks are wanted on @node, or -1. */
static long numa_engages(const struct load *load, int node)
{
	long start = now_ms();
	int i = 0;

	while (i < load->nr) {
		if (numa_preferred(load->pids[i]) == node)
			i++;
		else if (now_ms() - start < ENGAGE_MS)
			sleep_ms(50);
		else
			return -1;
	}
	return now_ms() - start;
}

/*
 * The memory is on one node, the list is on the other: the tasks stay with their
 * memory. Without NUMA balancing they follow the list, memory or not.
 */
static int test_llc_prefer_yields_to_numa_balancing(const char *root)
{
	int ret = KSFT_FAIL, node = llcs[0].node, far = -1, i;
	struct load load = {};
	cpu_set_t cpus;
	__u64 near = 0;
	char *cgroup;
	long took;

	if (!fits(3, HOARDERS + 1))
		return KSFT_SKIP;
	for (i = 0; i < nr_llcs; i++) {
		if (llcs[i].node == node)
			near |= 1ULL << i;
		else
			far = i;
	}
	if (far < 0 || near == 1)
		return skip("needs two NUMA nodes, the first with two LLCs");
	cgroup = cgroup_make(root, "llc_numa", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (numa_hurry()) {
		ret = skip("no " NUMA_SYSCTL " or no " NUMA_DEBUG);
		goto cleanup;
	}
	cpus = llc_set_cpus(near);
	if (hoard_start(&load, cgroup, HOARDERS, HOARD_MB, &cpus))
		goto cleanup;
	took = numa_engages(&load, node);
	if (took < 0) {
		ret = skip("NUMA balancing has not chosen node %d after %d ms", node,
			   ENGAGE_MS);
		goto cleanup;
	}
	ksft_print_msg("NUMA balancing chose node %d after %ld ms\n", node, took);

	if (prefer(cgroup, llcs[far].list))
		goto cleanup;
	if (effective_becomes(cgroup, "list", llcs[far].list, "numa", NOTICE_MS) ||
	    load_gathers(&load, near, &yields, "list on the other node"))
		goto cleanup;

	/* Of a list on both, the part where the memory is. */
	if (prefer(cgroup, llc_set_list(1ULL << far | 2)) ||
	    load_gathers(&load, 2, &yields, "list on both nodes"))
		goto cleanup;

	numa_off();
	if (prefer(cgroup, llcs[far].list))
		goto cleanup;
	if (load_gathers(&load, 1ULL << far, &returns, "no NUMA balancing") ||
	    effective_becomes(cgroup, "list", llcs[far].list, "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	if (ret == KSFT_FAIL)
		numa_tell(&load);
	load_stop(&load);
	cgroup_drop(cgroup);
	numa_off();
	return ret;
}

/*
 * Utilisation clamps
 */

/* A group's choice is about running tasks: clamps move none of them. */
static int test_llc_prefer_uclamp_changes_nothing(const char *root)
{
	static const struct {
		const char *file;
		const char *value;
	} clamps[] = {
		{ "cpu.uclamp.max", "10" },
		{ "cpu.uclamp.max", "max" },
		{ "cpu.uclamp.min", "90" },
	};
	struct stage stage = {};
	int ret = KSFT_FAIL, llc, i;
	char what[64];

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_uclamp", "group", PROCESSES, NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &settles, "group"))
		goto cleanup;
	llc = chosen_llc(stage.cgroup);
	if (llc < 0)
		goto cleanup;
	for (i = 0; i < ARRAY_SIZE(clamps); i++) {
		if (cg_write(stage.cgroup, clamps[i].file, (char *)clamps[i].value)) {
			ret = skip("no %s", clamps[i].file);
			goto cleanup;
		}
		snprintf(what, sizeof(what), "%s of %s", clamps[i].file,
			 clamps[i].value);
		if (gathered(&stage.crowd, 1ULL << llc, what) ||
		    effective_is(stage.cgroup, "group", llcs[llc].list, "active"))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

#define T(x) { x, #x }
static const struct llc_prefer_test tests[] = {
	T(test_llc_prefer_overlap_with_cpuset_is_used),
	T(test_llc_prefer_overlap_with_affinity_is_used),
	T(test_llc_prefer_overlap_of_two_llcs_with_cpuset_is_used),
	T(test_llc_prefer_overlap_of_two_llcs_with_affinity_is_used),
	T(test_llc_prefer_overlap_that_is_full_is_left),
	T(test_llc_prefer_outside_cpuset_is_inert),
	T(test_llc_prefer_yields_to_numa_balancing),
	T(test_llc_prefer_uclamp_changes_nothing),
};

#undef T

int main(int argc, char **argv)
{
	numa_begin();
	llc_prefer_run(argc, argv, tests, ARRAY_SIZE(tests));
}
