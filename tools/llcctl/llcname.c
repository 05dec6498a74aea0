// SPDX-License-Identifier: GPL-2.0
/*
 * What do people call an LLC, and which CPUs does a name stand for?
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llcname.h"

static const char *const kinds[] = { "llc:", "cpu:", "node:", "size:" };

bool llc_is_name(const char *item, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (len >= strlen(kinds[i]) &&
		    !strncmp(item, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

/* How many LLCs report @id; the last of them in *@found. */
static size_t count_id(const struct topology *topo, unsigned int id,
		       const struct llc **found)
{
	size_t i, n = 0;

	for (i = 0; i < topo->nr_llcs; i++) {
		if (!llc_has_id(&topo->llcs[i], id))
			continue;
		*found = &topo->llcs[i];
		n++;
	}
	return n;
}

long llc_id(const struct topology *topo, const struct llc *llc)
{
	const struct llc *other;

	if (!llc->nr_ids || count_id(topo, llc->ids[0], &other) > 1)
		return -1;
	return llc->ids[0];
}

/*
 * The LLCs with a CPU of @mask, all if that is NULL: "llc:0 to llc:15, llc:32",
 * their CPUs where they have no names.
 */
static char *list_llcs(const struct topology *topo, const struct cpumask *mask)
{
	char *text = NULL;
	size_t size = 0, i, run;
	FILE *f = open_memstream(&text, &size);
	const char *sep = "";

	if (!f)
		return xstrdup("");
	for (i = 0; i < topo->nr_llcs; i += run) {
		const struct llc *llc = &topo->llcs[i];
		long id;

		run = 1;
		if (mask && !cpumask_intersects(&llc->cpus, mask))
			continue;
		id = llc_id(topo, llc);
		if (id < 0) {
			char *cpus = cpulist_format(&llc->cpus);

			fprintf(f, "%sCPUs %s", sep, cpus);
			free(cpus);
			sep = ", ";
			continue;
		}
		while (i + run < topo->nr_llcs &&
		       llc_id(topo, llc + run) == id + (long)run &&
		       (!mask || cpumask_intersects(&llc[run].cpus, mask)))
			run++;
		if (run < 3)
			run = 1;
		fprintf(f, "%sllc:%ld", sep, id);
		if (run > 1)
			fprintf(f, " to llc:%ld", id + (long)run - 1);
		sep = ", ";
	}
	fclose(f);
	return text;
}

/* A number up to the end of @text, -1 if it is none; saturates. */
static long long number(const char *text, size_t len)
{
	long long n = 0;
	size_t i;

	if (!len)
		return -1;
	for (i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return -1;
		if (n <= 0xffffffff)
			n = n * 10 + (text[i] - '0');
	}
	return n;
}

static int find_id(const struct topology *topo, const char *name, size_t len,
		   long long id, struct cpumask *mask, struct why *why)
{
	const struct llc *llc = NULL;
	size_t n = id > 0xffffffff ? 0 : count_id(topo, id, &llc);
	char *names;

	if (n == 1) {
		cpumask_or(mask, &llc->cpus);
		return 0;
	}
	names = list_llcs(topo, NULL);
	if (!n)
		why_set(why, 0, "no LLC is called %.*s (there %s %s)", (int)len,
			name, topo->nr_llcs == 1 ? "is only" : "are", names);
	else
		why_set(why, 0, "several LLCs are called %.*s, name them by CPUs (there are %s)",
			(int)len, name, names);
	free(names);
	return n ? -ENOTUNIQ : -ENOENT;
}

static int find_cpu(const struct topology *topo, long long cpu,
		    struct cpumask *mask, struct why *why)
{
	int last = topo->last_cpu >= 0 && topo->last_cpu < CPUMASK_LAST ?
		   topo->last_cpu : CPUMASK_LAST;
	size_t i;

	if (cpu > last)
		return why_set(why, -ERANGE, "no LLC has CPU %lld (CPUs 0-%d)",
			       cpu, last);
	for (i = 0; i < topo->nr_llcs; i++)
		if (cpumask_test(&topo->llcs[i].cpus, cpu))
			cpumask_or(mask, &topo->llcs[i].cpus);
	cpumask_set(mask, cpu);
	return 0;
}

static int find_node(const struct topology *topo, long long node,
		     struct cpumask *mask, struct why *why)
{
	struct cpumask nodes = { 0 };
	bool found = false;
	char *list;
	size_t i;

	for (i = 0; i < topo->nr_llcs; i++) {
		const struct llc *llc = &topo->llcs[i];

		cpumask_or(&nodes, &llc->nodes);
		if (node > CPUMASK_LAST || !cpumask_test(&llc->nodes, node))
			continue;
		cpumask_or(mask, &llc->cpus);
		found = true;
	}
	if (found)
		return 0;
	if (cpumask_empty(&nodes))
		return why_set(why, -ENOENT,
			       "no LLC is on node %lld: sysfs knows no NUMA nodes",
			       node);
	list = cpulist_format(&nodes);
	why_set(why, 0, "no LLC is on node %lld (they are on %s %s)", node,
		cpumask_weight(&nodes) > 1 ? "nodes" : "node", list);
	free(list);
	return -ENOENT;
}

static int find_largest(const struct topology *topo, struct cpumask *mask,
			struct why *why)
{
	unsigned long long max = 0;
	size_t i;

	for (i = 0; i < topo->nr_llcs; i++)
		if (topo->llcs[i].bytes > max)
			max = topo->llcs[i].bytes;
	if (!max)
		return why_set(why, -ENOENT,
			       "sysfs does not say how large the LLCs are");
	for (i = 0; i < topo->nr_llcs; i++)
		if (topo->llcs[i].bytes == max)
			cpumask_or(mask, &topo->llcs[i].cpus);
	return 0;
}

int llc_find(const struct topology *topo, const char *name, size_t len,
	     struct cpumask *mask, struct why *why)
{
	const char *colon = memchr(name, ':', len);
	size_t kind = colon ? (size_t)(colon - name) + 1 : len;
	long long n = number(name + kind, len - kind);

	if (kind == 5 && !strncmp(name, "size:", 5)) {
		if (len != 8 || strncmp(name, "size:max", 8))
			return why_set(why, -EINVAL,
				       "'%.*s' is not a size (size:max is)",
				       (int)len, name);
	} else if (n < 0) {
		return why_set(why, -EINVAL, "'%.*s' is not %.*s and a number",
			       (int)len, name, (int)kind, name);
	}

	if (!strncmp(name, "cpu:", kind))
		return find_cpu(topo, n, mask, why);
	if (!topo->nr_llcs)
		return why_set(why, -ENODEV, "the LLCs are not known");
	if (!strncmp(name, "llc:", kind))
		return find_id(topo, name, len, n, mask, why);
	if (!strncmp(name, "node:", kind))
		return find_node(topo, n, mask, why);
	return find_largest(topo, mask, why);
}

char *llc_names(const struct topology *topo, const struct cpumask *mask)
{
	char *text = NULL;
	size_t i;

	for (i = 0; i < topo->nr_llcs; i++) {
		const struct llc *llc = &topo->llcs[i];
		char *more;
		long id;

		if (!cpumask_intersects(&llc->cpus, mask))
			continue;
		id = llc_id(topo, llc);
		if (id < 0) {
			free(text);
			return NULL;
		}
		if (text)
			more = xasprintf("%s,llc:%ld", text, id);
		else
			more = xasprintf("llc:%ld", id);
		free(text);
		text = more;
	}
	return text;
}

char *format_bytes(unsigned long long bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	size_t u = 0;

	while (bytes && bytes % 1024 == 0 && u + 1 < ARRAY_SIZE(units)) {
		bytes /= 1024;
		u++;
	}
	return xasprintf("%llu %s", bytes, units[u]);
}

char *llc_describe(const struct topology *topo, const struct cpumask *mask)
{
	unsigned long long bytes = 0, sum = 0;
	struct cpumask nodes = { 0 };
	bool sized = true, equal = true, named = true;
	char *text, *more, *part;
	size_t i, n = 0;

	for (i = 0; i < topo->nr_llcs; i++) {
		const struct llc *llc = &topo->llcs[i];

		if (!cpumask_intersects(&llc->cpus, mask))
			continue;
		named &= llc_id(topo, llc) >= 0;
		equal &= !n || llc->bytes == bytes;
		bytes = llc->bytes;
		sized &= bytes != 0;
		sum += bytes;
		cpumask_or(&nodes, &llc->nodes);
		n++;
	}
	if (!n)
		return NULL;

	text = named ? list_llcs(topo, mask) :
	       xasprintf("%zu LLC%s", n, n > 1 ? "s" : "");
	if (sized) {
		part = format_bytes(equal ? bytes : sum);
		if (n == 1)
			more = xasprintf("%s, %s", text, part);
		else if (equal)
			more = xasprintf("%s, %zu x %s", text, n, part);
		else
			more = xasprintf("%s, %s in all", text, part);
		free(part);
		free(text);
		text = more;
	}
	if (!cpumask_empty(&nodes)) {
		part = cpulist_format(&nodes);
		more = xasprintf("%s, node%s %s", text,
				 cpumask_weight(&nodes) > 1 ? "s" : "", part);
		free(part);
		free(text);
		text = more;
	}
	return text;
}
