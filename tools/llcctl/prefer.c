// SPDX-License-Identifier: GPL-2.0
/*
 * What does a value of cpu.llc_prefer mean, and how is it written in full?
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "llcname.h"
#include "prefer.h"
#include "util.h"

static const struct {
	const char *word;
	enum prefer_mode mode;
	bool takes_list;
} words[] = {
	{ "default",	PREFER_DEFAULT,	false },
	{ "group",	PREFER_GROUP,	true },
	{ "process",	PREFER_PROCESS,	false },
	{ "off",	PREFER_OFF,	false },
};

#define NR_WORDS ARRAY_SIZE(words)

/* The kernel's lists know two words besides numbers. */
static bool is_region(const char *item, size_t len)
{
	return isdigit((unsigned char)*item) || *item == 'N' ||
	       (len >= 3 && !strncasecmp(item, "all", 3));
}

/* @alone: the list is the whole value, so its first item may be a mistyped word. */
static int parse_list(const char *text, const char *end, bool alone,
		      const struct topology *topo, struct cpumask *cpus,
		      struct why *why)
{
	const char *item, *p = text;
	size_t len;
	int ret;

	for (;;) {
		while (p < end && cpulist_separator(*p))
			p++;
		if (p == end)
			break;
		item = p;
		while (p < end && !cpulist_separator(*p))
			p++;
		len = p - item;

		if (llc_is_name(item, len))
			ret = llc_find(topo, item, len, cpus, why);
		else if (is_region(item, len))
			ret = cpulist_parse_item(item, len, topo->last_cpu,
						 cpus, why);
		else if (alone && item == text)
			ret = why_set(why, -EINVAL,
				      "'%.*s' is not a value (default, group [LIST], LIST, process, off; LIST is CPUs such as 0-15, or llc:ID, cpu:N, node:N, size:max)",
				      (int)len, item);
		else
			ret = why_set(why, -EINVAL,
				      "'%.*s' is not a CPU, a range of CPUs, llc:ID, cpu:N, node:N or size:max",
				      (int)len, item);
		if (ret)
			return ret;
	}
	if (cpumask_empty(cpus))
		return why_set(why, -EINVAL, "'%.*s' names no CPU",
			       (int)(end - text), text);
	return 0;
}

int prefer_parse(const char *text, const struct topology *topo,
		 struct prefer *out, struct why *why)
{
	const char *end = text + strlen(text), *rest;
	size_t i, len;
	bool colon;

	memset(out, 0, sizeof(*out));

	while (text < end && isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	if (text == end)
		return why_set(why, -EINVAL,
			       "the empty string is not a value ('default' takes a preference back)");
	if (memchr(text, '\n', end - text))
		return why_set(why, -EINVAL, "a value is one line");

	for (len = 0; text + len < end && !isspace((unsigned char)text[len]);)
		len++;
	rest = text + len;
	/* "group:llc:2" is one word in a shell, and in most files. */
	colon = len >= 6 && !strncmp(text, "group:", 6);
	if (colon) {
		len = 5;
		rest = text + 6;
	}
	while (rest < end && isspace((unsigned char)*rest))
		rest++;
	if (colon && rest == end)
		return why_set(why, -EINVAL, "'group:' wants a list behind it");

	for (i = 0; i < NR_WORDS; i++) {
		if (strlen(words[i].word) != len ||
		    strncmp(text, words[i].word, len))
			continue;
		out->mode = words[i].mode;
		if (rest == end)
			return 0;
		if (!words[i].takes_list)
			return why_set(why, -EINVAL,
				       "'%s' stands alone, without '%.*s'",
				       words[i].word, (int)(end - rest), rest);
		return parse_list(rest, end, false, topo, &out->cpus, why);
	}
	out->mode = PREFER_LIST;
	return parse_list(text, end, true, topo, &out->cpus, why);
}

char *prefer_format(const struct prefer *p)
{
	char *list, *text;
	size_t i;

	if (p->mode == PREFER_LIST)
		return cpulist_format(&p->cpus);
	for (i = 0; i < NR_WORDS - 1; i++)
		if (words[i].mode == p->mode)
			break;
	if (cpumask_empty(&p->cpus))
		return xstrdup(words[i].word);
	list = cpulist_format(&p->cpus);
	text = xasprintf("%s %s", words[i].word, list);
	free(list);
	return text;
}

bool prefer_equal(const struct prefer *a, const struct prefer *b)
{
	return a->mode == b->mode && cpumask_equal(&a->cpus, &b->cpus);
}

bool prefer_same(const char *a, const char *b)
{
	/* The kernel has checked the CPUs. */
	const struct topology any = { .last_cpu = -1 };
	struct prefer pa, pb;

	return !strcmp(a, b) || (!prefer_parse(a, &any, &pa, NULL) &&
				 !prefer_parse(b, &any, &pb, NULL) &&
				 prefer_equal(&pa, &pb));
}
