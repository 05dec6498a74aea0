// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl topology: which LLCs can be preferred on this machine?
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llcctl.h"
#include "llcname.h"
#include "table.h"
#include "topology.h"
#include "util.h"

enum { COL_ID, COL_LEVEL, COL_SIZE, COL_CPUS, COL_NR_CPUS, COL_NODE, COL_ONLINE,
	COL_CORES, COL_PACKAGE, COL_FREE, COL_WHERE };

static const struct column columns[] = {
	[COL_ID]      = { "ID", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "id of the cache in sysfs: llc:ID names it" },
	[COL_LEVEL]   = { "LEVEL", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "level of the cache" },
	[COL_SIZE]    = { "SIZE", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "size of the cache (bytes with --json)" },
	[COL_CPUS]    = { "CPUS", 1, 0, SCOLS_JSON_STRING,
			  "CPUs that share it, any of them names it" },
	[COL_NR_CPUS] = { "NR_CPUS", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "number of these CPUs" },
	[COL_NODE]    = { "NODE", 1, SCOLS_FL_RIGHT, SCOLS_JSON_STRING,
			  "NUMA node of these CPUs" },
	[COL_ONLINE]  = { "ONLINE", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "number of these CPUs that are online" },
	[COL_CORES]   = { "CORES", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "cores of these" },
	[COL_PACKAGE] = { "PACKAGE", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "package (socket) of these CPUs" },
	[COL_FREE]    = { "FREE", 1, SCOLS_FL_RIGHT, SCOLS_JSON_NUMBER,
			  "share of their time that is idle now, per cent" },
	[COL_WHERE]   = { "WHERE", 1, SCOLS_FL_TREE, SCOLS_JSON_STRING,
			  "the package, node or LLC, as a tree" },
};

/* So long is looked how much time is free. */
#define FREE_SECONDS	0.2

#define NR_COLUMNS ARRAY_SIZE(columns)

static void usage(const struct table *t)
{
	fputs("\nUsage:\n"
	      " llcctl topology [options]\n\n"
	      "List the last-level caches (LLCs) and the CPUs that share each.\n\n"
	      "Options:\n"
	      " -t, --tree               show them below their package and node\n"
	      TABLE_HELP
	      COMMON_HELP, stdout);
	table_help(t);
}

/* 33554432 as "32M": whole units only, so that nothing is rounded away. */
static char *format_size(unsigned long long bytes)
{
	static const char units[] = "BKMG";
	size_t u = 0;

	while (bytes % 1024 == 0 && u + 1 < sizeof(units) - 1) {
		bytes /= 1024;
		u++;
	}
	return xasprintf("%llu%c", bytes, units[u]);
}

static bool shows(const struct table *t, unsigned int col)
{
	size_t i;

	for (i = 0; i < t->nr_cols; i++)
		if (t->cols[i] == col)
			return true;
	return false;
}

/* A line of the tree that is no LLC: only its name is known. */
static struct libscols_line *add_branch(struct table *t,
					struct libscols_line *parent,
					char *name)
{
	struct libscols_line *line = table_line(t, parent);
	unsigned int col;

	for (col = 0; col < NR_COLUMNS; col++)
		table_cell(t, line, col, col == COL_WHERE ? name : xstrdup(""));
	return line;
}

static void add_llc(struct table *t, struct libscols_line *parent,
		    const struct topology *topo, size_t i, double idle)
{
	const struct llc *llc = &topo->llcs[i];
	struct libscols_line *line = table_line(t, parent);
	char *name = llc_names(topo, &llc->cpus);

	table_cell(t, line, COL_ID, llc->nr_ids ?
		   xasprintf("%u", llc->ids[0]) : NULL);
	table_cell(t, line, COL_LEVEL, xasprintf("%u", llc->level));
	table_cell(t, line, COL_SIZE, !llc->bytes ? NULL : t->json ?
		   xasprintf("%llu", llc->bytes) : format_size(llc->bytes));
	table_cell(t, line, COL_CPUS, cpulist_format(&llc->cpus));
	table_cell(t, line, COL_NR_CPUS, xasprintf("%u", llc->nr_cpus));
	table_cell(t, line, COL_NODE, cpumask_empty(&llc->nodes) ?
		   NULL : cpulist_format(&llc->nodes));
	table_cell(t, line, COL_ONLINE, xasprintf("%u", llc->nr_online));
	table_cell(t, line, COL_CORES, llc->nr_cores ?
		   xasprintf("%u", llc->nr_cores) : NULL);
	table_cell(t, line, COL_PACKAGE, llc->package >= 0 ?
		   xasprintf("%d", llc->package) : NULL);
	table_cell(t, line, COL_FREE, isnan(idle) ? NULL :
		   xasprintf(t->json ? "%.1f" : "%.1f%%", idle));
	table_cell(t, line, COL_WHERE, name ? name : xasprintf("LLC %zu", i));
}

static char *branch_name(const char *what, const char *number)
{
	return number && *number ? xasprintf("%s %s", what, number) :
	       xasprintf("%s unknown", what);
}

static void print_topology(struct table *t, const struct topology *topo,
			   const double *idle)
{
	bool tree = shows(t, COL_WHERE) && !t->raw && !t->json;
	bool *done = xcalloc(topo->nr_llcs + 1, sizeof(*done));
	struct libscols_line *package, *node;
	char number[16], *nodes;
	size_t i, j, k;

	table_start(t, !tree);
	for (i = 0; i < topo->nr_llcs; i++) {
		if (!tree) {
			add_llc(t, NULL, topo, i, idle[i]);
			continue;
		}
		if (done[i])
			continue;
		snprintf(number, sizeof(number), "%d", topo->llcs[i].package);
		package = add_branch(t, NULL, branch_name("package",
				     topo->llcs[i].package < 0 ? NULL : number));
		for (j = i; j < topo->nr_llcs; j++) {
			if (done[j] || topo->llcs[j].package != topo->llcs[i].package)
				continue;
			nodes = cpulist_format(&topo->llcs[j].nodes);
			node = add_branch(t, package, branch_name("node", nodes));
			free(nodes);
			for (k = j; k < topo->nr_llcs; k++) {
				if (done[k] ||
				    topo->llcs[k].package != topo->llcs[i].package ||
				    !cpumask_equal(&topo->llcs[k].nodes,
						   &topo->llcs[j].nodes))
					continue;
				add_llc(t, node, topo, k, idle[k]);
				done[k] = true;
			}
		}
	}
	table_finish(t);
	free(done);
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "tree", no_argument, NULL, 't' },
		TABLE_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	static const unsigned int tree[] = {
		COL_WHERE, COL_SIZE, COL_CPUS, COL_CORES, COL_ONLINE, COL_FREE,
	};
	struct table t = {
		.name = "llcs",
		.all = columns,
		.nr_all = NR_COLUMNS,
		.cols = { COL_ID, COL_LEVEL, COL_SIZE, COL_CPUS, COL_NR_CPUS,
			  COL_NODE, COL_ONLINE },
		.nr_cols = 7,
	};
	double *idle;
	size_t i;
	struct topology topo;
	struct why why;
	char *cpus;
	int c, ret;

	while ((c = getopt_long(argc, argv, "t" TABLE_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		if (c == 'h') {
			usage(&t);
			return EXIT_DONE;
		}
		if (c == 't') {
			memcpy(t.cols, tree, sizeof(tree));
			t.nr_cols = ARRAY_SIZE(tree);
			continue;
		}
		ret = table_option(&t, c);
		if (ret < 0 || (ret && common_option(c, set)))
			return try_help("topology");
	}
	if (optind < argc) {
		warnx("unexpected argument: %s", argv[optind]);
		return try_help("topology");
	}

	ret = topology_load(set->sysroot, &topo, &why);
	if (ret == -ENODEV) {
		cpus = cpulist_format(&topo.online);
		warnx("%s, so its LLCs cannot be listed; CPUs %s are online, and CPU numbers can still be given to 'llcctl set'",
		      why.text, cpus);
		free(cpus);
	} else if (ret) {
		warnx("%s", why.text);
	} else {
		idle = xcalloc(topo.nr_llcs, sizeof(*idle));
		for (i = 0; i < topo.nr_llcs; i++)
			idle[i] = NAN;
		if (shows(&t, COL_CORES) || shows(&t, COL_PACKAGE) ||
		    shows(&t, COL_WHERE))
			topology_load_cores(set->sysroot, &topo);
		if (shows(&t, COL_FREE))
			topology_load_idle(set->sysroot, &topo, FREE_SECONDS,
					   idle);
		print_topology(&t, &topo, idle);
		free(idle);
		if (!cpumask_empty(&topo.unknown)) {
			cpus = cpulist_format(&topo.unknown);
			warnx("CPUs %s are not listed: sysfs does not say which caches they share",
			      cpus);
			free(cpus);
		}
	}
	topology_free(&topo);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

const struct command cmd_topology = {
	.name = "topology",
	.args = "",
	.help = "list the LLCs of this machine and their CPUs",
	.run = run,
};
