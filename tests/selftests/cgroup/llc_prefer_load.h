/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of load for the tests of cpu.llc_prefer, beside the crowds of
 * llc_prefer_util.h that never sleep: a server whose workers mostly do, a storm
 * of short-lived children, and a hoard of tasks that walk through memory. Their
 * tasks note by themselves where they were, so that no tracer is needed.
 */
#ifndef LLC_PREFER_LOAD_H
#define LLC_PREFER_LOAD_H

#include <linux/types.h>
#include <sched.h>
#include <sys/types.h>

#include "llc_prefer_util.h"
#include "llc_prefer_watch.h"

#define MAX_LOAD	65	/* a client and its workers */

/* A load of zeroes is none. */
struct load {
	int nr;				/* processes that last as long as it does */
	pid_t pids[MAX_LOAD];
	struct load_page *page;		/* shared with the tasks */
	int page_fd;
};

/* What the tasks of a load did in a while. */
struct load_account {
	long ms;
	struct residency res;		/* run time of those that last */
	__u64 wakeups;			/* of a server's workers */
	__u64 moves;			/* from one LLC to another */
	struct residency births;	/* of a storm: children, not ns */
};

/*
 * A server: a client calls @nr_called of the @nr workers, in turn, a round. They
 * work for a moment, answer and sleep until they are called again; the client
 * waits for all answers, then sleeps as well. All are processes in @cgroup.
 * Returns 0 once each worker was called, or -1 after a message.
 */
enum call_kind { BY_PIPE, BY_FUTEX };

int server_start(struct load *load, const char *cgroup, enum call_kind kind, int nr,
		 int nr_called);

/*
 * A storm: a process in @cgroup always has @at_once children, each of which notes
 * the CPU on which it starts, works for a moment and exits. Those of EXECS and
 * SPAWNS become another program first, the latter without a memory of their own
 * until then, as posix_spawn() does it. Returns 0 once children are born, or -1
 * after a message.
 */
enum birth_kind { FORKS, EXECS, SPAWNS };

int storm_start(struct load *load, const char *cgroup, enum birth_kind kind,
		int at_once);

/*
 * A hoard: @nr processes in @cgroup, each of which fills @mb MiB of memory while
 * it is bound to @cpus, of one node, and then walks through it for ever, bound to
 * nothing; the memory stays on that node.
 * Returns 0 once all of them walk, or -1 after a message.
 */
int hoard_start(struct load *load, const char *cgroup, int nr, int mb,
		const cpu_set_t *cpus);

/* Ends the tasks and waits for them. */
void load_stop(struct load *load);
/* Watches a load for @ms. */
void load_watch(const struct load *load, long ms, struct load_account *account);

double load_moves_per_second(const struct load_account *account);

/*
 * What gathers() and task_holds() of llc_prefer_watch.h are for a crowd: the run
 * time of the load gets to @set as promised, or at least @percent of it is there.
 * Return 0, or -1 after a message.
 */
int load_gathers(const struct load *load, __u64 set, const struct promise *promise,
		 const char *what);
int load_holds(const struct load *load, __u64 set, double percent, const char *what);

/*
 * The other program that a storm's children become is the test itself: main()
 * calls this first, which does not return in such a child.
 */
void load_born_again(int argc, char **argv);

#endif /* LLC_PREFER_LOAD_H */
