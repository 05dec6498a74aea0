// SPDX-License-Identifier: GPL-2.0
/*
 * Do tasks that sleep most of the time, or live for a moment only, run where
 * cpu.llc_prefer says? Load balancing never sees them: a wake-up, a fork or an
 * exec decides. The figures of `default` come from the same boot.
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

#define LLC_ENABLED	"/sys/kernel/debug/sched/llc_balancing/enabled"

#define NR_WORKERS	64	/* of a server */

/*
 * A client calls as many workers at a time as half an LLC has CPUs: of four CPUs
 * one is left idle then.
 */
#define MIN_CPUS	4

/* Children that start on the group's LLCs, in percent. */
#define BORN_THERE	95.0
#define MIN_BIRTHS	50	/* fewer say nothing */

/*
 * Moves from LLC to LLC a second that a gathered server may make beyond what it
 * makes without cache aware scheduling, which may be none: a worker that found
 * its LLC full for a moment goes and comes back.
 */
#define MOVES_PER_SECOND	5.0
#define MOVES_MS		5000

/* How many CPUs the smallest LLC has. */
static int smallest_llc(void)
{
	int i, cpus = CPU_COUNT(&llcs[0].cpus);

	for (i = 1; i < nr_llcs; i++)
		if (CPU_COUNT(&llcs[i].cpus) < cpus)
			cpus = CPU_COUNT(&llcs[i].cpus);
	return cpus < NR_WORKERS ? cpus : NR_WORKERS;
}

/* What load balancing and wake-ups do by themselves, for comparison. */
static __u64 compare(const struct load *load, const char *what)
{
	struct load_account account;
	__u64 where;

	load_watch(load, WATCH_MS, &account);
	where = busiest_set(&account.res);
	ksft_print_msg("%s: %.1f %% on CPUs %s, %.1f moves/s, for comparison\n", what,
		       residency_on(&account.res, where), llc_set_list(where),
		       load_moves_per_second(&account));
	return where;
}

/* The stat file knows of the wake-ups; -1 after a message if not. */
static int wakeups_are_counted(const char *cgroup)
{
	struct llc_stat stat;

	if (stat_read(cgroup, &stat))
		return -1;
	ksft_print_msg("nr_wakeups %llu, wanted more than 0; of them steered: %llu\n",
		       stat.nr_wakeups, stat.nr_wakeups_steered);
	return stat.nr_wakeups && stat.nr_wakeups_steered <= stat.nr_wakeups ? 0 : -1;
}

/*
 * A server in a group shares an LLC, its sleepers included. Over pipes plain
 * wake-ups bring it together as well, since a writer says that it will sleep: the
 * figure is the one to keep there. Over futexes it is spread without.
 */
static int server_shares_an_llc(const char *root, enum call_kind kind)
{
	struct load load = {};
	int ret = KSFT_FAIL, llc;
	char *cgroup;

	if (!fits(2, MIN_CPUS))
		return KSFT_SKIP;
	cgroup = cgroup_make(root, "llc_server", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (server_start(&load, cgroup, kind, NR_WORKERS, smallest_llc() / 2))
		goto cleanup;
	compare(&load, "default");
	if (prefer(cgroup, "group"))
		goto cleanup;
	if (load_gathers(&load, ANY_LLC, &settles, "group"))
		goto cleanup;
	llc = chosen_llc(cgroup);
	if (llc < 0 || load_holds(&load, 1ULL << llc, GATHERED, "effective"))
		goto cleanup;
	if (wakeups_are_counted(cgroup))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	load_stop(&load);
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_server_over_pipes(const char *root)
{
	return server_shares_an_llc(root, BY_PIPE);
}

static int test_llc_prefer_server_over_futexes(const char *root)
{
	return server_shares_an_llc(root, BY_FUTEX);
}

/* The same with the LLC of somebody's choice, where it did not run before. */
static int server_goes_to_a_list(const char *root, enum call_kind kind)
{
	struct load load = {};
	int ret = KSFT_FAIL, llc;
	char *cgroup;

	if (!fits(2, MIN_CPUS))
		return KSFT_SKIP;
	cgroup = cgroup_make(root, "llc_server", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (server_start(&load, cgroup, kind, NR_WORKERS, smallest_llc() / 2))
		goto cleanup;
	llc = compare(&load, "default") & 1 ? nr_llcs - 1 : 0;
	if (prefer(cgroup, llcs[llc].list))
		goto cleanup;
	if (load_gathers(&load, 1ULL << llc, &settles, "list"))
		goto cleanup;
	if (wakeups_are_counted(cgroup))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	load_stop(&load);
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_server_over_pipes_follows_a_list(const char *root)
{
	return server_goes_to_a_list(root, BY_PIPE);
}

static int test_llc_prefer_server_over_futexes_follows_a_list(const char *root)
{
	return server_goes_to_a_list(root, BY_FUTEX);
}

/*
 * Storms
 */

/* Where a storm's children start, by themselves, for comparison. */
static void compare_births(const struct load *load, const char *what)
{
	struct load_account account;
	__u64 where;

	load_watch(load, WATCH_MS, &account);
	where = busiest_set(&account.births);
	ksft_print_msg("%s, of %llu children: %.1f %% on CPUs %s, for comparison\n",
		       what, account.births.total,
		       residency_on(&account.births, where), llc_set_list(where));
}

/* Where children start, of so many that it says something: longer on a slow kernel. */
static void watch_births(const struct load *load, struct residency *births)
{
	struct load_account account;
	int i, turns = 20;

	memset(births, 0, sizeof(*births));
	while (births->total < MIN_BIRTHS && turns--) {
		load_watch(load, WATCH_MS, &account);
		births->total += account.births.total;
		for (i = 0; i < nr_llcs; i++)
			births->ns[i] += account.births.ns[i];
	}
}

static int born_there(const struct load *load, __u64 set, const char *what)
{
	struct residency births;
	char name[64];
	__u64 where;
	double share;

	watch_births(load, &births);
	where = set ?: busiest_set(&births);
	share = residency_on(&births, where);
	snprintf(name, sizeof(name), "%s, of %llu children", what, births.total);
	say(name, share, where, "at least", BORN_THERE);
	return share >= BORN_THERE && births.total >= MIN_BIRTHS ? 0 : -1;
}

/* Children start on the LLC of their group. */
static int storm_stays(const char *root, enum birth_kind kind, int at_once)
{
	struct llc_stat stat;
	struct load load = {};
	int ret = KSFT_FAIL, llc;
	char *cgroup;

	if (!fits(2, MIN_CPUS))
		return KSFT_SKIP;
	cgroup = cgroup_make(root, "llc_storm", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (storm_start(&load, cgroup, kind, at_once))
		goto cleanup;
	compare_births(&load, "default");
	if (prefer(cgroup, "group"))
		goto cleanup;
	sleep_ms(SETTLE_MS);
	if (born_there(&load, ANY_LLC, "group"))
		goto cleanup;
	llc = chosen_llc(cgroup);
	if (llc < 0 || born_there(&load, 1ULL << llc, "effective"))
		goto cleanup;
	if (stat_read(cgroup, &stat))
		goto cleanup;
	ksft_print_msg("nr_forks_steered %llu, wanted more than 0\n",
		       stat.nr_forks_steered);
	if (!stat.nr_forks_steered)
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	load_stop(&load);
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_fork_storm(const char *root)
{
	return storm_stays(root, FORKS, 1);
}

static int test_llc_prefer_fork_storm_of_two(const char *root)
{
	return storm_stays(root, FORKS, 2);
}

static int test_llc_prefer_exec_storm(const char *root)
{
	return storm_stays(root, EXECS, 2);
}

/*
 * Wake-ups that pack what load balancing spreads would send tasks to and fro. A
 * client calls a whole LLC's worth of workers at a time, which is full then, and
 * empty a moment later.
 */
static int server_does_not_bounce(const char *root, enum call_kind kind)
{
	struct load_account off, on, moved;
	struct load load = {};
	double seen, wanted;
	int ret = KSFT_FAIL, llc;
	char *cgroup;

	if (!fits(2, MIN_CPUS))
		return KSFT_SKIP;
	if (access(LLC_ENABLED, W_OK))
		return skip("no " LLC_ENABLED);
	cgroup = cgroup_make(root, "llc_bounce", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (prefer(cgroup, "group"))
		goto cleanup;
	if (file_write(LLC_ENABLED, "0"))
		goto cleanup;
	if (server_start(&load, cgroup, kind, NR_WORKERS, smallest_llc()))
		goto cleanup;
	sleep_ms(SETTLE_MS);
	load_watch(&load, MOVES_MS, &off);
	ksft_print_msg("disabled: %.1f moves/s at %llu wake-ups, %.1f %% on CPUs %s\n",
		       load_moves_per_second(&off), off.wakeups,
		       residency_on(&off.res, ANY_LLC), llc_set_list(busiest_set(&off.res)));

	if (file_write(LLC_ENABLED, "1"))
		goto cleanup;
	sleep_ms(SETTLE_MS);
	load_watch(&load, MOVES_MS, &on);
	seen = load_moves_per_second(&on);
	wanted = load_moves_per_second(&off) + MOVES_PER_SECOND;
	ksft_print_msg("group: %.1f moves/s, wanted at most %.1f, at %llu wake-ups\n",
		       seen, wanted, on.wakeups);
	ksft_print_msg("group: %.1f %% on CPUs %s\n", residency_on(&on.res, ANY_LLC),
		       llc_set_list(busiest_set(&on.res)));
	if (seen > wanted)
		goto cleanup;

	/* That none were seen says something only if they are seen at all. */
	llc = busiest_set(&on.res) & 1 ? nr_llcs - 1 : 0;
	if (prefer(cgroup, llcs[llc].list))
		goto cleanup;
	load_watch(&load, SETTLE_MS, &moved);
	ksft_print_msg("list of LLC %d: %llu moves, wanted at least %d\n", llc,
		       moved.moves, NR_WORKERS / 2);
	if (moved.moves < NR_WORKERS / 2)
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	file_write(LLC_ENABLED, "1");
	load_stop(&load);
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_server_over_pipes_does_not_bounce(const char *root)
{
	return server_does_not_bounce(root, BY_PIPE);
}

static int test_llc_prefer_server_over_futexes_does_not_bounce(const char *root)
{
	return server_does_not_bounce(root, BY_FUTEX);
}

#define T(x) { x, #x }
static const struct llc_prefer_test tests[] = {
	T(test_llc_prefer_server_over_pipes),
	T(test_llc_prefer_server_over_futexes),
	T(test_llc_prefer_server_over_pipes_follows_a_list),
	T(test_llc_prefer_server_over_futexes_follows_a_list),
	T(test_llc_prefer_server_over_pipes_does_not_bounce),
	T(test_llc_prefer_server_over_futexes_does_not_bounce),
	T(test_llc_prefer_fork_storm),
	T(test_llc_prefer_fork_storm_of_two),
	T(test_llc_prefer_exec_storm),
};

#undef T

int main(int argc, char **argv)
{
	load_born_again(argc, argv);
	llc_prefer_run(argc, argv, tests, ARRAY_SIZE(tests));
}
