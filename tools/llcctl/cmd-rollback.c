// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl rollback: how do the cgroups state again what they did before the
 * last llcctl apply?
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "changes.h"
#include "llcctl.h"
#include "state.h"
#include "stated.h"

enum {
	OPT_DRY_RUN = OPT_COMMAND,
	OPT_FORCE,
	OPT_STATE,
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl rollback [options]\n\n"
	      "Let the cgroups that the last llcctl apply has changed state again what they\n"
	      "did before.\n\n"
	      "Options:\n"
	      "     --dry-run            show what would be changed, as a diff\n"
	      "     --force              also where somebody else has changed it since\n"
	      " -J, --json               use JSON output format\n"
	      "     --state <file>       what was there before is in this file\n"
	      COMMON_HELP, stdout);
}

struct options {
	bool dry_run, force, json;
	const char *state;
};

/* What the cgroups of a plan state now. */
static struct stated *read_now(const struct cgroup_root *root,
			       const struct plan *plan)
{
	struct stated *now = xcalloc(plan->nr + 1, sizeof(*now));
	struct cgroup_root here;
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		now[i].path = plan->steps[i].path;
		if (stated_open(root, now[i].path, &here, &now[i].id))
			continue;
		if (cgroup_read(&here, "", FILE_PREFER, &now[i].value))
			now[i].value = NULL;
		close(here.fd);
	}
	return now;
}

static void free_now(struct stated *now, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(now[i].value);
	free(now);
}

static void report_kept(const struct plan *done)
{
	size_t i;

	for (i = 0; i < done->nr; i++)
		if (done->steps[i].why)
			warnx("/%s: %s", done->steps[i].path,
			      done->steps[i].why);
}

/* Each by itself: one that cannot be put back does not keep the others. */
static int put_back(struct plan *back, const struct cgroup_root *root)
{
	const struct plan_ops ops = stated_ops(root);
	int ret = EXIT_DONE;
	struct why why;
	size_t i;

	for (i = 0; i < back->nr; i++) {
		struct step *s = &back->steps[i];
		int one = ops.write(ops.ctx, s->path, s->id, s->value, &why);

		if (!one) {
			s->result = STEP_WRITTEN;
			continue;
		}
		warnx("/%s: %s%s", s->path, why.text, one == PLAN_GONE ?
		      " meanwhile, there is nothing to put back" : "");
		s->why = xstrdup(why.text);
		s->result = one == PLAN_GONE ? STEP_GONE : STEP_FAILED;
		if (one != PLAN_GONE && !ret)
			ret = one < 0 ? EXIT_FAILED : one;
	}
	return ret;
}

/* The state keeps what could not be put back, for another try. */
static int keep_rest(const char *state, struct plan *done,
		     const struct plan *back)
{
	struct plan rest = { 0 };
	struct why why;
	size_t i, j = 0;
	int ret;

	/* The steps back are some of those done, in reverse. */
	for (i = done->nr; i-- && j < back->nr;)
		if (!strcmp(done->steps[i].path, back->steps[j].path) &&
		    back->steps[j++].result == STEP_FAILED)
			done->steps[i].result = STEP_LEFT;
	for (i = 0; i < done->nr; i++) {
		const struct step *s = &done->steps[i];

		if (s->result == STEP_OTHER || s->result == STEP_LEFT)
			plan_add(&rest, s->path, s->id, s->was, s->value);
	}
	ret = state_save(state, &rest, &why);
	plan_free(&rest);
	if (ret)
		warnx("%s", why.text);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

static void show(const struct options *opt, const struct settings *set,
		 const struct plan *done, const struct plan *back,
		 const struct cgroup_root *root)
{
	const struct plan *const plans[] = { back, done };
	struct topology topo;

	if (opt->json) {
		changes_json("rollback", plans, ARRAY_SIZE(plans));
		return;
	}
	topology_load(set->sysroot, &topo, NULL);
	if (!back->nr)
		printf("nothing to put back\n");
	else if (opt->dry_run)
		changes_diff(back, "before the last llcctl apply", &topo);
	else
		changes_done(back, root, &topo);
	topology_free(&topo);
}

static int roll_back(const struct settings *set, const struct options *opt,
		     const struct cgroup_root *root, const char *state)
{
	struct plan done, back;
	struct stated *now;
	struct why why;
	int ret, rest;

	ret = state_load(state, &done, &why);
	if (ret == -ENOENT)
		warnx("there is nothing to take back: no llcctl apply has left %s",
		      state);
	else if (ret)
		warnx("%s", why.text);
	if (ret)
		return EXIT_FAILED;

	now = read_now(root, &done);
	ret = plan_back(&done, now, opt->force, &back) ? EXIT_FAILED :
							 EXIT_DONE;
	free_now(now, done.nr);
	report_kept(&done);
	if (!opt->dry_run) {
		rest = put_back(&back, root);
		if (rest)
			ret = rest;
		rest = keep_rest(state, &done, &back);
		if (rest && !ret)
			ret = rest;
	}
	show(opt, set, &done, &back, root);
	plan_free(&done);
	plan_free(&back);
	return ret;
}

static int lock_and_roll_back(const struct settings *set,
			      const struct options *opt,
			      const struct cgroup_root *root)
{
	struct why why;
	char *state = opt->state ? xstrdup(opt->state) :
				   state_path(set->sysroot, &why);
	int lock = -1, ret = EXIT_FAILED;

	if (state && !opt->dry_run)
		lock = state_lock(state, &why);
	if (!state || (lock < 0 && !opt->dry_run))
		warnx("%s", why.text);
	else
		ret = roll_back(set, opt, root, state);
	if (lock >= 0)
		close(lock);
	free(state);
	return ret;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "dry-run", no_argument,	NULL, OPT_DRY_RUN },
		{ "force",   no_argument,	NULL, OPT_FORCE },
		{ "json",    no_argument,	NULL, 'J' },
		{ "state",   required_argument, NULL, OPT_STATE },
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct options opt = { 0 };
	struct cgroup_root root;
	struct why why;
	int c, ret = EXIT_FAILED;

	while ((c = getopt_long(argc, argv, "J" COMMON_SHORTOPTS, longopts,
				NULL)) != -1) {
		switch (c) {
		case OPT_DRY_RUN:
			opt.dry_run = true;
			break;
		case OPT_FORCE:
			opt.force = true;
			break;
		case 'J':
			opt.json = true;
			break;
		case OPT_STATE:
			opt.state = optarg;
			break;
		case 'h':
			usage();
			return EXIT_DONE;
		default:
			if (common_option(c, set))
				return try_help("rollback");
		}
	}
	if (optind < argc) {
		warnx("unexpected argument: %s", argv[optind]);
		return try_help("rollback");
	}
	if (cgroup_root_open(set->cgroup_root, &root, &why))
		warnx("%s", why.text);
	else
		ret = lock_and_roll_back(set, &opt, &root);
	cgroup_root_close(&root);
	return ret;
}

const struct command cmd_rollback = {
	.name = "rollback",
	.args = "",
	.help = "take the last apply back",
	.run = run,
};
