// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks of a cgroup can a preference not reach?
 */
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "llcctl.h"
#include "tasks.h"

/* glibc's wrappers of these take a process, or a smaller set. */
static long policy_of(long tid)
{
	return syscall(SYS_sched_getscheduler, tid);
}

static bool affinity_of(long tid, struct cpumask *mask)
{
	memset(mask, 0, sizeof(*mask));
	return syscall(SYS_sched_getaffinity, tid, sizeof(mask->bits),
		       mask->bits) > 0;
}

static void look_at(long tid, const struct cpumask *cpus, struct survey *s)
{
	struct cpumask allowed;
	long policy;

	s->tasks++;
	/* 0: in another pid namespace. */
	if (tid <= 0)
		return;
	policy = policy_of(tid);
	if (policy < 0)
		return;
	/* The kernel's own flag on top, not a policy. */
	policy &= ~SCHED_RESET_ON_FORK;
	if (policy != SCHED_NORMAL && policy != SCHED_BATCH &&
	    policy != SCHED_IDLE) {
		if (!s->not_fair++)
			s->first_not_fair = tid;
	} else if (!cpumask_empty(cpus) && affinity_of(tid, &allowed) &&
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
		  const struct cpumask *cpus, struct survey *s)
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
				look_at(atol(line), cpus, s);
		free(text);
	}
	free(apart);
	cgroup_list_free(&list);
}
