// SPDX-License-Identifier: GPL-2.0
/*
 * Is a process found where the mount shows a part of the hierarchy only?
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"
#include "unit.h"

static const char *tmp;			/* a directory of our own */

static void put(const char *cgroup)
{
	char *path = xasprintf("%s/proc/7/cgroup", tmp);
	FILE *f = fopen(path, "w");

	if (f) {
		fprintf(f, "0::%s\n", cgroup);
		fclose(f);
	} else {
		unit_failed = true;
		printf("# cannot write %s\n", path);
	}
	free(path);
}

/* The path of process 7, which is in @cgroup, below a mount that shows @top. */
static const char *seen(const char *top, const char *cgroup)
{
	static char out[sizeof(struct why) + 8];
	char mount[] = "/mnt/part", top_of[64];
	struct cgroup_root root = { .fd = -1, .path = mount, .top = top_of };
	struct why why;
	char *path;

	snprintf(top_of, sizeof(top_of), "%s", top);
	put(cgroup);
	if (target_find(&root, tmp, "PID:7", &path, &why)) {
		snprintf(out, sizeof(out), "! %s", why.text);
		return out;
	}
	snprintf(out, sizeof(out), "'%s'", path);
	free(path);
	return out;
}

static void the_whole_hierarchy_shows_every_process(void)
{
	CHECK_STR(seen("/", "/"), "''");
	CHECK_STR(seen("/", "/a/b"), "'a/b'");
	CHECK_STR(seen("/", "/a b/\\x2d"), "'a b/\\x2d'");
}

static void what_is_above_the_top_is_cut_off(void)
{
	CHECK_STR(seen("/user.slice", "/user.slice/a"), "'a'");
	CHECK_STR(seen("/user.slice", "/user.slice/a/b"), "'a/b'");
	CHECK_STR(seen("/user.slice", "/user.slice"), "''");
	CHECK_STR(seen("/a/b", "/a/b/c"), "'c'");
}

static void what_is_beside_the_top_is_not_seen(void)
{
	CHECK_STR(seen("/user.slice", "/system.slice/a"),
		  "! process 7 is in /system.slice/a, of which /mnt/part does not show anything");
	CHECK_STR(seen("/user.slice", "/user.slices/a"),
		  "! process 7 is in /user.slices/a, of which /mnt/part does not show anything");
	CHECK_STR(seen("/user.slice", "/"),
		  "! process 7 is in /, of which /mnt/part does not show anything");
}

static void a_cgroup_outside_the_namespace_is_not_seen(void)
{
	CHECK_STR(seen("/", "/../other"),
		  "! process 7 is outside this cgroup namespace, in /../other");
	CHECK_STR(seen("/", "/.."),
		  "! process 7 is outside this cgroup namespace, in /..");
	CHECK_STR(seen("/", "/..other"), "'..other'");
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(the_whole_hierarchy_shows_every_process),
		TEST(what_is_above_the_top_is_cut_off),
		TEST(what_is_beside_the_top_is_not_seen),
		TEST(a_cgroup_outside_the_namespace_is_not_seen),
	};
	static const char *const names[] = { "proc/7/cgroup", "proc/7", "proc", "" };
	char dir[] = "/tmp/llcctl-unit.XXXXXX";
	char *path;
	size_t i;
	int ret;

	tmp = mkdtemp(dir);
	if (!tmp) {
		perror("mkdtemp");
		return 1;
	}
	path = xasprintf("%s/proc", tmp);
	mkdir(path, 0755);
	free(path);
	path = xasprintf("%s/proc/7", tmp);
	mkdir(path, 0755);
	free(path);
	ret = UNIT_RUN(tests);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		path = xasprintf("%s/%s", tmp, names[i]);
		remove(path);
		free(path);
	}
	return ret;
}
