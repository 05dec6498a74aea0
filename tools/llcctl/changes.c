// SPDX-License-Identifier: GPL-2.0
/*
 * How is a plan, or what came of it, shown to a person and to a program?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "effective.h"
#include "llcctl.h"
#include "llcname.h"
#include "setting.h"
#include "table.h"
#include "target.h"

enum { COL_CGROUP, COL_WAS, COL_PREFER, COL_LINE, COL_RESULT, COL_WHY };

static const struct column columns[] = {
	[COL_CGROUP] = { "CGROUP", 1, 0, SCOLS_JSON_STRING,
			 "path of the cgroup" },
	[COL_WAS]    = { "WAS", 1, 0, SCOLS_JSON_STRING,
			 "what it stated before" },
	[COL_PREFER] = { "PREFER", 1, 0, SCOLS_JSON_STRING,
			 "the value, as the file has it" },
	[COL_LINE]   = { "LINE", 1, 0, SCOLS_JSON_NUMBER,
			 "of the rule in its file" },
	[COL_RESULT] = { "RESULT", 1, 0, SCOLS_JSON_STRING,
			 "planned, written, failed, undone, left, gone or other" },
	[COL_WHY]    = { "WHY", 1, 0, SCOLS_JSON_STRING,
			 "the reason, if it is not written" },
};

static bool understand(const char *value, struct prefer *p)
{
	const struct topology any = { .last_cpu = -1 };

	return !prefer_parse(value, &any, p, NULL);
}

void changes_diff(const struct plan *plan, const char *to,
		  const struct topology *topo)
{
	struct prefer p;
	size_t i;

	printf("--- now\n+++ %s\n", to);
	for (i = 0; i < plan->nr; i++) {
		const struct step *s = &plan->steps[i];
		char *what = NULL;

		if (understand(s->value, &p) && !cpumask_empty(&p.cpus))
			what = llc_describe(topo, &p.cpus);
		printf("@@ %s @@", CGROUP_LABEL(s->path));
		if (s->line)
			printf(" line %u", s->line);
		if (what)
			printf("%s %s", s->line ? "," : "", what);
		printf("\n-%s\n+%s\n", s->was, s->value);
		free(what);
	}
}

static char *in_force(const struct cgroup_root *root, const char *path,
		      const struct prefer *want, const struct topology *topo)
{
	struct effective eff;
	char *text, *force;

	if (cgroup_read(root, path, FILE_EFFECTIVE, &text))
		return xstrdup("");
	effective_parse(text, &eff);
	force = setting_in_force(want, &eff, topo);
	effective_free(&eff);
	free(text);
	return force;
}

void changes_done(const struct plan *plan, const struct cgroup_root *root,
		  const struct topology *topo)
{
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		const struct step *s = &plan->steps[i];
		char *what, *force;
		struct prefer p;

		if (s->result != STEP_WRITTEN)
			continue;
		if (understand(s->value, &p)) {
			what = setting_describe(&p, topo);
			force = in_force(root, s->path, &p, topo);
		} else {
			what = xstrdup(s->value);
			force = xstrdup("");
		}
		printf("%s: %s%s%s, was '%s'\n", CGROUP_LABEL(s->path), what,
		       *force ? ", " : "", force, s->was);
		free(what);
		free(force);
	}
}

void changes_json(const char *name, const struct plan *const *plans,
		  size_t nr)
{
	struct table t = {
		.name = name,
		.all = columns,
		.nr_all = ARRAY_SIZE(columns),
		.nr_cols = ARRAY_SIZE(columns),
		.json = true,
	};
	size_t i, j;

	for (i = 0; i < t.nr_cols; i++)
		t.cols[i] = i;
	table_start(&t, true);
	for (i = 0; i < nr; i++)
		for (j = 0; j < plans[i]->nr; j++) {
			const struct step *s = &plans[i]->steps[j];
			struct libscols_line *line;

			if (i && s->result != STEP_GONE &&
			    s->result != STEP_OTHER)
				continue;
			line = table_line(&t, NULL);
			table_cell(&t, line, COL_CGROUP,
				   xasprintf("/%s", s->path));
			table_cell(&t, line, COL_WAS, xstrdup(s->was));
			table_cell(&t, line, COL_PREFER, xstrdup(s->value));
			table_cell(&t, line, COL_LINE, s->line ?
				   xasprintf("%u", s->line) : NULL);
			table_cell(&t, line, COL_RESULT,
				   xstrdup(plan_result(s->result)));
			table_cell(&t, line, COL_WHY,
				   s->why ? xstrdup(s->why) : NULL);
		}
	table_finish(&t);
}
