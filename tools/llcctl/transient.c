// SPDX-License-Identifier: GPL-2.0
/*
 * How is a cgroup made for one command, and how does it go again?
 *
 * libcgroup makes the directory and moves the process. Kept from it are the
 * controller, which is switched on before (libcgroup loses the cause where that
 * fails); values (for the same reason); and the end, since it would move what
 * still runs to the parent.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libcgroup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain.h"
#include "hierarchy.h"
#include "target.h"
#include "transient.h"
#include "wait.h"

#define CONTROLLERS	"cgroup.controllers"
#define SUBTREE		"cgroup.subtree_control"
#define PROCS		"cgroup.procs"

/* How long the processes of a command that has ended may take to end. */
#define REMOVE_MS	1000
#define REMOVE_STEP_MS	20

/* May this user write @file of the cgroup, or make a cgroup in it ("")? */
static bool may_write(const struct cgroup_root *root, const char *path,
		      const char *file)
{
	char *full = xasprintf("%s/%s/%s", root->path, path, file);
	bool may = !faccessat(AT_FDCWD, full, W_OK, AT_EACCESS);

	free(full);
	return may;
}

/* Only the root of the hierarchy may have processes and controllers on. */
static bool is_top_of_all(const struct cgroup_root *root, const char *path)
{
	char *text;

	if (*path || cgroup_read(root, path, "cgroup.type", &text))
		return !*path;
	free(text);
	return false;
}

static bool has_processes(const struct cgroup_root *root, const char *path)
{
	char *text;
	bool any;

	if (cgroup_read(root, path, PROCS, &text))
		return true;
	any = *text;
	free(text);
	return any;
}

/* A cgroup made below a threaded one takes no processes. */
static bool is_threaded(const struct cgroup_root *root, const char *path)
{
	return cgroup_has_word(root, path, "cgroup.type", "threaded");
}

static bool is_place(const struct cgroup_root *root, const char *path)
{
	if (!cgroup_has_word(root, path, CONTROLLERS, "cpu") ||
	    is_threaded(root, path) || !may_write(root, path, "") ||
	    !may_write(root, path, PROCS))
		return false;
	if (cgroup_has_word(root, path, SUBTREE, "cpu"))
		return true;
	return may_write(root, path, SUBTREE) &&
	       (is_top_of_all(root, path) || !has_processes(root, path));
}

int transient_place(const struct cgroup_root *root, const char *sysroot,
		    char **parent, struct why *why)
{
	char *up;
	int ret;

	if (!cgroup_has_word(root, "", CONTROLLERS, "cpu")) {
		explain_no_controller(root, "", why);
		return -ENOENT;
	}
	ret = target_find(root, sysroot, "PID:self", &up, why);
	if (ret)
		return ret;
	*parent = xstrdup(up);
	do {
		if (!is_place(root, *parent))
			continue;
		free(up);
		return 0;
	} while (hierarchy_parent(*parent));
	free(*parent);
	*parent = NULL;
	why_set(why, 0, "in no cgroup from /%s upwards may this user make one with the cpu controller: start it in a delegated one (systemd-run --user --scope -p Delegate=cpu llcctl run ...), as root, or name one with --cgroup",
		up);
	free(up);
	return -EACCES;
}

/* libcgroup goes by the first mount it sees; it must be ours. */
static int check_mount(const struct cgroup_root *root, struct why *why)
{
	struct stat ours, theirs;
	char *mount = NULL;
	int ret = cgroup_init();

	if (!ret)
		ret = cgroup_get_subsys_mount_point("cpu", &mount);
	if (ret)
		return why_set(why, -ENOENT, "libcgroup finds no cpu controller: %s",
			       cgroup_strerror(ret));
	if (fstat(root->fd, &ours) || stat(mount, &theirs) ||
	    ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino)
		ret = why_set(why, -EXDEV,
			      "libcgroup makes cgroups in %s, not in %s", mount,
			      root->path);
	free(mount);
	return ret;
}

static struct cgroup *object(const char *path)
{
	struct cgroup *cg = cgroup_new_cgroup(path);

	/* One without a controller is made nowhere, and reported as made. */
	if (!cg || !cgroup_add_controller(cg, "cpu"))
		errx(EXIT_FAILURE, "cannot allocate memory");
	return cg;
}

static int make(const struct cgroup_root *root, const char *path,
		const char *parent, struct why *why)
{
	struct cgroup *cg = object(path);
	int ret = cgroup_create_cgroup(cg, 1);

	cgroup_free(&cg);
	if (!ret && cgroup_exists(root, path))
		return 0;
	/*
	 * libcgroup 3 writes cgroup.subtree_control of every ancestor again,
	 * which the user of a delegated subtree may not.
	 */
	if (!mkdirat(root->fd, path, 0755))
		return 0;
	ret = -errno;
	if (ret == -EACCES || ret == -EPERM)
		return why_set(why, ret, "no permission to make a cgroup in /%s: it takes root, or the user it is delegated to",
			       parent);
	if (ret == -EAGAIN)
		return why_set(why, ret, "/%s may have no more cgroups below it (cgroup.max.descendants, cgroup.max.depth)",
			       parent);
	return why_set(why, ret, "cannot make the cgroup /%s: %s", path,
		       strerror(-ret));
}

static int enable_cpu(const struct cgroup_root *root, const char *parent,
		      struct why *why)
{
	struct why none;
	bool opened;
	int ret;

	if (!cgroup_has_word(root, parent, CONTROLLERS, "cpu")) {
		explain_no_controller(root, parent, &none);
		return why_set(why, -ENOENT, "/%s: %.*s", parent,
			       (int)sizeof(none.text) / 2, none.text);
	}
	if (cgroup_has_word(root, parent, SUBTREE, "cpu"))
		return 0;
	ret = cgroup_write(root, parent, SUBTREE, "+cpu", &opened);
	if (ret == -EBUSY)
		return why_set(why, ret, "the cpu controller cannot be enabled below /%s, which has processes of its own",
			       parent);
	if (ret)
		return why_set(why, ret, "cannot enable the cpu controller below /%s: %s",
			       parent, strerror(-ret));
	return 0;
}

int transient_make(const struct cgroup_root *root, const char *path,
		   struct why *why)
{
	char *parent = xstrdup(path);
	int ret;

	if (!hierarchy_parent(parent) || cgroup_exists(root, path))
		ret = why_set(why, -EEXIST, "the cgroup /%s exists already (llcctl set states its preference)",
			      path);
	else if (!cgroup_exists(root, parent))
		ret = why_set(why, -ENOENT, "there is no cgroup /%s to make it in",
			      parent);
	else
		ret = enable_cpu(root, parent, why);
	if (!ret)
		ret = check_mount(root, why);
	if (ret) {
		free(parent);
		return ret;
	}

	ret = make(root, path, parent, why);
	free(parent);
	return ret;
}

int transient_attach(const struct cgroup_root *root, const char *path,
		     pid_t pid, struct why *why)
{
	struct cgroup *cg = object(path);
	char *number;
	int ret = cgroup_attach_task_pid(cg, pid);

	cgroup_free(&cg);
	if (ret)
		return why_set(why, -EIO, "libcgroup cannot move a process to /%s: %s",
			       path, ret == ECGOTHER ?
			       strerror(cgroup_get_last_errno()) :
			       cgroup_strerror(ret));
	/* Believe it when it is seen. */
	number = xasprintf("%d", pid);
	if (!cgroup_has_word(root, path, PROCS, number))
		ret = why_set(why, -EIO, "process %d did not arrive in /%s",
			      pid, path);
	free(number);
	return ret;
}

static int remove_all(const struct cgroup_root *root, const char *path)
{
	struct cgroup_list list;
	int ret = cgroup_walk(root, path, &list);
	size_t i;

	for (i = list.nr; !ret && i--;)
		if (unlinkat(root->fd, list.nodes[i].path, AT_REMOVEDIR) &&
		    errno != ENOENT)
			ret = -errno;
	cgroup_list_free(&list);
	return ret == -ENOENT ? 0 : ret;
}

int transient_remove(const struct cgroup_root *root, const char *path)
{
	long start = now_ms();
	int ret;

	while ((ret = remove_all(root, path)) == -EBUSY &&
	       now_ms() - start < REMOVE_MS)
		sleep_ms(REMOVE_STEP_MS);
	return ret;
}
