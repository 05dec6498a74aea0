// SPDX-License-Identifier: GPL-2.0
/*
 * llcctl explain: what is in force for a cgroup, by whose word, and why not?
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "counters.h"
#include "diagnose.h"
#include "effective.h"
#include "explain.h"
#include "hierarchy.h"
#include "llcctl.h"
#include "prefer.h"
#include "setting.h"
#include "table.h"
#include "target.h"

enum { COL_TOPIC, COL_TEXT };

static const struct column columns[] = {
	[COL_TOPIC] = { "TOPIC", 1, 0, SCOLS_JSON_STRING,
			"stated, decides, bound, force, counted, reason, help" },
	[COL_TEXT]  = { "TEXT", 1, 0, SCOLS_JSON_STRING, "the sentence" },
};

static void usage(void)
{
	fputs("\nUsage:\n"
	      " llcctl explain [options] <cgroup>\n\n"
	      "Tell in sentences what a cgroup states, what it inherits, what is in force,\n"
	      "and if it is not, why and what would help.\n\n"
	      "Options:\n"
	      " -J, --json               use JSON output format\n"
	      TARGET_HELP
	      COMMON_HELP
	      TARGET_NAMES, stdout);
}

/**
 * struct talk - where the sentences go
 * @table: NULL for plain text
 */
struct talk {
	struct table *table;
};

/* Takes @text, a sentence without its full stop. */
static void say(const struct talk *talk, const char *topic, char *text)
{
	struct libscols_line *line;

	if (!talk->table) {
		printf("%s.\n", text);
		free(text);
		return;
	}
	line = table_line(talk->table, NULL);
	table_cell(talk->table, line, COL_TOPIC, xstrdup(topic));
	table_cell(talk->table, line, COL_TEXT, text);
}

/* What a value means for the tasks. */
static char *meaning(const char *value, const struct topology *topo)
{
	const struct topology any = { .last_cpu = -1 };
	struct prefer p;
	char *cpus, *text;

	if (prefer_parse(value, &any, &p, NULL))
		return xstrdup("which this llcctl does not know");
	cpus = setting_cpus(&p.cpus, topo);
	switch (p.mode) {
	case PREFER_GROUP:
		if (cpumask_empty(&p.cpus))
			text = xstrdup("its tasks are one group, which the kernel keeps on as few LLCs as hold it");
		else
			text = xasprintf("its tasks are one group, which the kernel keeps on as few LLCs as hold it, among those of CPUs %s",
					 cpus);
		break;
	case PREFER_LIST:
		text = xasprintf("its tasks prefer the LLCs of CPUs %s", cpus);
		break;
	case PREFER_PROCESS:
		text = xstrdup("each process is a group of its own");
		break;
	case PREFER_OFF:
		text = xstrdup("its tasks have no LLC preference of any kind");
		break;
	case PREFER_DEFAULT:
	default:
		text = xstrdup("it states nothing");
	}
	free(cpus);
	return text;
}

/* Who decides: the cgroup itself, one above it, or nobody. */
static void say_stated(const struct talk *talk, const char *path,
		       const struct statement *by, const struct effective *eff,
		       const struct topology *topo)
{
	const char *mode = effective_get(eff, "mode");
	char *means = by->path ? meaning(by->value, topo) : NULL;

	if (by->path && !strcmp(by->path, path)) {
		say(talk, "stated", xasprintf("/%s states '%s': %s", path,
					      by->value, means));
	} else {
		say(talk, "stated", xasprintf("/%s states nothing itself",
					      path));
		if (by->path)
			say(talk, "decides",
			    xasprintf("/%s decides for it with '%s': %s",
				      by->path, by->value, means));
		else if (mode && strcmp(mode, "process"))
			say(talk, "decides",
			    xasprintf("A cgroup above the mount, which is not seen from here, decides for it: mode %s",
				      mode));
		else
			say(talk, "decides",
			    xstrdup("No cgroup above it states anything: each process is a group of its own (cache aware scheduling), as without this file"));
	}
	free(means);
}

static void say_bound(const struct talk *talk, const struct cgroup_root *root,
		      const struct statement *by, const struct topology *topo)
{
	const struct topology any = { .last_cpu = -1 };
	struct statement bound;
	struct prefer p;
	char *cpus;

	if (!by->path || prefer_parse(by->value, &any, &p, NULL) ||
	    (p.mode != PREFER_GROUP && p.mode != PREFER_LIST))
		return;
	hierarchy_bound(root, by->path, &bound);
	if (!bound.path)
		return;
	if (!prefer_parse(bound.value, &any, &p, NULL)) {
		cpus = setting_cpus(&p.cpus, topo);
		say(talk, "bound",
		    xasprintf("It is confined to the LLCs of CPUs %s, which /%s states above",
			      cpus, bound.path));
		free(cpus);
	}
	statement_free(&bound);
}

static void say_force(const struct talk *talk, const struct effective *eff,
		      const struct diagnosis *d, const struct topology *topo)
{
	const char *mode = effective_get(eff, "mode");
	const char *list = effective_get(eff, "cpus");
	const char *state = effective_get(eff, "state");
	struct cpumask cpus = { 0 };
	char *where;

	if (!state) {
		say(talk, "force",
		    xstrdup("This kernel does not tell what is in force ("
			    FILE_EFFECTIVE " is missing)"));
		return;
	}
	if (list && cpulist_parse(list, -1, &cpus, NULL))
		memset(&cpus, 0, sizeof(cpus));
	where = setting_cpus(&cpus, topo);
	if (mode && !strcmp(mode, "off"))
		say(talk, "force",
		    xstrdup("In force: the scheduler does not look at LLCs for its tasks"));
	else if (strcmp(state, "active"))
		say(talk, "force", xasprintf("Not in force (state %s)", state));
	else if (mode && !strcmp(mode, "process"))
		say(talk, "force",
		    xstrdup("In force: the threads of each process are kept together"));
	else if (cpumask_empty(&cpus))
		say(talk, "force", xstrdup("In force"));
	else
		say(talk, "force",
		    xasprintf("In force: its tasks prefer CPUs %s now", where));
	free(where);
	if (d->reason)
		say(talk, "reason",
		    xasprintf("%s %s", strcmp(state, "active") ?
			      "The reason:" : "But", d->reason));
	if (d->help)
		say(talk, "help", xasprintf("What would help: %s", d->help));
}

static void say_counted(const struct talk *talk, const struct counters *c,
			bool known)
{
	double residency = counters_residency(c);

	if (!known) {
		say(talk, "counted", xstrdup("Nothing is counted: "
					     NO_COUNTERS_TEXT));
		return;
	}
	if (residency < 0) {
		say(talk, "counted",
		    xstrdup("Its tasks have not run since it was stated"));
		return;
	}
	say(talk, "counted",
	    xasprintf("Since it was stated, %.1f %% of %.1f s of run time was on the preferred LLCs, with %llu spill%s and %llu change%s of LLCs",
		      residency, c->usage_usec / 1e6, c->nr_spills,
		      c->nr_spills == 1 ? "" : "s", c->nr_moves,
		      c->nr_moves == 1 ? "" : "s"));
}

static int explain(const struct settings *set, struct table *t,
		   const struct cgroup_root *root, const char *path)
{
	struct attempt try = { .path = path, .file = FILE_PREFER };
	struct talk talk = { .table = t };
	struct effective eff = { 0 };
	struct counters counted = { 0 };
	struct topology topo;
	struct statement by;
	struct diagnosis d;
	const char *mode;
	bool known;
	char *text;

	try.code = hierarchy_decider(root, path, &by);
	if (try.code)
		return report_failure(root, &try);
	topology_load(set->sysroot, &topo, NULL);
	if (!cgroup_read(root, path, FILE_EFFECTIVE, &text)) {
		effective_parse(text, &eff);
		free(text);
	}
	known = !counters_read(root, path, &counted);
	diagnose(root, path, &eff, known ? &counted : NULL, &topo, &d);

	if (t)
		table_start(t, true);
	say_stated(&talk, path, &by, &eff, &topo);
	say_bound(&talk, root, &by, &topo);
	say_force(&talk, &eff, &d, &topo);
	mode = effective_get(&eff, "mode");
	if (mode && (!strcmp(mode, "group") || !strcmp(mode, "list")))
		say_counted(&talk, &counted, known);
	if (t)
		table_finish(t);

	diagnosis_free(&d);
	effective_free(&eff);
	topology_free(&topo);
	statement_free(&by);
	return EXIT_DONE;
}

static int run(struct settings *set, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "json", no_argument, NULL, 'J' },
		TARGET_LONGOPTS,
		COMMON_LONGOPTS,
		{ NULL, 0, NULL, 0 }
	};
	struct table table = {
		.name = "explain",
		.all = columns,
		.nr_all = ARRAY_SIZE(columns),
		.cols = { COL_TOPIC, COL_TEXT },
		.nr_cols = ARRAY_SIZE(columns),
		.json = true,
	};
	bool json = false;
	struct target t;
	int c, ret;

	while ((c = getopt_long(argc, argv,
				"J" TARGET_SHORTOPTS COMMON_SHORTOPTS,
				longopts, NULL)) != -1) {
		if (c == 'h') {
			usage();
			return EXIT_DONE;
		}
		if (c == 'J')
			json = true;
		else if (common_option(c, set))
			return try_help("explain");
	}
	if (optind + !set->pid != argc) {
		warnx(optind == argc ? "no cgroup given" :
		      "more than one cgroup given");
		return try_help("explain");
	}

	ret = target_open(set, argv[optind], &t);
	if (!ret)
		ret = explain(set, json ? &table : NULL, &t.root, t.path);
	target_close(&t);
	return ret;
}

const struct command cmd_explain = {
	.name = "explain",
	.args = "<cgroup>",
	.help = "tell in sentences what is in force, and why not",
	.run = run,
};
