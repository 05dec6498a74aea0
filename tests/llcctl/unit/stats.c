// SPDX-License-Identifier: GPL-2.0
/*
 * Is the statistics of measure right? The p values were counted by hand: of the
 * ways to deal the values out, those at least as far from the middle.
 */
#include <math.h>

#include "stats.h"
#include "unit.h"

/* In thousandths, which is what is printed. */
#define MILLI(x) lround(1000 * (x))

static void the_median_is_the_middle(void)
{
	CHECK_INT(MILLI(stats_median((double[]){ 3, 1, 2 }, 3)), 2000);
	CHECK_INT(MILLI(stats_median((double[]){ 4, 1, 2, 3 }, 4)), 2500);
	CHECK_INT(MILLI(stats_median((double[]){ 7 }, 1)), 7000);
	CHECK_INT(isnan(stats_median(NULL, 0)), 1);
	CHECK_INT(MILLI(stats_min((double[]){ 3, -1, 2 }, 3)), -1000);
	CHECK_INT(MILLI(stats_max((double[]){ -3, -1, -2 }, 3)), -1000);
	CHECK_INT(isnan(stats_max(NULL, 0)), 1);
}

static void sets_apart_are_the_rarest_case(void)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 };

	/* 2 of the C(10,5) = 252 ways, and of C(4,2) = 6, and of C(2,1) = 2. */
	CHECK_INT(MILLI(stats_rank_test(low, 5, high, 5)), 8);
	CHECK_INT(MILLI(stats_rank_test(high, 5, low, 5)), 8);
	CHECK_INT(MILLI(stats_rank_test(low, 2, high, 2)), 333);
	CHECK_INT(MILLI(stats_rank_test(low, 1, high, 1)), 1000);
}

static void one_value_among_the_others_is_counted(void)
{
	/*
	 * Ranks 1 2 4 of 1..6, sum 7, the mean is 10.5: of the 20 ways these have
	 * a sum of 7 or less: 123, 124; and of 14 or more: 356, 456.
	 */
	const double a[] = { 1, 2, 4 }, b[] = { 3, 5, 6 };

	CHECK_INT(MILLI(stats_rank_test(a, 3, b, 3)), 200);
}

static void equal_values_share_their_rank(void)
{
	const double a[] = { 1, 1 }, b[] = { 1, 2 }, same[] = { 5, 5, 5 };

	/* Ranks 2 2 2 4: 4 and 6 as sums of two, three ways each, as far off each. */
	CHECK_INT(MILLI(stats_rank_test(a, 2, b, 2)), 1000);
	CHECK_INT(MILLI(stats_rank_test(same, 3, same, 3)), 1000);
}

static void sets_of_unequal_size(void)
{
	/* Rank 5 of 1..5, the mean is 3: of 5 ways, 1 and 5 are as far off. */
	const double a[] = { 9 }, b[] = { 1, 2, 3, 4 };

	CHECK_INT(MILLI(stats_rank_test(a, 1, b, 4)), 400);
	CHECK_INT(MILLI(stats_rank_test(a, 0, b, 4)), 1000);
}

static void the_most_values_there_may_be(void)
{
	double a[STATS_MAX / 2], b[STATS_MAX / 2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(a); i++) {
		a[i] = i;
		b[i] = i + 100;
	}
	/* 2 of C(32,16) = 601080390. */
	CHECK_INT(lround(1e12 * stats_rank_test(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b))),
		  3327);
}

int main(void)
{
	static const struct unit_test tests[] = {
		TEST(the_median_is_the_middle),
		TEST(sets_apart_are_the_rarest_case),
		TEST(one_value_among_the_others_is_counted),
		TEST(equal_values_share_their_rank),
		TEST(sets_of_unequal_size),
		TEST(the_most_values_there_may_be),
	};

	return UNIT_RUN(tests);
}
