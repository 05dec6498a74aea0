// SPDX-License-Identifier: GPL-2.0
/*
 * Why has a preference no effect, or not its full one, and what would help?
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"
#include "hierarchy.h"
#include "llcname.h"
#include "prefer.h"
#include "setting.h"
#include "tasks.h"

/* Less than this on the preferred LLCs is worth a reason; per cent. */
#define ENOUGH	90

/* What the rest of this file looks at. */
struct look {
	const struct cgroup_root *root;
	const char *path;
	const struct topology *topo;
	const struct counters *recent;
	struct cpumask cpus;		/* preferred now */
	struct cpumask wanted;		/* of the LLCs named, empty if none is */
};

/*
 * The CPUs that a cgroup may use: of the nearest one on the way up that has
 * the cpuset controller.
 */
static bool usable_cpus(const struct look *l, const char *path,
			struct cpumask *cpus)
{
	char *up = xstrdup(path), *text;
	bool found = false;

	memset(cpus, 0, sizeof(*cpus));
	do {
		if (cgroup_read(l->root, up, "cpuset.cpus.effective", &text))
			continue;
		found = !cpulist_parse(text, -1, cpus, NULL);
		free(text);
		break;
	} while (hierarchy_parent(up));
	free(up);
	return found;
}

/* The highest cgroup on the way up that may not use a wanted CPU. */
static char *narrowed_at(const struct look *l)
{
	char *up = xstrdup(l->path), *at = xstrdup(up);
	struct cpumask cpus;

	while (hierarchy_parent(up) && usable_cpus(l, up, &cpus) &&
	       !cpumask_intersects(&cpus, &l->wanted)) {
		free(at);
		at = xstrdup(up);
	}
	free(up);
	return at;
}

static void because_single_llc(const struct look *l, struct diagnosis *d)
{
	if (l->topo->nr_llcs > 1) {
		d->reason = xstrdup("each cpuset partition of this machine has a single LLC");
		d->help = xstrdup("a partition with the CPUs of several LLCs (cpuset.cpus.partition)");
	} else {
		d->reason = xstrdup("this machine has a single LLC, which all tasks share as it is");
	}
	d->lasting = true;
}

static void because_disabled(struct diagnosis *d)
{
	d->reason = xstrdup("cache aware scheduling is switched off in debugfs");
	d->help = xstrdup("echo 1 > /sys/kernel/debug/sched/llc_balancing/enabled");
	d->lasting = true;
}

static void because_offline(const struct look *l, struct diagnosis *d)
{
	char *wanted = cpulist_format(&l->wanted);
	char *online = cpulist_format(&l->topo->online);
	int first = cpumask_next(&l->wanted, 0);

	if (first < 0) {
		d->reason = xstrdup(effective_reason("offline"));
	} else {
		d->reason = xasprintf("none of the wanted CPUs %s is online (CPUs %s are)",
				      wanted, online);
		d->help = xasprintf("echo 1 > /sys/devices/system/cpu/cpu%d/online",
				    first);
	}
	d->lasting = true;
	free(wanted);
	free(online);
}

static void because_cpuset(const struct look *l, struct diagnosis *d)
{
	struct cpumask usable;
	char *wanted, *may, *at, *list;

	d->lasting = true;
	if (cpumask_empty(&l->wanted) || !usable_cpus(l, l->path, &usable)) {
		d->reason = xstrdup(effective_reason("cpuset"));
		return;
	}
	wanted = setting_cpus(&l->wanted, l->topo);
	may = setting_cpus(&usable, l->topo);
	list = cpulist_format(&l->wanted);
	at = narrowed_at(l);
	d->reason = xasprintf("it wants CPUs %s, and cpuset.cpus of /%s leaves it CPUs %s",
			      wanted, at, may);
	d->help = xasprintf("an LLC among those, or cpuset.cpus of /%s with some of the CPUs %s",
			    at, list);
	free(wanted);
	free(may);
	free(list);
	free(at);
}

static void because_numa(const struct look *l, struct diagnosis *d)
{
	char *what = llc_describe(l->topo, &l->wanted);

	d->reason = xasprintf("NUMA balancing wants its tasks on another node, where their memory is%s%s",
			      what ? ", not on " : "", what ? what : "");
	d->help = xstrdup("an LLC of that node, memory on this one (cpuset.mems), or sysctl kernel.numa_balancing=0");
	free(what);
}

static void because_idle(const struct look *l, struct diagnosis *d)
{
	struct survey s;

	tasks_survey(l->root, l->path, l->topo->sysroot, &l->cpus, &s);
	if (s.tasks)
		d->reason = xasprintf("it has %ld task%s, which %s not run enough for the kernel to choose an LLC",
				      s.tasks, s.tasks > 1 ? "s" : "",
				      s.tasks > 1 ? "have" : "has");
	else
		d->reason = xstrdup("it has no tasks");
	d->help = xstrdup("run time: the kernel chooses as soon as its tasks have some");
}

static void because_crowded(const struct look *l, struct diagnosis *d)
{
	unsigned int nr = cpumask_weight(&l->cpus);

	if (nr)
		d->reason = xasprintf("more tasks want to run on its LLCs than they have CPUs (%u), so plain load balancing decides",
				      nr);
	else
		d->reason = xstrdup(effective_reason("crowded"));
	d->help = xstrdup(cpumask_empty(&l->wanted) ?
			  "less other work on these LLCs, or fewer tasks" :
			  "more LLCs in its list, or less other work on these");
}

/* Some tasks cannot follow, whatever the group does. */
static void because_of_tasks(const struct look *l, struct diagnosis *d)
{
	struct survey s;
	char *cpus, *may;

	tasks_survey(l->root, l->path, l->topo->sysroot, &l->cpus, &s);
	if (s.bound) {
		cpus = cpulist_format(&l->cpus);
		may = cpulist_format(&s.allowed);
		d->reason = xasprintf("of its %ld task%s %ld may not run on CPUs %s (the affinity of thread %ld is %s)",
				      s.tasks, s.tasks > 1 ? "s" : "", s.bound,
				      cpus, s.first_bound, may);
		d->help = xasprintf("taskset -pc %s %ld, or an LLC that they may use",
				    cpus, s.first_bound);
		d->lasting = s.bound == s.tasks;
		free(cpus);
		free(may);
	} else if (s.not_fair) {
		d->reason = xasprintf("no preference moves real-time and deadline tasks, as of its %ld task%s %ld %s (thread %ld)",
				      s.tasks, s.tasks > 1 ? "s" : "",
				      s.not_fair, s.not_fair > 1 ? "are" : "is",
				      s.first_not_fair);
		d->help = xasprintf("chrt --other -p 0 %ld, or their own affinity",
				    s.first_not_fair);
		d->lasting = s.not_fair == s.tasks;
	}
}

static void because_of_size(const struct look *l, struct diagnosis *d)
{
	double residency = counters_residency(l->recent);

	if (!l->recent->nr_spills || residency < 0 || residency >= ENOUGH)
		return;
	d->reason = xasprintf("its tasks do not fit: they left its LLCs (%u CPUs) %llu times because these were full",
			      cpumask_weight(&l->cpus), l->recent->nr_spills);
	d->help = xstrdup(cpumask_empty(&l->wanted) ?
			  "a moment for the group to grow, or less other work on these LLCs" :
			  "more LLCs in its list, or less other work on these");
}

void diagnose(const struct cgroup_root *root, const char *path,
	      const struct effective *eff, const struct counters *recent,
	      const struct topology *topo, struct diagnosis *d)
{
	const struct topology any = { .last_cpu = -1 };
	const char *state = effective_get(eff, "state");
	const char *mode = effective_get(eff, "mode");
	const char *list = effective_get(eff, "cpus");
	struct look l = {
		.root = root,
		.path = path,
		.topo = topo,
		.recent = recent,
	};
	struct statement by;
	struct prefer p;

	*d = (struct diagnosis){ 0 };
	if (!state || (mode && !strcmp(mode, "off")))
		return;
	if (list && cpulist_parse(list, -1, &l.cpus, NULL))
		memset(&l.cpus, 0, sizeof(l.cpus));
	if (!hierarchy_decider(root, path, &by) && by.path) {
		if (!prefer_parse(by.value, &any, &p, NULL))
			l.wanted = p.cpus;
		statement_free(&by);
	}

	if (!strcmp(state, "single-llc"))
		because_single_llc(&l, d);
	else if (!strcmp(state, "disabled"))
		because_disabled(d);
	else if (!strcmp(state, "offline"))
		because_offline(&l, d);
	else if (!strcmp(state, "cpuset"))
		because_cpuset(&l, d);
	else if (!strcmp(state, "numa"))
		because_numa(&l, d);
	else if (!strcmp(state, "idle"))
		because_idle(&l, d);
	else if (!strcmp(state, "crowded"))
		because_crowded(&l, d);
	else if (strcmp(state, "active"))
		d->reason = xasprintf("its state is '%s', which this llcctl does not know",
				      state);
	else if (!mode || strcmp(mode, "process"))
		because_of_tasks(&l, d);

	if (!d->reason && recent)
		because_of_size(&l, d);
}

void report_state(const struct cgroup_root *root, const char *path,
		  const struct prefer *want, const struct effective *eff,
		  const struct topology *topo)
{
	const char *state = effective_get(eff, "state");
	struct diagnosis d;

	if (!state || !strcmp(state, "active") || !strcmp(state, "idle") ||
	    want->mode == PREFER_DEFAULT || want->mode == PREFER_OFF)
		return;
	diagnose(root, path, eff, NULL, topo, &d);
	if (d.reason)
		warnx("/%s: accepted, but without effect now: %s%s%s", path,
		      d.reason, d.help ? "; what would help: " : "",
		      d.help ? d.help : "");
	diagnosis_free(&d);
}

void diagnosis_free(struct diagnosis *d)
{
	free(d->reason);
	free(d->help);
	*d = (struct diagnosis){ 0 };
}
