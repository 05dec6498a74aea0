// SPDX-License-Identifier: GPL-2.0
/*
 * shmwork: cooperating workers that share memory and never sleep.
 *
 * N single-threaded processes, or N threads of one process, read and write one
 * shared region. Each accounts its own CPU time to the CPU that it ran on, in
 * chunks of about a millisecond, so that `residency --stats` tells exactly
 * where they ran, without sampling.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define CHUNK_NS	1000000
#define CACHE_LINE	64

static struct work_stats *stats;
static volatile uint64_t *shared;	/* the memory that the workers share */
static size_t shared_words;

static const char usage_text[] =
"usage: shmwork [options]\n"
"Run workers that share memory and burn CPU time, until killed.\n"
"\n"
" -n, --workers N     how many workers (default 2)\n"
" -t, --threads       threads of one process instead of processes\n"
" -c, --cgroup PATH   join this cgroup first (path below " CGROUP_MOUNT ")\n"
" -s, --stats FILE    account run time here, for residency --stats\n"
" -m, --memory KIB    size of the shared memory (default 256)\n"
" -f, --for SECONDS   end after this time\n"
" -h, --help          show this and exit\n";

static uint64_t thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void touch_shared(size_t *pos)
{
	for (int i = 0; i < 256; i++) {
		shared[*pos] += 1;
		*pos = (*pos + CACHE_LINE / sizeof(*shared)) % shared_words;
	}
}

static void account(int id, int cpu, uint64_t ns)
{
	uint64_t *counter = &stats->worker[id].ns[cpu];

	/* One writer: a plain add that readers never see torn. */
	__atomic_store_n(counter, *counter + ns, __ATOMIC_RELAXED);
}

static void work(int id)
{
	size_t pos = id * (CACHE_LINE / sizeof(*shared)) % shared_words;
	uint64_t ran = thread_ns();
	int cpu = sched_getcpu();

	for (;;) {
		uint64_t end = now_ns() + CHUNK_NS, ran_before = ran;
		int cpu_before = cpu;

		do
			touch_shared(&pos);
		while (now_ns() < end);

		cpu = sched_getcpu();
		ran = thread_ns();
		/* Nobody knows when in this chunk it migrated: half to each. */
		account(id, cpu_before, (ran - ran_before) / 2);
		account(id, cpu, (ran - ran_before) - (ran - ran_before) / 2);
	}
}

static void *work_thread(void *arg)
{
	work((int)(intptr_t)arg);
	return NULL;
}

static void *map_shared(const char *file, size_t size)
{
	void *mem;
	int fd = -1, flags = MAP_SHARED | MAP_ANONYMOUS;

	if (file) {
		fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (fd < 0 || ftruncate(fd, size))
			err(2, "cannot make %s", file);
		flags = MAP_SHARED;
	}
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (mem == MAP_FAILED)
		err(2, "cannot map %zu bytes of shared memory", size);
	if (fd >= 0)
		close(fd);
	return mem;
}

static void start_thread(int id)
{
	pthread_t thread;
	int ret = pthread_create(&thread, NULL, work_thread, (void *)(intptr_t)id);

	if (ret) {
		errno = ret;
		err(2, "cannot start worker %d", id);
	}
}

static void start_process(int id, const sigset_t *old_mask)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		err(2, "cannot start worker %d", id);
	if (pid)
		return;
	/* The workers go with the parent, however it ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigprocmask(SIG_SETMASK, old_mask, NULL);
	work(id);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "workers", required_argument, NULL, 'n' },
		{ "threads", no_argument, NULL, 't' },
		{ "cgroup", required_argument, NULL, 'c' },
		{ "stats", required_argument, NULL, 's' },
		{ "memory", required_argument, NULL, 'm' },
		{ "for", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *cgroup = NULL, *file = NULL;
	bool threads = false;
	double seconds = 0;
	size_t size = 256 << 10;
	int workers = 2, opt, sig;
	sigset_t ends, old_mask;

	while ((opt = getopt_long(argc, argv, "n:tc:s:m:f:h", options, NULL)) != -1) {
		switch (opt) {
		case 'n':
			workers = parse_number("--workers", optarg, 1);
			break;
		case 't':
			threads = true;
			break;
		case 'c':
			cgroup = optarg;
			break;
		case 's':
			file = optarg;
			break;
		case 'm':
			size = (size_t)parse_number("--memory", optarg, 1) << 10;
			break;
		case 'f':
			seconds = parse_number("--for", optarg, 0.001);
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	if (optind < argc)
		errx(2, "unexpected argument: %s", argv[optind]);
	if (workers > WORK_MAX)
		errx(2, "%d workers asked, at most %d are possible", workers, WORK_MAX);

	if (cgroup)
		cgroup_join(cgroup);
	stats = map_shared(file, sizeof(*stats));
	shared = map_shared(NULL, size);
	shared_words = size / sizeof(*shared);
	stats->nr_workers = workers;
	__atomic_store_n(&stats->magic, WORK_MAGIC, __ATOMIC_RELEASE);

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, &old_mask);
	for (int id = 0; id < workers; id++) {
		if (threads)
			start_thread(id);
		else
			start_process(id, &old_mask);
	}

	if (seconds > 0) {
		struct timespec ts = {
			.tv_sec = (time_t)seconds,
			.tv_nsec = (seconds - (time_t)seconds) * NSEC_PER_SEC,
		};

		sigtimedwait(&ends, NULL, &ts);
	} else {
		sigwait(&ends, &sig);
	}
	return 0;
}
