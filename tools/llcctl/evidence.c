// SPDX-License-Identifier: GPL-2.0
/*
 * What was seen of a cgroup in some stretches of time, and how do two values of its
 * preference compare?
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "effective.h"
#include "evidence.h"
#include "wait.h"

/* Tasks are looked at so often in a window, but not more often than every so much. */
#define LOOKS		20
#define LOOK_MIN_MS	10
#define LOOK_MAX_MS	100

const struct metric_text metric_text[METRIC_NR] = {
	[METRIC_BUSIEST]   = { "busiest LLC", "% of run time" },
	[METRIC_PREFERRED] = { "preferred LLCs", "% of run time" },
	[METRIC_LLCS]	   = { "LLCs used", "" },
	[METRIC_CPUS]	   = { "CPUs used", "" },
	[METRIC_WAITED]	   = { "waited for a CPU", "% of run time" },
	[METRIC_MOVES]	   = { "moves between LLCs", "/s" },
	[METRIC_BALANCED]  = { "balanced on and off", "/s" },
	[METRIC_SPILLS]	   = { "spills", "/s" },
	[METRIC_IPC]	   = { "instructions", "/cycle" },
	[METRIC_MISSES]	   = { "LLC misses", "/1000 instructions" },
	[METRIC_REMOTE]	   = { "from other nodes", "/1000 instructions" },
};

/* What is read at both ends of a window. */
struct ends {
	struct timespec at;
	unsigned long long usage_usec;
	bool counted;
	struct counters counters;
	unsigned long long misses[CACHEMISS_NR];
};

static int read_usage(const struct cgroup_root *root, const char *path,
		      unsigned long long *usec)
{
	struct effective flat;
	const char *value;
	char *text;
	int code = cgroup_read(root, path, "cpu.stat", &text);

	*usec = 0;
	/* A recorded tree may be without; a kernel has it in every cgroup. */
	if (code)
		return code == -ENOENT && cgroup_exists(root, path) ? 0 : code;
	effective_parse(text, &flat);
	value = effective_get(&flat, "usage_usec");
	*usec = value ? strtoull(value, NULL, 10) : 0;
	effective_free(&flat);
	free(text);
	return 0;
}

static int read_ends(const struct watch *w, struct ends *e)
{
	int code = read_usage(w->root, w->path, &e->usage_usec);

	if (code)
		return code;
	e->counted = !counters_read(w->root, w->path, &e->counters);
	cachemiss_read(&w->misses, e->misses);
	clock_gettime(CLOCK_MONOTONIC, &e->at);
	return 0;
}

static double seconds_between(const struct timespec *a, const struct timespec *b)
{
	return b->tv_sec - a->tv_sec + (b->tv_nsec - a->tv_nsec) / 1e9;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* What the kernel counted, where something decides for the tasks. */
static void add_counted(const struct ends *from, const struct ends *to,
			double seconds, struct evidence *e)
{
	struct counters c = to->counters;

	e->values[METRIC_PREFERRED][e->nr] = NAN;
	e->values[METRIC_BALANCED][e->nr] = NAN;
	e->values[METRIC_SPILLS][e->nr] = NAN;
	if (!from->counted || !to->counted)
		return;
	counters_since(&c, &from->counters);
	if (!c.usage_usec)
		return;
	e->values[METRIC_PREFERRED][e->nr] = counters_residency(&c);
	e->values[METRIC_BALANCED][e->nr] =
		(c.nr_migrations_in + c.nr_migrations_out) / seconds;
	e->values[METRIC_SPILLS][e->nr] = c.nr_spills / seconds;
}

static void add_misses(const struct watch *w, const struct ends *from,
		       const struct ends *to, struct evidence *e)
{
	double counts[CACHEMISS_NR];
	size_t i;

	for (i = 0; i < CACHEMISS_NR; i++)
		counts[i] = w->misses.has[i] ?
			    (double)(to->misses[i] - from->misses[i]) : NAN;
	e->values[METRIC_IPC][e->nr] = ratio(counts[CACHEMISS_INSTRUCTIONS],
					     counts[CACHEMISS_CYCLES]);
	e->values[METRIC_MISSES][e->nr] =
		ratio(1000 * counts[CACHEMISS_LLC], counts[CACHEMISS_INSTRUCTIONS]);
	e->values[METRIC_REMOTE][e->nr] =
		ratio(1000 * counts[CACHEMISS_NODE], counts[CACHEMISS_INSTRUCTIONS]);
}

static void add_sampled(const struct watch *w, double seconds, struct evidence *e)
{
	const struct llctime *t = &w->time;
	double total = llctime_total(t), most = 0;
	size_t i, nr = t->topo->nr_llcs, used = 0;

	if (!e->shares)
		e->shares = xcalloc(nr + 1, sizeof(*e->shares));
	for (i = 0; i < nr; i++) {
		most = t->ran[i] > most ? t->ran[i] : most;
		used += t->ran[i] > 0 && t->ran[i] >= total / 100;
	}
	/* The mean of all windows, by how much ran in each. */
	for (i = 0; i <= nr; i++)
		e->shares[i] = (e->shares[i] * e->sampled / 100 + t->ran[i]) * 100 /
			       (e->sampled + total > 0 ? e->sampled + total : 1);
	e->sampled += total;
	e->tasks = t->tasks > e->tasks ? t->tasks : e->tasks;
	e->values[METRIC_BUSIEST][e->nr] = ratio(100 * most, total);
	e->values[METRIC_LLCS][e->nr] = total > 0 ? used : NAN;
	e->values[METRIC_WAITED][e->nr] = ratio(100.0 * t->waited, total);
	e->values[METRIC_MOVES][e->nr] = total > 0 ? t->moves / seconds : NAN;
}

/* Sleep, unless interrupted. */
static bool rest(const struct watch *w, double ms)
{
	struct timespec ts = { ms / 1000, (long)(ms * 1e6) % 1000000000L };

	while (!*w->interrupted && nanosleep(&ts, &ts) && errno == EINTR)
		;
	return !*w->interrupted;
}

int evidence_watch(struct watch *w, double seconds, struct evidence *e)
{
	double step = seconds * 1000 / LOOKS, left;
	struct ends from, to;
	int code;

	step = step < LOOK_MIN_MS ? LOOK_MIN_MS : step;
	step = step > LOOK_MAX_MS ? LOOK_MAX_MS : step;

	code = llctime_look(&w->time, w->root, w->path, true);
	llctime_zero(&w->time);
	if (!code)
		code = read_ends(w, &from);
	to = from;
	while (!code) {
		left = seconds - seconds_between(&from.at, &to.at);
		if (left <= 0)
			break;
		if (!rest(w, left * 1000 < step ? left * 1000 : step))
			return -EINTR;
		code = llctime_look(&w->time, w->root, w->path, true);
		clock_gettime(CLOCK_MONOTONIC, &to.at);
	}
	if (!code)
		code = read_ends(w, &to);
	if (code)
		return code;

	seconds = seconds_between(&from.at, &to.at);
	e->values[METRIC_CPUS][e->nr] = !to.usage_usec ? NAN :
		(to.usage_usec - from.usage_usec) / 1e6 / seconds;
	e->usage += (to.usage_usec - from.usage_usec) * 1000.0;
	add_counted(&from, &to, seconds, e);
	add_misses(w, &from, &to, e);
	add_sampled(w, seconds, e);
	e->nr++;
	return 0;
}

void evidence_free(struct evidence *e)
{
	free(e->shares);
	*e = (struct evidence){ 0 };
}

/* The windows in which a metric is known. */
static size_t known(const struct evidence *e, enum metric metric, double *values)
{
	size_t i, nr = 0;

	for (i = 0; i < e->nr; i++)
		if (!isnan(e->values[metric][i]))
			values[nr++] = e->values[metric][i];
	return nr;
}

void evidence_compare(const struct evidence *old, const struct evidence *new,
		      enum metric metric, struct comparison *c)
{
	double a[WINDOWS_MAX], b[WINDOWS_MAX];
	size_t nr_a = known(old, metric, a), nr_b = known(new, metric, b);

	c->old = stats_median(a, nr_a);
	c->new = stats_median(b, nr_b);
	c->old_min = stats_min(a, nr_a);
	c->old_max = stats_max(a, nr_a);
	c->new_min = stats_min(b, nr_b);
	c->new_max = stats_max(b, nr_b);
	c->p = nr_a && nr_b ? stats_rank_test(a, nr_a, b, nr_b) : NAN;
	c->more = c->p <= EVIDENCE_P && c->new > c->old;
	c->less = c->p <= EVIDENCE_P && c->new < c->old;
}
