// SPDX-License-Identifier: GPL-2.0
/*
 * What does cpu.llc_prefer.stat count?
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "effective.h"
#include "llcctl.h"

static const struct {
	const char *key;
	size_t offset;
} keys[] = {
#define KEY(name) { #name, offsetof(struct counters, name) }
	KEY(usage_usec),
	KEY(preferred_usec),
	KEY(nr_wakeups),
	KEY(nr_wakeups_steered),
	KEY(nr_forks_steered),
	KEY(nr_migrations_in),
	KEY(nr_migrations_out),
	KEY(nr_spills),
	KEY(nr_moves),
	KEY(nr_llcs),
#undef KEY
};

static unsigned long long *counter(struct counters *c, size_t i)
{
	return (unsigned long long *)((char *)c + keys[i].offset);
}

void counters_parse(const char *text, struct counters *c)
{
	struct effective flat;
	const char *value;
	size_t i;

	*c = (struct counters){ 0 };
	effective_parse(text, &flat);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		value = effective_get(&flat, keys[i].key);
		if (value && isdigit((unsigned char)*value))
			*counter(c, i) = strtoull(value, NULL, 10);
	}
	effective_free(&flat);
}

int counters_read(const struct cgroup_root *root, const char *path,
		  struct counters *c)
{
	char *text;
	int ret = cgroup_read(root, path, FILE_STAT, &text);

	if (ret)
		return ret;
	counters_parse(text, c);
	free(text);
	return 0;
}

void counters_since(struct counters *now, const struct counters *then)
{
	struct counters earlier = *then;
	size_t i;

	/* Time does not run backwards: the counts have started anew. */
	if (now->usage_usec < then->usage_usec)
		return;
	earlier.nr_llcs = 0;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (*counter(now, i) >= *counter(&earlier, i))
			*counter(now, i) -= *counter(&earlier, i);
}

double counters_residency(const struct counters *c)
{
	if (!c->usage_usec)
		return -1;
	/* The two are summed one after the other, while the tasks run. */
	if (c->preferred_usec > c->usage_usec)
		return 100;
	return 100.0 * c->preferred_usec / c->usage_usec;
}
