/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of cpu.llc_prefer share: the machine's last-level caches
 * (LLCs), the cgroup files as structures, and crowds of tasks that know on which
 * LLC they ran.
 */
#ifndef LLC_PREFER_UTIL_H
#define LLC_PREFER_UTIL_H

#include <linux/types.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kselftest.h"

#define LLC_PREFER	"cpu.llc_prefer"
#define LLC_EFFECTIVE	"cpu.llc_prefer.effective"
#define LLC_STAT	"cpu.llc_prefer.stat"

#define MAX_LLCS	64
#define MAX_WORKERS	512	/* of a crowd: two for each of 254 CPUs */
#define LIST_SIZE	4096	/* of a CPU list as text */

/* The LLCs that have CPUs online, in the order of their first CPU. */
struct llc {
	cpu_set_t cpus;
	char list[LIST_SIZE];	/* the same as text: "4-7" */
	int first;		/* lowest CPU */
	int node;		/* NUMA node, 0 where there are none */
};

extern struct llc llcs[MAX_LLCS];
extern int nr_llcs;
extern int last_cpu;		/* the last possible CPU */

/* Returns 0, or -1 if sysfs does not say which CPUs share a cache. */
int llc_discover(void);
/* The index in llcs[] of the LLC of @cpu, or -1. */
int llc_of(int cpu);
/* The CPUs of a set of LLCs (bit i: llcs[i]), and the same as a list. */
cpu_set_t llc_set_cpus(__u64 set);
const char *llc_set_list(__u64 set);

/* CPU lists as the kernel prints them. The text is valid for eight calls. */
const char *cpulist(const cpu_set_t *cpus);
int cpulist_read(const char *text, cpu_set_t *cpus);

/* What cpu.llc_prefer.effective says. */
struct effective {
	char mode[16];
	cpu_set_t cpus;
	char list[LIST_SIZE];
	char state[32];
};

/*
 * Reads cpu.llc_prefer.effective. Returns 0, or -1 after a message if it cannot
 * be read or is not "mode X", "cpus LIST" and "state Y" in this order with a
 * mode and a state that are documented.
 */
int effective_read(const char *cgroup, struct effective *eff);

/*
 * Checks the file against what is wanted, NULL: anything. Returns 0, or -1 after
 * a message with what was seen and what was wanted.
 */
int effective_is(const char *cgroup, const char *mode, const char *list,
		 const char *state);
/* The same, but gives the kernel @ms to get there. */
int effective_becomes(const char *cgroup, const char *mode, const char *list,
		      const char *state, long ms);

/* What cpu.llc_prefer.stat says, in its order. */
struct llc_stat {
	__u64 usage_usec;
	__u64 preferred_usec;
	__u64 nr_wakeups;
	__u64 nr_wakeups_steered;
	__u64 nr_forks_steered;
	__u64 nr_migrations_in;
	__u64 nr_migrations_out;
	__u64 nr_spills;
	__u64 nr_moves;
	__u64 nr_llcs;
};

/*
 * Reads cpu.llc_prefer.stat. Returns 0, or -1 after a message if it cannot be
 * read or has not exactly these keys, in this order, with a number each.
 */
int stat_read(const char *cgroup, struct llc_stat *stat);

/* Writes cpu.llc_prefer. Returns 0, or -1 after a message with the error. */
int prefer(const char *cgroup, const char *value);
/* One write of @len bytes, which need not be text. Returns 0 or -errno. */
int prefer_bytes(const char *cgroup, const char *bytes, size_t len);
/* Checks what cpu.llc_prefer reads back, less the newline. Returns 0 or -1. */
int prefers(const char *cgroup, const char *value);

/*
 * Makes the cgroup @name below @parent. @control: switch the cpu controller on
 * for the cgroups below it. Returns the path, to be freed, or NULL after a
 * message.
 */
char *cgroup_make(const char *parent, const char *name, bool control);
/* Kills what is in it, removes it and frees the path. */
void cgroup_drop(char *cgroup);

/* "text" with the blanks made visible. Valid for eight calls. */
const char *quoted(const char *text);

/* Remembers why a test is skipped. Returns KSFT_SKIP. */
int __printf(1, 2) skip(const char *fmt, ...);

struct llc_prefer_test {
	int (*fn)(const char *root);
	const char *name;
};

/*
 * Runs the tests of a table as a program of its own and exits.
 *
 * usage: PROGRAM [-w] [-x TEST]... [TEST...]
 *
 * All tests, or those named, less those after -x. A kernel without
 * cpu.llc_prefer skips them all, unless LLC_PREFER_REQUIRED=1 is in the
 * environment: then it fails. With -w nothing is ever written to the file, nor
 * is it needed: what depends on it must fail then, which is how the tests
 * themselves are tested.
 */
void __noreturn llc_prefer_run(int argc, char **argv,
			       const struct llc_prefer_test *tests, int nr);

/* Writes @text to the file @path. Returns 0 or -errno. */
int file_write(const char *path, const char *text);
/* Switches CPUs on or off. Returns 0 or -errno of the first that did not. */
int cpus_online(const cpu_set_t *cpus, bool on);

void sleep_ms(long ms);
long now_ms(void);

/*
 * A crowd: tasks that never sleep, or do so by the clock. Each adds up how long
 * it ran on which LLC by its own CPU clock, so that the figures are shares of
 * run time, whatever the speed of the machine.
 */
enum crowd_kind { PROCESSES, THREADS };

struct crowd {
	int nr;
	enum crowd_kind kind;
	const char *cgroup;
	struct crowd_page *page;	/* shared with the tasks */
	pid_t pids[MAX_WORKERS];	/* THREADS: only the first is used */
};

/* How long the crowd ran on each LLC, in ns. */
struct residency {
	__u64 ns[MAX_LLCS];
	__u64 total;
};

/*
 * Starts @nr busy tasks in @cgroup: as many processes, or one process of as many
 * threads. Returns 0 once all of them run, or -1 after a message.
 */
int crowd_start(struct crowd *crowd, const char *cgroup, enum crowd_kind kind,
		int nr);
/* The same with processes that run for @run_us, then sleep for @sleep_us. */
int crowd_start_periodic(struct crowd *crowd, const char *cgroup, int nr,
			 long run_us, long sleep_us);
/* Ends the tasks and waits for them. A crowd of zeroes is none. */
void crowd_stop(struct crowd *crowd);
/*
 * @nr processes more, which are as busy as those of crowd_start(). Returns 0 once
 * they run, or -1 after a message.
 */
int crowd_add(struct crowd *crowd, int nr);
/* Ends the last @nr processes. */
void crowd_cut(struct crowd *crowd, int nr);
/* Has all tasks stop where they are, or go on. */
void crowd_pause(const struct crowd *crowd, bool pause);
/* sched_setaffinity() for all tasks. Returns 0, or -1 after a message. */
int crowd_pin(const struct crowd *crowd, const cpu_set_t *cpus);
/* The thread id of a task of the crowd. */
pid_t crowd_tid(const struct crowd *crowd, int i);

/* What the crowd has run so far, and what of that is newer than @before. */
void crowd_ran(const struct crowd *crowd, struct residency *res);
void residency_since(struct residency *res, const struct residency *before);
/* How often tasks found themselves on another LLC than a moment before. */
__u64 crowd_hops(const struct crowd *crowd);
/*
 * For how long, in ns, tasks have run and have waited for a CPU, by the kernel's
 * schedstat. Returns 0, or -1 if the kernel does not say.
 */
int crowd_waited(const struct crowd *crowd, __u64 *ran, __u64 *waited);

/* Watches the crowd for @ms. */
void crowd_watch(const struct crowd *crowd, long ms, struct residency *res);
/* The same for one task of it. */
void crowd_watch_one(const struct crowd *crowd, int i, long ms,
		     struct residency *res);

/* The share of run time on a set of LLCs, in percent. */
double residency_on(const struct residency *res, __u64 set);
/* The LLC with the largest share, -1 if nothing ran. */
int residency_busiest(const struct residency *res);
/* The fewest LLCs that have @percent of the run time. 0 if nothing ran. */
__u64 residency_span(const struct residency *res, double percent);
/* The shares of all LLCs, rounded: "67 33 0 0". */
const char *residency_text(const struct residency *res);

#define ANY_LLC	0		/* whichever LLC has the largest share */

/*
 * Watches the crowd until at least @percent of its run time is on @set. Returns
 * how many ms that took, or -1 if it did not happen within @limit_ms; @res is
 * the last window.
 */
long crowd_settle(const struct crowd *crowd, __u64 set, double percent,
		  long limit_ms, struct residency *res);
/* The same the other way round: until no LLC has @percent any more. */
long crowd_scatter(const struct crowd *crowd, double percent, long limit_ms,
		   struct residency *res);
/* The same until the fewest LLCs that have @percent are @nr. */
long crowd_span(const struct crowd *crowd, int nr, double percent, long limit_ms,
		struct residency *res);

#endif /* LLC_PREFER_UTIL_H */
