// SPDX-License-Identifier: GPL-2.0
/*
 * What do many cgroups do from one moment to the next?
 */
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "activity.h"
#include "effective.h"

/**
 * struct watched - a cgroup, and where its counts stood when the interval began
 * @path: its name
 * @time: what its own tasks did
 * @usage: of its cpu.stat, usec; 0: not known
 * @counted: @counters is known
 * @generation: the look that saw it last
 */
struct watched {
	char *path;
	struct llctime time;
	unsigned long long usage;
	bool counted;
	struct counters counters;
	unsigned int generation;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct watched *)a)->path,
		      ((const struct watched *)b)->path);
}

void activity_start(struct activity *a, const struct cgroup_root *root,
		    const char *sysroot, const struct topology *topo)
{
	*a = (struct activity){
		.root = root, .sysroot = sysroot, .topo = topo,
	};
}

static void forget_doing(struct activity *a)
{
	size_t i;

	for (i = 0; i < a->nr_doing; i++)
		free(a->doing[i].shares);
	free(a->doing);
	a->doing = NULL;
	a->nr_doing = 0;
}

static void forget(struct activity *a, struct watched *w)
{
	tdelete(w, &a->tree, compare);
	llctime_end(&w->time);
	free(w->path);
	free(w);
}

void activity_end(struct activity *a)
{
	while (a->nr)
		forget(a, a->all[--a->nr]);
	free(a->all);
	forget_doing(a);
	*a = (struct activity){ 0 };
}

static struct watched *find(const struct activity *a, char *path)
{
	struct watched key = { .path = path };
	void *found = tfind(&key, &a->tree, compare);

	return found ? *(struct watched **)found : NULL;
}

static struct watched *watch(struct activity *a, char *path)
{
	struct watched *w = find(a, path);

	if (w)
		return w;
	w = xcalloc(1, sizeof(*w));
	w->path = xstrdup(path);
	llctime_start(&w->time, a->sysroot, a->topo);
	if (!tsearch(w, &a->tree, compare))
		abort();
	a->all = xrealloc(a->all, (a->nr + 1) * sizeof(*a->all));
	a->all[a->nr++] = w;
	return w;
}

void activity_look(struct activity *a, const struct view *view, bool all)
{
	size_t i, kept = 0;
	struct watched *w;

	a->generation++;
	for (i = 0; i < view->list.nr; i++) {
		if (!all && !(view->rows[i].shown && view->rows[i].decided))
			continue;
		w = watch(a, view->list.nodes[i].path);
		w->generation = a->generation;
		llctime_look(&w->time, a->root, w->path, false);
	}
	for (i = 0; i < a->nr; i++) {
		if (a->all[i]->generation == a->generation)
			a->all[kept++] = a->all[i];
		else
			forget(a, a->all[i]);
	}
	a->nr = kept;
}

static unsigned long long read_usage(const struct activity *a, const char *path)
{
	struct effective flat;
	const char *value;
	unsigned long long usec = 0;
	char *text;

	if (cgroup_read(a->root, path, "cpu.stat", &text))
		return 0;
	effective_parse(text, &flat);
	value = effective_get(&flat, "usage_usec");
	if (value)
		usec = strtoull(value, NULL, 10);
	effective_free(&flat);
	free(text);
	return usec;
}

/* What the kernel counted of a cgroup and those below it. */
static void take_counts(struct activity *a, struct watched *w, double seconds,
			struct doing *d)
{
	unsigned long long usage = read_usage(a, w->path);
	struct counters now, since;
	bool counted = !counters_read(a->root, w->path, &now);

	if (usage && w->usage && usage >= w->usage && seconds > 0)
		d->cpus = (usage - w->usage) / 1e6 / seconds;
	if (counted && w->counted && seconds > 0) {
		since = now;
		counters_since(&since, &w->counters);
		/* Nothing is counted where nobody decides. */
		if (now.usage_usec) {
			d->home = counters_residency(&since);
			d->home = d->home < 0 ? NAN : d->home;
			d->spills = since.nr_spills / seconds;
			d->moves = (since.nr_migrations_in +
				    since.nr_migrations_out) / seconds;
		}
	}
	w->usage = usage;
	w->counted = counted;
	if (counted)
		w->counters = now;
}

/* Run time in nsec becomes a share of it. */
static void to_shares(const struct activity *a, struct doing *d)
{
	double total = 0;
	size_t i;

	for (i = 0; i <= a->topo->nr_llcs; i++)
		total += d->shares[i];
	for (i = 0; i <= a->topo->nr_llcs; i++)
		d->shares[i] = total > 0 ? 100 * d->shares[i] / total : NAN;
}

double activity_take(struct activity *a, const struct view *view)
{
	size_t i, llc, nr_llcs = a->topo->nr_llcs;
	struct timespec now;
	struct watched *w;
	struct doing *d;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = !a->at.tv_sec ? 0 : now.tv_sec - a->at.tv_sec +
		  (now.tv_nsec - a->at.tv_nsec) / 1e9;
	a->at = now;

	forget_doing(a);
	a->nr_doing = view->list.nr;
	a->doing = xcalloc(a->nr_doing + 1, sizeof(*a->doing));
	/* Children come after their parent, which includes them. */
	for (i = a->nr_doing; i--;) {
		d = &a->doing[i];
		if (!d->shares)
			d->shares = xcalloc(nr_llcs + 1, sizeof(*d->shares));
		d->cpus = d->home = d->spills = d->moves = NAN;
		w = find(a, view->list.nodes[i].path);
		if (w) {
			for (llc = 0; llc <= nr_llcs; llc++)
				d->shares[llc] += w->time.ran[llc];
			llctime_zero(&w->time);
			take_counts(a, w, seconds, d);
		}
		if (i) {
			struct doing *up = &a->doing[view->list.nodes[i].parent];

			if (!up->shares)
				up->shares = xcalloc(nr_llcs + 1,
						     sizeof(*up->shares));
			for (llc = 0; llc <= nr_llcs; llc++)
				up->shares[llc] += d->shares[llc];
		}
		to_shares(a, d);
	}
	return seconds;
}
