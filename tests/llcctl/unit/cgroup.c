// SPDX-License-Identifier: GPL-2.0
/*
 * Are the mount and a cgroup's path found in every layout, and is every errno
 * explained?
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "explain.h"
#include "llcctl.h"
#include "unit.h"

static const char *tmp;			/* a directory of our own */

static void put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", tmp, name);
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	} else {
		unit_failed = true;
		printf("# cannot write %s\n", path);
	}
	free(path);
}

static void drop(const char *name)
{
	char *path = xasprintf("%s/%s", tmp, name);

	unlink(path);
	free(path);
}

/* "MOUNT", and " shows TOP" where it is not the whole. */
static const char *mount_at(const char *mountinfo, const char *dir)
{
	static char out[256];
	char *path = xasprintf("%s/mountinfo", tmp), *found, *top = NULL;

	put("mountinfo", mountinfo);
	found = cgroup_find_mount(path, dir, &top);
	if (found && top && strcmp(top, "/"))
		snprintf(out, sizeof(out), "%s shows %s", found, top);
	else
		snprintf(out, sizeof(out), "%s", found ? found : "(none)");
	free(found);
	free(top);
	free(path);
	return out;
}

static const char *mount_in(const char *mountinfo)
{
	return mount_at(mountinfo, NULL);
}

static void the_mount_is_found_in_a_unified_layout(void)
{
	CHECK_STR(mount_in("22 1 0:20 / /sys rw - sysfs sysfs rw\n"
			   "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"),
		  "/sys/fs/cgroup");
}

static void the_mount_is_found_in_a_hybrid_layout(void)
{
	CHECK_STR(mount_in("30 22 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs rw,mode=755\n"
			   "31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
			   "32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"),
		  "/sys/fs/cgroup/unified");
}

static void a_mount_of_the_whole_goes_before_one_of_a_part(void)
{
	CHECK_STR(mount_in("30 22 0:26 /user.slice /mnt/part rw - cgroup2 cgroup2 rw\n"
			   "31 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
			   "32 22 0:26 / /mnt/second rw - cgroup2 cgroup2 rw\n"),
		  "/sys/fs/cgroup");
	CHECK_STR(mount_in("30 22 0:26 /user.slice /mnt/part rw - cgroup2 cgroup2 rw\n"),
		  "/mnt/part shows /user.slice");
}

static void a_mount_that_is_named_is_the_one(void)
{
	static const char two[] =
		"30 22 0:26 /user.slice /mnt/part rw - cgroup2 cgroup2 rw\n"
		"31 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

	CHECK_STR(mount_at(two, "/mnt/part"), "/mnt/part shows /user.slice");
	CHECK_STR(mount_at(two, "/sys/fs/cgroup"), "/sys/fs/cgroup");
	CHECK_STR(mount_at(two, "/mnt"), "(none)");
}

static void a_mount_point_may_have_blanks(void)
{
	CHECK_STR(mount_in("30 22 0:26 / /mnt/c\\040group rw - cgroup2 cgroup2 rw\n"),
		  "/mnt/c group");
}

static void no_mount_is_no_mount(void)
{
	CHECK_STR(mount_in("22 1 0:20 / /sys rw - sysfs sysfs rw\n"), "(none)");
}

static const char *resolved(const char *name)
{
	static char out[sizeof(struct why) + 8];
	struct why why;
	char *path;

	if (cgroup_resolve("/sys/fs/cgroup", name, &path, &why)) {
		snprintf(out, sizeof(out), "! %s", why.text);
		return out;
	}
	snprintf(out, sizeof(out), "%s", path);
	free(path);
	return out;
}

static void a_path_is_relative_or_absolute(void)
{
	CHECK_STR(resolved("web"), "web");
	CHECK_STR(resolved("/web"), "web");
	CHECK_STR(resolved("//web//db/"), "web/db");
	CHECK_STR(resolved("./web/./db"), "web/db");
	CHECK_STR(resolved("/sys/fs/cgroup/web"), "web");
	CHECK_STR(resolved("/sys/fs/cgroup"), "");
	CHECK_STR(resolved("/sys/fs/cgroup/"), "");
	CHECK_STR(resolved("/"), "");
	CHECK_STR(resolved("/sys/fs/cgroupweb"), "sys/fs/cgroupweb");
	CHECK_STR(resolved("..web/.web"), "..web/.web");
}

static void a_path_does_not_go_up(void)
{
	CHECK_STR(resolved(""), "! the name of the cgroup is empty");
	CHECK_STR(resolved("../etc/passwd"),
		  "! ../etc/passwd: the path of a cgroup has no '..'");
	CHECK_STR(resolved("web/.."),
		  "! web/..: the path of a cgroup has no '..'");
}

/* The sentence, after the exit code where it is not EXIT_FAILED. */
static const char *explained(const char *path, int code, const char *value)
{
	static char out[sizeof(struct why) + 8];
	struct attempt try = {
		.path = path,
		.file = FILE_PREFER,
		.value = value,
		.code = -code,
	};
	struct cgroup_root root;
	struct why why;
	int ret;

	if (cgroup_root_open(tmp, &root, &why))
		return "no root";
	ret = explain_failure(&root, &try, &why);
	if (ret == EXIT_FAILED)
		snprintf(out, sizeof(out), "%s", why.text);
	else
		snprintf(out, sizeof(out), "%d %s", ret, why.text);
	cgroup_root_close(&root);
	return out;
}

static void every_errno_has_its_sentence(void)
{
	char *ro = xasprintf("%s is mounted read-only (in a container, or by ProtectControlGroups= of a systemd unit)",
			     tmp);
	char *xdev = xasprintf("it is not a cgroup of the mount %s", tmp);

	put("cgroup.controllers", "cpu\n");
	CHECK_STR(explained("web", ENODEV, "group"),
		  "the cgroup was removed meanwhile");
	CHECK_STR(explained("web", EACCES, "group"),
		  "no permission to write cpu.llc_prefer: it takes root, or the user the cgroup is delegated to");
	CHECK_STR(explained("web", EACCES, NULL),
		  "no permission to read cpu.llc_prefer: it takes root, or the user the cgroup is delegated to");
	CHECK_STR(explained("web", EPERM, "group"),
		  "not permitted to write cpu.llc_prefer: the cgroup is the boundary of a delegated subtree (nsdelegate), only its owner outside may");
	CHECK_STR(explained("web", EROFS, "group"), ro);
	CHECK_STR(explained("web", EXDEV, "group"), xdev);
	CHECK_STR(explained("web", EINVAL, "0-3"),
		  "the kernel does not take '0-3' as a value of cpu.llc_prefer (Invalid argument)");
	CHECK_STR(explained("web", ERANGE, "900"),
		  "'900' names a CPU that this machine cannot have (Numerical result out of range)");
	CHECK_STR(explained("web", ENXIO, "900"),
		  "'900' names a CPU that this machine cannot have (No such device or address)");
	CHECK_STR(explained("web", E2BIG, "0-3"),
		  "the value is longer than a page (3 bytes): one CPU of each LLC is enough to name it");
	CHECK_STR(explained("web", ENOSYS, "group"),
		  "the system call openat2 is not to be had (Linux before 5.6, or a seccomp filter)");
	CHECK_STR(explained("web", EMFILE, "group"),
		  "cannot open cpu.llc_prefer: Too many open files");
	CHECK_STR(explained("web", EINVAL, NULL),
		  "cannot open cpu.llc_prefer: Invalid argument");
	free(ro);
	free(xdev);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(the_mount_is_found_in_a_unified_layout),
		TEST(the_mount_is_found_in_a_hybrid_layout),
		TEST(a_mount_of_the_whole_goes_before_one_of_a_part),
		TEST(a_mount_that_is_named_is_the_one),
		TEST(a_mount_point_may_have_blanks),
		TEST(no_mount_is_no_mount),
		TEST(a_path_is_relative_or_absolute),
		TEST(a_path_does_not_go_up),
		TEST(every_errno_has_its_sentence),
	};
	char dir[] = "/tmp/llcctl-unit.XXXXXX";
	int ret;

	tmp = mkdtemp(dir);
	if (!tmp) {
		perror("mkdtemp");
		return 1;
	}
	ret = UNIT_RUN(tests);
	drop("mountinfo");
	drop("cgroup.controllers");
	rmdir(tmp);
	return ret;
}
