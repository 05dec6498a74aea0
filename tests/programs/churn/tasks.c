// SPDX-License-Identifier: GPL-2.0
/*
 * What is done to whom? To tasks that burn and sleep by turns: processes, and the
 * threads of a process that has some. Each worker has its own; they end with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "churn.h"

#define STACK_SIZE	(64 << 10)
#define HOGS		8	/* one task of so many runs for long */
#define HOG_NS		30000000
#define LATE_USEC	5000
#define SLOWEST		64

void task_nap(unsigned int usec)
{
	struct timespec ts = { .tv_sec = usec / 1000000, .tv_nsec = usec % 1000000 * 1000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

void task_burn(unsigned int rounds)
{
	static volatile uint64_t memory[1024];

	for (unsigned int i = 0; i < rounds * 64; i++)
		memory[i % 1024] += i;
}

/* What burns and sleeps. */
struct task {
	struct rng	rng;
	bool		hog;
	unsigned int	slower;		/* it sleeps so many times as long */
};

static struct task task_new(struct rng rng)
{
	struct task task = { .rng = rng, .slower = 8 };

	if (shared)
		task.slower = __atomic_load_n(&shared->slower, __ATOMIC_RELAXED);

	task.hog = !rng_below(&task.rng, HOGS);
	return task;
}

/* Waits for whoever comes by here, or for a while; wakes two that do. */
static void meet(unsigned int usec)
{
	struct timespec ts = { .tv_sec = usec / 1000000, .tv_nsec = usec % 1000000 * 1000 };
	uint32_t word = __atomic_add_fetch(&shared->word, 1, __ATOMIC_RELAXED);

	syscall(SYS_futex, &shared->word, FUTEX_WAKE, 2, NULL, NULL, 0);
	syscall(SYS_futex, &shared->word, FUTEX_WAIT, word, &ts, NULL, 0);
}

/*
 * On a machine that is far too slow for it all, nothing would come to an end: who
 * is woken late sleeps longer.
 */
static void turn(struct task *task)
{
	uint64_t start = now_ns(), asleep;
	unsigned int usec = (2000 + rng_below(&task->rng, 60000)) * task->slower;

	do
		task_burn(1 + rng_below(&task->rng, 40));
	while (task->hog && now_ns() < start + HOG_NS);

	switch (rng_below(&task->rng, 4)) {
	case 0:
		sched_yield();
		break;
	case 1:
		if (shared)
			meet(usec);
		break;
	}

	/* After a meeting too, or those who wake each other would never rest. */
	start = now_ns();
	task_nap(usec);
	asleep = now_ns() - start;
	if (asleep > (usec + usec / 2 + LATE_USEC) * 1000ULL)
		task->slower = task->slower * 2 < SLOWEST ? task->slower * 2 : SLOWEST;
	else if (task->slower > 1)
		task->slower--;
	if (shared)
		__atomic_store_n(&shared->slower, task->slower, __ATOMIC_RELAXED);
}

_Noreturn void task_run(uint64_t seed, unsigned int rounds)
{
	struct task task = task_new(rng_new(seed));

	for (unsigned int i = 0; !rounds || i < rounds; i++)
		turn(&task);
	_exit(0);
}

/* A task must not outlive its worker. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

static void end(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGKILL);
	child_wait(*pid);
	*pid = 0;
}

/* Room for a process more: a free place, else that of one that ends. */
static pid_t *room(struct worker *w)
{
	for (int i = 0; i < NR_PROCS; i++)
		if (!w->proc[i])
			return &w->proc[i];

	pid_t *pid = &w->proc[rng_below(&w->rng, NR_PROCS)];

	end(pid);
	return pid;
}

static int move_new(struct worker *w, pid_t pid)
{
	struct place place = place_pick(w, PLACE_PROCS, 0);
	char id[16];

	snprintf(id, sizeof(id), "%d", pid);
	return cgroup_put(w, &place, "cgroup.procs", id);
}

int member_fork(struct worker *w)
{
	pid_t *pid = room(w), parent = getpid();
	uint64_t seed = rng_next(&w->rng);

	snprintf(w->what, WHAT_SIZE, "fork");
	*pid = fork();
	if (!*pid) {
		end_with(parent);
		task_run(seed, 0);
	}
	if (*pid < 0) {
		*pid = 0;
		return errno;
	}
	return move_new(w, *pid);
}

int child_start_into(struct worker *w, const struct place *place, unsigned int rounds,
		     pid_t *pid)
{
	uint64_t seed = rng_next(&w->rng);
	pid_t parent = getpid();
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
	};
	int fd = cgroup_open(w, place), ret = 0;

	*pid = 0;
	if (fd < 0)
		return -fd;
	args.cgroup = fd;
	*pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!*pid) {
		end_with(parent);
		task_run(seed, rounds);
	}
	if (*pid < 0) {
		ret = errno;
		*pid = 0;
	}
	close(fd);
	return ret;
}

int member_clone_into(struct worker *w)
{
	struct place place = place_pick(w, PLACE_PROCS, 0);

	return child_start_into(w, &place, 0, room(w));
}

int member_pick(struct worker *w, pid_t *pid)
{
	int first = rng_below(&w->rng, NR_PROCS), ret;

	for (int i = 0; i < NR_PROCS; i++) {
		*pid = w->proc[(first + i) % NR_PROCS];
		if (*pid)
			return 0;
	}
	ret = member_fork(w);
	*pid = w->proc[0];
	return ret;
}

int member_end(struct worker *w)
{
	pid_t pid;
	int ret = member_pick(w, &pid);

	if (ret)
		return ret;
	for (int i = 0; i < NR_PROCS; i++)
		if (w->proc[i] == pid)
			end(&w->proc[i]);
	return 0;
}

/* --- exec ------------------------------------------------------------------ */

static void execute(const char *seed, const char *rounds)
{
	execl("/proc/self/exe", "churn", "--task", seed, rounds, NULL);
}

static void *burn_until_exec(void *arg)
{
	for (;;)
		task_burn(100);
	return arg;
}

static pthread_attr_t *small_stack(void)
{
	static pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	return &attr;
}

/* A process that becomes another program, with threads that end by that. */
int member_exec(struct worker *w, int nr_threads)
{
	struct place place = place_pick(w, PLACE_PROCS, 0);
	pid_t *pid = room(w), parent = getpid();
	int failed = 0, ends[2];
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)rng_next(&w->rng));
	snprintf(w->what, WHAT_SIZE, "%s <- exec, %d threads",
		 place.path, nr_threads);
	w->transient |= place.transient;
	/* Closed by exec: nothing is read from it unless something went wrong. */
	if (pipe2(ends, O_CLOEXEC))
		return errno;
	*pid = fork();
	if (!*pid) {
		pthread_t thread;

		end_with(parent);
		failed = cgroup_enter(&place);
		for (int i = 0; !failed && i < nr_threads; i++)
			failed = pthread_create(&thread, small_stack(), burn_until_exec, NULL);
		if (!failed) {
			execute(seed, "0");
			failed = errno;
		}
		if (write(ends[1], &failed, sizeof(failed)) < 0)
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	if (*pid < 0) {
		failed = errno;
		*pid = 0;
	} else if (read(ends[0], &failed, sizeof(failed)) > 0) {
		end(pid);
	}
	close(ends[0]);
	return failed;
}

int member_vfork(struct worker *w)
{
	static volatile int failed;
	struct place place = place_pick(w, PLACE_PROCS, 0);
	pid_t *slot = room(w), pid, parent = getpid();
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)rng_next(&w->rng));
	snprintf(w->what, WHAT_SIZE, "%s <- vfork and exec", place.path);
	w->transient |= place.transient;
	failed = 0;
	/* The child shares our memory until it has become another program. */
	pid = vfork();
	if (!pid) {
		end_with(parent);
		failed = cgroup_enter(&place);
		if (!failed) {
			execute(seed, "0");
			failed = errno;
		}
		_exit(0);
	}
	if (pid < 0)
		return errno;
	*slot = pid;
	if (failed)
		end(slot);
	return failed;
}

struct vm_child {
	struct place	from, to;
	pid_t		parent;
	bool		exec;
	char		seed[24];
};

static int run_vm_child(void *arg)
{
	struct vm_child *child = arg;
	int ret;

	end_with(child->parent);
	ret = cgroup_enter(&child->from);
	if (!ret) {
		task_burn(50);
		ret = cgroup_enter(&child->to);
	}
	if (!ret) {
		task_burn(50);
		if (child->exec) {
			execute(child->seed, "2");
			ret = errno;
		}
	}
	_exit(ret);
}

/* A process that shares our memory, changes its cgroup, and execs or exits. */
int child_clone_vm(struct worker *w, bool exec)
{
	struct vm_child child = {
		.from = place_pick(w, PLACE_PROCS, 0),
		.to = place_pick(w, PLACE_PROCS, 0),
		.parent = getpid(),
		.exec = exec,
	};
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	int ret;
	pid_t pid;

	if (stack == MAP_FAILED)
		return errno;
	snprintf(child.seed, sizeof(child.seed), "%llu", (unsigned long long)rng_next(&w->rng));
	snprintf(w->what, WHAT_SIZE, "%s, then %s <- clone with our memory",
		 child.from.path, child.to.path);
	w->transient |= child.from.transient | child.to.transient;
	pid = clone(run_vm_child, stack + STACK_SIZE, CLONE_VM | SIGCHLD, &child);
	ret = pid < 0 ? errno : child_wait(pid);
	munmap(stack, STACK_SIZE);
	return ret;
}

/* --- threads --------------------------------------------------------------- */

/* In the host: its threads. */
static struct {
	pthread_t	thread;
	struct task	task;
	pid_t		tid;
	bool		used;
	uint32_t	stop;
} host_thread[NR_THREADS];

static void *run_thread(void *arg)
{
	int nr = (int)(intptr_t)arg;

	__atomic_store_n(&host_thread[nr].tid, gettid(), __ATOMIC_RELEASE);
	while (!__atomic_load_n(&host_thread[nr].stop, __ATOMIC_RELAXED))
		turn(&host_thread[nr].task);
	return NULL;
}

/* Starts thread @nr if there is none, else ends it. Its id, 0 for ended, -errno. */
static int host_obey(int nr, struct rng *rng)
{
	int ret;

	if (host_thread[nr].used) {
		__atomic_store_n(&host_thread[nr].stop, 1, __ATOMIC_RELAXED);
		pthread_join(host_thread[nr].thread, NULL);
		host_thread[nr].used = false;
		return 0;
	}
	host_thread[nr].stop = 0;
	host_thread[nr].tid = 0;
	host_thread[nr].task = task_new(rng_split(rng));
	ret = pthread_create(&host_thread[nr].thread, small_stack(), run_thread,
			     (void *)(intptr_t)nr);
	if (ret)
		return -ret;
	host_thread[nr].used = true;
	while (!__atomic_load_n(&host_thread[nr].tid, __ATOMIC_ACQUIRE))
		task_nap(500);
	return host_thread[nr].tid;
}

static _Noreturn void host_run(int fd, uint64_t seed)
{
	struct rng rng = rng_new(seed);
	int nr;

	while (read(fd, &nr, sizeof(nr)) == sizeof(nr)) {
		int ret = host_obey(nr, &rng);

		if (write(fd, &ret, sizeof(ret)) != sizeof(ret))
			break;
	}
	_exit(0);
}

int host_end(struct worker *w)
{
	if (w->host.pid)
		close(w->host.fd);
	end(&w->host.pid);
	memset(&w->host, 0, sizeof(w->host));
	return 0;
}

static int host_start(struct worker *w)
{
	struct place place = place_pick(w, PLACE_THREADS, 0);
	uint64_t seed = rng_next(&w->rng);
	pid_t parent = getpid();
	int ends[2], ret;
	char id[16];

	snprintf(w->what, WHAT_SIZE, "fork of a process with threads");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return errno;
	w->host.pid = fork();
	if (!w->host.pid) {
		end_with(parent);
		close(ends[0]);
		host_run(ends[1], seed);
	}
	close(ends[1]);
	w->host.fd = ends[0];
	if (w->host.pid < 0) {
		ret = errno;
		close(ends[0]);
		w->host.pid = 0;
		return ret;
	}
	snprintf(id, sizeof(id), "%d", w->host.pid);
	ret = cgroup_put(w, &place, "cgroup.procs", id);
	/* A process outside of the branch is of no use. */
	if (ret)
		host_end(w);
	return ret;
}

static int host_ask(struct worker *w, int nr)
{
	int ret;

	snprintf(w->what, WHAT_SIZE, "thread %d of process %d: %s",
		 nr, w->host.pid, w->host.tid[nr] ? "end" : "start");
	if (write(w->host.fd, &nr, sizeof(nr)) != sizeof(nr) ||
	    read(w->host.fd, &ret, sizeof(ret)) != sizeof(ret))
		return EPIPE;
	if (ret < 0)
		return -ret;
	w->host.tid[nr] = ret;
	return 0;
}

/* A thread that there is, or one that there is not; -1 if there is none such. */
static int thread_find(struct worker *w, bool running)
{
	int first = rng_below(&w->rng, NR_THREADS);

	for (int i = 0; i < NR_THREADS; i++) {
		int nr = (first + i) % NR_THREADS;

		if (!w->host.tid[nr] == !running)
			return nr;
	}
	return -1;
}

int thread_start(struct worker *w)
{
	int nr, ret = 0;

	if (!w->host.pid)
		ret = host_start(w);
	if (ret)
		return ret;
	nr = thread_find(w, false);
	if (nr < 0) {
		nr = rng_below(&w->rng, NR_THREADS);
		ret = host_ask(w, nr);
	}
	return ret ?: host_ask(w, nr);
}

int thread_pick(struct worker *w, pid_t *tid)
{
	int ret = 0;

	if (thread_find(w, true) < 0)
		ret = thread_start(w);
	if (!ret)
		*tid = w->host.tid[thread_find(w, true)];
	return ret;
}

int thread_end(struct worker *w)
{
	pid_t tid;
	int ret = thread_pick(w, &tid);

	return ret ?: host_ask(w, thread_find(w, true));
}

void tasks_end(struct worker *w)
{
	for (int i = 0; i < NR_PROCS; i++)
		end(&w->proc[i]);
	host_end(w);
}
