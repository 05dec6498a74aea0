/* SPDX-License-Identifier: GPL-2.0 */
/*
 * churn: what its parts share. main.c deals out operations and judges, ops.c
 * has the operations, tasks.c the processes and threads they are done to,
 * tree.c the cgroups, check.c what must be true when all is over.
 */
#ifndef TESTS_PROGRAMS_CHURN_H
#define TESTS_PROGRAMS_CHURN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../common.h"

#define TREE		CGROUP_MOUNT "/churn"
#define SCHED_DEBUG	"/sys/kernel/debug/sched"
#define SWITCH		SCHED_DEBUG "/llc_balancing/enabled"

#define MAX_WORKERS	16
#define MAX_KINDS	64
#define MAX_FAILURES	32
#define WHAT_SIZE	192
#define NR_STATS	10	/* keys of cpu.llc_prefer.stat */
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define NR_LEVELS	4	/* of the tree; its top is level 1 */
#define NR_PROCS	3	/* processes that a worker keeps, at most */
#define NR_THREADS	3	/* threads of its one process that has some */
#define NR_SLOTS	3	/* cgroups that a worker makes and removes; the last is threaded */

/* --- random numbers (rng.c) ------------------------------------------------ */

/* A generator that others can be split off, each with a sequence of its own. */
struct rng {
	uint64_t	state;
	uint64_t	gamma;
};

struct rng rng_new(uint64_t seed);
struct rng rng_split(struct rng *rng);
uint64_t rng_next(struct rng *rng);
unsigned int rng_below(struct rng *rng, unsigned int n);	/* 0 to n - 1 */

/* --- what all processes of a run see --------------------------------------- */

enum value {
	VALUE_DEFAULT,
	VALUE_GROUP,
	VALUE_GROUP_LIST,
	VALUE_LIST,
	VALUE_PROCESS,
	VALUE_OFF,
	NR_VALUES
};

extern const char *const value_name[NR_VALUES];

/* Operations of which one is under way at a time. */
enum alone {
	NOT_ALONE,
	ALONE_HOTPLUG,
	ALONE_PARTITION,
	ALONE_SWITCH,
	NR_ALONE
};

struct shared {
	pthread_mutex_t	alone[NR_ALONE];
	uint32_t	stop;		/* workers end after the operation they are at */
	uint32_t	slower;		/* what the last task found: see tasks.c */
	uint32_t	word;		/* futex that tasks wake each other with */
	uint32_t	written[NR_VALUES][NR_LEVELS];
	uint32_t	counted[NR_STATS];	/* how often each count of .stat was seen above 0 */
	uint32_t	nr_failures;
	char		failure[MAX_FAILURES][256];
	struct {
		uint32_t	done;
		uint32_t	refused;
		uint64_t	ns;
		uint64_t	longest;
	} kind[MAX_KINDS];
	struct {
		uint64_t	since;	/* start of the operation under way, 0: none */
		uint32_t	kind;
		uint32_t	nr_ops;
		bool		present[NR_SLOTS];	/* its cgroups */
		char		what[WHAT_SIZE];
	} worker[MAX_WORKERS];
};

extern struct shared *shared;
extern int nr_cpus;		/* all were online at the start */
extern bool have_stat;		/* the kernel has cpu.llc_prefer.stat */
extern bool have_faults;	/* it can be made to run out of memory */

/* A worker's own. */
struct worker {
	int		id;
	struct rng	rng;
	bool		transient;	/* what the operation works on may vanish meanwhile */
	char		*what;		/* what it is doing, for a message */
	pid_t		proc[NR_PROCS];
	struct {
		pid_t	pid;
		int	fd;
		pid_t	tid[NR_THREADS];
	} host;				/* the process that has threads */
};

/* --- the cgroups (tree.c) -------------------------------------------------- */

struct place {
	char	path[64];	/* below TREE */
	int	level;
	bool	transient;	/* it, or its cpu controller, may go at any time */
};

#define PLACE_INNER	1	/* has children, and no process */
#define PLACE_PROCS	2	/* may have processes */
#define PLACE_THREADS	4	/* may have threads of a process apart from the others */
#define PLACE_FLIPS	8	/* loses and gets back its children's cpu controller */
#define PLACE_ANY	(PLACE_INNER | PLACE_PROCS | PLACE_THREADS)

void tree_make(void);
int tree_remove(char *why, size_t size);
struct place place_pick(struct worker *w, int kinds, int level);	/* level 0: any */
struct place place_slot(int worker, int slot);

/* These return 0 or an errno, and note in w->what what they were doing. */
int cgroup_put(struct worker *w, const struct place *place, const char *file,
	       const char *value);
int cgroup_get(struct worker *w, const struct place *place, const char *file,
	       char *buf, size_t size);
int file_put(struct worker *w, const char *path, const char *value);
int file_get(struct worker *w, const char *path, char *buf, size_t size);

/* Moves the calling process; notes nothing. */
int cgroup_enter(const struct place *place);

/* For clone3(); -errno if it cannot be opened. */
int cgroup_open(struct worker *w, const struct place *place);

int place_make(struct worker *w, const struct place *place);
int place_remove(struct worker *w, const struct place *place);
int slot_make(struct worker *w, int slot);
int slot_remove(struct worker *w, int slot);

/* --- tasks (tasks.c) ------------------------------------------------------- */

void task_nap(unsigned int usec);
void task_burn(unsigned int rounds);

/* Burns and sleeps by turns: @rounds times, 0: until killed. Ends the process. */
_Noreturn void task_run(uint64_t seed, unsigned int rounds);

/*
 * A worker's processes. Except for member_pick() these return 0 or an errno;
 * what they start takes the place of one of those that @w keeps.
 */
int member_pick(struct worker *w, pid_t *pid);	/* starts one if there is none */
int member_fork(struct worker *w);
int member_clone_into(struct worker *w);
int member_exec(struct worker *w, int nr_threads);
int member_vfork(struct worker *w);
int member_end(struct worker *w);

/* A child that is waited for; 0, or the errno that it met. */
int child_wait(pid_t pid);
int child_start_into(struct worker *w, const struct place *place, unsigned int rounds,
		     pid_t *pid);
int child_clone_vm(struct worker *w, bool exec);

/* A worker's process with threads, in the threaded branch. */
int host_end(struct worker *w);
int thread_start(struct worker *w);
int thread_end(struct worker *w);
int thread_pick(struct worker *w, pid_t *tid);	/* starts one if there is none */

void tasks_end(struct worker *w);

/* --- operations (ops.c) ---------------------------------------------------- */

/*
 * Refused without an error: the kernel took a value and says that it has no
 * effect, as it does for a partition that cannot be.
 */
#define NO_EFFECT	ECANCELED

struct op {
	const char	*name;
	int		(*run)(struct worker *w);	/* 0 or an errno */
	unsigned int	weight;		/* how often, relative to the others */
	int		may[4];		/* errnos that are no failure */
	enum alone	alone;
	const bool	*needs;		/* what the kernel must have, NULL: nothing more */
};

extern const struct op ops[];
extern const int nr_ops;

/* --- afterwards (check.c) -------------------------------------------------- */

/* Each tells what it saw in @text; true if that is right. */
bool check_restored(char *text, size_t size);
bool check_answers(char *text, size_t size);
bool check_counters(char *text, size_t size);
bool check_memory(char *text, size_t size);
bool check_leaks(char *text, size_t size);
bool have_counters(void);
bool have_memory(void);
bool have_leaks(void);
bool effective_parses(const char *text);

/* The keys of cpu.llc_prefer.stat, in their order. */
extern const char *const stat_name[NR_STATS];
bool stat_parses(const char *text, unsigned long long number[NR_STATS]);

#endif
