// SPDX-License-Identifier: GPL-2.0
/*
 * How does a cgroup come to state a preference, and how is it told?
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain.h"
#include "llcctl.h"
#include "llcname.h"
#include "setting.h"

int setting_parse(const char *sysroot, const char *text, struct topology *topo,
		  struct prefer *want, struct why *why)
{
	struct why no_llcs;
	int unknown = topology_load(sysroot, topo, &no_llcs);
	int ret;

	ret = prefer_parse(text, topo, want, why);
	/* Only a name needs the caches; it knows better why there are none. */
	if (ret == -ENODEV && unknown && why)
		*why = no_llcs;
	return ret;
}

int setting_check(const struct cgroup_root *root, const char *path,
		  const char *value)
{
	struct attempt try = {
		.path = path,
		.file = FILE_PREFER,
		.value = value,
	};
	int fd = cgroup_open(root, path, FILE_PREFER, O_WRONLY);

	if (fd < 0) {
		try.code = fd;
		return report_failure(root, &try);
	}
	close(fd);
	return EXIT_DONE;
}

int setting_try(const struct cgroup_root *root, const char *path,
		const char *value, int *code, struct why *why)
{
	struct attempt try = {
		.path = path,
		.file = FILE_PREFER,
		.value = value,
	};
	char *text;

	*code = cgroup_write(root, path, FILE_PREFER, value, &try.opened);
	try.code = *code;
	if (*code)
		return explain_failure(root, &try, why);
	try.value = NULL;
	*code = cgroup_read(root, path, FILE_PREFER, &text);
	try.code = *code;
	if (*code)
		return explain_failure(root, &try, why);
	if (!prefer_same(text, value)) {
		*code = -EBADMSG;
		why_set(why, 0, "'%s' was written, but %s now reads '%s'",
			value, FILE_PREFER, text);
	}
	free(text);
	return *code ? EXIT_FAILED : EXIT_DONE;
}

int setting_write(const struct cgroup_root *root, const char *path,
		  const struct prefer *want)
{
	char *value = prefer_format(want);
	struct why why;
	int code, ret = setting_try(root, path, value, &code, &why);

	if (ret)
		warnx("/%s: %s", path, why.text);
	free(value);
	return ret;
}

const char *setting_mode(enum prefer_mode mode)
{
	switch (mode) {
	case PREFER_GROUP:
		return "group";
	case PREFER_LIST:
		return "list";
	case PREFER_PROCESS:
		return "process";
	case PREFER_OFF:
		return "off";
	case PREFER_DEFAULT:
		break;
	}
	return "default";
}

char *setting_cpus(const struct cpumask *cpus, const struct topology *topo)
{
	char *list = cpulist_format(cpus), *what = llc_describe(topo, cpus);
	char *text;

	if (!what)
		return list;
	text = xasprintf("%s (%s)", list, what);
	free(list);
	free(what);
	return text;
}

char *setting_describe(const struct prefer *p, const struct topology *topo)
{
	char *cpus, *text;

	if (cpumask_empty(&p->cpus))
		return xstrdup(setting_mode(p->mode));
	cpus = setting_cpus(&p->cpus, topo);
	text = xasprintf("%s %s", setting_mode(p->mode), cpus);
	free(cpus);
	return text;
}

/* Append ", WORD"; frees @text. */
static char *append(char *text, char *word)
{
	char *more = *text ? xasprintf("%s, %s", text, word) : xstrdup(word);

	free(text);
	free(word);
	return more;
}

static bool is_known(const char *key)
{
	return !strcmp(key, "mode") || !strcmp(key, "cpus") ||
	       !strcmp(key, "state");
}

char *setting_in_force(const struct prefer *want, const struct effective *eff,
		       const struct topology *topo)
{
	const char *mode = effective_get(eff, "mode");
	const char *list = effective_get(eff, "cpus");
	const char *state = effective_get(eff, "state");
	char *text = xstrdup(""), *what;
	struct cpumask cpus = { 0 };
	bool active = state && !strcmp(state, "active");
	size_t i;

	if (mode && strcmp(mode, setting_mode(want->mode)))
		text = append(text, xasprintf("mode %s", mode));
	if (list && cpulist_parse(list, -1, &cpus, NULL))
		memset(&cpus, 0, sizeof(cpus));
	if (active && !cpumask_empty(&cpus) &&
	    !cpumask_equal(&cpus, &want->cpus)) {
		what = setting_cpus(&cpus, topo);
		text = append(text, xasprintf("active on %s", what));
		free(what);
	} else if (active) {
		text = append(text, xstrdup("active"));
	} else if (state) {
		text = append(text, xasprintf("state %s", state));
	}
	for (i = 0; i < eff->nr_keys; i++)
		if (!is_known(eff->keys[i].key))
			text = append(text, xasprintf("%s %s",
						      eff->keys[i].key,
						      *eff->keys[i].value ?
						      eff->keys[i].value :
						      "none"));
	return text;
}
