// SPDX-License-Identifier: GPL-2.0
/*
 * Questions about where crowds of tasks run; llc_prefer_watch.h says what each
 * function does.
 */

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "kselftest.h"
#include "cgroup_util.h"
#include "llc_prefer_watch.h"

/* A window of parts(): long against the turns that busy vCPUs take. */
#define WINDOW_MS	300

const struct promise settles = { SETTLE_MS, GATHERED, GATHERED };
const struct promise follows = { 1000, 95, GATHERED };
const struct promise returns = { SCATTER_MS, GATHERED, GATHERED };

bool fits(int llcs_needed, int cpus_needed)
{
	int i;

	if (nr_llcs < llcs_needed) {
		skip("needs %d LLCs, has %d", llcs_needed, nr_llcs);
		return false;
	}
	for (i = 0; i < nr_llcs; i++) {
		if (CPU_COUNT(&llcs[i].cpus) < cpus_needed) {
			skip("needs %d CPUs an LLC, one has %d", cpus_needed,
			     CPU_COUNT(&llcs[i].cpus));
			return false;
		}
	}
	return true;
}

int stage_set(struct stage *stage, const char *parent, const char *name,
	      const char *value, enum crowd_kind kind, int nr)
{
	memset(stage, 0, sizeof(*stage));
	stage->cgroup = cgroup_make(parent, name, false);
	if (!stage->cgroup)
		return -1;
	if (value && prefer(stage->cgroup, value))
		return -1;
	return crowd_start(&stage->crowd, stage->cgroup, kind, nr);
}

void stage_clear(struct stage *stage)
{
	crowd_stop(&stage->crowd);
	cgroup_drop(stage->cgroup);
}

/* A flat keyed file as one line. */
static void tell(const char *cgroup, const char *file)
{
	char text[LIST_SIZE];
	size_t len;
	char *p;

	if (cg_read(cgroup, file, text, sizeof(text)))
		return;
	len = strlen(text);
	for (p = text; p < text + len; p++)
		if (*p == '\n')
			*p = p + 1 < text + len ? ';' : '\0';
	ksft_print_msg("%s: %s\n", cgroup, text);
}

void stage_end(struct stage *stage, int ret)
{
	if (ret == KSFT_FAIL && stage->cgroup) {
		tell(stage->cgroup, LLC_EFFECTIVE);
		tell(stage->cgroup, LLC_STAT);
	}
	stage_clear(stage);
}

void say(const char *what, double seen, __u64 set, const char *than, double wanted)
{
	ksft_print_msg("%s: %.1f %% on CPUs %s, wanted %s %g %%\n", what, seen,
		       llc_set_list(set), than, wanted);
}

__u64 busiest_set(const struct residency *res)
{
	int llc = residency_busiest(res);

	return llc < 0 ? 0 : 1ULL << llc;
}

double median(double a, double b, double c)
{
	double low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* A crowd that was disturbed is watched four times more: three of five count. */
#define NR_WATCHES	5

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of what was watched, after a message with all of it. */
static double median_watch(double share[NR_WATCHES], const char *what)
{
	char text[NR_WATCHES * 10];
	int i, len = 0;

	for (i = 0; i < NR_WATCHES; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%.1f %%",
				i ? ", " : "", share[i]);
	ksft_print_msg("%s: watched again: %s\n", what, text);
	qsort(share, NR_WATCHES, sizeof(share[0]), by_size);
	return share[NR_WATCHES / 2];
}

static double share_on(const struct crowd *crowd, int task, __u64 set,
		       __u64 *where)
{
	struct residency res;

	if (task == ALL_TASKS)
		crowd_watch(crowd, WATCH_MS, &res);
	else
		crowd_watch_one(crowd, task, WATCH_MS, &res);
	*where = set ?: busiest_set(&res);
	return residency_on(&res, *where);
}

int task_holds(const struct crowd *crowd, int task, __u64 set, double percent,
	       const char *what)
{
	double share, seen[NR_WATCHES];
	__u64 where;
	char name[160];
	int i;

	share = share_on(crowd, task, set, &where);
	if (share < percent) {
		seen[0] = share;
		for (i = 1; i < NR_WATCHES; i++)
			seen[i] = share_on(crowd, task, set, &where);
		share = median_watch(seen, what);
		snprintf(name, sizeof(name), "%s (median of %d)", what, NR_WATCHES);
		what = name;
	}
	say(what, share, where, "at least", percent);
	return share >= percent ? 0 : -1;
}

int gathered(const struct crowd *crowd, __u64 set, const char *what)
{
	return task_holds(crowd, ALL_TASKS, set, GATHERED, what);
}

int gathers(const struct crowd *crowd, __u64 set, const struct promise *promise,
	    const char *what)
{
	struct residency res;
	char name[128];
	long took;

	took = crowd_settle(crowd, set, promise->share, promise->within_ms, &res);
	if (took < 0) {
		snprintf(name, sizeof(name), "%s, after %ld ms", what,
			 promise->within_ms);
		say(name, residency_on(&res, set), set ?: busiest_set(&res),
		    "at least", promise->share);
		return -1;
	}
	snprintf(name, sizeof(name), "%s, %g %% after %ld ms, then", what,
		 promise->share, took);
	return task_holds(crowd, ALL_TASKS, set, promise->then, name);
}

int scatters(const struct crowd *crowd, long limit_ms, const char *what)
{
	struct residency res;
	char name[128];
	double share;
	long took;

	took = crowd_scatter(crowd, SCATTERED, limit_ms, &res);
	if (took >= 0)
		crowd_watch(crowd, WATCH_MS, &res);
	share = residency_on(&res, ANY_LLC);
	snprintf(name, sizeof(name), "%s, after %ld ms", what,
		 took < 0 ? limit_ms : took);
	say(name, share, busiest_set(&res), "below", SCATTERED);
	return took >= 0 && share < SCATTERED ? 0 : -1;
}

/* The message of a figure in LLCs. */
static int say_span(const char *what, const struct residency *res, double percent,
		    int nr)
{
	__u64 set = residency_span(res, percent);
	int seen = __builtin_popcountll(set);

	ksft_print_msg("%s: %.1f %% on %d LLCs (%s %%), wanted %g %% on exactly %d\n",
		       what, residency_on(res, set), seen, residency_text(res),
		       percent, nr);
	return seen == nr ? 0 : -1;
}

int spans(const struct crowd *crowd, int nr, const struct promise *promise,
	  const char *what, __u64 *set)
{
	struct residency res;
	int tries = 0, held = 0;
	char name[128];
	long took;

	took = crowd_span(crowd, nr, promise->share, promise->within_ms, &res);
	if (took < 0) {
		snprintf(name, sizeof(name), "%s, after %ld ms", what,
			 promise->within_ms);
		return say_span(name, &res, promise->share, nr);
	}
	/* A crowd that was disturbed is watched twice more: two of three count. */
	do {
		snprintf(name, sizeof(name), "%s, %g %% after %ld ms, then%s", what,
			 promise->share, took, tries ? " again" : "");
		crowd_watch(crowd, WATCH_MS, &res);
		tries++;
		if (!say_span(name, &res, promise->then, nr)) {
			held++;
			if (set)
				*set = residency_span(&res, promise->then);
		}
	} while (held < tries && tries < 3 && held < 2);
	return 2 * held > tries ? 0 : -1;
}

/*
 * Watches all the crowds at a time. Returns the least share of any on its
 * busiest LLC, 0 if two of them have the same.
 */
static double parted(const struct stage *stages, int nr, long ms, int *own)
{
	struct residency before[MAX_LLCS], now;
	double share, least = 100;
	__u64 taken = 0;
	int i;

	for (i = 0; i < nr; i++)
		crowd_ran(&stages[i].crowd, &before[i]);
	sleep_ms(ms);
	for (i = 0; i < nr; i++) {
		crowd_ran(&stages[i].crowd, &now);
		residency_since(&now, &before[i]);
		own[i] = residency_busiest(&now);
		share = own[i] < 0 ? 0 : residency_on(&now, 1ULL << own[i]);
		if (own[i] >= 0 && taken & 1ULL << own[i])
			share = 0;
		if (own[i] >= 0)
			taken |= 1ULL << own[i];
		if (share < least)
			least = share;
	}
	return least;
}

static const char *own_text(const int *own, int nr)
{
	static char text[MAX_LLCS * 4];
	size_t len = 0;
	int i;

	for (i = 0; i < nr; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%d",
				i ? ", " : "", own[i]);
	return text;
}

int parts(const struct stage *stages, int nr, double percent, long limit_ms,
	  const char *what, int *own)
{
	long start = now_ms(), took = -1;
	double share, seen[NR_WATCHES];
	int llc[MAX_LLCS], i;

	do {
		share = parted(stages, nr, WINDOW_MS, llc);
		if (share >= percent)
			took = now_ms() - start;
	} while (took < 0 && now_ms() - start < limit_ms);
	if (took >= 0) {
		share = parted(stages, nr, WATCH_MS, llc);
		if (share < percent) {
			seen[0] = share;
			for (i = 1; i < NR_WATCHES; i++)
				seen[i] = parted(stages, nr, WATCH_MS, llc);
			share = median_watch(seen, what);
		}
	}
	ksft_print_msg("%s, after %ld ms: each %.1f %% alone on LLCs %s, wanted at least %g %%\n",
		       what, took < 0 ? limit_ms : took, share, own_text(llc, nr),
		       percent);
	if (own)
		memcpy(own, llc, nr * sizeof(*own));
	return took >= 0 && share >= percent ? 0 : -1;
}

int quietest(const struct crowd *crowd)
{
	struct residency res;
	int i, llc = 0;

	crowd_watch(crowd, 300, &res);
	for (i = 1; i < nr_llcs; i++)
		if (res.ns[i] < res.ns[llc])
			llc = i;
	return llc;
}

int chosen_llc(const char *cgroup)
{
	struct effective eff;
	int i;

	if (effective_read(cgroup, &eff))
		return -1;
	for (i = 0; i < nr_llcs; i++)
		if (CPU_EQUAL(&eff.cpus, &llcs[i].cpus))
			return i;
	ksft_print_msg("%s: cpus \"%s\" are not those of one LLC\n", cgroup,
		       eff.list);
	return -1;
}
