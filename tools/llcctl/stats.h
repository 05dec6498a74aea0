/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is the difference between two sets of measurements more than noise?
 *
 * Pure: nothing here reads a file or prints.
 */
#ifndef LLCCTL_STATS_H
#define LLCCTL_STATS_H

#include <stddef.h>

/* The most values that the functions below take together. */
#define STATS_MAX	32

/* The middle value, or the mean of the two; NAN of none. */
double stats_median(const double *values, size_t nr);

double stats_min(const double *values, size_t nr);
double stats_max(const double *values, size_t nr);

/**
 * stats_rank_test() - the rank-sum test of Wilcoxon, Mann and Whitney, exact
 * @a, @nr_a: one set of values
 * @b, @nr_b: the other; STATS_MAX in all at most
 *
 * Were there no difference, every way to deal the values out to two sets of these
 * sizes would be as likely. The share of those in which the sum of ranks is at
 * least as far from its mean as it is here is the answer. Nothing is assumed of
 * how the values are distributed; equal values share their mean rank.
 *
 * With 5 values each it is 2/252 = 0.008 where no value of one set lies among
 * those of the other, and more in every other case.
 *
 * Return: the two-sided p value; 1 if a set is empty.
 */
double stats_rank_test(const double *a, size_t nr_a, const double *b, size_t nr_b);

#endif
