// SPDX-License-Identifier: GPL-2.0
/*
 * Is cpu.llc_prefer.effective understood, whatever later kernels add to it?
 */
#include <stdlib.h>

#include "effective.h"
#include "unit.h"

static const char *summary(const char *text)
{
	static char out[256];
	struct effective eff;
	char *s;

	effective_parse(text, &eff);
	s = effective_summary(&eff);
	snprintf(out, sizeof(out), "%s", s);
	free(s);
	effective_free(&eff);
	return out;
}

static void the_three_keys_are_found(void)
{
	struct effective eff;

	effective_parse("mode group\ncpus 16-31\nstate active\n", &eff);
	CHECK_STR(effective_get(&eff, "mode"), "group");
	CHECK_STR(effective_get(&eff, "cpus"), "16-31");
	CHECK_STR(effective_get(&eff, "state"), "active");
	CHECK_INT(effective_get(&eff, "cpu") == NULL, true);
	effective_free(&eff);
	CHECK_STR(summary("mode group\ncpus 16-31\nstate active\n"),
		  "mode group, cpus 16-31, state active");
}

static void no_cpus_with_and_without_a_blank(void)
{
	CHECK_STR(summary("mode group\ncpus \nstate idle\n"),
		  "mode group, cpus none, state idle");
	CHECK_STR(summary("mode group\ncpus\nstate idle\n"),
		  "mode group, cpus none, state idle");
}

static void new_keys_are_kept(void)
{
	CHECK_STR(summary("mode group\nspan 2\nstate dreaming of sheep\n\n"),
		  "mode group, span 2, state dreaming of sheep");
	CHECK_STR(summary(""), "");
}

static void every_state_of_the_design_has_words(void)
{
	static const char *const states[] = {
		"single-llc", "disabled", "offline", "cpuset", "numa", "idle",
		"crowded",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		CHECK_INT(effective_reason(states[i]) != NULL, true);
	CHECK_INT(effective_reason("active") == NULL, true);
	CHECK_INT(effective_reason("dreaming") == NULL, true);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(the_three_keys_are_found),
		TEST(no_cpus_with_and_without_a_blank),
		TEST(new_keys_are_kept),
		TEST(every_state_of_the_design_has_words),
	};

	return UNIT_RUN(tests);
}
