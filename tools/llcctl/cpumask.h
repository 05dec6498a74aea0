/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which CPUs are in a set, and how is the set written?
 *
 * Pure: nothing here reads a file or prints.
 */
#ifndef LLCCTL_CPUMASK_H
#define LLCCTL_CPUMASK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/* The largest NR_CPUS the kernel can be built for. */
#define CPUMASK_BITS	8192
#define CPUMASK_LAST	(CPUMASK_BITS - 1)

#define CPUMASK_WORD	(sizeof(unsigned long) * CHAR_BIT)

/* A set of CPU numbers (or of NUMA node numbers); all zero is empty. */
struct cpumask {
	unsigned long bits[CPUMASK_BITS / CPUMASK_WORD];
};

void cpumask_set(struct cpumask *m, unsigned int cpu);
void cpumask_or(struct cpumask *m, const struct cpumask *other);
bool cpumask_test(const struct cpumask *m, unsigned int cpu);
bool cpumask_equal(const struct cpumask *a, const struct cpumask *b);
bool cpumask_intersects(const struct cpumask *a, const struct cpumask *b);

/* Number of CPUs in @m. */
unsigned int cpumask_weight(const struct cpumask *m);

/* Number of CPUs that are both in @a and in @b. */
unsigned int cpumask_weight_and(const struct cpumask *a,
				const struct cpumask *b);

/* The lowest CPU of @m that is not below @from, -1 if there is none. */
int cpumask_next(const struct cpumask *m, unsigned int from);

#define cpumask_for_each(cpu, m)			\
	for ((cpu) = cpumask_next((m), 0); (cpu) >= 0;	\
	     (cpu) = cpumask_next((m), (cpu) + 1))

static inline bool cpumask_empty(const struct cpumask *m)
{
	return cpumask_next(m, 0) < 0;
}

/* True for the characters that stand between two items of a list. */
bool cpulist_separator(char c);

/**
 * cpulist_parse_item() - add one item of a CPU list to a set
 * @item: start of the item, not NUL-terminated
 * @len: its length
 * @last: the last possible CPU, -1 if it is not known
 * @mask: the CPUs are added; untouched after an error
 * @why: set after an error
 *
 * The items are those of the kernel's bitmap_parselist(): "5", "0-31",
 * "0-31:2/4" (2 of every 4), "N" for the last CPU, "all".
 *
 * Return: 0, -EINVAL if the item is malformed, -ERANGE if it names a CPU
 * beyond @last.
 */
int cpulist_parse_item(const char *item, size_t len, int last,
		       struct cpumask *mask, struct why *why);

/**
 * cpulist_parse() - read a CPU list, as in sysfs and cpuset.cpus
 * @text: items separated by commas or white space; may be empty
 *
 * The other arguments, the errors: see cpulist_parse_item(); after an error
 * @mask may hold the items before the bad one.
 */
int cpulist_parse(const char *text, int last, struct cpumask *mask,
		  struct why *why);

/**
 * cpumap_parse() - read a mask in hexadecimal words, as in shared_cpu_map
 * @text: words of up to 32 bits, separated by commas, highest first
 * @mask: replaced
 *
 * Return: 0, -EINVAL if malformed, -ERANGE if it has a CPU beyond
 * CPUMASK_LAST.
 */
int cpumap_parse(const char *text, struct cpumask *mask);

/**
 * cpulist_format() - write a set as the kernel's %*pbl does
 *
 * Return: "0-3,8", "" for the empty set; the caller frees.
 */
char *cpulist_format(const struct cpumask *mask);

#endif
