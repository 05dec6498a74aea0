// SPDX-License-Identifier: GPL-2.0
/*
 * Does a group have as many last-level caches as it needs, one of its own where
 * there are enough, and does its preference stay soft? Crowds of busy tasks
 * grow, shrink, crowd each other and stop; the figures are shares of run time by
 * their own CPU clocks, and counts, so that a slow or emulated machine will do.
 *
 * llc_prefer_run() in llc_prefer_util.h says how to call it. LLC_PREFER_WATCH_S
 * in the environment: for how many seconds to look for a group that flaps.
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

/* A group of the size of its LLCs: nothing else has to run there. */
static const struct promise fills = { SETTLE_MS, 99.5, 99.5 };
/* A group that has to go elsewhere as a whole. */
static const struct promise moves = { SETTLE_MS, 95, GATHERED };
/* Tasks that come home when their LLC has room again: pushes back off up to 2 s. */
static const struct promise comes_home = { 5000, GATHERED, GATHERED };

/*
 * A group goes back to where it ran most, of which it forgets half in eleven scans;
 * on an emulated machine these are up to 200 ms apart.
 */
#define FORGET_MS	4000

/* Several groups have found places within. */
#define PART_MS		5000

/*
 * CPUs of each LLC. 0, with a reason to skip, if they differ, or if there are
 * fewer than @llcs_needed LLCs or @cpus_needed CPUs in each.
 */
static int cpus_per_llc(int llcs_needed, int cpus_needed)
{
	int nr = CPU_COUNT(&llcs[0].cpus), i;

	if (!fits(llcs_needed, cpus_needed))
		return 0;
	for (i = 1; i < nr_llcs; i++) {
		if (CPU_COUNT(&llcs[i].cpus) != nr) {
			skip("needs LLCs of one size, has some of %d and of %d CPUs",
			     nr, CPU_COUNT(&llcs[i].cpus));
			return 0;
		}
	}
	return nr;
}

static cpu_set_t all_cpus(void)
{
	return llc_set_cpus(~0ULL >> (64 - nr_llcs));
}

/* A figure that is a number: returns 0 if it is at least, or at most, @wanted. */
static int at_least(const char *what, double seen, double wanted)
{
	ksft_print_msg("%s: %.4g, wanted at least %g\n", what, seen, wanted);
	return seen >= wanted ? 0 : -1;
}

static int at_most(const char *what, double seen, double wanted)
{
	ksft_print_msg("%s: %.4g, wanted at most %g\n", what, seen, wanted);
	return seen <= wanted ? 0 : -1;
}

/* The files tell of the LLCs on which the tasks of a group were seen. */
static int files_agree(const char *cgroup, __u64 set)
{
	int nr = __builtin_popcountll(set);
	struct llc_stat stat;

	if (effective_is(cgroup, "group", llc_set_list(set), "active") ||
	    stat_read(cgroup, &stat))
		return -1;
	if (stat.nr_llcs == nr)
		return 0;
	ksft_print_msg("%s: nr_llcs %llu, wanted %d\n", cgroup, stat.nr_llcs, nr);
	return -1;
}

/* Has the tasks run on one LLC, until it is their group's choice if @chosen. */
static int seat(const struct stage *stage, int llc, bool chosen)
{
	cpu_set_t all = all_cpus();

	if (crowd_pin(&stage->crowd, &llcs[llc].cpus))
		return -1;
	sleep_ms(500);
	if (chosen) {
		if (effective_becomes(stage->cgroup, "group", llcs[llc].list,
				      "active", SETTLE_MS))
			return -1;
		sleep_ms(FORGET_MS);
	}
	return crowd_pin(&stage->crowd, &all);
}

/*
 * Size
 */

/* A crowd of @nr tasks that says `group` has exactly @want LLCs. */
static int group_has(const char *root, enum crowd_kind kind, int nr, int want)
{
	struct stage stage;
	int ret = KSFT_FAIL;
	char what[32];
	__u64 set;

	snprintf(what, sizeof(what), "group of %d", nr);
	if (stage_set(&stage, root, "llc_size", "group", kind, nr))
		goto cleanup;
	if (spans(&stage.crowd, want, &fills, what, &set) ||
	    files_agree(stage.cgroup, set))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

static int test_llc_prefer_group_of_one_llc_has_one(const char *root)
{
	int cpus = cpus_per_llc(2, 2);

	return cpus ? group_has(root, PROCESSES, cpus, 1) : KSFT_SKIP;
}

static int test_llc_prefer_group_of_one_more_has_two(const char *root)
{
	int cpus = cpus_per_llc(3, 2);

	return cpus ? group_has(root, PROCESSES, cpus + 1, 2) : KSFT_SKIP;
}

static int test_llc_prefer_threads_of_one_more_have_two(const char *root)
{
	int cpus = cpus_per_llc(3, 2);

	return cpus ? group_has(root, THREADS, cpus + 1, 2) : KSFT_SKIP;
}

/* Twelve tasks on LLCs of eight CPUs. */
static int test_llc_prefer_group_of_one_and_a_half_has_two(const char *root)
{
	int cpus = cpus_per_llc(3, 4);

	return cpus ? group_has(root, PROCESSES, cpus + cpus / 2, 2) : KSFT_SKIP;
}

/*
 * 3 -> 12 -> 3 tasks, or three LLCs full of them if an LLC holds twelve: the set
 * follows at once both ways, and does not waver on the way.
 */
static int test_llc_prefer_group_grows_and_shrinks(const char *root)
{
	int cpus = cpus_per_llc(3, 4), few = 3, many, want, ret = KSFT_FAIL;
	struct llc_stat stat;
	struct stage stage;
	__u64 set;

	if (!cpus)
		return KSFT_SKIP;
	many = cpus < 12 ? 12 : 3 * cpus;
	want = (many + cpus - 1) / cpus;
	if (many > MAX_WORKERS)
		return skip("%d CPUs an LLC are more than a crowd fills", cpus);

	if (stage_set(&stage, root, "llc_breathes", "group", PROCESSES, few))
		goto cleanup;
	if (spans(&stage.crowd, 1, &settles, "few", &set))
		goto cleanup;
	if (crowd_add(&stage.crowd, many - few) ||
	    spans(&stage.crowd, want, &moves, "many", &set) ||
	    files_agree(stage.cgroup, set))
		goto cleanup;
	crowd_cut(&stage.crowd, many - few);
	if (spans(&stage.crowd, 1, &moves, "few again", &set) ||
	    files_agree(stage.cgroup, set))
		goto cleanup;
	if (stat_read(stage.cgroup, &stat) ||
	    at_most("nr_moves of it all", stat.nr_moves, 8))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

/* A group that outgrows its LLC takes another one of the same node. */
static int grows_on_its_node(const char *root, int llc, int cpus)
{
	int ret = KSFT_FAIL, i;
	struct stage stage;
	__u64 set, near = 0;
	char what[64];

	for (i = 0; i < nr_llcs; i++)
		if (llcs[i].node == llcs[llc].node)
			near |= 1ULL << i;
	snprintf(what, sizeof(what), "one more than LLC %d of node %d holds", llc,
		 llcs[llc].node);

	if (stage_set(&stage, root, "llc_near", "group", PROCESSES, cpus))
		goto cleanup;
	if (seat(&stage, llc, true) ||
	    gathered(&stage.crowd, 1ULL << llc, "seated"))
		goto cleanup;
	if (crowd_add(&stage.crowd, 1) ||
	    spans(&stage.crowd, 2, &moves, what, &set) ||
	    files_agree(stage.cgroup, set))
		goto cleanup;
	ksft_print_msg("%s: then on CPUs %s, wanted among %s\n", what,
		       llc_set_list(set), llc_set_list(near));
	if (set & ~near)
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

/* From the last LLC of each of two nodes, so that no order by number will do. */
static int test_llc_prefer_nearest_llc_first(const char *root)
{
	int cpus = cpus_per_llc(4, 2), first = llcs[0].node, i, nr = 0, ret;
	int on[2] = { -1, -1 };

	if (!cpus)
		return KSFT_SKIP;
	for (i = 0; i < nr_llcs; i++) {
		if (llcs[i].node == first)
			on[0] = i;
		else if (on[1] < 0 || llcs[i].node == llcs[on[1]].node)
			on[1] = i;
	}
	if (on[1] < 0)
		return skip("needs two NUMA nodes");
	for (i = 0; i < nr_llcs; i++)
		nr += llcs[i].node == llcs[on[1]].node;
	if (nr < 2 || nr_llcs - nr < 2)
		return skip("needs two LLCs on each of two NUMA nodes");

	ret = grows_on_its_node(root, on[0], cpus);
	return ret == KSFT_PASS ? grows_on_its_node(root, on[1], cpus) : ret;
}

/*
 * Spread
 */

static void stages_end(struct stage *stages, int nr, int ret)
{
	while (nr--)
		stage_end(&stages[nr], ret);
}

/* Groups @first to @nr - 1, each of @tasks. @value: see stage_set(). */
static int stages_set(struct stage *stages, int first, int nr, const char *root,
		      const char *value, int tasks)
{
	char name[32];
	int i;

	for (i = first; i < nr; i++) {
		snprintf(name, sizeof(name), "llc_group%d", i);
		if (stage_set(&stages[i], root, name, value, PROCESSES, tasks))
			return -1;
	}
	return 0;
}

/* The files of each group name the LLC on which it was seen. */
static int files_name_own(const struct stage *stages, const int *own, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (files_agree(stages[i].cgroup, 1ULL << own[i]))
			return -1;
	return 0;
}

/* The share of what all crowds together run on a set of LLCs, in percent. */
static double share_of_all(const struct stage *stages, int nr, __u64 set, long ms)
{
	struct residency before[MAX_LLCS], now, sum = {};
	int i, llc;

	for (i = 0; i < nr; i++)
		crowd_ran(&stages[i].crowd, &before[i]);
	sleep_ms(ms);
	for (i = 0; i < nr; i++) {
		crowd_ran(&stages[i].crowd, &now);
		residency_since(&now, &before[i]);
		for (llc = 0; llc < nr_llcs; llc++)
			sum.ns[llc] += now.ns[llc];
		sum.total += now.total;
	}
	return residency_on(&sum, set);
}

/* Two groups that do not fit one LLC start on one, by the same list. */
static int test_llc_prefer_two_groups_part(const char *root)
{
	int cpus = cpus_per_llc(2, 3), ret = KSFT_FAIL, own[2];
	struct stage stages[2] = {};
	double share;
	int wanted;

	if (!cpus)
		return KSFT_SKIP;
	if (stages_set(stages, 0, 2, root, llcs[1].list, cpus - 1))
		goto cleanup;

	/*
	 * As many as it holds are there: the others leave a full LLC. That is at
	 * least half, also if somebody else has one of its CPUs.
	 */
	sleep_ms(1000);
	share = share_of_all(stages, 2, 2, 500);
	wanted = 45;
	say("both with one list", share, 2, "at least", wanted);
	if (share < wanted)
		goto cleanup;

	if (prefer(stages[0].cgroup, "group") || prefer(stages[1].cgroup, "group"))
		goto cleanup;
	if (parts(stages, 2, GATHERED, PART_MS, "two groups", own) ||
	    files_name_own(stages, own, 2))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stages_end(stages, 2, ret);
	return ret;
}

/* As many groups as LLCs, all seated on one of them, get one each. */
static int test_llc_prefer_as_many_groups_as_llcs(const char *root)
{
	int cpus = cpus_per_llc(3, 3), ret = KSFT_FAIL, own[MAX_LLCS], i;
	struct stage stages[MAX_LLCS] = {};
	cpu_set_t all = all_cpus();

	if (!cpus)
		return KSFT_SKIP;
	if (stages_set(stages, 0, nr_llcs, root, NULL, cpus - 1))
		goto cleanup;
	for (i = 0; i < nr_llcs; i++)
		if (crowd_pin(&stages[i].crowd, &llcs[0].cpus) ||
		    prefer(stages[i].cgroup, "group"))
			goto cleanup;
	sleep_ms(500);
	for (i = 0; i < nr_llcs; i++)
		if (crowd_pin(&stages[i].crowd, &all))
			goto cleanup;
	/* Emulated CPUs take turns: with more of them each gets less done in a second. */
	if (parts(stages, nr_llcs, GATHERED, PART_MS * nr_llcs * cpus / 16, "groups", own) ||
	    files_name_own(stages, own, nr_llcs))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stages_end(stages, nr_llcs, ret);
	return ret;
}

/* A group that fills an LLC, and one of half the size, both seated there. */
static int test_llc_prefer_full_and_half_part(const char *root)
{
	int cpus = cpus_per_llc(2, 2), ret = KSFT_FAIL, own[2];
	struct stage stages[2] = {};

	if (!cpus)
		return KSFT_SKIP;
	if (stages_set(stages, 0, 1, root, "group", cpus) ||
	    stages_set(stages, 1, 2, root, "group", cpus / 2))
		goto cleanup;
	if (seat(&stages[0], 1, false) || seat(&stages[1], 1, false))
		goto cleanup;
	if (parts(stages, 2, GATHERED, PART_MS, "full and half", own) ||
	    files_name_own(stages, own, 2))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stages_end(stages, 2, ret);
	return ret;
}

/* Two groups of half an LLC may share one, or not: each has one, and keeps it. */
static int test_llc_prefer_halves_stay(const char *root)
{
	int cpus = cpus_per_llc(2, 2), ret = KSFT_FAIL, i;
	struct stage stages[2] = {};
	struct llc_stat before[2], after;
	char what[32];

	if (!cpus)
		return KSFT_SKIP;
	if (stages_set(stages, 0, 2, root, "group", cpus / 2))
		goto cleanup;
	if (seat(&stages[0], 1, false) || seat(&stages[1], 1, false))
		goto cleanup;
	for (i = 0; i < 2; i++) {
		snprintf(what, sizeof(what), "half %d", i);
		if (gathers(&stages[i].crowd, ANY_LLC, &settles, what) ||
		    stat_read(stages[i].cgroup, &before[i]))
			goto cleanup;
	}
	sleep_ms(2000);
	for (i = 0; i < 2; i++) {
		snprintf(what, sizeof(what), "half %d, later", i);
		if (gathered(&stages[i].crowd, ANY_LLC, what) ||
		    stat_read(stages[i].cgroup, &after) ||
		    at_most("nr_moves meanwhile",
			    after.nr_moves - before[i].nr_moves, 0))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	stages_end(stages, 2, ret);
	return ret;
}

/*
 * Following
 */

/* Busy tasks of somebody else that may only run on one LLC. */
static int strangers_set(struct stage *strangers, const char *root, int llc, int nr)
{
	return stage_set(strangers, root, "llc_strangers", NULL, PROCESSES, nr) ||
	       crowd_pin(&strangers->crowd, &llcs[llc].cpus) ? -1 : 0;
}

static long watch_ms(void)
{
	const char *env = getenv("LLC_PREFER_WATCH_S");
	long s = env ? atol(env) : 0;

	return s > 0 ? s * 1000 : 5000;
}

/* Strangers fill the LLC of a group: it moves as a whole, and then stays. */
static int test_llc_prefer_group_gives_way(const char *root)
{
	struct stage stage, strangers = {};
	int cpus = cpus_per_llc(3, 4), x = 1, ret = KSFT_FAIL;
	struct llc_stat before, moved, after;
	long ms = watch_ms(), start, took;
	struct residency res;
	char what[64];
	__u64 off;

	if (!cpus)
		return KSFT_SKIP;
	off = ~(1ULL << x) & (~0ULL >> (64 - nr_llcs));
	if (stage_set(&stage, root, "llc_moves", "group", PROCESSES, cpus - 1))
		goto cleanup;
	if (seat(&stage, x, true) || stat_read(stage.cgroup, &before))
		goto cleanup;

	if (strangers_set(&strangers, root, x, cpus))
		goto cleanup;
	start = now_ms();
	if (gathers(&stage.crowd, off, &moves, "off the LLC with strangers"))
		goto cleanup;
	took = crowd_settle(&stage.crowd, ANY_LLC, GATHERED, 0, &res);
	snprintf(what, sizeof(what), "group, %ld ms after strangers came",
		 now_ms() - start);
	say(what, residency_on(&res, ANY_LLC), busiest_set(&res), "at least",
	    GATHERED);
	if (took < 0 || stat_read(stage.cgroup, &moved) ||
	    files_agree(stage.cgroup, busiest_set(&res)) ||
	    at_most("nr_moves to get there", moved.nr_moves - before.nr_moves, 2))
		goto cleanup;

	crowd_watch(&stage.crowd, ms, &res);
	snprintf(what, sizeof(what), "watched for %ld s", ms / 1000);
	say(what, residency_on(&res, ANY_LLC), busiest_set(&res), "at least",
	    GATHERED);
	if (residency_on(&res, ANY_LLC) < GATHERED || !(busiest_set(&res) & off) ||
	    stat_read(stage.cgroup, &after) ||
	    at_most("nr_moves meanwhile", after.nr_moves - moved.nr_moves, 1))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&strangers);
	stage_end(&stage, ret);
	return ret;
}

/* Ten crowds in turn with one list: the same placement each time. */
static int test_llc_prefer_list_is_the_same_every_time(const char *root)
{
	int cpus = cpus_per_llc(2, 4), llc = nr_llcs - 1, i, nr = 0;
	struct stage stage;
	char what[32];

	if (!cpus)
		return KSFT_SKIP;
	for (i = 1; i <= 10; i++) {
		snprintf(what, sizeof(what), "crowd %d", i);
		if (!stage_set(&stage, root, "llc_same", llcs[llc].list, PROCESSES,
			       cpus - 1) &&
		    !gathers(&stage.crowd, 1ULL << llc, &follows, what))
			nr++;
		stage_end(&stage, nr == i ? KSFT_PASS : KSFT_FAIL);
		if (nr < i)
			break;
	}
	ksft_print_msg("same placement: %d times, wanted 10\n", nr);
	return nr == 10 ? KSFT_PASS : KSFT_FAIL;
}

/*
 * As many groups as LLCs, one each. One stops: others use its LLC. It goes on,
 * the others end: all are alone again.
 */
static int test_llc_prefer_idle_llc_is_lent(const char *root)
{
	int cpus = cpus_per_llc(3, 3), ret = KSFT_FAIL, own[MAX_LLCS], nr, free;
	struct stage stages[MAX_LLCS] = {}, strangers = {};
	struct residency res;
	long start;
	int wanted;

	if (!cpus)
		return KSFT_SKIP;
	/* All idle CPUs but one: at least so much of that is on the free LLC. */
	nr = cpus + nr_llcs - 2;
	wanted = 80 * (cpus - 1) / nr;

	if (stages_set(stages, 0, nr_llcs, root, "group", cpus - 1) ||
	    parts(stages, nr_llcs, GATHERED, PART_MS, "all groups", own))
		goto cleanup;
	free = own[0];

	crowd_pause(&stages[0].crowd, true);
	if (stage_set(&strangers, root, "llc_strangers", NULL, PROCESSES, nr))
		goto cleanup;
	sleep_ms(1000);
	start = now_ms();
	crowd_watch(&strangers.crowd, WATCH_MS, &res);
	say("others", residency_on(&res, 1ULL << free), 1ULL << free, "at least",
	    wanted);
	if (residency_on(&res, 1ULL << free) < wanted ||
	    at_least("CPUs that the others have, each",
		     res.total / 1e6 / (now_ms() - start) / nr, 0.9))
		goto cleanup;

	crowd_pause(&stages[0].crowd, false);
	sleep_ms(500);
	crowd_stop(&strangers.crowd);
	if (parts(stages, nr_llcs, GATHERED, PART_MS, "all groups again", own) ||
	    files_name_own(stages, own, nr_llcs))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&strangers);
	stages_end(stages, nr_llcs, ret);
	return ret;
}

/*
 * Softness
 */

/* Time spent waiting for a CPU against time run, and LLCs changed, in a while. */
struct account {
	double used;		/* CPUs */
	double waited;		/* % of the run time */
	double hops;		/* changes of LLC a second */
};

static int account(const struct crowd *crowd, long ms, struct account *acc)
{
	__u64 ran[2], waited[2], hops;
	struct residency before, res;
	long start = now_ms();

	hops = crowd_hops(crowd);
	crowd_ran(crowd, &before);
	if (crowd_waited(crowd, &ran[0], &waited[0]))
		return skip("the kernel has no /proc/PID/schedstat");
	sleep_ms(ms);
	if (crowd_waited(crowd, &ran[1], &waited[1]))
		return skip("the kernel has no /proc/PID/schedstat");
	crowd_ran(crowd, &res);
	residency_since(&res, &before);
	ms = now_ms() - start;

	acc->used = res.total / 1e6 / ms;
	acc->waited = 100.0 * (waited[1] - waited[0]) / (ran[1] - ran[0] ?: 1);
	acc->hops = 1000.0 * (crowd_hops(crowd) - hops) / ms;
	return 0;
}

/* A list whose LLC strangers fill: the tasks leave, and come back afterwards. */
static int test_llc_prefer_full_llc_spills(const char *root)
{
	struct stage stage, strangers = {};
	int cpus = cpus_per_llc(3, 4), x = 1, ret = KSFT_FAIL;
	struct llc_stat before, after;
	struct account acc;

	if (!cpus)
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_spills", llcs[x].list, PROCESSES, cpus - 1))
		goto cleanup;
	if (gathers(&stage.crowd, 1ULL << x, &settles, "list") ||
	    stat_read(stage.cgroup, &before))
		goto cleanup;
	if (strangers_set(&strangers, root, x, cpus))
		goto cleanup;
	sleep_ms(1000);
	if (account(&stage.crowd, 3000, &acc)) {
		ret = KSFT_SKIP;
		goto cleanup;
	}
	if (at_most("% of its run time that it waits while others are idle",
		    acc.waited, 5))
		goto cleanup;

	crowd_stop(&strangers.crowd);
	if (gathers(&stage.crowd, 1ULL << x, &comes_home, "strangers gone"))
		goto cleanup;
	if (stat_read(stage.cgroup, &after) ||
	    at_least("nr_spills", after.nr_spills - before.nr_spills, 1) ||
	    at_least("nr_migrations_in",
		     after.nr_migrations_in - before.nr_migrations_in, 1))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_clear(&strangers);
	stage_end(&stage, ret);
	return ret;
}

static struct account account_median(const struct account *acc)
{
	return (struct account){
		.used = median(acc[0].used, acc[1].used, acc[2].used),
		.waited = median(acc[0].waited, acc[1].waited, acc[2].waited),
		.hops = median(acc[0].hops, acc[1].hops, acc[2].hops),
	};
}

/*
 * The same crowd with `default` and with `group` in turns, so that what the
 * machine does meanwhile meets both; the median of three counts. Returns
 * KSFT_PASS if it could be measured.
 */
static int both_ways(const struct stage *stage, struct account *plain,
		     struct account *group)
{
	static const char *const values[] = { "default", "group" };
	struct account acc[2][3], *now;
	int i, way;

	for (i = 0; i < 3; i++) {
		for (way = 0; way < 2; way++) {
			now = &acc[way][i];
			if (prefer(stage->cgroup, values[way]))
				return KSFT_FAIL;
			sleep_ms(SETTLE_MS);
			if (account(&stage->crowd, 2000, now))
				return KSFT_SKIP;
			ksft_print_msg("%s: %.2f CPUs, waits %.1f %%, changes LLC %.1f times/s\n",
				       values[way], now->used, now->waited,
				       now->hops);
		}
	}
	*plain = account_median(acc[0]);
	*group = account_median(acc[1]);
	return KSFT_PASS;
}

/* Two busy tasks for each CPU of the machine: all run on as if nothing was said. */
static int test_llc_prefer_saturated_machine_loses_nothing(const char *root)
{
	int cpus = cpus_per_llc(2, 2), nr, ret = KSFT_FAIL;
	struct account plain, group;
	struct stage stage;

	if (!cpus)
		return KSFT_SKIP;
	nr = 2 * cpus * nr_llcs;
	if (nr > MAX_WORKERS)
		return skip("%d CPUs are more than a crowd fills", nr / 2);
	if (stage_set(&stage, root, "llc_saturated", NULL, PROCESSES, nr))
		goto cleanup;
	ret = both_ways(&stage, &plain, &group);
	if (ret != KSFT_PASS)
		goto cleanup;
	ret = KSFT_FAIL;
	if (at_least("CPUs used with group, of those with default",
		     group.used / plain.used, 0.99) ||
	    at_most("changes of LLC/s with group", group.hops,
		    1.25 * plain.hops + 2))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

/*
 * Two more tasks than an LLC has CPUs, which sleep a third of the time: they fill
 * the LLC, and wait for it little more than for a whole machine.
 */
static int test_llc_prefer_own_load_waits_little(const char *root)
{
	int cpus = cpus_per_llc(2, 4), ret = KSFT_FAIL;
	struct account plain, group;
	struct stage stage = {};

	if (!cpus)
		return KSFT_SKIP;
	stage.cgroup = cgroup_make(root, "llc_own", false);
	if (!stage.cgroup ||
	    crowd_start_periodic(&stage.crowd, stage.cgroup, cpus + 2, 4000, 2000))
		goto cleanup;
	ret = both_ways(&stage, &plain, &group);
	if (ret != KSFT_PASS)
		goto cleanup;
	ret = KSFT_FAIL;
	if (at_most("% of the run time waited with group", group.waited,
		    plain.waited + 10))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

/*
 * Sight
 */

/* A cpuset of the LLC that is wanted, and three times the tasks that it holds. */
static int test_llc_prefer_state_crowded(const char *root)
{
	int cpus = cpus_per_llc(2, 2), ret = KSFT_FAIL;
	struct stage stage = {};

	if (!cpus)
		return KSFT_SKIP;
	if (cg_read_strstr(root, "cgroup.subtree_control", "cpuset") &&
	    cg_write(root, "cgroup.subtree_control", "+cpuset"))
		return skip("no cpuset controller");
	stage.cgroup = cgroup_make(root, "llc_crowded", false);
	if (!stage.cgroup)
		return KSFT_FAIL;
	if (cg_write(stage.cgroup, "cpuset.cpus", llcs[1].list)) {
		ksft_print_msg("cannot set cpuset.cpus\n");
		goto cleanup;
	}
	if (prefer(stage.cgroup, llcs[1].list) ||
	    crowd_start(&stage.crowd, stage.cgroup, PROCESSES, cpus - 1) ||
	    effective_becomes(stage.cgroup, "list", llcs[1].list, "active",
			      SETTLE_MS))
		goto cleanup;
	if (crowd_add(&stage.crowd, 2 * cpus + 1) ||
	    effective_becomes(stage.cgroup, "list", llcs[1].list, "crowded",
			      SETTLE_MS))
		goto cleanup;
	crowd_cut(&stage.crowd, 2 * cpus + 1);
	if (effective_becomes(stage.cgroup, "list", llcs[1].list, "active",
			      SETTLE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

/* A group without tasks has chosen nothing, until one runs. */
static int test_llc_prefer_state_idle(const char *root)
{
	struct stage stage = {};
	struct llc_stat stat;
	int ret = KSFT_FAIL;

	if (!fits(2, 2))
		return KSFT_SKIP;
	stage.cgroup = cgroup_make(root, "llc_idle", false);
	if (!stage.cgroup)
		return KSFT_FAIL;
	if (prefer(stage.cgroup, "group") ||
	    effective_is(stage.cgroup, "group", "", "idle") ||
	    stat_read(stage.cgroup, &stat) ||
	    at_most("nr_llcs of a group without tasks", stat.nr_llcs, 0))
		goto cleanup;
	if (crowd_start(&stage.crowd, stage.cgroup, PROCESSES, 1) ||
	    effective_becomes(stage.cgroup, "group", NULL, "active", SETTLE_MS) ||
	    stat_read(stage.cgroup, &stat) ||
	    at_least("nr_llcs of a group with a task", stat.nr_llcs, 1) ||
	    at_most("nr_moves to get there", stat.nr_moves, 1))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

/* Both values are the same within @percent of the second. */
static int close_to(const char *what, double seen, double wanted, double percent)
{
	ksft_print_msg("%s: %.1f, wanted %.1f within %g %%\n", what, seen, wanted,
		       percent);
	return 100 * seen >= wanted * (100 - percent) &&
	       100 * seen <= wanted * (100 + percent) ? 0 : -1;
}

/* A list, and a task that must run elsewhere: what the file counts is so. */
static int test_llc_prefer_stat_counts_run_time(const char *root)
{
	struct llc_stat before, after;
	long usage[2];
	struct residency res;
	int ret = KSFT_FAIL;
	struct stage stage;
	double share;

	if (!fits(2, 4))
		return KSFT_SKIP;
	if (stage_set(&stage, root, "llc_stat", llcs[0].list, PROCESSES, 3))
		goto cleanup;
	if (sched_setaffinity(crowd_tid(&stage.crowd, 0), sizeof(cpu_set_t),
			      &llcs[1].cpus)) {
		ksft_perror("sched_setaffinity");
		goto cleanup;
	}
	sleep_ms(1000);

	/* Nobody runs while one file is read after the other. */
	crowd_pause(&stage.crowd, true);
	sleep_ms(200);
	usage[0] = cg_read_key_long(stage.cgroup, "cpu.stat", "usage_usec ");
	if (stat_read(stage.cgroup, &before))
		goto cleanup;
	crowd_pause(&stage.crowd, false);
	crowd_watch(&stage.crowd, 3000, &res);
	crowd_pause(&stage.crowd, true);
	sleep_ms(200);
	usage[1] = cg_read_key_long(stage.cgroup, "cpu.stat", "usage_usec ");
	if (stat_read(stage.cgroup, &after))
		goto cleanup;

	after.usage_usec -= before.usage_usec;
	after.preferred_usec -= before.preferred_usec;
	share = 100.0 * after.preferred_usec / (after.usage_usec ?: 1);
	if (usage[0] < 0 || usage[1] < 0) {
		ksft_print_msg("no usage_usec in cpu.stat\n");
		goto cleanup;
	}
	if (close_to("ms of usage_usec, by cpu.stat", after.usage_usec / 1e3,
		     (usage[1] - usage[0]) / 1e3, 1) ||
	    close_to("% of preferred_usec, by the tasks", share,
		     residency_on(&res, 1), 2))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	stage_end(&stage, ret);
	return ret;
}

#define T(x) { x, #x }
static const struct llc_prefer_test tests[] = {
	T(test_llc_prefer_group_of_one_llc_has_one),
	T(test_llc_prefer_group_of_one_more_has_two),
	T(test_llc_prefer_threads_of_one_more_have_two),
	T(test_llc_prefer_group_of_one_and_a_half_has_two),
	T(test_llc_prefer_group_grows_and_shrinks),
	T(test_llc_prefer_nearest_llc_first),
	T(test_llc_prefer_two_groups_part),
	T(test_llc_prefer_as_many_groups_as_llcs),
	T(test_llc_prefer_full_and_half_part),
	T(test_llc_prefer_halves_stay),
	T(test_llc_prefer_group_gives_way),
	T(test_llc_prefer_list_is_the_same_every_time),
	T(test_llc_prefer_idle_llc_is_lent),
	T(test_llc_prefer_full_llc_spills),
	T(test_llc_prefer_saturated_machine_loses_nothing),
	T(test_llc_prefer_own_load_waits_little),
	T(test_llc_prefer_state_crowded),
	T(test_llc_prefer_state_idle),
	T(test_llc_prefer_stat_counts_run_time),
};

#undef T

int main(int argc, char **argv)
{
	llc_prefer_run(argc, argv, tests, ARRAY_SIZE(tests));
}
