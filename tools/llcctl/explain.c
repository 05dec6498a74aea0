// SPDX-License-Identifier: GPL-2.0
/*
 * Why could a file of a cgroup not be read or written?
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

#define CONTROLLERS	"cgroup.controllers"
#define SUBTREE		"cgroup.subtree_control"

static bool is_unit(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".service") || !strcmp(dot, ".slice") ||
		       !strcmp(dot, ".scope"));
}

/* @path as one word of a shell command. */
static char *shell_word(const char *path)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-:@+,=%";
	char *out, *q;

	if (strspn(path, plain) == strlen(path))
		return xstrdup(path);
	out = xcalloc(4, strlen(path) + 1);
	q = out;
	*q++ = '\'';
	for (; *path; path++) {
		if (*path == '\'')
			q = stpcpy(q, "'\\'");
		*q++ = *path;
	}
	*q++ = '\'';
	return out;
}

/*
 * The lines that switch the cpu controller on for @path: one for every
 * ancestor that does not pass it on, from the top down.
 */
static char *enable_lines(const struct cgroup_root *root, const char *path)
{
	char *lines = xstrdup(""), *up = xstrdup(path);
	size_t i, len = strlen(path);

	for (i = 0; i < len; i++) {
		char *full, *word, *more;

		if (i && path[i] != '/')
			continue;
		/* The ancestor that ends at i: "" first, then "a", "a/b". */
		memcpy(up, path, i);
		up[i] = '\0';
		if (cgroup_has_word(root, up, SUBTREE, "cpu"))
			continue;
		full = xasprintf("%s%s%s/" SUBTREE, root->path, i ? "/" : "",
				 up);
		word = shell_word(full);
		more = xasprintf("%s%secho +cpu > %s", lines,
				 *lines ? " && " : "", word);
		free(full);
		free(word);
		free(lines);
		lines = more;
	}
	free(up);
	return lines;
}

void explain_no_controller(const struct cgroup_root *root, const char *path,
			   struct why *why)
{
	const char *unit = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char *lines;

	if (!cgroup_has_word(root, "", CONTROLLERS, "cpu")) {
		why_set(why, 0, "there is no cpu controller in %s (it is bound to cgroup v1, disabled at boot, or not delegated to this container)",
			root->path);
		return;
	}
	lines = enable_lines(root, path);
	if (!*lines)
		why_set(why, 0, "it has no cpu controller, though its ancestors pass it on (a cgroup.type of 'domain invalid' has none)");
	else if (is_unit(unit))
		why_set(why, 0, "the cpu controller is not enabled in its parent: systemctl set-property --runtime %s CPUWeight=100 (or %s, until systemd takes it back)",
			unit, lines);
	else
		why_set(why, 0, "the cpu controller is not enabled in its parent: %s",
			lines);
	free(lines);
}

/*
 * In a container the mount's top is an ordinary cgroup. Only the root of the
 * hierarchy has no cgroup.type.
 */
static bool is_hierarchy_root(const struct cgroup_root *root)
{
	int fd = cgroup_open(root, "", "cgroup.type", O_PATH);

	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

static int explain_missing(const struct cgroup_root *root,
			   const struct attempt *try, struct why *why)
{
	int fd;

	if (!cgroup_exists(root, try->path)) {
		why_set(why, 0, "no such cgroup in %s", root->path);
		return EXIT_FAILED;
	}
	if (!*try->path && is_hierarchy_root(root)) {
		why_set(why, 0, "the root cgroup has no %s: name a cgroup below it",
			try->file);
		return EXIT_FAILED;
	}
	if (!cgroup_has_word(root, try->path, CONTROLLERS, "cpu")) {
		explain_no_controller(root, try->path, why);
		return EXIT_FAILED;
	}
	/* An older version of the patches: it has the file, not this one. */
	if (strcmp(try->file, FILE_PREFER)) {
		fd = cgroup_open(root, try->path, FILE_PREFER, O_PATH);
		if (fd >= 0) {
			close(fd);
			why_set(why, 0, "this kernel has no %s", try->file);
			return EXIT_NO_KERNEL;
		}
	}
	why_set(why, 0, NO_KERNEL_TEXT);
	return EXIT_NO_KERNEL;
}

int explain_failure(const struct cgroup_root *root, const struct attempt *try,
		    struct why *why)
{
	const char *verb = try->value ? "write" : "read";

	switch (-try->code) {
	case ENOENT:
	case ENOTDIR:
		return explain_missing(root, try, why);
	case ENODEV:
		why_set(why, 0, "the cgroup was removed meanwhile");
		break;
	case EACCES:
		why_set(why, 0, "no permission to %s %s: it takes root, or the user the cgroup is delegated to",
			verb, try->file);
		break;
	case EPERM:
		why_set(why, 0, "not permitted to %s %s: the cgroup is the boundary of a delegated subtree (nsdelegate), only its owner outside may",
			verb, try->file);
		break;
	case EROFS:
		why_set(why, 0, "%s is mounted read-only (in a container, or by ProtectControlGroups= of a systemd unit)",
			root->path);
		break;
	case EXDEV:
		why_set(why, 0, "it is not a cgroup of the mount %s",
			root->path);
		break;
	case ELOOP:
		why_set(why, 0, "the path goes over a symbolic link, a cgroup's does not");
		break;
	case ENOSYS:
		why_set(why, 0, "the system call openat2 is not to be had (Linux before 5.6, or a seccomp filter)");
		break;
	case EINVAL:
		if (!try->value)
			goto other;
		why_set(why, 0, "the kernel does not take '%s' as a value of %s (%s)",
			try->value, try->file, strerror(EINVAL));
		break;
	case ERANGE:
	case ENXIO:
		if (!try->value)
			goto other;
		why_set(why, 0, "'%s' names a CPU that this machine cannot have (%s)",
			try->value, strerror(-try->code));
		break;
	case E2BIG:
		if (!try->value)
			goto other;
		why_set(why, 0, "the value is longer than a page (%zu bytes): one CPU of each LLC is enough to name it",
			strlen(try->value));
		break;
	default:
other:
		why_set(why, 0, "cannot %s %s: %s", try->opened ? verb : "open",
			try->file, strerror(-try->code));
	}
	return EXIT_FAILED;
}

int report_failure(const struct cgroup_root *root, const struct attempt *try)
{
	struct why why;
	int ret = explain_failure(root, try, &why);

	warnx("/%s: %s", try->path, why.text);
	return ret;
}

int report_no_file(const struct cgroup_root *root,
		   const struct cgroup_list *list, const char *first)
{
	struct why why;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		struct attempt try = {
			.path = list->nodes[i].path,
			.file = FILE_PREFER,
			.code = -ENOENT,
		};

		if (explain_failure(root, &try, &why) == EXIT_NO_KERNEL) {
			warnx("%s", why.text);
			return EXIT_NO_KERNEL;
		}
	}
	explain_no_controller(root, first, &why);
	warnx("/%s: %s", first, why.text);
	return EXIT_FAILED;
}
