// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl topology: which LLCs can be preferred on this machine?
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "llcctl.h"
#include "table.h"
#include "topology.h"
#include "util.h"

enum { COL_ID, COL_LEVEL, COL_SIZE, COL_CPUS, COL_NR_CPUS, COL_NODE, COL_ONLINE };

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
};

#define NR_COLUMNS ARRAY_SIZE(columns)

static void usage(const struct table *t)
{
	fputs("\nUsage:\n"
	      " llcctl topology [options]\n\n"
	      "List the last-level caches (LLCs) and the CPUs that share each.\n\n"
	      "Options:\n"
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

static void print_topology(struct table *t, const struct topology *topo)
{
	size_t i;

	table_start(t, true);
	for (i = 0; i < topo->nr_llcs; i++) {
		const struct llc *llc = &topo->llcs[i];
		struct libscols_line *line = table_line(t, NULL);

		table_cell(t, line, COL_ID, llc->nr_ids ?
			   xasprintf("%u", llc->ids[0]) : NULL);
		table_cell(t, line, COL_LEVEL, xasprintf("%u", llc->level));
		table_cell(t, line, COL_SIZE, !llc->bytes ? NULL : t->json ?
			   xasprintf("%llu", llc->bytes) :
			   format_size(llc->bytes));
		table_cell(t, line, COL_CPUS, cpulist_format(&llc->cpus));
		table_cell(t, line, COL_NR_CPUS,
			   xasprintf("%u", llc->nr_cpus));
		table_cell(t, line, COL_NODE, cpumask_empty(&llc->nodes) ?
			   NULL : cpulist_format(&llc->nodes));
		table_cell(t, line, COL_ONLINE,
			   xasprintf("%u", llc->nr_online));
	}
	table_finish(t);
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		TABLE_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct table t = {
		.name = "llcs",
		.all = columns,
		.nr_all = NR_COLUMNS,
		.cols = { COL_ID, COL_LEVEL, COL_SIZE, COL_CPUS, COL_NR_CPUS,
			  COL_NODE, COL_ONLINE },
		.nr_cols = NR_COLUMNS,
	};
	struct topology topo;
	struct why why;
	char *cpus;
	int c, ret;

	while ((c = getopt_long(argc, argv, TABLE_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		if (c == 'h') {
			usage(&t);
			return EXIT_DONE;
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
		print_topology(&t, &topo);
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
