/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is to be changed, and how is it changed as a whole or not at all?
 *
 * A plan is made before anything is written, from the rules and from what all
 * cgroups state. It goes from the top down, as the hierarchy decides: what is
 * above confines what is below, and is there first. It is undone in reverse.
 *
 * Nothing here opens a file or prints: struct plan_ops does what touches the
 * cgroups, so that an agent can use it as well, and a test.
 */
#ifndef LLCCTL_PLAN_H
#define LLCCTL_PLAN_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "rules.h"
#include "util.h"

/**
 * struct stated - what a cgroup states
 * @path: of it
 * @id: tells it from another that is made later by the same name
 * @value: the text of its cpu.llc_prefer, NULL if it has none
 */
struct stated {
	const char *path;
	uint64_t id;
	char *value;
};

enum step_result {
	STEP_PLANNED,		/* nothing has been done yet */
	STEP_WRITTEN,		/* it states the new value */
	STEP_FAILED,		/* the write failed, the old value stands */
	STEP_UNDONE,		/* written, and put back */
	STEP_LEFT,		/* written, and could not be put back */
	STEP_GONE,		/* the cgroup was removed meanwhile */
	STEP_OTHER,		/* left alone: somebody else has changed it */
};

/**
 * struct step - one cgroup to change
 * @path, @id: of it, as in struct stated
 * @was: what it states before
 * @value: what it shall state
 * @line: of the rule, 0 if there is none
 * @result: what came of it
 * @why: the reason, with STEP_FAILED, STEP_LEFT, STEP_GONE and STEP_OTHER;
 *	else NULL
 */
struct step {
	char *path;
	uint64_t id;
	char *was;
	char *value;
	unsigned int line;
	enum step_result result;
	char *why;
};

/**
 * struct plan - what is to be changed
 * @steps: parents before their children
 * @nr: how many
 * @nr_same: cgroups that match and state already what they should
 * @nr_without: cgroups that match a pattern with a wildcard and have no
 *	cpu.llc_prefer; they are left out
 * @without: path of the first of them
 */
struct plan {
	struct step *steps;
	size_t nr;
	size_t nr_same;
	size_t nr_without;
	char *without;
};

/**
 * plan_make() - find what is to be changed
 * @stated: all cgroups, parents before their children
 * @nr: how many
 * @hit: a flag for each rule, set for those that match a cgroup
 * @plan: plan_free() it
 *
 * Pure. A cgroup that a rule names without a wildcard is planned for even if
 * it has no file: plan_check() says why it has none. The root, which has none,
 * is left out of wildcards.
 */
void plan_make(const struct rules *rules, const struct stated *stated,
	       size_t nr, bool *hit, struct plan *plan);

/* Add a step at the end; the texts are copied. */
struct step *plan_add(struct plan *plan, const char *path, uint64_t id,
		      const char *was, const char *value);
void plan_free(struct plan *plan);

/* What plan_ops.write() returns where the cgroup is gone. */
#define PLAN_GONE	(-ESTALE)

/**
 * struct plan_ops - how cgroups are reached
 * @check: could the value be written? Changes nothing.
 * @write: write a value, read it back and compare; only if the cgroup at
 *	@path still has @id
 * @stop: shall it end before it is done? May be NULL.
 *
 * check() and write() return 0, PLAN_GONE, or another value that is passed on;
 * -EBADMSG from write(): the value was written, but another is read back. They
 * set @why unless they return 0.
 */
struct plan_ops {
	int (*check)(void *ctx, const char *path, const char *value,
		     struct why *why);
	int (*write)(void *ctx, const char *path, uint64_t id,
		     const char *value, struct why *why);
	bool (*stop)(void *ctx);
	void *ctx;
};

/**
 * plan_check() - could all of it be written?
 * @failed: set to the step that could not
 * @why: set after an error
 *
 * Return: 0, or what check() returned.
 */
int plan_check(const struct plan *plan, const struct plan_ops *ops,
	       const struct step **failed, struct why *why);

/**
 * plan_execute() - do it; after a failure undo what was done
 * @failed: set to the step that failed
 * @why: set after a failure
 *
 * The results are in the steps. A cgroup that is gone is no failure: no rule
 * can match it.
 *
 * Return: 0; what write() returned; -EINTR if stop() said so.
 */
int plan_execute(struct plan *plan, const struct plan_ops *ops,
		 const struct step **failed, struct why *why);

/**
 * plan_undo() - put everything that was written back, from the last step on
 *
 * Goes on after a failure.
 *
 * Return: how many steps could not be put back (STEP_LEFT).
 */
size_t plan_undo(struct plan *plan, const struct plan_ops *ops);

/**
 * plan_back() - find how to take a plan back that was executed
 * @done: its steps; those that are not to be taken back become STEP_GONE or
 *	STEP_OTHER, with the reason
 * @now: what the cgroups of these steps state now; value NULL: it is gone
 * @force: also where somebody else has changed it since
 * @back: the plan, from the last step to the first; plan_free() it
 *
 * Pure. What states its old value already needs no step. A cgroup that was
 * made anew is never written to.
 *
 * Return: how many are STEP_OTHER.
 */
size_t plan_back(struct plan *done, const struct stated *now, bool force,
		 struct plan *back);

/* The word for a result: "planned", "written", ... */
const char *plan_result(enum step_result result);

#endif
