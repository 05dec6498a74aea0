// SPDX-License-Identifier: GPL-2.0
/*
 * What do all cgroups state, and how is one of them written to, and no other
 * that has come in its place?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain.h"
#include "llcctl.h"
#include "setting.h"
#include "stated.h"

int stated_open(const struct cgroup_root *root, const char *path,
		struct cgroup_root *here, uint64_t *id)
{
	struct stat st;
	int ret;

	*here = *root;
	here->fd = cgroup_open(root, path, ".", O_PATH | O_DIRECTORY);
	if (here->fd < 0)
		return here->fd;
	if (fstat(here->fd, &st)) {
		ret = -errno;
		close(here->fd);
		return ret;
	}
	*id = st.st_ino;
	return 0;
}

int stated_load(const struct cgroup_root *root, const char *path,
		struct stated_list *l)
{
	struct attempt try = { .path = path, .file = FILE_PREFER };
	size_t i;

	*l = (struct stated_list){ 0 };
	try.code = cgroup_walk(root, path, &l->list);
	if (try.code)
		return report_failure(root, &try);
	l->all = xcalloc(l->list.nr, sizeof(*l->all));
	for (i = 0; i < l->list.nr; i++) {
		struct stated *s = &l->all[i];
		struct cgroup_root here;
		char *value;

		s->path = l->list.nodes[i].path;
		/* It may be gone by now, which is as good as without a file. */
		if (stated_open(root, s->path, &here, &s->id))
			continue;
		if (!cgroup_read(&here, "", FILE_PREFER, &value)) {
			s->value = value;
			l->nr_files++;
		}
		close(here.fd);
	}
	if (!l->nr_files && (*path || l->list.nr > 1))
		return report_no_file(root, &l->list,
				      l->list.nodes[*path ? 0 : 1].path);
	return EXIT_DONE;
}

void stated_free(struct stated_list *l)
{
	size_t i;

	for (i = 0; l->all && i < l->list.nr; i++)
		free(l->all[i].value);
	free(l->all);
	cgroup_list_free(&l->list);
	*l = (struct stated_list){ 0 };
}

static int gone(struct why *why, bool anew)
{
	return why_set(why, PLAN_GONE, "%s", anew ?
		       "it was removed and made anew" : "it was removed");
}

static int check_value(void *ctx, const char *path, const char *value,
		       struct why *why)
{
	const struct cgroup_root *root = ctx;
	struct attempt try = {
		.path = path,
		.file = FILE_PREFER,
		.value = value,
	};
	int fd = cgroup_open(root, path, FILE_PREFER, O_WRONLY);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (!cgroup_exists(root, path))
		return gone(why, false);
	try.code = fd;
	return explain_failure(root, &try, why);
}

static int write_value(void *ctx, const char *path, uint64_t id,
		       const char *value, struct why *why)
{
	const struct cgroup_root *root = ctx;
	struct cgroup_root here;
	struct why near;
	uint64_t is;
	int code = stated_open(root, path, &here, &is), ret;

	if (code == -ENOENT || code == -ENODEV || code == -ENOTDIR)
		return gone(why, false);
	if (!code && is != id) {
		close(here.fd);
		return gone(why, true);
	}
	if (!code) {
		ret = setting_try(&here, "", value, &code, &near);
		close(here.fd);
		if (!code)
			return ret;
	}
	if (code == -EBADMSG) {
		*why = near;
		return code;
	}
	/* It had the file a moment ago. */
	if (code == -ENODEV || (code == -ENOENT && !cgroup_exists(root, path)))
		return gone(why, false);
	return explain_failure(root, &(struct attempt){
			.path = path,
			.file = FILE_PREFER,
			.value = value,
			.code = code,
			.opened = true,
		}, why);
}

struct plan_ops stated_ops(const struct cgroup_root *root)
{
	return (struct plan_ops){
		.check = check_value,
		.write = write_value,
		.ctx = (void *)root,
	};
}
