// SPDX-License-Identifier: GPL-2.0
/*
 * Which command did the user ask for?
 *
 * llcctl shows the last-level caches (LLCs) of a machine, and shows and sets
 * the preference of a cgroup's tasks for them: the file cpu.llc_prefer of
 * cgroup v2. Each command lives in its own cmd-*.c.
 */
#include <err.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llcctl.h"
#include "util.h"

static const struct command *const commands[] = {
	&cmd_topology,
	&cmd_status,
	&cmd_top,
	&cmd_get,
	&cmd_set,
	&cmd_reset,
	&cmd_run,
	&cmd_explain,
	&cmd_measure,
	&cmd_apply,
	&cmd_rollback,
	&cmd_save,
};

#define NR_COMMANDS ARRAY_SIZE(commands)

static void usage(void)
{
	size_t i;

	fputs("\nUsage:\n"
	      " llcctl [options] <command> [arguments]\n\n"
	      "Show and set which last-level caches (LLCs) the tasks of a cgroup prefer.\n\n"
	      "Commands:\n", stdout);
	for (i = 0; i < NR_COMMANDS; i++) {
		char call[32];

		snprintf(call, sizeof(call), "%s %s", commands[i]->name,
			 commands[i]->args);
		printf(" %-24s %s\n", call, commands[i]->help);
	}
	fputs("\nOptions:\n"
	      COMMON_HELP
	      "\nExit status: 0 done, 1 failed, 2 usage error, 3 the kernel lacks cpu.llc_prefer.\n\n"
	      "'llcctl <command> --help' tells more about a command.\n", stdout);
}

int common_option(int c, struct settings *set)
{
	switch (c) {
	case OPT_SYSROOT:
		set->sysroot = optarg;
		return 0;
	case OPT_CGROUP_ROOT:
		set->cgroup_root = optarg;
		return 0;
	case 'p':
		set->pid = optarg;
		return 0;
	case 'V':
		printf("llcctl %s\n", LLCCTL_VERSION);
		exit(EXIT_DONE);
	default:
		return -1;
	}
}

int try_help(const char *command)
{
	fprintf(stderr, "Try 'llcctl %s%s--help' for more information.\n",
		command ? command : "", command ? " " : "");
	return EXIT_USAGE;
}

/* A full disk or a closed pipe must not look like success. */
static void close_stdout(void)
{
	int failed = ferror(stdout);

	/* Started with stdout closed: nothing was to be seen anyway. */
	if (!fclose(stdout) && !failed)
		return;
	if (errno == EBADF && !failed)
		return;
	if (errno && errno != EPIPE)
		warn("write error");
	_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct settings set = { .sysroot = "" };
	size_t i;
	int c;

	setlocale(LC_ALL, "");
	atexit(close_stdout);

	argv[0] = program_invocation_short_name;
	while ((c = getopt_long(argc, argv, "+" COMMON_SHORTOPTS, longopts,
				NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		if (common_option(c, &set))
			return try_help(NULL);
	}
	if (optind == argc) {
		warnx("no command given");
		return try_help(NULL);
	}

	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(argv[optind], commands[i]->name))
			continue;
		argv += optind;
		argc -= optind;
		argv[0] = program_invocation_short_name;
		optind = 0;
		return commands[i]->run(&set, argc, argv);
	}
	warnx("unknown command: %s", argv[optind]);
	return try_help(NULL);
}
