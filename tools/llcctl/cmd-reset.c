// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl reset: how does a cgroup state nothing again?
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "explain.h"
#include "llcctl.h"
#include "setting.h"
#include "table.h"
#include "target.h"

enum {
	OPT_DRY_RUN = OPT_COMMAND,
};

enum { COL_CGROUP, COL_WAS, COL_WRITTEN };

static const struct column columns[] = {
	[COL_CGROUP]  = { "CGROUP", 1, 0, SCOLS_JSON_STRING,
			  "path of the cgroup" },
	[COL_WAS]     = { "WAS", 1, 0, SCOLS_JSON_STRING,
			  "what it stated before" },
	[COL_WRITTEN] = { "WRITTEN", 1, 0, SCOLS_JSON_BOOLEAN,
			  "false with --dry-run, and where it failed" },
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl reset [options] <cgroup>\n\n"
	      "Let a cgroup state no LLC preference: it goes back to 'default'.\n\n"
	      "Options:\n"
	      "     --dry-run            show what would be reset\n"
	      " -J, --json               use JSON output format\n"
	      TARGET_HELP
	      " -R, --recursive          and all cgroups below it\n"
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

struct options {
	bool dry_run, json, recursive;
};

static void tell(const struct options *opt, struct table *t, const char *path,
		 const char *was, bool done)
{
	struct libscols_line *line;

	if (opt->json) {
		line = table_line(t, NULL);
		table_cell(t, line, COL_CGROUP, xasprintf("/%s", path));
		table_cell(t, line, COL_WAS, xstrdup(was));
		table_cell(t, line, COL_WRITTEN, xstrdup(done ? "1" : "0"));
	} else if (done) {
		printf("%s: default, was '%s'\n", CGROUP_LABEL(path), was);
	} else if (opt->dry_run) {
		printf("%s: would be default, is '%s'\n", CGROUP_LABEL(path),
		       was);
	}
}

/*
 * Returns how it went; *@nr counts what there was to reset. A cgroup below
 * that has no file, or is gone, has nothing to reset.
 */
static int reset_one(const struct options *opt, struct table *t,
		     const struct cgroup_root *root, const char *path,
		     bool below, size_t *nr)
{
	static const struct prefer nothing = { .mode = PREFER_DEFAULT };
	struct attempt try = { .path = path, .file = FILE_PREFER };
	int ret = EXIT_DONE;
	char *was;

	try.code = cgroup_read(root, path, FILE_PREFER, &was);
	if (below && (try.code == -ENOENT || try.code == -ENODEV))
		return EXIT_DONE;
	if (try.code)
		return report_failure(root, &try);
	if (strcmp(was, "default")) {
		ret = setting_check(root, path, "default");
		if (!ret && !opt->dry_run)
			ret = setting_write(root, path, &nothing);
		(*nr)++;
		tell(opt, t, path, was, !ret && !opt->dry_run);
	}
	free(was);
	return ret;
}

/* Top down: what is below must not decide for a moment in its place. */
static int reset(const struct options *opt, const struct cgroup_root *root,
		 const char *path)
{
	struct table t = {
		.name = "reset",
		.all = columns,
		.nr_all = ARRAY_SIZE(columns),
		.cols = { COL_CGROUP, COL_WAS, COL_WRITTEN },
		.nr_cols = ARRAY_SIZE(columns),
		.json = opt->json,
	};
	struct attempt try = { .path = path, .file = FILE_PREFER };
	struct cgroup_list list;
	size_t i, nr = 0;
	int ret = EXIT_DONE;

	try.code = cgroup_walk(root, path, &list);
	if (try.code) {
		cgroup_list_free(&list);
		return report_failure(root, &try);
	}
	if (opt->json)
		table_start(&t, true);
	for (i = 0; i < (opt->recursive ? list.nr : 1); i++) {
		/* The root has no file, and is a fine place to begin. */
		int one = reset_one(opt, &t, root, list.nodes[i].path,
				    i || (opt->recursive && !*path), &nr);

		if (one && !ret)
			ret = one;
	}
	if (opt->json)
		table_finish(&t);
	else if (!nr && !ret)
		printf("%s: states nothing%s\n", CGROUP_LABEL(path),
		       opt->recursive ? ", nor does any cgroup below" : "");
	cgroup_list_free(&list);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "dry-run",   no_argument, NULL, OPT_DRY_RUN },
		{ "json",      no_argument, NULL, 'J' },
		{ "recursive", no_argument, NULL, 'R' },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct options opt = { 0 };
	struct target t;
	int c, ret;

	while ((c = getopt_long(argc, argv,
				"JR" TARGET_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		switch (c) {
		case OPT_DRY_RUN:
			opt.dry_run = true;
			break;
		case 'J':
			opt.json = true;
			break;
		case 'R':
			opt.recursive = true;
			break;
		case 'h':
			usage();
			return EXIT_DONE;
		default:
			if (common_option(c, set))
				return try_help("reset");
		}
	}
	if (optind + !set->pid != argc) {
		warnx(optind == argc ? "no cgroup given" :
		      "more than one cgroup given");
		return try_help("reset");
	}

	ret = target_open(set, argv[optind], &t);
	if (!ret)
		ret = reset(&opt, &t.root, t.path);
	target_close(&t);
	return ret;
}

const struct command cmd_reset = {
	.name = "reset",
	.args = "<cgroup>",
	.help = "take a preference back",
	.run = run,
};
