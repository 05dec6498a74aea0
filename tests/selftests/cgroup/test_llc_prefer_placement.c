// SPDX-License-Identifier: GPL-2.0
/*
 * Do tasks run where cpu.llc_prefer says? Crowds of busy tasks are watched while
 * values are written; the figure is the share of their run time on an LLC, by
 * their own CPU clocks, so that a slow or emulated machine will do.
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
#include "llc_prefer_util.h"
#include "llc_prefer_watch.h"

#define LLC_ENABLED	"/sys/kernel/debug/sched/llc_balancing/enabled"

/*
 * Three busy tasks fit an LLC of four CPUs with one CPU to spare; the kernel's
 * own gathering of threads wants a fifth of the LLC to be free.
 */
#define NR_TASKS	3

/* What per-process gathering does by itself, as measured. */
static const struct promise by_itself = { SCATTER_MS, 90, 90 };

/* Without a value the tasks are spread; with `group` they are on one LLC. */
static int test_llc_prefer_group_gathers(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_group", NULL, PROCESSES, NR_TASKS))
		goto cleanup;
	if (scatters(&stage.crowd, SETTLE_MS, "default"))
		goto cleanup;
	if (prefer(stage.cgroup, "group"))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &settles, "group"))
		goto cleanup;
	if (effective_is(stage.cgroup, "group", NULL, "active"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* The LLC that the kernel says is the one on which the tasks run. */
static int test_llc_prefer_effective_tells_the_truth(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL, llc;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_truth", "group", PROCESSES, NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &settles, "group"))
		goto cleanup;
	llc = chosen_llc(stage.cgroup);
	if (llc < 0 || gathered(&stage.crowd, 1ULL << llc, "effective"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* Each LLC in turn, by a list: the crowd is there within a second each time. */
static int test_llc_prefer_list_is_followed_at_once(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL, i;
	char what[32];

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_list", NULL, PROCESSES, NR_TASKS))
		goto cleanup;
	for (i = nr_llcs - 1; i >= 0; i--) {
		snprintf(what, sizeof(what), "list of LLC %d", i);
		if (prefer(stage.cgroup, llcs[i].list))
			goto cleanup;
		if (gathers(&stage.crowd, 1ULL << i, &follows, what))
			goto cleanup;
		if (effective_is(stage.cgroup, "list", llcs[i].list, "active"))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

static int test_llc_prefer_group_chooses_within_its_list(const char *root)
{
	struct stage stage;
	char value[LIST_SIZE + 16];
	int ret = KSFT_FAIL, llc;
	__u64 set;

	if (!fits(3, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_within", "group", PROCESSES, NR_TASKS))
		goto cleanup;
	if (crowd_settle(&stage.crowd, ANY_LLC, GATHERED, SETTLE_MS,
			 &(struct residency){}) < 0)
		ksft_print_msg("group: not gathered yet\n");

	/* Two LLCs where it is not. */
	llc = quietest(&stage.crowd);
	set = 1ULL << llc;
	llc = (llc + 1) % nr_llcs;
	if (llc == chosen_llc(stage.cgroup))
		llc = (llc + 1) % nr_llcs;
	set |= 1ULL << llc;

	snprintf(value, sizeof(value), "group %s", llc_set_list(set));
	if (prefer(stage.cgroup, value))
		goto cleanup;
	if (gathers(&stage.crowd, set, &follows, value))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &settles, value))
		goto cleanup;
	llc = chosen_llc(stage.cgroup);
	if (llc < 0 || !(set & (1ULL << llc)))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* Tasks that start in the cgroup later go where the others are. */
static int test_llc_prefer_newcomers_join(const char *root)
{
	struct crowd late = {};
	struct stage stage;
	int ret = KSFT_FAIL, llc;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_late", "group", PROCESSES, 1))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &settles, "the first task"))
		goto cleanup;
	if (crowd_start(&late, stage.cgroup, PROCESSES, NR_TASKS - 1))
		goto cleanup;
	sleep_ms(SETTLE_MS);
	llc = chosen_llc(stage.cgroup);
	if (llc < 0 || gathered(&stage.crowd, 1ULL << llc, "the first task") ||
	    gathered(&late, 1ULL << llc, "the others"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	crowd_stop(&late);
	stage_clear(&stage);
	return ret;
}

/* All containers of a pod are one group if the pod's cgroup says so. */
static int test_llc_prefer_subtree_is_one_group(const char *root)
{
	struct stage a = {}, b = {};
	int ret = KSFT_FAIL, llc;
	char *pod;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	pod = cgroup_make(root, "llc_pod", true);
	if (!pod)
		return KSFT_FAIL;
	if (stage_set(&a, pod, "llc_a", NULL, PROCESSES, 1) ||
	    stage_set(&b, pod, "llc_b", NULL, PROCESSES, NR_TASKS - 1))
		goto cleanup;
	if (prefer(pod, "group"))
		goto cleanup;
	if (gathers(&b.crowd, ANY_LLC, &settles, "one child"))
		goto cleanup;
	llc = chosen_llc(pod);
	if (llc < 0 || gathered(&a.crowd, 1ULL << llc, "one child") ||
	    gathered(&b.crowd, 1ULL << llc, "the other"))
		goto cleanup;
	if (effective_is(a.cgroup, "group", llcs[llc].list, "active") ||
	    effective_is(b.cgroup, "group", llcs[llc].list, "active"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&b);
	stage_clear(&a);
	cgroup_drop(pod);
	return ret;
}

static int test_llc_prefer_two_lists_keep_apart(const char *root)
{
	struct stage a = {}, b = {};
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS))
		return KSFT_SKIP;
	if (stage_set(&a, root, "llc_a", llcs[0].list, PROCESSES, 2) ||
	    stage_set(&b, root, "llc_b", llcs[1].list, PROCESSES, 2))
		goto cleanup;
	if (gathers(&a.crowd, 1, &settles, "a") ||
	    gathers(&b.crowd, 2, &settles, "b"))
		goto cleanup;

	/* They change places. */
	if (prefer(a.cgroup, llcs[1].list) || prefer(b.cgroup, llcs[0].list))
		goto cleanup;
	if (gathers(&a.crowd, 2, &settles, "a, changed") ||
	    gathers(&b.crowd, 1, &settles, "b, changed"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&b);
	stage_clear(&a);
	return ret;
}

static int test_llc_prefer_two_groups_each_gather(const char *root)
{
	struct stage a = {}, b = {};
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS))
		return KSFT_SKIP;
	if (stage_set(&a, root, "llc_a", "group", PROCESSES, 2) ||
	    stage_set(&b, root, "llc_b", "group", PROCESSES, 2))
		goto cleanup;
	if (gathers(&a.crowd, ANY_LLC, &settles, "a") ||
	    gathers(&b.crowd, ANY_LLC, &settles, "b"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&b);
	stage_clear(&a);
	return ret;
}

/* A list of two LLCs lets its tasks use both. */
static int test_llc_prefer_list_of_two_llcs(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL;
	__u64 set;

	if (!fits(3, NR_TASKS))
		return KSFT_SKIP;
	set = 1ULL << (nr_llcs - 1) | 1ULL << (nr_llcs - 2);
	if (stage_set(&stage, root, "llc_two", llc_set_list(set), PROCESSES,
		      NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, set, &settles, "list of two LLCs"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* A group is gathered where its ancestor's list is, not where it was. */
static int test_llc_prefer_ancestors_list_confines(const char *root)
{
	char *top;
	struct stage sub = {};
	int ret = KSFT_FAIL, llc;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	top = cgroup_make(root, "llc_confine", true);
	if (!top)
		return KSFT_FAIL;
	if (stage_set(&sub, top, "llc_sub", "group", PROCESSES, NR_TASKS))
		goto cleanup;
	if (gathers(&sub.crowd, ANY_LLC, &settles, "group"))
		goto cleanup;
	llc = quietest(&sub.crowd);
	if (prefer(top, llcs[llc].list))
		goto cleanup;
	if (gathers(&sub.crowd, 1ULL << llc, &settles,
		    "group below a list"))
		goto cleanup;
	if (effective_is(sub.cgroup, "group", llcs[llc].list, "active"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&sub);
	cgroup_drop(top);
	return ret;
}

static int test_llc_prefer_default_spreads_again(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_again", llcs[1].list, PROCESSES, NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, 2, &settles, "list"))
		goto cleanup;
	if (prefer(stage.cgroup, "default"))
		goto cleanup;
	if (scatters(&stage.crowd, SCATTER_MS, "default"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* The threads of a process are gathered by the kernel itself, but not here. */
static int test_llc_prefer_off_undoes_gathering(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_off", "process", THREADS, NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &by_itself, "process"))
		goto cleanup;
	if (prefer(stage.cgroup, "off"))
		goto cleanup;
	if (scatters(&stage.crowd, SCATTER_MS, "off"))
		goto cleanup;
	if (effective_is(stage.cgroup, "off", "", NULL))
		goto cleanup;

	/* And back. */
	if (prefer(stage.cgroup, "process"))
		goto cleanup;
	if (gathers(&stage.crowd, ANY_LLC, &by_itself, "process again"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* Has a running task run on , and from then on where it likes. */
static int seat(pid_t tid, int cpu)
{
	cpu_set_t there, before;

	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	if (sched_getaffinity(tid, sizeof(before), &before) ||
	    sched_setaffinity(tid, sizeof(there), &there) ||
	    sched_setaffinity(tid, sizeof(before), &before)) {
		ksft_perror("sched_setaffinity");
		return -1;
	}
	return 0;
}

/*
 * Two children of a cgroup with a list; one then says @word, and its tasks
 * leave, while the other and its task stay, on @cpu at first.
 */
static int child_leaves(const char *root, const char *word, int llc, int cpu)
{
	struct stage in = {}, out = {};
	int ret = KSFT_FAIL;
	char *top;

	top = cgroup_make(root, "llc_leave", true);
	if (!top)
		return KSFT_FAIL;
	if (prefer(top, llcs[llc].list))
		goto cleanup;
	if (stage_set(&in, top, "llc_in", NULL, PROCESSES, 1) ||
	    gathers(&in.crowd, 1ULL << llc, &settles, "the one that stays") ||
	    seat(crowd_tid(&in.crowd, 0), cpu))
		goto cleanup;
	if (stage_set(&out, top, "llc_out", NULL, PROCESSES, NR_TASKS - 1) ||
	    gathers(&out.crowd, 1ULL << llc, &settles, "default"))
		goto cleanup;

	if (prefer(out.cgroup, word) || scatters(&out.crowd, SCATTER_MS, word))
		goto cleanup;
	if (gathered(&in.crowd, 1ULL << llc, "the one that stays"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&out);
	stage_clear(&in);
	cgroup_drop(top);
	return ret;
}

static int test_llc_prefer_child_opts_out_by_off(const char *root)
{
	int last;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	for (last = last_cpu; llc_of(last) != 1; last--)
		;
	return child_leaves(root, "off", 1, last);
}

static int test_llc_prefer_child_opts_out_by_process(const char *root)
{
	int last;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	for (last = last_cpu; llc_of(last) != 1; last--)
		;
	return child_leaves(root, "process", 1, last);
}

/*
 * The same with the task that stays on the CPU where load balancing looks first:
 * it must not hide those that may leave.
 */
static int test_llc_prefer_one_that_stays_hides_none(const char *root)
{
	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	return child_leaves(root, "off", 1, llcs[1].first);
}

/* It is a preference: sched_setaffinity() decides. */
static int test_llc_prefer_pinned_task_is_left_alone(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL;
	cpu_set_t pin;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_pinned", NULL, PROCESSES, NR_TASKS))
		goto cleanup;
	CPU_ZERO(&pin);
	CPU_SET(llcs[1].first, &pin);
	if (sched_setaffinity(crowd_tid(&stage.crowd, 0), sizeof(pin), &pin)) {
		ksft_perror("sched_setaffinity");
		goto cleanup;
	}
	if (prefer(stage.cgroup, llcs[0].list))
		goto cleanup;
	sleep_ms(SETTLE_MS);

	if (task_holds(&stage.crowd, 0, 2, 100, "pinned") ||
	    task_holds(&stage.crowd, 1, 1, GATHERED, "not pinned"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

static int crowd_moves(const struct crowd *crowd, const char *cgroup)
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

static int test_llc_prefer_running_task_moves_in_and_out(const char *root)
{
	struct stage plain;
	int ret = KSFT_FAIL, llc;
	char *listed;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	listed = cgroup_make(root, "llc_listed", false);
	if (!listed)
		return KSFT_FAIL;
	if (stage_set(&plain, root, "llc_plain", NULL, PROCESSES, NR_TASKS))
		goto cleanup;
	llc = quietest(&plain.crowd);
	if (prefer(listed, llcs[llc].list))
		goto cleanup;
	if (scatters(&plain.crowd, SETTLE_MS, "before"))
		goto cleanup;
	if (crowd_moves(&plain.crowd, listed) ||
	    gathers(&plain.crowd, 1ULL << llc, &settles, "moved in"))
		goto cleanup;
	if (crowd_moves(&plain.crowd, plain.cgroup) ||
	    scatters(&plain.crowd, SCATTER_MS, "moved out"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&plain);
	cgroup_drop(listed);
	return ret;
}

/* Threads of one process in cgroups of their own go separate ways. */
static int test_llc_prefer_threads_part(const char *root)
{
	struct crowd crowd = {};
	char *top, *subs[2] = {};
	int ret = KSFT_FAIL, i;
	char name[32];

	if (!fits(2, 2))
		return KSFT_SKIP;
	top = cgroup_make(root, "llc_threads", false);
	if (!top)
		return KSFT_FAIL;
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "llc_%d", i);
		subs[i] = cgroup_make(top, name, false);
		if (!subs[i])
			goto cleanup;
		if (cg_write(subs[i], "cgroup.type", "threaded")) {
			ksft_print_msg("cannot make threaded cgroups\n");
			goto cleanup;
		}
	}
	if (cg_write(top, "cgroup.subtree_control", "+cpu"))
		goto cleanup;
	if (crowd_start(&crowd, top, THREADS, 2))
		goto cleanup;
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%d", crowd_tid(&crowd, i));
		if (cg_write(subs[i], "cgroup.threads", name) ||
		    prefer(subs[i], llcs[i].list))
			goto cleanup;
	}
	sleep_ms(SETTLE_MS);
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "thread %d", i);
		if (task_holds(&crowd, i, 1ULL << i, GATHERED, name))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	crowd_stop(&crowd);
	cgroup_drop(subs[1]);
	cgroup_drop(subs[0]);
	cgroup_drop(top);
	return ret;
}

/* Outside its LLC by cpuset: the tasks run where they may, spread as ever. */
static int test_llc_prefer_cpuset_bounds(const char *root)
{
	struct stage stage;
	int ret = KSFT_FAIL;
	__u64 set;

	if (!fits(3, NR_TASKS + 1))
		return KSFT_SKIP;
	if (cg_read_strstr(root, "cgroup.subtree_control", "cpuset") &&
	    cg_write(root, "cgroup.subtree_control", "+cpuset"))
		return skip("no cpuset controller");
	if (stage_set(&stage, root, "llc_bounds", llcs[0].list, PROCESSES, NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, 1, &settles, "list"))
		goto cleanup;
	set = 6;
	if (cg_write(stage.cgroup, "cpuset.cpus", (char *)llc_set_list(set))) {
		ksft_print_msg("cannot set cpuset.cpus\n");
		goto cleanup;
	}
	if (gathers(&stage.crowd, set, &settles, "cpuset elsewhere"))
		goto cleanup;
	if (cg_write(stage.cgroup, "cpuset.cpus", "\n"))
		goto cleanup;
	if (gathers(&stage.crowd, 1, &returns, "cpuset lifted"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&stage);
	return ret;
}

/* The switch of cache aware scheduling stops this as well, and lets it go on. */
static int test_llc_prefer_nothing_while_disabled(const char *root)
{
	struct stage stage = {};
	int ret = KSFT_FAIL;

	if (!fits(2, NR_TASKS + 1))
		return KSFT_SKIP;
	if (access(LLC_ENABLED, W_OK))
		return skip("no " LLC_ENABLED);
	if (stage_set(&stage, root, "llc_disabled", llcs[0].list, PROCESSES,
		      NR_TASKS))
		goto cleanup;
	if (gathers(&stage.crowd, 1, &settles, "enabled"))
		goto cleanup;
	if (file_write(LLC_ENABLED, "0") ||
	    scatters(&stage.crowd, SCATTER_MS, "disabled"))
		goto cleanup;
	if (file_write(LLC_ENABLED, "1") ||
	    gathers(&stage.crowd, 1, &returns, "enabled again"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	file_write(LLC_ENABLED, "1");
	stage_clear(&stage);
	return ret;
}

#define T(x) { x, #x }
static const struct llc_prefer_test tests[] = {
	T(test_llc_prefer_group_gathers),
	T(test_llc_prefer_effective_tells_the_truth),
	T(test_llc_prefer_list_is_followed_at_once),
	T(test_llc_prefer_group_chooses_within_its_list),
	T(test_llc_prefer_newcomers_join),
	T(test_llc_prefer_subtree_is_one_group),
	T(test_llc_prefer_two_lists_keep_apart),
	T(test_llc_prefer_two_groups_each_gather),
	T(test_llc_prefer_list_of_two_llcs),
	T(test_llc_prefer_ancestors_list_confines),
	T(test_llc_prefer_default_spreads_again),
	T(test_llc_prefer_off_undoes_gathering),
	T(test_llc_prefer_child_opts_out_by_off),
	T(test_llc_prefer_child_opts_out_by_process),
	T(test_llc_prefer_one_that_stays_hides_none),
	T(test_llc_prefer_pinned_task_is_left_alone),
	T(test_llc_prefer_running_task_moves_in_and_out),
	T(test_llc_prefer_threads_part),
	T(test_llc_prefer_cpuset_bounds),
	T(test_llc_prefer_nothing_while_disabled),
};

#undef T

int main(int argc, char **argv)
{
	llc_prefer_run(argc, argv, tests, ARRAY_SIZE(tests));
}
