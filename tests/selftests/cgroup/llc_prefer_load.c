// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of load for the tests of cpu.llc_prefer; llc_prefer_load.h says what each
 * is.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "cgroup_util.h"
#include "llc_prefer_load.h"
#include "llc_prefer_watch.h"

#define START_MS	20000	/* a slow machine has a load going within */
#define SERVER_REST_US	500	/* the client between two rounds */
#define WINDOW_MS	200	/* of load_gathers() */
#define PIECES		2	/* that a worker or a child works */

#define BORN_AGAIN	"--born"

/* What one task did so far: only the task itself writes it. */
struct tally {
	bool ready;
	int llc;		/* where it was last */
	__u64 then;		/* run time that is booked */
	__u64 wakeups;
	__u64 moves;
	__u64 ns[MAX_LLCS];
};

struct load_page {
	__u32 answers;			/* of a server's workers, a futex */
	__u32 calls[MAX_LOAD];		/* to them, futexes */
	struct tally tallies[MAX_LOAD];
	__u64 births[CPU_SETSIZE];	/* every child of a storm adds to it */
};

/* What a task of a load is told at its birth. */
struct part {
	struct load *load;
	int nr;				/* which of the load's tasks it is */
	void (*play)(struct part *part, struct tally *tally);

	/* of a server */
	enum call_kind call;
	int nr_workers, nr_called;
	int (*pipes)[2];		/* of a worker each, and one for answers */

	/* of a storm */
	enum birth_kind birth;
	int at_once;

	/* of a hoard */
	size_t bytes;
	const cpu_set_t *cpus;
};

static __u64 thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Book what ran since the last time on the LLC where that ended. */
static void tally_note(struct tally *tally)
{
	int llc = llc_of(sched_getcpu());
	__u64 now = thread_ns();

	if (llc < 0)
		return;
	if (tally->llc >= 0 && tally->llc != llc)
		__atomic_store_n(&tally->moves, tally->moves + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&tally->ns[llc], tally->ns[llc] + now - tally->then,
			 __ATOMIC_RELAXED);
	tally->llc = llc;
	tally->then = now;
}

/* A fixed amount of work rather than of time, which an emulated CPU stretches. */
static void work(void)
{
	int spin;

	for (spin = 0; spin < 20000; spin++)
		asm volatile("" : : : "memory");
}

/*
 * The life of any load
 */

static int load_make(struct load *load)
{
	memset(load, 0, sizeof(*load));
	load->page_fd = memfd_create("llc_prefer_load", 0);
	if (load->page_fd < 0) {
		ksft_perror("memfd_create");
		return -1;
	}
	if (ftruncate(load->page_fd, sizeof(*load->page))) {
		ksft_perror("ftruncate");
		close(load->page_fd);
		return -1;
	}
	load->page = mmap(NULL, sizeof(*load->page), PROT_READ | PROT_WRITE,
			  MAP_SHARED, load->page_fd, 0);
	if (load->page == MAP_FAILED) {
		load->page = NULL;
		ksft_perror("mmap");
		close(load->page_fd);
		return -1;
	}
	return 0;
}

static int load_child(const char *cgroup, void *arg)
{
	struct part *part = arg;
	struct tally *tally = &part->load->page->tallies[part->nr];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	tally->llc = -1;
	tally->then = thread_ns();
	part->play(part, tally);
	return 1;
}

/* Starts a process that plays @part. Returns 0, or -1 after a message. */
static int load_add(struct load *load, const char *cgroup, struct part *part)
{
	pid_t pid;

	part->load = load;
	part->nr = load->nr;
	pid = cg_run_nowait(cgroup, load_child, part);
	if (pid <= 0) {
		ksft_print_msg("%s: cannot start a task\n", cgroup);
		return -1;
	}
	load->pids[load->nr++] = pid;
	return 0;
}

static int load_ready(const struct load *load, const char *cgroup)
{
	long end = now_ms() + START_MS;
	int i = 0;

	while (i < load->nr) {
		if (__atomic_load_n(&load->page->tallies[i].ready, __ATOMIC_ACQUIRE)) {
			i++;
		} else if (now_ms() < end) {
			sleep_ms(10);
		} else {
			ksft_print_msg("%s: task %d of %d was not ready after %d ms\n",
				       cgroup, i, load->nr, START_MS);
			return -1;
		}
	}
	return 0;
}

static void ready(struct tally *tally)
{
	__atomic_store_n(&tally->ready, true, __ATOMIC_RELEASE);
}

void load_stop(struct load *load)
{
	int i;

	if (!load->page)
		return;
	for (i = 0; i < load->nr; i++)
		kill(load->pids[i], SIGKILL);
	for (i = 0; i < load->nr; i++)
		waitpid(load->pids[i], NULL, 0);
	munmap(load->page, sizeof(*load->page));
	close(load->page_fd);
	memset(load, 0, sizeof(*load));
}

static __u64 look(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Adds what the load did so far, or takes it off. */
static void account_add(const struct load *load, int sign,
			struct load_account *account)
{
	const struct tally *tally;
	__u64 ns, births;
	int i, n;

	for (i = 0; i < load->nr; i++) {
		tally = &load->page->tallies[i];
		account->wakeups += sign * look(&tally->wakeups);
		account->moves += sign * look(&tally->moves);
		for (n = 0; n < nr_llcs; n++) {
			ns = look(&tally->ns[n]);
			account->res.ns[n] += sign * ns;
			account->res.total += sign * ns;
		}
	}
	for (n = 0; n < CPU_SETSIZE; n++) {
		if (llc_of(n) < 0)
			continue;
		births = sign * look(&load->page->births[n]);
		account->births.ns[llc_of(n)] += births;
		account->births.total += births;
	}
	account->ms += sign * now_ms();
}

void load_watch(const struct load *load, long ms, struct load_account *account)
{
	memset(account, 0, sizeof(*account));
	account_add(load, -1, account);
	sleep_ms(ms);
	account_add(load, 1, account);
}

double load_moves_per_second(const struct load_account *account)
{
	return account->ms ? 1000.0 * account->moves / account->ms : 0;
}

static double load_share(const struct load *load, __u64 set, __u64 *where)
{
	struct load_account account;

	load_watch(load, WATCH_MS, &account);
	*where = set ?: busiest_set(&account.res);
	return residency_on(&account.res, *where);
}

int load_holds(const struct load *load, __u64 set, double percent, const char *what)
{
	double a, b, c, share;
	__u64 where;
	char name[160];

	share = load_share(load, set, &where);
	if (share < percent) {
		a = share;
		b = load_share(load, set, &where);
		c = load_share(load, set, &where);
		ksft_print_msg("%s: watched again: %.1f %%, %.1f %%, %.1f %%\n",
			       what, a, b, c);
		share = median(a, b, c);
		snprintf(name, sizeof(name), "%s (median of three)", what);
		what = name;
	}
	say(what, share, where, "at least", percent);
	return share >= percent ? 0 : -1;
}

int load_gathers(const struct load *load, __u64 set, const struct promise *promise,
		 const char *what)
{
	long start = now_ms(), took = -1;
	struct load_account account;
	char name[128];

	do {
		load_watch(load, WINDOW_MS, &account);
		if (residency_on(&account.res, set) >= promise->share)
			took = now_ms() - start;
	} while (took < 0 && now_ms() - start < promise->within_ms);

	if (took < 0) {
		snprintf(name, sizeof(name), "%s, after %ld ms", what,
			 promise->within_ms);
		say(name, residency_on(&account.res, set),
		    set ?: busiest_set(&account.res), "at least", promise->share);
		return -1;
	}
	snprintf(name, sizeof(name), "%s, %.0f %% after %ld ms, then", what,
		 promise->share, took);
	return load_holds(load, set, promise->then, name);
}

/*
 * Servers
 */

/* Sleeps while *@word is @seen. */
static void futex_wait(__u32 *word, __u32 seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void futex_wake(__u32 *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps until this worker is called. */
static void hear(struct part *part, __u32 *heard)
{
	__u32 *calls = &part->load->page->calls[part->nr];
	char byte;

	if (part->call == BY_PIPE) {
		if (read(part->pipes[part->nr][0], &byte, 1) != 1)
			_exit(1);
		return;
	}
	while (__atomic_load_n(calls, __ATOMIC_ACQUIRE) == *heard)
		futex_wait(calls, *heard);
	++*heard;
}

static void answer(struct part *part)
{
	__u32 *answers = &part->load->page->answers;

	if (part->call == BY_PIPE) {
		if (write(part->pipes[part->nr_workers][1], "a", 1) != 1)
			_exit(1);
		return;
	}
	/* The last one wakes the client. */
	if (__atomic_add_fetch(answers, 1, __ATOMIC_ACQ_REL) % part->nr_called == 0)
		futex_wake(answers);
}

static void play_worker(struct part *part, struct tally *tally)
{
	__u32 heard = 0;
	int i;

	for (;;) {
		hear(part, &heard);
		tally_note(tally);
		__atomic_store_n(&tally->wakeups, tally->wakeups + 1,
				 __ATOMIC_RELAXED);
		for (i = 0; i < PIECES; i++) {
			work();
			tally_note(tally);
		}
		ready(tally);
		answer(part);
	}
}

static void call(struct part *part, int worker)
{
	__u32 *calls = &part->load->page->calls[worker];

	if (part->call == BY_PIPE) {
		if (write(part->pipes[worker][1], "c", 1) != 1)
			_exit(1);
		return;
	}
	__atomic_add_fetch(calls, 1, __ATOMIC_RELEASE);
	futex_wake(calls);
}

/* Sleeps until all that were called in this round answered. */
static void collect(struct part *part, __u32 *collected)
{
	__u32 *answers = &part->load->page->answers, seen;
	char byte;
	int i;

	if (part->call == BY_PIPE) {
		for (i = 0; i < part->nr_called; i++)
			if (read(part->pipes[part->nr_workers][0], &byte, 1) != 1)
				_exit(1);
		return;
	}
	*collected += part->nr_called;
	while ((seen = __atomic_load_n(answers, __ATOMIC_ACQUIRE)) != *collected)
		futex_wait(answers, seen);
}

static void play_client(struct part *part, struct tally *tally)
{
	struct timespec rest = { 0, SERVER_REST_US * NSEC_PER_USEC };
	int worker = 0, i, rounds = 0;
	__u32 collected = 0;

	for (;;) {
		for (i = 0; i < part->nr_called; i++) {
			call(part, worker);
			worker = (worker + 1) % part->nr_workers;
		}
		work();
		tally_note(tally);
		collect(part, &collected);
		tally_note(tally);
		if (++rounds * part->nr_called >= part->nr_workers)
			ready(tally);
		nanosleep(&rest, NULL);
	}
}

int server_start(struct load *load, const char *cgroup, enum call_kind kind, int nr,
		 int nr_called)
{
	int pipes[MAX_LOAD][2], nr_pipes = 0, i, ret = -1;
	struct part part = {
		.play = play_worker,
		.call = kind,
		.nr_workers = nr,
		.nr_called = nr_called,
		.pipes = pipes,
	};

	if (load_make(load))
		return -1;
	for (; kind == BY_PIPE && nr_pipes <= nr; nr_pipes++) {
		if (pipe(pipes[nr_pipes])) {
			ksft_perror("pipe");
			goto out;
		}
	}
	for (i = 0; i < nr; i++)
		if (load_add(load, cgroup, &part))
			goto out;
	part.play = play_client;
	if (load_add(load, cgroup, &part) || load_ready(load, cgroup))
		goto out;
	ret = 0;

out:
	while (nr_pipes--) {
		close(pipes[nr_pipes][0]);
		close(pipes[nr_pipes][1]);
	}
	if (ret)
		load_stop(load);
	return ret;
}

/*
 * Storms
 */

static void __noreturn live(struct load_page *page)
{
	int i, cpu = sched_getcpu();

	if (cpu >= 0 && cpu < CPU_SETSIZE)
		__atomic_add_fetch(&page->births[cpu], 1, __ATOMIC_RELAXED);
	for (i = 0; i < PIECES; i++)
		work();
	_exit(0);
}

void load_born_again(int argc, char **argv)
{
	struct load_page *page;

	if (argc != 3 || strcmp(argv[1], BORN_AGAIN))
		return;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
		    atoi(argv[2]), 0);
	if (page == MAP_FAILED)
		_exit(1);
	live(page);
}

/* Returns the child, or -1. */
static pid_t bear(struct part *part)
{
	char self[] = "/proc/self/exe", word[] = BORN_AGAIN, fd[16];
	char *args[4] = { self, word, fd, NULL };
	pid_t pid;

	snprintf(fd, sizeof(fd), "%d", part->load->page_fd);
	if (part->birth == SPAWNS)
		return posix_spawn(&pid, self, NULL, NULL, args, environ) ? -1 : pid;

	pid = fork();
	if (pid)
		return pid;
	if (part->birth == FORKS)
		live(part->load->page);
	execv(self, args);
	_exit(1);
}

static void play_parent(struct part *part, struct tally *tally)
{
	int status, children = 0;

	for (;;) {
		while (children < part->at_once) {
			if (bear(part) < 0)
				_exit(1);
			children++;
		}
		tally_note(tally);
		if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
			_exit(1);
		children--;
		tally_note(tally);
		ready(tally);
	}
}

int storm_start(struct load *load, const char *cgroup, enum birth_kind kind,
		int at_once)
{
	struct part part = {
		.play = play_parent,
		.birth = kind,
		.at_once = at_once,
	};

	if (load_make(load))
		return -1;
	if (load_add(load, cgroup, &part) || load_ready(load, cgroup)) {
		load_stop(load);
		return -1;
	}
	return 0;
}

/*
 * Hoards
 */

/*
 * NUMA balancing moves memory to the task as well as the task to its memory, and
 * on a slow machine may end with both on the other node. Bound memory stays, and
 * it still looks who uses it.
 */
static int stay_on_this_node(void *memory, size_t bytes)
{
	unsigned long nodes[16] = {};
	const unsigned int bits = 8 * sizeof(nodes[0]);
	unsigned int node;

	if (syscall(SYS_getcpu, NULL, &node, NULL) || node >= ARRAY_SIZE(nodes) * bits)
		return -1;
	nodes[node / bits] = 1UL << node % bits;
	return syscall(SYS_mbind, memory, bytes, MPOL_BIND | MPOL_F_NUMA_BALANCING,
		       nodes, ARRAY_SIZE(nodes) * bits, 0);
}

static void play_hoarder(struct part *part, struct tally *tally)
{
	const size_t page = getpagesize(), chunk = 16 * page;
	cpu_set_t before;
	char *memory;
	size_t at;

	if (sched_getaffinity(0, sizeof(before), &before) ||
	    sched_setaffinity(0, sizeof(*part->cpus), part->cpus))
		_exit(1);
	memory = mmap(NULL, part->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || stay_on_this_node(memory, part->bytes))
		_exit(1);
	memset(memory, 1, part->bytes);
	if (sched_setaffinity(0, sizeof(before), &before))
		_exit(1);
	for (;;) {
		for (at = 0; at < part->bytes; at += page) {
			memory[at]++;
			if (at % chunk)
				continue;
			work();
			tally_note(tally);
		}
		ready(tally);
	}
}

int hoard_start(struct load *load, const char *cgroup, int nr, int mb,
		const cpu_set_t *cpus)
{
	struct part part = {
		.play = play_hoarder,
		.bytes = (size_t)mb << 20,
		.cpus = cpus,
	};
	int i;

	if (load_make(load))
		return -1;
	for (i = 0; i < nr; i++)
		if (load_add(load, cgroup, &part))
			goto stop;
	if (load_ready(load, cgroup))
		goto stop;
	return 0;

stop:
	load_stop(load);
	return -1;
}
