// SPDX-License-Identifier: GPL-2.0
/*
 * Is cpu.llc_prefer.stat understood, and the share of run time right?
 */
#include "counters.h"
#include "unit.h"

static const char text[] =
	"usage_usec 4000000\npreferred_usec 3000000\nnr_wakeups 500\n"
	"nr_wakeups_steered 20\nnr_forks_steered 3\nnr_migrations_in 7\n"
	"nr_migrations_out 5\nnr_spills 2\nnr_moves 4\nnr_llcs 2\n";

static void every_key_is_read(void)
{
	struct counters c;

	counters_parse(text, &c);
	CHECK_INT(c.usage_usec, 4000000);
	CHECK_INT(c.preferred_usec, 3000000);
	CHECK_INT(c.nr_wakeups, 500);
	CHECK_INT(c.nr_wakeups_steered, 20);
	CHECK_INT(c.nr_forks_steered, 3);
	CHECK_INT(c.nr_migrations_in, 7);
	CHECK_INT(c.nr_migrations_out, 5);
	CHECK_INT(c.nr_spills, 2);
	CHECK_INT(c.nr_moves, 4);
	CHECK_INT(c.nr_llcs, 2);
}

static void other_keys_and_missing_ones_do_no_harm(void)
{
	struct counters c;

	counters_parse("future 9\nusage_usec 7\n\nnr_spills\nnr_moves x\n", &c);
	CHECK_INT(c.usage_usec, 7);
	CHECK_INT(c.nr_spills, 0);
	CHECK_INT(c.nr_moves, 0);
	counters_parse("", &c);
	CHECK_INT(c.usage_usec, 0);
}

static void residency_is_a_share_of_the_run_time(void)
{
	struct counters c;

	counters_parse(text, &c);
	CHECK_INT(counters_residency(&c) * 10, 750);
	c.preferred_usec = 0;
	CHECK_INT(counters_residency(&c), 0);
	c.preferred_usec = c.usage_usec + 17;
	CHECK_INT(counters_residency(&c), 100);
	c.usage_usec = 0;
	CHECK_INT(counters_residency(&c) < 0, true);
}

static void a_difference_is_of_the_counts_and_not_of_the_llcs(void)
{
	struct counters now, then;

	counters_parse(text, &then);
	now = then;
	now.usage_usec += 1000;
	now.preferred_usec += 900;
	now.nr_spills += 1;
	now.nr_llcs = 3;
	counters_since(&now, &then);
	CHECK_INT(now.usage_usec, 1000);
	CHECK_INT(counters_residency(&now), 90);
	CHECK_INT(now.nr_spills, 1);
	CHECK_INT(now.nr_wakeups, 0);
	CHECK_INT(now.nr_llcs, 3);
}

static void counts_that_began_anew_stand_for_themselves(void)
{
	struct counters now = { .usage_usec = 10, .preferred_usec = 10 }, then;

	counters_parse(text, &then);
	counters_since(&now, &then);
	CHECK_INT(now.usage_usec, 10);
	CHECK_INT(now.preferred_usec, 10);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(every_key_is_read),
		TEST(other_keys_and_missing_ones_do_no_harm),
		TEST(residency_is_a_share_of_the_run_time),
		TEST(a_difference_is_of_the_counts_and_not_of_the_llcs),
		TEST(counts_that_began_anew_stand_for_themselves),
	};

	return UNIT_RUN(tests);
}
