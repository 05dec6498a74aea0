// SPDX-License-Identifier: GPL-2.0
/*
 * On which LLC do the tasks of a cgroup run?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "llctime.h"
#include "proctask.h"

/**
 * struct llctime_task - where a task stood at the last look
 * @tid: thread id; the array is sorted by it
 * @ran, @waited: as in its schedstat, in nsec
 * @llc: index of the LLC that it ran on
 * @look: the look that saw it
 */
struct llctime_task {
	long tid;
	unsigned long long ran, waited;
	size_t llc;
	unsigned int look;
};

void llctime_start(struct llctime *time, const char *sysroot,
		   const struct topology *topo)
{
	*time = (struct llctime){ .sysroot = sysroot, .topo = topo };
	time->ran = xcalloc(topo->nr_llcs + 1, sizeof(*time->ran));
}

void llctime_end(struct llctime *time)
{
	free(time->ran);
	free(time->known);
	*time = (struct llctime){ 0 };
}

void llctime_zero(struct llctime *time)
{
	memset(time->ran, 0, (time->topo->nr_llcs + 1) * sizeof(*time->ran));
	time->waited = 0;
	time->moves = 0;
}

unsigned long long llctime_total(const struct llctime *time)
{
	unsigned long long sum = 0;
	size_t i;

	for (i = 0; i <= time->topo->nr_llcs; i++)
		sum += time->ran[i];
	return sum;
}

static size_t llc_of(const struct topology *topo, int cpu)
{
	size_t i;

	for (i = 0; i < topo->nr_llcs; i++)
		if (cpu >= 0 && cpumask_test(&topo->llcs[i].cpus, cpu))
			break;
	return i;
}

/* What the kernel tells of a task. */
static int read_now(const struct llctime *time, long tid,
		    struct llctime_task *now)
{
	char text[1024], *end;
	int code;

	*now = (struct llctime_task){ .tid = tid, .look = time->look };
	code = proctask_read(time->sysroot, tid, "schedstat", text, sizeof(text));
	if (code)
		return code;
	now->ran = strtoull(text, &end, 10);
	now->waited = strtoull(end, NULL, 10);
	code = proctask_read(time->sysroot, tid, "stat", text, sizeof(text));
	if (code)
		return code;
	now->llc = llc_of(time->topo, proctask_stat(text, PROCTASK_CPU));
	return 0;
}

/* Where a task is in the array, or belongs. */
static size_t find(const struct llctime *time, long tid)
{
	size_t low = 0, high = time->nr_known, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (time->known[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void note(struct llctime *time, const struct llctime_task *now)
{
	size_t i = find(time, now->tid);
	struct llctime_task *then = &time->known[i];

	if (i < time->nr_known && then->tid == now->tid) {
		/* Less than before is another task with the number of the old one. */
		if (now->ran >= then->ran && now->waited >= then->waited) {
			time->ran[now->llc] += now->ran - then->ran;
			time->waited += now->waited - then->waited;
			time->moves += now->llc != then->llc &&
				       now->ran > then->ran;
		}
		*then = *now;
		return;
	}
	if (time->nr_known == time->size) {
		time->size = time->size ? 2 * time->size : 64;
		time->known = xrealloc(time->known,
				       time->size * sizeof(*time->known));
	}
	memmove(&time->known[i + 1], &time->known[i],
		(time->nr_known - i) * sizeof(*time->known));
	time->known[i] = *now;
	time->nr_known++;
}

/* Tasks that this look did not see are gone, or moved away. */
static void forget(struct llctime *time)
{
	size_t i, kept = 0;

	for (i = 0; i < time->nr_known; i++)
		if (time->known[i].look == time->look)
			time->known[kept++] = time->known[i];
	time->nr_known = kept;
}

static int look_at(struct llctime *time, const struct cgroup_root *root,
		   const char *path)
{
	char *text, *next, *line;
	struct llctime_task now;
	int code, ret = 0;
	long tid;

	code = cgroup_read(root, path, "cgroup.threads", &text);
	/* One below that just vanished, or whose threads count elsewhere. */
	if (code)
		return 0;
	for (next = text; (line = strsep(&next, "\n"));) {
		tid = *line ? atol(line) : 0;
		/* 0: in another pid namespace. */
		if (tid <= 0)
			continue;
		code = read_now(time, tid, &now);
		if (!code) {
			note(time, &now);
			time->tasks++;
		} else if (code == -ENOENT &&
			   !proctask_read(time->sysroot, tid, "stat", (char[64]){ 0 }, 64)) {
			/* The task is there, its schedstat is not. */
			ret = -ENOSYS;
			break;
		}
	}
	free(text);
	return ret;
}

int llctime_look(struct llctime *time, const struct cgroup_root *root,
		 const char *path, bool below)
{
	struct cgroup_list list = { 0 };
	int code = 0;
	size_t i;

	if (below)
		code = cgroup_walk(root, path, &list);
	if (code)
		return code;
	time->look++;
	time->tasks = 0;
	if (!below)
		code = look_at(time, root, path);
	for (i = 0; i < list.nr && !code; i++)
		code = look_at(time, root, list.nodes[i].path);
	forget(time);
	cgroup_list_free(&list);
	return code;
}
