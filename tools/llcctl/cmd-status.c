// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl status: which cgroups state a preference, and is it in force?
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "counters.h"
#include "effective.h"
#include "explain.h"
#include "hierarchy.h"
#include "llcctl.h"
#include "llcname.h"
#include "table.h"
#include "target.h"
#include "topology.h"
#include "util.h"
#include "view.h"
#include "wait.h"

enum { COL_CGROUP, COL_PREFER, COL_MODE, COL_CPUS, COL_STATE, COL_LLCS,
	COL_TASKS, COL_RESIDENCY, COL_RECENT, COL_SPILLS, COL_MOVES, COL_TIME,
	COL_WAKEUPS, COL_STEERED, COL_FORKS, COL_IN, COL_OUT };

static const struct column columns[] = {
	[COL_CGROUP]    = { "CGROUP", 0.3, SCOLS_FL_TREE | SCOLS_FL_NOEXTREMES,
			    SCOLS_JSON_STRING, "path of the cgroup" },
	[COL_PREFER]    = { "PREFER", 1, 0, SCOLS_JSON_STRING,
			    "what it states in cpu.llc_prefer" },
	[COL_MODE]      = { "MODE", 1, 0, SCOLS_JSON_STRING,
			    "what decides for its tasks: off, process, group or list" },
	[COL_CPUS]      = { "CPUS", 1, 0, SCOLS_JSON_STRING,
			    "CPUs of the LLCs preferred right now" },
	[COL_STATE]     = { "STATE", 1, 0, SCOLS_JSON_STRING,
			    "active, or why the preference has no effect" },
	[COL_LLCS]      = { "LLCS", 1, 0, SCOLS_JSON_STRING,
			    "names of the LLCs preferred right now" },
	[COL_TASKS]     = { "TASKS", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "number of threads in the cgroup and below it" },
	[COL_RESIDENCY] = { "RESIDENCY", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "share of run time on these LLCs, per cent" },
	[COL_RECENT]    = { "RECENT", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "the same over --interval" },
	[COL_SPILLS]    = { "SPILLS", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "times a task left them because they were full" },
	[COL_MOVES]     = { "MOVES", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "times a group's choice of LLCs changed" },
	[COL_TIME]      = { "TIME", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "run time in all, seconds" },
	[COL_WAKEUPS]   = { "WAKEUPS", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "times a task woke" },
	[COL_STEERED]   = { "STEERED", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "of these, sent to a preferred LLC" },
	[COL_FORKS]     = { "FORKS", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "forks and execs placed on a preferred LLC" },
	[COL_IN]        = { "IN", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "tasks balanced onto the preferred LLCs" },
	[COL_OUT]       = { "OUT", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			    "tasks balanced off the preferred LLCs" },
};

#define NR_COLUMNS ARRAY_SIZE(columns)

static void usage(const struct table *t)
{
	fputs("\nUsage:\n"
	      " llcctl status [options] [<cgroup>...]\n\n"
	      "Show the cgroups that state or inherit an LLC preference, and what is in force.\n"
	      "What is counted belongs to the cgroup that decides, since it was stated.\n\n"
	      "Options:\n"
	      " -a, --all                show every cgroup\n"
	      " -i, --interval <secs>    also count over this time (column RECENT)\n"
	      " -l, --list               use list format output\n"
	      TARGET_HELP
	      TABLE_HELP
	      COMMON_HELP
	      TARGET_NAMES, stdout);
	table_help(t);
}

/**
 * struct shown - what is kept of a cgroup to show it
 * @counted: @before is known
 * @before: what was counted when the interval began
 * @line: of the table
 */
struct shown {
	bool counted;
	struct counters before;
	struct libscols_line *line;
};

/* One cgroup that was asked for, and all below it; @shown goes with the nodes. */
struct tree {
	struct view view;
	struct shown *shown;
};

/* What the options ask for. */
struct options {
	bool all, flat;
	double interval;
};

static void count_before(const struct cgroup_root *root, struct tree *tree)
{
	const struct view *v = &tree->view;
	size_t i;

	for (i = 0; i < v->list.nr; i++)
		if (v->rows[i].shown && v->rows[i].decided)
			tree->shown[i].counted =
				!counters_read(root, v->list.nodes[i].path,
					       &tree->shown[i].before);
}

static char *value_of(const struct effective *eff, const char *key)
{
	const char *value = effective_get(eff, key);

	return value && *value ? xstrdup(value) : NULL;
}

/* Returns true if the tasks are those of a group or a list. */
static bool fill_effective(struct table *t, struct libscols_line *line,
			   const struct cgroup_root *root, const char *path,
			   const struct topology *topo)
{
	struct effective eff = { 0 };
	struct cpumask cpus = { 0 };
	const char *mode;
	char *text, *list;
	bool grouped;

	if (!cgroup_read(root, path, FILE_EFFECTIVE, &text)) {
		effective_parse(text, &eff);
		free(text);
	}
	mode = effective_get(&eff, "mode");
	grouped = mode && strcmp(mode, "process") && strcmp(mode, "off");
	list = value_of(&eff, "cpus");
	table_cell(t, line, COL_MODE, value_of(&eff, "mode"));
	table_cell(t, line, COL_STATE, value_of(&eff, "state"));
	table_cell(t, line, COL_LLCS,
		   list && !cpulist_parse(list, -1, &cpus, NULL) ?
		   llc_names(topo, &cpus) : NULL);
	table_cell(t, line, COL_CPUS, list);
	effective_free(&eff);
	return grouped;
}

static char *per_cent(const struct table *t, const struct counters *c)
{
	double share = counters_residency(c);

	if (share < 0)
		return NULL;
	return xasprintf(t->json ? "%.1f" : "%.1f%%", share);
}

static void fill_counted(struct table *t, struct libscols_line *line,
			 const struct counters *now, const struct shown *shown)
{
	const struct {
		unsigned int col;
		unsigned long long count;
	} counts[] = {
		{ COL_SPILLS,	now->nr_spills },
		{ COL_MOVES,	now->nr_moves },
		{ COL_WAKEUPS,	now->nr_wakeups },
		{ COL_STEERED,	now->nr_wakeups_steered },
		{ COL_FORKS,	now->nr_forks_steered },
		{ COL_IN,	now->nr_migrations_in },
		{ COL_OUT,	now->nr_migrations_out },
	};
	struct counters recent = *now;
	size_t i;

	table_cell(t, line, COL_RESIDENCY, per_cent(t, now));
	if (shown->counted) {
		counters_since(&recent, &shown->before);
		table_cell(t, line, COL_RECENT, per_cent(t, &recent));
	} else {
		table_cell(t, line, COL_RECENT, NULL);
	}
	table_cell(t, line, COL_TIME, xasprintf("%.2f", now->usage_usec / 1e6));
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		table_cell(t, line, counts[i].col,
			   xasprintf("%llu", counts[i].count));
}

static void fill_nothing_counted(struct table *t, struct libscols_line *line)
{
	unsigned int col;

	for (col = COL_RESIDENCY; col < NR_COLUMNS; col++)
		table_cell(t, line, col, NULL);
}

/* In a tree a cgroup is known by its last name, elsewhere by its path. */
static char *label(const struct table *t, bool flat, const char *path,
		   bool top)
{
	const char *slash = strrchr(path, '/');

	if (flat || t->raw || t->json || top)
		return xasprintf("/%s", path);
	return xstrdup(slash ? slash + 1 : path);
}

/* Returns true if a cgroup has no counts though it should. */
static bool print_view(struct table *t, bool flat,
		       const struct cgroup_root *root, struct tree *tree,
		       const struct topology *topo)
{
	const struct view *v = &tree->view;
	bool missing = false;
	size_t i;

	for (i = 0; i < v->list.nr; i++) {
		const struct cgroup_node *node = &v->list.nodes[i];
		struct shown *shown = &tree->shown[i];
		struct view_row *row = &v->rows[i];
		struct counters now;
		bool grouped;
		int ret = 1;

		if (!row->shown)
			continue;
		shown->line = table_line(t, i && !flat && !t->raw ?
					 tree->shown[node->parent].line : NULL);
		table_cell(t, shown->line, COL_CGROUP,
			   label(t, flat, node->path, !i));
		table_cell(t, shown->line, COL_PREFER, row->prefer);
		row->prefer = NULL;
		table_cell(t, shown->line, COL_TASKS,
			   xasprintf("%ld", row->tasks));
		grouped = fill_effective(t, shown->line, root, node->path, topo);
		if (grouped)
			ret = counters_read(root, node->path, &now);
		missing |= ret == -ENOENT;
		if (!ret)
			fill_counted(t, shown->line, &now, shown);
		else
			fill_nothing_counted(t, shown->line);
	}
	return missing;
}

static bool shows(const struct table *t, unsigned int col)
{
	size_t i;

	for (i = 0; i < t->nr_cols; i++)
		if (t->cols[i] == col)
			return true;
	return false;
}

static int show_status(const struct settings *set, struct table *t,
		       const struct options *opt,
		       const struct cgroup_root *root, char **paths, size_t nr)
{
	struct tree *trees = xcalloc(nr, sizeof(*trees));
	bool missing = false, wanted = false;
	struct topology topo;
	size_t i, nr_stated = 0, nr_shown = 0;
	unsigned int col;
	int ret = EXIT_DONE;

	for (i = 0; i < nr && !ret; i++) {
		ret = view_load(root, paths[i], opt->all, &trees[i].view);
		trees[i].shown = xcalloc(trees[i].view.list.nr + 1,
					 sizeof(*trees[i].shown));
	}
	if (ret)
		goto out;
	if (opt->interval > 0) {
		for (i = 0; i < nr; i++)
			count_before(root, &trees[i]);
		sleep_ms(opt->interval * 1000);
	}

	topology_load(set->sysroot, &topo, NULL);
	table_start(t, opt->flat);
	for (i = 0; i < nr; i++) {
		missing |= print_view(t, opt->flat, root, &trees[i], &topo);
		nr_stated += trees[i].view.nr_stated;
		nr_shown += trees[i].view.rows[0].shown;
	}
	table_finish(t);
	topology_free(&topo);

	for (col = COL_RESIDENCY; col < NR_COLUMNS; col++)
		wanted |= shows(t, col);
	fflush(stdout);
	if (missing && wanted)
		warnx(NO_COUNTERS_TEXT);
	if (!nr_stated && !nr_shown)
		warnx("no cgroup states a preference (--all shows every cgroup)");
out:
	for (i = 0; i < nr; i++) {
		view_free(&trees[i].view);
		free(trees[i].shown);
	}
	free(trees);
	return ret;
}

/* What was asked for: --pid, the cgroups named, or all. */
static int find_and_show(const struct settings *set, struct table *t,
			 const struct options *opt, char **names, size_t nr)
{
	char **paths = xcalloc(nr + 1, sizeof(*paths));
	struct target first;
	struct why why;
	size_t i;
	int ret;

	ret = target_open(set, nr ? names[0] : NULL, &first);
	for (i = 1; i < nr && !ret; i++) {
		ret = target_find(&first.root, set->sysroot, names[i],
				  &paths[i], &why);
		if (ret) {
			warnx("%s", why.text);
			ret = EXIT_FAILED;
		}
	}
	paths[0] = first.path;
	if (!ret)
		ret = show_status(set, t, opt, &first.root, paths,
				  nr ? nr : 1);
	for (i = 1; i < nr; i++)
		free(paths[i]);
	free(paths);
	target_close(&first);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "all",      no_argument,	 NULL, 'a' },
		{ "interval", required_argument, NULL, 'i' },
		{ "list",     no_argument,	 NULL, 'l' },
		TARGET_LONGOPTS,
		TABLE_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct table t = {
		.name = "cgroups",
		.all = columns,
		.nr_all = NR_COLUMNS,
		.cols = { COL_CGROUP, COL_PREFER, COL_MODE, COL_CPUS,
			  COL_STATE, COL_LLCS, COL_TASKS, COL_RESIDENCY,
			  COL_SPILLS, COL_MOVES },
		.nr_cols = 10,
	};
	struct options opt = { 0 };
	int c, ret;

	while ((c = getopt_long(argc, argv, "ai:l" TARGET_SHORTOPTS
				TABLE_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		switch (c) {
		case 'a':
			opt.all = true;
			break;
		case 'i':
			if (!parse_seconds(optarg, &opt.interval)) {
				warnx("invalid number of seconds: '%s'",
				      optarg);
				return try_help("status");
			}
			break;
		case 'l':
			opt.flat = true;
			break;
		case 'h':
			usage(&t);
			return EXIT_DONE;
		default:
			ret = table_option(&t, c);
			if (ret < 0 || (ret && common_option(c, set)))
				return try_help("status");
		}
	}
	if (set->pid && optind < argc) {
		warnx("--pid and a cgroup are mutually exclusive");
		return try_help("status");
	}
	/* Asked for, so shown, wherever the columns stand. */
	if (opt.interval > 0 && !shows(&t, COL_RECENT) &&
	    t.nr_cols < TABLE_MAX_COLUMNS)
		t.cols[t.nr_cols++] = COL_RECENT;

	return find_and_show(set, &t, &opt, argv + optind, argc - optind);
}

const struct command cmd_status = {
	.name = "status",
	.args = "[<cgroup>...]",
	.help = "show who states a preference, and what is in force",
	.run = run,
};
