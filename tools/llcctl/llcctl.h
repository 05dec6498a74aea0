/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What do the commands share with each other and with main()?
 */
#ifndef LLCCTL_H
#define LLCCTL_H

#include <getopt.h>
#include <stddef.h>

/* The one place that knows the version. */
#define LLCCTL_VERSION		"0.1"

/* Names of the files of the cpu controller. */
#define FILE_PREFER		"cpu.llc_prefer"
#define FILE_EFFECTIVE		"cpu.llc_prefer.effective"
#define FILE_STAT		"cpu.llc_prefer.stat"

/* Exit codes, as --help documents them. */
enum {
	EXIT_DONE	= 0,
	EXIT_FAILED	= 1,
	EXIT_USAGE	= 2,
	EXIT_NO_KERNEL	= 3,	/* the kernel lacks cpu.llc_prefer */
};

/**
 * struct settings - what the options common to all commands say
 * @sysroot: directory that stands for / when sysfs and procfs are read, ""
 *	for the running machine
 * @cgroup_root: directory used as the cgroup2 mount, NULL to look it up
 * @pid: the cgroup is that of this process, NULL if it was named otherwise
 */
struct settings {
	const char *sysroot;
	const char *cgroup_root;
	const char *pid;
};

/**
 * struct command - one word after `llcctl`
 * @name: the word
 * @args: its arguments as the usage line shows them
 * @help: one line for the global --help
 * @run: does the work and returns an exit code. argv[0] is the program's
 *	name, getopt has been reset.
 */
struct command {
	const char *name;
	const char *args;
	const char *help;
	int (*run)(struct settings *set, int argc, char **argv);
};

extern const struct command cmd_topology;
extern const struct command cmd_status;
extern const struct command cmd_top;
extern const struct command cmd_get;
extern const struct command cmd_set;
extern const struct command cmd_reset;
extern const struct command cmd_run;
extern const struct command cmd_explain;
extern const struct command cmd_measure;
extern const struct command cmd_apply;
extern const struct command cmd_rollback;
extern const struct command cmd_save;

/* Values of the options that every command takes; they have no letter. */
enum {
	OPT_SYSROOT = 256,
	OPT_CGROUP_ROOT,
	OPT_COMMAND,		/* first value that a command may use itself */
};

#define COMMON_LONGOPTS							\
	{ "sysroot",	 required_argument, NULL, OPT_SYSROOT },	\
	{ "cgroup-root", required_argument, NULL, OPT_CGROUP_ROOT },	\
	{ "help",	 no_argument,	    NULL, 'h' },		\
	{ "version",	 no_argument,	    NULL, 'V' }
#define COMMON_SHORTOPTS "hV"

/* Lines that end the option list of every --help. */
#define COMMON_HELP							\
	"     --cgroup-root <dir>  use this directory as the cgroup2 mount\n" \
	"     --sysroot <dir>      read the CPUs of a recorded machine\n" \
	" -h, --help               display this help\n"		\
	" -V, --version            display version\n"

/**
 * common_option() - handle an option that every command takes
 * @c: what getopt_long() returned
 * @set: filled in
 *
 * Exits after --version. --help is the command's own affair.
 *
 * Return: 0 if the option was taken, -1 if it is not a common one.
 */
int common_option(int c, struct settings *set);

/**
 * try_help() - end a usage message
 * @command: name of the command whose --help to point to, NULL for the
 *	global one
 *
 * Return: EXIT_USAGE
 */
int try_help(const char *command);

#endif
