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

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl get [options] <cgroup>\n\n"
	      "Print the LLC preference that a cgroup states.\n\n"
	      "Options:\n"
	      " -e, --effective          print what is in force instead: mode, cpus, state\n"
	      COMMON_HELP
	      "\nA cgroup is named by its path below the cgroup2 mount, or by its absolute path.\n",
	      stdout);
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "effective", no_argument, NULL, 'e' },
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct attempt try = { .file = FILE_PREFER };
	struct cgroup_root root;
	struct why why;
	char *path = NULL, *text;
	int c, ret = EXIT_FAILED;

	while ((c = getopt_long(argc, argv, "e" COMMON_SHORTOPTS, longopts,
				NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		if (c == 'e')
			try.file = FILE_EFFECTIVE;
		else if (common_option(c, set))
			return try_help("get");
	}
	if (optind + 1 != argc) {
		warnx(optind == argc ? "no cgroup given" :
		      "more than one cgroup given");
		return try_help("get");
	}

	if (cgroup_root_open(set->cgroup_root, &root, &why) ||
	    cgroup_resolve(root.path, argv[optind], &path, &why)) {
		warnx("%s", why.text);
		goto out;
	}
	try.path = path;
	try.code = cgroup_read(&root, path, try.file, &text);
	if (try.code) {
		ret = report_failure(&root, &try);
		goto out;
	}
	puts(text);
	free(text);
	ret = EXIT_DONE;
out:
	free(path);
	cgroup_root_close(&root);
	return ret;
}

const struct command cmd_get = {
	.name = "get",
	.args = "<cgroup>",
	.help = "print what a cgroup states, or what is in force",
	.run = run,
};
