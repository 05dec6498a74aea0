// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl apply: how do all cgroups come to state what a rules file says?
 *
 * All that can be known is found out before anything is written: the rules are
 * understood, the cgroups read, the files tried. What was there before is in
 * a file before the first write, and put back after a write that fails.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changes.h"
#include "explain.h"
#include "llcctl.h"
#include "plan.h"
#include "rules.h"
#include "state.h"
#include "stated.h"

enum {
	OPT_DRY_RUN = OPT_COMMAND,
	OPT_STATE,
	OPT_STRICT,
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl apply [options] <file>|-\n\n"
	      "Let all cgroups state what a rules file says; all of it, or nothing.\n\n"
	      "The file, in YAML; of the rules that match a cgroup the last decides:\n"
	      " rules:\n"
	      "   - cgroup: kubepods.slice/*     # path; * within a name, /**/ any names\n"
	      "     prefer: group                # as llcctl set takes it\n"
	      "   - unit: nginx.service          # or a systemd unit\n"
	      "     prefer: llc:2\n\n"
	      "Options:\n"
	      "     --dry-run            show what would be changed, as a diff\n"
	      " -J, --json               use JSON output format\n"
	      "     --state <file>       keep here what was there before, for rollback\n"
	      "     --strict             a rule that matches no cgroup is an error\n"
	      COMMON_HELP, stdout);
}

struct options {
	bool dry_run, json, strict;
	const char *state;
};

/**
 * struct job - what is applied to what
 * @topo: the LLCs
 * @rules: the file
 * @l: what all cgroups state
 * @plan: what is to be changed
 */
struct job {
	struct topology topo;
	struct rules rules;
	struct stated_list l;
	struct plan plan;
};

static volatile sig_atomic_t got_signal;

static void note_signal(int sig)
{
	got_signal = sig;
}

/* From here on a signal does not end the program in the middle. */
static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = note_signal };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

static bool stopped(void *ctx)
{
	(void)ctx;
	return got_signal;
}

static int load_rules(const struct settings *set, const char *file,
		      struct job *job)
{
	bool is_stdin = !strcmp(file, "-");
	const char *name = is_stdin ? "<stdin>" : file;
	struct why why, no_llcs;
	int fd, ret, unknown;
	size_t len;
	char *text;

	fd = is_stdin ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : read_fd_len(fd, &text, &len);
	if (fd >= 0)
		close(fd);
	if (ret) {
		warnx("cannot read %s: %s", name, strerror(-ret));
		return EXIT_FAILED;
	}
	unknown = topology_load(set->sysroot, &job->topo, &no_llcs);
	ret = rules_parse(name, text, len, &job->topo,
			  unknown ? &no_llcs : NULL, &job->rules, &why);
	free(text);
	if (ret)
		warnx("%s", why.text);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

/* Returns how many rules match nothing. */
static size_t report_idle_rules(const struct rules *rules, const bool *hit,
				const char *mount)
{
	size_t i, nr = 0, len = strlen(mount);

	for (i = 0; i < rules->nr; i++) {
		const struct rule *r = &rules->all[i];

		if (hit[i])
			continue;
		if (len && !strncmp(r->pattern, mount, len))
			warnx("%s:%u: no cgroup matches '%s': a pattern begins below %s",
			      rules->name, r->line, r->pattern, mount);
		else
			warnx("%s:%u: no cgroup matches '%s'", rules->name,
			      r->line, r->pattern);
		nr++;
	}
	return nr;
}

static void report_without(const struct cgroup_root *root,
			   const struct plan *plan)
{
	struct attempt try = {
		.path = plan->without,
		.file = FILE_PREFER,
		.code = -ENOENT,
	};
	struct why why;

	if (!plan->nr_without)
		return;
	explain_failure(root, &try, &why);
	if (plan->nr_without == 1)
		warnx("/%s is left out: %s", plan->without, why.text);
	else
		warnx("%zu cgroups that match a pattern have no %s and are left out, the first is /%s: %s",
		      plan->nr_without, FILE_PREFER, plan->without, why.text);
}

static void report_step(const struct job *job, const struct step *s,
			const char *text)
{
	warnx("%s:%u: /%s: %s", job->rules.name, s->line, s->path, text);
}

/* All that can be known before anything is changed. */
static int make_plan(const struct options *opt, struct job *job,
		     const struct cgroup_root *root)
{
	const struct plan_ops ops = stated_ops(root);
	const struct step *failed;
	struct why why;
	size_t idle;
	bool *hit;
	int ret;

	ret = stated_load(root, "", &job->l);
	if (ret)
		return ret;
	hit = xcalloc(job->rules.nr + 1, sizeof(*hit));
	plan_make(&job->rules, job->l.all, job->l.list.nr, hit, &job->plan);
	idle = report_idle_rules(&job->rules, hit, root->path);
	free(hit);
	if (idle && opt->strict) {
		warnx("nothing is changed, since --strict was given");
		return EXIT_FAILED;
	}
	report_without(root, &job->plan);
	ret = plan_check(&job->plan, &ops, &failed, &why);
	if (ret)
		report_step(job, failed, why.text);
	return ret;
}

static void report_gone(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->plan.nr; i++)
		if (job->plan.steps[i].result == STEP_GONE)
			warnx("/%s: %s meanwhile, and is left out",
			      job->plan.steps[i].path, job->plan.steps[i].why);
}

/* What was put back, what not, and what there is left to put back. */
static void report_undone(const struct job *job, struct plan *left)
{
	size_t i;

	for (i = 0; i < job->plan.nr; i++) {
		const struct step *s = &job->plan.steps[i];

		if (s->result == STEP_UNDONE)
			warnx("/%s: put back, it states '%s' again", s->path,
			      s->was);
		else if (s->result == STEP_GONE)
			warnx("/%s: %s meanwhile, there is nothing to put back",
			      s->path, s->why);
		else if (s->result == STEP_LEFT) {
			warnx("/%s: NOT put back, '%s' was written and '%s' was there before: %s",
			      s->path, s->value, s->was, s->why);
			plan_add(left, s->path, s->id, s->was, s->value);
		}
	}
	if (left->nr)
		warnx("'llcctl rollback' tries again to put back what is left");
	else
		warnx("nothing is changed");
}

static bool any_written(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr; i++)
		if (plan->steps[i].result == STEP_WRITTEN)
			return true;
	return false;
}

static int execute(struct job *job, const struct cgroup_root *root,
		   const char *state)
{
	struct plan_ops ops = stated_ops(root);
	const struct step *failed;
	struct plan before = { 0 }, left = { 0 };
	struct why why;
	int ret;

	/* What an older apply left stands, should this one change nothing. */
	if (state_load(state, &before, &why))
		before = (struct plan){ 0 };
	if (state_save(state, &job->plan, &why)) {
		warnx("%s; without it nothing could be taken back, and nothing was changed",
		      why.text);
		plan_free(&before);
		return EXIT_FAILED;
	}
	ops.stop = stopped;
	ret = plan_execute(&job->plan, &ops, &failed, &why);
	if (ret) {
		report_step(job, failed, why.text);
		report_undone(job, &left);
	} else {
		report_gone(job);
	}
	if ((ret || !any_written(&job->plan)) &&
	    state_save(state, left.nr ? &left : &before, &why)) {
		warnx("%s", why.text);
		ret = EXIT_FAILED;
	}
	plan_free(&before);
	plan_free(&left);
	return ret < 0 ? EXIT_FAILED : ret;
}

static int show(const struct options *opt, const struct job *job,
		const struct cgroup_root *root)
{
	const struct plan *plan = &job->plan;

	if (opt->json)
		changes_json("apply", &plan, 1);
	else if (!plan->nr)
		printf("nothing to change: %zu cgroup%s matched, and %s already what the rules say\n",
		       plan->nr_same, plan->nr_same == 1 ? "" : "s",
		       plan->nr_same == 1 ? "states" : "state");
	else if (opt->dry_run)
		changes_diff(plan, job->rules.name, &job->topo);
	else
		changes_done(plan, root, &job->topo);
	return EXIT_DONE;
}

static int apply_rules(const struct settings *set, const struct options *opt,
		       struct job *job, const struct cgroup_root *root)
{
	char *state = opt->state ? xstrdup(opt->state) : NULL;
	int lock = -1, ret = EXIT_DONE;
	struct why why;

	if (!opt->dry_run) {
		if (!state)
			state = state_path(set->sysroot, &why);
		catch_signals();
		lock = state ? state_lock(state, &why) : -1;
		if (lock < 0) {
			warnx("%s", why.text);
			ret = EXIT_FAILED;
		}
	}
	if (!ret)
		ret = make_plan(opt, job, root);
	if (!ret && !opt->dry_run && job->plan.nr)
		ret = execute(job, root, state);
	if (!ret || (opt->json && job->plan.nr))
		show(opt, job, root);
	if (lock >= 0)
		close(lock);
	free(state);
	return ret;
}

static int apply_file(const struct settings *set, const struct options *opt,
		      const char *file)
{
	struct job job = { .topo.last_cpu = -1 };
	struct cgroup_root root;
	struct why why;
	int ret = load_rules(set, file, &job);

	if (!ret) {
		if (cgroup_root_open(set->cgroup_root, &root, &why)) {
			warnx("%s", why.text);
			ret = EXIT_FAILED;
		} else {
			ret = apply_rules(set, opt, &job, &root);
		}
		cgroup_root_close(&root);
	}
	plan_free(&job.plan);
	stated_free(&job.l);
	rules_free(&job.rules);
	topology_free(&job.topo);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "dry-run", no_argument,	NULL, OPT_DRY_RUN },
		{ "json",    no_argument,	NULL, 'J' },
		{ "state",   required_argument, NULL, OPT_STATE },
		{ "strict",  no_argument,	NULL, OPT_STRICT },
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct options opt = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "J" COMMON_SHORTOPTS, longopts,
				NULL)) != -1) {
		switch (c) {
		case OPT_DRY_RUN:
			opt.dry_run = true;
			break;
		case 'J':
			opt.json = true;
			break;
		case OPT_STATE:
			opt.state = optarg;
			break;
		case OPT_STRICT:
			opt.strict = true;
			break;
		case 'h':
			usage();
			return EXIT_DONE;
		default:
			if (common_option(c, set))
				return try_help("apply");
		}
	}
	if (argc - optind != 1) {
		warnx(optind == argc ? "no rules file given ('-' is standard input)" :
		      "more than one rules file given");
		return try_help("apply");
	}
	return apply_file(set, &opt, argv[optind]);
}

const struct command cmd_apply = {
	.name = "apply",
	.args = "<file>|-",
	.help = "state what a rules file says",
	.run = run,
};
