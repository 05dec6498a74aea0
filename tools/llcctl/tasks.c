// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks of a cgroup can a preference not reach?
 */
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>

#include "llcctl.h"
#include "proctask.h"
#include "tasks.h"

static bool affinity_of(const char *sysroot, long tid, struct cpumask *mask)
{
	char text[16384], *list;

	memset(mask, 0, sizeof(*mask));
	if (proctask_read(sysroot, tid, "status", text, sizeof(text)))
		return false;
	list = proctask_status(text, "Cpus_allowed_list");
	return list && !cpulist_parse(list, -1, mask, NULL);
}

static void look_at(const char *sysroot, long tid, const struct cpumask *cpus,
		    struct survey *s)
{
	struct cpumask allowed;
	char stat[1024];
	long policy;

	s->tasks++;
	/* 0: in another pid namespace. */
	if (tid <= 0 || proctask_read(sysroot, tid, "stat", stat, sizeof(stat)))
		return;
	policy = proctask_stat(stat, PROCTASK_POLICY);
	if (policy < 0)
		return;
	if (policy != SCHED_NORMAL && policy != SCHED_BATCH &&
	    policy != SCHED_IDLE) {
		if (!s->not_fair++)
			s->first_not_fair = tid;
	} else if (!cpumask_empty(cpus) && affinity_of(sysroot, tid, &allowed) &&
		   !cpumask_intersects(&allowed, cpus)) {
		if (!s->bound++) {
			s->first_bound = tid;
			s->allowed = allowed;
		}
	}
}

/* True if a cgroup on the way from the first one down has its own say. */
static bool is_apart(const struct cgroup_root *root,
		     const struct cgroup_list *list, const bool *apart,
		     size_t i)
{
	char *text;
	bool own;

	if (!i)
		return false;
	if (apart[list->nodes[i].parent])
		return true;
	if (cgroup_read(root, list->nodes[i].path, FILE_PREFER, &text))
		return false;
	own = strcmp(text, "default");
	free(text);
	return own;
}

void tasks_survey(const struct cgroup_root *root, const char *path,
		  const char *sysroot, const struct cpumask *cpus,
		  struct survey *s)
{
	struct cgroup_list list;
	char *text, *next, *line;
	bool *apart;
	size_t i;

	*s = (struct survey){ 0 };
	if (cgroup_walk(root, path, &list))
		return;
	apart = xcalloc(list.nr, sizeof(*apart));
	for (i = 0; i < list.nr; i++) {
		apart[i] = is_apart(root, &list, apart, i);
		if (apart[i] || cgroup_read(root, list.nodes[i].path,
					    "cgroup.threads", &text))
			continue;
		for (next = text; (line = strsep(&next, "\n"));)
			if (*line)
				look_at(sysroot, atol(line), cpus, s);
		free(text);
	}
	free(apart);
	cgroup_list_free(&list);
}
