// SPDX-License-Identifier: GPL-2.0
/*
 * What does cpu.llc_prefer.effective say?
 */
#include <stdlib.h>
#include <string.h>

#include "effective.h"
#include "util.h"

void effective_parse(const char *text, struct effective *eff)
{
	char *line, *next, *value;

	*eff = (struct effective){ .text = xstrdup(text) };
	for (next = eff->text; (line = strsep(&next, "\n"));) {
		line = trim(line);
		if (!*line)
			continue;
		value = line + strcspn(line, " \t");
		if (*value)
			*value++ = '\0';
		eff->keys = xrealloc(eff->keys,
				     (eff->nr_keys + 1) * sizeof(*eff->keys));
		eff->keys[eff->nr_keys].key = line;
		eff->keys[eff->nr_keys++].value = trim(value);
	}
}

void effective_free(struct effective *eff)
{
	free(eff->keys);
	free(eff->text);
	*eff = (struct effective){ 0 };
}

const char *effective_get(const struct effective *eff, const char *key)
{
	size_t i;

	for (i = 0; i < eff->nr_keys; i++)
		if (!strcmp(eff->keys[i].key, key))
			return eff->keys[i].value;
	return NULL;
}

char *effective_summary(const struct effective *eff)
{
	char *text = xstrdup("");
	size_t i;

	for (i = 0; i < eff->nr_keys; i++) {
		const char *value = eff->keys[i].value;
		char *more = xasprintf("%s%s%s %s", text, i ? ", " : "",
				       eff->keys[i].key,
				       *value ? value : "none");

		free(text);
		text = more;
	}
	return text;
}

const char *effective_reason(const char *state)
{
	static const struct {
		const char *state, *reason;
	} reasons[] = {
		{ "single-llc", "this machine has a single LLC" },
		{ "disabled", "cache aware scheduling is switched off in debugfs" },
		{ "offline", "no CPU of the wanted LLCs is online" },
		{ "cpuset", "the wanted LLCs lie outside the CPUs the cgroup may use" },
		{ "numa", "it yields to NUMA balancing" },
		{ "idle", "the group has not run enough to choose an LLC" },
		{ "crowded", "the machine or the wanted LLCs are so busy that plain load balancing decides" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(reasons[i].state, state))
			return reasons[i].reason;
	return NULL;
}
