// SPDX-License-Identifier: GPL-2.0
/*
 * What is to be changed, and how is it changed as a whole or not at all?
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

struct step *plan_add(struct plan *plan, const char *path, uint64_t id,
		      const char *was, const char *value)
{
	struct step *s;

	/* Room for a power of two. */
	if (!(plan->nr & (plan->nr - 1)))
		plan->steps = xrealloc(plan->steps, sizeof(*s) *
				       (plan->nr ? 2 * plan->nr : 1));
	s = &plan->steps[plan->nr++];
	*s = (struct step){
		.path = xstrdup(path),
		.id = id,
		.was = xstrdup(was),
		.value = xstrdup(value),
	};
	return s;
}

void plan_free(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->nr; i++) {
		free(plan->steps[i].path);
		free(plan->steps[i].was);
		free(plan->steps[i].value);
		free(plan->steps[i].why);
	}
	free(plan->steps);
	free(plan->without);
	*plan = (struct plan){ 0 };
}

void plan_make(const struct rules *rules, const struct stated *stated,
	       size_t nr, bool *hit, struct plan *plan)
{
	const struct rule *r;
	char *value;
	size_t i;

	*plan = (struct plan){ 0 };
	for (i = 0; i < nr; i++) {
		const struct stated *s = &stated[i];

		r = rules_match(rules, s->path, hit);
		if (!r)
			continue;
		if (!s->value && !r->path) {
			if (*s->path && !plan->nr_without++)
				plan->without = xstrdup(s->path);
			continue;
		}
		value = prefer_format(&r->want);
		if (s->value && prefer_same(s->value, value))
			plan->nr_same++;
		else
			plan_add(plan, s->path, s->id,
				 s->value ? s->value : "", value)->line = r->line;
		free(value);
	}
}

int plan_check(const struct plan *plan, const struct plan_ops *ops,
	       const struct step **failed, struct why *why)
{
	size_t i;
	int ret;

	for (i = 0; i < plan->nr; i++) {
		const struct step *s = &plan->steps[i];

		ret = ops->check(ops->ctx, s->path, s->value, why);
		if (ret && ret != PLAN_GONE) {
			*failed = s;
			return ret;
		}
	}
	return 0;
}

static void end(struct step *s, enum step_result result, const struct why *why)
{
	s->result = result;
	free(s->why);
	s->why = why ? xstrdup(why->text) : NULL;
}

static void put_back(struct step *s, const struct plan_ops *ops)
{
	struct why why;
	int ret = ops->write(ops->ctx, s->path, s->id, s->was, &why);

	if (!ret)
		end(s, STEP_UNDONE, NULL);
	else
		end(s, ret == PLAN_GONE ? STEP_GONE : STEP_LEFT, &why);
}

size_t plan_undo(struct plan *plan, const struct plan_ops *ops)
{
	size_t i, left = 0;

	for (i = plan->nr; i--;) {
		struct step *s = &plan->steps[i];

		if (s->result == STEP_WRITTEN)
			put_back(s, ops);
		left += s->result == STEP_LEFT;
	}
	return left;
}

int plan_execute(struct plan *plan, const struct plan_ops *ops,
		 const struct step **failed, struct why *why)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < plan->nr && !ret; i++) {
		struct step *s = &plan->steps[i];

		if (ops->stop && ops->stop(ops->ctx))
			ret = why_set(why, -EINTR, "interrupted");
		else
			ret = ops->write(ops->ctx, s->path, s->id, s->value,
					 why);
		if (!ret) {
			end(s, STEP_WRITTEN, NULL);
			continue;
		}
		if (ret == PLAN_GONE) {
			end(s, STEP_GONE, why);
			ret = 0;
			continue;
		}
		*failed = s;
		/* It states something, and not what it did. */
		if (ret == -EBADMSG)
			put_back(s, ops);
		if (s->result != STEP_LEFT && s->result != STEP_GONE)
			end(s, STEP_FAILED, why);
	}
	if (ret)
		plan_undo(plan, ops);
	return ret;
}

size_t plan_back(struct plan *done, const struct stated *now, bool force,
		 struct plan *back)
{
	size_t i, others = 0;
	struct why why;

	*back = (struct plan){ 0 };
	for (i = done->nr; i--;) {
		struct step *s = &done->steps[i];

		if (!now[i].value || now[i].id != s->id) {
			why_set(&why, 0, "%s", now[i].value ?
				"it was removed and made anew, and is left alone" :
				"it was removed, there is nothing to put back");
			end(s, STEP_GONE, &why);
		} else if (prefer_same(now[i].value, s->was)) {
			continue;
		} else if (force || prefer_same(now[i].value, s->value)) {
			plan_add(back, s->path, s->id, now[i].value, s->was);
		} else {
			why_set(&why, 0, "it states '%s', not '%s' as it was left: somebody has changed it since (--force puts '%s' back all the same)",
				now[i].value, s->value, s->was);
			end(s, STEP_OTHER, &why);
			others++;
		}
	}
	return others;
}

const char *plan_result(enum step_result result)
{
	switch (result) {
	case STEP_WRITTEN:
		return "written";
	case STEP_FAILED:
		return "failed";
	case STEP_UNDONE:
		return "undone";
	case STEP_LEFT:
		return "left";
	case STEP_GONE:
		return "gone";
	case STEP_OTHER:
		return "other";
	case STEP_PLANNED:
		break;
	}
	return "planned";
}
