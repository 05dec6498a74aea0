// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl set: how does a cgroup come to state a preference?
 *
 * The value is understood first, so that a mistake is explained and changes
 * nothing. Then it is written once, normalised, read back and compared: a
 * container tool once reported success for a write that never happened.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "effective.h"
#include "explain.h"
#include "llcctl.h"
#include "prefer.h"

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl set [options] <cgroup> <value>\n\n"
	      "State which LLCs the tasks of a cgroup prefer.\n\n"
	      "Values:\n"
	      " default                  nothing: the nearest ancestor that says more decides\n"
	      " group                    keep the tasks together, on LLCs the kernel chooses\n"
	      " group <list>             the same, choosing among these LLCs only\n"
	      " <list>                   prefer these LLCs, named by their CPUs (0-15,64), or\n"
	      "                          as 'llcctl topology' calls them (llc:2), or both\n"
	      " process                  keep the threads of each process together\n"
	      " off                      no LLC preference of any kind\n\n"
	      "Options:\n"
	      COMMON_HELP
	      "\nExample:\n"
	      " llcctl set web.slice group llc:0,llc:1\n", stdout);
}

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

/* Only a name needs the caches; the last CPU is enough for all else. */
static int understand(const struct settings *set, const char *text,
		      struct prefer *want, struct why *why)
{
	struct topology topo = { .last_cpu = -1 };
	int ret = 0;

	if (strstr(text, "llc:"))
		ret = topology_load(set->sysroot, &topo, why);
	else
		topo.last_cpu = topology_last_cpu(set->sysroot);
	if (!ret)
		ret = prefer_parse(text, &topo, want, why);
	topology_free(&topo);
	return ret;
}

/* True if the cgroup now states @want; else the reason is printed. */
static bool verify(const struct cgroup_root *root, const char *path,
		   const struct prefer *want, const char *wanted)
{
	const struct topology any = { .last_cpu = -1 };
	struct attempt try = { .path = path, .file = FILE_PREFER };
	struct prefer got;
	bool same;
	char *text;

	try.code = cgroup_read(root, path, FILE_PREFER, &text);
	if (try.code) {
		report_failure(root, &try);
		return false;
	}
	same = !prefer_parse(text, &any, &got, NULL) &&
	       prefer_equal(want, &got);
	if (!same)
		warnx("/%s: '%s' was written, but %s now reads '%s'", path,
		      wanted, FILE_PREFER, text);
	free(text);
	return same;
}

/* Say what is in force now, and why it is not if it is not. */
static void show(const struct cgroup_root *root, const char *path,
		 const char *name, const struct prefer *want,
		 const char *wanted)
{
	struct effective eff;
	const char *state, *reason;
	char *text, *summary;

	if (cgroup_read(root, path, FILE_EFFECTIVE, &text)) {
		printf("%s: %s\n", name, wanted);
		return;
	}
	effective_parse(text, &eff);
	free(text);
	summary = effective_summary(&eff);
	printf("%s: %s (%s)\n", name, wanted, summary);
	free(summary);

	/* `default` and `off` want nothing that a state could prevent. */
	state = effective_get(&eff, "state");
	if (state && !strcmp(state, "idle")) {
		/* As it must be when the value has just been written. */
		printf("%s: the kernel chooses an LLC as soon as the group has run\n",
		       name);
	} else if (state && strcmp(state, "active") &&
	    want->mode != PREFER_DEFAULT && want->mode != PREFER_OFF) {
		reason = effective_reason(state);
		fflush(stdout);
		if (reason)
			warnx("/%s: accepted, but without effect now: %s",
			      path, reason);
		else
			warnx("/%s: accepted, but its state now is '%s'",
			      path, state);
	}
	effective_free(&eff);
}

static int set_value(const struct settings *set,
		     const struct cgroup_root *root, const char *path,
		     const char *name, const char *text)
{
	struct attempt try = { .path = path, .file = FILE_PREFER };
	struct prefer want;
	struct why why;
	int ret = EXIT_FAILED;
	char *wanted;

	if (understand(set, text, &want, &why)) {
		warnx("/%s: %s", path, why.text);
		return EXIT_FAILED;
	}
	wanted = prefer_format(&want);
	try.value = wanted;
	try.code = cgroup_write(root, path, FILE_PREFER, wanted, &try.opened);
	if (try.code) {
		ret = report_failure(root, &try);
	} else if (verify(root, path, &want, wanted)) {
		show(root, path, name, &want, wanted);
		ret = EXIT_DONE;
	}
	free(wanted);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct cgroup_root root;
	struct why why;
	char *path = NULL, *text;
	int c, ret = EXIT_FAILED;

	while ((c = getopt_long(argc, argv, COMMON_SHORTOPTS, longopts,
				NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		if (common_option(c, set))
			return try_help("set");
	}
	if (argc - optind < 2) {
		warnx(optind == argc ? "no cgroup given" : "no value given");
		return try_help("set");
	}

	if (cgroup_root_open(set->cgroup_root, &root, &why) ||
	    cgroup_resolve(root.path, argv[optind], &path, &why)) {
		warnx("%s", why.text);
	} else {
		text = join(argv + optind + 1, argc - optind - 1);
		ret = set_value(set, &root, path, argv[optind], text);
		free(text);
	}
	free(path);
	cgroup_root_close(&root);
	return ret;
}

const struct command cmd_set = {
	.name = "set",
	.args = "<cgroup> <value>",
	.help = "state a preference",
	.run = run,
};
