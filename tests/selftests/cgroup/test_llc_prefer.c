// SPDX-License-Identifier: GPL-2.0
/*
 * Is cpu.llc_prefer the file that Documentation/admin-guide/cgroup-v2.rst
 * promises? Values, errors, inheritance and states; where tasks run is the
 * question of test_llc_prefer_placement.c.
 *
 * llc_prefer_run() in llc_prefer_util.h says how to call it.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "cgroup_util.h"
#include "llc_prefer_util.h"

#define LLC_ENABLED	"/sys/kernel/debug/sched/llc_balancing/enabled"

/* Time for the kernel to notice a change outside the cgroup files. */
#define NOTICE_MS	2000

static int test_llc_prefer_root_has_no_file(const char *root)
{
	static const char *const files[] = { LLC_PREFER, LLC_EFFECTIVE };
	int i, ret = KSFT_PASS;
	char *path;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		path = cg_control(root, files[i]);
		if (!path || !access(path, F_OK)) {
			ksft_print_msg("%s exists, wanted none\n", path);
			ret = KSFT_FAIL;
		}
		free(path);
	}
	return ret;
}

static int test_llc_prefer_states_nothing_by_default(const char *root)
{
	int ret = KSFT_FAIL;
	char *cgroup;

	cgroup = cgroup_make(root, "llc_default", false);
	if (!cgroup)
		return KSFT_FAIL;

	if (prefers(cgroup, "default"))
		goto cleanup;
	if (effective_is(cgroup, "process", "", NULL))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(cgroup);
	return ret;
}

/* What is written, and what is read then. */
struct value {
	const char *written;
	const char *read;
};

static int values_read_back(const char *cgroup, const struct value *values, int nr)
{
	int i, ret = KSFT_PASS;

	for (i = 0; i < nr; i++) {
		if (prefer(cgroup, values[i].written) ||
		    prefers(cgroup, values[i].read)) {
			ksft_print_msg("after writing %s\n",
				       quoted(values[i].written));
			ret = KSFT_FAIL;
		}
	}
	return ret;
}

static int test_llc_prefer_words_read_back(const char *root)
{
	static const struct value values[] = {
		{ "group", "group" },
		{ "process", "process" },
		{ "off", "off" },
		{ "default", "default" },
		{ "group\n", "group" },
		{ "  process", "process" },
		{ "off \t\n", "off" },
		{ "\t \tdefault \t\n", "default" },
		{ "group \t\n", "group" },
		{ "\ngroup\n\n", "group" },
	};
	char *cgroup;
	int ret;

	cgroup = cgroup_make(root, "llc_words", false);
	if (!cgroup)
		return KSFT_FAIL;
	ret = values_read_back(cgroup, values, ARRAY_SIZE(values));
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_lists_read_back_normalised(const char *root)
{
	static const struct value values[] = {
		{ "0", "0" },
		{ "0-0", "0" },
		{ "0,2", "0,2" },
		{ "2,0", "0,2" },
		{ "0-1,2,3", "0-3" },
		{ "0-2,1-3", "0-3" },
		{ "1,1,1", "1" },
		{ " 1-3\n", "1-3" },
		{ "group 0", "group 0" },
		{ "group 0-1,2,3", "group 0-3" },
		{ "group   0,2", "group 0,2" },
		{ "group\t1", "group 1" },
		{ "group \t 1-3 \t\n", "group 1-3" },
	};
	char *cgroup;
	int ret;

	if (last_cpu < 3)
		return skip("needs 4 CPUs, has %d", last_cpu + 1);
	cgroup = cgroup_make(root, "llc_lists", false);
	if (!cgroup)
		return KSFT_FAIL;
	ret = values_read_back(cgroup, values, ARRAY_SIZE(values));
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_takes_every_possible_cpu(const char *root)
{
	char last[32], all[32], group_all[64], ends[32];
	const struct value values[] = {
		{ last, last },
		{ all, all },
		{ group_all, group_all },
		{ ends, ends },
	};
	char *cgroup;
	int ret;

	if (!last_cpu)
		return skip("has one CPU only");
	cgroup = cgroup_make(root, "llc_possible", false);
	if (!cgroup)
		return KSFT_FAIL;
	snprintf(last, sizeof(last), "%d", last_cpu);
	snprintf(all, sizeof(all), "0-%d", last_cpu);
	snprintf(group_all, sizeof(group_all), "group 0-%d", last_cpu);
	snprintf(ends, sizeof(ends), last_cpu == 1 ? "0-%d" : "0,%d", last_cpu);
	ret = values_read_back(cgroup, values, ARRAY_SIZE(values));
	cgroup_drop(cgroup);
	return ret;
}

/* Whatever cpuset.cpus takes for a list is one here, and means the same. */
static int test_llc_prefer_lists_are_those_of_cpuset(const char *root)
{
	static const char *const lists[] = {
		"0", "0-1", "1,0", "0-3:1/2", "0-3:2/4", "all", "All", "N", "0-N",
		"all:1/2", "0 1", "0,,1", ",0", "0,", "0-", "-0", "1-0", "0--1",
		"0-1-2", "0-3:3/2", "0-3:1/0", "0:1/1", "0-3:", "0-3/2", "0x1",
		"0b", "+0", "n", "al", "alll", "0;1", "0.1", "00", "0001",
	};
	char seen[LIST_SIZE], want[LIST_SIZE], group[64];
	int ret = KSFT_FAIL, failed = 0;
	char *cgroup, *path;
	int i, err, cpuset_err;

	if (last_cpu < 3)
		return skip("needs 4 CPUs, has %d", last_cpu + 1);
	if (cg_read_strstr(root, "cgroup.subtree_control", "cpuset") &&
	    cg_write(root, "cgroup.subtree_control", "+cpuset"))
		return skip("no cpuset controller");
	cgroup = cgroup_make(root, "llc_cpuset", false);
	if (!cgroup)
		return KSFT_FAIL;
	path = cg_control(cgroup, "cpuset.cpus");
	if (!path)
		goto cleanup;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		cpuset_err = file_write(path, lists[i]);
		err = prefer_bytes(cgroup, lists[i], strlen(lists[i]));
		if (!err != !cpuset_err) {
			ksft_print_msg("\"%s\": %s, cpuset.cpus: %s\n", lists[i],
				       err ? strerror(-err) : "taken",
				       cpuset_err ? strerror(-cpuset_err) : "taken");
			failed++;
			continue;
		}
		if (err)
			continue;
		if (cg_read(cgroup, LLC_PREFER, seen, sizeof(seen)) ||
		    read_text(path, want, sizeof(want)) < 0 || strcmp(seen, want)) {
			ksft_print_msg("\"%s\" reads %s", lists[i], seen);
			ksft_print_msg("  in cpuset.cpus %s", want);
			failed++;
		}
		snprintf(group, sizeof(group), "group %s", lists[i]);
		if (prefer(cgroup, group))
			failed++;
	}
	if (!failed)
		ret = KSFT_PASS;

cleanup:
	free(path);
	cgroup_drop(cgroup);
	return ret;
}

/*
 * Each of these is refused with one of its errors, and what was written before
 * stays.
 */
struct refused {
	const char *written;
	int err, or_err;
};

static int values_refused(const char *cgroup, const struct refused *values, int nr)
{
	static const char *const before[] = { "default", "group 0", "0", "off" };
	int i, j, err, failed = 0;

	for (j = 0; j < ARRAY_SIZE(before); j++) {
		if (prefer(cgroup, before[j]))
			return KSFT_FAIL;
		for (i = 0; i < nr; i++) {
			err = -prefer_bytes(cgroup, values[i].written,
					    strlen(values[i].written));
			if (!err || (err != values[i].err &&
				     err != values[i].or_err)) {
				ksft_print_msg("\"%s\": %s, wanted: %s\n",
					       values[i].written,
					       err ? strerror(err) : "taken",
					       strerror(values[i].err));
				failed++;
			}
			if (prefers(cgroup, before[j])) {
				ksft_print_msg("after \"%s\" was refused\n",
					       values[i].written);
				failed++;
			}
			if (failed > 20) {
				ksft_print_msg("and so on\n");
				return KSFT_FAIL;
			}
			if (!err && prefer(cgroup, before[j]))
				return KSFT_FAIL;
		}
	}
	return failed ? KSFT_FAIL : KSFT_PASS;
}

static int test_llc_prefer_refuses_what_is_no_value(const char *root)
{
	static const struct refused values[] = {
		/* nothing */
		{ " ", EINVAL }, { "\n", EINVAL }, { " \t\n", EINVAL },
		{ ",", EINVAL }, { ",,", EINVAL }, { " ,\t\n", EINVAL },
		{ "group ,", EINVAL },
		/* no word of ours */
		{ "auto", EINVAL }, { "none", EINVAL }, { "max", EINVAL },
		{ "inherit", EINVAL }, { "list", EINVAL }, { "x", EINVAL },
		{ "llc:0", EINVAL }, { "grou", EINVAL }, { "groups", EINVAL },
		{ "groupx", EINVAL }, { "group0", EINVAL }, { "group,0", EINVAL },
		{ "defaul", EINVAL }, { "defaults", EINVAL }, { "offf", EINVAL },
		{ "of", EINVAL }, { "processes", EINVAL },
		/* words are written small */
		{ "GROUP", EINVAL }, { "Group", EINVAL }, { "Off", EINVAL },
		{ "Default", EINVAL }, { "PROCESS", EINVAL }, { "Group 0", EINVAL },
		/* something after a word */
		{ "off 0", EINVAL }, { "default 0", EINVAL }, { "process 0", EINVAL },
		{ "off,", EINVAL }, { "off off", EINVAL }, { "group group", EINVAL },
		{ "group off", EINVAL }, { "group x", EINVAL },
		{ "group 0 x", EINVAL }, { "0 group", EINVAL }, { "0 off", EINVAL },
		/* malformed lists */
		{ "-", EINVAL }, { "-1", EINVAL }, { "0-", EINVAL }, { "1-0", EINVAL },
		{ "0,1-0", EINVAL }, { "0-1-2", EINVAL }, { "0x0", EINVAL },
		{ "0.5", EINVAL }, { "0;1", EINVAL }, { "0,x", EINVAL },
		{ "0-x", EINVAL }, { "+0", EINVAL }, { "!0", EINVAL },
		{ "\"0\"", EINVAL }, { "group -1", EINVAL }, { "group 1-0", EINVAL },
		{ "group 0-", EINVAL }, { "group 0,x", EINVAL },
		/* a line break inside: one value a file */
		{ "0\n1", EINVAL }, { "0\n1\n", EINVAL }, { "0,\n1", EINVAL },
		{ "0\nx", EINVAL }, { "group\n0", EINVAL }, { "group 0\n1", EINVAL },
		{ "group\ngroup", EINVAL }, { "off\noff", EINVAL },
		{ "default\n0", EINVAL }, { "\n0\n1", EINVAL },
	};
	char *cgroup;
	int ret;

	cgroup = cgroup_make(root, "llc_refused", false);
	if (!cgroup)
		return KSFT_FAIL;
	ret = values_refused(cgroup, values, ARRAY_SIZE(values));
	cgroup_drop(cgroup);
	return ret;
}

/* A NUL ends no value: what stands behind it would be lost. */
static int test_llc_prefer_refuses_a_nul(const char *root)
{
	static const char values[][8] = { "0\0001", "off\0x", "group\0", "\0off" };
	int i, err, ret = KSFT_FAIL;
	char *cgroup;

	cgroup = cgroup_make(root, "llc_nul", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (prefer(cgroup, "process"))
		goto cleanup;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		err = prefer_bytes(cgroup, values[i], 6);
		if (err != -EINVAL) {
			ksft_print_msg("value %d with a NUL: %s, wanted: %s\n", i,
				       err ? strerror(-err) : "taken",
				       strerror(EINVAL));
			goto cleanup;
		}
		if (prefers(cgroup, "process"))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_refuses_impossible_cpus(const char *root)
{
	char next[32], range[32], group[64], pair[32];
	const struct refused values[] = {
		{ next, EINVAL, ERANGE },
		{ range, EINVAL, ERANGE },
		{ pair, EINVAL, ERANGE },
		{ group, EINVAL, ERANGE },
		{ "65536", EINVAL, ERANGE },
		{ "2147483648", EINVAL, ERANGE },
		{ "4294967296", EINVAL, ERANGE },
		{ "18446744073709551616", EINVAL, ERANGE },
		{ "group 0-4294967295", EINVAL, ERANGE },
	};
	char *cgroup;
	int ret;

	cgroup = cgroup_make(root, "llc_impossible", false);
	if (!cgroup)
		return KSFT_FAIL;
	snprintf(next, sizeof(next), "%d", last_cpu + 1);
	snprintf(range, sizeof(range), "0-%d", last_cpu + 1);
	snprintf(pair, sizeof(pair), "0,%d", last_cpu + 1);
	snprintf(group, sizeof(group), "group 0-%d", last_cpu + 1);
	ret = values_refused(cgroup, values, ARRAY_SIZE(values));
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_takes_a_page_and_no_more(const char *root)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int ret = KSFT_FAIL;
	char *cgroup, *text;
	int err;

	cgroup = cgroup_make(root, "llc_page", false);
	if (!cgroup)
		return KSFT_FAIL;
	text = malloc(page + 1);
	if (!text)
		goto cleanup;

	/* "0" at the end of a page of blanks is a value. */
	memset(text, ' ', page);
	text[page - 1] = '0';
	err = prefer_bytes(cgroup, text, page);
	if (err) {
		ksft_print_msg("a page: %s, wanted: taken\n", strerror(-err));
		goto cleanup;
	}
	if (prefers(cgroup, "0"))
		goto cleanup;

	/* One byte more is not. */
	if (prefer(cgroup, "group 0"))
		goto cleanup;
	memset(text, ' ', page);
	memcpy(text, "off", 3);
	text[page] = '\n';
	err = prefer_bytes(cgroup, text, page + 1);
	if (err != -E2BIG) {
		ksft_print_msg("a page and a byte: %s, wanted: %s\n",
			       err ? strerror(-err) : "taken", strerror(E2BIG));
		goto cleanup;
	}
	if (prefers(cgroup, "group 0"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	free(text);
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_same_value_again_succeeds(const char *root)
{
	static const char *const values[] = {
		"group", "group 0", "0", "process", "off", "default"
	};
	int i, j, ret = KSFT_FAIL;
	char *cgroup;

	cgroup = cgroup_make(root, "llc_again", false);
	if (!cgroup)
		return KSFT_FAIL;
	for (i = 0; i < ARRAY_SIZE(values); i++)
		for (j = 0; j < 3; j++)
			if (prefer(cgroup, values[i]) || prefers(cgroup, values[i]))
				goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(cgroup);
	return ret;
}

/* Each write() is a value of its own, whatever the file offset. */
static int test_llc_prefer_every_write_counts(const char *root)
{
	static const char *const values[] = { "group 0", "off", "0", "default", "group" };
	int i, fd, ret = KSFT_FAIL;
	char *cgroup;

	cgroup = cgroup_make(root, "llc_writes", false);
	if (!cgroup)
		return KSFT_FAIL;
	fd = cg_open(cgroup, LLC_PREFER, O_RDWR);
	if (fd < 0) {
		ksft_perror("open " LLC_PREFER);
		goto cleanup;
	}
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (write(fd, values[i], strlen(values[i])) != strlen(values[i])) {
			ksft_perror(values[i]);
			goto cleanup;
		}
		if (prefers(cgroup, values[i]))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	if (fd >= 0)
		close(fd);
	cgroup_drop(cgroup);
	return ret;
}

static int write_over_and_over(const char *cgroup, const char *value)
{
	for (;;)
		if (prefer_bytes(cgroup, value, strlen(value)))
			return 1;
}

/* Two writers at once: a reader sees the one value or the other, whole. */
static int test_llc_prefer_reads_are_whole(const char *root)
{
	static const char *const values[] = { "group 0", "0-1" };
	pid_t pids[ARRAY_SIZE(values)] = {};
	int i, ret = KSFT_FAIL;
	char text[LIST_SIZE];
	char *cgroup;
	long end;

	if (!last_cpu)
		return skip("has one CPU only");
	cgroup = cgroup_make(root, "llc_writers", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (prefer(cgroup, values[0]))
		goto cleanup;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			goto cleanup;
		if (!pids[i])
			exit(write_over_and_over(cgroup, values[i]));
	}

	for (end = now_ms() + 500; now_ms() < end;) {
		if (cg_read(cgroup, LLC_PREFER, text, sizeof(text)) ||
		    (strcmp(text, "group 0\n") && strcmp(text, "0-1\n"))) {
			ksft_print_msg("read \"%s\", wanted \"group 0\" or \"0-1\"\n",
				       text);
			goto cleanup;
		}
	}
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (waitpid(pids[i], NULL, WNOHANG)) {
			ksft_print_msg("a writer of \"%s\" failed\n", values[i]);
			pids[i] = 0;
			goto cleanup;
		}
	}
	ret = KSFT_PASS;

cleanup:
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (pids[i] > 0) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
	}
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_effective_is_read_only(const char *root)
{
	int ret = KSFT_FAIL;
	struct stat st;
	char *cgroup, *path;

	cgroup = cgroup_make(root, "llc_read_only", false);
	if (!cgroup)
		return KSFT_FAIL;
	path = cg_control(cgroup, LLC_EFFECTIVE);
	if (!path)
		goto cleanup;
	if (stat(path, &st) || (st.st_mode & 07777) != 0444) {
		ksft_print_msg(LLC_EFFECTIVE ": mode %04o, wanted 0444\n",
			       st.st_mode & 07777);
		goto cleanup;
	}
	if (!file_write(path, "group")) {
		ksft_print_msg(LLC_EFFECTIVE ": write taken, wanted an error\n");
		goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	free(path);
	cgroup_drop(cgroup);
	return ret;
}

/* Any CPU of an LLC names the whole of it. */
static int test_llc_prefer_a_cpu_names_its_llc(const char *root)
{
	char value[LIST_SIZE];
	int ret = KSFT_FAIL;
	char *cgroup;
	int cpu, i;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	cgroup = cgroup_make(root, "llc_names", false);
	if (!cgroup)
		return KSFT_FAIL;

	for (cpu = 0; cpu <= last_cpu; cpu++) {
		if (llc_of(cpu) < 0)
			continue;
		snprintf(value, sizeof(value), "%d", cpu);
		if (prefer(cgroup, value) || prefers(cgroup, value) ||
		    effective_is(cgroup, "list", llcs[llc_of(cpu)].list, "active"))
			goto cleanup;
	}
	for (i = 0; i + 1 < nr_llcs; i++) {
		snprintf(value, sizeof(value), "%d,%d", llcs[i].first,
			 llcs[i + 1].first);
		if (prefer(cgroup, value) ||
		    effective_is(cgroup, "list", llc_set_list(3ULL << i), "active"))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(cgroup);
	return ret;
}

/*
 * Inheritance
 */

#define LEVELS		4

/*
 * What a cgroup says, and what follows for those below it. Lists are sets of
 * LLCs here, a bit each, 0: no list.
 */
enum word { DEFAULT, GROUP, GROUP_LIST, LIST, PROCESS, OFF, NR_WORDS };

struct decided {
	enum word word;		/* the nearest that is not DEFAULT */
	__u64 set;		/* of LIST */
	__u64 confined;	/* by GROUP_LIST and LIST, 0: by nothing */
};

/* The lists of a level: two that meet those of other levels, and do not. */
static __u64 level_list(int level, enum word word)
{
	int i = word == LIST ? level : 2 * level + 1;

	return 1ULL << (i % nr_llcs) | 1ULL << ((i + 1) % nr_llcs);
}

static void level_value(int level, enum word word, char *value, size_t size)
{
	const char *list = llc_set_list(level_list(level, word));

	switch (word) {
	case GROUP:
		snprintf(value, size, "group");
		break;
	case GROUP_LIST:
		snprintf(value, size, "group %s", list);
		break;
	case LIST:
		snprintf(value, size, "%s", list);
		break;
	case PROCESS:
		snprintf(value, size, "process");
		break;
	case OFF:
		snprintf(value, size, "off");
		break;
	default:
		snprintf(value, size, "default");
	}
}

/* The rule of the hierarchy, one level down. */
static struct decided decide(struct decided above, int level, enum word word)
{
	struct decided here = above;
	__u64 set;

	if (word == DEFAULT)
		return above;
	here.word = word;
	if (word != LIST && word != GROUP_LIST)
		return here;

	set = level_list(level, word);
	if (above.confined)
		set = set & above.confined ? set & above.confined : above.confined;
	here.set = set;
	here.confined = set;
	return here;
}

static int decided_is(const char *cgroup, const struct decided *wanted)
{
	switch (wanted->word) {
	case OFF:
		return effective_is(cgroup, "off", "", NULL);
	case GROUP:
	case GROUP_LIST:
		/* No tasks: there is nothing to choose for. */
		return effective_is(cgroup, "group", "", "idle");
	case LIST:
		return effective_is(cgroup, "list", llc_set_list(wanted->set),
				    "active");
	default:
		return effective_is(cgroup, "process", "", NULL);
	}
}

/*
 * Four cgroups one below the other, each with each value in turn: all 1296
 * combinations, and the rule holds on every level of each.
 */
static int test_llc_prefer_nearest_decides(const char *root)
{
	char *cgroups[LEVELS] = {};
	enum word words[LEVELS] = {};
	struct decided decided[LEVELS + 1] = {};
	int level, turn, seen = 0, ret = KSFT_FAIL;
	char value[LIST_SIZE + 16];

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");

	for (level = 0; level < LEVELS; level++) {
		cgroups[level] = cgroup_make(level ? cgroups[level - 1] : root,
					     "llc_level", level < LEVELS - 1);
		if (!cgroups[level])
			goto cleanup;
	}

	decided[0].word = PROCESS;
	for (turn = 0;; turn++) {
		for (level = 0; level < LEVELS; level++) {
			decided[level + 1] = decide(decided[level], level,
						    words[level]);
			if (decided_is(cgroups[level], &decided[level + 1]))
				goto fail;
		}
		seen++;

		/* The next combination: count up, the lowest level first. */
		for (level = LEVELS - 1; level >= 0; level--) {
			words[level] = (words[level] + 1) % NR_WORDS;
			level_value(level, words[level], value, sizeof(value));
			if (prefer(cgroups[level], value))
				goto fail;
			if (words[level])
				break;
		}
		if (level < 0)
			break;
	}
	ksft_print_msg("%d combinations seen, wanted 1296\n", seen);
	if (seen == 1296)
		ret = KSFT_PASS;
	goto cleanup;

fail:
	ksft_print_msg("with, from the top down:\n");
	for (level = 0; level < LEVELS; level++) {
		level_value(level, words[level], value, sizeof(value));
		ksft_print_msg("  \"%s\"\n", value);
	}

cleanup:
	for (level = LEVELS - 1; level >= 0; level--)
		cgroup_drop(cgroups[level]);
	return ret;
}

/* What follows in a cgroup that says @child below one that says @parent. */
static int check_below(const char *root, const char *parent, const char *child,
		       const char *mode, const char *list, const char *state)
{
	char *top, *sub = NULL;
	int ret = KSFT_FAIL;

	top = cgroup_make(root, "llc_parent", true);
	if (!top)
		return KSFT_FAIL;
	sub = cgroup_make(top, "llc_child", false);
	if (!sub)
		goto cleanup;
	if (prefer(top, parent) || prefer(sub, child))
		goto cleanup;
	if (prefers(sub, child))
		goto cleanup;
	if (effective_is(sub, mode, list, state)) {
		ksft_print_msg("\"%s\" below \"%s\"\n", child, parent);
		goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(sub);
	cgroup_drop(top);
	return ret;
}

static int test_llc_prefer_list_meets_ancestors_list(const char *root)
{
	char parent[LIST_SIZE], child[LIST_SIZE];

	if (nr_llcs < 3)
		return skip("needs three LLCs, has %d", nr_llcs);
	snprintf(parent, sizeof(parent), "%s", llc_set_list(3));
	snprintf(child, sizeof(child), "%s", llc_set_list(6));
	return check_below(root, parent, child, "list", llcs[1].list, "active");
}

/* One CPU of an LLC is enough to meet in it. */
static int test_llc_prefer_lists_meet_by_llc(const char *root)
{
	char parent[LIST_SIZE], child[LIST_SIZE];
	int last, cpu;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	for (cpu = 0, last = 0; cpu <= last_cpu; cpu++)
		if (llc_of(cpu) == 1)
			last = cpu;
	if (last == llcs[1].first)
		return skip("an LLC has one CPU");
	snprintf(parent, sizeof(parent), "%d", llcs[1].first);
	snprintf(child, sizeof(child), "%d", last);
	return check_below(root, parent, child, "list", llcs[1].list, "active");
}

static int test_llc_prefer_disjoint_list_yields(const char *root)
{
	char parent[LIST_SIZE + 16];
	int ret;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	snprintf(parent, sizeof(parent), "%s", llcs[0].list);
	ret = check_below(root, parent, llcs[1].list, "list", llcs[0].list, "active");
	if (ret == KSFT_PASS) {
		snprintf(parent, sizeof(parent), "group %s", llcs[0].list);
		ret = check_below(root, parent, llcs[1].list, "list", llcs[0].list,
				  "active");
	}
	return ret;
}

static int test_llc_prefer_child_opts_out(const char *root)
{
	static const char *const words[] = { "off", "process" };
	char parents[2][LIST_SIZE] = { "group" };
	int i, j, ret = KSFT_PASS;

	snprintf(parents[1], sizeof(parents[1]), "%s", llcs[nr_llcs - 1].list);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		for (j = 0; j < ARRAY_SIZE(parents); j++)
			if (check_below(root, parents[j], words[i], words[i], "", NULL))
				ret = KSFT_FAIL;
	return ret;
}

static int test_llc_prefer_later_child_inherits(const char *root)
{
	char *top, *sub = NULL, *leaf = NULL;
	int ret = KSFT_FAIL;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	top = cgroup_make(root, "llc_early", true);
	if (!top)
		return KSFT_FAIL;
	if (prefer(top, llcs[1].list))
		goto cleanup;
	sub = cgroup_make(top, "llc_late", true);
	if (!sub)
		goto cleanup;
	leaf = cgroup_make(sub, "llc_later", false);
	if (!leaf)
		goto cleanup;
	if (prefers(sub, "default") || prefers(leaf, "default"))
		goto cleanup;
	if (effective_is(leaf, "list", llcs[1].list, "active"))
		goto cleanup;

	/* And it follows every change above. */
	if (prefer(top, llcs[0].list) ||
	    effective_is(leaf, "list", llcs[0].list, "active"))
		goto cleanup;
	if (prefer(sub, "off") || effective_is(leaf, "off", "", NULL))
		goto cleanup;
	if (prefer(sub, "default") || prefer(top, "default") ||
	    effective_is(leaf, "process", "", NULL))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(leaf);
	cgroup_drop(sub);
	cgroup_drop(top);
	return ret;
}

static int test_llc_prefer_siblings_are_independent(const char *root)
{
	char *a, *b = NULL;
	int ret = KSFT_FAIL;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	a = cgroup_make(root, "llc_a", false);
	if (!a)
		return KSFT_FAIL;
	b = cgroup_make(root, "llc_b", false);
	if (!b)
		goto cleanup;

	if (prefer(a, llcs[0].list) || prefer(b, llcs[1].list))
		goto cleanup;
	if (effective_is(a, "list", llcs[0].list, "active") ||
	    effective_is(b, "list", llcs[1].list, "active"))
		goto cleanup;
	if (prefer(a, "group") || prefers(b, llcs[1].list))
		goto cleanup;
	if (prefer(a, "off") || prefers(b, llcs[1].list) ||
	    effective_is(b, "list", llcs[1].list, "active"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(b);
	cgroup_drop(a);
	return ret;
}

/*
 * The life of a cgroup
 */

static int test_llc_prefer_rmdir_with_a_value(const char *root)
{
	char values[][LIST_SIZE] = { "group", "group 0", "0", "process", "off" };
	int i, ret = KSFT_FAIL;
	char *cgroup;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		cgroup = cgroup_make(root, "llc_short", false);
		if (!cgroup)
			return KSFT_FAIL;
		if (prefer(cgroup, values[i]))
			goto cleanup;
		if (rmdir(cgroup)) {
			ksft_perror("rmdir");
			goto cleanup;
		}
		free(cgroup);

		/* The next of the name knows nothing of it. */
		cgroup = cgroup_make(root, "llc_short", false);
		if (!cgroup)
			return KSFT_FAIL;
		if (prefers(cgroup, "default") ||
		    effective_is(cgroup, "process", "", NULL))
			goto cleanup;
		cgroup_drop(cgroup);
	}
	return KSFT_PASS;

cleanup:
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_goes_with_the_controller(const char *root)
{
	char *top, *sub = NULL, *path = NULL;
	int ret = KSFT_FAIL;

	top = cgroup_make(root, "llc_controller", true);
	if (!top)
		return KSFT_FAIL;
	sub = cgroup_make(top, "llc_value", false);
	if (!sub)
		goto cleanup;
	path = cg_control(sub, LLC_PREFER);
	if (!path || prefer(sub, "group 0"))
		goto cleanup;

	if (cg_write(top, "cgroup.subtree_control", "-cpu"))
		goto cleanup;
	if (!access(path, F_OK)) {
		ksft_print_msg("%s exists without the controller\n", path);
		goto cleanup;
	}
	if (cg_write(top, "cgroup.subtree_control", "+cpu"))
		goto cleanup;
	if (prefers(sub, "default") || effective_is(sub, "process", "", NULL))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	free(path);
	cgroup_drop(sub);
	cgroup_drop(top);
	return ret;
}

static int test_llc_prefer_threaded(const char *root)
{
	char *top, *a = NULL, *b = NULL;
	int ret = KSFT_FAIL;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	top = cgroup_make(root, "llc_threaded", false);
	if (!top)
		return KSFT_FAIL;
	a = cgroup_make(top, "llc_a", false);
	if (!a)
		goto cleanup;
	b = cgroup_make(top, "llc_b", false);
	if (!b)
		goto cleanup;
	if (cg_write(a, "cgroup.type", "threaded") ||
	    cg_write(b, "cgroup.type", "threaded") ||
	    cg_write(top, "cgroup.subtree_control", "+cpu")) {
		ksft_print_msg("cannot make threaded cgroups\n");
		goto cleanup;
	}

	if (prefer(top, "off") || prefer(a, llcs[1].list))
		goto cleanup;
	if (effective_is(a, "list", llcs[1].list, "active") ||
	    effective_is(b, "off", "", NULL))
		goto cleanup;
	if (prefer(b, "group") || prefers(b, "group") ||
	    effective_is(b, "group", "", "idle"))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(b);
	cgroup_drop(a);
	cgroup_drop(top);
	return ret;
}

/*
 * States
 */

static int test_llc_prefer_state_single_llc(const char *root)
{
	static const char *const values[] = { "group", "0", "group 0" };
	int i, ret = KSFT_FAIL;
	char *cgroup;

	if (nr_llcs > 1)
		return skip("needs a machine with one LLC, has %d", nr_llcs);
	cgroup = cgroup_make(root, "llc_single", false);
	if (!cgroup)
		return KSFT_FAIL;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		if (prefer(cgroup, values[i]) || prefers(cgroup, values[i]) ||
		    effective_is(cgroup, strcmp(values[i], "0") ? "group" : "list",
				 NULL, "single-llc"))
			goto cleanup;
	}
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_state_disabled(const char *root)
{
	int ret = KSFT_FAIL, err;
	char *cgroup;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	if (access(LLC_ENABLED, W_OK))
		return skip("no " LLC_ENABLED);
	cgroup = cgroup_make(root, "llc_disabled", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (prefer(cgroup, llcs[1].list) ||
	    effective_is(cgroup, "list", llcs[1].list, "active"))
		goto cleanup;

	err = file_write(LLC_ENABLED, "0");
	if (err) {
		ksft_print_msg(LLC_ENABLED ": %s\n", strerror(-err));
		goto cleanup;
	}
	if (effective_becomes(cgroup, "list", NULL, "disabled", NOTICE_MS))
		goto cleanup;

	/* Writing works as ever. */
	if (prefer(cgroup, "group") || prefers(cgroup, "group") ||
	    effective_is(cgroup, "group", NULL, "disabled"))
		goto cleanup;
	if (prefer(cgroup, llcs[0].list))
		goto cleanup;

	if (file_write(LLC_ENABLED, "1"))
		goto cleanup;
	if (effective_becomes(cgroup, "list", llcs[0].list, "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	file_write(LLC_ENABLED, "1");
	cgroup_drop(cgroup);
	return ret;
}

/* The LLC goes, and comes back: what was written stays and means the same. */
static int test_llc_prefer_state_offline(const char *root)
{
	const struct llc *gone = &llcs[nr_llcs - 1];
	char value[LIST_SIZE + 16];
	int ret = KSFT_FAIL, err;
	char *cgroup;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	cgroup = cgroup_make(root, "llc_offline", false);
	if (!cgroup)
		return KSFT_FAIL;
	if (prefer(cgroup, gone->list) ||
	    effective_is(cgroup, "list", gone->list, "active"))
		goto cleanup;

	err = cpus_online(&gone->cpus, false);
	if (err) {
		ret = skip("CPUs %s do not go offline: %s", gone->list,
			   strerror(-err));
		goto cleanup;
	}
	if (prefers(cgroup, gone->list) ||
	    effective_becomes(cgroup, "list", "", "offline", NOTICE_MS))
		goto cleanup;

	/* Writing never fails because of what happens to be online. */
	if (prefer(cgroup, "default"))
		goto cleanup;
	snprintf(value, sizeof(value), "group %s", gone->list);
	if (prefer(cgroup, value) || prefers(cgroup, value) ||
	    effective_is(cgroup, "group", "", "offline"))
		goto cleanup;
	if (prefer(cgroup, gone->list) || prefers(cgroup, gone->list) ||
	    effective_is(cgroup, "list", "", "offline"))
		goto cleanup;

	/* With an LLC that is there, that one is preferred. */
	snprintf(value, sizeof(value), "%d,%d", llcs[0].first, gone->first);
	if (prefer(cgroup, value) ||
	    effective_is(cgroup, "list", llcs[0].list, "active"))
		goto cleanup;

	if (prefer(cgroup, gone->list) || cpus_online(&gone->cpus, true))
		goto cleanup;
	if (prefers(cgroup, gone->list) ||
	    effective_becomes(cgroup, "list", gone->list, "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cpus_online(&gone->cpus, true);
	cgroup_drop(cgroup);
	return ret;
}

/* One CPU of an LLC goes: the LLC is still there. */
static int test_llc_prefer_survives_one_cpu_offline(const char *root)
{
	const struct llc *llc = &llcs[nr_llcs - 1];
	cpu_set_t gone, left = llc->cpus;
	char value[32];
	int ret = KSFT_FAIL, err;
	char *cgroup;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	if (CPU_COUNT(&llc->cpus) < 2)
		return skip("an LLC has one CPU");
	cgroup = cgroup_make(root, "llc_cpu_gone", false);
	if (!cgroup)
		return KSFT_FAIL;

	/* The very CPU that names the LLC. */
	CPU_ZERO(&gone);
	CPU_SET(llc->first, &gone);
	CPU_CLR(llc->first, &left);
	snprintf(value, sizeof(value), "%d", llc->first);
	if (prefer(cgroup, value))
		goto cleanup;
	err = cpus_online(&gone, false);
	if (err) {
		ret = skip("CPU %s does not go offline: %s", value, strerror(-err));
		goto cleanup;
	}
	if (prefers(cgroup, value) ||
	    effective_becomes(cgroup, "list", cpulist(&left), "active", NOTICE_MS))
		goto cleanup;
	if (cpus_online(&gone, true) ||
	    effective_becomes(cgroup, "list", llc->list, "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cpus_online(&llc->cpus, true);
	cgroup_drop(cgroup);
	return ret;
}

static int test_llc_prefer_state_cpuset(const char *root)
{
	char value[LIST_SIZE];
	int ret = KSFT_FAIL;
	char *top, *sub = NULL;

	if (nr_llcs < 2)
		return skip("needs two LLCs, has one");
	if (cg_read_strstr(root, "cgroup.subtree_control", "cpuset") &&
	    cg_write(root, "cgroup.subtree_control", "+cpuset"))
		return skip("no cpuset controller");
	top = cgroup_make(root, "llc_cpuset", true);
	if (!top)
		return KSFT_FAIL;
	sub = cgroup_make(top, "llc_sub", false);
	if (!sub)
		goto cleanup;
	if (prefer(top, llcs[1].list) ||
	    effective_is(top, "list", llcs[1].list, "active"))
		goto cleanup;

	/* The wanted LLC lies outside; below, where no cpuset is, as well. */
	if (cg_write(top, "cpuset.cpus", llcs[0].list)) {
		ksft_print_msg("cannot set cpuset.cpus\n");
		goto cleanup;
	}
	if (effective_becomes(top, "list", NULL, "cpuset", NOTICE_MS) ||
	    effective_is(sub, "list", NULL, "cpuset"))
		goto cleanup;

	/* Writing never fails because of what is allowed. */
	if (prefer(sub, llcs[1].list) || prefers(sub, llcs[1].list))
		goto cleanup;

	/* A cpuset that holds a part of it is enough. */
	snprintf(value, sizeof(value), "%d,%d", llcs[0].first, llcs[1].first);
	if (cg_write(top, "cpuset.cpus", value) ||
	    effective_becomes(top, "list", NULL, "active", NOTICE_MS))
		goto cleanup;
	if (cg_write(top, "cpuset.cpus", "\n") ||
	    effective_becomes(top, "list", llcs[1].list, "active", NOTICE_MS))
		goto cleanup;
	ret = KSFT_PASS;

cleanup:
	cgroup_drop(sub);
	cgroup_drop(top);
	return ret;
}

/*
 * The controller moves to a v1 hierarchy only while no v2 cgroup uses it: the
 * other tests have removed theirs by now. A css goes some time after its cgroup.
 */
static int test_llc_prefer_not_on_v1(const char *root)
{
	char dir[] = "/tmp/llc_prefer_v1.XXXXXX";
	char *cgroup = NULL, *path = NULL;
	int ret = KSFT_FAIL, i, err = 0;

	if (!mkdtemp(dir)) {
		ksft_perror("mkdtemp");
		return KSFT_FAIL;
	}
	if (cg_write(root, "cgroup.subtree_control", "-cpu")) {
		ret = skip("the cpu controller is in use on the v2 hierarchy");
		goto cleanup_dir;
	}
	for (i = 0; i < 100; i++) {
		err = mount("none", dir, "cgroup", 0, "cpu") ? errno : 0;
		if (err != EBUSY)
			break;
		sleep_ms(50);
	}
	if (err) {
		ret = skip("cannot mount a v1 cpu hierarchy: %s", strerror(err));
		goto cleanup_control;
	}

	cgroup = cg_name(dir, "llc_v1");
	if (!cgroup || cg_create(cgroup)) {
		ksft_perror("mkdir on v1");
		goto cleanup_mount;
	}
	path = cg_control(cgroup, "cpu.shares");
	if (!path || access(path, F_OK)) {
		ksft_print_msg("no cpu.shares: this is no v1 hierarchy\n");
		goto cleanup_mount;
	}
	free(path);
	path = cg_control(cgroup, LLC_PREFER);
	if (!path || !access(path, F_OK)) {
		ksft_print_msg("%s exists, wanted none\n", path);
		goto cleanup_mount;
	}
	free(path);
	path = cg_control(cgroup, LLC_EFFECTIVE);
	if (!path || !access(path, F_OK)) {
		ksft_print_msg("%s exists, wanted none\n", path);
		goto cleanup_mount;
	}
	ret = KSFT_PASS;

cleanup_mount:
	free(path);
	cgroup_drop(cgroup);
	umount(dir);
cleanup_control:
	/* The controller comes back once the v1 hierarchy is gone. */
	for (i = 0; i < 100; i++) {
		if (!cg_write(root, "cgroup.subtree_control", "+cpu"))
			break;
		sleep_ms(50);
	}
cleanup_dir:
	rmdir(dir);
	return ret;
}

#define T(x) { x, #x }
static const struct llc_prefer_test tests[] = {
	T(test_llc_prefer_root_has_no_file),
	T(test_llc_prefer_states_nothing_by_default),
	T(test_llc_prefer_words_read_back),
	T(test_llc_prefer_lists_read_back_normalised),
	T(test_llc_prefer_takes_every_possible_cpu),
	T(test_llc_prefer_lists_are_those_of_cpuset),
	T(test_llc_prefer_refuses_what_is_no_value),
	T(test_llc_prefer_refuses_a_nul),
	T(test_llc_prefer_refuses_impossible_cpus),
	T(test_llc_prefer_takes_a_page_and_no_more),
	T(test_llc_prefer_same_value_again_succeeds),
	T(test_llc_prefer_every_write_counts),
	T(test_llc_prefer_reads_are_whole),
	T(test_llc_prefer_effective_is_read_only),
	T(test_llc_prefer_a_cpu_names_its_llc),
	T(test_llc_prefer_nearest_decides),
	T(test_llc_prefer_list_meets_ancestors_list),
	T(test_llc_prefer_lists_meet_by_llc),
	T(test_llc_prefer_disjoint_list_yields),
	T(test_llc_prefer_child_opts_out),
	T(test_llc_prefer_later_child_inherits),
	T(test_llc_prefer_siblings_are_independent),
	T(test_llc_prefer_rmdir_with_a_value),
	T(test_llc_prefer_goes_with_the_controller),
	T(test_llc_prefer_threaded),
	T(test_llc_prefer_state_single_llc),
	T(test_llc_prefer_state_disabled),
	T(test_llc_prefer_state_offline),
	T(test_llc_prefer_survives_one_cpu_offline),
	T(test_llc_prefer_state_cpuset),
	T(test_llc_prefer_not_on_v1),
};

#undef T

int main(int argc, char **argv)
{
	llc_prefer_run(argc, argv, tests, ARRAY_SIZE(tests));
}
