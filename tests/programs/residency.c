// SPDX-License-Identifier: GPL-2.0
/*
 * residency: on which last-level caches did these tasks run?
 *
 * The answer is a share of run time per LLC, from one of two sources:
 *
 * - a cgroup: every task in its subtree, whatever program it is. Each interval,
 *   the run time that /proc/TID/schedstat gained is put down to the CPU that
 *   /proc/TID/stat names. A task that moved meanwhile counts half for each of
 *   the two CPUs; one that was born and died within an interval is not seen.
 * - the file that `shmwork --stats` writes: exact.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define MAX_TASKS	4096
#define STAT_CPU_FIELD	39	/* of /proc/TID/stat: the CPU it last ran on */

static const char usage_text[] =
"usage: residency {--cgroup PATH | --stats FILE} [options] [-- COMMAND [ARG...]]\n"
"Print the share of run time that tasks spent on each LLC.\n"
"\n"
" -c, --cgroup PATH    the tasks of this cgroup and those below it\n"
" -s, --stats FILE     the workers of shmwork --stats FILE\n"
" -f, --for SECONDS    how long to watch (default 1)\n"
" -i, --interval MS    time between samples (default 20)\n"
" -w, --window SECONDS what --until, --below and --csv look at (default 0.1)\n"
" -o, --of WHICH       one figure only: the share of the LLCs that contain the\n"
"                      CPUs of this list, or of the \"busiest\" LLC\n"
" -u, --until PERCENT  end when --of (default busiest) has this share of a\n"
"                      window; print the seconds it took; fail if it never has\n"
" -b, --below PERCENT  the same for a share below this one\n"
" -a, --after-open FILE  watching begins when COMMAND, or anybody, opens FILE, so\n"
"                      that a write is timed and not the start of COMMAND\n"
"     --csv            a line of shares for each window\n"
"     --json           all figures as one JSON object\n"
" -h, --help           show this and exit\n"
"\n"
"COMMAND is run when watching begins, so that --until counts from it.\n"
"Exit status: 0, 1 if the share was not reached or nothing ran, 2 on errors.\n";

/* Run time per LLC since watching began. */
struct snapshot {
	double	time;		/* seconds since watching began */
	double	total;
	double	*llc;		/* by LLC, in seconds */
};

static struct {
	const char	*cgroup;
	const char	*stats;
	double		seconds;
	double		interval;
	double		window;
	const char	*of;		/* NULL: nothing asked */
	bool		some_llcs;	/* --of a list rather than busiest */
	bool		of_llc[MAX_CPUS];
	double		until;		/* percent; -1: not asked */
	double		below;
	const char	*after_open;
	bool		csv;
	bool		json;
} opts = { .seconds = 1, .interval = 0.020, .window = 0.1, .until = -1, .below = -1 };

static struct topology topo;
static uint64_t llc_ns[MAX_CPUS];	/* by LLC, since watching began */

static void add_ns(int cpu, uint64_t ns)
{
	if (cpu >= 0 && cpu < MAX_CPUS && topo.llc_of[cpu] >= 0)
		llc_ns[topo.llc_of[cpu]] += ns;
}

/* --- source: the tasks of a cgroup ------------------------------------- */

struct task {
	pid_t		tid;
	int		stat_fd;	/* kept open: a reused TID is told apart */
	int		schedstat_fd;
	int		cpu;
	uint64_t	ns;
	bool		listed;		/* in the cgroup at this sample */
};

static char cgroup_dir[4096];
static struct task tasks[MAX_TASKS];
static int nr_tasks;

static bool read_at(int fd, char *buf, size_t size)
{
	ssize_t len = pread(fd, buf, size - 1, 0);

	if (len <= 0)
		return false;
	buf[len] = '\0';
	return true;
}

static bool task_read(const struct task *task, int *cpu, uint64_t *ns)
{
	char buf[1024], *s;

	if (!read_at(task->schedstat_fd, buf, sizeof(buf)))
		return false;
	*ns = strtoull(buf, NULL, 10);

	/* The name, field 2, may hold blanks and brackets; count from its end. */
	if (!read_at(task->stat_fd, buf, sizeof(buf)))
		return false;
	s = strrchr(buf, ')');
	for (int field = 2; s && field < STAT_CPU_FIELD; field++)
		s = strchr(s + 1, ' ');
	if (!s)
		return false;
	*cpu = atoi(s);
	return true;
}

static void task_close(struct task *task)
{
	close(task->stat_fd);
	close(task->schedstat_fd);
}

static bool task_open(struct task *task, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", tid, tid);
	task->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", tid, tid);
	task->schedstat_fd = open(path, O_RDONLY | O_CLOEXEC);
	task->tid = tid;
	task->listed = true;
	if (task->stat_fd >= 0 && task->schedstat_fd >= 0 &&
	    task_read(task, &task->cpu, &task->ns))
		return true;
	task_close(task);
	return false;
}

static void task_seen(pid_t tid)
{
	for (int i = 0; i < nr_tasks; i++) {
		if (tasks[i].tid == tid) {
			tasks[i].listed = true;
			return;
		}
	}
	if (nr_tasks == MAX_TASKS)
		errx(2, "more than %d tasks", MAX_TASKS);
	if (task_open(&tasks[nr_tasks], tid))
		nr_tasks++;
}

/* Lists the tasks of a cgroup directory and those below it. */
static bool walk_cgroup(const char *dir)
{
	char path[4096];
	struct dirent *de;
	FILE *file;
	int tid;
	DIR *d;

	snprintf(path, sizeof(path), "%.4000s/cgroup.threads", dir);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fscanf(file, "%d", &tid) == 1)
		task_seen(tid);
	fclose(file);

	d = opendir(dir);
	while (d && (de = readdir(d))) {
		if (de->d_type != DT_DIR || de->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.3700s/%s", dir, de->d_name);
		walk_cgroup(path);
	}
	if (d)
		closedir(d);
	return true;
}

static void sample_cgroup(void)
{
	int kept = 0;

	for (int i = 0; i < nr_tasks; i++)
		tasks[i].listed = false;
	if (!walk_cgroup(cgroup_dir))
		err(2, "cannot read the tasks of %s", cgroup_dir);

	for (int i = 0; i < nr_tasks; i++) {
		struct task *task = &tasks[i];
		uint64_t ns = 0, gain;
		int cpu = 0;

		if (!task->listed || !task_read(task, &cpu, &ns)) {
			task_close(task);
			continue;
		}
		gain = ns > task->ns ? ns - task->ns : 0;
		add_ns(task->cpu, gain / 2);
		add_ns(cpu, gain - gain / 2);
		task->cpu = cpu;
		task->ns = ns;
		tasks[kept++] = *task;
	}
	nr_tasks = kept;
}

/* --- source: shmwork's own account ------------------------------------- */

static const struct work_stats *stats;
static uint64_t stats_base[MAX_CPUS];	/* by LLC, when watching began */

static void open_stats(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(2, "cannot open %s", path);
	if ((size_t)st.st_size < sizeof(*stats))
		errx(2, "%s was not written by shmwork --stats", path);
	stats = mmap(NULL, sizeof(*stats), PROT_READ, MAP_SHARED, fd, 0);
	if (stats == MAP_FAILED)
		err(2, "cannot map %s", path);
	if (__atomic_load_n(&stats->magic, __ATOMIC_ACQUIRE) != WORK_MAGIC)
		errx(2, "%s was not written by shmwork --stats", path);
	close(fd);
}

static void sample_stats(void)
{
	memset(llc_ns, 0, sizeof(llc_ns));
	for (uint64_t w = 0; w < stats->nr_workers; w++)
		for (int cpu = 0; cpu < MAX_CPUS; cpu++)
			add_ns(cpu, __atomic_load_n(&stats->worker[w].ns[cpu], __ATOMIC_RELAXED));
	for (int i = 0; i < topo.nr_llcs; i++)
		llc_ns[i] -= stats_base[i];
}

/* --- the answer -------------------------------------------------------- */

static struct snapshot *snaps;
static size_t nr_snaps;

static void take_snapshot(double time)
{
	static size_t room;
	struct snapshot *snap;

	if (nr_snaps == room) {
		room = room ? 2 * room : 256;
		snaps = realloc(snaps, room * sizeof(*snaps));
		if (!snaps)
			err(2, "no memory for samples");
	}
	snap = &snaps[nr_snaps++];
	snap->time = time;
	snap->total = 0;
	snap->llc = calloc(topo.nr_llcs, sizeof(*snap->llc));
	if (!snap->llc)
		err(2, "no memory for samples");
	for (int i = 0; i < topo.nr_llcs; i++) {
		snap->llc[i] = llc_ns[i] / (double)NSEC_PER_SEC;
		snap->total += snap->llc[i];
	}
}

/* Percent of the run time between two snapshots that one LLC had. */
static double share(const struct snapshot *from, const struct snapshot *to, int llc)
{
	double total = to->total - from->total;

	return total > 0 ? 100 * (to->llc[llc] - from->llc[llc]) / total : 0;
}

/* The same for what --of names: certain LLCs, or the busiest. */
static double share_of(const struct snapshot *from, const struct snapshot *to)
{
	double sum = 0, most = 0;

	for (int i = 0; i < topo.nr_llcs; i++) {
		double s = share(from, to, i);

		if (s > most)
			most = s;
		if (opts.of_llc[i])
			sum += s;
	}
	return opts.some_llcs ? sum : most;
}

/* Whether the last window has the share that --until or --below wants. */
static bool share_reached(void)
{
	const struct snapshot *last = &snaps[nr_snaps - 1];

	for (size_t i = nr_snaps; i-- > 0; ) {
		const struct snapshot *first = &snaps[i];

		if (first->time > last->time - opts.window)
			continue;
		if (last->total <= first->total)
			return false;
		if (opts.until >= 0)
			return share_of(first, last) >= opts.until;
		return share_of(first, last) < opts.below;
	}
	return false;	/* has not watched for a whole window yet */
}

static void print_csv_header(void)
{
	printf("seconds");
	for (int i = 0; i < topo.nr_llcs; i++)
		printf(",\"%s\"", topo.llcs[i].list);
	putchar('\n');
}

static void print_csv_line(const struct snapshot *from, const struct snapshot *to)
{
	printf("%.3f", to->time);
	for (int i = 0; i < topo.nr_llcs; i++)
		printf(",%.1f", share(from, to, i));
	putchar('\n');
	fflush(stdout);
}

static void print_table(const struct snapshot *from, const struct snapshot *to)
{
	printf("%-5s %-5s %-12s %s\n", "LLC", "NODE", "CPUS", "SHARE%");
	for (int i = 0; i < topo.nr_llcs; i++)
		printf("%-5d %-5d %-12s %.1f\n", i, topo.llcs[i].node, topo.llcs[i].list,
		       share(from, to, i));
}

static void print_json(const struct snapshot *from, const struct snapshot *to,
		       bool limit, bool reached)
{
	printf("{\"seconds\": %.3f, \"run_seconds\": %.3f, \"share\": %.2f, ",
	       to->time, to->total - from->total, share_of(from, to));
	if (limit && reached)
		printf("\"reached_after\": %.3f, ", to->time);
	else if (limit)
		printf("\"reached_after\": null, ");
	printf("\"llcs\": [");
	for (int i = 0; i < topo.nr_llcs; i++)
		printf("%s{\"cpus\": \"%s\", \"node\": %d, \"share\": %.2f}", i ? ", " : "",
		       topo.llcs[i].list, topo.llcs[i].node, share(from, to, i));
	printf("]}\n");
}

static void start_command(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		err(2, "cannot start %s", argv[0]);
	if (!pid) {
		dup2(STDERR_FILENO, STDOUT_FILENO);	/* stdout is for the figures */
		execvp(argv[0], argv);
		warn("cannot run %s", argv[0]);
		_exit(127);
	}
}

/* Ends the program if the command failed: nothing measured counts then. */
static void check_command(const char *name, int flags)
{
	int status;
	pid_t pid = waitpid(-1, &status, flags);

	if (pid > 0 && status)
		errx(2, "%s failed", name);
}

static void sleep_until(uint64_t when)
{
	struct timespec ts = { .tv_sec = when / NSEC_PER_SEC, .tv_nsec = when % NSEC_PER_SEC };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static void choose_llcs(void)
{
	bool cpus[MAX_CPUS] = { false };

	if (!opts.of || !strcmp(opts.of, "busiest"))
		return;
	if (!cpulist_parse(opts.of, cpus))
		errx(2, "--of: \"%s\" is neither \"busiest\" nor a list of CPUs", opts.of);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!cpus[cpu])
			continue;
		if (topo.llc_of[cpu] < 0)
			errx(2, "--of: CPU %d is not online", cpu);
		opts.of_llc[topo.llc_of[cpu]] = true;
	}
	opts.some_llcs = true;
}

static void parse_options(int argc, char **argv)
{
	enum { OPT_CSV = 256, OPT_JSON };
	static const struct option options[] = {
		{ "cgroup", required_argument, NULL, 'c' },
		{ "stats", required_argument, NULL, 's' },
		{ "for", required_argument, NULL, 'f' },
		{ "interval", required_argument, NULL, 'i' },
		{ "window", required_argument, NULL, 'w' },
		{ "of", required_argument, NULL, 'o' },
		{ "until", required_argument, NULL, 'u' },
		{ "below", required_argument, NULL, 'b' },
		{ "after-open", required_argument, NULL, 'a' },
		{ "csv", no_argument, NULL, OPT_CSV },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "+c:s:f:i:w:o:u:b:a:h", options, NULL)) != -1) {
		switch (opt) {
		case 'c':
			opts.cgroup = optarg;
			break;
		case 's':
			opts.stats = optarg;
			break;
		case 'f':
			opts.seconds = parse_number("--for", optarg, 0.001);
			break;
		case 'i':
			opts.interval = parse_number("--interval", optarg, 1) / 1000;
			break;
		case 'w':
			opts.window = parse_number("--window", optarg, 0.001);
			break;
		case 'o':
			opts.of = optarg;
			break;
		case 'u':
			opts.until = parse_number("--until", optarg, 0);
			break;
		case 'b':
			opts.below = parse_number("--below", optarg, 0);
			break;
		case 'a':
			opts.after_open = optarg;
			break;
		case OPT_CSV:
			opts.csv = true;
			break;
		case OPT_JSON:
			opts.json = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			fputs(usage_text, stderr);
			exit(2);
		}
	}
	if (!opts.cgroup == !opts.stats)
		errx(2, "give either --cgroup or --stats");
	if (opts.until >= 0 && opts.below >= 0)
		errx(2, "give either --until or --below");
	if (opts.csv && opts.json)
		errx(2, "give either --csv or --json");
	if (opts.after_open && optind == argc)
		errx(2, "--after-open wants a COMMAND that opens the file");
	choose_llcs();
}

/* Returns an inotify descriptor that is readable once FILE was opened. */
static int watch_opens(const char *file)
{
	int fd = inotify_init1(IN_CLOEXEC);

	if (fd < 0 || inotify_add_watch(fd, file, IN_OPEN) < 0)
		err(2, "cannot watch %s", file);
	return fd;
}

static void wait_for_open(int fd, const char *file, const char *name)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	while (!poll(&poll_fd, 1, 100)) {
		pid_t pid = waitpid(-1, &(int){ 0 }, WNOHANG);

		if (pid > 0 && !poll(&poll_fd, 1, 0))
			errx(2, "%s ended without opening %s", name, file);
	}
	close(fd);
}

/* Samples until the time is over, or the wanted share reached: true. */
static bool watch(void (*sample)(void), char **command)
{
	bool limit = opts.until >= 0 || opts.below >= 0, reached = false;
	size_t line = 0;	/* the snapshot that the last CSV line ended with */
	uint64_t begin, next, now;
	int opens = -1;

	if (opts.after_open)
		opens = watch_opens(opts.after_open);
	if (command)
		start_command(command);
	if (opts.after_open) {
		wait_for_open(opens, opts.after_open, command ? command[0] : "nobody");
		sample();
	}
	begin = next = now_ns();
	take_snapshot(0);
	do {
		const struct snapshot *last;

		next += opts.interval * NSEC_PER_SEC;
		sleep_until(next);
		sample();
		now = now_ns();
		if (now > next)
			next = now;	/* no burst of samples after a delay */
		take_snapshot((now - begin) / (double)NSEC_PER_SEC);
		if (command)
			check_command(command[0], WNOHANG);

		last = &snaps[nr_snaps - 1];
		if (opts.csv && last->time >= snaps[line].time + opts.window) {
			print_csv_line(&snaps[line], last);
			line = nr_snaps - 1;
		}
		reached = limit && share_reached();
	} while (!reached && now - begin < opts.seconds * NSEC_PER_SEC);
	if (command)
		check_command(command[0], 0);
	return reached;
}

int main(int argc, char **argv)
{
	void (*sample)(void) = sample_cgroup;
	const struct snapshot *first, *last;
	bool limit, reached;

	topology_read(&topo);
	parse_options(argc, argv);
	limit = opts.until >= 0 || opts.below >= 0;
	if (opts.stats) {
		sample = sample_stats;
		open_stats(opts.stats);
		sample();
		memcpy(stats_base, llc_ns, sizeof(stats_base));
	} else {
		cgroup_file(cgroup_dir, sizeof(cgroup_dir), opts.cgroup, "");
		sample();
	}
	memset(llc_ns, 0, sizeof(llc_ns));
	if (opts.csv)
		print_csv_header();

	reached = watch(sample, optind < argc ? argv + optind : NULL);

	first = &snaps[0];
	last = &snaps[nr_snaps - 1];
	if (last->total <= 0)
		errx(1, "no task of %s ran", opts.cgroup ? opts.cgroup : opts.stats);
	if (opts.json)
		print_json(first, last, limit, reached);
	else if (limit && reached)
		printf("%.2f\n", last->time);
	else if (limit)
		puts("never");
	else if (opts.of)
		printf("%.1f\n", share_of(first, last));
	else if (!opts.csv)
		print_table(first, last);
	return limit && !reached ? 1 : 0;
}
