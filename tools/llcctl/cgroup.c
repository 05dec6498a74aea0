// SPDX-License-Identifier: GPL-2.0
/*
 * Where is the cgroup2 tree, what is in it, and how is a file of it reached?
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <libmount.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cgroup.h"

#define MOUNTINFO	"/proc/self/mountinfo"

char *cgroup_find_mount(const char *mountinfo, const char *dir, char **top)
{
	struct libmnt_table *tb = mnt_new_table_from_file(mountinfo);
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	char *found = NULL;
	bool whole = false;

	while (tb && it && !whole && !mnt_table_next_fs(tb, it, &fs)) {
		const char *type = mnt_fs_get_fstype(fs);
		const char *root = mnt_fs_get_root(fs);

		if (!type || strcmp(type, "cgroup2") || !root ||
		    (dir && strcmp(dir, mnt_fs_get_target(fs))))
			continue;
		whole = !strcmp(root, "/");
		if (found) {
			if (!whole)
				continue;
			free(found);
			free(*top);
		}
		found = xstrdup(mnt_fs_get_target(fs));
		*top = xstrdup(root);
	}
	mnt_free_iter(it);
	mnt_unref_table(tb);
	return found;
}

int cgroup_root_open(const char *dir, struct cgroup_root *root,
		     struct why *why)
{
	size_t len;
	int code;

	*root = (struct cgroup_root){ .fd = -1 };
	if (dir) {
		root->path = xstrdup(dir);
		free(cgroup_find_mount(MOUNTINFO, dir, &root->top));
		if (!root->top)
			root->top = xstrdup("/");
	} else {
		root->path = cgroup_find_mount(MOUNTINFO, NULL, &root->top);
	}
	if (!root->path)
		return why_set(why, -ENOENT,
			       "no cgroup2 file system is mounted (mount -t cgroup2 none /sys/fs/cgroup)");
	len = strlen(root->path);
	while (len && root->path[len - 1] == '/')
		root->path[--len] = '\0';

	root->fd = open(len ? root->path : "/",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0) {
		code = -errno;
		return why_set(why, code, "cannot open %s: %s", root->path,
			       strerror(-code));
	}
	if (faccessat(root->fd, "cgroup.controllers", F_OK, 0))
		return why_set(why, -ENOTDIR,
			       "%s is no cgroup2 mount: it has no cgroup.controllers",
			       root->path);
	return 0;
}

void cgroup_root_close(struct cgroup_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	free(root->path);
	free(root->top);
	*root = (struct cgroup_root){ .fd = -1 };
}

int cgroup_resolve(const char *root_path, const char *name, char **path,
		   struct why *why)
{
	size_t root_len = strlen(root_path), n;
	const char *p = name;
	char *out;

	if (!*name)
		return why_set(why, -EINVAL, "the name of the cgroup is empty");
	if (root_len && !strncmp(p, root_path, root_len) &&
	    (!p[root_len] || p[root_len] == '/'))
		p += root_len;

	out = xcalloc(1, strlen(p) + 1);
	*path = out;
	while (*p) {
		n = strcspn(p, "/");
		if (n == 2 && !strncmp(p, "..", 2)) {
			free(*path);
			*path = NULL;
			return why_set(why, -EINVAL,
				       "%s: the path of a cgroup has no '..'",
				       name);
		}
		if (n && !(n == 1 && *p == '.')) {
			if (out != *path)
				*out++ = '/';
			memcpy(out, p, n);
			out += n;
		}
		p += n;
		if (*p)
			p++;
	}
	return 0;
}

/* @path may be "", which stands for the mount itself. */
static int open_below(const struct cgroup_root *root, const char *path,
		      int flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_XDEV |
			   RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int tries, fd = -1;

	/* EAGAIN: something was renamed or mounted meanwhile. */
	for (tries = 0; tries < 100; tries++) {
		fd = syscall(SYS_openat2, root->fd, *path ? path : ".", &how,
			     sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd >= 0 ? fd : -errno;
}

int cgroup_open(const struct cgroup_root *root, const char *path,
		const char *file, int flags)
{
	char *full = xasprintf("%s%s%s", path, *path ? "/" : "", file);
	int fd = open_below(root, full, flags);

	free(full);
	return fd;
}

bool cgroup_exists(const struct cgroup_root *root, const char *path)
{
	int fd = open_below(root, path, O_PATH | O_DIRECTORY);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int cgroup_read(const struct cgroup_root *root, const char *path,
		const char *file, char **text)
{
	int fd = cgroup_open(root, path, file, O_RDONLY);
	int ret;
	char *s;

	if (fd < 0)
		return fd;
	ret = read_fd(fd, text);
	close(fd);
	if (ret)
		return ret;
	s = trim(*text);
	memmove(*text, s, strlen(s) + 1);
	return 0;
}

int cgroup_write(const struct cgroup_root *root, const char *path,
		 const char *file, const char *text, bool *opened)
{
	/* O_TRUNC as in a shell's `>`; cgroupfs does not mind. */
	int fd = cgroup_open(root, path, file, O_WRONLY | O_TRUNC);
	size_t len = strlen(text);
	ssize_t n;
	int ret = 0;

	*opened = fd >= 0;
	if (fd < 0)
		return fd;
	n = write(fd, text, len);
	if (n < 0)
		ret = -errno;
	else if ((size_t)n != len)
		ret = -EIO;
	close(fd);
	return ret;
}

bool cgroup_has_word(const struct cgroup_root *root, const char *path,
		     const char *file, const char *word)
{
	char *text, *next, *w;
	bool found = false;

	if (cgroup_read(root, path, file, &text))
		return false;
	for (next = text; !found && (w = strsep(&next, " \n"));)
		found = !strcmp(w, word);
	free(text);
	return found;
}

long cgroup_count_tasks(const struct cgroup_root *root, const char *path)
{
	char *text, *p;
	long n = 0;

	if (cgroup_read(root, path, "cgroup.threads", &text))
		return -1;
	for (p = text; *p; p += *p == '\n') {
		n++;
		p += strcspn(p, "\n");
	}
	free(text);
	return n;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	/* So that worker2 comes before worker10. */
	return strverscmp((*a)->fts_name, (*b)->fts_name);
}

int cgroup_walk(const struct cgroup_root *root, const char *path,
		struct cgroup_list *list)
{
	char *top = xasprintf("%s/%s", root->path, path);
	char *const argv[] = { top, NULL };
	size_t skip = strlen(root->path);
	FTSENT *ent;
	FTS *fts;
	int ret = 0;

	*list = (struct cgroup_list){ 0 };
	/* Without FTS_NOSTAT every file of every cgroup is stat'ed. */
	fts = fts_open(argv, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, by_name);
	if (!fts) {
		ret = -errno;
		free(top);
		return ret;
	}
	while ((ent = fts_read(fts))) {
		struct cgroup_node *node;
		const char *p;

		if (ent->fts_info != FTS_D) {
			if (!list->nr)
				ret = ent->fts_errno ? -ent->fts_errno : -ENOTDIR;
			continue;
		}
		list->nodes = xrealloc(list->nodes, (list->nr + 1) *
				       sizeof(*list->nodes));
		node = &list->nodes[list->nr];
		for (p = ent->fts_path + skip; *p == '/';)
			p++;
		node->path = xstrdup(p);
		node->parent = ent->fts_level > FTS_ROOTLEVEL ?
			       (size_t)ent->fts_parent->fts_number : 0;
		ent->fts_number = list->nr++;
	}
	fts_close(fts);
	free(top);
	return list->nr ? 0 : ret ? ret : -ENOENT;
}

void cgroup_list_free(struct cgroup_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		free(list->nodes[i].path);
	free(list->nodes);
	*list = (struct cgroup_list){ 0 };
}
