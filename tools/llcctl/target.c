// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroup does a person mean?
 *
 * Units and containers are found by the names of their cgroups, which systemd
 * and the runtimes make from them, and so without asking anybody.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "target.h"

/* Below this a prefix is more likely a mistake than an id. */
#define MIN_ID_PREFIX	4
/* A shorter row of digits at the end of a name is no container's id. */
#define MIN_ID		12

/* How many candidates are worth a sentence. */
#define MAX_CANDIDATES	8

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- processes ---- */

/* The part of "0::/a/b" behind the colons, in @text, which is edited. */
static char *find_v2_line(char *text)
{
	char *line, *next = text, *end;

	while ((line = strsep(&next, "\n"))) {
		if (strncmp(line, "0::", 3))
			continue;
		end = strstr(line, " (deleted)");
		if (end && !end[strlen(" (deleted)")])
			return NULL;
		return line + 3;
	}
	return NULL;
}

static int find_pid(const struct cgroup_root *root, const char *sysroot,
		    const char *pid, char **path, struct why *why)
{
	size_t len = strlen(root->top), digits = strspn(pid, "0123456789");
	char *file, *text, *where;
	int fd, ret;

	/* "self" is for this program, and as good for everybody. */
	if (strcmp(pid, "self") && (!digits || pid[digits] || digits > 10))
		return why_set(why, -EINVAL, "'%s' is not the id of a process",
			       pid);
	file = xasprintf("%s/proc/%s/cgroup", sysroot, pid);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	free(file);
	/* A process that ends meanwhile gives ESRCH. */
	ret = fd < 0 ? -errno : read_fd(fd, &text);
	if (fd >= 0)
		close(fd);
	if (ret == -ENOENT || ret == -ESRCH)
		return why_set(why, -ESRCH, "there is no process %s", pid);
	if (ret)
		return why_set(why, ret, "cannot see the cgroup of process %s: %s",
			       pid, strerror(-ret));

	where = find_v2_line(text);
	if (!where)
		ret = why_set(why, -ENOENT,
			      "process %s is in no cgroup of version 2, or in one that was removed",
			      pid);
	else if (!strncmp(where, "/../", 4) || !strcmp(where, "/.."))
		ret = why_set(why, -ENOENT,
			      "process %s is outside this cgroup namespace, in %s",
			      pid, where);
	else if (len > 1 && (strncmp(where, root->top, len) ||
			     (where[len] && where[len] != '/')))
		ret = why_set(why, -ENOENT,
			      "process %s is in %s, of which %s does not show anything",
			      pid, where, root->path);
	else
		ret = cgroup_resolve(root->path, len > 1 && !where[len] ? "/" :
				     where + (len > 1 ? len : 0), path, why);
	free(text);
	return ret;
}

/* ---- units and containers ---- */

bool target_is_unit_name(const char *name)
{
	static const char *const suffixes[] = {
		".service", ".slice", ".scope", ".socket", ".mount", ".swap",
	};
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && dot != name && i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

static bool is_unit(const char *dir, const char *unit)
{
	/* systemd puts '_' before what could be a file of a controller. */
	return !strcmp(dir, unit) || (*dir == '_' && !strcmp(dir + 1, unit));
}

static bool is_id_prefix(const char *name)
{
	size_t len = strspn(name, "0123456789abcdef");

	return len >= MIN_ID_PREFIX && !name[len];
}

/*
 * Container ids are the end of a name: "ID" (cgroupfs drivers), "docker-ID.scope",
 * "cri-containerd-ID.scope", "crio-ID.scope", "libpod-ID.scope". A monitor
 * ("crio-conmon-ID.scope") has the id of its container, and is not it.
 */
static bool is_container(const char *dir, const char *prefix)
{
	const char *dash = strrchr(dir, '-');
	const char *id = dash ? dash + 1 : dir;
	size_t len = strspn(id, "0123456789abcdef");

	return len >= MIN_ID && (!id[len] || !strcmp(id + len, ".scope")) &&
	       !strncmp(id, prefix, strlen(prefix)) && !strstr(dir, "conmon-");
}

static char *list_candidates(char **found, size_t nr)
{
	char *text = xstrdup(""), *more;
	size_t i;

	for (i = 0; i < nr && i < MAX_CANDIDATES; i++) {
		more = xasprintf("%s%s/%s", text, i ? ", " : "", found[i]);
		free(text);
		text = more;
	}
	if (nr > i) {
		more = xasprintf("%s and %zu more", text, nr - i);
		free(text);
		text = more;
	}
	return text;
}

/* The one cgroup whose last name @is what @name says. 1 if there is none. */
static int find_one(const struct cgroup_root *root, const char *name,
		    bool (*is)(const char *dir, const char *name),
		    const char *what, char **path, struct why *why)
{
	struct cgroup_list list;
	size_t i, nr = 0;
	char **found, *names;
	int ret = 1;

	if (cgroup_walk(root, "", &list))
		return 1;
	found = xcalloc(list.nr, sizeof(*found));
	for (i = 1; i < list.nr; i++)
		if (is(last_name(list.nodes[i].path), name))
			found[nr++] = list.nodes[i].path;
	if (nr == 1) {
		*path = xstrdup(found[0]);
		ret = 0;
	} else if (nr) {
		names = list_candidates(found, nr);
		ret = why_set(why, -ENOTUNIQ, "%s: several cgroups are of %s: %s",
			      name, what, names);
		free(names);
	}
	free(found);
	cgroup_list_free(&list);
	return ret;
}

int target_find(const struct cgroup_root *root, const char *sysroot,
		const char *name, char **path, struct why *why)
{
	int ret = 1;

	*path = NULL;
	if (!strchr(name, '/')) {
		if (!strncasecmp(name, "pid:", 4))
			return find_pid(root, sysroot, name + 4, path, why);
		if (!*name || *name == '.' || cgroup_exists(root, name))
			return cgroup_resolve(root->path, name, path, why);
		if (target_is_unit_name(name)) {
			ret = find_one(root, name, is_unit, "this unit", path,
				       why);
			if (ret > 0)
				return why_set(why, -ENOENT,
					       "%s: no cgroup in %s is of this unit (systemd makes it when the unit starts)",
					       name, root->path);
		} else if (is_id_prefix(name)) {
			ret = find_one(root, name, is_container,
				       "containers whose id starts so", path,
				       why);
		}
	}
	return ret > 0 ? cgroup_resolve(root->path, name, path, why) : ret;
}

int target_open(const struct settings *set, const char *name,
		struct target *t)
{
	struct why why;
	int ret;

	t->path = NULL;
	ret = cgroup_root_open(set->cgroup_root, &t->root, &why);
	if (!ret && set->pid)
		ret = find_pid(&t->root, set->sysroot, set->pid, &t->path,
			       &why);
	else if (!ret)
		ret = target_find(&t->root, set->sysroot, name ? name : "/",
				  &t->path, &why);
	if (ret)
		warnx("%s", why.text);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

void target_close(struct target *t)
{
	free(t->path);
	cgroup_root_close(&t->root);
	t->path = NULL;
}
