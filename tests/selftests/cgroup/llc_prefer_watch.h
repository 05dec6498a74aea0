/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions about where crowds of tasks run, which the tests of cpu.llc_prefer
 * share. Each prints the figure that it saw and the one that it wanted, and
 * returns 0, or -1 if the answer is no.
 */
#ifndef LLC_PREFER_WATCH_H
#define LLC_PREFER_WATCH_H

#include <stdbool.h>

#include "llc_prefer_util.h"

/* Shares of run time, in percent. */
#define GATHERED	99.0	/* at least this on the preferred LLCs */
#define SCATTERED	75.0	/* below this on the busiest */

#define SCATTER_MS	10000	/* plain load balancing has spread within */
#define SETTLE_MS	2000	/* a group has chosen and gathered within */
#define WATCH_MS	1500	/* how long a settled crowd is watched */

/* How soon a crowd has how much of its run time in place, and how much then. */
struct promise {
	long within_ms;
	double share;
	double then;
};

extern const struct promise settles;	/* what a group promises */
extern const struct promise follows;	/* what a list promises */
extern const struct promise returns;	/* what is left to load balancing */

/* Whether the machine has the LLCs, and each the room, that a test needs. */
bool fits(int llcs_needed, int cpus_needed);

/* A cgroup of its own with a crowd in it: what most tests begin with. */
struct stage {
	char *cgroup;
	struct crowd crowd;
};

/* @value: written before the crowd starts, unless NULL. */
int stage_set(struct stage *stage, const char *parent, const char *name,
	      const char *value, enum crowd_kind kind, int nr);
/* A stage of zeroes, or one that was not set in full, is no stage. */
void stage_clear(struct stage *stage);
/* The same, but a test that failed first tells what the kernel's files say. */
void stage_end(struct stage *stage, int ret);

/* The message of every figure: what was seen, and what was wanted. */
void say(const char *what, double seen, __u64 set, const char *than,
	 double wanted);

/* The LLC with the largest share as a set, 0 if nothing ran. */
__u64 busiest_set(const struct residency *res);
double median(double a, double b, double c);

/* One task of the crowd, or the whole of it. */
#define ALL_TASKS	(-1)

/*
 * At least @percent of the run time is on @set. Load balancing may take a task
 * away for a moment, and on a machine that is itself kept waiting a moment is
 * long: a crowd that was disturbed is watched four times more, and the median counts.
 */
int task_holds(const struct crowd *crowd, int task, __u64 set, double percent,
	       const char *what);
int gathered(const struct crowd *crowd, __u64 set, const char *what);

/* The crowd gets to @set as promised and stays there. */
int gathers(const struct crowd *crowd, __u64 set, const struct promise *promise,
	    const char *what);

/* No LLC holds the crowd within @limit_ms, and none does then. */
int scatters(const struct crowd *crowd, long limit_ms, const char *what);

/*
 * The crowd gets to exactly @nr LLCs as promised and stays there: fewer do not
 * have the promised share of its run time. @set, if not NULL: the LLCs.
 */
int spans(const struct crowd *crowd, int nr, const struct promise *promise,
	  const char *what, __u64 *set);

/*
 * Each of the crowds gets to an LLC of its own within @limit_ms, at least
 * @percent of its run time, and stays there. @own, if not NULL: the LLCs.
 */
int parts(const struct stage *stages, int nr, double percent, long limit_ms,
	  const char *what, int *own);

/* An LLC on which the crowd runs least. */
int quietest(const struct crowd *crowd);

/* The LLC that the cgroup's effective file names, or -1 after a message. */
int chosen_llc(const char *cgroup);

#endif /* LLC_PREFER_WATCH_H */
