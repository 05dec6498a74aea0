// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroups are there? A tree of four levels that stays, with a threaded
 * branch in it, and cgroups in its lowest level that come and go.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "churn.h"

/* Parents before children. */
static const struct {
	const char	*path;
	int		level;
	int		kinds;
} fixed[] = {
	{ ".",		1, PLACE_INNER },
	{ "a",		2, PLACE_INNER },
	{ "a/c",	3, PLACE_INNER },
	{ "a/c/e",	4, PLACE_PROCS },
	{ "a/c/f",	4, PLACE_PROCS },
	{ "a/d",	3, PLACE_INNER },
	{ "a/d/e",	4, PLACE_PROCS },
	{ "b",		2, PLACE_INNER },
	{ "b/c",	3, PLACE_PROCS },
	{ "b/d",	3, PLACE_INNER | PLACE_FLIPS },
	{ "b/d/e",	4, PLACE_PROCS },
	{ "t",		2, PLACE_THREADS },
	{ "t/x",	3, PLACE_THREADS },
	{ "t/x/z",	4, PLACE_THREADS },
	{ "t/y",	3, PLACE_THREADS },
};

#define NR_FIXED	((int)(sizeof(fixed) / sizeof(fixed[0])))

/* Where workers make cgroups of their own. */
static const char *const slot_parent[] = { "a/c", "a/d", "b/d" };

static int tree_fd = -1;

static void must_put(const char *path, const char *file, const char *value)
{
	char name[128];
	int fd;

	snprintf(name, sizeof(name), "%s/%s", path, file);
	fd = openat(tree_fd, name, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		err(2, "cannot write \"%s\" to " TREE "/%s", value, name);
	close(fd);
}

void tree_make(void)
{
	if (mkdir(TREE, 0755))
		err(2, "cannot make " TREE);
	tree_fd = open(TREE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tree_fd < 0)
		err(2, "cannot open " TREE);

	for (int i = 0; i < NR_FIXED; i++) {
		const char *path = fixed[i].path;

		if (i && mkdirat(tree_fd, path, 0755))
			err(2, "cannot make " TREE "/%s", path);
		/* The first threaded child makes the top of the branch a thread root. */
		if (fixed[i].kinds == PLACE_THREADS && fixed[i].level > 2)
			must_put(path, "cgroup.type", "threaded");
		if (fixed[i].kinds != PLACE_PROCS && fixed[i].level < NR_LEVELS)
			must_put(path, "cgroup.subtree_control", "+cpu +cpuset");
	}
}

/* Depth first; a child that is gone meanwhile is no error. */
static int remove_below(int parent, const char *name, char *why, size_t size)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *de;
	int ret = 0;
	DIR *dir;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	while (!ret && (de = readdir(dir)))
		if (de->d_type == DT_DIR && de->d_name[0] != '.')
			ret = remove_below(fd, de->d_name, why, size);
	closedir(dir);
	if (!ret && unlinkat(parent, name, AT_REMOVEDIR)) {
		snprintf(why, size, "%s: %s", name, strerror(errno));
		ret = -1;
	}
	return ret;
}

/* Returns 0, or -1 and in @why what stays. Tasks that were killed need a moment. */
int tree_remove(char *why, size_t size)
{
	uint64_t end = now_ns() + 60 * NSEC_PER_SEC;

	snprintf(why, size, "%s", strerror(errno));
	while (remove_below(AT_FDCWD, TREE, why, size)) {
		if (now_ns() > end)
			return -1;
		task_nap(20000);
	}
	return 0;
}

struct place place_slot(int worker, int slot)
{
	struct place place = { .level = NR_LEVELS, .transient = true };

	if (slot == NR_SLOTS - 1)
		snprintf(place.path, sizeof(place.path), "t/y/w%d", worker);
	else
		snprintf(place.path, sizeof(place.path), "%s/w%d.%d",
			 slot_parent[(worker + slot) % 3], worker, slot);
	return place;
}

/* A cgroup of one of @kinds, the ones that come and go as likely as those that stay. */
struct place place_pick(struct worker *w, int kinds, int level)
{
	for (;;) {
		unsigned int nr = rng_below(&w->rng, NR_FIXED + MAX_WORKERS * NR_SLOTS);
		struct place place = { };

		if (nr >= (unsigned int)NR_FIXED) {
			int worker = (nr - NR_FIXED) / NR_SLOTS, slot = (nr - NR_FIXED) % NR_SLOTS;
			int kind = slot == NR_SLOTS - 1 ? PLACE_THREADS : PLACE_PROCS;

			if (!(kinds & kind) || (level && level != NR_LEVELS) ||
			    !__atomic_load_n(&shared->worker[worker].present[slot],
					     __ATOMIC_RELAXED))
				continue;
			return place_slot(worker, slot);
		}
		if (!(fixed[nr].kinds & kinds) || (level && level != fixed[nr].level))
			continue;
		snprintf(place.path, sizeof(place.path), "%s", fixed[nr].path);
		place.level = fixed[nr].level;
		place.transient = !strncmp(place.path, "b/d/", 4);
		return place;
	}
}

static int put_at(int dir, const char *name, const char *value)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		ret = errno;
	close(fd);
	return ret;
}

static int get_at(int dir, const char *name, char *buf, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC), ret = 0;
	size_t len = 0;
	ssize_t got;

	buf[0] = '\0';
	if (fd < 0)
		return errno;
	do {
		got = read(fd, buf + len, size - 1 - len);
		if (got > 0)
			len += got;
	} while (got > 0 && len < size - 1);
	if (got < 0)
		ret = errno;
	buf[len] = '\0';
	close(fd);
	return ret;
}

static void note(struct worker *w, const char *path, const char *file, const char *value)
{
	snprintf(w->what, WHAT_SIZE, "%s%s%s%s%.80s", path,
		 file ? "/" : "", file ?: "", value ? " <- " : "", value ?: "");
}

int cgroup_put(struct worker *w, const struct place *place, const char *file,
	       const char *value)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/%s", place->path, file);
	note(w, place->path, file, value);
	w->transient |= place->transient;
	return put_at(tree_fd, name, value);
}

int cgroup_get(struct worker *w, const struct place *place, const char *file,
	       char *buf, size_t size)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/%s", place->path, file);
	note(w, place->path, file, NULL);
	w->transient |= place->transient;
	return get_at(tree_fd, name, buf, size);
}

int file_put(struct worker *w, const char *path, const char *value)
{
	note(w, path, NULL, value);
	return put_at(AT_FDCWD, path, value);
}

int file_get(struct worker *w, const char *path, char *buf, size_t size)
{
	note(w, path, NULL, NULL);
	return get_at(AT_FDCWD, path, buf, size);
}

int cgroup_enter(const struct place *place)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/cgroup.procs", place->path);
	return put_at(tree_fd, name, "0");
}

int cgroup_open(struct worker *w, const struct place *place)
{
	int fd = openat(tree_fd, place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	note(w, place->path, NULL, "a task");
	w->transient |= place->transient;
	return fd < 0 ? -errno : fd;
}

int place_make(struct worker *w, const struct place *place)
{
	note(w, place->path, NULL, "mkdir");
	return mkdirat(tree_fd, place->path, 0755) ? errno : 0;
}

int place_remove(struct worker *w, const struct place *place)
{
	note(w, place->path, NULL, "rmdir");
	return unlinkat(tree_fd, place->path, AT_REMOVEDIR) ? errno : 0;
}

static void slot_show(struct worker *w, int slot, bool present)
{
	__atomic_store_n(&shared->worker[w->id].present[slot], present, __ATOMIC_RELAXED);
}

int slot_make(struct worker *w, int slot)
{
	struct place place = place_slot(w->id, slot);
	int ret = place_make(w, &place);

	if (!ret && slot == NR_SLOTS - 1) {
		ret = cgroup_put(w, &place, "cgroup.type", "threaded");
		/* Nobody else knows of it yet, so nothing excuses an error. */
		w->transient = false;
	}
	if (!ret)
		slot_show(w, slot, true);
	return ret;
}

/* Moves out whatever is in there, whoever's it is, and removes it. */
int slot_remove(struct worker *w, int slot)
{
	const char *file = slot == NR_SLOTS - 1 ? "cgroup.threads" : "cgroup.procs";
	struct place place = place_slot(w->id, slot), to;
	char ids[4096], *save = NULL;
	int ret;

	slot_show(w, slot, false);
	to = place_pick(w, slot == NR_SLOTS - 1 ? PLACE_THREADS : PLACE_PROCS, 0);
	ret = cgroup_get(w, &place, file, ids, sizeof(ids));
	if (!ret) {
		/* A task may be gone meanwhile, or where it should go may be: no matter. */
		for (char *id = strtok_r(ids, "\n", &save); id; id = strtok_r(NULL, "\n", &save))
			cgroup_put(w, &to, file, id);
		ret = place_remove(w, &place);
	}
	w->transient = false;
	if (ret)
		slot_show(w, slot, true);
	return ret;
}
