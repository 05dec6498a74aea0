// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true of the files while all goes on, and of the kernel when all is
 * over and nobody prefers anything any more?
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "churn.h"

#define ALLOCINFO	"/proc/allocinfo"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define MIN_AGE_USEC	6000000		/* kmemleak passes over what is younger than 5 s */
#define PATIENCE_SEC	30		/* for RCU to free, tasks to be dequeued */

static bool one_of(const char *word, size_t len, const char *const words[], int nr)
{
	for (int i = 0; i < nr; i++)
		if (strlen(words[i]) == len && !strncmp(words[i], word, len))
			return true;
	return false;
}

/* The value of the next line if that is @key's; @text moves behind it. */
static const char *next_value(const char **text, const char *key, size_t *len)
{
	const char *line = *text, *end = strchr(line, '\n');
	size_t key_len = strlen(key);

	if (!end || strncmp(line, key, key_len) || line[key_len] != ' ')
		return NULL;
	*text = end + 1;
	*len = end - (line + key_len + 1);
	return line + key_len + 1;
}

bool effective_parses(const char *text)
{
	static const char *const modes[] = { "off", "process", "group", "list" };
	static const char *const states[] = {
		"active", "single-llc", "disabled", "offline", "cpuset", "numa", "idle",
		"crowded",
	};
	bool set[MAX_CPUS] = { };
	char cpus[1024];
	const char *value;
	size_t len;

	value = next_value(&text, "mode", &len);
	if (!value || !one_of(value, len, modes, 4))
		return false;
	value = next_value(&text, "cpus", &len);
	if (!value || len >= sizeof(cpus))
		return false;
	memcpy(cpus, value, len);
	cpus[len] = '\0';
	if (len && !cpulist_parse(cpus, set))
		return false;
	value = next_value(&text, "state", &len);
	return value && one_of(value, len, states, 8) && !*text;
}

const char *const stat_name[NR_STATS] = {
	"usage_usec", "preferred_usec", "nr_wakeups", "nr_wakeups_steered", "nr_forks_steered",
	"nr_migrations_in", "nr_migrations_out", "nr_spills", "nr_moves", "nr_llcs",
};

bool stat_parses(const char *text, unsigned long long number[NR_STATS])
{
	for (int i = 0; i < NR_STATS; i++) {
		size_t len;
		const char *value = next_value(&text, stat_name[i], &len);
		char *end;

		if (!value || *value < '0' || *value > '9')
			return false;
		number[i] = strtoull(value, &end, 10);
		if (end != value + len)
			return false;
	}
	/* The last one is nr_llcs. */
	return !*text && number[NR_STATS - 1] <= (unsigned long long)nr_cpus;
}

/* All of a file, to be freed; NULL if it cannot be read. */
static char *read_all(const char *path)
{
	size_t size = 1 << 16, len = 0;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	while (fd >= 0 && text) {
		got = read(fd, text + len, size - 1 - len);
		if (got <= 0)
			break;
		len += got;
		if (len == size - 1) {
			char *more = realloc(text, size *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	if (fd >= 0)
		close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[len] = '\0';
	return text;
}

static bool write_all(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Whatever an operation left behind that did not come to its end. */
bool check_restored(char *text, size_t size)
{
	int online = 0;
	char *value;

	for (int cpu = 1; cpu < nr_cpus; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		value = read_all(path);
		if (!value || *value != '1')
			write_all(path, "1");
		free(value);
	}
	online = sysconf(_SC_NPROCESSORS_ONLN);

	value = read_all(SWITCH);
	if (!value || *value != '1')
		write_all(SWITCH, "1");
	free(value);
	value = read_all(SWITCH);
	snprintf(text, size, "%d of %d CPUs are online, cache aware scheduling is %s", online,
		 nr_cpus, value && *value == '1' ? "on" : "off");
	if (online != nr_cpus || !value || *value != '1') {
		free(value);
		return false;
	}
	free(value);
	return true;
}

/* Does the top of the tree still take a value, and does the bottom inherit it? */
bool check_answers(char *text, size_t size)
{
	static const char *const below[] = { "", "/a", "/a/c", "/a/c/e", "/t", "/t/x", "/t/x/z" };
	char *effective;
	bool right;

	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), TREE "%s/cpu.llc_prefer", below[i]);
		if (!write_all(path, i ? "default" : "group")) {
			snprintf(text, size, "%s: %s", path, strerror(errno));
			return false;
		}
	}
	effective = read_all(TREE "/t/x/z/cpu.llc_prefer.effective");
	right = effective && effective_parses(effective) && !strncmp(effective, "mode group\n", 11);
	snprintf(text, size, "four levels below \"group\": %.*s",
		 effective ? (int)strcspn(effective, "\n") : 7, effective ?: "nothing");
	free(effective);
	return right;
}

/* --- counters -------------------------------------------------------------- */

static const char *const counters[] = { ".nr_pref_llc_running", ".llc_counts" };

bool have_counters(void)
{
	char *text = read_all(SCHED_DEBUG "/debug");
	bool have = text && strstr(text, counters[0]);

	free(text);
	return have;
}

static bool counters_are_zero(char *text, size_t size)
{
	char *all = read_all(SCHED_DEBUG "/debug"), *save = NULL;
	int seen[2] = { }, cpu = -1;
	bool right = true;

	if (!all) {
		snprintf(text, size, SCHED_DEBUG "/debug: %s", strerror(errno));
		return false;
	}
	for (char *line = strtok_r(all, "\n", &save); line && right;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "cpu#", 4)) {
			cpu = atoi(line + 4);
			continue;
		}
		line += strspn(line, " ");
		for (int i = 0; i < 2; i++) {
			size_t len = strlen(counters[i]);
			char *colon;

			if (strncmp(line, counters[i], len) || (line[len] != ' ' && line[len] != ':'))
				continue;
			colon = strchr(line, ':');
			seen[i]++;
			if (!colon || strtoll(colon + 1, NULL, 10)) {
				snprintf(text, size, "CPU %d: %s%s, wanted 0", cpu, counters[i],
					 colon ?: " without a value");
				right = false;
			}
		}
	}
	free(all);
	if (!right)
		return false;
	snprintf(text, size, "both counters are 0 on %d and %d of %d CPUs", seen[0], seen[1], nr_cpus);
	return seen[0] == nr_cpus && seen[1] == nr_cpus;
}

bool check_counters(char *text, size_t size)
{
	uint64_t end = now_ns() + PATIENCE_SEC * NSEC_PER_SEC;

	while (!counters_are_zero(text, size)) {
		if (now_ns() > end)
			return false;
		task_nap(200000);
	}
	return true;
}

/* --- memory ---------------------------------------------------------------- */

bool have_memory(void)
{
	return !access(ALLOCINFO, R_OK);
}

/*
 * What the files of this feature allocated and nobody freed: by far the sharpest
 * look, since also what is still pointed at counts. Nothing is stated before the
 * run nor after, so there is nothing to hold.
 */
static bool memory_is_free(char *text, size_t size)
{
	char *all = read_all(ALLOCINFO), *save = NULL;
	bool right = true;
	int sites = 0;

	if (!all) {
		snprintf(text, size, ALLOCINFO ": %s", strerror(errno));
		return false;
	}
	for (char *line = strtok_r(all, "\n", &save); line && right;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long bytes, calls;
		int at;

		if (!strstr(line, "/llc_prefer") ||
		    sscanf(line, "%llu %llu %n", &bytes, &calls, &at) < 2)
			continue;
		sites++;
		if (calls) {
			snprintf(text, size, "%llu bytes in %llu pieces are held: %s", bytes, calls,
				 line + at);
			right = false;
		}
	}
	free(all);
	if (!right)
		return false;
	snprintf(text, size, "nothing is held, at %d places that allocate", sites);
	return sites;
}

/*
 * What is freed after a grace period is kept by each CPU until it has a few dozen
 * of the same size, however long that takes. To shrink a cache gives it back.
 */
static void free_what_waits(void)
{
	glob_t caches;

	if (glob("/sys/kernel/slab/kmalloc-*/shrink", 0, NULL, &caches))
		return;
	for (size_t i = 0; i < caches.gl_pathc; i++)
		write_all(caches.gl_pathv[i], "1");
	globfree(&caches);
}

bool check_memory(char *text, size_t size)
{
	uint64_t end = now_ns() + PATIENCE_SEC * NSEC_PER_SEC;

	free_what_waits();
	while (!memory_is_free(text, size)) {
		if (now_ns() > end)
			return false;
		task_nap(500000);
	}
	return true;
}

bool have_leaks(void)
{
	return !access(KMEMLEAK, W_OK);
}

/* The first scan only learns what each object holds; the second may judge it. */
bool check_leaks(char *text, size_t size)
{
	uint64_t start = now_ns();
	bool right;
	char *found;

	for (int i = 0; i < 2; i++) {
		task_nap(MIN_AGE_USEC);
		if (!write_all(KMEMLEAK, "scan")) {
			snprintf(text, size, KMEMLEAK ": no scan: %s", strerror(errno));
			return false;
		}
	}
	found = read_all(KMEMLEAK);
	right = found && !*found;
	if (right) {
		snprintf(text, size, "two scans in %.0f s found none",
			 (now_ns() - start) / (double)NSEC_PER_SEC);
	} else {
		/* One report, in a line for each of its own. */
		snprintf(text, size, "%.1500s", found ?: "cannot be read");
		for (char *s = text; *s; s++)
			if (*s == '\n')
				*s = '|';
	}
	free(found);
	return right;
}
