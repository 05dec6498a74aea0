// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl measure: what does a preference change for a cgroup?
 *
 * Two values are compared by windows that take turns, so that what changes by
 * itself meanwhile falls on both; between them the tasks are left alone until they
 * have settled. What the cgroup stated before is put back, whatever happens.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cachemiss.h"
#include "cgroup.h"
#include "evidence.h"
#include "explain.h"
#include "llcctl.h"
#include "llcname.h"
#include "prefer.h"
#include "setting.h"
#include "table.h"
#include "target.h"
#include "wait.h"

#define FOR_SECONDS	10
#define SETTLE_SECONDS	2
/* A shorter window has too few looks at the tasks. */
#define WINDOW_MIN	0.1

enum {
	OPT_FOR = OPT_COMMAND,
	OPT_KEEP,
	OPT_SETTLE,
	OPT_TRY,
	OPT_WINDOWS,
};

enum { COL_METRIC, COL_UNIT, COL_OLD, COL_OLD_MIN, COL_OLD_MAX, COL_NEW,
	COL_NEW_MIN, COL_NEW_MAX, COL_RATIO, COL_P, COL_CHANGE };

static const struct column columns[] = {
	[COL_METRIC]  = { "METRIC", 1, 0, SCOLS_JSON_STRING, "what was measured" },
	[COL_UNIT]    = { "UNIT", 1, 0, SCOLS_JSON_STRING, "in which unit" },
	[COL_OLD]     = { "OLD", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "median of the windows with what the cgroup states" },
	[COL_OLD_MIN] = { "MIN", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "the least of them (old_min with --json)" },
	[COL_OLD_MAX] = { "MAX", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "the most" },
	[COL_NEW]     = { "NEW", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "the same with the value tried" },
	[COL_NEW_MIN] = { "MIN", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, "" },
	[COL_NEW_MAX] = { "MAX", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER, "" },
	[COL_RATIO]   = { "RATIO", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "new by old" },
	[COL_P]       = { "P", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "how likely such a difference is by chance" },
	[COL_CHANGE]  = { "CHANGE", 1, 0, SCOLS_JSON_STRING,
			  "higher, lower, or noise" },
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl measure [options] <cgroup>\n\n"
	      "Measure where the tasks of a cgroup run and what that costs them; with --try\n"
	      "compare what it states with another value.\n\n"
	      "Options:\n"
	      "     --for <secs>         measure for so long in all (default 10)\n"
	      " -J, --json               use JSON output format\n"
	      "     --keep               leave the value that was tried\n"
	      TARGET_HELP
	      "     --settle <secs>      wait after each change of the value (default 2)\n"
	      "     --try <value>        a value to compare with, as of 'llcctl set'\n"
	      "     --windows <number>   windows of each value, 5 to 16 (default 5)\n"
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

/**
 * struct job - what is asked for, and what came of it
 * @text: the value to try, NULL for none
 * @want, @was: the value to try, and the one before
 * @was_text: the latter as the file had it
 * @states: what is stated now
 * @evidence: what was seen, by value
 * @misses: why cache misses are not counted, or not all
 */
struct job {
	const char *text;
	double seconds, settle;
	size_t windows;
	bool json, keep;
	struct topology topo;
	struct prefer want, was;
	char *was_text;
	enum { OLD, NEW } states;
	struct evidence evidence[2];
	struct why misses;
	struct watch watch;
};

static volatile int interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

/* The value must be put back before the program ends. */
static void catch_signals(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = handler };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* Let the tasks go where they go with a value that was just written. */
static void settle(double seconds)
{
	long end = now_ms() + seconds * 1000, left;

	while (!interrupted && (left = end - now_ms()) > 0) {
		struct timespec ts = { left / 1000, left % 1000 * 1000000 };

		nanosleep(&ts, NULL);
	}
}

static int state(struct job *job, int which)
{
	int ret;

	if (job->states == (unsigned int)which)
		return EXIT_DONE;
	ret = setting_write(job->watch.root, job->watch.path,
			    which == NEW ? &job->want : &job->was);
	if (!ret)
		job->states = which;
	return ret;
}

/* Whatever happened: the value from before, unless the new one is to stay. */
static int put_back(struct job *job, bool keep)
{
	int ret = state(job, keep ? NEW : OLD);

	if (ret)
		warnx("/%s: still states what was tried; 'llcctl set /%s %s' puts it back",
		      job->watch.path, job->watch.path, job->was_text);
	return ret;
}

static int report_look(const struct job *job, int code)
{
	struct attempt try = {
		.path = job->watch.path,
		.file = "cgroup.threads",
		.code = code,
	};

	if (code != -ENOSYS)
		return report_failure(job->watch.root, &try);
	warnx("this kernel does not tell how long tasks run (/proc/PID/schedstat)");
	return EXIT_FAILED;
}

/* Watch one window with a value, after the tasks have settled. */
static int watch_one(struct job *job, int which, double seconds)
{
	bool change = job->states != (unsigned int)which;
	int ret = state(job, which);

	if (ret)
		return ret;
	if (change)
		settle(job->settle);
	if (interrupted)
		return EXIT_FAILED;
	ret = evidence_watch(&job->watch, seconds, &job->evidence[which]);
	if (ret && ret != -EINTR)
		return report_look(job, ret);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

/* The windows: old, new, new, old, old, new, ... */
static int watch_all(struct job *job)
{
	double each = job->seconds / (job->windows * (job->text ? 2 : 1));
	size_t i, turn;
	int ret = EXIT_DONE, which;

	for (i = 0; i < job->windows && !ret; i++) {
		for (turn = 0; turn < 2 && !ret; turn++) {
			which = (turn + i) % 2 ? NEW : OLD;
			if (which == NEW && !job->text)
				continue;
			ret = watch_one(job, which, each);
		}
	}
	return ret;
}

static char *number(double value)
{
	if (isnan(value))
		return NULL;
	/* Three digits that mean something. */
	return xasprintf("%.*f", fabs(value) >= 9.995 ? 1 : fabs(value) >= 0.0995 || value == 0 ? 2 : 3, value);
}

static void add_line(struct table *t, const char *name, const char *unit,
		     const struct comparison *c)
{
	struct libscols_line *line = table_line(t, NULL);

	table_cell(t, line, COL_METRIC, xstrdup(name));
	table_cell(t, line, COL_UNIT, *unit ? xstrdup(unit) : NULL);
	table_cell(t, line, COL_OLD, number(c->old));
	table_cell(t, line, COL_OLD_MIN, number(c->old_min));
	table_cell(t, line, COL_OLD_MAX, number(c->old_max));
	table_cell(t, line, COL_NEW, number(c->new));
	table_cell(t, line, COL_NEW_MIN, number(c->new_min));
	table_cell(t, line, COL_NEW_MAX, number(c->new_max));
	table_cell(t, line, COL_RATIO, c->old > 0 ? number(c->new / c->old) : NULL);
	table_cell(t, line, COL_P, isnan(c->p) ? NULL : xasprintf("%.3f", c->p));
	table_cell(t, line, COL_CHANGE, isnan(c->p) ? NULL :
		   xstrdup(c->more ? "higher" : c->less ? "lower" : "noise"));
}

/* By LLC there is one figure of all windows, and no range. */
static void add_llcs(struct table *t, const struct job *job)
{
	const struct evidence *old = &job->evidence[OLD];
	const struct evidence *new = &job->evidence[NEW];
	size_t i;

	for (i = 0; i < job->topo.nr_llcs; i++) {
		struct comparison c = {
			.old = old->shares ? old->shares[i] : NAN,
			.new = new->shares ? new->shares[i] : NAN,
			.p = NAN, .old_min = NAN, .old_max = NAN,
			.new_min = NAN, .new_max = NAN,
		};
		char *name = llc_names(&job->topo, &job->topo.llcs[i].cpus);
		char *cpus = cpulist_format(&job->topo.llcs[i].cpus);
		char *text = xasprintf("on %s%sCPUs %s", name ? name : "",
				       name ? ", " : "", cpus);

		/* A machine of many LLCs is mostly zeroes. */
		if (job->json || c.old >= 1 || c.new >= 1)
			add_line(t, text, "% of run time", &c);
		free(text);
		free(cpus);
		free(name);
	}
}

static void print_table(const struct job *job)
{
	static const unsigned int alone[] = { COL_METRIC, COL_OLD, COL_OLD_MIN,
		COL_OLD_MAX, COL_UNIT };
	static const unsigned int both[] = { COL_METRIC, COL_OLD, COL_OLD_MIN,
		COL_OLD_MAX, COL_NEW, COL_NEW_MIN, COL_NEW_MAX, COL_RATIO, COL_P,
		COL_CHANGE, COL_UNIT };
	struct column cols[ARRAY_SIZE(columns)];
	struct table t = {
		.name = "measure",
		.all = cols,
		.nr_all = ARRAY_SIZE(columns),
		.json = job->json,
	};
	const unsigned int *shown = job->text ? both : alone;
	struct comparison c;
	size_t i;

	memcpy(cols, columns, sizeof(cols));
	if (!job->text && !job->json)
		cols[COL_OLD].name = "VALUE";
	if (job->json) {
		/* No two keys of an object may be the same. */
		cols[COL_OLD_MIN].name = "OLD_MIN";
		cols[COL_OLD_MAX].name = "OLD_MAX";
		cols[COL_NEW_MIN].name = "NEW_MIN";
		cols[COL_NEW_MAX].name = "NEW_MAX";
	}
	t.nr_cols = job->text || job->json ? ARRAY_SIZE(both) : ARRAY_SIZE(alone);
	if (job->json)
		shown = both;
	memcpy(t.cols, shown, t.nr_cols * sizeof(*shown));

	table_start(&t, true);
	for (i = 0; i < METRIC_NR; i++) {
		evidence_compare(&job->evidence[OLD], &job->evidence[NEW], i, &c);
		if (job->json || !isnan(c.old) || !isnan(c.new))
			add_line(&t, metric_text[i].name, metric_text[i].unit, &c);
	}
	add_llcs(&t, job);
	table_finish(&t);
}

/* What the figures say, in sentences, and no more than they do. */
static void conclude(const struct job *job, const char *value)
{
	const char *name = CGROUP_LABEL(job->watch.path);
	const struct evidence *old = &job->evidence[OLD];
	const struct evidence *new = &job->evidence[NEW];
	struct comparison where, wait, work, miss;

	evidence_compare(old, new, METRIC_BUSIEST, &where);
	evidence_compare(old, new, METRIC_WAITED, &wait);
	evidence_compare(old, new, METRIC_IPC, &work);
	evidence_compare(old, new, METRIC_MISSES, &miss);

	if (where.more || where.less)
		printf("%s: %.1f %% of its run time is on one LLC with '%s', %.1f %% with '%s'.\n",
		       name, where.new, value, where.old, job->was_text);
	else
		printf("%s: where it runs differs by no more than noise between '%s' and '%s'.\n",
		       name, job->was_text, value);
	if (wait.more || wait.less)
		printf("%s: its tasks wait %s for a CPU with '%s': %.1f %% of their run time, was %.1f %%.\n",
		       name, wait.more ? "longer" : "less", value, wait.new, wait.old);
	if (miss.more || miss.less)
		printf("%s: %.2f times the LLC misses with '%s'.\n", name,
		       miss.new / miss.old, value);

	if (work.more || work.less)
		printf("%s: %.2f times the instructions in a cycle with '%s': it runs %s.\n",
		       name, work.new / work.old, value,
		       work.more ? "faster" : "slower");
	else if (!isnan(work.p))
		printf("%s: its instructions in a cycle differ by no more than noise: '%s' gains nothing that can be measured.\n",
		       name, value);
	else
		printf("%s: whether it runs faster cannot be told, since %s: compare what the program itself reports.\n",
		       name, job->misses.text);
}

/* Of the run time much is missing: of tasks that lived too short, or not seen. */
static void warn_unseen(const struct job *job)
{
	double usage = job->evidence[OLD].usage + job->evidence[NEW].usage;
	double sampled = job->evidence[OLD].sampled + job->evidence[NEW].sampled;

	if (usage > 0 && sampled < 0.8 * usage)
		warnx("/%s: where it runs is known of %.0f %% of its run time only: the rest is of tasks that ended between two looks",
		      job->watch.path, 100 * sampled / usage);
}

static int check(const struct settings *set, struct job *job)
{
	const struct cgroup_root *root = job->watch.root;
	const char *path = job->watch.path;
	struct attempt try = { .path = path, .file = FILE_PREFER };
	struct why why;
	char *value;
	int ret;

	if (job->text && setting_parse(set->sysroot, job->text, &job->topo,
				       &job->want, &why)) {
		warnx("/%s: %s", path, why.text);
		return EXIT_FAILED;
	}
	if (!job->text)
		topology_load(set->sysroot, &job->topo, NULL);
	if (!job->topo.nr_llcs) {
		warnx("the LLCs of this machine are not known, so there is nothing to measure by");
		return EXIT_FAILED;
	}
	if (!cgroup_exists(root, path)) {
		try.code = -ENOENT;
		return report_failure(root, &try);
	}
	/* Without a value to try any kernel will do. */
	if (!job->text)
		return EXIT_DONE;

	value = prefer_format(&job->want);
	ret = setting_check(root, path, value);
	free(value);
	if (ret)
		return ret;
	try.code = cgroup_read(root, path, FILE_PREFER, &job->was_text);
	if (try.code)
		return report_failure(root, &try);
	if (prefer_parse(job->was_text, &job->topo, &job->was, &why)) {
		warnx("/%s: it states '%s', which could not be put back: %s", path,
		      job->was_text, why.text);
		return EXIT_FAILED;
	}
	if (prefer_equal(&job->want, &job->was)) {
		warnx("/%s: it states '%s' already, so there is nothing to compare",
		      path, job->was_text);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static void announce(const struct job *job)
{
	size_t values = job->text ? 2 : 1;
	double seconds = job->seconds +
			 (job->text ? job->settle * job->windows : 0);

	if (job->json)
		return;
	printf("%s: %zu windows of %.1f s%s%s%s, about %.1f s in all\n",
	       CGROUP_LABEL(job->watch.path), job->windows * values,
	       job->seconds / (job->windows * values), job->text ? " with '" : "",
	       job->text ? job->was_text : "", job->text ? "' and what is tried in turns" : "",
	       seconds);
	fflush(stdout);
}

static int measure(const struct settings *set, struct job *job)
{
	char *value;
	int ret = check(set, job), back;

	if (ret)
		return ret;
	announce(job);
	llctime_start(&job->watch.time, set->sysroot, &job->topo);
	if (!cachemiss_open(&job->watch.misses, job->watch.root, job->watch.path,
			    &job->topo.online, &job->misses) && *job->misses.text)
		warnx("/%s: %s", job->watch.path, job->misses.text);

	catch_signals(interrupt);
	ret = watch_all(job);
	/* A second signal must not come between. */
	catch_signals(SIG_IGN);
	back = job->text ? put_back(job, job->keep && !ret) : EXIT_DONE;
	catch_signals(SIG_DFL);
	if (interrupted) {
		fflush(stdout);
		raise(interrupted);
	}
	if (ret || back)
		return ret ? ret : back;

	if (job->evidence[OLD].sampled + job->evidence[NEW].sampled <= 0) {
		warnx("/%s: none of its tasks was seen running, so nothing was measured",
		      job->watch.path);
		return EXIT_FAILED;
	}
	print_table(job);
	value = job->text ? prefer_format(&job->want) : NULL;
	if (!job->json && job->text)
		conclude(job, value);
	free(value);
	fflush(stdout);
	warn_unseen(job);
	return EXIT_DONE;
}

static bool parse_windows(const char *text, size_t *windows)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*windows = n;
	return end != text && !*end && *text != '-' && n >= WINDOWS_MIN &&
	       n <= WINDOWS_MAX;
}

/* 0 if the option was taken, 1 if it is another one, -1 after a message. */
static int take_option(int c, struct job *job)
{
	switch (c) {
	case OPT_FOR:
	case OPT_SETTLE:
		if (parse_seconds(optarg, c == OPT_FOR ? &job->seconds : &job->settle))
			return 0;
		warnx("invalid number of seconds: '%s'", optarg);
		return -1;
	case OPT_KEEP:
		job->keep = true;
		return 0;
	case OPT_TRY:
		job->text = optarg;
		return 0;
	case OPT_WINDOWS:
		if (parse_windows(optarg, &job->windows))
			return 0;
		warnx("invalid number of windows: '%s' (%d to %d)", optarg,
		      WINDOWS_MIN, WINDOWS_MAX);
		return -1;
	case 'J':
		job->json = true;
		return 0;
	}
	return 1;
}

/* True if the options make sense together. */
static bool make_sense(const struct job *job)
{
	double window = job->seconds / (job->windows * (job->text ? 2 : 1));

	if (job->keep && !job->text) {
		warnx("--keep goes with --try");
		return false;
	}
	if (window < WINDOW_MIN) {
		warnx("%g s are too short: a window takes %g s at least",
		      job->seconds, WINDOW_MIN);
		return false;
	}
	return true;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "for",     required_argument, NULL, OPT_FOR },
		{ "json",    no_argument,	NULL, 'J' },
		{ "keep",    no_argument,	NULL, OPT_KEEP },
		{ "settle",  required_argument, NULL, OPT_SETTLE },
		{ "try",     required_argument, NULL, OPT_TRY },
		{ "windows", required_argument, NULL, OPT_WINDOWS },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct job job = {
		.topo.last_cpu = -1,
		.seconds = FOR_SECONDS,
		.settle = SETTLE_SECONDS,
		.windows = WINDOWS_MIN,
		.watch.interrupted = &interrupted,
	};
	struct target t;
	int c, ret, names;

	while ((c = getopt_long(argc, argv, "J" TARGET_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		ret = take_option(c, &job);
		if (ret < 0 || (ret && common_option(c, set)))
			return try_help("measure");
	}
	names = set->pid ? 0 : 1;
	if (argc - optind != names) {
		warnx(argc - optind < names ? "no cgroup given" :
		      "unexpected argument: %s", argv[optind + names]);
		return try_help("measure");
	}
	if (!make_sense(&job))
		return try_help("measure");

	ret = target_open(set, set->pid ? NULL : argv[optind], &t);
	if (!ret) {
		job.watch.root = &t.root;
		job.watch.path = t.path;
		ret = measure(set, &job);
	}
	llctime_end(&job.watch.time);
	cachemiss_close(&job.watch.misses);
	evidence_free(&job.evidence[OLD]);
	evidence_free(&job.evidence[NEW]);
	free(job.was_text);
	topology_free(&job.topo);
	target_close(&t);
	return ret;
}

const struct command cmd_measure = {
	.name = "measure",
	.args = "<cgroup>",
	.help = "see what a preference changes",
	.run = run,
};
