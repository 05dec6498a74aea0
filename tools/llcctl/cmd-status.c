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
#include "effective.h"
#include "explain.h"
#include "llcctl.h"
#include "table.h"
#include "topology.h"
#include "util.h"

enum { COL_CGROUP, COL_PREFER, COL_MODE, COL_CPUS, COL_STATE, COL_LLCS, COL_TASKS };

static const struct column columns[] = {
	[COL_CGROUP] = { "CGROUP", 0.3, SCOLS_FL_TREE | SCOLS_FL_NOEXTREMES,
			 SCOLS_JSON_STRING, "path of the cgroup" },
	[COL_PREFER] = { "PREFER", 1, 0, SCOLS_JSON_STRING,
			 "what it states in cpu.llc_prefer" },
	[COL_MODE]   = { "MODE", 1, 0, SCOLS_JSON_STRING,
			 "what decides for its tasks: off, process, group or list" },
	[COL_CPUS]   = { "CPUS", 1, 0, SCOLS_JSON_STRING,
			 "CPUs of the LLCs preferred right now" },
	[COL_STATE]  = { "STATE", 1, 0, SCOLS_JSON_STRING,
			 "active, or why the preference has no effect" },
	[COL_LLCS]   = { "LLCS", 1, 0, SCOLS_JSON_STRING,
			 "names of the LLCs preferred right now" },
	[COL_TASKS]  = { "TASKS", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			 "number of threads in the cgroup and below it" },
};

#define NR_COLUMNS ARRAY_SIZE(columns)

static void usage(const struct table *t)
{
	fputs("\nUsage:\n"
	      " llcctl status [options] [<cgroup>]\n\n"
	      "Show the cgroups that state an LLC preference, and what is in force.\n\n"
	      "Options:\n"
	      " -a, --all                show every cgroup\n"
	      " -l, --list               use list format output\n"
	      TABLE_HELP
	      COMMON_HELP, stdout);
	table_help(t);
}

/* A cgroup as the tree shows it; goes with the node of the same index. */
struct row {
	char *prefer;			/* NULL if it cannot be read */
	long tasks;			/* in it and below */
	bool shown;
	struct libscols_line *line;
};

/*
 * Read what the cgroups state, and mark those to show: that state something,
 * and their ancestors. Returns how many have the file.
 */
static size_t read_preferences(const struct cgroup_root *root,
			       const struct cgroup_list *list,
			       struct row *rows, bool all, size_t *nr_stated)
{
	size_t i, n = 0;

	*nr_stated = 0;
	for (i = list->nr; i--;) {
		struct row *row = &rows[i];

		if (!cgroup_read(root, list->nodes[i].path, FILE_PREFER,
				 &row->prefer)) {
			n++;
			if (strcmp(row->prefer, "default")) {
				row->shown = true;
				(*nr_stated)++;
			}
		}
		row->shown |= all;
		rows[list->nodes[i].parent].shown |= row->shown;
	}
	return n;
}

/* A count includes the children, which come after their parent. */
static void count_tasks(const struct cgroup_root *root,
			const struct cgroup_list *list, struct row *rows)
{
	size_t i;

	for (i = list->nr; i--;) {
		long own = cgroup_count_tasks(root, list->nodes[i].path);

		if (own > 0)
			rows[i].tasks += own;
		if (i)
			rows[list->nodes[i].parent].tasks += rows[i].tasks;
	}
}

static char *value_of(const struct effective *eff, const char *key)
{
	const char *value = effective_get(eff, key);

	return value && *value ? xstrdup(value) : NULL;
}

static void fill_effective(struct table *t, struct libscols_line *line,
			   const struct cgroup_root *root, const char *path,
			   const struct topology *topo)
{
	struct effective eff = { 0 };
	struct cpumask cpus = { 0 };
	char *text, *list;

	if (!cgroup_read(root, path, FILE_EFFECTIVE, &text)) {
		effective_parse(text, &eff);
		free(text);
	}
	list = value_of(&eff, "cpus");
	table_cell(t, line, COL_MODE, value_of(&eff, "mode"));
	table_cell(t, line, COL_STATE, value_of(&eff, "state"));
	table_cell(t, line, COL_LLCS,
		   list && !cpulist_parse(list, -1, &cpus, NULL) ?
		   topology_names(topo, &cpus) : NULL);
	table_cell(t, line, COL_CPUS, list);
	effective_free(&eff);
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

static void print_rows(struct table *t, bool flat,
		       const struct cgroup_root *root,
		       const struct cgroup_list *list, struct row *rows,
		       const struct topology *topo)
{
	size_t i;

	table_start(t, flat);
	for (i = 0; i < list->nr; i++) {
		const struct cgroup_node *node = &list->nodes[i];
		struct row *row = &rows[i];

		if (!row->shown)
			continue;
		row->line = table_line(t, i && !flat && !t->raw ?
				       rows[node->parent].line : NULL);
		table_cell(t, row->line, COL_CGROUP,
			   label(t, flat, node->path, !i));
		table_cell(t, row->line, COL_PREFER, row->prefer);
		row->prefer = NULL;
		table_cell(t, row->line, COL_TASKS,
			   xasprintf("%ld", row->tasks));
		fill_effective(t, row->line, root, node->path, topo);
	}
	table_finish(t);
}

/*
 * No cgroup has the file: it is the kernel, or the controller is off. @first
 * is the highest cgroup that could have it.
 */
static int report_no_file(const struct cgroup_root *root,
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

static int show_status(const struct settings *set, struct table *t, bool all,
		       bool flat, const struct cgroup_root *root,
		       const char *path)
{
	struct attempt try = { .path = path, .file = FILE_PREFER };
	struct cgroup_list list;
	struct topology topo;
	size_t i, nr_stated;
	struct row *rows;
	int ret = EXIT_DONE;

	try.code = cgroup_walk(root, path, &list);
	if (try.code) {
		cgroup_list_free(&list);
		return report_failure(root, &try);
	}
	rows = xcalloc(list.nr, sizeof(*rows));
	/* The root alone: there is nothing to say, and nothing is wrong. */
	if (!read_preferences(root, &list, rows, all, &nr_stated) &&
	    (*path || list.nr > 1)) {
		ret = report_no_file(root, &list,
				     list.nodes[*path ? 0 : 1].path);
	} else {
		count_tasks(root, &list, rows);
		topology_load(set->sysroot, &topo, NULL);
		print_rows(t, flat, root, &list, rows, &topo);
		topology_free(&topo);
		if (!nr_stated && !all)
			warnx("no cgroup states a preference (--all shows every cgroup)");
	}
	for (i = 0; i < list.nr; i++)
		free(rows[i].prefer);
	free(rows);
	cgroup_list_free(&list);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "all",  no_argument, NULL, 'a' },
		{ "list", no_argument, NULL, 'l' },
		TABLE_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct table t = {
		.name = "cgroups",
		.all = columns,
		.nr_all = NR_COLUMNS,
		.cols = { COL_CGROUP, COL_PREFER, COL_MODE, COL_CPUS,
			  COL_STATE, COL_LLCS, COL_TASKS },
		.nr_cols = NR_COLUMNS,
	};
	bool all = false, flat = false;
	struct cgroup_root root;
	struct why why;
	char *path = NULL;
	int c, ret;

	while ((c = getopt_long(argc, argv,
				"al" TABLE_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		switch (c) {
		case 'a':
			all = true;
			break;
		case 'l':
			flat = true;
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
	if (optind + 1 < argc) {
		warnx("more than one cgroup given");
		return try_help("status");
	}

	if (cgroup_root_open(set->cgroup_root, &root, &why) ||
	    cgroup_resolve(root.path, optind < argc ? argv[optind] : "/",
			   &path, &why)) {
		warnx("%s", why.text);
		ret = EXIT_FAILED;
	} else {
		ret = show_status(set, &t, all, flat, &root, path);
	}
	free(path);
	cgroup_root_close(&root);
	return ret;
}

const struct command cmd_status = {
	.name = "status",
	.args = "[<cgroup>]",
	.help = "show who states a preference, and what is in force",
	.run = run,
};
