// SPDX-License-Identifier: GPL-2.0
/*
 * Is a plan what the rules ask for, and is it done as a whole or not at all?
 */
#include <errno.h>
#include <stdlib.h>

#include "plan.h"
#include "unit.h"

/* ---- cgroups that exist in this test only ---- */

#define NR	4

/**
 * struct world - what a plan writes to
 * @refuse: the write of this value fails
 * @twist: the write of this value is read back as another
 * @stuck: after this many writes every write fails
 * @vanish: after this many writes the cgroup of index @which is gone
 * @anew: it is then made anew
 * @stop: after this many writes a signal comes
 * @log: what was written, in order
 */
struct world {
	struct stated all[NR];
	const char *refuse, *twist;
	int stuck, vanish, which, stop, writes;
	bool anew;
	char log[512];
};

static void world_make(struct world *w)
{
	static const char *const paths[NR] = { "", "a", "a/b", "c" };
	static const char *const values[NR] = { NULL, "default", "group 0-3",
						"off" };
	size_t i;

	memset(w, 0, sizeof(*w));
	w->stuck = w->vanish = w->stop = -1;
	for (i = 0; i < NR; i++) {
		w->all[i].path = paths[i];
		w->all[i].id = 100 + i;
		w->all[i].value = values[i] ? xstrdup(values[i]) : NULL;
	}
}

static void world_free(struct world *w)
{
	size_t i;

	for (i = 0; i < NR; i++)
		free(w->all[i].value);
}

static struct stated *find(struct world *w, const char *path)
{
	size_t i;

	for (i = 0; i < NR; i++)
		if (!strcmp(w->all[i].path, path))
			return &w->all[i];
	return NULL;
}

static int check(void *ctx, const char *path, const char *value,
		 struct why *why)
{
	struct world *w = ctx;

	if (find(w, path)->value)
		return 0;
	return why_set(why, 3, "%s has no file for %s", path, value);
}

static int put(void *ctx, const char *path, uint64_t id, const char *value,
	       struct why *why)
{
	struct world *w = ctx;
	struct stated *s = find(w, path);

	if (w->vanish >= 0 && w->writes >= w->vanish) {
		w->all[w->which].id = w->anew ? 999 : 0;
		w->vanish = -1;
	}
	if (s->id != id)
		return why_set(why, PLAN_GONE, "the cgroup was removed");
	if (w->refuse && !strcmp(value, w->refuse))
		return why_set(why, -EINVAL, "refused");
	if (w->stuck >= 0 && w->writes >= w->stuck)
		return why_set(why, -EIO, "stuck");
	w->writes++;
	snprintf(w->log + strlen(w->log), sizeof(w->log) - strlen(w->log),
		 "%s=%s;", path, value);
	free(s->value);
	s->value = xstrdup(value);
	if (w->twist && !strcmp(value, w->twist))
		return why_set(why, -EBADMSG, "it reads otherwise");
	return 0;
}

static bool stop(void *ctx)
{
	struct world *w = ctx;

	return w->stop >= 0 && w->writes >= w->stop;
}

static struct plan_ops ops_of(struct world *w)
{
	return (struct plan_ops){
		.check = check, .write = put, .stop = stop, .ctx = w,
	};
}

/* "a: default -> group" for each step, and the results if @results */
static const char *told(const struct plan *plan, bool results)
{
	static char out[1024];
	size_t i;

	out[0] = '\0';
	for (i = 0; i < plan->nr; i++) {
		const struct step *s = &plan->steps[i];
		size_t len = strlen(out);

		if (results)
			snprintf(out + len, sizeof(out) - len, "%s %s%s%s;",
				 s->path, plan_result(s->result),
				 s->why ? ": " : "", s->why ? s->why : "");
		else
			snprintf(out + len, sizeof(out) - len, "%s: %s>%s;",
				 s->path, s->was, s->value);
	}
	return out;
}

static void make(struct world *w, const char *text, struct plan *plan)
{
	const struct topology topo = { .last_cpu = 15 };
	struct rules rules;
	bool hit[16] = { 0 };
	struct why why;

	if (rules_parse("f", text, strlen(text), &topo, NULL, &rules, &why)) {
		unit_failed = true;
		printf("# %s\n", why.text);
		*plan = (struct plan){ 0 };
		return;
	}
	plan_make(&rules, w->all, NR, hit, plan);
	rules_free(&rules);
}

static const char three[] =
	"rules:\n"
	"- {cgroup: c, prefer: 3}\n"
	"- {cgroup: a/b, prefer: 2}\n"
	"- {cgroup: a, prefer: 1}\n";

/* Make the plan of three steps and execute it. */
static int execute(struct world *w, struct plan *plan, struct why *why,
		   const char **at)
{
	const struct plan_ops ops = ops_of(w);
	const struct step *failed = NULL;
	int ret;

	make(w, three, plan);
	ret = plan_execute(plan, &ops, &failed, why);
	*at = failed ? failed->path : NULL;
	return ret;
}

/* ---- the plan ---- */

static void it_has_what_must_change_and_no_more(void)
{
	struct world w;
	struct plan plan;

	world_make(&w);
	make(&w, three, &plan);
	CHECK_STR(told(&plan, false), "a: default>1;a/b: group 0-3>2;c: off>3;");
	CHECK_INT(plan.steps[0].line, 4);
	CHECK_INT(plan.steps[2].id, 103);
	plan_free(&plan);

	/* Another way to write what is there already is no change. */
	make(&w, "rules:\n- {cgroup: a/b, prefer: 'group 0,1-3'}\n"
		 "- {cgroup: c, prefer: off}\n- {cgroup: a, prefer: group}\n",
	     &plan);
	CHECK_STR(told(&plan, false), "a: default>group;");
	CHECK_INT(plan.nr_same, 2);
	plan_free(&plan);
	world_free(&w);
}

static void what_has_no_file_is_left_out_of_wildcards(void)
{
	struct world w;
	struct plan plan;

	world_make(&w);
	free(w.all[3].value);
	w.all[3].value = NULL;
	make(&w, "rules: [{cgroup: '**', prefer: off}]", &plan);
	CHECK_STR(told(&plan, false), "a: default>off;a/b: group 0-3>off;");
	CHECK_INT(plan.nr_without, 1);
	CHECK_STR(plan.without, "c");
	plan_free(&plan);

	make(&w, "rules: [{cgroup: c, prefer: off}]", &plan);
	CHECK_STR(told(&plan, false), "c: >off;");
	plan_free(&plan);
	world_free(&w);
}

static void a_check_names_what_cannot_be(void)
{
	const struct step *failed = NULL;
	struct plan_ops ops;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	ops = ops_of(&w);
	make(&w, three, &plan);
	CHECK_INT(plan_check(&plan, &ops, &failed, &why), 0);
	free(w.all[3].value);
	w.all[3].value = NULL;
	CHECK_INT(plan_check(&plan, &ops, &failed, &why), 3);
	CHECK_STR(failed ? failed->path : NULL, "c");
	CHECK_STR(why.text, "c has no file for 3");
	CHECK_STR(w.log, "");
	plan_free(&plan);
	world_free(&w);
}

/* ---- doing it ---- */

static void it_is_done_from_the_top_down(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	CHECK_INT(execute(&w, &plan, &why, &at), 0);
	CHECK_STR(w.log, "a=1;a/b=2;c=3;");
	CHECK_STR(told(&plan, true), "a written;a/b written;c written;");
	plan_free(&plan);
	world_free(&w);
}

static void a_refused_value_takes_all_back_in_reverse(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.refuse = "3";
	CHECK_INT(execute(&w, &plan, &why, &at), -EINVAL);
	CHECK_STR(at, "c");
	CHECK_STR(why.text, "refused");
	CHECK_STR(w.log, "a=1;a/b=2;a/b=group 0-3;a=default;");
	CHECK_STR(told(&plan, true), "a undone;a/b undone;c failed: refused;");
	plan_free(&plan);
	world_free(&w);
}

static void the_first_refused_value_has_nothing_to_take_back(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.refuse = "1";
	CHECK_INT(execute(&w, &plan, &why, &at), -EINVAL);
	CHECK_STR(w.log, "");
	CHECK_STR(told(&plan, true), "a failed: refused;a/b planned;c planned;");
	plan_free(&plan);
	world_free(&w);
}

static void what_reads_otherwise_is_taken_back_too(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.twist = "2";
	CHECK_INT(execute(&w, &plan, &why, &at), -EBADMSG);
	CHECK_STR(w.log, "a=1;a/b=2;a/b=group 0-3;a=default;");
	CHECK_STR(told(&plan, true),
		  "a undone;a/b failed: it reads otherwise;c planned;");
	plan_free(&plan);
	world_free(&w);
}

static void what_cannot_be_put_back_is_told(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.stuck = 2;
	CHECK_INT(execute(&w, &plan, &why, &at), -EIO);
	CHECK_STR(told(&plan, true), "a left: stuck;a/b left: stuck;c failed: stuck;");
	w.stuck = -1;
	CHECK_INT(plan.nr, 3);
	plan_free(&plan);
	world_free(&w);
}

static void a_cgroup_that_goes_is_left_out(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.vanish = 1;
	w.which = 2;
	CHECK_INT(execute(&w, &plan, &why, &at), 0);
	CHECK_STR(w.log, "a=1;c=3;");
	CHECK_STR(told(&plan, true),
		  "a written;a/b gone: the cgroup was removed;c written;");
	plan_free(&plan);
	world_free(&w);
}

static void a_cgroup_that_goes_is_not_put_back(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.refuse = "3";
	w.vanish = 2;
	w.which = 1;
	w.anew = true;
	CHECK_INT(execute(&w, &plan, &why, &at), -EINVAL);
	CHECK_STR(w.log, "a=1;a/b=2;a/b=group 0-3;");
	CHECK_STR(told(&plan, true),
		  "a gone: the cgroup was removed;a/b undone;c failed: refused;");
	plan_free(&plan);
	world_free(&w);
}

static void a_signal_takes_all_back(void)
{
	const char *at;
	struct world w;
	struct plan plan;
	struct why why;

	world_make(&w);
	w.stop = 2;
	CHECK_INT(execute(&w, &plan, &why, &at), -EINTR);
	CHECK_STR(w.log, "a=1;a/b=2;a/b=group 0-3;a=default;");
	CHECK_STR(told(&plan, true),
		  "a undone;a/b undone;c failed: interrupted;");
	plan_free(&plan);
	world_free(&w);
}

/* ---- taking it back later ---- */

/* Execute, let @meddle happen to "a/b", and plan to take it back. */
static size_t take_back(struct world *w, const char *meddle, bool force,
			struct plan *done, struct plan *back)
{
	struct stated now[NR];
	struct why why;
	const char *at;
	size_t i;

	CHECK_INT(execute(w, done, &why, &at), 0);
	if (meddle) {
		free(w->all[2].value);
		w->all[2].value = *meddle ? xstrdup(meddle) : NULL;
	}
	for (i = 0; i < done->nr; i++)
		now[i] = *find(w, done->steps[i].path);
	return plan_back(done, now, force, back);
}

static void it_is_taken_back_in_reverse(void)
{
	struct plan done, back;
	struct world w;

	world_make(&w);
	CHECK_INT(take_back(&w, NULL, false, &done, &back), 0);
	CHECK_STR(told(&back, false), "c: 3>off;a/b: 2>group 0-3;a: 1>default;");
	CHECK_INT(back.steps[0].id, 103);
	plan_free(&done);
	plan_free(&back);
	world_free(&w);
}

static void what_others_changed_is_left_alone(void)
{
	struct plan done, back;
	struct world w;

	world_make(&w);
	CHECK_INT(take_back(&w, "process", false, &done, &back), 1);
	CHECK_STR(told(&back, false), "c: 3>off;a: 1>default;");
	CHECK_STR(told(&done, true),
		  "a written;a/b other: it states 'process', not '2' as it was left: somebody has changed it since (--force puts 'group 0-3' back all the same);c written;");
	plan_free(&done);
	plan_free(&back);
	world_free(&w);
}

static void unless_it_is_forced(void)
{
	struct plan done, back;
	struct world w;

	world_make(&w);
	CHECK_INT(take_back(&w, "process", true, &done, &back), 0);
	CHECK_STR(told(&back, false),
		  "c: 3>off;a/b: process>group 0-3;a: 1>default;");
	plan_free(&done);
	plan_free(&back);
	world_free(&w);
}

static void what_is_as_it_was_needs_no_step(void)
{
	struct plan done, back;
	struct world w;

	world_make(&w);
	CHECK_INT(take_back(&w, "group 0-1,2-3", false, &done, &back), 0);
	CHECK_STR(told(&back, false), "c: 3>off;a: 1>default;");
	plan_free(&done);
	plan_free(&back);
	world_free(&w);
}

static void what_is_gone_or_made_anew_is_left_alone(void)
{
	struct plan done, back;
	struct world w;

	world_make(&w);
	CHECK_INT(take_back(&w, "", true, &done, &back), 0);
	CHECK_STR(told(&back, false), "c: 3>off;a: 1>default;");
	CHECK_STR(done.steps[1].why, "it was removed, there is nothing to put back");
	plan_free(&done);
	plan_free(&back);
	world_free(&w);

	world_make(&w);
	w.vanish = 2;
	w.which = 1;
	w.anew = true;
	CHECK_INT(take_back(&w, NULL, true, &done, &back), 0);
	CHECK_STR(told(&back, false), "c: 3>off;a/b: 2>group 0-3;");
	CHECK_STR(done.steps[0].why,
		  "it was removed and made anew, and is left alone");
	plan_free(&done);
	plan_free(&back);
	world_free(&w);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(it_has_what_must_change_and_no_more),
		TEST(what_has_no_file_is_left_out_of_wildcards),
		TEST(a_check_names_what_cannot_be),
		TEST(it_is_done_from_the_top_down),
		TEST(a_refused_value_takes_all_back_in_reverse),
		TEST(the_first_refused_value_has_nothing_to_take_back),
		TEST(what_reads_otherwise_is_taken_back_too),
		TEST(what_cannot_be_put_back_is_told),
		TEST(a_cgroup_that_goes_is_left_out),
		TEST(a_cgroup_that_goes_is_not_put_back),
		TEST(a_signal_takes_all_back),
		TEST(it_is_taken_back_in_reverse),
		TEST(what_others_changed_is_left_alone),
		TEST(unless_it_is_forced),
		TEST(what_is_as_it_was_needs_no_step),
		TEST(what_is_gone_or_made_anew_is_left_alone),
	};

	return UNIT_RUN(tests);
}
