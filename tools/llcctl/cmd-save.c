// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl save: which rules file states what the cgroups state now?
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "llcctl.h"
#include "rules.h"
#include "stated.h"
#include "table.h"
#include "target.h"

enum { COL_CGROUP, COL_PREFER };

static const struct column columns[] = {
	[COL_CGROUP] = { "CGROUP", 1, 0, SCOLS_JSON_STRING,
			 "pattern that fits the cgroup" },
	[COL_PREFER] = { "PREFER", 1, 0, SCOLS_JSON_STRING,
			 "what it states" },
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl save [options] [<cgroup>]\n\n"
	      "Print what the cgroups state, as a rules file for llcctl apply.\n\n"
	      "Options:\n"
	      " -J, --json               print the rules as JSON, which is YAML too\n"
	      TARGET_HELP
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

static void put_json(char **paths, char **values, size_t nr)
{
	struct table t = {
		.name = "rules",
		.all = columns,
		.nr_all = ARRAY_SIZE(columns),
		.cols = { COL_CGROUP, COL_PREFER },
		.nr_cols = ARRAY_SIZE(columns),
		.json = true,
	};
	size_t i;

	table_start(&t, true);
	for (i = 0; i < nr; i++) {
		struct libscols_line *line = table_line(&t, NULL);

		table_cell(&t, line, COL_CGROUP, rules_pattern(paths[i]));
		table_cell(&t, line, COL_PREFER, xstrdup(values[i]));
	}
	table_finish(&t);
}

static int save(const struct cgroup_root *root, const char *path, bool json)
{
	char **paths, **values;
	struct stated_list l;
	size_t i, nr = 0;
	int ret;

	ret = stated_load(root, path, &l);
	if (ret) {
		stated_free(&l);
		return ret;
	}
	paths = xcalloc(l.list.nr, sizeof(*paths));
	values = xcalloc(l.list.nr, sizeof(*values));
	for (i = 0; i < l.list.nr; i++) {
		if (!l.all[i].value || !strcmp(l.all[i].value, "default"))
			continue;
		if (!document_can_hold(l.list.nodes[i].path)) {
			warnx("/%s: left out: the name is not UTF-8, as a rules file must be",
			      l.list.nodes[i].path);
			ret = EXIT_FAILED;
			continue;
		}
		paths[nr] = l.list.nodes[i].path;
		values[nr++] = l.all[i].value;
	}
	if (json)
		put_json(paths, values, nr);
	else if (rules_put(stdout, paths, values, nr))
		ret = EXIT_FAILED;
	free(paths);
	free(values);
	stated_free(&l);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "json", no_argument, NULL, 'J' },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	bool json = false;
	struct target t;
	int c, ret;

	while ((c = getopt_long(argc, argv,
				"J" TARGET_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		switch (c) {
		case 'J':
			json = true;
			break;
		case 'h':
			usage();
			return EXIT_DONE;
		default:
			if (common_option(c, set))
				return try_help("save");
		}
	}
	if (argc - optind > !set->pid) {
		warnx(set->pid ? "--pid and a cgroup are mutually exclusive" :
		      "more than one cgroup given");
		return try_help("save");
	}
	ret = target_open(set, argv[optind], &t);
	if (!ret)
		ret = save(&t.root, t.path, json);
	target_close(&t);
	return ret;
}

const struct command cmd_save = {
	.name = "save",
	.args = "[<cgroup>]",
	.help = "print what is stated as a rules file",
	.run = run,
};
