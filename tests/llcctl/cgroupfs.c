// SPDX-License-Identifier: GPL-2.0
/*
 * What does the kernel do in a directory that stands in for cgroup2?
 *
 * A library to preload: in the tree that $CGROUPFS names, a cgroup that is made
 * has its files, one that is removed need not be empty of them, and is busy
 * while a process listed in it lives; "+cpu" is added to a line of controllers
 * rather than written over it. libcgroup finds the tree in /proc/mounts.
 * Processes are not moved for real; nobody acts on what is written. With
 * $CGROUPFS_WITHOUT the kernel lacks cpu.llc_prefer. What happens while several
 * cgroups are written to, by their paths: the first write to $CGROUPFS_REFUSE
 * is refused, the second to $CGROUPFS_STUCK fails, and after the first to A,
 * with $CGROUPFS_GONE=A:B, B is removed, with $CGROUPFS_ANEW=A:B made anew.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What would have been called without us. */
#define REAL(name)	((name##_fn *)dlsym(RTLD_NEXT, #name))

typedef FILE *fopen_fn(const char *path, const char *mode);
typedef int mkdirat_fn(int dir, const char *path, mode_t mode);
typedef ssize_t write_fn(int fd, const void *text, size_t len);
typedef int unlinkat_fn(int dir, const char *path, int flags);
typedef long syscall_fn(long nr, ...);

FILE *fopen(const char *path, const char *mode)
{
	const char *root = getenv("CGROUPFS");
	static char line[4096];

	if (!root || strcmp(path, "/proc/mounts"))
		return REAL(fopen)(path, mode);
	snprintf(line, sizeof(line), "cgroup2 %s cgroup2 rw 0 0\n", root);
	return fmemopen(line, strlen(line), "r");
}

/* True if a file or directory is in the tree; @at is set to its path. */
static bool is_in_tree(int fd, char *at, size_t size)
{
	const char *root = getenv("CGROUPFS");
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, at, size - 1);
	if (!root || n < 0)
		return false;
	at[n] = '\0';
	return !strncmp(at, root, strlen(root));
}

static bool is_ours(int dir)
{
	char at[4096];

	return is_in_tree(dir, at, sizeof(at));
}

static bool is_prefer(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, "cpu.llc_prefer");
}

/* After a write that fails the old value stands, so it is not cut off before. */
long syscall(long nr, ...)
{
	struct open_how how;
	long arg[6];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_openat2 && is_ours(arg[0]) &&
	    is_prefer((const char *)arg[1])) {
		how = *(struct open_how *)arg[2];
		how.flags &= ~O_TRUNC;
		arg[2] = (long)&how;
	}
	return REAL(syscall)(nr, arg[0], arg[1], arg[2], arg[3], arg[4],
			     arg[5]);
}

/* Is @at the cpu.llc_prefer of the cgroup that the variable names? */
static bool is_named(const char *at, const char *variable)
{
	const char *path = getenv(variable), *end;
	size_t len = strlen(getenv("CGROUPFS"));

	if (!path || at[len] != '/')
		return false;
	at += len + 1;
	end = strchr(path, ':');
	len = end ? (size_t)(end - path) : strlen(path);
	return !strncmp(at, path, len) && !strcmp(at + len, "/cpu.llc_prefer");
}

/* The cgroup that the variable names behind the colon goes, or is made anew. */
static void replace(const char *variable, bool anew)
{
	const char *name = strchr(getenv(variable), ':') + 1;
	char path[4096], aside[4096 + 8];

	snprintf(path, sizeof(path), "%s/%s", getenv("CGROUPFS"), name);
	/* Moved aside rather than removed, so that its inode is not reused. */
	snprintf(aside, sizeof(aside), "%s/../%s.gone", getenv("CGROUPFS"),
		 strrchr(path, '/') + 1);
	if (rename(path, aside))
		perror(path);
	if (anew)
		mkdir(path, 0755);
}

/* Returns an errno if this write to a cpu.llc_prefer is to fail. */
static int meddle(const char *at)
{
	static int refused, stuck;

	if (is_named(at, "CGROUPFS_REFUSE") && !refused++)
		return EINVAL;
	if (is_named(at, "CGROUPFS_STUCK") && stuck++ == 1)
		return EIO;
	if (is_named(at, "CGROUPFS_GONE"))
		replace("CGROUPFS_GONE", false);
	if (is_named(at, "CGROUPFS_ANEW"))
		replace("CGROUPFS_ANEW", true);
	return 0;
}

/* "+cpu" to cgroup.subtree_control; only what is missing is added. */
ssize_t write(int fd, const void *text, size_t len)
{
	static const char file[] = "/cgroup.subtree_control";
	char at[4096], words[256] = "", word[64];
	size_t n;
	FILE *f;
	int fails;

	if (is_in_tree(fd, at, sizeof(at))) {
		fails = meddle(at);
		if (fails) {
			errno = fails;
			return -1;
		}
		if (is_prefer(at) && ftruncate(fd, 0))
			return -1;
	}
	if (!len || *(const char *)text != '+' || len >= sizeof(word) ||
	    !is_in_tree(fd, at, sizeof(at)) || strlen(at) < strlen(file) ||
	    strcmp(at + strlen(at) - strlen(file), file))
		return REAL(write)(fd, text, len);
	snprintf(word, sizeof(word), "%.*s", (int)len - 1,
		 (const char *)text + 1);
	f = REAL(fopen)(at, "r");
	n = f ? fread(words, 1, sizeof(words) - sizeof(word) - 2, f) : 0;
	if (f)
		fclose(f);
	while (n && words[n - 1] == '\n')
		words[--n] = '\0';
	if (!strstr(words, word))
		snprintf(words + n, sizeof(words) - n, "%s%s", n ? " " : "",
			 word);
	f = REAL(fopen)(at, "w");
	if (f) {
		fprintf(f, "%s\n", words);
		fclose(f);
	}
	return len;
}

static void put(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(name);
	if (fd >= 0)
		close(fd);
}

/* What the new cgroup at @dir has in it. */
static void populate(int dir)
{
	char controllers[256] = "";
	int fd = openat(dir, "../cgroup.subtree_control", O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, controllers, sizeof(controllers) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		n = 0;
	controllers[n] = '\0';
	put(dir, "cgroup.type", "domain\n");
	put(dir, "cgroup.controllers", controllers);
	put(dir, "cgroup.subtree_control", "\n");
	put(dir, "cgroup.procs", "");
	put(dir, "cgroup.threads", "");
	if (!strstr(controllers, "cpu") || getenv("CGROUPFS_WITHOUT"))
		return;
	put(dir, "cpu.llc_prefer", "default\n");
	put(dir, "cpu.llc_prefer.effective",
	    "mode group\ncpus\nstate idle\n");
	put(dir, "cpu.llc_prefer.stat", "usage_usec 0\npreferred_usec 0\n");
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	int ret = REAL(mkdirat)(dir, path, mode), fd;

	if (ret)
		return ret;
	fd = openat(dir, path, O_RDONLY | O_DIRECTORY);
	if (fd >= 0) {
		if (is_ours(fd))
			populate(fd);
		close(fd);
	}
	return 0;
}

int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

/* True if a process that is listed in the cgroup lives. */
static bool is_busy(int dir)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	bool busy = false;
	int pid;

	while (f && fscanf(f, "%d", &pid) == 1)
		busy |= !kill(pid, 0);
	if (f)
		fclose(f);
	return busy;
}

static void empty(int dir)
{
	int fd = dup(dir);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (de->d_type == DT_REG)
			REAL(unlinkat)(dir, de->d_name, 0);
	if (d)
		closedir(d);
}

int unlinkat(int dir, const char *path, int flags)
{
	int fd = -1;

	if (flags & AT_REMOVEDIR)
		fd = openat(dir, path, O_RDONLY | O_DIRECTORY);
	if (fd >= 0) {
		if (is_ours(fd) && is_busy(fd)) {
			close(fd);
			errno = EBUSY;
			return -1;
		}
		if (is_ours(fd))
			empty(fd);
		close(fd);
	}
	return REAL(unlinkat)(dir, path, flags);
}
