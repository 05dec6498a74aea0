// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl get: what does a cgroup state, and what is in force?
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "cgroup.h"
#include "explain.h"
#include "llcctl.h"
#include "target.h"

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl get [options] <cgroup>\n\n"
	      "Print the LLC preference that a cgroup states.\n\n"
	      "Options:\n"
	      " -e, --effective          print what is in force instead: mode, cpus, state\n"
	      TARGET_HELP
	      " -s, --stat               print what is counted instead\n"
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "effective", no_argument, NULL, 'e' },
		{ "stat",      no_argument, NULL, 's' },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct attempt try = { .file = FILE_PREFER };
	struct target t;
	char *text;
	int c, ret;

	while ((c = getopt_long(argc, argv,
				"es" TARGET_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		if (c == 'e')
			try.file = FILE_EFFECTIVE;
		else if (c == 's')
			try.file = FILE_STAT;
		else if (common_option(c, set))
			return try_help("get");
	}
	if (optind + !set->pid != argc) {
		warnx(optind == argc ? "no cgroup given" :
		      "more than one cgroup given");
		return try_help("get");
	}

	ret = target_open(set, argv[optind], &t);
	if (!ret) {
		try.path = t.path;
		try.code = cgroup_read(&t.root, t.path, try.file, &text);
		if (try.code) {
			ret = report_failure(&t.root, &try);
		} else {
			puts(text);
			free(text);
		}
	}
	target_close(&t);
	return ret;
}

const struct command cmd_get = {
	.name = "get",
	.args = "<cgroup>",
	.help = "print what a cgroup states, or what is in force",
	.run = run,
};
