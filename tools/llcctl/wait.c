// SPDX-License-Identifier: GPL-2.0
/*
 * Has a preference been reached, and if not, why?
 *
 * Residency is judged over a sliding window: what the tasks did before the
 * preference was written, or while they were gathered, must not count.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "diagnose.h"
#include "effective.h"
#include "explain.h"
#include "llcctl.h"
#include "wait.h"

#define STEP_MS		50
#define NR_LOOKS	(WAIT_WINDOW_MS / STEP_MS)

/* Less run time than this in a window says nothing; usec. */
#define MIN_USAGE	1000

long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

bool parse_seconds(const char *text, double *seconds)
{
	char *end;

	errno = 0;
	*seconds = strtod(text, &end);
	if (end == text || errno)
		return false;
	if (!strcmp(end, "ms"))
		*seconds /= 1000;
	else if (*end && strcmp(end, "s"))
		return false;
	/* Above this it is a mistake, and a long in ms on any machine. */
	return *seconds > 0 && *seconds <= 1000000;
}

static void read_effective(const struct cgroup_root *root, const char *path,
			   struct effective *eff)
{
	char *text;

	*eff = (struct effective){ 0 };
	if (cgroup_read(root, path, FILE_EFFECTIVE, &text))
		return;
	effective_parse(text, eff);
	free(text);
}

/* Say why it was not reached after @w->ms. */
static void say_why(const char *path, const struct diagnosis *d,
		    const struct waited *w)
{
	const char *reason = d->reason;
	char *seen;

	/* Why it did not is nobody's question before it could have run. */
	if (w->residency >= 0)
		seen = xasprintf(", %.1f %% of its run time was on the preferred LLCs (%d %% is wanted)",
				 w->residency, WAIT_RESIDENCY);
	else
		seen = xstrdup("");
	if (!reason && w->residency < 0)
		reason = "its tasks did not run";
	warnx("/%s: not reached after %.1f s%s%s%s%s%s", path,
	      w->ms / 1000.0, seen, reason ? ": " : "", reason ? reason : "",
	      d->help ? "; what would help: " : "", d->help ? d->help : "");
	free(seen);
}

/* Nobody decides: there is nothing to wait for. */
static bool wants_nothing(const struct effective *eff)
{
	const char *mode = effective_get(eff, "mode");

	return mode && (!strcmp(mode, "off") || !strcmp(mode, "process"));
}

int wait_residency(const struct cgroup_root *root, const char *path,
		   double seconds, const struct topology *topo,
		   struct waited *w)
{
	struct attempt try = { .path = path, .file = FILE_STAT };
	struct counters looks[NR_LOOKS], now, recent;
	long start = now_ms(), limit = seconds * 1000, n;
	struct effective eff;
	struct diagnosis d;
	bool over;

	*w = (struct waited){ .residency = -1 };
	for (n = 0;; n++) {
		try.code = counters_read(root, path, &now);
		if (try.code)
			return report_failure(root, &try);
		w->ms = now_ms() - start;
		read_effective(root, path, &eff);
		if (wants_nothing(&eff)) {
			effective_free(&eff);
			return EXIT_DONE;
		}

		if (!n)
			looks[0] = now;
		/* Until the window is full there is only what there is. */
		recent = now;
		counters_since(&recent, &looks[n < NR_LOOKS ? 0 : n % NR_LOOKS]);
		looks[n % NR_LOOKS] = now;
		w->residency = recent.usage_usec < MIN_USAGE ? -1 :
			       counters_residency(&recent);
		if (n >= NR_LOOKS && w->residency >= WAIT_RESIDENCY) {
			effective_free(&eff);
			return EXIT_DONE;
		}

		over = w->ms >= limit;
		diagnose(root, path, &eff, &recent, topo, &d);
		effective_free(&eff);
		if (over || d.lasting) {
			say_why(path, &d, w);
			diagnosis_free(&d);
			return EXIT_FAILED;
		}
		diagnosis_free(&d);
		sleep_ms(STEP_MS);
	}
}
