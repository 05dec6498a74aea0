/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How does a unit test say what it saw?
 *
 * A test is a function named for the behaviour it checks; unit_run() prints a
 * line "ok NAME" or "not ok NAME" for each, which tests/llcctl/run numbers.
 */
#ifndef LLCCTL_UNIT_H
#define LLCCTL_UNIT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

struct unit_test {
	const char *name;
	void (*fn)(void);
};

#define TEST(fn) { #fn, fn }

static bool unit_failed;

#define CHECK_INT(seen, wanted) do {					\
	long s_ = (seen), w_ = (wanted);				\
	if (s_ != w_) {							\
		unit_failed = true;					\
		printf("# %s:%d: %s is %ld, wanted %ld\n",		\
		       __FILE__, __LINE__, #seen, s_, w_);		\
	}								\
} while (0)

#define CHECK_STR(seen, wanted) do {					\
	const char *s_ = (seen), *w_ = (wanted);			\
	if (!s_ || strcmp(s_, w_)) {					\
		unit_failed = true;					\
		printf("# %s:%d: %s\n#   is     '%s'\n#   wanted '%s'\n", \
		       __FILE__, __LINE__, #seen, s_ ? s_ : "(null)", w_); \
	}								\
} while (0)

static int unit_run(const struct unit_test *tests, size_t nr)
{
	bool any = false;
	size_t i;
	const char *p;

	for (i = 0; i < nr; i++) {
		unit_failed = false;
		tests[i].fn();
		any |= unit_failed;
		fputs(unit_failed ? "not ok " : "ok ", stdout);
		for (p = tests[i].name; *p; p++)
			putchar(*p == '_' ? ' ' : *p);
		putchar('\n');
	}
	return any;
}

#define UNIT_RUN(tests) unit_run(tests, ARRAY_SIZE(tests))

#endif
