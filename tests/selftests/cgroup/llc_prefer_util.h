/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of cpu.llc_prefer share: the machine's last-level caches
 * (LLCs), the cgroup files as structures, and crowds of busy tasks that know on
 * which LLC they ran.
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

#define MAX_LLCS	64
#define MAX_WORKERS	64
#define LIST_SIZE	4096	/* of a CPU list as text */

/* The LLCs that have CPUs online, in the order of their first CPU. */
struct llc {
	cpu_set_t cpus;
	char list[LIST_SIZE];	/* the same as text: "4-7" */
	int first;		/* lowest CPU */
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
 * A crowd: tasks that never sleep. Each adds up how long it ran on which LLC by
 * its own CPU clock, so that the figures are shares of run time, whatever the
 * speed of the machine.
 */
enum crowd_kind { PROCESSES, THREADS };

struct crowd {
	int nr;
	enum crowd_kind kind;
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
/* Ends the tasks and waits for them. A crowd of zeroes is none. */
void crowd_stop(struct crowd *crowd);
/* The thread id of a task of the crowd. */
pid_t crowd_tid(const struct crowd *crowd, int i);

/* Watches the crowd for @ms. */
void crowd_watch(const struct crowd *crowd, long ms, struct residency *res);
/* The same for one task of it. */
void crowd_watch_one(const struct crowd *crowd, int i, long ms,
		     struct residency *res);

/* The share of run time on a set of LLCs, in percent. */
double residency_on(const struct residency *res, __u64 set);
/* The LLC with the largest share, -1 if nothing ran. */
int residency_busiest(const struct residency *res);

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

#endif /* LLC_PREFER_UTIL_H */
