// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl run: how does one command run with an LLC preference?
 *
 * It gets a cgroup of its own, which says so before the command starts and
 * which goes with it. This process stays outside, passes signals on, and ends
 * as the command did.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "diagnose.h"
#include "llcctl.h"
#include "prefer.h"
#include "setting.h"
#include "target.h"
#include "transient.h"

/* As the shell, env and nice have them. */
enum {
	EXIT_NOT_EXECUTABLE	= 126,
	EXIT_NOT_FOUND		= 127,
	EXIT_SIGNAL		= 128,	/* and the signal's number */
};

enum {
	OPT_PREFER = OPT_COMMAND,
	OPT_CGROUP,
};

static const int passed_on[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT,
	SIGWINCH,
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl run [options] [--] <command> [<argument>...]\n\n"
	      "Run a command in a cgroup of its own that states an LLC preference.\n\n"
	      "Options:\n"
	      "     --cgroup <path>      make this cgroup (default: one near the caller's)\n"
	      "     --prefer <value>     what it states, as 'llcctl set' takes it\n"
	      "                          (default: group)\n"
	      " -v, --verbose            say what it states, and where\n"
	      COMMON_HELP
	      "\nExit status: the command's; 128 and the number of a signal that ended it;\n"
	      "127 if it is not found, 126 if it cannot be run; else as 'llcctl --help' has it.\n",
	      stdout);
}

/* The child: waits until it is in its cgroup, then becomes the command. */
static void become(char **command, int go, const sigset_t *mask)
{
	ssize_t n;
	int code;
	char c;

	do
		n = read(go, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(EXIT_FAILED);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(*command, command);
	code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	warn("cannot run %s", *command);
	_exit(code);
}

/* From here on signals wait for attend(), so that none leaves a cgroup behind. */
static void hold_signals(sigset_t *signals, sigset_t *mask)
{
	size_t i;

	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(signals, passed_on[i]);
	/* Whoever started us may have ignored it: then no child is reported. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, signals, mask);
	sigdelset(mask, SIGCHLD);
}

/* The number of a signal that came before there was a command, or 0. */
static int came_early(void)
{
	static const struct timespec now;
	sigset_t ending;
	int sig;

	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGQUIT);
	sigaddset(&ending, SIGTERM);
	sig = sigtimedwait(&ending, NULL, &now);
	return sig > 0 ? sig : 0;
}

/* Until the command ends; returns its exit status. */
static int attend(pid_t pid, const sigset_t *signals)
{
	siginfo_t info;
	int status;

	for (;;) {
		if (sigwaitinfo(signals, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD) {
			/* One from the terminal has reached the command too. */
			if (info.si_code != SI_KERNEL)
				kill(pid, info.si_signo);
			continue;
		}
		if (waitpid(pid, &status, WNOHANG) != pid)
			continue;
		if (WIFSIGNALED(status))
			return EXIT_SIGNAL + WTERMSIG(status);
		return WEXITSTATUS(status);
	}
}

static int run_command(const struct cgroup_root *root, const char *path,
		       char **command, const sigset_t *signals,
		       const sigset_t *mask)
{
	int go[2], ret = came_early();
	struct why why;
	pid_t pid;

	if (ret)
		return EXIT_SIGNAL + ret;
	fflush(stdout);
	if (pipe(go)) {
		warn("cannot make a pipe");
		return EXIT_FAILED;
	}
	pid = fork();
	if (pid < 0) {
		warn("cannot fork");
		return EXIT_FAILED;
	}
	if (!pid) {
		close(go[1]);
		become(command, go[0], mask);
	}
	close(go[0]);
	ret = transient_attach(root, path, pid, &why);
	if (ret) {
		warnx("%s", why.text);
		close(go[1]);
		attend(pid, signals);
		return EXIT_FAILED;
	}
	if (write(go[1], "", 1) != 1)
		warn("cannot start %s", *command);
	close(go[1]);
	return attend(pid, signals);
}

/* Say what it states, if asked, and why that is without effect. */
static void tell(const struct cgroup_root *root, const char *path,
		 const struct prefer *want, const struct topology *topo,
		 bool verbose)
{
	struct effective eff = { 0 };
	char *text;

	if (!cgroup_read(root, path, FILE_EFFECTIVE, &text)) {
		effective_parse(text, &eff);
		free(text);
	}
	if (verbose) {
		text = setting_describe(want, topo);
		fprintf(stderr, "%s: %s\n", path, text);
		free(text);
	}
	report_state(root, path, want, &eff, topo);
	effective_free(&eff);
}

static int run_in(const struct settings *set, const struct cgroup_root *root,
		  const char *path, const char *value, bool verbose,
		  char **command)
{
	sigset_t signals, mask;
	struct topology topo;
	struct prefer want;
	struct why why;
	int ret, gone;

	ret = setting_parse(set->sysroot, value, &topo, &want, &why);
	hold_signals(&signals, &mask);
	if (!ret)
		ret = transient_make(root, path, &why);
	if (ret) {
		warnx("%s", why.text);
		topology_free(&topo);
		return EXIT_FAILED;
	}
	ret = setting_write(root, path, &want);
	if (!ret) {
		tell(root, path, &want, &topo, verbose);
		ret = run_command(root, path, command, &signals, &mask);
	}
	topology_free(&topo);

	gone = transient_remove(root, path);
	if (gone == -EBUSY)
		warnx("/%s stays: processes of the command still run in it (rmdir %s/%s when they have ended)",
		      path, root->path, path);
	else if (gone)
		warnx("cannot remove /%s: %s", path, strerror(-gone));
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "cgroup",  required_argument, NULL, OPT_CGROUP },
		{ "prefer",  required_argument, NULL, OPT_PREFER },
		{ "verbose", no_argument,	NULL, 'v' },
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	const char *value = "group", *name = NULL;
	char *path = NULL, *parent = NULL;
	struct cgroup_root root;
	bool verbose = false;
	struct why why;
	int c, ret;

	while ((c = getopt_long(argc, argv, "+v" COMMON_SHORTOPTS, longopts,
				NULL)) != -1) {
		switch (c) {
		case OPT_PREFER:
			value = optarg;
			break;
		case OPT_CGROUP:
			name = optarg;
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			usage();
			return EXIT_DONE;
		default:
			if (common_option(c, set))
				return try_help("run");
		}
	}
	if (optind == argc) {
		warnx("no command given");
		return try_help("run");
	}

	ret = cgroup_root_open(set->cgroup_root, &root, &why);
	if (!ret && name) {
		ret = cgroup_resolve(root.path, name, &path, &why);
	} else if (!ret) {
		ret = transient_place(&root, set->sysroot, &parent, &why);
		if (!ret)
			path = xasprintf("%s%sllcctl-run-%d", parent,
					 *parent ? "/" : "", getpid());
	}
	if (ret) {
		warnx("%s", why.text);
		ret = EXIT_FAILED;
	} else {
		ret = run_in(set, &root, path, value, verbose, argv + optind);
	}
	free(parent);
	free(path);
	cgroup_root_close(&root);
	return ret;
}

const struct command cmd_run = {
	.name = "run",
	.args = "<command>",
	.help = "run a command with a preference",
	.run = run,
};
