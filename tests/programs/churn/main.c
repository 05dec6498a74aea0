// SPDX-License-Identifier: GPL-2.0
/*
 * churn: everything at once.
 *
 * Several workers do operations by chance: tasks that are born, run, move and
 * die, cgroups that come and go, cpu.llc_prefer written everywhere, throttling,
 * cpusets and partitions, hot-plug. How often each operation is done is dealt out
 * beforehand, and so is the order of each worker, by --seed. A report in the
 * kernel's log is the main thing that this is to provoke, and whoever runs it
 * looks for that. What it sees by itself: an error that an operation must not
 * meet, one that does not end, and what is left when all is over.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "churn.h"

#define PROGRESS_SEC	30
#define LEAST		4	/* how often the rarest operation is done, at least */

static const char usage_text[] =
"usage: churn [options]\n"
"Do everything at once that cpu.llc_prefer must survive, and report in TAP.\n"
"\n"
" -n, --ops N          operations in all (default 2000)\n"
" -s, --seed S         what chance starts from (default 1)\n"
" -w, --workers N      processes that do them (default 6)\n"
" -l, --limit SECONDS  fail if it takes longer (default 1500)\n"
" -g, --hang SECONDS   an operation that takes longer hangs (default 120)\n"
" -h, --help           show this and exit\n"
"\n"
"LLC_PREFER_REQUIRED=1 in the environment: cpu.llc_prefer.stat and the counters\n"
"in " SCHED_DEBUG "/debug must be there.\n"
"Exit status: 0, 1 if a test failed, 2 on errors.\n";

struct shared *shared;
int nr_cpus;
bool have_stat;
bool have_faults;

static struct {
	unsigned int	ops;
	uint64_t	seed;
	int		workers;
	double		limit;
	double		hang;
} opts = { .ops = 2000, .seed = 1, .workers = 6, .limit = 1500, .hang = 120 };

static bool has(const struct op *op)
{
	return !op->needs || *op->needs;
}

/* --- the deck: which operations, in which order ----------------------------- */

/*
 * Each kind as often as its weight says, the rarest often enough not to be left
 * out, in an order of chance. The workers get a part each.
 */
static uint8_t *deal(struct rng *rng)
{
	unsigned int left = opts.ops, weights = 0, kinds = 0, weight_left;
	uint8_t *deck = malloc(opts.ops);

	if (!deck)
		err(2, "no memory for %u operations", opts.ops);
	for (int i = 0; i < nr_ops; i++) {
		kinds += has(&ops[i]);
		weights += has(&ops[i]) ? ops[i].weight : 0;
	}
	if (opts.ops < 2 * LEAST * kinds)
		errx(2, "--ops: %u are too few for %u kinds, take %u", opts.ops, kinds,
		     2 * LEAST * kinds);

	left -= LEAST * kinds;
	weight_left = weights;
	for (int i = 0, at = 0; i < nr_ops; i++) {
		unsigned int nr;

		if (!has(&ops[i]))
			continue;
		nr = (uint64_t)left * ops[i].weight / weight_left;
		left -= nr;
		weight_left -= ops[i].weight;
		memset(deck + at, i, nr + LEAST);
		at += nr + LEAST;
	}
	for (unsigned int i = opts.ops - 1; i > 0; i--) {
		unsigned int other = rng_below(rng, i + 1);
		uint8_t kind = deck[i];

		deck[i] = deck[other];
		deck[other] = kind;
	}
	return deck;
}

/* --- a worker --------------------------------------------------------------- */

static bool is_expected(const struct op *op, int error, bool transient)
{
	for (int i = 0; i < 4; i++)
		if (op->may[i] == error)
			return true;
	return transient && (error == ENOENT || error == ENODEV);
}

/* Of the operation that a worker is at. */
static void note_failure(int id, const char *error)
{
	uint32_t nr = __atomic_fetch_add(&shared->nr_failures, 1, __ATOMIC_RELAXED);
	char what[WHAT_SIZE];

	memcpy(what, shared->worker[id].what, sizeof(what));
	if (nr < MAX_FAILURES)
		snprintf(shared->failure[nr], sizeof(shared->failure[nr]), "%s: %s: %s",
			 ops[shared->worker[id].kind].name, what, error);
}

static void count(struct worker *w, int kind, int error, uint64_t ns)
{
	const struct op *op = &ops[kind];
	uint64_t longest = shared->kind[kind].longest;

	if (!error) {
		__atomic_add_fetch(&shared->kind[kind].done, 1, __ATOMIC_RELAXED);
	} else {
		__atomic_add_fetch(&shared->kind[kind].refused, 1, __ATOMIC_RELAXED);
		if (!is_expected(op, error, w->transient))
			note_failure(w->id, strerror(error));
	}
	__atomic_add_fetch(&shared->kind[kind].ns, ns, __ATOMIC_RELAXED);
	while (ns > longest && !__atomic_compare_exchange_n(&shared->kind[kind].longest, &longest, ns,
							    true, __ATOMIC_RELAXED,
							    __ATOMIC_RELAXED))
		;
}

static void stop_all(void)
{
	__atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
}

static void work(struct worker *w, const uint8_t *kinds, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct op *op = &ops[kinds[i]];
		uint64_t start;
		int error;

		if (__atomic_load_n(&shared->stop, __ATOMIC_RELAXED))
			break;
		if (op->alone)
			pthread_mutex_lock(&shared->alone[op->alone]);
		start = now_ns();
		w->transient = false;
		*w->what = '\0';
		__atomic_store_n(&shared->worker[w->id].kind, kinds[i], __ATOMIC_RELAXED);
		__atomic_store_n(&shared->worker[w->id].since, start, __ATOMIC_RELEASE);

		error = op->run(w);

		__atomic_store_n(&shared->worker[w->id].since, 0, __ATOMIC_RELAXED);
		count(w, kinds[i], error, now_ns() - start);
		__atomic_add_fetch(&shared->worker[w->id].nr_ops, 1, __ATOMIC_RELAXED);
		if (op->alone)
			pthread_mutex_unlock(&shared->alone[op->alone]);
	}
	tasks_end(w);
}

static pid_t start_worker(int id, struct rng rng, const uint8_t *kinds, unsigned int nr)
{
	struct worker w = { .id = id, .rng = rng, .what = shared->worker[id].what };
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		err(2, "cannot start worker %d", id);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* A host that is gone is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
	work(&w, kinds, nr);
	_exit(0);
}

/* --- the one that watches --------------------------------------------------- */

static unsigned int ops_done(void)
{
	unsigned int sum = 0;

	for (int i = 0; i < opts.workers; i++)
		sum += __atomic_load_n(&shared->worker[i].nr_ops, __ATOMIC_RELAXED);
	return sum;
}

/* A file of a task, as diagnostics. */
static void print_file(const char *dir, const char *file)
{
	char path[320], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		printf("#   %s: %s\n", file, line);
	}
	if (f)
		fclose(f);
}

/*
 * What every task of ours is at: its state and CPU (fields 3 and 39 of stat), and
 * where it is in the kernel.
 */
static void print_tasks(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *de;

	while (proc && (de = readdir(proc))) {
		char path[300], comm[16] = "";
		FILE *f;

		if (de->d_name[0] < '1' || de->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", de->d_name);
		f = fopen(path, "re");
		if (f && !fgets(comm, sizeof(comm), f))
			*comm = '\0';
		if (f)
			fclose(f);
		if (strcmp(comm, "churn\n"))
			continue;
		snprintf(path, sizeof(path), "/proc/%s", de->d_name);
		printf("# process %s\n", de->d_name);
		print_file(path, "stat");
		print_file(path, "cgroup");
		print_file(path, "stack");
	}
	if (proc)
		closedir(proc);
}

/* Returns whether one hangs. */
static bool look_for_hang(const pid_t *pids)
{
	bool hangs = false;

	for (int i = 0; i < opts.workers; i++) {
		uint64_t since = __atomic_load_n(&shared->worker[i].since, __ATOMIC_ACQUIRE);
		uint64_t now = now_ns();
		char error[64];

		if (!pids[i] || !since || now < since + (uint64_t)(opts.hang * NSEC_PER_SEC))
			continue;
		snprintf(error, sizeof(error), "hangs for %.0f s",
			 (now - since) / (double)NSEC_PER_SEC);
		note_failure(i, error);
		hangs = true;
	}
	if (hangs)
		print_tasks();
	return hangs;
}

/* Children end: workers, and what their children left behind. */
static int reap(pid_t *pids)
{
	int running = 0, status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (int i = 0; i < opts.workers; i++) {
			char error[64];

			if (pids[i] != pid)
				continue;
			pids[i] = 0;
			if (WIFEXITED(status) && !WEXITSTATUS(status))
				continue;
			snprintf(error, sizeof(error), "worker %d ended with status 0x%x", i, status);
			note_failure(i, error);
			stop_all();
		}
	}
	for (int i = 0; i < opts.workers; i++)
		running += !!pids[i];
	return running;
}

/* Until all workers have ended. Returns whether one hung. */
static bool watch(pid_t *pids, uint64_t start)
{
	uint64_t progress = start + PROGRESS_SEC * NSEC_PER_SEC;
	uint64_t limit = start + (uint64_t)(opts.limit * NSEC_PER_SEC);
	bool hung = false;

	while (reap(pids)) {
		uint64_t now = now_ns();

		if (now > progress) {
			printf("# %u of %u operations in %.0f s\n", ops_done(), opts.ops,
			       (now - start) / (double)NSEC_PER_SEC);
			fflush(stdout);
			progress += PROGRESS_SEC * NSEC_PER_SEC;
		}
		if (now > limit)
			stop_all();
		if (look_for_hang(pids)) {
			hung = true;
			break;
		}
		task_nap(200000);
	}
	return hung;
}

/* Nothing of the run goes on; what cannot be killed shows as a tree that stays. */
static void end_all(pid_t *pids)
{
	int fd = open(TREE "/cgroup.kill", O_WRONLY | O_CLOEXEC);
	uint64_t end = now_ns() + 60 * NSEC_PER_SEC;

	for (int i = 0; i < opts.workers; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	if (fd < 0 || write(fd, "1", 1) != 1)
		warn(TREE "/cgroup.kill");
	if (fd >= 0)
		close(fd);
	/* Also of processes that were moved out of the tree: they end with their workers. */
	while (waitpid(-1, NULL, WNOHANG) >= 0 && now_ns() < end)
		task_nap(10000);
}

/* --- the verdict ------------------------------------------------------------ */

static int nr_tests, nr_failed;

static void result(bool right, const char *name, const char *figure)
{
	nr_failed += !right;
	printf("%s %d - %s (%s)\n", right ? "ok" : "not ok", ++nr_tests, name, figure);
	fflush(stdout);
}

/* Was there anything for a preference to do? */
static void print_counted(void)
{
	printf("# cpu.llc_prefer.stat, how often above 0:");
	for (int i = 0; i < NR_STATS; i++)
		printf(" %s %u%s", stat_name[i], shared->counted[i], i < NR_STATS - 1 ? "," : "\n");
}

static void judge_kinds(double seconds)
{
	unsigned int done = ops_done(), missing = 0;
	char figure[160];

	for (int i = 0; i < nr_ops; i++)
		missing += has(&ops[i]) && !shared->kind[i].done;
	snprintf(figure, sizeof(figure), "%u of %u operations by %d workers in %.0f s, %u kinds never",
		 done, opts.ops, opts.workers, seconds, missing);
	result(done == opts.ops && !missing, "every kind of operation was done", figure);
	for (int i = 0; i < nr_ops; i++) {
		unsigned int nr = shared->kind[i].done + shared->kind[i].refused;

		if (!has(&ops[i]))
			continue;
		printf("# %-24s %6u done, %5u refused, %7.1f ms each, longest %6.0f ms%s\n",
		       ops[i].name, shared->kind[i].done, shared->kind[i].refused,
		       nr ? shared->kind[i].ns / 1e6 / nr : 0, shared->kind[i].longest / 1e6,
		       shared->kind[i].done ? "" : ": NEVER DONE");
	}
	if (have_stat)
		print_counted();
}

static void judge_values(void)
{
	int value = 0, level = 0;
	char figure[96];

	for (int v = 0; v < NR_VALUES; v++) {
		for (int l = 0; l < NR_LEVELS; l++) {
			if (shared->written[v][l] < shared->written[value][level])
				value = v, level = l;
		}
	}
	snprintf(figure, sizeof(figure), "least often \"%s\" at level %d: %u times", value_name[value],
		 level + 1, shared->written[value][level]);
	result(shared->written[value][level], "every value was written at every level", figure);
}

static void judge_failures(bool hung)
{
	unsigned int refused = 0, nr = shared->nr_failures;
	char figure[96];

	for (int i = 0; i < nr_ops; i++)
		refused += shared->kind[i].refused;
	snprintf(figure, sizeof(figure), "%u did; %u were refused as they may be%s", nr,
		 refused - (nr < refused ? nr : refused), hung ? "; it hung" : "");
	result(!nr, "no operation failed that must not, or hung", figure);
	for (unsigned int i = 0; i < nr && i < MAX_FAILURES; i++)
		printf("# %s\n", shared->failure[i]);
}

static void judge(bool (*check)(char *text, size_t size), const char *name)
{
	char text[2048] = "";
	bool right = check(text, sizeof(text));

	result(right, name, text);
}

/* The tree goes, with what is stated in it. */
static bool check_tree(char *text, size_t size)
{
	if (tree_remove(text, size))
		return false;
	snprintf(text, size, "it did");
	return true;
}

/* --- main ------------------------------------------------------------------- */

static void make_shared(void)
{
	pthread_mutexattr_t attr;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		err(2, "cannot map %zu bytes of shared memory", sizeof(*shared));
	shared->slower = 1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	for (int i = 0; i < NR_ALONE; i++)
		pthread_mutex_init(&shared->alone[i], &attr);
}

/*
 * Let also those allocations fail that may wait for memory, as all here may, and
 * say nothing of it in the log.
 */
static bool failures_are_quiet(void)
{
	struct worker w = { .what = shared->worker[0].what };

	return !file_put(&w, "/sys/kernel/debug/failslab/ignore-gfp-wait", "N") &&
	       !file_put(&w, "/sys/kernel/debug/failslab/verbose", "0");
}

/* Returns whether it must have all that there is to look at. */
static bool look_at_kernel(void)
{
	const char *value = getenv("LLC_PREFER_REQUIRED");
	bool required = value && !strcmp(value, "1");

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (nr_cpus < 4)
		errx(2, "%d CPUs are online, wanted 4 at least", nr_cpus);
	if (nr_cpus != sysconf(_SC_NPROCESSORS_CONF))
		errx(2, "%d of %ld CPUs are online, wanted all", nr_cpus,
		     sysconf(_SC_NPROCESSORS_CONF));
	if (access(TREE "/cpu.llc_prefer", F_OK))
		errx(2, "the kernel has no cpu.llc_prefer");
	have_stat = required || !access(TREE "/cpu.llc_prefer.stat", F_OK);
	have_faults = !access(FAIL_NTH, F_OK) && failures_are_quiet();
	return required;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "ops", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "workers", required_argument, NULL, 'w' },
		{ "limit", required_argument, NULL, 'l' },
		{ "hang", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "n:s:w:l:g:h", options, NULL)) != -1) {
		switch (opt) {
		case 'n':
			opts.ops = parse_number("--ops", optarg, 1);
			break;
		case 's':
			opts.seed = parse_number("--seed", optarg, 0);
			break;
		case 'w':
			opts.workers = parse_number("--workers", optarg, 1);
			break;
		case 'l':
			opts.limit = parse_number("--limit", optarg, 1);
			break;
		case 'g':
			opts.hang = parse_number("--hang", optarg, 1);
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			fputs(usage_text, stderr);
			exit(2);
		}
	}
	if (optind < argc)
		errx(2, "unexpected argument: %s", argv[optind]);
	if (opts.workers > MAX_WORKERS)
		errx(2, "--workers: %d asked, at most %d are possible", opts.workers, MAX_WORKERS);
}

int main(int argc, char **argv)
{
	pid_t pids[MAX_WORKERS] = { };
	bool required, hung;
	struct rng rng;
	uint64_t start;
	uint8_t *deck;

	/* What a task becomes that execs: see tasks.c. */
	if (argc == 4 && !strcmp(argv[1], "--task"))
		task_run(strtoull(argv[2], NULL, 10), atoi(argv[3]));

	parse(argc, argv);
	make_shared();
	tree_make();
	required = look_at_kernel();
	prctl(PR_SET_CHILD_SUBREAPER, 1);

	rng = rng_new(opts.seed);
	deck = deal(&rng);
	printf("TAP version 13\n1..%d\n", 6 + (required || have_counters()) + have_memory() +
	       have_leaks());
	printf("# seed %llu\n", (unsigned long long)opts.seed);
	fflush(stdout);

	start = now_ns();
	for (int i = 0; i < opts.workers; i++) {
		unsigned int first = (uint64_t)opts.ops * i / opts.workers;
		unsigned int end = (uint64_t)opts.ops * (i + 1) / opts.workers;

		pids[i] = start_worker(i, rng_split(&rng), deck + first, end - first);
	}
	hung = watch(pids, start);
	judge_kinds((now_ns() - start) / (double)NSEC_PER_SEC);
	judge_values();
	judge_failures(hung);
	end_all(pids);

	judge(check_restored, "the machine is as before");
	judge(check_answers, "the files answer when all is over");
	judge(check_tree, "all cgroups can be removed");
	if (required || have_counters())
		judge(check_counters, "no task is counted that is gone");
	if (have_memory())
		judge(check_memory, "the memory of every preference is freed");
	if (have_leaks())
		judge(check_leaks, "no memory is lost");
	free(deck);
	return nr_failed ? 1 : 0;
}
