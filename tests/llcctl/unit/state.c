// SPDX-License-Identifier: GPL-2.0
/*
 * Is what was there before an apply kept, and nothing believed that is not it?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"
#include "unit.h"

static const char *tmp;			/* a directory of our own */

/* What is wrong with a state, or "" */
static const char *wrong(const char *text, int *code)
{
	static struct why why;
	struct plan plan;

	why.text[0] = '\0';
	*code = state_parse("f", text, strlen(text), "B", &plan, &why);
	if (!*code)
		plan_free(&plan);
	return why.text;
}

static void a_state_is_read_back(void)
{
	char *file = xasprintf("%s/state", tmp);
	struct plan plan = { 0 }, back;
	struct why why;
	struct stat st;

	plan_add(&plan, "a b/\\x2d: c", UINT64_MAX, "group 0-3", "off");
	plan_add(&plan, "gone", 7, "off", "1")->result = STEP_GONE;
	plan_add(&plan, "failed", 8, "off", "1")->result = STEP_FAILED;
	plan_add(&plan, "left", 9, "off", "1")->result = STEP_LEFT;
	CHECK_INT(state_save(file, &plan, &why), 0);
	CHECK_INT(stat(file, &st), 0);
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK_INT(state_load(file, &back, &why), 0);
	CHECK_INT(back.nr, 2);
	CHECK_STR(back.steps[0].path, "a b/\\x2d: c");
	CHECK_INT(back.steps[0].id == UINT64_MAX, true);
	CHECK_STR(back.steps[0].was, "group 0-3");
	CHECK_STR(back.steps[0].value, "off");
	CHECK_STR(back.steps[1].path, "left");
	plan_free(&plan);
	plan_free(&back);

	/* Nothing to take back: no state. */
	CHECK_INT(state_save(file, &plan, &why), 0);
	CHECK_INT(state_load(file, &back, &why), -ENOENT);
	CHECK_INT(state_save(file, &plan, &why), 0);
	free(file);
}

static void a_failed_save_leaves_the_old_one(void)
{
	char *file = xasprintf("%s/state", tmp), *odd;
	struct plan plan = { 0 }, back;
	struct why why;

	plan_add(&plan, "a", 1, "off", "1");
	CHECK_INT(state_save(file, &plan, &why), 0);
	odd = plan.steps[0].path;
	plan.steps[0].path = xstrdup("\xff");
	CHECK_INT(state_save(file, &plan, &why), -EILSEQ);
	free(odd);
	CHECK_INT(state_load(file, &back, &why), 0);
	CHECK_STR(back.steps[0].path, "a");
	plan_free(&back);
	CHECK_INT(unlink(file), 0);
	/* No half-written file either: the directory is empty. */
	CHECK_INT(rmdir(tmp), 0);
	CHECK_INT(mkdir(tmp, 0700), 0);
	plan_free(&plan);
	free(file);
}

static void what_is_no_state_is_refused(void)
{
	int code;

	CHECK_STR(wrong("boot: B\nchanged: []\n", &code), "");
	CHECK_STR(wrong("boot: A\nchanged: []\n", &code),
		  "f is from before this machine was started; its cgroups are gone");
	CHECK_INT(code, -ESTALE);
	CHECK_STR(wrong("rules: []\n", &code),
		  "f:1: a state has no key 'rules' (it has: boot, changed)");
	CHECK_STR(wrong("boot: B\nchanged:\n- {cgroup: a, id: -1, was: a, value: b}\n",
			&code), "f:3: the id is not a number");
	CHECK_STR(wrong("boot: B\nchanged:\n- {cgroup: a, id: '', was: a, value: b}\n",
			&code), "f:3: the id is not a number");
	CHECK_STR(wrong("boot: B\nchanged:\n- {cgroup: a, id: 99999999999999999999, was: a, value: b}\n",
			&code), "f:3: the id is not a number");
	CHECK_STR(wrong("boot: B\nchanged:\n- {cgroup: a, id: 1, was: a}\n",
			&code), "f:3: a change lacks the key 'value'");
	CHECK_INT(code, -EINVAL);
}

static void a_lock_is_had_by_one(void)
{
	char *file = xasprintf("%s/state", tmp);
	char *lock = xasprintf("%s.lock", file);
	struct why why;
	int fd = state_lock(file, &why), other, raw;

	CHECK_INT(fd >= 0, true);
	raw = open(lock, O_RDWR);
	CHECK_INT(flock(raw, LOCK_EX | LOCK_NB), -1);
	close(raw);
	close(fd);
	other = state_lock(file, &why);
	CHECK_INT(other >= 0, true);
	close(other);
	CHECK_INT(unlink(lock), 0);
	free(lock);
	free(file);
}

static void the_place_is_that_of_the_user(void)
{
	struct why why;
	char *path;

	if (geteuid()) {
		setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
		path = state_path("", &why);
		CHECK_STR(path, "/run/user/7/llcctl/apply.yaml");
		free(path);
		unsetenv("XDG_RUNTIME_DIR");
		CHECK_INT(state_path("", &why) == NULL, true);
	} else {
		path = state_path("", &why);
		CHECK_STR(path, "/run/llcctl/apply.yaml");
		free(path);
		path = state_path("/dump", &why);
		CHECK_STR(path, "/dump/run/llcctl/apply.yaml");
		free(path);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(a_state_is_read_back),
		TEST(a_failed_save_leaves_the_old_one),
		TEST(what_is_no_state_is_refused),
		TEST(a_lock_is_had_by_one),
		TEST(the_place_is_that_of_the_user),
	};
	char dir[] = "/tmp/llcctl-unit.XXXXXX";
	int ret;

	tmp = mkdtemp(dir);
	if (!tmp) {
		perror("mkdtemp");
		return 1;
	}
	ret = UNIT_RUN(tests);
	rmdir(tmp);
	return ret;
}
