// SPDX-License-Identifier: GPL-2.0
/*
 * Is the difference between two sets of measurements more than noise?
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(const double *values, size_t nr)
{
	double sorted[STATS_MAX];

	if (!nr || nr > STATS_MAX)
		return NAN;
	memcpy(sorted, values, nr * sizeof(*values));
	qsort(sorted, nr, sizeof(*sorted), compare);
	return (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2;
}

double stats_min(const double *values, size_t nr)
{
	double least = nr ? values[0] : NAN;

	while (nr--)
		least = values[nr] < least ? values[nr] : least;
	return least;
}

double stats_max(const double *values, size_t nr)
{
	double most = nr ? values[0] : NAN;

	while (nr--)
		most = values[nr] > most ? values[nr] : most;
	return most;
}

/* Twice the rank of a value among all, so that a shared rank is a whole number. */
static unsigned int double_rank(double value, const double *all, size_t nr)
{
	unsigned int below = 0, same = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		below += all[i] < value;
		same += all[i] == value;
	}
	return 2 * below + same + 1;
}

double stats_rank_test(const double *a, size_t nr_a, const double *b, size_t nr_b)
{
	/* ways[k][s]: how many sets of k of the values have s as sum of double ranks */
	static double ways[STATS_MAX + 1][STATS_MAX * (STATS_MAX + 1) + 1];
	double all[STATS_MAX], total = 0, extreme = 0;
	size_t nr = nr_a + nr_b, i, k, sum, top = 0;
	long mean, seen = 0, distance;

	if (!nr_a || !nr_b || nr > STATS_MAX)
		return 1;
	memcpy(all, a, nr_a * sizeof(*a));
	memcpy(all + nr_a, b, nr_b * sizeof(*b));

	memset(ways, 0, sizeof(ways));
	ways[0][0] = 1;
	for (i = 0; i < nr; i++) {
		unsigned int rank = double_rank(all[i], all, nr);

		if (i < nr_a)
			seen += rank;
		for (k = i + 1; k-- > 0;)
			for (sum = 0; sum <= top; sum++)
				if (ways[k][sum])
					ways[k + 1][sum + rank] += ways[k][sum];
		top += rank;
	}

	mean = nr_a * (nr + 1);
	distance = labs(seen - mean);
	for (sum = 0; sum <= top; sum++) {
		total += ways[nr_a][sum];
		if (labs((long)sum - mean) >= distance)
			extreme += ways[nr_a][sum];
	}
	return extreme / total;
}
