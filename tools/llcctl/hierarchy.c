// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroup decides for the tasks of another, and within which bounds?
 */
#include <stdlib.h>
#include <string.h>

#include "hierarchy.h"
#include "llcctl.h"
#include "prefer.h"

bool hierarchy_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (!*path)
		return false;
	*(slash ? slash : path) = '\0';
	return true;
}

int hierarchy_decider(const struct cgroup_root *root, const char *path,
		      struct statement *by)
{
	char *up = xstrdup(path), *text;
	int ret;

	*by = (struct statement){ 0 };
	ret = cgroup_read(root, up, FILE_PREFER, &text);
	if (ret) {
		free(up);
		return ret;
	}
	while (!strcmp(text, "default")) {
		free(text);
		text = NULL;
		if (!hierarchy_parent(up) ||
		    cgroup_read(root, up, FILE_PREFER, &text))
			break;
	}
	if (text)
		*by = (struct statement){ .path = up, .value = text };
	else
		free(up);
	return 0;
}

void hierarchy_bound(const struct cgroup_root *root, const char *path,
		     struct statement *by)
{
	const struct topology any = { .last_cpu = -1 };
	char *up = xstrdup(path), *text;
	struct prefer p;

	*by = (struct statement){ 0 };
	while (hierarchy_parent(up) &&
	       !cgroup_read(root, up, FILE_PREFER, &text)) {
		if (!prefer_parse(text, &any, &p, NULL) &&
		    !cpumask_empty(&p.cpus)) {
			*by = (struct statement){ .path = up, .value = text };
			return;
		}
		free(text);
	}
	free(up);
}

void statement_free(struct statement *s)
{
	free(s->path);
	free(s->value);
	*s = (struct statement){ 0 };
}
