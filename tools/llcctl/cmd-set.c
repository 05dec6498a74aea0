// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl set: how does a cgroup come to state a preference?
 *
 * The value is understood and the file tried first, so that a mistake is
 * explained and changes nothing. Then it is written once, normalised, read
 * back and compared, and what came of it is told.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "counters.h"
#include "diagnose.h"
#include "effective.h"
#include "explain.h"
#include "llcctl.h"
#include "llcname.h"
#include "prefer.h"
#include "setting.h"
#include "table.h"
#include "target.h"
#include "wait.h"

/* How long --wait waits if it is not told. */
#define WAIT_SECONDS	10

enum {
	OPT_DRY_RUN = OPT_COMMAND,
};

enum { COL_CGROUP, COL_PREFER, COL_WAS, COL_WRITTEN, COL_MODE, COL_CPUS,
	COL_LLCS, COL_STATE, COL_RESIDENCY, COL_WAITED };

static const struct column columns[] = {
	[COL_CGROUP]    = { "CGROUP", 1, 0, SCOLS_JSON_STRING,
			    "path of the cgroup" },
	[COL_PREFER]    = { "PREFER", 1, 0, SCOLS_JSON_STRING,
			    "the value, as the file has it" },
	[COL_WAS]       = { "WAS", 1, 0, SCOLS_JSON_STRING,
			    "what it stated before" },
	[COL_WRITTEN]   = { "WRITTEN", 1, 0, SCOLS_JSON_BOOLEAN,
			    "false with --dry-run" },
	[COL_MODE]      = { "MODE", 1, 0, SCOLS_JSON_STRING,
			    "what decides for its tasks now" },
	[COL_CPUS]      = { "CPUS", 1, 0, SCOLS_JSON_STRING,
			    "CPUs of the LLCs preferred now" },
	[COL_LLCS]      = { "LLCS", 1, 0, SCOLS_JSON_STRING,
			    "names of these LLCs" },
	[COL_STATE]     = { "STATE", 1, 0, SCOLS_JSON_STRING,
			    "active, or why there is no effect" },
	[COL_RESIDENCY] = { "RESIDENCY", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "with --wait: share of run time there, per cent" },
	[COL_WAITED]    = { "WAITED", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "with --wait: how long, in seconds" },
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl set [options] <cgroup> <value>\n\n"
	      "State which LLCs the tasks of a cgroup prefer.\n\n"
	      "Values:\n"
	      " default          nothing: the nearest ancestor that says more decides\n"
	      " group            keep the tasks together, on LLCs the kernel chooses\n"
	      " group <list>     the same, choosing among these LLCs only\n"
	      " <list>           prefer these LLCs: their CPUs (0-15,64) or names (llc:2,\n"
	      "                  cpu:17, node:1, size:max), joined by commas\n"
	      " process          keep the threads of each process together\n"
	      " off              no LLC preference of any kind\n\n"
	      "Options:\n"
	      "     --dry-run            check and show what would be written\n"
	      " -J, --json               use JSON output format\n"
	      TARGET_HELP
	      " -w, --wait[=<secs>]      wait until the tasks run there (default 10 s)\n"
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

/**
 * struct job - what is asked for, and what came of it
 * @text: the value as it was written on the command line
 * @dry_run, @json: as the options
 * @wait: seconds, 0 for none
 * @was: what the cgroup stated before
 * @eff: what is in force now
 * @w: what was seen while waiting
 */
struct job {
	char *text;
	bool dry_run, json;
	double wait;
	struct prefer want;
	struct topology topo;
	char *was;
	struct effective eff;
	struct waited w;
};

/* The words after the cgroup are one value, quoted or not. */
static char *join(char **words, int n)
{
	char *text = xstrdup(n ? words[0] : "");
	int i;

	for (i = 1; i < n; i++) {
		char *more = xasprintf("%s %s", text, words[i]);

		free(text);
		text = more;
	}
	return text;
}

static void print_json(const struct job *job, const char *path)
{
	struct table t = {
		.name = "set",
		.all = columns,
		.nr_all = ARRAY_SIZE(columns),
		.nr_cols = ARRAY_SIZE(columns),
		.json = true,
	};
	struct libscols_line *line;
	struct cpumask cpus = { 0 };
	const char *list, *value;
	size_t i;

	for (i = 0; i < t.nr_cols; i++)
		t.cols[i] = i;
	table_start(&t, true);
	line = table_line(&t, NULL);
	table_cell(&t, line, COL_CGROUP, xasprintf("/%s", path));
	table_cell(&t, line, COL_PREFER, prefer_format(&job->want));
	table_cell(&t, line, COL_WAS, job->was ? xstrdup(job->was) : NULL);
	table_cell(&t, line, COL_WRITTEN, xstrdup(job->dry_run ? "0" : "1"));
	value = effective_get(&job->eff, "mode");
	table_cell(&t, line, COL_MODE, value ? xstrdup(value) : NULL);
	value = effective_get(&job->eff, "state");
	table_cell(&t, line, COL_STATE, value ? xstrdup(value) : NULL);
	list = effective_get(&job->eff, "cpus");
	if (list && *list && !cpulist_parse(list, -1, &cpus, NULL)) {
		table_cell(&t, line, COL_CPUS, xstrdup(list));
		table_cell(&t, line, COL_LLCS, llc_names(&job->topo, &cpus));
	}
	if (job->wait > 0 && job->w.residency >= 0)
		table_cell(&t, line, COL_RESIDENCY,
			   xasprintf("%.1f", job->w.residency));
	if (job->wait > 0)
		table_cell(&t, line, COL_WAITED,
			   xasprintf("%.2f", job->w.ms / 1000.0));
	table_finish(&t);
}

/* "web.slice: list 16-31 (llc:1, 32 MiB, node 0), active" */
static void print_line(const struct job *job, const char *path)
{
	char *what = setting_describe(&job->want, &job->topo);
	char *force;

	if (job->dry_run) {
		printf("%s: would be %s, is '%s'\n", CGROUP_LABEL(path), what,
		       job->was);
	} else {
		force = setting_in_force(&job->want, &job->eff, &job->topo);
		printf("%s: %s%s%s\n", CGROUP_LABEL(path), what,
		       *force ? ", " : "", force);
		free(force);
	}
	free(what);
}

/* A value that was accepted may be without effect. */
static void tell_state(const struct job *job, const struct cgroup_root *root,
		       const char *path)
{
	const char *state = effective_get(&job->eff, "state");

	/* As it must be when the value has just been written. */
	if (state && !strcmp(state, "idle") && !job->json)
		printf("%s: the kernel chooses an LLC as soon as the group has run\n",
		       CGROUP_LABEL(path));
	fflush(stdout);
	report_state(root, path, &job->want, &job->eff, &job->topo);
}

static void read_effective(struct job *job, const struct cgroup_root *root,
			   const char *path)
{
	char *text;

	effective_free(&job->eff);
	if (cgroup_read(root, path, FILE_EFFECTIVE, &text))
		return;
	effective_parse(text, &job->eff);
	free(text);
}

/* All that can be known before anything is changed. */
static int check(const struct settings *set, struct job *job,
		 const struct cgroup_root *root, const char *path)
{
	struct counters c;
	struct why why;
	char *value;
	int ret;

	if (setting_parse(set->sysroot, job->text, &job->topo, &job->want,
			  &why)) {
		warnx("/%s: %s", path, why.text);
		return EXIT_FAILED;
	}
	value = prefer_format(&job->want);
	ret = setting_check(root, path, value);
	free(value);
	if (ret)
		return ret;
	if (job->wait > 0 && counters_read(root, path, &c) == -ENOENT) {
		warnx("/%s: cannot wait, nothing was written: "
		      NO_COUNTERS_TEXT, path);
		return EXIT_FAILED;
	}
	if (cgroup_read(root, path, FILE_PREFER, &job->was))
		job->was = NULL;
	return EXIT_DONE;
}

static int wait_for(struct job *job, const struct cgroup_root *root,
		    const char *path)
{
	int ret;

	fflush(stdout);
	ret = wait_residency(root, path, job->wait, &job->topo, &job->w);
	if (!ret && !job->json && job->w.residency >= 0)
		printf("%s: %.1f %% of its run time on the preferred LLCs after %.1f s\n",
		       CGROUP_LABEL(path), job->w.residency,
		       job->w.ms / 1000.0);
	else if (!ret && !job->json)
		printf("%s: nothing to wait for\n", CGROUP_LABEL(path));
	return ret;
}

static int set_value(const struct settings *set, struct job *job,
		     const struct cgroup_root *root, const char *path)
{
	int ret = check(set, job, root, path);

	if (ret)
		return ret;
	if (!job->dry_run)
		ret = setting_write(root, path, &job->want);
	if (ret)
		return ret;
	read_effective(job, root, path);
	if (!job->json)
		print_line(job, path);
	if (job->wait > 0 && !job->dry_run) {
		ret = wait_for(job, root, path);
		read_effective(job, root, path);
	} else if (!job->dry_run) {
		tell_state(job, root, path);
	}
	if (job->json)
		print_json(job, path);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "dry-run", no_argument,	NULL, OPT_DRY_RUN },
		{ "json",    no_argument,	NULL, 'J' },
		{ "wait",    optional_argument, NULL, 'w' },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct job job = { .topo.last_cpu = -1 };
	struct target t;
	int c, ret, names;

	while ((c = getopt_long(argc, argv,
				"Jw::" TARGET_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		switch (c) {
		case OPT_DRY_RUN:
			job.dry_run = true;
			break;
		case 'J':
			job.json = true;
			break;
		case 'w':
			job.wait = WAIT_SECONDS;
			if (optarg && !parse_seconds(optarg, &job.wait)) {
				warnx("invalid number of seconds: '%s'",
				      optarg);
				return try_help("set");
			}
			break;
		case 'h':
			usage();
			return EXIT_DONE;
		default:
			if (common_option(c, set))
				return try_help("set");
		}
	}
	names = set->pid ? 0 : 1;
	if (argc - optind <= names) {
		warnx(argc - optind < names ? "no cgroup given" :
		      "no value given");
		return try_help("set");
	}

	ret = target_open(set, set->pid ? NULL : argv[optind], &t);
	if (!ret) {
		optind += names;
		job.text = join(argv + optind, argc - optind);
		ret = set_value(set, &job, &t.root, t.path);
	}
	free(job.text);
	free(job.was);
	effective_free(&job.eff);
	topology_free(&job.topo);
	target_close(&t);
	return ret;
}

const struct command cmd_set = {
	.name = "set",
	.args = "<cgroup> <value>",
	.help = "state a preference",
	.run = run,
};
